"""The command `dpverify check`: one mechanism, named on the command line."""

from collections.abc import Sequence
from typing import Any, Final

import click

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.commands.auditing import Deciding, Telling, decide_and_report, end
from dpverify.verifiers.commands.options import (
    each_once,
    jobs_option,
    limited,
    outputs_of,
    processors,
    reach_option,
    recheck_option,
    report_options,
    scheduler_option,
    strict_option,
    timeout_option,
)
from dpverify.verifiers.commands.short_help import ShortHelp
from dpverify.verifiers.locations import Reference

_COMMON: Final = (
    *("domain", "neighbours", "epsilon", "delta", "params", "verbose", "timeout", "limits", "json", "html", "markdown"),
)
"""The options that `--help` shows."""


@click.command("check", cls=ShortHelp, common=_COMMON)
@click.argument(
    "function",
    metavar="MODULE:FUNCTION",
    nargs=-1,
    required=True,
    is_eager=True,
    callback=lambda _, __, given: _with_a_function(given),
)
@click.option(
    "--domain", required=True, metavar="DOMAIN", help="The databases: one of the domains above, or MODULE:NAME."
)
@click.option(
    "--neighbours",
    default="replace_one",
    show_default=True,
    metavar="RELATION",
    help="The neighbour relation: one of those above, or MODULE:FUNCTION.",
)
@click.option(
    "--epsilon",
    required=True,
    metavar="NUMBER",
    help="The claimed ε, such as 1, 0.1, 1/3 or log(2); symbolic stands for every ε > 0.",
)
@click.option(
    "--delta", default="0", show_default=True, metavar="NUMBER", help="The claimed δ, such as 1e-6 or exp(-3)."
)
@click.option(
    "--param", "params", multiple=True, metavar="NAME=VALUE", help="A parameter of the mechanism (repeatable)."
)
@click.option("--neighbours-agree", is_flag=True, help="Expect an output that does not depend on the data.")
@click.option("-v", "--verbose", is_flag=True, help="Show all that the verdict covers.")
@timeout_option
@recheck_option
@strict_option
@reach_option
@scheduler_option
@jobs_option
@report_options
def check_command(
    function: tuple[str, ...],
    domain: str,
    neighbours: str,
    epsilon: str,
    delta: str,
    params: tuple[str, ...],
    neighbours_agree: bool,
    verbose: bool,
    timeout: float | None,
    recheck: bool,
    strict: bool,
    reach: bool | None,
    scheduler: str | None,
    jobs: int | None,
    limits: tuple[str, ...],
    title: str | None,
    **given: Any,
) -> None:
    """Decide whether one mechanism is (ε,δ)-private on a domain.

    FUNCTION is mechanism(draw, database, **parameters), of a module or as FILE.py:FUNCTION, which is run. A report to -
    goes to standard output.

    \b
    dpverify check mylib.py:most_common \\
        --domain 'Multisets(range(3), size=6)' --epsilon 1

    \b
    Domains    Multisets(range(3), size=6), LabelledSamples(range(4), size=3),
               Tuples((0, 1), size=4), ScoreSpace(range(7), solutions=3),
               for any number of rows Histograms(range(3)), Scores(solutions=2)
    Relations  replace_one, add_or_remove_one, change_one_label,
               scores_linf, scores_l1
    """
    from dpverify.verifiers.auditing.claim_files import load_object
    from dpverify.verifiers.privacy.claim import Claim
    from dpverify.verifiers.privacy.expressions import domain as domain_of
    from dpverify.verifiers.privacy.expressions import exact_number, parsed_parameter, relation

    reference = _reference(function)
    mechanism = load_object(reference)
    if isinstance(mechanism, AnyClaim):
        named = f"{reference.partition(':')[0]} {mechanism.id}"
        raise InputError(bad_input.CLAIM_NO_MECHANISM, reference, named)
    claim = Claim(
        id=one_line(reference).replace(" ", "_"),
        mechanism=mechanism,
        domain=domain_of(domain, load_object),
        neighbours=relation(neighbours, load_object),
        epsilon=exact_number(epsilon, "epsilon"),
        delta=exact_number(delta, "delta"),
        parameters=each_once((parsed_parameter(one, load_object) for one in params), "--param"),
        neighbours_agree=neighbours_agree,
    )
    claim.stands_at(Reference(None, reference))
    outputs = outputs_of(given)
    record, interrupted = decide_and_report(
        limited([claim], limits),
        Deciding(jobs or processors(), timeout, recheck, strict, scheduler=scheduler, reach=reach, lines=bool(outputs)),
        outputs,
        Telling("scope" if verbose else "fold"),
        title,
    )
    end(record, 1, interrupted)


def _with_a_function(given: tuple[str, ...]) -> tuple[str, ...]:
    """The same. Raises `InputError`, before an option is missed, for a file alone: the message names its functions."""
    if len(given) == 1 and given[0].endswith(".py"):
        from dpverify.verifiers.auditing.claim_files import refuse_no_name

        refuse_no_name(given[0])
    return given


def _reference(given: Sequence[str]) -> str:
    """MODULE:FUNCTION, also from FILE.py and FUNCTION side by side. Raises `InputError` for more than one mechanism."""
    if len(given) == 1:
        return given[0]
    if len(given) == 2 and given[0].endswith(".py") and not given[1].endswith(".py"):
        return ":".join(given)
    raise InputError(
        bad_input.WRONG, f"the argument of check, {' and '.join(given)},", "one mechanism", "write FILE.py:FUNCTION"
    )

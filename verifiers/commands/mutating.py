"""The command `dpverify mutate`: mechanisms broken in the ways people break them, and whether their claims notice."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

import click

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.reports.writing import STANDARD_OUTPUT, check_targets, write_reports
from dpverify.verifiers.auditing.exit_status import INTERRUPTED_STATUS
from dpverify.verifiers.auditing.mutation.record import MutationRecord, mutation_json
from dpverify.verifiers.auditing.mutation.table import mutant_lines, mutation_summary_lines
from dpverify.verifiers.claims import Depth
from dpverify.verifiers.commands.errors import BadInput, say_what_is_not_decided
from dpverify.verifiers.commands.naming import meant_by, names_argument, say_unread
from dpverify.verifiers.commands.options import FILE, depth_option, jobs_option, processors, seconds, whole_option
from dpverify.verifiers.commands.short_help import ShortHelp
from dpverify.verifiers.commands.terminal import Progress, say_written
from dpverify.verifiers.privacy.claim import Claim

_COMMON: Final = (*("of_catalogue", "limit", "stronger", "depth", "jobs", "timeout", "target", "verbose"),)
"""The options that `--help` shows."""


@click.command("mutate", cls=ShortHelp, common=_COMMON)
@names_argument
@click.option(
    "--seed", type=str, callback=whole_option(), default=1, show_default=True, metavar="N", help="Choose other mutants."
)
@click.option(
    "--limit",
    type=str,
    callback=whole_option(1),
    default=30,
    show_default=True,
    metavar="N",
    help="Try at most N mutants of each claim.",
)
@click.option(
    "--stronger",
    multiple=True,
    metavar="DOMAIN",
    help="Decide survivors also on DOMAIN, or on 'DOMAIN @ ε, δ' (repeatable).",
)
@depth_option
@jobs_option
@click.option(
    "--timeout",
    type=str,
    callback=seconds,
    default=20,
    show_default=True,
    metavar="SECONDS",
    help="Give a mutant up after this CPU time, or after ten times that of its claim.",
)
@click.option("--json", "target", type=FILE, metavar="FILE", help="Write all of it to FILE, or to -, standard output.")
@click.option("-v", "--verbose", is_flag=True, help="List all mutants.")
def mutate_command(
    names: tuple[str, ...],
    of_catalogue: bool,
    seed: int,
    limit: int,
    stronger: tuple[str, ...],
    depth: Depth,
    jobs: int | None,
    timeout: float,
    target: Path | None,
    verbose: bool,
) -> None:
    """Break the mechanisms of privacy claims in the ways people break them, and decide the claims again.

    Without a name: the claims in the claims_*.py below this folder. These and the broken mechanisms are run; no file is
    changed. Claims that are expected to be refuted are left out.

    \b
    killed       the claim is REFUTED for the mutant
    missed       it is REFUTED on a stronger domain only
    survived     it is PROVED wherever it was tried
    harmless     it is PROVED for any number of rows
    unreached    it does what the mechanism does on all databases that were tried
    out of time  the time was up before it was decided
    invalid      it raises or is undecided

    \b
    Exit status: 0  every claim kills a mutant, and misses none
                 1  some claim misses one, or kills none
                 2  bad usage or input
    """
    from dpverify.verifiers.auditing.mutation.mutating import MutantPlan, MutatingStopped, mutate
    from dpverify.verifiers.auditing.selection import selected

    check_targets([] if target is None else [target])
    asked = meant_by(names, of_catalogue)
    if asked.names and not asked.read:
        raise InputError("; ".join(asked.unread.values()))
    claims = [cast("Claim", claim) for claim in selected(asked.read, depth, ("privacy",))]
    more = tuple(map(_ground, stronger))
    claims = [replace(claim, stronger=(*claim.stronger, *more)) for claim in claims] if more else claims
    plan = MutantPlan(seed, limit, timeout, jobs or processors(), depth)
    progress = Progress(2, "mutants")
    interrupted = False
    try:
        record = mutate(claims, plan, progress.at)
    except MutatingStopped as interruption:
        record, interrupted = interruption.record, True
    finally:
        progress.clear()
    if not record.claims and not record.not_decided and not interrupted:
        raise InputError(
            bad_input.NEEDS,
            "dpverify mutate",
            "a claim that is expected to be PROVED pair by pair, and none of these is",
            "name one that is",
        )
    lines = [line for claim in record.claims for line in (*mutant_lines(claim, verbose=verbose), "")]
    click.echo("\n".join([*lines, *mutation_summary_lines(record)]), err=target == STANDARD_OUTPUT)
    texts = {} if target is None else {target: mutation_json(record)}
    write_reports(texts)
    say_written(texts, sys.stderr if target == STANDARD_OUTPUT else sys.stdout)
    say_unread(asked.unread)
    _end(record, len(claims), interrupted, is_partial=bool(asked.unread))


def _ground(text: str) -> tuple[object, *tuple[Exact, ...]]:
    """A domain, with the ε and the δ that stand behind an @, if there is one. Raises `InputError`."""
    from dpverify.verifiers.auditing.claim_files import load_object
    from dpverify.verifiers.privacy import expressions

    domain, _, numbers = text.partition(" @ ")
    given = [number.strip() for number in numbers.split(",")] if numbers else []
    if len(given) > 2:
        raise InputError(bad_input.FORM, f"--stronger {text}", "DOMAIN, 'DOMAIN @ ε' or 'DOMAIN @ ε, δ'")
    exact = map(expressions.exact_number, given, ("epsilon", "delta"))
    return (expressions.domain(domain, load_object), *exact)


def _end(record: MutationRecord, asked: int, interrupted: bool, *, is_partial: bool) -> None:
    """End with the exit status: 2 where not all could be mutated, 1 where one does not bite."""
    if interrupted:
        BadInput(f"interrupted: {sum(len(claim.mutants) for claim in record.claims)} mutants decided").show()
        sys.exit(INTERRUPTED_STATUS)
    say_what_is_not_decided(record.not_decided, asked, interrupted)
    sys.exit(2 if record.not_decided or is_partial else 0 if all(claim.bites for claim in record.claims) else 1)

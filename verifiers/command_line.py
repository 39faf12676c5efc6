"""The command line: `dpverify list`, `audit`, `check`, `explain`, `lemmas` and `utility`.

Results go to standard output or files; progress and colour go to standard error, and only on a terminal. Exit status 0:
every claim as expected; 1: some claim is not; 2: bad usage or input, or some claim was not decided; 3: nothing worse
than a claim left undecided; 130: interrupted, with what was decided reported.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeVar

import click
import msgspec

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.shown import one_line
from dpverify.mechanisms.laws.limits import Limits
from dpverify.reports.record import ClaimResult, NotDecided, Status
from dpverify.reports.rendering import render
from dpverify.reports.summary import for_all, in_short
from dpverify.reports.table import Detail, to_table
from dpverify.reports.writing import STANDARD_OUTPUT, check_targets, write_reports
from dpverify.verifiers.audit.attempts import Attempts
from dpverify.verifiers.audit.deciding import INTERRUPTED_STATUS, exit_status, reason_of
from dpverify.verifiers.command_errors import Commands, say_what_is_not_decided
from dpverify.verifiers.lemmas_command import lemmas_command
from dpverify.verifiers.utility_command import utility_command

if TYPE_CHECKING:
    from dpverify.verifiers.privacy.claim import Claim

Command = TypeVar("Command", bound=Callable[..., Any])

LIMITS = tuple(field.name for field in fields(Limits))

_COLOURS = {Status.PROVED: "green", Status.REFUTED: "red"}


def report_options(command: Command) -> Command:
    """The options that write reports, and limit the work."""
    path = click.Path(path_type=Path)
    command = limit_option(command)
    for name, what in (("html", "one HTML page that opens offline"), ("markdown", "Markdown"), ("json", "JSON")):
        command = click.option(
            f"--{name}", type=path, metavar="OUT", help=f"Write {what} to OUT (-: standard output)."
        )(command)
    return command


def limit_option(command: Command) -> Command:
    """How far a check goes before it gives up."""
    return click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="NAME=N",
        help=f"How far to go before giving up: {', '.join(LIMITS)}; as often as needed.",
    )(command)


def timeout_option(command: Command) -> Command:
    """How long deciding may take in all."""
    return click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="S",
        help="Stop after S seconds: what was decided is reported, the rest is not decided (exit status 2).",
    )(command)


def recheck_option(command: Command) -> Command:
    """Whether laws are computed a second time."""
    return click.option(
        "--no-recheck",
        "recheck",
        flag_value=False,
        default=True,
        type=bool,
        help="Do not compute laws a second time; the record says so.",
    )(command)


def strict_option(command: Command) -> Command:
    """Whether what was not rechecked is as expected."""
    return click.option(
        "--strict", is_flag=True, help="A claim whose laws were not computed a second time is not as expected."
    )(command)


def jobs_option(command: Command) -> Command:
    """How many processes decide claims."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=None,
        metavar="N",
        help="Decide N claims at a time (default: one a processor).",
    )(command)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="dpverify")
def main() -> None:
    """Verify differential privacy: exact verdicts on every pair of neighbours of a domain.

    \b
    Exit status: 0  every claim came out as expected
                 1  some claim did not, or its mutant was not refuted
                 2  bad usage or input, or some claim was not decided: its mechanism
                    raised, ended its process or did not return, or the time was up
                 3  nothing worse than a claim left undecided
               130  interrupted (Ctrl-C or SIGTERM); what was decided is reported

    Claims are decided in child processes, so that nothing a mechanism does to its
    process costs another claim its verdict (on Windows: in the same process).
    """


main.add_command(lemmas_command)
main.add_command(utility_command)


@main.command("list", short_help="List claims: ids, expected verdicts, statements.")
@click.argument("names", metavar="[IDS | FILES]...", nargs=-1)
def list_claims(names: tuple[str, ...]) -> None:
    """List claims: their ids, expected verdicts, ε and δ, and statements.

    The whole catalogue, or ids, patterns such as 'BNS-J-2.26*', and files of claims.
    """
    from dpverify.verifiers.audit.selection import selected

    claims = selected(names)
    rows = [(claim.id, str(claim.expected), _claimed(claim), claim.statement) for claim in claims]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip())


@main.command(short_help="Decide claims, print a table, write reports.")
@click.argument("names", metavar="[IDS | FILES]...", nargs=-1)
@click.option(
    "--depth",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="Leave out, or include, the claims that take long.",
)
@click.option("-v", "--verbose", is_flag=True, help="Say of every claim what it covers and where it comes from.")
@click.option("-q", "--quiet", is_flag=True, help="Show only claims that do not come out as expected.")
@jobs_option
@timeout_option
@recheck_option
@strict_option
@report_options
def audit(
    names: tuple[str, ...],
    depth: str,
    verbose: bool,
    quiet: bool,
    jobs: int | None,
    timeout: float | None,
    recheck: bool,
    strict: bool,
    json: Path | None,
    markdown: Path | None,
    html: Path | None,
    limits: tuple[str, ...],
) -> None:
    """Decide claims and print a table, with the witness under each refuted one.

    The whole catalogue, or ids, patterns such as 'BNS-J-2.26*', and files of claims. A claim that cannot be decided is
    a row of the table and of every report; the others are decided all the same.
    """
    if verbose and quiet:
        raise InputError("--verbose and --quiet exclude each other")
    how = _How(jobs or _processors(), timeout, recheck, strict)
    claims, unread = _readable(names, depth)
    detail: Detail = "all" if verbose else ""
    _audit_and_report(
        _limited(claims, limits), how, json, markdown, html, detail=detail, surprises_only=quiet, unread=unread
    )


@main.command(short_help="Decide whether one mechanism is private.")
@click.argument("function", metavar="MODULE:FUNCTION")
@click.option(
    "--domain",
    required=True,
    metavar="DOMAIN",
    help="For example 'Multisets(range(3), size=6)', 'Tuples((0, 1), size=4)', 'ScoreSpace(range(7), solutions=3)', "
    "or MODULE:NAME.",
)
@click.option(
    "--neighbours",
    default="replace_one",
    show_default=True,
    metavar="RELATION",
    help="replace_one, add_or_remove_one, change_one_label, scores_linf, scores_l1, or MODULE:FUNCTION.",
)
@click.option(
    "--epsilon",
    required=True,
    metavar="NUMBER",
    help="The claimed ε, exactly: 1, 0.1, 1/3 or log(2); symbolic decides for every ε > 0.",
)
@click.option(
    "--delta", default="0", show_default=True, metavar="NUMBER", help="The claimed δ, exactly: 1e-6 or exp(-3)."
)
@click.option(
    "--param", "params", multiple=True, metavar="NAME=VALUE", help="A parameter of the mechanism; as often as needed."
)
@click.option(
    "--neighbours-agree", is_flag=True, help="All neighbours have one and the same law, which is a surprise else."
)
@timeout_option
@recheck_option
@strict_option
@report_options
def check(
    function: str,
    domain: str,
    neighbours: str,
    epsilon: str,
    delta: str,
    params: tuple[str, ...],
    neighbours_agree: bool,
    timeout: float | None,
    recheck: bool,
    strict: bool,
    json: Path | None,
    markdown: Path | None,
    html: Path | None,
    limits: tuple[str, ...],
) -> None:
    """Decide whether one mechanism is (ε,δ)-private on a domain.

    FUNCTION is mechanism(draw, database, **parameters) of an importable MODULE, or of a file as FILE.py:FUNCTION.

    \b
    dpverify check mylib.py:most_common --domain 'Multisets(range(3), size=6)' --epsilon 1
    """
    from dpverify.verifiers import expressions
    from dpverify.verifiers.audit.claim_files import load_object
    from dpverify.verifiers.privacy.claim import Claim
    from dpverify.verifiers.privacy.repetition import Reference

    claim = Claim(
        id=one_line(function).replace(" ", "_"),
        mechanism=load_object(function),
        domain=expressions.domain(domain),
        neighbours=expressions.relation(neighbours),
        epsilon=expressions.exact_number(epsilon, "epsilon"),
        delta=expressions.exact_number(delta, "delta"),
        parameters=_each_once(map(expressions.parameter, params), "--param"),
        neighbours_agree=neighbours_agree,
        reference=Reference(None, function),
    )
    how = _How(1, timeout, recheck, strict)
    _audit_and_report(_limited([claim], limits), how, json, markdown, html, detail="scope")


@main.command(short_help="Say all about one claim.")
@click.argument("name", metavar="ID")
@recheck_option
@limit_option
def explain(name: str, recheck: bool, limits: tuple[str, ...]) -> None:
    """Say all about one claim: its source, its mechanism, its verdict and scope, the witness, the mutant.

    ID is an id of the catalogue, FILE::ID, or a FILE that holds one claim.
    """
    from dpverify.verifiers.audit import another_interpreter
    from dpverify.verifiers.audit.auditing import not_decided
    from dpverify.verifiers.audit.selection import selected

    claims = selected([name])
    if len(claims) > 1:
        raise InputError(f"{name} stands for {len(claims)} claims: name one, for example {claims[0].id}")
    (claim,) = _limited(claims, limits)
    if recheck:
        another_interpreter.start()
    found = Attempts([claim], partial(_explained, recheck=recheck), Explained, not_decided)
    for row in found:
        if isinstance(row, Explained):
            click.echo(row.text)
            sys.exit(row.status)
    say_what_is_not_decided(found.not_decided, 1, found.interrupted)
    sys.exit(INTERRUPTED_STATUS if found.interrupted else 2)


class Explained(msgspec.Struct):
    """What is said of a claim, and the exit status."""

    text: str
    status: int


def _explained(claim: Claim, recheck: bool) -> Explained:
    from dpverify.verifiers.audit.explanation import explanation

    text, result = explanation(claim, _paint(sys.stdout), recheck=recheck)
    return Explained(text, exit_status([result]))


def _readable(names: Sequence[str], depth: str) -> tuple[Sequence[Claim], list[NotDecided]]:
    """The claims that the names stand for, and rows of those among several files that cannot be read."""
    from dpverify.verifiers.audit.selection import selected

    if len(names) < 2:
        return selected(names, depth), []
    read, unread = [], []
    for name in names:
        try:
            selected([name], depth)
            read.append(name)
        except InputError as error:
            if ".py" not in name:
                raise
            unread.append(NotDecided(one_line(name), "file", "", None, reason_of(error)))
    return selected(read, depth) if read else [], unread


class _How(NamedTuple):
    """How claims are decided."""

    jobs: int
    timeout: float | None
    recheck: bool
    strict: bool


def _audit_and_report(
    claims: Sequence[Claim],
    how: _How,
    json: Path | None,
    markdown: Path | None,
    html: Path | None,
    *,
    detail: Detail = "",
    surprises_only: bool = False,
    unread: Sequence[NotDecided] = (),
) -> None:
    from dpverify.verifiers.audit.auditing import Interrupted
    from dpverify.verifiers.audit.auditing import audit as decide_all

    wanted = [(path, kind) for path, kind in ((json, ".json"), (markdown, ".md"), (html, ".html")) if path is not None]
    check_targets(path for path, _ in wanted)
    for_table = sys.stderr if any(path == STANDARD_OUTPUT for path, _ in wanted) else sys.stdout

    # Laws are many small objects that live long: the collector would go through them again and again, for nothing.
    gc.set_threshold(200_000, 20, 50)
    progress = _Progress(len(claims))
    interrupted = False
    try:
        record = decide_all(claims, **how._asdict(), on_result=progress)
    except Interrupted as interruption:
        record, interrupted = interruption.record, True
    finally:
        progress.clear()
    record = msgspec.structs.replace(record, not_decided=[*unread, *record.not_decided])
    asked = len(claims) + len(unread)
    write_reports({path: render(record, kind) for path, kind in wanted})
    if record.claims or asked > 1:
        table = to_table(record, _paint(for_table), detail=detail, surprises_only=surprises_only)
        click.echo(table, file=for_table)
    say_what_is_not_decided(record.not_decided, asked, interrupted)
    sys.exit(INTERRUPTED_STATUS if interrupted else exit_status(record.claims, len(record.not_decided)))


def _claimed(claim: Claim) -> str:
    from dpverify.mechanisms.exact.symbolic_epsilon import symbol_in
    from dpverify.verifiers.privacy.case import privacy_claim
    from dpverify.verifiers.privacy.enclosed import enclosed

    numbers = privacy_claim(claim.epsilon, claim.delta)
    if symbol_in((*numbers, dict(claim.parameters))) is not None:
        return for_all(*map(str, numbers))
    return in_short(*(enclosed(number).quantity for number in numbers))


def _each_once(pairs: Iterable[tuple[str, Any]], option: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"{option} {name} was given twice")
        found[name] = value
    return found


def _limited(claims: Sequence[Claim], limits: tuple[str, ...]) -> Sequence[Claim]:
    """The claims, with what `--limit` gives in place of their own limits."""
    given = _each_once(map(_limit, limits), "--limit")
    return [replace(claim, limits=replace(claim.limits or Limits(), **given)) for claim in claims] if given else claims


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in LIMITS or not number:
        raise InputError(f"--limit {text} is not of the form NAME=N, with NAME one of {', '.join(LIMITS)}")
    try:
        return name, int(number)
    except ValueError:
        raise InputError(f"--limit {text}: {number} is not a whole number") from None


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Progress:
    """One line on standard error that says how far an audit is; nothing where that is no terminal."""

    def __init__(self, claims: int) -> None:
        self._claims = claims
        self._shown = sys.stderr.isatty() and claims > 1

    def __call__(self, done: int, result: ClaimResult | NotDecided) -> None:
        if self._shown:
            click.echo(f"\r\x1b[K{done}/{self._claims} {result.id}", err=True, nl=False)

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            click.echo("\r\x1b[K", err=True, nl=False)


def _paint(stream: TextIO) -> Callable[[str, Status], str]:
    coloured = stream.isatty() and not os.environ.get("NO_COLOR")

    def paint(text: str, status: Status) -> str:
        return click.style(text, fg=_COLOURS.get(status, "yellow")) if coloured else text

    return paint

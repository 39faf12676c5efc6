"""The command line: `dpverify list`, `audit`, `check`, `explain`, `lemmas` and `utility`.

Results go to standard output or files; progress and colour go to standard error, and only on a terminal. Exit status 0:
every claim as expected; 1: some claim is not; 2: bad usage or input; 3: nothing worse than a claim left undecided.
"""

from __future__ import annotations

import gc
import inspect
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar

import click

from dpverify.mechanisms.errors import InputError
from dpverify.mechanisms.limits import Limits
from dpverify.reports.record import AuditRecord, ClaimResult, Status
from dpverify.reports.rendering import render
from dpverify.reports.summary import claimed, for_all, growth, in_full, in_short
from dpverify.reports.table import Detail, claim_lines, to_table
from dpverify.reports.writing import STANDARD_OUTPUT, check_targets, write_reports
from dpverify.verifiers.deciding import exit_status
from dpverify.verifiers.lemmas_command import lemmas_command
from dpverify.verifiers.utility_command import utility_command

if TYPE_CHECKING:
    from dpverify.verifiers.case import Laws
    from dpverify.verifiers.claims import Claim

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


def jobs_option(command: Command) -> Command:
    """How many processes decide claims."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=None,
        metavar="N",
        help="Decide N claims at a time (default: one a processor).",
    )(command)


class _BadInput(click.ClickException):
    """Bad input: one line on standard error."""

    exit_code = 2


class _Commands(click.Group):
    """The commands, with errors on one line of standard error and exit status 2."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        try:
            return super().make_context(*args, **kwargs)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            raise _one_line(error.format_message()) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if isinstance(error, click.exceptions.NoArgsIsHelpError):
                raise
            command = error.ctx.command_path if error.ctx else ctx.command_path
            raise _one_line(f"{error.format_message()} (see {command} --help)") from None
        except InputError as error:
            raise _one_line(str(error)) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if os.environ.get("DPVERIFY_DEBUG"):
                raise
            raise _one_line(f"internal error, {type(error).__name__}: {error} (DPVERIFY_DEBUG=1 shows where)") from None


def _one_line(message: str) -> click.ClickException:
    return _BadInput(" ".join(message.split()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="dpverify")
def main() -> None:
    """Verify differential privacy: exact verdicts on every pair of neighbours of a domain.

    \b
    Exit status: 0  every claim came out as expected
                 1  some claim did not, or its mutant was not refuted
                 2  bad usage or input
                 3  nothing worse than a claim left undecided
    """


main.add_command(lemmas_command)
main.add_command(utility_command)


@main.command("list", short_help="List claims: ids, expected verdicts, statements.")
@click.argument("names", metavar="[IDS | FILES]...", nargs=-1)
def list_claims(names: tuple[str, ...]) -> None:
    """List claims: their ids, expected verdicts, ε and δ, and statements.

    The whole catalogue, or ids, patterns such as 'BNS-J-2.26*', and files of claims.
    """
    from dpverify.verifiers.selection import selected

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
@report_options
def audit(
    names: tuple[str, ...],
    depth: str,
    verbose: bool,
    quiet: bool,
    jobs: int | None,
    json: Path | None,
    markdown: Path | None,
    html: Path | None,
    limits: tuple[str, ...],
) -> None:
    """Decide claims and print a table, with the witness under each refuted one.

    The whole catalogue, or ids, patterns such as 'BNS-J-2.26*', and files of claims.
    """
    from dpverify.verifiers.selection import selected

    if verbose and quiet:
        raise InputError("--verbose and --quiet exclude each other")
    claims = selected(names, depth)
    _audit_and_report(
        _limited(claims, limits), jobs, json, markdown, html, detail="all" if verbose else "", surprises_only=quiet
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
@report_options
def check(
    function: str,
    domain: str,
    neighbours: str,
    epsilon: str,
    delta: str,
    params: tuple[str, ...],
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
    from dpverify.verifiers.claim_files import load_object
    from dpverify.verifiers.claims import Claim

    claim = Claim(
        id=function.replace(" ", "_"),
        mechanism=load_object(function),
        domain=expressions.domain(domain),
        neighbours=expressions.relation(neighbours),
        epsilon=expressions.exact_number(epsilon, "epsilon"),
        delta=expressions.exact_number(delta, "delta"),
        parameters=_each_once(map(expressions.parameter, params), "--param"),
    )
    _audit_and_report(_limited([claim], limits), 1, json, markdown, html, detail="scope")


@main.command(short_help="Say all about one claim.")
@click.argument("name", metavar="ID")
@limit_option
def explain(name: str, limits: tuple[str, ...]) -> None:
    """Say all about one claim: its source, its mechanism, its verdict and scope, the witness, the mutant.

    ID is an id of the catalogue, FILE::ID, or a FILE that holds one claim.
    """
    from dpverify.verifiers.auditing import decide, result_of
    from dpverify.verifiers.selection import selected

    claims = selected([name])
    if len(claims) > 1:
        raise InputError(f"{name} stands for {len(claims)} claims: name one, for example {claims[0].id}")
    (claim,) = _limited(claims, limits)
    verdict = decide(claim)
    result = result_of(claim, verdict)
    parts = [
        ("source", claim.source),
        ("mechanism", "\n" + "\n\n".join(textwrap.indent(_source(part), "    ") for part in _functions(claim))),
        (
            "claim",
            f"Pr[M(D) in F] ≤ e^ε·Pr[M(D′) in F] + δ for all events F, with {claimed(result)}",
        ),
        ("scope", result.scope),
        ("expected", str(claim.expected)),
        ("found", result.reason),
        ("worst δ", "" if result.exact_delta is None else in_full(result.exact_delta)),
        ("exact ε", _exact_epsilon(result)),
        ("worst pair", "" if result.worst_pair is None else " and ".join(result.worst_pair)),
        ("sizes", growth(result)),
        ("profile", _profile(result)),
        ("Rényi", "" if verdict.laws is None or result.profile is None else _renyi(verdict.laws)),
        ("mutant", _mutant(result)),
    ]
    click.echo("\n".join(filter(None, (claim.id, claim.statement))) + "\n")
    for title, text in parts:
        if text:
            click.echo(f"{title}: {text}")
    click.echo()
    click.echo("\n".join(claim_lines(result, paint=_paint(sys.stdout))))
    sys.exit(exit_status([result]))


def _audit_and_report(
    claims: Sequence[Claim],
    jobs: int | None,
    json: Path | None,
    markdown: Path | None,
    html: Path | None,
    *,
    detail: Detail = "",
    surprises_only: bool = False,
) -> None:
    from dpverify.verifiers.auditing import AuditError
    from dpverify.verifiers.auditing import audit as decide_all

    wanted = [(path, kind) for path, kind in ((json, ".json"), (markdown, ".md"), (html, ".html")) if path is not None]
    check_targets(path for path, _ in wanted)
    for_table = sys.stderr if any(path == STANDARD_OUTPUT for path, _ in wanted) else sys.stdout

    def show(record: AuditRecord) -> None:
        table = to_table(record, _paint(for_table), detail=detail, surprises_only=surprises_only)
        click.echo(table, file=for_table)

    # Laws are many small objects that live long: the collector would go through them again and again, for nothing.
    gc.set_threshold(200_000, 20, 50)
    progress = _Progress(len(claims))
    try:
        record = decide_all(claims, jobs=jobs or _processors(), on_result=progress)
    except AuditError as failed:
        progress.clear()
        if failed.record.claims:
            show(failed.record)
        for error in failed.errors:
            _one_line(error).show()
        if wanted:
            _one_line("no report was written: not every claim could be decided").show()
        sys.exit(2)
    finally:
        progress.clear()
    write_reports({path: render(record, kind) for path, kind in wanted})
    show(record)
    sys.exit(exit_status(record.claims))


def _claimed(claim: Claim) -> str:
    from dpverify.mechanisms.symbolic_epsilon import symbol_in
    from dpverify.verifiers.case import privacy_claim
    from dpverify.verifiers.enclosed import enclosed

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

    def __call__(self, done: int, result: ClaimResult) -> None:
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


def _functions(claim: Claim) -> list[Callable[..., Any]]:
    """The mechanism of a claim, and those that it is given as parameters."""
    return [claim.mechanism, *(value for value in claim.parameters.values() if inspect.isfunction(value))]


def _source(mechanism: Callable[..., Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(mechanism)).rstrip()
    except (OSError, TypeError):
        return repr(mechanism)


def _exact_epsilon(result: ClaimResult) -> str:
    if result.exact_delta is None or result.verdict is Status.UNDECIDED:
        return ""
    return "∞" if result.exact_epsilon is None else in_full(result.exact_epsilon)


_LONGEST_PROFILE: Final = 12
"""Pieces of a profile that `explain` prints."""


def _profile(result: ClaimResult) -> str:
    """Δ(ε) piece by piece, by rising ε."""
    pieces = result.profile or []
    lines = [
        f"δ(ε) = {piece.p} - {piece.q}·e^ε for {piece.low} ≤ ε ≤ {piece.high}"
        if piece.high is not None
        else f"δ(ε) = {piece.p} for {piece.low} ≤ ε"
        for piece in pieces
    ]
    if len(lines) > _LONGEST_PROFILE:
        lines = [*lines[:_LONGEST_PROFILE], f"… {len(lines) - _LONGEST_PROFILE} more pieces"]
    return "".join(f"\n    {line}" for line in lines)


def _renyi(laws: Laws) -> str:
    """The Rényi divergences of a few whole orders, and the zCDP that they exclude."""
    from dpverify.mechanisms.enclosure import decimal
    from dpverify.verifiers.profile import PrivacyProfile

    profile = PrivacyProfile((), laws)
    found = {order: profile.renyi_divergence(order) for order in _ORDERS}
    shown = ", ".join(f"{'∞' if d is None else decimal(d)} of order {order}" for order, d in found.items())
    rho = profile.zcdp(_ORDERS)
    return f"{shown}; " + ("ρ-zCDP for no ρ" if rho is None else f"not ρ-zCDP for any ρ < {decimal(rho)}")


_ORDERS: Final = (2, 4, 8)


def _mutant(result: ClaimResult) -> str:
    if result.mutant is None:
        return ""
    return f"{result.mutant.mechanism} is {result.mutant.status}. {result.mutant.description}".rstrip()

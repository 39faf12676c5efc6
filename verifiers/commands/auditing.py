"""The commands that decide claims: `dpverify audit`, and its shorthands `utility` and `lemmas`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TextIO

import click
import msgspec

from dpverify.mechanisms.exported import did_you_mean
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.audits.table import claim_lines, last_lines
from dpverify.reports.formats.rendering import Format, render
from dpverify.reports.kind import Detail
from dpverify.reports.kinds import kinds
from dpverify.reports.record import AuditRecord, ClaimResult, NotDecided, Status
from dpverify.reports.writing import STANDARD_OUTPUT, write_reports
from dpverify.verifiers.auditing.exit_status import INTERRUPTED_STATUS, exit_status, gate_status
from dpverify.verifiers.auditing.extras import may_be_left
from dpverify.verifiers.commands.errors import say_what_is_not_decided
from dpverify.verifiers.commands.naming import meant_by, names_argument, unread_rows
from dpverify.verifiers.commands.options import (
    FILE,
    Command,
    depth_option,
    jobs_option,
    limited,
    lines_option,
    outputs_of,
    processors,
    reach_option,
    recheck_option,
    report_options,
    scheduler_option,
    search_option,
    slack_option,
    strict_option,
    timeout_option,
)
from dpverify.verifiers.commands.short_help import ShortHelp
from dpverify.verifiers.commands.terminal import Progress, Terminal, say_written
from dpverify.verifiers.processes.platforms import shortfalls

if TYPE_CHECKING:
    from dpverify.reports.provenance import Provenance
    from dpverify.verifiers.auditing.answers import StoredAnswer
    from dpverify.verifiers.auditing.cache.verdict_cache import VerdictCache
    from dpverify.verifiers.claims import AnyClaim, Depth, Search
    from dpverify.verifiers.commands.gating import GateJudgement
    from dpverify.verifiers.structure.lemma import Lemma


class Deciding(NamedTuple):
    """The way in which claims are decided, as `audit` takes it."""

    jobs: int = 1
    timeout: float | None = None
    recheck: bool = True
    strict: bool = False
    search: Search = "derandomized"
    slack: bool = False
    depth: Depth = "quick"
    cache: VerdictCache | None = None
    scheduler: str | None = None
    seconds: dict[str, float] | None = None
    """File to note how long each claim took, by its id."""
    reach: bool | None = None
    lines: bool = False


class Telling(NamedTuple):
    """The lines that are said of claims on the terminal."""

    detail: Detail = ""
    surprises_only: bool = False

    def is_told(self, claim: ClaimResult) -> bool:
        """True where a claim has a line."""
        return not (self.surprises_only and claim.as_expected)


def _audit_options(command: Command) -> Command:
    """The options of `audit` and its shorthands."""
    for option in (
        report_options,
        slack_option,
        lines_option,
        search_option,
        click.option(
            "--no-cache",
            "caching",
            flag_value=False,
            default=True,
            type=bool,
            help="Decide claims again that have not changed.",
        ),
        click.option(
            "--resume",
            type=FILE,
            metavar="FILE",
            help="Keep verdicts in FILE, and continue from it after an interruption.",
        ),
        click.option(
            "--update-baseline",
            "update",
            is_flag=True,
            help="Write the baseline, without --baseline to dpverify-baseline.txt.",
        ),
        click.option(
            "--baseline",
            type=FILE,
            metavar="FILE",
            help="Fail where a claim is worse than in FILE, has changed, is gone, or is new.",
        ),
        click.option(
            "--coverage",
            "packages",
            multiple=True,
            metavar="PACKAGE",
            help="List the functions of PACKAGE or FILE.py that draw and that no claim reaches.",
        ),
        click.option(
            "--github/--no-github",
            "github",
            default=None,
            help="Annotate what fails on GitHub, and write the job's summary (default: where it runs there).",
        ),
        strict_option,
        reach_option,
        recheck_option,
        timeout_option,
        scheduler_option,
        jobs_option,
        click.option("-q", "--quiet", is_flag=True, help="Show only unexpected claims and the summary."),
        click.option("-v", "--verbose", is_flag=True, help="Show what the verdict on each claim covers."),
        depth_option,
        names_argument,
    ):
        command = option(command)
    return command


def _kinds(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """The kinds that a text separated by commas names. Raises `BadParameter` for an unknown one."""
    if value is None:
        return None
    named = tuple(name.strip() for name in value.split(",") if name.strip())
    if not named:
        raise click.BadParameter(f"name some of {', '.join(kinds())}")
    for name in named:
        if name not in kinds():
            raise click.BadParameter(f"{one_line(name)} is none of {', '.join(kinds())}{did_you_mean(name, kinds())}")
    return named


kind_option: Final = click.option(
    "--kind",
    callback=_kinds,
    metavar="KINDS",
    help=f"Take claims of these kinds only, separated by commas: {', '.join(kinds())}.",
)


_COMMON: Final = (
    *(
        "kind",
        "of_catalogue",
        "depth",
        "verbose",
        "quiet",
        "jobs",
        "timeout",
        "strict",
        "baseline",
        "update",
        "caching",
    ),
    *("json", "html", "markdown", "junit", "sarif"),
)
"""The options that `--help` shows."""


@click.command("audit", cls=ShortHelp, common=_COMMON)
@kind_option
@_audit_options
def audit_command(kind: tuple[str, ...] | None, **given: Any) -> None:
    """Decide claims; print a table, with a counterexample below each refuted one.

    Without a name: the claims in the claims_*.py below this folder. A FOLDER stands for those below it; an ID may be a
    pattern, such as 'mylib.*'. Files of claims are run. A claim that cannot be decided does not stop the others. A
    report to - goes to standard output.
    """
    _audit(kind, _answer(kind, given), **given)


@click.command("utility", cls=ShortHelp, common=_COMMON)
@_audit_options
def utility_command(**given: Any) -> None:
    """Decide utility claims: the failure probability is computed from the exact output distribution on each input.

    PROVED where the inputs are enumerated, FUZZED where they are tried, REFUTED with the smallest failing input. A
    learner on a population with too many samples to sum over is audited by some of them, with the coins summed on each:
    REFUTED or INCONCLUSIVE, with a stated confidence. It is short for `dpverify audit --kind utility,pac`.
    """
    _audit(("utility", "pac"), _answer(("utility", "pac"), given), **given)


@click.command("lemmas", cls=ShortHelp, common=(*_COMMON, "smt2", "proofs"))
@click.option("--smt2", type=FILE, metavar="FOLDER", help="Write all questions as SMT-LIB 2 into FOLDER.")
@click.option("--proofs", type=FILE, metavar="FOLDER", help="Write the proofs of cvc5 into FOLDER, in its format CPC.")
@_audit_options
def lemmas_command(smt2: Path | None, proofs: Path | None, **given: Any) -> None:
    """Decide structural lemmas with Z3 and cvc5, and replay their examples on the functions that run.

    A lemma is PROVED or REFUTED where both solvers agree, and UNDECIDED, with the reason, where one of them gives up.
    It is short for `dpverify audit --kind structure`, and can write what the solvers were asked, and prove.
    """
    answer = None if smt2 or proofs else _answer(("structure",), given)
    _audit(("structure",), answer, smt2=smt2, proofs=proofs, **given)


_NEVER_ANSWERED: Final = ("baseline", "update", "packages", "github", "resume", "scheduler")
"""Options with which an audit does more than to decide claims."""


def _answer(kinds: Collection[str] | None, given: Mapping[str, Any]) -> StoredAnswer | None:
    """Say what the same audit found before, and end, where nothing has changed; otherwise where to store what it finds.

    None where nothing is stored.
    """
    if not given["caching"] or given["search"] != "derandomized" or any(map(given.get, _NEVER_ANSWERED)):
        return None
    from dpverify.verifiers.auditing.answers import answer_of_command

    asked = ("audit", kinds, sorted(given.items()))
    answer = answer_of_command(given["names"], asked, of_catalogue=given["of_catalogue"])
    if answer is None or (earlier := answer.earlier()) is None:
        return answer
    outputs = outputs_of(options := dict(given))
    record = msgspec.structs.replace(read_audit(earlier), provenance=command_provenance(outputs, options["title"]))
    telling, terminal = Telling("all" if given["verbose"] else "", given["quiet"]), Terminal(_stream(outputs))
    width = max(len(claim.id) for claim in record.claims)
    for claim in filter(telling.is_told, record.claims):
        terminal.say(claim_lines(claim, width, terminal.paint, telling.detail, terminal.width))
    report(record, outputs, telling, len(record.claims))
    return end(record, len(record.claims), False)


def _store(answer: StoredAnswer | None, record: AuditRecord, cache: VerdictCache | None) -> None:
    """Store what an audit has found, if a cache holds the verdicts on all its claims."""
    if answer is not None and cache is not None and cache.held >= {claim.id for claim in record.claims}:
        claims = [msgspec.structs.replace(claim, cached=True, origin=cache.origin) for claim in record.claims]
        answer.store(to_json(msgspec.structs.replace(record, claims=claims, provenance=None)))


def _audit(
    kinds: Collection[str] | None,
    answer: StoredAnswer | None,
    *,
    names: tuple[str, ...],
    of_catalogue: bool,
    depth: Depth,
    verbose: bool,
    quiet: bool,
    limits: tuple[str, ...],
    jobs: int | None,
    caching: bool,
    resume: Path | None,
    search: Search,
    slack: bool,
    lines: bool,
    smt2: Path | None = None,
    proofs: Path | None = None,
    baseline: Path | None = None,
    update: bool = False,
    packages: tuple[str, ...] = (),
    github: bool | None = None,
    title: str | None = None,
    **given: Any,
) -> None:
    from dpverify.verifiers.auditing.selection import selected
    from dpverify.verifiers.commands import gating  # `check` has no baseline: that and JSON take 3 % of its time
    from dpverify.verifiers.commands.on_github import tell_github

    outputs = outputs_of(given)
    provenance = command_provenance(outputs, title)
    gated = gating.baseline_of_command(baseline, update)
    if verbose and quiet:
        raise InputError(bad_input.EXCLUDE, "--verbose", "--quiet")
    telling = Telling("all" if verbose else "", quiet)
    for folder in (smt2, proofs):
        if folder is not None and folder.exists() and not folder.is_dir():
            raise InputError(bad_input.CANNOT_WRITE, f"into {folder}", "it is no folder")
    if resume is not None and given["strict"]:
        raise InputError(bad_input.NOT_STRICT)
    if resume is not None and search != "derandomized":
        raise InputError(bad_input.EXCLUDE, "--resume", "--profile deep, which tries new inputs each time,")
    cache = _cache(caching and search == "derandomized", resume)  # before files are loaded
    meant = meant_by(names, of_catalogue)
    names, unread = meant.names, unread_rows(meant.unread)
    claims: Sequence[AnyClaim] = selected(meant.read, depth, kinds) if meant.read or not names else []
    gating.refuse_missing_package(packages)
    seconds: dict[str, float] = {}
    claims = limited(claims, limits)
    record, interrupted = decide_claims(
        claims,
        Deciding(
            jobs=jobs or processors(),
            search=search,
            slack=slack or depth != "quick" or given["strict"],
            lines=lines or depth != "quick",
            depth=depth,
            cache=cache,
            seconds=seconds,
            **given,
        ),
        _stream(outputs),
        telling,
    )
    rows = [*unread, *record.not_decided]
    record = msgspec.structs.replace(record, not_decided=rows, provenance=provenance)
    judged = gating.GateJudgement()
    try:
        if not interrupted:
            gate = None
            if gated is not None:
                asked = gating.claims_of_names(gated.baseline, record, names, kinds, depth)
                gate = gating.baseline_changes(gated, record, asked, claims)
            judged = gating.GateJudgement(gate, gating.covered(packages, names, claims), given["strict"])
    finally:  # a package that cannot be imported costs no report
        shown = judged._replace(gate=None) if update else judged
        report(record, outputs, telling, len(claims) + len(unread), shown, seconds)
    _write_questions(claims, record, smt2, proofs)
    if gated is not None and update and judged.gate is not None:
        gating.updated(gated, record, judged.gate, claims)
    told = [claim.id for claim in record.claims if telling.is_told(claim)]
    for text in judged.in_words(gated, told, quiet=quiet):
        click.echo(f"\n{text}", file=_stream(outputs))
    tell_github(record, judged.gate, judged.uncovered, github, _stream(outputs))
    if not (interrupted or rows):
        _store(answer, record, cache)
    status = None if gated is None or judged.gate is None else 0 if update else gate_status(judged.gate)
    left = [] if given["strict"] or gated is not None else may_be_left(record, claims, names)
    end(record, len(claims) + len(unread), interrupted, 1 if judged.uncovered else status, len(left))


def _cache(usual: bool, resume: Path | None) -> VerdictCache | None:
    from dpverify.verifiers.auditing.cache.journal import journal_in
    from dpverify.verifiers.auditing.cache.verdict_cache import usual_cache

    if resume is not None:
        return journal_in(resume)
    return usual_cache() if usual else None


def decide_and_report(
    claims: Sequence[AnyClaim],
    how: Deciding,
    outputs: Mapping[Path, Format],
    telling: Telling,
    title: str | None = None,
) -> tuple[AuditRecord, bool]:
    """Decide claims, say what is found of each as soon as it is, and write the reports.

    Returns the record, and whether the audit was interrupted.
    """
    seconds: dict[str, float] = {}
    provenance = command_provenance(outputs, title)
    record, interrupted = decide_claims(claims, how._replace(seconds=seconds), _stream(outputs), telling)
    record = msgspec.structs.replace(record, provenance=provenance)
    report(record, outputs, telling, len(claims), seconds=seconds)
    return record, interrupted


def command_provenance(outputs: Mapping[Path, Format], title: str | None) -> Provenance | None:
    """The provenance of the reports of this command; None where it writes none, and no time is spent on it."""
    from dpverify.verifiers.commands.provenance import command_line, provenance_of

    return provenance_of(command_line(), outputs, title) if outputs else None


def decide_claims(
    claims: Sequence[AnyClaim], how: Deciding, stream: TextIO, telling: Telling
) -> tuple[AuditRecord, bool]:
    """Decide claims, and say what is found of each as soon as it is, on the terminal.

    Returns the record, and whether the audit was interrupted.
    """
    from dpverify.verifiers.auditing.auditing import AuditStopped, audit

    terminal = Terminal(stream)
    for sentence in shortfalls():
        click.echo(f"note: {sentence}", err=True)
    progress = Progress(len(claims), quiet=telling.surprises_only)
    width = max((len(claim.id) for claim in claims), default=0)

    def show_what_is_in_hand(done: int) -> None:
        progress.show(claims[done].id if done < len(claims) else "")

    def say(done: int, found: ClaimResult | NotDecided) -> None:
        progress.advance()
        if isinstance(found, ClaimResult) and telling.is_told(found):
            terminal.say(claim_lines(found, width, terminal.paint, telling.detail, terminal.width))
        show_what_is_in_hand(done)

    interrupted = False
    show_what_is_in_hand(0)
    try:
        record = audit(claims, **how._asdict(), on_result=say, on_wait=progress.waiting)
    except AuditStopped as interruption:
        record, interrupted = interruption.record, True
    finally:
        progress.clear()
    if how.cache is not None and how.cache.said:
        click.echo(f"note: {how.cache.said}", err=True)
    return record, interrupted


def report(
    record: AuditRecord,
    outputs: Mapping[Path, Format],
    telling: Telling,
    asked: int,
    judged: GateJudgement | None = None,
    seconds: Mapping[str, float] | None = None,
) -> None:
    """Write the reports, with what a gate says, and say how many claims have which verdict."""
    gate, uncovered = (None, ()) if judged is None else (judged.gate, judged.uncovered)
    write_reports({path: render(record, form.suffix, gate, uncovered, seconds) for path, form in outputs.items()})
    if record.claims or asked > 1:
        terminal = Terminal(_stream(outputs))
        below = any(map(telling.is_told, record.claims))
        terminal.say(last_lines(record, terminal.paint, below_claims=below, columns=terminal.width))
    say_written(outputs, _stream(outputs))


def _stream(outputs: Mapping[Path, Format]) -> TextIO:
    """The stream that people read: standard output, unless a report is to be there alone."""
    return sys.stderr if STANDARD_OUTPUT in outputs else sys.stdout


def end(record: AuditRecord, asked: int, interrupted: bool, gated: int | None = None, left: int = 0) -> NoReturn:
    """Say what is not decided, and end with the exit status of an audit, which is that of a gate where there is one.

    `left` of the rows that are not decided cost nothing, as they need an extra and were not asked for by name.
    """
    say_what_is_not_decided(record.not_decided, asked, interrupted)
    if interrupted:
        sys.exit(INTERRUPTED_STATUS)
    without_gate = exit_status(record.claims, len(record.not_decided) - left)
    sys.exit(without_gate if gated is None or record.partial else gated)


def _write_questions(claims: Sequence[AnyClaim], record: AuditRecord, smt2: Path | None, proofs: Path | None) -> None:
    """The questions that the solvers were asked of lemmas, and the proofs of those that are proved."""
    if smt2 is None and proofs is None:
        return
    from dpverify.verifiers.structure.lemma import Lemma

    lemmas: list[Lemma] = [claim for claim in claims if isinstance(claim, Lemma)]
    if smt2 is not None:
        _write_into(smt2, [lemma.questions for lemma in lemmas])
    if proofs is not None:
        proved = {result.id for result in record.claims if result.verdict is Status.PROVED}
        _write_into(proofs, list(_proofs(lemma for lemma in lemmas if lemma.id in proved)))


def _proofs(lemmas: Iterable[Lemma]) -> Iterator[dict[str, str]]:
    for lemma in lemmas:
        try:
            yield lemma.proofs
        except ValueError as error:  # cvc5 has none within its limit: the verdict stands without one
            click.echo(f"{lemma.id}: no proof is written, {error}", err=True)


def _write_into(folder: Path, files: Iterable[dict[str, str]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(bad_input.CANNOT_WRITE, f"the folder {folder}", error.strerror) from None
    write_reports({folder / name: text for group in files for name, text in group.items()})

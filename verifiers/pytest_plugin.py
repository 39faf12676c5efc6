"""The pytest plugin: claims of all kinds in `claims_*.py` are tests, and `assert_private` is a fixture.

It imports pytest alone; the checker is loaded when the first claim is. Claims are decided in pytest's own process, or
those of pytest-xdist: a mechanism that swallows its interruption by a bare `except:` hangs it, and one that calls
`os._exit` ends it. `dpverify audit` guards against both.

pytest finds the hooks of a plugin in one module.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from dpverify.mechanisms.exact.exact_numbers import ExactLike
    from dpverify.mechanisms.laws.limits import Limits
    from dpverify.mechanisms.laws.mechanism import Mechanism
    from dpverify.reports.gate import Gate, Row
    from dpverify.reports.record import AuditRecord, ClaimResult, MechanismSource, NotDecided
    from dpverify.verifiers.claims import AnyClaim, How
    from dpverify.verifiers.commands.gating import Asking
    from dpverify.verifiers.privacy.domains import Domain
    from dpverify.verifiers.privacy.moves import Relation
    from dpverify.verifiers.privacy.verdict import Verdict

PROPERTY: Final = "dpverify"
"""The name under which a test's report carries its results, as JSON: workers of pytest-xdist pass it on."""

SOURCE: Final = "dpverify-source"
"""The name under which it carries the source of a mechanism that is refuted, or surprises, as JSON."""

ERROR: Final = "dpverify-error"
"""The name under which it carries the row of a claim that could not be decided, as JSON."""


OPTIONS: Final = ("--dp-report", "--dp-baseline", "--dp-strict", "--dp-depth", "--dp-no-recheck", "--dp-reach")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("dpverify", "differential privacy claims (dpverify)")
    group.addoption(
        "--dp-report",
        action="append",
        default=[],
        metavar="FILE",
        help="write what was found of all claims to FILE (.json, .md, .html or .svg); may be given several times",
    )
    group.addoption(
        "--dp-depth",
        choices=("quick", "report", "full"),
        default="quick",
        help="whether claims of depth report, and of depth full, are decided, too (default: quick)",
    )
    group.addoption(
        "--dp-no-recheck",
        action="store_true",
        help="do not compute laws a second time; the record says so",
    )
    group.addoption(
        "--dp-baseline",
        metavar="FILE",
        help="fail as `dpverify audit --baseline FILE` does: where a claim asks another question than FILE has of it, "
        "is answered worse, is gone, or is new",
    )
    group.addoption(
        "--dp-strict",
        action="store_true",
        help="as `dpverify audit --strict`: do not take for an answer what was not computed a second time, is proved "
        "without a mutant, or is weak and does not say why",
    )
    group.addoption(
        "--dp-reach",
        action="store_true",
        help="name the lines of mechanisms that no database runs, and what they read besides (default from Python 3.12 "
        "on)",
    )


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: Sequence[str]) -> None:
    """Refuse a mistyped option of the plugin, which nothing else takes, and say which is near: pytest does not."""
    begin = "--dp-"
    if any(arg.startswith(begin) and arg.partition("=")[0] not in OPTIONS for arg in args):
        from dpverify.verifiers.readable import did_you_mean

        _, unknown = parser.parse_known_and_unknown_args(args)
        for name in (arg.partition("=")[0] for arg in unknown if arg.startswith(begin)):
            near = did_you_mean(name.removeprefix(begin), [option.removeprefix(begin) for option in OPTIONS])
            if near:
                raise pytest.UsageError(f"there is no option {name}{near.replace('mean ', f'mean {begin}')}")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and collect results where the session is controlled."""
    if config.getoption("--dp-report"):
        from dpverify.mechanisms.exact.errors import InputError
        from dpverify.reports.rendering import SUFFIXES
        from dpverify.reports.writing import check_targets

        for name in config.getoption("--dp-report"):
            if Path(name).suffix not in SUFFIXES:
                endings = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
                raise pytest.UsageError(f"--dp-report {name}: the file must end in {endings}")
        try:
            check_targets(map(Path, config.getoption("--dp-report")))
        except InputError as error:
            raise pytest.UsageError(f"--dp-report: {error}") from None
    config.stash[BASELINE_KEY] = _baseline(config)
    asked = _Asked()
    config.pluginmanager.register(asked, "dpverify-asked")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Results(config, asked), "dpverify-results")


BASELINE_KEY: Final = pytest.StashKey["Asking | None"]()
"""Where a run has the baseline that it was given."""


def _baseline(config: pytest.Config) -> Asking | None:
    """The baseline of the options. Raises `UsageError` where it is none."""
    named = config.getoption("--dp-baseline")
    if named is None:
        return None
    from dpverify.mechanisms.exact.errors import InputError
    from dpverify.verifiers.commands.gating import baseline_asked

    try:
        return baseline_asked(Path(named), update=False)
    except InputError as error:
        raise pytest.UsageError(f"--dp-baseline: {error}") from None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Say of an id that a file of claims does not have which of its ids is near."""
    try:
        return (yield)
    except pytest.UsageError as error:
        raise pytest.UsageError(*_with_ids_near(error.args)) from None


def _with_ids_near(messages: Sequence[object]) -> Iterator[object]:
    """Each message of pytest, such as `not found: …/claims_x.py::id`, with what may be meant."""
    from dpverify.mechanisms.exact.errors import InputError
    from dpverify.verifiers.audit.claim_files import load_claims
    from dpverify.verifiers.readable import did_you_mean

    for message in messages:
        first, _, more = str(message).partition("\n")
        file, _, name = first.removeprefix("not found: ").partition("::")
        try:
            known = [claim.id for claim in load_claims(Path(file))] if name and _holds_claims(Path(file)) else []
        except InputError:
            known = []
        yield f"{first}{did_you_mean(name, known, 3)}\n{more}" if known else message


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ClaimFile | None:
    """Collect the claims of every claims_*.py that pytest does not take for a module of tests."""
    if not _holds_claims(file_path) or _is_collected_as_tests(file_path, parent):
        return None
    return ClaimFile.from_parent(parent, path=file_path)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Any:
    """Collect claims, and not tests, from a claims_*.py that is named on the command line."""
    return ClaimFile.from_parent(parent, path=module_path) if _holds_claims(module_path) else None


def _holds_claims(path: Path) -> bool:
    return path.suffix == ".py" and path.name.startswith("claims_")


def _is_collected_as_tests(path: Path, parent: pytest.Collector) -> bool:
    patterns = parent.config.getini("python_files")
    return parent.session.isinitpath(path) or any(map(path.match, patterns))


class ClaimFile(pytest.File):
    """A file of claims."""

    def collect(self) -> Iterator[ClaimItem]:
        """A test for each claim, under its id."""
        from dpverify.mechanisms.exact.errors import InputError
        from dpverify.verifiers.audit.claim_files import load_claims

        try:
            claims = load_claims(self.path)
        except InputError as error:
            raise self.CollectError(str(error)) from None
        for claim in claims:
            yield ClaimItem.from_parent(self, name=claim.id, claim=claim)


class ClaimItem(pytest.Item):
    """A claim as a test: it passes where its verdict is the expected one."""

    def __init__(self, *, claim: AnyClaim, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.claim = claim

    def runtest(self) -> None:
        """Decide the claim."""
        from dpverify.reports.table import claim_lines
        from dpverify.verifiers.audit.auditing import make_ready
        from dpverify.verifiers.contract.question import decided
        from dpverify.verifiers.locations import located

        if _is_left(self.claim, self.config):
            pytest.skip(_left_to(self.claim))
        how = _how(self.config)
        make_ready([self.claim], how)
        with _noted(self, self.claim):
            result = located(self.claim, decided(self.claim, how))
        _note(self, self.claim, result)
        asking = self.config.stash[BASELINE_KEY]
        if asking is None:
            if not result.as_expected:
                raise ClaimNotAsExpected(claim_lines(result))
            return
        present = [item.claim.id for item in self.session.items if isinstance(item, ClaimItem)]
        row = _row_of(result, asking, present)
        if row is not None and row.fails:
            from dpverify.reports.gate import row_lines as gate_lines

            raise ClaimNotAsExpected([*claim_lines(result), *gate_lines(row, witness=False)])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict and the witness, or the message of bad input, without a traceback."""
        return _without_traceback(excinfo) or super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the claim stands, and how it is called."""
        return self.path, None, f"claim {self.name}"


def _row_of(result: ClaimResult, asking: Asking, present: Sequence[str]) -> Row | None:
    """What the gate says of a claim, where others are `present`: the same as at the end, of all."""
    from dpverify.reports.baseline import line_of
    from dpverify.reports.gate import Answered, Asked, gate
    from dpverify.verifiers.commands.containing import contains

    others = Asked(left_out=frozenset(present) - {result.id})
    found = gate(asking.baseline.lines, {result.id: Answered(line_of(result), result)}, {}, others, contains)
    return found.of_claims.get(result.id)


def _how(config: pytest.Config) -> How:
    """How claims are decided, by the options of the run."""
    from dpverify.verifiers.claims import How

    depth, strict = config.getoption("--dp-depth"), config.getoption("--dp-strict")
    recheck = not config.getoption("--dp-no-recheck")
    reach = True if config.getoption("--dp-reach") else None
    return How(recheck=recheck, strict=strict, slack=strict or depth != "quick", depth=depth, reach=reach)


def _is_left(claim: AnyClaim, config: pytest.Config) -> bool:
    from dpverify.verifiers.claims import reaches

    return not reaches(config.getoption("--dp-depth"), claim.depth)


def _left_to(claim: AnyClaim) -> str:
    """Why a claim of another depth is skipped."""
    return f"decided with --dp-depth {claim.depth}"


@contextmanager
def _noted(item: pytest.Item, claim: AnyClaim) -> Iterator[None]:
    """Let the report of a test carry why its claim could not be decided, whatever it was that the mechanism raised."""
    try:
        yield
    except BaseException as error:
        from dpverify.verifiers.audit.attempts import not_decided
        from dpverify.verifiers.audit.exit_status import reason_of

        row = not_decided(claim, reason_of(error).removeprefix(f"{claim.id}: "))
        item.user_properties.append((ERROR, _row_to_json(row)))
        raise


def _note(item: pytest.Item, claim: AnyClaim, result: ClaimResult) -> None:
    """Let the report of a test carry what is found of its claim, and the source of what is refuted or a surprise."""
    import msgspec

    from dpverify.reports.json_form import result_to_json
    from dpverify.verifiers.audit.mechanism_sources import sources_of

    item.user_properties.append((PROPERTY, result_to_json(result)))
    for source in sources_of([claim], [result]):
        item.user_properties.append((SOURCE, msgspec.json.encode(source).decode()))


def _row_to_json(row: NotDecided) -> str:
    import msgspec

    from dpverify.reports.record import storable

    return msgspec.json.encode(storable(row)).decode()


def _without_traceback(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """The message of what is no error of a program, and nothing for any other."""
    from dpverify.mechanisms.exact.errors import InputError
    from dpverify.mechanisms.exact.shown import in_words, one_line

    if isinstance(excinfo.value, ClaimNotAsExpected):
        return str(excinfo.value)
    return one_line(in_words(excinfo.value)) if isinstance(excinfo.value, InputError) else ""


class ClaimNotAsExpected(AssertionError):
    """A claim whose verdict is not the expected one, or whose mutant was not refuted: it says so in lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))


@pytest.fixture
def assert_private(request: pytest.FixtureRequest) -> Callable[..., Verdict]:
    """A function that takes what `check_privacy` takes, returns a PROVED verdict, and fails with the witness else.

    It fails as well where all neighbours have one law, unless it is told so with `neighbours_agree=True`.
    """
    item = request.node
    calls = itertools.count(1)

    def assert_private(
        mechanism: Mechanism,
        domain: Domain,
        neighbours: Relation | None = None,
        *,
        epsilon: ExactLike,
        delta: ExactLike = 0,
        parameters: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        neighbours_agree: bool = False,
    ) -> Verdict:
        __tracebackhide__ = True
        from dpverify.mechanisms.exact.errors import InputError
        from dpverify.reports.table import claim_lines
        from dpverify.verifiers.locations import located
        from dpverify.verifiers.privacy.claim import Claim
        from dpverify.verifiers.privacy.neighbours import replace_one
        from dpverify.verifiers.privacy.result import decided_claim, result_of

        call = next(calls)
        claim = Claim(
            id="_".join(item.nodeid.split()) + (f"#{call}" if call > 1 else ""),
            mechanism=mechanism,
            domain=domain,
            neighbours=neighbours or replace_one,
            epsilon=epsilon,
            delta=delta,
            parameters=parameters or {},
            limits=limits,
            neighbours_agree=neighbours_agree,
        )
        try:
            with _noted(item, claim):
                how = _how(request.config)
                verdict = decided_claim(claim, how)
                result = located(claim, result_of(claim, how, verdict))
        except InputError as error:
            raise error.with_traceback(None) from None  # of what it says no line of this library is a part
        _note(item, claim, result)
        if not result.as_expected:
            raise ClaimNotAsExpected(claim_lines(result))
        return verdict

    return assert_private


_GREEN: Final = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
"""Statuses of a session in which nothing has failed."""


def _later(existing: Sequence[AnyClaim], decided: Collection[str], depth: str) -> set[str]:
    """The ids of claims that are left to a later depth than that of the run."""
    from dpverify.verifiers.claims import reaches

    return {claim.id for claim in existing if claim.id not in decided and not reaches(depth, claim.depth)}


_DESELECTED: Final = "deselected"
_NOT_RUN: Final = "not run: the session ended before it"


class _Asked:
    """The claims that a session was asked for, and why they were not run: kept in each process, sent by workers."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        """Node id → the row of a claim, as plain data, unless it is decided."""
        self.claims: dict[str, tuple[str, str]] = {}
        """Node id of each claim of a file → its id, and the file."""

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Note what -k, -m and --deselect leave out."""
        self._note(items, _DESELECTED)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what is to be run."""
        self._note(session.items, _NOT_RUN)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the rows from a worker of pytest-xdist to where the session is controlled."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["dpverify_asked"] = self.rows
            session.config.workeroutput["dpverify_claims"] = self.claims

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take them there; one that died has sent none, and the others have the same."""
        self.rows.update(getattr(node, "workeroutput", {}).get("dpverify_asked", {}))
        self.claims.update(getattr(node, "workeroutput", {}).get("dpverify_claims", {}))

    def _note(self, items: Sequence[pytest.Item], reason: str) -> None:
        for item in items:
            if isinstance(item, ClaimItem):
                claim = item.claim
                late = _is_left(claim, item.config)
                said = _left_to(claim) if late and reason == _NOT_RUN else reason
                expected = str(claim.verdict_expected)
                self.rows[item.nodeid] = _plain_row(claim.id, claim.source, expected, said, claim.kind)
                self.claims[item.nodeid] = (claim.id, str(item.path))
            elif "assert_private" in getattr(item, "fixturenames", ()):
                self.rows[item.nodeid] = _plain_row("_".join(item.nodeid.split()), "", "PROVED", reason)


def _plain_row(claim_id: str, source: str, expected: str | None, reason: str, kind: str = "privacy") -> dict[str, Any]:
    return {"id": claim_id, "kind": kind, "source": source, "expected": expected, "reason": reason}


class _Results:
    """The results of a session, gathered where it is controlled: from this process, or from the workers' reports."""

    def __init__(self, config: pytest.Config, asked: _Asked) -> None:
        self._files = [Path(name) for name in config.getoption("--dp-report")]
        self._folder = f"{config.rootpath}{os.sep}"
        self._quiet = config.get_verbosity() < 0
        self._asked = asked
        self._found: dict[str, list[ClaimResult]] = {}
        self._errors: dict[str, list[NotDecided]] = {}
        self._sources: dict[str, list[MechanismSource]] = {}
        self._seconds: dict[str, float] = {}
        self._asking = config.stash[BASELINE_KEY]
        self._gate: Gate | None = None
        self._depth = config.getoption("--dp-depth")
        self._ran: set[str] = set()
        self._uncollected: dict[str, dict[str, Any]] = {}
        self._problem = ""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that could not be collected."""
        if report.failed:
            lines = str(report.longrepr).strip().splitlines() or [""]
            last = lines[-1].removeprefix("E").strip().replace(self._folder, "")
            self._uncollected[report.nodeid] = _plain_row(
                report.nodeid, "", None, f"not collected: {last}", kind="file"
            )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the results out of a test's report."""
        if report.when != "call":
            return
        if report.passed:
            self._ran.add(report.nodeid)
        found = [str(value) for name, value in report.user_properties if name == PROPERTY]
        errors = [str(value) for name, value in report.user_properties if name == ERROR]
        if found or errors:
            import msgspec

            from dpverify.reports.json_form import result_from_json
            from dpverify.reports.record import MechanismSource, NotDecided

            self._found[report.nodeid] = list(map(result_from_json, found))
            self._seconds |= {one.id: report.duration for one in self._found[report.nodeid]}
            sources = [value for name, value in report.user_properties if name == SOURCE]
            self._sources[report.nodeid] = [msgspec.json.decode(str(one), type=MechanismSource) for one in sources]
            self._errors[report.nodeid] = [msgspec.json.decode(error, type=NotDecided) for error in errors]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hold what was decided against the baseline, and write the reports, whatever was decided by then."""
        if not self._files and self._asking is None:
            return
        from dpverify.mechanisms.exact.errors import InputError
        from dpverify.reports.rendering import render
        from dpverify.reports.writing import write_reports

        audit = self._audit()
        self._gate = None if self._asking is None else self._judged(self._asking, audit)
        if self._gate is not None and self._gate.failing and session.exitstatus in _GREEN:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        try:
            write_reports({path: render(audit, path.suffix, self._gate, seconds=self._seconds) for path in self._files})
        except InputError as error:
            self._problem = str(error)
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def _judged(self, asking: Asking, audit: AuditRecord) -> Gate:
        """What the gate says of the claims of files; what `assert_private` is given is a test of its own."""
        import msgspec

        from dpverify.verifiers.audit.claim_files import load_claims
        from dpverify.verifiers.commands.gating import Named, asked, compared

        kept = [claim for claim in audit.claims if claim.question is not msgspec.UNSET]
        decided = {claim.id for claim in kept}
        files = {Path(file) for _, file in self._asked.claims.values()}
        unread = [row["id"] for row in self._uncollected.values()]
        existing = [claim for file in sorted(files) for claim in load_claims(file)]
        later = _later(existing, decided, self._depth)
        rows = [row for row in audit.not_decided if row.reason != _DESELECTED and row.id not in later]
        known = decided | {row.id for row in rows}
        meant = [claim for claim in existing if claim.id in later]
        paths = files | {Path(self._folder, name) for name in unread}
        found = asked(asking.baseline, known, Named(meant, existing, paths, unread), self._depth)
        return compared(asking, msgspec.structs.replace(audit, claims=kept, not_decided=rows), found)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the verdicts, and what could not be decided; what was not asked for only where a report has it."""
        if self._found or self._files:
            from dpverify.reports.kinds import kind_of
            from dpverify.reports.summary import headline
            from dpverify.reports.table import row_lines

            audit = self._audit(errors_alone=not self._files)
            terminalreporter.section("claims")
            for claim in audit.claims:
                if self._quiet and claim.as_expected:
                    continue
                line = f"{claim.verdict!s:<12} {claim.id}  {kind_of(claim).claimed(claim)}"
                said = f"{line}  ({claim.surprise})" if claim.surprise else line
                terminalreporter.line(said, red=bool(claim.surprise))
                if claim.never_run is not None and not claim.surprise:
                    for text in claim.never_run.in_short:
                        terminalreporter.line(f"             {text}", yellow=True)
            for row in audit.not_decided:
                for line in row_lines(row):
                    terminalreporter.line(line, red=True)
            terminalreporter.line(headline(audit), red=audit.partial)
        if self._gate is not None and self._asking is not None:
            from dpverify.reports.gate import in_lines

            terminalreporter.section("gate")
            told = [claim.id for claims in self._found.values() for claim in claims]  # by the failures, or as known
            for line in in_lines(self._gate, self._asking.how_to_update, told=told):
                terminalreporter.line(line, red=bool(self._gate.failing))
        for path in self._files if not self._problem else ():
            terminalreporter.line(f"wrote {path}")
        if self._problem:
            terminalreporter.line(self._problem, red=True)

    def _audit(self, errors_alone: bool = False) -> AuditRecord:
        """What was found, in the order of the tests' names, which does not depend on the order of the tests."""
        import msgspec

        from dpverify.mechanisms.exact.shown import one_line
        from dpverify.reports.record import SCHEMA_VERSION, AuditRecord, NotDecided
        from dpverify.verifiers.audit.auditing import installed_version
        from dpverify.verifiers.audit.mechanism_sources import joined

        claims: dict[str, ClaimResult] = {}
        rows = dict(self._errors)
        for name in sorted(self._found):
            for claim in self._found[name]:
                if claims.setdefault(claim.id, claim) is not claim:
                    reason = "another claim of this session has its id: an id names one claim"
                    repeated = NotDecided(claim.id, claim.kind, claim.source, claim.expected, reason)
                    rows[name] = [*rows.get(name, []), repeated]
        if not errors_alone:
            for name, row in {**self._asked.rows, **self._uncollected}.items():
                if name not in self._found and name not in self._ran:
                    plain = msgspec.convert(row, NotDecided)
                    rows[name] = [msgspec.structs.replace(plain, reason=one_line(plain.reason))]
        not_decided = [row for name in sorted(rows) for row in rows[name]]
        sources = joined(one for name in sorted(self._sources) for one in self._sources[name])
        return AuditRecord(SCHEMA_VERSION, installed_version(), list(claims.values()), not_decided, sources)

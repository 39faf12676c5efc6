"""The results of a session: what it was asked for, what was found, in any process, and what a gate says of it."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from dpverify.verifiers.testing.items import (
    BASELINE_KEY,
    ERROR,
    NAMED_KEY,
    PROPERTY,
    SOURCE,
    ClaimItem,
    is_left,
    left_to,
)

if TYPE_CHECKING:
    from dpverify.reports.gates.gate import Gate
    from dpverify.reports.provenance import Provenance
    from dpverify.reports.record import AuditRecord, ClaimResult, MechanismSource, NotDecided
    from dpverify.verifiers.claims import AnyClaim
    from dpverify.verifiers.commands.gating import Asking

_GREEN: Final = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
"""Statuses of a session in which nothing has failed."""


def _later(existing: Sequence[AnyClaim], decided: Collection[str], depth: str) -> set[str]:
    """The ids of claims that are left to a later depth than that of the run."""
    from dpverify.verifiers.claims import reaches

    return {claim.id for claim in existing if claim.id not in decided and not reaches(depth, claim.depth)}


_DESELECTED: Final = "deselected"
_NOT_RUN: Final = "not run: the session ended before it"
_LEFT_OUT: Final = "not run: nothing on the command line names another file or test, and it was left out all the same"


def _claims_in(file: Path) -> list[AnyClaim]:
    """The claims of a file; none where it cannot be read, which is said of its collection."""
    from dpverify.mechanisms.numbers.errors import InputError
    from dpverify.verifiers.auditing.claim_files import load_claims

    try:
        return list(load_claims(file)) if file.is_file() and file.suffix == ".py" else []
    except InputError:
        return []


class SessionClaims:
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
                late = is_left(claim, item.config)
                said = left_to(claim) if late and reason == _NOT_RUN else reason
                expected = str(claim.verdict_expected)
                self.rows[item.nodeid] = _plain_row(claim.id, claim.source, expected, said, claim.kind)
                self.claims[item.nodeid] = (claim.id, str(item.path))
            elif "assert_private" in getattr(item, "fixturenames", ()):
                self.rows[item.nodeid] = _plain_row("_".join(item.nodeid.split()), "", "PROVED", reason)


def _plain_row(claim_id: str, source: str, expected: str | None, reason: str, kind: str = "privacy") -> dict[str, Any]:
    return {"id": claim_id, "kind": kind, "source": source, "expected": expected, "reason": reason}


def _provenance(config: pytest.Config, files: Sequence[Path]) -> Provenance:
    from dpverify.mechanisms.numbers.errors import InputError
    from dpverify.verifiers.commands.provenance import provenance_of

    command = ["pytest", *config.invocation_params.args]
    try:
        return provenance_of(command, files, config.getoption("--dp-title"), config.rootpath)
    except InputError as error:
        raise pytest.UsageError(str(error)) from None


class SessionResults:
    """The results of a session, gathered where it is controlled: from this process, or from the workers' reports."""

    def __init__(self, config: pytest.Config, asked: SessionClaims) -> None:
        self._files = [Path(name) for name in config.getoption("--dp-report")]
        self._folder = f"{config.rootpath}{os.sep}"
        self._quiet = config.get_verbosity() < 0
        self._asked = asked
        self._found: dict[str, list[ClaimResult]] = {}
        self._errors: dict[str, list[NotDecided]] = {}
        self._sources: dict[str, list[MechanismSource]] = {}
        self._seconds: dict[str, float] = {}
        self._asking = config.stash[BASELINE_KEY]
        self._named = config.stash.get(NAMED_KEY, ())
        self._from = config.invocation_params.dir
        self._gate: Gate | None = None
        self._depth = config.getoption("--dp-depth")
        self._ran: set[str] = set()
        self._uncollected: dict[str, dict[str, Any]] = {}
        self._problem = ""
        self._provenance = _provenance(config, self._files) if self._files else None

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
        results = [str(value) for name, value in report.user_properties if name == PROPERTY]
        errors = [str(value) for name, value in report.user_properties if name == ERROR]
        if results or errors:
            import msgspec

            from dpverify.reports.audits.json_form import result_from_json
            from dpverify.reports.record import MechanismSource, NotDecided

            self._found[report.nodeid] = list(map(result_from_json, results))
            self._seconds |= {one.id: report.duration for one in self._found[report.nodeid]}
            sources = [value for name, value in report.user_properties if name == SOURCE]
            self._sources[report.nodeid] = [msgspec.json.decode(str(one), type=MechanismSource) for one in sources]
            self._errors[report.nodeid] = [msgspec.json.decode(error, type=NotDecided) for error in errors]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hold what was decided against the baseline, and write the reports, whatever was decided by then."""
        if not self._files and self._asking is None:
            return
        from dpverify.mechanisms.numbers.errors import InputError
        from dpverify.reports.formats.rendering import render, suffix_of
        from dpverify.reports.writing import write_reports

        audit = self._audit()
        self._gate = None if self._asking is None else self._judged(self._asking, audit)
        if self._gate is not None and self._gate.failing and session.exitstatus in _GREEN:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        try:
            suffixes = {path: suffix_of(path.name) for path in self._files}
            write_reports({path: render(audit, suffixes[path], self._gate, seconds=self._seconds) for path in suffixes})
        except InputError as error:
            self._problem = str(error)
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def _judged(self, asking: Asking, audit: AuditRecord) -> Gate:
        """The answer of the gate on the claims of files; what `assert_private` is given is a test of its own.

        A claim of the baseline that was not run is not decided, whoever left it out: -k, a conftest, or settings. Left
        out is what lies beside the files, folders and tests that were named on the command line itself.
        """
        import msgspec

        from dpverify.reports.gates.gate import AuditRequest
        from dpverify.reports.record import NotDecided
        from dpverify.verifiers.commands.gating import Named, asked, baseline_changes

        kept = [claim for claim in audit.claims if claim.question is not msgspec.UNSET]
        decided = {claim.id for claim in kept}
        unread = [row["id"] for row in self._uncollected.values()]
        folder = asking.path.resolve().parent
        lines = asking.baseline.lines
        meant = [name for name, line in lines.items() if self._is_meant(folder / line.file, name)]
        files = {Path(file) for _, file in self._asked.claims.values()} | {folder / lines[name].file for name in meant}
        existing = [claim for file in sorted(files) for claim in _claims_in(file)]
        later = _later(existing, decided, self._depth)
        left_out = lines.keys() - set(meant) - decided
        rows = {row.id: row for row in audit.not_decided if row.id not in later and row.id not in left_out}
        known = {claim.id: claim for claim in existing}
        for name in meant:
            if name in known and name not in decided | rows.keys() | later:
                claim = known[name]
                rows[name] = NotDecided(name, claim.kind, claim.source, claim.verdict_expected, _LEFT_OUT)
        result = asked(
            asking.baseline,
            decided | rows.keys(),
            Named([claim for claim in existing if claim.id in later], existing, files, []),
            self._depth,
        )
        missing = {name for name in meant if name not in known}
        names = {seen for name in unread for seen in [os.path.relpath(Path(self._folder, name).resolve(), folder)]}
        request = AuditRequest(frozenset(left_out) - missing, result.later, names, result.folder)
        record = msgspec.structs.replace(audit, claims=kept, not_decided=list(rows.values()))
        return baseline_changes(asking, record, request, existing)

    def _is_meant(self, file: Path, name: str) -> bool:
        """True where a claim is among what the command line names, or that names nothing."""
        for named in self._named:
            path, _, test = named.partition("::")
            place = (self._from / path).resolve()
            if file.resolve().is_relative_to(place) and test in ("", name):
                return True
        return not self._named

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the verdicts, and what could not be decided; what was not asked for only where a report has it."""
        if self._found or self._files:
            from dpverify.reports.audits.summary import headline, proved_for
            from dpverify.reports.audits.table import row_lines
            from dpverify.reports.kinds import kind_of

            audit = self._audit(errors_alone=not self._files)
            terminalreporter.section("claims")
            for claim in audit.claims:
                if self._quiet and claim.as_expected:
                    continue
                words = f"{kind_of(claim).claimed(claim)}  {proved_for(claim)}".rstrip()
                line = f"{claim.verdict!s:<12} {claim.id}  {words}"
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
            from dpverify.reports.gates.gate import gate_in_lines

            terminalreporter.section("gate")
            told = [claim.id for claims in self._found.values() for claim in claims]  # by the failures, or as known
            for line in gate_in_lines(self._gate, self._asking.how_to_update, told=told):
                terminalreporter.line(line, red=bool(self._gate.failing))
        for path in self._files if not self._problem else ():
            terminalreporter.line(f"wrote {path}")
        if self._problem:
            terminalreporter.line(self._problem, red=True)

    def _audit(self, errors_alone: bool = False) -> AuditRecord:
        """The audit, in the order of the tests' names, which does not depend on the order of the tests."""
        import msgspec

        from dpverify.mechanisms.numbers.shown import one_line
        from dpverify.reports.record import SCHEMA_VERSION, AuditRecord, NotDecided
        from dpverify.verifiers.auditing.auditing import installed_version
        from dpverify.verifiers.auditing.cache.mechanism_sources import joined_sources

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
        sources = joined_sources(one for name in sorted(self._sources) for one in self._sources[name])
        record = AuditRecord(SCHEMA_VERSION, installed_version(), list(claims.values()), not_decided, sources)
        return msgspec.structs.replace(record, provenance=self._provenance)

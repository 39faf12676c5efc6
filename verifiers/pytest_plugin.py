"""The pytest plugin: claims and lemmas in `claims_*.py` are tests, and `assert_private` is a fixture.

It imports pytest alone; the checker is loaded when the first claim is.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from dpverify.mechanisms.exact_numbers import ExactLike
    from dpverify.mechanisms.limits import Limits
    from dpverify.mechanisms.mechanism import Mechanism
    from dpverify.reports.record import AuditRecord, ClaimResult
    from dpverify.verifiers.claims import Claim
    from dpverify.verifiers.domains import Domain
    from dpverify.verifiers.lemma import Lemma
    from dpverify.verifiers.neighbours import Relation
    from dpverify.verifiers.pac import PacClaim
    from dpverify.verifiers.utility import UtilityClaim
    from dpverify.verifiers.verdict import Verdict

PROPERTY: Final = "dpverify"
"""The name under which a test's report carries its results, as JSON: workers of pytest-xdist pass it on."""

ERROR: Final = "dpverify-error"
"""The name under which it carries that a claim could not be decided, because its input is bad."""

LINE: Final = "dpverify-line"
"""The name under which it carries what was found of a utility claim or a lemma, in words."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("dpverify", "differential privacy claims (dpverify)")
    group.addoption(
        "--dp-report",
        action="append",
        default=[],
        metavar="FILE",
        help="write what was found of all privacy claims to FILE: .json, .md or .html; may be given several times",
    )
    group.addoption(
        "--dp-depth",
        choices=("quick", "full"),
        default="quick",
        help="whether claims of depth full are decided, too (default: quick)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and collect results where the session is controlled."""
    for name in config.getoption("--dp-report"):
        if Path(name).suffix not in (".json", ".md", ".html"):
            raise pytest.UsageError(f"--dp-report {name}: the file must end in .json, .md or .html")
    if config.getoption("--dp-report"):
        from dpverify.mechanisms.errors import InputError
        from dpverify.reports.writing import check_targets

        try:
            check_targets(map(Path, config.getoption("--dp-report")))
        except InputError as error:
            raise pytest.UsageError(f"--dp-report: {error}") from None
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Results(config), "dpverify-results")


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

    def collect(self) -> Iterator[ClaimItem | OtherItem]:
        """A test for each claim and lemma, under its id."""
        from dpverify.mechanisms.errors import InputError
        from dpverify.verifiers.claim_files import load_all
        from dpverify.verifiers.claims import Claim
        from dpverify.verifiers.lemma import Lemma
        from dpverify.verifiers.pac import PacClaim
        from dpverify.verifiers.utility import UtilityClaim

        try:
            claims = load_all(self.path, Claim, UtilityClaim, PacClaim, Lemma)
        except InputError as error:
            raise self.CollectError(str(error)) from None
        for claim in claims:
            kind = ClaimItem if isinstance(claim, Claim) else OtherItem
            yield kind.from_parent(self, name=claim.id, claim=claim)


class ClaimItem(pytest.Item):
    """A claim as a test: it passes where its verdict is the expected one."""

    def __init__(self, *, claim: Claim, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.claim = claim

    def runtest(self) -> None:
        """Decide the claim."""
        from dpverify.mechanisms.errors import InputError
        from dpverify.reports.record import result_to_json
        from dpverify.reports.table import claim_lines
        from dpverify.verifiers.auditing import result_of

        if self.claim.depth == "full" and self.config.getoption("--dp-depth") != "full":
            pytest.skip("decided with --dp-depth full")
        try:
            result = result_of(self.claim)
        except InputError as error:
            self.user_properties.append((ERROR, str(error)))
            raise
        self.user_properties.append((PROPERTY, result_to_json(result)))
        if not result.as_expected:
            raise ClaimNotAsExpected(claim_lines(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict and the witness, or the message of bad input, without a traceback."""
        return _without_traceback(excinfo) or super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the claim stands, and how it is called."""
        return self.path, None, f"claim {self.name}"


class OtherItem(pytest.Item):
    """A utility claim or a lemma as a test: it passes where its verdict is the expected one."""

    def __init__(self, *, claim: UtilityClaim | PacClaim | Lemma, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.claim = claim

    def runtest(self) -> None:
        """Decide it."""
        as_expected, lines = _decided(self.claim)
        self.user_properties.append((LINE, lines[0]))
        if not as_expected:
            raise ClaimNotAsExpected(lines)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict and the witness, or the message of bad input, without a traceback."""
        return _without_traceback(excinfo) or super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it stands, and how it is called."""
        return self.path, None, f"claim {self.name}"


def _decided(claim: UtilityClaim | PacClaim | Lemma) -> tuple[bool, list[str]]:
    """Whether the verdict is the expected one, and what to say."""
    from dpverify.reports.lemma_record import lemma_lines
    from dpverify.reports.utility_record import utility_lines
    from dpverify.verifiers.lemma import Lemma, check_lemma
    from dpverify.verifiers.utility_command import check

    if isinstance(claim, Lemma):
        lemma = check_lemma(claim)
        return lemma.as_expected, lemma_lines(lemma)
    result = check(claim)
    return result.as_expected, utility_lines(result)


def _without_traceback(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """The message of what is no error of a program, and nothing for any other."""
    from dpverify.mechanisms.errors import InputError

    return str(excinfo.value) if isinstance(excinfo.value, ClaimNotAsExpected | InputError) else ""


class ClaimNotAsExpected(AssertionError):
    """A claim whose verdict is not the expected one, or whose mutant was not refuted: it says so in lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))


@pytest.fixture
def assert_private(request: pytest.FixtureRequest) -> Callable[..., Verdict]:
    """A function that takes what `check_privacy` takes, returns a PROVED verdict, and fails with the witness else."""
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
    ) -> Verdict:
        __tracebackhide__ = True
        from dpverify.mechanisms.errors import InputError
        from dpverify.reports.record import result_to_json
        from dpverify.reports.table import claim_lines
        from dpverify.verifiers.auditing import decide, result_of
        from dpverify.verifiers.claims import Claim
        from dpverify.verifiers.neighbours import replace_one

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
        )
        try:
            verdict = decide(claim)
        except InputError as error:
            item.user_properties.append((ERROR, str(error)))
            raise
        result = result_of(claim, verdict)
        item.user_properties.append((PROPERTY, result_to_json(result)))
        if not result.as_expected:
            raise ClaimNotAsExpected(claim_lines(result))
        return verdict

    return assert_private


class _Results:
    """The results of a session, gathered where it is controlled: from this process, or from the workers' reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._files = [Path(name) for name in config.getoption("--dp-report")]
        self._quiet = config.get_verbosity() < 0
        self._found: dict[str, list[ClaimResult]] = {}
        self._others: dict[str, tuple[str, bool]] = {}
        self._errors = 0
        self._problem = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the results out of a test's report."""
        if report.when != "call":
            return
        self._errors += sum(name == ERROR for name, _ in report.user_properties)
        for name, value in report.user_properties:
            if name == LINE:
                self._others[report.nodeid] = str(value), report.passed
        found = [value for name, value in report.user_properties if name == PROPERTY]
        if found:
            from dpverify.reports.record import result_from_json

            self._found[report.nodeid] = [result_from_json(str(value)) for value in found]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the reports that were asked for."""
        if not self._files:
            return
        if self._errors:
            self._problem = "no report was written: not every claim could be decided"
            return
        from dpverify.mechanisms.errors import InputError
        from dpverify.reports.rendering import render
        from dpverify.reports.writing import write_reports

        audit = self._audit()
        try:
            write_reports({path: render(audit, path.suffix) for path in self._files})
        except InputError as error:
            self._problem = str(error)
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the verdicts."""
        if self._found or self._errors:
            from dpverify.reports.summary import claimed, headline, surprise

            audit = self._audit()
            terminalreporter.section("privacy claims")
            for claim in audit.claims:
                unexpected = surprise(claim)
                if self._quiet and not unexpected:
                    continue
                line = f"{claim.verdict!s:<12} {claim.id}  {claimed(claim)}"
                terminalreporter.line(f"{line}  ({unexpected})" if unexpected else line, red=bool(unexpected))
            undecidable = f"; {self._errors} could not be decided" if self._errors else ""
            decided = headline(audit) if self._found else "no claim was decided"
            terminalreporter.line(decided + undecidable, red=bool(undecidable))
        if self._others:
            terminalreporter.section("utility claims and lemmas")
            for _, (line, passed) in sorted(self._others.items()):
                if not (self._quiet and passed):
                    terminalreporter.line(line, red=not passed)
        for path in self._files if not self._problem else ():
            terminalreporter.line(f"wrote {path}")
        if self._problem:
            terminalreporter.line(self._problem, red=True)

    def _audit(self) -> AuditRecord:
        """What was found, in the order of the tests' names, which does not depend on the order of the tests."""
        from dpverify.reports.record import SCHEMA_VERSION, AuditRecord
        from dpverify.verifiers.auditing import installed_version

        claims = [claim for name in sorted(self._found) for claim in self._found[name]]
        return AuditRecord(SCHEMA_VERSION, installed_version(), claims)

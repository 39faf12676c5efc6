"""The pytest plugin: claims of all kinds in `claims_*.py` are tests, and `assert_private` is a fixture.

It imports pytest alone; the checker is loaded when the first claim is. Claims are decided in pytest's own process, or
those of pytest-xdist: a mechanism that swallows its interruption by a bare `except:` hangs it, and one that calls
`os._exit` ends it. `dpverify audit` guards against both.

pytest finds the hooks of a plugin in one module.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from dpverify.verifiers.testing.items import (
    BASELINE_KEY,
    NAMED_KEY,
    ClaimFile,
    ClaimNotAsExpected,
    how_of,
    note_finding,
    note_undecided,
)
from dpverify.verifiers.testing.session import SessionClaims, SessionResults

if TYPE_CHECKING:
    from dpverify.mechanisms.functions.limits import Limits
    from dpverify.mechanisms.functions.mechanism import Mechanism
    from dpverify.mechanisms.numbers.exact_numbers import ExactLike
    from dpverify.verifiers.commands.gating import Asking
    from dpverify.verifiers.problems.questions.domains import Domain
    from dpverify.verifiers.problems.questions.moves import NeighbourRelation
    from dpverify.verifiers.verdicts.verdict import Proved


OPTIONS: Final = (
    "--dp-report",
    "--dp-baseline",
    "--dp-strict",
    "--dp-depth",
    "--dp-no-recheck",
    "--dp-reach",
    "--dp-title",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("dpverify", "differential privacy claims (dpverify)")
    group.addoption(
        "--dp-report",
        action="append",
        default=[],
        metavar="FILE",
        help="write what was found of all claims to FILE (.json, .md, .html, .sarif, .xml); may be given several times",
    )
    group.addoption(
        "--dp-depth",
        choices=("quick", "report", "full"),
        default="quick",
        help="whether claims of depth report, and of depth full, are decided, too (default: quick)",
    )
    group.addoption("--dp-no-recheck", action="store_true", help="do not recompute distributions; the record says so")
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
    group.addoption(
        "--dp-title",
        metavar="TEXT",
        help="give reports this title (default: the name of the project, or of the folder)",
    )


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser, args: Sequence[str]) -> None:
    """Refuse a mistyped option of the plugin, which nothing else takes, and say which is near: pytest does not.

    And note what is named on the command line itself, and not by settings: a gate holds all other claims to be run.
    """
    named = parser.parse_known_args(early_config.invocation_params.args)
    early_config.stash[NAMED_KEY] = tuple(map(str, getattr(named, "file_or_dir", ())))
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
        from dpverify.mechanisms.numbers.errors import InputError
        from dpverify.reports.formats.rendering import SUFFIXES, suffix_of
        from dpverify.reports.writing import check_targets

        for name in config.getoption("--dp-report"):
            if not suffix_of(name):
                endings = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
                raise pytest.UsageError(f"--dp-report {name}: the file must end in {endings}")
        try:
            check_targets(map(Path, config.getoption("--dp-report")))
        except InputError as error:
            raise pytest.UsageError(f"--dp-report: {error}") from None
    config.stash[BASELINE_KEY] = _baseline(config)
    session_claims = SessionClaims()
    config.pluginmanager.register(session_claims, "dpverify-asked")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SessionResults(config, session_claims), "dpverify-results")


def _baseline(config: pytest.Config) -> Asking | None:
    """The baseline of the options. Raises `UsageError` where it is none."""
    named = config.getoption("--dp-baseline")
    if named is None:
        return None
    from dpverify.mechanisms.numbers.errors import InputError
    from dpverify.verifiers.commands.gating import baseline_of_command

    try:
        return baseline_of_command(Path(named), update=False)
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
    from dpverify.mechanisms.numbers.errors import InputError
    from dpverify.verifiers.auditing.claim_files import load_claims
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


@pytest.fixture
def assert_private(request: pytest.FixtureRequest) -> Callable[..., Proved]:
    """A function that takes what `check_privacy` takes, returns a PROVED verdict, and fails with the witness else.

    It fails as well where all neighbours have one law, unless it is told so with `neighbours_agree=True`.
    """
    item = request.node
    calls = itertools.count(1)

    def assert_private(
        mechanism: Mechanism,
        domain: Domain | str,
        neighbours: NeighbourRelation | str | None = None,
        *,
        epsilon: ExactLike,
        delta: ExactLike = 0,
        parameters: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        neighbours_agree: bool = False,
    ) -> Proved:
        __tracebackhide__ = True
        from dpverify.mechanisms.numbers.errors import InputError
        from dpverify.reports.audits.table import claim_lines
        from dpverify.verifiers.locations import located, with_language
        from dpverify.verifiers.privacy.claim import Claim
        from dpverify.verifiers.privacy.result import privacy_result, verdict_on_claim, watched_for
        from dpverify.verifiers.problems.neighbours.neighbours import replace_one
        from dpverify.verifiers.verdicts.verdict import Proved

        call = next(calls)
        try:
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
            with note_undecided(item, claim):
                how = how_of(request.config)
                verdict = verdict_on_claim(claim, recheck=how.recheck, watched=watched_for(claim, how))
                result = with_language(claim, located(claim, privacy_result(claim, how, verdict)))
        except InputError as error:
            raise error.with_traceback(None) from None  # of what it says no line of this library is a part
        note_finding(item, claim, result)
        if not result.as_expected:
            raise ClaimNotAsExpected(claim_lines(result))
        assert isinstance(verdict, Proved), "as expected"
        return verdict

    return assert_private

"""What runs in other processes, on unknown numbers and beside others who look on counts as it should."""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.verifiers.divergence.parallel.sharing_cases import soon
from tests.verifiers.divergence.parallel.test_sharing import InThisProcess, Nobody, forked
from tests.verifiers.line_coverage import looked_on
from tests.verifiers.line_coverage.looked_on import by_size

from dpverify.mechanisms import Draw, bernoulli, clamp, discrete_laplace
from dpverify.mechanisms.counting import of_counts
from dpverify.mechanisms.functions.watching import watched_by, watcher_now
from dpverify.mechanisms.selection import Selection
from dpverify.verifiers import Claim, Histograms, Multisets, Tuples, check_privacy
from dpverify.verifiers.claims import How
from dpverify.verifiers.divergence.parallel.executors import ExecutorHelpers
from dpverify.verifiers.line_coverage import collecting
from dpverify.verifiers.line_coverage.collecting import IS_CHEAP, executed_code
from dpverify.verifiers.line_coverage.own_files import own_files
from dpverify.verifiers.line_coverage.results import RunRecord, Watched, looking_on, never_run
from dpverify.verifiers.privacy import result
from dpverify.verifiers.privacy.result import privacy_result
from dpverify.verifiers.problems.preparation.repetition import can_fork
from dpverify.verifiers.processes.workplace import Workplace

__all__ = ["soon"]

LOOKING = How(recheck=False, reach=True)
NEVER = [i for i, line in enumerate(Path(looked_on.__file__).read_text().splitlines(), 1) if "# never" in line]


def lines(mechanism: Any, how: How = LOOKING, **given: Any) -> list[int]:
    found = privacy_result(Claim(**{"id": "c", "mechanism": mechanism, "epsilon": 3, **given}), how).never_run
    assert found is not None
    return [line.first for line in found.lines]


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2) as made:
        yield made


def helpers(who: str, pool: Executor) -> Any:
    if who == "pool":
        return ExecutorHelpers(pool, by_size, {})
    return {"here": InThisProcess, "nobody": Nobody, "forked": forked}[who]()


@pytest.mark.one_in(2)
@pytest.mark.skipif(not can_fork(), reason="there are no forks")
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("is_cheap", [False, *([True] if IS_CHEAP else [])])
@pytest.mark.parametrize("who", ["here", "nobody", "forked", "pool"])
def test_processes_that_help_bring_what_ran_there(
    who: str, is_cheap: bool, pool: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "IS_CHEAP", is_cheap)
    how = replace(LOOKING, where=Workplace(helpers(who, pool)))
    assert lines(by_size, how, domain=Tuples((0, 1, 2), size=2)) == NEVER


# Laws that are not found one by one
def noisy(draw: Draw, rows: Any) -> Any:
    return sum(rows) + draw(discrete_laplace(1))


def of_all_sizes(draw: Draw, rows: Any) -> Any:
    if rows.count(0) > 30:
        return clamp(rows.count(0) + draw(discrete_laplace(1)), 0, 1)
    return clamp(draw(discrete_laplace(1)) + rows.count(0), 0, 1)


@pytest.mark.deep
def test_a_claim_for_all_sizes_counts_what_ran_on_real_rows() -> None:
    """The region beyond 30 rows is cut, and a law there is compared with that on rows of it."""
    assert lines(of_all_sizes, domain=Histograms((0, 1)), epsilon=1) == []
    assert len(lines(of_all_sizes, domain=Multisets((0, 1), size=3), epsilon=1)) == 1
    assert lines(of_all_sizes, domain=Multisets((0, 1), size=3), all_sizes=Histograms((0, 1)), epsilon=1) == []


class Counting:
    """Who is told of laws on databases, and of those on unknown numbers."""

    def __init__(self) -> None:
        self.known: list[bool] = []
        self.within = 0

    def begin(self, known: bool) -> None:
        self.known.append(known)
        self.within += 1

    def end(self) -> None:
        self.within -= 1


def test_laws_on_unknown_numbers_are_told_from_those_on_databases() -> None:
    finite, endless = Counting(), Counting()
    with watched_by(finite):
        check_privacy(of_all_sizes, Multisets((0, 1), size=3), epsilon=1, recheck=False)
    with watched_by(endless):
        check_privacy(of_all_sizes, Histograms((0, 1)), epsilon=1, recheck=False)
    assert set(finite.known) == {True}
    assert endless.known.count(False) >= 2
    assert endless.known.count(True) >= endless.known.count(False)
    assert finite.within == endless.within == 0


def test_a_part_that_unknown_numbers_remember_is_run_again_on_databases() -> None:
    with executed_code(own_files(coin, None)) as collector:
        assert collector is not None
        check_privacy(of_a_coin, Histograms((0, 1)), epsilon=1, recheck=False)
    (of_coin,) = (one for key, one in collector.functions.items() if key.name == "coin")
    assert of_coin.known
    assert of_coin.unknown


def coin(draw: Draw) -> Any:
    return draw(bernoulli("1/3"))


def of_a_coin(draw: Draw, rows: Any) -> Any:
    return draw(coin) and rows.count(0) + draw(discrete_laplace(1)) > 0


@pytest.mark.deep
def test_both_parts_of_a_claim_are_watched_for_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def noting(mechanism: Any, watched: Watched) -> Any:
        seen.append(watched.reference)
        return looking_on(mechanism, watched)

    monkeypatch.setattr(result, "looking_on", noting)
    claim = Claim(
        id="c", mechanism=of_all_sizes, domain=Multisets((0, 1), size=3), all_sizes=Histograms((0, 1)), epsilon=1
    )
    claim.found_in(__file__)
    privacy_result(claim, LOOKING)
    assert seen == [claim.reference, claim.reference]


def test_unknown_numbers_count_where_there_is_nothing_else() -> None:
    own = own_files(noisy, None)
    with executed_code(own) as collector:
        assert collector is not None
        collector.begin(known=False)
        by_itself(1)
        collector.end()
    only_unknown = RunRecord(collector.functions, 0, own)
    found = never_run([only_unknown], 0)
    assert found is not None and len(found.lines) == 1
    with executed_code(own) as collector:
        assert collector is not None
        collector.begin(known=True)
        by_itself(2)
        collector.end()
        collector.begin(known=True)
        collector.begin(known=False)
        by_itself(1)
        collector.end()
        collector.end()
    both = never_run([RunRecord(collector.functions, 1, own)], 0)
    assert both is not None
    (line,) = both.lines
    assert line.first == found.lines[0].first - 1  # which ran on unknown numbers alone


def by_itself(number: int) -> int:
    if number == 1:
        return 1
    return number


def part(draw: Draw, row: int) -> Any:
    if row == 0:
        return draw(discrete_laplace(1)) > 0
    return draw(discrete_laplace(1)) > 1


def of_parts(draw: Draw, rows: Any) -> Any:
    return tuple(draw(part, row) for row in rows)


def test_a_law_that_is_remembered_counts() -> None:
    assert lines(of_parts, domain=Tuples((0, 1), size=2)) == []
    assert lines(of_parts, domain=Tuples((0, 1), size=2)) == []  # a second time, in the same process


def counted_quality(counts: Any, solution: int) -> Any:
    return counts[solution]


def test_a_quality_that_is_counted_on_all_databases_at_once_counts() -> None:
    counted = Selection(of_counts(counted_quality), (0, 1))
    with executed_code(own_files(counted_quality, None)) as collector:
        assert collector is not None
        check_privacy(counted, Multisets((0, 1), size=3), epsilon=1, recheck=False)
    (function,) = collector.functions.values()
    assert function.code is counted_quality.__code__
    assert function.known


# Others who look on
@pytest.mark.parametrize("is_cheap", [False, *([True] if IS_CHEAP else [])])
def test_who_traces_goes_on_tracing(is_cheap: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "IS_CHEAP", is_cheap)
    seen: set[tuple[str, int]] = set()

    def tracing(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line" and frame.f_code.co_filename == by_size.__code__.co_filename:
            seen.add((frame.f_code.co_name, frame.f_lineno - frame.f_code.co_firstlineno))
        return tracing

    before = sys.gettrace()
    sys.settrace(tracing)
    try:
        found = lines(by_size, domain=Tuples((0, 1, 2), size=2))
        assert sys.gettrace() is tracing
    finally:
        sys.settrace(before)
    assert found == NEVER
    assert {("by_size", 1), ("by_size", 4), ("by_size", 6), ("_later", 4)} <= seen


def test_coverage_sees_what_it_sees_without(monkeypatch: pytest.MonkeyPatch) -> None:
    coverage: Any = pytest.importorskip("coverage")
    monkeypatch.setattr(collecting, "IS_CHEAP", False)
    measured = []
    before = sys.gettrace()
    for reach in (False, True):
        cov = coverage.Coverage(data_file=None, include=["*/looked_on.py"], config_file=False)
        cov.start()
        try:
            privacy_result(
                Claim(id="c", mechanism=by_size, domain=Tuples((0, 1, 2), size=2), epsilon=3), How(False, reach=reach)
            )
        finally:
            cov.stop()
            sys.settrace(before)
        measured.append(sorted(cov.get_data().lines(str(Path(looked_on.__file__))) or []))
    assert measured[0] == measured[1] != []


def test_somebody_traces_where_all_numbers_of_tools_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "IS_CHEAP", True)
    monkeypatch.setattr(collecting._ear, "is_free", lambda: False)
    with executed_code(own_files(noisy, None)) as collector:
        assert isinstance(collector, collecting.Tracer)
    assert lines(by_size, domain=Tuples((0, 1, 2), size=2)) == NEVER


@pytest.mark.skipif(not IS_CHEAP, reason="there is no sys.monitoring")
def test_one_listens_and_who_comes_beside_it_in_another_thread_traces() -> None:
    found: list[list[int]] = []
    with executed_code(own_files(noisy, None)) as collector:
        assert isinstance(collector, collecting.Monitor)
        other = threading.Thread(target=lambda: found.append(lines(by_size, domain=Tuples((0, 1, 2), size=2))))
        other.start()
        other.join()
        assert collector.functions == {}
    assert found == [NEVER]


def test_one_looks_on_at_a_time() -> None:
    own = own_files(noisy, None)
    with executed_code(own) as outer:
        with executed_code(own) as inner:
            assert inner is None
        assert watcher_now() is outer
        with watched_by(None):
            assert watcher_now() is None
    assert watcher_now() is None


def test_installed_files_and_the_standard_library_are_nobodys() -> None:
    own = own_files(noisy, None)
    assert __file__ in own
    assert collecting.__file__ not in own
    assert pytest.__file__ not in own
    assert Path.cwd.__func__.__code__.co_filename not in own  # type: ignore[attr-defined]
    assert "<string>" not in own

"""Pairs that several processes compare: what comes of it is what one process finds, whatever becomes of the others."""

import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.verifiers.divergence.finite.test_scanning import Law, as_found, by_definition, cases, compared
from tests.verifiers.divergence.parallel.sharing_cases import is_decided, said, said_alone
from tests.verifiers.divergence.parallel.test_executors import Killing
from tests.verifiers.divergence.parallel.test_sharing import InThisProcess, Nobody, forked
from tests.verifiers.problems.questions.sharing_mechanisms import (
    FEWER,
    MECHANISMS,
    REFUSED,
    ROWS,
    Mechanism,
    most_common,
)

from dpverify.mechanisms import Distribution, Draw, Exact, InputError, Limits, distribution, exact, exponential, sqrt
from dpverify.reports.formats.rendering import render
from dpverify.verifiers import Claim, Multisets, ScoreSpace, Tuples, add_or_remove_one, audit, replace_one, scores_linf
from dpverify.verifiers.divergence.finite import scanned_in_parts
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.finite.ratios import LargestRatio
from dpverify.verifiers.divergence.finite.scanned_in_parts import Merged, OfPart, Scanning
from dpverify.verifiers.divergence.finite.scanning import Scanned, scan
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable
from dpverify.verifiers.divergence.parallel import executors, work_elsewhere
from dpverify.verifiers.divergence.parallel.executors import ExecutorHelpers
from dpverify.verifiers.problems.neighbours import pairs as in_blocks
from dpverify.verifiers.problems.neighbours.compared import Compared
from dpverify.verifiers.problems.neighbours.neighbours import pairs_within
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.processes.versions import versions
from dpverify.verifiers.processes.workplace import Workplace

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is shared out where nothing is forked")


@pytest.fixture
def small() -> Iterator[None]:
    """Pairs are counted and compared in parts of few."""
    with pytest.MonkeyPatch.context() as patch:
        in_parts_of(patch, 150)
        yield


def in_parts_of(patch: pytest.MonkeyPatch, steps: int) -> None:
    patch.setattr(scanned_in_parts, "STEPS_AT_ONCE", steps)
    patch.setattr(scanned_in_parts, "_PILES", 1)
    patch.setattr(scanned_in_parts, "_SIGNS", 1)
    patch.setattr(in_blocks, "_HELD_AT_MOST", 4)
    patch.setattr(in_blocks, "COUNTED_AT_ONCE", 50)
    patch.setattr(in_blocks, "AT_ONCE", 20)


# --- What is found of parts is merged
def found_of(merged: Merged) -> Scanned:
    pairs = merged.attaining.pair, merged.violating.pair
    return Scanned(merged.worst, *pairs, merged.is_undecided, merged.ratio, merged.doubts, 0, False)


@given(cases(), st.sampled_from([exact(0), exact(1)]), st.sampled_from([0, "1/7"]), st.data())
@few(20, deep=600)
def test_parts_may_come_in_any_order(
    case: tuple[list[Law], list[tuple[int, int]]], epsilon: Exact, delta: Any, data: st.DataObject
) -> None:
    table, of_pairs = compared(*case)
    bounds = data.draw(st.lists(st.integers(1, len(case[0]) - 1), unique=True).map(sorted))
    parts = [range(*ends) for ends in zip([0, *bounds], [*bounds, len(case[0])], strict=True)]
    work = Scanning(table, of_pairs, PrivacyGuarantee(epsilon, exact(delta)))
    of_parts = [msgspec.msgpack.decode(work.done(part), type=OfPart) for part in parts]
    once = Merged(table, of_pairs, epsilon, work.excesses)
    for of_part in of_parts:
        once.add(of_part)
    again = Merged(table, of_pairs, epsilon, work.excesses)
    order = data.draw(st.permutations(of_parts)) + data.draw(st.lists(st.sampled_from(of_parts)))
    for of_part in order:
        again.add(of_part)
    assert found_of(again) == found_of(once)
    assert found_of(again).worst.serial == found_of(once).worst.serial
    assert as_found(found_of(once)) == by_definition(*case, epsilon, exact(delta))
    distinct = {(int(table.law_of[i]), int(table.law_of[j])) for i, j in case[1]}
    assert once.count == sum(i != j for i, j in distinct)


@given(cases(), st.data())
@few(15, deep=300)
def test_what_arrives_finds_the_same(case: tuple[list[Law], list[tuple[int, int]]], data: st.DataObject) -> None:
    """Tables of laws travel without their outcomes."""
    table, of_pairs = compared(*case)
    work = Scanning(table, of_pairs, PrivacyGuarantee(exact("1/2"), exact("1/9")))
    part = range(data.draw(st.integers(0, len(case[0]) - 1)), len(case[0]))
    assert executors._of_numbers(work) is not None
    arrived = pickle.loads(pickle.dumps(work))
    assert arrived.done(part) == Scanning(table, of_pairs, PrivacyGuarantee(exact("1/2"), exact("1/9"))).done(part)


@pytest.mark.parametrize("turned", [False, True])
def test_of_equal_numbers_in_two_forms_the_first_is_said(turned: bool) -> None:
    """Whichever part is known first: (2 + √3)/8 is √(7 + 4·√3)/8, though no form here shows it."""
    forms = [(2 + sqrt(3)) / 8, sqrt(7 + 4 * sqrt(3)) / 8]
    laws = [*(Distribution({0: p, 1: 1 - p}) for p in (forms[::-1] if turned else forms)), Distribution({0: 1, 1: 9})]
    table, of_pairs = compared(laws, [(0, 2), (2, 0), (1, 2), (2, 1)])
    work = Scanning(table, of_pairs, PrivacyGuarantee(exact(0), exact(0)))
    of_parts = [msgspec.msgpack.decode(work.done(range(i, i + 1)), type=OfPart) for i in range(3)]
    first = HockeyStick(table, np.array([0]), np.array([2]), exact(0)).divergence(0)
    assert scan(table, of_pairs, PrivacyGuarantee(exact(0), exact(0))).worst is first
    for order in permutations(of_parts):
        merged = Merged(table, of_pairs, exact(0), work.excesses)
        for of_part in order:
            merged.add(of_part)
        assert merged.worst is first
        assert merged.attaining.pair == (0, 2)
        assert merged.count == 4


def test_doubts_are_as_many_whoever_had_them_before() -> None:
    """What is said of a sign that is undecided, and of a divergence that may be δ, is one text."""
    one, other = (2 + sqrt(3)) / 8, sqrt(7 + 4 * sqrt(3)) / 8
    laws = [
        *(Distribution({0: p, 1: 1 - p}) for p in (one, other)),
        Distribution({0: one, 2: 1 - one}),
        Distribution({2: 1}),
    ]
    table, of_pairs = compared(laws, [(0, 1), (2, 3)])

    def doubts(parts: Sequence[Sequence[range]]) -> list[str]:
        merged = Merged(
            table, of_pairs, exact(0), Scanning(table, of_pairs, PrivacyGuarantee(exact(0), other)).excesses
        )
        for by_one in parts:
            work = Scanning(table, of_pairs, PrivacyGuarantee(exact(0), other))
            for part in by_one:
                merged.add(msgspec.msgpack.decode(work.done(part), type=OfPart))
        return merged.doubts

    first, second = range(2), range(2, 4)
    alone = doubts([[first, second]])
    assert doubts([[second, first]]) == doubts([[first], [second]]) == doubts([[second], [first]]) == alone
    assert len(alone) == 2, "as many as signs: either law may have the larger number"


def test_of_equal_ratios_the_first_is_said() -> None:
    """1/2, 1/4 and 1/8, of which two have the ratio 2."""
    table = DistributionTable([Distribution({0: 4, 1: 2, 2: 1, 3: 1})])
    for codes in permutations([4 + 2, 2 * 4 + 3]):
        largest = LargestRatio(table)
        for code in codes:
            largest.add_numbers(np.array([code]))
        assert largest.code == 4 + 2 and largest.found == (exact("1/2"), exact("1/4"))


@pytest.mark.parametrize("most", [1, 7, 20, 1000])
def test_parts_hold_every_database_once_and_no_more_pairs_than_they_may(most: int) -> None:
    databases = list(Tuples(range(3), size=3))
    pairs = pairs_within(databases, Tuples(range(3), size=3), replace_one)
    of_pairs = Compared(np.arange(27) % 4, 4, pairs)
    parts = of_pairs.parts(most)
    assert [i for part in parts for i in part] == list(range(27))
    assert {of_pairs.pairs_in(part) for part in parts[:-1]} == ({most // 6 * 6 or 6} if most < 1000 else set())


# --- By several processes
PLAIN: Sequence[tuple[Mechanism, Domain]] = [
    each for each in MECHANISMS if each[0].__name__ in ("most_common", "unequal", "late_error", "first_row")
]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("helpers", [InThisProcess, Nobody, pytest.param(forked, marks=[needs_fork, pytest.mark.deep])])
@pytest.mark.parametrize(("mechanism", "domain"), PLAIN, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_said_is_what_one_process_says(mechanism: Mechanism, domain: Domain, helpers: Any) -> None:
    alone = said(mechanism, domain, None, recheck=False)
    assert is_decided(alone) is (mechanism.__name__ not in REFUSED)
    assert said(mechanism, domain, helpers(), recheck=False) == alone
    with pytest.MonkeyPatch.context() as patch:
        patch.undo()
        in_parts_of(patch, 1 << 27)
        assert said(mechanism, domain, None, recheck=False) == alone


@pytest.mark.deep
@needs_fork
@pytest.mark.usefixtures("small")
def test_any_number_of_processes() -> None:
    claims = [
        Claim(id="a", mechanism=most_common, domain=FEWER, epsilon=1),
        Claim(id="b", mechanism=most_common, domain=FEWER, epsilon="1/3", delta="1/20", parameters={"epsilon": 1}),
    ]
    reports = [render(audit(claims, jobs=jobs, recheck=False), ".json") for jobs in (1, 2, 16)]
    assert reports[1:] == reports[:-1]


@pytest.mark.deep
@needs_fork
@pytest.mark.usefixtures("small")
def test_a_process_that_is_killed_while_it_compares_costs_its_part_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = said_alone(most_common, ROWS, recheck=False)
    me, done = os.getpid(), Scanning.done

    def killed(self: Scanning, part: range) -> bytes:
        marker = tmp_path / str(part.start)
        if os.getpid() != me and part.start % 2 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        elif os.getpid() == me:
            (tmp_path / f"here {part.start}").touch()
        return done(self, part)

    monkeypatch.setattr(Scanning, "done", killed)
    assert said(most_common, ROWS, forked(), recheck=False) == alone
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith("here")]
    assert not list(tmp_path.glob("here*"))


@needs_fork
@pytest.mark.usefixtures("small")
def test_a_program_that_handles_the_signal_that_is_to_end_it_has_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = said_alone(most_common, ROWS, recheck=False)
    me, done, came = os.getpid(), Scanning.done, list[int]()

    def told(self: Scanning, part: range) -> bytes:
        if os.getpid() != me and part.start == 3:
            os.kill(me, signal.SIGTERM)
        return done(self, part)

    monkeypatch.setattr(Scanning, "done", told)
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    try:
        assert said(most_common, ROWS, forked(), recheck=False) == alone
    finally:
        signal.signal(signal.SIGTERM, before)
    assert came == [signal.SIGTERM]


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2) as made:
        yield made


@pytest.mark.usefixtures("small")
def test_the_processes_of_an_executor_compare_pairs(pool: Executor) -> None:
    helpers = ExecutorHelpers(pool, most_common, {})
    assert said(most_common, ROWS, helpers, recheck=False) == said_alone(most_common, ROWS, recheck=False)


@pytest.mark.deep
@pytest.mark.usefixtures("small")
def test_a_pool_that_loses_a_process_while_it_compares() -> None:
    with ProcessPoolExecutor(2) as pool:
        killing = Killing(pool, 4)
        found = said(most_common, ROWS, ExecutorHelpers(killing, most_common, {}), recheck=False)
    assert killing.given >= 4
    assert found == said_alone(most_common, ROWS, recheck=False)


@pytest.mark.usefixtures("small")
def test_threads_have_interpreters_that_compare() -> None:
    with ThreadPoolExecutor(2) as pool:
        helpers = ExecutorHelpers(pool, most_common, {})
        assert said(most_common, ROWS, helpers, recheck=False) == said_alone(most_common, ROWS, recheck=False)


# --- The last part
def along_a_line(n: int) -> Iterator[int]:
    return iter([n - 1, n + 1])


def late_step(draw: Draw, n: int, *, last: int = 40) -> Any:
    """Private but for one pair of neighbours, in one direction: the last database has an outcome of its own."""
    return draw(Distribution({0: 1000 + n, 1: 1000, **({2: 1} if n == last else {})}))


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("helpers", [lambda: None, InThisProcess, Nobody, pytest.param(forked, marks=needs_fork)])
def test_the_only_pair_that_violates_is_in_the_last_part(helpers: Callable[[], Any]) -> None:
    domain = tuple(range(41))
    given: dict[str, Any] = {"neighbours": along_a_line, "epsilon": "1/2", "recheck": False}
    text, *_, worst, _ = said(late_step, domain, helpers(), **given)
    assert text.startswith("REFUTED") and worst == (40, 39)
    text, *_ = said(partial(late_step, last=41), domain, helpers(), **given)
    assert text.startswith("PROVED")
    laws = [distribution(late_step, n) for n in domain]
    table, of_pairs = compared(laws, [(i, j) for i in domain for j in (i - 1, i + 1) if j in domain])
    work = Scanning(table, of_pairs, PrivacyGuarantee(exact("1/2"), exact(0)))
    parts = scanned_in_parts.parts_of(table, of_pairs)
    found = [msgspec.msgpack.decode(work.done(part), type=OfPart).first_worst is not None for part in parts]
    assert found == [False] * (len(parts) - 1) + [True] and len(parts) > 5


# --- Pairs are counted
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "helpers", [lambda: None, InThisProcess, Nobody, pytest.param(forked, marks=[needs_fork, pytest.mark.deep])]
)
@pytest.mark.parametrize(
    ("domain", "relation"),
    [(ScoreSpace(range(4), solutions=3), scores_linf), (Multisets(range(4), sizes=range(1, 5)), add_or_remove_one)],
)
def test_pairs_are_counted_by_several(domain: Any, relation: Any, helpers: Callable[[], Any]) -> None:
    databases = list(domain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_blocks, "_HELD_AT_MOST", 1 << 24)
        alone = pairs_within(databases, domain, relation)
    where = Workplace(helpers())
    found = pairs_within(databases, domain, relation, where=where)
    with pytest.raises(InputError, match=f"has more than {alone.count - 1:,} ordered pairs"):
        pairs_within(databases, domain, relation, Limits(pairs=alone.count - 1), where)
    assert (found.count, found.outside, found.databases) == (alone.count, alone.outside, alone.databases)
    assert found.left.tolist() == alone.left.tolist() and found.right.tolist() == alone.right.tolist()


# --- On the way
def by(executor: Executor) -> ExecutorHelpers:
    """Its processes, of which nothing is asked before."""
    helpers = object.__new__(ExecutorHelpers)
    helpers._executor = executor
    return helpers


def a_part() -> tuple[Scanning, range]:
    table, of_pairs = compared([exponential((0, n), 1) for n in range(5)], [(i, i + 1) for i in range(4)])
    return Scanning(table, of_pairs, PrivacyGuarantee(exact(1), exact(0))), range(1, 3)


def test_what_is_known_there_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_elsewhere, "_held", {})
    work, part = a_part()
    work_elsewhere._held.clear()
    content = executors._of_numbers(work)
    assert content is not None
    (message,) = work_elsewhere.messages(content, [pickle.dumps(part)])
    answers = [
        msgspec.msgpack.decode(work_elsewhere.worked(message, sent), type=work_elsewhere.AnswerElsewhere)
        for sent in (b"", content, b"")
    ]
    assert [answer.is_missing for answer in answers] == [True, False, False]
    assert answers[1].found == answers[2].found == a_part()[0].done(part)


def test_other_versions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_elsewhere, "versions", lambda: {**versions(), "numpy": "1.0"})
    work, part = a_part()
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(InputError, match=r"executor: .* runs numpy .*: install the same"),
    ):
        list(by(pool).worked(work, [part]))


class Forgetful(Executor):
    """Processes that have nothing of what was sent before."""

    def __init__(self) -> None:
        self.given: list[bool] = []

    def submit(self, function: Any, /, *args: Any, **_: Any) -> Future[Any]:
        work_elsewhere._held.clear()
        self.given.append(bool(args[1]))
        found: Future[Any] = Future()
        found.set_result(function(*args))
        return found


def test_what_is_missing_there_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_elsewhere, "_FIRST", 2)
    monkeypatch.setattr(work_elsewhere, "_MOST", 3)
    monkeypatch.setattr(work_elsewhere, "_SMALL", 0)
    work, part = a_part()
    forgetful = Forgetful()
    assert list(by(forgetful).worked(work, [part] * 6)) == [a_part()[0].done(part)] * 6
    assert forgetful.given[:4] == [True, True, False, False] and sorted(forgetful.given) == 4 * [False] + 6 * [True]


class Refusing:
    """Work that no pickle takes."""

    def __reduce__(self) -> Any:
        raise TypeError("no")

    def prepare(self) -> None: ...

    def done(self, part: range) -> bytes:
        return str(part).encode()


def test_work_that_cannot_travel_is_done_here(pool: Executor) -> None:
    assert list(by(pool).worked(Refusing(), [range(3)] * 2)) == [None, None]


class Failing:
    """Work that fails wherever it arrives."""

    def prepare(self) -> None: ...

    def done(self, part: range) -> bytes:
        raise MemoryError


def test_work_that_fails_elsewhere_is_done_here(pool: Executor) -> None:
    assert list(by(pool).worked(Failing(), [range(3)] * 2)) == [None, None]

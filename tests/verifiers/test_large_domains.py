"""Domains ask the limits before they build: what is too large is refused at once, and nothing large is made."""

import itertools
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import islice, product
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, Limits, bernoulli
from dpverify.verifiers import LabelledSamples, Multisets, ScoreSpace, Tuples, check_privacy, scores_linf
from dpverify.verifiers.problems.neighbours import bounded_growth
from dpverify.verifiers.problems.questions import BoundedGrowth, ScoreGaps
from dpverify.verifiers.problems.questions.domains import listed_databases
from dpverify.verifiers.problems.questions.sizes import choices_up_to, power_up_to

LIMIT = Limits().databases

TOO_LARGE: list[Callable[[], Any]] = [
    lambda: Tuples((0, 1), size=10**12),
    lambda: Tuples(range(10**3), size=10**6),
    lambda: Tuples((0,), size=10**30),
    lambda: Tuples(range(10**30), size=1),
    lambda: ScoreSpace(range(9), solutions=10**11),
    lambda: ScoreSpace((7,), solutions=10**12),
    lambda: ScoreGaps(9, solutions=10**11),
    lambda: ScoreGaps(10**9, solutions=2),
    lambda: BoundedGrowth(rows=10**6, solutions=4, growth=9),
    lambda: BoundedGrowth(rows=1, solutions=10**6, growth=1),
    lambda: BoundedGrowth(rows=10**6, solutions=10**6, growth=10**6),
    lambda: Multisets(range(3), sizes=range(10**10)),
    lambda: Multisets(range(10**3), size=10**6),
    lambda: LabelledSamples(range(10**9), size=10**9),
]


@in_one("make", TOO_LARGE)
def test_what_is_too_large_is_refused_before_it_is_built(make: Callable[[], Any]) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"more than|beyond") as refused:
            listed_databases(make(), LIMIT)
        assert tracemalloc.get_traced_memory()[1] < 5 * 10**6
    finally:
        tracemalloc.stop()
    said = str(refused.value)
    assert "choose" in said
    if "databases:" in said:
        assert "--limit databases=" in said


def test_what_does_not_end_is_not_read_to_its_end() -> None:
    with pytest.raises(InputError, match="sizes has more than 1,000,000"):
        Multisets(range(3), sizes=itertools.count())
    with pytest.raises(InputError, match="universe has more than 1,000,000"):
        Tuples(itertools.count(), size=1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tuples((0, 1), size=10**6),
        lambda: Multisets(range(1000), size=1000),
        lambda: ScoreSpace(range(9), solutions=10**6),
        lambda: ScoreGaps(9, solutions=10**6),
    ],
)
def test_len_does_not_count_beyond_what_it_can_say(make: Callable[[], Any]) -> None:
    with pytest.raises(OverflowError):
        len(make())


def domains() -> st.SearchStrategy[Any]:
    few, universe = st.integers(0, 4), st.integers(1, 4).map(range)
    sizes = st.sets(few, min_size=1, max_size=3)
    return st.one_of(
        st.builds(Tuples, universe, sizes=sizes),
        st.builds(Multisets, universe, sizes=sizes),
        st.builds(LabelledSamples, st.integers(1, 3).map(range), sizes=sizes),
        st.builds(ScoreSpace, universe, solutions=st.integers(1, 4)),
        st.builds(ScoreGaps, st.integers(1, 4), solutions=st.integers(2, 4)),
        st.builds(BoundedGrowth, rows=st.integers(1, 5), solutions=st.integers(1, 4), growth=st.integers(1, 6)),
    )


@given(domains(), st.integers(0, 300))
def test_has_more_than_is_what_counting_says(domain: Any, limit: int) -> None:
    count = sum(1 for _ in domain)
    assert domain.has_more_than(limit) == (count > limit)
    assert not domain.has_more_than(count)
    assert domain.has_more_than(count - 1)
    if not isinstance(domain, BoundedGrowth):
        assert len(domain) == count


@given(st.integers(1, 6), st.integers(0, 12), st.integers(0, 10**5))
def test_powers_and_choices_are_exact_up_to_the_limit(base: int, exponent: int, limit: int) -> None:
    for found, value in (
        (power_up_to(base, exponent, limit), base**exponent),
        (choices_up_to(base + exponent, exponent, limit), comb(base + exponent, exponent)),
    ):
        assert found == value if value <= limit else found > limit


@given(st.integers(1, 4), st.integers(2, 4))
def test_gaps_come_by_rising_gap_sum_and_then_in_order(largest: int, solutions: int) -> None:
    every = [scores for scores in product(range(-largest, 1), repeat=solutions) if max(scores) == 0]
    assert list(ScoreGaps(largest, solutions=solutions)) == sorted(every, key=lambda s: (-min(s), -sum(s)))


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 5))
def test_growths_come_by_rising_score_sum_and_then_in_order(rows: int, solutions: int, growth: int) -> None:
    every = [s for s in product(range(rows + 1), repeat=solutions) if sum(s) <= growth * rows]
    assert list(BoundedGrowth(rows=rows, solutions=solutions, growth=growth)) == sorted(
        every, key=lambda s: (max(s), sum(s))
    )


def test_many_solutions_are_no_recursion() -> None:
    domain = BoundedGrowth(rows=1, solutions=1500, growth=1)  # Python recurs 1000 times
    databases = listed_databases(domain, LIMIT)
    assert len(databases) == 1501
    assert len(list(islice(bounded_growth(databases[0], domain), 10))) == 10


def coin(draw: Draw, rows: Any) -> Any:
    return draw(bernoulli("0.5"))


def endless(database: Any) -> Iterator[Any]:
    while True:
        yield (1 - database[0],)


def test_a_relation_that_does_not_end_is_refused() -> None:
    with pytest.raises(InputError, match="more than 1,000,000 neighbours, and may not end") as no:
        check_privacy(coin, [(0,), (1,)], endless, epsilon=1, limits=Limits(databases=2))
    assert "--limit databases=" in str(no.value)


@pytest.mark.deep
def test_a_relation_of_dpverify_with_too_many_neighbours_is_refused_alike() -> None:
    with pytest.raises(InputError, match="more than 1,000,000 neighbours"):
        check_privacy(coin, ScoreSpace((0,), solutions=15), scores_linf, epsilon=1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Tuples((0, 1), 3), "3 needs its name"),  # type: ignore[arg-type]
        (lambda: Multisets((0, 1), 3), r"write size=3"),  # type: ignore[arg-type]
        (lambda: LabelledSamples((0, 1), 3), r"write size=3"),  # type: ignore[arg-type]
    ],
)
def test_a_size_without_its_name_is_named(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()


def test_an_unknown_name_does_not_name_a_private_class() -> None:
    with pytest.raises(TypeError, match=r"Tuples\.__init__\(\) got an unexpected keyword argument 'length'"):
        Tuples((0, 1), length=3)  # type: ignore[call-arg]

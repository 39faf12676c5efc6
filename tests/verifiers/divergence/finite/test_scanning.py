"""All pairs of a case, block by block, against a direct loop over them with exact numbers."""

import tracemalloc
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import Distribution, Exact, exp, exponential, log, sqrt
from dpverify.mechanisms.numbers.exact_numbers import exact, total
from dpverify.verifiers import Tuples, replace_one
from dpverify.verifiers.divergence.finite import excesses, scanned, scanned_in_parts
from dpverify.verifiers.divergence.finite.excesses import Excesses
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.finite.scanning import Scanned, scan
from dpverify.verifiers.divergence.output_tables import distribution_table as law_table
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable
from dpverify.verifiers.problems.neighbours import compared as comparing
from dpverify.verifiers.problems.neighbours import pairs as in_blocks
from dpverify.verifiers.problems.neighbours.compared import Compared
from dpverify.verifiers.problems.neighbours.neighbours import pairs_within
from dpverify.verifiers.problems.neighbours.pairs import NeighbouringPairs
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee

Law = Distribution[int]


class Sizes(NamedTuple):
    """How much is held, and looked at together."""

    at_once: int
    marked: int
    names: int
    numbers: int
    entries: int
    steps: int


USUAL = Sizes(1 << 18, 1 << 22, 1 << 20, 3_000, 1 << 20, 1 << 27)
SMALL = [
    Sizes(1, 0, 0, 3_000, 1 << 20, 1 << 27),
    Sizes(3, 0, 2, 0, 1 << 20, 1),
    Sizes(5, 1 << 22, 1, 3_000, 7, 40),
    Sizes(4, 40, 3, 0, 5, 80),
]


@pytest.fixture(params=[USUAL, *SMALL], ids=str)
def _blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, request.param)


def _with(patch: pytest.MonkeyPatch, sizes: Sizes) -> None:
    patch.setattr(in_blocks, "AT_ONCE", sizes.at_once)
    patch.setattr(comparing, "_HELD_AT_MOST", sizes.marked)
    patch.setattr(scanned, "NAMES_AT_MOST", sizes.names)
    patch.setattr(scanned_in_parts, "STEPS_AT_ONCE", sizes.steps)
    patch.setattr(scanned_in_parts, "_SIGNS", sizes.steps // 40)
    patch.setattr(scanned_in_parts, "_PILES", sizes.steps // 40)
    patch.setattr(excesses, "MOST_NUMBERS", sizes.numbers)
    patch.setattr(law_table, "ENTRIES_AT_ONCE", sizes.entries)


def divergence(p: Law, q: Law, factor: Exact) -> Exact:
    differences = [p.probability(o) - factor * q.probability(o) for o in p]
    return total(difference for difference in differences if difference > 0)


def order(pair: tuple[int, int]) -> tuple[int, int, int]:
    return max(pair), min(pair), pair[0]


def by_definition(
    laws: Sequence[Law], pairs: Sequence[tuple[int, int]], epsilon: Exact, delta: Exact
) -> dict[str, Any]:
    """What a scan finds, from one pair after the other."""
    factor = exp(epsilon)
    found = {(i, j): divergence(laws[i], laws[j], factor) for i, j in pairs}
    worst = max(found.values(), default=exact(0))
    ratios = [
        laws[i].probability(o) / laws[j].probability(o) if laws[j].probability(o) != 0 else None
        for i, j in pairs
        for o in laws[i]
        if laws[i].probability(o) != 0
    ]
    attaining = [pair for pair, value in found.items() if value == worst and value > 0]
    violating = [pair for pair, value in found.items() if value > delta]
    return {
        "worst": worst,
        "attaining": min(attaining, key=order, default=None),
        "violating": min(violating, key=order, default=None),
        "ratio": None if None in ratios else max([exact(1), *(ratio for ratio in ratios if ratio is not None)]),
    }


def as_found(found: Scanned) -> dict[str, Any]:
    return {
        "worst": found.worst,
        "attaining": found.attaining,
        "violating": found.violating,
        "ratio": None if found.ratio is None else found.ratio[0] / found.ratio[1],
    }


def compared(laws: Sequence[Law], pairs: Sequence[tuple[int, int]]) -> tuple[DistributionTable, Compared]:
    """The table of laws, and the pairs that are compared where these databases are neighbours."""
    table = DistributionTable(laws)
    codes = np.array([left * len(laws) + right for left, right in pairs])
    neighbours = NeighbouringPairs.listed(codes, len(laws))
    return table, Compared(table.law_of, len(table.rows), neighbours)


rational = (
    st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any).map(lambda w: Distribution(dict(enumerate(w))))
)
powers_of_e = st.lists(st.integers(0, 2), min_size=3, max_size=3).map(lambda scores: exponential(scores, 1))


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Law], list[tuple[int, int]]]:
    laws = draw(st.lists(draw(st.sampled_from([rational, powers_of_e])), min_size=2, max_size=7))
    unordered = [(i, j) for i in range(len(laws)) for j in range(i)]
    chosen = draw(st.lists(st.sampled_from(unordered), min_size=1, unique=True))
    return laws, [pair for i, j in chosen for pair in ((i, j), (j, i))]


@given(
    cases(),
    st.sampled_from([exact(0), log(2), log(Fraction(3, 2)), exact(Fraction(1, 2)), exact(1)]),
    st.sampled_from([0, Fraction(1, 4), Fraction(1, 7), "worst"]),
    st.sampled_from([USUAL, *SMALL]),
)
@few(40, deep=1_200)
def test_a_scan_finds_what_a_loop_finds(
    case: tuple[list[Law], list[tuple[int, int]]], epsilon: Exact, delta: Any, sizes: Sizes
) -> None:
    laws, pairs = case
    bound = by_definition(laws, pairs, epsilon, exact(0))["worst"] if delta == "worst" else exact(delta)
    with pytest.MonkeyPatch.context() as patch:
        _with(patch, sizes)
        table, of_pairs = compared(laws, pairs)
        found = scan(table, of_pairs, PrivacyGuarantee(epsilon, bound))
        assert as_found(found) == by_definition(laws, pairs, epsilon, bound)
        assert not found.is_undecided and not found.doubts and not found.is_partial and not found.most_gaps
        distinct = {(int(table.law_of[i]), int(table.law_of[j])) for i, j in pairs}
        assert of_pairs.count == sum(i != j for i, j in distinct)
        again = scan(table, of_pairs, PrivacyGuarantee(epsilon, bound))
        assert as_found(again) == as_found(found)


@pytest.mark.usefixtures("_blocks")
def test_pairs_of_laws_come_once_in_rising_order_and_with_their_first_databases() -> None:
    laws = [exponential(scores, 1) for scores in ((0, 0), (0, 1), (0, 0), (1, 0), (0, 2), (1, 1), (2, 0), (0, 1))]
    pairs = list(permutations(range(len(laws)), 2))
    table, of_pairs = compared(laws, pairs)
    blocks = list(of_pairs.blocks())
    names = np.concatenate([block.names for block in blocks])
    left, right = (np.concatenate([block[side] for block in blocks]).tolist() for side in (1, 2))
    expected = sorted(
        {(int(table.law_of[i]), int(table.law_of[j])) for i, j in pairs if table.law_of[i] != table.law_of[j]}
    )
    assert list(zip(left, right, strict=True)) == expected
    assert (of_pairs.left.tolist(), of_pairs.right.tolist()) == (left, right)
    assert of_pairs.count == len(expected) <= of_pairs.at_most
    assert (np.diff(names) > 0).all()
    for name, sides in zip(names, expected, strict=True):
        having = [pair for pair in pairs if (table.law_of[pair[0]], table.law_of[pair[1]]) == sides]
        assert of_pairs.first(np.array([name])) == min(having, key=order)
    assert of_pairs.first(names) == (0, 1)
    with pytest.raises(LookupError, match="no pair of databases"):
        of_pairs.first(np.array([len(table.rows) ** 2]))


def _hidden() -> Iterator[Law]:
    hidden = sqrt(7 + 4 * sqrt(3)) / 8  # which is (2 + √3)/8, though no form here shows it
    plain = (2 + sqrt(3)) / 8
    yield Distribution({0: hidden, 1: 1 - hidden})
    yield Distribution({0: plain, 1: 1 - plain})
    yield Distribution({0: hidden, 1: Fraction(1, 4), 2: Fraction(3, 4) - hidden})


@pytest.mark.usefixtures("_blocks")
def test_undecided_pairs_are_said_to_be_so_wherever_they_stand() -> None:
    laws = list(_hidden())
    table, of_pairs = compared(laws, [(0, 1), (1, 0)])
    found = scan(table, of_pairs, PrivacyGuarantee(exact(0), exact(0)))
    assert found.is_undecided and found.doubts and found.violating is None and found.attaining is None
    assert not scan(table, of_pairs, PrivacyGuarantee(exact(0), exact(Fraction(1, 1000)))).is_undecided
    table, of_pairs = compared(laws, [(0, 1), (1, 0), (0, 2), (2, 0)])
    found = scan(table, of_pairs, PrivacyGuarantee(exact(0), exact(0)))
    assert found.is_undecided
    assert found.violating == (0, 2)  # which no doubt about others changes


@pytest.mark.usefixtures("_blocks")
def test_a_sign_that_was_asked_is_known_to_later_blocks() -> None:
    """p = e·q in every pair of laws: floats cannot tell, and the exact numbers are asked once for all of them."""
    laws = [Distribution({0: exp(-k), 1: 1 - exp(-k)}) for k in range(1, 5)]
    table, of_pairs = compared(laws, [(i, i + 1) for i in range(3)] + [(i + 1, i) for i in range(3)])
    found = scan(table, of_pairs, PrivacyGuarantee(exact(1), exact(0)))
    assert found.worst == by_definition(laws, [(i + 1, i) for i in range(3)], exact(1), exact(0))["worst"]
    assert found.ratio is None or found.ratio[0] / found.ratio[1] >= exp(1)


@given(st.lists(st.integers(-1100, 0), min_size=2, max_size=3, unique=True), st.integers(0, 900))
@few(20, deep=600)
def test_excesses_of_probabilities_that_floats_do_not_hold(powers: list[int], epsilon: int) -> None:
    """From e^-1100, which is 0 as a float64, to 1, at an e^ε that may be beyond every float64."""
    laws = [*(Distribution({0: exp(power), 1: 2 - exp(power)}) for power in powers), Distribution({1: 1})]
    table = DistributionTable(laws)
    left, right = np.divmod(np.arange(len(laws) ** 2), len(laws))
    in_table = Excesses(table, exact(epsilon), 1 << 20)
    by_floats = Excesses(table, exact(epsilon), 0)
    by_floats._of_codes = None
    for found in (in_table, by_floats):
        sums, is_open = found.of(table.law_of[left], table.law_of[right])
        assert not is_open.any()
        for i, j, value in zip(left.tolist(), right.tolist(), sums.tolist(), strict=True):
            truth = divergence(laws[i], laws[j], exp(epsilon))
            assert (value > 0) == (truth > 0)
            assert found.error == inf or abs(exact(Fraction(value)) - truth) <= Fraction(found.error)
        assert (found.error == inf) == (epsilon > 709 or (epsilon > 623 and min(powers) < -623))


def test_pairs_of_one_kind_share_their_divergence() -> None:
    """Permuted outcomes make pairs of laws with the same numbers: one exact sum stands for all of them."""
    laws = [exponential(scores, 1) for scores in permutations((0, 1, 3, 4))]
    table = DistributionTable(laws)
    left, right = np.divmod(np.arange(len(laws) ** 2), len(laws))
    stick = HockeyStick(table, table.law_of[left], table.law_of[right], exact("0.3"))
    worst, attained = stick.worst()
    assert [stick.divergence(i) == worst for i in range(len(left))] == attained.tolist()
    assert attained.sum() > 20
    over, undecided = stick.violating(worst)
    assert not over.any() and not undecided.any()
    nearly = worst - Fraction(1, 10**40)
    assert stick.violating(nearly)[0].tolist() == attained.tolist()


def test_pairs_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """516,096 pairs of different laws, in blocks of 4,096: no array of 8 bytes for each pair is ever made."""
    _with(monkeypatch, Sizes(1 << 12, 1 << 12, 1 << 12, 3_000, 1 << 20, 1 << 20))
    monkeypatch.setattr(in_blocks, "_HELD_AT_MOST", 1 << 12)
    domain = Tuples(range(64), size=2)
    laws = [Distribution({0: 64 + a, 1: 128 + b, 2: 256}) for a in range(64) for b in range(64)]
    table = DistributionTable(laws)
    table.values  # noqa: B018  # which are made when they are first asked for
    peaks = []
    for _ in range(2):  # a table of what is remembered may have grown in one of them
        tracemalloc.start()
        try:
            pairs = pairs_within(list(domain), domain, replace_one)
            found = Compared(table.law_of, len(table.rows), pairs)
            scanned = scan(table, found, PrivacyGuarantee(exact(1), exact(0)))
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        assert pairs.count == found.count == 64**2 * 126
        assert scanned.violating is None
    assert min(peaks) < 4 * pairs.count

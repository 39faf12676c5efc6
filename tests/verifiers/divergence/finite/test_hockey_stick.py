"""The vectorised checker of divergences, against the definition in Fractions and against exact numbers one by one."""

from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Distribution, Exact, exp, exponential, log, sqrt
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import exact, total
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.finite.ratios import LargestRatio
from dpverify.verifiers.divergence.output_tables import distribution_table as law_table
from dpverify.verifiers.divergence.output_tables.distribution_table import RELATIVE_ERROR, DistributionTable, rounded
from dpverify.verifiers.divergence.output_tables.parts import pairs_in_parts
from dpverify.verifiers.verdicts.witness import smallest_event


def largest_ratio(table: DistributionTable, left: Any, right: Any) -> Any:
    largest = LargestRatio(table)
    for part in pairs_in_parts(table, left, right):
        largest.add_part(part)
    return largest.found


weights = st.dictionaries(st.integers(0, 4), st.integers(0, 6), min_size=1, max_size=5).filter(
    lambda table: any(table.values())
)


def all_pairs(laws: list[Any]) -> tuple[DistributionTable, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    table = DistributionTable(laws)
    n = len(table.rows)
    left, right = np.divmod(np.arange(n * n), n)
    return table, left, right


@given(
    st.lists(weights, min_size=2, max_size=4),
    st.sampled_from([Fraction(1), Fraction(2), Fraction(3), Fraction(3, 2)]),
    st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 7)]),
)
def test_rational_laws_against_the_definition(tables: list[dict[int, int]], factor: Fraction, delta: Fraction) -> None:
    """Small rational weights tie all the time: at e^ε = factor the definition is plain Fractions."""
    laws = [Distribution(table) for table in tables]
    by_law = [{o: Fraction(w, sum(table.values())) for o, w in table.items() if w} for table in tables]
    table, left, right = all_pairs(laws)
    distinct: dict[int, dict[int, Fraction]] = {int(table.law_of[i]): by_law[i] for i in range(len(laws))}
    stick = HockeyStick(table, left, right, log(factor))

    def divergence(p: dict[int, Fraction], q: dict[int, Fraction]) -> Fraction:
        return sum((max(Fraction(0), p[o] - factor * q.get(o, Fraction(0))) for o in p), Fraction(0))

    truth = [divergence(distinct[i], distinct[j]) for i, j in zip(left.tolist(), right.tolist(), strict=True)]
    over, undecided = stick.violating(exact(delta))
    assert not undecided.any()
    assert over.tolist() == [value > delta for value in truth]
    assert [stick.divergence(i) for i in range(len(truth))] == truth
    worst, attained = stick.worst()
    assert worst == max(truth)
    assert attained.tolist() == [value == max(truth) for value in truth]
    ratio = largest_ratio(table, left, right)
    ratios = [p[o] / q[o] if o in q else None for p in distinct.values() for q in distinct.values() for o in p]
    if None in ratios:
        assert ratio is None
    else:
        assert ratio is not None
        assert ratio[0] / ratio[1] == max(r for r in ratios if r is not None)


@given(st.tuples(weights, weights), st.sampled_from([1, 2]), st.sampled_from([Fraction(0), Fraction(1, 20)]))
def test_the_smallest_event_is_of_the_largest_summands(
    tables: tuple[dict[int, int], dict[int, int]], factor: int, delta: Fraction
) -> None:
    p, q = ({o: Fraction(w, sum(table.values())) for o, w in table.items()} for table in tables)
    excess = sorted((p[o] - factor * q.get(o, Fraction(0)) for o in p), reverse=True)
    sums = list(accumulate(excess))
    assume(p != q and any(found > delta for found in sums))
    table = DistributionTable([Distribution(weights) for weights in tables])
    stick = HockeyStick(table, table.law_of[:1], table.law_of[1:], log(factor))
    event, mass, other = smallest_event(stick, table, 0, exact(delta))
    assert mass == sum(p[o] for o in event)
    assert other == sum(q.get(o, Fraction(0)) for o in event)
    fewest = next(k for k, found in enumerate(sums) if found > delta) + 1
    assert len(set(event)) == len(event) == fewest
    assert mass - factor * other == sums[fewest - 1]


def test_an_event_that_meets_delta_with_equality_is_no_violation() -> None:
    """The first outcome exceeds by δ and no more: it takes the second one to violate."""
    laws = Distribution({"a": 4, "b": 2, "c": 2}), Distribution({"a": 2, "b": 1, "c": 5})
    table = DistributionTable(laws)
    stick = HockeyStick(table, table.law_of[:1], table.law_of[1:], exact(0))
    quarter = Fraction(1, 4)
    event, p, q = smallest_event(stick, table, 0, exact(quarter))
    assert event == ("a", "b") and p == Fraction(3, 4) and q == Fraction(3, 8)
    assert smallest_event(stick, table, 0, exact(quarter - Fraction(1, 10**40)))[0] == ("a",)
    assert smallest_event(stick, table, 0, exact(quarter + Fraction(1, 10**40)))[0] == ("a", "b")


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=4, unique_by=tuple),
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2)]),
    st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 5)]),
)
def test_laws_with_powers_of_e_against_exact_numbers(
    scores: list[list[int]], epsilon: Fraction, delta: Fraction
) -> None:
    """The same with z = e^(-1/2), where the definition is evaluated by exact numbers, one by one."""
    laws = [exponential(vector, 1) for vector in scores]
    table, left, right = all_pairs(laws)
    stick = HockeyStick(table, left, right, exact(epsilon))
    of_law = {int(table.law_of[i]): law for i, law in enumerate(laws)}
    factor = exp(epsilon)

    def divergence(p: Distribution[int], q: Distribution[int]) -> Exact:
        differences = [p.probability(o) - factor * q.probability(o) for o in p]
        return total(d for d in differences if d > 0)

    truth = [divergence(of_law[i], of_law[j]) for i, j in zip(left.tolist(), right.tolist(), strict=True)]
    assert [bool(flag) for flag in stick.violating(exact(delta))[0]] == [value > delta for value in truth]
    assert stick.worst()[0] == max(truth)


@in_one("gap", [Fraction(1, 10**k) for k in (3, 9, 15, 18, 30, 100)])
@in_one("sign", [-1, 0, 1])
def test_near_ties_are_decided_on_the_right_side(gap: Fraction, sign: int) -> None:
    """p is e·q, or off it by a relative gap far below what a float64 can tell."""
    q = exp(-1) / 3
    p = exp(1) * q * (1 + sign * gap)
    table, left, right = all_pairs([Distribution({0: p, 1: 1 - p}), Distribution({0: q, 1: 1 - q})])
    stick = HockeyStick(table, left[1:2], right[1:2], exact(1))
    assert bool(stick.positive[0]) is (sign > 0)
    assert stick.divergence(0) == max(0, sign) * p * gap / (1 + gap)


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_a_delta_that_is_met_with_equality(offset: int) -> None:
    table, left, right = all_pairs([Distribution({0: 1, 1: exp(1)}), Distribution({0: 1, 1: exp(2)})])
    stick = HockeyStick(table, left, right, exact(0))
    worst, _ = stick.worst()
    over, _ = stick.violating(worst + offset * Fraction(1, 10**40))
    assert over.any() == (offset < 0)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_two_pairs_that_only_exact_numbers_tell_apart(order: list[int]) -> None:
    bit = Fraction(1, 10**40)
    shares = [Fraction(1, 2), Fraction(1, 4) + bit, Fraction(1, 4) - bit]
    table = DistributionTable([Distribution({0: share, 1: 1 - share}) for share in shares])
    stick = HockeyStick(table, np.array([0, 0]), np.array([1, 2])[order], exact(0))
    over, undecided = stick.violating(exact(Fraction(1, 4)))
    assert over.tolist() == [i == 1 for i in order] and not undecided.any()
    worst, attained = stick.worst()
    assert worst == Fraction(1, 4) + bit
    assert attained.tolist() == [i == 1 for i in order]


def test_probabilities_below_every_float64() -> None:
    """e^-2000 is 0 as a float64, and still violates or does not."""
    tiny, tinier = exp(-2000), exp(-2001)
    p, q = Distribution({0: tiny, 1: 1 - tiny}), Distribution({0: tinier, 1: 1 - tinier})
    for epsilon, violates in ((exact(1), False), (exact(1 - Fraction(1, 10**9)), True)):
        table, left, right = all_pairs([p, q])
        stick = HockeyStick(table, left, right, epsilon)
        assert stick.violating(exact(0))[0].any() == violates
    assert stick.worst()[0] == tiny - exp(1 - Fraction(1, 10**9)) * tinier
    ratio = largest_ratio(table, left, right)
    assert ratio is not None
    assert ratio[0] / ratio[1] == exp(1)
    impossible, left, right = all_pairs([Distribution({0: tiny, 1: 1 - tiny}), Distribution({1: 1})])
    assert largest_ratio(impossible, left, right) is None


def test_a_factor_above_every_float64() -> None:
    p, q = Distribution({0: exp(-1), 1: 1 - exp(-1)}), Distribution({0: exp(-1000), 1: 1 - exp(-1000)})
    for epsilon in (800, 998, 999, 1000):
        table, left, right = all_pairs([p, q])
        stick = HockeyStick(table, left, right, exact(epsilon))
        assert stick.violating(exact(0))[0].any() == (epsilon < 999)
        assert stick.worst()[0] == (exp(-1) - exp(epsilon - 1000) if epsilon < 999 else 0)
        assert stick.violating(exact(Fraction(1, 2)))[0].sum() == 0


def test_undecided_summands_are_kept_apart() -> None:
    hidden = sqrt(7 + 4 * sqrt(3)) / 8  # which is (2 + √3)/8, though no form here shows it
    plain = (2 + sqrt(3)) / 8
    table, left, right = all_pairs([Distribution({0: hidden, 1: 1 - hidden}), Distribution({0: plain, 1: 1 - plain})])
    stick = HockeyStick(table, left, right, exact(0))
    over, undecided = stick.violating(exact(0))
    assert not over.any()
    assert undecided.tolist() == [False, True, True, False]
    assert "sqrt" in stick.doubts[0]
    assert not stick.violating(exact(Fraction(1, 1000)))[1].any()


def test_chunks_do_not_change_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    laws = [exponential([a, b, 0], 1) for a in range(5) for b in range(5)]
    table, left, right = all_pairs(laws)
    whole = HockeyStick(table, left, right, exact("0.7"))
    monkeypatch.setattr(law_table, "ENTRIES_AT_ONCE", 20)
    table, left, right = all_pairs(laws)
    assert table.everything is None
    parts = HockeyStick(table, left, right, exact("0.7"))
    assert (whole.sums == parts.sums).all()
    assert (whole.positive == parts.positive).all()
    assert largest_ratio(table, left, right) is not None


@given(st.fractions(min_value="1/1000000", max_value=1000, max_denominator=10**6), st.integers(-30, 30))
def test_rounding_stays_within_its_bound(coefficient: Fraction, power: int) -> None:
    number = coefficient * exp(power)
    value = rounded(number)
    assert abs(exact(Fraction(value)) - number) <= number * Fraction(RELATIVE_ERROR)


def test_rounding_a_number_that_cancels() -> None:
    number = exp(1) - exp(1 - Fraction(1, 10**50))
    assert abs(exact(Fraction(rounded(number))) - number) <= number * Fraction(RELATIVE_ERROR)
    assert enclosure(number).rel_accuracy_bits() < 0


def test_equal_laws_are_one_law() -> None:
    table = DistributionTable([exponential([0, 1, 1], 1), exponential([5, 6, 6], 1), exponential([1, 0, 1], 1)])
    assert table.law_of.tolist() == [0, 0, 1]
    assert len(table.numbers) == 3  # 0, and two probabilities
    nothing = (exp(1) + 1) * (exp(1) - 1) - exp(2) + 1
    blocks = [((0,), exact(Fraction(1, 3))), ((1,), exact(Fraction(2, 3)))]
    laws = [Distribution.of_blocks(given, exact(1)) for given in (blocks, [*blocks, ((2,), nothing)])]
    assert DistributionTable(laws).law_of.tolist() == [0, 0]


def test_floats_are_accurate_where_the_working_precision_is_lost() -> None:
    for number in (exp(Fraction(1, 10**30)) - 1, exp(Fraction(1, 10**45)) - 1 - Fraction(1, 10**45)):
        exactly = enclosure(number, 2000)
        assert abs(exactly / rounded(number) - 1) < RELATIVE_ERROR


def test_ratios_that_floats_cannot_tell_apart() -> None:
    """p/q is largest at the second outcome, by a part in 10^25."""
    bit = Fraction(1, 10**25)
    left = Distribution({0: Fraction(1, 2), 1: Fraction(1, 4) + bit, 2: Fraction(1, 4) - bit})
    right = Distribution({0: Fraction(1, 4), 1: Fraction(1, 8), 2: Fraction(5, 8)})
    table = DistributionTable([left, right])
    ratio = largest_ratio(table, np.array([0]), np.array([1]))
    assert ratio is not None
    assert ratio[0] / ratio[1] == 2 + 8 * bit


def test_what_happens_for_certain_is_as_likely_as_it_may_be() -> None:
    """Of probabilities that are 1 and 0 the ratio counts as that of others does."""
    certain, halves, never = Distribution({0: 1}), Distribution({0: 1, 1: 1}), Distribution({2: 1})
    halved = exact(1), exact("1/2")
    for laws, ratio in (([certain, halves], halved), ([halves, certain], None), ([certain, never], None)):
        table = DistributionTable(laws)
        assert largest_ratio(table, table.law_of[:1], table.law_of[1:]) == ratio, laws

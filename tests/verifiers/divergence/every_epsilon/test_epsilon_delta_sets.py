"""Sets of (ε, δ) where an A_dist fails, against all neighbours and all events, by a few lines of their own."""

from fractions import Fraction
from functools import cache
from math import exp, log, sqrt
from random import Random

from tests.examples import in_one

from dpverify.mechanisms import exact
from dpverify.mechanisms import exp as exact_exp
from dpverify.mechanisms import log as exact_log
from dpverify.verifiers.divergence.every_epsilon.epsilon_delta_sets import (
    EpsilonDeltaSet,
    StableChoices,
    chance_of_release,
)

HALF = Fraction(1, 2)
PRINTED = StableChoices(HALF, Fraction(1), Fraction(0))
CORRECTED = StableChoices(Fraction(1), Fraction(2), Fraction(2))
FAMILY = [
    PRINTED,
    CORRECTED,
    StableChoices(HALF, Fraction(4), Fraction(2)),
    StableChoices(Fraction(1), Fraction(2), Fraction(7, 4)),
    StableChoices(Fraction(1), Fraction(7, 4), Fraction(2)),
    StableChoices(Fraction(5, 4), Fraction(2), Fraction(2)),
    StableChoices(Fraction(2), Fraction(3), Fraction(4)),
    StableChoices(Fraction(1), Fraction(1, 2), Fraction(1)),
    StableChoices(Fraction(1), Fraction(3, 2), Fraction(5)),
]
FAR = 1e-9


def most_needed(choices: StableChoices, spread: int, epsilon: float, delta: float) -> float:
    """The largest Σ (p − e^ε·q)⁺ over all triples of Theorem 3, gap by gap, with Laplace tails."""
    scale = float(choices.scale) / epsilon
    threshold = float(choices.shift) + scale * log(1 / (2 * float(choices.factor) * delta))

    def chance(gap: int) -> float:
        x = threshold - gap
        return exp(-x / scale) / 2 if x >= 0 else 1 - exp(x / scale) / 2

    def needed(p: float, q: float, same: bool) -> float:
        growth = exp(epsilon)
        best = max(p - growth * q, 0) if same else p
        return best + max((1 - p) - growth * (1 - q), 0)

    far = int(threshold + scale * (8 + epsilon)) + 3 if threshold > 0 else int(scale * (8 + epsilon)) + 3
    gaps = range(max(far, 3))
    found = [needed(chance(g), chance(h), True) for g in gaps for h in range(max(0, g - spread), g + spread + 1)]
    found += [needed(chance(g), chance(h), False) for g in range(spread + 1) for h in range(spread + 1 - g)]
    return max(found)


@in_one("spread", [1, 2])
@in_one("choices", FAMILY)
def test_a_point_is_in_a_set_where_some_event_of_some_neighbours_violates(choices: StableChoices, spread: int) -> None:
    chances = Random(f"{choices} {spread}")
    every = EpsilonDeltaSet(choices, spread)
    for _ in range(12):
        epsilon = Fraction(chances.randint(2, 60), 20)
        delta = Fraction(chances.randint(1, 99), chances.choice((100, 100, 10_000)))
        excess = most_needed(choices, spread, float(epsilon), float(delta)) - float(delta)
        if abs(excess) > FAR:
            assert ((epsilon, delta) in every) is (excess > 0), (epsilon, delta)
            assert ((epsilon, delta) in EpsilonDeltaSet(choices, spread, exact(epsilon))) is (excess > 0)
            assert every._needs(float(epsilon))(float(delta)) is (excess > 0), "what is drawn is the set"
        assert not every.is_empty or excess <= FAR


def test_the_corrected_constants_leave_nothing_and_less_leaves_something() -> None:
    assert EpsilonDeltaSet(CORRECTED, 2).is_empty
    assert EpsilonDeltaSet(CORRECTED, 1).is_empty
    assert EpsilonDeltaSet(PRINTED, 1, exact(HALF)).is_empty
    assert EpsilonDeltaSet(PRINTED, 1, exact_log(2)).is_empty
    for choices, spread in ((PRINTED, 2), (PRINTED, 1), *((one, 2) for one in FAMILY[3:6])):
        assert not EpsilonDeltaSet(choices, spread).is_empty


def test_where_the_printed_constants_fail_with_the_best_changing() -> None:
    """For ε > ln(2)/2 at δ < (1 + √(1 − 2·e^(−2ε)))/2, and there alone: (1 − 2δ)² < 1 − 2·e^(−2ε) beyond ½."""
    every = EpsilonDeltaSet(PRINTED, 2)
    limit = exact_log(2) / 2
    assert (limit, HALF) not in every
    assert (limit + Fraction(1, 10**12), HALF) in every
    for epsilon in (Fraction(2, 5), Fraction(1), Fraction(3)):
        low, high = HALF, Fraction(1)
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if (epsilon, middle) in every else (low, middle)
        assert abs(float(low) - (1 + sqrt(1 - 2 * exp(-2 * float(epsilon)))) / 2) < FAR
        assert all((epsilon, Fraction(n, 100)) in every for n in range(1, 50))


def test_where_the_printed_constants_fail_with_small_epsilon() -> None:
    """For ε ≤ ln(2)/2 where e^((2n+1)ε)·δ² + 2·e^((n+1)ε)·δ·(δ − 1) + 1 < 0 for some whole n, below 1 − e^(−ε/2)."""
    every = EpsilonDeltaSet(PRINTED, 2)
    chances = Random(7)
    met = set()
    for _ in range(60):
        epsilon = Fraction(chances.randint(20, 346), 1000)
        bound = 1 - exp(-float(epsilon) / 2)
        delta = Fraction(chances.uniform(0.5, 1.02) * bound).limit_denominator(10**6)
        a, d = exp(float(epsilon)), float(delta)
        teeth = [a ** (2 * n + 1) * d * d + 2 * a ** (n + 1) * d * (d - 1) + 1 for n in range(400)]
        fails = min(teeth) < 0
        assert ((epsilon, delta) in every) is fails
        assert not fails or d < bound
        met.add(fails)
    assert met == {True, False}
    small = [(Fraction(1, n), Fraction(1, 10**6)) for n in (5, 50)]
    assert all(at in every for at in small), "for each ε small δ are in it"
    for n in range(1, 34):
        epsilon = Fraction(n, 100)
        limit = Fraction((1 - exp(-float(epsilon))) / 2).limit_denominator(10**9)
        assert all(
            (epsilon, limit * part) in every for part in (Fraction(1, 3), Fraction(9, 10), 1 - Fraction(1, 10**6))
        )


def test_gaps_that_violate_are_shown() -> None:
    every = EpsilonDeltaSet(PRINTED, 2)
    another = every.violated_at(exact(1), exact(Fraction(1, 10)))
    assert another == (0, 2, False)
    same = every.violated_at(exact(Fraction(1, 10)), exact(Fraction(1, 100)))
    assert same is not None and same.same_best and same.right == same.left + 2
    p, q = (
        chance_of_release(PRINTED.argument(gap, exact(Fraction(1, 10)), exact(Fraction(1, 100)))) for gap in same[:2]
    )
    growth = exact_exp(Fraction(1, 10))
    assert q - growth * p > Fraction(1, 100) or (1 - p) - growth * (1 - q) > Fraction(1, 100)


@in_one("at", [(0, HALF), (-1, HALF), (1, 0), (1, 1), (1, 2), (1, -1)])
def test_what_is_no_epsilon_or_delta_is_not_in_it(at: tuple[int, Fraction]) -> None:
    assert at not in EpsilonDeltaSet(PRINTED, 2)


def test_with_one_epsilon_others_are_not_in_it() -> None:
    one = EpsilonDeltaSet(PRINTED, 2, exact(1))
    assert (1, HALF) in one
    assert (2, HALF) not in one
    assert [column.epsilon for column in one.record.columns] == ["1"]


def test_a_huge_epsilon_is_drawn() -> None:
    assert EpsilonDeltaSet(PRINTED, 2, exact(5_000)).record.columns[0].deltas == [("0", "1")]


@cache
def drawn(choices: StableChoices) -> EpsilonDeltaSet:
    return EpsilonDeltaSet(choices, 2)


def test_what_is_drawn_ends_where_the_set_does() -> None:
    columns = drawn(PRINTED).record.columns
    assert [float(column.epsilon) for column in columns] == sorted(float(column.epsilon) for column in columns)
    for column in columns[::7]:
        (low, high), *more = column.deltas
        assert low == "0" and not more
        for by, inside in ((-2, True), (2, False)):
            delta = Fraction(high) + Fraction(by, 10_000)
            if 0 < delta < 1:
                assert ((Fraction(column.epsilon), delta) in drawn(PRINTED)) is inside


def test_formulas_say_which_set_it_is() -> None:
    another = "δ < 1/2·(1 + √(1 - 1/m)) with m = {} > 1"
    assert EpsilonDeltaSet(PRINTED, 1).formulas == (another.format("1/2·e^ε"),)
    assert EpsilonDeltaSet(FAMILY[3], 2).formulas == (another.format("e^(1/8·ε)"),)
    assert EpsilonDeltaSet(FAMILY[5], 2).formulas == (another.format("5/4"),)
    first, second = EpsilonDeltaSet(PRINTED, 2).formulas
    assert first == another.format("1/2·e^(2·ε)")
    assert second.startswith("for a whole g ≥ 0") and "u = 1/2·δ·e^(ε·g), v = u·e^(2·ε)" in second
    (alone,) = EpsilonDeltaSet(FAMILY[4], 2).formulas
    assert "u = δ·e^(ε·(g - 2)/(7/4)), v = u·e^(8/7·ε)" in alone
    assert str(EpsilonDeltaSet(PRINTED, 2)) == f"{first}; or, {second}"

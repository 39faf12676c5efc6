"""What is computed from noise that was compared, decided by all noise that is drawn; against plain enumeration."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import exp, floor, log
from random import Random
from typing import Any, Final

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, bernoulli, clamp, discrete_laplace, distribution, folded, laplace, run
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.finer_releases.before_post_processing import BeforePostProcessing
from dpverify.mechanisms.finer_releases.finer import Leaves
from dpverify.mechanisms.finer_releases.finer_labels import ExclusiveLabels
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.reports.record import Status
from dpverify.verifiers import Claim, Tuples, Verdict, check_privacy
from dpverify.verifiers.divergence.densities.mixture_components import mixture_components_of

Rows = tuple[int, ...]

ONE_ROW = Tuples((0, 1), size=1)


def counts(draw: Draw, rows: Rows, law: Callable[..., Any] = laplace, scale: Any = 2) -> list[Any]:
    """Noisy counts of 0, 1 and 2, private at ε = 1 under replacement."""
    return [rows.count(i) + draw(law(scale)) for i in range(3)]


def decided(mechanism: Any, epsilon: Any = 1, **rest: Any) -> Verdict:
    return check_privacy(mechanism, ONE_ROW, epsilon=epsilon, recheck=False, **rest)


# --- What is proved
def winner_rounded(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)
    i = noisy.index(max(noisy))
    return i, round(noisy[i])


def winner_halved(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows, discrete_laplace)[:2]
    i = noisy.index(max(noisy))
    return i, noisy[i] // 2


def winner_rounded_twice(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)[:2]
    tens = round(max(noisy), 1)
    return tens // 1 if tens > 2 else 0


def above_the_mean(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)
    return tuple(i for i in range(3) if noisy[i] > sum(noisy) / 3)


def of_two_kinds(draw: Draw, rows: Rows) -> Any:
    real, whole = rows.count(0) + draw(laplace(2)), rows.count(1) + draw(discrete_laplace(2))
    return real > whole, round(real), whole // 2


def two_largest(draw: Draw, rows: Rows) -> Any:
    return tuple(sorted(counts(draw, rows))[1:])


def spread(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)
    return max(noisy) - min(noisy)


def rounded_beside_itself(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)[:2]
    return round(noisy[0]), noisy[0] > 2, noisy[0] + noisy[1], round(noisy[1], 1)


def halved_beside_itself(draw: Draw, rows: Rows) -> Any:
    noisy, other, _ = counts(draw, rows, discrete_laplace)
    return noisy // 2, clamp(noisy, 0, 3), other if noisy // 2 > other else 0


def rest_and_rounded(draw: Draw, rows: Rows) -> Any:
    noisy = rows.count(0) + draw(laplace(1))
    whole = floor(noisy)
    return whole if whole > 1 else noisy - whole


def large_ones_and_the_largest(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)[:2]
    return tuple(x if x > 1 else 0 for x in noisy), max(noisy)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "mechanism",
    [
        *(winner_rounded, winner_halved, winner_rounded_twice, two_largest, spread, of_two_kinds),
        *(above_the_mean, rounded_beside_itself, halved_beside_itself, rest_and_rounded),
    ],
)
def test_what_is_computed_after_a_comparison_is_decided_by_all_that_is_drawn(mechanism: Any) -> None:
    verdict = decided(mechanism)
    assert verdict.status is Status.PROVED, verdict
    assert verdict.basis.before_post_processing and verdict.basis.is_upper_bound
    less = decided(mechanism, "0.99")
    assert less.status is Status.UNDECIDED and less.basis.by_all_drawn
    assert "before post-processing it needs ε = 1, an upper bound" in less.reason
    with debugging():
        run(mechanism, (0,), seed=1)


def test_hidden_noise_that_is_a_leaf_counts_no_mass_against_delta() -> None:
    verdict = decided(large_ones_and_the_largest)
    assert verdict.status is Status.PROVED and verdict.basis.before_post_processing


def test_a_mutant_is_refuted_by_noise_that_is_only_compared_where_the_claim_is_decided_so() -> None:
    claim = Claim(
        id="Toy.winner",
        source="by hand",
        statement="the winner and its rounded count are private",
        mechanism=winner_rounded,
        domain=ONE_ROW,
        epsilon=1,
        mutant=half_the_noise,
    )
    result = claim.decide()
    assert result.verdict is Status.PROVED
    assert result.mutant is not None and result.mutant.status is Status.REFUTED
    assert result.mutant.description == "Half the noise. (refuted before post-processing)"


# --- What sees a row
def half_the_noise(draw: Draw, rows: Rows) -> Any:
    """Half the noise."""
    noisy = counts(draw, rows, scale=1)
    i = noisy.index(max(noisy))
    return i, round(noisy[i])


def a_row_beside(draw: Draw, rows: Rows) -> Any:
    return (*winner_rounded(draw, rows), rows[0])


def a_row_added(draw: Draw, rows: Rows) -> Any:
    i, number = winner_rounded(draw, rows)
    return i, 3 * rows[0] + number


def the_count_of_a_row(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)
    return max(noisy) == noisy[rows[0]], round(noisy[rows[0]])


def on_a_grid_of_a_row(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)
    return noisy[0] > noisy[1], round(noisy[0], 1 + rows[0])


def moved_by_a_row(draw: Draw, rows: Rows) -> Any:
    """The noise is compared as it is, and rounded with the row."""
    noisy = counts(draw, ())
    return noisy[0] > noisy[1], floor(noisy[0] + Fraction(9 * rows[0], 2))


def compared_with_a_row(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, ())
    large = noisy[0] > noisy[1]
    return large, round(noisy[0]) > 9 * rows[0]


def noise_by_a_row(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, ())[: 2 + rows[0]]
    return noisy.index(max(noisy)), round(max(noisy))


def scale_by_a_row(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, (), scale=2 + 9 * rows[0])
    return noisy[0] > noisy[1], round(noisy[0])


def coin_by_a_row(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, ())
    is_heads = draw(bernoulli(Fraction(1 + 98 * rows[0], 100)))
    return noisy[0] > noisy[1], round(noisy[0]) if is_heads else 0


def a_row_in_what_is_used_again(draw: Draw, rows: Rows) -> Any:
    noise = draw(laplace(1))
    return round(noise), rows[0] + noise


def a_row_in_what_is_compared_again(draw: Draw, rows: Rows) -> Any:
    noisy = rows[0] + draw(laplace(1))
    return round(noisy), noisy - rows[0] > 0


def clamped_row(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, (), discrete_laplace)
    return noisy[0] > noisy[1], noisy[0] // 2, clamp(noisy[1] + 9 * rows[0], 0, 1)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "mechanism",
    [
        *(half_the_noise, a_row_beside, a_row_added, the_count_of_a_row, on_a_grid_of_a_row, moved_by_a_row),
        *(compared_with_a_row, noise_by_a_row, scale_by_a_row, coin_by_a_row, clamped_row),
        *(a_row_in_what_is_used_again, a_row_in_what_is_compared_again),
    ],
)
def test_what_sees_a_row_is_not_proved(mechanism: Any) -> None:
    assert decided(mechanism).status is not Status.PROVED


def test_of_what_the_outcome_does_not_hold_nothing_is_refuted() -> None:
    """The noisy row is drawn, compared and rounded, and what is returned does not depend on it."""

    def tells_nothing(draw: Draw, rows: Rows) -> Any:
        noisy, other = 9 * rows[0] + draw(laplace(1)), draw(laplace(1))
        return (0 * round(noisy), other) if noisy > other else (0, other)

    assert decided(tells_nothing).status is Status.UNDECIDED


def test_a_noise_that_is_folded_is_no_leaf() -> None:
    def beside_folded(draw: Draw, rows: Rows) -> Any:
        return winner_halved(draw, rows), folded(draw(discrete_laplace(1)) + 9 * rows[0], 0, 2)

    assert decided(beside_folded).status is not Status.PROVED


# --- Against plain enumeration
def _by_enumeration(rows: Rows, scale: float) -> dict[Any, float]:
    """The law of `winner_halved`, of whole noises up to 40."""
    z = exp(-1 / scale)
    law: dict[Any, float] = {}
    for first, second in product(range(-40, 41), repeat=2):
        noisy = [rows.count(0) + first, rows.count(1) + second]
        i = noisy.index(max(noisy))
        outcome = i, noisy[i] // 2
        law[outcome] = law.get(outcome, 0.0) + z ** (abs(first) + abs(second))
    mass = sum(law.values())
    return {outcome: p / mass for outcome, p in law.items()}


def test_the_claim_is_true_by_enumeration_and_that_of_half_the_noise_is_not() -> None:
    def needed(scale: float) -> float:
        p, q = (_by_enumeration(rows, scale) for rows in ((0,), (1,)))
        return max(abs(log(p[outcome] / q[outcome])) for outcome in p if abs(outcome[1]) < 8)

    assert needed(2) <= 1 < needed(0.9)


@in_one("halves", [(0, 1), (1, 4), (4, 1)])
def test_labels_of_numbers_that_are_rounded_otherwise_are_counted_one_by_one(halves: tuple[int, int]) -> None:
    """A hidden coin says what is added: the same values of what is rounded are other values of the leaf."""

    def mechanism(draw: Draw, rows: Rows) -> Any:
        noise, other = draw(laplace(1)), draw(laplace(1))
        if noise <= other:
            return 0
        if draw(bernoulli("1/2")):
            return 1 if floor(noise + Fraction(halves[0], 5)) >= 0 else 2
        return 1 if floor(noise + Fraction(halves[1], 5)) < 0 else 2

    law = distribution(BeforePostProcessing(mechanism, Leaves(all_drawn=True)), (0,))
    assert isinstance(law, ReleasedDistribution)
    for outcome in mixture_components_of(law):
        assert isinstance(outcome, tuple)
        if isinstance(outcome[0], ExclusiveLabels):
            definitions = {label.expression.operands[1:] for label in outcome[0].of}  # type: ignore[attr-defined]
            assert len(definitions) == 1


# --- Random programs against plain enumeration
_NOISE: Final = {n: (1 - exp(-2)) / (1 + exp(-2)) * exp(-2 * abs(n)) for n in range(-8, 9)}
"""The law of discrete Laplace noise of scale 1/2, of which no more than 10⁻⁷ is left out."""


def _outcome_of(chosen: Iterator[int], noises: list[Any], is_heads: bool, row: int) -> tuple[bool, ...]:
    """The outcome of a random program that compares, rounds and moves two noisy numbers, by a row and a hidden coin."""
    numbers = [noise + (0, 1, row, 2 * row)[next(chosen) % 4] for noise in noises]
    outcome: list[bool] = []
    for _ in range(3):
        i, number, step = next(chosen) % 2, (0, 1, row, -row)[next(chosen) % 4], next(chosen) % 5
        if step == 0:
            outcome.append(bool(numbers[i] >= numbers[1 - i] + number))
        elif step == 1:
            outcome.append(bool(numbers[i] > number))
        elif step == 2 and is_heads:
            numbers[i] = numbers[i] + number
        elif step == 3:
            outcome.append(bool(numbers[0] * numbers[1] > number))
        elif numbers[i] > numbers[1 - i]:
            numbers[1 - i] = numbers[1 - i] + (1, row)[next(chosen) % 2]
    half = (numbers[0] + row) // 2 if next(chosen) % 3 else numbers[0]
    again = numbers[0] + (0, row)[next(chosen) % 2]  # also where it was halved
    return (*outcome, bool(half >= 1), bool(half > numbers[1]), bool(again > 1))


@pytest.mark.one_in(10)
@pytest.mark.parametrize("seed", range(20))
def test_what_all_drawn_noise_needs_is_enough(seed: int) -> None:
    chosen = Random(seed).choices(range(60), k=20)

    def mechanism(draw: Draw, rows: Rows) -> Any:
        law = discrete_laplace(Fraction(1, 2))
        return _outcome_of(iter(chosen), [draw(law), draw(law)], draw(bernoulli("1/3")), rows[0])

    def law_of(row: int) -> Counter[tuple[bool, ...]]:
        law: Counter[tuple[bool, ...]] = Counter()
        for (a, p), (b, q), (is_heads, r) in product(_NOISE.items(), _NOISE.items(), ((True, 1 / 3), (False, 2 / 3))):
            law[_outcome_of(iter(chosen), [a, b], is_heads, row)] += p * q * r  # type: ignore[assignment]
        return law

    leaves = BeforePostProcessing(mechanism, Leaves(all_drawn=True))
    bound = decided(leaves, Fraction(1, 2), delta="1/5").delta
    assert bound is not None
    first, second = law_of(0), law_of(1)
    for p, q in ((first, second), (second, first)):
        excess = sum(max(0.0, p[outcome] - exp(0.5) * q[outcome]) for outcome in p)
        assert excess <= float(bound.upper) + 1e-6

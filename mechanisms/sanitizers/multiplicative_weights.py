"""Private multiplicative weights: a law over the universe answers, and learns where it is far off."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final, TypeAlias, TypeVar

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, rational_parameter, share, whole
from dpverify.mechanisms.sanitizers.concepts import refuse_no_concepts
from dpverify.mechanisms.sanitizers.long_databases import numbers_of
from dpverify.mechanisms.sanitizers.small_databases import refuse_rows_outside
from dpverify.mechanisms.selection.composition import epsilon_of_each
from dpverify.mechanisms.selection.of_rows import noisy_number, number_of_rows

_Row = TypeVar("_Row", bound=Hashable)
_Concept: TypeAlias = Callable[[Any], int]
PointWeights: TypeAlias = Mapping[Any, Fraction]
"""The weight of each point of the universe, above 0. They need not add up to 1."""

_FAR: Final = Fraction(2, 3)
"""The share of α·m that an answer may be off before it counts as far off; noise has the rest."""


def multiplicative_weights(
    draw: Draw,
    rows: Sequence[_Row],
    *,
    universe: Sequence[_Row],
    concepts: Sequence[_Concept],
    alpha: ExactLike,
    updates: int,
    epsilon: ExactLike,
    delta: ExactLike = 0,
    rate: ExactLike | None = None,
    noise: Noise = laplace,
) -> tuple[Any, ...]:
    """For each concept in turn an estimate of how many of the m rows are in it, within α·m where rows are enough.

    Source: Hardt & Rothblum (2010), cited for Theorem 2.19 of Bun, Nissim & Stemmer, who print no steps. A law over the
    universe, uniform at first, answers, until it is far off: `first_far_off` finds that concept, its noisy count is the
    answer, and the law is updated at the `rate`, α/6 for None. Hardt & Rothblum compare the noise that they release;
    here the comparisons have noise of their own, so that an update costs a fixed ε. After so many `updates` the law
    answers the rest. (ε,0)-private, or with δ > 0 (ε,δ)-private. Raises `InputError` without rows or concepts, for a
    row that is not of the universe, and unless 0 < α ≤ 1 and 0 < rate < 1 are rational, updates ≥ 1, ε > 0, 0 ≤ δ < 1.
    """
    refuse_no_concepts(concepts)
    m, a = draw(number_of_rows, rows), rational_parameter(share(alpha, "alpha"), "alpha")
    of_a_part = epsilon_of_an_update(updates, epsilon=epsilon, delta=delta) / 2
    learning = a / 6 if rate is None else rational_parameter(open_unit(rate, "rate"), "rate")
    weights: PointWeights = dict.fromkeys(universe, Fraction(1))
    points = tuple(weights)
    rest: tuple[_Concept, ...] = tuple(concepts)
    answers: list[Any] = []
    for _ in range(updates):
        if not rest:
            break
        estimates = tuple(m * share_of_weight(c, weights) for c in rest)
        near = draw(
            first_far_off,
            rows,
            universe=points,
            concepts=rest,
            estimates=estimates,
            threshold=_FAR * a * m,
            epsilon=of_a_part,
            noise=noise,
        )
        answers.extend(estimates[:near])
        if near < len(rest):
            noisy = draw(noisy_number, rows, number=partial(rows_in, concept=rest[near]), noise=noise(1 / of_a_part))
            answers.append(noisy)
            weights = reweighted(weights, rest[near], too_small=bool(estimates[near] < noisy), rate=learning)
        rest = rest[near + 1 :]
    return (*answers, *(m * share_of_weight(c, weights) for c in rest))


def first_far_off(
    draw: Draw,
    rows: Sequence[_Row],
    *,
    universe: Sequence[_Row],
    concepts: Sequence[_Concept],
    estimates: Sequence[Fraction],
    threshold: ExactLike,
    epsilon: ExactLike,
    noise: Noise = laplace,
) -> int:
    """The position of the first concept whose count is off its estimate by a noisy threshold, or how many there are.

    Source: Lyu, Su & Li (2017), Algorithm 1 with count 1: ρ ~ Lap(2/ε), νᵢ ~ Lap(4/ε). How far off a count is moves by
    1 at most where a row is replaced. ε-private. Raises `InputError` for a row that is not of the universe.
    """
    refuse_rows_outside(rows, universe)
    eps = positive(epsilon, "epsilon")
    level = threshold + draw(noise(2 / eps))
    for position, (c, estimate) in enumerate(zip(concepts, estimates, strict=True)):
        if abs(rows_in(rows, concept=c) - estimate) + draw(noise(4 / eps)) >= level:
            return position
    return len(concepts)


def rows_in(rows: Sequence[Any], *, concept: _Concept) -> int:
    """The number of rows in the concept."""
    return sum(times for x, times in numbers_of(rows).items() if concept(x))


def share_of_weight(concept: _Concept, weights: PointWeights) -> Fraction:
    """The share of all weight that the points of the concept have."""
    return sum((w for x, w in weights.items() if concept(x)), Fraction(0)) / sum(weights.values())


def reweighted(weights: PointWeights, concept: _Concept, *, too_small: bool, rate: Fraction) -> PointWeights:
    """The weights after an update: points of the concept lose the share `rate`, or all others if it is too small.

    Let p be a law on the universe, q that of the weights, r(x) = 1 where x loses and η the rate. The divergence of q
    from p falls by ln((1 − η)^p(r)/(1 − η·q(r))) ≥ η·(q(r) − p(r)) − η². With q(r) − p(r) ≥ α/3 and η = α/6 that is
    α²/36; it is at most ln|X| at first, and never below 0: there are at most 36·ln|X|/α² such updates.
    """
    return {x: w if bool(concept(x)) == too_small else w * (1 - rate) for x, w in weights.items()}


@sized(multiplicative_weights, name="epsilon of an update")
def epsilon_of_an_update(updates: int, *, epsilon: ExactLike, delta: ExactLike = 0) -> Exact:
    """The ε of each of so many updates that are ε-private together, or with δ > 0 (ε,δ)-private, if that allows more.

    Half of it is for the concept, half for its count. With δ > 0 these 2·`updates` parts are composed by the theorem of
    advanced composition. Raises `InputError` where a parameter is out of range.
    """
    eps, times = positive(epsilon, "epsilon"), whole(updates, "updates", 1)
    if exact(delta, "delta") == 0:
        return eps / times
    return max(eps / times, 2 * epsilon_of_each(times=2 * times, epsilon=eps, failure=delta))


@sized(multiplicative_weights, name="updates")
def updates_needed(*, points: int, alpha: ExactLike) -> int:
    """The least whole number ≥ 36·ln|X|/α², at least 1: the updates that suffice for a universe of so many `points`.

    Raises `InputError` unless points ≥ 1 and 0 < α < 1.
    """
    return max(1, ceil(36 * log(whole(points, "points", 1)) / open_unit(alpha, "alpha") ** 2))


@sized(multiplicative_weights)
def rows_for_weights(
    *, concepts: int, updates: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, delta: ExactLike = 0
) -> int:
    """The least whole m ≥ (48/(α·ε₀))·ln((k + 2c)/β), for k concepts, c updates, and the ε₀ of an update.

    The noise of c thresholds, Lap(4/ε₀), and of k comparisons, Lap(8/ε₀), is then at most αm/6 each: what is not far
    off is within αm, and what is, is off by αm/3 at least. The noise of c answers, Lap(2/ε₀), is at most αm/3. Each
    fails with probability ≤ β/(k + 2c), by Pr[|Lap(b)| > t] = e^(−t/b). Raises `InputError` out of range.
    """
    of_an_update = epsilon_of_an_update(updates, epsilon=epsilon, delta=delta)
    chances = whole(concepts, "concepts", 1) + 2 * updates
    return ceil(48 / (open_unit(alpha, "alpha") * of_an_update) * log(chances / open_unit(beta, "beta")))

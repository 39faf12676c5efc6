"""The values of the programs computed again in floats, from formulas and grids that stand here: nothing is decided."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from inspect import signature
from itertools import product
from math import e, erfc, exp, log, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import trapezoid
from tests.outside.bugs.forms import Form

from dpverify.mechanisms.noise.discrete_laplace import DiscreteLaplace
from dpverify.mechanisms.noise.laplace import Laplace
from dpverify.verifiers import Tuples, add_or_remove_one, replace_one

Array = NDArray[np.float64]


# --- Programs that return numbers, each with Laplace noise of its own
class NotAddedError(Exception):
    """The program draws something else, or returns what is no number with noise of its own."""


Released = tuple[Sequence[Fraction], Sequence[Fraction]]
"""Numbers, and the scales of the noise on them."""


def loss_of_added_noise(form: Form) -> Fraction | None:
    """The largest Σ |f − f′|/scale over all neighbours, where what is returned is f + Laplace noise; None of two scales.

    Raises `NotAddedError` where a number is returned without noise, or noise is drawn that is on no such number.
    """
    takes_epsilon = "epsilon" in signature(form.mechanism).parameters
    given = {**form.parameters, **({"epsilon": Fraction(form.epsilon)} if takes_epsilon else {})}
    released = {database: _released(form.mechanism, database, given) for database in form.domain}
    pairs = [(a, b) for a, b in product(released, repeat=2) if are_neighbours(form, a, b)]
    if any(released[a][1] != released[b][1] for a, b in pairs):
        return None
    return max(_loss(released[a], released[b]) for a, b in pairs)


def are_neighbours(form: Form, left: Any, right: Any) -> bool:
    """Whether one row is replaced, or is more or less, or the form's own relation says so."""
    if form.neighbours is replace_one and isinstance(form.domain, Tuples):
        return [a != b for a, b in zip(left, right, strict=True)].count(True) == 1
    if form.neighbours in (replace_one, add_or_remove_one):
        lost, gained = Counter(left) - Counter(right), Counter(right) - Counter(left)
        counted = sorted((lost.total(), gained.total()))
        return counted == ([1, 1] if form.neighbours is replace_one else [0, 1])
    others: list[Any] = form.neighbours(left)
    return right in others


def _loss(left: Released, right: Released) -> Fraction:
    return sum((abs(a - b) / scale for a, b, scale in zip(left[0], *right, strict=True)), Fraction(0))


def _released(mechanism: Callable[..., Any], database: Any, given: Mapping[str, Any]) -> Released:
    scales: list[Fraction] = []

    def numbers(noise_is: int) -> list[Fraction]:
        scales.clear()

        def draw(noise: object) -> int:
            if not isinstance(noise, (Laplace, DiscreteLaplace)):
                raise NotAddedError
            scales.append(Fraction(str(noise.scale)))
            return noise_is

        try:
            result = mechanism(draw, database, **given)
        except ZeroDivisionError as error:  # by a number with noise
            raise NotAddedError from error
        found = result if isinstance(result, tuple) else (result,)
        if any(type(number) not in (int, Fraction) for number in found):
            raise NotAddedError
        return [Fraction(number) for number in found]

    nothing, one = numbers(0), numbers(1)
    if len(nothing) != len(scales) or [number + 1 for number in nothing] != one:
        raise NotAddedError
    return nothing, scales


# --- Gaussian noise
def tail(x: float) -> float:
    """Pr[N(0, 1) > x]."""
    return erfc(x / sqrt(2)) / 2


def profile(moved: float, scale: float, epsilon: float = 1) -> float:
    """The smallest δ of Gaussian noise on a number that moves."""
    half, shift = moved / scale / 2, epsilon * scale / moved
    return tail(shift - half) - exp(epsilon) * tail(shift + half)


def classic(delta: float, epsilon: float = 1) -> float:
    """The classic σ for what moves by 1."""
    return sqrt(2 * log(1.25 / delta)) / epsilon


# --- Finite output distributions
Finite = Mapping[Any, float]
"""An output distribution on finitely many outcomes."""


def ratio(pairs: Iterable[tuple[Finite, Finite]]) -> float:
    """The largest |ln(p/q)|."""
    return max(abs(log(p[x] / q[x])) for p, q in pairs for x in p)


def smallest_delta(pairs: Iterable[tuple[Finite, Finite]], epsilon: float = 1) -> float:
    """The largest Σ (p − e^ε·q)⁺."""
    return max(sum(max(0.0, p[x] - exp(epsilon) * q.get(x, 0)) for x in p) for p, q in pairs)


def chosen(scores: Mapping[Any, float], epsilon: float) -> dict[Any, float]:
    """The exponential mechanism, exp(ε·q/2)."""
    weights = {x: exp(epsilon * score / 2) for x, score in scores.items()}
    return {x: weight / sum(weights.values()) for x, weight in weights.items()}


def of_scores(values: Sequence[int], n: int, of: Callable[[Sequence[int]], Finite]) -> Iterable[tuple[Finite, Finite]]:
    """All pairs of scores of which none moves by more than 1."""
    found = {scores: of(scores) for scores in product(values, repeat=n)}
    for a, b in product(found, repeat=2):
        if max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1:
            yield found[a], found[b]


def two_chosen(scores: Sequence[int]) -> Finite:
    """Two candidates, one after the other, without the first."""
    first = chosen(dict(enumerate(scores)), 1)
    return {
        (i, j): first[i] * chosen({k: s for k, s in enumerate(scores) if k != i}, 1)[j]
        for i in first
        for j in first
        if i != j
    }


def medians() -> Iterable[tuple[Finite, Finite]]:
    """The private median of one to three values of 0 to 4, with one value more or less."""

    def median(rows: tuple[int, ...]) -> Finite:
        return chosen({v: -abs(sum(x < v for x in rows) - sum(x > v for x in rows)) for v in range(5)}, 1)

    for n in (1, 2):
        for rows in product(range(5), repeat=n):
            for more in range(5):
                yield median(rows), median((*rows, more))


# --- Densities on a grid
def laplace(x: Array, scale: float = 1) -> Array:
    """The density of Laplace noise."""
    density: Array = np.exp(-np.abs(x) / scale) / (2 * scale)
    return density


def empty_skipped() -> float:
    """The largest |ln| of densities, and of probabilities of nothing, of one to three rows of −1 and 1."""
    grid = np.linspace(-12, 12, 2_401)

    def density(rows: tuple[int, ...]) -> Array:
        subsets = [
            [x for x, kept in zip(rows, choice, strict=True) if kept] for choice in product((0, 1), repeat=len(rows))
        ]
        summed: Array = np.sum([laplace(grid - sum(s)) for s in subsets if s], axis=0) / 2 ** len(rows)
        return summed

    pairs = [(rows, (*rows, more)) for n in (1, 2) for rows in product((-1, 1), repeat=n) for more in (-1, 1)]
    return max(log(2), *(float(np.max(np.abs(np.log(density(a) / density(b))))) for a, b in pairs))


def sparse_filter() -> float:
    """The filter with all others 0: which value is chosen, by quadrature over the threshold, and the noise on it."""
    grid = np.linspace(-60, 60, 24_001)
    density = laplace(grid - 1, 2)

    def passes(weight: int) -> Array:
        below = np.exp(-np.abs(grid - weight) / 4) / 2
        return np.where(grid > weight, below, 1 - below)

    def first_choices(weights: Sequence[int]) -> list[float]:
        p = [passes(w) for w in weights]
        first = []
        for i in range(3):
            j, k = (x for x in range(3) if x != i)
            shared = (1 - p[j]) * (1 - p[k]) + (p[j] + p[k] - 2 * p[j] * p[k]) / 2 + p[j] * p[k] / 3
            first.append(float(trapezoid(density * p[i] * shared, grid)))
        return first

    found = {weights: first_choices(weights) for weights in product(range(3), repeat=3)}
    largest = 0.0
    for a, b in product(found, repeat=2):
        moved = [abs(x - y) for x, y in zip(a, b, strict=True)]
        if max(moved) == 1:
            losses = [abs(log(found[a][i] / found[b][i])) + moved[i] for i in range(3)]
            nothing = abs(log((1 - sum(found[a])) / (1 - sum(found[b]))))
            largest = max(largest, nothing, *losses)
    return largest


# --- Two batches, whose noise is on integers or on a grid of the plane
def batches(noise: Callable[[int], Array], step: float, shuffled: bool) -> float:
    """The smallest δ at ε = 1 of two batches of one row: in a random order, or each a Poisson sample of one half."""

    def above(p: Array, q: Array) -> float:
        return float(np.maximum(p - e * q, 0).sum()) * step**2

    if not shuffled:
        nothing, half = noise(0), (noise(0) + noise(1)) / 2
        p, q = np.outer(nothing, nothing), np.outer(half, half)
        return max(above(p, q), above(q, p))

    def either(a: int, b: int) -> Array:
        both = np.outer(noise(a), noise(b))
        return (both + both.T) / 2

    pairs = [(either(a, 0), either(a, b)) for a in (-1, 0, 1) for b in (-1, 1)]
    return max(max(above(p, q), above(q, p)) for p, q in pairs)


def truncated_gaussian(shift: int) -> Array:
    """The discrete Gaussian of σ = 1 that is truncated at 6, moved, on −8 … 8."""
    values = np.arange(-8, 9) - shift
    weights = np.where(np.abs(values) <= 6, np.exp(-(values**2) / 2), 0)
    probabilities: Array = weights / weights.sum()
    return probabilities


def gaussian_on_a_grid(shift: int) -> Array:
    """The density of N(shift, 1) on a grid of width 1/20."""
    return np.exp(-((np.arange(-140, 141) / 20 - shift) ** 2) / 2) / sqrt(2 * np.pi)


def passes_twice(p: float) -> float:
    """The probability that at least one of two keys passes."""
    return 2 * p - p * p


BY_NUMBERS: Final[Mapping[str, Callable[[], float]]] = {
    "merged_norm_of_groups": lambda: profile(4, 2 * classic(1e-5)),
    "merged_norm_of_the_count": lambda: profile(4, 4 * classic(1e-5)),
    "threshold_for_two_delta_for_one": lambda: passes_twice(exp(-0.5) / 100),
    "threshold_for_two": lambda: passes_twice(exp(-0.5) / 200),
    "threshold_truncated": lambda: exp(-2.5) / 2,
    "threshold_rounded_up": lambda: exp(-3.5) / 2,
    "threshold_a_half_higher": lambda: exp(-4.5) / 2,
    "threshold_of_laplace": lambda: tail(-log(0.02) / classic(0.01)),
    "threshold_of_gaussian": lambda: tail(2.6),
    "exponential_choice": lambda: smallest_delta(of_scores(range(-2, 3), 2, lambda q: chosen(dict(enumerate(q)), 2))),
    "exact_weights": lambda: ratio(of_scores(range(9), 2, lambda q: chosen(dict(enumerate(q)), 1))),
    "median_of_public_bounds": lambda: ratio(medians()),
    "chosen_again": lambda: ratio(of_scores(range(3), 3, two_chosen)),
    "others_zero": sparse_filter,
    "empty_skipped": empty_skipped,
    "shuffled_discrete": lambda: batches(truncated_gaussian, 1, shuffled=True),
    "shuffled_gaussian": lambda: batches(gaussian_on_a_grid, 1 / 20, shuffled=True),
    "sampled_discrete": lambda: batches(truncated_gaussian, 1, shuffled=False),
    "classic_at_ten": lambda: profile(1, classic(1e-5, 10), 10),
    "classic_at_one": lambda: profile(1, classic(0.1)),
    "scale_of_one_row": lambda: profile(2, 1),
    "scale_of_two_rows": lambda: profile(2, 2),
    "share_as_scale": lambda: profile(1, 0.5),
    "scale_of_the_share": lambda: profile(1, 1),
}
"""Mechanisms whose value is known as digits, and where these come from."""

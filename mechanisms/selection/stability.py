"""A_dist: release the best solution where it stands out, or else ⊥, after Smith and Thakurta.

Three papers print it: Beimel, Nissim & Stemmer in the journal version (Section 2.5.3, with BuNS, Algorithm 3, alike)
and in the extended abstract (Section 2.4). The gap between the two best qualities of a sensitivity-1 function moves by
up to 2 between neighbours; `choose_by_stability` is calibrated to that.
"""

from enum import Enum
from functools import lru_cache, partial
from typing import Any

from dpverify.mechanisms.counting.qualities import Score
from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism, name_of
from dpverify.mechanisms.noise.discrete_laplace import DiscreteLaplace, discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise, NoiseLaw
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive
from dpverify.mechanisms.selection.exponential_mechanism import Quality, solutions_of


class Bottom(Enum):
    """⊥: no solution stands out. The extended abstract tells two kinds apart."""

    BOTTOM = "⊥"
    BOTTOM_1 = "⊥₁"
    BOTTOM_2 = "⊥₂"

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return f"Bottom.{self.name}"


def best_and_gap(quality: Quality) -> tuple[Any, Score | None]:
    """The best solution and how much better it is than the second best; None for an only solution, whose gap is ∞.

    Ties go to the solution that comes first in `quality`. Raises `InputError` where there is none.
    """
    if isinstance(quality, StepFunction):
        return quality.best_and_gap()
    (first, best), *rest = solutions_of(quality).items()
    second: Any = None
    for solution, score in rest:
        if score > best:
            first, best, second = solution, score, best
        elif second is None or score > second:
            second = score
    return first, None if second is None else best - second


def choose_by_stability(draw: Draw, quality: Quality, *, epsilon: ExactLike, delta: ExactLike) -> Any:
    """A_dist with constants that give (ε,δ)-privacy: Lap(2/ε), threshold (2/ε)·ln(1/(2δ)) + 2.

    The default of all that runs an A_dist here, but for Rec: the printed `choose_by_stability_journal` is refuted.

    The best solution changes between neighbours only where its gap is at most 2, and there it is released with
    probability ½·exp(-(ε/2)·(threshold − 2)) = δ. Raises `InputError` unless ε > 0 and 0 < δ < 1.
    """
    epsilon, delta = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    return stable_choice(draw, quality, laplace(2 / epsilon), 2 / epsilon * log(1 / (2 * delta)) + 2)


def choose_by_stability_discrete(draw: Draw, quality: Quality, *, epsilon: ExactLike, delta: ExactLike) -> Any:
    """A_dist with discrete Laplace noise of scale 2/ε, for whole qualities.

    The threshold is 2 plus the smallest k with Pr[noise ≥ k] ≤ δ. Raises `InputError` unless ε > 0 and 0 < δ < 1.
    """
    noise = discrete_laplace(2 / positive(epsilon, "epsilon"))
    return stable_choice(draw, quality, noise, 2 + smallest_with_tail(noise, open_unit(delta, "delta")))


def choose_by_stability_journal(
    draw: Draw, quality: Quality, *, epsilon: ExactLike, delta: ExactLike, noise: Noise = laplace
) -> Any:
    """A_dist as printed in Beimel, Nissim & Stemmer, journal version, Section 2.5.3, and in BuNS, Algorithm 3.

    Proposition 2.26 (BuNS: 3.11) claims (ε,δ)-privacy, which the noise Lap(1/ε) does not give: see the catalogue. With
    `noise=discrete_laplace` it is the same algorithm on other noise, and not the printed one.
    """
    epsilon, delta = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    return stable_choice(draw, quality, noise(1 / epsilon), 1 / epsilon * log(1 / delta))


def choose_by_stability_extended_abstract(
    draw: Draw, quality: Quality, *, epsilon: ExactLike, delta: ExactLike, noise: Noise = laplace
) -> Any:
    """A_dist as printed in Beimel, Nissim & Stemmer, extended abstract, Section 2.4: Lap(4/ε), and two kinds of ⊥.

    Proposition 2 claims (ε,δ)-privacy. With `noise=discrete_laplace` it is not the printed one.
    """
    epsilon, delta = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    f1, gap = best_and_gap(quality)
    if gap is None:
        return f1
    noisy_gap = gap + draw(noise(4 / epsilon))
    if noisy_gap < 4 / epsilon * log(1 / delta) + 2:
        return Bottom.BOTTOM_1
    return Bottom.BOTTOM_2 if gap == 0 else f1


def choose_by_stability_with(
    draw: Draw,
    quality: Quality,
    *,
    epsilon: ExactLike,
    delta: ExactLike,
    scale: ExactLike,
    constant: ExactLike,
    shift: ExactLike,
) -> Any:
    """The family of A_dist: Lap(scale/ε), threshold (scale/ε)·ln(constant/δ) + shift; private for some constants only.

    `choose_by_stability` has scale 2, constant 1/2 and shift 2; `choose_by_stability_journal` 1, 1 and 0; with one ⊥ in
    place of two `choose_by_stability_extended_abstract` has 4, 1 and 2. A best solution of gap g is released with
    probability R(u), u = (δ/(2·constant))·e^(ε(g − shift)/scale), R(u) = u for u ≤ 1/2 and 1 − 1/(4u) beyond. Raises
    `InputError` unless ε, scale and constant are positive and 0 < δ < 1.
    """
    epsilon, delta = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    b = positive(scale, "scale") / epsilon
    return stable_choice(draw, quality, laplace(b), b * log(positive(constant, "constant") / delta) + shift)


def stable_choice(draw: Draw, quality: Quality, noise: NoiseLaw, threshold: ExactLike) -> Any:
    """The best solution where its gap plus noise reaches the threshold, else ⊥; an only solution has an infinite gap.

    The steps that all versions of A_dist share, for any noise and threshold: no privacy claim of its own.
    """
    h1, gap = best_and_gap(quality)
    if gap is None:
        return h1
    noisy_gap = gap + draw(noise)
    if noisy_gap < threshold:
        return Bottom.BOTTOM
    return h1


def gap_needed(
    *, beta: ExactLike, epsilon: ExactLike, delta: ExactLike, selection: Mechanism = choose_by_stability
) -> Exact:
    """A gap from which on an only best solution is released with probability ≥ 1 − β, by the A_dist in use.

    (1/ε)·ln(1/(βδ)) for `choose_by_stability_journal`, as Proposition 2.26(ii) prints it. The others are derived here
    from the tail of their noise, ½·exp(-x/scale) at x beyond the threshold: (2/ε)·ln(1/(4βδ)) + 2 for
    `choose_by_stability`, (4/ε)·ln(1/(2βδ)) + 2 for `choose_by_stability_extended_abstract`. Raises `InputError` for
    another selection, and where a parameter is out of range.
    """
    b, eps, d = open_unit(beta, "beta"), positive(epsilon, "epsilon"), open_unit(delta, "delta")
    if selection is choose_by_stability:
        return 2 / eps * log(1 / (4 * b * d)) + 2
    if selection is choose_by_stability_journal:
        return 1 / eps * log(1 / (b * d))
    if selection is choose_by_stability_extended_abstract:
        return 4 / eps * log(1 / (2 * b * d)) + 2
    known = ", ".join(map(name_of, (choose_by_stability, choose_by_stability_journal)))
    raise InputError(
        bad_input.NONE_OF,
        f"selection={name_of(selection)}",
        f"{known}, {name_of(choose_by_stability_extended_abstract)}",
    )


for _choice in (choose_by_stability, choose_by_stability_journal, choose_by_stability_extended_abstract):
    sized(_choice, name="gap")(partial(gap_needed, selection=_choice))


@lru_cache(maxsize=1024)
def smallest_with_tail(noise: DiscreteLaplace, delta: Exact) -> int:
    """The smallest k ≥ 0 with Pr[N ≥ k] ≤ δ."""
    k = 0
    while noise.tail(k) > delta:
        k += 1
    return k

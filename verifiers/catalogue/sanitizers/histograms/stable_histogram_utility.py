"""Utility of the histograms of Bun, Nissim & Stemmer, Proposition 2.20.

The extraction of the paper has lost its formulas, and the paper states orders: the constants that are claimed here are
ours, and each docstring says what they come from.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Draw, log
from dpverify.mechanisms.sanitizers import cut_off_histogram, stable_histogram
from dpverify.verifiers.catalogue.corners import BETAS, DELTA_CORNERS, DELTAS, EPSILONS, whether
from dpverify.verifiers.catalogue.families import HALF, MILLIONTH
from dpverify.verifiers.utility.family import Case, Mechanism, Sharpness, chosen, least_of
from dpverify.verifiers.utility.repeated import written_out

_BUNS: Final = "Bun, Nissim & Stemmer, Proposition 2.20"


def is_accurate(draw: Draw, counts: tuple[int, ...], *, histogram: Mechanism, alpha: Fraction, **given: Any) -> bool:
    """True where all estimates are within α, for counts[x] rows x: the noise itself has infinitely many values."""
    rows = written_out(enumerate(counts))
    estimates = dict(draw(histogram, rows, d=(len(counts) - 1).bit_length(), **given))
    shares = [Fraction(count, len(rows)) for count in counts]
    return all(
        bool(estimates.get(x, 0) >= share - alpha and estimates.get(x, 0) <= share + alpha)
        for x, share in enumerate(shares)
    )


def stable_is_accurate(draw: Draw, counts: tuple[int, ...], *, alpha: Fraction, **given: Any) -> bool:
    """`stable_histogram`."""
    return is_accurate(draw, counts, histogram=stable_histogram, alpha=alpha, **given)


def cut_off_is_accurate(draw: Draw, counts: tuple[int, ...], *, alpha: Fraction, **given: Any) -> bool:
    """`cut_off_histogram`."""
    return is_accurate(draw, counts, histogram=partial(cut_off_histogram, alpha=alpha), alpha=alpha, **given)


def rows_for_stable(points: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """(4/(αε))·max(ln(2/δ) + ε/2, ln(4/(αβ))) and (2/(αε))·ln(2·points/β).

    The threshold is then ≤ αn/2. A point that occurs more than αn times, of which there are less than 1/α, needs noise
    of αn/2 to fail, and any other one noise of αn.
    """
    heavy = max(log(2 / delta) + epsilon / 2, log(4 / (alpha * beta)))
    return ceil(max(4 * heavy, 2 * log(2 * points / beta)) / (alpha * epsilon))


def rows_for_cut_off(*, alpha: Fraction, beta: Fraction, epsilon: Fraction) -> int:
    """(8/(3αε))·ln(16/(αβ)): less than 8/α points occur more than αn/8 times; each needs noise of 3αn/4 to fail."""
    return max(1, ceil(8 * log(16 / (alpha * beta)) / (3 * alpha * epsilon)))


def shapes(n: int, alpha: Fraction) -> tuple[tuple[int, ...], ...]:
    """Counts that add up to n: one point, αn or one more or half or an eighth of it, and the rest."""
    some = [n, int(alpha * n), min(n, int(alpha * n) + 1), int(alpha * n / 2), min(n, int(alpha * n / 8) + 1), 1]
    return tuple((first, n - first) for first in some if 0 <= first <= n)


def two_points(of_delta: bool) -> Callable[..., Case]:
    """Databases of two points at exactly the rows asked for."""

    def case(epsilon: Fraction, delta: Fraction, beta: Fraction, alpha: Fraction, which: int) -> Case:
        given = {"alpha": alpha, "beta": beta, "epsilon": epsilon}
        n = max(1, rows_for_stable(2, **given, delta=delta) if of_delta else rows_for_cut_off(**given))
        found = shapes(n, alpha)
        parameters = {"alpha": alpha, "epsilon": epsilon, **({"delta": delta} if of_delta else {})}
        return Case(found[which % len(found)], parameters, {"beta": beta})

    return case


_CHOICES: Final = (EPSILONS[1:], DELTAS, BETAS, (Fraction(1, 10), HALF, Fraction(1)), range(6))
HISTOGRAM_CORNERS: Final = {
    "ε = 1/3": lambda case: case.parameters["epsilon"] == EPSILONS[1],
    **{name: DELTA_CORNERS[name] for name in ("the largest ε", "the least β", "β near 1")},
    "one point": lambda case: 0 in case.database,
    "the least count above αn": lambda case: int(case.parameters["alpha"] * sum(case.database)) + 1 in case.database,
}


def sharp_rows(at: str, paper: int, **given: Fraction) -> Sharpness:
    """The rows as what is varied, in all shapes, at α = 1/2, ε = 1 and β = 1/20."""
    parameters = {"alpha": HALF, "epsilon": Fraction(1), **given}
    return least_of(
        f"rows, two points, α = 1/2, ε = 1, {at}β = 1/20",
        paper,
        lambda rows: [Case(counts, parameters, {"beta": Fraction(1, 20)}) for counts in shapes(rows, HALF)],
        ours=True,
    )


_AT: Final = {"alpha": HALF, "epsilon": Fraction(1), "beta": Fraction(1, 20)}
stable = whether(stable_is_accurate, "stable_at_a_fifth", 5)(
    "BuNS-2.20b.utility.stable-histogram",
    f"{_BUNS}, as the stability-based histogram, with constants of ours",
    "for n ≥ (4/(αε))·max(ln(2/δ) + ε/2, ln(4/(αβ))) and ≥ (2/(αε))·ln(2|X|/β) all estimates are within α "
    "with probability ≥ 1 − β",
    strategy=chosen(two_points(True), *_CHOICES),
    corners={**HISTOGRAM_CORNERS, **{name: DELTA_CORNERS[name] for name in ("the least δ", "δ near 1")}},
    sharpness=sharp_rows("δ = 10⁻⁶, ", rows_for_stable(2, delta=MILLIONTH, **_AT), delta=MILLIONTH),
)
cut_off = whether(cut_off_is_accurate, "cut_off_at_a_quarter", 4)(
    "BuNS-2.20a.utility.cut-off-histogram",
    f"{_BUNS}, with cut-offs in α, with constants of ours",
    "for n ≥ (8/(3αε))·ln(16/(αβ)) all estimates are within α with probability ≥ 1 − β",
    strategy=chosen(two_points(False), *_CHOICES),
    corners=HISTOGRAM_CORNERS,
    sharpness=sharp_rows("", rows_for_cut_off(**_AT)),
)

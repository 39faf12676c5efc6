"""The polynomial by scales, computed: it is what the steps say of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Final

from dpverify.mechanisms.release import dropping_by_scales
from dpverify.verifiers.calculations.claim import Broken, Calculation

Values = tuple[Fraction, Fraction, int]
"""|s(k) − 1|, the largest |s(j)| below k, and the square of the degree."""


def by_scales(k: int, eps: Fraction, *, half: bool = False) -> Values:
    """Of the polynomial by scales; with m/2 in place of 7m/2 at the distance m, if `half`."""
    s = dropping_by_scales(k, eps)
    if half:
        held = (replace(one, exponent=s.zeros // 2) if one.distance == s.zeros else one for one in s.scales)
        s = replace(s, scales=tuple(held))
    return abs(s(k) - 1), max(abs(s(j)) for j in range(k)), s.degree**2


def bounds(k: int, eps: Fraction) -> tuple[int, Fraction, int]:
    """s(k) = 1, |s(j)| ≤ ε below, and a degree of at most 12·√(k·⌈log₂(1/ε)⌉)."""
    return 0, eps, 144 * k * next(m for m in range(10**4) if 2**m * eps >= 1)


ACCURACIES: Final = tuple(Fraction(1, n) for n in (1, 2, 3, 6, 300, 10**6, 2**40))

of_scales = Calculation(
    id="HRS-5.4.utility.by-scales",
    source="by hand, for Claim 5.4 of Hardt, Rothblum & Servedio",
    statement="the polynomial by scales has s(k) = 1, |s(j)| ≤ ε for j = 0, …, k − 1, and a degree of at most "
    "12·√(k·⌈log₂(1/ε)⌉); k ≤ 40 and k = 100, ε = 1/n from 1 to 2^(−40). For every k and ε see HRS-5.4.step.scales",
    computed=by_scales,
    at_most=bounds,
    cases=[{"k": k, "eps": eps} for k, eps in product((*range(1, 41), 100), ACCURACIES)],
    mutants=[Broken("m/2 in place of 7m/2 at the distance m", {"computed": partial(by_scales, half=True)})],
)

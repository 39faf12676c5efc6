"""The polynomial by scales, computed: it is what the steps say of it. What draws nothing is claimed with β = 0."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.release.scales import DropByScales, dropping_by_scales
from dpverify.verifiers.utility.case import Case, MadeOnce
from dpverify.verifiers.utility.claim import UtilityClaim

Values: TypeAlias = tuple[tuple[Fraction, ...], int]
"""s(0), …, s(k), and the degree."""


def values_by_scales(draw: object, k: int, *, eps: Fraction) -> Values:
    """Of the polynomial by scales."""
    return of_all_points(dropping_by_scales(k, eps))


def values_with_half_the_exponent(draw: object, k: int, *, eps: Fraction) -> Values:
    """m/2 in place of 7m/2 at the distance m."""
    s = dropping_by_scales(k, eps)
    held = (replace(one, exponent=s.zeros // 2) if one.distance == s.zeros else one for one in s.scales)
    return of_all_points(replace(s, scales=tuple(held)))


def of_all_points(s: DropByScales) -> Values:
    """Its values, and its degree."""
    return tuple(map(s, range(s.k + 1))), s.degree


def is_small(case: Case, found: Values) -> bool:
    """True where s(k) = 1, |s(j)| ≤ ε below, and the degree is at most 12·√(k·⌈log₂(1/ε)⌉)."""
    (*below, at_k), degree = found
    eps: Fraction = case.parameters["eps"]
    logarithm = next(m for m in range(10**4) if 2**m * eps >= 1)
    return at_k == 1 and all(abs(value) <= eps for value in below) and degree**2 <= 144 * case.database * logarithm


ACCURACIES: Final = tuple(Fraction(1, n) for n in (1, 2, 3, 6, 300, 10**6, 2**40))

by_scales = UtilityClaim(
    id="HRS-5.4.utility.by-scales",
    source="by hand, for Claim 5.4 of Hardt, Rothblum & Servedio",
    statement="the polynomial by scales has s(k) = 1, |s(j)| ≤ ε for j = 0, …, k − 1, and a degree of at most "
    "12·√(k·⌈log₂(1/ε)⌉); k ≤ 40 and k = 100, ε = 1/n from 1 to 2^(−40). For every k and ε see HRS-5.4.step.scales",
    mechanism=values_by_scales,
    succeeds=is_small,
    beta=lambda case: ZERO,
    cases=MadeOnce(lambda: [Case(k, {"eps": eps}) for k, eps in product((*range(1, 41), 100), ACCURACIES)]),
    mutant=values_with_half_the_exponent,
)

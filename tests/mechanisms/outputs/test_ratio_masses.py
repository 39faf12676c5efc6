"""The likelihood ratio of independent parts: what is counted against what is convolved."""

from fractions import Fraction

import pytest

from dpverify.mechanisms import exact, exp
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO
from dpverify.mechanisms.outputs.ratio_masses import (
    AlikeParts,
    RatioMass,
    Ratios,
    convolved_ratios,
    counted_masses_above,
)


@pytest.mark.parametrize("above", ["5", "23/4", "12"])  # a tie, between two values, the largest
def test_counted_parts_have_the_masses_of_convolved_ones(above: str) -> None:
    ratios = [exp(1), exp("1/2"), exp(-1), exp(-2)]
    masses = [exact(Fraction(k, 10)) for k in (4, 3, 2, 1)]
    part = Ratios(tuple(RatioMass(r, p, p / r) for r, p in zip(ratios, masses, strict=True)), ZERO, ONE)
    parts = [AlikeParts(part, 12)]
    counted, all_masses = counted_masses_above(parts, exp(above)), convolved_ratios(parts).above(exp(above))
    assert counted is not None and counted == all_masses

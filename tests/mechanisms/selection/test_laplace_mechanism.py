"""The Laplace mechanism on a hand-computed case."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpverify.mechanisms import (
    clamped_laplace_mechanism,
    distribution,
    log,
)


def test_clamped_counts() -> None:
    def mechanism(draw: Any, value: int) -> Any:
        return clamped_laplace_mechanism(draw, [value], 0, 2, epsilon=log(2))

    law = distribution(mechanism, 2)
    assert law.probability((2,)) == Fraction(2, 3)
    assert law.probability((1,)) == Fraction(1, 6)
    assert law.probability((0,)) == Fraction(1, 6)

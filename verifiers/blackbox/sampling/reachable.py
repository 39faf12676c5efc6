"""Floats that a documented formula reaches: of an answer plus noise that is made of a number on a grid.

A generator gives multiples of 2⁻⁵³, say, and a formula makes noise of them, so that some floats come out and others do
not. Which ones they are depends on the answer that they are added to (Mironov, 2012).
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.blackbox.sampling.features import OwnFeature
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes

FloatFormula = Callable[[Any], Any]
"""An array of floats → an array of as many."""


def reachable_from(
    answer: float, noise: FloatFormula, inverse: FloatFormula, grid: float = 2.0**-53, near: int = 2
) -> OwnFeature:
    """For `features=`: whether an outcome is answer + noise(u) for a multiple u of the grid, as floats have it.

    `noise` is the documented formula, `inverse` about its inverse, and `near` by how many multiples this may be off.
    Both are given arrays. Raises `InputError` for a grid that is not 1 over a power of two, or a `near` below 0.
    """
    share = Fraction(grid) if isinstance(grid, int | float) and np.isfinite(grid) else Fraction(0)
    if share.numerator != 1 or share.denominator & (share.denominator - 1):
        raise InputError(
            bad_input.WRONG, f"grid={shown(grid)}", "1 over a power of two", "write the generator's, as 2**-53"
        )
    if near < 0:
        raise InputError(bad_input.RANGE, f"near={near}", "at least 0")

    def is_reached(outcomes: Outcomes) -> np.ndarray[Any, Any]:
        with np.errstate(all="ignore"):
            place = np.round(inverse(outcomes - answer) / grid)
            tried = [answer + noise((place + i) * grid) == outcomes for i in range(-near, near + 1)]
        array: np.ndarray[Any, Any] = np.any(tried, axis=0) & np.isfinite(outcomes)
        return array

    return is_reached

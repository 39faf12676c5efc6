"""Numbers in whole steps: which step an outcome is, exactly, or within what floats round."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.outputs.templates import Slot

_ROUNDED: Final = Fraction(1, 1 << 40)
"""Share of a number, or of a step, by which floats may have rounded a step that they do not hold."""


def lattice_points(
    values: np.ndarray[Any, Any], slot: Slot, atoms: Sequence[Fraction]
) -> tuple[list[Fraction], list[int]]:
    """The steps, and plain outcomes, that numbers are, each once, and how often; not those that are none of these.

    Where floats hold the steps exactly, halves and quarters as well, an outcome has to be one exactly.
    """
    if values.dtype == object:
        different, often = _counted(values.tolist())
    else:
        result = np.unique(values, return_counts=True)
        different, often = result[0].tolist(), result[1].tolist()
    points, times = [], []
    slack = _ROUNDED * slot.unit if not all(map(is_dyadic, (slot.unit, slot.offset, *atoms))) else None
    for value, count in zip(different, often, strict=True):
        point = _point(value, slot, atoms, slack) if isfinite(value) else None
        if point is not None:
            points.append(point)
            times.append(count)
    return points, times


def _counted(values: Sequence[Any]) -> tuple[list[Any], list[int]]:
    numbers: dict[Any, int] = {}
    for value in values:
        numbers[value] = numbers.get(value, 0) + 1
    return list(numbers), list(numbers.values())


def is_dyadic(number: Fraction) -> bool:
    """True where it is a whole number of halves, quarters or so on: floats hold it exactly, if it is not too long."""
    return number.denominator & (number.denominator - 1) == 0


def _point(value: float, slot: Slot, atoms: Sequence[Fraction], slack: Fraction | None) -> Fraction | None:
    number = Fraction(value)
    step = round((number - slot.offset) / slot.unit)
    point = slot.offset + slot.unit * step
    if point == number or number in atoms:
        return number
    if slack is None:
        return None
    allowed = max(slack, abs(number) * _ROUNDED)
    return next((near for near in (*atoms, point) if abs(number - near) <= allowed), None)


def nearest_rounded(outcome: object, numbers: Sequence[Any]) -> Any:
    """The one of rising numbers that an outcome is but for what floats round; else the outcome."""
    if not isinstance(outcome, int | float) or not isfinite(outcome):
        return outcome
    i = bisect_left(numbers, outcome)
    near = (one for one in numbers[max(i - 1, 0) : i + 1] if abs(one - Fraction(outcome)) <= abs(one) * _ROUNDED)
    return next(near, outcome)

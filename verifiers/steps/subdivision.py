"""Subdivision: boxes of parameters, of which each is certified, or outside of the hypotheses, or split once more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import Final, NamedTuple

from flint import ctx

from dpverify.verifiers.steps.evaluation import Ends, ParameterBox, enclosure_on_box, is_defined
from dpverify.verifiers.steps.form import MonomialSum, at, continuous_at_0, without_common_powers

PRECISION: Final = 64
"""Bits of the ends of intervals."""

_DEPTH: Final = 2
"""Derivatives of derivatives whose signs are looked at."""

_FEW: Final = 3
"""So few parameters that all forms are looked at closely."""


class Space(NamedTuple):
    """Facts about all boxes: which parameters are above 0 throughout, and which ends do not belong to ranges."""

    positive: frozenset[str]
    excluded: frozenset[tuple[str, Fraction]]


class FormDifference(NamedTuple):
    """A form that is ≥ 0, or > 0, only where something holds, provided that each of `factors` is positive."""

    form: MonomialSum
    factors: tuple[MonomialSum, ...] = ()


def nonnegative(differences: Sequence[FormDifference], box: ParameterBox, space: Space, *, strict: bool) -> bool:
    """True where one of the forms is certainly ≥ 0, or > 0, on a box without the ends that do not belong to ranges.

    Of the first, or of all where parameters are few, the derivatives of derivatives are looked at, too.
    """
    with ctx.workprec(PRECISION):
        forms = [each.form for each in differences if all(_is_positive(one, box, space) for one in each.factors)]
        at_points = [_divided(form, space.positive) for form in forms]
        for name, (low, high) in box.items():
            if low is not None and low == high:
                at_points = [_at(form, name, low, space.positive) for form in at_points]
        deeper = at_points if len(box) <= _FEW else at_points[:1]
        return any(_sign(form, box, space, 1, strict) for form in at_points) or any(
            _sign(form, box, space, _DEPTH, strict) for form in deeper
        )


def _is_positive(form: MonomialSum, box: ParameterBox, space: Space) -> bool:
    return _sign(_divided(form, space.positive), box, space, 1, strict=True)


def _sign(form: MonomialSum, box: ParameterBox, space: Space, depth: int, strict: bool) -> bool:
    """As `nonnegative`: by an interval, or on the side of the box on which the form is least."""
    if not form.terms:
        return not strict
    low, high = enclosure_on_box(form, box)
    if low > 0 or (not strict and low >= 0):
        return True
    if high < 0 or not depth or not is_defined(form, box, space.positive):
        return False
    slopes = {
        name: slope
        for name in sorted(form.names)
        if box[name][0] != box[name][1] and (slope := _derivative(form, name, space.positive)) is not None
    }
    for deeper in (0, depth - 1)[:depth]:  # first what an interval tells
        for name, slope in slopes.items():
            for end, sloped in ((box[name][0], slope), (box[name][1], _negative(slope))):
                if end is None or (end == 0 and name in space.positive and not continuous_at_0(form, name)):
                    continue  # never attained: what the form tends to there is not what intervals say of it
                if not _sign(sloped, box, space, deeper, strict=False):
                    continue
                # beside an end that does not belong to the range, what rises is greater than there
                rises = strict and (name, end) in space.excluded and _sign(sloped, box, space, depth - 1, strict=True)
                side = {**box, name: (end, end)}
                return _sign(_at(form, name, end, space.positive), side, space, depth, strict and not rises)
    return False


@cache
def _divided(form: MonomialSum, positive: frozenset[str]) -> MonomialSum:
    return without_common_powers(form, positive)


@cache
def _derivative(form: MonomialSum, name: str, positive: frozenset[str]) -> MonomialSum | None:
    """The derivative, divided by what is positive."""
    slope = form.derivative(name, positive)
    return None if slope is None else without_common_powers(slope, positive)


@cache
def _negative(form: MonomialSum) -> MonomialSum:
    return -form


def _at(form: MonomialSum, name: str, end: Fraction, positive: frozenset[str]) -> MonomialSum:
    """With short numbers the form is simplified, so that what is equal there cancels."""
    if name not in form.names or end.denominator * abs(end.numerator) > 1 << 12:
        return form
    return _simplified(form, name, end, positive)


@cache
def _simplified(form: MonomialSum, name: str, end: Fraction, positive: frozenset[str]) -> MonomialSum:
    return at(form, name, end, positive)


def halves(box: ParameterBox, name: str, is_whole: bool) -> Iterable[ParameterBox]:
    """Two boxes that together are the box, or hold all of its whole numbers."""
    low, high = box[name]
    cut = middle((low, high))
    if is_whole:
        cut = Fraction(floor(cut))
        return ({**box, name: (low, cut)}, {**box, name: (cut + 1, high)})
    return ({**box, name: (low, cut)}, {**box, name: (cut, high)})


def middle(ends: Ends) -> Fraction:
    """A rational number within: between positive ends that are far from one another about their geometric mean."""
    low, high = ends
    if low is None and high is None:
        return Fraction(0)
    if low is None or high is None:
        end = low if low is not None else high
        assert end is not None
        outwards = 1 if high is None else -1
        away = max(end * outwards, Fraction(0))
        return outwards * (Fraction(1) if away < 1 else 2 * away if away < 4 else Fraction(floor(away)) ** 2)
    if low == 0 < high:
        return high / 2 if high > Fraction(1, 4) else Fraction(1, ceil(1 / high) ** 2)
    if low > 0 and high > 4 * low:
        return min(high, max(low, Fraction(2) ** ((_log2(low) + _log2(high) + 1) // 2)))
    return (low + high) / 2


def inside(ends: Ends, is_whole: bool) -> Fraction:
    """A number within, to try."""
    low, high = ends
    if low is not None and low == high:
        return low
    centre = middle(ends)
    return Fraction(floor(centre)) if is_whole else centre


def to_split(box: ParameterBox, names: Iterable[str], whole: frozenset[str], tried: Mapping[str, int]) -> str | None:
    """Parameter to split: of those that can be, the one that was split least often; None where none can be."""
    splittable = [name for name in names if _can_be_split(box[name], name in whole)]
    return min(splittable, key=lambda name: tried.get(name, 0), default=None)


def _can_be_split(ends: Ends, is_whole: bool) -> bool:
    low, high = ends
    if low is None or high is None:
        end = low if low is not None else high
        return end is None or abs(end) < 1 << 64
    if is_whole:
        return high - low >= 1
    return low < high and (low != 0 or high > Fraction(1, 1 << 64))


def _log2(number: Fraction) -> int:
    return number.numerator.bit_length() - number.denominator.bit_length()

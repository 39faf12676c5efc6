"""Enclosures of the values of forms on boxes, and whether they are defined there."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias

from flint import arb

from dpverify.verifiers.steps.form import AtomPowers, FormAtom, MonomialSum
from dpverify.verifiers.steps.intervals import LINE, BallInterval, ball, hull_of_balls, rational_interval

Ends: TypeAlias = tuple[Fraction | None, Fraction | None]
"""The ends of a range; None is −∞ or ∞."""

ParameterBox: TypeAlias = Mapping[str, Ends]
"""Parameter → its range."""


def enclosure_on_box(form: MonomialSum, box: ParameterBox) -> BallInterval:
    """An interval that holds the values of a form on a box."""
    return _within(form, box, {})


def is_defined(form: MonomialSum, box: ParameterBox, positive: frozenset[str]) -> bool:
    """True where all logarithms, quotients and roots in a form are certainly defined on a box."""
    known: dict[FormAtom, BallInterval] = {}
    _within(form, box, known)
    return all(_is_defined(monomial, known, positive) for monomial, _ in form.terms)


def _within(form: MonomialSum, box: ParameterBox, known: dict[FormAtom, BallInterval]) -> BallInterval:
    total = _ZERO
    for monomial, factor in form.terms:
        product: BallInterval | None = None
        for one, exponent in monomial:
            interval = known.get(one)
            if interval is None:
                interval = known[one] = _atom_within(one, box, known)
            powered = interval.power(exponent)
            product = powered if product is None else product * powered
        total += constant(factor) if product is None else _scaled(product, factor)
    return total


_ball = lru_cache(1 << 12)(ball)
_range = lru_cache(1 << 14)(rational_interval)


@lru_cache(1 << 12)
def constant(factor: Fraction) -> BallInterval:
    """A rational number."""
    return rational_interval(factor, factor)


@lru_cache(1 << 14)
def _log_range(low: Fraction | None, high: Fraction | None) -> BallInterval:
    above = LINE.high if high is None else ball(high).log()
    return hull_of_balls(ball(low).log() if low else LINE.low, above)


_ZERO: Final = rational_interval(Fraction(0), Fraction(0))


def _is_defined(monomial: AtomPowers, known: Mapping[FormAtom, BallInterval], positive: frozenset[str]) -> bool:
    return all(
        (one.name in positive or _power_is_defined(exponent, known[one].low))
        and (one.kind != "log" or bool(known[one].low.is_finite()))
        and all(_is_defined(inner, known, positive) for form in one.forms for inner, _ in form.terms)
        for one, exponent in monomial
    )


def _power_is_defined(exponent: Fraction, low: arb) -> bool:
    if exponent.denominator == 1 and exponent > 0:
        return True
    return bool(low > 0 if exponent < 0 else low >= 0)


def _scaled(one: BallInterval, factor: Fraction) -> BallInterval:
    if factor == 1:
        return one
    by = _ball(factor)
    return hull_of_balls(one.low * by, one.high * by) if factor > 0 else hull_of_balls(one.high * by, one.low * by)


def _atom_within(one: FormAtom, box: ParameterBox, known: dict[FormAtom, BallInterval]) -> BallInterval:
    if one.kind == "parameter":
        return _range(*box[one.name])
    if one.kind == "log parameter":
        return _log_range(*box[one.name])
    parts = [_within(form, box, known) for form in one.forms]
    match one.kind:
        case "exp":
            return parts[0].exp()
        case "log":
            return parts[0].log()
        case "ceil":
            return parts[0].ceil()
        case "max":
            return parts[0].max(parts[1])
        case _:
            return parts[0]

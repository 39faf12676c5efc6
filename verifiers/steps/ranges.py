"""Ranges of parameters: real or whole, with ends that are numbers, infinite, or depend on parameters before."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeGuard

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.steps.terms import Expression, greek

_End: TypeAlias = "int | Fraction | Expression | Callable[..., Expression] | None"
"""An end of a range: a number, None for an infinite one, or an expression in parameters that stand before.

The expression may be a function of these parameters.
"""


@dataclass(frozen=True)
class Range:
    """The real numbers, or the whole ones, between two ends; an end belongs to it unless it is `open`.

    At most one end is an expression, which has to be positive: the range is then from 0 up to it, or from it on.
    """

    low: _End = None
    high: _End = None
    low_open: bool = False
    high_open: bool = False
    is_whole: bool = False

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if isinstance(end, bool) or not (end is None or _is_term(end) or isinstance(end, int | Fraction)):
                raise InputError(
                    bad_input.WRONG, shown(end), "the end of a range", "write a whole number, a Fraction or a function"
                )
        if _is_term(self.low) and _is_term(self.high):
            raise InputError(
                bad_input.RANGES, "one end of a range is an expression, and not both", "write the other as a hypothesis"
            )
        if (_is_term(self.low) and self.high is not None) or (_is_term(self.high) and self.low != 0):
            raise InputError(
                bad_input.RANGES,
                "below an end that is an expression the range begins with 0, and above one it has no end",
                "write the other end as a hypothesis",
            )
        low, high = self.ends
        if low is not None and high is not None and (low > high or (low == high and (self.low_open or self.high_open))):
            raise InputError(bad_input.IS_EMPTY, f"the range {self.text('x')}", "number")

    @property
    def is_dependent(self) -> bool:
        """True where an end is an expression."""
        return _is_term(self.low) or _is_term(self.high)

    @property
    def expression(self) -> Expression | Callable[..., Expression] | None:
        """The end that is an expression, if one is."""
        return next((end for end in (self.low, self.high) if _is_term(end)), None)

    @property
    def begins_with_expression(self) -> bool:
        """True where the lower end is an expression."""
        return _is_term(self.low)

    @property
    def ends(self) -> tuple[Fraction | None, Fraction | None]:
        """The ends of what is subdivided: for an end that is an expression, of the share of it."""
        if _is_term(self.low):
            return Fraction(1), None
        if _is_term(self.high):
            return Fraction(0), Fraction(1)
        return _number(self.low), _number(self.high)

    @property
    def is_positive(self) -> bool:
        """True where all of it is above 0."""
        low, _ = self.ends
        return low is not None and (low > 0 or (low == 0 and self.low_open))

    def text(self, name: str, end: str = "") -> str:
        """The range of a parameter in words; `end` is the end that is an expression."""
        low, high = (end if _is_term(own) else own for own in (self.low, self.high))
        below = "" if low is None else f"{low} {'<' if self.low_open else '≤'} "
        above = "" if high is None else f" {'<' if self.high_open else '≤'} {high}"
        return f"{below}{greek(name)}{above}" + (" whole" if self.is_whole else "" if below or above else " real")

    def holds(self, value: Fraction) -> bool:
        """True where a number keeps the ends that are numbers, and is whole where it has to be."""
        low, high = (end if isinstance(end, int | Fraction) else None for end in (self.low, self.high))
        above = low is None or value > low or (value == low and not self.low_open)
        below = high is None or value < high or (value == high and not self.high_open)
        return above and below and (not self.is_whole or value.denominator == 1)


def between(low: _End, high: _End) -> Range:
    """The range low < x < high."""
    return Range(low, high, low_open=True, high_open=True)


def from_to(low: _End, high: _End) -> Range:
    """The range low ≤ x ≤ high."""
    return Range(low, high)


def above_zero(up_to: _End = None) -> Range:
    """0 < x, and ≤ `up_to` if that is given."""
    return Range(0, up_to, low_open=True)


def at_least(low: _End) -> Range:
    """The range low ≤ x."""
    return Range(low)


def above(low: _End) -> Range:
    """The range low < x."""
    return Range(low, low_open=True)


def whole_from(low: _End = 1, high: _End = None) -> Range:
    """The whole numbers from `low` on, up to `high`."""
    return Range(low, high, is_whole=True)


def _is_term(end: _End) -> TypeGuard[Expression | Callable[..., Expression]]:
    return isinstance(end, Expression) or callable(end)


def _number(end: _End) -> Fraction | None:
    return Fraction(end) if isinstance(end, int | Fraction) else None

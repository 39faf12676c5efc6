"""Unknown whole numbers where whole numbers are asked for: ends of intervals for discrete noise, and exponents.

Continuous noise has numbers for its ends, and discrete noise whole ones, of which [low, high) is another set. What is
unknown of scores may stand in both, so that its kind says what it is: a number, or a `WholeForm`. That one does what
ints do there: sums, differences, comparisons, and powers with it. To those who check types it is an int.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard, cast

from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import (
    Exact,
    Unknown,
    UnknownWhole,
    exact,
    is_unknown,
    negative,
    ordering,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction


class WholeForm(UnknownWhole):
    """A whole number that depends on coordinates: what is computed from it and whole numbers is whole, too."""

    __slots__ = ()

    def __add__(self, other: object) -> Any:
        return whole_of(self.number + other) if isinstance(other, int | UnknownWhole) else NotImplemented

    __radd__ = __add__

    def __neg__(self) -> Any:
        return whole_of(negative(self.number))

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __rpow__(self, base: Exact | Fraction | int) -> Exact:
        return exp(self.number * log(base))

    def __eq__(self, other: object) -> bool:
        return _order(self, other) == 0 if isinstance(other, int | UnknownWhole) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return _order(self, other) < 0

    def __le__(self, other: Any) -> bool:
        return _order(self, other) <= 0

    def __gt__(self, other: Any) -> bool:
        return _order(self, other) > 0

    def __ge__(self, other: Any) -> bool:
        return _order(self, other) >= 0

    def __hash__(self) -> int:
        return hash(self.number)

    def __str__(self) -> str:
        return str(self.number)


def is_whole(end: object) -> TypeGuard[int]:
    """True where an end of an interval is one for discrete noise."""
    return isinstance(end, int | UnknownWhole)


def rounded_whole(number: int) -> int:
    """A number that was rounded, as a whole one."""
    return number if isinstance(number, int) else cast("int", whole_of(number))


def refuse_ties_of_unknown(numbers: Iterable[object]) -> None:
    """Raises `Cut` where two unknown numbers of a dict, or one and another, may be equal: they are kept apart.

    On the sides of the cut they are one number, and one key, or never equal.
    """
    numbers = list(numbers)
    unknown = [n for n in numbers if isinstance(n, Unknown) or (isinstance(n, Exact) and is_unknown(n))]
    for number in unknown:
        for other in numbers:
            if other is not number:
                assert number != other, "numbers that are known to be equal are one key"


def whole_of(number: Exact) -> int | WholeForm:
    """A number that is known to be whole, as a whole one."""
    if number.symbol is not None:
        return WholeForm(number)
    (term,) = number.terms
    return int(term.coefficient.p)


def _order(left: UnknownWhole, right: int | UnknownWhole) -> int:
    return ordering(left.number, exact(right))  # type: ignore[arg-type]  # which knows them

"""Counts of rows, as whole numbers to compute with and not to look at.

What a quality does with a `Tally` is the same for every database, since nothing can be made to depend on what the
number is: it has no truth value, is no index, and is not printed.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Hashable
from functools import reduce
from typing import Any, Final, NoReturn

from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.numbers.shown import shown


class Rows:
    """The rows of a database, which may be whatever `Counter` and `len` take: counted once."""

    def __init__(self, database: Any) -> None:
        self.database = database
        self._times: Counter[Any] | None = None

    def count(self, row: Hashable) -> int:
        """The number of times that a row occurs."""
        rows: Any = self.database
        if isinstance(self.database, Sealed):  # rows of which no more is known
            number: int = rows.count(row)
            return number
        if self._times is None:
            self._times = Counter(rows)
        return self._times[row]


class Counts:
    """Counts of the rows of a database: what a quality is given that `of_counts` makes one of databases."""

    __slots__ = ("_is_over", "_rows")
    __iter__: Final = None
    __contains__: Final = None

    def __init__(self, rows: Rows) -> None:
        self._rows: Final = rows
        self._is_over = False

    def __getitem__(self, row: Hashable) -> Tally:
        """The number of times that the row occurs. Raises `InputError` once the call of the quality is over."""
        self._refuse_if_over()
        return Tally(self, self._rows.count(row))

    @property
    def size(self) -> Tally:
        """The number of rows that the database has. Raises `InputError` once the call of the quality is over."""
        self._refuse_if_over()
        return Tally(self, len(self._rows.database))

    def _refuse_if_over(self) -> None:
        if self._is_over:
            raise _kept()

    def _operand(self, value: object) -> int:
        """The number of a tally, or another one, to be computed with."""
        if not isinstance(value, Tally):
            return _whole(value, "what a count is computed with")
        if value._counts is not self:
            raise _kept()
        return value._number

    def __reduce_ex__(self, _: object) -> NoReturn:  # whoever computes with a copy would not be seen to fail
        raise InputError(bad_mechanism.COUNT_KEPT, "copied, or pickled")


def _kept() -> InputError:
    return InputError(bad_mechanism.COUNT_KEPT, "stored between calls")


def scored(quality: Callable[[Counts, Any], Any], rows: Rows, solution: Any) -> Any:
    """The score of a solution, or what is returned in place of one.

    Raises `InputError` where it was computed from other counts. The quality sees the numbers at no time: those that it
    is given are anew for each call, and are over after it.
    """
    counts = Counts(rows)
    try:
        result = quality(counts, solution)
        return counts._operand(result) if isinstance(result, Tally) else result
    finally:
        counts._is_over = True


def _whole(value: object, what: str) -> int:
    """A number that is whole, as an int. Raises `InputError` for another value, a `Tally` among them."""
    if type(value) is bool or type(value) in WHOLE or _is_of_numpy(value):
        return int(value)  # type: ignore[call-overload, no-any-return]  # of numpy's, too
    raise InputError(bad_mechanism.COUNT_NOT_WHOLE, f"{what} is {shown(value)}, of type {type(value).__name__}")


def _is_of_numpy(value: Any) -> bool:
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__.startswith(("int", "uint", "bool")) and not bool(value.shape)


class Tally:
    """A whole number that a database has: how often a row occurs, or what is computed from that.

    With others, and with whole numbers, it is added, subtracted, multiplied, divided by `//` and `%`, and compared,
    which gives 1 or 0; it has powers, and an absolute value; `smallest` and `largest` choose among some. What would
    depend on the number in another way raises `InputError`: `if`, `min`, `range`, a place in a list.
    """

    __slots__ = ("_counts", "_number")
    __array_ufunc__: Final = None  # numpy's numbers leave operations to this class
    __iter__: Final = None
    __hash__: Final = None  # type: ignore[assignment]  # as it is compared number by number

    def __init__(self, counts: Counts, number: int) -> None:
        self._counts: Final = counts
        self._number: Final = number

    def _with(self, operation: Callable[[Any, Any], Any], *both: Any) -> Tally:
        """The operation of two operands."""
        return Tally(self._counts, operation(*map(self._counts._operand, both)))

    def __add__(self, other: Any) -> Tally:
        return self._with(operator.add, self, other)

    def __radd__(self, other: Any) -> Tally:
        return self._with(operator.add, other, self)

    def __sub__(self, other: Any) -> Tally:
        return self._with(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Tally:
        return self._with(operator.sub, other, self)

    def __mul__(self, other: Any) -> Tally:
        return self._with(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Tally:
        return self._with(operator.mul, other, self)

    def __floordiv__(self, other: Any) -> Tally:
        return self._with(operator.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Tally:
        return self._with(operator.floordiv, other, self)

    def __mod__(self, other: Any) -> Tally:
        return self._with(operator.mod, self, other)

    def __rmod__(self, other: Any) -> Tally:
        return self._with(operator.mod, other, self)

    def __pow__(self, exponent: Any) -> Tally:
        times = _whole(exponent, "the exponent of a count")
        if times < 0:
            raise InputError(bad_input.RANGE, f"the exponent {shown(exponent)} of a count", "≥ 0")
        power, square = self * 0 + 1, self
        while times:
            if times % 2:
                power = power * square
            times //= 2
            if times:
                square = square * square
        return power

    def __neg__(self) -> Tally:
        return 0 - self

    def __pos__(self) -> Tally:
        return self

    def __abs__(self) -> Tally:
        return self._with(lambda value, _: abs(value), self, 0)

    def __lt__(self, other: Any) -> Tally:
        return self._with(_as_number(operator.lt), self, other)

    def __le__(self, other: Any) -> Tally:
        return self._with(_as_number(operator.le), self, other)

    def __gt__(self, other: Any) -> Tally:
        return self._with(_as_number(operator.gt), self, other)

    def __ge__(self, other: Any) -> Tally:
        return self._with(_as_number(operator.ge), self, other)

    def __eq__(self, other: object) -> Tally:  # type: ignore[override]  # of each database
        return self._with(_as_number(operator.eq), self, other)

    def __ne__(self, other: object) -> Tally:  # type: ignore[override]  # of each database
        return self._with(_as_number(operator.ne), self, other)

    def _refuse(self, *_: object) -> NoReturn:
        raise InputError(bad_mechanism.COUNT_SEEN)

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __len__ = __round__ = _refuse
    __trunc__ = __floor__ = __ceil__ = __array__ = __reduce_ex__ = _refuse

    def _refuse_operator(self, *_: object) -> NoReturn:
        raise InputError(bad_mechanism.COUNT_NOT_WHOLE, "a count was divided by `/` or `divmod`, or was an exponent")

    __truediv__ = __rtruediv__ = __divmod__ = __rdivmod__ = __rpow__ = _refuse_operator

    def __repr__(self) -> str:
        return "a count"


def _as_number(comparison: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison that gives 1 or 0."""

    def compared(left: Any, right: Any) -> Any:
        return int(comparison(left, right))

    return compared


def smallest(*tallies: Any) -> Any:
    """The smallest of some counts and whole numbers; of none raises `InputError`."""
    return _chosen(tallies, lambda left, right: left - _as_number(operator.gt)(left, right) * (left - right))


def largest(*tallies: Any) -> Any:
    """The largest of some counts and whole numbers; of none raises `InputError`."""
    return _chosen(tallies, lambda left, right: left + _as_number(operator.lt)(left, right) * (right - left))


def _chosen(tallies: tuple[Any, ...], choose: Callable[[Any, Any], Any]) -> Any:
    if not tallies:
        raise InputError(bad_input.IS_EMPTY, "the list of counts", "count")
    return reduce(lambda left, right: _either(choose, left, right), tallies)


def _either(choose: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """One of two numbers, which are tallies or whole."""
    for one in (left, right):
        if isinstance(one, Tally):
            return one._with(choose, left, right)
    return choose(left, right)

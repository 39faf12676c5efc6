"""Counts of rows, as whole numbers to compute with and not to look at: of one database, or of many at once.

What a quality does with a `Tally` is the same for every database, since nothing can be made to depend on what the
number is: it has no truth value, is no index, and is not printed. Nor is a function of somebody's called with rows that
are there, since it could remember them. Each operation is one of each database by itself. So what is computed of many
databases at once is what is computed of each; where it may not be, `Rows.failed` says so.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.numbers.shown import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_Values: TypeAlias = "int | NDArray[np.int64]"
"""The number of one database, however large; or those of many, in 64 bits each."""

LARGEST: Final = 2**60
"""Numbers in 64 bits are not larger in absolute value, so that none overflows on the way to the next."""


class TooLarge(Exception):
    """A number of some of many databases may be beyond `LARGEST`."""


class NotCounted(Exception):
    """Raised where the counts of a row in many databases cannot be given so that each database would give its own."""


class Bounded(NamedTuple):
    """The numbers of databases; if there are many, with a bound on their absolute values, and else with 0."""

    values: Any  # Values, whose operators mypy does not know to be the same
    most: int


class Rows(ABC):
    """The rows of one database, or of each of many."""

    failed: bool = False
    """True if something was raised: who catches it may go on in a way that is not that of each database by itself."""

    @property
    @abstractmethod
    def are_many(self) -> bool:
        """True where they are those of many databases."""

    @abstractmethod
    def count(self, row: Hashable) -> Bounded:
        """The number of times that a row occurs."""

    @abstractmethod
    def size(self) -> Bounded:
        """Their number."""


class RowsOfOne(Rows):
    """The rows of one database, which may be whatever `Counter` and `len` take."""

    are_many = False

    def __init__(self, database: Any) -> None:
        self._database = database
        self._times: Any = None

    def count(self, row: Hashable) -> Bounded:
        if self._times is None:
            self._times = Counter(self._database)
        return Bounded(self._times[row], 0)

    def size(self) -> Bounded:
        return Bounded(len(self._database), 0)


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
        return self._of_rows(lambda: self._rows.count(row))

    @property
    def size(self) -> Tally:
        """The number of rows that the database has. Raises `InputError` once the call of the quality is over."""
        return self._of_rows(self._rows.size)

    def _of_rows(self, compute: Callable[[], Bounded]) -> Tally:
        if self._is_over:
            raise _kept()
        return Tally(self, compute)

    def _operand(self, value: object) -> Bounded:
        """A tally, or another number, to be computed with."""
        if not isinstance(value, Tally):
            whole = _whole(value, "what a count is computed with")
            return Bounded(whole, abs(whole) if self._rows.are_many else 0)
        if value._counts is not self:
            raise _kept()
        return value._bounded

    def __reduce_ex__(self, _: object) -> NoReturn:  # whoever computes with a copy would not be seen to fail
        raise InputError(bad_mechanism.COUNT_KEPT, "copied, or pickled")


def _kept() -> InputError:
    return InputError(bad_mechanism.COUNT_KEPT, "stored between calls")


class CountScore(NamedTuple):
    """The score of a solution that was computed from counts."""

    numbers: Any
    """See `_Values`."""


def scored(quality: Callable[[Counts, Any], Any], rows: Rows, solution: Any) -> CountScore | Any:
    """The score of a solution, as the numbers of one database or of many, or as what is returned in place of that.

    Raises `InputError` where it was computed from other counts. The quality sees the numbers at no time: those that it
    is given are anew for each call, and are over after it.
    """
    counts = Counts(rows)
    try:
        result = quality(counts, solution)
        return CountScore(counts._operand(result).values) if isinstance(result, Tally) else result
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

    __slots__ = ("_bounded", "_counts")
    __array_ufunc__: Final = None  # numpy's numbers leave operations to this class
    __iter__: Final = None
    __hash__: Final = None  # type: ignore[assignment]  # as it is compared number by number

    def __init__(self, counts: Counts, compute: Callable[[], Bounded]) -> None:
        """The result computed from the counts. Raises `TooLarge` where that is not in 64 bits and has to be."""
        self._counts: Final = counts
        try:
            self._bounded: Final = compute()
            if self._bounded.most > LARGEST:
                raise TooLarge
        except BaseException:
            counts._rows.failed = True
            raise

    def _with(self, operation: Callable[[Any, Any], Any], most: Callable[[int, int], int], *both: Any) -> Tally:
        """The operation of two operands, with a bound of its result from bounds of both."""

        def compute() -> Bounded:
            left, right = map(self._counts._operand, both)
            bound = most(left.most, right.most)
            if max(left.most, right.most, bound) > LARGEST:
                raise TooLarge
            return Bounded(operation(left.values, right.values), bound)

        return Tally(self._counts, compute)

    def __add__(self, other: Any) -> Tally:
        return self._with(operator.add, operator.add, self, other)

    def __radd__(self, other: Any) -> Tally:
        return self._with(operator.add, operator.add, other, self)

    def __sub__(self, other: Any) -> Tally:
        return self._with(operator.sub, operator.add, self, other)

    def __rsub__(self, other: Any) -> Tally:
        return self._with(operator.sub, operator.add, other, self)

    def __mul__(self, other: Any) -> Tally:
        return self._with(operator.mul, operator.mul, self, other)

    def __rmul__(self, other: Any) -> Tally:
        return self._with(operator.mul, operator.mul, other, self)

    def __floordiv__(self, other: Any) -> Tally:
        return self._with(_divided(operator.floordiv), _first, self, other)

    def __rfloordiv__(self, other: Any) -> Tally:
        return self._with(_divided(operator.floordiv), _first, other, self)

    def __mod__(self, other: Any) -> Tally:
        return self._with(_divided(operator.mod), _second, self, other)

    def __rmod__(self, other: Any) -> Tally:
        return self._with(_divided(operator.mod), _second, other, self)

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
        return self._with(lambda value, _: abs(value), _first, self, 0)

    def __lt__(self, other: Any) -> Tally:
        return self._with(_as_number(operator.lt), _one, self, other)

    def __le__(self, other: Any) -> Tally:
        return self._with(_as_number(operator.le), _one, self, other)

    def __gt__(self, other: Any) -> Tally:
        return self._with(_as_number(operator.gt), _one, self, other)

    def __ge__(self, other: Any) -> Tally:
        return self._with(_as_number(operator.ge), _one, self, other)

    def __eq__(self, other: object) -> Tally:  # type: ignore[override]  # of each database
        return self._with(_as_number(operator.eq), _one, self, other)

    def __ne__(self, other: object) -> Tally:  # type: ignore[override]  # of each database
        return self._with(_as_number(operator.ne), _one, self, other)

    def _refuse(self, *_: object) -> NoReturn:
        raise InputError(bad_mechanism.COUNT_SEEN)

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __len__ = __round__ = _refuse
    __trunc__ = __floor__ = __ceil__ = __array__ = __reduce_ex__ = _refuse

    def _refuse_operator(self, *_: object) -> NoReturn:
        raise InputError(bad_mechanism.COUNT_NOT_WHOLE, "a count was divided by `/` or `divmod`, or was an exponent")

    __truediv__ = __rtruediv__ = __divmod__ = __rdivmod__ = __rpow__ = _refuse_operator

    def __repr__(self) -> str:
        return "a count"


def _first(left: int, _: int) -> int:
    return left


def _second(_: int, right: int) -> int:
    return right


def _one(_: int, __: int) -> int:
    return 1


def _divided(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A division that raises where numpy would warn, and go on."""

    def divided(left: Any, right: Any) -> Any:
        by_many = hasattr(right, "shape")
        if (by_many and (right == 0).any()) or (not by_many and hasattr(left, "shape") and right == 0):
            raise ZeroDivisionError("a count of some database is divided by 0")
        return operation(left, right)

    return divided


def _as_number(comparison: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison that gives 1 or 0."""

    def compared(left: Any, right: Any) -> Any:
        result = comparison(left, right)
        return result.astype("int64") if hasattr(result, "shape") else int(result)

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
    """One of two, which is within the bounds of both: those of the arithmetic that chooses would double each time."""
    for one in (left, right):
        if isinstance(one, Tally):
            return one._with(choose, max, left, right)
    return choose(left, right)

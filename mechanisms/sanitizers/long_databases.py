"""Memory of a long database: a mechanism is run on it once for each path, and goes through it each time.

It is remembered of the tuple itself, and not of all that equal it, as (1,) and (True,) do; and of a few alone.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, wraps
from typing import Any, Final, ParamSpec, TypeVar

_Row = TypeVar("_Row", bound=Hashable)
Rest = ParamSpec("Rest")
_Result = TypeVar("_Result")

_MOST: Final = 4


class _Itself:
    """A tuple that equals itself alone."""

    __slots__ = ("rows",)

    def __init__(self, rows: tuple[Any, ...]) -> None:
        self.rows: Final = rows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.rows is other.rows

    def __hash__(self) -> int:
        return id(self.rows)


def remembered_of_tuple(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """`function`, whose first argument is a sequence, with its last results remembered where that is a tuple.

    What the tuple holds must not change, nor what is returned; the other arguments are numbers, or tuples of them.
    """

    @lru_cache(maxsize=_MOST, typed=True)
    def of_tuple(itself: _Itself, *args: Any) -> _Result:
        return function(itself.rows, *args)

    @wraps(function)
    def remembering(rows: Sequence[Any], *args: Any) -> _Result:
        return of_tuple(_Itself(rows), *args) if type(rows) is tuple else function(rows, *args)

    return remembering


@remembered_of_tuple
def numbers_of(rows: Sequence[_Row]) -> Counter[_Row]:
    """The number of times that each row occurs, not to be changed."""
    return Counter(rows)

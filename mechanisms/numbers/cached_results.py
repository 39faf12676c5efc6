"""Results remembered by the structure of the numbers that they were computed from.

A table that goes by value would have to compare numbers that may be equal without a test that tells. The numbers are
kept with the results, so that their serial numbers stay theirs.
"""

import sys
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from dpverify.mechanisms.numbers.atoms import NumberForm

_Number = TypeVar("_Number", bound="NumberForm")
_Result = TypeVar("_Result")

_Operation: TypeAlias = Callable[[_Number, _Number], _Number]

_MOST: Final = 1 << 16

identity: Final[Callable[[object], int]] = object.__hash__ if sys.implementation.name == "cpython" else id
"""A number of an object that no other one has while it lives: its address, as `id`, whose bits are turned.

Of each `id` Python tells all who listen to what a process does, which takes longer than to ask for it (see
`reaching.outside`); of this it does not. What is looked up in every run of a mechanism goes by it.
"""

_results: dict[tuple[_Operation[Any], int, int], tuple[Any, Any, Any]] = {}


def remembered(operation: _Operation[_Number], left: _Number, right: _Number) -> _Number:
    """operation(left, right): a mechanism computes the same thresholds on every database."""
    key = (operation, left.serial, right.serial)
    known = _results.get(key)
    if known is None:
        if len(_results) >= _MOST:
            _results.clear()
        known = _results[key] = (left, right, operation(left, right))
    result: _Number = known[2]
    return result


def by_identity(function: Callable[[_Number], _Result]) -> Callable[[_Number], _Result]:
    """`function`, with its results remembered by the number's structure."""
    results: dict[int, tuple[_Number, _Result]] = {}

    @wraps(function)
    def remembering(number: _Number) -> _Result:
        known = results.get(number.serial)
        if known is None:
            if len(results) >= _MOST:
                results.clear()
            known = results[number.serial] = (number, function(number))
        return known[1]

    return remembering

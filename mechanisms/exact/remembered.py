"""Results remembered by the structure of the numbers that they were computed from.

A table that goes by value would have to compare numbers that may be equal without a test that tells. The numbers are
kept with the results, so that their serial numbers stay theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from dpverify.mechanisms.exact.exact_numbers import Exact

Operation: TypeAlias = Callable[["Exact", "Exact"], "Exact"]

_Result = TypeVar("_Result")

_MOST: Final = 1 << 16

_results: dict[tuple[Operation, int, int], tuple[Exact, Exact, Exact]] = {}


def remembered(operation: Operation, left: Exact, right: Exact) -> Exact:
    """operation(left, right): a mechanism computes the same thresholds on every database."""
    key = (operation, left.serial, right.serial)
    known = _results.get(key)
    if known is None:
        if len(_results) >= _MOST:
            _results.clear()
        known = _results[key] = (left, right, operation(left, right))
    return known[2]


def by_identity(function: Callable[[Exact], _Result]) -> Callable[[Exact], _Result]:
    """`function`, with its results remembered by the number's structure."""
    results: dict[int, tuple[Exact, _Result]] = {}

    @wraps(function)
    def remembering(number: Exact) -> _Result:
        known = results.get(number.serial)
        if known is None:
            if len(results) >= _MOST:
                results.clear()
            known = results[number.serial] = (number, function(number))
        return known[1]

    return remembering

"""Findings on codes, remembered by their identities: codes of two files may be equal, and to hash one takes long."""

from collections.abc import Callable
from functools import wraps
from types import CodeType
from typing import Final, TypeVar

from dpverify.mechanisms.numbers.cached_results import identity

_Found = TypeVar("_Found")

_MOST: Final = 1 << 12


def by_code(find: Callable[[CodeType], _Found]) -> Callable[[CodeType], _Found]:
    """`find`, with its results remembered; the codes are kept with them, so that their identities stay theirs."""
    known: dict[int, tuple[CodeType, _Found]] = {}

    @wraps(find)
    def finding(code: CodeType) -> _Found:
        result = known.get(identity(code))
        if result is None:
            if len(known) >= _MOST:
                known.clear()
            result = known[identity(code)] = code, find(code)
        return result[1]

    return finding

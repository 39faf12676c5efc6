"""Sizes that a domain may have, counted without making what is too large."""

import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, Protocol

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.long_sequences import length

LARGEST_UNIVERSE: Final = 1_000_000
"""Rows of a universe; its databases are many more."""

LARGEST_DATABASE: Final = 1_000_000
"""Rows of a database, or scores of a vector."""

LARGEST_TABLE: Final = 100_000_000
"""Rows of all databases of a domain together."""


def within_limit(given: Iterable[Any], limit: int, name: str, of: str) -> Sequence[Any]:
    """`given` as a sequence: a range as it is. Raises `InputError` for more than `limit`, before more are made."""
    too_many = bad_input.TOO_MANY.text(name, f"{limit:,} {of}", "")
    if isinstance(given, range):
        if length(given) > limit:
            raise InputError(too_many)
        return given
    members = tuple(islice(given, limit + 1))
    if len(members) > limit:
        raise InputError(too_many)
    return members


def refuse_longer(n: int, name: str) -> None:
    """Raises `InputError` for a database of more than `LARGEST_DATABASE` rows."""
    if n > LARGEST_DATABASE:
        raise InputError(bad_input.BEYOND, f"{name}={shown(n)}", f"{LARGEST_DATABASE:,}", "choose smaller databases")


def refuse_by_place(misplaced: tuple[object, ...], name: str) -> None:
    """Raises `InputError` where something is given by its place that has to be named."""
    if misplaced:
        raise InputError(bad_input.NEEDS, shown(misplaced[0]), "its name", f"write {name}={shown(misplaced[0])}")


def power_up_to(base: int, exponent: int, limit: int) -> int:
    """base^exponent for a base ≥ 1, or some number beyond `limit` ≥ 0 where that is: no large power is made."""
    if base == 1:
        return 1
    number = 1
    for _ in range(exponent):
        number *= base
        if number > limit:
            break
    return number


def choices_up_to(n: int, k: int, limit: int) -> int:
    """The ways to choose k of n, or some number beyond `limit` ≥ 0 where that is: no large one is made."""
    number = 1
    for i in range(1, min(k, n - k) + 1):
        number = number * (n - min(k, n - k) + i) // i
        if number > limit:
            break
    return number


class Counted(Protocol):
    """A domain that knows how many databases it has."""

    def has_more_than(self, limit: int) -> bool:
        """True where it has more than that, found without counting further."""


def refuse_beyond_len(domain: Counted) -> None:
    """Raises `OverflowError` where len() cannot say how many databases there are, before they are counted."""
    if domain.has_more_than(sys.maxsize):
        raise OverflowError(f"{shown(domain)} has more databases than len() can say")

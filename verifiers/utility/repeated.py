"""Databases and samples given as how often each row occurs."""

from collections.abc import Iterable
from itertools import chain, repeat, starmap
from typing import TypeVar

_Row = TypeVar("_Row")


def written_out(repeated: Iterable[tuple[_Row, int]]) -> tuple[_Row, ...]:
    """Each row as often as it occurs, in the order given; without a step of Python for each, as databases are long."""
    return tuple(chain.from_iterable(starmap(repeat, repeated)))

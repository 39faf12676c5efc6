"""Mechanisms that are thin: they hand over to another one, or add noise to a number, and are run as if written there.

Where another mechanism is replaced by its law, which is remembered, a thin one is part of the run that draws from it,
unless what it gives is returned at once: both give one law, and to remember it would cost more.
"""

from types import FunctionType
from typing import Final, TypeVar

from dpverify.mechanisms.functions.mechanism import Mechanism

_Mechanism = TypeVar("_Mechanism", bound=Mechanism)

_THIN: Final[set[Mechanism]] = set()


def thin(mechanism: _Mechanism) -> _Mechanism:
    """The mechanism itself, which is thin from now on: a decorator for functions of this library."""
    _THIN.add(mechanism)
    return mechanism


def is_thin(mechanism: Mechanism) -> bool:
    """True for one that was said to be thin."""
    return type(mechanism) is FunctionType and mechanism in _THIN

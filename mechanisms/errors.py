"""How this library says that it cannot answer."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input: the message names the argument and says what to write instead."""


class MechanismError(InputError):
    """A mechanism that cannot be run or enumerated: the message names it, the database and the reason."""


class Undecided(ArithmeticError):
    """A sign could not be decided: the message says why no complete test exists for the number."""

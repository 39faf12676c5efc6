"""How this library says that it cannot answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpverify.mechanisms.exact_numbers import Exact
    from dpverify.mechanisms.symbols import Symbol


class InputError(ValueError):
    """Bad input: the message names the argument and says what to write instead."""


class MechanismError(InputError):
    """A mechanism that cannot be run or enumerated: the message names it, the database and the reason."""


class Overtime(MechanismError):
    """A mechanism that had not returned when its time was up: no verdict follows from that."""


class Undecided(ArithmeticError):
    """A sign could not be decided: the message says why no complete test exists for the number."""


class DependsOnEpsilon(Undecided):
    """A sign is not the same for all ε that a symbol stands for: it changes at those of `at`, in rising order."""

    def __init__(self, message: str, at: tuple[Exact, ...], symbol: Symbol) -> None:
        super().__init__(message)
        self.at = at
        self.symbol = symbol

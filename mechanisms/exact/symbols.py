"""ε as a variable: a symbol stands for any number of an open interval.

Inside the numbers e^ε is one more *base* beside the primes, named by a negative whole number, and ε is its logarithm:
exp, log and sqrt treat it as they treat a prime. What tells it from a prime is that it has no value.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpverify.mechanisms.exact.epsilon_root import End, EpsilonRoot
    from dpverify.mechanisms.exact.exact_numbers import Exact

_numbers: Iterator[int] = itertools.count(-1, -1)


PUBLIC: Final = -1
"""The base of `dpverify.mechanisms.symbolic`, the first symbol that is made: the same in every process."""


class Symbol:
    """Any number strictly between low ≥ 0 and high, where None is no bound; `base` names e^symbol.

    One that is `handed_out` stands for an ε that a mechanism is given: it answers no question but comparisons. One with
    a `value` stands for that single ε, which has no closed form: every question about it has one answer.
    """

    __slots__ = ("__weakref__", "base", "handed_out", "high", "low", "refused", "sample", "value")

    def __init__(
        self,
        low: End | None = None,
        high: End | None = None,
        *,
        value: EpsilonRoot | None = None,
        handed_out: bool = False,
    ) -> None:
        self.low: Final = low
        self.high: Final = high
        self.value: Final = value
        self.handed_out: Final = handed_out
        self.base: Final = next(_numbers)
        self.sample: Exact | None = None
        """A rational number of the interval, once one was asked for: see `symbolic_epsilon.sample`."""
        self.refused: Exception | None = None
        """The first question about it that has no answer: whoever asked may have caught the error."""
        _symbols[self.base] = self

    def take_note(self, error: Exception) -> None:
        """Remember that a question had no answer: the run is not to be accepted."""
        self.refused = self.refused or error


_symbols: WeakValueDictionary[int, Symbol] = WeakValueDictionary()


def refuse_to_travel(base: int) -> None:
    """Raises `TypeError` for a base that names another number, or none, in another process."""
    if base < PUBLIC:
        raise TypeError("a symbolic ε of an interval belongs to one process")


def symbol_of(base: int) -> Symbol | None:
    """The symbol that a base names, None for a prime."""
    return _symbols[base] if base < 0 else None

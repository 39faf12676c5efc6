"""Numbers that are known by balls alone: probabilities without a closed form, such as those of Gaussian noise compared.

Such a number is an atom of exact numbers. It is computed when somebody asks for a ball, at the precision that is asked
for, up to a limit of its own; beyond that its ball stays as it is. Two of one name are one number, so that what is
equal by its structure cancels before any ball is computed. No test tells whether a sum of them is 0 otherwise.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, Final

from flint import arb, ctx

_MOST_BITS: Final = 512
"""Precision at which a number is given up that is computed by integrals or by long sums."""


class Certified(ABC):
    """A positive number, of which `compute` gives balls; it travels between processes as what it is made of."""

    most_bits: ClassVar[int] = _MOST_BITS
    """The precision from which on its balls are no smaller."""

    is_wide: ClassVar[bool] = False
    """True where its smallest ball may be far too wide for a float64 to stand for it."""

    @cached_property
    def is_unknown(self) -> bool:
        """True where unknown numbers are in what it is: then its balls hold for all that they may be."""
        return False

    def with_numbers(self, put: Callable[[Any], Any]) -> Any:
        """The exact number that it is with put(number) in the place of each number; None for itself."""
        return None

    @property
    @abstractmethod
    def name(self) -> str:
        """Two numbers of one name are equal."""

    @property
    @abstractmethod
    def readable(self) -> str:
        """A text of it, for people to read."""

    @abstractmethod
    def compute(self, bits: int) -> arb:
        """A ball that contains the number, computed with about so many bits."""

    def ball(self) -> arb:
        """A ball that contains the number, for the precision that is set."""
        return self._at(min(ctx.prec, self.most_bits))

    def _at(self, bits: int) -> arb:
        known: dict[int, arb] = self.__dict__.setdefault("_balls", {})
        if bits not in known:
            known[bits] = self.compute(bits)
        return known[bits]

    def __getstate__(self) -> dict[str, object]:
        return {name: part for name, part in self.__dict__.items() if name != "_balls"}

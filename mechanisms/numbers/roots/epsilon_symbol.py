"""A symbolic ε: any number of an open interval, or the one ε that is a root without a closed form."""

from typing import Final

from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.symbols import Symbol


class EpsilonSymbol(Symbol):
    """Any ε strictly between low ≥ 0 and high, where None is no bound."""

    __slots__ = ("high", "low", "sample")

    def __init__(
        self,
        low: Exact | None = None,
        high: Exact | None = None,
        *,
        handed_out: bool = False,
    ) -> None:
        super().__init__(handed_out=handed_out)
        self.low: Final = low
        self.high: Final = high
        self.sample: Exact | None = None
        """A rational number of the interval, once one was asked for: see `symbolic_epsilon.sample`."""


class DependsOnEpsilon(Undecided):
    """A sign is not the same for all ε that a symbol stands for: it changes at those of `at`, in rising order."""

    def __init__(self, message: str, at: tuple[Exact, ...], symbol: EpsilonSymbol) -> None:
        super().__init__(message)
        self.at = at
        self.symbol = symbol

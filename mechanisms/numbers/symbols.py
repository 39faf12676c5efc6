"""Variables: a symbol stands for any ε of an open interval, or for any whole number ≥ 0.

Inside the numbers e^ε is one more *base* beside the primes, named by a negative whole number, and ε is its logarithm:
exp, log and sqrt treat it as they treat a prime. What tells it from a prime is that it has no value. So it is with a
`WholeSymbol` h, any whole number ≥ 0, of which scores are sums; and e^(h·ln p) or e^(h·ε) is a base of its own, a
`PairSymbol`. Of the symbols of theorems δ is any number between 0 and 1, N any whole number from 1 on, and each the
logarithm of its base.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Protocol
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from fractions import Fraction

PUBLIC: Final = -1
"""The base of `dpverify.mechanisms.symbolic`, the first symbol that is made: the same in every process."""

OF_DELTA: Final = -2
"""The symbol of `dpverify.mechanisms.numbers.roots.symbolic_delta`, likewise."""

OF_DEPTH: Final = -3
"""The symbol of `dpverify.mechanisms.numbers.roots.symbolic_depth`, likewise."""

_numbers: Iterator[int] = itertools.chain((PUBLIC,), itertools.count(OF_DEPTH - 1, -1))


class Symbol:
    """A symbol that a number is a function of: an ε (`epsilon_symbol.py`), or a coordinate; `base` names e^symbol.

    One that is `handed_out` stands for what a mechanism is given: it answers no question but comparisons.
    """

    __slots__ = ("__weakref__", "base", "handed_out", "refused")

    is_whole: ClassVar[bool] = False
    """True where a number that holds it is a function of coordinates: then these decide, also where ε stands beside."""

    def __init__(self, *, handed_out: bool = False, base: int | None = None) -> None:
        self.handed_out: Final = handed_out
        self.base: Final = next(_numbers) if base is None else base
        self.refused: Exception | None = None
        """The first question about it that has no answer: whoever asked may have caught the error."""
        _symbols[self.base] = self

    def take_note(self, error: Exception) -> None:
        """Remember that a question had no answer: the run is not to be accepted."""
        self.refused = self.refused or error


_symbols: WeakValueDictionary[int, Symbol] = WeakValueDictionary()


class SymbolOfTheorems(Symbol):
    """Any δ strictly between 0 and 1, or any depth N ≥ 1: there is one of each, of which theorems alone speak."""

    __slots__ = ()

    def __init__(self, base: int) -> None:
        assert base in (OF_DELTA, OF_DEPTH) and base not in _symbols, "there is one of each"
        super().__init__(base=base)


class _OfCoordinates(Symbol):
    """A symbol of numbers that hold a coordinate: a sign that has no answer is noted for all of them."""

    __slots__ = ()

    is_whole: ClassVar[bool] = True

    def take_note(self, error: Exception) -> None:
        """Remember, for all coordinates, that a question had no answer."""
        notes.refused = notes.refused or error


class WholeSymbol(_OfCoordinates):
    """Any whole number ≥ 0: the i-th of as many as are asked for, one and the same in all numbers.

    What holds of a number with coordinates holds for all their values; so nothing about it depends on where it arose.
    """

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        super().__init__(handed_out=True)
        self.place: Final = place


class PairSymbol(_OfCoordinates):
    """The product of ln factor and a coordinate h, where the factor is a base: `base` names p^h or e^(ε·h)."""

    __slots__ = ("epsilon", "factor", "whole")

    def __init__(self, factor: int, whole: WholeSymbol) -> None:
        super().__init__(handed_out=True)
        self.whole: Final = whole
        self.factor: Final = factor
        self.epsilon: Final = symbol_of(factor)  # which lives as long as this


class PatternAnswers(Protocol):
    """Somebody who answers what a mechanism asks of numbers that are functions of coordinates, on some databases."""

    def holds(self, number: Any, relation: Callable[[Any, Any], Any]) -> bool:
        """True where a number is < 0, or the like, on these."""

    def value(self, number: Any) -> Fraction:
        """The number that it is on these."""

    @property
    def are_open(self) -> bool:
        """True where noise does not ask for what is added to it, and is compared with it once."""

    def refuse(self, why: str) -> NoReturn:
        """End the run."""

    def chance(self, value: Any, relation: Any) -> Any:
        """The chance that noise with such a number `relation` 0, of which no sign is asked, for a number that it is."""


class Notes:
    """The first question about coordinates that had no answer since `refused` was set to None; and who answers."""

    refused: Exception | None = None
    answers: PatternAnswers | None = None
    """None, most often, where a mechanism is run on all databases: what is not the same on all is a `Cut` then."""


notes: Final = Notes()

_wholes: Final[list[WholeSymbol]] = []
_pairs: Final[dict[tuple[int, int], PairSymbol]] = {}


def whole_symbol(place: int) -> WholeSymbol:
    """The coordinate of that place, counted from 0."""
    while len(_wholes) <= place:
        _wholes.append(WholeSymbol(len(_wholes)))
    return _wholes[place]


def pair_base(left: int, right: int) -> int | None:
    """The base e^(ln left·ln right) for two bases of which one is a coordinate's; None for two others, or two such."""
    for factor, base in ((left, right), (right, left)):
        symbol, other = symbol_of(base), symbol_of(factor)
        if isinstance(symbol, WholeSymbol) and (other is None or not other.is_whole):
            key = (factor, symbol.place)
            if key not in _pairs:
                _pairs[key] = PairSymbol(factor, symbol)
            return _pairs[key].base
    return None


def leading(symbols: Iterable[Symbol | None]) -> Symbol | None:
    """Of the symbols in a number the one that says how its sign is decided: a whole one, if there is any."""
    result = None
    for symbol in symbols:
        if symbol is not None:
            if symbol.is_whole:
                return symbol
            result = result or symbol
    return result


def refuse_to_travel(base: int) -> None:
    """Raises `TypeError` for a base that names another number, or none, in another process."""
    if base < OF_DEPTH:
        raise TypeError("a symbolic ε of an interval belongs to one process")


def symbol_of(base: int) -> Symbol | None:
    """The symbol that a base names, None for a prime."""
    return _symbols[base] if base < 0 else None

"""Atoms: the numbers without a closed form that exact numbers are made of, beside e and the primes.

The same atom, built twice, is the same object.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal
from weakref import WeakValueDictionary

from flint import arb

from dpverify.mechanisms.exact.certified import Certified
from dpverify.mechanisms.exact.symbols import refuse_to_travel, symbol_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpverify.mechanisms.exact.exact_numbers import Exact

serials: Final[Iterator[int]] = itertools.count()
"""Of atoms and numbers alike, as both are factors of terms, which are sorted by them."""


class Atom:
    """A number without a closed form here: the logarithm of a prime, `function`(`argument`), or a certified number."""

    __slots__ = ("__weakref__", "argument", "ball", "function", "order", "serial", "symbol")

    is_atom: ClassVar[Literal[True]] = True

    def __init__(self, function: str, argument: int | Exact | Certified) -> None:
        # "log", "exp", "sqrt" or "normal_tail"; an int is a base, and only under "log"
        self.function: Final = function
        self.argument: Final = argument
        self.serial: Final = next(serials)
        self.ball: arb | None = None
        self.order: tuple[str, int, str] | None = None  # kept by `polynomial_form`
        self.symbol: Final = (
            symbol_of(argument) if isinstance(argument, int) else getattr(argument, "symbol", None)
        )  # a certified number is a function of nothing

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.argument, int):
            refuse_to_travel(self.argument)
        return atom, (self.function, self.argument)


CERTIFIED: Final = "certified"
"""The function of an atom that is a certified number."""


# Held weakly: an atom lives as long as some number uses it.
_shared: WeakValueDictionary[tuple[str, int | str | None, int | None], Atom] = WeakValueDictionary()


def atom(function: str, argument: int | Exact | Certified) -> Atom:
    """The shared atom log(base), function(argument) for an argument without a closed form, or a certified number."""
    key: tuple[str, int | str | None, int | None]
    if isinstance(argument, int):
        key = (function, argument, None)
    elif isinstance(argument, Certified):
        key = (function, argument.name, None)
    else:
        key = (function, None, argument.serial)
    found = _shared.get(key)
    if found is None:
        found = _shared[key] = Atom(function, argument)
    return found

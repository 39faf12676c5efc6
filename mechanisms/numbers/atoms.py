"""Atoms: the numbers without a closed form that exact numbers are made of, beside e and the primes.

The same atom, built twice, is the same object.

Atoms hold numbers, and numbers atoms. The classes of numbers (`exact_numbers.py`) have the arithmetic for operators,
which needs signs, enclosures, texts and the algebra of ties; and these read of a number what it is made of, and use no
operator. So they stand below the classes, and what they read is said here.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, TypeAlias
from weakref import WeakValueDictionary

from flint import arb, fmpq

from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.symbols import refuse_to_travel, symbol_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpverify.mechanisms.numbers.monomials import Monomial
    from dpverify.mechanisms.numbers.symbols import Symbol

serials: Final[Iterator[int]] = itertools.count()
"""Of atoms and numbers alike, as both are factors of terms, which are sorted by them."""


class NumberForm(Protocol):
    """A number as the terms of which it is the sum."""

    ball: arb | None
    """A ball around it at the working precision, once it was asked for."""

    @property
    def terms(self) -> tuple[TermForm, ...]:
        """Of pairwise distinct units; of a term itself alone."""

    @property
    def serial(self) -> int:
        """Serial number by which it is known, and sorted, in this process."""

    @property
    def symbol(self) -> Symbol | None:
        """The symbol that it is a function of: see `symbols.leading`."""


class TermForm(NumberForm, Protocol):
    """coefficient·monomial·∏ factorᵏ."""

    @property
    def coefficient(self) -> fmpq:
        """A rational number."""

    @property
    def monomial(self) -> Monomial:
        """e^a·∏p^r."""

    @property
    def factors(self) -> tuple[tuple[AtomOfSum | Atom, int], ...]:
        """Each with its whole power, which is not 0."""

    @property
    def is_rational(self) -> bool:
        """True where it is its coefficient alone."""


class AtomOfSum(NumberForm, Protocol):
    """Two or more terms."""

    is_atom: ClassVar[Literal[False]]


FactorForm: TypeAlias = "AtomOfSum | Atom"


class Atom:
    """A number without a closed form here: the logarithm of a prime, `function`(`argument`), or a certified number."""

    __slots__ = ("__weakref__", "argument", "ball", "function", "order", "serial", "symbol")

    is_atom: ClassVar[Literal[True]] = True

    def __init__(self, function: str, argument: int | NumberForm | Certified) -> None:
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


def atom(function: str, argument: int | NumberForm | Certified) -> Atom:
    """The shared atom log(base), function(argument) for an argument without a closed form, or a certified number."""
    key: tuple[str, int | str | None, int | None]
    if isinstance(argument, int):
        key = (function, argument, None)
    elif isinstance(argument, Certified):
        key = (function, argument.name, None)
    else:
        key = (function, None, argument.serial)
    result = _shared.get(key)
    if result is None:
        result = _shared[key] = Atom(function, argument)
    return result

"""A symbolic δ: any number between 0 and 1, of which theorems speak and nothing else.

It is a number like the symbolic ε, and can be multiplied, so that a claim may be of 2·δ or of e^ε·δ. Sums that hold it
are compared where all their terms have one sign, and no mechanism is run on it.
"""

from collections.abc import Iterator
from typing import Any, Final

from dpverify.mechanisms.numbers.atoms import Atom, atom
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact, from_factor
from dpverify.mechanisms.numbers.roots.substitution import NumberSubstitution
from dpverify.mechanisms.numbers.symbols import DeltaSymbol, Symbol, symbol_of

_DELTA: Final = DeltaSymbol()

symbolic_delta: Final = from_factor(atom("log", _DELTA.base))
"""δ itself, for any 0 < δ < 1: `check_privacy(…, delta=symbolic_delta)` decides for all δ at once, by a theorem."""


def holds_delta(value: Any) -> bool:
    """True where a number depends on the symbolic δ, or one in a tuple, list or dict does."""
    if isinstance(value, Exact):
        return value.symbol is not None and any(symbol is _DELTA for symbol in _symbols_in(value))
    parts = value.values() if type(value) is dict else value if type(value) in (tuple, list) else ()
    return any(map(holds_delta, parts))


def _symbols_in(number: Exact) -> Iterator[Symbol | None]:
    for term in number.terms:
        yield from (symbol_of(base) for base, _ in term.monomial.radicals)
        for factor, _ in term.factors:
            if not isinstance(factor, Atom):
                yield from _symbols_in(factor)
            elif isinstance(factor.argument, int):
                yield symbol_of(factor.argument)
            elif isinstance(factor.argument, Exact):
                yield from _symbols_in(factor.argument)


def with_delta(value: Any, delta: ExactLike) -> Any:
    """`value` with a number in the place of the symbolic δ: in numbers, and in tuples, lists and dicts of them.

    Raises `InputError` unless 0 < delta < 1.
    """
    number = exact(delta, "delta")
    if not 0 < number < 1:
        raise InputError(bad_input.RANGE, f"delta={number}", "between 0 and 1, as the symbolic δ is")
    return _put(NumberSubstitution(_DELTA, number), value)


def _put(put: NumberSubstitution, value: Any) -> Any:
    if isinstance(value, Exact):
        return put(value)
    if type(value) in (tuple, list):
        return type(value)(_put(put, part) for part in value)
    if type(value) is dict:
        return {key: _put(put, part) for key, part in value.items()}
    return value

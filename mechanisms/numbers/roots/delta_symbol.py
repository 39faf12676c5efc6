"""A symbolic δ, any number between 0 and 1, and a symbolic depth N of a recursion: theorems speak of them alone.

They are numbers like the symbolic ε, and can be multiplied, so that a claim may be of 2·δ, of e^ε·δ or of (3N − 2)·ε.
Sums that hold them are compared where all their terms have one sign, and no mechanism is run on them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from dpverify.mechanisms.numbers.atoms import Atom, atom
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact, from_factor
from dpverify.mechanisms.numbers.roots.substitution import NumberSubstitution
from dpverify.mechanisms.numbers.symbols import OF_DELTA, OF_DEPTH, Symbol, SymbolOfTheorems, symbol_of

_DELTA: Final = SymbolOfTheorems(OF_DELTA)
_DEPTH: Final = SymbolOfTheorems(OF_DEPTH)

symbolic_delta: Final = from_factor(atom("log", _DELTA.base))
"""δ itself, for any 0 < δ < 1: `check_privacy(…, delta=symbolic_delta)` decides for all δ at once, by a theorem."""

symbolic_depth: Final = from_factor(atom("log", _DEPTH.base))
"""N itself, for any whole N ≥ 1: a claim of a mechanism with `depth=symbolic_depth` is decided by induction."""


def holds_delta(value: Any) -> bool:
    """True where a number depends on the symbolic δ or depth, or one in a tuple, list or dict does."""
    return _holds(value, (_DELTA, _DEPTH))


def holds_depth(value: Any) -> bool:
    """True where a number depends on the symbolic depth, or one in a tuple, list or dict does."""
    return _holds(value, (_DEPTH,))


def _holds(value: Any, symbols: Sequence[Symbol]) -> bool:
    if isinstance(value, Exact):
        return value.symbol is not None and any(symbol in symbols for symbol in _symbols_in(value))
    parts = value.values() if type(value) is dict else value if type(value) in (tuple, list) else ()
    return any(_holds(part, symbols) for part in parts)


def at_depth(value: Any, depth: ExactLike) -> Any:
    """`value` with a number in the place of the symbolic depth: in numbers, and in tuples, lists and dicts."""
    return _put(NumberSubstitution(_DEPTH, exact(depth)), value)


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

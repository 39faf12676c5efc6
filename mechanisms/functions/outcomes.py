"""The outcomes that a law can hold."""

from collections.abc import AsyncGenerator, Collection, Coroutine, Generator
from enum import Enum
from fractions import Fraction
from itertools import chain
from types import FunctionType, NoneType
from typing import Any, Final

from dpverify.mechanisms.functions.lookalikes import state
from dpverify.mechanisms.functions.unhashable import hashable_in_place
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.containers import Kind, as_returned
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, Unknown
from dpverify.mechanisms.numbers.shown import shown, told


def refuse_outcome(outcome: Any) -> None:
    """Raises `InputError` for what no law can hold: what cannot be hashed, does not equal itself, or is a generator.

    Nor can it hold what depends on a symbolic ε: whether two outcomes are one would be a question of ε.
    """
    if is_plain(outcome):
        return
    if _holds_a_noise_law(outcome):
        raise InputError(bad_mechanism.RETURNED, f"{outcome}, a noise and no number", "what is drawn from it, draw(…)")
    if holds_a_symbol(outcome):
        raise InputError(
            bad_mechanism.RETURNED,
            f"{shown(outcome)}, which depends on a symbolic ε or on an unknown score",
            "the result, and not the arguments",
        )
    if isinstance(outcome, Generator | Coroutine | AsyncGenerator):
        if not isinstance(outcome, AsyncGenerator):
            outcome.close()  # or Python warns of a coroutine that was never awaited
        raise InputError(
            bad_mechanism.RETURNED, "a generator or a coroutine", "the outcome itself, without yield or async"
        )
    try:
        hash(outcome)
    except TypeError as error:
        raise InputError(
            bad_input.NOT_HASHABLE,
            f"returned a {type(as_returned(outcome)).__name__} which",
            f" ({told(error)})",
            hashable_in_place([outcome], "return"),
        ) from None
    if _may_change_unseen(outcome):
        raise InputError(
            bad_mechanism.RETURNED,
            f"{shown(outcome)}, which equals itself alone and holds what may change",
            "a tuple, a frozen dataclass or a member of an Enum",
        )
    if outcome != outcome:  # noqa: PLR0124  # a NaN is what does not equal itself
        raise InputError(bad_mechanism.RETURNED, f"{shown(outcome)}, which does not equal itself", "None or a string")


def is_plain(outcome: Any) -> bool:
    """True where an outcome is made of whole numbers, texts and the like in tuples alone: the most frequent one is."""
    kind = type(outcome)
    if kind is not tuple:
        return kind in _PLAIN
    kinds = set(map(type, outcome))
    if kinds <= _PLAIN:
        return True
    if kinds == _TUPLE and _PLAIN.issuperset(map(type, chain.from_iterable(outcome))):  # as long databases are
        return True
    return kinds <= _PLAIN_OR_TUPLE and all(map(is_plain, outcome))


def are_plain(outcomes: Collection[Any]) -> bool:
    """True where all are plain."""
    return _PLAIN.issuperset(map(type, outcomes)) or all(map(is_plain, outcomes))


_PLAIN: Final = frozenset({NoneType, bool, int, str, bytes, Fraction, Kind})
_TUPLE: Final = frozenset({tuple})
_PLAIN_OR_TUPLE: Final = _PLAIN | {tuple}


def _may_change_unseen(outcome: Any) -> bool:
    """True where an outcome is, or holds, an object that is compared by identity although it has attributes."""
    kind: Any = type(outcome)
    if kind in (int, str, bool, Fraction):
        return False
    if kind in (tuple, frozenset):
        return any(map(_may_change_unseen, outcome))
    if kind.__eq__ is not object.__eq__ or isinstance(outcome, Enum | type | FunctionType):
        return False
    return any(True for _ in state(outcome))


def _holds_a_noise_law(outcome: Any) -> bool:
    return isinstance(outcome, NoiseLaw) or (isinstance(outcome, tuple) and any(map(_holds_a_noise_law, outcome)))


def holds_a_symbol(outcome: Any) -> bool:
    """True where a number in an outcome, or in a key, depends on a symbolic ε, an unknown score or a count."""
    if isinstance(outcome, Unknown):
        return True
    if isinstance(outcome, Exact):
        return outcome.symbol is not None
    return isinstance(outcome, tuple | frozenset) and any(map(holds_a_symbol, outcome))

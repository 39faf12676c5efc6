"""Outcomes as a sampler gives them, as arrays: numbers, rows of numbers, or anything that can be hashed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import shown

Outcomes: TypeAlias = np.ndarray[Any, Any]
"""One outcome in each place of the first axis: of int64, of float64, of rows of these, or of objects."""

_WHOLE: Final = (int, bool, np.integer, np.bool_)
_REAL: Final = (*_WHOLE, float, np.floating)
_LARGEST: Final = 1 << 53
"""Whole numbers up to which a float holds each."""


def as_outcomes(given: Any, size: int, who: str) -> Outcomes:
    """What a sampler gave for `size` draws. Raises `InputError` where that is another number of them, or none hashable.

    An array of numbers is taken as it is; lists of numbers, and of tuples of numbers of one length, become arrays.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | np.ndarray):
        raise InputError(
            f"{who} gave {shown(given)} for {size:,} draws: it is to give a list, or an array, of outcomes"
        )
    if len(given) != size:
        raise InputError(f"{who} gave {len(given):,} outcomes for {size:,} draws: it is to give one for each")
    if isinstance(given, np.ndarray) and given.dtype.kind in "biuf" and given.ndim in (1, 2):
        return _numbers(given)
    return _of_list(list(given), who)


def _numbers(given: np.ndarray[Any, Any]) -> Outcomes:
    if given.dtype.kind == "f":
        return given.astype(np.float64, copy=False)
    if given.dtype == np.uint64 and given.size and given.max() > np.iinfo(np.int64).max:
        return _objects([tuple(row) if given.ndim > 1 else row for row in given.tolist()])
    return given.astype(np.int64, copy=False)


def _of_list(given: list[Any], who: str) -> Outcomes:
    kinds = set(map(type, given))
    if all(issubclass(kind, _REAL) for kind in kinds):
        return _of_numbers(given, kinds)
    rows = [tuple(each) if isinstance(each, np.ndarray) else each for each in given]
    try:
        set(rows)
    except TypeError:
        bad = next(each for each in rows if not _is_hashable(each))
        raise InputError(
            f"{who} gave {shown(bad)}, which cannot be hashed, so that equal ones cannot be counted: give tuples in "
            "place of lists, or an array of numbers"
        ) from None
    if all(type(row) is tuple for row in rows) and len(lengths := set(map(len, rows))) == 1 and lengths != {0}:
        inner = {type(each) for row in rows for each in row}
        if all(issubclass(kind, _REAL) for kind in inner):
            flat = _of_numbers([each for row in rows for each in row], inner)
            if flat.dtype != object:
                return flat.reshape(len(rows), -1)
    return _objects(rows)


def _of_numbers(given: list[Any], kinds: set[type]) -> Outcomes:
    if all(issubclass(kind, _WHOLE) for kind in kinds):
        small = all(-(1 << 62) < each < 1 << 62 for each in given)
        return np.array(given, dtype=np.int64) if small else _objects(given)
    exact = all(abs(each) <= _LARGEST for each in given if isinstance(each, int))
    return np.array(given, dtype=np.float64) if exact else _objects(given)


def _objects(given: Sequence[Hashable]) -> Outcomes:
    found = np.empty(len(given), dtype=object)
    found[:] = given
    return found


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def concatenated(parts: Sequence[Outcomes]) -> Outcomes:
    """Outcomes one after the other: numbers as numbers where all are."""
    if len({(part.dtype.kind == "O", part.shape[1:]) for part in parts}) == 1:
        return np.concatenate(parts)
    return _objects([tuple(each) if isinstance(each, list) else each for part in parts for each in part.tolist()])


def array_form(outcomes: Outcomes) -> tuple[int, ...] | None:
    """The shape of each outcome, where they are numbers or rows of these; None of other objects."""
    return None if outcomes.dtype == object else outcomes.shape[1:]


def of_form(outcomes: Outcomes, form: tuple[int, ...] | None) -> Outcomes:
    """Those of the form: a block may hold what none before it did, such as a text among numbers."""
    if form is None or array_form(outcomes) == form:
        return outcomes
    fitting = [each for each in objects(outcomes) if _fits(each, form)]
    return _of_list(fitting, "") if fitting else np.empty((0, *form))


def _fits(outcome: Any, form: tuple[int, ...]) -> bool:
    if not form:
        return isinstance(outcome, float | np.floating) or (
            isinstance(outcome, _WHOLE) and abs(int(outcome)) <= _LARGEST
        )
    return isinstance(outcome, tuple) and len(outcome) == form[0] and all(_fits(each, ()) for each in outcome)


def objects(outcomes: Outcomes) -> list[Hashable]:
    """Each outcome as Python has it, rows as tuples."""
    found = outcomes.tolist()
    return [tuple(each) for each in found] if outcomes.ndim > 1 else found

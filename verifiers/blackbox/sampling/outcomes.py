"""Outcomes as a sampler gives them, as arrays: numbers, rows of numbers, or anything else, in the form of `as_held`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import ceil, isnan
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.unhashable import is_hashable
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown

Outcomes: TypeAlias = np.ndarray[Any, Any]
"""One outcome in each place of the first axis: of int64, float64, truth values, rows of these, or objects."""

_WHOLE: Final = (int, bool, np.integer, np.bool_)
_REAL: Final = (*_WHOLE, float, np.floating)
_TRUTH: Final = frozenset((bool, np.bool_))
_LARGEST: Final = 1 << 53
"""Whole numbers up to which a float holds each."""


def as_outcomes(given: Any, size: int, who: str) -> Outcomes:
    """The outcomes of a sampler for `size` draws. Raises `InputError` where they are another number, or not hashable.

    Lists, dicts and dataclasses are held as a distribution holds them: their types are part of the outcome.

    An array of numbers is taken as it is; lists of numbers, and of tuples of numbers of one length, become arrays.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | np.ndarray):
        raise InputError(
            bad_input.GAVE, who, f"{shown(given)} for {size:,} draws", "no list", "return a list or an array"
        )
    if len(given) != size:
        raise InputError(bad_input.NOT_ONE_EACH, f"{len(given):,} outcomes of {who}", f"{size:,} draws")
    if isinstance(given, np.ma.MaskedArray):  # what is masked is hidden, and no outcome
        return _of_list([tuple(each) if isinstance(each, list) else each for each in given.tolist()], who)
    if isinstance(given, np.ndarray) and given.dtype.kind in "biuf" and given.ndim in (1, 2):
        return _numbers(given)
    return _of_list(list(given), who)


def _numbers(given: np.ndarray[Any, Any]) -> Outcomes:
    if given.dtype.kind == "b":
        return given
    if given.dtype.kind == "f":
        return given.astype(np.float64, copy=False)
    if given.dtype == np.uint64 and given.size and given.max() > np.iinfo(np.int64).max:
        return _objects([tuple(row) if given.ndim > 1 else row for row in given.tolist()])
    return given.astype(np.int64, copy=False)


def _of_list(given: list[Any], who: str) -> Outcomes:
    kinds = set(map(type, given))
    if all(issubclass(kind, _REAL) for kind in kinds):
        if kinds & _TRUTH and kinds - _TRUTH:
            raise InputError(bad_input.TRUTH_AND_NUMBERS, who, "")
        return _of_numbers(given, kinds)
    rows = [as_held(tuple(each) if isinstance(each, np.ndarray) else each) for each in given]
    try:
        set(rows)
    except TypeError:
        bad = next(each for each in rows if not is_hashable(each))
        raise InputError(
            bad_input.NOT_HASHABLE,
            f"{who} gave {shown(bad)}, which",
            ", so that equal ones cannot be counted",
            "give tuples, lists, dicts, frozensets, or an array of numbers",
        ) from None
    if all(type(row) is tuple for row in rows) and len(lengths := set(map(len, rows))) == 1 and lengths != {0}:
        inner = {type(each) for row in rows for each in row}
        if all(issubclass(kind, _REAL) for kind in inner):
            flat = _of_numbers([each for row in rows for each in row], inner)
            if flat.dtype != object:
                return flat.reshape(len(rows), -1)
    return _objects(rows)


def _of_numbers(given: list[Any], kinds: set[type]) -> Outcomes:
    if kinds <= _TRUTH:
        return np.array(given, dtype=np.bool_)
    if all(issubclass(kind, _WHOLE) for kind in kinds):
        small = all(-(1 << 62) < each < 1 << 62 for each in given)
        return np.array(given, dtype=np.int64) if small else _objects(given)
    exact = all(abs(int(each)) <= _LARGEST for each in given if isinstance(each, _WHOLE))
    return np.array(given, dtype=np.float64) if exact else _objects(given)


def as_numbers(outcomes: Outcomes) -> Outcomes:
    """Truth values as 0 and 1, and all else as it is."""
    return outcomes.astype(np.int64) if outcomes.dtype.kind == "b" else outcomes


def _objects(given: Sequence[Hashable]) -> Outcomes:
    outcomes = np.empty(len(given), dtype=object)
    outcomes[:] = list(map(_plain, given))
    return outcomes


NAN: Final = float("nan")
"""Stands for what is no number, wherever it is an object: two of them are equal only where they are one."""


def _plain(value: Any) -> Any:
    """An object as it is in whatever block it comes: without types of numpy, and with one NAN."""
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(_plain, value))
    if isinstance(value, np.generic):
        value = float(value) if isinstance(value, np.floating) else value.item()
    return NAN if isinstance(value, float) and isnan(value) else value


def concatenated(parts: Sequence[Outcomes]) -> Outcomes:
    """Outcomes one after the other: numbers as numbers where all are."""
    if len({(part.dtype.kind == "O", part.shape[1:]) for part in parts}) == 1:
        return np.concatenate(parts)
    return _objects([each for part in parts for each in objects(part)])


class OutcomeForm(NamedTuple):
    """Type of the numbers of outcomes, whole ones or floats, and the shape of each: () of one number."""

    whole: bool
    shape: tuple[int, ...]


def outcome_form(outcomes: Outcomes) -> OutcomeForm | None:
    """The form of outcomes that are numbers or rows of these; None of other objects."""
    return None if outcomes.dtype == object else OutcomeForm(outcomes.dtype.kind == "i", outcomes.shape[1:])


def of_form(outcomes: Outcomes, form: OutcomeForm | None) -> Outcomes:
    """Those that the form holds exactly, as it has them; where it is None, all of them as objects.

    Which ones these are is known of each alone: a block may hold what none before it did, such as a text or a fraction,
    and is another array then.
    """
    if form is None:
        return outcomes if outcomes.dtype == object else _objects(objects(outcomes))
    outcomes = as_numbers(outcomes)
    dtype = np.int64 if form.whole else np.float64
    if outcomes.dtype == object:
        fitting = [fit for each in outcomes.tolist() if (fit := _fitting(each, form)) is not None]
        return np.array(fitting, dtype=dtype).reshape(len(fitting), *form.shape)
    if outcomes.shape[1:] != form.shape:
        return np.empty((0, *form.shape), dtype=dtype)
    if form.whole == (outcomes.dtype.kind == "i"):
        return outcomes
    fits = _are_whole(outcomes) if form.whole else _are_floats(outcomes)
    return outcomes[fits.all(axis=1) if outcomes.ndim > 1 else fits].astype(dtype)


def _are_whole(numbers: Outcomes) -> np.ndarray[Any, Any]:
    array: np.ndarray[Any, Any] = (numbers == np.floor(numbers)) & (numbers >= -_BEYOND) & (numbers < _BEYOND)
    return array


def _are_floats(numbers: Outcomes) -> np.ndarray[Any, Any]:
    as_floats = numbers.astype(np.float64)
    small = as_floats < _BEYOND
    array: np.ndarray[Any, Any] = small & (np.where(small, as_floats, 0).astype(np.int64) == numbers)
    return array


_BEYOND: Final = 2.0**63
"""The least float above all int64."""


def _fitting(outcome: Any, form: OutcomeForm) -> Any:
    """The outcome as numbers of the form; None where it is none of it."""
    if not form.shape:
        return _number(outcome, form.whole)
    if not isinstance(outcome, tuple) or len(outcome) != form.shape[0]:
        return None
    results = [_number(each, form.whole) for each in outcome]
    return None if None in results else results


def _number(value: Any, whole: bool) -> int | float | None:
    if isinstance(value, int):
        if whole:
            return int(value) if -_BEYOND <= value < _BEYOND else None
        return float(value) if abs(value) < 1 << 1023 and float(value) == value else None
    if not isinstance(value, float):
        return None
    if not whole:
        return value
    return int(value) if value.is_integer() and -_BEYOND <= value < _BEYOND else None


def objects(outcomes: Outcomes) -> list[Hashable]:
    """Each outcome as Python has it, rows as tuples, and what is no number as NAN."""
    result = outcomes.tolist()
    if outcomes.dtype.kind == "f" and np.isnan(outcomes).any():
        return [_plain(tuple(each) if isinstance(each, list) else each) for each in result]
    return [tuple(each) for each in result] if outcomes.ndim > 1 else result


def quantiles(values: np.ndarray[Any, Any], shares: Sequence[float]) -> np.ndarray[Any, Any]:
    """The values, each once and rising, at or below which such shares of them lie; they may be infinite."""
    rising = np.sort(values)
    return np.unique(rising[[max(ceil(share * len(rising)) - 1, 0) for share in shares]])

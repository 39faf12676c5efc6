"""Features of an outcome that are looked at: its value, its parts, its lowest bit, its shape.

A feature is a function of an outcome alone, so that an event of a feature is an event of the release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from dpverify.mechanisms.numbers.containers import as_returned, holds_types
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown, told
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes, objects

_MANY: Final = 1_000
"""Rows of whole numbers that are looked at: where most are of a kind of their own, whole rows tell nothing."""

_COLUMNS: Final = 16
"""Columns of a row of numbers that are looked at one by one."""

OwnFeature: TypeAlias = Callable[[Outcomes], Any]
"""A feature of a user's: an array of outcomes → an array of numbers or truth values, one each."""


@dataclass(frozen=True)
class Feature:
    """A function of outcomes: what it is called, and the values of an array of them, numbers or objects."""

    name: str
    of: Callable[[Outcomes], np.ndarray[Any, Any]]


def features_of(sample: Outcomes, own: Mapping[str, OwnFeature], low_bits: bool) -> Iterator[Feature]:
    """The features of outcomes such as those of the sample, a user's own first."""
    yield from (_of_each_alone(Feature(name, _own(name, function)), sample) for name, function in own.items())
    if sample.dtype == object:
        yield from _of_objects(sample.tolist()[:_LOOKED_AT])
        return
    real = low_bits and sample.dtype.kind == "f"
    if sample.ndim == 1:
        yield Feature("outcome", _as_it_is)
        if np.isnan(sample).any():
            yield Feature("no number", lambda outcomes: np.isnan(outcomes).astype(np.int64))
        if real:
            yield Feature("lowest bit", lowest_bit)
            if _is_minus_zero(sample).any():
                yield Feature("is -0.0", lambda outcomes: _is_minus_zero(outcomes).astype(np.int64))
        return
    if sample.dtype.kind == "f":
        yield Feature("which are 0 or no number", _pattern)
        if real and _is_minus_zero(sample).any():
            yield Feature("which are -0.0", lambda rows: _digits(_is_minus_zero(rows), 2))
    elif len(np.unique(sample[:_MANY], axis=0)) <= _MANY // 2:
        yield Feature("outcome", whole_outcomes)
    for i in range(min(sample.shape[1], _COLUMNS)):
        yield Feature(f"outcome[{i}]", _column(i))
        if real:
            yield Feature(f"lowest bit of outcome[{i}]", _lowest_bit_of(i))
    if sample.shape[1] > 1:
        yield Feature("sum", lambda rows: rows.cumsum(axis=1)[:, -1])  # in one order, so that one rounding
        yield Feature("largest", lambda rows: rows.max(axis=1))
        yield Feature("place of the largest", lambda rows: rows.argmax(axis=1))


_LOOKED_AT: Final = 100


def _of_objects(looked_at: list[Any]) -> Iterator[Feature]:
    yield Feature("outcome", whole_outcomes)
    if any(map(holds_types, looked_at)):
        yield Feature("shape", lambda outcomes: _array(map(_without_fractions, objects(outcomes))))
        for i in range(min(max(len(_numbers_in(each)) for each in looked_at), _COLUMNS)):
            yield Feature(f"number {i}", _number_at(i))
    elif any(isinstance(each, tuple) for each in looked_at):
        yield Feature("shape", _shape)
        yield Feature("last number", _last_number)


def _of_each_alone(feature: Feature, sample: Outcomes) -> Feature:
    """The feature. Raises `InputError` where it is another of an outcome that stands among others."""
    together, half = feature.of(sample), len(sample) // 2
    if not np.array_equal(together, np.concatenate([feature.of(sample[:half]), feature.of(sample[half:])]), True):
        raise InputError(
            bad_input.SAMPLER,
            f"the feature {feature.name}",
            "depends on more than each outcome",
            "let it return a number for each outcome, by that outcome alone",
        )
    return feature


def _own(name: str, function: OwnFeature) -> Callable[[Outcomes], np.ndarray[Any, Any]]:
    def values(outcomes: Outcomes) -> np.ndarray[Any, Any]:
        try:
            result = np.asarray(function(_as_given(outcomes)))
        except Exception as error:  # a function of the user's may raise anything
            raise InputError(
                bad_input.FAILED, f"the feature {name}", f"{type(error).__name__}: {told(error)}"
            ) from error
        if result.shape != (len(outcomes),) or result.dtype.kind not in "biuf":
            raise InputError(
                bad_input.GAVE,
                f"the feature {name}",
                shown(result),
                f"no array of {len(outcomes):,} numbers",
                "return a number or a truth value for each outcome",
            )
        return result.astype(np.float64)

    return values


def _as_given(outcomes: Outcomes) -> Outcomes:
    """The outcomes as the sampler gave them: a list, held as a tuple of its type and items, is new."""
    return _array(map(as_returned, objects(outcomes))) if outcomes.dtype == object else outcomes


def _array(values: Iterable[Any]) -> np.ndarray[Any, Any]:
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _numbers_in(outcome: Any) -> list[float]:
    """The numbers at all depths of an outcome, in order."""
    if type(outcome) is tuple:
        return [number for part in outcome for number in _numbers_in(part)]
    return [_float(outcome)] if isinstance(outcome, int | float) else []


def _number_at(i: int) -> Callable[[Outcomes], np.ndarray[Any, Any]]:
    def values(outcomes: Outcomes) -> np.ndarray[Any, Any]:
        several = map(_numbers_in, objects(outcomes))
        return np.array([numbers[i] if i < len(numbers) else np.nan for numbers in several], dtype=np.float64)

    return values


def _without_fractions(outcome: Any) -> Any:
    if type(outcome) is tuple:
        return tuple(map(_without_fractions, outcome))
    return "·" if isinstance(outcome, float) and not outcome.is_integer() else outcome


def _as_it_is(outcomes: Outcomes) -> np.ndarray[Any, Any]:
    return outcomes


def whole_outcomes(outcomes: Outcomes) -> np.ndarray[Any, Any]:
    """Each outcome as an object: rows as tuples."""
    return _array(objects(outcomes))


def _pattern(outcomes: Outcomes) -> np.ndarray[Any, Any]:
    """Of each row a number, in base 3, of which of its first numbers are 0, none, or another."""
    return _digits(np.where(np.isnan(outcomes), 2, outcomes == 0), 3)


def _is_minus_zero(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array: np.ndarray[Any, Any] = (numbers == 0) & np.signbit(numbers)
    return array


def _digits(kinds: np.ndarray[Any, Any], base: int) -> np.ndarray[Any, Any]:
    first = kinds[:, :_DIGITS].astype(np.int64)
    return first @ base ** np.arange(first.shape[1], dtype=np.int64)


_DIGITS: Final = 39
"""Digits in base 3 of a whole number of 64 bits."""


def _column(i: int) -> Callable[[Outcomes], np.ndarray[Any, Any]]:
    return lambda rows: rows[:, i]


def _lowest_bit_of(i: int) -> Callable[[Outcomes], np.ndarray[Any, Any]]:
    return lambda rows: lowest_bit(rows[:, i])


NO_BIT: Final = 4096
"""The lowest bit of 0, ∞ and what is no number: beyond those of all others."""


def lowest_bit(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The e of the least 2^e that a float is a multiple of an odd number of; NO_BIT of 0 and of what is not finite.

    A sum is rounded to the bits that its size leaves it: an answer of 1 plus a float of noise has none below 2⁻⁵³, near
    0 as well, where an answer of 0 plus the same noise has.
    """
    values = np.asarray(values, dtype=np.float64)
    array = np.full(len(values), NO_BIT, dtype=np.int64)
    usual = np.isfinite(values) & (values != 0)
    mantissa, exponent = np.frexp(values[usual])
    bits = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.frexp((bits & -bits).astype(np.float64))[1] - 1
    array[usual] = exponent + lowest - 53
    return array


def _shape(outcomes: Outcomes) -> np.ndarray[Any, Any]:
    """Tuples with their fractions left out: how long they are, and what else is in them."""
    return _array(
        tuple("·" if isinstance(x, float) and not x.is_integer() else x for x in each) if type(each) is tuple else each
        for each in objects(outcomes)
    )


def _last_number(outcomes: Outcomes) -> np.ndarray[Any, Any]:
    results = [
        next((_float(x) for x in reversed(each) if isinstance(x, int | float)), np.nan)
        if isinstance(each, tuple)
        else np.nan
        for each in objects(outcomes)
    ]
    return np.array(results, dtype=np.float64)


def _float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf

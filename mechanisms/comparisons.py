"""What comparisons tell about noise, and the joint probability of all that a path has been told.

A path's comparisons tie its noises together; where each comparison involves one noise, what is known of a noise is a
set of values, and the joint probability is a product. Comparisons that share noise are eliminated here too, once they
are supported; until then they are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor
from typing import Final

from dpverify.mechanisms.errors import InputError
from dpverify.mechanisms.exact_numbers import Exact, product
from dpverify.mechanisms.intervals import (
    EVERYTHING,
    Endpoint,
    Intervals,
    at_least,
    below,
    intersection,
    other_than,
)
from dpverify.mechanisms.noise import NoiseLaw, Truncated, probability
from dpverify.mechanisms.noise_value import NoiseValue, NoiseVariable, Relation

_FLIPPED: Final[dict[Relation, Relation]] = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "==": "==", "!=": "!="}


def single_noise(value: NoiseValue, purpose: str) -> tuple[NoiseVariable, Exact, Exact]:
    """(N, c, s) where value = c·N + s. Raises `InputError`, naming the value, where it involves several noises."""
    if len(value.parts) != 1:
        raise InputError(
            f"{purpose} involves {len(value.parts)} noises at once: {value.described()}; so far one noise, "
            "compared with numbers or returned, is supported: clamp discrete noise first, and it is a plain number"
        )
    ((variable, coefficient),) = value.parts
    return variable, coefficient, value.shift


def values_if(value: NoiseValue, relation: Relation) -> tuple[NoiseVariable, Intervals, Intervals]:
    """The noise N that `value` `relation` 0 is about, and the values of N for which it holds and fails.

    Raises `InputError` where several noises are involved, or continuous noise is compared for equality.
    """
    variable, coefficient, shift = single_noise(value, f"the comparison `… {relation} 0`")
    threshold = -shift / coefficient
    if coefficient < 0:
        relation = _FLIPPED[relation]
    if relation in ("<", "<=", "!="):
        holds, fails = _split(variable.law, _NEGATED[relation], threshold)
        return variable, fails, holds
    holds, fails = _split(variable.law, relation, threshold)
    return variable, holds, fails


_NEGATED: Final[dict[Relation, Relation]] = {"<": ">=", "<=": ">", "!=": "=="}


def _split(law: NoiseLaw, relation: Relation, threshold: Exact) -> tuple[Intervals, Intervals]:
    """Where N ≥, > or == threshold, and where not."""
    if not law.discrete:
        if relation == "==":
            raise equality_refused(law)
        return at_least(threshold), below(threshold)
    if relation == "==":
        whole = floor(threshold)
        return (at_least(whole)[:0], EVERYTHING) if whole != threshold else (((whole, whole + 1),), other_than(whole))
    first: Endpoint = ceil(threshold) if relation == ">=" else floor(threshold) + 1
    return at_least(first), below(first)


def equality_refused(law: NoiseLaw) -> InputError:
    """The error for `==` and `!=` on continuous noise."""
    return InputError(f"continuous noise, {law}, was compared for equality, which has probability 0: use >= or <")


def returned_twice(variable: NoiseVariable) -> InputError:
    """The error for an outcome that holds one noise twice."""
    return InputError(f"returned one noise twice: {variable}; return it once")


def possible_values(law: NoiseLaw) -> Intervals:
    """What a noise may be before anything is known of it."""
    return law.support if isinstance(law, Truncated) else EVERYTHING


def joint_probability(known: Iterable[tuple[NoiseVariable, Intervals]]) -> Exact:
    """The probability that every noise lies where it is known to."""
    return product(probability(variable.law, values) for variable, values in known if values != EVERYTHING)


def narrowed(values: Intervals, holds: Intervals, fails: Intervals) -> tuple[Intervals, Intervals]:
    """What is known of a noise after either answer; () for an answer that is impossible."""
    return intersection(values, holds), intersection(values, fails)

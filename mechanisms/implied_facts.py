"""Dropping what comparisons of noises say twice: after a ≥ c and c ≥ b nothing is added by a ≥ b.

A mechanism that sorts makes such comparisons, and they would tie the noises in a circle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from dpverify.mechanisms.exact_numbers import ZERO, Exact, exact, negative
from dpverify.mechanisms.intervals import Endpoint, Interval, Intervals
from dpverify.mechanisms.noise_value import NoiseVariable

Form: TypeAlias = tuple[tuple[NoiseVariable, Exact], ...]
"""Σ coefficient·noise, the noises in the order of their numbers, the first coefficient 1."""

Facts: TypeAlias = Mapping[Form, Intervals]
"""Form → the values that it is known to take."""


class _Bound(NamedTuple):
    """Greater − smaller ≥ least, where None stands for 0; it is the low or the high end of a form's values."""

    greater: NoiseVariable | None
    smaller: NoiseVariable | None
    least: Exact
    form: Form
    is_low: bool


def without_implied(facts: Facts) -> dict[Form, Intervals]:
    """The same set of noise values, in facts of which none is implied by differences of others.

    Looked at are facts a − b ∈ [low, high) and a ∈ [low, high); others are kept as they are.
    """
    bounds = [bound for form, values in facts.items() for bound in _bounds(form, values)]
    kept = list(bounds)
    # those that tie noises go first, as they are what makes a circle
    for bound in sorted(bounds, key=lambda bound: None in (bound.greater, bound.smaller)):
        others = [other for other in kept if other is not bound]
        if _implied(bound, others):
            kept = others
    found = {form: values for form, values in facts.items() if not _bounds(form, values)}
    for form, values in facts.items():
        ends = {bound.is_low for bound in kept if bound.form is form}
        if ends:
            found[form] = (_restricted(values[0], ends),)
    return found


def _restricted(interval: Interval, ends: set[bool]) -> Interval:
    return (interval[0] if True in ends else None, interval[1] if False in ends else None)


def _bounds(form: Form, values: Intervals) -> list[_Bound]:
    if len(values) != 1 or len(form) > 2 or form[0][1] != 1:
        return []
    if len(form) == 2 and form[1][1] != -1:
        return []
    left: NoiseVariable = form[0][0]
    right = form[1][0] if len(form) == 2 else None
    low, high = values[0]
    found = [] if low is None else [_Bound(left, right, exact(low), form, True)]
    if high is not None:
        found.append(_Bound(right, left, _above_negative(high), form, False))
    return found


def _above_negative(high: Endpoint) -> Exact:
    """The least value of right − left where left − right < high."""
    # For continuous noise the end itself has probability 0.
    return exact(1 - high) if isinstance(high, int) else negative(high)


def _implied(bound: _Bound, others: Sequence[_Bound]) -> bool:
    """Whether a chain of others leads from the smaller to the greater by at least as much."""
    reached: dict[NoiseVariable | None, Exact] = {bound.smaller: ZERO}
    for _ in range(len(others)):  # a chain has each of them at most once
        changed = False
        for other in others:
            if other.smaller in reached:
                further = reached[other.smaller] + other.least
                known = reached.get(other.greater)
                if known is None or further > known:
                    reached[other.greater] = further
                    changed = True
        if not changed:
            break
    found = reached.get(bound.greater)
    return found is not None and found >= bound.least

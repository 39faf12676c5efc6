"""Dropping what comparisons of noises say twice: after a ≥ c and c ≥ b nothing is added by a ≥ b.

A mechanism that sorts makes such comparisons, and they would tie the noises in a circle.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Sized
from itertools import product
from math import prod
from typing import Final, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.errors import bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Interval, Intervals
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

Form: TypeAlias = tuple[tuple[NoiseVariable, Exact], ...]
"""Σ coefficient·noise, the noises in the order of their numbers, the first coefficient 1."""

PathConditions: TypeAlias = Mapping[Form, Intervals]
"""Form → the values that it is known to take."""


class ConditionCycle(Exception):
    """Facts that tie the noises in a circle."""


def refuse_cycle(tying: Collection[Sized], noises: int, facts: PathConditions) -> None:
    """Raises `ConditionCycle` where forms tie so many noises, all together, otherwise than in a tree."""
    if sum(map(len, tying)) != noises + len(tying) - 1:
        raise ConditionCycle(bad_mechanism.IN_A_CIRCLE.text(described(facts)))


def described(facts: PathConditions) -> str:
    """The forms that tie noises, for messages."""
    forms = (" + ".join(f"{c}·({noise})" for noise, c in form) for form in facts if len(form) > 1)
    return "; ".join(forms)


class _Bound(NamedTuple):
    """Greater − smaller ≥ least, where None stands for 0; it is the low or the high end of a form's values."""

    greater: NoiseVariable | None
    smaller: NoiseVariable | None
    least: Exact
    form: Form
    is_low: bool


def without_implied(facts: PathConditions) -> dict[Form, Intervals]:
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
    results = {form: values for form, values in facts.items() if not _bounds(form, values)}
    for form, values in facts.items():
        ends = {bound.is_low for bound in kept if bound.form is form}
        if ends:
            results[form] = (_restricted(values[0], ends),)
    return results


_MOST_CASES: Final = 64
"""Number of choices of an interval for each form that are looked at one by one."""


def can_be(facts: PathConditions) -> bool | None:
    """True if the facts have positive probability; None where some are not differences of two noises, or of one and 0.

    Every noise takes every value, real or whole, but for those that facts exclude, so that differences can be unless
    they contradict each other.
    """
    if not all(map(is_difference, facts)) or prod(map(len, facts.values())) > _MOST_CASES:
        return None
    cases = (dict(zip(facts, ((interval,) for interval in chosen), strict=True)) for chosen in product(*facts.values()))
    return any(not contradict(case) for case in cases)


def contradict(facts: PathConditions) -> bool:
    """True where a circle of differences cannot be: a ≥ b ≥ c and a < c; found where the facts are of the kind above.

    For continuous noise a circle that leaves a single value, a ≥ b ≥ a, has probability 0 as well.
    """
    bounds = [bound for form, values in facts.items() for bound in _bounds(form, values)]
    for bound in bounds:
        around = _reached(bound.greater, bounds).get(bound.smaller)
        if around is not None:
            total = around + bound.least
            if total > 0 or (total == 0 and not bound.form[0][0].law.discrete):
                return True
    return False


def _restricted(interval: Interval, ends: set[bool]) -> Interval:
    return (interval[0] if True in ends else None, interval[1] if False in ends else None)


def is_difference(form: Form) -> bool:
    """True for a noise, or the difference of two."""
    return (form[0][1] is ONE or form[0][1] == ONE) and (len(form) == 1 or (len(form) == 2 and form[1][1] == -1))


def _bounds(form: Form, values: Intervals) -> list[_Bound]:
    if len(values) != 1 or not is_difference(form):
        return []
    left: NoiseVariable = form[0][0]
    right = form[1][0] if len(form) == 2 else None
    low, high = values[0]
    bounds = [] if low is None else [_Bound(left, right, exact(low), form, True)]
    if high is not None:
        bounds.append(_Bound(right, left, _above_negative(high), form, False))
    return bounds


def _above_negative(high: Endpoint) -> Exact:
    """The least value of right − left where left − right < high."""
    # For continuous noise the end itself has probability 0.
    return exact(1 - high) if is_whole(high) else negative(exact(high))


def _implied(bound: _Bound, others: Sequence[_Bound]) -> bool:
    """True where a chain of others leads from the smaller to the greater by at least as much."""
    result = _reached(bound.smaller, others).get(bound.greater)
    return result is not None and result >= bound.least


def _reached(start: NoiseVariable | None, others: Sequence[_Bound]) -> dict[NoiseVariable | None, Exact]:
    """The least distance above `start` at which each noise is known to be, by chains of `others`."""
    reached: dict[NoiseVariable | None, Exact] = {start: ZERO}
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
    return reached

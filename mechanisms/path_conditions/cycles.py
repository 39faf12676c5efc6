"""The probability of differences of noises that tie them in a circle, by those of trees.

A noise Q of a circle loses one of its ties at a time:
- of two lower bounds, Q ≥ a and Q ≥ b, the greater one says both: one case for a ≥ b, and one for a < b;
- of two upper bounds likewise the smaller one;
- with a lower and an upper one, 1[a ≤ Q < b] = 1[a < b]·(1[Q < b] − 1[Q < a]).
What is new is a comparison of two other noises, so that in the end Q hangs from one noise, and the circles that are
left have a noise less. On whole numbers each tie lies in exactly one part; for continuous noise ties have no chance.
What is alike, up to the names of the noises and the mirror image, is split once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import floor
from typing import Final, NamedTuple, TypeAlias

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative, product, total
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Endpoint, Intervals, intersection, multiplied
from dpverify.mechanisms.numbers.roots.whole_forms import rounded_whole
from dpverify.mechanisms.path_conditions.implied_conditions import Form, PathConditions, described
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

_MOST_SPLITS: Final = 20_000
"""Of the comparisons of one outcome of a run."""

_MINUS: Final = negative(ONE)

_Key: TypeAlias = tuple[tuple[tuple[NoiseLaw, Intervals], ...], tuple[tuple[int, int, Intervals], ...]]


class _Bound(NamedTuple):
    """greater − smaller ≥ least."""

    greater: NoiseVariable
    smaller: NoiseVariable
    least: Exact


class _Splitting:
    """Results by structure, and the number of splits taken by the probability that is being computed."""

    known: Final[dict[_Key, Exact]] = {}
    depth = 0
    splits = 0


_MOST_KNOWN: Final = 1 << 14


def probability_of_cycle(facts: PathConditions, probability_of: Callable[[PathConditions], Exact]) -> Exact | None:
    """The probability of facts of which some tie noises in a circle; None where those are no differences of two.

    No fact is implied by others, and none has several intervals. Raises `InputError` where it takes too many splits.
    """
    if not all(_is_difference(form) for form in facts if len(form) > 1):
        return None
    key = _key(facts)
    number = _Splitting.known.get(key)
    if number is None and (mirrored := _mirrored(facts)) is not None:
        number = _Splitting.known.get(_key(mirrored))
    if number is not None:
        return number
    if _Splitting.depth == 0:
        _Splitting.splits = 0
    _Splitting.splits += 1
    if _Splitting.splits > _MOST_SPLITS:
        raise InputError(bad_mechanism.CIRCLE, described(facts), _MOST_SPLITS)
    _Splitting.depth += 1
    try:
        number = total(product((sign, probability_of(case))) for sign, case in _cases(facts))
    finally:
        _Splitting.depth -= 1
    if len(_Splitting.known) >= _MOST_KNOWN:
        _Splitting.known.clear()
    _Splitting.known[key] = number
    return number


def _is_difference(form: Form) -> bool:
    return len(form) == 2 and form[0][1] is ONE and form[1][1] == _MINUS


def _cases(facts: PathConditions) -> Iterator[tuple[Exact, PathConditions]]:
    """Facts with signs, of which the probabilities add up to that of the facts: in each a noise has one tie less."""
    core = _core(facts)
    noise = min(core, key=lambda one: (len(core[one]), one.number))
    whole = noise.law.discrete
    others = {form: values for form, values in facts.items() if form not in core[noise]}
    ties = [bound for form in core[noise] for bound in _bounds(form, facts[form])]
    lower = [tie for tie in ties if tie.greater is noise]
    upper = [tie for tie in ties if tie.smaller is noise]
    if len(lower) > 1 or len(upper) > 1:
        alike, rest = (lower, upper) if len(lower) > 1 else (upper, lower)
        a, b, *more = alike
        for kept, dropped, or_equal in ((a, b, True), (b, a, False)):
            yield from _case(ONE, others, [kept, *more, *rest, _stronger(kept, dropped, or_equal or not whole)])
        return
    (a,), (b,) = lower, upper
    room = _Bound(b.greater, a.smaller, total((a.least, b.least)))
    below_a = _Bound(a.smaller, noise, total((ONE, negative(a.least))) if whole else negative(a.least))
    yield from _case(ONE, others, [b, room])
    yield from _case(_MINUS, others, [below_a, room])


def _stronger(kept: _Bound, dropped: _Bound, or_equal: bool) -> _Bound:
    """The condition that the first bound of a noise implies the second, or more: both are lower ones, or upper."""
    beyond = ZERO if or_equal else ONE
    if kept.greater is dropped.greater:  # smaller + least, and the greater of these counts
        return _Bound(kept.smaller, dropped.smaller, total((dropped.least, negative(kept.least), beyond)))
    return _Bound(dropped.greater, kept.greater, total((dropped.least, negative(kept.least), beyond)))


def _case(sign: Exact, facts: PathConditions, bounds: list[_Bound]) -> Iterator[tuple[Exact, PathConditions]]:
    """The facts with some bounds more, if they leave anything."""
    result = dict(facts)
    for bound in bounds:
        if bound.greater is bound.smaller:
            if bound.least > 0:
                return
            continue
        form, values = _condition(bound)
        left = intersection(result.get(form, EVERYTHING), values)
        if not left:
            return
        result[form] = left
    yield sign, result


def _condition(bound: _Bound) -> tuple[Form, Intervals]:
    first, second = sorted((bound.greater, bound.smaller), key=lambda noise: noise.number)
    form: Form = ((first, ONE), (second, _MINUS))
    whole = first.law.discrete
    end: Endpoint
    if first is bound.greater:
        end = rounded_whole(floor(bound.least)) if whole else bound.least
        return form, ((end, None),)
    end = rounded_whole(floor(1 - bound.least)) if whole else negative(bound.least)
    return form, ((None, end),)


def _bounds(form: Form, values: Intervals) -> Iterator[_Bound]:
    left, right = form[0][0], form[1][0]
    ((low, high),) = values
    if low is not None:
        yield _Bound(left, right, exact(low))
    if high is not None:
        yield _Bound(right, left, exact(1 - high) if left.law.discrete else negative(exact(high)))


def _core(facts: PathConditions) -> dict[NoiseVariable, list[Form]]:
    """The noises of circles, and of what lies between circles, with the forms that tie them there."""
    tied: dict[NoiseVariable, list[Form]] = {}
    for form in facts:
        if len(form) > 1:
            for noise, _ in form:
                tied.setdefault(noise, []).append(form)
    while True:
        leaf = next((noise for noise, forms in tied.items() if len(forms) < 2), None)
        if leaf is None:
            return tied
        for form in tied.pop(leaf):
            for noise, _ in form:
                if noise is not leaf:
                    tied[noise].remove(form)


def _key(facts: PathConditions) -> _Key:
    """Key of the path conditions, whichever noises they are about; those alike come in the order of their numbers."""
    noises = {noise for form in facts for noise, _ in form}
    alone = {form[0][0]: values for form, values in facts.items() if len(form) == 1}
    ties = [(form[0][0], form[1][0], values) for form, values in facts.items() if len(form) > 1]
    ties += [(right, left, multiplied(values, _MINUS)) for left, right, values in ties]
    colour: Mapping[NoiseVariable, int] = {noise: hash((noise.law, alone.get(noise, EVERYTHING))) for noise in noises}
    for _ in range(3):
        around: dict[NoiseVariable, list[int]] = {noise: [] for noise in noises}
        for left, right, values in ties:
            around[left].append(hash((values, colour[right])))
        colour = {noise: hash((colour[noise], tuple(sorted(around[noise])))) for noise in noises}
    ordered = sorted(noises, key=lambda noise: (colour[noise], noise.number))
    place = {noise: i for i, noise in enumerate(ordered)}
    placed = ((place[a], place[b], values) for a, b, values in ties if place[a] < place[b])
    return (
        tuple((noise.law, alone.get(noise, EVERYTHING)) for noise in ordered),
        tuple(sorted(placed, key=lambda tie: tie[:2])),
    )


def _mirrored(facts: PathConditions) -> PathConditions | None:
    """The facts about minus the noises; None where some of them are not symmetric."""
    laws = {noise.law for form in facts for noise, _ in form}
    if any(law.mirror_image() != law for law in laws):
        return None
    return {form: multiplied(values, _MINUS) for form, values in facts.items()}

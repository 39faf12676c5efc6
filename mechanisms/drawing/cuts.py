"""Numbers that are cut and returned: `max(0, n + noise)`, read as a part of its own where nothing else is done with it.

    noisy = counts + rng.laplace(0, 1 / epsilon, size=20)
    return tuple(np.maximum(0, noisy))

Cut when it is asked for, each number has two outcomes or more, and all together have as many paths as their product.
Here the noise in it is of no use afterwards: if nothing is known of it yet, what the cut leaves is independent of all
else on the path. `comprehensions.py` puts `cut_of` in the place of a cut that is returned, and `cut_within` in that of
one inside it. What is no cut of one number by known ones is what the function gives, as it is written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.path_conditions.expressions import PlainNumber
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue, clamp, clamp_at_last

CUTS: Final = frozenset({"max", "min", "clamp", "maximum", "minimum", "clip"})
"""The names by which cuts are called; which functions these are is looked at when they are called."""


_ENDS: Final = 2
"""The arguments of `clamp` behind the number."""


class CutStep(NamedTuple):
    """A call of a cut: the function, the known numbers before the one that is cut, and those behind it."""

    function: Callable[..., Any]
    before: tuple[PlainNumber, ...]
    behind: tuple[PlainNumber, ...]
    in_array: bool
    """True where the number is one of an array, in which numpy leaves types as they are."""

    def at_last(self, number: Any) -> Any:
        """The number, cut, where that is returned, or cut again and returned."""
        if self.function is clamp and isinstance(number, NoiseValue) and len(self.behind) == _ENDS:
            return clamp_at_last(number, *self.behind)
        return self.of(number)

    def of(self, number: Any) -> Any:
        """The number, cut."""
        if not self.in_array:
            return self.function(*self.before, number, *self.behind)
        (cut,) = self.function(*self.before, _array_of(number), *self.behind)
        return cut


def _array_of(number: Any) -> Any:
    import numpy as np

    array = np.empty(1, dtype=object)
    array[0] = number
    return array


Steps: TypeAlias = tuple[CutStep, ...]
"""Cuts of one number, one after another."""


class Uncut(NamedTuple):
    """shift + Σ coefficient·noise, of which nothing is known, and the cuts of it: what a part is the law of."""

    noises: tuple[tuple[NoiseLaw, Exact], ...]
    shift: Exact
    steps: Steps


class Cutting(Protocol):
    """A run, which may take cut numbers apart."""

    def cut(self, value: NoiseValue, steps: Steps) -> Any:
        """A number, cut, that is returned and used for nothing else."""


def cut_now(number: Any, steps: Steps) -> Any:
    """The number after all cuts, which is returned."""
    for step in steps:
        number = step.at_last(number)
    return number


def cut_alone(function: Callable[..., Any], *args: Any) -> Any:
    """The outcome of a cut which is all that is made of its number, and is returned."""
    is_of_noise = function is clamp and len(args) == 1 + _ENDS and isinstance(args[0], NoiseValue)
    return clamp_at_last(*args) if is_of_noise else function(*args)


def drawn_and_cut(draw: Draw, uncut: Uncut) -> Any:
    """A number that is drawn, and cut: the mechanism whose law a part has."""
    number: Any = uncut.shift
    for law, coefficient in uncut.noises:
        number = draw(law) * coefficient + number
    return cut_now(number, uncut.steps)


class _Within(NamedTuple):
    """A number, or an array of some, inside a cut that is returned, with the cuts so far."""

    value: Any
    steps: Steps


def cut_of(run: Cutting, function: Callable[..., Any], *args: Any) -> Any:
    """The outcome of a cut that is returned: in the place of each noisy number a part, where it may stand alone."""
    cut = cut_within(function, *args)
    if not isinstance(cut, _Within):
        return cut
    if isinstance(cut.value, NoiseValue):
        return run.cut(cut.value, cut.steps)
    for place, number in enumerate(cut.value):  # of a copy that nobody else has
        cut.value[place] = run.cut(number, cut.steps)
    return cut.value


def cut_within(function: Callable[..., Any], *args: Any) -> Any:
    """The outcome of a cut inside one that is returned: its number is cut when all of the cuts are known."""
    unknown = [place for place, arg in enumerate(args) if type(arg) not in _KNOWN]
    if len(unknown) == 1 and len(args) > 1 and _is_cut(function, unknown[0]):
        within = _uncut(args[unknown[0]], of_arrays=_takes_arrays(function))
        if within is not None:
            in_array = not isinstance(within.value, NoiseValue)
            step = CutStep(function, args[: unknown[0]], args[unknown[0] + 1 :], in_array)
            return _Within(within.value, (*within.steps, step))
    return function(*(_cut_by_itself(arg) for arg in args))


_KNOWN: Final = (int, Fraction)


def _is_cut(function: Callable[..., Any], place: int) -> bool:
    """True for a function that cuts the number in this place of its arguments by the others."""
    numpy = sys.modules.get("numpy")
    of_any = (max, min) if numpy is None else (max, min, numpy.maximum, numpy.minimum)
    of_the_first = (clamp,) if numpy is None else (clamp, numpy.clip)
    return any(function is cut for cut in of_any) or (place == 0 and any(function is cut for cut in of_the_first))


def _takes_arrays(function: Callable[..., Any]) -> bool:
    return not any(function is cut for cut in (max, min, clamp))


def _uncut(value: Any, *, of_arrays: bool) -> _Within | None:
    """A noisy number, or an array of such alone, with its cuts so far; None for another value."""
    if isinstance(value, _Within):
        return value if of_arrays or isinstance(value.value, NoiseValue) else None
    if isinstance(value, NoiseValue):
        return _Within(value, ())
    numpy = sys.modules.get("numpy")
    if of_arrays and numpy is not None and type(value) is numpy.ndarray and value.ndim == 1:
        return _Within(value.copy(), ()) if set(map(type, value)) == {NoiseValue} else None
    return None


def _cut_by_itself(arg: Any) -> Any:
    """An argument that is cut before a function is called that is no cut of it."""
    if not isinstance(arg, _Within):
        return arg
    if isinstance(arg.value, NoiseValue):
        return _after(arg.value, arg.steps)
    for place, number in enumerate(arg.value):
        arg.value[place] = _after(number, arg.steps)
    return arg.value


def _after(number: Any, steps: Steps) -> Any:
    for step in steps:
        number = step.of(number)
    return number

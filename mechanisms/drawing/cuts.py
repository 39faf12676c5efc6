"""Numbers that are cut and returned: `max(0, n + noise)`, read as a part of its own where nothing else is done with it.

    return tuple(max(0, count + draw(laplace(1 / epsilon))) for count in counts)

Cut when it is asked for, each number has two outcomes or more, and all together have as many paths as their product.
Here the noise in it is of no use afterwards: if nothing is known of it yet, what the cut leaves is independent of all
else on the path. `comprehensions.py` puts `cut_of` in the place of a cut that is returned, and `cut_within` in that of
one inside it. What is no cut of one number by known ones is what the function gives, as it is written.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.path_conditions.expressions import PlainNumber
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue, clamp, clamp_at_last

CUTS: Final = frozenset({"max", "min", "clamp"})
"""The names by which cuts are called; which functions these are is looked at when they are called."""


_ENDS: Final = 2
"""The arguments of `clamp` behind the number."""


class CutStep(NamedTuple):
    """A call of a cut: the function, the known numbers before the one that is cut, and those behind it."""

    function: Callable[..., Any]
    before: tuple[PlainNumber, ...]
    behind: tuple[PlainNumber, ...]

    def at_last(self, number: Any) -> Any:
        """The number, cut, where that is returned, or cut again and returned."""
        if self.function is clamp and isinstance(number, NoiseValue) and len(self.behind) == _ENDS:
            return clamp_at_last(number, *self.behind)
        return self.of(number)

    def of(self, number: Any) -> Any:
        """The number, cut."""
        return self.function(*self.before, number, *self.behind)


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
    """A number inside a cut that is returned, with the cuts so far."""

    value: NoiseValue
    steps: Steps


def cut_of(run: Cutting, function: Callable[..., Any], *args: Any) -> Any:
    """The outcome of a cut that is returned: in the place of each noisy number a part, where it may stand alone."""
    cut = cut_within(function, *args)
    return run.cut(cut.value, cut.steps) if isinstance(cut, _Within) else cut


def cut_within(function: Callable[..., Any], *args: Any) -> Any:
    """The outcome of a cut inside one that is returned: its number is cut when all of the cuts are known."""
    unknown = [place for place, arg in enumerate(args) if type(arg) not in _KNOWN]
    if len(unknown) == 1 and len(args) > 1 and _is_cut(function, unknown[0]):
        within = _uncut(args[unknown[0]])
        if within is not None:
            step = CutStep(function, args[: unknown[0]], args[unknown[0] + 1 :])
            return _Within(within.value, (*within.steps, step))
    return function(*(_cut_by_itself(arg) for arg in args))


_KNOWN: Final = (int, Fraction)


def _is_cut(function: Callable[..., Any], place: int) -> bool:
    """True for a function that cuts the number in this place of its arguments by the others."""
    return function is max or function is min or (place == 0 and function is clamp)


def _uncut(value: Any) -> _Within | None:
    """A noisy number with its cuts so far; None for another value."""
    return value if isinstance(value, _Within) else _Within(value, ()) if isinstance(value, NoiseValue) else None


def _cut_by_itself(arg: Any) -> Any:
    """An argument that is cut before a function is called that is no cut of it."""
    return _after(arg.value, arg.steps) if isinstance(arg, _Within) else arg


def _after(number: Any, steps: Steps) -> Any:
    for step in steps:
        number = step.of(number)
    return number

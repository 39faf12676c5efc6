"""The difference that rounding makes: a program of floats as Python runs it, beside the exact one, on the same noise.

It is a measurement on a few databases, with a few draws of a fixed seed, and no bound: no verdict rests on it.
"""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import partial
from math import isclose, isfinite
from random import Random
from typing import Any, Final

from flint import ctx

from dpverify.mechanisms.comparing.revealed import GUARD, RandomBits, UniformNumber, float_in
from dpverify.mechanisms.drawing.caching import finite
from dpverify.mechanisms.drawing.float_programs import FloatProgram, with_floats
from dpverify.mechanisms.functions.canonical import canonical
from dpverify.mechanisms.language.array import Array
from dpverify.mechanisms.language.compiled import CompiledForm, form_of
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.language.values_from_outside import OutsideLanguage
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.plain_numbers import Real
from dpverify.mechanisms.outputs.distributions import Distribution

SEED: Final = 1
_DATABASES: Final = 20
_DRAWS: Final = 2
"""On each database: with more an audit of small claims takes noticeably longer."""
_CLOSE: Final = 1e-9
"""Relative difference up to which two chances are one that was rounded."""


@dataclass(frozen=True)
class Rounding:
    """The differences between a float program and the exact one; `reason` says why nothing was measured."""

    databases: int = 0
    draws: int = 0
    """Runs of both on all these databases."""
    largest: Fraction = Fraction(0)
    """The largest difference between numbers in the same place of two outcomes."""
    other_outcomes: int = 0
    """Runs in which outcomes differ in more than such numbers: in a text, an int, or the number of their parts."""
    drawn_otherwise: int = 0
    """Runs in which the float program has drawn from other laws, or more or less often."""
    reason: str = ""


def measured_rounding(
    mechanism: Callable[..., Any], parameters: Mapping[str, Any], databases: Sequence[Hashable]
) -> Rounding | None:
    """The differences that rounding makes on some of these databases; None of a mechanism that reads no floats."""
    form = form_of(mechanism, parameters)
    if form is None or not form.reads_floats or not databases:
        return None
    last, seeds = len(databases) - 1, Random(SEED)
    chosen = [databases[i] for i in sorted({i * last // (_DATABASES - 1) for i in range(_DATABASES)})]
    differences: list[Fraction | None] = []
    otherwise = 0
    try:
        plain = FloatProgram(form.reading)
        for database in chosen * _DRAWS:
            drawn: list[_Drawn] = []
            args, given = form.arguments((database,), parameters)
            exact = _outcome(form.mechanism, _Draw(partial(_drawn_first, seeds, drawn), form), *args, **given)
            again = iter(drawn)
            try:
                outcome = _outcome(plain, _Draw(partial(_drawn_again, again)), database, **parameters)
                if next(again, None) is not None:
                    raise _DrawnOtherwiseError
            except _DrawnOtherwiseError:
                otherwise += 1
            else:
                differences.append(_difference(form.users(exact), outcome))
    except (Exception, OutsideLanguage) as error:  # a program of floats may raise anything
        return Rounding(reason=f"{type(error).__name__}: {error}")
    numbers = [each for each in differences if each is not None]
    draws, largest = len(chosen) * _DRAWS, max(numbers, default=Fraction(0))
    return Rounding(len(chosen), draws, largest, len(differences) - len(numbers), otherwise)


def _outcome(program: Callable[..., Any], draw: _Draw, /, *args: Any, **parameters: Any) -> Any:
    with drawn_by(lambda: draw), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome = program(draw, *args, **parameters)
        return draw(outcome) if isinstance(outcome, Distribution) else outcome


class _DrawnOtherwiseError(BaseException):
    """The float program draws from another law than the exact one; no mechanism can catch it."""


class _Draw:
    """The `draw` of a run, in which all that is drawn is a plain number."""

    def __init__(self, drawn: Callable[[Any], Any], form: CompiledForm | None = None) -> None:
        self._drawn, self._form = drawn, form

    def __call__(self, source: Any, /, *args: Any, **kwargs: Any) -> Any:
        form = self._form
        if form is not None and form.handed is not None:
            source, args, kwargs = form.handed(source, args, kwargs)
        if isinstance(source, Distribution) and source.drawn is not None:
            source = source.drawn
        if isinstance(source, NoiseLaw):
            return self._drawn(source)
        outcome = self._drawn(source) if isinstance(source, Distribution) else source(self, *args, **kwargs)
        outcome = self(outcome) if isinstance(outcome, Distribution) else outcome
        return outcome if form is None else form.drawn(canonical(form.users(outcome)))

    def each(self, mechanism: Any, items: Iterable[Any], /, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        return tuple([self(mechanism, item, *args, **kwargs) for item in items])

    def until(self, mechanism: Any, accepted: Callable[[Any], bool], /, *args: Any, **kwargs: Any) -> Any:
        while not accepted(outcome := self(mechanism, *args, **kwargs)):
            pass
        return outcome

    def release(self, value: Any, /, then: Callable[[Any], Any] | None = None) -> Any:
        return value if then is None else then(value)


_Drawn = tuple[Any, int, Any]
"""The law that the exact program has drawn from, the seed of the draw, and what was drawn."""


def _drawn_first(seeds: Random, kept: list[_Drawn], law: Any) -> Any:
    """A draw of the exact program, which is kept."""
    seed = seeds.getrandbits(GUARD)
    drawn = _drawn(law, Random(seed).getrandbits)
    kept.append((law, seed, drawn))
    return Real(drawn) if isinstance(drawn, float) else drawn


def _drawn_again(again: Iterator[_Drawn], law: Any) -> Any:
    """The same for the float program, of its own law: that of the other one may have numbers that are not rounded.

    Raises `_DrawnOtherwiseError` where the other one has drawn something else there.
    """
    other, seed, drawn = next(again, (None, 0, None))
    if isinstance(law, Distribution) and isinstance(other, Distribution):
        chances = (float(with_floats(of.probability(each))) for of, each in ((other, drawn), (law, with_floats(drawn))))
        if isclose(*chances, rel_tol=_CLOSE):
            return with_floats(drawn)
    elif type(law) is type(other):
        return drawn if law == other else _drawn(law, Random(seed).getrandbits)
    raise _DrawnOtherwiseError


def _drawn(law: Any, bits: RandomBits) -> Any:
    """A draw: an outcome, or a whole number, or the float nearest to a quantile."""
    if isinstance(law, Distribution):
        block = finite(law).group(bisect_right(law.cumulative_bounds(GUARD)[0], bits(GUARD)))
        return block[bits(GUARD) * len(block) >> GUARD]
    drawn, uniform = law.drawn(bits), UniformNumber(bits)
    while drawn is None:
        precision = uniform.bits + GUARD
        with ctx.workprec(precision):
            ball = law.quantile(uniform.ball(), precision)
            if ball is not None:
                drawn = ball.ceil().unique_fmpz() if law.discrete else float_in(ball)
        uniform.reveal()
    return int(drawn) if law.discrete else drawn


def _difference(exact: Any, plain: Any) -> Fraction | None:
    """The largest difference of numbers in two outcomes; None where they differ in something else."""
    exact, plain = _parts(exact), _parts(plain)
    if isinstance(plain, float) and isinstance(exact, int | Fraction | Exact):
        apart: Any = abs(exact - Fraction(plain)) if isfinite(plain) else None
        return Fraction(with_floats(apart)) if isinstance(apart, Exact) else apart
    if isinstance(plain, list) and isinstance(exact, list):
        found = [*map(_difference, exact, plain)] if len(exact) == len(plain) else [None]
        numbers = [each for each in found if each is not None]
        return max(numbers, default=Fraction(0)) if len(numbers) == len(found) else None
    return Fraction(0) if exact == plain else None


def _parts(outcome: Any) -> Any:
    """The parts of an outcome as a list, of numpy's arrays and numbers Python's; any other outcome itself."""
    if type(outcome) is Array:
        return outcome.values
    if hasattr(outcome, "tolist"):
        return outcome.tolist()
    if isinstance(outcome, dict):
        return [[*outcome], [*outcome.values()]]
    if is_dataclass(outcome) and not isinstance(outcome, type):
        return [type(outcome), *(getattr(outcome, field.name) for field in fields(outcome))]
    return [*outcome] if isinstance(outcome, tuple) else outcome

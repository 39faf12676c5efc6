"""The law of a program with continuous noise, by quadrature: this file imports nothing of dpverify.

Every path collects what it has been told of its noises, each fact a linear form that is above or below 0. Noises that
are tied to one another in the shape of a star are integrated over its centre, where the others have closed forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import exp, inf, isfinite
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tests.adversary.oracles.oracle import RELATIONS, Law, Names, linear, tagged, value_of
from tests.adversary.oracles.programs import (
    ROWS,
    Called,
    Coin,
    Draw,
    Each,
    If,
    Next,
    Noise,
    Pick,
    Program,
    Return,
    ReturnLaw,
    Source,
    Statement,
    Stop,
    Uniform,
)

Floats = NDArray[np.float64]


class NoStar(Exception):
    """Noises that are tied in another shape, which is not integrated here."""


@dataclass(frozen=True)
class Form:
    """Σ coefficient·noise + shift; noises by number."""

    parts: Mapping[int, Fraction]
    shift: Fraction

    def __mul__(self, factor: Any) -> Form:
        return Form({noise: c * factor for noise, c in self.parts.items() if factor}, self.shift * factor)

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Form:
        if not isinstance(other, Form):
            return Form(self.parts, self.shift + other)
        together = {
            noise: self.parts.get(noise, 0) + other.parts.get(noise, 0) for noise in {*self.parts, *other.parts}
        }
        return Form({noise: Fraction(c) for noise, c in together.items() if c}, self.shift + other.shift)

    __radd__ = __add__


@dataclass(frozen=True)
class _Path:
    """The rates of the noises so far, the forms that are known to be positive, and the probability of the rest."""

    rates: tuple[float, ...]
    positive: tuple[Form, ...]
    weight: float


def law_by_quadrature(program: Program, rows: tuple[int, ...], epsilon: float) -> Law:
    """The law of a program, in floats. Raises `NoStar`."""
    names = {ROWS[0]: rows[0], ROWS[1]: rows[-1], "rows": rows}
    found: Law = {}
    for _, outcome, path in _ends(program.body, names, _Path((), (), 1.0), epsilon):
        p = path.weight * _measure(path)
        if p > 0:
            found[tagged(outcome)] = found.get(tagged(outcome), 0.0) + p
    return found


def _ends(statement: Statement, names: Names, path: _Path, epsilon: float) -> Iterator[tuple[str, Any, _Path]]:
    match statement:
        case Return(outcome):
            yield "return", value_of(outcome, names), path
        case ReturnLaw(law):
            for outcome, after in _values(law, names, path, epsilon):
                yield "return", outcome, after
        case Next(value):
            yield "next", linear(value, names), path
        case Stop(value):
            yield "stop", linear(value, names), path
        case If(left, relation, right, yes, no):
            difference = linear(left, names) + -1 * linear(right, names)
            if not isinstance(difference, Form) or not difference.parts:
                number = difference.shift if isinstance(difference, Form) else difference
                yield from _ends(yes if RELATIONS[relation](number, 0) else no, names, path, epsilon)
                return
            above, below = (yes, no) if relation in (">=", ">") else (no, yes)
            for branch, positive in ((above, difference), (below, -1 * difference)):
                told = _Path(path.rates, (*path.positive, positive), path.weight)
                if _measure(told) > 0:
                    yield from _ends(branch, names, told, epsilon)
        case Draw(name, source, then):
            for drawn, after in _values(source, names, path, epsilon):
                yield from _ends(then, {**names, name: drawn}, after, epsilon)
        case Each():
            yield from _loop(statement, {**names, statement.found: 0}, path, epsilon, 0)


def _loop(loop: Each, names: Names, path: _Path, epsilon: float, position: int) -> Iterator[tuple[str, Any, _Path]]:
    if position == len(names["rows"]):
        yield from _ends(loop.then, names, path, epsilon)
        return
    row = names["rows"][position]
    for how, outcome, after in _ends(loop.body, {**names, loop.row: row}, path, epsilon):
        if how == "return":
            yield how, outcome, after
        else:
            further = len(names["rows"]) if how == "stop" else position + 1
            yield from _loop(loop, {**names, loop.found: outcome}, after, epsilon, further)


def _values(source: Source, names: Names, path: _Path, epsilon: float) -> Iterator[tuple[Any, _Path]]:
    if isinstance(source, Noise):
        (power,) = source.powers
        number = len(path.rates)
        noise = Form({number: Fraction(1)}, Fraction(0))
        rates = (*path.rates, power * epsilon)
        if source.bound is None:
            yield noise, _Path(rates, path.positive, path.weight)
        else:
            inside = (noise + source.bound, -1 * noise + source.bound)
            kept = 1 - exp(-power * epsilon * source.bound)
            yield noise, _Path(rates, (*path.positive, *inside), path.weight / kept)
        return
    if isinstance(source, Called):
        given = [linear(argument, names) for argument in source.arguments]
        inner = dict(zip(source.program.parameters, given, strict=True))
        for _, outcome, after in _ends(source.program.body, inner, path, epsilon):
            yield outcome, after
        return
    for outcome, p in _weighted(source, names, epsilon):
        if p:
            yield outcome, _Path(path.rates, path.positive, path.weight * float(p))


def _weighted(source: Source, names: Names, epsilon: float) -> Sequence[tuple[Any, Any]]:
    match source:
        case Coin(p):
            heads = linear(p, names)
            return [(1, heads), (0, 1 - heads)]
        case Uniform(size):
            return [(i, Fraction(1, size)) for i in range(size)]
        case Pick(outcomes, weights, exponential):
            given = [float(linear(weight, names)) for weight in weights]
            masses = [float(np.exp(epsilon * weight)) for weight in given] if exponential else given
            kept = dict(zip((value_of(outcome, names) for outcome in outcomes), masses, strict=True))
            return [(outcome, mass / sum(kept.values())) for outcome, mass in kept.items()]
        case _:
            raise AssertionError(f"{source} is no source of a program with continuous noise")


def _measure(path: _Path) -> float:
    """The probability that all forms are positive."""
    whole = 1.0
    for noises, facts in _components(path.positive):
        whole *= _star(tuple((noise, path.rates[noise]) for noise in sorted(noises)), tuple(map(_key, facts)))
    return whole


_Key = tuple[tuple[tuple[int, Fraction], ...], Fraction]


def _key(form: Form) -> _Key:
    return tuple(sorted(form.parts.items())), form.shift


def _components(forms: Sequence[Form]) -> list[tuple[set[int], list[Form]]]:
    found: list[tuple[set[int], list[Form]]] = []
    for form in forms:
        noises, facts = set(form.parts), [form]
        apart = []
        for others, known in found:
            if others & noises:
                noises, facts = noises | others, known + facts
            else:
                apart.append((others, known))
        found = [*apart, (noises, facts)]
    return found


_NODES: Final[tuple[Floats, Floats]] = np.polynomial.legendre.leggauss(20)


@lru_cache(maxsize=20_000)
def _star(rates: tuple[tuple[int, float], ...], facts: tuple[_Key, ...]) -> float:
    """The probability of facts over noises that are tied in the shape of a star."""
    rate_of = dict(rates)
    tied = [{noise for noise, _ in parts} for parts, _ in facts if len(parts) > 1]
    centres = set(rate_of).intersection(*tied) if tied else set(rate_of)
    if not centres or any(len(noises) > 2 for noises in tied):
        raise NoStar
    centre = min(centres)
    low, high = -inf, inf
    # of every other noise: the lines a·x + b that it lies above and below
    lines: dict[int, tuple[list[tuple[float, float]], list[tuple[float, float]]]] = {}
    for parts, shift in facts:
        own = dict(parts)
        c = float(own.pop(centre, Fraction(0)))
        if not own:
            low, high = (max(low, -float(shift) / c), high) if c > 0 else (low, min(high, -float(shift) / c))
            continue
        ((other, d),) = own.items()
        line = (-c / float(d), -float(shift) / float(d))
        lines.setdefault(other, ([], []))[0 if d > 0 else 1].append(line)
    rate = rate_of[centre]
    low, high = max(low, -45 / rate), min(high, 45 / rate)
    if low >= high:
        return 0.0
    breaks = {0.0, low, high}
    for above, below in lines.values():
        both = [*above, *below, (0.0, 0.0)]
        for i, (a, b) in enumerate(both):
            breaks.update((e - b) / (a - c) for c, e in both[:i] if a != c)
    step = 1.5 / max(rate_of.values())
    ends = sorted(x for x in breaks if isfinite(x) and low <= x <= high)
    stretches = [np.linspace(a, b, int((b - a) / step) + 2)[:-1] for a, b in pairwise(ends)]
    points = np.concatenate([*stretches, ends[-1:]])
    half = np.diff(points) / 2
    middle = points[1:] - half
    x = (middle[:, None] + half[:, None] * _NODES[0]).ravel()
    weights = (half[:, None] * _NODES[1]).ravel()
    density = rate / 2 * np.exp(-rate * np.abs(x))
    for other, (above, below) in lines.items():
        least = np.max([a * x + b for a, b in above], axis=0) if above else np.full(x.shape, -inf)
        most = np.min([a * x + b for a, b in below], axis=0) if below else np.full(x.shape, inf)
        density = density * np.maximum(_cdf(most, rate_of[other]) - _cdf(least, rate_of[other]), 0.0)
    return float((density * weights).sum())


def _cdf(x: Floats, rate: float) -> Floats:
    return np.where(x < 0, np.exp(rate * np.minimum(x, 0)) / 2, 1 - np.exp(-rate * np.maximum(x, 0)) / 2)

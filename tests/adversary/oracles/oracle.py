"""The law of a program, by brute force with Fractions: this file imports nothing of dpverify.

e^ε is a number `base`, so that noise of the scale 1/(k·ε) has z = base^-k: with a Fraction all is exact, with a float
the same sums are floats. Of untruncated noise either the values beyond `reach` are dropped, and their mass is missing
from the law, or, where noise is only compared with smaller numbers, they are one value with all of their mass.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

from tests.adversary.oracles.programs import (
    ROWS,
    Called,
    Clamped,
    Coin,
    Draw,
    Each,
    If,
    Linear,
    Literal,
    Many,
    Next,
    Noise,
    Outcome,
    Pick,
    Program,
    Return,
    ReturnLaw,
    Seen,
    Source,
    Statement,
    Stop,
    Text,
    Uniform,
)

Number: TypeAlias = Any
"""A Fraction, or a float where the base is one."""

Law: TypeAlias = dict[Any, Number]
"""Tagged outcome → probability."""

Names: TypeAlias = Mapping[str, Any]

RELATIONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}


def tagged(outcome: Any) -> Any:
    """An outcome with its types, so that True, 1 and 1.0 differ; ints and Fractions are numbers alike."""
    if type(outcome) in (int, Fraction):  # of which those that are equal have one hash
        return "number", outcome
    if type(outcome) is tuple:
        return "tuple", tuple(map(tagged, outcome))
    if type(outcome) is frozenset:
        return "frozenset", frozenset(map(tagged, outcome))
    return type(outcome).__name__, repr(outcome)


def as_drawn(value: Any) -> Any:
    """A value as `draw` hands it on: of an int and a Fraction that are equal it is the int, at any depth."""
    if type(value) is Fraction and value.denominator == 1:
        return int(value)
    return type(value)(map(as_drawn, value)) if type(value) in (tuple, frozenset) else value


@dataclass(frozen=True)
class Chance:
    """e^ε, how far noise reaches, and whether what lies beyond is kept as one value on either side."""

    base: Number
    reach: int
    lumped: bool


def law_of(program: Program, rows: tuple[int, ...], chance: Chance) -> Law:
    """The law of a program on a database; it adds up to 1 unless values of noise are dropped."""
    names = {ROWS[0]: rows[0], ROWS[1]: rows[-1], "rows": rows}
    return {tag: weight for (_, tag), (_, weight) in _Reader(chance).ends(program.body, names).items()}


_Ends: TypeAlias = dict[tuple[str, Any], tuple[Any, Number]]
"""How a statement ends, and with which tagged outcome → the outcome, and the probability."""


class _Reader:
    """Reads statements, each once for each state of the variables that it sees."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._known: dict[Any, _Ends] = {}

    def ends(self, statement: Statement, names: Names) -> _Ends:
        """The ways in which a statement ends."""
        state = (names[name] for name in seen_by(statement))
        key = id(statement), *(value if type(value) is int else tagged(value) for value in state)
        if key not in self._known:
            found: _Ends = {}
            for how, outcome, weight in self._ways(statement, names):
                end = how, tagged(outcome)
                found[end] = outcome, weight + found[end][1] if end in found else weight
            self._known[key] = found
        return self._known[key]

    def _ways(self, statement: Statement, names: Names) -> Iterator[tuple[str, Any, Number]]:
        match statement:
            case Return(outcome):
                yield "return", value_of(outcome, names), 1
            case ReturnLaw(law):
                for outcome, p in self._values(law, names):
                    yield "return", outcome, p
            case Next(value):
                yield "next", linear(value, names), 1
            case Stop(value):
                yield "stop", linear(value, names), 1
            case If(left, relation, right, yes, no):
                holds = RELATIONS[relation](linear(left, names), linear(right, names))
                yield from self._each_end(yes if holds else no, names, 1)
            case Draw(name, source, then):
                for drawn, p in self._values(source, names):
                    yield from self._each_end(then, {**names, name: as_drawn(drawn)}, p)
            case Each():
                yield from self._loop(statement, names)

    def _each_end(self, statement: Statement, names: Names, p: Number) -> Iterator[tuple[str, Any, Number]]:
        for (how, _), (outcome, weight) in self.ends(statement, names).items():
            yield how, outcome, p if weight == 1 else p * weight

    def _loop(self, loop: Each, names: Names) -> Iterator[tuple[str, Any, Number]]:
        going: dict[Any, Number] = {0: 1}
        stopped: dict[Any, Number] = {}
        for row in names["rows"]:
            after: dict[Any, Number] = {}
            for value, p in going.items():
                for how, outcome, weight in self._each_end(loop.body, {**names, loop.found: value, loop.row: row}, p):
                    if how == "return":
                        yield how, outcome, weight
                    else:
                        into = after if how == "next" else stopped
                        into[outcome] = into.get(outcome, 0) + weight
            going = after
        for value in going.keys() | stopped.keys():
            p = going.get(value, 0) + stopped.get(value, 0)
            yield from self._each_end(loop.then, {**names, loop.found: value}, p)

    def _values(self, source: Source, names: Names) -> Iterator[tuple[Any, Number]]:
        match source:
            case Coin(p):
                heads = linear(p, names)
                yield from ((side, q) for side, q in ((1, heads), (0, 1 - heads)) if q)
            case Uniform(size):
                yield from ((i, Fraction(1, size)) for i in range(size))
            case Pick(outcomes, weights, exponential):
                given = [linear(weight, names) for weight in weights]
                masses = [self._chance.base ** int(weight) for weight in given] if exponential else given
                # as a dict has it: of equal keys the first stays, with the last weight
                kept = dict(zip((value_of(outcome, names) for outcome in outcomes), masses, strict=True))
                whole = sum(kept.values())
                yield from ((outcome, mass / whole) for outcome, mass in kept.items() if mass)
            case Clamped(noise, low, high):
                yield min(max(linear(noise, names), low), high), 1
            case Called(program, arguments):
                given = [linear(argument, names) for argument in arguments]
                inner = dict(zip(program.parameters, given, strict=True))
                yield from self.ends(program.body, inner).values()
            case Noise():
                yield from noise_values(source, self._chance)


_SEEN: dict[int, tuple[Statement, tuple[str, ...]]] = {}


def seen_by(statement: Statement) -> tuple[str, ...]:
    """The variables of which a statement, or what follows it, makes use, in alphabetical order."""
    if id(statement) not in _SEEN:
        # the statement is kept, so that no other one is given its id
        _SEEN[id(statement)] = statement, tuple(sorted(_seen(statement)))
    return _SEEN[id(statement)][1]


def _seen(statement: Statement) -> set[str]:
    match statement:
        case Return(outcome):
            return _within(outcome)
        case ReturnLaw(law):
            return _by_source(law)
        case Next(value) | Stop(value):
            return _within(value)
        case If(left, _, right, yes, no):
            return _within(left) | _within(right) | _seen(yes) | _seen(no)
        case Draw(name, source, then):
            return _by_source(source) | (_seen(then) - {name})
        case Each(row, found, body, then):
            return {"rows"} | (_seen(body) - {row, found}) | (_seen(then) - {found})


def _by_source(source: Source) -> set[str]:
    match source:
        case Coin(p):
            return _within(p)
        case Pick(outcomes, weights):
            return set().union(*map(_within, (*outcomes, *weights)))
        case Clamped(noise):
            return _within(noise)
        case Called(_, arguments):
            return set().union(*map(_within, arguments))
        case _:
            return set()


def _within(outcome: Outcome) -> set[str]:
    match outcome:
        case Linear(parts):
            return {name for name, _ in parts}
        case Text(of):
            return _within(of)
        case Many(_, parts):
            return set().union(*map(_within, parts))
        case Seen(variable):
            return {variable}
        case _:
            return set()


_KNOWN: dict[tuple[Noise, Chance], list[tuple[int, Number]]] = {}


def noise_values(noise: Noise, chance: Chance) -> list[tuple[int, Number]]:
    """The values of discrete noise with their probabilities."""
    key = (noise, chance)
    if key not in _KNOWN:
        sums: dict[int, Number] = {0: 1}
        for power in noise.powers:
            values = _single(power, noise.bound, chance)
            more: dict[int, Number] = {}
            for a, p in sums.items():
                for b, q in values:
                    more[a + b] = more.get(a + b, 0) + p * q
            sums = more
        _KNOWN[key] = sorted(sums.items())
    return _KNOWN[key]


def _single(power: int, bound: int | None, chance: Chance) -> list[tuple[int, Number]]:
    z = 1 / chance.base**power
    if bound is not None:
        whole = sum(z ** abs(k) for k in range(-bound, bound + 1))
        return [(k, z ** abs(k) / whole) for k in range(-bound, bound + 1)]
    values = [(k, (1 - z) / (1 + z) * z ** abs(k)) for k in range(-chance.reach, chance.reach + 1)]
    if not chance.lumped:
        return values
    beyond = z ** (chance.reach + 1) / (1 + z)
    return [(-chance.reach - 1, beyond), *values, (chance.reach + 1, beyond)]


def linear(value: Linear, names: Names) -> Any:
    """What a linear expression amounts to."""
    return sum((c * names[name] for name, c in value.parts), value.shift)


def value_of(outcome: Outcome, names: Names) -> Any:
    """What an outcome is."""
    match outcome:
        case Linear(((name, 1),), shift) if not shift:
            return names[name]
        case Linear():
            return linear(outcome, names)
        case Text(of):
            return f"seen {linear(of, names)}"
        case Many(kind, parts):
            return kind(value_of(part, names) for part in parts)
        case Literal(value):
            return value
        case Seen(variable):
            return f"{type(names[variable]).__name__} {names[variable]!r}"

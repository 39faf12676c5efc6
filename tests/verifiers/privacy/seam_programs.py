"""Random programs that put together what is decided in different ways, and what they need by plain enumeration.

Cuts, sums, sorts, quotients, branches, coins, parts of `draw.each`, comprehensions, sub-mechanisms and `draw.release`
with `then=` stand beside one another, before and after each other, in front of early returns; noise is whole, of several
scales, which may depend on the data, rounded, or discrete Gaussian. A program may be private or not.
"""

import math
import random
from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms import bernoulli, clamp, discrete_gaussian, discrete_laplace, gaussian, geometric, laplace

DATABASES: Final = (0, 1, 2, 3)

NEGLIGIBLE: Final = 1e-6
"""About what lies beyond the noise that is enumerated, of each noise."""

MOST_PATHS: Final = 6_000

Program = Callable[[Any, int], Any]

PlainDistribution = Mapping[Hashable, float]

CHECKED: Final[Mapping[str, Any]] = {
    "dl": discrete_laplace,
    "geo": geometric,
    "dg": discrete_gaussian,
    "la": laplace,
    "ga": gaussian,
    "coin": bernoulli,
    "clamp": clamp,
    "F": Fraction,
    "np": np,
}
"""What a program's names mean to a check."""


# --- Programs with plain numbers
class Masses(NamedTuple):
    """A law of plain numbers, with their probabilities; beyond them lies next to nothing."""

    of: tuple[tuple[Any, float], ...]


def _symmetric(mass: Callable[[int], float], far: int) -> Masses:
    return Masses(tuple((k, mass(k)) for k in range(-far, far + 1)))


def _far(scale: float) -> int:
    return math.ceil(-scale * math.log(NEGLIGIBLE)) + 1


def _discrete_laplace(scale: Any) -> Masses:
    z = math.exp(-1 / scale)
    return _symmetric(lambda k: (1 - z) / (1 + z) * z ** abs(k), _far(float(scale)))


def _geometric(scale: Any) -> Masses:
    z = math.exp(-1 / scale)
    return Masses(tuple((k, (1 - z) * z**k) for k in range(_far(float(scale)))))


def _of_normal(sigma: float) -> int:
    return math.ceil(sigma * math.sqrt(-2 * math.log(NEGLIGIBLE))) + 1


def _discrete_gaussian(sigma: Any) -> Masses:
    far = _of_normal(float(sigma))
    everything = range(-far - 50, far + 51)
    weight = sum(math.exp(-k * k / (2 * sigma * sigma)) for k in everything)
    return _symmetric(lambda k: math.exp(-k * k / (2 * sigma * sigma)) / weight, far)


def _rounded(below: Callable[[float], float], far: int) -> Masses:
    """Real noise, of which a program only uses what it is when it is rounded."""
    return _symmetric(lambda k: below(k + 0.5) - below(k - 0.5), far)


def _laplace(scale: Any) -> Masses:
    b = float(scale)
    return _rounded(lambda x: math.exp(x / b) / 2 if x < 0 else 1 - math.exp(-x / b) / 2, _far(b))


def _gaussian(sigma: Any) -> Masses:
    s = float(sigma)
    return _rounded(lambda x: math.erfc(-x / s / math.sqrt(2)) / 2, _of_normal(s))


PLAIN: Final[Mapping[str, Any]] = {
    **CHECKED,
    "dl": _discrete_laplace,
    "geo": _geometric,
    "dg": _discrete_gaussian,
    "la": _laplace,
    "ga": _gaussian,
    "coin": lambda p: Masses(((True, float(p)), (False, 1 - float(p)))),
    "clamp": lambda value, low, high: min(max(value, low), high),
}
"""What a program's names mean to a plain run."""


class _Replayed:
    """`draw` of plain numbers, which takes the choices of a path."""

    def __init__(self, chosen: list[int]) -> None:
        self.chosen, self.ways, self.probability = chosen, list[int](), 1.0

    def __call__(self, source: Any, *args: Any) -> Any:
        if not isinstance(source, Masses):
            return source(self, *args)
        if len(self.ways) == len(self.chosen):
            self.chosen.append(0)
        value, p = source.of[self.chosen[len(self.ways)]]
        self.ways.append(len(source.of))
        self.probability *= p
        return value

    def each(self, part: Program, items: Any) -> tuple[Any, ...]:
        return tuple(part(self, item) for item in items)

    @staticmethod
    def release(value: Any, then: Callable[[Any], Any] | None = None) -> Any:
        value = _in_tuples(value)
        return value if then is None else then(value)


class TooManyPaths(Exception):
    """More than are enumerated."""


def plain_law(program: Program, database: int) -> PlainDistribution:
    """What a program returns, path by path."""
    law: dict[Hashable, float] = {}
    path: list[int] = []
    for _ in range(MOST_PATHS):
        draw = _Replayed(path)
        outcome = _told_apart(program(draw, database))
        law[outcome] = law.get(outcome, 0) + draw.probability
        while path and path[-1] + 1 == draw.ways[len(path) - 1]:
            path.pop()
        if not path:
            return law
        path[-1] += 1
    raise TooManyPaths


def _in_tuples(value: Any) -> Any:
    return tuple(map(_in_tuples, value)) if isinstance(value, list | tuple) else value


def _told_apart(outcome: Any) -> Hashable:
    """An outcome of which True and 1 are two."""
    if isinstance(outcome, list | tuple):
        return tuple(map(_told_apart, outcome))
    return ("bool", bool(outcome)) if isinstance(outcome, bool | np.bool_) else outcome


def least_delta(laws: Mapping[int, PlainDistribution], epsilon: float) -> float:
    """A δ that no smaller one is enough for, of all pairs, at ε."""
    return max(_excess(laws[i], laws[j], epsilon) for i in laws for j in laws if i != j)


def _excess(p: PlainDistribution, q: PlainDistribution, epsilon: float) -> float:
    beyond = max(0.0, 1 - sum(q.values())) + 1e-15
    found = sum(max(0.0, mass - math.exp(epsilon) * q.get(outcome, 0)) for outcome, mass in p.items())
    return found - math.exp(epsilon) * beyond


def least_epsilon(laws: Mapping[int, PlainDistribution]) -> float:
    """An ε that no smaller one is enough for at δ = 0, by outcomes that are not rare."""
    return max(_loss(laws[i], laws[j]) for i in laws for j in laws if i != j)


def _loss(p: PlainDistribution, q: PlainDistribution) -> float:
    beyond = max(0.0, 1 - sum(q.values())) + 1e-15
    return max(math.log(mass / (q.get(outcome, 0) + beyond)) for outcome, mass in p.items() if mass > 1e-4)


# --- Code
def code_of_program(seed: int) -> str:
    """A program as code: a function of `draw` and a number."""
    return _Writer(random.Random(seed)).program()


class _Writer:
    """Writes one program, line by line."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._subs: list[str] = []
        self._lines: list[str] = []
        self._numbers: list[str] = []
        self._others: list[str] = []
        self._noises = chance.choice([1, 2, 2])
        self._leaky = chance.choice([0, 0, 0, 0.1])

    def program(self) -> str:
        """All of it."""
        self._add_number(self._noisy())
        for _ in range(self._chance.choice([2, 3, 4, 5, 6])):
            self._chance.choice(
                [self._new_noise, self._cut, self._computed, self._told, self._parts, self._branch, self._early]
            )()
        self._lines.append(f"return {self._returned()}")
        body = "\n".join(f"    {line}" for line in self._lines)
        return "\n".join([*self._subs, f"def program(draw, x):\n{body}\n"])

    def _one(self, *of: str) -> str:
        return self._chance.choice(of)

    def _number(self) -> str:
        return self._one("x", "1 - x") if self._chance.random() < self._leaky else self._chance.choice(self._numbers)

    def _law(self) -> str:
        scale = self._one("F(1,2)", "F(1,2)", "F(1,3)", "F(2,3)", *["F(1,2+x)"] * self._chance.choice([0, 0, 1]))
        return self._one("dl({})", "dl({})", "dl({})", "geo({})", "dg({})").format(scale)

    def _noisy(self) -> str:
        constant = self._one("0", "x", "x", "1-x", "2*x", "x//2", "x%2", "int(x==2)", "abs(x-1)", "-x", "F(x,2)")
        drawn = f"draw({self._law()})"
        if self._chance.random() < 0.2:
            drawn = f"round(draw({self._one('la', 'ga')}(F(1,2))))"
        return self._one("{0} + {1}", "{1} + {0}", "{0} - {1}", "{1} - {0}", "{0} + 2*{1}").format(constant, drawn)

    def _add(self, expression: str) -> str:
        name = f"v{len(self._lines)}"
        self._lines.append(f"{name} = {expression}")
        return name

    def _add_number(self, expression: str) -> None:
        self._numbers.append(self._add(expression))

    def _new_noise(self) -> None:
        if self._noises > 0:
            self._noises -= 1
            self._add_number(self._noisy())

    def _cut(self) -> None:
        end = self._one("0", "0", "0", "1", "x", "1-x")
        form = self._one(
            *("max({1}, {0})", "max({0}, {1})", "min({0}, 1)", "clamp({0}, 0, 2)", "clamp({0}, -1, 1)"),
            *("max(0, min({0}, 2))", "np.maximum(0, {0})"),
        )
        self._add_number(form.format(self._number(), end))

    def _computed(self) -> None:
        form = self._one(
            *("{0} + {1}", "{0} - {1}", "2*{0}", "{0} + x", "abs({0})", "{0} * {1}", "max({0}, {1})", "min({0}, {1})"),
            *("{0} // 2", "-{0}", "{0}*{0}", "F(1,2)*{0}", "({0} if {1} > 0 else 0)", "({0} if {0} > {1} else {1})"),
            *("{0} / (abs({1}) + 1)", "{0} ** 2"),
        )
        self._add_number(form.format(self._number(), self._number()))

    def _told(self) -> None:
        form = self._one(
            *("{0} > {1}", "{0} >= 1", "{0} == {1}", "{0} > 0", "tuple(sorted(({0}, {1})))"),
            *("[{0}, {1}].index(max([{0}, {1}]))", "max(range(2), key=lambda i: ({0}, {1})[i])"),
            *("draw.release(({0}, {1}), then=sorted)", "draw.release(({0}, {1}), then=lambda v: v[0] > v[1])"),
            *("draw.release({0}, then=lambda v: v * v)", "draw.release(({0}, {1}), then=max)", "draw.release({0})"),
            "draw.release({0}, then=lambda v: v > x)",
        )
        self._others.append(self._add(form.format(self._number(), self._number())))

    def _parts(self) -> None:
        if self._noises < 0:
            return
        self._noises -= 1
        body = self._one(
            *("b + {0}", "max(0, b + {0})", "clamp(b + {0}, 0, 1)", "b + {0} > 0", "abs(b + {0})"),
            *("{0} if draw(coin('0.5')) else 0", "max(b + {0}, 0) // 2"),
        ).format(f"draw({self._law()})")
        items = self._one("(x, 1 - x)", "(x, x)", "(x,)", "(x, 1)", "(0, x)")
        form = self._one(
            "draw.each(lambda draw, b: {0}, {1})", "tuple({0} for b in {1})", "tuple([{0} for b in {1}])", ""
        )
        if form:
            self._others.append(self._add(form.format(body, items)))
            return
        body = body.replace("2+x", "2+b")
        self._subs.append(f"def sub{len(self._subs)}(draw, b):\n    return {body}\n")
        name = self._add(f"draw(sub{len(self._subs) - 1}, x)")
        (self._others if "> 0" in body else self._numbers).append(name)

    def _condition(self) -> str:
        form = self._one("{0} > 0", "{0} >= {1}", "{0} == 0", "draw(coin('0.5'))", "draw(coin(F(1+x,8)))", "x == 1")
        return form.format(self._number(), self._number())

    def _branch(self) -> None:
        one, other = self._number(), self._one(self._number(), "0", "x", "1")
        self._add_number(f"({one} if {self._condition()} else {other})")

    def _early(self) -> None:
        self._lines += [f"if {self._condition()}:", f"    return {self._returned()}"]

    def _returned(self) -> str:
        known = [*self._numbers[-4:], *self._others[-2:], *self._others[-1:]]
        parts = [self._chance.choice(known) for _ in range(self._chance.choice([1, 1, 2, 2, 3]))]
        if self._chance.random() < 0.15:
            return f"draw.release(({', '.join(parts)},), then=lambda v: v)"
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def claims(laws: Mapping[int, PlainDistribution]) -> Iterator[tuple[Fraction, Fraction]]:
    """ε and δ of which some are a little less than what is needed, and some a little more."""
    needed = least_epsilon(laws)
    if needed > 1e-3:
        yield _about(needed * 0.995), Fraction(0)
    for epsilon in (0.0, needed / 2, 0.5):
        delta = least_delta(laws, epsilon)
        for near in (delta * 0.995, delta * 1.005 + 1e-4):
            if 1e-4 < near < 1:
                yield _about(epsilon), _about(near)
    yield _about(min(needed * 1.001 + 1e-6, 40)), Fraction(0)


def _about(number: float) -> Fraction:
    return Fraction(number).limit_denominator(10**6)

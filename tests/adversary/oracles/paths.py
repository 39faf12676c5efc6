"""The law of a mechanism's source by brute force, path by path, with Fractions: this file imports nothing of dpverify.

What is run is the very text that dpverify is given, with a `draw` and noises that are defined here. ε stands for ln b, b
a Fraction: `epsilon` is 1 here, so that noise of scale s falls by b^(-1/s), and a probability is a product of powers of
b. Where such a power is irrational the program is none for this oracle: `Irrational`.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import permutations
from typing import Any, Final, NamedTuple

from tests.adversary.oracles.noises import (
    Clock,
    Even,
    Finite,
    Noise,
    NotHere,
    Number,
    OneSided,
    PathCondition,
    Steps,
    TwoSided,
    normalised,
    power,
)
from tests.adversary.oracles.oracle import Law, tagged


@dataclass(frozen=True, eq=False)
class Value:
    """factor·N + shift, or of two noises Σ."""

    run: Run
    parts: tuple[tuple[int, Fraction], ...]
    shift: Fraction

    def __add__(self, other: Any) -> Value:
        if isinstance(other, Value):
            sums = dict(self.parts)
            for noise, factor in other.parts:
                sums[noise] = sums.get(noise, Fraction(0)) + factor
            return Value(self.run, tuple((n, c) for n, c in sums.items() if c), self.shift + other.shift)
        return Value(self.run, self.parts, self.shift + other)

    __radd__ = __add__

    def __neg__(self) -> Value:
        return self.__mul__(-1)

    def __sub__(self, other: Any) -> Value:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Value:
        return self.__neg__().__add__(other)

    def __mul__(self, other: Any) -> Value:
        return Value(self.run, tuple((n, c * other) for n, c in self.parts), self.shift * other)

    __rmul__ = __mul__

    def __ge__(self, other: Any) -> bool:
        return self.run.holds(self - other, strict=False)

    def __gt__(self, other: Any) -> bool:
        return self.run.holds(self - other, strict=True)

    def __le__(self, other: Any) -> bool:
        return self.run.holds(other - self, strict=False)

    def __lt__(self, other: Any) -> bool:
        return self.run.holds(other - self, strict=True)


class Run:
    """One run of a source, along choices that were taken, and what each of the next ones may be."""

    def __init__(self, taken: Sequence[int], base: Fraction) -> None:
        self.base = base
        self._taken = list(taken)
        self.options: list[int] = []
        self.weight = Fraction(1)
        self.noises: list[Noise] = []
        self.facts: list[PathCondition] = []
        self._beaten: list[tuple[int, int]] = []
        self._at: dict[int, Fraction] = {}
        self._spent: set[int] = set()

    def choose(self, chances: Sequence[Fraction]) -> int:
        """Which of some possibilities it is in this run."""
        at = len(self.options)
        possible = [i for i, p in enumerate(chances) if p]
        self.options.append(len(possible))
        if at == len(self._taken):
            self._taken.append(0)
        chosen = possible[self._taken[at]]
        self.weight *= chances[chosen]
        return chosen

    def next(self) -> list[int] | None:
        """The choices of the next run; None after the last."""
        taken = self._taken[: len(self.options)]
        while taken and taken[-1] + 1 == self.options[len(taken) - 1]:
            taken.pop()
        return [*taken[:-1], taken[-1] + 1] if taken else None

    # as `draw`

    def __call__(self, source: Any, /, *args: Any, **kwargs: Any) -> Any:
        if isinstance(source, Finite):
            outcomes = source.outcomes
            return outcomes[self.choose([p for _, p in outcomes])][0]
        if isinstance(source, Noise):
            self.noises.append(source)
            self.facts.append(source.everything)
            return Value(self, ((len(self.noises) - 1, Fraction(1)),), Fraction(0))
        found = source(self, *args, **kwargs)
        return self(found) if isinstance(found, Finite) else found

    def each(self, part: Callable[..., Any], items: Iterable[Any], /, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """As of `draw`."""
        return tuple([self(part, item, *args, **kwargs) for item in items])

    # comparisons

    def holds(self, value: Value, *, strict: bool) -> bool:
        """Whether value > 0, or ≥ 0."""
        if not value.parts:
            return value.shift > 0 if strict else value.shift >= 0
        if len(value.parts) == 2:
            return self._of_two(value)
        ((noise, factor),) = value.parts
        if isinstance(self.noises[noise], Clock):
            raise NotHere("Gumbel noise compared with a number")
        threshold = -value.shift / factor
        if factor > 0:
            return self._is_from(noise, threshold, strict)
        return not self._is_from(noise, threshold, not strict)

    def _is_from(self, noise: int, t: Fraction, strict: bool) -> bool:
        """Whether N ≥ t, or N > t."""
        if noise in self._spent:
            raise NotHere("noise compared again")
        law, (low, high) = self.noises[noise], self.facts[noise]
        if law.discrete:
            # the next whole number
            t = Fraction(t.numerator // t.denominator + 1 if strict else -(-t.numerator // t.denominator))
        of_low = Fraction(1) if low is None else law.tail(low)
        of_high = Fraction(0) if high is None else law.tail(high)
        within = of_low - of_high
        above = min(max(law.tail(t), of_high), of_low) - of_high
        is_above = not self.choose([above / within, 1 - above / within])
        if is_above:
            self.facts[noise] = PathCondition(t if low is None or t > low else low, high)
        else:
            self.facts[noise] = PathCondition(low, t if high is None or t < high else high)
        return is_above

    def _of_two(self, value: Value) -> bool:
        (one, c), (other, d) = value.parts
        laws = self.noises[one], self.noises[other]
        if {c, d} != {Fraction(1), Fraction(-1)}:
            raise NotHere("a sum of noises")
        if c < 0:
            one, other, laws = other, one, laws[::-1]
        if isinstance(laws[0], Clock) and isinstance(laws[1], Clock):
            return self._first_clock(one, other, value.shift)
        are_fresh = self._spent.isdisjoint((one, other)) and all(
            self.facts[noise] == self.noises[noise].everything for noise in (one, other)
        )
        if not are_fresh or any(law.kind != "exponential" for law in laws):
            raise NotHere("two noises of which no difference is known")
        # E ≥ E′ + t
        t, s, r = -value.shift, laws[0].scale, laws[1].scale
        p = power(self.base, -t / s) * s / (s + r) if t >= 0 else 1 - power(self.base, t / r) * r / (s + r)
        self._spent |= {one, other}
        return not self.choose([p, 1 - p])

    def _first_clock(self, one: int, other: int, shift: Fraction) -> bool:
        known = self._at.setdefault(one, Fraction(0) if other not in self._at else self._at[other] + shift)
        if self._at.setdefault(other, known - shift) != known - shift:
            raise NotHere("a Gumbel noise that is moved between two comparisons")
        before = self._chance_of(self._beaten)
        p = self._chance_of([*self._beaten, (one, other)]) / before
        first = not self.choose([p, 1 - p])
        self._beaten.append((one, other) if first else (other, one))
        return first

    def _chance_of(self, beaten: Sequence[tuple[int, int]]) -> Fraction:
        """The probability that each first one of some pairs rings before the second."""
        clocks = sorted({each for pair in beaten for each in pair})
        rates = {clock: power(self.base, self._at[clock] / self.noises[clock].scale) for clock in clocks}
        found = Fraction(0)
        for order in permutations(clocks):
            if all(order.index(a) < order.index(b) for a, b in beaten):
                left, p = sum(rates.values()), Fraction(1)
                for clock in order:
                    p *= rates[clock] / left
                    left -= rates[clock]
                found += p
        return found


class Ended(NamedTuple):
    """How a run ended: its outcome, its probability, and where its noises may lie."""

    outcome: Any
    weight: Fraction
    run: Run


def runs(mechanism: Callable[..., Any], database: Any, base: Fraction, **parameters: Any) -> Iterator[Ended]:
    """All runs of a mechanism."""
    taken: list[int] | None = []
    count = 0
    while taken is not None:
        run = Run(taken, base)
        outcome = run(mechanism, database, **parameters)
        yield Ended(outcome, run.weight, run)
        taken = run.next()
        count += 1
        if count > 20_000:
            raise NotHere("too many paths")


def _has_noise(outcome: Any) -> bool:
    return isinstance(outcome, Value) or (isinstance(outcome, tuple) and any(map(_has_noise, outcome)))


def law_of(mechanism: Callable[..., Any], database: Any, base: Fraction, **parameters: Any) -> Law:
    """The law of a mechanism without released noise: tagged outcome → probability."""
    law: Law = {}
    for ended in runs(mechanism, database, base, **parameters):
        if _has_noise(ended.outcome):
            raise NotHere("noise was returned")
        tag = tagged(ended.outcome)
        law[tag] = law.get(tag, Fraction(0)) + ended.weight
    assert sum(law.values()) == 1
    return law


def names(base: Fraction) -> dict[str, Any]:
    """What a source may call, for e^ε = base."""

    def scaled(kind: type[Noise], name: str, **more: Any) -> Callable[..., Noise]:
        return lambda scale: kind(name, Fraction(scale), base, **more)

    def truncated(discrete: bool) -> Callable[..., Noise]:
        return lambda scale, bound: TwoSided(
            "truncated", Fraction(scale), base, (Fraction(-bound), Fraction(bound)), discrete
        )

    def even(discrete: bool) -> Callable[..., Noise]:
        return lambda low, high: Even("uniform", Fraction(1), base, (Fraction(low), Fraction(high)), discrete)

    def exponential(scores: Any, epsilon: Number) -> Finite:
        pairs = scores.items() if isinstance(scores, Mapping) else enumerate(scores)
        return normalised({each: power(base, Fraction(epsilon) * score / 2) for each, score in pairs})

    def clamp(value: Any, low: Any, high: Any) -> Any:
        if not isinstance(value, Value):
            return min(max(value, low), high)
        noise = value.run.noises[value.parts[0][0]]
        if not noise.discrete:
            return low if value <= low else high if value >= high else value
        for k in range(high, low, -1):
            if value >= k:
                return k
        return low

    def folded(value: Any, low: int, high: int) -> Any:
        period = 2 * (high - low)
        if isinstance(value, Value):
            ((noise, factor),) = value.parts
            rest = value.run.choose([value.run.noises[noise].of_rest(i, period) for i in range(period)])
            value = int(factor * rest + value.shift)
        into = (value - low) % period
        return low + min(into, period - into)

    return {
        "F": Fraction,
        "Distribution": normalised,
        "bernoulli": lambda p: normalised({True: Fraction(p), False: 1 - Fraction(p)}),
        "uniform": lambda values: normalised(dict.fromkeys(values, 1)),
        "exponential": exponential,
        "laplace": scaled(TwoSided, "laplace"),
        "discrete_laplace": scaled(TwoSided, "discrete laplace", discrete=True),
        "truncated_laplace": truncated(False),
        "truncated_discrete_laplace": truncated(True),
        "exponential_noise": scaled(OneSided, "exponential", ends=(Fraction(0), None)),
        "geometric": scaled(OneSided, "geometric", ends=(Fraction(0), None), discrete=True),
        "gumbel": scaled(Clock, "gumbel"),
        "staircase": lambda epsilon, width, gamma: Steps("staircase", Fraction(1), base),
        "uniform_noise": even(False),
        "discrete_uniform": even(True),
        "clamp": clamp,
        "folded": folded,
    }


EPSILON: Final = Fraction(1)
"""What stands for ε where noise falls by powers of b."""


def compiled(source: str, given: Mapping[str, Any], name: str = "mechanism") -> Callable[..., Any]:
    """The function of a source, with names that it may use."""
    file = f"<{name} {sha256(source.encode()).hexdigest()}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file  # where readers of source look
    scope: dict[str, Any] = {"__name__": "adversary", **given}
    exec(compile(source, file, "exec", dont_inherit=True), scope)
    found: Callable[..., Any] = scope[name]
    return found

"""The law of a mechanism's source by brute force, path by path, with Fractions: this file imports nothing of dpverify.

What is run is the very text that dpverify is given, with a `draw` and noises that are defined here. ε stands for ln b, b
a Fraction: `epsilon` is 1 here, so that noise of scale s falls by b^(-1/s), and a probability is a product of powers of
b. Where such a power is irrational the program is none for this oracle: `Irrational`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import isqrt
from typing import Any, Final, NamedTuple

from tests.adversary.oracle import Law, tagged

Number = int | Fraction


class Irrational(Exception):
    """A power of b is no Fraction."""


class NotHere(Exception):
    """A use of noise whose probability is not found here."""


def power(base: Fraction, exponent: Number) -> Fraction:
    """base^exponent, for whole exponents, and for halves where the root is rational. Raises `Irrational` else."""
    exponent = Fraction(exponent)
    if exponent.denominator == 2:
        roots = isqrt(base.numerator), isqrt(base.denominator)
        if roots[0] ** 2 == base.numerator and roots[1] ** 2 == base.denominator:
            return Fraction(*roots) ** exponent.numerator
    if exponent.denominator != 1:
        raise Irrational(f"{base}^{exponent}")
    return base**exponent.numerator


class Finite(NamedTuple):
    """Outcomes with probabilities that add up to 1."""

    outcomes: tuple[tuple[Any, Fraction], ...]


def normalised(weights: Mapping[Any, Number]) -> Finite:
    """A law from weights."""
    whole = sum(weights.values())
    return Finite(tuple((outcome, Fraction(weight) / whole) for outcome, weight in weights.items() if weight))


class Fact(NamedTuple):
    """Values of a noise that are left: from `low` on and below `high`."""

    low: Fraction | None = None
    high: Fraction | None = None


ZERO: Final = Fraction(0)


@dataclass(frozen=True)
class Noise:
    """A law on numbers, by Pr[N ≥ t]; discrete ones are whole."""

    kind: str
    scale: Fraction
    base: Fraction
    ends: tuple[Fraction | None, Fraction | None] = (None, None)
    discrete: bool = False

    @property
    def everything(self) -> Fact:
        """All its values."""
        low, high = self.ends
        return Fact(low, high + 1 if self.discrete and high is not None else high)

    def of_rest(self, rest: int, period: int) -> Fraction:
        """The probability that a discrete N leaves a rest modulo a period."""
        low, high = self.ends
        if low is not None and high is not None:
            first, last = int(low), int(high)
            return sum((self.tail(k) - self.tail(k + 1) for k in range(first, last + 1) if k % period == rest), ZERO)
        z = power(self.base, -1 / self.scale)
        if low is not None:
            return (1 - z) * z**rest / (1 - z**period)
        return (1 - z) / (1 + z) * (z**rest + z ** (period - rest)) / (1 - z**period)

    def tail(self, t: Number) -> Fraction:
        """Pr[N ≥ t]; of a discrete law t is whole."""
        low, high = self.ends
        if low is not None and t <= low:
            return Fraction(1)
        if high is not None and (t > high if self.discrete else t >= high):
            return Fraction(0)
        return self._inside(Fraction(t))

    def _inside(self, t: Fraction) -> Fraction:
        raise NotImplementedError


class TwoSided(Noise):
    """Laplace noise, discrete or not, truncated where it has ends."""

    def _inside(self, t: Fraction) -> Fraction:
        low, high = self.ends
        if low is None or high is None:
            return self._whole(t)
        beyond = self._whole(high + 1 if self.discrete else high)
        return (self._whole(t) - beyond) / (self._whole(low) - beyond)

    def _whole(self, t: Fraction) -> Fraction:
        if self.discrete:
            z = power(self.base, -1 / self.scale)
            return z**t.numerator / (1 + z) if t >= 1 else 1 - z ** (1 - t.numerator) / (1 + z)
        half = power(self.base, -abs(t) / self.scale) / 2
        return half if t >= 0 else 1 - half


class OneSided(Noise):
    """Exponential or geometric noise, from 0 on."""

    def _inside(self, t: Fraction) -> Fraction:
        return power(self.base, -t / self.scale)


class Even(Noise):
    """Uniform noise, on an interval or on whole numbers."""

    def _inside(self, t: Fraction) -> Fraction:
        low, high = self.ends
        assert low is not None and high is not None
        return Fraction(high - t + self.discrete, high - low + self.discrete)


class Steps(Noise):
    """Staircase noise of width 1 and γ = ½, whose density falls by b from one step to the next."""

    def _inside(self, t: Fraction) -> Fraction:
        if t < 0:
            return 1 - self._inside(-t)
        z, half = 1 / self.base, Fraction(1, 2)
        height = (1 - z) / (2 * (half + z * half))
        k = t.numerator // t.denominator
        into = t - k
        before = height * (min(into, half) + z * max(into - half, Fraction(0)))
        return z**k * (half - before)


class Clock(Noise):
    """Gumbel noise: whose s + N is the largest is decided as by exponential clocks of the rates b^(s/scale)."""


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
        self.facts: list[Fact] = []
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
            self.facts[noise] = Fact(t if low is None or t > low else low, high)
        else:
            self.facts[noise] = Fact(low, t if high is None or t < high else high)
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
    scope: dict[str, Any] = dict(given)
    exec(compile(source, "<adversary>", "exec", dont_inherit=True), scope)
    found: Callable[..., Any] = scope[name]
    return found

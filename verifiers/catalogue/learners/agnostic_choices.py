"""Agnostic k-learners that choose by the exponential mechanism: enclosures of how often they fail, for long samples.

A concept h is chosen in place of the best one, f, with a probability that depends on how many more labels f has right,
D, a sum of independent steps of 1, 0 and −1, one for each example. So no samples are listed: D has one law for each h,
and concepts that label the population alike have the same D. The sum over all ways to label it is no less than the
probability of failure, and is that probability where there is one way beside f's.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Final, NamedTuple

from flint import arb, ctx, fmpq, fmpz, fmpz_poly

_BITS: Final = 192


@dataclass(frozen=True)
class Labelled:
    """A population with random labels: the mass of each point 0, 1, … and, for each column, the chance of label 1."""

    name: str
    masses: tuple[Fraction, ...]
    chances: tuple[tuple[Fraction, ...], ...]

    def __repr__(self) -> str:
        return f"{self.name} of {len(self.masses)} points and {len(self.chances)} columns"


class Way(NamedTuple):
    """One way to label the population otherwise than the best concept: how many concepts do, and how they compare.

    `plus` is the chance that the best is right on an example and they are not, `minus` the reverse: on one sample all
    of them have the same number of labels right.
    """

    concepts: int
    plus: Fraction
    minus: Fraction


class Choice(NamedTuple):
    """The choice for one column: the best concept, how many are its like on the population, and which are bad.

    `bad` has the ways to label the population with an error of more than α above the best, with how many are like that.
    `alone` says that there is one of these, and no other way.
    """

    best: int
    alike: int
    bad: tuple[tuple[Way, int], ...]
    alone: bool


def choice_of(
    masses: Sequence[Fraction],
    chances: Sequence[Fraction],
    candidates: Sequence[Callable[[int], int]],
    alpha: Fraction,
    concepts: Sequence[Callable[[int], int]] = (),
) -> Choice:
    """For a column whose label at the point x is 1 with chance chances[x].

    The best of the candidates is compared with them; they are bad by the best of the `concepts`, if there are more.
    """
    support = [x for x, mass in enumerate(masses) if mass]

    def right(concept: Callable[[int], int], places: Sequence[int] = support) -> Fraction:
        return sum((masses[x] * (chances[x] if concept(x) else 1 - chances[x]) for x in places), Fraction(0))

    best = max(range(len(candidates)), key=lambda i: right(candidates[i]))
    least = max(map(right, concepts or candidates)) - alpha
    labellings = Counter(tuple(x for x in support if h(x) != candidates[best](x)) for h in candidates)
    alike = labellings.pop(())
    ways: Counter[Way] = Counter()
    for places, number in labellings.items():
        of_best = right(candidates[best], places)
        ways[Way(number, of_best, sum((masses[x] for x in places), Fraction(0)) - of_best)] += 1
    of_all = right(candidates[best])
    bad = tuple((way, times) for way, times in ways.items() if of_all - way.plus + way.minus < least)
    return Choice(best, alike, bad, len(labellings) == sum(times for _, times in bad) == 1)


@lru_cache(maxsize=64)
def _advantage(plus: Fraction, minus: Fraction, size: int) -> tuple[tuple[fmpz, ...], int]:
    """Weights of D = −size, …, size, and their sum: exactly, as the coefficients of a power.

    They are left to flint, as what is done with them is, since they have thousands of digits.
    """
    parts = lcm(plus.denominator, minus.denominator)
    up, down = int(plus * parts), int(minus * parts)
    power = fmpz_poly([down, parts - up - down, up]) ** size
    return tuple(power[i] for i in range(2 * size + 1)), parts**size


def failure_bounds(choices: Sequence[Choice], *, size: int, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds on the probability that for some column a bad concept is chosen, at that ε for each choice.

    The upper one adds up all columns and ways, however the labels of columns depend on one another. The lower one is
    exact where each example has one label for all columns, and there is one way to be bad; of other columns it is 0.
    """
    first = choices[0]
    with ctx.workprec(_BITS):
        low, high = arb(0), arb(0)
        if first.alone and len(set(choices)) == 1:
            low = _mean(first.alike, first.bad[0][0], size, epsilon, len(choices)).lower()
        for choice, columns in Counter(choices).items():
            for way, times in choice.bad:
                high += columns * times * _mean(choice.alike, way, size, epsilon, 1)
        return _fraction(low), _fraction(high.upper())


def _mean(alike: int, way: Way, size: int, epsilon: Fraction, times: int) -> arb:
    """The mean of 1 − (1 − p)^times over D, p = bad/(bad + alike·e^(εD/2)): that one of so many choices is bad."""
    weights, scale = _advantage(way.plus, way.minus, size)
    step = arb(fmpq(epsilon.numerator, 2 * epsilon.denominator)).exp()
    odds = (step**-size) * alike / way.concepts
    found = arb(0)
    for weight in weights:
        if weight:
            found += weight * (1 - (odds / (1 + odds)) ** times)
        odds *= step
    return found / scale


def _fraction(ball: arb) -> Fraction:
    number = ball.fmpq()
    return Fraction(int(number.p), int(number.q))

"""Agnostic k-learners that choose by the exponential mechanism: enclosures of how often they fail, for long samples.

A concept h is chosen in place of the best one, f, with a probability that depends on how many more labels f has right,
D, a sum of independent steps of 1, 0 and −1, one for each example. So no samples are listed: D has one law for each h,
and of concepts that differ from f in the same way one stands for all. The sum over these is no less than the
probability of failure, and is that probability where all concepts that are not f's like differ from it in one way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Final, NamedTuple

from flint import arb, ctx, fmpq, fmpz_poly

_BITS: Final = 192


@dataclass(frozen=True)
class Labelled:
    """A population with random labels: the mass of each point 0, 1, … and, for each column, the chance of label 1."""

    name: str
    masses: tuple[Fraction, ...]
    chances: tuple[tuple[Fraction, ...], ...]

    def __repr__(self) -> str:
        return f"{self.name} of {len(self.masses)} points and {len(self.chances)} columns"


class Choice(NamedTuple):
    """The choice for one column: the best concept, how many are its like on the population, and how others differ.

    `bad` has for concepts with an error of more than α above the best: how many, the chance that the best is right on
    an example and they are not, and the reverse. `alone` says that there are no others.
    """

    best: int
    alike: int
    bad: tuple[tuple[int, Fraction, Fraction], ...]
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
    differing: Counter[tuple[Fraction, Fraction]] = Counter()
    for concept in candidates:
        places = [x for x in support if concept(x) != candidates[best](x)]
        differing[right(candidates[best], places), right(concept, places)] += 1
    alike = differing.pop((Fraction(0), Fraction(0)))
    of_best = right(candidates[best])
    bad = tuple((number, plus, minus) for (plus, minus), number in differing.items() if of_best - plus + minus < least)
    return Choice(best, alike, bad, len(bad) == len(differing) == 1)


@lru_cache(maxsize=64)
def _advantage(plus: Fraction, minus: Fraction, size: int) -> tuple[tuple[int, ...], int]:
    """Weights of D = −size, …, size, and their sum: exactly, as the coefficients of a power."""
    parts = lcm(plus.denominator, minus.denominator)
    up, down = int(plus * parts), int(minus * parts)
    power = fmpz_poly([down, parts - up - down, up]) ** size
    return tuple(int(power[i]) for i in range(2 * size + 1)), parts**size


def failure_bounds(choices: Sequence[Choice], *, size: int, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds on the probability that for some column a bad concept is chosen, at that ε for each choice.

    The lower one is 0 but where all columns have the same labels, and one way to be bad.
    """
    first = choices[0]
    with ctx.workprec(_BITS):
        if first.alone and len(set(choices)) == 1:
            chance = _mean(first.alike, first.bad[0], size, epsilon, len(choices))
            low, high = chance.lower(), chance.upper()
        else:
            low = arb(0)
            high = sum(
                (number * _mean(choice.alike, bad, size, epsilon, 1) for (choice, number), bad in _each_bad(choices)),
                arb(0),
            ).upper()
        return _fraction(low), _fraction(high)


def _each_bad(
    choices: Sequence[Choice],
) -> list[tuple[tuple[Choice, int], tuple[int, Fraction, Fraction]]]:
    return [(pair, bad) for pair in Counter(choices).items() for bad in pair[0].bad]


def _mean(alike: int, bad: tuple[int, Fraction, Fraction], size: int, epsilon: Fraction, times: int) -> arb:
    """The mean of 1 − (1 − p)^times over D, p = bad/(bad + alike·e^(εD/2)): that one of so many choices is bad."""
    number, plus, minus = bad
    weights, scale = _advantage(plus, minus, size)
    step = arb(fmpq(epsilon.numerator, 2 * epsilon.denominator)).exp()
    odds = (step**-size) * alike / number
    found = arb(0)
    for weight in weights:
        if weight:
            found += weight * (1 - (odds / (1 + odds)) ** times)
        odds *= step
    return found / scale


def _fraction(ball: arb) -> Fraction:
    number = ball.fmpq()
    return Fraction(int(number.p), int(number.q))

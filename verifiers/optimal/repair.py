"""Bounds on the optimum from floating point: distributions made private exactly, and multipliers made multipliers.

For programs that are too large to be solved exactly, and for an e^ε that is neither rational nor known to be
transcendental. The numbers that are claimed are enclosed by rationals: a distribution that is private at the smaller
ones, and a bound that holds at the larger ones, are so at the numbers themselves.

A distribution of floats is rounded to one of fractions, which misses its claim by a little. It is mixed with a constant
distribution, which is private by itself: of which, and how much, is computed from what is missed.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from operator import itemgetter
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.numbers.enclosure import bounds
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.verifiers.optimal.certificate import Certificate
from dpverify.verifiers.optimal.formulation import Formulation
from dpverify.verifiers.optimal.highs import Guess
from dpverify.verifiers.optimal.question import DesignProblem
from dpverify.verifiers.optimal.rings import growth_of

DIGITS: Final = 30
"""Width to which e^ε and δ are enclosed."""

_PARTS: Final = 1 << 44
"""A probability, and a multiplier, is rounded to a multiple of 1/PARTS."""


class Claimed(NamedTuple):
    """A rational e^ε ≥ 1 and a rational δ."""

    growth: Fraction
    delta: Fraction

    def budget(self, steps: int) -> Fraction:
        """The δ of a pair at this distance."""
        return self.delta * sum((self.growth**i for i in range(steps)), start=Fraction(0))


def around(epsilon: Exact, delta: Exact) -> tuple[Claimed, Claimed]:
    """A claim that is at least as strict, and one that is at most as strict."""
    (low, high), (less, more) = (bounds(exact(number), DIGITS) for number in (growth_of(epsilon), delta))
    return Claimed(max(Fraction(1), low), max(Fraction(0), less)), Claimed(high, min(Fraction(1), more))


_Law = list[list[Fraction]]
"""By database, then by outcome."""


def repaired_distribution(
    asked: DesignProblem, cells: Sequence[Sequence[int]], guess: Guess, claimed: Claimed
) -> tuple[Mapping[Hashable, Distribution[Any]], Fraction]:
    """Distributions that are private, exactly, and their worst or weighted success."""
    law = [_rounded([float(guess.columns[variable]) for variable in row]) for row in cells]
    law = _made_equal(asked, law, claimed)
    share, constant = min((_mixture(asked, law, claimed, spend) for spend in (True, False)), key=itemgetter(0))
    law = [[(1 - share) * p + share * c for p, c in zip(row, constant, strict=True)] for row in law]
    assert all(_excess(asked, law, claimed, p) <= 0 for p in range(len(asked.pairs))), "the mixture is private"
    earned = [
        sum((p * u for p, u in zip(law[i], shares, strict=True)), start=Fraction(0))
        for i, shares in zip(asked.goals, asked.success, strict=True)
    ]
    if asked.weights is None:
        success = min(earned)
    else:
        success = sum((w * e for w, e in zip(asked.weights, earned, strict=True)), start=Fraction(0))
    laws = {
        database: Distribution({o: p for o, p in zip(asked.outcomes, row, strict=True) if p})
        for database, row in zip(asked.databases, law, strict=True)
    }
    return laws, success


def _rounded(row: Sequence[float]) -> list[Fraction]:
    """Multiples of 1/PARTS, near to these, of sum 1."""
    parts = [max(0, round(p * _PARTS)) for p in row]
    whole = sum(parts)
    return [Fraction(part, whole) for part in parts] if whole else [Fraction(1, len(row))] * len(row)


def _made_equal(asked: DesignProblem, law: _Law, claimed: Claimed) -> _Law:
    """The distributions of databases that must be equal, as ε = 0 and δ = 0 between them, all set to one of them."""
    first = list(range(len(law)))
    bound = [pair for pair in asked.pairs if claimed.growth**pair.steps == 1 and not claimed.budget(pair.steps)]
    changed = True
    while changed:
        changed = False
        for pair in bound:
            if first[pair.left] > first[pair.right]:
                first[pair.left], changed = first[pair.right], True
    return [law[i] for i in first]


def _excess(asked: DesignProblem, law: _Law, claimed: Claimed, p: int) -> Fraction:
    """Amount by which a pair misses its claim; at most 0 where it does not."""
    pair = asked.pairs[p]
    growth = claimed.growth**pair.steps
    over = (x - growth * y for x, y in zip(law[pair.left], law[pair.right], strict=True))
    return sum((part for part in over if part > 0), start=Fraction(0)) - claimed.budget(pair.steps)


def _mixture(asked: DesignProblem, law: _Law, claimed: Claimed, spend: bool) -> tuple[Fraction, list[Fraction]]:
    """The constant distribution to mix in, and how much of it, for all pairs to keep their claims.

    Where δ > 0 a pair that spends g > δ keeps it with a share of 1 − δ/g. Where δ = 0, an outcome with
    x − G·x′ = v > 0, for G = e^(dε), needs share·(G − 1)·c ≥ (1 − share)·v of a constant distribution c. Unless δ is to
    be spent, a δ > 0 is taken for 0 where G > 1: of one that is smaller than what floats get wrong, that leaves more.
    """
    share = Fraction(0)
    missed = [Fraction(0)] * len(asked.outcomes)
    for p, pair in enumerate(asked.pairs):
        excess = _excess(asked, law, claimed, p)
        if excess <= 0:
            continue
        spent, growth = claimed.budget(pair.steps), claimed.growth**pair.steps
        if spent and (spend or growth == 1):
            share = max(share, excess / (excess + spent))
            continue
        for o, (x, y) in enumerate(zip(law[pair.left], law[pair.right], strict=True)):
            missed[o] = max(missed[o], (x - growth * y) / (growth - 1))
    needed = sum(missed, start=Fraction(0))
    if not needed:
        return _coarse(share), [Fraction(1, len(missed))] * len(missed)
    # with c in proportion to what is missed, each outcome needs share/(1 − share) ≥ Σ missed
    return _coarse(max(share, needed / (1 + needed))), [part / needed for part in missed]


def _coarse(share: Fraction) -> Fraction:
    """A short fraction that is at least as large."""
    parts = _PARTS * _PARTS
    return min(Fraction(1), Fraction(ceil(share * parts), parts))


def repaired_certificate(
    asked: DesignProblem, stands_for: Sequence[int], formulation: Formulation, guess: Guess, claimed: Claimed
) -> Certificate:
    """The multipliers of floats, rounded and cut at 0: they are multipliers, and show a bound a little larger."""

    def parts(row: int, alike: int) -> Fraction:
        return Fraction(max(0, round(float(guess.multipliers[row]) / alike * _PARTS)))

    scale = Fraction(_PARTS)
    if asked.weights is None:
        rows = zip(formulation.goal_rows, formulation.goals_alike, strict=True)
        shares = [Fraction(0) if row is None else parts(row, alike) for row, alike in rows]
        if not any(shares):
            shares = [scale / len(shares)] * len(shares)
        scale = sum(shares, start=Fraction(0))
    else:
        shares = [weight * scale for weight in asked.weights]
    multipliers = {
        (pair.left, pair.right, o): parts(formulation.private_rows[key], formulation.cells_alike[key])
        for pair, keys in zip(asked.pairs, formulation.keys, strict=True)
        for o, key in keys.items()
    }
    certificate = Certificate(
        asked.databases,
        asked.pairs,
        asked.outcomes,
        stands_for,
        asked.goals,
        asked.success,
        asked.weights,
        claimed.growth,
        claimed.delta,
        Fraction(0),
        shares,
        {place: p for place, p in multipliers.items() if p},
        scale,
    )
    return replace(certificate, at_most=certificate.bound() / scale)

"""Polynomials in one coordinate h and its decays: their signs at all whole h ≥ 0, a complete procedure.

f = Σ c·h^k·e^(-λh) with different (λ, k): that of the least λ, and of the highest k there, decides the sign from some H
on, which is found by doubling. Below it balls that hold many h at once decide, and single h, in the end, exactly.
Different exponents have different λ: rationals and logarithms of different primes are linearly independent over the
rationals (Lindemann).

Needed by `product_of_counts` of tests/outside/bugs.
"""

from collections.abc import Sequence
from functools import cmp_to_key
from typing import Final, NamedTuple

from flint import arb, ctx, fmpq

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import logarithm_of_base
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact, ordering, product, rational, total
from dpverify.mechanisms.numbers.positivity.polynomials import E, Polynomial

MOST_STRETCHES: Final = 20_000
"""Of whole numbers that are looked at, at once or one by one."""

MOST_DOUBLINGS: Final = 64
"""Of the H from which on one term decides."""


class RayStretch(NamedTuple):
    """All whole h from `start` on up to the next stretch, if there is one: there the sign is -1, 0 or 1."""

    start: int
    sign: int


class _Term(NamedTuple):
    rate: Exact
    k: int
    coefficient: Exact
    sign: int


class _Balls(NamedTuple):
    rate: arb
    k: int
    coefficient: arb
    sign: int


def signs_along(f: Polynomial) -> list[RayStretch]:
    """The signs of a polynomial in one coordinate, without ε, at all whole h ≥ 0: neighbouring stretches differ.

    Raises `Undecided` where that takes too long, or where the sign at some h is not decided.
    """
    (place,) = f.places
    terms = _terms(f)
    first, *others = terms
    with ctx.workprec(WORKING_PRECISION):
        rate, coefficient = enclosure(first.rate), enclosure(first.coefficient)
        # divided by the term that decides in the end, so that no number is too small
        balls = [
            _Balls(
                arb(0) if t.rate is first.rate else enclosure(t.rate) - rate,
                t.k - first.k,
                enclosure(t.coefficient) / abs(coefficient),
                t.sign,
            )
            for t in others
        ]
        end = _decided_from([ball for ball in balls if ball.sign != first.sign])
        result = _below(f, place, [_Balls(arb(0), 0, arb(first.sign), first.sign), *balls], end)
    return _merged([*result, RayStretch(end, first.sign)])


def _terms(f: Polynomial) -> list[_Term]:
    """The terms, the one that decides in the end first."""
    rates = {e: _rate(f, e) for e in {key[1] for key in f.coefficients}}
    terms = [
        _Term(rates[exponents], sum(powers), c, f.signs[powers, exponents])
        for (powers, exponents), c in f.coefficients.items()
    ]
    return sorted(terms, key=cmp_to_key(_later))


def _later(s: _Term, t: _Term) -> int:
    return ordering(s.rate, t.rate) or t.k - s.k


def _rate(f: Polynomial, exponents: Sequence[int]) -> Exact:
    """The λ of ∏ decay^(exponent/n)."""
    return total(
        product(
            (
                rational(fmpq(e, f.grains[decay.factor])),
                *(() if decay.factor == E else (logarithm_of_base(decay.factor),)),
            )
        )
        for decay, e in zip(f.decays, exponents, strict=True)
        if e
    )


def _decided_from(others: Sequence[_Balls]) -> int:
    """An h ≥ 1 from which on the sum of other terms, each divided by the first, is less than 1 in absolute value."""
    h = 1
    for _ in range(MOST_DOUBLINGS):
        x = arb(h)
        falls = all(not (t.k > 0 and not t.rate * x >= t.k) for t in others)
        if falls and sum((abs(t.coefficient) * x**t.k * (-t.rate * x).exp() for t in others), arb(0)) < 1:
            return h
        h *= 2
    raise Undecided(not_known.ANSWER_CHANGES, f"a function of a score does not show its sign below 2^{MOST_DOUBLINGS}")


def _below(f: Polynomial, place: int, terms: Sequence[_Balls], end: int) -> list[RayStretch]:
    """The signs at 0 ≤ h < end."""
    ray_stretches = [RayStretch(0, decision.sign(f.at(place, 0).value()))]
    waiting = [(1, end)]
    looked_at = 0
    while waiting:
        low, high = waiting.pop()
        if low >= high:
            continue
        looked_at += 1
        if looked_at > MOST_STRETCHES:
            raise Undecided(not_known.ANSWER_CHANGES, "a function of a score is near 0 at too many of its values")
        x = arb(low).union(arb(high - 1))
        ball = sum((t.coefficient * x**t.k * (-t.rate * x).exp() for t in terms), arb(0))
        if ball > 0 or ball < 0:
            ray_stretches.append(RayStretch(low, 1 if ball > 0 else -1))
        elif high == low + 1:
            ray_stretches.append(RayStretch(low, decision.sign(f.at(place, low).value())))
        else:
            middle = (low + high) // 2
            waiting += [(middle, high), (low, middle)]
    return ray_stretches


def _merged(stretches: Sequence[RayStretch]) -> list[RayStretch]:
    return [s for i, s in enumerate(stretches) if i == 0 or stretches[i - 1].sign != s.sign]

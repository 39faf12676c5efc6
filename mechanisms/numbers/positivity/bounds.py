"""Proofs that a polynomial in coordinates h ≥ 0 and their decays w is nowhere positive: by coefficients alone, soundly.

- *Partial sums*: Σ a_i·w^i, summed by parts, is Σ A_i·(w^i - w^(i+1)) with A_i = a_0 + … + a_i, and 1 ≥ w ≥ w² ≥ … > 0.
  Sparse, and cheap for any degree.
- *Bernstein*: on [0, 1] a polynomial is a mean of its Bernstein coefficients b_i = Σ_(k≤i) C(i,k)/C(d,k)·a_k, with
  weights C(d,i)·w^i·(1-w)^(d-i). What is tight at a corner, or along an edge, has coefficients that are exactly 0.
- *Powers of h*: p·(1 - v) ≤ λ·h ≤ p·(1/v - 1) with v = w^(1/p), w = e^(-λh); both are h where h = 0. Terms that are
  positive are bounded from above, negative ones from below, and what is left is a polynomial in decays.

Different decays of one coordinate are taken for independent, which loses, but is sound; or each is bounded by powers of
one of them. Where some coefficient is negative whose weight is positive everywhere, the polynomial is nowhere 0 either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product as tuples
from math import comb, gcd, prod
from typing import Final, TypeAlias

from flint import arb, ctx, fmpq

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.atoms import atom
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact, from_factor, negative, product, rational, total
from dpverify.mechanisms.numbers.positivity.polynomials import (
    OF_EPSILON,
    Decay,
    Decaying,
    Polynomial,
    TermExponents,
    times,
)

FINENESS: Final = (1, 2, 4, 8)
"""The p of the sandwich, in the order in which they are tried."""

MOST_COEFFICIENTS: Final = 4_000
"""Bernstein coefficients of one polynomial."""


def is_nowhere_positive(f: Polynomial, *, strictly: bool = False) -> bool:
    """True where it is shown that f ≤ 0 everywhere, or f < 0; False where that is not shown."""
    if not f.coefficients:
        return not strictly
    if all(sign < 0 for sign in f.signs.values()):
        return not strictly or any(not _may_be_zero(f, powers) for powers in f.by_powers)
    if f.vanishing:
        if strictly and any(f.decays[j].place != OF_EPSILON for j in f.vanishing):
            return False
        divided = f.divided(f.vanishing[0])
        return divided is not None and is_nowhere_positive(divided, strictly=strictly)
    if not f.lengths:
        return _is_shown(f.decays, f.by_powers.get((), {}), strictly)
    signs = {powers: _sign_of(f.decays, part) for powers, part in f.by_powers.items()}
    if max(signs.values()) < 0 and (not strictly or _is_strict(f)):
        return True
    return any(
        above is not None and is_nowhere_positive(above, strictly=strictly)
        for above in (bounded_above(f, signs, p) for p in FINENESS)
    )


def _may_be_zero(f: Polynomial, powers: Sequence[int]) -> bool:
    """True where a product of powers is 0 somewhere: a coordinate may be, and ε is not."""
    return any(k and place != OF_EPSILON for k, place in zip(powers, f.lengths, strict=True))


def _is_strict(f: Polynomial) -> bool:
    """True where the coefficient of a product of powers that is not 0 is shown to be negative."""
    return any(not _may_be_zero(f, powers) and _is_shown(f.decays, part, True) for powers, part in f.by_powers.items())


def _sign_of(decays: Sequence[Decay], part: Decaying) -> int:
    """-1 for what is shown to be nowhere positive, 1 for nowhere negative, 0 else."""
    if _is_shown(decays, part, False):
        return -1
    return int(_is_shown(decays, {key: negative(c) for key, c in part.items()}, False))


def _is_shown(decays: Sequence[Decay], part: Decaying, strictly: bool) -> bool:
    part, axes = _reduced(part, len(decays))
    if not part:
        return not strictly
    coordinate = [decays[j].place != OF_EPSILON for j in axes]
    exponents = [sorted(set(column)) for column in zip(*part, strict=True)]
    if _no_combination_is_positive(part, [_sums(tuple(e)) for e in exponents], coordinate, strictly):
        return True
    return prod(e[-1] + 1 for e in exponents) <= MOST_COEFFICIENTS and _no_combination_is_positive(
        part, [_bernstein(tuple(e)) for e in exponents], coordinate, strictly
    )


def _reduced(part: Decaying, axes: int) -> tuple[Decaying, list[int]]:
    """In the decays that occur, with the common divisor of the exponents of each taken for 1: w^n is in (0, 1], too."""
    common = [gcd(*(key[j] for key in part)) for j in range(axes)]
    kept = [j for j in range(axes) if common[j]]
    return {tuple([key[j] // common[j] for j in kept]): c for key, c in part.items()}, kept


_Rows: TypeAlias = Mapping[int, Mapping[int, fmpq]]
"""Of a matrix: i → exponent → the weight ≠ 0 that the coefficient of that exponent has in the i-th combination."""


@lru_cache(maxsize=1024)
def _sums(exponents: tuple[int, ...]) -> _Rows:
    return {i: {k: _ONE for k in exponents if k <= i} for i in exponents}


@lru_cache(maxsize=1024)
def _bernstein(exponents: tuple[int, ...]) -> _Rows:
    degree = exponents[-1]
    return {i: {k: fmpq(comb(i, k), comb(degree, k)) for k in exponents if k <= i} for i in range(degree + 1)}


_ONE: Final = fmpq(1)


def _no_combination_is_positive(
    part: Decaying, matrices: Sequence[_Rows], coordinate: Sequence[bool], strictly: bool
) -> bool:
    """True where no combination of the coefficients is positive; strictly, one for w = 1 is negative.

    Of the decays of coordinates, that is: the weights are positive where these are 1, and where that of ε is not.
    """
    with ctx.workprec(WORKING_PRECISION):
        balls = {key: enclosure(c) for key, c in part.items()}
        for j, rows in enumerate(matrices):
            balls = _along(balls, j, rows)
    last = [max(rows) for rows in matrices]
    strict = not strictly
    near = []
    for key, ball in balls.items():
        if ball > 0:
            return False
        if not ball < 0:
            near.append(key)
        elif not strict and all(i == end for i, end, of in zip(key, last, coordinate, strict=True) if of):
            strict = True
    return strict and all(_sign_of_combination(part, matrices, key) <= 0 for key in near)


def _along(balls: Mapping[tuple[int, ...], arb], j: int, rows: _Rows) -> dict[tuple[int, ...], arb]:
    lines: dict[tuple[int, ...], dict[int, arb]] = {}
    for key, ball in balls.items():
        lines.setdefault((*key[:j], *key[j + 1 :]), {})[key[j]] = ball
    results = {}
    for rest, line in lines.items():
        for i, weights in rows.items():
            value = arb(0)
            for k, ball in line.items():
                if k <= i:
                    weight = weights[k]
                    value += ball if weight is _ONE else ball * weight
            results[(*rest[:j], i, *rest[j:])] = value
    return results


def _sign_of_combination(part: Decaying, matrices: Sequence[_Rows], at: Sequence[int]) -> int:
    summands = []
    for key, c in part.items():
        weight = _ONE
        for i, k, rows in zip(at, key, matrices, strict=True):
            weight *= rows[i].get(k, _ZERO)
        if weight:
            summands.append(times(c, rational(weight)))
    return decision.sign(total(summands))


_ZERO: Final = fmpq(0)


def bounded_above(f: Polynomial, signs: Mapping[tuple[int, ...], int], p: int) -> Polynomial | None:
    """A polynomial in the decays' p-th roots that is nowhere below f, and equal to it at 0; None where there is none.

    The signs are those of the coefficients of products of powers, where they have one.
    """
    bounded: dict[TermExponents, list[Exact]] = {}
    for powers, part in f.by_powers.items():
        waiting = [(part, signs[powers])]
        while waiting:
            terms, sign = waiting.pop()
            factors = _factors(f, powers, terms, p, is_above=sign > 0) if sign else None
            if factors is not None:
                for exponents, c in _multiplied(f, terms, factors, p, is_above=sign > 0):
                    bounded.setdefault(((), exponents), []).append(c)
            elif sign < 0:
                continue  # what is nowhere positive is bounded by 0, too
            elif sign > 0 and len(terms) == 1:
                return None
            else:
                waiting += [({exponents: c}, f.signs[powers, exponents]) for exponents, c in terms.items()]
    sums = {key: total(result) for key, result in bounded.items()}
    kept = {key: c for key, c in sums.items() if decision.sign(c) != 0}
    return Polynomial((), f.decays, {factor: n * p for factor, n in f.grains.items()}, kept, f.epsilon)


def _factors(
    f: Polynomial, powers: Sequence[int], terms: Decaying, p: int, *, is_above: bool
) -> list[tuple[int, int]] | None:
    """(j, k) for the bound of a product of powers by (1 - v_j)^k, from above by (1/v_j - 1)^k, up to constants.

    None where a length has no decay, or too little of it for a bound from above.
    """
    room = [p * min(column) for column in zip(*terms, strict=True)]
    left = dict(zip(f.lengths, powers, strict=True))
    wanted = []
    if f.epsilon is not None and left.get(OF_EPSILON, 0) > 0:
        for place in f.places:  # ε·h has a decay of its own
            k = min(left[OF_EPSILON], left.get(place, 0))
            if k and Decay(place, f.epsilon) in f.decays:
                left[OF_EPSILON] -= k
                left[place] -= k
                wanted.append((k, [Decay(place, f.epsilon)]))
    for place, k in left.items():
        if k:
            own = [d for d in f.decays if d.place == place and (place == OF_EPSILON or d.factor != f.epsilon)]
            wanted.append((k, own))
    factors = []
    for k, candidates in wanted:
        places = [j for j in map(f.decays.index, candidates) if not is_above or room[j] >= k]
        if not places:
            return None
        factors.append((places[0], k))
    return factors


def _multiplied(
    f: Polynomial, terms: Decaying, factors: Sequence[tuple[int, int]], p: int, *, is_above: bool
) -> Iterator[tuple[tuple[int, ...], Exact]]:
    """The terms times the bounds, in the decays' p-th roots."""
    scale = product(_scale(f, j, p, k) for j, k in factors)
    for exponents, c in terms.items():
        scaled = times(c, scale)
        start = [p * e for e in exponents]
        for j, k in factors:
            start[j] -= k if is_above else 0
        for by in tuples(*(range(k + 1) for _, k in factors)):
            key = list(start)
            weight = 1
            for (j, k), i in zip(factors, by, strict=True):
                key[j] += i
                weight *= (-1) ** i * comb(k, i)
            yield tuple(key), times(scaled, rational(fmpq(weight)))


def _scale(f: Polynomial, j: int, p: int, k: int) -> Exact:
    """(p/λ)^k with λ = ln factor/n: 1 - v ≤ λ/p·length ≤ 1/v - 1."""
    factor = f.decays[j].factor
    scale = rational(fmpq(p * f.grains[factor]) ** k)
    return product((scale, from_factor(atom("log", factor), -k))) if factor > 0 else scale

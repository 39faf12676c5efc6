"""Two densities of one real number: where p exceeds e^ε·q, with what masses, and how large p/q gets.

Between the breaks of both, p and q are sums of terms c·x^k·e^(λx), and so is p − e^ε·q: it changes its sign at finitely
many places. Where these have a closed form the masses between them are exact numbers. Elsewhere a gap is left around
each of them, too small to matter: it is counted, and its mass lies below what `enclosed` allows for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from flint import fmpq

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    exact,
    negative,
    ordering,
    product,
    rational,
    total,
)
from dpverify.mechanisms.numbers.roots.exponential_polynomials import (
    ExpPoly,
    Piecewise,
    antiderivative,
    product_of_functions,
    scaled_function,
    sum_of_functions,
    value,
)
from dpverify.mechanisms.numbers.roots.exponential_roots import SignStretch as Signed
from dpverify.mechanisms.numbers.roots.exponential_roots import derivative, is_mass_below, sign_changes, sign_stretches
from dpverify.mechanisms.numbers.roots.intervals import Endpoint

_GAP_BITS: Final = 1_100
"""Gaps are narrower than 2^-1100, and where densities are so large that this is not enough, narrower than that."""

_MOST_GAP_BITS: Final = 1 << 14

_GAP_MASS: Final = fmpq(1, 10**301)
"""More than what p gives to a gap."""

_RATIO_BITS: Final = 256
"""Bits to which a largest ratio is known that is attained inside a cell."""


class MassCell(NamedTuple):
    """An open interval on which p > e^ε·q, with the masses there; of whole numbers m those with low ≤ m < high."""

    low: Endpoint | None
    high: Endpoint | None
    p: Exact
    q: Exact


class Positive(NamedTuple):
    """All of the line on which p > e^ε·q but for gaps, if any: of masses below 10^-300 together, or 10^-60 by balls."""

    cells: Sequence[MassCell]
    gaps: int


class Stretch(NamedTuple):
    """An interval between two breaks, and what the densities are there."""

    low: Exact | None
    high: Exact | None
    p: ExpPoly
    q: ExpPoly

    @property
    def is_exponential(self) -> bool:
        """True where both are one exponential each: their ratio rises or falls, or stays as it is."""
        return len(self.p) == len(self.q) == 1 and not any(k for _, k in (*self.p, *self.q))


def common_stretches(p: Piecewise, q: Piecewise) -> Iterator[Stretch]:
    """The intervals between the breaks of both, with the pieces there, from left to right."""
    breaks = _united(p.breaks, q.breaks)
    for (low, high), of_p, of_q in zip(
        pairwise([None, *breaks, None]), _pieces(p, breaks), _pieces(q, breaks), strict=True
    ):
        yield Stretch(low, high, of_p, of_q)


def _united(left: tuple[Endpoint, ...], right: tuple[Endpoint, ...]) -> list[Exact]:
    numbers: list[Exact] = []
    mine, others = list(map(exact, left)), list(map(exact, right))
    while mine or others:
        way = -1 if not others else 1 if not mine else ordering(mine[0], others[0])
        numbers.append(others[0] if way > 0 else mine[0])
        if way <= 0:
            mine.pop(0)
        if way >= 0:
            others.pop(0)
    return numbers


def _pieces(density: Piecewise, breaks: list[Exact]) -> Iterator[ExpPoly]:
    i = 0
    own = list(map(exact, density.breaks))
    yield density.pieces[0]
    for b in breaks:
        if i < len(own) and (own[i] is b or own[i] == b):
            i += 1
        yield density.pieces[i]


def positive_cells(p: Piecewise, q: Piecewise, factor: Exact) -> Positive:
    """The cells where p exceeds factor·q. Raises `Undecided` where it cannot be told whether it does."""
    cells: list[MassCell] = []
    gaps = 0
    for stretch in common_stretches(p, q):
        if not stretch.p:
            continue
        difference = sum_of_functions(stretch.p, scaled_function(stretch.q, negative(factor)))
        result = _with_small_gaps(difference, stretch)
        gaps += sum(1 for before, after in pairwise(result) if before.high is not after.low)
        for part in result:
            if part.sign > 0:
                cell = MassCell(
                    part.low, part.high, mass(stretch.p, part.low, part.high), mass(stretch.q, part.low, part.high)
                )
                cells.append(cell)
    return Positive(list(_joined(cells)), gaps)


def _with_small_gaps(difference: ExpPoly, stretch: Stretch) -> list[Signed]:
    """The cells where the difference has one sign, with gaps between that have masses below 10^-301 under p."""
    bits = _GAP_BITS
    while bits <= _MOST_GAP_BITS:
        results = list(sign_stretches(difference, stretch.low, stretch.high, bits))
        gaps = [(before.high, after.low) for before, after in pairwise(results) if before.high is not after.low]
        if all(
            low is not None and high is not None and is_mass_below(_GAP_MASS, stretch.p, low, high, bits)
            for low, high in gaps
        ):
            return results
        bits *= 2
    raise Undecided(
        not_known.DENSITIES_TOUCH, "cross where they are so large that what lies around the crossing is not negligible"
    )


def mass(function: ExpPoly, low: Exact | None, high: Exact | None) -> Exact:
    """The integral over an interval; at an infinite end the function falls off."""
    primitive = antiderivative(function, discrete=False)
    above = ZERO if high is None else value(primitive, high)
    return above if low is None else total((above, negative(value(primitive, low))))


def _joined(cells: list[MassCell]) -> Iterator[MassCell]:
    """With cells that meet at a break as one."""
    last: MassCell | None = None
    for cell in cells:
        if last is not None and last.high is not None and last.high is cell.low:
            last = MassCell(last.low, cell.high, last.p + cell.p, last.q + cell.q)
        else:
            if last is not None:
                yield last
            last = cell
    if last is not None:
        yield last


class RatioBound(NamedTuple):
    """The least upper bound of p/q, between above/below and that times 1 + slack."""

    above: Exact
    below: Exact
    slack: Fraction = Fraction(0)

    def is_at_most(self, factor: Exact) -> bool:
        """True where it is for certain: all that it may be is at most `factor`. Raises `Undecided` as a sign does."""
        largest = self.above if not self.slack else product((self.above, exact(1 + self.slack)))
        return ordering(largest, product((factor, self.below))) <= 0


def largest_density_ratio(p: Piecewise, q: Piecewise) -> RatioBound | None:
    """The least upper bound of p/q where p > 0; None for ∞. Raises `Undecided` where a sign is not decided."""
    at_ends = largest_at_ends(p, q)
    return None if at_ends is None else larger(at_ends, largest_inside(p, q, at_ends))


def largest_at_ends(p: Piecewise, q: Piecewise) -> RatioBound | None:
    """The largest p/q at breaks, from either side, and in the limit at infinity; None for ∞."""
    best = RatioBound(ZERO, ONE)
    for stretch in common_stretches(p, q):
        if not stretch.p:
            continue
        if not stretch.q:
            return None
        for at_end in (_limit(stretch, stretch.low, 1), _limit(stretch, stretch.high, -1)):
            if at_end is None:
                return None
            best = larger(best, at_end)
    return best


def largest_inside(p: Piecewise, q: Piecewise, best: RatioBound) -> RatioBound:
    """The largest p/q between breaks where that exceeds `best`, or else `best`; p/q has ends there."""
    for stretch in common_stretches(p, q):
        if stretch.p and not stretch.is_exponential:  # or it rises or falls
            inside = _largest_inside(stretch, best)
            best = best if inside is None else larger(best, inside)
    return best


def larger(left: RatioBound, right: RatioBound) -> RatioBound:
    """The larger of two least upper bounds; less exactly known where the other one may be larger, too."""
    way = ordering(product((left.above, right.below)), product((right.above, left.below)))
    most, least = (right, left) if way < 0 else (left, right)
    if least.slack > most.slack and _may_exceed(least, most):
        return most._replace(slack=least.slack)
    return most


def _may_exceed(least: RatioBound, most: RatioBound) -> bool:
    at_most = product((least.above, exact(1 + least.slack), most.below))
    return ordering(at_most, product((most.above, least.below))) > 0


def _limit(stretch: Stretch, end: Exact | None, way: int) -> RatioBound | None:
    """The limit of p/q at an end of a stretch, from inside; None for ∞."""
    p, q = stretch.p, stretch.q
    if end is None:
        return limit_far_out(p, q, way)
    while True:
        above, below = value(p, end), value(q, end)
        p_is_zero, q_is_zero = decision.sign(above) == 0, decision.sign(below) == 0
        if not q_is_zero:
            return RatioBound(ZERO, ONE) if p_is_zero else RatioBound(abs(above), abs(below))
        if not p_is_zero:
            return None
        p, q = derivative(p), derivative(q)


def limit_far_out(p: ExpPoly, q: ExpPoly, way: int) -> RatioBound | None:
    """The limit of p/q far out to the left for way 1, to the right for -1; None for ∞."""
    (fast_p, k), c = _leading(p, way)
    (fast_q, j), d = _leading(q, way)
    faster = ordering(fast_p, fast_q) * -way or k - j
    if faster:
        return None if faster > 0 else RatioBound(ZERO, ONE)
    return RatioBound(abs(c), abs(d))


def _leading(function: ExpPoly, way: int) -> tuple[tuple[Exact, int], Exact]:
    """The term that wins far out: to the left for an end that is reached by going down (way 1), else to the right."""
    terms = [(monomial, c) for monomial, c in function.items() if decision.sign(c) != 0]
    best = terms[0]
    for term in terms[1:]:
        order = ordering(term[0][0], best[0][0]) * -way or term[0][1] - best[0][1]
        if order > 0:
            best = term
    return best


def _largest_inside(stretch: Stretch, best: RatioBound) -> RatioBound | None:
    """The largest ratio inside a stretch, where it exceeds the best so far; None where it does not."""
    if not _exceeded(stretch, product((best.above, 1 / best.below))):
        return None
    # p/q is largest where p′q − pq′ changes its sign
    turning = sum_of_functions(
        product_of_functions(derivative(stretch.p), stretch.q),
        scaled_function(product_of_functions(stretch.p, derivative(stretch.q)), rational(fmpq(-1))),
    )
    result = best
    for change in sign_changes(turning, stretch.low, stretch.high):
        change.narrow(_RATIO_BITS)
        at = RatioBound(value(stretch.p, change.low), value(stretch.q, change.low))
        result = larger(result, at)
    slack = Fraction(1, 1 << (_RATIO_BITS // 2))
    bound = product((result.above, 1 / result.below, exact(1 + slack)))
    if _exceeded(stretch, bound):
        raise Undecided(not_known.RATIO_NOT_CLOSED, "is not known")
    return result._replace(slack=slack)


def _exceeded(stretch: Stretch, ratio: Exact) -> bool:
    difference = sum_of_functions(stretch.p, scaled_function(stretch.q, negative(ratio)))
    return any(part.sign > 0 for part in sign_stretches(difference, stretch.low, stretch.high, 1))

"""Numbers with Gaussian noise of one scale that come about in several ways, as in a step of DP-SGD.

Σ wᵢ·exp(−(x − cᵢ)²/(2σ²)) is exp(−x²/(2σ²)) times Σ wᵢ·exp(−cᵢ²/(2σ²))·exp(x·cᵢ/σ²). The first factor is common to all
ways of both distributions, so that p > c·q is where a sum of exponentials is positive, of which the changes of sign are
found exactly (`exponential_roots.py`). The masses are those of the ways. Whole numbers are so between the cuts of both
distributions, and plain numbers that stand in the place of noisy ones, as of max(0, n + noise), are looked at one by
one.

Several real numbers are one where all centres lie on a line, in units of the scales: then p/q depends on the place
along that line alone, and the projection on it is a number with Gaussian noise.

Noise that was rounded has no such form. Where each distribution has one way between two cuts p/q is monotone there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import floor
from typing import Final, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers import polynomial_form, reasons
from dpverify.mechanisms.numbers.decision import binary_size
from dpverify.mechanisms.numbers.elementary import exp, sqrt, square
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative, ordering, product, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import (
    NOTHING,
    ExpPoly,
    Piecewise,
    product_of_functions,
    scaled_function,
    sum_of_functions,
)
from dpverify.mechanisms.numbers.roots.exponential_roots import derivative, sign_changes, sign_stretches
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Endpoint, intersection
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.released import AtomRelease, Release
from dpverify.verifiers.divergence.densities.cells import (
    MassCell,
    Positive,
    RatioBound,
    common_stretches,
    larger,
    largest_density_ratio,
    limit_far_out,
)
from dpverify.verifiers.divergence.densities.errors import Inseparable
from dpverify.verifiers.divergence.densities.normal import (
    NormalFactor,
    limit_of_ratio,
    location,
    positive_of_whole,
)

_GAP_BITS: Final = 1_100
"""Around a change of sign without closed form a gap is left that is narrower than 2^-1100 scales of the noise."""

_GAP_BITS_CERTIFIED: Final = 240
"""The same where weights are known by balls of some hundred bits alone: 2^-240 is below 10^-60."""

Way: TypeAlias = NormalRelease | Release | AtomRelease


@dataclass(frozen=True)
class Mixture:
    """One number in each way, with its weight: noises of one scale on the reals, or whole, and plain whole numbers."""

    ways: tuple[tuple[Way, Exact], ...]

    def probability(self, cell: tuple[Endpoint | None, Endpoint | None]) -> Exact:
        """Pr[it lies in a cell]."""
        return total(product((weight, way.probability(cell))) for way, weight in self.ways)  # type: ignore[arg-type]  # whole ends of discrete noise

    @cached_property
    def mass(self) -> Exact:
        """Its mass in all."""
        return self.probability((None, None))


class MixtureFactor(NamedTuple):
    """One number, or several along a line, of which the ways differ: what it is under both distributions."""

    coordinates: tuple[int, ...]
    p: Mixture
    q: Mixture
    scale: Exact | None
    """σ on the reals; None for whole numbers."""
    rate: Exact | None
    """1/(2σ²); None where the noise was rounded, so that p and q have no such form."""
    key: Hashable

    @property
    def origin(self) -> Exact:
        """A place near which the numbers are."""
        first = self.p.ways[0][0]
        return exact(first.m if isinstance(first, AtomRelease) else first.centre)

    @property
    def masses(self) -> tuple[Exact, Exact]:
        """Its masses in all, under both distributions."""
        return self.p.mass, self.q.mass

    @property
    def where_both(self) -> Exact:
        """The mass of P where Q has some, too."""
        shared = ((cell.low, cell.high) for cell in _cells(self) if cell.p and cell.q)
        return total(self.p.probability(ends) for ends in shared)

    @property
    def is_one_distribution(self) -> bool:
        """True where both distributions are one, as far as their ways show it."""
        if self.scale is None:
            return frozenset(self.p.ways) == frozenset(self.q.ways)
        difference = _function(self, self.p).plus(_function(self, self.q).scaled(negative(ONE)))
        return all(c == 0 for piece in difference.pieces for c in piece.values())


_Ways: TypeAlias = Sequence[tuple[Sequence[object], Exact]]
"""Values of some coordinates, in each way, with its weight."""


def mixture_factor(coordinates: Sequence[int], left: _Ways, right: _Ways, key: Hashable) -> MixtureFactor | None:
    """The factor of coordinates that the ways of two distributions differ in; None for several that are not on a line.

    Raises `Undecided` for noise of several scales, and for discrete noise that is none of discrete Gaussian.
    """
    if len(coordinates) > 1:
        return _along_a_line(coordinates, left, right, key)
    p, q = (Mixture(tuple((_normal(way[0]), weight) for way, weight in ways)) for ways in (left, right))
    seen = [way for mixture in (p, q) for way, _ in mixture.ways]
    sigmas = [way.sigma for way in seen if isinstance(way, NormalRelease)]
    if len(sigmas) == len(seen) and all(sigma == sigmas[0] for sigma in sigmas):
        return MixtureFactor(tuple(coordinates), p, q, sigmas[0], 1 / (2 * square(sigmas[0])), key)
    laws = {way.law for way in seen if isinstance(way, Release)}
    rates = {law.gaussian_rate for law in laws}
    if not sigmas and len(laws) == 1 and (rate := rates.pop()) is not None:
        return MixtureFactor(tuple(coordinates), p, q, None, rate, key)
    families = [
        None if family is None else (family.kind, family.scale) for family in (law.shift_family for law in laws)
    ]
    if not sigmas and families[0] is not None and all(family == families[0] for family in families):
        return MixtureFactor(tuple(coordinates), p, q, None, None, key)
    raise _several_kinds()


def plain_factor(coordinate: int, left: object, right: object) -> MixtureFactor:
    """The factor of a whole number that is plain under one distribution at least. Raises `Undecided` as above."""
    p, q = (Mixture(((_normal(release), ONE),)) for release in (left, right))
    key = "plain", left, right
    if isinstance(left, AtomRelease) and isinstance(right, AtomRelease):
        return MixtureFactor((coordinate,), p, q, None, None, key)
    result = mixture_factor((coordinate,), [((left,), ONE)], [((right,), ONE)], key)
    assert result is not None, "one number lies on a line"
    return result


def _normal(release: object) -> Way:
    if not isinstance(release, NormalRelease | Release | AtomRelease):
        raise _several_kinds()
    return release


def _several_kinds() -> Inseparable:
    return Inseparable(reasons.RELEASED_IN_SEVERAL_WAYS.text())


def _along_a_line(coordinates: Sequence[int], left: _Ways, right: _Ways, key: Hashable) -> MixtureFactor | None:
    """Several real numbers as the one that they are along the line through all centres; None where there is none."""
    first = left[0][0]
    if not all(isinstance(one, NormalRelease) for one in first):
        return None
    places: list[list[Exact]] = []
    for way, _ in (*left, *right):
        place: list[Exact] = []
        for one, of_first in zip(way, first, strict=True):
            assert isinstance(of_first, NormalRelease)
            if not isinstance(one, NormalRelease) or one.values != EVERYTHING or one.sigma != of_first.sigma:
                return None
            place.append((one.centre - of_first.centre) / of_first.sigma)
        places.append(place)
    line = next(place for place in places if any(c != 0 for c in place))
    at = next(i for i, c in enumerate(line) if c != 0)
    steps = [place[at] / line[at] for place in places]
    if any(c != step * d for place, step in zip(places, steps, strict=True) for c, d in zip(place, line, strict=True)):
        return None
    length = sqrt(total(square(c) for c in line))
    releases = [NormalRelease(ONE, step * length) for step in steps]
    weights = [weight for _, weight in (*left, *right)]
    ways = list(zip(releases, weights, strict=True))
    p, q = (Mixture(tuple(part)) for part in (ways[: len(left)], ways[len(left) :]))
    return MixtureFactor(tuple(coordinates), p, q, ONE, exact(1) / 2, key)


def positive_mixture_cells(part: MixtureFactor, least: Exact) -> Positive:
    """The numbers where p > least·q. Raises `Undecided` where that is not known."""
    results: list[tuple[Endpoint | None, Endpoint | None]] = []
    gaps = 0
    for cell in _cells(part):
        if not cell.p:
            continue
        if part.scale is None:
            results += _whole_where(part, cell, least)
            continue
        bits = _gap_bits(cell) + max(0, binary_size(1 / part.scale))
        low, high = (None if end is None else exact(end) for end in (cell.low, cell.high))
        signed = list(
            sign_stretches(sum_of_functions(cell.p, scaled_function(cell.q, negative(least))), low, high, bits)
        )
        ends = [(None, low), *((one.low, one.high) for one in signed), (high, None)]
        gaps += sum(1 for before, after in pairwise(ends) if before[1] is not after[0]) if signed else 0
        results += [(one.low, one.high) for one in signed if one.sign > 0]
    merged = _joined(results)
    return Positive([MassCell(*ends, part.p.probability(ends), part.q.probability(ends)) for ends in merged], gaps)


class _Cell(NamedTuple):
    """An interval between two cuts of the distributions, of whole m those with low ≤ m < high, and p and q there.

    p and q are without the factor that is common to both, and without plain numbers, which are cells of their own.
    """

    low: Endpoint | None
    high: Endpoint | None
    p: ExpPoly
    q: ExpPoly


def _cells(part: MixtureFactor) -> Iterator[_Cell]:
    if part.scale is None:
        yield from _whole_cells(part)
        return
    for stretch in common_stretches(_function(part, part.p), _function(part, part.q)):
        yield _Cell(*stretch)


def _function(part: MixtureFactor, mixture: Mixture) -> Piecewise:
    """The density of a real number without the factor exp(−rate·(x − origin)²) and a constant."""
    piecewise = Piecewise(False, (), (NOTHING,))
    for way, weight in mixture.ways:
        assert isinstance(way, NormalRelease)
        piecewise = piecewise.plus(Piecewise(False, (), (_term(part, way, weight),)).within(way.values))
    return piecewise


def _term(part: MixtureFactor, way: NormalRelease | Release, weight: Exact) -> ExpPoly:
    assert part.rate is not None, "what was rounded has no such term"
    centre, origin = exact(way.centre), part.origin
    slope = product((exact(2), part.rate, centre - origin))
    falls = product((part.rate, centre - origin, centre + origin))
    return {(slope, 0): product((weight, exp(negative(falls))))}


def _gap_bits(cell: _Cell) -> int:
    certified = any(polynomial_form.most_bits(c) is not None for c in (*cell.p.values(), *cell.q.values()))
    return _GAP_BITS_CERTIFIED if certified else _GAP_BITS


def _joined(cells: Sequence[tuple[Endpoint | None, Endpoint | None]]) -> list[tuple[Endpoint | None, Endpoint | None]]:
    """With cells that meet as one."""
    results: list[tuple[Endpoint | None, Endpoint | None]] = []
    for low, high in cells:
        if (
            results
            and low is not None
            and results[-1][1] is not None
            and (results[-1][1] is low or results[-1][1] == low)
        ):
            results[-1] = results[-1][0], high
        else:
            results.append((low, high))
    return results


# --- Whole numbers

_HALF: Final = exact(1) / 2

_PLAIN: Final[ExpPoly] = {(ZERO, 0): ONE}
"""Stands for what one whole number is, of which the probability is asked for."""


def _whole_cells(part: MixtureFactor) -> Iterator[_Cell]:
    cuts = {end for mixture in (part.p, part.q) for way, _ in mixture.ways for end in _ends_of(way)}
    for low, high in pairwise([None, *sorted(cuts), None]):
        if low is not None and high == low + 1:
            p, q = _at(part, low)
            yield _Cell(low, high, _PLAIN if p is not ZERO else NOTHING, _PLAIN if q is not ZERO else NOTHING)
        else:
            inside = (low, high) if low is not None or high is None else (high - 1, high)
            yield _Cell(low, high, *(_on(part, mixture, inside[0]) for mixture in (part.p, part.q)))


def _ends_of(way: Way) -> Iterator[int]:
    """The points where a way begins to be another one."""
    if isinstance(way, AtomRelease):
        yield from (way.m, way.m + 1)
    else:
        assert isinstance(way, Release)
        for interval in way.values:
            yield from (_whole(end) + way.centre for end in interval if end is not None)


def _whole(end: Endpoint) -> int:
    assert is_whole(end)
    return end


def _on(part: MixtureFactor, mixture: Mixture, m: int | None) -> ExpPoly:
    """The function on the interval between two cuts in which m lies; None where there are no cuts."""
    ways = _active(mixture, m)
    if part.rate is None:
        return _PLAIN if ways else NOTHING
    return sum_of_functions(*(_term(part, way, weight) for way, weight in ways))


def _active(mixture: Mixture, m: int | None) -> list[tuple[Release, Exact]]:
    """The ways, of noise, in which the number may be m."""
    return [
        (way, weight)
        for way, weight in mixture.ways
        if isinstance(way, Release)
        and any(_contains(interval, None if m is None else m - way.centre) for interval in way.values)
    ]


def _one_to_one(part: MixtureFactor, cell: _Cell) -> tuple[NormalFactor, Exact]:
    """Rounded noise of one way each, as if nothing else were known, and the weight of Q's over that of P's.

    Raises `Undecided` where there are several ways.
    """
    inside = cell.low if cell.low is not None or cell.high is None else _whole(cell.high) - 1
    ways = [_active(mixture, None if inside is None else _whole(inside)) for mixture in (part.p, part.q)]
    alone = [{Release(way.law, way.centre, EVERYTHING) for way, _ in result} for result in ways]
    if any(len(result) != 1 for result in alone):
        raise _several_kinds()
    weights = [total(weight for _, weight in result) for result in ways]
    return NormalFactor(0, alone[0].pop(), alone[1].pop(), ()), weights[1] / weights[0]


def _contains(interval: tuple[Endpoint | None, Endpoint | None], m: int | None) -> bool:
    low, high = interval
    return (low is None or (m is not None and m >= low)) and (high is None or (m is not None and m < high))


def _whole_where(part: MixtureFactor, cell: _Cell, least: Exact) -> list[tuple[int | None, int | None]]:
    """The whole numbers of a cell with p > least·q, from one to before another."""
    first, last = (None if end is None else _whole(end) for end in (cell.low, cell.high))
    if first is not None and last == first + 1:
        return [(first, last)] if _exceeds(part, first, least) else []
    if not cell.q:
        return [(first, last)]
    if part.rate is None:
        alone, weights = _one_to_one(part, cell)
        positive = intersection(positive_of_whole(alone, product((least, weights))), ((cell.low, cell.high),))
        return [(None if a is None else _whole(a), None if b is None else _whole(b)) for a, b in positive]
    low, high = (None if end is None else exact(end) - _HALF for end in (first, last))
    results: list[tuple[int | None, int | None]] = []
    before = low
    signed = list(
        sign_stretches(sum_of_functions(cell.p, scaled_function(cell.q, negative(least))), low, high, _gap_bits(cell))
    )
    for one in signed:
        results += _in_gap(part, before, one.low, least)
        if one.sign > 0:
            start, end = None if one.low is None else floor(one.low) + 1, None if one.high is None else _ceil(one.high)
            if start is None or end is None or start < end:
                results.append((start, end))
        before = one.high
    return results + (_in_gap(part, before, high, least) if signed else [])


def _in_gap(
    part: MixtureFactor, low: Exact | None, high: Exact | None, least: Exact
) -> list[tuple[int | None, int | None]]:
    """Those of whole numbers in a narrow gap, which are asked for themselves."""
    if low is None or high is None or low is high:
        return []
    return [(m, m + 1) for m in range(_ceil(low), floor(high) + 1) if _exceeds(part, m, least)]


def _exceeds(part: MixtureFactor, m: int, least: Exact) -> bool:
    p, q = _at(part, m)
    return ordering(p, product((least, q))) > 0


def _at(part: MixtureFactor, m: int) -> tuple[Exact, Exact]:
    return part.p.probability((m, m + 1)), part.q.probability((m, m + 1))


def _ceil(x: Exact) -> int:
    return -floor(negative(x))


# --- The largest ratio


def largest_mixture_ratio(part: MixtureFactor) -> RatioBound | None:
    """The least upper bound of p/q; None for ∞. Raises `Undecided` where it is not known."""
    if part.scale is not None:
        return largest_density_ratio(_function(part, part.p), _function(part, part.q))
    best = RatioBound(ZERO, ONE)
    for cell in _cells(part):
        if not cell.p:
            continue
        if not cell.q:
            return None
        result = _largest_on(part, cell)
        if result is None:
            return None
        best = larger(best, result)
    return best


def _largest_on(part: MixtureFactor, cell: _Cell) -> RatioBound | None:
    low, high = (None if end is None else _whole(end) for end in (cell.low, cell.high))
    best = _limit_of_rounded(part, cell) if part.rate is None else _limit(cell)
    if best is None:
        return None
    candidates = {m for m in (low, None if high is None else high - 1) if m is not None}
    if part.rate is not None and (low is None or high is None or high > low + 1):
        # p/q rises or falls between changes of the sign of p′q − pq′
        turning = sum_of_functions(
            product_of_functions(derivative(cell.p), cell.q),
            scaled_function(product_of_functions(cell.p, derivative(cell.q)), negative(ONE)),
        )
        for change in sign_changes(turning, *(None if end is None else exact(end) for end in (low, high))):
            change.narrow(4)
            candidates |= set(range(floor(change.low), _ceil(change.high) + 1))
    for m in candidates:
        if (low is None or m >= low) and (high is None or m < high):
            best = larger(best, RatioBound(*_at(part, m)))
    return best


def _limit_of_rounded(part: MixtureFactor, cell: _Cell) -> RatioBound | None:
    """The largest limit of p/q, which rises or falls, at an infinite end; None for ∞."""
    if cell.low is not None and cell.high is not None:
        return RatioBound(ZERO, ONE)
    alone, weights = _one_to_one(part, cell)
    assert isinstance(alone.p, Release) and isinstance(alone.q, Release)
    rises = ordering(location(alone.p), location(alone.q))
    if rises == 0:
        return RatioBound(ONE, weights)
    if (rises > 0 and cell.high is None) or (rises < 0 and cell.low is None):
        limit = limit_of_ratio(alone.p, alone.q)
        return None if limit is None else RatioBound(limit, weights)
    return RatioBound(ZERO, ONE)


def _limit(cell: _Cell) -> RatioBound | None:
    """The largest limit of p/q at an infinite end; None for ∞."""
    best = RatioBound(ZERO, ONE)
    for way in (way for end, way in ((cell.low, 1), (cell.high, -1)) if end is None):
        limit = limit_far_out(cell.p, cell.q, way)
        if limit is None:
            return None
        best = larger(best, limit)
    return best

"""Released Gaussian noise, on one coordinate or on several: where p > c·q, and what the two laws give that.

Of one scale, ln p/q is linear: with d = √Σ (Δᵢ/σᵢ)², Δᵢ being how far the centres of coordinate i are apart, it is
N(d²/2, d²) under P and N(−d²/2, d²) under Q (Balle & Wang, "Improving the Gaussian mechanism for differential privacy",
2018). So what several coordinates give depends on d alone. Of two scales it is quadratic, and p > c·q between two
roots or outside of them. Discrete Gaussian noise of one scale has the same linear ln p/q on whole numbers; of
two it is left open. Gaussian noise that was rounded has a monotone p/q: a shift of the noise has, and of
a monotone function of it then, too; and so has a sum of discrete noises. A monotone p/q passes a number at one place,
which is found by signs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import floor, gcd, lcm
from typing import Final, NamedTuple, TypeAlias

from dpverify.mechanisms.noise.law import ShiftFamily
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import exp, log, log_in_lowest_terms, normal_tail, sqrt, square
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    as_parameter,
    exact,
    negative,
    ordering,
    product,
    total,
)
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Endpoint, Intervals, intersection, shifted
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.released import AtomRelease, Release
from dpverify.mechanisms.path_conditions.certified_trees import probability_of_multiples
from dpverify.verifiers.divergence.densities.cells import MassCell, Positive, RatioBound, larger
from dpverify.verifiers.divergence.densities.errors import Inseparable
from dpverify.verifiers.divergence.densities.whole_ratios import exceeds_at, first_where, masses_at

AnyNormal: TypeAlias = NormalRelease | Release
"""Of discrete noise the release of one that is discrete Gaussian, or Gaussian and rounded."""


class NormalFactor(NamedTuple):
    """One coordinate that has Gaussian noise under both laws, and what tells factors apart."""

    coordinate: int
    p: AnyNormal
    q: AnyNormal
    key: Hashable

    @property
    def scale(self) -> Exact | None:
        """σ under P, of real numbers; None of whole ones."""
        return self.p.sigma if isinstance(self.p, NormalRelease) else None

    @property
    def masses(self) -> tuple[Exact, Exact]:
        """Its masses in all, under both distributions."""
        return self.p.probability((None, None)), self.q.probability((None, None))

    @property
    def where_both(self) -> Exact:
        """The mass of P where Q has some, too."""
        return total(_mass(self.p, piece) for piece in intersection(_values(self.p), _values(self.q)))


def release_key(release: AnyNormal | AtomRelease) -> Hashable:
    """A key that equal releases have in common."""
    if isinstance(release, NormalRelease):
        return release.sigma.serial, release.centre.serial, release.values
    return release


def moved_to(release: AnyNormal | AtomRelease, origin: AnyNormal | AtomRelease) -> AnyNormal | AtomRelease:
    """A release, or a plain number in place of one, moved so that the centre of another one comes to lie at 0."""
    if isinstance(release, NormalRelease):
        return release.moved(-origin.centre) if isinstance(origin, NormalRelease) else release
    by = origin.m if isinstance(origin, AtomRelease) else _whole_centre(origin)
    if isinstance(release, AtomRelease):
        return AtomRelease(release.m - by)
    return Release(release.law, release.centre - by, release.values)


def _whole_centre(release: AnyNormal) -> int:
    return release.centre if isinstance(release, Release) else 0


def normal_factor(coordinate: int, p: object, q: object) -> NormalFactor:
    """The factor of a coordinate. Raises `Undecided` where its noise is of one kind here, of another there."""
    if not (isinstance(p, NormalRelease | Release) and isinstance(q, NormalRelease | Release) and type(p) is type(q)):
        raise Undecided(
            not_known.MIXED_KINDS,
            "a number is released with Gaussian noise on one database, with other noise on another one",
        )
    return NormalFactor(coordinate, p, q, ("normal", release_key(moved_to(p, p)), release_key(moved_to(q, p))))


def positive_normal_cells(part: NormalFactor, least: Exact) -> Positive:
    """The numbers where p > least·q on one coordinate. Raises `Undecided` where that is not known."""
    mine, others = _values(part.p), _values(part.q)
    pieces = intersection(intersection(mine, others), _positive(part, least))
    pieces += intersection(mine, _complement(others))
    return Positive([MassCell(*ends, _mass(part.p, ends), _mass(part.q, ends)) for ends in pieces], 0)


def normal_masses_above(parts: Sequence[NormalFactor], least: Exact) -> tuple[Exact, Exact]:
    """The masses under P and Q of where the product of all p/q exceeds `least`. Raises `Undecided` as above."""
    if any(values != EVERYTHING for part in parts for values in (_values(part.p), _values(part.q))):
        raise Inseparable(
            not_known.SEVERAL_GAUSSIANS, "something else is known of them, such as where they were truncated"
        )
    threshold = log_in_lowest_terms(least)
    apart = distance(parts)
    if apart is not None:
        return tuple(normal_tail(total((threshold / apart, by * apart / 2))) for by in (-1, 1))  # type: ignore[return-value]
    whole = [(part.p, part.q) for part in parts if isinstance(part.p, Release) and isinstance(part.q, Release)]
    if len(whole) < len(parts) or any(_rate(p) is None or p.law != q.law for p, q in whole):
        raise _several_scales()
    # ln p/q is Σ 2·rate·Δ·(m − (c + c′)/2) with Δ = c − c′, which is Σ slope·N + half under P, and less half under Q
    slopes = [product((exact(2 * (p.centre - q.centre)), _known_rate(p))) for p, q in whole]
    half = total(product((slope, exact(p.centre - q.centre))) for slope, (p, q) in zip(slopes, whole, strict=True)) / 2
    unit, multiples = _in_one_unit(slopes)
    noises = [(p.law, by) for (p, _), by in zip(whole, multiples, strict=True)]
    ends = [floor(total((threshold, product((sign, half)))) / unit) + 1 for sign in (negative(ONE), ONE)]
    return tuple(probability_of_multiples(noises, end) for end in ends)  # type: ignore[return-value]


def distance(parts: Sequence[NormalFactor]) -> Exact | None:
    """√Σ (Δᵢ/σᵢ)²; None where some are whole, of two scales, or where something else is known of them."""
    squares: list[Exact] = []
    for part in parts:
        p, q = part.p, part.q
        if not (isinstance(p, NormalRelease) and isinstance(q, NormalRelease) and p.sigma == q.sigma):
            return None
        if p.values != EVERYTHING or q.values != EVERYTHING:
            return None
        squares.append(square((p.centre - q.centre) / p.sigma))
    return sqrt(total(squares))


_MOST_MULTIPLES: Final = 1_000
"""Of the scales of noises that are added up: each whole number of one is so many of the unit of all."""


def _in_one_unit(slopes: Sequence[Exact]) -> tuple[Exact, Sequence[int]]:
    """A unit > 0 of which all are whole multiples. Raises `Undecided` where there is none, or it is too small."""
    ratios = [as_parameter(simplified(slope / abs(slopes[0]))) for slope in slopes]
    if not all(isinstance(ratio, Fraction) for ratio in ratios):
        raise _several_scales()
    parts = lcm(*(ratio.denominator for ratio in ratios if isinstance(ratio, Fraction)))
    multiples = [int(ratio * parts) for ratio in ratios if isinstance(ratio, Fraction)]
    common = gcd(*multiples)
    if max(map(abs, multiples)) > _MOST_MULTIPLES * common:
        raise _several_scales()
    return abs(slopes[0]) * Fraction(common, parts), [by // common for by in multiples]


def _several_scales() -> Inseparable:
    what = "their scales depend on the data, or they are rounded, or discrete beside continuous ones"
    return Inseparable(not_known.SEVERAL_GAUSSIANS, what)


def largest_normal_ratio(part: NormalFactor) -> RatioBound | None:
    """The least upper bound of p/q; None for ∞."""
    mine, others = _values(part.p), _values(part.q)
    if intersection(mine, _complement(others)):
        return None
    if isinstance(part.p, Release):
        return _largest_of_whole(part, mine)
    loss = _loss(part)
    ends: list[Exact] = []
    for low, high in mine:
        for end, direction in ((low, -1), (high, 1)):
            if end is not None:
                ends.append(exact(end))
            elif loss.limit(direction) > 0:
                return None
    top = loss.vertex
    if top is not None and any(_contains(piece, top) for piece in mine):
        ends.append(top)
    values = [loss.at(end) for end in ends]
    limits = [loss.constant] if loss.square == 0 and loss.slope == 0 else []
    return RatioBound(exp(max([*values, *limits])), ONE)


def moment(part: NormalFactor, order: int) -> Exact:
    """∫ p^α·q^(1−α) = exp(α(α − 1)·(Δ/σ)²/2) for Gaussian noise of one scale. Raises `Undecided` for other noise."""
    p, q = part.p, part.q
    if not (isinstance(p, NormalRelease) and isinstance(q, NormalRelease) and p.sigma == q.sigma):
        raise Undecided(not_known.NO_CURVE, "the Rényi divergence", "Gaussian noise is discrete, or of several scales")
    if p.values != EVERYTHING or q.values != EVERYTHING:
        raise Undecided(not_known.NO_CURVE, "the Rényi divergence", "more is known of Gaussian noise than its scale")
    return exp(product((exact(order * (order - 1)), square((p.centre - q.centre) / p.sigma))) / 2)


def is_one_distribution(part: NormalFactor) -> bool:
    """True where both distributions are one."""
    return part.p == part.q


class _Loss(NamedTuple):
    """ln p/q as square·x² + slope·x + constant."""

    square: Exact
    slope: Exact
    constant: Exact

    def at(self, x: Exact) -> Exact:
        return total((product((self.square, x, x)), product((self.slope, x)), self.constant))

    def limit(self, direction: int) -> int:
        """The sign of what it tends to."""
        return decision.sign(self.square) or direction * decision.sign(self.slope) or decision.sign(self.constant)

    @property
    def vertex(self) -> Exact | None:
        """The point where it is largest; None where there is none."""
        return -self.slope / (2 * self.square) if decision.sign(self.square) < 0 else None


def _loss(part: NormalFactor) -> _Loss:
    p, q = part.p, part.q
    assert isinstance(p, NormalRelease) and isinstance(q, NormalRelease)
    if p.sigma == q.sigma:
        variance = square(p.sigma)
        apart = total((p.centre, negative(q.centre)))
        slope = apart / variance
        return _Loss(ZERO, slope, negative(product((slope, total((p.centre, q.centre))))) / 2)
    mine, others = square(p.sigma), square(q.sigma)
    constant = log(q.sigma / p.sigma) - p.centre * p.centre / (2 * mine) + q.centre * q.centre / (2 * others)
    return _Loss(1 / (2 * others) - 1 / (2 * mine), p.centre / mine - q.centre / others, constant)


def _positive(part: NormalFactor, least: Exact) -> Intervals:
    """The numbers where p > least·q for the densities without what is known besides."""
    if isinstance(part.p, Release):
        return positive_of_whole(part, least)
    loss = _loss(part)
    constant = total((loss.constant, negative(log_in_lowest_terms(least))))
    if loss.square == 0:
        side = decision.sign(loss.slope)
        if side == 0:
            return EVERYTHING if constant > 0 else ()
        end = -constant / loss.slope
        return ((end, None),) if side > 0 else ((None, end),)
    opens = decision.sign(loss.square)
    under_root = total((product((loss.slope, loss.slope)), product((exact(-4), loss.square, constant))))
    if under_root <= 0:
        return EVERYTHING if opens > 0 else ()
    root = sqrt(under_root)
    low, high = ((-loss.slope + sign * opens * root) / (2 * loss.square) for sign in (-1, 1))
    return ((None, low), (high, None)) if opens > 0 else ((low, high),)


def positive_of_whole(part: NormalFactor, least: Exact) -> Intervals:
    """Sets where p > least·q on whole m, of which nothing else is known: from one on, up to one, or between."""
    p, q = part.p, part.q
    assert isinstance(p, Release) and isinstance(q, Release)
    if _rate(p) is not None and p.law == q.law:
        apart, middle, rate = exact(p.centre - q.centre), exact(p.centre + q.centre) / 2, 2 * _known_rate(p)
        if apart == 0:
            return EVERYTHING if least < 1 else ()
        threshold = total((middle, log_in_lowest_terms(least) / (rate * apart)))
        if apart > 0:  # m > threshold
            return ((floor(threshold) + 1, None),)
        return ((None, -floor(negative(threshold))),)
    family, apart = _one_family(p, q), total((location(p), negative(location(q))))
    side = decision.sign(apart)
    if side == 0:
        return EVERYTHING if least < 1 else ()
    limit = limit_of_ratio(p, q)
    if limit is not None and (least >= limit or product((least, limit)) <= 1):
        # p/q rises from 1/limit to limit, or falls, and is neither
        return () if least >= limit else EVERYTHING
    near = total(((location(p) + location(q)) / 2, product((square(family.scale), log_in_lowest_terms(least))) / apart))
    first = first_where(lambda m: exceeds_at(p, q, least, m), floor(near), side)
    return ((first, None),) if side > 0 else ((None, first + 1),)


def _one_family(p: Release, q: Release) -> ShiftFamily:
    mine, others = p.law.shift_family, q.law.shift_family
    if mine is None or others is None or mine.kind != others.kind or mine.scale != others.scale:
        raise Inseparable(not_known.ONE_KIND_OF_GAUSSIAN)
    return mine


def limit_of_ratio(p: Release, q: Release) -> Exact | None:
    """The limit of p/q, of one family, on the side to which p is moved, which it does not reach; None for ∞."""
    scale = p.law.tail_scale if p.law.is_certified else None
    return None if scale is None else exp(abs(total((location(p), negative(location(q))))) / scale)


def _largest_of_whole(part: NormalFactor, mine: Intervals) -> RatioBound | None:
    p, q = part.p, part.q
    assert isinstance(p, Release) and isinstance(q, Release)
    if p == q:
        return RatioBound(ONE, ONE)
    if p.law != q.law:
        _one_family(p, q)  # of which p/q rises or falls, so that it is largest at an end
    side = ordering(location(p), location(q))  # to which p is moved
    best = RatioBound(ZERO if side else ONE, ONE)
    for end, direction in ((end, direction) for low, high in mine for end, direction in ((low, -1), (high, 1))):
        if end is not None:
            best = larger(best, RatioBound(*masses_at(p, q, floor(exact(end)) - (direction > 0))))
        elif direction * side > 0:
            limit = limit_of_ratio(p, q)
            if limit is None:
                return None
            best = larger(best, RatioBound(limit, ONE))
    return best


def location(release: Release) -> Exact:
    """The place of the middle of discrete noise, before it is rounded."""
    family = release.law.shift_family
    return exact(release.centre) if family is None else release.centre + family.shift


def _rate(release: Release) -> Exact | None:
    return release.law.gaussian_rate


def _known_rate(release: Release) -> Exact:
    rate = _rate(release)
    assert rate is not None, "it is discrete Gaussian noise"
    return rate


def _values(release: AnyNormal) -> Intervals:
    return release.values if isinstance(release, NormalRelease) else shifted(release.values, release.centre)


def _mass(release: AnyNormal, cell: tuple[Endpoint | None, Endpoint | None]) -> Exact:
    return release.probability(cell)  # type: ignore[arg-type]  # whole ends of discrete noise, exact ones of real noise


def _complement(values: Intervals) -> Intervals:
    results: list[tuple[Endpoint | None, Endpoint | None]] = []
    before: Endpoint | None = None
    for low, high in values:
        if low is not None:
            results.append((before, low))
        before = high
        if high is None:
            return tuple(results)
    return (*results, (before, None)) if values else EVERYTHING


def _contains(piece: tuple[Endpoint | None, Endpoint | None], x: Exact) -> bool:
    low, high = piece
    return (low is None or x >= low) and (high is None or x <= high)

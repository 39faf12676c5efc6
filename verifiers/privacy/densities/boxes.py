"""Boxes with rational ends on which p > e^ε·q: what is left of a set that has no simple shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from itertools import product as combinations
from typing import Final, NamedTuple

from dpverify.mechanisms.exact.enclosure import enclosure
from dpverify.mechanisms.exact.exact_numbers import ZERO, Exact, as_parameter, exact, negative, product
from dpverify.mechanisms.exact.symbolic_epsilon import simplest_between
from dpverify.mechanisms.laws.released_reals import Interval
from dpverify.verifiers.privacy.densities.cells import Stretch, common_stretches
from dpverify.verifiers.privacy.densities.cells import mass as mass_of
from dpverify.verifiers.privacy.densities.strata import Factor, Weights


class Box(NamedTuple):
    """Coordinates with an interval each, and the masses of both laws there."""

    cells: tuple[tuple[int, Interval], ...]
    p: Exact
    q: Exact


def simpler(low: Exact | None, high: Exact | None, room: int) -> Interval:
    """An interval inside another one, with rational ends; those that are infinite or rational stay."""
    width = exact(1) if low is None or high is None else (high - low) / room
    if low is not None and not _is_rational(low):
        low = _simplest(low, low + width)
    if high is not None and not _is_rational(high):
        high = _simplest(high - width, high)
    return low, high


_SIMPLE: Final = 10**6


def _is_rational(x: Exact) -> bool:
    """Whether an end may stay as it is: not one that lies beside a gap."""
    value = as_parameter(x)
    return isinstance(value, Fraction) and value.denominator < _SIMPLE


def _simplest(low: Exact, high: Exact) -> Exact:
    """The simplest rational number strictly between."""
    if low < 0 < high:
        return ZERO
    return simplest_between(low, high) if low >= 0 else negative(simplest_between(negative(high), negative(low)))


class _Part(NamedTuple):
    """An interval of one factor, and its masses."""

    low: Exact | None
    high: Exact | None
    p: Exact
    q: Exact


def positive_boxes_of_product(weights: Weights, factors: Sequence[Factor], factor: Exact, fineness: int) -> list[Box]:
    """Boxes of independent coordinates with p > factor·q, those that exceed it most first."""
    parts = [_best(_cut(part, fineness), len(factors)) for part in factors]
    found = []
    for chosen in combinations(*parts):
        p = product((weights.p, *(part.p for part in chosen)))
        q = product((weights.q, *(part.q for part in chosen)))
        if _float_excess(p, q, factor) > 0 and p > factor * q:
            cells = tuple((part.coordinate, (c.low, c.high)) for part, c in zip(factors, chosen, strict=True))
            found.append(Box(cells, p, q))
    return sorted(found, key=lambda box: -_float_excess(box.p, box.q, factor))


def _float_excess(p: Exact, q: Exact, factor: Exact) -> float:
    return float(enclosure(p)) - float(enclosure(factor)) * float(enclosure(q))


def _best(parts: Sequence[_Part], factors: int) -> list[_Part]:
    """As many parts as may be combined, those with the largest ratios."""
    most = max(1, int(4096 ** (1 / factors)))
    ordered = sorted(parts, key=lambda part: -float(enclosure(part.p)) / max(float(enclosure(part.q)), 1e-300))
    return ordered[:most]


def _cut(part: Factor, fineness: int) -> list[_Part]:
    """The stretches of a factor, cut into so many parts, with rational ends; infinite ones as they are."""
    found = []
    for stretch in common_stretches(part.p, part.q):
        if stretch.p:
            found += [
                _Part(low, high, mass_of(stretch.p, low, high), mass_of(stretch.q, low, high))
                for low, high in _pieces(stretch, fineness)
            ]
    return found


def _pieces(stretch: Stretch, fineness: int) -> Iterator[Interval]:
    low, high = simpler(stretch.low, stretch.high, 64)
    if low is None or high is None:
        yield low, high
        return
    ends = [low + (high - low) * Fraction(i, fineness) for i in range(fineness + 1)]
    yield from pairwise(ends)

"""Pictures of a privacy claim: the part of its budget that is used, where it fails, and its profile as a curve."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import exp, inf, log10
from types import MappingProxyType
from typing import Final, NamedTuple

from dpverify.reports.bars import BAR_WIDTH, Bar, bar_of
from dpverify.reports.numbers import is_a_bound, ranges_in_short
from dpverify.reports.privacy_record import CurvePoint, PrivacyResult, ProfilePiece
from dpverify.reports.record import Status

WIDTH: Final = 320
HEIGHT: Final = 120
"""Pixels of the plot, without its labels."""

SIZE: Final = {"width": WIDTH, "height": HEIGHT}
"""Both, as a template takes them."""

_POINTS: Final = 80

_WIDE: Final = tuple(Fraction(i, 2) for i in range(5))
_CLOSE: Final = tuple(Fraction(i, 4) for i in range(5))
"""Shares of the claimed ε at which δ is told: where the curve goes on to twice that ε, and where it does not."""

_READINGS: Final = len(_WIDE)

_SEEN: Final = 0.25
"""Pixels by which a line may pass a point of a curve."""

_DIGITS: Final = 12
"""Of the numbers of a piece in a record."""

_FAR: Final = Context(prec=17, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""As a float, but e^ε may be as large, and what it multiplies as small, as an ε of thousands makes them."""


class EpsilonLine(NamedTuple):
    """All ε > 0 on one line, at 1 − e^(-ε) of its width, with (place, length) of where a claim fails, and a caption."""

    failing: list[tuple[float, float]]
    caption: str


class ProfilePlot(NamedTuple):
    """A polyline in pixels, the claim as a point, what the ends of the axes stand for, and values to read."""

    points: str
    claim: tuple[float, float] | None
    """None where there is none."""
    claimed: str
    """In words; empty where nothing is."""
    holds: bool
    """True where what is claimed is proved."""
    most_epsilon: str
    most_delta: str
    readings: list[tuple[str, str]]
    """ε and δ(ε), by rising ε."""


def profile_plot(claim: PrivacyResult) -> ProfilePlot | None:
    """The plot of a claim's profile; None where there is none, or it is 0 from ε = 0 on. Floats do for drawing."""
    if claim.epsilon is None or claim.delta is None:
        return None
    at = (float(claim.epsilon.decimal), float(claim.delta.decimal))
    plot = plot_of(claim.profile or [], claim.curve or [], at, _recorded(claim))
    if plot is None:
        return None
    words = f"claimed δ = {claim.delta.decimal} at ε = {claim.epsilon.decimal}"
    return plot._replace(claimed=words, holds=claim.verdict is Status.PROVED)


def _recorded(claim: PrivacyResult) -> Mapping[Fraction, str]:
    """δ at those shares of the claimed ε where a record has it exactly: at all of it, and 0 from the exact ε on."""
    texts = {}
    least = claim.tight_epsilon
    if claim.epsilon is not None and least is not None and not is_a_bound(least):
        shares = (*_WIDE, *_CLOSE)
        texts = {i: "0" for i in shares if i * Fraction(claim.epsilon.lower) >= Fraction(least.upper)}
    if claim.smallest_delta is not None and not is_a_bound(claim.smallest_delta):
        texts[Fraction(1)] = f"{float(claim.smallest_delta.decimal):.4g}"
    return texts


def plot_of(
    pieces: list[ProfilePiece],
    curve_points: list[CurvePoint],
    claimed: tuple[float, float] | None,
    recorded: Mapping[Fraction, str] = MappingProxyType({}),
) -> ProfilePlot | None:
    """The plot of a profile in pieces, or else of points of it, about a claimed (ε, δ), if there is one.

    `recorded` are δ that are known exactly, at shares of the claimed ε: the pieces are of rounded numbers.
    """
    epsilon, delta = claimed or (0.0, 0.0)
    curve = _of_pieces(pieces, epsilon) if pieces else _of_points(curve_points)
    if not curve:
        return None
    right = max(1.2 * epsilon, curve[-1][0])
    top = max(curve[0][1], delta)
    if not right > 0 or not top > 0:
        return None

    def pixel(epsilon: float, delta: float) -> tuple[float, float]:
        return round(epsilon / right * WIDTH, 1), round((1 - delta / top) * HEIGHT, 1)

    if pieces:
        readings = _readings(pieces, epsilon or right / 2, right, recorded)
    else:
        readings = [(each, f"{value:.4g}") for each, value in curve[:: max(1, len(curve) // (_READINGS - 1))]]
    return ProfilePlot(
        " ".join(f"{x:g},{y:g}" for x, y in _drawn([pixel(*point) for point in curve])),
        None if claimed is None else pixel(*claimed),
        "",
        False,
        f"{right:.3g}",
        f"{top:.3g}",
        [(f"{epsilon:.4g}", delta) for epsilon, delta in readings],
    )


def _drawn(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those of the points that a line through them needs, to a part of a pixel: of a straight stretch its ends."""
    kept = [0]
    for i in range(1, len(points)):
        if i + 1 == len(points) or not _is_on_the_way(points[kept[-1]], points[i + 1], points[kept[-1] + 1 : i + 1]):
            kept.append(i)
    return [points[i] for i in kept]


def _is_on_the_way(start: tuple[float, float], end: tuple[float, float], between: list[tuple[float, float]]) -> bool:
    (left, first), (right, last) = start, end
    return left < right and all(
        abs(first + (last - first) * (x - left) / (right - left) - y) <= _SEEN for x, y in between
    )


def _readings(
    pieces: list[ProfilePiece], about: float, right: float, recorded: Mapping[Fraction, str]
) -> list[tuple[float, str]]:
    """ε and δ at shares of an ε, none of which is beyond the right end of the curve."""
    stretches = _stretches(pieces)
    shares = _WIDE if 2 * about <= right else _CLOSE
    return [(about * float(i), recorded.get(i) or _told(stretches, about * float(i))) for i in shares]


def _told(stretches: list[_Stretch], epsilon: float) -> str:
    """δ at an ε, of which no digit is shown that rounding of the pieces may have changed; a bound where that is all."""
    stretch = next(stretch for stretch in stretches if epsilon <= stretch.high)
    value = _at(stretches, epsilon)
    taken = _FAR.multiply(stretch.q, _e_to(epsilon))
    wrong = 10**-_DIGITS * 10 * float(_FAR.add(stretch.p, taken))
    if value <= wrong:
        return f"≤ {2 * wrong:.0e}" if wrong else "0"
    return f"{value:.{min(4, int(log10(value / wrong)) + 1)}g}"


def _of_pieces(pieces: list[ProfilePiece], claimed: float) -> list[tuple[float, float]]:
    """Points (ε, δ) from 0 to beyond the claimed ε, and the last break if that is not too far out."""
    last = float(pieces[-1].low)
    right = 1.2 * max(claimed, min(last, 4 * claimed) if claimed else last) or 1.0
    stretches = _stretches(pieces)
    return [(right * i / _POINTS, _at(stretches, right * i / _POINTS)) for i in range(_POINTS + 1)]


def _of_points(points: list[CurvePoint]) -> list[tuple[float, float]]:
    return [(float(point.epsilon), float(point.delta)) for point in points]


class _Stretch(NamedTuple):
    """A piece of a profile, read: p − q·e^ε up to ε = `high`."""

    high: float
    p: Decimal
    q: Decimal


def _stretches(pieces: list[ProfilePiece]) -> list[_Stretch]:
    return [
        _Stretch(inf if piece.high is None else float(piece.high), Decimal(piece.p), Decimal(piece.q))
        for piece in pieces
    ]


def _at(stretches: list[_Stretch], epsilon: float) -> float:
    stretch = next(stretch for stretch in stretches if epsilon <= stretch.high)
    return max(0.0, float(_FAR.subtract(stretch.p, _FAR.multiply(stretch.q, _e_to(epsilon)))))


@lru_cache(maxsize=64 * _POINTS)  # as claims are for the same few ε, their plots have the same points
def _e_to(epsilon: float) -> Decimal:
    return _FAR.exp(Decimal(epsilon))


def claim_bar(claim: PrivacyResult) -> Bar | None:
    """The bar of a claim, None where nothing is known of it."""
    return bar_of(claim.used, f"of the claimed {'ε' if claim.is_pure else 'δ'}")


def epsilon_line(claim: PrivacyResult) -> EpsilonLine | None:
    """The line of a claim for all ε, None for another or where nothing is known of it."""
    if claim.for_all_epsilon is None or claim.for_all_epsilon.fails_at is None:
        return None
    ranges = claim.for_all_epsilon.fails_at
    ends = [
        (_place(float(values.low.decimal)), BAR_WIDTH if values.high is None else _place(float(values.high.decimal)))
        for values in ranges
    ]
    caption = f"fails for {ranges_in_short(ranges)}" if ranges else "holds for all ε"
    return EpsilonLine([(low, round(max(high - low, 1.0), 1)) for low, high in ends], caption)


def _place(epsilon: float, width: float = BAR_WIDTH) -> float:
    return round((1 - exp(-epsilon)) * width, 1)


REGION_SIZE: Final = {"width": 320, "height": 160}
"""Pixels of the picture of a set of (ε, δ), without its labels."""

_NARROW: Final = 3
"""Pixels on both sides of the only ε of a set."""


class RegionPicture(NamedTuple):
    """All (ε, δ) as a rectangle, ε at 1 − e^(-ε/scale) of its width and δ upwards, with where a claim fails."""

    failing: list[tuple[float, float, float, float]]
    """Left, top, width and height."""
    ticks: list[tuple[float, str]]
    """Some ε."""
    formulas: list[str]
    caption: str


def region_picture(claim: PrivacyResult) -> RegionPicture | None:
    """The picture of a claim for every δ that fails at some; None for another, or where that is not known."""
    region = None if claim.for_all_epsilon is None else claim.for_all_epsilon.fails_in
    if region is None:
        return None
    across, high = REGION_SIZE["width"], REGION_SIZE["height"]
    places = [_place(float(column.epsilon) / region.scale, across) for column in region.columns]
    ends = [0.0, *((a + b) / 2 for a, b in pairwise(places)), float(across)]
    if len(places) == 1:
        ends = [max(0.0, places[0] - _NARROW), min(float(across), places[0] + _NARROW)]
    failing = [
        (round(left, 1), round((1 - end) * high, 1), round(right - left, 1), max(round((end - start) * high, 1), 0.5))
        for (left, right), column in zip(pairwise(ends), region.columns, strict=True)
        for start, end in (map(float, interval) for interval in column.deltas)
    ]
    ticks = [(_place(epsilon, across), f"{epsilon * region.scale:g}") for epsilon in (0.1, 0.5, 1, 2, 4)]
    return RegionPicture(failing, ticks, region.formulas, f"fails where {'; or, '.join(region.formulas)}")

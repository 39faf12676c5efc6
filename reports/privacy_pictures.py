"""Pictures of a privacy claim: the part of its budget that is used, where it fails, and its profile as a curve."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from functools import lru_cache
from math import exp, inf
from typing import Final, NamedTuple

from dpverify.reports.bars import BAR_WIDTH, Bar, bar_of
from dpverify.reports.numbers import ranges_in_short
from dpverify.reports.privacy_record import CurvePoint, PrivacyResult, ProfilePiece

WIDTH: Final = 320
HEIGHT: Final = 120
"""Pixels of the plot, without its labels."""

_POINTS: Final = 80

_FAR: Final = Context(prec=17, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""As a float, but e^ε may be as large, and what it multiplies as small, as an ε of thousands makes them."""


class EpsilonLine(NamedTuple):
    """All ε > 0 on one line, at 1 − e^(-ε) of its width, with (place, length) of where a claim fails, and a caption."""

    failing: list[tuple[float, float]]
    caption: str


class ProfilePlot(NamedTuple):
    """A polyline in pixels, the claim as a point, and what the ends of the axes stand for."""

    points: str
    claim: tuple[float, float]
    most_epsilon: str
    most_delta: str


def profile_plot(claim: PrivacyResult) -> ProfilePlot | None:
    """The plot of a claim's profile; None where there is none, or it is 0 from ε = 0 on. Floats do for drawing."""
    if claim.epsilon is None or claim.delta is None:
        return None
    claimed = float(claim.epsilon.decimal)
    curve = _of_pieces(claim.profile, claimed) if claim.profile else _of_points(claim.curve or [])
    if not curve:
        return None
    right = max(1.2 * claimed, curve[-1][0])
    top = max(curve[0][1], float(claim.delta.decimal))
    if not right > 0 or not top > 0:
        return None

    def pixel(epsilon: float, delta: float) -> tuple[float, float]:
        return round(epsilon / right * WIDTH, 1), round((1 - delta / top) * HEIGHT, 1)

    return ProfilePlot(
        " ".join(f"{x},{y}" for x, y in (pixel(*point) for point in curve)),
        pixel(claimed, float(claim.delta.decimal)),
        f"{right:.3g}",
        f"{top:.3g}",
    )


def _of_pieces(pieces: list[ProfilePiece], claimed: float) -> list[tuple[float, float]]:
    """Points (ε, δ) from 0 to beyond the claimed ε, and the last break if that is not too far out."""
    last = float(pieces[-1].low)
    right = 1.2 * max(claimed, min(last, 4 * claimed) if claimed else last)
    stretches = [
        _Stretch(inf if piece.high is None else float(piece.high), Decimal(piece.p), Decimal(piece.q))
        for piece in pieces
    ]
    return [(right * i / _POINTS, _at(stretches, right * i / _POINTS)) for i in range(_POINTS + 1)]


def _of_points(points: list[CurvePoint]) -> list[tuple[float, float]]:
    return [(float(point.epsilon), float(point.delta)) for point in points]


class _Stretch(NamedTuple):
    """A piece of a profile, read: p − q·e^ε up to ε = `high`."""

    high: float
    p: Decimal
    q: Decimal


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


def _place(epsilon: float) -> float:
    return round((1 - exp(-epsilon)) * BAR_WIDTH, 1)

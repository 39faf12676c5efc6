"""The privacy profile of a claim as a curve: the worst δ against ε, beside the claim."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Final, NamedTuple

from dpverify.reports.record import ClaimResult, ProfilePiece

WIDTH: Final = 320
HEIGHT: Final = 120
"""Pixels of the plot, without its labels."""

_POINTS: Final = 80

_FAR: Final = Context(prec=17, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""As a float, but e^ε may be as large, and what it multiplies as small, as an ε of thousands makes them."""


class ProfilePlot(NamedTuple):
    """A polyline in pixels, the claim as a point, and what the ends of the axes stand for."""

    points: str
    claim: tuple[float, float]
    most_epsilon: str
    most_delta: str


def profile_plot(claim: ClaimResult) -> ProfilePlot | None:
    """The plot of a claim's profile; None where there is none, or it is 0 from ε = 0 on. Floats do for drawing."""
    pieces = claim.profile
    if not pieces or claim.epsilon is None or claim.delta is None:
        return None
    claimed = float(claim.epsilon.decimal)
    breaks = [float(piece.low) for piece in pieces]
    right = 1.2 * max(claimed, min(breaks[-1], 4 * claimed) if claimed else breaks[-1])
    top = max(_at(pieces, 0.0), float(claim.delta.decimal))
    if not right > 0 or not top > 0:
        return None

    def pixel(epsilon: float, delta: float) -> tuple[float, float]:
        return round(epsilon / right * WIDTH, 1), round((1 - delta / top) * HEIGHT, 1)

    curve = [pixel(right * i / _POINTS, _at(pieces, right * i / _POINTS)) for i in range(_POINTS + 1)]
    return ProfilePlot(
        " ".join(f"{x},{y}" for x, y in curve),
        pixel(claimed, float(claim.delta.decimal)),
        f"{right:.3g}",
        f"{top:.3g}",
    )


def _at(pieces: list[ProfilePiece], epsilon: float) -> float:
    piece = next(piece for piece in pieces if piece.high is None or epsilon <= float(piece.high))
    return max(0.0, float(_FAR.subtract(Decimal(piece.p), _FAR.multiply(Decimal(piece.q), _FAR.exp(Decimal(epsilon))))))

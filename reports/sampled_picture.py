"""The picture of a claim by samples: how often each was seen, with its interval, and what is claimed beside it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dpverify.reports.sampled_record import SampledResult, SampledShare
from dpverify.reports.witness_picture import WITNESS_SIZE

_HEIGHT: Final = 22
_LONGEST_LABEL: Final = 16


class DrawnShare(NamedTuple):
    """A bar as long as a share, the ends of its interval, and the place of what is claimed, or None, in pixels."""

    label: str
    title: str
    y: int
    length: float
    low: float
    high: float
    beside: float | None
    said: str
    outside: bool
    """True if the claimed share is outside of the interval."""


class SharesPicture(NamedTuple):
    """The rows from top to bottom, their height together, and a caption."""

    rows: Sequence[DrawnShare]
    height: int
    caption: str


def shares_picture(claim: SampledResult) -> SharesPicture | None:
    """The picture of the shares of a claim; None where nothing was counted. Floats do for drawing."""
    if not claim.shares:
        return None
    numbers = [float(text) for one in claim.shares for text in (one.high, one.beside) if text]
    most = max(numbers) or 1.0
    rows = [_row(one, i, most, of_model=bool(claim.model)) for i, one in enumerate(claim.shares)]
    beside = "what the model says" if claim.model else "the most that the claim allows on the left"
    return SharesPicture(rows, _HEIGHT * len(rows), f"{claim.shares_of}: shares with intervals, and a mark at {beside}")


def _row(one: SampledShare, i: int, most: float, of_model: bool) -> DrawnShare:
    share, low, high = float(one.share), float(one.low), float(one.high)
    beside = float(one.beside) if one.beside else None
    outside = beside is not None and (low > beside or (of_model and high < beside))
    label = one.name if len(one.name) <= _LONGEST_LABEL else one.name[: _LONGEST_LABEL - 1] + "…"
    title = f"{one.name}: {share:.4g}, between {low:.4g} and {high:.4g}"
    said = title if beside is None else f"{title}; {beside:.4g}"
    place = None if beside is None else _at(min(beside, most), most)
    return DrawnShare(
        label, said, i * _HEIGHT, _at(share, most), _at(low, most), _at(high, most), place, f"{share:.3g}", outside
    )


def _at(number: float, most: float) -> float:
    return round(number / most * WITNESS_SIZE.bar, 1)

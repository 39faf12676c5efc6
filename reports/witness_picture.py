"""The picture of a counterexample: both output distributions, the event, and how far it is above what is allowed."""

from collections.abc import Sequence
from itertools import pairwise
from math import exp, inf
from typing import Final, NamedTuple

from dpverify.reports.privacy_record import PrivacyResult, Share, WitnessDistributions, WitnessRecord
from dpverify.reports.record import Quantity


class Size(NamedTuple):
    """The pixels of what every picture has."""

    width: int
    row: int
    """The height of an outcome, with a bar for either output distribution."""
    label: int
    """The width in which an outcome is named."""
    bar: int
    """The longest bar."""
    line: int
    """The height of a line of numbers, without its labels."""


WITNESS_SIZE: Final = Size(width=420, row=26, label=118, bar=226, line=110)

_LONGEST_LABEL: Final = 16
"""Characters that fit there."""


class _Row(NamedTuple):
    """An outcome with the lengths of its bars."""

    label: str
    title: str
    y: float
    left: float
    right: float
    p: str
    q: str
    in_event: bool


class DrawnDistributions(NamedTuple):
    """Both output distributions as curves in steps, where the event lies as (place, length), and what is at places."""

    left: str
    right: str
    shaded: Sequence[tuple[float, float]]
    ticks: Sequence[tuple[float, str]]
    name: str


class DrawnBound(NamedTuple):
    """The event as two bars, and where e^ε·q + δ lies, with captions."""

    left: float
    right: float
    bound: float
    p: str
    q: str
    said: str
    above: str


class WitnessPicture(NamedTuple):
    """Things drawn from top to bottom: outcomes or a line, where these are known, and the event as a whole."""

    rows: Sequence[_Row]
    line: DrawnDistributions | None
    left_out: int
    bound: DrawnBound
    height: float
    """Label of what is above the event."""
    caption: str


def witness_picture(claim: PrivacyResult) -> WitnessPicture | None:
    """The picture of the witness of a claim, None where there is none. Floats do for drawing."""
    if claim.witness is None:
        return None
    witness, laws = claim.witness, claim.witness.distributions
    shares = laws.shares if laws is not None and not laws.ends else []
    allowed = _allowed(witness)
    # all bars have one axis, on which what is allowed lies, too, where that is a probability
    most = max(
        *_numbers(witness.p, witness.q), min(allowed, 1.0), *(float(p) for one in shares for p in (one.p, one.q))
    )
    rows = _rows(shares, most or 1.0)
    line = _line(laws) if laws is not None and laws.ends else None
    height = WITNESS_SIZE.line + 34 if line is not None else WITNESS_SIZE.row * len(rows)
    bound = _bound(witness, allowed, most or 1.0)
    caption = (
        f"Probabilities of the event: {bound.p} on the left database, {bound.q} on the right one, where "
        f"e^ε·q + δ = {bound.said} is allowed: {bound.above} more than that."
    )
    return WitnessPicture(rows, line, 0 if laws is None else laws.left_out, bound, height, caption)


def _numbers(*numbers: Quantity) -> list[float]:
    return [float(number.decimal) for number in numbers]


def _allowed(witness: WitnessRecord) -> float:
    """e^ε·q + δ, which p exceeds."""
    epsilon, q, delta = _numbers(witness.epsilon, witness.q, witness.delta)
    try:
        return exp(epsilon) * q + delta
    except OverflowError:
        return inf if q else delta


def _rows(shares: Sequence[Share], most: float) -> list[_Row]:
    return [
        _Row(
            _cut(one.outcome),
            f"{one.outcome}: {one.p} on the left, {one.q} on the right",
            i * WITNESS_SIZE.row,
            _length(float(one.p), most),
            _length(float(one.q), most),
            f"{float(one.p):.3g}",
            f"{float(one.q):.3g}",
            one.in_event,
        )
        for i, one in enumerate(shares)
    ]


def _length(share: float, most: float) -> float:
    return round(share / most * WITNESS_SIZE.bar, 1)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"


def _line(laws: WitnessDistributions) -> DrawnDistributions | None:
    ends = [float(end) for end in laws.ends]
    most = max((max(float(one.p), float(one.q)) for one in laws.shares), default=0.0)
    if not most > 0 or not ends[-1] > ends[0]:
        return None

    def x(number: float) -> float:
        return round((number - ends[0]) / (ends[-1] - ends[0]) * WITNESS_SIZE.width, 1)

    def steps(masses: Sequence[float]) -> str:
        heights = [round((1 - mass / most) * WITNESS_SIZE.line, 1) for mass in masses]
        return " ".join(f"{x(ends[i])},{y} {x(ends[i + 1])},{y}" for i, y in enumerate(heights))

    inside = [one.in_event for one in laws.shares]
    turns = [i for i, (before, after) in enumerate(pairwise([False, *inside, False])) if before != after]
    shaded = [(x(ends[i]), round(x(ends[j]) - x(ends[i]), 1)) for i, j in zip(turns[::2], turns[1::2], strict=True)]
    between = [i for i in turns if 0 < i < len(ends) - 1][:1] or [len(ends) // 2]
    ticks = [(x(ends[i]), f"{ends[i]:.4g}") for i in (0, *between, len(ends) - 1)]
    left, right = (
        steps([float(mass) for mass in masses]) for masses in zip(*((s.p, s.q) for s in laws.shares), strict=True)
    )
    return DrawnDistributions(left, right, shaded, ticks, laws.line)


def _bound(witness: WitnessRecord, allowed: float, most: float) -> DrawnBound:
    p, q, delta, difference = _numbers(witness.p, witness.q, witness.delta, witness.difference)
    return DrawnBound(
        _length(p, most),
        _length(q, most),
        _length(min(allowed, most), most),
        f"{p:.4g}",
        f"{q:.4g}",
        f"{allowed:.4g}" if allowed < inf else "∞",
        f"{difference - delta:.3g}",
    )

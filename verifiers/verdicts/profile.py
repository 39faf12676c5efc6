"""The privacy profile of a mechanism on a domain: its exact worst δ at every ε, and its Rényi divergences.

With x = e^ε, δ(ε) is the largest P(E) − x·Q(E) over all events E and all ordered pairs of neighbours with distributions
P, Q: an upper envelope of lines, piecewise linear and convex in x. Only events that hold the outcomes with the largest
ratios p/q of a pair matter. Floats choose which lines may lie on the envelope, with room to spare; exact numbers
decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import Any, Final, NamedTuple

import numpy as np
from flint import arb, ctx

from dpverify.mechanisms.functions.limits import Limits, checked_limits
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, decimal, enclosures
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    ExactLike,
    exact,
    ordering,
    power,
    product,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.numbers.integers.parameters import whole
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.reports.numbers import counted
from dpverify.reports.privacy_record import CurvePoint, ProfilePiece
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable, Floats
from dpverify.verifiers.divergence.output_tables.parts import pairs_in_parts
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids, Mask
from dpverify.verifiers.problems.neighbours.neighbours import replace_one
from dpverify.verifiers.problems.preparation.experiment import prepared
from dpverify.verifiers.problems.preparation.repetition import never_repeated, repeated_here
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.verdicts.compared_distributions import Laws, tabulated

_ROOM: Final = 2.0**-40
"""Distance below the envelope of floats at which a line is still looked at; sums of floats are off by far less."""


_POINTS: Final = 24
"""Of the curve of a profile that has no pieces."""

_LITTLE: Final = Fraction(1, 1000)
"""The δ up to which a curve is drawn that does not fall to 0."""


class CurvePiece(NamedTuple):
    """δ(ε) = p − q·e^ε for least ≤ e^ε ≤ most; `most` is None for all ε from there on, where q is 0."""

    least: Exact
    most: Exact | None
    p: Exact
    q: Exact

    @property
    def low(self) -> Exact:
        """The ε from which on it is δ(ε)."""
        return log(self.least)

    @property
    def high(self) -> Exact | None:
        """The ε up to which it is δ(ε), None for ∞."""
        return None if self.most is None else log(self.most)

    @property
    def record(self) -> ProfilePiece:
        """The piece as it stands in a report."""
        high = None if self.high is None else decimal(self.high)
        return ProfilePiece(decimal(self.low), high, decimal(self.p), decimal(self.q))

    def __repr__(self) -> str:
        """It in decimals: `p`, `q`, `low` and `high` are exact."""
        low, p = decimal(self.low, 6), decimal(self.p, 6)
        if self.high is None:
            return f"<δ(ε) = {p} for {low} ≤ ε>"
        return f"<δ(ε) = {p} - {decimal(self.q, 6)}·e^ε for {low} ≤ ε ≤ {decimal(self.high, 6)}>"

    def simplified(self) -> CurvePiece:
        """The piece with its ends in closed form."""
        return CurvePiece(simplified(self.least), None if self.most is None else simplified(self.most), self.p, self.q)

    def at(self, factor: Exact) -> Exact:
        """p − q·e^ε at e^ε = factor."""
        return self.p - self.q * factor


@dataclass(frozen=True)
class PrivacyProfile:
    """δ(ε) for all ε ≥ 0, piece by piece, by rising ε; and the distributions from which Rényi divergences come.

    Where real numbers are released it is no line in e^ε: there are no pieces, and δ(ε) is found as it is asked.
    """

    pieces: tuple[CurvePiece, ...]
    laws: Laws

    def __repr__(self) -> str:
        """Its beginning and its end, in decimals: `pieces` has all of it, exactly."""
        if not self.pieces:
            return "<PrivacyProfile of released real numbers: .delta(ε) and .epsilon(δ) find its points>"
        end = self.pieces[-1]
        return (
            f"<PrivacyProfile δ(0) = {decimal(self.pieces[0].at(ONE), 6)}, δ(ε) = {decimal(end.p, 6)} from "
            f"ε = {decimal(end.low, 6)} on; {counted(len(self.pieces), 'piece')}>"
        )

    def _repr_html_(self) -> str | None:
        """The HTML for a notebook: δ(ε) as a curve, with values; nothing where it is 0 everywhere."""
        from dpverify.reports.formats.html import profile_in_notebook  # what a page is made with takes long to load

        points = []
        if not self.pieces:
            far = self.epsilon(0) or self.epsilon(_LITTLE)
            points = [] if far is None else self.points(far)
        return profile_in_notebook([piece.record for piece in self.pieces], points) or None

    def points(self, far: Exact) -> list[CurvePoint]:
        """Points of δ(ε) from ε = 0 to ε = `far`, for a report."""
        ends = [simplified(far * i / _POINTS) for i in range(_POINTS + 1)]
        return [CurvePoint(decimal(epsilon), decimal(self.delta(epsilon))) for epsilon in ends]

    def delta(self, epsilon: ExactLike) -> Exact:
        """The exact worst δ at ε. Raises `InputError` for a negative ε."""
        number = exact(epsilon, "epsilon")
        if number < 0:
            raise InputError(bad_input.RANGE, f"epsilon={number}", "at least 0")
        if self.laws.densities is not None:
            from dpverify.verifiers.divergence.densities import curve

            return curve.delta_at(self.laws.densities, number)
        factor = exp(number)
        return next(piece for piece in self.pieces if piece.most is None or factor <= piece.most).at(factor)

    def epsilon(self, delta: ExactLike = 0) -> Exact | None:
        """The smallest ε ≥ 0 with δ(ε) ≤ δ; None where there is none. Raises `InputError` unless 0 ≤ δ ≤ 1.

        For δ > 0 and released real numbers it is rounded up, to 60 bits.
        """
        number = exact(delta, "delta")
        if number < 0 or number > 1:
            raise InputError(bad_input.RANGE, f"delta={number}", "between 0 and 1")
        if self.laws.densities is not None:
            from dpverify.verifiers.divergence.densities import curve

            return curve.epsilon_for(self.laws.densities, number)
        for piece in self.pieces:
            if piece.most is None:
                return piece.low if piece.p <= number else None
            if piece.at(piece.most) <= number:
                break
        return piece.low if piece.at(piece.least) <= number else log(simplified((piece.p - number) / piece.q))

    def renyi_divergence(self, order: int) -> Exact | None:
        """The largest D_α(P‖Q) = ln(Σ p^α·q^(1−α))/(α − 1) over all pairs, for a whole order α ≥ 2; None for ∞.

        Raises `InputError` for another order.
        """
        moment = _largest_moment(self.laws, whole(order, "order", 2))
        return None if moment is None else log(moment) / (order - 1)

    def zcdp(self, orders: Iterable[int] = range(2, 33)) -> Exact | None:
        """The largest D_α/α over whole `orders`: no ρ below it makes the mechanism ρ-zCDP there; None where infinite.

        zCDP speaks of all real α > 1, so that a smaller ρ is excluded, and this one is not shown to be enough.
        """
        divergences = {order: self.renyi_divergence(order) for order in orders}
        number: Exact = ZERO
        for order, divergence in divergences.items():
            if divergence is None:
                return None
            number = max(number, divergence / order)
        return number


def privacy_profile(
    mechanism: Mechanism,
    domain: Domain,
    neighbours: NeighbourRelation = replace_one,
    *,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    recheck: bool = True,
) -> PrivacyProfile:
    """The exact privacy profile of mechanism(draw, database, **parameters) over all neighbours of the domain.

    `recheck` is as for `check_privacy`. Raises `InputError` as that does, and `Undecided` where two lines cannot be
    told apart.

    >>> def response(draw, rows):
    ...     return rows[0] if draw(bernoulli("3/4")) else 1 - rows[0]
    >>> profile = privacy_profile(response, Tuples((0, 1), size=1), replace_one)
    >>> decimal(profile.delta(0)), decimal(profile.delta(log(2)))
    ('0.5', '0.25')
    """
    given = {} if parameters is None else parameters
    question = Question(mechanism, domain, neighbours, None, given, checked_limits(limits))
    result = profile_of(tabulated(prepared(question, repeated_here if recheck else never_repeated)))
    return PrivacyProfile(tuple(piece.simplified() for piece in result.pieces), result.laws)


def profile_of(laws: Laws) -> PrivacyProfile:
    """The profile of tabulated distributions, whose ends are as they come: a report says decimals alone.

    Raises `Undecided` where two lines cannot be told apart.
    """
    if laws.densities is not None:
        return PrivacyProfile((), laws)
    if laws.table.blocks:
        raise Undecided(not_known.NO_CURVE, "a profile", "released numbers fall off at several rates")
    return PrivacyProfile(tuple(_pieces(_envelope(laws))), laws)


class _Line(NamedTuple):
    """x ↦ p − x·q."""

    p: Exact
    q: Exact


def _pieces(lines: Sequence[_Line]) -> Iterable[CurvePiece]:
    """The pieces for ε ≥ 0 from lines of the envelope by rising q, that is, by falling x."""
    curve_pieces: list[CurvePiece] = []
    most: Exact | None = None
    for line, after in zip(lines, [*lines[1:], None], strict=True):
        # line and after are equal at x = Δp/Δq
        crossing = None if after is None else (after.p - line.p) / (after.q - line.q)
        if crossing is None or crossing <= 1:
            curve_pieces.append(CurvePiece(ONE, most, line.p, line.q))
            break
        curve_pieces.append(CurvePiece(crossing, most, line.p, line.q))
        most = crossing
    return reversed(curve_pieces)


def _envelope(laws: Laws) -> list[_Line]:
    """The lines on the envelope for x ≥ 1, by rising q; the first has q = 0."""
    candidates = _exact_lines(laws, *_near_the_envelope(laws))
    candidates.append(_Line(ZERO, ZERO))
    ordered = sorted(_not_below_another(candidates), key=cmp_to_key(_by_rising_q))
    hull: list[_Line] = []
    for line in ordered:
        if hull and ordering(line.q, hull[-1].q) == 0:
            continue  # an equal q with a p that is no larger
        while len(hull) >= 2 and not _turns_right(hull[-2], hull[-1], line):
            hull.pop()
        if hull and ordering(line.p, hull[-1].p) <= 0:
            continue
        hull.append(line)
    return hull


def _not_below_another(lines: Sequence[_Line]) -> list[_Line]:
    """Without lines that balls show to be below another one, or below 0, for every x ≥ 0.

    Most are near the envelope because they hold another one's event and a little of q more, or less of p: of these no
    algebra has to tell how little.
    """
    kept: list[_Enclosed] = []
    with ctx.workprec(WORKING_PRECISION):
        for line in sorted((_Enclosed(line, *enclosures(line)) for line in lines), key=cmp_to_key(_by_middle_of_q)):
            while kept and kept[-1].is_below(line):
                kept.pop()
            if not (kept and line.is_below(kept[-1])):
                kept.append(line)
    return [each.line for each in kept]


class _Enclosed(NamedTuple):
    """A line, with balls that contain p and q."""

    line: _Line
    p: arb
    q: arb

    def is_below(self, other: _Enclosed) -> bool:
        """True where it is for certain lower at x = 0, and falls to 0 earlier, so that it is lower or negative."""
        return bool(self.p < other.p and self.p * other.q < other.p * self.q)


def _by_middle_of_q(a: _Enclosed, b: _Enclosed) -> int:
    mine, others = a.q.mid(), b.q.mid()
    return int(mine > others) - int(mine < others)


def _by_rising_q(a: _Line, b: _Line) -> int:
    return ordering(a.q, b.q) or ordering(b.p, a.p)


def _turns_right(a: _Line, b: _Line, c: _Line) -> bool:
    """True where b lies above the line from a to c, in the plane of (q, p): exactly where balls do not tell."""
    with ctx.workprec(WORKING_PRECISION):
        (ap, aq), (bp, bq), (cp, cq) = map(enclosures, (a, b, c))
        above = (bp - ap) * (cq - bq) - (cp - bp) * (bq - aq)
    if above > 0 or above < 0:
        return bool(above > 0)
    return decision.sign((b.p - a.p) * (c.q - b.q) - (c.p - b.p) * (b.q - a.q)) > 0


def _near_the_envelope(laws: Laws) -> tuple[Ids, Ids]:
    """Pairs, and how many of their outcomes with the largest ratios, whose lines may be on the envelope."""
    pairs, lengths, points = [], [], []
    for part in pairs_in_parts(laws.table, laws.compared.left, laws.compared.right):
        p, q = part.values()
        order = np.argsort(-_ratios(p, q), axis=1, kind="stable")
        p, q = np.take_along_axis(p, order, axis=1), np.take_along_axis(q, order, axis=1)
        # After an outcome comes another one of the same p and q, as numbers: the line between them is on no corner.
        repeated = np.zeros(p.shape, dtype=bool)
        of_p, of_q = (np.take_along_axis(numbers, order, axis=1) for numbers in part.numbers())
        repeated[:, :-1] = (np.diff(of_p, axis=1) == 0) & (np.diff(of_q, axis=1) == 0)
        useful = (p > q * (1 - _ROOM)) & (p > 0) & ~repeated
        at, length = np.nonzero(useful)
        points.append(np.stack([np.cumsum(q, axis=1)[useful], np.cumsum(p, axis=1)[useful]], axis=1))
        pairs.append(at + part.of.start)
        lengths.append(length + 1)
    if not points:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    chosen = _near_the_hull(np.concatenate(points))
    return np.concatenate(pairs)[chosen], np.concatenate(lengths)[chosen]


def _ratios(p: Floats, q: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p == 0, 0.0, np.where(q == 0, np.inf, p / q))


def _near_the_hull(points: Floats) -> Ids:
    """The points (q, p) that are on or near their upper hull, from the least q to the largest p."""
    order = np.lexsort((-points[:, 1], points[:, 0]))
    hull: list[tuple[float, float]] = [(0.0, 0.0)]
    for q, p in points[order]:
        while len(hull) >= 2 and (hull[-1][1] - hull[-2][1]) * (q - hull[-1][0]) <= (p - hull[-1][1]) * (
            hull[-1][0] - hull[-2][0]
        ):
            hull.pop()
        if p > hull[-1][1]:
            hull.append((float(q), float(p)))
    at = np.array(hull)
    return np.flatnonzero(points[:, 1] >= np.interp(points[:, 0], at[:, 0], at[:, 1]) - _ROOM)


def _exact_lines(laws: Laws, pairs: Ids, lengths: Ids) -> list[_Line]:
    """The lines of the chosen events, each once."""
    lines: dict[tuple[tuple[int, int], ...], _Line] = {}
    sorted_of: dict[int, list[tuple[int, int]]] = {}
    ratios: dict[tuple[int, int], int] = {}

    def ratio(outcome: tuple[int, int]) -> int:
        """The serial number of p/q, −1 for q = 0: equal for equal ratios, where they look equal."""
        if outcome not in ratios:
            p, q = (laws.table.numbers[number] for number in outcome)
            quotient = ONE if q is ZERO else product((p, reciprocal_of_nonzero(q)))
            quotients.append(quotient)  # or its serial number would be given to another one
            ratios[outcome] = -1 if q is ZERO else quotient.serial
        return ratios[outcome]

    quotients: list[Exact] = []
    left, right = laws.compared.left, laws.compared.right
    for pair, length in zip(pairs.tolist(), lengths.tolist(), strict=True):
        if pair not in sorted_of:
            sorted_of[pair] = _by_ratio(laws.table, int(left[pair]), int(right[pair]), ratio)
        outcomes = sorted_of[pair]
        if length < len(outcomes) and ratio(outcomes[length - 1]) == ratio(outcomes[length]):
            continue  # between two outcomes of one ratio the pair's own curve has no corner
        key = tuple(sorted(outcomes[:length]))
        if key not in lines:
            numbers = laws.table.numbers
            lines[key] = _Line(total(numbers[p] for p, _ in key), total(numbers[q] for _, q in key))
    return list(lines.values())


def _by_ratio(
    table: DistributionTable, left: int, right: int, ratio: Callable[[tuple[int, int]], int]
) -> list[tuple[int, int]]:
    """The numbers (p, q) of the outcomes of a pair of distributions, by falling p/q; equal `ratio`s are equal."""
    p_of, q_of = dict(table.rows[left]), dict(table.rows[right])
    columns = sorted(p_of.keys() | q_of.keys())
    results = [(p_of.get(column, 0), q_of.get(column, 0)) for column in columns]
    p, q = (np.array([table.values[number] for number in numbers]) for numbers in zip(*results, strict=True))
    ratios = _ratios(p, q)
    order = np.argsort(-ratios, kind="stable")
    falling = ratios[order]
    before, after = falling[:-1], falling[1:]
    near = np.isfinite(before) & (after > 0) & (after >= before * (1 - _ROOM))
    outcomes = [results[i] for i in order]

    def by_exact_ratio(a: tuple[int, int], b: tuple[int, int]) -> int:
        if ratio(a) == ratio(b):
            return 0
        mine, other = (product((table.numbers[p], table.numbers[q])) for p, q in ((a[0], b[1]), (b[0], a[1])))
        return ordering(other, mine)

    runs = _runs(near)
    if not table.is_trusted and any(ratio(outcomes[i]) != ratio(outcomes[i + 1]) for i in np.flatnonzero(near)):
        runs = [(0, len(outcomes))]
    for start, end in runs:  # floats cannot tell which of these comes first
        outcomes[start:end] = sorted(outcomes[start:end], key=cmp_to_key(by_exact_ratio))
    return outcomes


def _runs(near: Mask) -> list[tuple[int, int]]:
    """The positions, from the first to behind the last, of numbers each of which is near the one before it."""
    steps = np.diff(np.concatenate([[0], near.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return [(int(start), int(end) + 1) for start, end in zip(starts, ends, strict=True)]


def _largest_moment(laws: Laws, order: int) -> Exact | None:
    """The largest Σ p^α·q^(1−α) over all pairs; None where some q is 0 and p is not."""
    if laws.densities is not None:
        from dpverify.verifiers.divergence.densities import curve

        return curve.largest_moment(laws.densities, order)
    best: Exact = ONE
    table = laws.table
    for part in pairs_in_parts(table, laws.compared.left, laws.compared.right):
        p, q = part.numbers()
        if ((p != 0) & (q == 0)).any():
            return None
        values_p, values_q = part.values()
        logs = np.where(p != 0, order * np.log(np.where(p != 0, values_p, 1)), -np.inf)
        logs -= np.where(p != 0, (order - 1) * np.log(np.where(q != 0, values_q, 1)), 0)
        moments = np.exp(logs).sum(axis=1)
        seen: set[tuple[tuple[int, int], ...]] = set()
        for i in np.flatnonzero(moments >= moments.max(initial=0.0) * (1 - _ROOM)):
            key = tuple(sorted((int(a), int(b)) for a, b in zip(p[i], q[i], strict=True) if a))
            if key in seen:
                continue
            seen.add(key)
            moment = total(
                product((power(table.numbers[a], order), power(table.numbers[b], 1 - order))) for a, b in key
            )
            best = max(best, moment)
    return best

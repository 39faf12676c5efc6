"""Decision of the sign of a number with coordinates on the orthant of all whole h ≥ 0.

First by coefficients (`bounds.py`), and with one coordinate completely (`rays.py`). Then a violation is
looked for; then the orthant is subdivided, h_i = 0 or h_i ≥ 1, and h_i ≥ h_j or h_j > h_i, which costs nothing but
substitutions. All budgets are counted, and none is a time: the answer is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final, TypeAlias

from dpverify.mechanisms.numbers.cached_results import by_identity
from dpverify.mechanisms.numbers.errors import Cut, InputError, Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.positivity import constants as orthant_constants
from dpverify.mechanisms.numbers.positivity.bounds import is_nowhere_positive
from dpverify.mechanisms.numbers.positivity.points import candidates
from dpverify.mechanisms.numbers.positivity.polynomials import OF_EPSILON, Polynomial, polynomial, quotient
from dpverify.mechanisms.numbers.positivity.rays import signs_along

_MOST_PIECES: Final = 100
"""Orthants into which one is subdivided."""

MOST_VALUES: Final = 10_000
"""Values of a coordinate that are left to be looked at one by one."""


@dataclass(frozen=True)
class Nowhere:
    """The number is ≤ 0 at all points of the orthant."""


@dataclass(frozen=True)
class PositivePoint:
    """The number is > 0, exactly, where the coordinates of these places have these values, whatever the others are."""

    point: Mapping[int, int]
    epsilon: Exact | None = None
    """Of a number that is a function of ε, an ε at which it is > 0 there."""


@dataclass(frozen=True)
class Split:
    """Not found out; it may be on the two sides of this cut."""

    cut: Cut


@dataclass(frozen=True)
class Abandoned:
    """Not found out, and no cut would help."""

    reason: str


Decision: TypeAlias = Nowhere | PositivePoint | Split | Abandoned


@by_identity
def decide_nowhere_positive(number: Exact) -> Decision:
    """A proof that a number is ≤ 0 for all whole numbers ≥ 0 as its coordinates, or a point where it is not.

    A function of a symbolic ε, too, is to be ≤ 0 for all of its ε.
    """
    try:
        numerator, way = _numerator(number)
        return _decision(numerator if way > 0 else numerator.negative(), strictly=False)
    except Cut as cut:
        return Split(cut)
    except (Undecided, InputError) as error:
        return Abandoned(str(error))


def _numerator(number: Exact) -> tuple[Polynomial, int]:
    """A polynomial, and the sign of the denominator below it. Raises `Cut` where that has none."""
    parts = quotient(number)
    way = 1
    for serial, k in parts.denominator.items():
        if k % 2:
            way *= sign_of_polynomial(quotient(parts.sums[serial]).numerator)
    return polynomial(parts.numerator), way


@by_identity
def sign_of_polynomial(number: Exact) -> int:
    """The sign of a number with coordinates, on the whole orthant. Raises `Cut` where it is not the same everywhere.

    Raises `Undecided` where it is not understood, and `Cut` too where the same sign everywhere is not shown.
    """
    f, way = _numerator(number)
    return way * _sign(f)


def _sign(f: Polynomial) -> int:
    if not f.coefficients:
        return 0
    if not f.places:
        return orthant_constants.sign_of_constant(f)
    for sign in set(f.signs.values()):
        if is_nowhere_positive(f if sign < 0 else f.negative(), strictly=True):
            return sign
    if len(f.places) == 1 and f.epsilon is None:
        return _sign_along(f)
    sign = _sign_at_origin(f)
    if sign and isinstance(_decision(f if sign < 0 else f.negative(), strictly=True), Nowhere):
        return sign
    raise best_cut(f, 0)


def _sign_along(f: Polynomial) -> int:
    stretches = signs_along(f)
    if len(stretches) == 1:
        return stretches[0].sign
    raise cut_from(f.places[0], stretches[-1].start)


def cut_from(place: int, least: int) -> Cut:
    """The cut of a coordinate at `least`. Raises `Undecided` where the values below are too many to be looked at."""
    if least > MOST_VALUES:
        raise Undecided(
            not_known.ANSWER_CHANGES,
            f"an answer changes only from {least:,} on, and so many numbers are not tried one by one",
        )
    return Cut(place, least=least)


def _sign_at_origin(f: Polynomial) -> int:
    return orthant_constants.sign_of_constant(_at(f, dict.fromkeys(f.places, 0)))


def _at(f: Polynomial, point: Mapping[int, int]) -> Polynomial:
    for place in f.places:
        f = f.at(place, point[place])
    return f


@dataclass(frozen=True)
class PositivityPiece:
    """A polynomial on an orthant of its own, and what the coordinates of the whole one are there."""

    f: Polynomial
    coordinates: Mapping[int, tuple[int, Mapping[int, int]]]
    """Place → (c, {place of the piece: n}) for c + Σ n·h."""
    depth: int

    def point(self, at: Mapping[int, int]) -> dict[int, int]:
        """A point of the piece in the coordinates of the whole."""
        return {
            place: c + sum(n * at.get(i, 0) for i, n in rows.items()) for place, (c, rows) in self.coordinates.items()
        }

    def sides(self, cut: Cut) -> Iterator[PositivityPiece]:
        """The pieces that a cut leaves."""
        i = cut.i
        if cut.j is not None:
            for smaller, greater, by in ((cut.j, i, 0), (i, cut.j, 1)):
                yield self._with(self.f.combined(smaller, greater, by), greater, by, (smaller, greater))
            return
        assert cut.least is not None
        for value in range(cut.least):
            yield self._with(self.f.at(i, value), i, value, ())
        yield self._with(self.f.shifted(i, cut.least), i, cut.least, (i,))

    def _with(self, f: Polynomial, i: int, by: int, to: Sequence[int]) -> PositivityPiece:
        coordinates = {}
        for place, (c, rows) in self.coordinates.items():
            n = rows.get(i, 0)
            new = {j: m for j, m in rows.items() if j != i}
            for j in to:
                new[j] = new.get(j, 0) + n
            coordinates[place] = (c + n * by, new)
        return PositivityPiece(f, coordinates, self.depth + 1)


def all_naturals(f: Polynomial) -> PositivityPiece:
    """The whole orthant of a polynomial's coordinates."""
    return PositivityPiece(f, {place: (0, {place: 1}) for place in f.places}, 0)


def _decision(f: Polynomial, *, strictly: bool) -> Decision:
    """A proof that f ≤ 0 everywhere, or f < 0; a violation is a point where f > 0, or f ≥ 0. Raises `Undecided`."""
    whole = all_naturals(f)
    waiting = [whole]
    pieces = 0
    while waiting:
        piece = waiting.pop()
        pieces += 1
        result = _of_piece(piece.f, strictly, thoroughly=piece is whole)
        if isinstance(result, PositivePoint):
            return PositivePoint(piece.point(result.point), result.epsilon)
        if result is None:
            if pieces >= _MOST_PIECES:
                return Split(best_cut(f, 0))
            waiting += reversed(list(piece.sides(best_cut(piece.f, piece.depth))))
    return Nowhere()


def _of_piece(f: Polynomial, strictly: bool, *, thoroughly: bool) -> Nowhere | PositivePoint | None:
    if not f.places:
        return _at_point(f, {}, strictly) or Nowhere()
    if is_nowhere_positive(f, strictly=strictly):
        return Nowhere()
    if len(f.places) == 1 and f.epsilon is None:
        violating = (0, 1) if strictly else (1,)
        start = next((stretch.start for stretch in signs_along(f) if stretch.sign in violating), None)
        return Nowhere() if start is None else PositivePoint({f.places[0]: start})
    at_points = (_at_point(f, point, strictly) for point in candidates(f, thoroughly=thoroughly))
    return next((result for result in at_points if result is not None), None)


def _at_point(f: Polynomial, point: Mapping[int, int], strictly: bool) -> PositivePoint | None:
    result, epsilon = orthant_constants.violates(_at(f, point), strictly=strictly)
    return PositivePoint(point, epsilon) if result else None


def best_cut(f: Polynomial, depth: int) -> Cut:
    """A place to subdivide: between two coordinates whose lowest terms compete, or else a coordinate at 1, in turn."""
    places = f.places
    lowest = _lowest(f)
    if len(lowest) > 1:
        first, second = lowest[0], lowest[1]
        i = max(range(len(places)), key=lambda a: second[a] - first[a])
        j = max(range(len(places)), key=lambda a: first[a] - second[a])
        return Cut(places[min(i, j)], j=places[max(i, j)])
    return Cut(places[depth % len(places)], least=1)


def _lowest(f: Polynomial) -> list[tuple[float, ...]]:
    """The rates, by coordinates, of the terms than which none falls off more slowly in one coordinate, and none faster.

    They only choose where to cut.
    """
    rates = set()
    for _, exponents in f.coefficients:
        by_place = dict.fromkeys(f.places, 0.0)
        for decay, e in zip(f.decays, exponents, strict=True):
            if decay.place != OF_EPSILON:
                by_place[decay.place] += e / f.grains[decay.factor] * _rough(decay.factor)
        rates.add(tuple(by_place.values()))
    return sorted(r for r in rates if not any(s != r and all(a <= b for a, b in zip(s, r, strict=True)) for s in rates))


def _rough(factor: int) -> float:
    return log(factor) if factor > 0 else 1.0

"""Several numbers with Gaussian noise in several ways, as gradients of a hidden sample: an upper bound, line by line.

Where the centres of all ways do not lie on one line, the ways of both laws are divided into those on parallel lines, in
units of the scales: with P = Σ P_k and Q = Σ Q_k it is ∫ (p − γ·q)⁺ ≤ Σ ∫ (p_k − γ·q_k)⁺, whatever the lines are. They
are those along which P has as much on each line as Q: then what is told apart is which of the other rows were sampled.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from dpverify.mechanisms.laws.normal_releases import NormalRelease
from dpverify.mechanisms.numbers.elementary import square
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, total
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.signs.intervals import EVERYTHING
from dpverify.verifiers.densities.strata import LawPair, Reals, Stratum

_Place: TypeAlias = tuple[Exact, ...]

_MOST_DIRECTIONS: Final = 64
"""Of lines that are tried."""


def along_lines(pair: LawPair) -> LawPair:
    """The pair with the ways of such strata on lines of their own: what holds of it holds of the pair itself."""
    strata: list[Stratum] = []
    for stratum in pair.strata:
        strata += _divided(stratum) or [stratum]
    return replace(pair, strata=tuple(strata))


def _divided(stratum: Stratum) -> list[Stratum] | None:
    """The strata of the lines; None where it is compared as it is, or there are no such lines."""
    try:
        if not stratum.tied and stratum.factors:
            return None
    except Undecided:
        pass
    places = _places(stratum)
    if places is None:
        return None
    apart = (_minus(places[mine], places[others]) for mine in stratum.left for others in stratum.right)
    directions = {_key(direction): direction for direction in apart}
    somewhere = [direction for direction in directions.values() if any(c != 0 for c in direction)]
    nearest = sorted(somewhere, key=lambda direction: total(square(c) for c in direction))
    for direction in nearest[:_MOST_DIRECTIONS]:
        result = _on_lines(stratum, places, direction)
        if result is not None:
            return result
    return None


def _places(stratum: Stratum) -> dict[Reals, _Place] | None:
    """The centre of each way, in units of the scales; None where other things than that differ."""
    first = next(iter(stratum.left))
    places: dict[Reals, _Place] = {}
    for way in (*stratum.left, *stratum.right):
        place = []
        for one, of_first in zip(way, first, strict=True):
            if not (isinstance(one, NormalRelease) and isinstance(of_first, NormalRelease)):
                return None
            if one.values != EVERYTHING or of_first.values != EVERYTHING or one.sigma != of_first.sigma:
                return None
            place.append(simplified(one.centre / one.sigma))
        places[way] = tuple(place)
    return places


def _on_lines(stratum: Stratum, places: dict[Reals, _Place], direction: _Place) -> list[Stratum] | None:
    """The ways on each line of a direction; None where one law has more on a line than the other."""
    at = next(i for i, c in enumerate(direction) if c != 0)
    lines: dict[Hashable, tuple[dict[Reals, Exact], dict[Reals, Exact]]] = {}
    for side, ways in enumerate((stratum.left, stratum.right)):
        for way, weight in ways.items():
            place = places[way]
            along = place[at] / direction[at]
            line = _key(tuple(c - along * d for c, d in zip(place, direction, strict=True)))
            lines.setdefault(line, ({}, {}))[side][way] = weight
    if any(not left or not right or total(left.values()) != total(right.values()) for left, right in lines.values()):
        return None
    return [Stratum(stratum.template, *ways) for ways in lines.values()]


def _minus(left: _Place, right: _Place) -> _Place:
    return tuple(a - b for a, b in zip(left, right, strict=True))


def _key(place: Sequence[Exact]) -> Hashable:
    """Equal for equal places, if their numbers show that they are."""
    return tuple(as_parameter(simplified(c)) for c in place)

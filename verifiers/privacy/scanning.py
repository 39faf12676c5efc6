"""What a claim asks of all pairs of laws of a case, block by block: which violates it, and the worst δ and ε."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np

from dpverify.mechanisms.exact.exact_numbers import ZERO, Exact
from dpverify.verifiers.privacy.compared import AnyCompared
from dpverify.verifiers.privacy.excesses import Excesses
from dpverify.verifiers.privacy.hockey_stick import HockeyStick
from dpverify.verifiers.privacy.law_table import Ids, LawTable, Missing
from dpverify.verifiers.privacy.parts import parts_of
from dpverify.verifiers.privacy.ratios import LargestRatio, exceeds

_NAMES_AT_MOST: Final = 1 << 20
"""Pairs of laws that are held until it is asked which pair of databases is the first that has one of them."""

Databases: TypeAlias = tuple[int, int]
"""The positions of two neighbours."""


class Scanned(NamedTuple):
    """What is found of all pairs at one ε and δ, and the first pairs in the domain's order of which that is so."""

    worst: Exact
    """The largest divergence."""
    attaining: Databases | None
    """Neighbours that attain it; None where it is 0."""
    violating: Databases | None
    """Neighbours whose divergence is above δ."""
    is_undecided: bool
    """Whether that is undecided for others."""
    ratio: tuple[Exact, Exact] | None
    """The largest ratio of probabilities of one outcome; None where it is infinite, and of laws with densities."""
    doubts: list[str]
    most_gaps: int
    is_partial: bool
    """As of `HockeyStick`."""


def scan(
    table: LawTable, compared: AnyCompared, epsilon: Exact, delta: Exact, missing: Missing | None = None
) -> Scanned:
    """The pairs of laws that are compared, at one ε and δ; `missing` is what the table leaves out of each."""
    excesses = Excesses(table, epsilon, _entries(table, compared), seeks_ratio=missing is None)
    worst: Exact = ZERO
    least = 0.0
    attaining, violating = _First(compared), _First(compared)
    is_undecided, is_partial, most_gaps = False, False, 0
    for names, left, right in compared.blocks():
        stick = HockeyStick(table, left, right, epsilon, missing, excesses)
        over, undecided = stick.violating(delta)
        violating.add(names[over])
        is_undecided = is_undecided or bool(undecided.any())
        is_partial, most_gaps = is_partial or stick.is_partial, max(most_gaps, stick.most_gaps)
        largest, attained = stick.worst(least)
        least = max(least, float(stick.sums.max(initial=0.0)))
        if exceeds(largest, worst):
            worst = largest
            attaining.clear()
        if worst is not ZERO and not exceeds(worst, largest):
            attaining.add(names[attained])
    return Scanned(
        worst,
        attaining.pair,
        violating.pair,
        is_undecided,
        excesses.largest_ratio() if missing is None else None,
        excesses.doubts,
        most_gaps,
        is_partial,
    )


class _First:
    """The first pair of databases in the domain that has one of the pairs of laws that are added."""

    def __init__(self, compared: AnyCompared) -> None:
        self._compared = compared
        self.clear()

    def clear(self) -> None:
        """Forget what was added."""
        self._names: list[Ids] = []
        self._count = 0
        self._found: Databases | None = None

    def add(self, names: Ids) -> None:
        """Some pairs of laws more, beyond those before."""
        if len(names):
            self._names.append(names)
            self._count += len(names)
            if self._count > _NAMES_AT_MOST:
                self._look()

    @property
    def pair(self) -> Databases | None:
        """That pair; None where none was added."""
        self._look()
        return self._found

    def _look(self) -> None:
        if self._names:
            found = self._compared.first(np.concatenate(self._names))
            self._found = found if self._found is None else min(self._found, found, key=_order)
        self._names, self._count = [], 0


def _order(pair: Databases) -> tuple[int, int, int]:
    """A pair comes where its later database comes, then where its earlier one does."""
    return max(pair), min(pair), pair[0]


def is_settled(table: LawTable, compared: AnyCompared, epsilon: Exact) -> bool:
    """Whether the parts of tails stand for the tails: for the events that violate most, and for the largest ratio.

    Raises `Undecided` where a sign is.
    """
    excesses = Excesses(table, epsilon, _entries(table, compared))
    anywhere, in_parts = LargestRatio(table), LargestRatio(table)
    for _, left, right in compared.blocks():
        if not HockeyStick(table, left, right, epsilon, None, excesses).settles(table.blocks):
            return False
        for part in parts_of(table, left, right):
            anywhere.add_part(part)
            in_parts.add_part(part, table.blocks)
    ratio, attained = anywhere.found, in_parts.found
    if ratio is None or attained is None:
        return ratio is attained
    return ratio == attained or bool(attained[0] * ratio[1] == ratio[0] * attained[1])


def _entries(table: LawTable, compared: AnyCompared) -> int:
    """About how many numbers p and q are compared."""
    return compared.at_most * len(table.outcomes)

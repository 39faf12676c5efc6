"""Findings on pairs of distributions at one ε and δ, block by block: worst δ, who violates the claim, who first."""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.verifiers.divergence.finite.excesses import Excesses
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.finite.ratios import order
from dpverify.verifiers.divergence.output_tables.distribution_table import Missing
from dpverify.verifiers.problems.neighbours.compared import AnyCompared, PairBlock
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids, distinct
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee

NAMES_AT_MOST: Final = 1 << 20
"""Pairs of distributions that are held until it is asked which pair of databases is the first that has one of them."""

Databases: TypeAlias = tuple[int, int]
"""The positions of two neighbours."""


class First:
    """The first pair of databases in the domain that has one of the pairs of distributions that are added."""

    def __init__(self, compared: AnyCompared) -> None:
        self._compared = compared
        self.clear()

    def clear(self) -> None:
        """Forget what was added."""
        self._names: list[Ids] = []
        self._count = 0
        self.found: Databases | None = None
        """The first pair of databases of those that are no longer held."""

    def add(self, names: Ids) -> None:
        """Some pairs of distributions more."""
        if len(names):
            self._names.append(names)
            self._count += len(names)
            if self._count > NAMES_AT_MOST:
                self._look()

    def add_found(self, found: Databases | None) -> None:
        """The first pair of databases of some pairs of distributions more."""
        if found is not None:
            self.found = found if self.found is None else min(self.found, found, key=_order)

    @property
    def held(self) -> Ids:
        """Those that are held, in rising order."""
        return distinct(np.concatenate([np.zeros(0, dtype=np.int64), *self._names]))

    @property
    def pair(self) -> Databases | None:
        """The first pair of databases of all that were added; None where none was."""
        self._look()
        return self.found

    def _look(self) -> None:
        if self._names:
            self.add_found(self._compared.first(self.held))
        self._names, self._count = [], 0


def _order(pair: Databases) -> tuple[int, int, int]:
    """A pair comes where its later database comes, then where its earlier one does."""
    return max(pair), min(pair), pair[0]


class Looked(NamedTuple):
    """The finding on some pairs of distributions."""

    worst: Exact
    """The largest divergence, in the form that the first of those that attain it has it in."""
    first_worst: int | None
    """Key by which that one is known; None where it is 0."""
    attaining: First
    violating: First
    is_undecided: bool
    most_gaps: int
    is_partial: bool
    least: float
    """The largest sum of excesses of a pair, as floats have it."""
    is_worst_in_doubt: bool
    """True where the worst may be exceeded, by a divergence that nobody can tell from it."""


def looked_at(
    blocks: Iterable[PairBlock],
    compared: AnyCompared,
    excesses: Excesses,
    claim: PrivacyGuarantee,
    missing: Missing | None = None,
    least: float = 0.0,
) -> Looked:
    """Of pairs of distributions in rising order; where none has as much as `least`, it need not be the worst."""
    worst: Exact = ZERO
    first_worst: int | None = None
    attaining, violating = First(compared), First(compared)
    is_undecided, is_partial, is_worst_in_doubt, most_gaps = False, False, False, 0
    for names, left, right in blocks:
        stick = HockeyStick(excesses.table, left, right, claim.epsilon, missing, excesses)
        over, undecided = stick.violating(claim.delta)
        violating.add(names[over])
        is_undecided = is_undecided or bool(undecided.any())
        is_partial, most_gaps = is_partial or stick.is_partial, max(most_gaps, stick.most_gaps)
        largest, attained = stick.worst(least)
        least = max(least, float(stick.sums.max(initial=0.0)))
        way = order(largest, worst)
        if way == 1:
            worst, first_worst, is_worst_in_doubt = largest, int(names[attained][0]), False
            attaining.clear()
        if worst is not ZERO and way != -1:
            attaining.add(names[attained])
            is_worst_in_doubt = is_worst_in_doubt or stick.is_worst_in_doubt or way is None
    return Looked(
        worst, first_worst, attaining, violating, is_undecided, most_gaps, is_partial, least, is_worst_in_doubt
    )

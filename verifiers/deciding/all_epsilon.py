"""Deciding a privacy claim for all ε at once: the cells of ε on which a mechanism's questions have one answer each.

Where the mechanism's answers depend on ε, as a threshold (1/ε)·ln(1/δ) makes them do, ε > 0 is cut into intervals on
which they do not, and the ends of these are decided one by one. On an interval probabilities are polynomials in ε and
z = e^(-ε/L): see `on_cell.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Final, TypeAlias

from dpverify.mechanisms.drawing.enumerator import Enumeration, WholeRuns
from dpverify.mechanisms.functions.mechanism import exact_parameters, name_of
from dpverify.mechanisms.noise.law import ALL_NOISE
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon, EpsilonSymbol
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of, simplest_epsilon
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.outputs.released_reals import ties_are_known
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.verifiers.deciding.on_cell import on_cell
from dpverify.verifiers.deciding.one_epsilon import fails
from dpverify.verifiers.divergence.densities.every_epsilon import pure_on_interval
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import EpsilonInterval, at_point, union_of_intervals
from dpverify.verifiers.divergence.output_tables.tabulation import (
    AtOneEpsilon,
    Finder,
    Tabulation,
    same_distribution,
    tabulate,
)
from dpverify.verifiers.problems.preparation.answers import AnyDistribution
from dpverify.verifiers.problems.preparation.experiment import Experiment, PairCount
from dpverify.verifiers.problems.preparation.repetition import Repeated
from dpverify.verifiers.problems.questions.row_orders import OrdersRun
from dpverify.verifiers.verdicts.compared_distributions import densities, distributions_to_compare

_MOST_CELLS: Final = 64
"""Intervals of ε on which a mechanism may answer differently; one with more is taken to have infinitely many."""


@dataclass(frozen=True)
class EpsilonFinding:
    """The finding for all ε: where the claim fails, and on how many intervals and single ε it was decided."""

    fails_at: tuple[EpsilonInterval, ...]
    count: PairCount
    orders: OrdersRun
    repeated: Repeated
    tight: bool
    """True where some pair meets the claim with equality, for all ε of an interval."""
    agree: bool
    """True where all neighbours have one output distribution, at every ε."""
    has_scaled: bool
    """As a tabulation has it."""
    remark: str
    """The same."""
    whole_runs: tuple[WholeRuns, ...]
    """The same."""
    parts: int
    """Number of independent parts of an outcome that were kept apart, at most."""
    hold_types: bool
    """True where there are lists, dicts or dataclasses in outcomes."""


def decide_for_all(experiment: Experiment, symbol: EpsilonSymbol) -> EpsilonFinding:
    """The ε in the symbol's interval at which the claim fails. Raises `InputError` and `Undecided`."""
    question = experiment.question
    cells = _Cells(experiment, symbol)
    with experiment.repeating(question, experiment.run_on) as repetition:
        tabulation = tabulate(experiment, cells, repetition)
    epsilon_intervals: list[EpsilonInterval] = []
    distinct, parts = 0, 0
    tight, agree, hold_types = False, True, False
    for cell, piecewise in cells.common(tabulation.laws):
        try:
            laws = distributions_to_compare(experiment, Tabulation(piecewise, tabulation.orders), beyond=None)
        except DependsOnEpsilon as dependence:
            raise InputError(
                bad_input.SYMBOLIC,
                f"{name_of(question.mechanism)} releases noise whose scales are equal for some ε: {dependence}",
            ) from None
        inner = replace(experiment, question=question.at(cells.putting(cell)))
        inner_claim = inner.question.claim
        distinct, parts = max(distinct, laws.distinct_pairs), max(parts, laws.parts)
        agree, hold_types = agree and laws.agree, hold_types or laws.hold_types
        if isinstance(cell, Exact):
            if fails(inner, laws):
                epsilon_intervals.append(at_point(cell))
        elif laws.densities is not None:
            if decision.sign(inner_claim.delta) != 0:
                raise InputError(bad_input.SYMBOLIC, "δ is greater than 0, and continuous numbers are released")
            pure = pure_on_interval(cell, piecewise, inner_claim.epsilon, partial(densities, experiment))
            epsilon_intervals += pure.fails_at
            tight = tight or pure.tight
        else:
            fails_on_cell, is_tight = on_cell(cell, laws, inner_claim)
            epsilon_intervals += fails_on_cell
            tight = tight or is_tight
    count = experiment.counted(distinct)
    return EpsilonFinding(
        union_of_intervals(epsilon_intervals),
        count,
        tabulation.orders,
        tabulation.repeated,
        tight,
        agree,
        tabulation.has_scaled,
        tabulation.remark,
        tabulation.whole_runs,
        parts,
        hold_types,
    )


_Cell: TypeAlias = EpsilonSymbol | Exact
"""An open interval of ε, or a single ε."""

_Piecewise: TypeAlias = Sequence[tuple[_Cell, AnyDistribution]]
"""The distribution of one database on each of the cells, in rising order, that its questions make."""


class _Cells(Finder[_Piecewise]):
    """The cells into which the questions of a mechanism cut the interval of a symbol."""

    def __init__(self, experiment: Experiment, symbol: EpsilonSymbol) -> None:
        self._question = experiment.question
        self._name = name_of(experiment.question.mechanism)
        self._has_all_noise = experiment.share == ALL_NOISE
        self._symbol = symbol
        self._made: dict[tuple[int | None, int | None], EpsilonSymbol] = {}
        self._ends: list[Exact] = []
        self._samples: dict[EpsilonSymbol, Exact] = {}
        self._substitutions: dict[tuple[EpsilonSymbol, _Cell], DistributionSubstitution] = {}
        self._at_numbers = experiment.question.enumeration()

    def law(self, database: Hashable, enumeration: Enumeration) -> _Piecewise:
        """The distribution of the mechanism on a database, for every ε."""
        return self._law_on(self._interval(self._symbol.low, self._symbol.high), database, enumeration)

    def _law_on(self, cell: EpsilonSymbol, database: Hashable, enumeration: Enumeration) -> _Piecewise:
        cell.refused = None
        try:
            law = self._law(cell, database, enumeration)
            if self._has_all_noise:  # with other shares of it the mechanism, compared before, is the same
                self._compare_with_a_number(cell, database, law)
            return [(cell, law)]
        except DependsOnEpsilon as dependence:
            if dependence.symbol is not cell:
                raise InputError(
                    bad_mechanism.OTHERWISE,
                    self._name,
                    "used a symbolic ε that it does not have as a parameter",
                    "hand it what depends on ε as a parameter, on its own or in tuples, lists and dicts",
                ) from None
            changes = list(map(self._end, dependence.at))
            if len(self._ends) > _MOST_CELLS:
                raise InputError(
                    bad_input.SYMBOLIC,
                    f"{self._name} on {shown(database)}: {dependence}; there are more than {_MOST_CELLS} such ε",
                ) from None
        pieces: list[tuple[_Cell, AnyDistribution]] = []
        for low, high in pairwise([cell.low, *changes, cell.high]):
            pieces += self._law_on(self._interval(low, high), database, enumeration)
            if high is not None and high is not cell.high:
                pieces.append((high, self._law(high, database, enumeration)))
        return pieces

    def _compare_with_a_number(self, cell: EpsilonSymbol, database: Hashable, law: AnyDistribution) -> None:
        """Raises `MechanismError` where the mechanism does otherwise when it is given an ε of the cell as a number.

        The distribution at the number adds up to 1, or would not have been found; so does this one, therefore.
        """
        there = self._at_a_number(cell, law).law
        epsilon = self._samples[cell]
        if not same_distribution(there, self._law(epsilon, database, self._at_numbers)):
            if isinstance(law, ReleasedDistribution) and not all(map(ties_are_known, law.released)):
                raise InputError(
                    bad_input.SYMBOLIC,
                    f"{self._name} on {shown(database)} releases numbers that share noise, whose ratio changes with ε",
                )
            raise MechanismError(
                bad_mechanism.OTHERWISE,
                self._name,
                f"does otherwise for ε = {epsilon} than for a symbolic ε, on {shown(database)}",
                "let it add, multiply and compare its ε, and not ask for its type or catch errors",
            )

    def _at_a_number(self, cell: EpsilonSymbol, law: AnyDistribution) -> AtOneEpsilon:
        """A distribution on a cell at some ε of it."""
        if cell not in self._samples:
            self._samples[cell] = simplest_epsilon(cell)
        epsilon = self._samples[cell]
        return AtOneEpsilon(epsilon, self._putting(cell, epsilon)(law))

    def at_one_epsilon(self, piecewise: _Piecewise) -> AtOneEpsilon:
        """A distribution at some ε of its first cell."""
        cell, law = piecewise[0]
        assert isinstance(cell, EpsilonSymbol), "an interval comes first"
        return self._at_a_number(cell, law)

    def same(self, left: _Piecewise, right: _Piecewise) -> bool:
        if [cell for cell, _ in left] != [cell for cell, _ in right]:
            return False
        try:
            return all(same_distribution(mine, other) for (_, mine), (_, other) in zip(left, right, strict=True))
        except DependsOnEpsilon:  # equal for some ε alone
            return False

    def _law(self, cell: _Cell, database: Hashable, enumeration: Enumeration) -> AnyDistribution:
        parameters = exact_parameters(self.putting(cell)(self._question.arguments))
        law = enumeration.law(self._question.mechanism, (database,), parameters)
        if isinstance(cell, EpsilonSymbol) and cell.refused is not None:
            raise cell.refused  # the mechanism has caught it
        return law

    def putting(self, cell: _Cell) -> DistributionSubstitution:
        """The substitution that puts a cell in the place of the symbol."""
        return self._putting(self._symbol, cell)

    def _putting(self, symbol: EpsilonSymbol, cell: _Cell) -> DistributionSubstitution:
        if (symbol, cell) not in self._substitutions:
            number = cell if isinstance(cell, Exact) else number_of(cell)
            self._substitutions[symbol, cell] = DistributionSubstitution(symbol, number)
        return self._substitutions[symbol, cell]

    def _end(self, value: Exact) -> Exact:
        """The end that equals the value: one number for each."""
        for end in self._ends:
            if end == value:
                return end
        self._ends.append(value)
        return value

    def _interval(self, low: Exact | None, high: Exact | None) -> EpsilonSymbol:
        key = (None if low is None else id(low), None if high is None else id(high))  # which the symbol keeps alive
        if key not in self._made:
            self._made[key] = EpsilonSymbol(low, high, handed_out=True)
        return self._made[key]

    def common(self, laws: Sequence[_Piecewise]) -> Iterator[tuple[_Cell, list[AnyDistribution]]]:
        """The cells that no question of any database cuts, in rising order, each with the distributions on it."""
        ends = sorted(self._ends)
        around = [self._symbol.low, *ends, self._symbol.high]
        remaining = [list(reversed(pieces)) for pieces in laws]
        for low, high in pairwise(around):
            cell = self._interval(low, high)
            yield cell, [self._moved(*pieces[-1], cell) for pieces in remaining]
            if high is not None and high is not self._symbol.high:
                for pieces in remaining:
                    if _high_end(pieces[-1][0]) is high:
                        pieces.pop()
                yield high, [self._moved(*pieces[-1], high) for pieces in remaining]
                for pieces in remaining:
                    if pieces[-1][0] is high:
                        pieces.pop()

    def _moved(self, own: _Cell, law: AnyDistribution, cell: _Cell) -> AnyDistribution:
        """A distribution on a cell, as it is on a narrower one."""
        if own is cell:
            return law
        assert isinstance(own, EpsilonSymbol), "a single ε has no narrower cell"
        narrowed: AnyDistribution = self._putting(own, cell)(law)
        return narrowed


def _high_end(cell: _Cell) -> Exact | None:
    return cell.high if isinstance(cell, EpsilonSymbol) else None

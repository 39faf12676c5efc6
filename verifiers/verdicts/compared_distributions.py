"""The distributions of an experiment, in a table, and which of them are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.numbers.containers import holds_types
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.verifiers.divergence.output_tables.by_pattern import distributions_by_pattern
from dpverify.verifiers.divergence.output_tables.cuts import TwoKinds, with_returns
from dpverify.verifiers.divergence.output_tables.distribution_arrays import (
    as_distribution_array,
    held_distributions,
)
from dpverify.verifiers.divergence.output_tables.distribution_table import (
    DistributionArray,
    DistributionTable,
    Missing,
    SharedDistributions,
    is_zero,
)
from dpverify.verifiers.divergence.output_tables.lumping import lumped
from dpverify.verifiers.divergence.output_tables.tabulation import (
    AtOneEpsilon,
    Finder,
    LawsHere,
    ResultOfAll,
    Tabulation,
    same_distribution,
    tabulate,
)
from dpverify.verifiers.divergence.parallel.sharing import shared_out
from dpverify.verifiers.problems.neighbours.compared import AnyCompared, Compared, ComparedAtEpsilon
from dpverify.verifiers.problems.preparation.answers import AnyDistribution
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import Restart

if TYPE_CHECKING:
    from dpverify.verifiers.divergence.densities.comparison import Densities


def all_agree(table: DistributionTable, compared: AnyCompared) -> bool:
    """True if all neighbours have one distribution, in whatever terms: 1 and the sum of all paths, as for no outcome.

    Of most mechanisms the first probability of the first pair tells them apart.
    """
    return all(
        _agree(table, i, j)
        for _, left, right in compared.blocks()
        for i, j in zip(left.tolist(), right.tolist(), strict=True)
    )


def _agree(table: DistributionTable, left: int, right: int) -> bool:
    mine, others = dict(table.rows[left]), dict(table.rows[right])
    try:
        return all(
            is_zero(table.numbers[mine.get(column, 0)] - table.numbers[others.get(column, 0)])
            for column in {**mine, **others}
        )
    except Undecided:  # not known to be one
        return False


class Laws(NamedTuple):
    """The distributions of an experiment: how they came about, their table, and the pairs of different ones.

    Where real numbers are released there are `densities`, and table and pairs are those of one ε: see `at`.
    """

    tabulation: Tabulation[AnyDistribution]
    table: DistributionTable
    compared: AnyCompared
    densities: Densities | None = None

    @property
    def distinct_pairs(self) -> int:
        """The number of pairs of different distributions; those that compare alike are one."""
        return self.compared.count if self.densities is None else len(self.densities.pairs)

    @property
    def parts(self) -> int:
        """The largest number of independent parts of an outcome that are kept apart; 0 where all are in full."""
        return 0 if self.densities is None else self.densities.parts

    @property
    def hold_types(self) -> bool:
        """True where there are lists, dicts, dataclasses or named tuples in outcomes."""
        return any(map(holds_types, self.table.outcomes if self.densities is None else self.densities.outcomes))

    @property
    def agree(self) -> bool:
        """True where all neighbours have one distribution, in whatever terms."""
        return all_agree(self.table, self.compared) if self.densities is None else self.densities.agree

    def at(self, epsilon: Exact) -> tuple[Laws, Missing | None]:
        """The distributions as a table at one ε, and what that leaves out of each pair; None for nothing."""
        if self.densities is None:
            return self, None
        result = self.densities.at(epsilon)
        assert isinstance(self.compared, ComparedAtEpsilon), "densities are compared at one ε"
        compared = replace(self.compared, left=result.left, right=result.right)
        return self._replace(table=result.table, compared=compared), result.missing


class _Plain(Finder[AnyDistribution]):
    """Distributions of a mechanism whose parameters are known, found by several processes where that takes long."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment

    def law(self, database: Hashable, enumeration: Enumeration) -> AnyDistribution:
        question, representatives = self._experiment.question, self._experiment.representatives
        if representatives is not None:
            law = representatives.law(database, question.arguments, enumeration)
            if law is not None:
                return law
        return enumeration.law(question.mechanism, (database,), question.arguments)

    def at_one_epsilon(self, law: AnyDistribution) -> AtOneEpsilon:
        return AtOneEpsilon(None, law)

    def same(self, left: AnyDistribution, right: AnyDistribution) -> bool:
        return same_distribution(left, right)

    def held_distributions(self, laws: Iterable[AnyDistribution]) -> Sequence[AnyDistribution]:
        return held_distributions(laws)

    def by_pattern(self, enumeration: Enumeration, restart: Restart) -> ResultOfAll[AnyDistribution] | None:
        return distributions_by_pattern(self._experiment, enumeration, restart)

    def on_all(
        self, small: Sequence[int], enumeration: Enumeration, here: LawsHere[AnyDistribution]
    ) -> ResultOfAll[AnyDistribution] | None:
        """See `Finder`; of the few databases that stand for orbits, this process finds all."""
        if self._experiment.orbits is not None:
            return None
        return shared_out(self._experiment, small, enumeration, here)


def tabulated(experiment: Experiment) -> Laws:
    """The distributions on all databases, and which of them are compared. Raises as `check_privacy` does."""
    with experiment.repeating(experiment.question, experiment.run_on) as repetition:
        return distributions_to_compare(experiment, tabulate(experiment, _Plain(experiment), repetition))


def densities(experiment: Experiment, laws: Sequence[AnyDistribution]) -> Densities:
    """The pairs of distributions, some with real numbers, that are compared."""
    from dpverify.verifiers.divergence.densities.comparison import Densities

    return Densities(_lumped(experiment, _on_all(experiment, laws), None), experiment.pairs)


def _lumped(experiment: Experiment, laws: Sequence[AnyDistribution], beyond: int | None) -> Sequence[AnyDistribution]:
    if isinstance(laws, SharedDistributions):
        return SharedDistributions(_lumped(experiment, laws.shared, beyond), laws.places)
    try:
        return lumped(laws, experiment.question.limits, beyond)
    except TwoKinds as error:
        raise with_returns(experiment.question.mechanism, error) from None


def distributions_to_compare(
    experiment: Experiment, tabulation: Tabulation[AnyDistribution], beyond: int | None = 1
) -> Laws:
    """The distributions of a tabulation, and which of them are compared; `beyond` as for `lumped`."""
    laws, pairs = as_distribution_array(held_distributions(_on_all(experiment, tabulation.laws))), experiment.pairs
    if not isinstance(laws, DistributionArray):
        laws = _lumped(experiment, laws, beyond)
    shared = laws.shared if isinstance(laws, SharedDistributions) else laws
    if not isinstance(laws, DistributionArray) and any(isinstance(law, ReleasedDistribution) for law in shared):
        from dpverify.verifiers.divergence.densities.comparison import Densities

        densities = Densities(laws, pairs)
        none = np.zeros(0, dtype=np.int64)
        return Laws(
            tabulation, DistributionTable([]), ComparedAtEpsilon(none, none, densities.of_pair, pairs), densities
        )
    table = DistributionTable(laws)
    return Laws(tabulation, table, Compared(table.law_of, len(table.rows), pairs))


def _on_all(experiment: Experiment, laws: Sequence[AnyDistribution]) -> Sequence[AnyDistribution]:
    """The distributions on all databases from those on which the mechanism was run."""
    return laws if experiment.representatives is None else experiment.representatives.on_all(laws)

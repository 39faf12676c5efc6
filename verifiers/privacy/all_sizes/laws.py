"""The law of a mechanism on a chart: its probabilities as functions of unknown whole numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from itertools import cycle, islice
from typing import Any, Final

from dpverify.mechanisms.exact.errors import Cut, InputError, MechanismError, Undecided
from dpverify.mechanisms.exact.exact_numbers import Exact
from dpverify.mechanisms.exact.orthants import Chart
from dpverify.mechanisms.exact.symbolic_epsilon import sample, symbol_in
from dpverify.mechanisms.exact.symbols import notes
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.failures import explained
from dpverify.mechanisms.laws.limits import Limits
from dpverify.mechanisms.laws.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.laws.released import ReleasedDistribution
from dpverify.mechanisms.laws.released_reals import ties_are_known
from dpverify.mechanisms.laws.substitution import Substitution
from dpverify.mechanisms.laws.watching import on_unknown_numbers
from dpverify.verifiers.privacy.all_sizes.domains import Endless, Histograms
from dpverify.verifiers.privacy.all_sizes.released import Law
from dpverify.verifiers.privacy.all_sizes.rows import counted_rows
from dpverify.verifiers.privacy.tabulation import same_law
from dpverify.verifiers.processes.stopwatch import stopwatch


class LawsOnCharts:
    """The laws of a mechanism on charts, each found once; and the cuts that it asked for in place of one."""

    def __init__(
        self,
        mechanism: Mechanism,
        parameters: Mapping[str, Any],
        domain: Endless,
        limits: Limits,
    ) -> None:
        self._mechanism = mechanism
        self._domain = domain
        self._parameters = parameters
        self._limits = limits
        self._symbol = symbol_in(dict(parameters))
        self._enumeration = Enumeration(limits)
        self._on_whole_numbers = Enumeration(limits)  # whose parts are run there, too, for whoever watches
        self._known: dict[Chart, Distribution[Any] | Cut] = {}

    def __call__(self, chart: Chart) -> Law:
        """The law on a chart. Raises `Cut` where there is no one law on it, else as `distribution` does."""
        law = self.distribution(chart)
        if not isinstance(law, ReleasedDistribution):
            return Law(law.probabilities, {})
        if law.has_parts:
            raise Undecided("independent parts (draw.each) are not decided for databases of every size so far")
        return Law(law.finite, law.released)

    def distribution(self, chart: Chart) -> Distribution[Any]:
        """The law on a chart as `distribution` gives it; raises as above."""
        if chart not in self._known:
            self._known[chart] = self._found(chart)
        known = self._known[chart]
        if isinstance(known, Cut):
            raise known.with_traceback(None)
        return known

    @property
    def count(self) -> int:
        """On how many charts there was one law."""
        return sum(not isinstance(known, Cut) for known in self._known.values())

    def _found(self, chart: Chart) -> Distribution[Any] | Cut:
        notes.refused = None
        if self._symbol is not None:
            self._symbol.refused = None
        try:
            law = self._law(chart.numbers())
            refused = notes.refused or (None if self._symbol is None else self._symbol.refused)
            if refused is not None:
                raise refused  # the mechanism has caught it
        except Cut as cut:
            return cut
        except InputError as error:
            if isinstance(error, MechanismError):
                raise
            raise explained(self._mechanism, (), error) from error
        _refuse_unknown_ties(law)
        self._compare_with_whole_numbers(chart, law)
        return law

    def _law(self, numbers: Sequence[int | Exact], epsilon: Exact | None = None) -> Distribution[Any]:
        """The law on numbers, at an ε if one is given."""
        parameters = self._domain.parameters(self._parameters, numbers)
        if epsilon is not None:
            assert self._symbol is not None, "there is a symbolic ε in its place"
            parameters = exact_parameters(Substitution(self._symbol, epsilon)(dict(parameters)))
        counting = counted_rows() if isinstance(self._domain, Histograms) else nullcontext()
        known = all(type(number) is int for number in numbers)
        enumeration, watched = (
            (self._on_whole_numbers, nullcontext()) if known else (self._enumeration, on_unknown_numbers())
        )
        with counting, watched, stopwatch(self._mechanism, self._limits.seconds) as restart:
            restart(self._domain)
            return enumeration.law(self._mechanism, (self._domain.database(numbers),), parameters)

    def _compare_with_whole_numbers(self, chart: Chart, law: Distribution[Any]) -> None:
        """Raises `MechanismError` where the mechanism does otherwise when it is given whole numbers of the chart."""
        if self._symbol is not None:
            epsilon, origin = sample(self._symbol), (0,) * chart.dimension
            there = Substitution(self._symbol, epsilon)(Substitution.at_point(origin)(law))
            if not same_law(self._law(chart.at(origin), epsilon), there):
                raise MechanismError(
                    f"{name_of(self._mechanism)} does otherwise for ε = {epsilon} than for a symbolic ε: let it add, "
                    "multiply and compare its ε, and not ask for its type or catch errors"
                )
        if not chart.dimension:
            return
        for point in ((0,) * chart.dimension, tuple(islice(cycle(_SAMPLE), chart.dimension))):
            numbers = chart.at(point)
            if not same_law(self._law(numbers), Substitution.at_point(point)(law)):
                raise MechanismError(
                    f"{name_of(self._mechanism)} does otherwise on {self._domain.database(numbers)!r} than on unknown "
                    "whole numbers: let it add, subtract, compare and scale scores, and not ask for their type or "
                    "catch errors"
                )
        database = self._domain.whole(chart.at(point))
        if isinstance(self._domain, Histograms) and isinstance(database, tuple):
            parameters = self._domain.parameters(self._parameters, chart.at(point))
            with stopwatch(self._mechanism, self._limits.seconds):
                turned = self._on_whole_numbers.law(self._mechanism, (database[::-1],), parameters)
            if not same_law(turned, Substitution.at_point(point)(law)):
                raise MechanismError(
                    f"{name_of(self._mechanism)} depends on the order of the rows: {database!r} and its reverse have "
                    "different laws"
                )


def _refuse_unknown_ties(law: Distribution[Any]) -> None:
    """Raises `Undecided` where released numbers share noise, at a ratio or distance that is a function."""
    if isinstance(law, ReleasedDistribution) and not all(map(ties_are_known, law.released)):
        raise Undecided(
            "released numbers share noise, and their ratio or difference changes with scores or with ε: that is not "
            "decided for databases of every size; draw noise for each, or claim it on a finite domain"
        )


_SAMPLE: Final = (3, 2, 5, 2, 4, 3, 7)
"""Where laws on charts are compared with those on whole numbers, beside where all coordinates are 0.

None is 0 or 1: what goes wrong with rows that occur several times is to be seen in each of them.
"""

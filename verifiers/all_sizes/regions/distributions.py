"""The law of a mechanism on a chart: its probabilities as functions of unknown whole numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import cycle, islice, permutations
from math import factorial
from time import process_time
from typing import Any, Final

from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.drawing.failures import explained_error
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.functions.watching import on_unknown_numbers
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import Cut, InputError, MechanismError, Undecided, not_known
from dpverify.mechanisms.numbers.integers.unknown_outcomes import has_unknown
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbol_in
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.outputs.released_reals import ties_are_known
from dpverify.mechanisms.outputs.templates import refuse_lookalikes
from dpverify.verifiers.all_sizes.regions.domains import Endless, Histograms, numbers_on
from dpverify.verifiers.all_sizes.regions.pairs import fails_on_two
from dpverify.verifiers.all_sizes.regions.real_rows import Order, real_rows
from dpverify.verifiers.all_sizes.regions.released import DistributionOnRegion
from dpverify.verifiers.all_sizes.regions.spot_check import RealDatabases
from dpverify.verifiers.divergence.output_tables.tabulation import remark_on, same_distribution
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.problems.questions.row_orders import number_of_orders, other_orders
from dpverify.verifiers.problems.questions.unknown_counters import key_order
from dpverify.verifiers.problems.questions.unknown_rows import counted_rows
from dpverify.verifiers.processes.stopwatch import refuse_overtime, stopwatch, time_of_all, watched_signs

_TIMES_ONE_LAW: Final = 10
"""So many times the limit of one law may all take together that is done for a claim."""


@dataclass
class TimeOfDistributions:
    """The seconds of this process that a claim has taken: its laws, their signs, and what it is tried on."""

    seconds: float = 0.0

    @contextmanager
    def counted(self, question: Question, domain: Endless) -> Iterator[None]:
        """While it lasts, all counts, and ends as what is not known (see `time_of_all`) after ten times the limit."""
        before, began = self.seconds, process_time()
        asked = f"whether {name_of(question.mechanism)} is private on {shown(domain)}"
        try:
            with time_of_all(_TIMES_ONE_LAW * question.limits.seconds, before, asked, domain.way_out):
                yield
        finally:
            self.seconds = before + process_time() - began

    def take_note(self, law: Distribution[Any]) -> None:
        """Look at a law, which is one on a chart: of use to who asks for more than time."""


class DistributionsOnRegions:
    """The laws of a mechanism on charts, each found once; and the cuts that it asked for in place of one."""

    def __init__(
        self,
        question: Question,
        domain: Endless,
        time_of_laws: TimeOfDistributions | None = None,
        *,
        is_open: bool = False,
    ) -> None:
        self._time = TimeOfDistributions() if time_of_laws is None else time_of_laws
        self.question = question
        """The question of the mechanism."""
        self.domain = domain
        """All databases."""
        self._symbol = symbol_in(dict(question.arguments))
        self._enumeration = question.enumeration()
        self._enumeration.is_open = is_open  # where laws of charts are compared with each other alone
        self._known: dict[AffineRegion, Distribution[Any] | Cut] = {}
        self._outcomes: dict[Hashable, Hashable] = {}
        self.real = RealDatabases(question, domain)
        """Databases on which laws were compared with those on the rows themselves."""

    def __call__(self, chart: AffineRegion) -> DistributionOnRegion:
        """The law on a chart. Raises `Cut` where there is no one law on it, else as `distribution` does."""
        law = self.distribution(chart)
        if not isinstance(law, ReleasedDistribution):
            return DistributionOnRegion(law.probabilities, {})
        if law.has_parts:
            raise Undecided(
                not_known.NOT_FOR_ANY_SIZE, "the mechanism draws independent parts (draw.each)", "draw them one by one"
            )
        return DistributionOnRegion(law.finite, law.released)

    def distribution(self, chart: AffineRegion) -> Distribution[Any]:
        """The law on a chart as `distribution` gives it; raises as above."""
        if chart not in self._known:
            refuse_overtime()
            # chance from elsewhere is looked out for once, on the chart and on its databases
            with (
                self._enumeration.looking_out(self.question.mechanism, self.question.arguments),
                self.real.looking_out(),
            ):
                found = self._found(chart)
            if not isinstance(found, Cut):
                known_outcomes = (outcome for outcome in _outcomes_of(found) if not has_unknown(outcome))
                refuse_lookalikes(known_outcomes, self._outcomes)
            self._known[chart] = found
        known = self._known[chart]
        if isinstance(known, Cut):
            raise known.with_traceback(None)
        self._time.take_note(known)
        return known

    @property
    def remark(self) -> str:
        """The end of a reason where noise of scale 0 was drawn, see `remark_on`."""
        return remark_on(self._enumeration)

    @property
    def charts(self) -> Iterator[AffineRegion]:
        """Those on which there was one law."""
        return (chart for chart, known in self._known.items() if not isinstance(known, Cut))

    @property
    def count(self) -> int:
        """Number of charts with one law."""
        return sum(1 for _ in self.charts)

    def _found(self, chart: AffineRegion) -> Distribution[Any] | Cut:
        notes.refused = None
        if self._symbol is not None:
            self._symbol.refused = None
        try:
            law = self._law_in_every_order(chart)
            refused = notes.refused or (None if self._symbol is None else self._symbol.refused)
            if refused is not None:
                raise refused  # the mechanism has caught it
        except Cut as cut:
            return cut
        except InputError as error:
            if isinstance(error, MechanismError):
                raise
            raise explained_error(self.question.mechanism, (), error) from error
        _refuse_unknown_ties(law)
        further = [tuple(islice(cycle(_FURTHER), chart.dimension))] * size_of_sample("databases of each region")
        for point in dict.fromkeys(((0,) * chart.dimension, *further)):
            self.real.compare(chart, point, law)
        return law

    def _law_in_every_order(self, chart: AffineRegion) -> Distribution[Any]:
        """The law on a chart, whatever the order is in which rows first occur. Raises `Undecided` where it matters."""
        domain, numbers = self.domain, numbers_on(chart)
        if not isinstance(domain, Histograms):
            return self._law(chart, self._enumeration)
        universe = range(len(domain.universe))
        key_order.begin()
        try:
            law = self._law(chart, self._enumeration, domain.counted(numbers, universe))
            if notes.refused is not None and not chart.dimension:
                raise notes.refused
        except (Undecided, InputError):
            if chart.dimension:
                raise
            return self._law_of_all_rows(chart, domain)
        if key_order.is_asked:
            present = [i for i in universe if domain.universe[i] in key_order.rows]
            if factorial(len(present)) > _MOST_ORDERS:
                raise Undecided(
                    reasons.ROW_BY_ROW.text(
                        use=f"counted, and a Counter of {len(present)} different rows was {_GONE_THROUGH}"
                    )
                )
            rest = [i for i in universe if i not in present]
            for order in islice(permutations(present), 1, None):
                other = self._law(chart, self._enumeration, domain.counted(numbers, (*order, *rest)))
                if not same_distribution(law, other):
                    if not chart.dimension:
                        counted = [(domain.universe[i], chart.base[i]) for i in order]
                        self.real.refuse_order(chart.base, tuple(row for row, often in counted for _ in range(often)))
                    raise Undecided(
                        reasons.ROW_BY_ROW.text(
                            use=f"counted, and the outcome differs where the Counter is {_GONE_THROUGH}"
                        )
                    )
        return law

    def _law_of_all_rows(self, chart: AffineRegion, domain: Histograms) -> Distribution[Any]:
        """The law on the rows of a chart without coordinates, of which it is asked for more than how often they are."""
        notes.refused = None
        law = self._law(chart, self._enumeration)
        places = [place for place, often in enumerate(chart.base) for _ in range(often)]
        if number_of_orders(places) > _MOST_ORDERS:
            raise Undecided(
                reasons.ROW_BY_ROW.text(
                    use=f"gone through row by row, and {len(places)} rows have more than {_MOST_ORDERS} orders"
                )
            )
        for rows in other_orders(real_rows(domain.universe, chart.base, Order.AS_THE_UNIVERSE)):
            if not same_distribution(law, self._law(chart, self._enumeration, rows)):
                self.real.refuse_order(chart.base, rows)
        return law

    def _law(self, chart: AffineRegion, enumeration: Enumeration, database: Any = None) -> Distribution[Any]:
        """The law on the numbers of a chart, most of them unknown."""
        numbers = numbers_on(chart)
        database = self.domain.database(numbers) if database is None else database
        parameters = self.domain.parameters(self.question.arguments, numbers)
        counting = counted_rows() if isinstance(self.domain, Histograms) else nullcontext()
        is_known = all(type(number) is int for number in numbers)
        noting = nullcontext() if is_known else on_unknown_numbers()
        mechanism = self.question.mechanism
        with counting, noting, stopwatch(mechanism, self.question.limits.seconds) as restart:
            restart(self.domain)
            return enumeration.law(mechanism, (database,), parameters)

    def fail(self, claim: PrivacyGuarantee, left: Sequence[int], right: Sequence[int]) -> bool:
        """True where the finite checker refutes a claim on the databases that whole numbers stand for.

        Raises `Undecided`, and `InputError` as `check_privacy` does.
        """
        databases = [self.domain.whole(left), self.domain.whole(right)]
        if databases[0] == databases[1]:
            return False
        parameters = self.domain.parameters(self.question.arguments, left)
        return fails_on_two(replace(self.question.of_two(databases, parameters), claimed=claim))

    def watched_signs(self) -> AbstractContextManager[None]:
        """While it lasts, signs of laws are asked for. Raises `Overtime` when the time of the claim is up."""
        return watched_signs(self.question.mechanism)


def _outcomes_of(law: Distribution[Any]) -> tuple[Hashable, ...]:
    """The outcomes without noise, and the templates of those with some."""
    return (*law.finite, *law.released) if isinstance(law, ReleasedDistribution) else tuple(law.probabilities)


def _refuse_unknown_ties(law: Distribution[Any]) -> None:
    """Raises `Undecided` where released numbers share noise, at a ratio or distance that is a function."""
    if isinstance(law, ReleasedDistribution) and not all(map(ties_are_known, law.released)):
        raise Undecided(
            not_known.NOT_FOR_ANY_SIZE,
            "released numbers share noise, and their ratio or difference changes with scores or ε",
            "draw noise for each",
        )


_MOST_ORDERS: Final = 120
"""Orders in which the law on a chart is found, where the order of rows may matter: five."""

_GONE_THROUGH: Final = (
    "gone through, in an order that rows of other databases need not have: look each row up, for x in (…), or sort "
    "what is gone through, as sorted(counts.items())"
)


_FURTHER: Final = (3, 2, 5, 2, 4, 3, 7)
"""Databases on which the law of each chart is compared, beside where all coordinates are 0.

None is 0 or 1: what goes wrong with rows that occur several times is to be seen in each of them.
"""

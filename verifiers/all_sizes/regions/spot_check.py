"""A mechanism on real databases: its law on the rows themselves, beside that which regions have for them.

What is proved for unknown whole numbers holds for databases since what a mechanism may do with these is a closed list.
As a test, and no part of the proof, the law on a plain tuple, by Python's own numbers and functions, is compared with
the law on the chart at that point.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from dpverify.mechanisms.functions.mechanism import exact_parameters, name_of
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, Overtime, Undecided, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbol_in
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.verifiers.all_sizes.regions.domains import Endless, Histograms
from dpverify.verifiers.all_sizes.regions.real_rows import ORDERS, Order, real_rows
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution
from dpverify.verifiers.problems.preparation.answers import AnyDistribution
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.processes.stopwatch import refuse_overtime, stopwatch

_Numbers: TypeAlias = tuple[int, ...]
"""Those that a database stands for: how often each row occurs, or scores."""


SOME_EPSILON: Final = (exact(1), log(2), exact("1/3"), exact("5/2"))
"""Values in the place of a symbolic ε: three rational numbers, and one whose e^ε is."""

SOME_DELTA: Final = tuple(exact(text) for text in ("1/10", "1/2", "9/10", "1/1000"))
"""Value in the place of the symbolic δ."""

SOME_NUMBERS: Final = tuple((epsilon, delta) for delta in SOME_DELTA for epsilon in SOME_EPSILON)
"""Both of them."""

_LONGEST: Final = 80
"""Characters of rows in a message."""


def epsilon_at(turn: int) -> Exact:
    """The number in the place of a symbolic ε, by turns."""
    return SOME_EPSILON[turn % max(1, size_of_sample("numbers for a symbolic ε"))]


class _Tried(NamedTuple):
    """A database that is tried: its whole numbers, its rows in an order, and the ε in the place of a symbolic one."""

    numbers: _Numbers
    order: Order
    epsilon: Exact | None


class RealDatabases:
    """The databases on which the law of a mechanism was compared with that on a chart."""

    def __init__(self, question: Question, domain: Endless) -> None:
        self._question = question
        self._mechanism = question.mechanism
        self._domain = domain
        self._symbol = symbol_in(dict(question.arguments))
        self._enumeration = question.enumeration()
        self._given_at: dict[int | None, Mapping[str, Any]] = {}
        self._at_epsilon: dict[tuple[int, int], tuple[AnyDistribution, AnyDistribution]] = {}
        self._met = set[_Numbers]()
        self.tried = 0
        """The number of those that met no limit."""

    def compare(self, chart: AffineRegion, point: Sequence[int], law: AnyDistribution) -> None:
        """Compare the law on the database of a point of a chart with what the law on the chart is there.

        Nothing is done of a database that was met before. Raises `MechanismError` where the laws differ, or where the
        mechanism fails.
        """
        numbers = chart.at(point)
        if numbers in self._met:
            return
        refuse_overtime()
        self._met.add(numbers)
        this = _Tried(numbers, ORDERS[self.tried % len(ORDERS)], self._epsilon(self.tried))
        try:
            there = DistributionSubstitution.at_point(point)(self._law_at(law, this.epsilon))
            if not self._has(this, self.rows(numbers, this.order), there):
                self._refuse(this, there)
        except (Overtime, Undecided):
            refuse_overtime()
        else:
            self.tried += 1

    def refuse_order(self, numbers: _Numbers, rows: Hashable) -> NoReturn:
        """Raises `MechanismError` for a database that has another law in this order of its rows."""
        self._refuse_order(_Tried(numbers, Order.REVERSED, self._epsilon(0)), rows)

    def looking_out(self) -> AbstractContextManager[None]:
        """While it lasts, chance from elsewhere is looked out for once, and not for every law."""
        return self._enumeration.looking_out(self._mechanism, self._question.arguments)

    def rows(self, numbers: _Numbers, order: Order) -> Hashable:
        """The database as the mechanism is given it, with its rows in an order if it has rows."""
        if isinstance(self._domain, Histograms):
            return real_rows(self._domain.universe, numbers, order)
        return self._domain.whole(numbers)

    def _parameters_at(self, numbers: _Numbers, epsilon: Exact | None) -> Mapping[str, Any]:
        """The arguments that the mechanism is given beside the database."""
        given = self._given(epsilon)
        parameters = self._domain.parameters(given, numbers)
        return given if parameters is given else exact_parameters(parameters)

    def _given(self, epsilon: Exact | None) -> Mapping[str, Any]:
        serial = None if epsilon is None else epsilon.serial
        if serial not in self._given_at:
            parameters: dict[str, Any] = dict(self._question.arguments)
            if self._symbol is not None and epsilon is not None:
                parameters = DistributionSubstitution(self._symbol, epsilon)(parameters)
            self._given_at[serial] = exact_parameters(parameters)
        return self._given_at[serial]

    def _epsilon(self, turn: int) -> Exact | None:
        return None if self._symbol is None else epsilon_at(turn)

    def _law_at(self, law: AnyDistribution, epsilon: Exact | None) -> AnyDistribution:
        """A law at one ε."""
        if self._symbol is None or epsilon is None:
            return law
        key = (id(law), epsilon.serial)
        if key not in self._at_epsilon:
            self._at_epsilon[key] = (law, DistributionSubstitution(self._symbol, epsilon)(law))
        return self._at_epsilon[key][1]

    def _has(self, this: _Tried, rows: Hashable, law: AnyDistribution) -> bool:
        """True where the mechanism has this law on a database, as Python runs it. Raises as `distribution` does."""
        with self._trying(this, rows):
            parameters = self._parameters_at(this.numbers, this.epsilon)
            real = self._enumeration.law(self._mechanism, (rows,), parameters)
        return _are_same(real, law)

    @contextmanager
    def _trying(self, this: _Tried, rows: Hashable) -> Iterator[None]:
        """While it lasts, a mechanism that fails does so on this database, and in its time."""
        try:
            with stopwatch(self._mechanism, self._question.limits.seconds) as restart:
                restart(rows)
                yield
        except Overtime:
            raise
        except MechanismError as error:
            mechanism_error = MechanismError(f"tried on {self._told(this)}: {error}")
            mechanism_error.place = error.place
            raise mechanism_error from error

    def _told(self, this: _Tried) -> str:
        order = f", {this.order.value}" if isinstance(self._domain, Histograms) else ""
        return f"{self._domain.told(this.numbers)}{order}" + (
            "" if this.epsilon is None else f", at ε = {this.epsilon}"
        )

    def _refuse(self, this: _Tried, law: AnyDistribution) -> NoReturn:
        """Raises `MechanismError` for a database with another law than unknown numbers have there."""
        in_order = this._replace(order=Order.AS_THE_UNIVERSE)
        if this.order is not in_order.order and self._has(in_order, self.rows(*in_order[:2]), law):
            self._refuse_order(this, self.rows(*this[:2]))
        raise MechanismError(
            bad_mechanism.OTHERWISE,
            name_of(self._mechanism),
            f"does otherwise on {self._told(this)} than on unknown integers",
            "let it add, subtract, compare and scale scores or counts, and not catch errors or ask for their type",
        )

    def _refuse_order(self, this: _Tried, rows: Hashable) -> NoReturn:
        """Raises `MechanismError` for a database with another law in another order of its rows."""
        first = self.rows(this.numbers, Order.AS_THE_UNIVERSE)
        at = "" if this.epsilon is None else f", at ε = {this.epsilon}"
        orders = f"{shown(rows, _LONGEST)} and {shown(first, _LONGEST)}"
        raise MechanismError(
            bad_mechanism.OTHERWISE,
            name_of(self._mechanism),
            f"depends on the order of the rows of {self._domain.told(this.numbers)}{at}: {orders} differ",
            "write what does not depend on the order, such as rows.count(x)",
        )


def _are_same(real: AnyDistribution, law: AnyDistribution) -> bool:
    try:
        return same_distribution(real, law)
    except InputError:  # outcomes that are equal and not the same
        return False

"""Hard instances: databases near to one another, no outcome of which is a success for many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, islice, permutations
from typing import Any

from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.enclosure import decimal
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, exact, total
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.selection.packing_bound import group_privacy
from dpverify.verifiers.readable import readable


def rows_apart(left: Any, right: Any) -> int | None:
    """The number of rows to replace to come from one database to the other; None where they differ in size.

    Databases are tuples, whose rows are in order: an algorithm may look at that.
    """
    return sum(a != b for a, b in zip(left, right, strict=True)) if len(left) == len(right) else None


def rows_replaced(left: Any, right: Any) -> int | None:
    """The number of rows that are to be replaced where their order does not matter; None where they differ in size.

    It is for problems in which success does not depend on the order: whoever shuffles the rows first is as private and
    as good, and such a mechanism is held to this distance.
    """
    return len(left) - (Counter(left) & Counter(right)).total() if len(left) == len(right) else None


@dataclass(frozen=True, kw_only=True)
class HardInstance:
    """Databases, what may be answered, and what of it is a success, as a truth value or a number in [0, 1].

    `distance` is in how many steps neighbours lead from one database to another, or more, and None for two that nothing
    relates. `outcomes` are those that the best mechanism chooses from: it is the best of all where every answer there
    is succeeds on no more databases than one of them. `weights` are of databases, of which the weighted success counts
    in place of the worst. `symmetries` are those of `best_mechanism`: with them a program is smaller.
    """

    databases: Sequence[Hashable]
    outcomes: Sequence[Hashable]
    succeeds: Callable[[Any, Any], ExactLike | bool]
    distance: Callable[[Any, Any], int | None] = rows_apart
    weights: Mapping[Any, ExactLike] | None = None
    symmetries: Sequence[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = ()

    def __post_init__(self) -> None:
        for name, given in (("databases", self.databases), ("outcomes", self.outcomes)):
            if not isinstance(given, Sequence):
                raise InputError(bad_input.WRONG, f"{name} of a hard instance", "a sequence", "write a list")
        if not self.databases or not self.outcomes:
            raise InputError(
                bad_input.IS_EMPTY, "a list of a hard instance", "database, and one outcome to choose from"
            )

    def refuse_repeats(self) -> None:
        """Raises `InputError` where a database is given twice, or cannot be hashed."""
        try:
            different = len(set(self.databases))
        except TypeError as error:
            raise InputError(
                bad_input.NOT_HASHABLE, "a database of a hard instance", f" ({error})", "write tuples"
            ) from None
        if different < len(self.databases):
            raise InputError(bad_input.TWICE, "a hard instance", "a database", "give each once")

    @property
    def shares(self) -> Mapping[Any, Exact]:
        """Database → its share of the weights; only of an instance with weights. Raises `InputError` if all are 0."""
        weights = {database: exact((self.weights or {}).get(database, 0)) for database in self.databases}
        whole = total(weights.values())
        if whole <= 0:
            raise InputError(bad_input.RANGE, "the sum of the weights of a hard instance", "greater than 0")
        return {database: weight / whole for database, weight in weights.items()}

    @property
    def unrelated(self) -> HardInstance:
        """The instance with its databases unrelated: a mechanism may do as it likes on each. A mutant."""
        return replace(self, distance=lambda left, right: None)

    def success(self, law: Callable[[Any], Distribution[Any]]) -> Exact:
        """The worst, or the weighted, success of a mechanism, whose distribution on each database is given."""
        each = {database: self.success_on(database, law(database)) for database in self.databases}
        if self.weights is not None:
            return total(share * each[database] for database, share in self.shares.items())
        return min(each.values())

    def success_on(self, database: Any, law: Distribution[Any]) -> Exact:
        """Probability that an outcome of the distribution is a success for the database."""
        return total(
            probability * exact(int(good) if isinstance(good := self.succeeds(database, outcome), bool) else good)
            for outcome, probability in law.probabilities.items()
        )

    def wrong_distance(self) -> str | None:
        """Two databases that `distance` puts nearer to each other than they are, in words; None where there are none.

        A mechanism would be held to more there than privacy asks for. Seen of tuples of the same length, by the rows to
        be replaced in any order; a function other than `rows_apart` and `rows_replaced` is believed in the rest.
        """
        for a, b in combinations(self.databases, 2):
            far, back = self.distance(a, b), self.distance(b, a)
            if far != back:
                return f"from {readable(a)} to {readable(b)} the distance is {far}, and {back} back"
            if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and far is not None:
                rows = rows_replaced(a, b)
                if rows is not None and far < rows:
                    return (
                        f"{readable(a)} and {readable(b)} take {rows} rows to be replaced, and the distance says {far}"
                    )
        return None

    def depends_on_order(self) -> str | None:
        """A database whose rows are not to be in another order, in words; None where `distance` takes none to be so.

        With `rows_replaced` orders are one, which is right where success is the same for all of them.
        """
        if self.distance is not rows_replaced:
            return None
        for database in self.databases:
            rows: Any = database
            successes = [(outcome, self.succeeds(database, outcome)) for outcome in self.outcomes]
            for other in islice(permutations(rows), size_of_sample("orders of a hard instance")):
                for outcome, success in successes:
                    if self.succeeds(other, outcome) != success:
                        return (
                            f"{readable(outcome)} is another success for {readable(database)} than for "
                            f"{readable(other)}, the same rows: their distance is rows_apart"
                        )
        return None


def excess(instance: HardInstance, law: Callable[[Any], Distribution[Any]], epsilon: Exact, delta: Exact) -> str | None:
    """Two databases whose distributions are farther apart than (ε, δ)-privacy allows at their distance d, in words.

    Allowed are (dε, δ·(e^(dε) − 1)/(e^ε − 1)), group privacy. None where there are none. Raises `Undecided` where a
    comparison cannot be decided.
    """
    # outcomes and masses by their numbers: a mass and another one are met again and again, and outcomes are long
    places: dict[Any, int] = {}
    masses: dict[int, Exact] = {ZERO.serial: ZERO}
    laws: dict[Any, dict[int, int]] = {}
    for database in instance.databases:
        probabilities = law(database).probabilities
        masses |= {mass.serial: mass for mass in probabilities.values()}
        laws[database] = {places.setdefault(o, len(places)): mass.serial for o, mass in probabilities.items()}

    @cache
    def allowed_at(steps: int) -> tuple[Exact, Exact]:
        return group_privacy(epsilon, delta, steps)

    @cache
    def beyond(mass: int, other: int, steps: int) -> Exact:
        difference = masses[mass] - allowed_at(steps)[0] * masses[other]
        return difference if difference > 0 else ZERO

    for (a, p), (b, q) in permutations(laws.items(), 2):
        steps = instance.distance(a, b)
        if steps is None:
            continue
        met = Counter((mass, q.get(place, ZERO.serial)) for place, mass in p.items())
        above = total(beyond(mass, other, steps) * times for (mass, other), times in met.items())
        if above > allowed_at(steps)[1]:
            return f"the distributions on {readable(a)} and {readable(b)}, {steps} apart, need δ ≥ {decimal(above)}"
    return None

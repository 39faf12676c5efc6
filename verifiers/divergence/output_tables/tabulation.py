"""The laws of a mechanism on every database of a domain, and the checks that it is a function of them and of `draw`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from dpverify.mechanisms.drawing.caching import expanded, outcomes_in
from dpverify.mechanisms.drawing.distribution_so_far import ScoredDistribution
from dpverify.mechanisms.drawing.enumerator import Enumeration, WholeRuns
from dpverify.mechanisms.functions.lookalikes import refuse_lookalike
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.places import place_in_brackets, place_of, place_of_definition
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.functions.watched_rows import OrderRead, WatchedRows, order_was_read
from dpverify.mechanisms.noise.law import ALL_NOISE
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, Overtime, Undecided, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, negative, product
from dpverify.mechanisms.numbers.polynomial_form import is_formally_zero
from dpverify.mechanisms.numbers.roots.periodic_tails import AnyDensity, folded_together, sum_of_densities
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.released import NoisyPart, Release, ReleasedDistribution, Releases
from dpverify.mechanisms.outputs.released_parts import FEW_OUTCOMES, PartRelease
from dpverify.mechanisms.outputs.tied_reals import TiedReal
from dpverify.verifiers.divergence.output_tables.row_reading import (
    by_construction,
    may_see_a_tuple,
)
from dpverify.verifiers.problems.preparation.answers import (
    AnyDistribution,
    Failure,
    Probabilities,
    are_not_told_apart,
    probabilities_of,
)
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import (
    NOT_REPEATED,
    Budget,
    DistributionRequest,
    NoAnswer,
    Repeated,
    Repetition,
    Restart,
    budget,
    rarest_positions,
)
from dpverify.verifiers.problems.questions.domains import Multisets
from dpverify.verifiers.problems.questions.row_orders import (
    EVERY_ORDER,
    NO_ORDERS,
    NOT_ASKED_FOR,
    SOME_ORDERS,
    TAKEN_ONE_BY_ONE,
    OrdersRun,
    number_of_orders,
    other_orders,
    some_orders,
)
from dpverify.verifiers.processes.stopwatch import stopwatch

_Found = TypeVar("_Found")

_Equality: TypeAlias = Callable[[Exact, Exact], bool]


class DependsOnOrder(MechanismError):
    """A mechanism that has another law on other orders of the rows of a multiset."""


@dataclass(frozen=True)
class Tabulation(Generic[_Found]):
    """The laws in the order of the databases; which orders of the rows were run beside the sorted one; a repetition."""

    laws: Sequence[_Found]
    orders: OrdersRun = NO_ORDERS
    repeated: Repeated = NOT_REPEATED
    has_scaled: bool = False
    """True where noise of a scale was drawn, of which another share may be tried."""
    remark: str = ""
    """The end of the reason of a verdict: see `remark_on`."""
    whole_runs: tuple[WholeRuns, ...] = ()
    """The mechanisms with more than a few paths that were not found by steps."""


def remark_on(enumeration: Enumeration) -> str:
    """The lines at which noise of scale 0 was drawn, in words, as the reason of a verdict ends."""
    return "".join(f"; {each}" for each in sorted(enumeration.point_masses))


LawsHere: TypeAlias = Callable[[Iterable[int]], Sequence[_Found]]
"""The laws on the databases at these positions, one after another, as this process finds them."""


class ResultOfAll(NamedTuple, Generic[_Found]):
    """The laws on all databases, and what other processes did for that, if there were any."""

    laws: Sequence[_Found]
    paths: int = 0
    """Number of the paths that were theirs."""
    in_every_order: frozenset[int] = frozenset()
    """The positions at which they ran every order of the rows, without a difference."""
    has_scaled: bool = False
    alike: Sequence[int] = ()
    """The positions of databases of which each stands for others that were found with it."""
    by_counts: bool = False
    """True where they were found for rows of which nothing but unknown counts was known."""


class AtOneEpsilon(NamedTuple):
    """A law as it is at one ε; None where it was found for a number."""

    epsilon: Exact | None
    law: AnyDistribution


class Finder(Generic[_Found]):
    """A way to find the law of a mechanism on a database, and on many: one by one, where no other way is said."""

    @abstractmethod
    def law(self, database: Hashable, enumeration: Enumeration) -> _Found:
        """The law on a database."""

    @abstractmethod
    def at_one_epsilon(self, law: _Found) -> AtOneEpsilon:
        """A law at some ε, as it is compared with a repetition."""

    @abstractmethod
    def same(self, left: _Found, right: _Found) -> bool:
        """True where two laws are equal."""

    def held_distributions(self, laws: Iterable[_Found]) -> Sequence[_Found]:
        """Laws that are found one after another, as they are held."""
        return list(laws)

    def by_pattern(self, enumeration: Enumeration, restart: Restart) -> ResultOfAll[_Found] | None:
        """The laws on all databases by pattern, if they are found so. `restart` is told of a database that is run."""
        return None

    def on_all(
        self, small: Sequence[int], enumeration: Enumeration, here: LawsHere[_Found]
    ) -> ResultOfAll[_Found] | None:
        """The laws on all databases as others find them, who run every order of the rows at `small`.

        None where `here` is to find them. What comes of it does not depend on that.
        """
        return None


def tabulate(experiment: Experiment, finder: Finder[_Found], repetition: Repetition | None) -> Tabulation[_Found]:
    """The exact law of the mechanism on every database, as the finder has it.

    Raises `InputError` where the mechanism cannot be enumerated (see `distribution`), where a repetition of some
    databases differs from the first time, or where, on multisets, the order of the rows matters.
    """
    question, databases = experiment.question, experiment.run_on
    mechanism, arguments, seconds = question.mechanism, question.arguments, question.limits.seconds
    with stopwatch(mechanism, seconds) as restart:

        def law_of(database: Hashable, enumeration: Enumeration, watched: WatchedRows | None = None) -> _Found:
            restart(database)
            return finder.law(database if watched is None else watched, enumeration)

        enumeration = experiment.enumeration()

        def here(positions: Iterable[int]) -> Sequence[_Found]:
            with enumeration.looking_out(mechanism, arguments):
                return finder.held_distributions(map(law_at, positions))

        def law_at(i: int) -> _Found:
            law, places[i] = read(databases[i]) if i in watched else (None, None)
            return law_of(databases[i], enumeration) if law is None else law

        read = partial(_asked, law_of, enumeration)
        begun = enumeration.runs
        pattern = finder.by_pattern(enumeration, restart)
        plan = _planned(experiment, read, by_counts=pattern is not None and pattern.by_counts)
        small = plan.tried if plan.every else []
        watched, places = {*plan.watched}, dict[int, str | None]()
        others = [(i, order) for i in plan.tried for order in plan.orders(databases[i])]
        begun = begun if pattern is not None else enumeration.runs
        result = pattern or finder.on_all(small, enumeration, here) or ResultOfAll(here(range(len(databases))))
        laws, of_laws, has_scaled = result.laws, enumeration.runs - begun + result.paths, result.has_scaled
        differing = (
            (i, rows)
            for i, rows in others
            if i not in result.in_every_order and not finder.same(laws[i], law_of(rows, enumeration))
        )
        with enumeration.looking_out(mechanism, arguments) if others or plan.watched else nullcontext():
            for i, rows in differing:
                raise depends_on_order(experiment, i, rows)
            for i in plan.watched:
                if i not in places:
                    law, places[i] = read(databases[i])
                    places[i] = "" if law is not None and not finder.same(laws[i], law) else places[i]
            reading = [i for i in plan.watched if places[i] is not None]
            late = OrderPlan.of(reading, databases, next(filter(None, places.values()), ""))
            for i in late.tried:
                for rows in late.orders(databases[i]):
                    if not finder.same(laws[i], law_of(rows, enumeration)):
                        raise depends_on_order(experiment, i, rows)
        orders = late.run if reading else TAKEN_ONE_BY_ONE if plan.watched and enumeration.takes_rows else plan.run
        has_scaled = has_scaled or enumeration.has_scaled
    if repetition is None:
        return Tabulation(laws, orders, NOT_REPEATED, has_scaled, remark_on(enumeration), (*enumeration.whole_runs,))
    first = {i: finder.at_one_epsilon(laws[i]) for i in rarest_positions(databases, result.alike)}
    repeated = compared_again(experiment, first, repetition, budget(of_laws))
    return Tabulation(laws, orders, repeated, has_scaled, remark_on(enumeration), (*enumeration.whole_runs,))


def compared_again(
    experiment: Experiment, first: Mapping[int, AtOneEpsilon], repetition: Repetition, budget: Budget
) -> Repeated:
    """Compare laws, by the positions of their databases, with those that the repetition finds, if it finds them.

    Within a budget a law with released noise that is not seen to be the same one is left out, and not counted.

    Raises `MechanismError` where one is another.
    """
    mechanism = experiment.question.mechanism
    where = place_in_brackets(place_of_definition(mechanism))  # no run shows which of its lines differs
    asked = [DistributionRequest(i, known.epsilon) for i, known in first.items()]
    with stopwatch(mechanism, experiment.question.limits.seconds) as restart:  # from where this process is asked
        answers = repetition.answers(asked, budget, restart)
        compared = 0
        for i, known in first.items():
            who = f"{name_of(mechanism)} on {shown(experiment.run_on[i])}"
            try:
                answer = next(answers)
            except NoAnswer as silence:
                raise MechanismError(bad_mechanism.NO_SECOND_TIME, who, repetition.mode, silence) from None
            if isinstance(answer, Failure):
                raise MechanismError(
                    bad_mechanism.NOT_DETERMINISTIC,
                    f"{who}{where}",
                    f"the second time, in {repetition.mode}, {answer.message}",
                )
            agreeing = [law for law in answer if _agrees(known.law, law)]
            compared += len(agreeing)
            may_be_one_in_another_form = budget is not None and not known.law.is_finite  # of several released numbers
            if len(agreeing) < len(answer) and not may_be_one_in_another_form:
                raise MechanismError(
                    bad_mechanism.NOT_DETERMINISTIC,
                    f"{who}{where}",
                    f"its distribution differs the second time, in {repetition.mode}",
                )
    return Repeated(repetition.mode, compared)


def _agrees(law: AnyDistribution, other: AnyDistribution | Probabilities) -> bool:
    """True where a law is one that has come from elsewhere."""
    if isinstance(other, Probabilities):
        mine = probabilities_of(law).rising
        return len(mine) == len(other.rising) and all(map(_agree, mine, other.rising))
    return same_distribution(law, other, _agree)


def same_distribution(left: AnyDistribution, right: AnyDistribution, are_equal: _Equality | None = None) -> bool:
    """True if two laws are equal, outcome by outcome. Raises `InputError` where outcomes are equal but not the same."""
    are_equal = are_equal or _are_equal
    if _same_as_they_are(left, right, are_equal):
        return True
    in_parts = [law for law in (left, right) if isinstance(law, ReleasedDistribution) and law.has_parts]
    most = FEW_OUTCOMES if len(in_parts) == 2 else _MOST_IN_FULL
    if not in_parts or max(map(outcomes_in, in_parts)) > most:
        return False
    return _same_as_they_are(expanded(left), expanded(right), are_equal)  # one law in other parts


_MOST_IN_FULL: Final = 1 << 20
"""Outcomes of parts that are put in full to compare them with those of a law that is: it has a path for each."""


def _same_as_they_are(left: AnyDistribution, right: AnyDistribution, are_equal: _Equality) -> bool:
    if isinstance(left, ScoredDistribution) and isinstance(right, ScoredDistribution) and left.is_as(right):
        return True
    if isinstance(left, ReleasedDistribution) and isinstance(right, ReleasedDistribution):
        return (
            _same_part(left.finite, right.finite, are_equal)
            and left.released.keys() == right.released.keys()
            and all(_same_releases(parts, right.released[template]) for template, parts in left.released.items())
        )
    return left.is_finite and right.is_finite and _same_part(left.probabilities, right.probabilities, are_equal)


def _same_part(left: Mapping[Any, Exact], right: Mapping[Any, Exact], are_equal: _Equality) -> bool:
    if left.keys() != right.keys():
        return False
    mine = {outcome: (outcome, p) for outcome, p in left.items()}
    known: tuple[Exact, Exact] | None = None
    for other, q in right.items():
        outcome, p = mine[other]
        if not (p is q or _are_in_proportion(p, q, known)):
            if not are_equal(p, q):
                return False
            if known is None and _is_positive(p):
                known = p, q
        refuse_lookalike(outcome, other, " on one database")
    return True


def _are_in_proportion(p: Exact, q: Exact, equal: tuple[Exact, Exact] | None) -> bool:
    """True where the form shows p/p′ = q/q′ for two numbers p′ = q′ > 0, so that p = q.

    Probabilities of one law are most often multiples of one reciprocal, which need not be looked into then.
    """
    return equal is not None and product((p, equal[1])) is product((q, equal[0]))


def _is_positive(p: Exact) -> bool:
    """True where a number is known to be above 0, as a probability is; of functions of ε that takes long."""
    try:
        return p.symbol is None and p > 0
    except Undecided:
        return False


def _are_equal(p: Exact, q: Exact) -> bool:
    """True where two numbers are equal that are expected to be: algebra sees it faster than balls, which cannot."""
    if p is q:
        return True
    difference = p - q
    return (difference.symbol is None and is_formally_zero(difference)) or difference == 0


def _agree(p: Exact, q: Exact) -> bool:
    return are_not_told_apart(p, q) or _are_equal(p, q)


def _same_releases(left: Mapping[Releases, Exact], right: Mapping[Releases, Exact]) -> bool:
    """True where two mixtures of releases are one law; of several numbers at once, whether they are mixed alike."""
    if left == right:
        return True
    mine, others = _densities(left), _densities(right)
    if mine is None or others is None:
        return False
    p, q, _ = folded_together(sum_of_densities(mine), sum_of_densities(others))
    difference = p.plus(q.scaled(negative(ONE)))
    return all(c == 0 for piece in difference.pieces for c in piece.values())


def _densities(parts: Mapping[Releases, Exact]) -> list[AnyDensity] | None:
    """The densities of a mixture of releases of one number each; None for several numbers at once, and for parts."""
    functions: list[AnyDensity] = []
    for releases, weight in parts.items():
        if len(releases) != 1:
            return None
        (release,) = releases
        if isinstance(release, TiedReal | PartRelease | NoisyPart | NormalRelease):
            return None
        if isinstance(release, Release) and release.law.is_certified:
            return None
        functions.append(release.density.scaled(weight))
    return functions


# --- Orders of rows


class OrderPlan(NamedTuple):
    """The multisets of which other orders are run, those whose rows are watched for it, and what is said of it."""

    run: OrdersRun
    tried: Sequence[int] = ()
    every: bool = False
    watched: Sequence[int] = ()

    def orders(self, database: Hashable) -> Iterator[Hashable]:
        """The other orders of a database's rows that are run."""
        assert isinstance(database, tuple)
        return other_orders(database) if self.every else some_orders(database)

    @classmethod
    def of(cls, positions: Sequence[int], databases: Sequence[Hashable], read_at: str = "") -> OrderPlan:
        """All orders of these multisets are run, or some, where that takes too many runs: then said with the place."""
        if not positions:
            return cls(NOT_ASKED_FOR)
        every = _few_orders(positions, databases) is not None
        return cls(EVERY_ORDER if every else SOME_ORDERS.read_at(read_at), positions, every=every)


def _few_orders(positions: Sequence[int], databases: Sequence[Hashable]) -> int | None:
    """The number of other orders that these multisets have together; None where that is beyond what is run."""
    left = most = size_of_sample("orders of rows")
    for i in positions:
        rows = databases[i]
        assert isinstance(rows, tuple)
        left -= number_of_orders(rows) - 1
        if left < 0:
            return None
    return most - left


def _planned(experiment: Experiment, read: Callable[[Hashable], _Asked[Any]], *, by_counts: bool) -> OrderPlan:
    """The orders that are run: where code reads them, or could tell watched rows from a tuple; else rows are watched.

    None where the distributions were found `by_counts`.
    """
    mechanism, databases, domain = experiment.question.mechanism, experiment.run_on, experiment.run_domain
    if not isinstance(domain, Multisets) or experiment.share != ALL_NOISE:  # another share of it is a measurement
        return OrderPlan(NO_ORDERS)
    if (shown_nowhere := by_construction(mechanism)) is not None:
        return OrderPlan(shown_nowhere)
    several = [i for i, rows in enumerate(databases) if isinstance(rows, tuple) and rows and rows[0] is not rows[-1]]
    if not several:
        return OrderPlan(NO_ORDERS)
    if by_counts:
        return OrderPlan(NOT_ASKED_FOR)
    is_seen = may_see_a_tuple(mechanism, experiment.question.arguments)
    read_at = "" if is_seen else read(databases[several[-1]])[1]
    if read_at is not None:
        return OrderPlan.of(several, databases, read_at)
    return OrderPlan(NOT_ASKED_FOR, watched=several)


_Asked: TypeAlias = tuple[_Found | None, str | None]
"""The law on watched rows; or None, and where a mechanism asks for more than counts, empty if that is not known."""


def _asked(
    law_of: Callable[[Hashable, Enumeration, WatchedRows], _Found], enumeration: Enumeration, rows: Hashable
) -> _Asked[_Found]:
    assert isinstance(rows, tuple)
    watched = WatchedRows(rows)
    try:
        law = law_of(rows, enumeration, watched)
    except OrderRead as error:
        return None, str(place_of(error) or "")
    except Overtime:
        raise
    except (InputError, Undecided):
        return None, ""
    return (None, "") if order_was_read(watched) else (law, None)


def depends_on_order(experiment: Experiment, place: int, rows: Hashable) -> DependsOnOrder:
    """The error for a mechanism that has another law on other orders of these rows."""
    return DependsOnOrder(
        f"{name_of(experiment.question.mechanism)} depends on the order of the rows: "
        f"{shown(experiment.run_on[place])} and {shown(rows)} have different output distributions; "
        "use Tuples in place of Multisets, or in_sorted_order(mechanism), which sorts the rows when it is run, too"
    )

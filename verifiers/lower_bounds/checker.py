"""Deciding lower bounds: what is achieved ≤ what is best ≤ what is forced, case by case."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

from msgspec import structs

from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.reports.kinds.lower_bound import BoundRow, LowerBoundResult, Property
from dpverify.reports.numbers import counted
from dpverify.reports.record import NOT_RECHECKED, BrokenVariant, Quantity, Scope, Status, storable
from dpverify.verifiers.divergence.output_tables.enclosed import enclosed
from dpverify.verifiers.lower_bounds.instance import HardInstance, excess
from dpverify.verifiers.lower_bounds.statement import IN_ANY_ORDER, NEAR_AS_ROWS, BoundStatement, Parameters
from dpverify.verifiers.optimal.best import best_mechanism
from dpverify.verifiers.problems.questions.outside import checked_in_words, outside_places, with_outside
from dpverify.verifiers.readable import number_in_words, readable, shown_case

_MOST_LINES: Final = 24
"""Lines of a distribution in a witness."""

_MOST_OUTCOMES: Final = 6
"""Outcomes of one distribution in a line of a witness."""


@dataclass
class _Result:
    """The finding on a claim, so far."""

    rows: list[BoundRow] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    """Name → what is wrong, empty where nothing is."""
    refuted: list[str] = field(default_factory=list)
    """The witness: of a property, or the best mechanism's distribution; of the first case that has one."""
    open: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)

    @property
    def status(self) -> tuple[Status, str]:
        """The verdict, and why it is none."""
        if self.refuted:
            return Status.REFUTED, ""
        if self.contradictions:
            return Status.UNDECIDED, self.contradictions[0]
        if self.undecided:
            return Status.UNDECIDED, self.undecided[0]
        return (Status.INCONCLUSIVE, self.open[0]) if self.open else (Status.PROVED, "")


def check_lower_bound(claim: BoundStatement) -> LowerBoundResult:
    """The verdict on a claim, with its table.

    A property that fails, or a best mechanism that is better than what is forced, refutes it. PROVED where achieved ≤
    best ≤ forced on every case; INCONCLUSIVE where the best is not known well enough. Two of the three that contradict
    each other, and an implemented mechanism that is not private, are said, and leave it UNDECIDED at best. Raises
    `InputError`, naming the claim, where its functions do.

    >>> from dpverify.verifiers.lower_bounds import Broken, HardInstance
    >>> bit = HardInstance(databases=[(0,), (1,)], outcomes=(0, 1), succeeds=lambda rows, answer: rows[0] == answer)
    >>> bound = LowerBound(
    ...     id="lib.one-bit",
    ...     cases=[{"rows": 1, "epsilon": log(2)}],
    ...     instance=lambda case: bit,
    ...     properties={"they are of one size": lambda case: None},
    ...     forced=lambda case: Fraction(1, 2),
    ...     mutants=[Broken("less", {"forced": lambda case: Fraction(1, 3)})],
    ... )
    >>> check_lower_bound(bound).verdict
    <Status.REFUTED: 'REFUTED'>
    """
    tally = _decided(claim)
    status, reason = tally.status
    places = [place for make in claim.mechanisms.values() for place in outside_places(make)]
    if places and status is Status.PROVED:
        status, reason = Status.CHECKED, checked_in_words(places, "one process")
    asked = {**{name: getattr(claim, name) for name in ("instance", "forced", "epsilon", "delta")}, **claim.properties}
    return storable(
        LowerBoundResult(
            id=claim.id,
            source=claim.source,
            statement=claim.statement,
            mechanism="",
            expected=claim.verdict_expected,
            verdict=status,
            reason=reason,
            scope=with_outside(
                Scope("finite", "a hard instance is finite", NOT_RECHECKED, _scope(claim)), places, asked
            ),
            refutation=claim.refuted_as(status),
            quantity=claim.quantity,
            strict=claim.strict,
            cases=len(claim.cases),
            rows=tally.rows,
            properties=[Property(name, wrong) for name, wrong in tally.properties.items()],
            contradictions=tally.contradictions,
            witness=tally.refuted,
            mutants=[_broken(claim.broken(mutant), mutant.change) for mutant in claim.mutants],
        )
    )


def _scope(claim: BoundStatement) -> str:
    return (
        f"the hard instances of {counted(len(claim.cases), 'case')}: a mechanism for all databases is one for those, "
        "and does no better than the best there"
    )


def _broken(claim: BoundStatement, change: str) -> BrokenVariant:
    tally = _decided(claim, up_to_a_witness=True)
    status, reason = tally.status
    return BrokenVariant(change, status, tally.refuted[0] if tally.refuted else reason)


def _decided(claim: BoundStatement, *, up_to_a_witness: bool = False) -> _Result:
    tally = _Result()
    for case in claim.cases:
        try:
            _decide_case(claim, case, tally)
        except Undecided as error:
            tally.undecided.append(f"{shown_case(case)}: {error}")
        except InputError as error:
            raise InputError(f"{claim.id}: {shown_case(case)}: {error}") from error
        if up_to_a_witness and tally.refuted:
            break
    return tally


def _decide_case(claim: BoundStatement, case: Parameters, found: _Result) -> None:
    instance = claim.instance(case)
    if not isinstance(instance, HardInstance | None):
        raise InputError(bad_input.GAVE, "instance", shown(instance), "no HardInstance", "return HardInstance(…)")
    if instance is not None:
        instance.refuse_repeats()
    _check_properties(claim, case, instance, found)
    forced = exact(claim.forced(case), "forced")
    row = BoundRow(
        case=shown_case(case),
        mechanism="",
        achieved=None,
        at_least=None,
        at_most=None,
        implied=_quantity(forced),
        least="" if claim.least is None else str(claim.least(case)),
    )
    if instance is None:
        found.rows.append(row)
        return
    budget = exact(claim.epsilon(case), "epsilon"), exact(claim.delta(case), "delta")
    best = _best(instance, *budget)
    _compare(claim, case, instance, best, forced, found)
    _recompute(case, instance, best, budget, found)
    row = structs.replace(row, at_least=_quantity(best.at_least), at_most=_quantity(best.at_most))
    made = {name: law for name, make in claim.mechanisms.items() if (law := make(case)) is not None}
    for name, law in made.items():
        laws = {database: law(database) for database in instance.databases}
        for database, found_there in laws.items():
            if not isinstance(found_there, Distribution):
                raise InputError(
                    bad_input.GAVE,
                    f"{name} on {readable(database)}",
                    shown(found_there),
                    "no Distribution",
                    "return a Distribution",
                )
        achieved = instance.success(laws.__getitem__)
        apart = excess(instance, laws.__getitem__, *budget)
        if apart is not None:
            found.contradictions.append(f"{name} is not private at {shown_case(case)}: {apart}")
        elif achieved > best.at_most:
            found.contradictions.append(f"{name} achieves more than the best at {shown_case(case)}")
        found.rows.append(structs.replace(row, mechanism=name, achieved=_quantity(achieved)))
    if not made:
        found.rows.append(row)


def _check_properties(claim: BoundStatement, case: Parameters, instance: HardInstance | None, found: _Result) -> None:
    checks: dict[str, Callable[[], str | None]] = {
        name: partial(check, case) for name, check in claim.properties.items()
    }
    if instance is not None:
        checks[NEAR_AS_ROWS] = instance.wrong_distance
        checks[IN_ANY_ORDER] = instance.depends_on_order
    for name, check in checks.items():
        wrong = check()
        if wrong is not None and (not isinstance(wrong, str) or not wrong):
            raise InputError(
                bad_input.GAVE, f"the property {shown(name)}", shown(wrong), "neither None nor a text", "return one"
            )
        before = found.properties.setdefault(name, "")
        if wrong is not None and not before:
            found.properties[name] = f"{shown_case(case)}: {wrong}"
        if wrong is not None and not found.refuted:
            found.refuted = [f"{name}: {wrong}", shown_case(case)]


class _Best(NamedTuple):
    """The best mechanism on an instance."""

    at_least: Exact
    at_most: Exact
    law: Mapping[Any, Distribution[Any]]
    is_certain: bool
    """True where the proof that none is better holds."""


def _best(instance: HardInstance, epsilon: Exact, delta: Exact) -> _Best:
    optimum = best_mechanism(
        instance.databases,
        None,
        instance.succeeds,
        epsilon=epsilon,
        delta=delta,
        outcomes=instance.outcomes,
        weights=None if instance.weights is None else instance.shares,
        distance=instance.distance,
        symmetries=instance.symmetries,
    )
    return _Best(exact(optimum.at_least), exact(optimum.at_most), optimum.law, optimum.certificate.checks())


def _compare(
    claim: BoundStatement, case: Parameters, instance: HardInstance, best: _Best, forced: Exact, found: _Result
) -> None:
    """Hold the best mechanism against what is forced."""
    if best.at_least >= forced if claim.strict else best.at_least > forced:
        if not found.refuted:
            relation = "≥" if claim.strict else ">"
            found.refuted = [
                f"the best mechanism has {claim.quantity} {number_in_words(best.at_least)} {relation} "
                f"{number_in_words(forced)}",
                shown_case(case),
                *_law(instance, best.law),
            ]
    elif best.at_most >= forced if claim.strict else best.at_most > forced:
        between = f"{number_in_words(best.at_least)} and {number_in_words(best.at_most)}"
        found.open.append(f"{shown_case(case)}: the best is between {between}, and {number_in_words(forced)} is forced")


def _recompute(
    case: Parameters, instance: HardInstance, best: _Best, budget: tuple[Exact, Exact], found: _Result
) -> None:
    """True where the best mechanism is private and as good as is said, and the proof that none is better holds."""
    apart = excess(instance, best.law.__getitem__, *budget)
    if apart is not None:
        found.contradictions.append(f"the best mechanism is not private at {shown_case(case)}: {apart}")
    elif instance.success(best.law.__getitem__) < best.at_least:
        found.contradictions.append(f"the best mechanism is not as good as is said at {shown_case(case)}")
    if not best.is_certain:
        found.contradictions.append(f"the proof that no mechanism is better does not hold at {shown_case(case)}")


def _law(instance: HardInstance, law: Mapping[Any, Distribution[Any]]) -> list[str]:
    """The distribution on each database, as lines."""
    lines = [f"on {readable(database)}: {_outcomes(law[database])}" for database in instance.databases]
    further = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], *([f"… and on {counted(further, 'more database')}"] if further > 0 else [])]


def _outcomes(law: Distribution[Any]) -> str:
    likely = sorted(law.probabilities.items(), key=lambda item: item[1], reverse=True)
    shown = [f"{readable(outcome)} with {number_in_words(p)}" for outcome, p in islice(likely, _MOST_OUTCOMES)]
    return ", ".join([*shown, *(["…"] if len(likely) > _MOST_OUTCOMES else [])])


def _quantity(number: Exact) -> Quantity:
    return enclosed(number).quantity

"""Deciding a claim about code outside the language of mechanisms: by whole runs, made twice, and never as PROVED.

Of such code nothing is read. It may keep something from run to run, look at a clock, or ask for an address: two runs in
different processes, in reverse order, with another hash seed, show most of that and cannot show that there is none.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpverify.mechanisms.drawing.failures import call_of
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.language.readings import OutsidePlace
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import MechanismError, Overtime, Undecided, bad_mechanism, not_known
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.verifiers.deciding.one_epsilon import verdict_at_epsilon
from dpverify.verifiers.divergence.output_tables.row_reading import by_construction
from dpverify.verifiers.divergence.output_tables.tabulation import (
    AtOneEpsilon,
    OrderPlan,
    Tabulation,
    compared_again,
    depends_on_order,
    same_distribution,
)
from dpverify.verifiers.problems.preparation.experiment import Experiment, PairCount, prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import InThisProcess, Repeating
from dpverify.verifiers.problems.questions.domains import Multisets
from dpverify.verifiers.problems.questions.outside import checked_in_words, outside_in_words
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.problems.questions.row_orders import NO_ORDERS, OrdersRun
from dpverify.verifiers.processes.stopwatch import stopwatch
from dpverify.verifiers.verdicts import verdict as verdicts
from dpverify.verifiers.verdicts.compared_distributions import Laws, distributions_to_compare
from dpverify.verifiers.verdicts.verdict import Checked, Proved, Verdict, VerdictBasis


def decided_outside(
    question: Question, places: Sequence[OutsidePlace], repeating: Repeating, *, is_finite: bool
) -> Verdict:
    """The verdict on a question about a mechanism with these places outside the language: at best CHECKED.

    UNDECIDED where numbers are not known: on a domain without end, which is not `is_finite`, and for every ε or δ.
    `repeating` says who runs it a second time; where that is no other interpreter, so does this process. Raises as
    `check_privacy` does.
    """
    said = outside_in_words(places)
    if not is_finite or question.of_every_delta or question.symbol is not None:
        basis = VerdictBasis(experiment=None, outside=tuple(places))
        return verdicts.Undecided(
            reason=not_known.OUTSIDE.text(said), scope=said, pairs=PairCount(0, 0, 0), basis=basis
        )
    experiment = replace(prepared_in_full(question, repeating), in_whole_runs=True)
    try:
        verdict = verdict_at_epsilon(experiment, _laws(experiment))
    except (Undecided, Overtime) as doubt:
        verdict = _undecided(experiment, doubt)
    except MechanismError as error:
        if not error.no_closed_form:
            raise
        verdict = _undecided(experiment, error)
    scope, basis = f"{verdict.scope}; {said}", replace(verdict.basis, outside=tuple(places), has_scaled=False)
    if not isinstance(verdict, Proved):
        return replace(verdict, scope=scope, basis=basis)
    agree = f"; {reasons.NEIGHBOURS_AGREE.text()}" if verdict.neighbours_agree else ""
    return Checked(
        reason=f"{checked_in_words(places, basis.recheck)}{agree}",
        scope=scope,
        pairs=verdict.pairs,
        delta=verdict.delta,
        epsilon=verdict.epsilon,
        neighbours_agree=verdict.neighbours_agree,
        basis=basis,
    )


def distribution_twice(
    limits: Limits, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
) -> Distribution[Any]:
    """The output distribution by whole runs, found twice. Raises `MechanismError` where the two differ."""
    enumerator = PlainEnumerator(limits)
    with enumerator.looking_out(mechanism, parameters):
        first, second = (enumerator.distribution(mechanism, args, parameters) for _ in range(2))
    if not same_distribution(first, second):
        who = call_of(mechanism, args)
        raise MechanismError(bad_mechanism.NOT_DETERMINISTIC, who, "its distribution differs the second time")
    return first


def _undecided(experiment: Experiment, doubt: Exception) -> Verdict:
    count, basis = experiment.counted(0), VerdictBasis(experiment=experiment)
    return verdicts.Undecided(reason=str(doubt), scope=experiment.scope(count), pairs=count, basis=basis)


def _laws(experiment: Experiment) -> Laws:
    """The output distributions on all databases, found twice. Raises `MechanismError` where the two differ."""
    question, databases = experiment.question, experiment.databases
    mechanism, arguments = question.mechanism, question.arguments
    with experiment.repeating(question, databases) as repetition:
        enumerator = PlainEnumerator(question.limits)
        with stopwatch(mechanism, question.limits.seconds) as restart:

            def found(given: Iterable[Hashable]) -> Iterator[Distribution[Any]]:
                with enumerator.looking_out(mechanism, arguments):
                    for database in given:
                        restart(database)
                        yield enumerator.distribution(mechanism, (database,), arguments)

            laws = [*found(databases)]
            plan = _plan(experiment)
            for i in plan.tried:
                orders = [*plan.orders(databases[i])]  # some by chance of this library
                for rows, law in zip(orders, found(orders), strict=True):
                    if not same_distribution(laws[i], law):
                        raise depends_on_order(experiment, i, rows)
        first = {i: AtOneEpsilon(None, laws[i]) for i in reversed(range(len(laws)))}
        here = InThisProcess(question, databases)
        repeated = compared_again(experiment, first, repetition or here, None)
        if repeated.mode == "a forked process":  # which has this one's state of chance: here that has gone on
            compared_again(experiment, first, here, None)
    return distributions_to_compare(experiment, Tabulation(laws, plan.run, repeated))


def _plan(experiment: Experiment) -> OrderPlan:
    """The other orders of rows that are run: of all multisets with different rows, as nobody reads what is asked."""
    domain, databases = experiment.question.domain, experiment.databases
    known: OrdersRun | None = by_construction(experiment.question.mechanism)
    if not isinstance(domain, Multisets) or known is not None:
        return OrderPlan(known or NO_ORDERS)
    several = [i for i, rows in enumerate(databases) if isinstance(rows, tuple) and rows and rows[0] is not rows[-1]]
    return OrderPlan.of(several, databases) if several else OrderPlan(NO_ORDERS)

"""Deciding (ε,δ)-differential privacy at one ε, on every pair of neighbours of an experiment."""

from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.enclosure import decimal
from dpverify.mechanisms.numbers.errors import MechanismError, Undecided, bad_mechanism, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.loss_events import LossAbove
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.outputs.released_reals import Where
from dpverify.verifiers.divergence.densities.cells import RatioBound
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.finite.scanning import Scanned, is_settled, scan
from dpverify.verifiers.divergence.output_tables.enclosed import Enclosed, enclosed
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution
from dpverify.verifiers.divergence.output_tables.tails import numbers_of_parts
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.score_domains import ScoreSpace
from dpverify.verifiers.verdicts import verdict as verdicts
from dpverify.verifiers.verdicts.compared_distributions import Laws, distributions_to_compare
from dpverify.verifiers.verdicts.reproduction import reproducing_line
from dpverify.verifiers.verdicts.verdict import Proved, Refuted, Verdict, VerdictBasis, with_agreement
from dpverify.verifiers.verdicts.witness import Witness, smallest_event, worst_event


def verdict_at_epsilon(experiment: Experiment, laws: Laws) -> Verdict:
    """The verdict on an experiment whose distributions are these. Raises `Undecided` where tails are."""
    claim = experiment.question.claim
    result, laws = _scanned(experiment, laws)
    ratio = laws.densities.ratio if laws.densities is not None else _ratio(result)
    tabulation = laws.tabulation
    count = experiment.counted(laws.distinct_pairs)
    delta = None
    if not result.is_partial:
        doubts = len(result.doubts) + result.most_gaps + result.is_worst_in_doubt
        delta = enclosed(result.worst)
        if doubts:
            delta = enclosed(result.worst, summands_undecided=doubts, at_most=laws.table.undecided_at_most)
    epsilon = None if ratio is None else _enclosed_log(ratio, claim.epsilon)
    scope = experiment.scope(count, tabulation.orders, tabulation.repeated, laws.parts, laws.hold_types)
    basis = VerdictBasis(
        experiment=experiment,
        laws=laws,
        worst=None if result.attaining is None else _databases(experiment, result.attaining),
        recheck=tabulation.repeated.mode,
        has_scaled=tabulation.has_scaled,
        whole_runs=tabulation.whole_runs,
        of_sorted_rows=tabulation.orders.is_of_sorted_rows,
    )
    if result.violating is not None:
        witness = _witness_at(experiment, laws, result.violating)
        return Refuted(
            reason=f"a pair of neighbours needs δ ≥ {decimal(result.worst)} at this ε{tabulation.remark}",
            scope=scope,
            pairs=count,
            delta=delta,
            epsilon=epsilon,
            witness=witness,
            find_worst=partial(_worst_at, experiment, laws, result, witness),
            basis=basis,
        )
    if result.is_undecided:
        return verdicts.Undecided(reason=_doubt(result), scope=scope, pairs=count, delta=delta, basis=basis)
    reason = f"no pair of neighbours needs more than δ = {decimal(result.worst)} at this ε{tabulation.remark}"
    proved = Proved(reason=reason, scope=scope, pairs=count, delta=delta, epsilon=epsilon, basis=basis)
    return with_agreement(proved, claim, laws.agree)


def _witness_at(experiment: Experiment, laws: Laws, at: tuple[int, int]) -> Witness:
    """The witness on two databases that violate the claim."""
    claim = experiment.question.claim
    if laws.densities is not None:
        from dpverify.verifiers.divergence.densities.events import smallest_violation

        pair = laws.densities.pair_at(*at)
        violation = smallest_violation(laws.densities, pair, claim.epsilon, exp(claim.epsilon), claim.delta)
        return _witness(experiment, laws, at, *violation)
    left, right = laws.table.law_of[list(at)]
    stick = HockeyStick(laws.table, np.array([left]), np.array([right]), claim.epsilon)
    return _witness(experiment, laws, at, *smallest_event(stick, laws.table, 0, claim.delta))


def _worst_at(experiment: Experiment, laws: Laws, found: Scanned, witness: Witness) -> Witness | None:
    """The counterexample of the pair that needs most, with the event by which it does; the witness where it is that.

    None where the largest δ is not known, or a number of its event cannot be told from another: it is shown beside a
    verdict, which stands without it.
    """
    try:
        return _worst_result(experiment, laws, found, witness)
    except Undecided:
        return None


def _worst_result(experiment: Experiment, laws: Laws, found: Scanned, witness: Witness) -> Witness | None:
    claim, at = experiment.question.claim, found.attaining
    if at is None or found.is_partial or found.is_worst_in_doubt:
        return None
    from dpverify.verifiers.divergence.densities.events import Violation, smallest_violation

    if laws.densities is not None:
        nearly = (
            claim.delta + (_NEARLY - 1) * found.worst
        ) / _NEARLY  # ends of intervals are rounded to simple numbers
        pair = laws.densities.pair_at(*at)
        violation = smallest_violation(laws.densities, pair, claim.epsilon, exp(claim.epsilon), nearly)
    else:
        left, right = laws.table.law_of[list(at)]
        stick = HockeyStick(laws.table, np.array([left]), np.array([right]), claim.epsilon)
        violation = Violation(*worst_event(stick, laws.table, 0))
    databases = _databases(experiment, at)
    if databases == (witness.left, witness.right) and set(violation.event) == set(witness.event):
        return witness
    is_named = not any(isinstance(outcome, LossAbove) for outcome in violation.event)
    line = reproducing_line(experiment.question, databases, violation.event) if is_named else None
    event, p, q = violation
    return Witness(*databases, event, p, q, *claim, line, _lifted(experiment.question.domain, *databases))


_NEARLY: Final = 100
"""The worst event with intervals in it has all but this part of what the largest δ is above the claimed one."""

_FAR: Final = 32
"""Numbers behind the last centre from which on products of several tails are given up."""


def _scanned(experiment: Experiment, laws: Laws) -> tuple[Scanned, Laws]:
    """The δ of the pairs, and the distributions, tails of several rates so far out that it and the ratio are exact."""
    claim = experiment.question.claim
    if laws.densities is not None:
        laws, missing = laws.at(claim.epsilon)
        return scan(laws.table, laws.compared, claim, missing), laws
    laws = _with_settled_tails(experiment, laws, claim.epsilon)
    return scan(laws.table, laws.compared, claim, where=experiment.where), laws


def _ratio(found: Scanned) -> RatioBound | None:
    return None if found.ratio is None else RatioBound(*found.ratio, found.ratio_slack)


def _with_settled_tails(experiment: Experiment, laws: Laws, epsilon: Exact) -> Laws:
    beyond = 1
    while laws.table.blocks and not is_settled(laws.table, laws.compared, epsilon):
        table = laws.table
        if beyond >= _FAR and any(len(numbers_of_parts(table.outcomes[block[0]])) > 1 for block in table.blocks):
            raise Undecided(not_known.TAILS_BY_TURNS, "several released numbers at once")
        beyond *= 2
        laws = distributions_to_compare(experiment, laws.tabulation, beyond)
    return laws


def fails(experiment: Experiment, laws: Laws) -> bool:
    """True if the claim fails, which is known before what else a verdict says. Raises `Undecided` where it is not."""
    result, _ = _scanned(experiment, laws)
    if result.violating is None and result.is_undecided:
        raise Undecided(_doubt(result))
    return result.violating is not None


def _doubt(found: Scanned) -> str:
    return "; ".join(dict.fromkeys(found.doubts))


def _databases(experiment: Experiment, pair: tuple[int, int]) -> tuple[Hashable, Hashable]:
    left, right = pair
    return experiment.databases[left], experiment.databases[right]


def _witness(
    experiment: Experiment, found: Laws, at: tuple[int, int], event: tuple[Any, ...], p: Exact, q: Exact
) -> Witness:
    question = experiment.question
    mechanism, claim = question.mechanism, question.claim
    left, right = _databases(experiment, at)
    is_named = not any(isinstance(outcome, LossAbove) for outcome in event)
    laws, found_again = [], experiment.finder()
    for i, database, probability in ((at[0], left, p), (at[1], right, q)) if is_named else ():
        again = found_again(database)
        laws.append(again)
        is_large = found.parts > _MOST_PARTS and experiment.representatives is None
        if is_large and same_distribution(again, found.tabulation.laws[i]):
            continue
        if isinstance(again, ReleasedDistribution) and again.noisy_parts and any(map(_is_where, event)):
            is_named = False  # bounds of numbers by their places, some of which are in parts
            continue
        if again.probability(*event) != probability:
            raise MechanismError(
                bad_mechanism.NOT_DETERMINISTIC,
                f"{name_of(mechanism)} on {shown(database)}",
                "the counterexample has another probability when computed again",
            )
    line = reproducing_line(question, (left, right), event) if is_named else None
    both = (laws[0], laws[1]) if laws else None
    return Witness(left, right, event, p, q, *claim, line, _lifted(question.domain, left, right), both)


_MOST_PARTS: Final = 64
"""Independent parts up to which a witness's probability is computed again from a distribution that is the same."""


def _is_where(outcome: object) -> bool:
    return isinstance(outcome, Where)


def _lifted(domain: Domain, left: Hashable, right: Hashable) -> str | None:
    """The databases and the quality function that neighbouring score vectors stand for."""
    if not isinstance(domain, ScoreSpace):
        return None
    return (
        f"lifted: one-row databases a, b with the sensitivity-1 quality q((a,), h) = {left}[h], q((b,), h) = {right}[h]"
    )


def _enclosed_log(ratio: RatioBound, epsilon: Exact) -> Enclosed:
    """The logarithm of a largest ratio; between two numbers where that is not known exactly."""
    result = enclosed(_log_ratio(ratio.above, ratio.below, epsilon))
    return replace(result, upper=result.upper + ratio.slack, exact=None) if ratio.slack else result  # ln(1 + s) ≤ s


def _log_ratio(p: Exact, q: Exact, epsilon: Exact) -> Exact:
    """ln(p/q); the claimed ε itself where it is that, as for a mechanism that meets its claim with equality."""
    return epsilon if p == exp(epsilon) * q else log(simplified(p / q))

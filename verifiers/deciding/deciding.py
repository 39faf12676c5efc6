"""Deciding a claim of privacy on the databases of an experiment: at one ε, or for every ε at once."""

from dataclasses import replace

from dpverify.mechanisms.numbers.errors import MechanismError, Overtime, Undecided
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.reports.record import Status
from dpverify.verifiers.deciding.one_epsilon import fails, verdict_at_epsilon
from dpverify.verifiers.divergence.densities.errors import Inseparable
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import union_in_words
from dpverify.verifiers.divergence.output_tables.cuts import where_it_returns
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.verdicts import verdict as verdicts
from dpverify.verifiers.verdicts.compared_distributions import tabulated
from dpverify.verifiers.verdicts.verdict import Proved, Refuted, Verdict, VerdictBasis, with_agreement


def decided_on(experiment: Experiment) -> Verdict:
    """The verdict on an experiment. Raises `InputError` as `check_privacy` does of a mechanism."""
    symbol = experiment.question.symbol
    try:
        return _decide_at_one(experiment) if symbol is None else _decide_for_all(experiment, symbol)
    except (Undecided, Overtime) as doubt:
        count = experiment.counted(0)
        basis = VerdictBasis(experiment=experiment)
        return verdicts.Undecided(reason=str(doubt), scope=experiment.scope(count), pairs=count, basis=basis)


def status_on(experiment: Experiment) -> Status:
    """The status of the verdict on an experiment, which is known before what else a verdict says. Raises alike."""
    if experiment.question.symbol is not None:
        return decided_on(experiment).status
    try:
        return Status.REFUTED if fails(experiment, tabulated(experiment)) else Status.PROVED
    except Inseparable:
        return decided_on(experiment).status
    except (Undecided, Overtime):
        return Status.UNDECIDED
    except MechanismError as error:
        if not error.no_closed_form:
            raise
        return decided_on(experiment).status


def _decide_at_one(experiment: Experiment) -> Verdict:
    """By the law of what is returned, or where that has no closed form, by the noises before they are computed with."""
    try:
        return verdict_at_epsilon(experiment, tabulated(experiment))
    except MechanismError as error:
        verdict = _before_post_processing(experiment, str(error)) if error.no_closed_form else None
        if verdict is None:
            raise
        return verdict
    except Inseparable as doubt:
        try:
            verdict = _before_post_processing(experiment)
        except Undecided:
            verdict = None
        reason = f"{doubt}{where_it_returns(experiment.question.mechanism)}"
        if verdict is None:
            raise Undecided(reason) from None
        if isinstance(verdict, verdicts.Undecided):
            return replace(verdict, reason=f"{reason}; {verdict.reason}")
        return verdict


def _before_post_processing(experiment: Experiment, *why: str) -> Verdict | None:
    from dpverify.verifiers.deciding.before_post_processing import decided_before_post_processing

    return decided_before_post_processing(experiment, *why)


def _decide_for_all(experiment: Experiment, symbol: EpsilonSymbol) -> Verdict:
    from dpverify.verifiers.deciding.all_epsilon import decide_for_all

    result = decide_for_all(experiment, symbol)
    scope = experiment.scope(result.count, result.orders, result.repeated, result.parts, result.hold_types)
    basis = VerdictBasis(
        experiment=experiment,
        recheck=result.repeated.mode,
        has_scaled=result.has_scaled,
        whole_runs=result.whole_runs,
        of_sorted_rows=result.orders.is_of_sorted_rows,
    )
    if not result.fails_at:
        tight = ", and some need as much" if result.tight else ""
        reason = f"no pair of neighbours needs more, for any ε > 0{tight}{result.remark}"
        proved = Proved(reason=reason, scope=scope, pairs=result.count, tight=result.tight, basis=basis)
        return with_agreement(proved, experiment.question.claim, result.agree)
    epsilon = result.fails_at[0].sample()
    put = DistributionSubstitution(symbol, epsilon)
    inner = replace(experiment, question=experiment.question.at(put), repeating=never_repeated)
    witness = verdict_at_epsilon(inner, tabulated(inner)).witness
    assert witness is not None, f"the claim fails at ε = {epsilon}"
    reason = f"fails for ε in {union_in_words(result.fails_at)}{result.remark}"
    if witness.epsilon is not epsilon:
        reason += f"; the witness is at ε = {epsilon}, which claims {witness.epsilon}"
    return Refuted(
        reason=reason,
        scope=scope,
        pairs=result.count,
        witness=witness,
        fails_at=result.fails_at,
        tight=result.tight,
        basis=basis,
    )

"""Deciding (ε,δ)-differential privacy on every pair of neighbours of a domain."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dpverify.mechanisms.exact.elementary import exp, log
from dpverify.mechanisms.exact.enclosure import decimal
from dpverify.mechanisms.exact.errors import MechanismError, Overtime, Undecided
from dpverify.mechanisms.exact.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.exact.simplification import simplified
from dpverify.mechanisms.exact.symbolic_epsilon import symbol_in
from dpverify.mechanisms.exact.symbols import Symbol
from dpverify.mechanisms.laws.hidden_chance import sources_replaced
from dpverify.mechanisms.laws.limits import Limits, checked_limits
from dpverify.mechanisms.laws.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.laws.ratio_events import LossAbove
from dpverify.mechanisms.laws.released import ReleasedDistribution
from dpverify.mechanisms.laws.released_reals import Where
from dpverify.mechanisms.laws.substitution import Substitution
from dpverify.reports.record import Status
from dpverify.verifiers.privacy.all_epsilon import decide_for_all
from dpverify.verifiers.privacy.all_sizes.domains import as_endless
from dpverify.verifiers.privacy.all_sizes.verdicts import decided_for_all_sizes
from dpverify.verifiers.privacy.case import (
    Case,
    Laws,
    PrivacyClaim,
    Repeating,
    never_repeated,
    privacy_claim,
    repeated_here,
)
from dpverify.verifiers.privacy.densities.cells import Ratio
from dpverify.verifiers.privacy.densities.events import smallest_violation
from dpverify.verifiers.privacy.domains import Domain
from dpverify.verifiers.privacy.enclosed import Enclosed, enclosed
from dpverify.verifiers.privacy.epsilon_sets import shown
from dpverify.verifiers.privacy.hockey_stick import HockeyStick
from dpverify.verifiers.privacy.moves import Relation
from dpverify.verifiers.privacy.neighbours import replace_one
from dpverify.verifiers.privacy.orbit_case import case_for
from dpverify.verifiers.privacy.reproduction import reproducing_line
from dpverify.verifiers.privacy.scanning import Scanned, is_settled, scan
from dpverify.verifiers.privacy.score_domains import ScoreSpace
from dpverify.verifiers.privacy.sharing import Helpers, helped_by
from dpverify.verifiers.privacy.tails import numbers_of_parts
from dpverify.verifiers.privacy.verdict import Verdict, with_agreement
from dpverify.verifiers.privacy.verdict_record import Asked
from dpverify.verifiers.privacy.witness import Witness, smallest_event

if TYPE_CHECKING:
    from concurrent.futures import Executor


def check_privacy(
    mechanism: Mechanism,
    domain: Domain,
    neighbours: Relation = replace_one,
    *,
    epsilon: ExactLike,
    delta: ExactLike = 0,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    recheck: bool = True,
    executor: Executor | None = None,
) -> Verdict:
    """Decide Pr[M(D) ∈ F] ≤ e^ε·Pr[M(D′) ∈ F] + δ for all events F and all neighbours D, D′ of the domain.

    `epsilon` ≥ 0 and 0 ≤ `delta` ≤ 1 are the claim. The mechanism is given them under these names where its signature
    has them, unless `parameters` says otherwise: a mechanism run at ε can be claimed at 2ε. The verdict is PROVED or
    REFUTED, with the smallest witness in the domain's order; UNDECIDED, with the reason, where a sign has no complete
    test, or one of the `limits` is met, as by a mechanism that does not end. Raises `InputError`, naming the argument,
    for bad input: a float, a claim out of range, an empty domain or one without neighbours, and a mechanism that
    raises, is not deterministic, has chance of its own, or depends on the order of the rows of a multiset.

    Laws are computed a second time for some of the databases, all of few, in a process that is forked before the first
    run, in the reverse order and with sub-mechanisms inlined; `recheck=False` leaves that out. The scope says so, and
    that the hash seed is not varied: claims in files are repeated in another interpreter (see `audit`).

    With `symbolic` as `epsilon`, or in it, the claim is decided for all ε > 0 at once, and a refuted one says at which
    ε it fails. That needs probabilities that are quotients of polynomials in ε and e^(ε/L) with rational coefficients.

    With an `executor` of `concurrent.futures`, a pool of processes or that of a cluster, the laws of a check that takes
    long are found by its processes, and its pairs compared: the mechanism is one of a module that they import. The
    verdict is the same.

    The mechanism runs in this process: one that swallows its interruption by a bare `except:` hangs it, and one that
    calls `os._exit` ends it. `dpverify check` and `audit` guard against both.
    """
    helping = nullcontext() if executor is None else helped_by(_helpers(executor, mechanism, parameters))
    with helping, sources_replaced():  # once, and not for every law
        return decided(
            mechanism,
            domain,
            neighbours,
            epsilon=epsilon,
            delta=delta,
            parameters=parameters,
            limits=limits,
            repeating=repeated_here if recheck else never_repeated,
        )


def _helpers(executor: Executor, mechanism: Mechanism, parameters: Mapping[str, Any] | None) -> Helpers:
    from dpverify.verifiers.privacy.executors import ExecutorHelpers

    return ExecutorHelpers(executor, mechanism, parameters or {})


def decided(
    mechanism: Mechanism,
    domain: Domain,
    neighbours: Relation,
    *,
    epsilon: ExactLike,
    delta: ExactLike,
    parameters: Mapping[str, Any] | None,
    limits: Limits | None,
    repeating: Repeating,
    tried: bool = True,
) -> Verdict:
    """As `check_privacy`; `repeating` says who computes laws a second time.

    What is PROVED for all sizes is `tried` on real databases first: whoever asks of a mutant has no need of that.
    """
    claim = privacy_claim(epsilon, delta)
    asked = Asked(mechanism, domain, neighbours, claim, parameters or {})
    endless = as_endless(domain)
    if endless is not None:
        limits = checked_limits(limits)
        found = decided_for_all_sizes(mechanism, endless, neighbours, claim, parameters, limits, decided_case, tried)
        return replace(found, asked=asked)
    case = case_for(mechanism, domain, neighbours, claim._asdict(), parameters, limits, repeating)
    return replace(decided_case(case, claim), case=case, asked=asked)


def decided_case(case: Case, claim: PrivacyClaim) -> Verdict:
    """The verdict on a case. Raises `InputError` as `check_privacy` does of a mechanism."""
    symbol = symbol_in((*claim, case.parameters))
    try:
        return _decide(case, case.tabulated(), claim) if symbol is None else _decide_for_all(case, claim, symbol)
    except (Undecided, Overtime) as doubt:
        count = case.counted(0)
        return Verdict(
            Status.UNDECIDED, str(doubt), case.scope(count), None, None, None, None, count, case.number_of_databases
        )


def _decide_for_all(case: Case, claim: PrivacyClaim, symbol: Symbol) -> Verdict:
    found = decide_for_all(symbol, claim, case, _fails)
    verdict = Verdict(
        Status.PROVED,
        "no pair of neighbours needs more, for any ε > 0" + (", and some need as much" if found.tight else ""),
        case.scope(found.count, found.in_every_order, found.repeated, found.parts),
        None,
        None,
        None,
        None,
        found.count,
        case.number_of_databases,
        fails_at=found.fails_at,
        recheck=found.repeated.mode,
        tight=found.tight,
        has_scaled=found.has_scaled,
    )
    if not found.fails_at:
        return with_agreement(verdict, claim, found.agree)
    epsilon = next(
        (epsilon for epsilon in (interval.sample() for interval in found.fails_at) if epsilon is not None), None
    )
    if epsilon is None:
        raise Undecided(
            f"fails for ε in {shown(found.fails_at)} alone, where no closed form lets a witness be computed"
        )
    put = Substitution(symbol, epsilon)
    inner = replace(case, parameters=exact_parameters(put(case.parameters)), repeating=never_repeated)
    witness = _decide(inner, inner.tabulated(), PrivacyClaim(*map(put, claim))).witness
    assert witness is not None, f"the claim fails at ε = {epsilon}"
    reason = f"fails for ε in {shown(found.fails_at)}"
    if witness.epsilon is not epsilon:
        reason += f"; the witness is at ε = {epsilon}, which claims {witness.epsilon}"
    return replace(verdict, status=Status.REFUTED, reason=reason, witness=witness)


def _decide(case: Case, laws: Laws, claim: PrivacyClaim) -> Verdict:
    found, ratio, laws = _scanned(case, laws, claim)
    tabulation, table, _, densities = laws
    count = case.counted(laws.distinct_pairs)
    delta = None
    if not found.is_partial:
        doubts = len(found.doubts) + found.most_gaps + found.is_worst_in_doubt
        delta = enclosed(found.worst, summands_undecided=doubts)
    epsilon = None if ratio is None else _enclosed_log(ratio, claim.epsilon)
    witness = None
    if found.violating is not None:
        status, reason = Status.REFUTED, f"a pair of neighbours needs δ ≥ {decimal(found.worst)} at this ε"
        if densities is None:
            left, right = table.law_of[list(found.violating)]
            stick = HockeyStick(table, np.array([left]), np.array([right]), claim.epsilon)
            event = smallest_event(stick, table, 0, claim.delta)
        else:
            pair = densities.pair_at(*found.violating)
            event = smallest_violation(densities, pair, claim.epsilon, exp(claim.epsilon), claim.delta)
        witness = _witness(case, claim, found.violating, *event)
    elif found.is_undecided:
        status, reason = Status.UNDECIDED, "; ".join(dict.fromkeys(found.doubts))
        epsilon = None
    else:
        status, reason = Status.PROVED, f"no pair of neighbours needs more than δ = {decimal(found.worst)} at this ε"
    verdict = Verdict(
        status,
        reason,
        case.scope(count, tabulation.databases_in_every_order, tabulation.repeated, laws.parts),
        delta,
        epsilon,
        None if found.attaining is None else _databases(case, found.attaining),
        witness,
        count,
        case.number_of_databases,
        laws,
        recheck=tabulation.repeated.mode,
        has_scaled=tabulation.has_scaled,
    )
    return with_agreement(verdict, claim, laws.agree)


_FAR: Final = 32
"""Numbers behind the last centre from which on products of several tails are given up."""


def _scanned(case: Case, laws: Laws, claim: PrivacyClaim) -> tuple[Scanned, Ratio | None, Laws]:
    """What the pairs need, the largest ratio, and the laws, tails of several rates so far out that both are exact."""
    if laws.densities is not None:
        ratio = laws.densities.ratio
        laws, missing = laws.at(claim.epsilon)
        return scan(laws.table, laws.compared, *claim, missing), ratio, laws
    laws = _with_settled_tails(case, laws, claim)
    found = scan(laws.table, laws.compared, *claim)
    return found, None if found.ratio is None else Ratio(*found.ratio, found.ratio_slack), laws


def _with_settled_tails(case: Case, laws: Laws, claim: PrivacyClaim) -> Laws:
    beyond = 1
    while laws.table.blocks and not is_settled(laws.table, laws.compared, claim.epsilon):
        table = laws.table
        if beyond >= _FAR and any(len(numbers_of_parts(table.outcomes[block[0]])) > 1 for block in table.blocks):
            raise Undecided(
                "two laws exceed each other by turns in the tails of several released numbers at once, however far "
                "out; so far that is decided for one number with such tails: clamp the others"
            )
        beyond *= 2
        laws = case.compared(laws.tabulation, beyond)
    return laws


def _fails(case: Case, laws: Laws, claim: PrivacyClaim) -> bool:
    """Whether a claim fails at a single ε."""
    verdict = _decide(case, laws, claim)
    if verdict.status is Status.UNDECIDED:
        raise Undecided(verdict.reason)
    return verdict.status is Status.REFUTED


def _databases(case: Case, pair: tuple[int, int]) -> tuple[Hashable, Hashable]:
    left, right = pair
    return case.databases[left], case.databases[right]


def _witness(
    case: Case, claim: PrivacyClaim, at: tuple[int, int], event: tuple[Any, ...], p: Exact, q: Exact
) -> Witness:
    left, right = _databases(case, at)
    is_named = not any(isinstance(outcome, LossAbove) for outcome in event)
    for database, probability in ((left, p), (right, q)) if is_named else ():
        again = case.subject.enumeration().law(case.mechanism, (database,), case.parameters)
        if isinstance(again, ReleasedDistribution) and again.noisy_parts and any(map(_is_where, event)):
            is_named = False  # bounds of numbers by their places, some of which are in parts
            continue
        if again.probability(*event) != probability:
            raise MechanismError(
                f"{name_of(case.mechanism)} on {database!r} is not deterministic: the witness's probability was "
                "another one when computed again; let all chance come from `draw`, and keep nothing between calls"
            )
    line = reproducing_line(case.mechanism, case.parameters, (left, right), event, *claim) if is_named else None
    return Witness(left, right, event, p, q, *claim, line, _lifted(case.domain, left, right))


def _is_where(outcome: object) -> bool:
    return isinstance(outcome, Where)


def _lifted(domain: Domain, left: Hashable, right: Hashable) -> str | None:
    """The databases and the quality function that neighbouring score vectors stand for."""
    if not isinstance(domain, ScoreSpace):
        return None
    return (
        f"lifted: one-row databases a, b with the sensitivity-1 quality q((a,), h) = {left}[h], q((b,), h) = {right}[h]"
    )


def _enclosed_log(ratio: Ratio, epsilon: Exact) -> Enclosed:
    """The logarithm of a largest ratio; between two numbers where that is not known exactly."""
    found = enclosed(_log_ratio(ratio.above, ratio.below, epsilon))
    return replace(found, upper=found.upper + ratio.slack, exact=None) if ratio.slack else found  # ln(1 + s) ≤ s


def _log_ratio(p: Exact, q: Exact, epsilon: Exact) -> Exact:
    """ln(p/q); the claimed ε itself where it is that, as for a mechanism that meets its claim with equality."""
    return epsilon if p == exp(epsilon) * q else log(simplified(p / q))

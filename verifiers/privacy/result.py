"""The result of a privacy claim, and of its mutant, as a record."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from inspect import getdoc, unwrap
from typing import Any, Final, NamedTuple

from msgspec import UNSET, UnsetType
from msgspec.structs import replace as replace_fields

from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.numbers.enclosure import decimal
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ONE, exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.line_runs import LineRuns
from dpverify.reports.never_run import NeverRun
from dpverify.reports.privacy_record import FINITE_DOMAIN, LEFT_TO_DEPTH_FULL, MutantResult, PrivacyResult, SweepPoint
from dpverify.reports.record import NOT_RECHECKED, Scope, Status, storable
from dpverify.verifiers.all_sizes.compositions.domains import WithSymbols
from dpverify.verifiers.all_sizes.compositions.drawn_guarantees import with_hint
from dpverify.verifiers.all_sizes.regions.domains import as_endless
from dpverify.verifiers.claims import AS_USUAL, How, reaches
from dpverify.verifiers.divergence.output_tables.enclosed import Enclosed
from dpverify.verifiers.line_coverage.collecting import IS_CHEAP
from dpverify.verifiers.line_coverage.line_runs import databases_looked_at, line_runs
from dpverify.verifiers.line_coverage.results import Looking, RunRecord, Watched, looking_on, never_run
from dpverify.verifiers.privacy.checker import decided_question
from dpverify.verifiers.privacy.statement import PrivacyStatement
from dpverify.verifiers.problems.preparation.another_interpreter import repeated_elsewhere
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.processes.workplace import HERE, Workplace
from dpverify.verifiers.profiles.longer_inputs import LongerInputs, trend, worst_pairs_of
from dpverify.verifiers.profiles.nearby import refuted_nearby
from dpverify.verifiers.profiles.strength import strength_of
from dpverify.verifiers.readable import readable
from dpverify.verifiers.verdicts.growth import growth_by_size
from dpverify.verifiers.verdicts.profile_record import profile_or_none
from dpverify.verifiers.verdicts.verdict import Proved, Refuted, Undecided, Verdict, record_of, scope_on


def verdict_on_claim(
    claim: PrivacyStatement,
    mechanism: Mechanism | None = None,
    *,
    recheck: bool = True,
    watched: Watched | None = None,
    where: Workplace = HERE,
) -> Verdict:
    """The verdict on a claim, or on the claim with another mechanism in its place.

    Its distributions are computed a second time, by another interpreter if one runs, unless `recheck` is False; those
    of another mechanism, such as a mutant, never are. Where it is `watched`, it is noted what of it runs. Raises
    `InputError`, naming the claim, as `check_privacy` does.
    """
    looking = looking_on(claim.mechanism, watched) if watched else nullcontext(Looking())
    try:
        with looking as looked:
            if mechanism is not None:
                verdict = decided_question(replace(claim.question, mechanism=mechanism), never_repeated, where)
            else:
                repeating = repeated_elsewhere(claim.reference) if recheck else never_repeated
                verdict = decided_question(claim.question, repeating, where)
        verdict = replace(verdict, basis=replace(verdict.basis, ran=looked.ran))
        return with_hint(verdict) if mechanism is None else verdict
    except InputError as error:
        raise InputError(f"{claim.id}: {error}") from error


def decided_claim(claim: PrivacyStatement, how: How) -> Verdict:
    """The verdict on a claim, decided so.

    Raises as `verdict_on_claim` does, and in a strict audit where the mechanism keeps another ε or δ than is claimed.
    """
    if how.strict:
        claim.refuse_contradiction()
    return verdict_on_claim(claim, recheck=how.recheck, watched=watched_for(claim, how), where=how.where)


def privacy_result(claim: PrivacyStatement, how: How = AS_USUAL, verdict: Verdict | None = None) -> PrivacyResult:
    """The record of a claim: its verdict, unless it is known, and that of its mutant."""
    verdict = decided_claim(claim, how) if verdict is None else verdict
    verdict, scope, ran = _on_all_sizes(claim, verdict, how)
    mutant = None
    if claim.mutant is not None:
        mutant = _result_of_mutant(claim, claim.mutant, verdict, how)
    question = claim.question
    sweep = _swept(claim, how)
    profile = profile_or_none(verdict.basis.laws)
    strength = strength_of(verdict, question.claim, profile, claim.least, each_multiplier=how.slack)
    result = replace_fields(
        record_of(verdict, question, scope, profile),
        id=claim.id,
        source=claim.source,
        statement=claim.statement,
        expected=claim.verdict_expected,
        refutation=claim.refuted_as(verdict.status),
        proved_for=_proved_for(claim, verdict, scope),
        growth=growth_by_size(verdict),
        all_sizes_demanded=claim.scope == "all" and _is_decided_on_all_sizes(claim, how),
        sweep=[_point(outcome) for outcome in sweep],
        trend=trend([None if outcome.found is None else outcome.found.exact for outcome in sweep]),
        mutant=mutant,
        noise_multipliers=None if strength.multipliers is None else list(strength.multipliers),
        headroom=strength.headroom,
        tight_over_claimed=strength.tight_over_claimed,
        loose=strength.loose,
        least=strength.least,
        loose_because=claim.weak_because,
        neighbours_agree_expected=claim.neighbours_agree,
        mutant_demanded=how.strict and claim.reference is not None and claim.reference.place is not None,
        strict=how.strict,
        never_run=_never_run(claim, verdict, ran),
        line_runs=_line_runs(claim, verdict) if how.lines and not verdict.basis.outside else UNSET,
    )
    return storable(result)


def _proved_for(claim: PrivacyStatement, verdict: Verdict, scope: Scope) -> str:
    """The domain that a claim is proved for, in words: the one without end, where it is proved on that as well."""
    if claim.all_sizes is None or scope.extent != "all" or not isinstance(verdict, Proved):
        return verdict.proved_for
    return replace(verdict, question=replace(claim.question, domain=claim.all_sizes)).proved_for


def watched_for(claim: PrivacyStatement, how: How) -> Watched | None:
    """Claim for which it is noted what of a mechanism runs; None where that is not asked for.

    The mechanisms of the catalogue are general: a line that no database of one claim runs is run by another one, and
    their reports are the same on all versions of Python. So of those it is noted only where it is asked for.
    """
    is_of_catalogue = claim.reference is not None and claim.reference.place == ""
    by_default = (IS_CHEAP or how.strict) and not is_of_catalogue
    return Watched(claim.reference) if (by_default if how.reach is None else how.reach) else None


def _never_run(claim: PrivacyStatement, verdict: Verdict, ran: Sequence[RunRecord | None]) -> NeverRun | None:
    """The lines that no database runs of a mechanism whose claim is proved."""
    if not isinstance(verdict, Proved):
        return None
    experiment = verdict.basis.experiment
    try:
        return never_run(ran, 0 if experiment is None or len(ran) > 1 else len(experiment.run_on))
    except InputError as error:
        raise InputError(f"{claim.id}: {error}") from error


def _line_runs(claim: PrivacyStatement, verdict: Verdict) -> LineRuns | UnsetType:
    """The probabilities of lines on some databases: those of a witness, and others of the domain."""
    question, witness, experiment = claim.question, verdict.witness, verdict.basis.experiment
    first = [] if witness is None else [witness.left, witness.right]
    domain = [] if experiment is None else experiment.run_on
    if question.of_every_delta or not (first or domain):
        return UNSET
    epsilon = None if question.symbol is None else ONE if witness is None else witness.epsilon
    databases = databases_looked_at(first, domain)
    looked_at, lines = line_runs(question.mechanism, databases, question.arguments_at(epsilon), question.limits)
    if not lines:
        return UNSET
    of_all_sizes = claim.all_sizes is not None or verdict.basis.for_all_sizes
    are_all = not of_all_sizes and looked_at == len(databases) == verdict.basis.databases
    return LineRuns(looked_at, are_all, "" if epsilon is None else decimal(epsilon, 6), lines)


def _on_all_sizes(
    claim: PrivacyStatement, verdict: Verdict, how: How
) -> tuple[Verdict, Scope, Sequence[RunRecord | None]]:
    """The verdict, that on all sizes where it is refuted there, what it covers, and what ran for it."""
    ran = [verdict.basis.ran]
    if verdict.basis.for_all_sizes:
        scope = scope_on(verdict, verdict.reason)
        return verdict, replace_fields(scope, recomputation=NOT_RECHECKED), ran
    if isinstance(verdict, Refuted):
        return verdict, scope_on(verdict, _WITNESS), ran
    if claim.all_sizes is None or not isinstance(verdict, Proved):
        return verdict, scope_on(verdict, claim.finite_because or FINITE_DOMAIN), ran
    if not _is_decided_on_all_sizes(claim, how):
        return verdict, scope_on(verdict, LEFT_TO_DEPTH_FULL), ran
    everywhere = verdict_on_claim(of_all_sizes(claim), recheck=False, watched=watched_for(claim, how), where=how.where)
    ran = [verdict.basis.ran, everywhere.basis.ran]
    match everywhere:
        case Proved():
            text = f"{everywhere.scope}: {everywhere.reason}; and, one by one, {verdict.scope}"
            return (
                verdict,
                Scope("all", "", verdict.basis.recheck, text, small_instance=everywhere.basis.small_instance),
                ran,
            )
        case Refuted():
            return everywhere, scope_on(everywhere, _WITNESS), ran
    return verdict, scope_on(verdict, everywhere.reason), ran


_WITNESS: Final = "a witness is enough"


def _is_decided_on_all_sizes(claim: PrivacyStatement, how: How) -> bool:
    return reaches(how.depth, claim.all_sizes_depth)


def of_all_sizes(claim: PrivacyStatement) -> PrivacyStatement:
    """The claim on its domain without end: what that gives to a mechanism is not a parameter of the claim there."""
    endless = as_endless(claim.all_sizes)
    assert endless is not None and claim.all_sizes is not None
    if isinstance(endless, WithSymbols):
        there = {**claim.parameters, **endless.parameters_there}
        asked: dict[str, Any] = {"epsilon": endless.epsilon, "delta": endless.delta, "parameters": there}
        return replace(claim, domain=endless.domain, all_sizes=None, **asked)
    given = {name: value for name, value in claim.parameters.items() if name not in endless.given}
    return replace(claim, domain=claim.all_sizes, all_sizes=None, parameters=given)


def _result_of_mutant(claim: PrivacyStatement, mutant: Mechanism, verdict: Verdict, how: How) -> MutantResult:
    """The verdict on a claim's mutant, from a few pairs where they refute it.

    Of a claim that is decided before post-processing it may be refuted there, and says so; by noise that is only
    compared only where the claim is decided so.
    """
    name, said = name_of(mutant), _first_line(mutant)
    basis = verdict.basis
    if (
        basis.experiment is not None
        and not basis.outside
        and refuted_nearby(replace(claim.question, mechanism=mutant), verdict)
    ):
        return MutantResult(name, said, Status.REFUTED)
    result = verdict_on_claim(claim, mutant, where=how.where)
    is_refuted = result.basis.refuted_before_post_processing and result.basis.by_all_drawn <= verdict.basis.by_all_drawn
    if verdict.basis.before_post_processing and is_refuted:
        return MutantResult(name, f"{said} (refuted before post-processing)".strip(), Status.REFUTED)
    return MutantResult(name, said, result.status)


class _Found(NamedTuple):
    """The exact ε at a size, or the worst δ where the claimed δ is not 0; None for ∞; and on which pair, if on one."""

    size: int
    found: Enclosed | None
    pair: tuple[Hashable, Hashable] | None = None


def _swept(claim: PrivacyStatement, how: How) -> list[_Found]:
    """The findings at the sizes of a claim's sweep."""
    if isinstance(claim.sweep, LongerInputs):
        pairs = worst_pairs_of(claim.question, claim.sweep, how.where)
        return [_Found(pair.length, pair.found, (pair.left, pair.right)) for pair in pairs]
    return [_Found(size, _found_on(replace(claim, domain=claim.sweep[size]), how)) for size in sorted(claim.sweep)]


def _found_on(claim: PrivacyStatement, how: How) -> Enclosed | None:
    verdict = verdict_on_claim(claim, recheck=False, where=how.where)
    if isinstance(verdict, Undecided):
        raise InputError(
            bad_input.CALIBRATION,
            claim.id,
            shown(claim.domain),
            f"a size of its sweep, shows nothing: {verdict.reason}",
        )
    return verdict.epsilon if exact(claim.delta) == 0 else verdict.delta


def _point(at: _Found) -> SweepPoint:
    pair = None if at.pair is None else [readable(word) for word in at.pair]
    return SweepPoint(size=at.size, result=None if at.found is None else at.found.quantity, pair=pair)


def _first_line(mechanism: Mechanism) -> str:
    return (getdoc(unwrap(mechanism)) or "").partition("\n")[0].removeprefix("Mutant: ")

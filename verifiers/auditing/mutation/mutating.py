"""Mutants of the mechanisms of claims: some are sampled, and tried on the claims until one of them is refuted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from dpverify.mechanisms.functions.places import shortened_path
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.record import Status
from dpverify.verifiers.auditing.auditing import installed_version, load_modules
from dpverify.verifiers.auditing.cache.reached_files import is_of_dpverify
from dpverify.verifiers.auditing.mutation.codes import Loaded
from dpverify.verifiers.auditing.mutation.fates import OPEN
from dpverify.verifiers.auditing.mutation.figures import figures_of
from dpverify.verifiers.auditing.mutation.record import (
    MUTANTS_SCHEMA_VERSION,
    ClaimMutants,
    MutantOutcome,
    MutantRecord,
    MutationRecord,
)
from dpverify.verifiers.auditing.mutation.subjects import (
    MutantKey,
    OnProgress,
    Subject,
    Trials,
    are_kin,
    in_order_of_seed,
    surveys,
)
from dpverify.verifiers.claims import Depth, reaches
from dpverify.verifiers.privacy.claim import Claim


@dataclass(frozen=True)
class MutantPlan:
    """Selection of the mutants that are tried."""

    seed: int = 1
    limit: int = 30
    """Number of mutants of a claim at most, but those that it does not reach."""
    seconds: float = 20
    """Time that one may take of a processor, or ten times as long as its claim, if that is more."""
    jobs: int = 1
    depth: Depth = "quick"
    """Up to which all sizes are decided of what is not refuted."""
    beyond: Depth | None = None
    """Up to which claims that were not asked for are tried, of the same rows and mechanisms."""


_TRIES: Final = 5
"""Multiple of the limit that is tried of a claim at most, to find so many that it reaches."""


class MutatingStopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM; `record` holds what was decided by then."""

    def __init__(self, record: MutationRecord) -> None:
        super().__init__("interrupted")
        self.record = record


def mutate(
    claims: Sequence[Claim],
    plan: MutantPlan,
    on_progress: OnProgress = lambda done, known: None,
    others: Sequence[Claim] = (),
) -> MutationRecord:
    """The fates of mutants of each claim that is expected to be PROVED.

    A claim that cannot be mutated is a row of the record: it is not PROVED, or its mechanism has no source. A mutant
    that is not refuted by its claim is tried on the other claims that run the same function, those of the same row and
    mechanism first, until one is refuted; and then on those of `others` that are of the same row or mechanism, up to
    the depth that the plan says. Raises `MutatingStopped` on Ctrl-C or SIGTERM, and `InputError` where processes cannot
    be forked.
    """
    if not hasattr(os, "fork"):
        raise InputError(
            bad_input.NEEDS, "a mutant", "a process that is forked, which this system does not have", "run it on Linux"
        )
    left_out = [claim.id for claim in claims if not _may_be_mutated(claim)]
    load_modules(claims)
    loaded = Loaded.now()
    asked = [claim for claim in claims if claim.id not in left_out]
    subjects, rows, interrupted = surveys(asked, loaded, plan.jobs)
    trials = Trials(loaded, plan.seconds, plan.depth, plan.jobs, on_progress, interrupted)
    sampled = {subject.claim.id: _sampled(subject, plan) for subject in subjects}
    tried: dict[str, list[MutantKey]] = {subject.claim.id: [] for subject in subjects}
    while batch := [task for subject in subjects for task in _next_of(subject, sampled, tried, plan)]:
        trials.decide(batch)
    _pursue(subjects, subjects, tried, trials)
    further: list[Subject] = []
    if plan.beyond is not None and not trials.interrupted and any(_open(subject, tried) for subject in subjects):
        kin = [claim for claim in others if _is_further(claim, claims, subjects, plan.beyond)]
        further, _, trials.interrupted = surveys(kin, loaded, plan.jobs, with_strength=False)
        _pursue(subjects, further, tried, trials)
    record = MutationRecord(
        schema=MUTANTS_SCHEMA_VERSION,
        dpverify=installed_version(),
        seed=plan.seed,
        limit=plan.limit,
        depth=plan.depth,
        beyond=plan.beyond,
        figures=figures_of(subjects, further, tried),
        claims=[_claim_mutants(subject, tried[subject.claim.id], subjects, further) for subject in subjects],
        not_decided=rows,
        left_out=left_out,
    )
    if trials.interrupted:
        raise MutatingStopped(record)
    return record


def _sampled(subject: Subject, plan: MutantPlan) -> Iterator[MutantKey]:
    """The mutations to try, one after another, as many as there may be to find those that the claim reaches."""
    for tries, key in enumerate(in_order_of_seed(subject, plan.seed)):
        if tries == _TRIES * plan.limit:
            return
        yield key


def _next_of(
    subject: Subject, sampled: dict[str, Iterator[MutantKey]], tried: dict[str, list[MutantKey]], plan: MutantPlan
) -> Iterator[tuple[Subject, MutantKey]]:
    """So many mutants of a claim as it needs to have as many as it may that are not unreached."""
    before = tried[subject.claim.id]
    if any(key not in subject.outcomes for key in before):  # interrupted
        return
    counted = sum(subject.outcomes[key].fate != "unreached" for key in before)
    for _, key in zip(range(plan.limit - counted), sampled[subject.claim.id], strict=False):
        before.append(key)
        yield subject, key


def _open(subject: Subject, tried: dict[str, list[MutantKey]]) -> list[MutantKey]:
    """The mutants that were tried of a claim, and of which it is not refuted."""
    outcomes = subject.outcomes
    return [key for key in tried[subject.claim.id] if key in outcomes and outcomes[key].fate in OPEN]


def _may_be_mutated(claim: Claim) -> bool:
    """True where it is PROVED of databases: a claim for every δ is of the function as it is written, by a theorem."""
    return claim.verdict_expected is Status.PROVED and not claim.is_of_every_delta


def _is_further(claim: Claim, asked: Sequence[Claim], subjects: Sequence[Subject], depth: Depth) -> bool:
    """True where a claim was not asked for, is expected to be PROVED, and is kin of one that was."""
    if not _may_be_mutated(claim) or not reaches(depth, claim.depth):
        return False
    if any(claim.id == each.id for each in asked):
        return False
    return any(are_kin(claim, subject.claim) for subject in subjects)


def _pursue(
    makers: Sequence[Subject], judges: Sequence[Subject], tried: dict[str, list[MutantKey]], trials: Trials
) -> None:
    """Try the mutants that a claim is not refuted of on other claims, one after another, until one is refuted."""
    waiting: dict[MutantKey, list[Subject]] = {}
    for maker in makers:
        for key in _open(maker, tried):
            able = [judge for judge in judges if key in judge.mutations]
            kin = {judge.claim.id for judge in able if are_kin(judge.claim, maker.claim)}
            able.sort(key=lambda judge: (judge.claim.id not in kin, judge.survey.seconds))
            waiting.setdefault(key, able)
    while waiting and not trials.interrupted:
        batch = []
        for key, able in list(waiting.items()):
            untried = [judge for judge in able if key not in judge.outcomes]
            if not untried or any(key in judge.outcomes and judge.outcomes[key].fate == "killed" for judge in able):
                del waiting[key]
            else:
                batch.append((untried[0], key))
        trials.decide(batch)


def _claim_mutants(
    subject: Subject, tried: Iterable[MutantKey], subjects: Sequence[Subject], further: Sequence[Subject]
) -> ClaimMutants:
    decided = [subject.mutations[key] for key in tried if key in subject.outcomes]
    in_order = sorted(decided, key=lambda each: (each.file, each.line, each.edits[0].start, each.operator, each.after))
    strength = subject.survey.strength
    functions = {(file, scope) for file, running in subject.survey.running for scope in running}
    return ClaimMutants(
        id=subject.claim.id,
        claimed=subject.claim.claimed,
        functions=sorted(f"{_short(file)}:{'.'.join(name for name, _ in scope)}" for file, scope in functions),
        mutants_in_all=len(subject.mutations),
        mutants=[
            MutantRecord(
                operator=mutation.operator,
                file=_short(mutation.file),
                line=mutation.line,
                function=mutation.function,
                before=mutation.before,
                after=mutation.after,
                outcome=_among_all((mutation.file, mutation.edits), subject, subjects, further),
            )
            for mutation in in_order
        ],
        tight_over_claimed=strength.tight_over_claimed,
        smallest_delta=strength.delta,
        noise_multipliers=None if strength.multipliers is None else list(strength.multipliers),
        headroom=strength.headroom,
        least=strength.least,
        loose=strength.loose,
        loose_because=subject.claim.weak_because,
    )


def _among_all(
    key: MutantKey, subject: Subject, subjects: Sequence[Subject], further: Sequence[Subject]
) -> MutantOutcome:
    """The fate of a mutant of a claim, if the others are heard as well."""
    outcome = subject.outcomes[key]
    if outcome.fate not in OPEN:
        return outcome
    if killer := _killer(key, subjects):
        return MutantOutcome(fate="killed by another", reason=f"{killer.id} is refuted of it")
    if outcome.fate == "survived" and (killer := _killer(key, further)):
        return MutantOutcome(fate="missed", reason=f"{killer.id}, of depth {killer.depth}, is refuted of it")
    return outcome


def _killer(key: MutantKey, judges: Iterable[Subject]) -> Claim | None:
    """A claim that is refuted of a mutant; None where none is."""
    return next((each.claim for each in judges if key in each.outcomes and each.outcomes[key].fate == "killed"), None)


def _short(file: str) -> str:
    return shortened_path(file, ours=is_of_dpverify(file))

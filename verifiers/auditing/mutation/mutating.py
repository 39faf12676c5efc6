"""Mutants of the mechanisms of claims: some are sampled, and each is tried on its claim."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from dpverify.mechanisms.functions.places import shortened_path
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.record import Status
from dpverify.verifiers.auditing.auditing import installed_version, load_modules
from dpverify.verifiers.auditing.mutation.codes import Loaded
from dpverify.verifiers.auditing.mutation.record import (
    MUTANTS_SCHEMA_VERSION,
    ClaimMutants,
    MutantRecord,
    MutationRecord,
)
from dpverify.verifiers.auditing.mutation.subjects import (
    MutantKey,
    OnProgress,
    Subject,
    Trials,
    in_order_of_seed,
    surveys,
)
from dpverify.verifiers.claims import Depth
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.questions.outside import outside_places
from dpverify.verifiers.processes.versions import is_of_dpverify


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


_TRIES: Final = 5
"""Multiple of the limit that is tried of a claim at most, to find so many that it reaches."""


class MutatingStopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM; `record` holds what was decided by then."""

    def __init__(self, record: MutationRecord) -> None:
        super().__init__("interrupted")
        self.record = record


def mutate(
    claims: Sequence[Claim], plan: MutantPlan, on_progress: OnProgress = lambda done, known: None
) -> MutationRecord:
    """The fates of mutants of each claim that is expected to be PROVED.

    A claim that cannot be mutated is a row of the record: it is not PROVED, or its mechanism has no source. Raises
    `MutatingStopped` on Ctrl-C or SIGTERM, and `InputError` where processes cannot be forked.
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
    record = MutationRecord(
        schema=MUTANTS_SCHEMA_VERSION,
        dpverify=installed_version(),
        seed=plan.seed,
        limit=plan.limit,
        depth=plan.depth,
        claims=[_claim_mutants(subject, tried[subject.claim.id]) for subject in subjects],
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


def _may_be_mutated(claim: Claim) -> bool:
    """True where it is PROVED of databases: a claim for every δ is of the function as it is written, by a theorem."""
    is_expected = claim.verdict_expected is Status.PROVED and not claim.is_of_every_delta
    return is_expected and not outside_places(claim.mechanism, claim.parameters)


def _claim_mutants(subject: Subject, tried: Iterable[MutantKey]) -> ClaimMutants:
    decided = [subject.mutations[key] for key in tried if key in subject.outcomes]
    in_order = sorted(decided, key=lambda each: (each.file, each.line, each.edits[0].start, each.operator, each.after))
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
                outcome=subject.outcomes[mutation.file, mutation.edits],
            )
            for mutation in in_order
        ],
    )


def _short(file: str) -> str:
    return shortened_path(file, ours=is_of_dpverify(file))

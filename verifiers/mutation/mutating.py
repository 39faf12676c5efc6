"""Mutants of the mechanisms of claims: some are sampled, and each is decided in a process that is forked for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import msgspec

from dpverify.mechanisms.functions.places import shortened_path
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.record import NotDecided, Status
from dpverify.verifiers.auditing.attempts import Attempts, Schedule, not_decided
from dpverify.verifiers.auditing.auditing import installed_version, load_modules
from dpverify.verifiers.auditing.exit_status import reason_of
from dpverify.verifiers.kept.reached_files import is_of_dpverify
from dpverify.verifiers.mutation.codes import Loaded, codes_by_place, text_of_file
from dpverify.verifiers.mutation.fates import GIVEN_UP, fate_of
from dpverify.verifiers.mutation.mutation import Edit, Mutation
from dpverify.verifiers.mutation.operators import mutations
from dpverify.verifiers.mutation.record import SCHEMA_VERSION, ClaimMutants, MutantRecord, MutationRecord, Outcome
from dpverify.verifiers.mutation.survey import Survey, read, refuse_what_has_no_source, surveyed
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.processes.workers import INTERRUPTED, Lost, Run
from dpverify.verifiers.profiles.noise_shares import is_weak, slack_of

OnProgress = Callable[[int, int], None]
"""Called with how many of how many mutants are decided."""


@dataclass(frozen=True)
class MutantPlan:
    """Which mutants are tried, and how."""

    seed: int = 1
    limit: int = 30
    """How many there are of a claim at most."""
    seconds: float = 20
    """How long one may take of a processor, or ten times as long as its claim, if that is more."""
    jobs: int = 1


_TIMES_THE_CLAIM: Final = 10
_TIMES_ITS_TIME: Final = 10
"""How many times the seconds of a processor a clock on the wall may show before a mutant is ended from outside."""


class MutatingStopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM; `record` holds what was decided by then."""

    def __init__(self, record: MutationRecord) -> None:
        super().__init__("interrupted")
        self.record = record


_Key = tuple[str, tuple[Edit, ...]]
"""What a mutation changes: mutants of several claims may be one."""


@dataclass
class _Subject:
    """A claim with its survey, all mutations that there are of its functions, and what is known of some."""

    claim: Claim
    survey: Survey
    mutations: Mapping[_Key, Mutation] = field(repr=False)
    outcomes: dict[_Key, Outcome] = field(default_factory=dict, repr=False)


_Task = tuple[_Subject, Mutation]


def mutate(
    claims: Sequence[Claim], plan: MutantPlan, on_progress: OnProgress = lambda done, known: None
) -> MutationRecord:
    """What becomes of mutants of each claim that is expected to be PROVED.

    A claim that cannot be mutated is a row of the record: it is not PROVED, or its mechanism has no source. A mutant
    that survives a claim, or is refuted on its stronger domains alone, is tried on those of the other claims that run
    the same function. Raises `MutatingStopped` on Ctrl-C or SIGTERM, and `InputError` where processes cannot be forked.
    """
    if not hasattr(os, "fork"):
        raise InputError("mutants are decided in forked processes, and this system has none")
    left_out = [claim.id for claim in claims if claim.verdict_expected is not Status.PROVED]
    load_modules(claims)
    loaded = Loaded.now()
    subjects, rows, interrupted = _surveyed([claim for claim in claims if claim.id not in left_out], loaded, plan.jobs)
    sampled = [(subject, mutation) for subject in subjects for mutation in _sampled(subject, plan)]
    interrupted = interrupted or _decide(sampled, loaded, plan, on_progress)
    interrupted = interrupted or _decide(list(_untried(subjects, sampled)), loaded, plan, on_progress)
    tried = {subject.claim.id: [mutation for of, mutation in sampled if of is subject] for subject in subjects}
    mutants = [_claim_mutants(subject, tried[subject.claim.id], subjects) for subject in subjects]
    record = MutationRecord(
        schema=SCHEMA_VERSION,
        dpverify=installed_version(),
        seed=plan.seed,
        limit=plan.limit,
        claims=mutants,
        not_decided=rows,
        left_out=left_out,
    )
    if interrupted:
        raise MutatingStopped(record)
    return record


def _surveyed(claims: Sequence[Claim], loaded: Loaded, jobs: int) -> tuple[list[_Subject], list[NotDecided], bool]:
    """The claims with their surveys, rows of those that have none, and whether that was interrupted."""
    rows: list[NotDecided] = []
    mutable: list[Claim] = []
    for claim in claims:
        try:
            refuse_what_has_no_source(claim)
            mutable.append(claim)
        except InputError as error:
            rows.append(not_decided(claim, reason_of(error)))
    attempts = Attempts(mutable, partial(surveyed, loaded=loaded), read, Schedule(jobs))
    subjects = []
    for claim, survey in zip(mutable, attempts, strict=True):
        if isinstance(survey, NotDecided):
            rows.append(survey)
        else:
            subjects.append(_Subject(claim, survey, _mutations(survey)))
    return subjects, rows, attempts.interrupted


def _mutations(survey: Survey) -> dict[_Key, Mutation]:
    draws = dict(survey.draws)
    every = (
        mutation
        for file, running in survey.running
        for mutation in mutations(text_of_file(file) or "", file, running, draws[file])
    )
    return {(mutation.file, mutation.edits): mutation for mutation in every}


def _sampled(subject: _Subject, plan: MutantPlan) -> Iterator[Mutation]:
    """So many of the mutations, by their rank: those that compile, to something else."""
    left = plan.limit
    for mutation in sorted(subject.mutations.values(), key=lambda each: each.rank(plan.seed)):
        if not left:
            return
        if _changes(mutation):
            left -= 1
            yield mutation


def _changes(mutation: Mutation) -> bool:
    source = text_of_file(mutation.file) or ""
    try:
        mutated = codes_by_place(mutation.of(source), mutation.file)
    except (SyntaxError, ValueError):
        return False
    codes = codes_by_place(source, mutation.file)
    return any(scope not in mutated or code != mutated[scope] for scope, code in codes.items())


def _decide(tasks: Sequence[_Task], loaded: Loaded, plan: MutantPlan, on_progress: OnProgress) -> bool:
    """Decide mutants, and note what becomes of them; whether that was interrupted."""
    if not tasks:
        return False

    def seconds(i: int) -> float:
        return max(plan.seconds, _TIMES_THE_CLAIM * tasks[i][0].survey.seconds)

    def work(i: int) -> bytes:
        subject, mutation = tasks[i]
        return msgspec.msgpack.encode(fate_of(subject.claim, subject.survey, mutation, loaded, seconds(i)))

    # a mutant may wait instead of working; other processes may work while it does
    run = Run(len(tasks), work, plan.jobs, patience=lambda i: _TIMES_ITS_TIME * seconds(i))
    on_progress(0, len(tasks))
    for done, ((subject, mutation), found) in enumerate(zip(tasks, run.outcomes(), strict=True), 1):
        if found != Lost(INTERRUPTED):
            subject.outcomes[mutation.file, mutation.edits] = _outcome(found)
        on_progress(done, len(tasks))
    return run.interrupted


def _outcome(found: bytes | Lost) -> Outcome:
    if isinstance(found, Lost):
        return Outcome(fate="invalid", reason=GIVEN_UP if found.out_of_patience else found.reason)
    return msgspec.msgpack.decode(found, type=Outcome)


_OPEN: Final = ("missed", "survived")


def _untried(subjects: Sequence[_Subject], sampled: Iterable[_Task]) -> Iterator[_Task]:
    """The mutants that a claim is not refuted of, with the other claims that run the function, once each."""
    keys = {
        (mutation.file, mutation.edits)
        for subject, mutation in sampled
        if subject.outcomes[mutation.file, mutation.edits].fate in _OPEN
    }
    for subject in subjects:
        for key, mutation in subject.mutations.items():
            if key in keys and key not in subject.outcomes:
                yield subject, mutation


def _claim_mutants(subject: _Subject, tried: Sequence[Mutation], subjects: Sequence[_Subject]) -> ClaimMutants:
    decided = [each for each in tried if (each.file, each.edits) in subject.outcomes]
    in_order = sorted(decided, key=lambda each: (each.file, each.line, each.edits[0].start, each.operator, each.after))
    shares = list(subject.survey.shares)
    slack = slack_of(shares)
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
                outcome=_among_all((mutation.file, mutation.edits), subject, subjects),
            )
            for mutation in in_order
        ],
        noise_shares=shares,
        slack=None if slack is None else str(slack),
        weak=is_weak(shares),
    )


def _among_all(key: _Key, subject: _Subject, subjects: Sequence[_Subject]) -> Outcome:
    """What becomes of a mutant of a claim, if the others are heard as well."""
    outcome = subject.outcomes[key]
    if outcome.fate not in _OPEN:
        return outcome
    killers = [each.claim.id for each in subjects if key in each.outcomes and each.outcomes[key].fate == "killed"]
    if not killers:
        return outcome
    return Outcome(fate="killed by another", reason=f"{killers[0]} is refuted of it")


def _short(file: str) -> str:
    return shortened_path(file, ours=is_of_dpverify(file))

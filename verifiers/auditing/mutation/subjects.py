"""Claims with what is known of them and of their mutants; and mutants tried, each in a process forked for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

import msgspec

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.record import NotDecided
from dpverify.verifiers.auditing.attempts import Attempts, Schedule, not_decided
from dpverify.verifiers.auditing.exit_status import reason_of
from dpverify.verifiers.auditing.mutation.codes import Loaded, codes_by_place, text_of_file
from dpverify.verifiers.auditing.mutation.mutation import Edit, Mutation
from dpverify.verifiers.auditing.mutation.operators import mutations
from dpverify.verifiers.auditing.mutation.record import MutantOutcome
from dpverify.verifiers.auditing.mutation.statuses import GIVEN_UP, Trial, fate_of
from dpverify.verifiers.auditing.mutation.survey import Survey, read_survey, refuse_what_has_no_source, surveyed
from dpverify.verifiers.claims import Depth
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.processes.workers import INTERRUPTED, ClaimsRun, Lost

OnProgress: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many mutants are decided."""

MutantKey: TypeAlias = tuple[str, tuple[Edit, ...]]
"""The change of a mutation, and its place."""


@dataclass
class Subject:
    """A claim with its survey, all mutations that there are of its functions, and what is known of some."""

    claim: Claim
    survey: Survey
    mutations: Mapping[MutantKey, Mutation] = field(repr=False)
    outcomes: dict[MutantKey, MutantOutcome] = field(default_factory=dict, repr=False)


def surveys(claims: Sequence[Claim], loaded: Loaded, jobs: int) -> tuple[list[Subject], list[NotDecided], bool]:
    """The claims with their surveys, rows of those that have none, and whether that was interrupted."""
    rows: list[NotDecided] = []
    mutable: list[Claim] = []
    for claim in claims:
        try:
            refuse_what_has_no_source(claim)
            mutable.append(claim)
        except InputError as error:
            rows.append(not_decided(claim, reason_of(error)))
    attempts = Attempts(mutable, partial(surveyed, loaded=loaded), read_survey, Schedule(jobs))
    subjects = []
    for claim, survey in zip(mutable, attempts, strict=True):
        if isinstance(survey, NotDecided):
            rows.append(survey)
        else:
            subjects.append(Subject(claim, survey, _mutations(survey)))
    return subjects, rows, attempts.interrupted


def _mutations(survey: Survey) -> dict[MutantKey, Mutation]:
    draws = dict(survey.draws)
    every = (
        mutation
        for file, running in survey.running
        for mutation in mutations(text_of_file(file) or "", file, running, draws[file])
    )
    return {(mutation.file, mutation.edits): mutation for mutation in every}


def in_order_of_seed(subject: Subject, seed: int) -> Iterator[MutantKey]:
    """The mutations by their rank: those that compile, to something else."""
    for key, mutation in sorted(subject.mutations.items(), key=lambda each: each[1].rank(seed)):
        if _changes(mutation):
            yield key


def _changes(mutation: Mutation) -> bool:
    source = text_of_file(mutation.file) or ""
    try:
        mutated = codes_by_place(mutation.of(source), mutation.file)
    except (SyntaxError, ValueError):
        return False
    codes = codes_by_place(source, mutation.file)
    return any(scope not in mutated or code != mutated[scope] for scope, code in codes.items())


_TIMES_THE_CLAIM: Final = 10
_TIMES_ITS_TIME: Final = 10
"""Ratio of a clock on the wall to the seconds of a processor before a mutant is ended from outside."""


@dataclass
class Trials:
    """Mutants that are decided, a batch at a time, and how many were."""

    loaded: Loaded
    seconds: float
    depth: Depth
    jobs: int
    on_progress: OnProgress
    interrupted: bool = False
    """True where Ctrl-C or SIGTERM came: nothing is decided from then on."""
    _done: int = 0

    def decide(self, tasks: Sequence[tuple[Subject, MutantKey]]) -> None:
        """Decide mutants, each of a claim, and note with the claim what becomes of them."""
        if not tasks or self.interrupted:
            return

        def work(i: int) -> bytes:
            subject, key = tasks[i]
            trial = Trial(self._limit(subject), self.depth)
            mutation = subject.mutations[key]
            return msgspec.msgpack.encode(fate_of(subject.claim, subject.survey, mutation, self.loaded, trial))

        # a mutant may wait instead of working; other processes may work while it does
        run = ClaimsRun(len(tasks), work, self.jobs, patience=lambda i: _TIMES_ITS_TIME * self._limit(tasks[i][0]))
        known = self._done + len(tasks)
        self.on_progress(self._done, known)
        for (subject, key), result in zip(tasks, run.outcomes(), strict=True):
            if result != Lost(INTERRUPTED):
                subject.outcomes[key] = _outcome(result)
            self._done += 1
            self.on_progress(self._done, known)
        self.interrupted = run.interrupted

    def _limit(self, subject: Subject) -> float:
        return max(self.seconds, _TIMES_THE_CLAIM * subject.survey.seconds)


def _outcome(found: bytes | Lost) -> MutantOutcome:
    if isinstance(found, Lost):
        if found.out_of_patience:
            return MutantOutcome(fate="out of time", reason=GIVEN_UP)
        return MutantOutcome(fate="invalid", reason=found.reason)
    return msgspec.msgpack.decode(found, type=MutantOutcome)

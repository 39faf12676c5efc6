"""The fate of one mutant of a claim, in a process that is forked for it."""

import linecache
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from types import FrameType
from typing import Final

from dpverify.mechanisms.numbers.enclosure import decimal
from dpverify.mechanisms.numbers.errors import InputError, Interruption, Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.shown import one_line, shown
from dpverify.verifiers.all_sizes.regions.domains import as_endless
from dpverify.verifiers.all_sizes.verdicts import decided_for_all_sizes
from dpverify.verifiers.auditing.exit_status import reason_of
from dpverify.verifiers.auditing.mutation.codes import Loaded, text_of_file
from dpverify.verifiers.auditing.mutation.mutant_calls import offer_calls
from dpverify.verifiers.auditing.mutation.mutation import Mutation
from dpverify.verifiers.auditing.mutation.record import Fate, MutantOutcome
from dpverify.verifiers.auditing.mutation.survey import GroundFinding, Survey, at_a_number, laws_of, measure_of
from dpverify.verifiers.claims import Depth, reaches
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.result import of_all_sizes
from dpverify.verifiers.problems.preparation.answers import Probabilities
from dpverify.verifiers.problems.preparation.experiment import Experiment, prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.profiles.nearby import are_all
from dpverify.verifiers.verdicts.verdict import Proved, Refuted, Verdict

_OPEN: Final[tuple[Fate, ...]] = ("missed", "survived")
"""Mutations of which the claim itself is not refuted."""


@dataclass(frozen=True)
class Trial:
    """The way in which a mutant is tried: for how long, and whether on all sizes."""

    seconds: float
    """Time that it may take of a processor."""
    depth: Depth
    """All sizes that are left to a later one are not decided."""


MOST_MEMORY: Final = 4 << 30
"""Bytes that a mutant may use: one that never stops collecting must not take those of others."""


def fate_of(claim: Claim, survey: Survey, mutation: Mutation, loaded: Loaded, trial: Trial) -> MutantOutcome:
    """The fate of a mutant. It stays in this process for good, which is to be one that is forked for it."""
    try:
        # before anything is changed: a relation may call functions of the mechanism
        experiments = [prepared_in_full(question, never_repeated) for question in claim.questions]
        endless = _on_all_sizes(claim, trial.depth)
        _limit(trial.seconds)
        _mutate(mutation, loaded)
        outcome = _outcome(survey, experiments)
        return outcome if outcome.fate not in _OPEN or endless is None else _everywhere(outcome, endless)
    except Interruption as interruption:
        return MutantOutcome(fate="out of time", reason=str(interruption))
    except MemoryError:
        return MutantOutcome(fate="invalid", reason="out of memory")
    except Exception as error:  # a mutant may raise anything
        return MutantOutcome(fate="invalid", reason=reason_of(error))


def _on_all_sizes(claim: Claim, depth: Depth) -> Question | None:
    """The question on all sizes; None where nothing is at this depth."""
    if claim.all_sizes is None or not reaches(depth, claim.all_sizes_depth):
        return None
    return of_all_sizes(claim).question


def _everywhere(outcome: MutantOutcome, question: Question) -> MutantOutcome:
    """The fate on all sizes of a mutant that is not killed; it stays as it is where that is not decided in time."""
    domain = as_endless(question.domain)
    assert domain is not None, "it is asked of all sizes"
    try:
        # a theorem would speak of the function as it was written
        verdict = decided_for_all_sizes(question, domain, as_named=False)
    except (InputError, Undecided, Interruption, MemoryError):
        return outcome
    if isinstance(verdict, Refuted):
        return _refuted("killed", question.domain, verdict)
    if isinstance(verdict, Proved) and outcome.fate == "survived":
        reason = one_line(f"PROVED on {shown(question.domain)}: {verdict.reason}")
        return MutantOutcome(fate="harmless", reason=reason)
    return outcome


def _mutate(mutation: Mutation, loaded: Loaded) -> None:
    source = text_of_file(mutation.file)
    assert source is not None, "it was read when the mutation was made"
    mutated = mutation.of(source)
    offer_calls()
    loaded.put(mutation.file, source, mutated)
    loaded.forget()
    # without a time, it is never read again from the file: a mechanism is compiled from its source
    linecache.cache[mutation.file] = (len(mutated), None, mutated.splitlines(keepends=True), mutation.file)


GIVEN_UP: Final = "its time was up: it may not end"
"""Message on a mutant that takes too long."""

_GRACE: Final = 5
"""Seconds of a processor for a mutant to end by itself when its time is up."""

_LONGEST: Final = 10.0**8
"""Seconds, three years: what a timer can hold."""


def _limit(seconds: float) -> None:
    """Limit what a mutant may take of the machine. It is interrupted, again and again, and then ended."""
    with suppress(ImportError, AttributeError, ValueError, OSError):  # where there are no such limits, or lower ones
        import resource

        def interrupt(signum: int, frame: FrameType | None) -> None:
            raise Interruption(GIVEN_UP)

        limit = min(seconds, _LONGEST)
        signal.signal(signal.SIGPROF, interrupt)
        signal.setitimer(signal.ITIMER_PROF, limit, 1)  # of a processor's time; RLIMIT_CPU has whole seconds alone
        most = ceil(time.process_time() + limit) + _GRACE
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _outcome(survey: Survey, experiments: Sequence[Experiment]) -> MutantOutcome:
    worse: list[str] = []
    same = True
    for i, (experiment, result) in enumerate(zip(experiments, survey.found, strict=True)):
        verdict = _verdict(experiment, result)
        if isinstance(verdict, Refuted):
            return _refuted("missed" if i else "killed", experiment.question.domain, verdict)
        if not isinstance(verdict, Proved):
            return MutantOutcome(fate="invalid", reason=one_line(f"{verdict.status}: {verdict.reason}"))
        at_one, measured = at_a_number(experiment, verdict)
        worse += _larger(measure_of(at_one, measured), result.measure, "ε" if at_one.delta == 0 else "δ")
        same = same and _has_same_distributions(measured, result)
    if same:
        return MutantOutcome(fate="unreached")
    reason = worse[0] if worse else "no less private, wherever it was tried"
    return MutantOutcome(fate="survived", reason=reason)


def _refuted(fate: Fate, domain: Domain, verdict: Refuted) -> MutantOutcome:
    witness = replace(verdict.witness, reproduce=None)  # which a line would compute of the mechanism as it is
    return MutantOutcome(fate=fate, reason=verdict.reason, domain=shown(domain), witness=witness.record)


def _verdict(experiment: Experiment, found: GroundFinding) -> Verdict:
    """The verdict on a mutant: from the pairs where the claim comes nearest to failing, if they refute it."""
    if not are_all(experiment, found.nearest):
        with suppress(InputError, Undecided):  # which the whole domain words with the database that comes first
            nearby = decided_on(experiment.of_pairs(found.nearest))
            if isinstance(nearby, Refuted):
                return nearby
    return decided_on(experiment)


def _larger(measure: Exact | None, original: Exact | None, name: str) -> list[str]:
    """Property in which a mutant is worse than the mechanism; nothing where it is not."""
    if original is None:
        return []
    if measure is None:
        return [f"{name} is infinite, and {decimal(original, 6)} of the mechanism"]
    try:
        return [f"{name} = {decimal(measure, 6)}, and {decimal(original, 6)} of the mechanism"] * (measure > original)
    except Undecided:  # they are one number in two forms, or as good as one
        return []


def _has_same_distributions(verdict: Verdict, found: GroundFinding) -> bool:
    """True where a mutant has the mechanism's distributions; not known where these do not travel."""
    if verdict.basis.laws is None:
        return False
    laws, originals = verdict.basis.laws.tabulation.laws, laws_of(found)
    try:
        return all(
            not isinstance(original, Probabilities) and same_distribution(law, original)
            for law, original in zip(laws, originals, strict=True)
        )
    except (InputError, Undecided):  # outcomes that are equal and not the same
        return False

"""A claim before it is mutated: which functions run while its distributions are enumerated, and what is found of it."""

import pickle
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from inspect import unwrap
from types import CodeType, FrameType
from typing import Any

from dpverify.mechanisms.comparing.call import Drawing
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.places import code_of
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.mechanisms.program_states.program_points import code_as_written
from dpverify.reports.record import Status
from dpverify.verifiers.auditing.mutation.codes import Loaded, is_mutable, paths_of, text_of_file
from dpverify.verifiers.auditing.mutation.mutation import SyntaxScope
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.preparation.answers import answer_bytes, answer_from_bytes
from dpverify.verifiers.problems.preparation.experiment import Experiment, prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.processes.workplace import Workplace
from dpverify.verifiers.profiles.nearby import nearest_pairs
from dpverify.verifiers.verdicts.verdict import Verdict


@dataclass(frozen=True)
class GroundFinding:
    """The finding on a mechanism on one ground."""

    nearest: tuple[int, ...]
    """The pairs where the claim comes nearest to failing."""
    measure: Exact | None
    """The worst δ, or where none is claimed the exact ε, None where that is infinite."""
    laws: bytes
    """The distributions on all databases, as they travel."""


@dataclass(frozen=True)
class Survey:
    """All that mutants of a claim are measured by."""

    running: tuple[tuple[str, frozenset[SyntaxScope]], ...]
    """The functions that run, by their file."""
    draws: tuple[tuple[str, frozenset[str]], ...]
    """The names under which functions are given their `draw`, by their file."""
    found: tuple[GroundFinding, ...]
    """On each ground of the claim."""
    seconds: float
    """Time that it took of a processor."""


def surveyed(claim: AnyClaim, where: Workplace, loaded: Loaded) -> bytes:
    """The survey of a claim, for `read_survey`; made in a process of its own, which it leaves with what it remembers.

    What was loaded before is looked up once, where the process comes from: to go through all that there is again, in
    each, would copy the memory that they share. Raises `InputError` where the claim is not PROVED on each ground, or no
    function that runs has a source.
    """
    assert isinstance(claim, Claim), "claims of other kinds were refused"
    began = time.process_time()
    experiments = [
        prepared_in_full(question, never_repeated, where) for question in claim.questions
    ]  # a relation is no part of the mechanism
    taken = time.process_time() - began
    loaded.forget()  # which takes the longer the more there is in this process, and is no part of the claim
    began = time.process_time() - taken
    with _noted_calls() as calls:
        findings = tuple(map(_result, experiments))
    own = _code_of(claim)
    assert own is not None, "a mechanism without a source was refused"
    codes = [code for code in calls.codes if is_mutable(code.co_filename, own.co_filename)]
    files = {code.co_filename: text_of_file(code.co_filename) for code in codes}
    running = {
        file: paths_of([code for code in codes if code.co_filename == file], source, file)
        for file, source in files.items()
        if source is not None
    }
    if not any(running.values()):
        raise InputError(bad_input.NO_SOURCE, name_of(claim.mechanism), "no function of a file runs for it")
    draws = {file: frozenset(name for at, name in calls.draws if at == file) for file in running}
    seconds = time.process_time() - began
    return pickle.dumps(Survey(tuple(sorted(running.items())), tuple(sorted(draws.items())), findings, seconds))


def read_survey(survey: bytes) -> Survey:
    """The survey that `surveyed` has made."""
    loaded: Survey = pickle.loads(survey)
    return loaded


def refuse_what_has_no_source(claim: Claim) -> None:
    """Raises `InputError`, naming the mechanism, where there is no text of it that could be changed."""
    code = _code_of(claim)
    if code is None:
        raise InputError(bad_input.NO_SOURCE, name_of(claim.mechanism), "it is no function of Python")
    if text_of_file(code.co_filename) is None:
        raise InputError(bad_input.NO_SOURCE, name_of(claim.mechanism), f"{code.co_filename} is no file")


def _code_of(claim: Claim) -> CodeType | None:
    """The code of a mechanism, also of one that is wrapped, as by a cache."""
    return code_of(claim.mechanism) or code_of(unwrap(claim.mechanism))


def at_a_number(experiment: Experiment, verdict: Verdict) -> tuple[PrivacyGuarantee, Verdict]:
    """The claim, and the finding, at one ε, which is 1 where the verdict is on all of them."""
    question = experiment.question
    if question.symbol is None:
        return question.claim, verdict
    at_one = question.at(DistributionSubstitution(question.symbol, ONE))
    return at_one.claim, decided_on(replace(experiment, question=at_one))


def measure_of(claimed: PrivacyGuarantee, verdict: Verdict) -> Exact | None:
    """The worst δ of a verdict at one ε; where none is claimed, the exact ε."""
    number = verdict.epsilon if claimed.delta == 0 else verdict.delta
    return None if number is None else number.exact


def laws_of(found: GroundFinding) -> Sequence[Any]:
    """The distributions that were found."""
    answer = answer_from_bytes(found.laws)
    assert isinstance(answer, list), "laws, and no failure"
    return answer


def _proved(experiment: Experiment) -> Verdict:
    verdict = decided_on(experiment)
    if verdict.status is not Status.PROVED:
        raise InputError(bad_input.NOT_PROVED, verdict.status, shown(experiment.question.domain), verdict.reason)
    return verdict


def _result(experiment: Experiment) -> GroundFinding:
    claimed, verdict = at_a_number(experiment, _proved(experiment))
    laws = [] if verdict.basis.laws is None else list(verdict.basis.laws.tabulation.laws)
    return GroundFinding(nearest_pairs(experiment, verdict), measure_of(claimed, verdict), answer_bytes(laws))


class _Calls:
    """The functions that were called, and under which names they were given a `draw`, with their files."""

    def __init__(self) -> None:
        self._codes: dict[int, CodeType] = {}
        self.draws: set[tuple[str, str]] = set()

    @property
    def codes(self) -> list[CodeType]:
        """Each once, in the order in which they were called first."""
        return list(self._codes.values())

    def note(self, frame: FrameType, event: str, arg: Any) -> None:
        """Called for each function that begins; it wants to know no more of it."""
        code = code_as_written(frame.f_code)
        if id(code) not in self._codes:
            self._codes[id(code)] = code
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            self.draws |= {(code.co_filename, name) for name in names if _is_draw(frame.f_locals.get(name))}


def _is_draw(value: Any) -> bool:
    return type(value) is Drawing


@contextmanager
def _noted_calls() -> Iterator[_Calls]:
    calls, before = _Calls(), sys.gettrace()
    sys.settrace(calls.note)
    try:
        yield calls
    finally:
        sys.settrace(before)

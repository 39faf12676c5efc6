"""Questions as the other interpreter loads them: it finds what it is asked about, and a process answers."""

import importlib
import os
import pickle
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dpverify.mechanisms.language.compiled import form_of
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.verifiers.auditing.claim_files import load_claims, load_file, load_object
from dpverify.verifiers.catalogue import privacy_claims
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.preparation.another_interpreter import Request, text_hash
from dpverify.verifiers.problems.preparation.repetition import NoAnswer, answer_and_end
from dpverify.verifiers.problems.questions.question import Question, no_neighbours
from dpverify.verifiers.processes.interpreters import Prepared

for name in Claim.modules:  # once, and not in every process that answers
    importlib.import_module(name)


@contextmanager
def question_loaded(message: bytes) -> Iterator[Prepared]:
    """The answer to a question about distributions, ready to be given. Raises where it cannot be, whatever is wrong."""
    request: Request = pickle.loads(message)
    if request.text_hash == text_hash():
        raise NoAnswer("the environment has changed since the other process began")
    known = set(sys.modules)
    try:
        question = _question(request)
        databases = pickle.loads(request.databases)
        if request.reference.place == "":  # mechanisms of the catalogue are asked about again and again
            form_of(question.mechanism, question.arguments)
        yield lambda connection: answer_and_end(
            connection, lambda: (question, databases, request.asked, request.budget)
        )
    finally:
        _forget_modules_since(known)


def _forget_modules_since(known: set[str]) -> None:
    """Forget the modules of people's own that were imported: the next question may mean another of that name."""
    installed = tuple(str(Path(sysconfig.get_path(name))) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    for name in set(sys.modules) - known:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and not name.startswith("dpverify.") and not file.startswith(installed):
            del sys.modules[name]
    importlib.invalidate_caches()


def _question(request: Request) -> Question:
    """Answer of the mechanism that a request names, with its arguments, which are looked up here."""
    os.chdir(request.folder)
    sys.path[:] = request.path
    sys.argv[:] = request.arguments  # a file of claims may read them
    place, name = request.reference
    if place is None:
        return Question(load_object(name), (), no_neighbours, None, pickle.loads(request.parameters), request.limits)
    if request.module is not None and place:
        load_file(Path(place), request.module)
    claims = load_claims(Path(place)) if place else privacy_claims()
    for claim in claims:
        if isinstance(claim, Claim) and claim.id == name:
            question = replace(claim.question, limits=request.limits)
            _ = question.arguments
            return question
    raise InputError(bad_input.NO_SUCH_CLAIM, f"{place} has", name, "the id of a claim that it has")

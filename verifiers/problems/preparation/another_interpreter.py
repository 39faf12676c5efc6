"""Another interpreter, with another hash seed, that recomputes distributions: started once, and asked many times.

It imports what it is asked about, and forks for each question, so that one answer leaves nothing to the next: what runs
there is `dpverify.verifiers.auditing.serving`, which knows files of claims and the catalogue, as nothing here does.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from dpverify.mechanisms.functions.limits import Limits
from dpverify.verifiers.locations import Reference
from dpverify.verifiers.problems.preparation.answers import LawsAnswered
from dpverify.verifiers.problems.preparation.repetition import (
    Budget,
    DistributionRequest,
    InThisProcess,
    Mode,
    Repeating,
    Restart,
    received,
    repeated_here,
)
from dpverify.verifiers.problems.questions.question import Question

if TYPE_CHECKING:  # a few claims ask nobody
    from dpverify.verifiers.processes.interpreters import Interpreter


class Request(NamedTuple):
    """All that the other interpreter needs to know to compute distributions a second time."""

    folder: str
    path: list[str]
    arguments: list[str]
    reference: Reference
    module: str | None
    """Name of a file of claims here: outcomes of its classes travel under that name."""
    limits: Limits
    parameters: bytes
    """Those of a function, pickled on their own: what they are made of may have to be loaded first."""
    databases: bytes
    """Likewise."""
    asked: list[DistributionRequest]
    budget: Budget
    text_hash: int
    """See `text_hash`: there it is to be another one."""


def text_hash() -> int:
    """A number that tells the hash seed of this process from those of others."""
    return hash("the hash seed")


_running: list[Interpreter] = []

_LOADS: Final = "dpverify.verifiers.auditing.serving:question_loaded"


def start() -> None:
    """Start the other interpreter, if that is possible here and none runs; processes forked later can ask it, too."""
    import socket

    if _running or not hasattr(os, "fork") or not hasattr(socket, "AF_UNIX"):
        return
    from dpverify.verifiers.processes.interpreters import Interpreter

    with suppress(OSError):
        _running.append(Interpreter(_LOADS))


def is_running() -> bool:
    """True where there is one to ask."""
    return bool(_running)


class InAnotherInterpreter:
    """Asks the other interpreter; where it cannot load what it is asked about, the distributions are computed here."""

    def __init__(self, question: Question, databases: Sequence[Hashable], reference: Reference) -> None:
        self._question = question
        self._databases = databases
        self._reference = reference
        self.mode: Mode = "another interpreter"

    def answers(self, asked: Sequence[DistributionRequest], budget: Budget, restart: Restart) -> Iterator[LawsAnswered]:
        """See `Repetition`."""
        from dpverify.verifiers.processes.interpreters import LOADED

        databases = [self._databases[one.position] for one in asked]
        places = [DistributionRequest(i, one.epsilon) for i, one in enumerate(asked)]
        limits, reference = self._question.limits, self._reference
        try:
            message = pickle.dumps(
                Request(
                    str(Path.cwd()),
                    list(sys.path),
                    list(sys.argv),
                    reference,
                    _module_of(reference),
                    limits,
                    pickle.dumps(self._question.arguments if reference.place is None else {}),
                    pickle.dumps(databases),
                    places,
                    budget,
                    text_hash(),
                )
            )
            connection = _running[0].asked(message)
            loaded = connection.poll(_LOADING) and connection.recv_bytes() == LOADED
        except (pickle.PickleError, TypeError, AttributeError, OSError, EOFError):
            loaded = False
        if loaded:
            return received(connection, len(asked), limits)
        self.mode = "one process"
        return InThisProcess(self._question, self._databases).answers(asked, budget, restart)


def _module_of(reference: Reference) -> str | None:
    """The name of the module that a file of claims is; None for another place."""
    results = (
        name for name, module in list(sys.modules.items()) if getattr(module, "__file__", None) == reference.place
    )
    return next(results, None) if reference.place else None


def repeated_elsewhere(reference: Reference | None) -> Repeating:
    """The repeater of what is found under a reference: the other interpreter where one runs, else a forked process."""
    if reference is None or not is_running():
        return repeated_here
    return lambda question, databases: nullcontext(InAnotherInterpreter(question, databases, reference))


_LOADING: Final = 60.0
"""Seconds within which a file of claims is to be imported."""

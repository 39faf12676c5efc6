"""Another interpreter, with another hash seed, that recomputes distributions: started once, and asked many times.

It imports what it is asked about, and forks for each question, so that one answer leaves nothing to the next: what runs
there is `dpverify.verifiers.auditing.serving`, which knows files of claims and the catalogue, as nothing here does.
"""

import atexit
import os
import pickle
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Hashable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, NamedTuple

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


@dataclass(frozen=True)
class _Running:
    """An interpreter that runs: where it listens, and its process, which ends when nobody holds its input any more."""

    address: str
    process: subprocess.Popen[bytes]


_running: list[_Running] = []


def start() -> None:
    """Start the other interpreter, if that is possible here and none runs; processes forked later can ask it, too."""
    if _running or not hasattr(os, "fork") or not hasattr(socket, "AF_UNIX"):
        return
    try:
        folder = tempfile.mkdtemp(prefix="dpverify-")
    except OSError:  # no folder can be written to
        return
    try:
        _running.append(_started(str(Path(folder) / "socket")))
    except OSError:  # the name of a socket is too long, say
        shutil.rmtree(folder, ignore_errors=True)
        return
    atexit.register(_stop, os.getpid(), folder)


def _started(address: str) -> _Running:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(128)
        serving = f"{_SERVE}({listener.fileno()}, {str(Path(address).parent)!r})"
        process = subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {serving}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            env={**os.environ, "PYTHONHASHSEED": _other_seed()},
        )
    return _Running(address, process)


_SERVE: Final = "from dpverify.verifiers.auditing.serving import serve_questions; serve_questions"


def _other_seed() -> str:
    """A hash seed that is not that of this process; where this one's is random, 1."""
    own = os.environ.get("PYTHONHASHSEED", "random")
    return "1" if own in ("", "random") else str((int(own) + 1) % (1 << 32))  # as Python reads it: 01 is 1


def _stop(owner: int, folder: str) -> None:
    if os.getpid() != owner:  # a forked process that ends is not the one that started it
        return
    while _running:
        process = _running.pop().process
        assert process.stdin is not None
        process.stdin.close()
        process.kill()
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)


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
            connection = _connected(_running[0].address)
            connection.send_bytes(message)
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


LOADED: Final = b"loaded"
"""Message of the other interpreter once it has the subject of a question."""

_LOADING: Final = 60.0
"""Seconds within which a file of claims is to be imported."""


def _connected(address: str) -> Connection:
    channel = socket.socket(socket.AF_UNIX)
    channel.connect(address)
    return Connection(channel.detach())

"""Helpers that an executor of `concurrent.futures` gives work to: a pool of processes, or a cluster of machines.

A mechanism is sent by its name, in a module that the others import: whether they find the same there is asked before
anything is computed. Wherever a block arrives, it is found in a process that is forked for it.
"""

from __future__ import annotations

import os
import pickle
import pickletools
import platform
import sys
import sysconfig
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec

from dpverify.mechanisms.exact.errors import InputError, MechanismError
from dpverify.mechanisms.exact.shown import one_line, shown
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.mechanism import Mechanism, name_of
from dpverify.verifiers.privacy.domains import Domain, Multisets
from dpverify.verifiers.privacy.repetition import Subject, can_fork
from dpverify.verifiers.privacy.sharing import Answers, Block, ForkedHelpers, found_of
from dpverify.verifiers.processes.interpreters import Prepared, done_apart, done_in_a_fork, nobody
from dpverify.verifiers.processes.versions import differences, versions
from dpverify.verifiers.processes.workers import IdleProcesses, Lost

PROCESSES: Final = 64
"""For so many blocks are made: how many processes an executor has, it does not say."""

_AHEAD: Final = 4 * PROCESSES
"""Blocks that are given out at a time."""


class ExecutorHelpers:
    """The processes of an executor.

    Raises `InputError`, before anything is computed, where they cannot help: the mechanism or its parameters cannot be
    sent, or are not found there, other versions run there, or the executor takes nothing.
    """

    processes = most = PROCESSES

    def __init__(self, executor: Executor, mechanism: Mechanism, parameters: Mapping[str, Any]) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise InputError(
                f"executor={shown(executor)} is no executor: give a concurrent.futures.ProcessPoolExecutor, or "
                "Client(…).get_executor() of dask.distributed"
            )
        self._executor = executor
        answer = _answer(self._submitted(_sent(mechanism, (mechanism, dict(parameters)))))
        if answer.refused or answer.lost:
            raise InputError(f"executor: {answer.refused or answer.lost}")

    def _submitted(self, content: bytes, block: bytes = b"") -> Future[bytes]:
        message = msgspec.msgpack.encode(_Message(content, block, versions(), _own_files(content)))
        try:
            return self._executor.submit(answered, message)
        except BrokenExecutor:
            raise
        except (RuntimeError, OSError) as error:
            raise InputError(f"executor: it takes no work: {one_line(str(error))}") from error

    def found(self, subject: Subject, domain: Domain, blocks: Sequence[Block], enumeration: Enumeration) -> Answers:
        """See `Helpers`. Where a pool breaks, since one of its processes was ended, others are forked here instead.

        Raises `MechanismError` for a block whose process was lost again and again, and `InputError` as `__init__`.
        """
        content = _sent(subject.mechanism, (subject, domain if isinstance(domain, Multisets) else None))
        waiting: deque[Future[bytes]] = deque()
        given = 0
        try:
            for i, block in enumerate(blocks):
                try:
                    while given < len(blocks) and len(waiting) < _AHEAD:
                        waiting.append(self._submitted(content, pickle.dumps(tuple(blocks[given]))))
                        given += 1
                    answer = _answer(waiting.popleft())
                except BrokenExecutor:
                    yield from _forked(subject, domain, blocks[i:], enumeration)
                    return
                yield given_by(answer, subject, block)
        finally:
            for future in waiting:
                future.cancel()


class Answer(msgspec.Struct, frozen=True):
    """What comes back of a block: what was found; nothing, where it is to be found here; or why there is no answer."""

    found: bytes | None = None
    lost: str = ""
    """Why its process ended, again and again."""
    refused: str = ""
    """Why nothing can be computed there."""


class _Message(msgspec.Struct, frozen=True):
    content: bytes
    """A mechanism with what it is given, or a subject with its domain, as `pickle` has it."""
    block: bytes
    """Likewise; nothing where only that is asked whether it can be computed there."""
    versions: Mapping[str, str]
    files: Mapping[str, str]
    """Of modules of people's own that are part of it, hashes of their files."""


_ANSWERS: Final = msgspec.msgpack.Decoder(Answer)
_MESSAGES: Final = msgspec.msgpack.Decoder(_Message)


def _answer(future: Future[bytes]) -> Answer:
    try:
        return _ANSWERS.decode(future.result())
    except (BrokenExecutor, InputError):
        raise
    except Exception as error:  # a cluster says in many ways that its workers were lost
        return Answer(lost=one_line(f"{type(error).__name__}: {error}"))


def given_by(answer: Answer, subject: Subject, block: Block) -> bytes | None:
    """What was found of a block. Raises `InputError` where it says that nothing can be, there."""
    if answer.refused:
        raise InputError(f"executor: {answer.refused}")
    if answer.lost:
        raise MechanismError(
            f"the process that found the laws of {name_of(subject.mechanism)} on {shown(block.databases[0])} and the "
            f"next {len(block.databases) - 1:,} databases was lost: {answer.lost}; if it needs more memory, give its "
            "machine more"
        )
    return answer.found


def _forked(subject: Subject, domain: Domain, blocks: Sequence[Block], enumeration: Enumeration) -> Answers:
    """What processes find that are forked here, in place of a pool that is broken; nothing where there is no fork."""
    if not can_fork():
        yield from (None for _ in blocks)
        return
    idle = IdleProcesses()
    idle.share = max(2, os.cpu_count() or 1)
    yield from ForkedHelpers(idle, idle.share).found(subject, domain, blocks, enumeration)


# --- On their way


def _sent(mechanism: Mechanism, content: object) -> bytes:
    """The content as bytes. Raises `InputError`, naming the mechanism, where it cannot be sent."""
    try:
        return pickle.dumps(content)
    except Exception as error:  # pickle refuses in many ways
        raise InputError(
            f"executor: {name_of(mechanism)}, or one of its parameters, cannot be sent to another process "
            f"({one_line(str(error))}): define it at the top of a module, and give it what it needs as parameters that "
            "can be pickled"
        ) from None


def _own_files(content: bytes) -> dict[str, str]:
    """The hashes of the files of people's own modules that are part of what is sent, and of those that they name."""
    waiting = [str(argument).partition(" ")[0] for argument in _names_in(content)]
    found: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name in found or not isinstance(module, ModuleType) or not _is_own(module):
            continue
        found[name] = _hash_of(module)
        for value in list(vars(module).values()):
            waiting.append(value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", "")))
    return found


def _names_in(content: bytes) -> Iterator[str]:
    """The names of modules, among other texts, in what is pickled."""
    for opcode, argument, _ in pickletools.genops(content):
        if isinstance(argument, str) and ("UNICODE" in opcode.name or opcode.name == "GLOBAL"):
            yield argument


def _is_own(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and not module.__name__.startswith("dpverify.") and not file.startswith(_installed())


@cache
def _installed() -> tuple[str, ...]:
    return tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def _hash_of(module: ModuleType) -> str:
    try:
        return sha256(Path(str(module.__file__)).read_bytes()).hexdigest()
    except OSError:
        return "gone"


# --- In the process of an executor


def answered(message: bytes) -> bytes:
    """What comes of a message, in a process that is forked for it: in a thread, by another interpreter."""
    asked = _MESSAGES.decode(message)
    others = differences(asked.versions)
    if others:
        answer = Answer(refused=f"{platform.node()} runs {' and '.join(others)}: install the same on all machines")
        return msgspec.msgpack.encode(answer)
    if threading.current_thread() is threading.main_thread():
        prepared = found_apart(message)
        outcome = done_in_a_fork(lambda: prepared(nobody))
    else:
        outcome = done_apart(f"{__name__}:{found_apart.__name__}", message)
    return msgspec.msgpack.encode(Answer(lost=outcome.reason)) if isinstance(outcome, Lost) else outcome


def found_apart(message: bytes) -> Prepared:
    """A message that is ready to be answered, in a process of its own: what it is about is loaded."""
    asked = _MESSAGES.decode(message)
    try:
        content = pickle.loads(asked.content)
        others = [name for name, digest in asked.files.items() if _hash_of(import_module(name)) != digest]
    except Exception as error:  # a module of people's own may raise anything
        answer = Answer(
            refused=f"{platform.node()} cannot load the mechanism ({type(error).__name__}: {one_line(str(error))}): "
            "have its module where the workers there import it"
        )
        return lambda _: msgspec.msgpack.encode(answer)
    if others:
        changed = Answer(
            refused=f"the file of {', '.join(others)} on {platform.node()} is not the one here: copy it there"
        )
        return lambda _: msgspec.msgpack.encode(changed)
    if not asked.block:
        return lambda _: msgspec.msgpack.encode(Answer())
    subject, domain = content
    return lambda _: msgspec.msgpack.encode(Answer(found_of(subject, domain, Block(*pickle.loads(asked.block)))))

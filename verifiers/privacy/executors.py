"""Helpers that an executor of `concurrent.futures` gives work to: a pool of processes, or a cluster of machines.

A mechanism is sent by its name, in a module that the others import: whether they find the same there is asked before
anything is computed. Wherever a block arrives, it is found in a process that is forked for it.
"""

from __future__ import annotations

import io
import os
import pickle
import pickletools
import platform
import sys
import sysconfig
import threading
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType, NoneType
from typing import Any, Final

import msgspec

from dpverify.mechanisms.exact.errors import InputError, MechanismError
from dpverify.mechanisms.exact.shown import one_line, shown
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.mechanism import Mechanism, name_of
from dpverify.verifiers.privacy.question import Question
from dpverify.verifiers.privacy.repetition import can_fork
from dpverify.verifiers.privacy.sharing import Block, ForkedHelpers, found_of
from dpverify.verifiers.privacy.work_elsewhere import asked_for, parts_by
from dpverify.verifiers.processes.interpreters import Ask, Prepared, done_apart, done_in_a_fork
from dpverify.verifiers.processes.versions import differences, versions
from dpverify.verifiers.processes.workers import IdleProcesses, Lost
from dpverify.verifiers.processes.workplace import Answers, Work

PROCESSES: Final = 64
"""For so many blocks are made: how many processes an executor has, it does not say."""

_PATIENCE: Final = 60.0
"""Seconds within which somebody answers, who may have to start and import first."""

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
        content = _sent(mechanism, (mechanism, dict(parameters)))
        try:
            asked = self._submitted(content)
            answer = _answer(asked, _PATIENCE)
        except TimeoutError:
            raise InputError(f"executor: nobody answers within {_PATIENCE:g} s: does it have workers?") from None
        except BrokenExecutor as error:
            raise InputError(f"executor: its processes were ended: {one_line(str(error))}") from None
        if answer.refused or answer.lost:
            raise InputError(f"executor: {answer.refused or answer.lost}")

    def _submitted(self, content: bytes, block: bytes = b"") -> Future[bytes]:
        own = own_modules(_names_in(content))
        files = _hashes(own)
        held = {name: plain_globals(sys.modules[name]) for name in own}
        message = msgspec.msgpack.encode(_Message(content, block, versions(), files, held=held))
        try:
            return self._executor.submit(answered, message)
        except BrokenExecutor:  # which is a RuntimeError
            raise
        except (RuntimeError, OSError) as error:
            raise InputError(f"executor: it takes no work: {one_line(str(error))}") from error

    def found(self, question: Question, blocks: Sequence[Block], enumeration: Enumeration) -> Answers:
        """See `Helpers`. Where a pool breaks, since one of its processes was ended, others are forked here instead.

        Raises `MechanismError` for a block whose process was lost again and again, and `InputError` as `__init__`.
        """
        content = _sent(question.mechanism, (question.alone, enumeration.share))
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
                    yield from _forked(question, blocks[i:], enumeration)
                    return
                yield given_by(answer, question.mechanism, block)
        finally:
            for future in waiting:
                future.cancel()

    def worked(self, work: Work, parts: Sequence[range]) -> Answers:
        """See `Helpers`. Where a pool breaks, processes that are forked here do what is left."""
        done = 0
        try:
            for answer in parts_by(self._executor, work, parts):
                done += 1
                yield answer
        except BrokenExecutor:
            if can_fork():
                yield from _forked_helpers().worked(work, parts[done:])
            else:
                yield from (None for _ in parts[done:])


class Answer(msgspec.Struct, frozen=True):
    """What comes back of a block: what was found; nothing, where it is to be found here; or why there is no answer."""

    found: bytes | None = None
    lost: str = ""
    """Why its process ended, again and again."""
    refused: str = ""
    """Why nothing can be computed there."""


class _Message(msgspec.Struct, frozen=True):
    content: bytes
    """A mechanism with what it is given, or a question with a share of noise, as `pickle` has it."""
    block: bytes
    """Likewise; nothing where only that is asked whether it can be computed there."""
    versions: Mapping[str, str]
    files: Mapping[str, str]
    """Of modules of people's own that are part of it, hashes of their files."""
    named: tuple[str, bytes] | None = None
    """MODULE:FUNCTION, and its argument: what gives the objects that stand in the content as names."""
    held: Mapping[str, str] = {}
    """Of the modules with files, what `plain_globals` says of them where it is asked."""


_ANSWERS: Final = msgspec.msgpack.Decoder(Answer)
_MESSAGES: Final = msgspec.msgpack.Decoder(_Message)


def _answer(future: Future[bytes], patience: float | None = None) -> Answer:
    try:
        return _ANSWERS.decode(future.result(patience))
    except (BrokenExecutor, InputError):
        raise
    except Exception as error:  # a cluster says in many ways that its workers were lost
        if patience is not None and isinstance(error, TimeoutError):
            raise
        return Answer(lost=one_line(f"{type(error).__name__}: {error}"))


def given_by(answer: Answer, mechanism: Mechanism, block: Block) -> bytes | None:
    """What was found of a block. Raises `InputError` where it says that nothing can be, there."""
    if answer.refused:
        raise InputError(f"executor: {answer.refused}")
    if answer.lost:
        raise MechanismError(
            f"the process that found the laws of {name_of(mechanism)} on {shown(block.databases[0])} and the "
            f"next {len(block.databases) - 1:,} databases was lost: {answer.lost}; if it needs more memory, give its "
            "machine more"
        )
    return answer.found


def _forked(question: Question, blocks: Sequence[Block], enumeration: Enumeration) -> Answers:
    """What processes find that are forked here, in place of a pool that is broken; nothing where there is no fork."""
    if not can_fork():
        yield from (None for _ in blocks)
        return
    yield from _forked_helpers().found(question, blocks, enumeration)


def _forked_helpers() -> ForkedHelpers:
    idle = IdleProcesses()
    idle.share = max(2, os.cpu_count() or 1)
    return ForkedHelpers(idle, idle.share)


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


def own_modules(names: Iterable[str]) -> dict[str, str]:
    """Those of the modules that are people's own, and those that they name, with their files."""
    waiting, found = list(names), dict[str, str]()
    packages = {name.partition(".")[0] for name in waiting} - _OF_NO_USER
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name in found or not isinstance(module, ModuleType) or not _is_own(module, packages):
            continue
        found[name] = str(module.__file__)
        for value in list(vars(module).values()):
            waiting.append(value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", "")))
    return found


def _names_in(content: bytes) -> Iterator[str]:
    """The names of modules, among other texts, in what is pickled."""
    for opcode, argument, _ in pickletools.genops(content):
        if isinstance(argument, str) and ("UNICODE" in opcode.name or opcode.name == "GLOBAL"):
            yield argument


def _is_own(module: ModuleType, packages: Collection[str]) -> bool:
    """Whether a module is people's own: of no installed package, or of one of these, from which something is sent."""
    file, package = getattr(module, "__file__", None), module.__name__.partition(".")[0]
    if not isinstance(file, str) or package in _OF_NO_USER:
        return False
    return package in packages or not file.startswith(_installed())


_OF_NO_USER: Final = frozenset({"dpverify", "numpy", "flint", *sys.stdlib_module_names})
"""Packages whose versions are compared, those of Python among them."""


@cache
def _installed() -> tuple[str, ...]:
    return tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def _hashes(files: Mapping[str, str]) -> dict[str, str]:
    return {name: hash_of(file) for name, file in files.items()}


def plain_globals(module: ModuleType) -> str:
    """A hash of the numbers, texts and tuples of these that a module holds: others may have put them there."""
    plain = {name: value for name, value in vars(module).items() if name[:2] != "__" and _is_plain(value)}
    return sha256(repr(sorted(plain.items())).encode("utf-8", "surrogatepass")).hexdigest()


def _is_plain(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return type(value) in (bool, int, float, str, bytes, Fraction, NoneType)


def hash_of(file: str) -> str:
    """The hash of a file; empty where there is none."""
    try:
        return sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""


# --- In the process of an executor


def answered(message: bytes) -> bytes:
    """What comes of a message, in a process that is forked for it: in a thread, by another interpreter."""
    asked = _MESSAGES.decode(message)
    others = differences(asked.versions)
    if others:
        answer = Answer(refused=f"{platform.node()} runs {' and '.join(others)}: install the same on all machines")
        return msgspec.msgpack.encode(answer)
    if threading.current_thread() is threading.main_thread():
        outcome = done_in_a_fork(lambda: _found(asked))
    else:
        outcome = done_apart(f"{__name__}:{found_apart.__name__}", message)
    return msgspec.msgpack.encode(Answer(lost=outcome.reason)) if isinstance(outcome, Lost) else outcome


def found_apart(message: bytes) -> Prepared:
    """A message that is ready to be answered, in a process of its own.

    All that is people's own is loaded there: an interpreter that stays would hold it as it was.
    """
    asked = _MESSAGES.decode(message)
    if asked.named is not None:
        import_module(asked.named[0].partition(":")[0])
    return lambda _: _found(asked)


def _found(asked: _Message) -> bytes:
    try:
        content = unpickled(asked.content, {} if asked.named is None else _called(*asked.named))
        others = [name for name, digest in asked.files.items() if hash_of(str(import_module(name).__file__)) != digest]
        changed = [name for name, held in asked.held.items() if plain_globals(import_module(name)) != held]
    except Exception as error:  # a module of people's own may raise anything
        return msgspec.msgpack.encode(Answer(refused=cannot_load(error)))
    if others:
        reason = f"the file of {', '.join(others)} on {platform.node()} is not the one here: copy it there"
        return msgspec.msgpack.encode(Answer(refused=reason))
    if changed:
        reason = (
            f"a global of {', '.join(changed)} has another value here than where laws are found, as its file alone "
            "says what it is: pass on as a parameter what is to be another one"
        )
        return msgspec.msgpack.encode(Answer(refused=reason))
    if not asked.block:
        return msgspec.msgpack.encode(Answer())
    question, share = content
    block = Block(*pickle.loads(asked.block))
    return msgspec.msgpack.encode(Answer(found_of(question, block, question.enumeration(share))))


def _called(function: str, argument: bytes) -> Mapping[str, object]:
    module, _, name = function.partition(":")
    found: Mapping[str, object] = getattr(import_module(module), name)(argument)
    return found


def cannot_load(error: Exception) -> str:
    """Why nothing can be computed where an error arose."""
    return (
        f"{platform.node()} cannot load the mechanism ({type(error).__name__}: {one_line(str(error))}): have its "
        "module where the workers there import it"
    )


class _Loading(pickle.Unpickler):
    def __init__(self, content: bytes, objects: Mapping[str, object]) -> None:
        super().__init__(io.BytesIO(content))
        self._objects = objects

    def persistent_load(self, name: str) -> object:
        return self._objects[name]


def unpickled(content: bytes, objects: Mapping[str, object]) -> Any:
    """What was `pickled` with names in the places of objects, which are found under them here."""
    return _Loading(content, objects).load()


class _Naming(pickle.Pickler):
    def __init__(self, written: io.BytesIO, objects: Mapping[str, object]) -> None:
        super().__init__(written)
        self._names = {id(value): name for name, value in objects.items()}

    def persistent_id(self, value: object) -> str | None:
        return self._names.get(id(value))


def pickled(content: object, objects: Mapping[str, object]) -> bytes:
    """Content as bytes, with names in the places of objects, which need not travel. Raises as `pickle` does."""
    written = io.BytesIO()
    _Naming(written, objects).dump(content)
    return written.getvalue()


# --- In a claim that a cluster decides


class AskingHelpers:
    """Those who help a claim that was itself sent: whoever gave it to this process is asked to give out its blocks."""

    processes = most = PROCESSES

    def __init__(self, ask: Ask, named: tuple[str, bytes], objects: Mapping[str, object]) -> None:
        self._ask = ask
        self._named = named
        self._objects = objects
        """What others find under these names, which is not sent."""

    def found(self, question: Question, blocks: Sequence[Block], enumeration: Enumeration) -> Answers:
        """See `Helpers`. What cannot be sent is found here. Raises as `ExecutorHelpers` does of what is lost."""
        try:
            content = pickled((question.alone, enumeration.share), self._objects)
            sent = [pickle.dumps(tuple(block)) for block in blocks]
        except Exception:  # pickle refuses in many ways
            yield from (None for _ in blocks)
            return
        messages = [_Message(content, block, versions(), {}, self._named) for block in sent]
        for block, answer in zip(blocks, self._ask([msgspec.msgpack.encode(one) for one in messages]), strict=True):
            yield given_by(_ANSWERS.decode(answer), question.mechanism, block)

    def worked(self, work: Work, parts: Sequence[range]) -> Answers:
        """See `Helpers`."""
        yield from asked_for(self._ask, work, parts)

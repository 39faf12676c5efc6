"""Parts of work that an executor of `concurrent.futures` gives to its processes, on this machine or on others.

What all parts have in common, such as a table of laws, is unpacked once in a process, which forks for each part, and
travels only to those that do not have it: to an executor with the first parts, and again where somebody lacks it.
"""

from __future__ import annotations

import pickle
import platform
import threading
import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import msgspec

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.shown import one_line
from dpverify.verifiers.processes.interpreters import Ask, Prepared, done_apart, done_in_a_fork
from dpverify.verifiers.processes.versions import differences, versions
from dpverify.verifiers.processes.workers import Lost
from dpverify.verifiers.processes.workplace import Answers, Work

_FIRST: Final = 8
"""Parts that are given at first to an executor that does not say how many processes it has."""

_MOST: Final = 128
"""Parts that are given to it at a time, later."""

_FASTEST: Final = 1


class _Part(msgspec.Struct, frozen=True):
    """A part of work that is known by a hash."""

    work: str
    start: int
    stop: int
    versions: Mapping[str, str]


class _Answer(msgspec.Struct, frozen=True):
    """What comes of a part; nothing, where it is to be done by whoever asked; or why not there."""

    found: bytes | None = None
    is_missing: bool = False
    """Whether it takes the content of the work."""
    refused: str = ""
    """Why nothing can be computed there."""


_PARTS: Final = msgspec.msgpack.Decoder(_Part)
_ANSWERS: Final = msgspec.msgpack.Decoder(_Answer)


# --- Whoever asks


def packed_work(work: Work) -> bytes | None:
    """The work as bytes; None where it cannot travel."""
    try:
        return zlib.compress(pickle.dumps(work, pickle.HIGHEST_PROTOCOL), _FASTEST)
    except Exception:  # pickle refuses in many ways
        return None


def _messages(content: bytes, parts: Sequence[range]) -> list[bytes]:
    name, own = sha256(content).hexdigest(), versions()
    return [msgspec.msgpack.encode(_Part(name, part.start, part.stop, own)) for part in parts]


def parts_by(executor: Executor, work: Work, parts: Sequence[range]) -> Answers:
    """What the processes of an executor make of the parts; see `Helpers`.

    Raises `BrokenExecutor` where a pool is, and `InputError` where other versions run there.
    """
    content = packed_work(work)
    if content is None:
        yield from (None for _ in parts)
        return
    messages = _messages(content, parts)
    given = _Given(executor, content)
    left = deque(messages)
    try:
        for _ in messages:
            while left and given.may_be_given_more:
                given.give(left.popleft())
            yield _given_by(given.next())
    finally:
        given.cancel()


@dataclass
class _Asked:
    """A part that somebody is at, and what came of it."""

    message: bytes
    future: Future[bytes]
    answer: _Answer | None = None


class _Given:
    """The parts that an executor is at, in their order."""

    def __init__(self, executor: Executor, content: bytes) -> None:
        self._executor, self._content = executor, content
        self._asked: deque[_Asked] = deque()
        self._has_come = False
        """Whether an answer has: until then nobody has the content, and of a few parts each is sent with it."""
        processes = getattr(executor, "_max_workers", None)
        self._first, self._most = (2 * processes,) * 2 if isinstance(processes, int) else (_FIRST, _MOST)

    @property
    def may_be_given_more(self) -> bool:
        """Whether there are few enough of them."""
        return len(self._asked) < (self._most if self._has_come else self._first)

    def give(self, message: bytes) -> None:
        """One more."""
        content = b"" if self._has_come else self._content
        self._asked.append(_Asked(message, _submitted(self._executor, message, content)))

    def next(self) -> _Answer:
        """What comes of the first of them; meanwhile what is missing somewhere is sent again."""
        while self._asked[0].answer is None:
            waiting = [asked for asked in self._asked if asked.answer is None]
            wait([asked.future for asked in waiting], return_when=FIRST_COMPLETED)
            for asked in waiting:
                if asked.future.done():
                    self._settle(asked)
        answer = self._asked.popleft().answer
        assert answer is not None
        return answer

    def _settle(self, asked: _Asked) -> None:
        answer = _answer(asked.future)
        if answer.is_missing:
            asked.future = _submitted(self._executor, asked.message, self._content)
        else:
            asked.answer, self._has_come = answer, True

    def cancel(self) -> None:
        """What has not begun is not asked for any more."""
        for asked in self._asked:
            asked.future.cancel()


def _submitted(executor: Executor, message: bytes, content: bytes) -> Future[bytes]:
    try:
        return executor.submit(worked, message, content)
    except BrokenExecutor:  # which is a RuntimeError
        raise
    except (RuntimeError, OSError) as error:
        raise InputError(f"executor: it takes no work: {one_line(str(error))}") from error


def _answer(future: Future[bytes]) -> _Answer:
    try:
        return _ANSWERS.decode(future.result())
    except BrokenExecutor:
        raise
    except Exception:  # a cluster says in many ways that its workers were lost: it is done here
        return _Answer()


def _given_by(answer: _Answer) -> bytes | None:
    if answer.refused:
        raise InputError(f"executor: {answer.refused}")
    return answer.found


def asked_for(ask: Ask, work: Work, parts: Sequence[range]) -> Answers:
    """As `parts_by`, of a claim that was itself sent: whoever gave it to this process is asked."""
    content = packed_work(work)
    if content is None:
        yield from (None for _ in parts)
        return
    for answer in ask(_messages(content, parts), content):
        yield _given_by(_ANSWERS.decode(answer))


# --- Whoever is asked


def worked(message: bytes, content: bytes) -> bytes:
    """What comes of a part, in a process that is forked for it: in a thread, by another interpreter."""
    others = differences(_PARTS.decode(message).versions)
    if others:
        refused = f"{platform.node()} runs {' and '.join(others)}: install the same on all machines"
        return msgspec.msgpack.encode(_Answer(refused=refused))
    if threading.current_thread() is threading.main_thread():
        outcome = done_in_a_fork(_ready(message, content))
    else:
        function = f"{__name__}:{work_apart.__name__}"
        outcome = done_apart(function, pickle.dumps((message, b"")))
        if content and not isinstance(outcome, Lost) and _ANSWERS.decode(outcome).is_missing:
            outcome = done_apart(function, pickle.dumps((message, content)))
    return msgspec.msgpack.encode(_Answer()) if isinstance(outcome, Lost) else outcome


def work_apart(argument: bytes) -> Prepared:
    """A part that is ready to be done, in an interpreter that keeps what it has in common with others."""
    ready = _ready(*pickle.loads(argument))
    return lambda _: ready()


_held: Final[dict[str, Work]] = {}
"""The work that was unpacked last, by its hash."""


def _ready(message: bytes, content: bytes) -> Callable[[], bytes]:
    asked = _PARTS.decode(message)
    if asked.work not in _held:
        if not content:
            return lambda: msgspec.msgpack.encode(_Answer(is_missing=True))
        _held.clear()
        work: Work = pickle.loads(zlib.decompress(content))
        work.prepare()
        _held[asked.work] = work
    held = _held[asked.work]
    return lambda: msgspec.msgpack.encode(_Answer(held.done(range(asked.start, asked.stop))))

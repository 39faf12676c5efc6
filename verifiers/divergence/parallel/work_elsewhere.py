"""Parts of work that an executor of `concurrent.futures` gives to its processes, on this machine or on others.

What all parts have in common, such as a table of distributions, is unpacked once in a process, which forks for each
part, and travels only to those that do not have it: to an executor with the first parts, and again where somebody lacks
it. What is people's own is unpacked in the fork: a process that stays would hold it as it was.
"""

import pickle
import platform
import threading
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Final

import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.verifiers.divergence.parallel.own_code import Own, Refused, loaded
from dpverify.verifiers.processes.interpreters import LOADED, Interpreter, Prepared, answer_in_a_fork, done_in_a_fork
from dpverify.verifiers.processes.versions import differences, versions
from dpverify.verifiers.processes.workers import Lost

_FIRST: Final = 8
"""Parts that are given at first to an executor that does not say how many processes it has."""

_MOST: Final = 256
"""Parts that are given to it at a time, later, and at first where what they have in common is small."""

_SMALL: Final = 1 << 16
"""Bytes that may be sent along with each part."""

_FASTEST: Final = 1


class AnswerElsewhere(msgspec.Struct, frozen=True):
    """The result of a part; nothing, where it is to be done by whoever asked; or why there is no answer."""

    found: bytes | None = None
    is_missing: bool = False
    """True where it takes what all parts have in common."""
    lost: str = ""
    """Reason why its process ended, again and again."""
    refused: str = ""
    """Reason why nothing can be computed there."""


class _Part(msgspec.Struct, frozen=True):
    """A part, as `pickle` has it, of work that is known by a hash; empty where it is asked whether that loads."""

    work: str
    part: bytes
    versions: Mapping[str, str]


class _Packet(msgspec.Struct, frozen=True):
    """The data that all parts have in common."""

    content: bytes
    own: Own | None


_PARTS: Final = msgspec.msgpack.Decoder(_Part)
_PACKETS: Final = msgspec.msgpack.Decoder(_Packet)
_ANSWERS: Final = msgspec.msgpack.Decoder(AnswerElsewhere)


# --- Whoever asks


def packed_work(content: bytes, own: Own | None = None) -> bytes:
    """Work that is pickled, ready to be sent."""
    return msgspec.msgpack.encode(_Packet(zlib.compress(content, _FASTEST), own))


def messages(packet: bytes, parts: Sequence[bytes]) -> list[bytes]:
    """The messages that are sent for each of the parts, which are pickled, beside what they have in common."""
    name, mine = sha256(packet).hexdigest(), versions()
    return [msgspec.msgpack.encode(_Part(name, part, mine)) for part in parts]


def answers_by(executor: Executor, packet: bytes, parts: Sequence[bytes]) -> Generator[AnswerElsewhere, None, None]:
    """The answers of the processes of an executor on the parts, in order. Raises `BrokenExecutor` where a pool is."""
    left = deque(messages(packet, parts))
    given = _Given(executor, packet)
    try:
        for _ in parts:
            while left and given.may_be_given_more:
                given.give(left.popleft())
            yield given.next()
    finally:
        given.cancel()


def answer_now(executor: Executor, packet: bytes, seconds: float) -> AnswerElsewhere:
    """True where what is to be sent can be loaded there. Raises `BrokenExecutor`, and `TimeoutError` after so long."""
    (message,) = messages(packet, [b""])
    return answer_of(_submitted(executor, message, packet), seconds)


@dataclass
class _Asked:
    """A part that somebody is at, and what came of it."""

    message: bytes
    future: Future[bytes]
    answer: AnswerElsewhere | None = None


class _Given:
    """The parts that an executor is at, in their order."""

    def __init__(self, executor: Executor, packet: bytes) -> None:
        self._executor, self._packet = executor, packet
        self._asked: deque[_Asked] = deque()
        self._has_come = False
        """True where an answer has: until then nobody has what is common, and of a few parts each is sent with it."""
        processes = getattr(executor, "_max_workers", None)
        self._most = 2 * processes if isinstance(processes, int) else _MOST
        self._first = self._most if isinstance(processes, int) or len(packet) <= _SMALL else _FIRST

    @property
    def may_be_given_more(self) -> bool:
        """True where there are few enough of them."""
        return len(self._asked) < (self._most if self._has_come else self._first)

    def give(self, message: bytes) -> None:
        """One more."""
        common = b"" if self._has_come else self._packet
        self._asked.append(_Asked(message, _submitted(self._executor, message, common)))

    def next(self) -> AnswerElsewhere:
        """The result of the first of them; meanwhile what is missing somewhere is sent again."""
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
        answer = answer_of(asked.future)
        if answer.is_missing:
            asked.future = _submitted(self._executor, asked.message, self._packet)
        else:
            asked.answer, self._has_come = answer, True

    def cancel(self) -> None:
        """Ask no more for what has not begun."""
        for asked in self._asked:
            asked.future.cancel()


def _submitted(executor: Executor, message: bytes, packet: bytes) -> Future[bytes]:
    try:
        return executor.submit(worked, message, packet)
    except BrokenExecutor:  # which is a RuntimeError
        raise
    except (RuntimeError, OSError) as error:
        raise InputError(bad_input.EXECUTOR, f"it takes no work: {one_line(str(error))}", "start it again") from error


def answer_of(future: Future[bytes], seconds: float | None = None) -> AnswerElsewhere:
    """The answer that is to come. Raises `BrokenExecutor`, and `TimeoutError` after so long."""
    try:
        return _ANSWERS.decode(future.result(seconds))
    except BrokenExecutor:
        raise
    except Exception as error:  # a cluster says in many ways that its workers were lost
        if seconds is not None and isinstance(error, TimeoutError):
            raise
        return AnswerElsewhere(lost=one_line(f"{type(error).__name__}: {error}"))


# --- Whoever is asked


def worked(message: bytes, packet: bytes) -> bytes:
    """The result of a part, in a process that is forked for it: in a thread, by another interpreter."""
    others = differences(_PARTS.decode(message).versions)
    if others:
        refused = f"{platform.node()} runs {' and '.join(others)}: install the same on all machines"
        return msgspec.msgpack.encode(AnswerElsewhere(refused=refused))
    if threading.current_thread() is threading.main_thread():
        outcome = done_in_a_fork(_ready(message, packet))
    else:
        outcome = done_in_an_interpreter(message, b"")
        if packet and not isinstance(outcome, Lost) and _ANSWERS.decode(outcome).is_missing:
            outcome = done_in_an_interpreter(message, packet)
    return msgspec.msgpack.encode(AnswerElsewhere(lost=outcome.reason)) if isinstance(outcome, Lost) else outcome


_interpreters: Final[list[Interpreter]] = []
"""One that does what comes to threads of this process; none until it is needed."""

_lock: Final = threading.Lock()


def done_in_an_interpreter(message: bytes, packet: bytes) -> bytes | Lost:
    """The result of a part, done by another interpreter in a process of its own; `Lost` where that dies or hangs."""
    for _ in range(2):  # one that was ended from outside while it waited is found out when it is asked
        with _lock:
            if not _interpreters:
                _interpreters.append(Interpreter(f"{__name__}:{work_loaded.__name__}"))
            (one,) = _interpreters
        try:
            with one.asked(pickle.dumps((message, packet))) as connection:
                loaded = connection.recv_bytes()
                outcome: bytes | Lost = Lost(loaded.decode()) if loaded != LOADED else connection.recv()
                return outcome
        except (EOFError, OSError):
            with _lock:
                if one in _interpreters:
                    _interpreters.remove(one)
            one.end()
    return Lost("the interpreter that was to do it ended, twice")


@contextmanager
def work_loaded(message: bytes) -> Iterator[Prepared]:
    """A part that is ready to be done, in an interpreter that keeps what it has in common with others."""
    yield partial(answer_in_a_fork, _ready(*pickle.loads(message)))


_held: Final[dict[str, Callable[[bytes], AnswerElsewhere]]] = {}
"""Worker on parts of the work that was unpacked last, by its hash."""


def _ready(message: bytes, packet: bytes) -> Callable[[], bytes]:
    content = _PARTS.decode(message)
    if content.work not in _held:
        if not packet:
            return lambda: msgspec.msgpack.encode(AnswerElsewhere(is_missing=True))
        _held.clear()
        _held[content.work] = _unpacked(_PACKETS.decode(packet))
    held = _held[content.work]
    return lambda: msgspec.msgpack.encode(held(content.part))


def _unpacked(packet: _Packet) -> Callable[[bytes], AnswerElsewhere]:
    if packet.own is not None:
        return partial(_of_own, packet.content, packet.own)
    work = pickle.loads(zlib.decompress(packet.content))
    work.prepare()
    return lambda part: AnswerElsewhere(work.done(pickle.loads(part)))


def _of_own(content: bytes, own: Own, part: bytes) -> AnswerElsewhere:
    try:
        work = loaded(zlib.decompress(content), own)
    except Refused as refusal:
        return AnswerElsewhere(refused=str(refusal))
    return AnswerElsewhere(work.done(pickle.loads(part)) or None) if part else AnswerElsewhere()

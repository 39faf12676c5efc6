"""Deciding in child processes: what a mechanism does to its process costs the claim that it belongs to, and no other.

Workers are forked, so that they find the claims, which hold functions, in their memory; what they send back is bytes.
Where there is no fork (Windows), all is decided in the caller's process, which a mechanism may then hang or end.
"""

from __future__ import annotations

import ctypes
import gc
import os
import select
import signal
import struct
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from mmap import mmap
from types import FrameType
from typing import Any, Final, NoReturn

from dpverify.verifiers.processes.stopwatch import SharedWatch, Stage, share_stopwatches

_Work = Callable[[int], bytes]
"""Result of the claim at a position, as bytes."""

OnTasks = Callable[[Mapping[int, Stage | None], int], None]
"""Callback for what is being decided and how far that is, where that is known, and how many are decided."""

INTERRUPTED: Final = "interrupted before it was decided"

_GRACE: Final = 1.0
"""Seconds for a worker to end what it is at by itself, when the time of a database is up."""

_LOOK: Final = 0.1
"""Seconds between two looks at the workers."""

_TASK: Final = struct.Struct("q")
_REPLY: Final = struct.Struct("qq")


@dataclass(frozen=True)
class Lost:
    """A task that was not decided, and why."""

    reason: str
    out_of_patience: bool = False
    """True where it took longer than it may."""


@dataclass
class ClaimsRun:
    """Claims to decide: iterate over `outcomes`, and see then whether it was interrupted."""

    count: int
    work: _Work
    jobs: int | Callable[[], int] = 1
    """Number of workers at a time; a function is asked again and again."""
    timeout: float | None = None
    patience: Callable[[int], float] | None = None
    """Seconds that each may take; None where that is left to those who decide."""
    on_wait: OnTasks = lambda in_hand, done: None
    """Called several times a second; done are also those not given out."""
    order: Sequence[int] | None = None
    """The positions in the order in which they are begun; None for 0, 1, 2, …"""
    idle: IdleProcesses | None = None
    """Place where workers see how many processes each of them may use besides, once all claims are given out."""
    pass_on: bool = False
    """True if SIGINT and SIGTERM are to do to this process, once all workers are ended, what they would have done."""
    interrupted: bool = False
    """True where SIGINT or SIGTERM came: what was not decided by then is `Lost`."""

    def outcomes(self) -> Generator[bytes | Lost, None, None]:
        """The findings on the claims 0 … count − 1, in this order, by `jobs` workers at a time.

        Each claim has a worker of its own: what is found, texts included, depends on no claim before it, and one that
        dies costs its claim alone, which is tried once more where a signal ended it. After `timeout` seconds, or an
        interruption, all workers are ended, and what is left is `Lost`.
        """
        return self._by_workers() if hasattr(os, "fork") else self._here()

    def _here(self) -> Generator[bytes | Lost, None, None]:
        began = time.monotonic()
        for i in range(self.count):
            if self.interrupted:
                yield Lost(INTERRUPTED)
            elif self.timeout is not None and time.monotonic() - began >= self.timeout:
                yield Lost(time_was_up(self.timeout))
            else:
                try:
                    result: bytes | Lost = self.work(i)
                except KeyboardInterrupt:
                    self.interrupted = True
                    result = Lost(INTERRUPTED)
                yield result

    def _by_workers(self) -> Generator[bytes | Lost, None, None]:
        deadline = None if self.timeout is None else time.monotonic() + self.timeout
        results: dict[int, bytes | Lost] = {}
        left = list(reversed(range(self.count) if self.order is None else self.order))
        retried: set[int] = set()
        given_out = 0
        with interruptions(self.pass_on) as came, _workers() as workers:
            while given_out < self.count:
                self.interrupted = came() != 0
                if self.interrupted or (deadline is not None and time.monotonic() >= deadline):
                    break
                self._set_to_work(workers, left)
                if self.idle is not None:
                    busy = len(workers)
                    self.idle.share = 1 if left or not busy else max(1, self._jobs // busy)
                for task, outcome in _ended(workers, deadline):
                    if isinstance(outcome, _Died) and outcome.by_signal and task not in retried:
                        retried.add(task)
                        left.append(task)
                    else:
                        results[task] = outcome.lost(task in retried) if isinstance(outcome, _Died) else outcome
                in_hand = {worker.task: worker.stage for worker in workers if worker.task is not None}
                self.on_wait(dict(sorted(in_hand.items())), given_out + len(results))
                while given_out in results:
                    yield results.pop(given_out)
                    given_out += 1
            learnt = {worker.task: worker.learnt for worker in workers if worker.task is not None}
        why = INTERRUPTED if self.interrupted else time_was_up(self.timeout or 0)
        for i in range(given_out, self.count):
            yield results.get(i, Lost("; ".join(filter(None, (why, learnt.get(i))))))

    @property
    def _jobs(self) -> int:
        return self.jobs if isinstance(self.jobs, int) else self.jobs()

    def _set_to_work(self, workers: list[_Worker], left: list[int]) -> None:
        busy = sum(worker.task is not None for worker in workers)
        while len(workers) < min(self._jobs, busy + len(left)):
            workers.append(_Worker(self.work, workers, self.patience))
        for worker in workers:
            if left and worker.task is None:
                worker.start(left.pop())


@contextmanager
def _workers() -> Iterator[list[_Worker]]:
    """A list for workers; those that are in it at the end are ended."""
    workers: list[_Worker] = []
    try:
        yield workers
    finally:
        for worker in workers:
            worker.end()


class IdleProcesses:
    """The numbers that the parent of workers tells them all: how many processes each may use for what it is at.

    A worker that has others work for it waits meanwhile, so that there are never more at work than there are jobs.
    """

    _SHARE: Final = struct.Struct("q")

    def __init__(self) -> None:
        self._memory = mmap(-1, self._SHARE.size)
        self.share = 1

    @property
    def share(self) -> int:
        """Processes for each worker, itself counted: 1 while there is other work left."""
        return int(self._SHARE.unpack_from(self._memory)[0])

    @share.setter
    def share(self, processes: int) -> None:
        self._SHARE.pack_into(self._memory, 0, processes)


def time_was_up(seconds: float) -> str:
    """Reason why a claim is not decided when all of it took too long."""
    return f"the time of {seconds:g} s (--timeout) was up"


def _ended(workers: list[_Worker], deadline: float | None) -> Iterator[tuple[int, bytes | Lost | _Died]]:
    """The tasks that have come to an end, after a look at all workers; theirs end with them."""
    wait = _LOOK if deadline is None else max(0.0, min(_LOOK, deadline - time.monotonic()))
    poll = select.poll()
    for worker in workers:
        poll.register(worker.replies, select.POLLIN)
    poll.poll(1000 * wait)
    for worker in list(workers):
        task, outcome = worker.task, worker.outcome()
        if outcome is None:
            continue
        worker.end()
        workers.remove(worker)
        if task is not None:
            yield task, outcome


@dataclass(frozen=True)
class _Died:
    """The end of a worker that was not told to, as `os.waitstatus_to_exitcode` has it."""

    status: int

    @property
    def by_signal(self) -> bool:
        """True where a signal ended it, which may have come from outside."""
        return self.status < 0

    def lost(self, again: bool) -> Lost:
        """The row of its claim."""
        if not self.by_signal:
            return Lost(f"the process that decided it ended with status {self.status}: does the mechanism end it?")
        return Lost(f"the process that decided it ended by signal {-self.status}" + (", twice" if again else ""))


class _Worker:
    """A child process, from the side of its parent."""

    def __init__(self, work: _Work, others: list[_Worker], patience: Callable[[int], float] | None) -> None:
        self.task: int | None = None
        self._patience = patience
        self._given_up_at: float | None = None
        self._watch = SharedWatch()
        self._received = b""
        tasks, self._tasks = os.pipe()
        self.replies, replies = os.pipe()
        os.set_blocking(self.replies, False)
        parents = [self._tasks, self.replies, *(end for other in others for end in (other._tasks, other.replies))]
        parent, die_with_parent = os.getpid(), death_signal()
        _flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads in the parent, such as numpy's
            self._pid = os.fork()
        if not self._pid:
            try:
                os.setpgid(0, 0)  # with what a mechanism may fork, which ends with it
                die_with_parent()
                if os.getppid() != parent:
                    os._exit(1)
                for end in parents:
                    os.close(end)
                _serve(work, tasks, replies, self._watch)
            finally:
                os._exit(1)
        self._group = self._pid
        with suppress(ProcessLookupError, PermissionError):  # whichever of the two comes first
            os.setpgid(self._pid, self._pid)
        os.close(tasks)
        os.close(replies)

    def start(self, task: int) -> None:
        """Let it decide the claim at a position."""
        self.task = task
        if self._patience is not None:
            self._given_up_at = time.monotonic() + self._patience(task)
        self._watch.message = ""
        self._watch.stage = None
        with suppress(BrokenPipeError):  # it is dead, which `outcome` finds
            os.write(self._tasks, _TASK.pack(task))

    @property
    def stage(self) -> Stage | None:
        """The progress with what takes long."""
        return self._watch.stage

    @property
    def learnt(self) -> str:
        """All that is known by now of what draws samples; empty of all else."""
        stage = self._watch.stage
        return self._watch.message if stage is not None and stage.draws else ""

    def outcome(self) -> bytes | Lost | _Died | None:
        """The outcome of its task: None where it is still at it."""
        died = os.waitpid(self._pid, os.WNOHANG)  # before reading: what it sent before it died is there then
        try:
            while part := os.read(self.replies, 1 << 16):
                self._received += part
        except BlockingIOError:
            pass
        if len(self._received) >= _REPLY.size:
            task, length = _REPLY.unpack_from(self._received)
            end = _REPLY.size + length
            if task == self.task and len(self._received) >= end:
                content, self._received, self.task = self._received[_REPLY.size : end], self._received[end:], None
                if died[0]:
                    self._pid = 0
                return content
        if not self._pid:
            return _Died(0)
        if died[0]:
            self._pid = 0
            return _Died(os.waitstatus_to_exitcode(died[1]))
        until = self._watch.until
        if self.task is not None and until is not None and until.is_past(self._pid, _GRACE):
            return Lost(self._watch.message or "a database took longer than the limit of seconds, outside of Python")
        if self.task is not None and self._given_up_at is not None and time.monotonic() > self._given_up_at:
            return Lost("it took longer than it may", out_of_patience=True)
        return None

    def end(self) -> None:
        """End it at once, whatever it is at."""
        with suppress(ProcessLookupError, PermissionError):  # nothing is left of it
            os.killpg(self._group, signal.SIGKILL)
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = 0
        os.close(self._tasks)
        os.close(self.replies)
        self._watch.close()


_serving = False


def in_a_worker() -> bool:
    """True where this process is a worker, which no Ctrl-C reaches."""
    return _serving


def _serve(work: _Work, tasks: int, replies: int, watch: SharedWatch) -> NoReturn:
    """Decide what comes over `tasks` until there is no more."""
    global _serving  # noqa: PLW0603
    _serving = True
    me = os.getpid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told as well, and ends this process
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    share_stopwatches(watch)
    gc.freeze()  # what the parent has made stays: the collector need not go through it, again and again
    while len(task := os.read(tasks, _TASK.size)) == _TASK.size:
        (i,) = _TASK.unpack(task)
        content = work(i)
        _flush()
        if os.getpid() != me:
            os._exit(0)  # a child that the mechanism has made answers nothing
        reply = memoryview(_REPLY.pack(i, len(content)) + content)
        while reply:
            reply = reply[os.write(replies, reply) :]
    os._exit(0)


def _flush() -> None:
    """Write out what the streams hold, which a fork would write twice, and `os._exit` not at all."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()


def death_signal() -> Callable[[], Any]:
    """The function that a child calls so that it does not outlive its parent; only Linux has that."""
    if sys.platform != "linux":
        return lambda: None
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    set_death_signal = 1
    return (lambda: None) if prctl is None else lambda: prctl(set_death_signal, signal.SIGKILL)


@contextmanager
def interruptions(pass_on: bool = False) -> Iterator[Callable[[], int]]:
    """True where SIGINT or SIGTERM came, which are caught meanwhile, or 0; a second one raises `KeyboardInterrupt`.

    What is to be passed on comes to this process again at the end, however that is reached. Only Ctrl-C raises then: a
    pool that ends its processes sends each SIGTERM twice, and they take any exception for what comes of their work, and
    wait for more.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    came, over = 0, False

    def note(signum: int, frame: FrameType | None) -> None:
        nonlocal came
        raises = came and not over and (signum == signal.SIGINT or not pass_on)
        came = max(came, signum)  # SIGTERM, which is the larger one, means more
        if raises:
            raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    caught = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    try:
        for number in caught:
            signal.signal(number, note)
        yield lambda: came
    finally:
        over = True  # an exception here would leave `note` where it is
        for number in caught:
            signal.signal(number, before[number])
        if pass_on and came:
            os.kill(os.getpid(), came)

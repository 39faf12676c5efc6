"""Interpreters of their own for work that comes to a process which may not do it: a thread of a cluster's worker.

What stops a mechanism that does not return is a signal, which comes to the main thread of a process; and a process with
threads is not to be forked. So each thread has another interpreter beside it, which forks for each task: what a
mechanism does there costs its task and no other.
"""

import atexit
import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Final, NamedTuple, TypeAlias

from dpverify.verifiers.processes.platforms import collect_seldom
from dpverify.verifiers.processes.workers import ClaimsRun, Lost

Prepared: TypeAlias = Callable[[], bytes]
"""A task that is ready to be done, in a process of its own."""


class _Task(NamedTuple):
    function: str
    argument: bytes


class _Done(NamedTuple):
    content: bytes


class Interpreter:
    """Another interpreter, which does one task at a time."""

    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve({theirs.fileno()})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()

    def done(self, function: str, argument: bytes) -> bytes | Lost:
        """The result of MODULE:FUNCTION on the argument, in a process of its own.

        Raises `EOFError` or `OSError` where the interpreter is gone.
        """
        self._connection.send(_Task(function, argument))
        message: _Done | Lost = self._connection.recv()
        return message.content if isinstance(message, _Done) else message

    def end(self) -> None:
        """End it, and what it is at; in a process that was forked from the one whose it is, nothing happens to it."""
        self._connection.close()
        self._process.kill()
        self._process.wait()


_free: Final[list[Interpreter]] = []
_lock: Final = threading.Lock()


@contextmanager
def _interpreter() -> Iterator[Interpreter]:
    """One that is at nothing; after an error it is ended, since nobody knows what it is at."""
    with _lock:
        one = _free.pop() if _free else None
    one = one or Interpreter()
    try:
        yield one
    except BaseException:
        one.end()
        raise
    with _lock:
        _free.append(one)


@atexit.register
def _end_free() -> None:
    """End those that are at nothing: the process that ends leaves none to be found running."""
    while _free:
        _free.pop().end()


def done_in_a_process(function: str, argument: bytes) -> bytes | Lost:
    """Result of MODULE:FUNCTION for the argument, done in a process of its own; `Lost` where that dies or hangs.

    FUNCTION gives a task that is `Prepared`: it loads, in an interpreter that stays, what the task takes.
    """
    for _ in range(2):  # one that was ended from outside while it waited is found out when it is asked
        with suppress(EOFError, OSError), _interpreter() as one:
            return one.done(function, argument)
    return Lost("the interpreter that was to do it ended, twice")


def done_in_a_fork(work: Callable[[], bytes], on_wait: Callable[[], None] = lambda: None) -> bytes | Lost:
    """The result of work in a process of its own; `Lost` where that dies twice, or hangs.

    Signals that are to end this process end it, and with it that one.
    """
    (outcome,) = ClaimsRun(1, lambda _: work(), on_wait=lambda *_: on_wait(), pass_on=True).outcomes()
    return outcome


# --- What runs there


def serve(descriptor: int) -> None:
    """Do what comes through a connection, each in a process of its own, until it is closed."""
    connection = Connection(descriptor)
    collect_seldom()
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            connection.send(_result(connection, *connection.recv()))


def _result(connection: Connection, function: str, argument: bytes) -> _Done | Lost:
    module, _, name = function.partition(":")
    try:
        prepared: Prepared = getattr(import_module(module), name)(argument)
    except BaseException as error:  # files of people's own may be loaded for it
        return Lost(f"{type(error).__name__}: {error}")
    outcome = done_in_a_fork(prepared, lambda: _end_with(connection))
    return outcome if isinstance(outcome, Lost) else _Done(outcome)


def _end_with(connection: Connection) -> None:
    """End this process, and with it what it has forked, when nobody is there any more to be told what comes of it."""
    watched = select.poll()
    watched.register(connection, select.POLLHUP)
    if any(event & select.POLLHUP for _, event in watched.poll(0)):
        os._exit(1)

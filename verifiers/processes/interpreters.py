"""Other interpreters, which fork for each task: what a task does there costs itself and no other.

A thread of a cluster's worker asks one, as it may not do the work itself: what stops a mechanism that does not return
is a signal, which comes to the main thread of a process; and a process with threads is not to be forked. Whoever
computes distributions a second time asks one that shares nothing with the first, and has another hash seed.
"""

import atexit
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, TypeAlias

from dpverify.verifiers.processes.platforms import collect_seldom
from dpverify.verifiers.processes.workers import ClaimsRun, Lost, death_signal

Prepared: TypeAlias = Callable[[Connection], None]
"""A task that is ready to be done, in a process of its own: it answers through a connection."""

Loads: TypeAlias = Callable[[bytes], AbstractContextManager[Prepared]]
"""Makes a task ready, in an interpreter that stays; the process is forked within the context."""

LOADED: Final = b"loaded"
"""Message of an interpreter once it has what a task takes; in its place stands why it has not."""


class Interpreter:
    """Another interpreter, which whoever has it may ask, and processes that are forked later, too."""

    def __init__(self, loads: str) -> None:
        """`loads` is the MODULE:FUNCTION that makes tasks ready there.

        Raises `OSError` where there can be none: no folder can be written to, or the name of a socket is too long.
        """
        self._owner = os.getpid()
        self._folder = tempfile.mkdtemp(prefix="dpverify-")
        self._address = str(Path(self._folder) / "socket")
        try:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(self._address)
                listener.listen(128)
                serving = f"from {__name__} import serve; serve({listener.fileno()}, {self._folder!r}, {loads!r})"
                self.process = subprocess.Popen(
                    [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {serving}"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[listener.fileno()],
                    env={**os.environ, "PYTHONHASHSEED": _other_seed()},
                )
        except OSError:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        atexit.register(self.end)

    def asked(self, message: bytes) -> Connection:
        """The connection through which it says whether a task is loaded, and answers.

        Raises `EOFError` or `OSError` where the interpreter is gone.
        """
        channel = socket.socket(socket.AF_UNIX)
        channel.connect(self._address)
        connection = Connection(channel.detach())
        connection.send_bytes(message)
        return connection

    def end(self) -> None:
        """End it; in a process that was forked from the one whose it is, nothing happens to it."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.end)
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _other_seed() -> str:
    """A hash seed that is not that of this process; where this one's is random, 1."""
    own = os.environ.get("PYTHONHASHSEED", "random")
    return "1" if own in ("", "random") else str((int(own) + 1) % (1 << 32))  # as Python reads it: 01 is 1


def done_in_a_fork(work: Callable[[], bytes], on_wait: Callable[[], None] = lambda: None) -> bytes | Lost:
    """The result of work in a process of its own; `Lost` where that dies twice, or hangs.

    Signals that are to end this process end it, and with it that one.
    """
    (outcome,) = ClaimsRun(1, lambda _: work(), on_wait=lambda *_: on_wait(), pass_on=True).outcomes()
    return outcome


# --- What runs there


def serve(listener: int, folder: str, loads: str) -> None:
    """Do what comes through a listening socket, in a folder of its own, until the standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks decides what is interrupted
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that answer
    collect_seldom()
    module, _, name = loads.partition(":")
    ready: Loads = getattr(import_module(module), name)
    incoming = socket.socket(fileno=listener)
    while True:
        waiting, _, _ = select.select([incoming.fileno(), 0], [], [])
        if 0 in waiting:  # whoever started this one is gone
            shutil.rmtree(folder, ignore_errors=True)
            return
        channel, _ = incoming.accept()
        connection = Connection(channel.detach())
        try:
            _answer(connection, ready)
        except Exception:  # whoever asked is gone
            continue
        finally:
            connection.close()


def _answer(connection: Connection, loads: Loads) -> None:
    message = connection.recv_bytes()
    try:
        with loads(message) as prepared:
            if os.fork() == 0:
                try:
                    death_signal()()
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    connection.send_bytes(LOADED)
                    prepared(connection)
                finally:
                    os._exit(0)
    except Exception as error:  # files of people's own may be loaded for it
        connection.send_bytes(f"{type(error).__name__}: {error}".encode("utf-8", "replace"))


def answer_in_a_fork(work: Callable[[], bytes], connection: Connection) -> None:
    """Answer with what comes of work in a process of its own, as long as somebody is there to be told."""
    connection.send(done_in_a_fork(work, lambda: _end_with(connection)))


def _end_with(connection: Connection) -> None:
    """End this process, and with it what it has forked, when nobody is there any more to be told what comes of it."""
    watched = select.poll()
    watched.register(connection, select.POLLHUP)
    if any(event & select.POLLHUP for _, event in watched.poll(0)):
        os._exit(1)

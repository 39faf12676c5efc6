"""Looks outside: files, sockets, other programs and the environment, noted while people's own code runs.

A verdict that may depend on them holds for today only, and is not kept for later. Modules that are imported are no such
look: they are part of what a claim is known by (see `reached_files`).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, NamedTuple

from dpverify.verifiers.auditing.cache.loaded_code import note_code
from dpverify.verifiers.auditing.cache.reached_files import is_a_command, is_of_dpverify, is_own

_FAMILIES: Final = frozenset(
    "open os socket subprocess ctypes sqlite3 winreg urllib http glob shutil pathlib mmap tempfile pty fcntl".split()  # noqa: SIM905
)
"""Beginnings of the names of events that are looks outside, or may lead to one."""

_noted: list[str] = []
_depth = 0


class LookWatch(NamedTuple):
    """Since when looks are noted, in nanoseconds, and which files of people's own had been loaded by then."""

    since: int
    unseen: frozenset[str]


_watches: list[LookWatch] = []


def watch() -> LookWatch:
    """Note, from now on, which code runs, and what is looked at while `noted_looks` lasts.

    A second call changes nothing.
    """
    if not _watches:
        # no later than this process began
        _watches.append(LookWatch(time.time_ns() - time.process_time_ns(), own_files_loaded()))
        sys.addaudithook(_seen)  # it stays for as long as the process
    return _watches[0]


def own_files_loaded() -> frozenset[str]:
    """The files of people's own that this process has loaded modules from."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return frozenset(file for file in files if isinstance(file, str) and is_own(file) and not is_a_command(file))


@contextmanager
def noted_looks() -> Iterator[list[str]]:
    """Adds looks outside by people's own code, or by a library for it, to the list that is yielded.

    Nothing is noted before `watch` was called.
    """
    global _depth  # noqa: PLW0603
    texts: list[str] = []
    if not _watches:
        yield texts
        return
    begin = len(_noted)
    _depth += 1
    try:
        with _environment_watched():
            yield texts
    finally:
        _depth -= 1
        texts += _noted[begin:]


def looked_so_far() -> list[str]:
    """The looks that were noted in this process: while files of claims were loaded, say."""
    return list(_noted)


def _seen(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "exec":
        note_code(*arguments)
    elif _depth and event.partition(".")[0] in _FAMILIES and _for_own_code(sys._getframe(1)):
        _noted.append(f"{event} {arguments[0]!r:.80}" if arguments else event)


def _for_own_code(frame: FrameType | None) -> bool:
    """True where what happens is on behalf of people's own code, and not of dpverify or the import of a module."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib") or is_of_dpverify(file):
            return False
        if not file.startswith("<") and is_own(file):
            return True
        frame = frame.f_back
    return False


@contextmanager
def _environment_watched() -> Iterator[None]:
    """Reading `os.environ` is noted meanwhile; no event tells of that."""
    kind: Any = type(os.environ)
    before = {name: vars(kind)[name] for name in ("__getitem__", "__iter__", "__len__")}

    def watched(method: Callable[..., Any]) -> Callable[..., Any]:
        def noting(environment: Any, *arguments: Any) -> Any:
            if _for_own_code(sys._getframe(1)):
                _noted.append("the environment")
            return method(environment, *arguments)

        return noting

    for name, method in before.items():
        setattr(kind, name, watched(method))
    try:
        yield
    finally:
        for name, method in before.items():
            setattr(kind, name, method)

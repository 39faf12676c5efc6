"""Ways out of the process: files, sockets, other programs, which what runs later can read, and no name leads to.

Two rules, as neither alone is enough. A mechanism may write nothing there while it is enumerated, whatever it calls to
do so: what it wrote on one database, the next run would read. And code that is run out of its order, or is not run but
looked at, names nothing that reads or writes there: a sub-mechanism, a part, a predicate, what `draw.release` applies.

The first rule is kept by a hook of Python's audit events, which come from C as well, and which nobody can take away. No
event tells of what goes through something that was opened before (a file object, a descriptor, a pipe, memory that is
shared), of a thread of the mechanism's own, or of what foreign code does by itself.
"""

from __future__ import annotations

import builtins
import dis
import io
import os
import pickle
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path, PurePath
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.reaching.elsewhere import codes_in

# --- What code names

_OF_BUILTINS: Final = ("open", "input", "help")
_OF_NUMPY: Final = (
    *("DataSource", "fromfile", "fromregex", "genfromtxt", "load", "loadtxt", "memmap", "save", "savetxt", "savez"),
    *("savez_compressed", "recfromcsv", "recfromtxt", "rec.fromfile", "lib.format.open_memmap"),
    *("lib.format.read_array", "lib.format.write_array", "lib.npyio.DataSource", "lib.npyio.NpzFile"),
    *("ctypeslib.load_library", "empty", "empty_like"),  # which show what was in memory before
)
_OF_OTHERS: Final[Mapping[ModuleType, tuple[str, ...]]] = {
    io: ("FileIO", "open_code"),
    os: ("open", "fdopen", "popen", "system"),
    types: ("FunctionType", "CodeType"),  # by which code is made that says no name
    warnings: ("formatwarning", "showwarning"),  # which show the line of a file
    pickle: ("load", "loads", "Unpickler", "_load", "_loads", "_Unpickler"),
}

_MODULES: Final = (
    *("scipy.io", "scipy.datasets", "numpy.lib._datasource", "numpy.lib._npyio_impl", "numpy.lib.npyio"),
    *("numpy.lib.format", "numpy.lib._format_impl", "numpy.ctypeslib", "numpy.testing", "numpy.f2py"),
)
"""Modules of which all may read or write outside; scipy loads its own when they are named."""

_OF_PATHS: Final = frozenset(name for name in dir(Path) if name not in dir(PurePath))
"""The methods by which a path asks of files, which a text with its parts does not have."""

_OF_ARRAYS: Final = frozenset({"tofile", "dump"})


class _WayOut(NamedTuple):
    """Something of Python's or numpy's that reads or writes outside, or makes code that may, with its name."""

    name: str
    what: Any


@cache
def _ways_out() -> Mapping[int, _WayOut]:
    """The ways out, by identity."""
    names = [(builtins, _OF_BUILTINS), (np, _OF_NUMPY), *_OF_OTHERS.items()]
    results: dict[int, _WayOut] = {}
    for module, parts in names:
        for part in parts:
            value: Any = module
            for word in part.split("."):
                value = getattr(value, word, None)
            if value is not None:
                results[id(value)] = _WayOut(part if module is builtins else f"{module.__name__}.{part}", value)
    return results


def named_outside(functions: Iterable[FunctionType], values: Iterable[Any], words: frozenset[str]) -> Iterator[str]:
    """The names by which these functions, with these words, that reach these values, read or write outside."""
    ways = _ways_out()
    for function in functions:
        around = function.__globals__
        for name in _globals_of(function.__code__):
            way = ways.get(id(around.get(name, vars(builtins).get(name))))
            if way is not None:
                yield way.name
    said = words & _words_of_ways()
    for value in values:
        kind = type(value)
        if id(value) in ways:
            yield ways[id(value)].name
        elif kind is ModuleType:
            yield from _named_in(value, said, ways)
        elif kind in _WITH_A_MODULE or isinstance(value, type):
            if _is_of_files(value.__module__):
                yield f"{value.__module__}.{value.__name__}"
            elif isinstance(value, type) and issubclass(value, Path):
                yield from (f"Path.{word}" for word in sorted(words & _OF_PATHS))
        elif isinstance(value, Path):
            yield from (f"Path.{word}" for word in sorted(words & _OF_PATHS))
        elif isinstance(value, np.ndarray):
            yield from sorted(words & _OF_ARRAYS)


_WITH_A_MODULE: Final = (FunctionType, BuiltinFunctionType)


def _named_in(module: ModuleType, said: frozenset[str], ways: Mapping[int, _WayOut]) -> Iterator[str]:
    if _is_of_files(module.__name__):
        yield module.__name__
    for word in sorted(said):
        way = ways.get(id(vars(module).get(word)))
        if way is not None or _is_of_files(f"{module.__name__}.{word}"):
            yield f"{module.__name__}.{word}" if way is None else way.name


@cache
def _words_of_ways() -> frozenset[str]:
    """The words by which a module gives what reads or writes outside, or a module that does."""
    names = (*(way.name for way in _ways_out().values()), *_MODULES)
    return frozenset(name.rpartition(".")[2] for name in names)


@lru_cache(maxsize=1 << 12)
def _is_of_files(module: object) -> bool:
    return isinstance(module, str) and any(module == each or module.startswith(f"{each}.") for each in _MODULES)


@lru_cache(maxsize=1 << 12)
def _globals_of(code: CodeType) -> tuple[str, ...]:
    """The names in code, and in the code within it, that stand for globals or for Python's own functions."""
    steps = (step for each in codes_in(code) for step in dis.get_instructions(each))
    return tuple(dict.fromkeys(step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")))


# --- What is done

_WRITES: Final = frozenset(
    {
        *("os.chflags", "os.chmod", "os.chown", "os.link", "os.lockf", "os.mkdir", "os.remove", "os.removexattr"),
        *("os.rename", "os.rmdir", "os.setxattr", "os.symlink", "os.truncate", "os.utime", "os.exec", "os.fork"),
        *("os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.startfile/2", "os.system"),
        *("subprocess.Popen", "pty.spawn", "shutil.move", "shutil.rmtree"),
        *("socket.__new__", "socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg", "syslog.syslog"),
        *("socket.getaddrinfo", "sqlite3.connect", "msvcrt.locking", "fcntl.fcntl", "fcntl.flock", "fcntl.lockf"),
        *("fcntl.ioctl", "resource.setrlimit", "winreg.SetValue", "winreg.CreateKey"),
    }
)
"""Events that tell of a change outside, or of something that both sides of a run can reach."""

_LOOKED_AT: Final = _WRITES | {"open"}

_TO_WRITE: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_hooks: Final[list[Callable[[Exception], bool]]] = []


def refuse_writing(take_note: Callable[[Exception], bool]) -> None:
    """From now on `take_note` is handed an error for each write outside; that is raised where it says that it was.

    A second call changes nothing: the hook stays for as long as the process.
    """
    if not _hooks:
        _hooks.append(take_note)
        sys.addaudithook(_seen)


def _seen(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in _LOOKED_AT:  # each `id` is one, and each look at a function's code
        return
    if event == "open" and not _is_to_write(*arguments[1:3]):
        return
    if is_importing(sys._getframe(1)):
        return
    what = f"{event} {shown(arguments[0])}" if arguments and isinstance(arguments[0], str | bytes) else event
    error = InputError(bad_mechanism.WRITES_OUTSIDE, what)
    if _hooks[0](error):
        raise error


def _is_to_write(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return not frozenset("wax+").isdisjoint(mode)
    return isinstance(flags, int) and bool(flags & _TO_WRITE)


def is_importing(frame: FrameType | None) -> bool:
    """True where a module is being imported, whose compiled code Python writes beside it."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>" and frame.f_code.co_name == "_find_and_load":
            return True
        frame = frame.f_back
    return False

"""The code of people's own that this process has run while it loaded modules, in that order, by what is in it.

What a file says is not always what runs. Python takes a compiled file for that of a source of the same size and second,
or does not look at the source at all; a module may be loaded twice; and what a module is may depend on what was loaded
before it. So the code itself is noted, at the moment at which Python runs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Final, NamedTuple

from dpverify.verifiers.auditing.cache.reached_files import installed_folders, is_own
from dpverify.verifiers.processes.versions import PACKAGE, PACKAGES


class LoadedCode(NamedTuple):
    """Code that has run, of a file as a whole."""

    file: str
    digest: str
    """Equal for equal code; empty where it holds what nobody can compare."""


_ran: list[LoadedCode] = []

_OF_DPVERIFY: Final = tuple(place / room for place in (PACKAGE, Path(__file__).parents[3]) for room in PACKAGES)

_NEVER_OWN: Final = ("<", *(f"{folder}{os.sep}" for folder in (*_OF_DPVERIFY, *installed_folders())))
"""Beginnings of names of files that are nobody's own: to see so of each module that is loaded takes a moment."""


def note_code(code: object) -> None:
    """Note code that is about to run, if it is people's own, for the audit hook that sees it."""
    if isinstance(code, CodeType) and not code.co_filename.startswith(_NEVER_OWN) and is_own(code.co_filename):
        _ran.append(LoadedCode(code.co_filename, digest_of_code(code)))


def ran_so_far() -> tuple[LoadedCode, ...]:
    """The code that was noted in this process, in order."""
    return tuple(_ran)


def code_to_run(name: str, file: Path) -> str:
    """The digest of the code that Python would run if it loaded a module from a source file now; nothing is written.

    Empty where it would find none, or one that nobody can compare.
    """
    with _nothing_written():
        try:
            code = SourceFileLoader(name, str(file)).get_code(name)
        except Exception:  # a compiled file may hold anything
            return ""
    return digest_of_code(code) if isinstance(code, CodeType) else ""


@contextmanager
def _nothing_written() -> Iterator[None]:
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


_NAMES: Final = (
    "filename name qualname firstlineno argcount posonlyargcount kwonlyargcount nlocals stacksize flags code consts "
    "names varnames freevars cellvars linetable exceptiontable"
)
_FIELDS: Final = tuple(f"co_{name}" for name in _NAMES.split())
"""All that code is. A compiled file has more, such as which objects are one, which is another each time it is made."""


def digest_of_code(code: CodeType) -> str:
    """A hash that is equal for equal code, whether it was compiled just now or read; empty for unknown constants."""
    try:
        return sha256(repr(_told(code)).encode("utf-8", "surrogatepass")).hexdigest()
    except (TypeError, RecursionError):
        return ""


def _told(constant: object) -> object:
    """A form of a constant that reads alike only where it is alike."""
    if isinstance(constant, CodeType):
        return "code", [_told(getattr(constant, name)) for name in _FIELDS]
    kind = type(constant).__name__
    if isinstance(constant, tuple):
        return kind, list(map(_told, constant))
    if isinstance(constant, frozenset):
        return kind, sorted(repr(_told(one)) for one in constant)
    if isinstance(constant, slice):
        return kind, [_told(one) for one in (constant.start, constant.stop, constant.step)]
    if isinstance(constant, int):
        return kind, hex(constant)  # in decimal one may have too many digits
    if constant is None or constant is ... or isinstance(constant, str | bytes | float | complex):
        return kind, repr(constant)
    raise TypeError(f"{kind} is no constant of code")

"""Hooks that Python calls for everybody: what is printed, warned of or traced comes to them, and no name leads there.

A mechanism may put a hook of its own in its place for a while, and have it told by what a sub-mechanism does. So what
was not there when the mechanism began belongs to what its sub-mechanisms reach.
"""

from __future__ import annotations

import builtins
import codecs
import contextlib
import encodings
import functools
import gc
import io
import signal
import sys
import threading
import warnings
from _signal import getsignal  # type: ignore[import-not-found]  # signal's own makes a member of Handlers of each
from collections.abc import Iterable, Iterator
from operator import is_
from types import FunctionType, MethodType
from typing import Any, Final, NamedTuple

import numpy
from numpy import geterrcall

from dpverify.mechanisms.functions.trusted import is_trusted_class, is_trusted_function

_NAMED: Final = (
    *(f"sys.{name}" for name in ("stdout", "stderr", "stdin", "excepthook", "unraisablehook", "breakpointhook")),
    *("sys.displayhook", "warnings.showwarning", "threading.excepthook", "the profiler", "the tracer"),
    *("what numpy calls for errors", "the exception that is handled"),
)


_WORDS: Final = frozenset(
    {
        *("stdout", "stderr", "stdin", "excepthook", "unraisablehook", "breakpointhook", "displayhook", "showwarning"),
        *("setprofile", "settrace", "setprofile_all_threads", "settrace_all_threads", "seterrcall", "errstate"),
        *("redirect_stdout", "redirect_stderr", "signal", "sigaction", "meta_path", "builtins", "__builtins__"),
        *("setattr", "__setattr__", "__dict__", "vars", "globals", "modules", "getattr", "exec", "eval"),
    }
)
_INSTALLERS: Final = frozenset(
    map(
        id,
        (
            *(contextlib.redirect_stdout, contextlib.redirect_stderr, numpy.errstate, numpy.seterrcall, signal.signal),
            *(sys.setprofile, sys.settrace, threading.setprofile, threading.settrace, setattr, object.__setattr__),
        ),
    )
)


def may_install(words: frozenset[str], values: Iterable[Any]) -> bool:
    """True where code with these words, and what it reaches, may put a hook in the place of another."""
    return not words.isdisjoint(_WORDS) or any(id(value) in _INSTALLERS for value in values)


class Hooks(NamedTuple):
    """All that is called: first those of names that are known, then handlers of signals, builtins, and finders."""

    named: tuple[Any, ...]
    handlers: tuple[Any, ...]
    others: tuple[Any, ...]


def hooks_now() -> Hooks:
    """The hooks that are there."""
    of = sys
    named = (
        *(of.stdout, of.stderr, of.stdin, of.excepthook, of.unraisablehook, of.breakpointhook, of.displayhook),
        *(warnings.showwarning, threading.excepthook, of.getprofile(), of.gettrace(), geterrcall(), of.exc_info()[1]),
    )
    return Hooks(named, tuple(map(getsignal, _SIGNALS)), (*vars(builtins).values(), *of.meta_path))


_SIGNALS: Final = tuple(map(int, signal.valid_signals()))


def hooks_since(before: Hooks, *, may_install: bool) -> tuple[tuple[str, Any], ...]:
    """The hooks that were not there before, each with a name; those of this library and Python, which tell nobody, not.

    An exception may be there in any case; others only where somebody `may_install` them.
    """
    if not may_install:
        handled = sys.exc_info()[1]
        return () if handled is before.named[-1] or handled is None else ((_NAMED[-1], handled),)
    now = hooks_now()
    if all(len(one) == len(was) and all(map(is_, one, was)) for one, was in zip(now, before, strict=True)):
        return ()
    known = frozenset(map(id, before.others))
    handlers = zip(_SIGNALS, now.handlers, before.handlers, strict=True)
    result = (
        *((name, one) for name, one, was in zip(_NAMED, now.named, before.named, strict=True) if one is not was),
        *((f"the handler of signal {number}", one) for number, one, was in handlers if one is not was),
        *((f"the builtin {getattr(one, '__name__', '')}", one) for one in now.others if id(one) not in known),
    )
    return tuple([(name, one) for name, one in result if one is not None and not _is_trusted(one)])


def hooks_named(names: frozenset[str]) -> list[Any]:
    """The hooks of one's own, whenever they were put there, that code with these names sets off."""
    found: list[Any] = []
    if not names.isdisjoint(("print", "stdout", "stderr")):
        found += [sys.stdout, sys.stderr]
    if not names.isdisjoint(("warn", "warn_explicit")):
        found += [warnings.showwarning, sys.stderr]
    if "raise_signal" in names:
        found += map(getsignal, _SIGNALS)
    if "breakpoint" in names:
        found.append(sys.breakpointhook)
    found += [vars(builtins)[name] for name in names & vars(builtins).keys()]
    return [hook for hook in found if _is_ones_own(hook)]


def hooks_without_a_name() -> list[Any]:
    """Those that any code may set off: by an encoding, by an error in numbers of numpy, or by the text of an array."""
    formatters = (numpy.get_printoptions()["formatter"] or {}).values()
    return [hook for hook in (*_of_codecs(), geterrcall(), *formatters) if hook is not None and _is_ones_own(hook)]


def _is_ones_own(hook: Any) -> bool:
    if isinstance(hook, FunctionType):
        return not is_trusted_function(hook)
    if isinstance(hook, MethodType | functools.partial | io.StringIO):
        return True
    return not is_trusted_class(hook if isinstance(hook, type) else type(hook))


def _of_codecs() -> Iterator[Any]:
    """The functions that are called for names of encodings, and for letters that cannot be encoded."""
    for table in tables_of_codecs():
        yield from table.values() if isinstance(table, dict) else table


@functools.cache
def tables_of_codecs() -> tuple[Any, ...]:
    """The list and the dict in which Python has these, to which nothing else leads."""
    codecs.lookup_error("strict")
    known = codecs.lookup_error("xmlcharrefreplace")
    is_frozen = gc.get_freeze_count() > 0  # as of workers, where the collector says nothing of what is older
    if is_frozen:
        gc.unfreeze()
    found = gc.get_referrers(known, encodings.search_function)
    if is_frozen:
        gc.freeze()
    handlers = [table for table in found if type(table) is dict and table.keys() >= {"strict", "backslashreplace"}]
    return *handlers, *(table for table in found if type(table) is list)


def _is_trusted(called: Any) -> bool:
    return isinstance(called, FunctionType) and is_trusted_function(called)

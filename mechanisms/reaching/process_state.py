"""State that a process has for everybody: the context of decimal, its directory, numpy's treatment of errors.

No name of a mechanism holds it, and what follows can read it: so a run has to leave it as it was.
"""

from __future__ import annotations

import copyreg
import csv
import decimal
import faulthandler
import gc
import locale
import logging
import os
import signal
import socket
import sys
import threading
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import flint
import numpy as np

from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.reaching.hooks import tables_of_codecs


def _decimal_context() -> tuple[Any, ...]:
    now = decimal.getcontext()
    return now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, repr(now.traps)


def _contexts_of_decimal() -> list[tuple[Any, ...]]:
    kept = decimal.DefaultContext, decimal.BasicContext, decimal.ExtendedContext
    return [(of.prec, of.rounding, of.Emin, of.Emax, of.capitals, of.clamp, repr(of.traps)) for of in kept]


def _codecs() -> list[tuple[Any, ...]]:
    return [tuple(table.items()) if isinstance(table, dict) else tuple(table) for table in tables_of_codecs()]


def _registered_extensions() -> Iterable[Any]:
    registry: Mapping[Any, Any] = copyreg._extension_registry  # type: ignore[attr-defined]  # CPython's
    return registry.items()


def _directory() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109  # that is the call that a mechanism can change
    except OSError:  # it is there no more
        return None


def _of_the_system() -> tuple[Any, ...]:
    """All that the system keeps of a process, where it keeps that."""
    return (
        sys.getdlopenflags() if hasattr(sys, "getdlopenflags") else None,
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None,
        signal.pthread_sigmask(signal.SIG_BLOCK, ()) if hasattr(signal, "pthread_sigmask") else None,
        *(signal.getitimer(timer)[0] > 0 for timer in _TIMERS),
    )


_TIMERS: Final = [getattr(signal, name) for name in ("ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, name)]


def _asked_of(module: str, name: str, default: Callable[[], Any]) -> Any:
    """The answer of a function of a module, or where that is not loaded what it would be."""
    return getattr(sys.modules.get(module), name, default)()


def _context_of_flint() -> tuple[Any, ...]:
    of: Any = flint.ctx
    return of.prec, of.cap, of.pretty, of.unicode, of.threads


def _errors_of_scipy() -> list[tuple[str, str]]:
    """Kinds of errors of which scipy warns, or raises them: none but one before somebody says so."""
    known: Mapping[str, str] = _asked_of("scipy.special", "geterr", dict)
    return [
        (kind, action) for kind, action in known.items() if (kind, action) != ("memory", "raise") and action != "ignore"
    ]


def _masked_texts() -> list[Any]:
    option = getattr(sys.modules.get("numpy.ma.core"), "masked_print_option", None)
    return ["--", True] if option is None else [option.display(), bool(option.enabled())]


_KEPT: Final[tuple[tuple[str, Callable[[], Any]], ...]] = (
    ("the context of decimal", _decimal_context),
    ("the working directory", _directory),
    ("the contexts of decimal for others", _contexts_of_decimal),
    ("what is called for encodings", _codecs),
    ("numpy's way to print", lambda: tuple(np.get_printoptions().values())),
    ("numpy's treatment of errors", lambda: tuple(np.geterr().values())),
    ("what numpy calls for errors", np.geterrcall),
    ("numpy's size of buffers", np.getbufsize),
    ("the locale", lambda: locale.setlocale(locale.LC_ALL)),
    ("the environment", lambda: tuple(os.environ._data.items())),  # type: ignore[attr-defined]  # what os.environ holds
    ("the limit of recursion", sys.getrecursionlimit),
    ("the interval in which threads switch", sys.getswitchinterval),
    ("the limit of digits", sys.get_int_max_str_digits),
    ("the timeout of sockets", socket.getdefaulttimeout),
    ("the size of stacks", threading.stack_size),
    ("the time zone", lambda: (time.timezone, time.tzname)),
    ("what is traced", tracemalloc.is_tracing),
    ("who tells of faults", faulthandler.is_enabled),
    ("the limit of fields", csv.field_size_limit),
    ("what the collector does", lambda: (gc.isenabled(), gc.get_threshold())),
    ("the hooks of asynchronous generators", sys.get_asyncgen_hooks),
    ("what is tracked of coroutines", sys.get_coroutine_origin_tracking_depth),
    ("the first day of a week", lambda: _asked_of("calendar", "firstweekday", int)),
    ("which records are logged", lambda: logging.root.manager.disable),
    ("what the system keeps", _of_the_system),
    ("the precision and the texts of flint", _context_of_flint),
    ("what scipy does of errors", _errors_of_scipy),
    ("how many threads scipy has", lambda: _asked_of("scipy.fft", "get_workers", lambda: 1)),
    ("numpy's texts of what is masked", _masked_texts),
    ("what copyreg knows", lambda: (*copyreg.dispatch_table.items(), *_registered_extensions())),
)


def _ways_of_streams() -> list[tuple[Any, ...]]:
    names = ("encoding", "errors", "line_buffering", "write_through")
    streams = (sys.stdout, sys.stderr, sys.stdin, sys.__stdout__, sys.__stderr__, sys.__stdin__)
    return [tuple(getattr(stream, name, None) for name in names) for stream in streams]


def _started_by() -> Any:
    of = sys.modules.get("multiprocessing")  # which need not be loaded
    return of and of.get_start_method(allow_none=True)


_BY_WORDS: Final[Mapping[str, tuple[str, Callable[[], Any]]]] = {
    "modules": ("which modules are loaded", lambda: len(sys.modules)),
    "get_freeze_count": ("what the collector passes by", gc.get_freeze_count),  # which counts one by one
    "flags": ("what decimal has met", lambda: repr(decimal.getcontext().flags)),
    "getsignal": ("what is called for signals", lambda: tuple(map(signal.getsignal, signal.valid_signals()))),
    "reconfigure": ("how streams are written to", _ways_of_streams),
    "set_start_method": ("how processes are started", _started_by),
}
"""The state that is compared where code says the word."""

_FILTERS: Final = "the filters of warnings", lambda: tuple(warnings.filters)
"""Modules add some when they are loaded: so they are looked at where code names what changes them."""

_CHANGE_FILTERS: Final = frozenset({"warnings", "filters", "simplefilter", "filterwarnings", "resetwarnings"})


def _warned(around: Mapping[str, Any]) -> Mapping[Any, Any]:
    known: Mapping[Any, Any] = around.get("__warningregistry__", {})
    return known


_SEE_ALL_NAMES: Final = frozenset({"globals", "vars", "dir", "__dict__", "__dir__", "getmembers"})
"""Names that show the names of a module that code does not write: also those that Python gives it."""


class ProcessState:
    """The state of the process, as it was before a call of code with these words in it or around it.

    Python notes in a module what it has warned of there. Who asks a module for all of its names sees that, and one who
    writes its name is refused.
    """

    __slots__ = ("_held", "_kept")

    def __init__(
        self, words: frozenset[str], modules: Sequence[Mapping[str, Any]] = (), *, may_change: bool = True
    ) -> None:
        """`modules` are the globals of what may warn. Nothing is looked at where it says that nothing `may_change`."""
        if not may_change and words.isdisjoint(_CHANGE_FILTERS | _SEE_ALL_NAMES | _BY_WORDS.keys()):
            self._kept: tuple[tuple[str, Callable[[], Any]], ...] = ()
            self._held: list[Any] = []
            return
        self._kept = _KEPT if words.isdisjoint(_CHANGE_FILTERS) else (*_KEPT, _FILTERS)
        self._kept = *self._kept, *(kept for word, kept in _BY_WORDS.items() if word in words)
        if not words.isdisjoint(_SEE_ALL_NAMES):
            self._kept = *self._kept, ("what was warned of", lambda: [tuple(_warned(of)) for of in modules])
        self._held = [of() for _, of in self._kept]

    @property
    def is_the_same(self) -> bool:
        """True where all of it is as it was."""
        return [of() for _, of in self._kept] == self._held

    def refuse_changes(self) -> None:
        """Raises `InputError`, with its name, where something of it is not what it was."""
        if not self._kept:
            return
        now = [of() for _, of in self._kept]
        if now != self._held:
            name = next(name for (name, _), one, was in zip(self._kept, now, self._held, strict=True) if one != was)
            raise InputError(bad_mechanism.PROCESS_STATE, name)

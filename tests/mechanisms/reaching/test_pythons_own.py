"""What Python's modules keep for everybody is no way out of a part: they are named by a list, and all else is refused.

Nothing is computed a second time here, so that the rule alone is seen to find them.
"""

from __future__ import annotations

import calendar
import codecs
import collections.abc
import copy
import copyreg
import csv
import decimal
import functools
import io
import locale
import logging
import math
import os
import re
import signal
import statistics
import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, bernoulli, laplace
from dpverify.mechanisms.reaching.pythons_own import may_change_the_process, named_of_python
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one

ONE_BIT = Tuples((0, 1), size=1)

KEPT: list[int] = []


class Keeps(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        KEPT.append(1)


TEXT = io.StringIO()
LOG = logging.Logger("with a handler of Python's")
LOG.addHandler(logging.StreamHandler(TEXT))
POLYNOMIAL = np.poly1d([1, 2])


@functools.singledispatch
def dispatched(value: object) -> int:
    return 0


def registered_afterwards(x: int) -> None:
    if x:
        collections.abc.Sized.register(type("New", (), {}))


def noted(error: UnicodeError) -> tuple[str, int]:
    KEPT.append(1)
    return "?", 1


codecs.register_error("dpverify_noted", noted)


def set_precision(x: int) -> None:
    decimal.DefaultContext.prec = 28 + x


Way = tuple[str, Callable[[int], Any], Callable[[], Any]]
"""A word of the message, what tells, and what has it forgotten."""

WAYS: list[Way] = [
    ("logging.error", lambda x: logging.error("told") if x else None, KEPT.clear),  # the way out
    ("logging.disable", lambda x: logging.disable(50 * x), lambda: logging.disable(0)),
    ("changed LOG", lambda x: LOG.error("told") if x else None, lambda: None),
    ("changed LOG", lambda x: setattr(LOG, "disabled", bool(x)), lambda: None),
    ("changed KEPT", lambda x: "é".encode("ascii", "dpverify_noted") if x else None, KEPT.clear),
    ("os.umask", lambda x: os.umask(18 + x), lambda: None),
    ("signal.setitimer", lambda x: signal.setitimer(signal.ITIMER_VIRTUAL, 9999 * x), lambda: None),
    ("signal.pthread_sigmask", lambda x: signal.pthread_sigmask(signal.SIG_BLOCK, []), lambda: None),
    ("calendar.setfirstweekday", lambda x: calendar.setfirstweekday(x + 0), lambda: calendar.setfirstweekday(0)),
    ("csv.register_dialect", lambda x: csv.register_dialect("told", delimiter=",;"[x]), lambda: None),
    ("copyreg.pickle", lambda x: copyreg.pickle(Keeps, len if x else repr), lambda: None),  # type: ignore[arg-type]
    ("locale.bindtextdomain", lambda x: locale.bindtextdomain("told", "/" if x else None), lambda: None),
    ("sys.setdlopenflags", lambda x: sys.setdlopenflags(2 + 256 * x), lambda: sys.setdlopenflags(2)),
    ("threading.Thread", lambda x: threading.Thread() if x else None, lambda: None),
    ("re._", lambda x: re._cache.update({x: x}), lambda: None),  # type: ignore[attr-defined]
    ("changed POLYNOMIAL", lambda x: POLYNOMIAL.__setitem__(0, x), lambda: POLYNOMIAL.__setitem__(0, 2)),
    ("changed dispatched", lambda x: dispatched.register(int, lambda _: x), lambda: None),
    ("changed Sized.register", registered_afterwards, lambda: None),
    ("the contexts of decimal", set_precision, lambda: set_precision(0)),
    ("numpy's way to print", lambda x: np.set_printoptions(precision=8 + x), lambda: np.set_printoptions(precision=8)),
]


@pytest.mark.usefixtures("decided_here")
@in_one("way", WAYS)
def test_what_a_module_keeps_for_everybody_is_no_way_out_of_a_part(way: Way) -> None:
    why, tell, forget = way

    def part(draw: Draw, bit: int) -> int:
        tell(int(draw(bernoulli(Fraction(1 + 8 * bit, 10)))))
        return 0

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw(part, rows[0])

    try:
        with pytest.raises(InputError, match=why):
            check_privacy(mechanism, ONE_BIT, replace_one, epsilon=0, recheck=False)
    finally:
        forget()


def weekday(draw: Draw, rows: tuple[int, ...]) -> Any:
    calendar.setfirstweekday(rows[0])
    return draw.release(draw(laplace(1)), then=lambda _: calendar.firstweekday())


def encoding(draw: Draw, rows: tuple[int, ...]) -> Any:
    codecs.register_error("dpverify_told", codecs.strict_errors if rows[0] else codecs.ignore_errors)
    return draw.release(draw(laplace(1)), then=lambda _: "é".encode("ascii", "dpverify_told"))


@pytest.mark.usefixtures("decided_here")
def test_what_is_applied_reads_nothing_of_the_kind() -> None:
    assert check_privacy(weekday, ONE_BIT, replace_one, epsilon=1).status is Status.UNDECIDED
    with pytest.raises(InputError, match="changed what is called for encodings"):
        check_privacy(encoding, ONE_BIT, replace_one, epsilon=1)
    calendar.setfirstweekday(0)


class Copied:
    """An object that is copied as copyreg says."""


SAID: list[tuple[str, Callable[[int], Any], Callable[[], Any]]] = [
    ("mean.__doc__", lambda n: setattr(statistics.mean, "__doc__", str(n)), lambda: statistics.mean.__doc__),
    ("mean.__name__", lambda n: setattr(statistics.mean, "__name__", "ab"[n]), lambda: statistics.mean.__name__),
    (
        "quantiles.__kwdefaults__",
        lambda n: setattr(statistics.quantiles, "__kwdefaults__", {"n": 4 + n, "method": "exclusive"}),
        lambda: tuple(statistics.quantiles([1, 2, 3])),
    ),
    (
        "limit_denominator.__defaults__",
        lambda n: setattr(Fraction.limit_denominator, "__defaults__", (10 + n,)),
        lambda: Fraction(355, 791).limit_denominator(),
    ),
    ("numerator.__doc__", lambda n: setattr(Fraction.numerator, "__doc__", str(n)), lambda: Fraction.numerator.__doc__),
    (
        "what copyreg knows",
        lambda n: copyreg.pickle(Copied, lambda _: (int, (n,))),  # type: ignore[arg-type,return-value]
        lambda: copy.copy(Copied()),
    ),
]
"""What tells, under which name, and what reads that afterwards."""


@pytest.mark.usefixtures("decided_here")
@in_one("name, tell, read", SAID)
def test_what_trusted_functions_say_of_themselves_tells_nothing(
    name: str, tell: Callable[[int], Any], read: Callable[[], Any]
) -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        tell(rows[0])
        return draw.release(draw(laplace(1)), then=lambda _: read())

    kept = [(of, part, getattr(of, part)) for of, part in _SAID_OF]
    try:
        with pytest.raises(InputError, match=rf"changed .*{name.rpartition('.')[2]}"):
            check_privacy(mechanism, ONE_BIT, replace_one, epsilon=0)
    finally:
        for of, part, value in kept:
            setattr(of, part, value)
        copyreg.dispatch_table.pop(Copied, None)


_SAID_OF = [
    *((statistics.mean, part) for part in ("__doc__", "__name__")),
    (statistics.quantiles, "__kwdefaults__"),
    (Fraction.limit_denominator, "__defaults__"),
    (Fraction.numerator, "__doc__"),
]


def test_modules_that_keep_nothing_are_named_freely_and_nothing_is_compared_for_them() -> None:
    words = frozenset({"floor", "sqrt", "reduce", "Fraction", "sub", "path", "maxsize", "environ", "exp"})
    assert not list(named_of_python((math, re, functools, np, os, sys), words))
    assert not may_change_the_process((math, re, functools, Fraction, 1, "text", check_privacy, ModuleType))
    assert may_change_the_process((np,))
    assert may_change_the_process((decimal.getcontext,))
    assert may_change_the_process((os.chdir,))

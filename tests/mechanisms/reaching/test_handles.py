"""Handles: what keeps something that shows nowhere, and what the system keeps, is nothing that a mechanism reaches.

Each mechanism here says what the run before it left, on whatever database that was: with `recheck=False` it was PROVED.
"""

# ruff: noqa: PLW0108  # what a mechanism calls, as people write it

from __future__ import annotations

import calendar
import contextvars
import datetime
import decimal
import gc
import hashlib
import itertools
import logging
import mmap
import multiprocessing
import operator
import os
import posix
import queue
import re
import signal
import socket
import sqlite3
import struct
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from os import pread as read_there
from os import pwrite as write_there
from typing import Any, Final

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, laplace
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one

REFUSED: Final = "reaches|changed|called (os|posix)|names"
ONE_BIT: Final = Tuples((0, 1), size=1)


class Zone(datetime.tzinfo):
    """One that can be changed."""

    hours = 0

    def utcoffset(self, _: datetime.datetime | None) -> None:
        return None

    dst = tzname = utcoffset


class Named(str):
    """A text that an attribute can be given to."""


class Shown:
    """An object with a number."""

    number = 0

    def put(self, kept: list[int]) -> int:
        kept.append(self.number)
        return 0


def of_file() -> tuple[Any, Any]:
    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115

    def read() -> bytes:
        file.seek(0)
        return file.read()

    return lambda bit: (file.seek(0), file.write(bytes([bit]))), read


def of_methods() -> tuple[Any, Any]:
    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
    write, read, seek = file.write, file.read, file.seek
    return lambda bit: (seek(0), write(bytes([bit]))), lambda: (seek(0), read())[1]


def of_descriptor() -> tuple[Any, Any]:
    there = os.open("kept", os.O_RDWR | os.O_CREAT)
    return lambda bit: os.pwrite(there, bytes([bit]), 0), lambda: os.pread(there, 1, 0)


def of_descriptor_by_name() -> tuple[Any, Any]:
    there = os.open("kept", os.O_RDWR | os.O_CREAT)
    return lambda bit: write_there(there, bytes([bit]), 0), lambda: read_there(there, 1, 0)


def of_descriptor_of_posix() -> tuple[Any, Any]:
    there = os.open("kept", os.O_RDWR | os.O_CREAT)
    return lambda bit: posix.lseek(there, bit, 0), lambda: posix.lseek(there, 0, 1)


def of_shared_memory() -> tuple[Any, Any]:
    there = mmap.mmap(-1, 1)
    return lambda bit: there.seek(bit), there.tell


def of_socket() -> tuple[Any, Any]:
    here, there = socket.socketpair()
    there.setblocking(False)
    here.send(b"00")
    return lambda bit: here.send(bytes([bit])), lambda: there.recv(1)


def of_queue() -> tuple[Any, Any]:
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    return lambda bit: waiting.put(0) if bit else None, waiting.qsize


def of_context() -> tuple[Any, Any]:
    kept = contextvars.ContextVar("kept", default=0)
    return kept.set, kept.get


def of_context_of_decimal() -> tuple[Any, Any]:
    context = decimal.Context()
    return lambda bit: setattr(context, "prec", 1 + bit), lambda: context.prec


def of_database() -> tuple[Any, Any]:
    base = sqlite3.connect(":memory:")
    base.execute("create table kept(bit)")
    return lambda bit: base.execute("insert into kept values(?)", (bit,)), lambda: base.total_changes


def of_processes() -> tuple[Any, Any]:
    kept = multiprocessing.Value("i", 0)
    return lambda bit: setattr(kept, "value", bit), lambda: kept.value


def of_hash() -> tuple[Any, Any]:
    kept = hashlib.sha256()
    return lambda bit: kept.update(b"1" * bit), kept.hexdigest


def of_cell() -> tuple[Any, Any]:
    cell = types.CellType(0)
    return lambda bit: setattr(cell, "cell_contents", bit), lambda: cell.cell_contents


def of_record() -> tuple[Any, Any]:
    record = np.zeros(1, dtype=[("bit", "i8")])[0]
    return lambda bit: record.__setitem__("bit", bit), lambda: int(record["bit"])


def of_places() -> tuple[Any, Any]:
    places = np.zeros(1).flat
    return lambda bit: places.__setitem__(0, bit), lambda: float(places[0])


def within_slice() -> tuple[Any, Any]:
    kept: Any = slice(None, [])
    return lambda bit: kept.stop.append(bit), lambda: tuple(kept.stop)


def within_alias() -> tuple[Any, Any]:
    kept: Any = types.GenericAlias(list, ([],))
    return lambda bit: kept.__args__[0].append(bit), lambda: tuple(kept.__args__[0])


def within_match() -> tuple[Any, Any]:
    match = re.match("a", Named("a"))
    assert match is not None
    return lambda bit: setattr(match.string, "bit", bit), lambda: getattr(match.string, "bit", 0)


def within_pattern() -> tuple[Any, Any]:
    pattern = re.compile(Named("a"))
    return lambda bit: setattr(pattern.pattern, "bit", bit), lambda: getattr(pattern.pattern, "bit", 0)


def within_time() -> tuple[Any, Any]:
    when: Any = datetime.datetime(2020, 1, 1, tzinfo=Zone())
    return lambda bit: setattr(when.tzinfo, "hours", bit), lambda: when.tzinfo.hours


def within_super() -> tuple[Any, Any]:
    of: Any = super(Shown, Shown())
    return lambda bit: setattr(of.__self__, "number", bit), lambda: of.__self__.number


def within_group() -> tuple[Any, Any]:
    group = ExceptionGroup("", [ValueError()])
    return lambda bit: setattr(group.exceptions[0], "args", (bit,)), lambda: group.exceptions[0].args


def within_call() -> tuple[Any, Any]:
    kept: list[int] = []
    call = operator.methodcaller("put", kept)

    class Asking(Shown):
        def put(self, kept: list[int]) -> int:
            return len(kept)

    return lambda bit: [call(Shown()) for _ in range(bit)], lambda: call(Asking())


HANDLES: Final = [
    *(of_file, of_methods, of_descriptor, of_descriptor_by_name, of_descriptor_of_posix, of_shared_memory, of_socket),
    *(of_queue, of_context, of_context_of_decimal, of_database, of_processes, of_hash, of_cell, of_record, of_places),
    *(within_slice, within_alias, within_match, within_pattern, within_time, within_super, within_group, within_call),
]


STATES: Final[list[tuple[Callable[[int], Any], Callable[[], Any]]]] = [
    (lambda bit: gc.set_threshold(700 + bit), lambda: gc.get_threshold()[0]),
    (lambda bit: sys.set_coroutine_origin_tracking_depth(bit), sys.get_coroutine_origin_tracking_depth),
    (
        lambda bit: signal.setitimer(signal.ITIMER_PROF, 1_000 * bit),
        lambda: signal.getitimer(signal.ITIMER_PROF)[0] > 0,
    ),
    (lambda bit: calendar.setfirstweekday(bit), lambda: calendar.firstweekday()),
    (lambda bit: logging.disable(bit), lambda: logging.root.isEnabledFor(1)),
    (lambda bit: os.umask(bit), lambda: os.umask(0)),
    (
        lambda bit: decimal.getcontext().flags.update({decimal.Inexact: bool(bit)}),
        lambda: dict(decimal.getcontext().flags)[decimal.Inexact],
    ),
]


@pytest.fixture(autouse=True)
def as_it_was(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    collected, flags, day = gc.get_threshold(), decimal.getcontext().flags.copy(), calendar.firstweekday()
    yield
    gc.set_threshold(*collected)
    decimal.getcontext().flags.update(flags)
    calendar.setfirstweekday(day)
    logging.disable(0)
    sys.set_coroutine_origin_tracking_depth(0)
    signal.setitimer(signal.ITIMER_PROF, 0)


def check(write: Callable[[int], Any], read: Callable[[], Any]) -> Any:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        before = read()
        write(sum(rows))
        return before, sum(rows) + draw(laplace(1))

    return check_privacy(mechanism, ONE_BIT, replace_one, epsilon=1, recheck=False)


@pytest.mark.usefixtures("decided_here")
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@in_one("make", HANDLES)
def test_a_mechanism_that_reaches_a_handle_is_refused(make: Callable[[], tuple[Any, Any]]) -> None:
    with pytest.raises(InputError, match=REFUSED):
        check(*make())


@pytest.mark.usefixtures("decided_here")
@in_one("write, read", STATES)
def test_what_the_process_keeps_is_left_as_it_was(write: Callable[[int], Any], read: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match=REFUSED):
        check(write, read)


@pytest.mark.usefixtures("decided_here")
@in_one(
    "kept",
    [
        re.match("a", "a"),
        re.compile("a"),
        operator.itemgetter(0),
        struct.Struct("i"),
        slice(0, 2),
        datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
        types.GenericAlias(list, (int,)),
        super(Zone, Zone()),
        print,
        np.float64(1),
    ],
)
def test_what_never_changes_may_be_reached(kept: Any) -> None:
    verdict = check(lambda _: None, lambda: len(str(kept)) > 0)
    assert verdict.status is Status.PROVED


def test_what_follows_one_by_one_is_an_iterator() -> None:
    counted = itertools.count()
    with pytest.raises(InputError, match="an iterator"):
        check(lambda _: next(counted), lambda: repr(counted))

"""The time that a mechanism may take on one database: it is interrupted, and a parent process may be told of it.

It is time of the process that runs it, this one or a worker, so that others on the machine cost a mechanism nothing;
one that waits has ten times as long by the clock (see `deadline`). What is decided of one claim for all sizes has one
time for all its runs together, and all else that takes long: see `time_of_all`.

An interruption is an exception in the mechanism, which a bare `except:` swallows. It is raised again and again, and in
a worker (see `workers`) the parent reads from shared memory when the time was up, and ends the worker. It reads there,
too, how far a worker is with what takes long.
"""

from __future__ import annotations

import signal
import struct
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from mmap import mmap
from types import FrameType
from typing import Final, NamedTuple
from weakref import WeakSet, WeakValueDictionary

from dpverify.mechanisms.drawing.enumerator import FEWER, choices_made, states_reached
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.functions.places import place_during, place_in_brackets
from dpverify.mechanisms.numbers.errors import Interruption, Overtime, Undecided, not_known
from dpverify.mechanisms.numbers.shown import one_line, shown
from dpverify.verifiers.processes.deadline import TIMES_BY_THE_CLOCK, Deadline

_AGAIN: Final = 0.1
"""Seconds from an interruption that a mechanism swallows to the next."""

_SOON: Final = 1e-3
"""Seconds from an interruption that would be swallowed where it is to the next."""

_MOST_PUT_OFF: Final = 100
"""The times that this is done at most: what runs there takes less, but for a comparison that does not end."""

_SHORTEST: Final = 1e-6
"""Seconds that are left to a run whose limit is used up: the least that a timer can be set to."""

_OFTEN: Final = 1e-3
"""Seconds after which it is asked anew how long this process has worked."""

_FIRST: Final = 1 << 6
"""Databases of which the timer is looked at before each, however short a time they take."""

_LONGEST: Final = 10.0**8
"""Seconds, three years: what a timer can hold."""


class Stage(NamedTuple):
    """The number of pairs, or draws, that are done, of how many, and when the first was begun."""

    done: int
    of: int
    began: float
    draws: bool = False

    def said(self, now: float) -> str:
        """The words for how far that is, with an estimate of what is left once something is known of it."""
        how_far = f"{self.done:,} of {self.of:,} {'draws' if self.draws else 'pairs'}"
        if not self.done or now <= self.began:
            return how_far
        return f"{how_far}, about {(now - self.began) * (self.of - self.done) / self.done:.0f} s left"


class SharedWatch:
    """Shared by a worker and its parent: until when the database of the worker may take, and what to say."""

    _UNTIL: Final = struct.Struct("dd")
    _STAGE: Final = struct.Struct("qqd?")
    _MESSAGE: Final = _UNTIL.size + _STAGE.size
    _SIZE: Final = 4096

    def __init__(self) -> None:
        self._memory = mmap(-1, self._SIZE)

    @property
    def until(self) -> Deadline | None:
        """Time when it is up; None where nothing is timed."""
        until = Deadline(*self._UNTIL.unpack_from(self._memory))
        return until if until.clock else None

    @until.setter
    def until(self, when: Deadline | None) -> None:
        self._UNTIL.pack_into(self._memory, 0, *(when or (0.0, 0.0)))

    @property
    def stage(self) -> Stage | None:
        """The progress with pairs or draws; None where it is at something else."""
        stage = Stage(*self._STAGE.unpack_from(self._memory, self._UNTIL.size))
        return stage if stage.done < stage.of else None

    @stage.setter
    def stage(self, stage: Stage | None) -> None:
        self._STAGE.pack_into(self._memory, self._UNTIL.size, *(stage or Stage(0, 0, 0.0)))

    @property
    def message(self) -> str:
        """The message that the worker had when it was interrupted; empty before, and where it could not say it."""
        return self._memory[self._MESSAGE :].partition(b"\0")[0].decode("utf-8", "replace")

    @message.setter
    def message(self, text: str) -> None:
        content = text.encode("utf-8", "replace")[: self._SIZE - self._MESSAGE - 1] + b"\0"
        self._memory[self._MESSAGE : self._MESSAGE + len(content)] = content

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()


# The watch that this process, a worker, shares with its parent.
_shared: SharedWatch | None = None


def share_stopwatches(watch: SharedWatch) -> None:
    """Let stopwatches of this process, which is a worker, be seen by its parent."""
    global _shared  # noqa: PLW0603
    _shared = watch


def tell_stage(done: int, of: int, began: float) -> None:
    """Let the parent of this process, if it is a worker, see how far it is with pairs since `began`."""
    if _shared is not None:
        _shared.stage = Stage(done, of, began)


def tell_draws(done: int, of: int, began: float, learnt: str = "") -> None:
    """Let the parent of this process, if it is a worker, see how far it is with draws, and what it has learnt."""
    if _shared is not None:
        _shared.stage = Stage(done, of, began, draws=True)
        _shared.message = learnt


def _ring(seconds: float) -> None:
    """Let the timer of this process ring after so many seconds, and again and again."""
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)


def _ring_at_latest(seconds: float) -> None:
    """Let it ring so soon: a mechanism may have set the timer for itself, or stopped it, and who is forked has none."""
    if not 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= seconds:
        _ring(seconds)


def _stop() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    if _shared is not None:
        _shared.until = None


class _Interrupt(Interruption):
    """A mechanism took too long."""


class _TimeOfAll(NamedTuple):
    """Until when everything may take that is decided of one claim, which seconds these are, and what is decided."""

    until: Deadline
    seconds: int
    question: str
    way_out: str

    def said(self, place: str = "") -> str:
        """The words for a time that is up."""
        after = _after(self.seconds, self.until.computed(self.seconds))
        return one_line(not_known.TIME_UP.text(self.question, after, place, f"{self.way_out}, or "))


# The time of the claim that this process decides, if it has one.
_of_all: _TimeOfAll | None = None


@contextmanager
def time_of_all(seconds: int, used: float, question: str, way_out: str) -> Iterator[None]:
    """While it lasts, all runs of this process together have so many seconds, of which some are `used`.

    Each ends then, if its own time is not up sooner; `refuse_overtime` ends what comes between them. The question is
    what is said not to be known, and the way out what may be done. Within another one the sooner of both holds.
    """
    global _of_all  # noqa: PLW0603
    outer = _of_all
    until = Deadline.after(seconds).sooner(used)
    if outer is None or until.processor < outer.until.processor:
        _of_all = _TimeOfAll(until, seconds, question, way_out)
    try:
        yield
    finally:
        _of_all = outer


def refuse_overtime() -> None:
    """Raises `Undecided` where the time of all runs together is up."""
    if _of_all is not None and not _of_all.until.left:
        raise Undecided(_of_all.said())


def _within_all(until: Deadline) -> Deadline:
    """A deadline, or that of all runs where it is sooner."""
    return until if _of_all is None else until.or_sooner(_of_all.until)


@contextmanager
def watched_signs(mechanism: Mechanism) -> Iterator[None]:
    """While it lasts, something is decided of a mechanism's distributions, and interrupted when the time of all is up.

    Raises `Overtime` then.
    """
    if _of_all is None:
        yield
        return
    with stopwatch(mechanism, _of_all.seconds) as restart:
        restart(())
        yield


@contextmanager
def stopwatch(mechanism: Mechanism, seconds: int) -> Iterator[Callable[[Hashable], None]]:
    """Interrupts a mechanism that does not return. What it yields is called with each database before it is run.

    Raises `Overtime` where the time is up, also where the mechanism went on nonetheless: what it did then may be
    anything. The timer rings when the time of the first database is up, and if that is too early for another one it is
    set to what is left: to set it for each would cost more. Without effect outside the main thread, without SIGALRM (of
    which `platforms` says so), or where somebody else uses that signal.
    """
    free = hasattr(signal, "setitimer") and _in_main_thread() and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    if not free:
        yield lambda _: None
        return
    limit = min(float(min(seconds, 10**9)), _LONGEST)
    running: Hashable = None
    began = read_at = processor = 0.0
    over = False
    overdue = ""
    put_off, first_ones = iter(range(_MOST_PUT_OFF)), iter(range(_FIRST))

    def interrupt(signum: int, frame: FrameType | None) -> None:
        nonlocal overdue
        if over:
            return  # a last one, while all is put back
        until = until_now()
        left = until.left
        if left:
            _ring(left)
            return
        if _is_swallowed(frame) and next(put_off, None) is not None:
            _ring(_SOON)
            return
        if not overdue:
            overdue = _overdue(mechanism, running, seconds, until, frame)
            if _shared is not None:
                _shared.message = overdue
                _shared.until = Deadline(until.processor, time.monotonic())  # a moment to end, waiting or not
        raise _Interrupt(overdue)

    def until_now() -> Deadline:
        """Until when the database that is running may take: who has worked since it was read did so all the time."""
        return _within_all(Deadline.from_start(processor + began - read_at, began, limit))

    def restart(database: Hashable) -> None:
        nonlocal running, began, read_at, processor
        _refuse_swallowed(overdue)
        running, began = database, time.monotonic()
        is_short = began - read_at <= _OFTEN
        if not is_short:  # what the process has worked takes longer to ask for than many a distribution to find
            read_at, processor = began, time.process_time()
        if not is_short or next(first_ones, None) is not None:  # and so does the time until the timer rings
            _ring_at_latest(limit if _of_all is None else until_now().left or _SHORTEST)
        if _shared is not None:
            _shared.until = until_now()

    _begin(interrupt, lambda: restart(running))
    try:
        yield restart
        _refuse_swallowed(overdue)
    except _Interrupt as overtime:
        over = True
        raise Overtime(str(overtime)) from None
    finally:
        over = True
        _end()


def _begin(interrupt: Callable[[int, FrameType | None], None], resume: Callable[[], None]) -> None:
    signal.signal(signal.SIGALRM, interrupt)
    _resume.append(resume)


def _end() -> None:
    _stop()
    _resume.pop()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


_resume: Final[list[Callable[[], None]]] = []
"""Begins the database of the watch of this process again, if it has one."""


@contextmanager
def timed_in_a_process() -> Iterator[None]:
    """While it lasts, the watch stands still, and others have their own; afterwards its database has all its time."""
    interrupt = signal.getsignal(signal.SIGALRM) if _resume and _in_main_thread() else None
    if interrupt is None:
        yield
        return
    _stop()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, interrupt)
        _resume[-1]()


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _refuse_swallowed(overdue: str) -> None:
    """Raises where the time was up, and the interruption that said so was swallowed."""
    if overdue:
        raise _Interrupt(overdue)


def pause() -> None:
    """Stop the watch, if there is one, until the next database begins: meanwhile others work, with their own."""
    if not hasattr(signal, "setitimer") or not _in_main_thread():
        return
    if getattr(signal.getsignal(signal.SIGALRM), "__module__", None) == __name__:
        _stop()


def _is_swallowed(frame: FrameType | None) -> bool:
    """True in a callback of a weak reference, of which Python shows exceptions and lets nobody catch them."""
    while frame is not None:
        if frame.f_code.co_name in _CALLBACKS and frame.f_code.co_filename in _OF_CALLBACKS:
            return True
        frame = frame.f_back
    return False


_CALLBACKS: Final = ("remove", "_remove")
_OF_CALLBACKS: Final = tuple(kind.__init__.__code__.co_filename for kind in (WeakSet, WeakValueDictionary))


def _after(seconds: int, computed: float | None) -> str:
    """The words for a time: of a processor, or by the clock where less of it was `computed`."""
    if computed is None:
        return f"{seconds} s of a processor"
    return (
        f"{TIMES_BY_THE_CLOCK * seconds} s by the clock, {TIMES_BY_THE_CLOCK} times the limit, in which it computed "
        f"for {computed:.1f} s: does it wait, or is the machine busy?"
    )


def _overdue(mechanism: Mechanism, database: Hashable, seconds: int, until: Deadline, frame: FrameType | None) -> str:
    """The message on a run whose time is up, its own or that of all."""
    if _of_all is None or _of_all.until.left:
        return _too_long(mechanism, database, seconds, until.computed(seconds), frame)
    place = place_in_brackets(place_during(frame, mechanism, "dpverify.verifiers."))
    return _of_all.said(place)


def _too_long(
    mechanism: Mechanism, database: Hashable, seconds: int, computed: float | None, frame: FrameType | None
) -> str:
    """The message on a mechanism whose time is up, with the line that it was at."""
    how = _after(seconds, computed)
    place = place_in_brackets(place_during(frame, mechanism, "dpverify.verifiers."))
    choices, (states, line) = choices_made(frame), states_reached(frame)
    who = f"the output distribution of {name_of(mechanism)} on {shown(database)}"
    why, way_out = "; it may not end", "if it ends, "
    if states > choices:
        place, why, way_out = line, f"; it has come to {states:,} states, which may have no end", "if they have one, "
    elif choices > 1:
        why, way_out = f"; it has many paths ({choices:,} choices on this one)", f"{FEWER}, or "
    return one_line(not_known.TIME_UP.text(who, how, f"{place}{why}", way_out))

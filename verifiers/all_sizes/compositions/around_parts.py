"""Errors in the code around the parts: none is let pass there, whoever catches it.

A call in C may raise one for what is sealed, and not for what is there in its place, and it may be caught by code that
does not say so, as by an `ExitStack`, or by Python, as in `__length_hint__`. What C catches itself raises in no frame:
that, as all else that tells sealed rows from real ones, is seen on real rows alone, see `real_rows.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Final

from dpverify.mechanisms.functions.places import place_in_brackets, place_now
from dpverify.mechanisms.functions.trusted import is_trusted
from dpverify.mechanisms.numbers.errors import InputError, Undecided, not_known
from dpverify.mechanisms.numbers.symbols import notes


@contextmanager
def watched_around_parts() -> Iterator[None]:
    """While it lasts, errors are noted in `notes.refused` that code of one's own, or what it calls, meets."""
    with _looking():
        yield


@contextmanager
def watch_paused() -> Iterator[None]:
    """While it lasts, nothing is looked at: what this library does by itself, and a part that is decided by itself."""
    with _set(is_on=False):
        yield


@contextmanager
def watch_resumed() -> Iterator[None]:
    """While it lasts, all is looked at as before `watch_paused`."""
    with _set(is_on=True):
        yield


class _Now:
    """The state of looking: on, or paused."""

    is_on = True
    tracer: Callable[..., Any] | None = None
    """The tracer that looks, where there is no other way."""


@contextmanager
def _set(*, is_on: bool) -> Iterator[None]:
    before, _Now.is_on = _Now.is_on, is_on
    _trace()
    try:
        yield
    finally:
        _Now.is_on = before
        _trace()


def _trace() -> None:
    if _Now.tracer is not None:
        sys.settrace(_Now.tracer if _Now.is_on else None)


def _note(frame: FrameType, error: BaseException) -> None:
    """Note that an error was raised."""
    if (
        _Now.is_on
        and not issubclass(type(error), (*_NO_ERRORS, InputError, Undecided))
        and not is_of_this_library(frame)
    ):
        told = (
            f"{type(error).__name__} was raised ({error}){place_in_brackets(place_now(frame))} on placeholders of rows"
        )
        notes.refused = notes.refused or Undecided(not_known.ROWS_SEEN, told)


_NO_ERRORS: Final = (StopIteration, StopAsyncIteration, GeneratorExit)
"""The error that is raised where something ends."""


def is_of_this_library(frame: FrameType | None) -> bool:
    """True for code of this library, and for what it calls of Python's."""
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if not is_trusted(name) or getattr(sys.modules.get(name), "__dict__", None) is not frame.f_globals:
            return False
        if name.partition(".")[0] == "dpverify":
            return True
        frame = frame.f_back
    return True


# --- By events


def _is_looked_at(frame: FrameType) -> bool:
    """True for code of one's own, and what it calls of Python's."""
    code = frame.f_code
    if code not in _KINDS:
        name = str(frame.f_globals.get("__name__"))
        is_trusted_code = is_trusted(name) and getattr(sys.modules.get(name), "__dict__", None) is frame.f_globals
        kind = "own" if not is_trusted_code else "ours" if name.partition(".")[0] == "dpverify" else "python"
        if len(_KINDS) >= _MOST_CODES:
            _KINDS.clear()
        _KINDS[code] = kind
    kind = _KINDS[code]
    return kind == "own" or (kind == "python" and not is_of_this_library(frame))


_KINDS: Final[dict[CodeType, str]] = {}
"""The owner of each code: every call is asked about."""
_MOST_CODES: Final = 1 << 14


if sys.version_info >= (3, 12):

    @contextmanager
    def _looking() -> Iterator[None]:
        """By events of errors."""
        monitoring = sys.monitoring
        events = monitoring.events
        tool = next(tool for tool in range(6) if monitoring.get_tool(tool) is None)

        def at_error(code: CodeType, offset: int, error: BaseException) -> None:
            _note(sys._getframe(1), error)

        monitoring.use_tool_id(tool, "dpverify: sealed rows")
        try:
            monitoring.register_callback(tool, events.RAISE, at_error)
            monitoring.set_events(tool, events.RAISE)
            yield
        finally:
            monitoring.set_events(tool, events.NO_EVENTS)
            monitoring.register_callback(tool, events.RAISE, None)
            monitoring.free_tool_id(tool)

else:

    @contextmanager
    def _looking() -> Iterator[None]:
        """By a tracer; one that was set before is left out meanwhile, and set again."""
        before = sys.gettrace()

        def by_call(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
            if not _is_looked_at(frame):
                return None
            frame.f_trace_lines = False
            return by_step

        def by_step(frame: FrameType, event: str, found: Any) -> Callable[..., Any]:
            if event == "exception":
                _note(frame, found[1])
            return by_step

        _Now.tracer = by_call
        _trace()
        try:
            yield
        finally:
            _Now.tracer = None
            sys.settrace(before)

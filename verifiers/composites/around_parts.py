"""Acts of the code around the parts that no sealed value can refuse, looked at while it runs.

- Whether an outcome, which may be anything, is None, or another object, or can be called: Python asks nobody. Library
  code is looked at as well, where there are parts of one's own.
- An error that a call in C raises for what is sealed, and not for what is there in its place: it may be caught by code
  that does not say so, as by an `ExitStack`, or by Python, as in `__del__` or `__length_hint__`.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dis import Instruction
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, Final

from dpverify.mechanisms.functions.places import place_in_brackets, place_now
from dpverify.mechanisms.functions.trusted import is_trusted
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.verifiers.charts.kinds_asked_for import Places, call_of_a_name, look, names_at_the_end, value_of
from dpverify.verifiers.charts.special_methods import NO_STEPS
from dpverify.verifiers.composites.sealed import AnyOutcome


@contextmanager
def watched_around_parts(places: Places, *, has_own_parts: bool) -> Iterator[None]:
    """While it lasts, what is asked at `places`, what is asked of outcomes, and errors are noted in `notes.refused`."""
    with _looking(_Look(places, has_own_parts=has_own_parts)):
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


class _Look:
    """The look at code that runs."""

    def __init__(self, places: Places, *, has_own_parts: bool) -> None:
        self._places = places
        self.has_own_parts: Final = has_own_parts

    def offsets(self, code: CodeType) -> bool:
        """True where something in a code is looked at before it is done."""
        return code in self._places or (self.has_own_parts and bool(_asked_in(code)))

    def before_step(self, frame: FrameType, offset: int) -> None:
        """Note what is asked there of what is sealed."""
        if not _Now.is_on:
            return
        try:
            look(frame, self._places.get(frame.f_code, {}).get(offset, ()))
        except InputError as error:
            notes.refused = notes.refused or error
        asked = _asked_in(frame.f_code) if self.has_own_parts else {}
        if offset in asked and _may_be_an_outcome(frame, asked[offset]):
            _note(frame, "what a part of yours has released was asked whether it is a given object, or of a kind")

    def error(self, frame: FrameType, error: BaseException) -> None:
        """Note that an error was raised."""
        if (
            _Now.is_on
            and not issubclass(type(error), (*_NO_ERRORS, InputError, Undecided))
            and not is_of_this_library(frame)
        ):
            why = "it may not be where there are rows, or released numbers, in the place of what holds nothing"
            _note(frame, f"{type(error).__name__} was raised ({error}): {why}")


_NO_ERRORS: Final = (StopIteration, StopAsyncIteration, GeneratorExit)
"""The error that is raised where something ends."""


def _note(frame: FrameType, what: str) -> None:
    notes.refused = notes.refused or Undecided(f"{what}{place_in_brackets(place_now(frame))}")


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


# --- What is asked of outcomes


_Asked = Mapping[int, tuple[str, ...] | None]
"""By offsets in a code: the names of what is asked; None where that has none, and may be anything that is there."""


_LATER: Final = ("",)
"""In place of names where a function by which it is asked is loaded, before that which it is asked of is there."""


def _may_be_an_outcome(frame: FrameType, names: tuple[str, ...] | None) -> bool:
    if names is not None and names != _LATER:
        return any(type(value_of(frame, name)) is AnyOutcome for name in names)
    if is_trusted(str(frame.f_globals.get("__name__"))) and not _is_an_algorithm(frame):
        return any(_holds_outcome(value) for value in frame.f_locals.values())
    return names == _LATER or AnyOutcome.last is not None


def _holds_outcome(value: Any) -> bool:
    kind = type(value)
    return kind is AnyOutcome or (kind in (tuple, list) and any(map(_holds_outcome, value)))


@lru_cache(maxsize=1 << 12)
def _asked_in(code: CodeType) -> _Asked:
    steps = [each for each in dis.get_instructions(code) if each.opname not in NO_STEPS]
    found: dict[int, tuple[str, ...] | None] = {}
    for i, step in enumerate(steps):
        if step.opname == "IS_OP":
            found[step.offset] = _names_compared(steps[:i])
        elif step.opname.endswith("_NONE") and "POP_JUMP" in step.opname:
            found[step.offset] = names_at_the_end(steps[:i], 1)
        elif step.opname == "MATCH_MAPPING":
            found[step.offset] = None
        elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in _BUILTINS:
            call = call_of_a_name(steps[i + 1 :])
            if call is None:
                found[step.offset] = _LATER
            else:
                found[call.offset] = (str(steps[i + 1].argval),)
    return found


_BUILTINS: Final = frozenset({"type", "id", "callable"})


def _names_compared(before: Sequence[Instruction]) -> tuple[str, ...] | None:
    """The names that `is` compares, with one another or with a constant, or an attribute of a global."""
    both = names_at_the_end(before, 2)
    if both is not None:
        return both
    end = len(before) - 1
    while end > 0 and before[end].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        end -= 1
    if end <= 0 or before[end].opname not in ("LOAD_CONST", "LOAD_GLOBAL", "LOAD_NAME"):
        return None
    return names_at_the_end(before[:end], 1)


# --- By events


def _is_looked_at(frame: FrameType, *, has_own_parts: bool) -> bool:
    """True for code of one's own, what it calls of Python's, and for mechanisms of this library that parts are for."""
    code = frame.f_code
    if code not in _KINDS:
        name = str(frame.f_globals.get("__name__"))
        is_trusted_code = is_trusted(name) and getattr(sys.modules.get(name), "__dict__", None) is frame.f_globals
        ours = "algorithm" if _is_an_algorithm(frame) else "ours"
        kind = "own" if not is_trusted_code else ours if name.partition(".")[0] == "dpverify" else "python"
        if len(_KINDS) >= _MOST_CODES:
            _KINDS.clear()
        _KINDS[code] = kind
    kind = _KINDS[code]
    return (
        kind == "own" or (kind == "algorithm" and has_own_parts) or (kind == "python" and not is_of_this_library(frame))
    )


_KINDS: Final[dict[CodeType, str]] = {}
"""The owner of each code: every call is asked about."""
_MOST_CODES: Final = 1 << 14


def _is_an_algorithm(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith(_ALGORITHMS)


_ALGORITHMS: Final = tuple(
    f"dpverify.mechanisms.{room}."
    for room in ("counting", "selection", "recursion", "sanitizers", "learners", "release")
)

if sys.version_info >= (3, 12):

    @contextmanager
    def _looking(at: _Look) -> Iterator[None]:
        """By events of calls, of instructions and of errors."""
        monitoring = sys.monitoring
        events = monitoring.events
        tool = next(tool for tool in range(6) if monitoring.get_tool(tool) is None)
        codes: set[CodeType] = set()

        def at_start(code: CodeType, offset: int) -> Any:
            if (
                code in codes
                or not _is_looked_at(sys._getframe(1), has_own_parts=at.has_own_parts)
                or not at.offsets(code)
            ):
                return monitoring.DISABLE
            codes.add(code)
            monitoring.set_local_events(tool, code, events.INSTRUCTION)
            return monitoring.DISABLE

        def at_instruction(code: CodeType, offset: int) -> None:
            at.before_step(sys._getframe(1), offset)

        def at_error(code: CodeType, offset: int, error: BaseException) -> None:
            at.error(sys._getframe(1), error)

        monitoring.use_tool_id(tool, "dpverify: sealed rows")
        try:
            monitoring.register_callback(tool, events.PY_START, at_start)
            monitoring.register_callback(tool, events.INSTRUCTION, at_instruction)
            monitoring.register_callback(tool, events.RAISE, at_error)
            monitoring.set_events(tool, events.PY_START | events.RAISE)
            monitoring.restart_events()
            yield
        finally:
            monitoring.set_events(tool, events.NO_EVENTS)
            for code in codes:
                monitoring.set_local_events(tool, code, events.NO_EVENTS)
            monitoring.free_tool_id(tool)

else:

    @contextmanager
    def _looking(at: _Look) -> Iterator[None]:
        """By a tracer; one that was set before is left out meanwhile, and set again."""
        before = sys.gettrace()

        def by_call(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
            if not _is_looked_at(frame, has_own_parts=at.has_own_parts):
                return None
            frame.f_trace_lines, frame.f_trace_opcodes = False, at.offsets(frame.f_code)
            return by_step

        def by_step(frame: FrameType, event: str, found: Any) -> Callable[..., Any]:
            if event == "opcode":
                at.before_step(frame, frame.f_lasti)
            elif event == "exception":
                at.error(frame, found[1])
            return by_step

        _Now.tracer = by_call
        _trace()
        try:
            yield
        finally:
            _Now.tracer = None
            sys.settrace(before)

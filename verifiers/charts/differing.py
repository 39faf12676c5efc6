"""The line of a mechanism from which on two runs of it differ: on unknown whole numbers, and on real ones.

Both are followed line by line. What differs first, a line that only one comes to, or what a name stands for after a
line, is to be blamed on the line before. It is looked for where laws have been found to differ, for a message alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import zip_longest
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.places import code_of, is_somebodys_own, shortened_path
from dpverify.mechanisms.numbers.errors import Place
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter
from dpverify.mechanisms.unknowns.unknown_numbers import UnknownNumber

MOST_STEPS: Final = 20_000
"""Lines that are followed, of each run."""

_LARGEST_CONTAINER: Final = 1_000

_OF_EACH_ROW: Final = frozenset(("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"))
"""Code that runs once a row, or once for each row that there may be: as often as it runs they differ rightly."""


class _Step(NamedTuple):
    """A line about to run, or a return, with what the names of its function stand for."""

    code: CodeType
    line: int
    before: int
    """The line of the same call that ran before; this one where it is the first."""
    seen: Mapping[str, Any]


def differing_line(
    mechanism: Mechanism,
    one: Callable[[], object],
    other: Callable[[], object],
    put: Callable[[Exact], Exact],
) -> Place | None:
    """The line from which on two runs differ; None where none is seen to.

    `put` gives the value, in the second run, of a number that is unknown in the first.
    """
    pairs = zip_longest(_followed(mechanism, one, put), _followed(mechanism, other, lambda number: number))
    for left, right in pairs:
        if left is None or right is None:
            return _place(left or right)
        if (left.code, left.line) != (right.code, right.line) or _differ(left.seen, right.seen):
            return _place(left)
    return None


def _place(step: _Step) -> Place:
    return Place(shortened_path(step.code.co_filename, ours=False), step.before, False)


def _differ(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    return any(name in right and value != right[name] for name, value in left.items())


def _followed(mechanism: Mechanism, run: Callable[[], object], put: Callable[[Exact], Exact]) -> list[_Step]:
    """The steps of a run, an error of which is none of ours."""
    code = code_of(mechanism)
    file = None if code is None else code.co_filename
    steps: list[_Step] = []
    last: dict[int, int] = {}

    def follow(frame: FrameType, event: str, argument: Any) -> Any:
        if len(steps) >= MOST_STEPS:
            return None
        if event == "call":
            return follow if is_somebodys_own(frame, file) and not _is_of_each_row(frame) else None
        if event in ("line", "return"):
            line = frame.f_lineno
            seen = {name: _value(value, put) for name, value in frame.f_locals.items()}
            if event == "return":
                seen["return"] = _value(argument, put)
            before = line if event == "return" else last.get(id(frame), line)
            steps.append(_Step(frame.f_code, line, before, seen))
            last[id(frame)] = line
            if event == "return":
                del last[id(frame)]
        return follow

    outer = sys.gettrace()
    sys.settrace(follow)
    try:
        run()
    except Exception:  # which whoever compares the laws has met already
        return steps
    finally:
        sys.settrace(outer)
    return steps


def _is_of_each_row(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name in _OF_EACH_ROW:
            return True
        frame = frame.f_back
    return False


class _Anything:
    """Values that are not looked into, and so differ from nothing."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True


_ANYTHING: Final = _Anything()


def _value(value: Any, put: Callable[[Exact], Exact], depth: int = 3) -> Any:
    """A value that can be compared with that of the other run; `_ANYTHING` where it may look otherwise there."""
    if type(value) is UnknownNumber:
        value = value.number
    if isinstance(value, Exact):
        try:
            result = as_parameter(put(value))
        except Exception:  # a number that cannot be put in, and of which nothing is known then
            return _ANYTHING
        return ("number", Fraction(result)) if isinstance(result, int | Fraction) else _ANYTHING
    if isinstance(value, int | Fraction):
        return "number", Fraction(value)
    if isinstance(value, float | str | bytes | None.__class__):
        return type(value), repr(value)
    if type(value) in _CONTAINERS and depth and len(value) <= _LARGEST_CONTAINER:
        parts = value.items() if type(value) is dict else value
        return type(value), len(value), [_value(part, put, depth - 1) for part in parts]
    return _ANYTHING


_CONTAINERS: Final = frozenset((tuple, list, dict))

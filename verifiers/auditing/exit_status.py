"""The ends of commands that decide claims: the exit status, and the words for what cannot be decided."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import in_words, message_of, one_line
from dpverify.verifiers.auditing.extras import needs

if TYPE_CHECKING:
    from dpverify.reports.gates.gate import Gate
    from dpverify.reports.record import ClaimResult

INTERRUPTED_STATUS: Final = 130
"""The exit status after Ctrl-C or SIGTERM, as shells have it."""

OUTPUT_CLOSED_STATUS: Final = 74
"""The exit status where there is no standard output to write to: EX_IOERR of sysexits.h."""

READER_GONE_STATUS: Final = 141
"""The exit status where who reads standard output is gone: shells say so of a process that SIGPIPE ends."""

DEBUG: Final = "DPVERIFY_DEBUG"
"""The variable of the environment that lets errors show where they come from."""

_HOME: Final = Path(__file__).parents[2]
"""The folder of the package."""


def exit_status(results: Iterable[ClaimResult], not_decided: int = 0) -> Literal[0, 1, 2, 3]:
    """0: every result as expected; 1: some is not; 3: those that are not are merely left open; 2: some are missing."""
    if not_decided:
        return 2
    unexpected = [result for result in results if not result.as_expected]
    if not unexpected:
        return 0
    return 3 if all(result.left_open for result in unexpected) else 1


def gate_status(found: Gate) -> Literal[0, 1, 3]:
    """0: nothing is worse; 1: something is; 3: what is worse is merely left open."""
    if not found.failing:
        return 0
    return 3 if all(row.left_open for row in found.failing) else 1


def reason_of(error: BaseException) -> str:
    """Reason why a claim is not decided, on one line: bad input, an error of other people's code, or a fault here.

    Or that an extra of dpverify is not installed. Prints the traceback where the variable DPVERIFY_DEBUG of the
    environment is set.
    """
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    extra = needs(error)
    if extra:
        return extra
    if isinstance(error, InputError):
        return one_line(in_words(error))
    place = _place_in_other_code(error)
    if place is not None:
        return one_line(f"{message_of(error)} ({Path(place.filename).name}, line {place.lineno})")
    if isinstance(error, RecursionError):
        return "nested too deeply: Python's recursion limit was met"
    if isinstance(error, MemoryError):
        return "out of memory"
    if not isinstance(error, Exception):
        return message_of(error)
    return f"internal error, {message_of(error)} ({DEBUG}=1 shows where)"


def _place_in_other_code(error: BaseException) -> traceback.FrameSummary | None:
    """The line where a user's code raised the error, itself or in a library that it called; None where dpverify did."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(_HOME):
            return None
        if not frame.filename.startswith("<") and not any(map(path.is_relative_to, (sys.prefix, sys.base_prefix))):
            return frame
    return None

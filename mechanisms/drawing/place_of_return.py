"""The line at which a mechanism has returned what is no outcome: no traceback has it, so that it is run again."""

import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from types import FrameType
from typing import Any

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.places import code_of, place_of_definition
from dpverify.mechanisms.numbers.errors import Place


def place_of_return(mechanism: Mechanism, run: Callable[[], object]) -> Place | None:
    """The place at which `mechanism` returns when `run` runs it as before; None where that cannot be told.

    It cannot where somebody else looks on, as a profiler does.
    """
    code, definition = code_of(mechanism), place_of_definition(mechanism)
    lines: list[int] = []

    def look_on(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is code:
            lines.append(frame.f_lineno)

    if definition is None or sys.getprofile() is not None:
        return None
    sys.setprofile(look_on)
    try:
        outcome = run()
        if isinstance(outcome, Coroutine):
            outcome.close()  # or Python warns of one that was never awaited
    except Exception:  # it has run before, and is another one now
        return None
    finally:
        sys.setprofile(None)
    return replace(definition, line=lines[-1]) if lines else None

"""Functions whose code asks its rows for counts, their number and membership alone: what is so needs no other order.

Read in the code that is run: each place that names the rows is `rows.count(…)`, `len(rows)` or `… in rows`. Whatever
else stands there, such as a call that is handed the rows, may read their order.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from functools import lru_cache, partial
from types import CodeType, FunctionType, MethodType
from typing import Any, Final


def asks_for_counts_alone(function: Callable[..., Any], place: int) -> bool:
    """True where the code of a function asks its argument at a place for nothing but counts, length and membership."""
    if isinstance(function, MethodType):
        function, place = function.__func__, place + 1
    if isinstance(function, partial) and not function.args:
        function = function.func
    if type(function) is not FunctionType or "len" in function.__globals__:
        return False
    code = function.__code__
    return place < code.co_argcount and _asks_for_counts_alone(code, code.co_varnames[place])


@lru_cache(maxsize=1 << 10)
def _asks_for_counts_alone(code: CodeType, name: str) -> bool:
    steps = [step for step in dis.get_instructions(code) if step.opname not in _NO_STEPS]
    for i, step in enumerate(steps):
        is_named = step.argval == name or (isinstance(step.argval, tuple) and name in step.argval)
        if not is_named or step.opname in _SETS or step.opname == "LOAD_CONST":
            continue
        if step.opname not in _LOADS or not _is_a_count(steps, i):
            return False
    inner = (each for each in code.co_consts if isinstance(each, CodeType) and name in each.co_freevars)
    return all(_asks_for_counts_alone(each, name) for each in inner)


def _is_a_count(steps: list[dis.Instruction], i: int) -> bool:
    """True where what is loaded there is asked for a count at once, for its length, or whether something is in it."""
    after = steps[i + 1]
    if after.opname == "CONTAINS_OP":
        return True
    if after.argval == "count" and (after.opname == "LOAD_METHOD" or "NULL|self" in after.argrepr):
        return True
    before = [step for step in steps[max(0, i - 2) : i] if step.opname != "PUSH_NULL"]
    is_len = bool(before) and (before[-1].opname, before[-1].argval) == ("LOAD_GLOBAL", "len")
    return is_len and bool((before[-1].arg or 0) & _TO_BE_CALLED) and after.opname == "CALL" and after.arg == 1


_TO_BE_CALLED: Final = 1
"""Of a global that is called as it stands there; a value that is chosen among several is loaded otherwise."""

_NO_STEPS: Final = frozenset(("CACHE", "EXTENDED_ARG", "NOP", "RESUME", "PRECALL"))
_LOADS: Final = frozenset(("LOAD_FAST", "LOAD_DEREF", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK"))
_SETS: Final = frozenset(("MAKE_CELL", "LOAD_CLOSURE", "STORE_FAST", "STORE_DEREF", "LOAD_GLOBAL", "LOAD_ATTR"))
"""Steps that bear the name and hand the rows to nobody: a closure is made of what is within, which is read itself."""

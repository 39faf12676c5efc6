"""Whether a mechanism asks of what kind a value is, or catches errors: it may treat unknown numbers otherwise.

A law on unknown numbers is compared with those on some whole ones, and a mechanism may tell the two apart elsewhere, by
`isinstance`, `type` or an error that it catches. Such code is not decided for all sizes. What is looked at is the code
that the mechanism reaches by name; it is a guard against accidents, and no proof.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

_NAMES: Final = frozenset(
    ("isinstance", "issubclass", "type", "__class__", "suppress", "hasattr", "getattr", "callable", "vars", "dir")
)
_MATCHES: Final = frozenset(("MATCH_CLASS", "MATCH_SEQUENCE", "MATCH_MAPPING"))
_CATCHES: Final = "CHECK_EXC_MATCH"
_LEAVES_HANDLER: Final = "POP_EXCEPT"
_OF_WITH: Final = "WITH_EXCEPT_START"


def asks_for_kinds(mechanism: Any, parameters: Mapping[str, Any]) -> str | None:
    """What own code does so, in words; None where none is seen."""
    waiting = [mechanism, *parameters.values()]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, FunctionType) and "dispatch" in vars(value):
            return f"{value.__qualname__} dispatches by type"
        function = _function(value)
        if function is None or id(function) in seen or not _is_own(function):
            continue
        seen.add(id(function))
        for code in _codes(function.__code__):
            what = _asked_in(code)
            if what is not None:
                return f"{function.__qualname__} {what}"
            waiting += _reached(function, code)
        waiting += [cell.cell_contents for cell in function.__closure__ or () if _is_set(cell)]
        waiting += function.__defaults__ or ()
    return None


def _function(value: Any) -> FunctionType | None:
    while isinstance(value, partial):
        value = value.func
    if isinstance(value, MethodType):
        value = value.__func__
    if not isinstance(value, FunctionType) and callable(value) and not isinstance(value, type):
        value = vars(type(value)).get("__call__")
    value = getattr(value, "__wrapped__", value)
    return value if isinstance(value, FunctionType) else None


def _is_own(function: FunctionType) -> bool:
    root = (function.__module__ or "").partition(".")[0]
    return root != "dpverify" and root not in sys.stdlib_module_names


def _is_set(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  # which raises where nothing is in it
    except ValueError:
        return False
    return True


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _asked_in(code: CodeType) -> str | None:
    named = _NAMES.intersection(code.co_names)
    if named:
        return f"asks for {min(named)}"
    operations = {instruction.opname for instruction in dis.get_instructions(code)}
    if _MATCHES & operations:
        return "matches patterns of kinds, sequences or mappings"
    if _CATCHES in operations or (_LEAVES_HANDLER in operations and _OF_WITH not in operations):
        return "catches errors"
    return None


def _reached(function: FunctionType, code: CodeType) -> list[Any]:
    around = function.__globals__
    named = [around[name] for name in code.co_names if name in around]
    of_modules = [
        vars(module).get(name) for module in named if isinstance(module, ModuleType) for name in code.co_names
    ]
    return [value for value in (*named, *of_modules) if callable(value)]

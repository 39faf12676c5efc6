"""Whether a mechanism asks what no class can intercept: `is`, `id`, `type`; or catches errors.

An unknown number refuses whatever would tell it from a whole one, isinstance too: see `unknown_numbers.py`. It is not
asked where identities or types are compared: ints up to 256 are one object each, greater ones are not, and no int is an
unknown number. So the code that the mechanism reaches by name is looked at. `x is None` and `x is Colour.RED` are let
through, as no number is one of these, known or not. Who catches errors may go on where a whole number raises one.
"""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from dis import Instruction
from functools import partial
from numbers import Number
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

_NAMES: Final = frozenset(("type", "id", "is_", "is_not", "suppress"))
_CATCHES: Final = "CHECK_EXC_MATCH"
_LEAVES_HANDLER: Final = "POP_EXCEPT"
_OF_WITH: Final = "WITH_EXCEPT_START"


def asks_for_kinds(mechanism: Any, parameters: Mapping[str, Any]) -> str | None:
    """What own code does so, in words; None where none is seen."""
    waiting = [mechanism, *parameters.values()]
    seen: set[int] = set()
    while waiting:
        for function in _functions(waiting.pop()):
            if id(function) in seen or not _is_own(function):
                continue
            seen.add(id(function))
            for code in _codes(function.__code__):
                what = _asked_in(code) or _compared_by_identity(function, code)
                if what is not None:
                    return f"{function.__qualname__} {what}"
                waiting += _reached(function, code)
            waiting += [cell.cell_contents for cell in function.__closure__ or () if _is_set(cell)]
            waiting += (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return None


def _functions(value: Any) -> Iterator[FunctionType]:
    """The functions that a value may run where it is called, or, of a class, its objects where they are asked."""
    function = _function(value)
    if function is not None:
        yield function
    kind = value if isinstance(value, type) else type(value)
    if isinstance(value, FunctionType | MethodType | BuiltinFunctionType) or not _is_own(kind):
        return
    for owner in kind.__mro__[:-1]:
        for function in filter(None, map(_function, vars(owner).values())):
            if not (is_dataclass(owner) and function.__code__.co_filename == "<string>"):  # which `dataclass` writes
                yield function


def _function(value: Any) -> FunctionType | None:
    while isinstance(value, partial):
        value = value.func
    if isinstance(value, MethodType):
        value = value.__func__
    if not isinstance(value, FunctionType) and callable(value) and not isinstance(value, type):
        value = vars(type(value)).get("__call__")
    value = getattr(value, "__wrapped__", value)
    return value if isinstance(value, FunctionType) else None


def _is_own(function: FunctionType | type) -> bool:
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
    if _CATCHES in operations or (_LEAVES_HANDLER in operations and _OF_WITH not in operations):
        return "catches errors"
    return None


def _compared_by_identity(function: FunctionType, code: CodeType) -> str | None:
    """Where `is` compares what may be numbers, in words: neither side is something known that is none."""
    before: list[Instruction] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IS_OP" and not _is_with_no_number(function, before):
            line = None if instruction.positions is None else instruction.positions.lineno
            return f"compares by `is` (line {line}; == compares numbers)"
        if instruction.opname not in _NOT_IN_EXPRESSIONS:
            before.append(instruction)
    return None


_NOT_IN_EXPRESSIONS: Final = frozenset(("CACHE", "EXTENDED_ARG", "NOP", "RESUME", "PRECALL"))


def _is_with_no_number(function: FunctionType, before: Sequence[Instruction]) -> bool:
    """Whether the right operand, or the left one of a right one that is a name, is known and no number."""
    right, rest = _last_operand(function, before)
    if right is not _ANY:
        return not _is_number(right)
    if before and before[-1].opname in _OF_NAMES:
        left, _ = _last_operand(function, rest)
        return left is not _ANY and not _is_number(left)
    return False


def _is_number(value: Any) -> bool:
    """Whether it may be one object with a whole number: True and False are with none but themselves."""
    return isinstance(value, Number) and not isinstance(value, bool)


_ANY: Final = object()
"""What is not known before a run."""

_OF_NAMES: Final = frozenset(("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_CONST"))


def _last_operand(function: FunctionType, before: Sequence[Instruction]) -> tuple[Any, Sequence[Instruction]]:
    """The value of the operand that the last instructions load, as in `None` or `Colour.RED`; and what comes before."""
    attributes: list[str] = []
    while before and before[-1].opname == "LOAD_ATTR":
        attributes.append(str(before[-1].argval))
        before = before[:-1]
    if not before:
        return _ANY, before
    last, before = before[-1], before[:-1]
    value: Any = _ANY
    if last.opname == "LOAD_CONST":
        value = last.argval
    elif last.opname == "LOAD_GLOBAL":
        value = function.__globals__.get(last.argval, getattr(builtins, last.argval, _ANY))
    for name in reversed(attributes):
        if name == "__class__":  # which an unknown number does not tell
            return type, before
        value = _ANY if value is _ANY else getattr(value, name, _ANY)
    return value, before


def _reached(function: FunctionType, code: CodeType) -> list[Any]:
    around = function.__globals__
    named = [around[name] for name in code.co_names if name in around]
    of_modules = [
        vars(module).get(name) for module in named if isinstance(module, ModuleType) for name in code.co_names
    ]
    return [*named, *of_modules]

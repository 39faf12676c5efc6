"""Words by which code asks whether two things are one object, where they cannot be told apart by what they hold.

A law that is remembered, and the sight of a function, are those of values: of two equal tuples it is not known whether
they are one. Python says so by `is`, `id` and what is written in their place; by a pickle, in which one object stands
once; and by methods of `object`. What is one object wherever it is met may be asked for: None, a class, a member of an
Enum.
"""

from __future__ import annotations

import builtins
import ctypes
import dis
import gc
import marshal
import operator
import pickle
import shelve
import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dis import Instruction
from enum import Enum
from functools import lru_cache
from types import CellType, CodeType, EllipsisType, FunctionType, ModuleType, NoneType, NotImplementedType
from typing import Any, Final, NamedTuple

import numpy as np

ASKS_FOR_IDENTITY: Final = "asks whether two things are one object, which no value says: compare by == instead"

_FUNCTIONS: Final = (
    *(id, eval, exec, operator.is_, operator.is_not, sys.getrefcount, np.shares_memory, np.may_share_memory),
    *(pickle.dumps, pickle.dump, pickle.Pickler, marshal.dumps, marshal.dump),
    *(object.__eq__, object.__ne__, object.__hash__, object.__repr__, object.__str__),
)
_MODULES: Final = (ctypes, gc, marshal, pickle, shelve, weakref)
_BY_IDENTITY: Final = {id(each): each for each in (*_FUNCTIONS, *_MODULES)}

_NAMES: Final = frozenset(each.__name__ for each in _MODULES) | {"_pickle", "_ctypes", "copyreg"}
_WORDS: Final = frozenset(
    {
        *("is_", "is_not", "getrefcount", "shares_memory", "may_share_memory", "Pickler", "__array_interface__"),
        *("__eq__", "__ne__", "__hash__", "__repr__", "__reduce_ex__", "pickle", "marshal"),
    }
)
"""Attributes by which it is asked, and texts that name one."""

_SINGLE: Final = (NoneType, bool, EllipsisType, NotImplementedType, type, Enum, FunctionType, ModuleType)


class Asked(NamedTuple):
    """A word by which code asks for identity, and where."""

    word: str
    code: CodeType
    line: int | None


def asks_by_identity(value: Any) -> bool:
    """True for functions that tell objects apart by identity, and modules of such."""
    return id(value) in _BY_IDENTITY


def identities_asked(functions: Iterable[FunctionType], values: Iterable[Any] = ()) -> Iterator[Asked]:
    """The words by which functions, and what else is held, ask whether two things are one object."""
    for function in functions:
        around = function.__globals__ | _around(function)
        for code in _codes_in(function.__code__):
            for word, line, operand in _asked_in(code):
                if operand is None or not _is_such(operand, word, around):
                    yield Asked(word, code, line)
            around = function.__globals__  # code within may have variables of the same names
    for value in values:
        if asks_by_identity(value) and not isinstance(value, ModuleType):
            yield Asked(value.__name__, _NO_CODE, None)


def _around(function: FunctionType) -> dict[str, Any]:
    """Values of the variables around a function, under names that no global has."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {f"{_AROUND}{name}": _content(cell) for name, cell in cells}


_AROUND: Final = "around: "


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _ABSENT


_NO_CODE: Final = compile("", "<nowhere>", "exec")


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_in(constant)


def _is_such(path: tuple[str, ...], word: str, around: dict[str, Any]) -> bool:
    """True where what a global stands for, or an attribute of it, makes the question harmless."""
    value = around.get(path[0], vars(builtins).get(path[0], _ABSENT))
    for name in path[1:]:
        if not isinstance(value, type | ModuleType):
            return word != "is"
        value = getattr(value, name, None) if isinstance(value, type) else vars(value).get(name, _ABSENT)
    if word == "is":
        return isinstance(value, _SINGLE) or type(value) is object or type(value).__module__ == "dataclasses"
    return not asks_by_identity(value)


class _Absent:
    """In place of a global that there is not."""


_ABSENT: Final = _Absent()


_Found = tuple[str, int | None, tuple[str, ...] | None]
"""A word, its line, and the global by whose value it is harmless or not; None where it is not in any case."""


@lru_cache(maxsize=1 << 12)
def _asked_in(code: CodeType) -> tuple[_Found, ...]:
    steps = [each for each in dis.get_instructions(code) if each.opname not in _NO_STEPS]
    results: list[_Found] = []
    for i, step in enumerate(steps):
        line = step.positions.lineno if step.positions else None
        if step.opname == "IS_OP":
            if not _is_with_a_constant(steps, i) and not _is_of_a_dataclass(code, step):
                results.append(("is", line, _global_before(steps, i)))
        elif step.opname in _GLOBALS:
            results.append((str(step.argval), line, (str(step.argval),)))
        elif _is_a_word(step):
            results.append((str(step.argval), line, None))
        elif step.opname in _ATTRIBUTES and (path := _global_before(steps, i + 1)) is not None:
            results.append((str(step.argval), line, path))
    return tuple(results)


def _is_a_word(step: Instruction) -> bool:
    if step.opname == "IMPORT_NAME":
        return str(step.argval).partition(".")[0] in _NAMES
    is_text = step.opname == "LOAD_CONST" and isinstance(step.argval, str)
    return (is_text or step.opname in _ATTRIBUTES) and step.argval in _WORDS


def _is_of_a_dataclass(code: CodeType, step: Instruction) -> bool:
    """True for the first question of `==` that `dataclass` writes from Python 3.13 on: what is one object is equal."""
    first = next(each for each in dis.get_instructions(code) if each.opname == "IS_OP")
    written = ("<string>", "__create_fn__.<locals>.__eq__")
    return (code.co_filename, code.co_qualname) == written and step.offset == first.offset


def _is_with_a_constant(steps: Sequence[Instruction], i: int) -> bool:
    """True for `x is None`, `None is x`, and where one of both is the type of something."""
    ends = [i - 1, *([i - 2] if steps[i - 1].opname in _LOADS else [])]
    return any(_is_single(steps[end]) or _is_a_type(steps, end) for end in ends)


def _is_a_type(steps: Sequence[Instruction], end: int) -> bool:
    """True where `type(x)` or `x.__class__` ends there."""
    last = steps[end]
    if last.opname in _ATTRIBUTES and last.argval == "__class__":
        return True
    if end < 2 or last.opname != "CALL" or steps[end - 1].opname not in _LOADS:
        return False
    return (steps[end - 2].opname, steps[end - 2].argval) == ("LOAD_GLOBAL", "type")


def _is_single(step: Instruction) -> bool:
    return step.opname == "LOAD_CONST" and isinstance(step.argval, NoneType | bool | EllipsisType)


def _global_before(steps: Sequence[Instruction], i: int) -> tuple[str, ...] | None:
    """The global, or attribute of one, that is loaded just before a step."""
    names: list[str] = []
    if i and steps[i - 1].opname == "LOAD_DEREF":
        return (f"{_AROUND}{steps[i - 1].argval}",)
    for step in reversed(steps[:i]):
        names.append(str(step.argval))
        if step.opname in _GLOBALS:
            return tuple(reversed(names))
        if step.opname not in _ATTRIBUTES:
            return None
    return None


_NO_STEPS: Final = frozenset(("CACHE", "EXTENDED_ARG", "NOP", "RESUME", "PRECALL", "PUSH_NULL", "COPY_FREE_VARS"))
_GLOBALS: Final = frozenset(("LOAD_GLOBAL", "LOAD_NAME"))
_ATTRIBUTES: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"))
_LOADS: Final = frozenset(("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK"))

"""Ways past operators: by the methods that stand for them, by identities held as functions, by caught errors.

`n == m` asks both numbers, and an unknown one answers or refuses. `(5).__eq__(n)` asks the other one alone, which says
`NotImplemented` of what is no int.
"""

from __future__ import annotations

import dis
import operator
import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from dis import Instruction
from enum import EnumType
from fractions import Fraction
from itertools import pairwise
from types import CodeType, FunctionType, MethodDescriptorType, MethodWrapperType, ModuleType, WrapperDescriptorType
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.functions.trusted import is_trusted
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber

_CATCHES: Final = "CHECK_EXC_MATCH"
_LEAVES_HANDLER: Final = "POP_EXCEPT"
_OF_WITH: Final = "WITH_EXCEPT_START"

KINDS: Final = (type, id)
IDENTITIES: Final = (operator.is_, operator.is_not)

NO_STEPS: Final = frozenset(("CACHE", "EXTENDED_ARG", "NOP", "RESUME", "PRECALL", "PUSH_NULL", "COPY_FREE_VARS"))
"""Instructions that do nothing of their own."""

SPECIAL: Final = frozenset(
    {name for kind in (int, Fraction, float) for name in dir(kind) if name.startswith("__") and name.endswith("__")}
    - {"__init__", "__new__", "__class__", "__doc__", "__setattr__", "__delattr__", "__init_subclass__", "__module__"}
    - {"__subclasshook__", "__slots__", "__abstractmethods__", "__weakref__", "__dict__"}
)
"""Methods that numbers have for their operators."""

_PAST_OPERATORS: Final = SPECIAL | {"is_", "is_not"}

_LOADS_OF_OBJECTS: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"))


def words_past_operators(code: CodeType) -> Iterator[tuple[str, int | None]]:
    """The words in code, and texts that are such, by which operators are gone past, with the line."""
    for each in dis.get_instructions(code):
        is_text = each.opname == "LOAD_CONST" and isinstance(each.argval, str)
        if (is_text or each.opname in _LOADS_OF_OBJECTS) and each.argval in _PAST_OPERATORS:
            yield str(each.argval), None if each.positions is None else each.positions.lineno


def held_and_refused(values: Iterable[Any], functions: Sequence[FunctionType]) -> Iterator[str]:
    """Methods of values, or of defaults of functions, by which numbers are asked past their operators."""
    values = tuple(values)
    of_enums = {id(part) for kind in values if isinstance(kind, EnumType) for part in vars(kind).values()}
    for value in (*values, *_defaults(functions)):
        refused = None if id(value) in of_enums else refused_value(value)  # which Python gives to Enums
        if refused is not None:
            yield refused


def module_that_looks_at_types(values: Iterable[Any]) -> str | None:
    """The module of Python's, among what is held or named, that may ask for the type of a number and go on."""
    for value in values:
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        if not isinstance(name, str) or not is_trusted(name):
            continue
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names and top.lstrip("_") not in _BY_OPERATORS:
            return name
    return None


_BY_OPERATORS: Final = frozenset(
    {
        *("builtins", "math", "cmath", "operator", "itertools", "functools", "fractions", "decimal", "numbers"),
        *("collections", "heapq", "bisect", "statistics", "dataclasses", "enum", "abc", "typing", "copy", "contextlib"),
        *("random", "secrets", "uuid", "os", "sys", "time", "datetime", "calendar", "string", "re", "textwrap"),
        *("logging", "warnings", "hashlib", "threading", "io", "pathlib", "contextvars", "types", "weakref", "array"),
        *("thread", "posix", "posixpath", "ntpath", "nt", "genericpath", "future", "__future__", "weakrefset"),
        *("http", "colorsys", "unicodedata", "gettext", "locale", "zlib", "base64", "binascii", "struct", "keyword"),
    }
)
"""Modules of Python that treat numbers by their operators, or ask for their type as isinstance does, or make a text."""


def _defaults(functions: Iterable[FunctionType]) -> Iterator[Any]:
    for function in functions:
        yield from (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())


def refused_value(value: Any) -> str | None:
    """Reason why a value is not decided, wherever it stands, in words."""
    if any(value is each for each in (*KINDS, *IDENTITIES)):
        return f"the function {value.__name__}"
    if value is np.isscalar:
        return "the function numpy.isscalar"
    if isinstance(value, MethodWrapperType) and value.__name__ in SPECIAL:
        return f"the method {value.__qualname__}"
    return f"the method {value.__qualname__}" if id(value) in _METHODS_OF_NUMBERS else None


_METHODS_OF_NUMBERS: Final = {
    id(method): method
    for kind in (object, int, float, complex, bool, Fraction, Decimal, WholeNumber, dict)
    for name, method in vars(kind).items()
    if (name in SPECIAL or kind is dict)
    and isinstance(method, WrapperDescriptorType | MethodDescriptorType | FunctionType)
}
"""By identity: those of dicts go past what a Counter of unknown rows says."""


def line_that_may_catch(code: CodeType) -> int | None:
    """The line that goes on after an error: by `except`, by `return` in `finally`, or as what leaves `with`.

    None where there is none; that at which the code begins where it is not known which one it is.
    """
    instructions = [each for each in dis.get_instructions(code) if each.opname not in NO_STEPS]
    operations = [instruction.opname for instruction in instructions]
    catching = [each.positions.lineno for each in instructions if each.opname == _CATCHES and each.positions]
    if _CATCHES in operations:
        return next((line for line in catching if line is not None), code.co_firstlineno)
    if _LEAVES_HANDLER in operations and _OF_WITH not in operations:
        return code.co_firstlineno
    kept = sum(one == _LEAVES_HANDLER and two != "RERAISE" for one, two in pairwise((*operations, "")))
    if kept > operations.count(_OF_WITH):
        return code.co_firstlineno
    leaves = code.co_name in ("__exit__", "__aexit__") and not all(map(_gives_nothing, pairwise(instructions)))
    return code.co_firstlineno if leaves else None


def _gives_nothing(pair: tuple[Instruction, Instruction]) -> bool:
    before, now = pair
    if now.opname == "RETURN_CONST":
        return not now.argval
    return now.opname != "RETURN_VALUE" or (before.opname == "LOAD_CONST" and not before.argval)

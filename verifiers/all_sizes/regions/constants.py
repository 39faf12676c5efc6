"""The whole numbers that stand in the code a mechanism reaches: where it may do otherwise than elsewhere.

They say at which sizes a mechanism is tried, and nothing follows from one that is missed.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import ceil, floor, isfinite
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.functions.mechanism import MadeOf

MOST_REACHED: Final = 5_000
"""Values that are looked at: a mechanism that holds more holds data."""

_LARGEST: Final = 1_000_000
"""Numbers beyond it are left out: nobody has so many rows to try."""

_LONGEST_TEXT: Final = 40


def constants_of(mechanism: Any, parameters: Mapping[str, Any]) -> tuple[int, ...]:
    """The whole numbers ≥ 0 up to `_LARGEST` next to numbers in code and among parameters, rising, without signs.

    Of numbers that are not whole, and of texts that read as numbers, they are the two around them. The code is that
    which the mechanism reaches by name, without that of Python, of installed packages and of this library; of a
    mechanism of this library it is the code of its own file.
    """
    numbers: set[int] = set()
    for value in _reached(mechanism, parameters.values()):
        for number in _numbers_in(value):
            numbers |= {floor(number), ceil(number)}
    return tuple(sorted(number for number in numbers if number <= _LARGEST))


_MOST_OF_AN_ARRAY: Final = 100


def _numbers_in(value: Any) -> Iterator[Fraction]:
    """The sizes of the numbers that a constant is, if it is any."""
    if isinstance(value, str) and len(value) <= _LONGEST_TEXT:
        try:
            value = Fraction(value)
        except (ValueError, ZeroDivisionError):
            return
    if isinstance(value, complex | np.complexfloating):
        yield from _numbers_in(value.real)
    elif isinstance(value, int | Fraction) or (isinstance(value, float) and isfinite(value)):
        yield abs(Fraction(value))
    elif isinstance(value, np.ndarray):  # the first of its numbers
        for part in value.ravel()[:_MOST_OF_AN_ARRAY].tolist():
            yield from _numbers_in(part)
    elif type(value).__module__ in _OF_NUMBERS and hasattr(value, "__float__"):  # such as Decimal and numpy's
        try:
            number = float(value)
        except (TypeError, ValueError):  # such as a record, or a date
            return
        yield from _numbers_in(number)


_OF_NUMBERS: Final = frozenset(("decimal", "_decimal", "numpy"))


def _reached(mechanism: Any, parameters: Iterable[Any]) -> Iterator[Any]:
    """The plain values that code leads to: constants, globals that it names, what functions and objects hold."""
    home = getattr(_plainly(mechanism), "__module__", None)
    waiting = [mechanism, *parameters]
    seen: dict[int, Any] = {}  # which keeps what is made on the way, so that its identity stays its own
    while waiting and len(seen) < MOST_REACHED:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        yield value
        waiting += _parts(value, home)


def _parts(value: Any, home: str | None) -> Iterator[Any]:
    if isinstance(value, FunctionType):
        if value.__module__ == home or not _is_elsewhere(value.__module__):
            yield from _parts_of_function(value)
    elif isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, MadeOf):
        yield from value.functions
    elif isinstance(value, dict):
        yield from (*value.keys(), *value.values())
    elif isinstance(value, tuple | list | set | frozenset):
        yield from value
    elif isinstance(value, range):
        yield from (value.start, value.stop, value.step)
    elif isinstance(value, CodeType):
        yield from value.co_consts
    elif isinstance(value, type):
        if not _is_elsewhere(value.__module__):
            yield from (part for name, part in vars(value).items() if name != "__firstlineno__")  # since Python 3.13
    elif not isinstance(value, ModuleType) and not _is_elsewhere(type(value).__module__):
        yield type(value)
        yield from getattr(value, "__dict__", {}).values()


def _parts_of_function(function: FunctionType) -> Iterator[Any]:
    around = function.__globals__
    names = _names_in(function.__code__)
    yield function.__code__
    for name in names:
        value = around.get(name)
        if isinstance(value, ModuleType):
            yield from (vars(value).get(part) for part in names)
        else:
            yield value
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from function.__dict__.values()


def _names_in(code: CodeType) -> tuple[str, ...]:
    inner = (name for part in code.co_consts if isinstance(part, CodeType) for name in _names_in(part))
    return tuple(dict.fromkeys((*code.co_names, *inner)))


def _plainly(mechanism: Any) -> Any:
    while isinstance(mechanism, partial | MadeOf):
        mechanism = mechanism.func if isinstance(mechanism, partial) else mechanism.functions[0]
    return mechanism


def _is_elsewhere(module: str | None) -> bool:
    """True where a module is one of Python's, of an installed package's that this library uses, or of this library."""
    top = (module or "").partition(".")[0]
    return top in _PACKAGES or top in sys.stdlib_module_names


_PACKAGES: Final = frozenset(("dpverify", "numpy", "flint", "scipy"))

"""Names by which code reaches what no name of its own leads to, or sees of a thing what nobody holds.

`Reach` finds what can be changed by the names in code. `globals()["x"]`, a frame, or an attribute whose name is
computed lead past it: so code of which all has to be found may not use them. And of a list it is held what is in it,
but not how much room it has: so no mechanism may ask for that, as another part of it may have changed it.
"""

from __future__ import annotations

import builtins
import ctypes
import dis
import gc
import importlib
import inspect
import operator
import sys
import traceback
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dis import Instruction
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Final

LOOKS_ELSEWHERE: Final = frozenset(
    {
        *("_getframe", "_current_frames", "currentframe", "getouterframes", "getinnerframes", "settrace", "setprofile"),
        *("f_back", "f_locals", "f_globals", "gi_frame", "cr_frame", "ag_frame", "tb_frame", "__traceback__"),
        *("get_objects", "get_referrers", "get_referents", "_getAttributeNames"),
        *("globals", "locals", "vars", "eval", "exec", "compile", "getattr", "attrgetter", "methodcaller"),
        *(
            "__import__",
            "import_module",
            "importlib",
            "__getattribute__",
            "__globals__",
            "__closure__",
            "__dict__",
            "__builtins__",
        ),
        *("modules", "ctypes", "from_address", "_ctypes", "__subclasses__"),
        *("__code__", "exc_info", "tb_lineno", "traceback", "inspect", "dis"),
        *("__annotations__", "__annotate__", "get_type_hints", "get_annotations", "__type_params__"),
        *("__abstractmethods__", "__slotnames__", "__firstlineno__", "__static_attributes__"),
        *("chooser", "_like", "_normal"),  # of a law: what many laws have in common
    }
)
"""Names by which code reaches what no name of its own leads to."""

_OF_ANY_OBJECT: Final = LOOKS_ELSEWHERE - {
    *("globals", "locals", "vars", "eval", "exec", "compile", "getattr", "attrgetter", "methodcaller"),
    *("modules", "ctypes", "traceback", "inspect", "dis", "__code__", "__import__", "import_module", "importlib"),
    *("__annotations__", "__type_params__", "chooser", "_like", "_normal"),
} | {"f_builtins", "_numerator", "_denominator", "__basicsize__"}
"""Those of them that nobody has for an attribute of his own."""

_SEES_ROOM: Final = frozenset(
    {
        *("getsizeof", "__sizeof__", "__alloc__", "getrefcount", "__subclasses__"),
        *("__warningregistry__", "onceregistry", "_onceregistry"),
    }
)
"""Questions that say of a thing more than it holds: how much room it has, who knows it, or what Python notes in it."""

_SEES_BETWEEN: Final = LOOKS_ELSEWHERE | {
    *("weakref", "_weakref", "ref", "proxy", "finalize", "WeakSet", "WeakMethod", "ReferenceType", "gc"),
    *("WeakKeyDictionary", "WeakValueDictionary", "__del__", "monitoring", "tracemalloc", "_ctypes"),
    *("id", "hash", "repr", "__hash__", "__repr__"),  # addresses, which are used again
}
"""Names by which code sees the variables of what calls it, or which things nobody holds any longer."""

_BY_TEXT: Final = (getattr, setattr, delattr, hasattr)
_SETTERS: Final = frozenset({"__setattr__", "__delattr__"})

_MODULES: Final = (ctypes, gc, inspect, traceback, dis)
"""Modules of which all leads elsewhere."""

_BY_FIRST_TEXT: Final = (operator.attrgetter, operator.methodcaller)

_REACH_ALL: Final[tuple[Any, ...]] = (
    *(globals, locals, vars, eval, exec, compile, __import__, importlib.import_module, sys._getframe, sys.modules),
    *(*_BY_TEXT, *_BY_FIRST_TEXT, *_MODULES, builtins, dir, super),
)
"""Functions that give anything by a name, or all names at once."""

OF_PYTEST: Final = frozenset({"@py_builtins", "@pytest_ar"})
"""Names, which nobody can write, of what pytest puts into the code of an assertion."""

_LEADS: Final = {id(each): each for each in _REACH_ALL}


def leads_elsewhere(value: Any) -> bool:
    """True where it is a function by which any name is reached, or such a module, wherever it was found."""
    return id(value) in _LEADS


def sees_between(words: frozenset[str], values: Iterable[Any]) -> bool:
    """True where code with these words that reaches these things may see more of a function than it returns.

    As by its frame, or by what is let go of while a function of C compares.
    """
    return not words.isdisjoint(_SEES_BETWEEN) or any(map(_is_told_of_ends, values))


def _is_told_of_ends(value: Any) -> bool:
    if leads_elsewhere(value) or value is id or value is hash or value is repr:
        return True
    return isinstance(value, type) and (issubclass(value, weakref.ref) or hasattr(value, "__del__"))


def words_that_lead_elsewhere(functions: Iterable[FunctionType]) -> Iterator[tuple[str, CodeType]]:
    """The words by which functions reach what no name of theirs leads to, each with the code that has it."""
    for function in functions:
        for code in codes_in(function.__code__):
            words = words_in(code)
            if words:
                around = function.__globals__
                yield from ((word, code) for word, is_such in words if is_such(around))


def words_that_see_room(codes: Iterable[CodeType]) -> Iterator[str]:
    """The words by which code asks how much room things have."""
    for code in codes:
        for within in codes_in(code):
            yield from sorted(_SEES_ROOM.intersection((*within.co_names, *within.co_consts)))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Code, and the code within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def names_stored(code: CodeType) -> frozenset[str]:
    """The names of attributes that code, and the code within it, may give to things."""
    return frozenset().union(*map(_stored, codes_in(code)))


# --- In one code


_Asked = Callable[[dict[str, Any]], bool]
"""True where a word in code leads elsewhere, among these globals."""


@lru_cache(maxsize=1 << 12)
def words_in(code: CodeType) -> tuple[tuple[str, _Asked], ...]:
    """Words in code that may lead elsewhere, with whether they do among given globals."""
    steps = [each for each in dis.get_instructions(code) if each.opname not in ("CACHE", "EXTENDED_ARG", "NOP")]
    results: list[tuple[str, _Asked]] = []
    for i, step in enumerate(steps):
        name = step.argval
        if _is_of_self(code, steps, i):
            continue
        if step.opname in _GLOBALS and name not in OF_PYTEST:
            has_text = _is_by_constant_name(steps, i, 1), _is_by_constant_name(steps, i, 0)
            results.append((name, _is_such_a_global(name, *has_text)))
        elif step.opname == "IMPORT_NAME":
            results += [(name, _always)] if name.partition(".")[0] in _MODULE_NAMES else []
        elif step.opname in _ATTRIBUTES and _is_such_an_attribute(code, steps, i):
            results.append((name, _always))
    results += [(text, _always) for text in code.co_consts if isinstance(text, str) and text in _OF_ANY_OBJECT]
    return tuple(results)


def _is_of_self(code: CodeType, steps: Sequence[Instruction], i: int) -> bool:
    """True where a method asks for what its object holds, which is held: by `vars(self)`, or `self.__dict__`."""
    if code.co_varnames[:1] != ("self",):
        return False
    if steps[i].argval == "vars" and steps[i].opname in _GLOBALS:
        given, called = (*steps[i + 1 : i + 3], steps[-1], steps[-1])[:2]
        return given.argval == "self" and called.opname in _CALLS
    return steps[i].argval == "__dict__" and i > 0 and steps[i - 1].argval == "self"


def _is_such_an_attribute(code: CodeType, steps: Sequence[Instruction], i: int) -> bool:
    step = steps[i]
    name = step.argval
    if name in ("attrgetter", "methodcaller"):
        return not _is_by_constant_name(steps, i, 0)
    if name in _SETTERS:  # a method of that name hands on what it is given
        return name != code.co_name and not any(_is_by_constant_name(steps, i, before) for before in (0, 1))
    return (
        name in _OF_ANY_OBJECT
        or name == "import_module"
        or (name == "modules" and "sys" in code.co_names)
        or (name in _SAID_OF_CODE and step.opname.startswith(("STORE", "DELETE")))
    )


def _always(_: dict[str, Any]) -> bool:
    return True


def _is_such_a_global(name: str, has_second_text: bool, has_first_text: bool) -> _Asked:
    def asked(around: dict[str, Any]) -> bool:
        value = around.get(name, vars(builtins).get(name))
        if any(value is each for each in _BY_TEXT):
            return not has_second_text
        if any(value is each for each in _BY_FIRST_TEXT):
            return not has_first_text
        if value is super and name == "super":  # a class asks for what its base has, by a name
            return False
        return value is not None and leads_elsewhere(value)

    return asked


def _is_by_constant_name(steps: Sequence[Instruction], load: int, place: int) -> bool:
    """True where what is loaded there is called with a text that stands in the code, as the argument in that place."""
    base = depth = _effect(steps[load])
    starts: dict[int, int] = {}
    for i, step in enumerate(steps[load + 1 :], load + 1):
        if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs or step.opname in ("CALL_KW", "CALL_FUNCTION_EX"):
            return False
        if step.opname not in _CALLS:
            starts[depth - base] = i  # where the argument in that place begins
        depth += _effect(step)
        if depth < base:
            constant, last = starts.get(place, load), step.arg == place + 1
            if step.opname != "CALL" or steps[constant].opname != "LOAD_CONST":
                return False
            is_alone = steps[constant + 1].opname in _CALLS if last else starts.get(place + 1) == constant + 1
            return isinstance(steps[constant].argval, str) and is_alone
    return False


def _effect(step: Instruction) -> int:
    return dis.stack_effect(step.opcode, step.arg if step.opcode >= dis.HAVE_ARGUMENT else None, jump=False)


_CALLS: Final = frozenset(("PRECALL", "CALL", "KW_NAMES"))
_GLOBALS: Final = frozenset(("LOAD_GLOBAL", "LOAD_NAME"))
_ATTRIBUTES: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR", "IMPORT_FROM"))
_MODULE_NAMES: Final = frozenset(("ctypes", "_ctypes", "gc", "inspect", "traceback", "dis", "builtins", "importlib"))
_SAID_OF_CODE: Final = frozenset(("__doc__", "__name__", "__qualname__", "__module__", "__annotations__"))


@lru_cache(maxsize=1 << 12)
def _stored(code: CodeType) -> frozenset[str]:
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("STORE_ATTR", "DELETE_ATTR")}
    if {"setattr", "delattr", *_SETTERS}.intersection(code.co_names):
        names |= {text for text in code.co_consts if isinstance(text, str) and text.isidentifier()}
    return frozenset(names)

"""The places of a function, and of its helpers in the same file, that give a float, with what to write instead.

They are read from the source when a float was refused, so that one message names all of them. They are a hint: what is
refused is decided by the value that was met.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from types import CodeType, FunctionType, ModuleType, TracebackType
from typing import Any, Final, NamedTuple, TypeGuard

from dpverify.mechanisms.functions.mechanism import MadeOf

_MOST_PLACES: Final = 5
"""Places that a message names."""

_MOST_FUNCTIONS: Final = 20
"""Functions that are read."""

_LONGEST: Final = 60
"""Characters of code in a message."""

_EXACT: Final = ("exp", "log", "sqrt")
"""Functions of `math` and numpy that dpverify.mechanisms has for exact numbers."""

_FLOATS: Final = (
    *_EXACT,
    "average",
    "float16",
    "float32",
    "float64",
    "log10",
    "log1p",
    "log2",
    "mean",
    "median",
    "std",
)

_OF_INTS: Final = ("len", "sum", "int", "round", "abs", "min", "max", "count")
"""Functions whose value is most likely an int, where nothing else is known."""


class FloatPlace(NamedTuple):
    """A line, the code there that gives a float, and what to write in its place."""

    line: int
    code: str
    instead: str

    def __str__(self) -> str:
        return f"line {self.line}: `{self.code}` gives a float, write {self.instead}"


def advice_on_floats(function: Any, traceback: TracebackType | None) -> str | None:
    """The places of `function` and its helpers that give floats, as the end of a sentence; None where none is found."""
    places = list(dict.fromkeys(sorted(_places(function, _locals_met(traceback)))))
    if not places:
        return None
    more = len(places) - _MOST_PLACES
    return "; ".join([*map(str, places[:_MOST_PLACES]), *([f"and {more} more such places"] if more > 0 else [])])


def _locals_met(traceback: TracebackType | None) -> dict[CodeType, Mapping[str, Any]]:
    """The variables of each code that an error came through: by their values it is known which are whole numbers."""
    met: dict[CodeType, Mapping[str, Any]] = {}
    while traceback is not None:
        met[traceback.tb_frame.f_code] = dict(traceback.tb_frame.f_locals)
        traceback = traceback.tb_next
    return met


def _places(function: Any, met: Mapping[CodeType, Mapping[str, Any]]) -> Iterator[FloatPlace]:
    for one in islice(_with_helpers(function), _MOST_FUNCTIONS):
        tree = _tree_of(one)
        if tree is not None:
            values = {**one.__globals__, **inspect.getclosurevars(one).nonlocals}
            own = next((v for code, v in met.items() if _is_of(code, one.__code__)), {})
            yield from _Reading(values, own, tree).places()


def _is_of(code: CodeType, written: CodeType) -> bool:
    """True where a code is that of a function, or is made of it, as where its loop is read."""
    return (code.co_filename, code.co_name) == (written.co_filename, written.co_name)


def _with_helpers(function: Any) -> Iterator[FunctionType]:
    """A function and those of its file that it names, those that they name, and so on."""
    waiting, seen = [function], set()
    while waiting:
        one = waiting.pop(0)
        while isinstance(one, MadeOf) or hasattr(one, "__wrapped__"):
            one = one.functions[0] if isinstance(one, MadeOf) else one.__wrapped__
        one = getattr(one, "__func__", one)
        if not isinstance(one, FunctionType) or one.__code__ in seen:
            continue
        seen.add(one.__code__)
        yield one
        named = [one.__globals__.get(name) for name in one.__code__.co_names]
        file = one.__code__.co_filename
        waiting += [f for f in named if isinstance(f, FunctionType) and f.__code__.co_filename == file]


def _tree_of(function: FunctionType) -> ast.Module | None:
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, ValueError, SyntaxError, RecursionError):
        return None
    ast.increment_lineno(tree, max(first, 1) - 1)
    return tree


def _is_power(node: ast.AST) -> TypeGuard[ast.BinOp]:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)


class _Reading:
    """The places that give a float in one function, by the names that it sees and the values that its variables had."""

    def __init__(self, values: Mapping[str, Any], own: Mapping[str, Any], tree: ast.Module) -> None:
        self._values = values
        self._own = own
        self._tree = tree
        self._assigned = {
            node.targets[0].id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }

    def places(self) -> Iterator[FloatPlace]:
        """Each place."""
        powers = {id(node.right) for node in ast.walk(self._tree) if _is_power(node)}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.expr) and id(node) not in powers and (instead := self._instead(node)) is not None:
                code = ast.unparse(node)
                if len(code) <= _LONGEST:
                    yield FloatPlace(node.lineno, code, instead)

    def _instead(self, node: ast.expr) -> str | None:
        match node:
            case ast.BinOp(root, ast.Pow(), ast.Constant(0.5)):
                return f"`sqrt({ast.unparse(root)})` with sqrt of dpverify.mechanisms"
            case ast.Constant(value=float() as value) if math.isfinite(value):
                exact = Fraction(repr(value))
                return f"`{exact}`" if exact.denominator == 1 else f"`Fraction({exact.numerator}, {exact.denominator})`"
            case ast.BinOp(ast.expr() as left, ast.Div(), ast.expr() as right):
                if self._is_whole(left) and self._is_whole(right):
                    return f"`Fraction({ast.unparse(left)}, {ast.unparse(right)})`"
            case ast.Call(func, [*args]) if (name := self._name_in_a_library(func)) in _FLOATS:
                given = ", ".join(map(ast.unparse, args))
                if name in _EXACT:
                    return f"`{name}({given})` with {name} of dpverify.mechanisms"
                return f"`Fraction(sum({given}), len({given}))`" if name in ("mean", "average") else "a Fraction"
        return None

    def _name_in_a_library(self, function: ast.expr) -> str:
        """The name of a function of `math` or numpy, else nothing."""
        match function:
            case ast.Attribute(ast.Name(module), name):
                found = self._values.get(module)
                return name if isinstance(found, ModuleType) and found.__name__ in ("math", "numpy") else ""
            case ast.Name(name):
                found = self._values.get(name)
                return getattr(found, "__name__", "") if getattr(found, "__module__", None) in ("math", "numpy") else ""
        return ""

    def _is_whole(self, node: ast.expr, depth: int = 0) -> bool:
        """True where the value is an int, or most likely one."""
        if depth > 10:
            return False
        match node:
            case ast.Constant(value):
                return isinstance(value, int)
            case ast.Name(name) if name in self._own:
                return isinstance(self._own[name], int)
            case ast.Name(name) if name in self._assigned:
                return self._is_whole(self._assigned[name], depth + 1)
            case ast.Name(name):
                return isinstance(self._values.get(name), int)
            case ast.BinOp(left, op, right):
                return not isinstance(op, ast.Div) and all(self._is_whole(side, depth + 1) for side in (left, right))
            case ast.UnaryOp(operand=operand):
                return self._is_whole(operand, depth + 1)
            case ast.Call(ast.Name("abs" | "min" | "max"), [ast.BinOp() | ast.Constant() | ast.UnaryOp(), *_] as args):
                return all(self._is_whole(one, depth + 1) for one in args)
            case ast.Call(ast.Name(name) | ast.Attribute(_, name), args):
                return name in _OF_INTS and not any(self._holds_other_numbers(one) for one in args)
        return False

    def _holds_other_numbers(self, node: ast.expr) -> bool:
        """True where a variable that is met is no collection of ints, or no int."""
        value = self._own.get(node.id) if isinstance(node, ast.Name) else None
        return any(not isinstance(one, int | str) for one in (value if isinstance(value, Sequence) else ()))

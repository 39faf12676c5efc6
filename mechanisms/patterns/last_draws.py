"""Draws that are returned at once: the law is returned, and nothing has to be run again for each of its outcomes.

    return draw(exponential(counts, epsilon))

On the tree of a function these are calls of a variable that it binds nowhere, which it returns as they are, where
nothing handles an exception or has the last word. That the variable is `draw` is looked at when it is called.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.cached_results import identity

Tree: TypeAlias = ast.FunctionDef | ast.Lambda

CALLED: Final = ".called"
"""The name, which no program has, of the guard of what is called: it gives `draw` back as it is."""

SEEING_ALL: Final = frozenset({"locals", "vars", "dir", "eval", "exec"})
"""Functions that see variables without naming them."""


class LastDraws(NamedTuple):
    """The calls of a function that are returned at once."""

    names: Mapping[int, str]
    """Offset of each such call in the code → the name of what is called."""
    is_named_once: bool
    """True where the first argument is named in one place alone, which is such a call."""


def function_that_returns(mechanism: Any) -> FunctionType | None:
    """The function whose first frame gives back what the mechanism gives; None where another one may come between."""
    while type(mechanism) in (partial, MethodType):
        mechanism = mechanism.func if type(mechanism) is partial else mechanism.__func__
    return mechanism if type(mechanism) is FunctionType else None


def last_draws(function: FunctionType, tree_of: Callable[[FunctionType], Tree | None]) -> LastDraws:
    """The calls of a function that are returned at once, remembered by its code."""
    code = function.__code__
    known = _KNOWN.get(identity(code))
    if known is None:
        if len(_KNOWN) >= _MOST:
            _KNOWN.clear()
        tree = tree_of(function)
        known = _KNOWN[identity(code)] = code, LastDraws({}, False) if tree is None else _found(code, tree)
    return known[1]


_MOST: Final = 1 << 12
_KNOWN: Final[dict[int, tuple[CodeType, LastDraws]]] = {}
"""By the identity of a code, which is kept with it: codes of two files may be equal, and to hash one takes long."""


def called_last(frame: FrameType, function: FunctionType, last: LastDraws, caller: CodeType) -> Any:
    """The object that is called in this frame, if the mechanism returns what that gives, whatever it is; else None.

    `caller` is the code that has called the mechanism, with nothing between them.
    """
    name = last.names.get(frame.f_lasti)
    before = frame.f_back
    if name is None or before is None or frame.f_code is not function.__code__ or before.f_code is not caller:
        return None
    return frame.f_locals.get(name)


def draws_last_alone(mechanism: Any, tree_of: Callable[[FunctionType], Tree | None]) -> bool:
    """True where all that the mechanism draws is returned at once, whatever it is."""
    while type(mechanism) is partial and not mechanism.args:  # else its first argument is another one
        mechanism = mechanism.func
    return type(mechanism) is FunctionType and last_draws(mechanism, tree_of).is_named_once


def _found(code: CodeType, tree: Tree) -> LastDraws:
    every = [*ast.walk(tree)]
    names = [each for each in every if isinstance(each, ast.Name)]
    bound = {each.id for each in names if not isinstance(each.ctx, ast.Load)}
    bound |= {each.arg for each in every if isinstance(each, ast.arg)} - {*code.co_varnames[: _arguments(code)]}
    bound |= {name for each in every for name in (getattr(each, "name", None), getattr(each, "rest", None)) if name}
    if any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal) for each in every):
        return LastDraws({}, False)
    calls = [tree.body] if isinstance(tree, ast.Lambda) else [each.value for each in _returns(tree.body)]
    found = [call for each in calls for call in _last_calls(each)]
    named = {_place(call): name for call in found if (name := _name_of(call.func)) is not None and name not in bound}
    offsets = {2 * i: named[place] for i, place in enumerate(code.co_positions()) if place in named}
    first = code.co_varnames[0] if code.co_argcount else ""
    is_once = [each.id for each in names].count(first) == 1 and SEEING_ALL.isdisjoint(each.id for each in names)
    return LastDraws(offsets, is_once and {*named.values()} == {first} and len(named) == 1)


def _arguments(code: CodeType) -> int:
    return code.co_argcount + code.co_kwonlyargcount


def _returns(body: list[ast.stmt]) -> Iterator[ast.Return]:
    """The statements that return, but those where something is handled or done at last."""
    for line in body:
        if isinstance(line, ast.Return):
            yield line
        elif isinstance(line, ast.If | ast.For | ast.While):
            yield from _returns([*line.body, *line.orelse])
        elif isinstance(line, ast.Match):
            yield from _returns([each for case in line.cases for each in case.body])


def _last_calls(value: ast.expr | None) -> Iterator[ast.Call]:
    if isinstance(value, ast.Call):
        yield value
    elif isinstance(value, ast.IfExp):
        yield from _last_calls(value.body)
        yield from _last_calls(value.orelse)
    elif isinstance(value, ast.BoolOp):
        yield from _last_calls(value.values[-1])


def _name_of(called: ast.expr) -> str | None:
    """The variable that is called, also through the guard that gives it back; None where something else is."""
    match called:
        case ast.Call(func=ast.Name(id=guard), args=[ast.Name(id=name)]) if guard == CALLED:
            return name
        case ast.Name(id=name):
            return name
    return None


def _place(node: ast.expr) -> tuple[int, int | None, int, int | None]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset

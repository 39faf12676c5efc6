"""The form of Python code that its meaning leaves: without comments, docstrings, annotations, layout and local names.

It is the same in all versions of Python, on all machines and for all hash seeds: `ast.dump` and tokens are not, as
nodes gain fields and strings with braces are cut up differently. So nodes are written here by names and fields that
matter; what is empty is left out, and a field that a later version adds is empty in code that does not use it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

_LEFT_OUT: Final = frozenset(("ctx", "kind", "type_comment", "lineno", "annotation", "returns", "simple"))
"""Fields of nodes that say nothing of what runs."""

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@cache
def form_of_code(node: ast.AST, *, named: bool = True) -> str:
    """The form of a statement, an expression or a definition; of one that is not `named`, whatever it is called.

    Names that are local to a function are told by the order in which they come. Two forms are equal only where the
    code is the same but for what the module leaves out.
    """
    return _Form({}, 0).of(node, named=named)


@cache
def free_names(node: ast.AST) -> list[str]:
    """The names that code refers to, sorted: those of the module, of what encloses it, and of its own variables.

    What annotations refer to is none of it.
    """
    return sorted({part.id for part in _that_runs(node) if isinstance(part, ast.Name)} | _nonlocal(node))


def _that_runs(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name not in _LEFT_OUT:
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from _that_runs(part)


@cache
def own_names(node: ast.AST) -> frozenset[str]:
    """The names that are a function's own: its parameters, and what it binds."""
    return frozenset({*_parameters(node), *_bound(node)} - _nonlocal(node))


def _nonlocal(node: ast.AST) -> set[str]:
    return {name for part in ast.walk(node) if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names}


_NAMED: Final = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.Name),
)
"""Nodes with a text that is a name which code around them may bind."""


class _Form:
    """Writes nodes; `local` are the names that functions around the node bind, and what stands for them."""

    def __init__(self, local: Mapping[str, str], bound: int) -> None:
        self._local = local
        self._bound = bound

    def of(self, node: ast.AST, *, named: bool = True) -> str:
        """The form of a node."""
        if isinstance(node, ast.AnnAssign):
            if node.value is None:
                return ""
            return f"Assign(targets=[{self.of(node.target)}],value={self.of(node.value)})"
        if isinstance(node, ast.JoinedStr):
            return f"JoinedStr({','.join(self._parts_of_text(node.values))})"
        within = self._inside(node)
        fields = []
        for name in sorted(node._fields):
            if name in _LEFT_OUT or (name == "name" and not named):
                continue
            who = within if name in ("args", "body") else self
            written = who._field(node, name, getattr(node, name, None))
            if written:
                fields.append(f"{name}={written}")
        return f"{type(node).__name__}({','.join(fields)})"

    def _inside(self, node: ast.AST) -> _Form:
        """Within a function its own names are told by their order; its parameters are how it is called, and stay."""
        if isinstance(node, ast.ClassDef):
            own = set(_bound(node))
            return _Form({name: told for name, told in self._local.items() if name not in own}, self._bound)
        if not isinstance(node, _FUNCTIONS):
            return self
        kept = {*_parameters(node), *_nonlocal(node)}
        names = [name for name in _bound(node) if name not in kept]
        local = {name: told for name, told in self._local.items() if name not in _parameters(node)}
        local |= {name: f"·{i}" for i, name in enumerate(names, self._bound)}
        return _Form(local, self._bound + len(names))

    def _field(self, node: ast.AST, name: str, value: Any) -> str:
        if isinstance(value, ast.AST):
            return self.of(value)
        if isinstance(value, list):
            outer = isinstance(node, ast.Global | ast.Nonlocal)
            parts = [self._item(part, outer=outer) for part in (_said(value) if name == "body" else value)]
            return f"[{','.join(filter(None, parts))}]" if any(parts) else ""
        if isinstance(node, ast.Constant):
            return _constant(value)
        if isinstance(value, str):
            return self._local.get(value, value) if isinstance(node, _NAMED) else value
        if isinstance(node, ast.FormattedValue) and value == -1:  # no conversion
            return ""
        return "" if value is None else _constant(value)

    def _item(self, part: Any, *, outer: bool) -> str:
        if isinstance(part, ast.AST):
            return self.of(part)
        if isinstance(part, str):
            return self._local.get(part, part) if outer else part
        return _constant(part)

    def _parts_of_text(self, values: Iterable[ast.expr]) -> Iterator[str]:
        """A text with braces: pieces that stand side by side are one."""
        plain = ""
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                plain += value.value
                continue
            if plain:
                yield _constant(plain)
            plain = ""
            yield self.of(value)
        if plain:
            yield _constant(plain)


def _parameters(node: ast.AST) -> list[str]:
    arguments = getattr(node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return []
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [one.arg for one in every if one is not None]


def _bound(node: ast.AST) -> list[str]:
    """The names that a function binds, in order: those of functions within it are theirs, and bound there."""
    results: dict[str, None] = {}

    def look(part: ast.AST) -> None:
        match part:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                results[name] = None
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                results[name] = None
            case ast.MatchMapping(rest=str(name)):
                results[name] = None
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                results[name] = None
                return
            case ast.Lambda():
                return
        for child in ast.iter_child_nodes(part):
            look(child)

    body = getattr(node, "body")  # noqa: B009  # of a class, a function, or an expression of one
    for part in body if isinstance(body, list) else [body]:
        look(part)
    return list(results)


def _said(body: list[Any]) -> list[Any]:
    """The statements without texts that stand alone: docstrings are such."""
    return [part for part in body if not _is_text_alone(part)]


def _is_text_alone(part: Any) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and isinstance(part.value.value, str)


def _constant(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"int:{value:x}"  # decimal digits are limited
    return f"{type(value).__name__}:{value!r}"

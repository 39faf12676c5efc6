"""Places of a module where a mistake can be made: each node of the functions that run, with what stands around it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from dpverify.verifiers.auditing.mutation.mutation import SyntaxScope

FunctionSyntax = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
NamedSyntax = FunctionSyntax | ast.ClassDef


@dataclass(frozen=True)
class Text:
    """The source of a module, and where its lines begin, in bytes."""

    source: str
    starts: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, source: str) -> Text:
        """The text of a source, with its lines."""
        starts = [0]
        for line in source.encode().splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return cls(source, tuple(starts))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The begin and the end of a node, in bytes."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The source text of a node."""
        start, end = self.span(node)
        return self.source.encode()[start:end].decode()

    def indentation(self, statement: ast.stmt) -> str | None:
        """The blanks before a statement on its line; None where that is more than blanks."""
        before = self.source.encode()[self.starts[statement.lineno - 1] : self.span(statement)[0]].decode()
        return before if not before.strip() else None


@dataclass(frozen=True)
class SyntaxPlace:
    """A node of a function, and all that it is in, the outermost first."""

    node: ast.AST
    above: tuple[ast.AST, ...]
    scope: SyntaxScope
    text: Text = field(repr=False)
    draws: frozenset[str]
    """The names under which functions of this file are given their `draw`."""

    @property
    def parent(self) -> ast.AST:
        """The node that it stands in."""
        return self.above[-1]

    @property
    def function(self) -> FunctionSyntax:
        """The innermost function that it is in."""
        return next(node for node in reversed(self.above) if isinstance(node, FunctionSyntax))

    @property
    def statement(self) -> ast.stmt:
        """The innermost statement that it is in, or that it is."""
        return next(node for node in (self.node, *reversed(self.above)) if isinstance(node, ast.stmt))

    def is_draw(self, node: ast.AST) -> bool:
        """True where a node draws: draw(…)."""
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.draws


BUDGET: Final = ("eps", "ε", "delta", "del_", "δ")
"""Beginnings of names of privacy parameters."""


def begins(name: str, *beginnings: str) -> bool:
    """True where a name begins so, or with an underscore and then so."""
    return name.lower().lstrip("_").startswith(beginnings)


def is_named(node: ast.AST, *beginnings: str) -> bool:
    """True where a variable or an attribute is read whose name begins so, or with an underscore and then so."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
            return begins(name, *beginnings)
    return False


def functions_by_path(tree: ast.Module) -> dict[SyntaxScope, NamedSyntax]:
    """The functions and classes of a module by their paths, in the order in which they are compiled."""
    return dict(_named(tree, ()))


def _named(node: ast.AST, path: SyntaxScope) -> Iterator[tuple[SyntaxScope, NamedSyntax]]:
    seen: dict[str, int] = {}
    for child in _named_below(node):
        name = "<lambda>" if isinstance(child, ast.Lambda) else child.name
        below = (*path, (name, seen.get(name, 0)))
        seen[name] = seen.get(name, 0) + 1
        yield below, child
        yield from _named(child, below)


def _named_below(node: ast.AST) -> Iterator[NamedSyntax]:
    """The next functions and classes below a node; what is around a function, such as its defaults, comes before it."""
    for child in _parts(node):
        if isinstance(child, NamedSyntax):
            yield from _around(child)
            yield child
        else:
            yield from _named_below(child)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that belong to the inside of a node."""
    if isinstance(node, ast.Lambda):
        yield node.body
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from node.body
    elif isinstance(node, ast.AnnAssign):
        yield from (part for part in (node.value, node.target) if part is not None)
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        yield from _parts_of_comprehension(node)
    elif isinstance(node, ast.Assign | ast.AugAssign):
        yield node.value
    else:
        yield from ast.iter_child_nodes(node)


def _parts_of_comprehension(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Iterator[ast.AST]:
    """The iterable that it goes through first comes last, where the rest has code of its own, and else first."""
    first, *rest = node.generators
    inside: list[ast.AST] = [*first.ifs, *rest]
    inside += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    has_code = isinstance(node, ast.GeneratorExp) or sys.version_info < (3, 12)
    yield from (*inside, first.iter) if has_code else (first.iter, *inside)


def _around(node: NamedSyntax) -> Iterator[NamedSyntax]:
    outside: list[ast.AST] = []
    if not isinstance(node, ast.Lambda):
        outside += node.decorator_list
    if isinstance(node, ast.ClassDef):
        outside += [*node.bases, *node.keywords]
    else:
        outside += [*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None)]
    for each in outside:
        if isinstance(each, NamedSyntax):
            yield from _around(each)
            yield each
        else:
            yield from _named_below(each)


def nodes_in(
    tree: ast.Module, running: frozenset[SyntaxScope], text: Text, draws: frozenset[str]
) -> Iterator[SyntaxPlace]:
    """The places of the functions with these paths, in the order of the text.

    Left out are defaults, annotations, decorators, texts, assertions, and guards, which check and do nothing else.
    """
    paths = {node: path for path, node in functions_by_path(tree).items()}

    def within(node: ast.AST, above: tuple[ast.AST, ...], path: SyntaxScope) -> Iterator[SyntaxPlace]:
        if isinstance(node, NamedSyntax):
            for part in _parts(node):
                yield from within(part, (*above, node), paths[node])
        elif not _says_nothing(node, draws):
            if path in running:
                yield SyntaxPlace(node, above, path, text, draws)
            for name, value in ast.iter_fields(node):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST) and name != "annotation":
                        yield from within(child, (*above, node), path)

    for statement in tree.body:
        yield from within(statement, (tree,), ())


def _says_nothing(node: ast.AST, draws: frozenset[str]) -> bool:
    """True where it is a text, a check or an import, of which no mutant is made."""
    match node:
        case ast.JoinedStr() | ast.Assert() | ast.Raise() | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(body=[ast.Raise()], orelse=[]):
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):  # a function that is called for what it raises
            return name not in draws
    return False

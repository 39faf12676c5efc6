"""The form of Python code that its meaning leaves: without comments, docstrings, annotations, layout and local names.

It is the same in all versions of Python, on all machines and for all hash seeds: `ast.dump` and tokens are not, as
nodes gain fields and strings with braces are cut up differently. So nodes are written here by names and fields that
matter; what is empty is left out, and a field that a later version adds is empty in code that does not use it.

Where it is known what names stand for, their values are written in their place, and arithmetic on constants is done:
`2 * epsilon`, `TWICE * epsilon` and `settings.TWICE * epsilon` are one form.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

_LEFT_OUT: Final = frozenset(("ctx", "kind", "type_comment", "lineno", "annotation", "returns", "simple"))
"""Fields of nodes that say nothing of what runs."""

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class NamedValue(NamedTuple):
    """The value of a name, with some of the attributes that are taken of it."""

    form: str
    names: int
    """Number of the names that are used up: those that are left are attributes taken while the code runs."""
    value: Any = None
    """The value itself, of a number, a text, or a tuple of such: code computes with it."""
    is_constant: bool = False


NamedValues: TypeAlias = Callable[[Sequence[str]], NamedValue | None]
"""Value of a name and of the attributes that are taken of it; None where nobody knows."""


def form_of_code(node: ast.AST, *, named: bool = True, values: NamedValues | None = None) -> str:
    """The form of a statement, an expression or a definition; of one that is not `named`, whatever it is called.

    Names that are local to a function are told by the order in which they come, and others by what they stand for
    where `values` says so. Two forms are equal only where the code is the same but for what the module leaves out.
    """
    return _bare_form(node, named) if values is None else _Form({}, 0, values).of(node, named=named)


@cache
def _bare_form(node: ast.AST, named: bool) -> str:
    return _Form({}, 0, None).of(node, named=named)


def _nonlocal(node: ast.AST) -> set[str]:
    return {name for part in ast.walk(node) if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names}


_NAMED: Final = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.Name),
)
"""Nodes with a text that is a name which code around them may bind."""


class _Form:
    """Writes nodes; `local` are the names that functions around the node bind, and what stands for them."""

    def __init__(
        self,
        local: Mapping[str, str],
        bound: int,
        values: NamedValues | None,
        hidden: frozenset[str] = frozenset(),
        of_class: frozenset[str] = frozenset(),
    ) -> None:
        """`hidden` are the names that functions around the node bind, `of_class` those of the class it is right in."""
        self._local = local
        self._bound = bound
        self._values = values
        self._hidden = hidden
        self._of_class = of_class

    def of(self, node: ast.AST, *, named: bool = True) -> str:
        """The form of a node."""
        if self._values is not None and isinstance(node, ast.expr):
            known = self._known(node)
            if known is not None:
                return known
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

    def _known(self, node: ast.expr) -> str | None:
        """The form of what an expression stands for, where that is known without running it."""
        constant = self._constant(node)
        if constant is not _NOTHING:
            return f"Constant(value={form_of_constant(constant)})"
        names = _names(node)
        found = self._of_names(names)
        if found is None:
            return None
        attributes = "".join(f",attr={name}" for name in names[found.names :])
        return f"Known({found.form}{attributes})"

    def _of_names(self, names: Sequence[str]) -> NamedValue | None:
        if not names or names[0] in self._hidden | self._of_class or self._values is None:
            return None
        return self._values(names)

    def _constant(self, node: ast.AST) -> Any:
        """The number, text or tuple of such that an expression is, with its arithmetic done; `_NOTHING` for others."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Tuple(ctx=ast.Load()):
                parts = [self._constant(part) for part in node.elts]
                return _NOTHING if _NOTHING in parts else tuple(parts)
            case ast.UnaryOp():
                held = self._constant(node.operand)
                return _computed(_UNARY.get(type(node.op)), held)
            case ast.BinOp():
                return _computed(_BINARY.get(type(node.op)), self._constant(node.left), self._constant(node.right))
            case ast.Call(func=function, args=arguments, keywords=[]) if arguments:
                called = self._of_names(_names(function))
                is_number = called is not None and called.form == "class:fractions.Fraction"
                return _computed(Fraction, *map(self._constant, arguments)) if is_number else _NOTHING
            case ast.Name() | ast.Attribute():
                names = _names(node)
                found = self._of_names(names)
                is_all = found is not None and found.is_constant and found.names == len(names)
                return found.value if found is not None and is_all else _NOTHING
        return _NOTHING

    def _inside(self, node: ast.AST) -> _Form:
        """Within a function its own names are told by their order; its parameters are how it is called, and stay."""
        if isinstance(node, ast.ClassDef):
            own = set(_bound(node))
            local = {name: told for name, told in self._local.items() if name not in own}
            return _Form(local, self._bound, self._values, self._hidden, frozenset(own))
        if not isinstance(node, _FUNCTIONS):
            return self
        kept = {*_parameters(node), *_nonlocal(node)}
        names = [name for name in _bound(node) if name not in kept]
        local = {name: told for name, told in self._local.items() if name not in _parameters(node)}
        local |= {name: f"·{i}" for i, name in enumerate(names, self._bound)}
        hidden = self._hidden | set(_parameters(node)) | set(names)
        return _Form(local, self._bound + len(names), self._values, hidden)

    def _field(self, node: ast.AST, name: str, value: Any) -> str:
        if isinstance(value, ast.AST):
            return self.of(value)
        if isinstance(value, list):
            outer = isinstance(node, ast.Global | ast.Nonlocal)
            parts = [self._item(part, outer=outer) for part in (_said(value) if name == "body" else value)]
            return f"[{','.join(filter(None, parts))}]" if any(parts) else ""
        if isinstance(node, ast.Constant):
            return form_of_constant(value)
        if isinstance(value, str):
            return self._local.get(value, value) if isinstance(node, _NAMED) else value
        if isinstance(node, ast.FormattedValue) and value == -1:  # no conversion
            return ""
        return "" if value is None else form_of_constant(value)

    def _item(self, part: Any, *, outer: bool) -> str:
        if isinstance(part, ast.AST):
            return self.of(part)
        if isinstance(part, str):
            return self._local.get(part, part) if outer else part
        return form_of_constant(part)

    def _parts_of_text(self, values: Iterable[ast.expr]) -> Iterator[str]:
        """A text with braces: pieces that stand side by side are one."""
        plain = ""
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                plain += value.value
                continue
            if plain:
                yield form_of_constant(plain)
            plain = ""
            yield self.of(value)
        if plain:
            yield form_of_constant(plain)


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


def form_of_constant(value: Any) -> str:
    """The form of a constant of code: that of the same value wherever it comes from."""
    if isinstance(value, tuple):
        return f"tuple({','.join(map(form_of_constant, value))})"
    if isinstance(value, Fraction):
        return f"Fraction:{value.numerator:x}/{value.denominator:x}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"int:{value:x}"  # decimal digits are limited
    return f"{type(value).__name__}:{value!r}"


_NOTHING: Final = object()
"""A value that is not known."""

_UNARY: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_BINARY: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_LARGEST: Final = 1 << 256
"""Numbers beyond it are not computed with: code may hold such that nobody wants to see multiplied."""


def _computed(operation: Callable[..., Any] | None, *values: Any) -> Any:
    """The result of an operation on numbers; `_NOTHING` where they are none, are large, or it raises."""
    if operation is None or any(type(value) not in (int, float, Fraction) or abs(value) > _LARGEST for value in values):
        return _NOTHING
    try:
        return operation(*values)
    except (ArithmeticError, TypeError, ValueError):
        return _NOTHING


def _names(node: ast.AST) -> Sequence[str]:
    """The name that is read and the attributes that are taken of it, as `a.b.c`; none for any other expression."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        attributes.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return [node.id, *reversed(attributes)]
    return []

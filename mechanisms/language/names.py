"""The names in a tree: which are local, what binds them, and the exact types that follow from how they are bound.

Types are inferred of displays and calls of classes, without an order of statements: a name has a type if all that
binds it has that type.
"""

from __future__ import annotations

import ast
import importlib
import types
from abc import ABCMeta
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias, TypeVar

from dpverify.mechanisms.language.library import is_standard_module
from dpverify.mechanisms.language.tables import CONTAINERS

NOT_KNOWN: Final[Any] = object()
"""No value is known; no rule accepts it."""


@dataclass(frozen=True)
class _Imported:
    """A name that an import in a function binds."""

    value: Any


_Tree = TypeVar("_Tree", bound=ast.AST)


def copied(tree: _Tree) -> _Tree:
    """A copy of a tree, with the places of its nodes: `deepcopy` takes 3.5 times as long, a tenth of a cold reading."""
    copy_of = type(tree).__new__(type(tree))
    held = vars(copy_of)
    for name, value in vars(tree).items():
        if isinstance(value, ast.AST):
            held[name] = copied(value)
        elif type(value) is list:
            held[name] = [copied(each) if isinstance(each, ast.AST) else each for each in value]
        else:
            held[name] = value
    return copy_of


COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES: Final = (ast.Lambda, *COMPREHENSIONS)
"""Nodes whose variables are their own."""

_Function: TypeAlias = ast.FunctionDef | ast.Lambda
_Binding: TypeAlias = ast.AST | _Imported | None


@dataclass(frozen=True, eq=False)
class NameScope:
    """The names that a function, a lambda or a comprehension binds, and what binds them; None stands for any value."""

    parent: NameScope | None
    is_comprehension: bool = False
    bound: dict[str, list[_Binding]] = field(default_factory=dict)
    nonlocals: set[str] = field(default_factory=set)

    def of(self, name: str) -> NameScope | None:
        """The innermost scope that binds the name; None where it comes from outside."""
        scope: NameScope | None = self
        while scope is not None and name not in scope.bound:
            scope = scope.parent
        return scope


class FunctionNames:
    """The names of a function that is read, with those of the functions and comprehensions in it."""

    def __init__(self, tree: _Function) -> None:
        self.scopes: dict[ast.AST, NameScope] = {}
        """By function, lambda or comprehension."""
        self.outside: Mapping[str, Any] = {}
        """The values of names from outside, as far as they are known."""
        self.imports = False
        """True where something in it is imported by the function itself."""
        self._loaded: set[tuple[str, NameScope]] = set()
        self._later: list[tuple[_Function, NameScope | None]] = [(tree, None)]
        while self._later:  # a function is entered when all names around it are bound, which nonlocal needs
            self._enter(*self._later.pop(0))
        self.nodes: Final = (*_walk(tree, self),)
        """All nodes that a call of the function may run, each with the scope that its names are looked up in."""
        within = (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each is not tree)
        notes = (part for one in within for note in annotations_of(one) for part in ast.walk(note))
        self.calls_in_annotations: Final = [each for each in notes if isinstance(each, ast.Call | ast.NamedExpr)]

    def free(self) -> set[str]:
        """The names that are bound nowhere within: they come from outside."""
        return {name for name, scope in self._loaded if scope.of(name) is None}

    # --- scopes
    def _enter(self, node: _Function, parent: NameScope | None) -> None:
        scope = self.scopes[node] = NameScope(parent)
        for arg in parameters_of(node):
            scope.bound[arg.arg] = [None]
        for each in body_nodes(node):
            self._bind(each, scope)

    def _enter_comprehension(self, node: Any, parent: NameScope) -> None:
        scope = self.scopes[node] = NameScope(parent, is_comprehension=True)
        for generator in node.generators:
            self._bind_target(generator.target, None, scope)
        for part, is_outer in comprehended(node):
            self._bind(part, parent if is_outer else scope)

    def _bind(self, node: ast.AST, scope: NameScope) -> None:  # noqa: PLR0912  # a case a node
        match node:
            case ast.Name(id=name):
                self._loaded.add((name, scope))
            case ast.FunctionDef() | ast.Lambda():
                if isinstance(node, ast.FunctionDef):
                    _add(scope, node.name, node)
                self._later.append((node, scope))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._enter_comprehension(node, scope)
                return
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind_target(target, value, scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind_target(target, value, scope)
            case ast.NamedExpr(target=target, value=value):
                self._bind_target(target, value, _without_comprehensions(scope))
            case ast.AugAssign(target=ast.Name(id=name)):
                _add(scope, name, node)
            case ast.For(target=target):
                self._bind_target(target, None, scope)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                _add(scope, name, None)
            case ast.Import(names=names):
                self.imports = True
                for alias in names:
                    top = alias.name if alias.asname else alias.name.partition(".")[0]
                    _add(scope, alias.asname or top, _Imported(_imported(alias.name, top)))
            case ast.ImportFrom(module=str(module), names=names, level=0):
                self.imports = True
                for alias in names:
                    found: Any = getattr(_imported(module, module), alias.name, NOT_KNOWN)
                    _add(scope, alias.asname or alias.name, _Imported(found))
            case ast.Nonlocal(names=names):  # which Python has before all that binds them
                scope.nonlocals.update(names)
            case _:
                pass
        for each in run_parts(node):
            self._bind(each, scope)

    def _bind_target(self, target: ast.expr, value: ast.expr | None, scope: NameScope) -> None:
        match target, value:
            case ast.Name(id=name), _:
                _add(scope, name, value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts), ast.Tuple(elts=values) | ast.List(elts=values) if len(
                parts
            ) == len(values) and not any(isinstance(each, ast.Starred) for each in (*parts, *values)):
                for part, one in zip(parts, values, strict=True):
                    self._bind_target(part, one, scope)
            case _:
                for each in ast.walk(target):
                    if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                        _add(scope, each.id, None)

    # --- values and types
    def value(self, node: ast.AST, scope: NameScope) -> Any:
        """The value of a name from outside, or of an attribute of a module or class; else `NOT_KNOWN`."""
        match node:
            case ast.Name(id=name):
                home = scope.of(name)
                if home is None:
                    return self.outside.get(name, NOT_KNOWN)
                bound = home.bound[name]
                return bound[0].value if len(bound) == 1 and isinstance(bound[0], _Imported) else NOT_KNOWN
            case ast.Attribute(value=inner, attr=name):
                owner = self.value(inner, scope)
                if isinstance(owner, types.ModuleType):
                    loads_late = owner.__name__.startswith("dpverify.") or (owner.__name__, name) == _LATE
                    return getattr(owner, name, NOT_KNOWN) if loads_late or name in vars(owner) else NOT_KNOWN
                if isinstance(owner, type):
                    return _of_class(owner, name)
            case _:
                pass
        return NOT_KNOWN

    def is_from_outside(self, node: ast.AST, scope: NameScope) -> bool:
        """True where an expression is, or is a part of, a value that was there before the run."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return isinstance(node, ast.Name) and (scope.of(node.id) is None or self.value(node, scope) is not NOT_KNOWN)

    def type_of(self, node: _Binding, scope: NameScope, asked: frozenset[Any] = frozenset()) -> type | None:
        """The exact type of an expression; None where it is not inferred, or may be one of several."""
        match node:
            case ast.Constant(value=value):
                return None if isinstance(value, float) else type(value)
            case ast.NamedExpr(value=value):
                return self.type_of(value, scope, asked)
            case ast.Call(func=function):
                kind: type = self.value(function, scope)
                is_plain = type(kind) in (type, ABCMeta)  # of which nothing here is code of users
                return kind if is_plain and (kind in CONTAINERS or _makes_its_own(kind)) else None
            case ast.Name(id=name):
                home = scope.of(name)
                if home is None:
                    value = self.outside.get(name, NOT_KNOWN)
                    return None if value is NOT_KNOWN else type(value)
                if (home, name) in asked:
                    return None
                kinds = {self.type_of(each, home, asked | {(home, name)}) for each in home.bound[name]}
                return kinds.pop() if len(kinds) == 1 else None
            case _:
                return _DISPLAYS.get(type(node))


_LATE: Final = ("numpy", "random")
"""The module that numpy loads when it is asked for."""


def names_in(tree: _Function) -> FunctionNames:
    """The names of a function: of a tree once, unless it imports something, which may be another value by now."""
    found = _names_in(tree)
    return FunctionNames(tree) if found.imports else copy(found)


_names_in: Final = lru_cache(maxsize=1 << 12)(FunctionNames)


def _walk(tree: _Function, names: FunctionNames) -> Iterator[tuple[ast.AST, NameScope]]:
    """All nodes but a function's own decorators and defaults, which ran before it, and annotations."""
    stack: list[tuple[ast.AST, NameScope]] = [(each, names.scopes[tree]) for each in body_nodes(tree)]
    while stack:
        node, scope = stack.pop()
        yield node, scope
        inner = names.scopes.get(node)
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            assert inner is not None
            stack += [(each, inner) for each in body_nodes(node)]
            stack += [(each, scope) for each in outer_parts(node)]
        elif inner is not None:
            stack += [(each, scope if is_outer else inner) for each, is_outer in comprehended(node)]
        else:
            stack += [(each, scope) for each in run_parts(node)]


def run_parts(node: ast.AST) -> Iterable[ast.AST]:
    """The nodes right below one, without annotations, which do not run."""
    if isinstance(node, ast.AnnAssign):
        return [each for each in (node.target, node.value) if each is not None]
    return ast.iter_child_nodes(node)


def body_nodes(node: _Function) -> Sequence[ast.AST]:
    """The statements of a function, or the expression of a lambda."""
    return node.body if isinstance(node, ast.FunctionDef) else [node.body]


def comprehended(node: Any) -> Iterator[tuple[ast.AST, bool]]:
    """The parts of a comprehension; True with the first iterable, whose names are looked up outside of it."""
    yield from ((part, False) for name in ("elt", "key", "value") if (part := getattr(node, name, None)) is not None)
    for i, generator in enumerate(node.generators):
        yield generator.iter, i == 0
        yield generator.target, False
        yield from ((test, False) for test in generator.ifs)


def parameters_of(node: _Function) -> list[ast.arg]:
    """All parameters of a function."""
    a = node.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *(each for each in (a.vararg, a.kwarg) if each is not None)]


def annotations_of(node: ast.FunctionDef) -> Iterator[ast.expr]:
    """The annotations of its parameters and of what it returns."""
    each = (*(one.annotation for one in parameters_of(node)), node.returns)
    return (one for one in each if one is not None)


def outer_parts(node: _Function) -> list[ast.expr]:
    """Decorators and defaults, which run where the function is defined."""
    defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
    return [*node.decorator_list, *defaults] if isinstance(node, ast.FunctionDef) else defaults


def _add(scope: NameScope, name: str, binding: _Binding) -> None:
    home = scope.parent.of(name) if name in scope.nonlocals and scope.parent is not None else scope
    if home is not None:
        home.bound.setdefault(name, []).append(binding)


def _without_comprehensions(scope: NameScope) -> NameScope:
    """The scope of the function around comprehensions, in which `:=` binds."""
    while scope.is_comprehension and scope.parent is not None:
        scope = scope.parent
    return scope


def _imported(name: str, top: str) -> Any:
    try:
        importlib.import_module(name)
        return importlib.import_module(top)
    except ImportError:
        return NOT_KNOWN


def _of_class(owner: type, name: str) -> Any:
    """An attribute that a class or one of its bases holds; `NOT_KNOWN` where none does."""
    if name in ("__members__", "__name__", "__qualname__"):
        return getattr(owner, name, NOT_KNOWN)
    held = next((vars(base)[name] for base in owner.__mro__ if name in vars(base)), NOT_KNOWN)
    is_own = hasattr(type(held), "__get__") and not is_standard_module(type(held).__module__)
    return held if held is NOT_KNOWN or is_own else getattr(owner, name, NOT_KNOWN)  # no code of users runs


def _makes_its_own(kind: type) -> bool:
    """True of a class of Python code whose call makes an object of exactly it."""
    makes: object = kind.__new__
    return makes is object.__new__ and kind.__flags__ & (1 << 9) != 0


_DISPLAYS: Final[Mapping[Any, type]] = types.MappingProxyType(
    {ast.List: list, ast.ListComp: list, ast.Dict: dict, ast.DictComp: dict, ast.Set: set, ast.SetComp: set}
    | {ast.Tuple: tuple, ast.JoinedStr: str, ast.GeneratorExp: types.GeneratorType}
)

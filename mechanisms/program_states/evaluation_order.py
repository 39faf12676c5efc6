"""The order in which statements draw: what is drawn first is put before the rest of a statement, as statements.

`sum(row + draw(…) for row in rows) + 1` is a loop and a sum. Comprehensions, and generators that a function of Python
goes through at once, are loops; displays are made item by item; a conditional expression is an `if`; and what is
evaluated before them in the same statement gets a variable.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Final, TypeAlias, TypeGuard

from dpverify.mechanisms.language.compiled_code import names_bound
from dpverify.mechanisms.language.names import COMPREHENSIONS, SCOPES

FOLDS: Final = {"sum": 0, "any": False, "all": True, "next": None}
"""Functions that go through a generator as far as they need, with what they give for an empty one, or its default."""
LISTED_FIRST: Final = ("tuple", "list", "sorted", "max", "min")
"""Functions that go through all of a generator before they do anything else with it, as with a list."""


class ItemStatement(ast.Expr):
    """The statement that puts an item into a list that is made one by one."""


class CallStatement(ast.Assign):
    """The statement that calls a function which is cut; `first` is its first point."""

    first: Any


class LastCall(ast.Return):
    """The statement that returns what such a function does."""

    first: Any


class EvaluationOrder:
    """Puts before statements what they draw first: loops for comprehensions, and items of displays one by one."""

    def __init__(
        self, drawn: set[str], rows: str | None, of_python: set[str], called: Callable[..., Any], *, apart: bool
    ) -> None:
        """`called` gives the first point of the function that a node calls, where that is cut; see `_Program`."""
        self._drawn, self._rows, self._of_python, self._apart, self._made = drawn, rows, of_python, apart, 0
        self._called = called
        self._bound = set[str]()
        """The names that the statement binds within an expression."""

    def lines(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of a body with what is run before them."""
        return [line for each in body for line in self._line(each)]

    def _line(self, line: ast.stmt) -> list[ast.stmt]:
        for name in ("body", "orelse", "finalbody"):
            if getattr(line, name, None) and not isinstance(line, ast.FunctionDef):
                setattr(line, name, self.lines(getattr(line, name)))
        is_read_before = isinstance(line, ast.AugAssign) and (
            not isinstance(line.target, ast.Name) or _binds(line.value)
        )
        name = next((name for kind, name in _FIRST.items() if isinstance(line, kind)), "")
        value = getattr(line, name, None)
        before: list[ast.stmt] = []
        if value is not None and not is_read_before and not isinstance(line, CallStatement):
            self._bound = {each.target.id for each in ast.walk(value) if isinstance(each, ast.NamedExpr)}
            first = self._first_of(value, is_last=True) if isinstance(line, ast.Return) else None
            setattr(line, name, self._taken(value, before, is_last=first is not None))
            if first is not None:
                line = ast.copy_location(LastCall(getattr(line, name)), line)
                line.first = first
        return [*(ast.fix_missing_locations(ast.copy_location(each, line)) for each in before), line]

    def _first_of(self, node: ast.expr, *, is_last: bool = False) -> Any:
        return self._called(node, is_last=is_last) if isinstance(node, ast.Call) else None

    def _taken(self, node: ast.expr, before: list[ast.stmt], *, is_last: bool = False) -> ast.expr:
        """An expression that gives the same behind the statements that are put `before` it."""
        first = None if is_last else self._first_of(node)
        if first is not None:
            node = self._taken(node, before, is_last=True)
            kept = self._new("value")
            line = CallStatement([ast.Name(kept, ast.Store())], node)
            line.first = first
            before.append(line)
            return _name(kept)
        if not self._has_some(node, is_last=is_last):
            return node
        made = self._made_before(node)
        if made is not None:
            lines, result = made
            before += self.lines([ast.fix_missing_locations(ast.copy_location(line, node)) for line in lines])
            return ast.copy_location(result, node)
        parts = _parts(node)
        last = max(i for i, (holder, name) in enumerate(parts) if self._has_some(_part(holder, name)))
        for i, (holder, name) in enumerate(parts[: last + 1]):
            part = self._taken(_part(holder, name), before)
            is_same = isinstance(part, ast.Constant) or (isinstance(part, ast.Name) and part.id not in self._bound)
            if i < last and not is_same and not (_is_method(node, part) and not self._bound):
                value = part.value if isinstance(part, ast.Starred) else part
                kept = self._new("value")
                before.append(_bound(kept, ast.List([part], ast.Load()) if value is not part else part))
                part = _name(kept) if value is part else ast.Starred(_name(kept), ast.Load())
            if isinstance(name, int):
                holder[name] = part
            else:
                setattr(holder, name, part)
        return node

    def _has_some(self, node: ast.expr, *, is_last: bool = False) -> bool:
        """True where a part of an expression is to be run before the rest."""
        is_called = not is_last and self._first_of(node) is not None
        return (
            is_called
            or self._is_made(node)
            or any(self._has_some(_part(holder, name)) for holder, name in _parts(node))
        )

    def _is_made(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as made, *_]) if name in self._of_python:
                is_fold, is_of_rows = name in FOLDS, is_variable(made.generators[0].iter, self._rows)
                others, is_next = [*node.args[1:], *(each.value for each in node.keywords)], name == "next"
                is_alone = len(others) == is_next == len(node.args) - 1 and (name == "sum" or len(made.generators) == 1)
                draws = self._draws(made) or (is_fold and is_of_rows)
                return draws and (is_alone or not is_fold) and all(map(_is_at_any_time, others)) and _is_loop(made)
            case ast.ListComp():
                return self._draws(node) and _is_loop(node)
            case ast.Tuple(elts=items) | ast.List(elts=items) if self._apart:
                more = [each for each in items if not isinstance(each, ast.Name | ast.Constant)]
                return len(more) > 1 and any(map(self._draws, more))
            case ast.IfExp():
                return self._draws(node) and (self._has_some(node.body) or self._has_some(node.orelse))
        return False

    def _draws(self, node: ast.AST) -> bool:
        return not self._drawn.isdisjoint(mentioned([node]))

    def _made_before(self, node: ast.expr) -> tuple[list[ast.stmt], ast.expr] | None:
        """Statements that make the value of an expression, and what it is behind them."""
        if not self._is_made(node):
            return None
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as made, *_]) if name not in FOLDS:
                lines, node.args[0] = self._loop("list", made)
                return lines, node
            case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as made, *others]):
                return self._loop(name, made, *others)
            case ast.ListComp():
                return self._loop("list", node)
            case ast.IfExp():
                kept = self._new("value")
                body, orelse = ([_bound(kept, each)] for each in (node.body, node.orelse))
                return [ast.If(node.test, body, orelse)], _name(kept)
        assert isinstance(node, ast.Tuple | ast.List), "see _is_made"
        kept = self._new("items")
        lines = [_bound(kept, ast.List([], ast.Load())), *(_put_into(kept, each) for each in node.elts)]
        return lines, type(node)([ast.Starred(_name(kept), ast.Load())], ast.Load())

    def _loop(
        self, kind: str, made: ast.GeneratorExp | ast.ListComp, default: ast.expr | None = None
    ) -> tuple[list[ast.stmt], ast.expr]:
        kept = self._new(kind)
        for i, one in enumerate(made.generators):  # each has names of its own, that no other one has
            if len(_one_after_another(one)) > 1 and isinstance(one.iter, ast.GeneratorExp):
                _rename(one.iter, f"{self._made}.{i}")
        _rename(made, str(self._made))
        made.generators = [each for one in made.generators for each in _one_after_another(one)]
        first = ast.List([], ast.Load()) if kind == "list" else default or ast.Constant(FOLDS[kind])
        body: list[ast.stmt] = [_put_into(kept, made.elt)]
        if kind == "sum":
            body = [_bound(kept, ast.BinOp(_name(kept), ast.Add(), made.elt))]
        elif kind == "next":
            body = [_bound(kept, made.elt), ast.Break()]
        elif kind != "list":
            test = made.elt if kind == "any" else ast.UnaryOp(ast.Not(), made.elt)
            body = [ast.If(test, [_bound(kept, ast.Constant(kind == "any")), ast.Break()], [])]
        for one in reversed(made.generators):
            for test in reversed(one.ifs):
                body = [ast.If(test, body, [])]
            body = [ast.For(one.target, one.iter, body, [])]
        return [_bound(kept, first), *body], _name(kept)

    def _new(self, kind: str) -> str:
        self._made += 1
        return f".{kind}{self._made}"


def _rename(made: ast.GeneratorExp | ast.ListComp, number: str) -> None:
    """Give what a comprehension binds names that nothing else has."""
    own = names_bound(one.target for one in made.generators)
    inner = [made.elt, *(part for one in made.generators for part in (one.target, *one.ifs))]
    inner += [one.iter for one in made.generators[1:]]
    for node in chain.from_iterable(map(ast.walk, inner)):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = f".{node.id}.{number}"


def _one_after_another(one: ast.comprehension) -> list[ast.comprehension]:
    """A generator that goes through what another one makes, as one that goes through that itself."""
    match one.iter:
        case ast.GeneratorExp(elt=item, generators=[first]) if _is_loop(one.iter):
            return [first, ast.comprehension(one.target, ast.Tuple([item], ast.Load()), one.ifs, 0)]
    return [one]


_FIRST: Final[dict[Any, str]] = {
    ast.If: "test",
    ast.For: "iter",
    **dict.fromkeys((ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr), "value"),
}
"""By the kind of a statement the expression that it evaluates first."""

_Part: TypeAlias = tuple[Any, str | int]


def _parts(node: ast.expr) -> list[_Part]:
    """The parts of an expression that are evaluated whatever they give, in order, by their places."""
    match node:
        case ast.Call(args=args, keywords=keywords):
            return [(node, "func"), *((args, i) for i in range(len(args))), *((each, "value") for each in keywords)]
        case ast.BinOp():
            return [(node, "left"), (node, "right")]
        case ast.Compare(comparators=others):
            return [(node, "left"), (others, 0)]
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return [(items, i) for i in range(len(items))]
        case ast.Subscript():
            return [(node, "value"), (node, "slice")]
        case ast.Attribute() | ast.Starred():
            return [(node, "value")]
        case ast.UnaryOp():
            return [(node, "operand")]
        case ast.BoolOp(values=values):
            return [(values, 0)]
        case ast.IfExp():
            return [(node, "test")]
        case ast.GeneratorExp(generators=[first, *_]) | ast.ListComp(generators=[first, *_]):
            return [(first, "iter")]
    return []


def _part(holder: Any, name: str | int) -> ast.expr:
    found: ast.expr = holder[name] if isinstance(name, int) else getattr(holder, name)
    return found


def _is_method(node: ast.expr, part: ast.expr) -> bool:
    """True for a method of a list that is called, as it may be looked up behind its arguments."""
    match part:
        case ast.Attribute(value=ast.Name(), attr=name):
            return isinstance(node, ast.Call) and node.func is part and hasattr(list, name)
    return False


def _is_at_any_time(argument: ast.expr) -> bool:
    """True for an argument that is the same where it is evaluated later."""
    match argument:
        case ast.Lambda(args=args):
            return not args.defaults and not any(args.kw_defaults)
        case ast.UnaryOp(operand=value) | value:
            return isinstance(value, ast.Constant) or (value is argument and isinstance(value, ast.Name))
    return False


def _is_loop(made: ast.GeneratorExp | ast.ListComp) -> bool:
    """True for a comprehension that is as a loop: what it binds is bound nowhere within it again."""
    every = [each for one in made.generators for each in _one_after_another(one)]
    own, kinds = names_bound(one.target for one in every), (ast.Name, ast.Tuple, ast.Store)
    is_simple = all(isinstance(each, kinds) for one in every for each in ast.walk(one.target))
    inner = [made.elt, *(each for one in every for each in one.ifs), *(one.iter for one in every[1:])]
    scopes = (each for node in inner for each in ast.walk(node) if isinstance(each, SCOPES))
    return is_simple and not _binds(made) and not any(own & names_bound([each]) for each in scopes)


def _binds(node: ast.AST) -> bool:
    return any(isinstance(each, ast.NamedExpr) for each in ast.walk(node))


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _bound(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _put_into(name: str, item: ast.expr) -> ast.stmt:
    """The statement that puts an item into a list, or items that are unpacked."""
    is_many = isinstance(item, ast.Starred)
    put = ast.Attribute(_name(name), "extend" if is_many else "append", ast.Load())
    return ItemStatement(ast.Call(put, [item.value if isinstance(item, ast.Starred) else item], []))


def names_that_draw(tree: ast.FunctionDef, draw: str) -> set[str]:
    """The variable of `draw`, and those that may hold what comes of draws."""
    found, before = {draw}, 0
    lines = [each for each in ast.walk(tree) if isinstance(each, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For)]
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)]
    while len(found) > before:
        before = len(found)
        for line in lines:
            value = line.iter if isinstance(line, ast.For) else line.value
            if value is not None and not found.isdisjoint(mentioned([value])):
                targets = line.targets if isinstance(line, ast.Assign) else [line.target]
                found |= mentioned(targets)
        for call in calls:
            if not found.isdisjoint(mentioned([*call.args, *call.keywords])):
                found |= mentioned([call.func])
        found = {name for name in found if not name.startswith(".")}  # guards
    return found


def mentioned(nodes: Iterable[ast.AST | None]) -> frozenset[str]:
    """The names that nodes mention, without those of the scopes within them."""
    found: frozenset[str] = frozenset()
    for node in nodes:
        if isinstance(node, ast.Name):
            found |= {node.id}
        elif isinstance(node, COMPREHENSIONS):
            first, own = node.generators[0].iter, {*names_bound(each.target for each in node.generators)}
            found |= mentioned([first]) | (mentioned(ast.iter_child_nodes(node)) - own)
        elif node is not None:
            own = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)} if _is_lambda(node) else set()
            found |= mentioned(ast.iter_child_nodes(node)) - own
    return found


def _is_lambda(node: ast.AST) -> TypeGuard[ast.Lambda]:
    return isinstance(node, ast.Lambda)


def is_variable(node: ast.AST, name: str | None) -> bool:
    """True for a variable of that name."""
    return isinstance(node, ast.Name) and node.id == name

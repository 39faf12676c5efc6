"""The tree of a function with guards where an operation may change what the run did not create.

Only nodes that need it are changed, so that most functions keep the code that they have. What is put in are calls of
names that begin with a dot, which no program can have.
"""

from __future__ import annotations

import ast
import heapq
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from dpverify.mechanisms.language.exact_reading import MARK
from dpverify.mechanisms.language.names import SCOPES
from dpverify.mechanisms.language.tables import CHANGING
from dpverify.mechanisms.patterns.best_so_far import mark_choices
from dpverify.mechanisms.patterns.largest import call_of_largest
from dpverify.mechanisms.patterns.last_draws import CALLED

(OWN, HOLDER, METHOD, SET, TEXT_OF, FORMATTING, MODULO, KEYS, ITEMS, STR, SIGNALS, SPEC, RIGHT) = (
    *(".own", ".holder", ".method", ".set", ".text", ".format", ".modulo", ".keys", ".items", ".str"),
    *(".signals", ".spec", ".right"),
)
(ID, KEPT_OUTSIDE, TYPE, SCALAR, FIXED, TEXTS, PLAIN_SET, GETATTR, TYPE_OF, FIELDS, REFUSED) = (
    *(".id", ".outside", ".type", ".scalar", ".fixed", ".texts", ".plain", ".getattr", ".kind"),
    *(".fields", ".refused"),
)
CHANGEABLE, DATA_TYPES = ".changeable", ".data"
_ANOTHER: Final = {"str": STR, "getattr": GETATTR, "type": TYPE_OF}
"""By meaning what a name is where it is a value, or may be anything."""
SPECIAL: Final[Mapping[int, str]] = {
    id(each): each.__name__
    for each in (
        *(list, dict, set, frozenset, tuple, sorted, len, int, float, range, enumerate, zip, map, filter, reversed),
        *(Counter, OrderedDict, defaultdict, deque, bool, str, repr, format, isinstance, issubclass, object, ascii),
        *(min, max, sum, any, all, iter, super, type, getattr, heapq, heapq.nlargest, heapq.nsmallest),
    )
}
"""Objects whose meaning a transform knows, by their identities; a name is one where it is bound to it."""

READ: Final = "a function that is read"
"""The meaning of a name that is bound to one: it has guards of its own."""

_CALL_SOMETHING: Final = {"map", "filter", "defaultdict", "sorted", "min", "max", "iter", "nlargest", "nsmallest"}
_CALL_NOTHING: Final = {READ, *SPECIAL.values()} - _CALL_SOMETHING
"""Meanings of what is called without a guard: it calls nothing that it is given, or guards it."""

_CONTAINED: Final = frozenset(
    {"list", "dict", "set", "frozenset", "tuple", "sorted", "len", "enumerate", "zip", "map", "filter", "Counter"}
    | {"OrderedDict", "deque"}
)
_CREATE: Final = _CONTAINED | {"int", "float", "range", "defaultdict", "bool", "str", "repr", "format", "ascii"}
"""Functions whose results are unchangeable, or were created by the call."""

_GO_THROUGH: Final = _CONTAINED | {"min", "max", "sum", "any", "all", "iter", "reversed"}

_CREATING: Final = (
    *(ast.Constant, ast.JoinedStr, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp),
    *(ast.GeneratorExp, ast.Lambda, ast.Compare, ast.UnaryOp),
)

_SCALARS: Final = (ast.Constant, ast.JoinedStr, ast.Compare)


def put_guards(
    tree: ast.AST, meanings: Mapping[str, str], asked: frozenset[str], within: str, flags: tuple[bool, bool]
) -> bool:
    """Put guards into the tree of a function, in place; True where there were any to put.

    `meanings` are the names that it takes from outside and that are bound to objects of `SPECIAL`, `asked` the names of
    attributes that classes of the program define, `within` the name of the class of a method. The first of `flags` says
    that what is called may be a class, or an object, whose code is the program's, the second that operators may be.
    """
    has_choices = mark_choices(tree)
    guarding = _Guarding(tree, meanings, asked, within, flags)
    guarding.visit(tree)
    return guarding.changed or has_choices


class _Guarding(ast.NodeTransformer):
    def __init__(
        self, tree: ast.AST, meanings: Mapping[str, str], asked: frozenset[str], within: str, flags: tuple[bool, bool]
    ) -> None:
        self.changed = False
        self._asked, self._within = asked, within.lstrip("_")
        self._calls, self._operators = flags
        self._bindings = _bindings(tree)
        self._meanings = {name: of for name, of in meanings.items() if name not in self._bindings}
        added = (node.target for node in ast.walk(tree) if isinstance(node, ast.AugAssign))
        self._added_to = {target.id for target in added if isinstance(target, ast.Name)}
        self._as_they_are = _types_named(tree)
        self._functions: list[_Function] = []

    # --- What is known of an expression

    def _meaning(self, node: ast.AST) -> str:
        return self._meanings.get(node.id, "") if isinstance(node, ast.Name) else ""

    def _is_bound_to(self, rule: Callable[..., bool], name: str, seen: frozenset[str]) -> bool:
        """True of an exact number, and of a name where the rule is true of all that it is bound to."""
        values = self._bindings.get(name, [None])
        return name in seen or name.startswith(MARK) or all(rule(each, seen | {name}) for each in values)

    def _is_created(self, node: ast.AST | None, seen: frozenset[str] = frozenset()) -> bool:
        """True where a value is unchangeable, or was created by the run."""
        if isinstance(node, ast.Name):
            return self._is_bound_to(self._is_created, node.id, seen)
        if isinstance(node, ast.BinOp):
            return not self._operators and (self._is_created(node.left, seen) or self._is_created(node.right, seen))
        if isinstance(node, ast.IfExp):
            return self._is_created(node.body, seen) and self._is_created(node.orelse, seen)
        if isinstance(node, ast.Call):
            is_exact = isinstance(node.func, ast.Name) and node.func.id.startswith(MARK)  # a quotient, or a power
            return is_exact or self._meaning(node.func) in _CREATE
        return isinstance(node, _CREATING) and not (self._operators and isinstance(node, ast.Compare | ast.UnaryOp))

    def _is_number(self, node: ast.AST | None, seen: frozenset[str] = frozenset()) -> bool:
        """True where a value is a number, or what comes of adding to one."""
        if isinstance(node, ast.Name):
            return self._is_bound_to(self._is_number, node.id, seen)
        if isinstance(node, ast.BinOp):
            return self._is_number(node.left, seen) and self._is_number(node.right, seen)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) or self._is_number(node.operand, seen)
        if isinstance(node, ast.Call):
            return self._meaning(node.func) in ("len", "int", "float", "bool")
        return isinstance(node, ast.Compare) or (isinstance(node, ast.Constant) and isinstance(node.value, int | float))

    # --- Guards

    def _guarded(self, guard: str, node: ast.expr, *more: ast.expr) -> ast.expr:
        self.changed = True
        return _at(ast.Call(ast.Name(guard, ast.Load()), [node, *more], []), node)

    def _looked_up(self, name: str, question: ast.expr, node: ast.Name, guard: str) -> ast.expr:
        """A variable, of which is asked first whether it may be changed; once for all for an argument in a loop.

        In the place of one that may not stands what refuses any use.
        """
        self.changed = True
        argument = self._argument_in_a_loop(node)
        if argument is None:
            return _at(ast.IfExp(question, self._guarded(guard, node), _load(node)), node)
        own = f"{name} {node.id}"
        refused = ast.Call(_name(REFUSED), [_name(guard), _load(node)], [])
        known = ast.IfExp(question, refused, _load(node))
        self._functions[-1].owned[own] = _at(ast.Assign([ast.Name(own, ast.Store())], known), argument)
        return _at(_name(own), node)

    def _argument_in_a_loop(self, node: ast.Name) -> ast.arg | None:
        function = self._functions[-1] if self._functions else None
        return function.arguments.get(node.id) if function is not None and function.loops else None

    def _own(self, node: ast.expr) -> ast.expr:
        """A value that is to be the run's: that is asked where it stands, as a call takes longer than the change."""
        if not isinstance(node, ast.Name):
            return self._guarded(OWN, node)
        return self._looked_up(KEPT_OUTSIDE, _is_outside(node), node, OWN)

    def _holder(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Name) or self._argument_in_a_loop(node) is None:
            return self._guarded(HOLDER, node)
        return self._looked_up(FIXED, ast.Call(_name(FIXED), [_load(node)], []), node, HOLDER)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Visits a function, and puts at its beginning what is asked once."""
        every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        once = (each for each in every if self._bindings[each.arg] == [None] and each.arg not in self._added_to)
        function = self._in_scope(node, {each.arg: each for each in once})
        if self._calls:
            node.decorator_list = [
                each if isinstance(each, ast.Constant) else self._guarded(CALLED, each) for each in node.decorator_list
            ]
        first = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body[first:first] = function.owned.values()
        return node

    def _in_scope(self, node: ast.AST, arguments: dict[str, ast.arg]) -> _Function:
        function = _Function(arguments)
        self._functions.append(function)
        super().generic_visit(node)
        self._functions.pop()
        return function

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visits what a node holds, in the scope and the loop that it is."""
        if isinstance(node, SCOPES):
            self._in_scope(node, {})
            return node
        loops = isinstance(node, ast.For | ast.While) and bool(self._functions)
        if loops:
            self._functions[-1].loops += 1
        super().generic_visit(node)
        if loops:
            self._functions[-1].loops -= 1
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        created = self._is_created(node.value)
        original = node.value
        if isinstance(original, ast.Name):
            self._as_they_are.add(id(original))
        node.value = self.visit(node.value)
        if not isinstance(node.ctx, ast.Load):
            node.value = self._holder(node.value)
            return node
        attribute = node.attr
        if self._within and attribute.startswith("__") and not attribute.endswith("__"):
            attribute = f"_{self._within}{attribute}"
        if attribute in self._asked:
            guarded = self._guarded(METHOD, node.value, ast.Constant(attribute))
            if isinstance(original, ast.Name) and not attribute.startswith("__") and attribute not in CHANGING:
                kind = ast.Call(_name(TYPE), [_load(original)], [])  # most often one of many rows
                plain = ast.Attribute(_load(original), node.attr, ast.Load())
                return _at(ast.IfExp(ast.Compare(kind, [ast.In()], [_name(FIELDS)]), plain, guarded), node)
            return guarded
        if node.attr in CHANGING and not created:
            node.value = self._own(node.value)
        elif node.attr in ("keys", "items") and id(node) not in self._as_they_are:
            return self._guarded(KEYS if node.attr == "keys" else ITEMS, node.value)
        elif node.attr == "format" and id(node) not in self._as_they_are:
            return self._guarded(FORMATTING, node.value)
        return node

    def _of_largest(self, node: Any) -> ast.Call | None:
        """A call that takes the largest of several numbers, or the smallest, as one of a guard; see `patterns`."""
        guard = call_of_largest(node, self._meanings)
        if guard is None:
            return None
        for each in node.args:
            self._goes_through(each)
        self._as_they_are.add(id(node.func))
        self.generic_visit(node)
        for keyword in node.keywords if self._calls else ():
            if keyword.arg == "key":
                keyword.value = self._guarded(CALLED, keyword.value)
        self.changed = True
        return _at(ast.Call(_name(guard), [node.func, *node.args], node.keywords), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        is_sorted = isinstance(node.value, ast.Call) and self._meaning(node.value.func) == "sorted"
        if is_sorted and (in_order := self._of_largest(node.value)) is not None:
            node.value, node.slice = in_order, self.visit(node.slice)
            return node
        created = self._is_created(node.value)
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) and not created:
            node.value = self._own(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """A value that is added to in place is to be one of the run: it is looked at before."""
        before: list[ast.stmt] = []
        target, multiplies = node.target, isinstance(node.op, ast.Mult)
        changeable = multiplies or not self._is_number(node.value)
        is_text = isinstance(node.op, ast.Mod) and not self._is_number(node.value)
        if isinstance(target, ast.Name):
            if changeable and not self._is_created(target):
                name = _at(_name(target.id), target)
                before.append(_looked_at(_at(ast.IfExp(_is_outside(name), self._guarded(OWN, name), name), name)))
        elif changeable:
            target.value = self._kept(target.value, before)
            if isinstance(target, ast.Subscript):
                target.slice = self._kept(target.slice, before)
                looked: ast.expr = ast.Subscript(target.value, target.slice, ast.Load())
            else:
                looked = ast.Attribute(target.value, target.attr, ast.Load())
            asked = self._guarded(OWN, self.visit(_at(looked, target)))
            if isinstance(node.value, ast.Name) and not multiplies:  # a number is added to no container in place
                kind = ast.Call(_name(TYPE), [_load(node.value)], [])
                asked = _at(ast.BoolOp(ast.Or(), [ast.Compare(kind, [ast.In()], [_name(SCALAR)]), asked]), target)
            before.append(_looked_at(asked))
        loaded = self.visit(_loaded(target))
        node.target = self.visit(target)
        node.value = self.visit(node.value)
        if is_text:
            node.value = self._guarded(RIGHT, loaded, node.value)
        return [*before, node] if before else node

    def _kept(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """A name or constant with the value of an expression, which is computed once."""
        if isinstance(node, ast.Name | ast.Constant):
            return node
        name = f".{len(self._bindings)}"
        self._bindings[name] = [node]
        value = self.visit(node)
        before.append(_at(ast.Assign([_at(ast.Name(name, ast.Store()), node)], value), node))
        return _at(ast.Name(name, ast.Load()), node)

    def visit_Set(self, node: ast.Set) -> ast.expr:
        if id(node) in self._as_they_are:
            return node
        self.generic_visit(node)
        return self._guarded(SET, _at(ast.List(node.elts, ast.Load()), node))

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        self.generic_visit(node)
        return self._guarded(SET, _at(ast.ListComp(node.elt, node.generators), node))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self._as_they_are.update(id(each) for each in (node.left, *node.comparators) if isinstance(each, ast.Set))
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.In | ast.NotIn):
                self._goes_through(right)
                if isinstance(right, ast.Set) and all(isinstance(each, ast.Constant) for each in right.elts):
                    self._as_they_are.add(id(right))
        return self.generic_visit(node)  # type: ignore[return-value]

    def _goes_through(self, node: ast.expr) -> None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            self._as_they_are.add(id(node.func))

    def visit_For(self, node: ast.For | ast.comprehension) -> ast.AST:
        self._goes_through(node.iter)
        return self.generic_visit(node)

    visit_comprehension = visit_For

    def visit_Call(self, node: ast.Call) -> ast.expr:
        of_largest = self._of_largest(node)
        if of_largest is not None:
            is_list = self._meaning(node.func) != "sorted"
            return of_largest if is_list else _at(ast.Subscript(of_largest, ast.Slice(), ast.Load()), node)
        meaning = self._meaning(node.func)
        inner = node.args[0] if meaning == "len" and node.args else None
        if isinstance(inner, ast.Call) and self._meaning(inner.func) in ("set", "frozenset"):
            inner.func = _at(_name(PLAIN_SET), inner.func)  # whose order does not matter
            self.changed = True
        if meaning in _GO_THROUGH and (meaning not in ("min", "max", "sum") or len(node.args) == 1):
            for each in node.args:
                self._goes_through(each)
        if meaning in ("isinstance", "issubclass"):
            self._as_they_are.update(id(name) for name in ast.walk(node) if isinstance(name, ast.Name))
        if meaning == "str" and node.args and not isinstance(node.args[0], _SCALARS):
            self._as_they_are.add(id(node.func))
            self.generic_visit(node)
            node.args[0] = self._guarded(TEXT_OF, node.args[0])
            return node
        is_asked = any(isinstance(each, ast.Constant) and each.value in self._asked for each in node.args)
        is_other = meaning == "type" or (meaning == "getattr" and is_asked)
        if isinstance(node.func, ast.Name) and not is_other:
            self._as_they_are.add(id(node.func))
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            text = node.func.value
            plain = isinstance(text, ast.Constant) and ":" not in str(text.value) and not node.keywords
            if plain and all(isinstance(each, _SCALARS) for each in node.args):
                self._as_they_are.add(id(node.func))
        is_plain, is_method = self._is_plain_callee(node.func), isinstance(node.func, ast.Attribute)
        self.generic_visit(node)
        if self._calls and not is_plain and meaning not in _CALL_NOTHING:
            node.func = self._guarded(CALLED, node.func)
        elif is_method and isinstance(node.func, ast.IfExp) and not node.keywords and all(map(_is_simple, node.args)):
            known, again = node.func, deepcopy(node)  # a method is called faster where it is looked up
            node.func, again.func = known.body, known.orelse
            return _at(ast.IfExp(known.test, node, again), node)
        return node

    def _is_plain_callee(self, node: ast.expr) -> bool:
        """True for what was put in, and methods of what the run created, but `sort`, which calls its key."""
        if isinstance(node, ast.Name):
            return node.id.startswith((".", MARK))
        if not isinstance(node, ast.Attribute):
            return False
        return node.attr in _OF_BUILTINS - {"sort"} and self._is_created(node.value)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        meaning = self._meaning(node)
        if meaning in _ANOTHER and id(node) not in self._as_they_are:
            self.changed = True
            return _at(ast.Name(_ANOTHER[meaning], ast.Load()), node)
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.value, _SCALARS):
            node.value = self._guarded(TEXT_OF, node.value)
        parts = getattr(node.format_spec, "values", ())  # Python 3.12 ends one that is computed in an empty text
        last = next((each for each in reversed(parts) if getattr(each, "value", None) != ""), None)
        if isinstance(last, ast.FormattedValue):
            last.value = self._guarded(SPEC, last.value)
        elif isinstance(last, ast.Constant) and str(last.value).endswith("n"):
            node.value = self._guarded(SPEC, ast.Constant(last.value))
        return node

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> ast.AST:
        """An import, of which the compiled form has the values."""
        self.changed = True
        return node

    visit_ImportFrom = visit_Import  # noqa: N815  # the name of the node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """An error by which this library refuses, or cannot decide, is caught by no handler of the program."""
        self.generic_visit(node)
        if node.handlers:
            first = node.handlers[0]
            again = ast.ExceptHandler(_name(SIGNALS), None, [_at(ast.Raise(None, None), first)])
            node.handlers.insert(0, _at(again, first))
            self.changed = True
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and not self._is_number(node.right) and not self._is_number(node.left):
            guarded = self._guarded(MODULO, node.left, node.right)
            if isinstance(node.left, ast.Name):  # most often a number
                kind = ast.Call(_name(TYPE), [_load(node.left)], [])
                return _at(ast.IfExp(ast.Compare(kind, [ast.In()], [_name(TEXTS)]), guarded, deepcopy(node)), node)
            return guarded
        return node


def _is_simple(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Constant)


def _is_outside(node: ast.Name) -> ast.expr:
    """A question whether a variable is from outside: no container is where no data is, which is faster to ask."""
    kind = ast.Compare(ast.Call(_name(TYPE), [_load(node)], []), [ast.NotIn()], [_name(DATA_TYPES)])
    known = ast.Compare(ast.Call(_name(ID), [_load(node)], []), [ast.In()], [_name(KEPT_OUTSIDE)])
    return ast.BoolOp(ast.And(), [ast.BoolOp(ast.Or(), [_name(CHANGEABLE), kind]), known])


def _types_named(tree: ast.AST) -> set[int]:
    """The nodes that name types: in annotations, bases, `except` and patterns of classes."""
    results: set[int] = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns", "bases", "decorator_list", "type", "cls"):
            held = getattr(node, name, None)
            for each in held if isinstance(held, list) else [held]:
                results.update(map(id, ast.walk(each)) if isinstance(each, ast.AST) else ())
    return results


def _bindings(tree: ast.AST) -> dict[str, list[ast.expr | None]]:
    """By each name that a tree binds, wherever, the values that it is bound to; None for one that is not known."""
    bindings: dict[str, list[ast.expr | None]] = {}
    valued: set[int] = set()
    for node in ast.walk(tree):  # a statement comes before its names
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and node.value is not None:
                    bindings.setdefault(target.id, []).append(node.value)
                    valued.add(id(target))
        elif isinstance(node, ast.AugAssign):
            valued.add(id(node.target))
        elif id(node) not in valued:
            for name in _bound_by(node):
                bindings.setdefault(name, []).append(None)
    return bindings


def _bound_by(node: ast.AST) -> list[str]:
    """The names that a node binds itself to what is not known."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.Global | ast.Nonlocal):
        return node.names
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).partition(".")[0]]
    names = (getattr(node, each, None) for each in ("arg", "name", "rest"))
    return [name for name in names if isinstance(name, str) and not isinstance(node, ast.keyword)]


_OF_BUILTINS: Final = frozenset(
    name for kind in (list, dict, set, tuple, str, int, range, deque, Counter) for name in vars(kind)
)


_Node = TypeVar("_Node", bound=ast.AST)


@dataclass
class _Function:
    """A function that is visited."""

    arguments: dict[str, ast.arg]
    """Those that are bound once."""
    loops: int = 0
    """The loops around."""
    owned: dict[str, ast.stmt] = field(default_factory=dict)
    """Assignments that are made before all else, by the name that they bind."""


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _load(node: ast.Name) -> ast.Name:
    return _at(_name(node.id), node)


def _loaded(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    """The value of the target of an assignment."""
    loaded = deepcopy(target)
    loaded.ctx = ast.Load()
    return loaded


def _looked_at(node: ast.expr) -> ast.stmt:
    return _at(ast.Expr(node), node)


def _at(node: _Node, where: ast.AST) -> _Node:
    """A node that was put in, at the place of another one."""
    return ast.fix_missing_locations(ast.copy_location(node, where))

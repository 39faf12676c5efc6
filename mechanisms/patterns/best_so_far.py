"""Loops that keep the best so far of several numbers, on the tree of a function.

    for i, score in enumerate(scores):                          for i in range(1, len(noisy)):
        number = score + draw(…)                                    if noisy[i] > noisy[best]:
        if best is None or number > best:                               best = i
            best, place = number, i

Where a number is better, variables are assigned from others, and nothing else is done. In the loop they are read only
where the best so far is compared, or asked for whether it is None. So the comparison may leave them as they were, and
note the number with what would be assigned: behind the loop that is assigned of the best of all, as `largest.py` says.
Numbers without noise are compared as they are written, until the best so far is noisy.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from dpverify.mechanisms.path_conditions.expressions import FLIPPED, NEGATED, Comparator
from dpverify.mechanisms.patterns.largest import ASKED_TYPE, NOISE, NOTED, WON
from dpverify.mechanisms.patterns.last_draws import SEEING_ALL

_RELATIONS: Final[Mapping[type[ast.cmpop], Comparator]] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_SCOPES: Final = (ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.GeneratorExp)
_OTHERS: Final = (ast.Try, ast.Match, ast.Import, ast.ImportFrom, ast.Delete, ast.FunctionDef, ast.ClassDef)
"""Statements that no such loop has in it."""
_QUIET: Final = (ast.If, ast.Assign, ast.Continue, ast.Break, ast.Pass, ast.Name, ast.Constant, ast.Tuple, ast.Compare)
_QUIET_TOO: Final = (ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.IfExp, ast.Subscript, ast.expr_context)
_OPERATORS: Final = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
"""Nodes that run no code of another place, as a property or a generator would, and change no list in place."""


def mark_loops(tree: ast.AST, meanings: Mapping[str, str]) -> bool:
    """Put into the loops of a function that keep the best so far what notes it, in place; True where there are some."""
    marking = _Marking(meanings)
    marking.visit(tree)
    return marking.count > 0


class _Marking(ast.NodeTransformer):
    def __init__(self, meanings: Mapping[str, str]) -> None:
        self.count = 0
        self._meanings = meanings
        self._seen: set[str] = set()
        """Variables that code of their own sees, or all where the function may."""
        self._arguments: set[str] = set()
        self._is_open = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Visits a function by itself."""
        outer = self._seen, self._arguments, self._is_open
        inner = [each for each in ast.walk(node) if isinstance(each, _SCOPES) and each is not node]
        self._seen = {each.id for one in inner for each in ast.walk(one) if isinstance(each, ast.Name)}
        self._arguments = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        own = (
            each for each in ast.walk(node) if isinstance(each, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal)
        )
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        self._is_open = next(own, None) is None and names.isdisjoint(SEEING_ALL)
        super().generic_visit(node)
        self._seen, self._arguments, self._is_open = outer
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """Leaves what is handled as it is: there the loop may end before what is kept is assigned."""
        return node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        super().generic_visit(node)
        if not self._is_open or node.orelse or any(isinstance(each, _OTHERS) for each in ast.walk(node)):
            return node
        for place in range(len(node.body)):
            loop = self._loop(node, place)
            if loop is not None:
                return self._marked(node, loop)
        return node

    def _loop(self, node: ast.For, place: int) -> _Loop | None:
        line = node.body[place]
        if not isinstance(line, ast.If) or line.orelse:
            return None
        compared, asks, is_or = _parts_of(line.test)
        is_taken = not isinstance(line.body[0], ast.Continue)
        if compared is None or is_or is not (None if asks is None else is_taken):
            return None
        body = line.body if is_taken else node.body[place + 1 :]
        kept = _kept(body)
        if not kept or not kept.keys().isdisjoint(_names_of(kept.values())):
            return None
        relation = _RELATIONS.get(type(compared.ops[0]))
        left, right = _operand(compared.left), _operand(compared.comparators[0])
        if relation is None or left is None or right is None or (left[-1] in kept) is (right[-1] in kept):
            return None
        best, new = (left, right) if left[-1] in kept else (right, left)
        of_best = kept[best[-1]]
        if new[:-1] != best[:-1] or not isinstance(of_best, ast.Name) or of_best.id != new[-1]:
            return None
        if best[:-1] and not self._is_quiet(node, best[0]):
            return None
        if asks is not None and (asks.id not in kept or len(best) > 1 or asks.id != best[0]):
            return None
        reads = sum(_is_named(each, kept, ast.Load) for each in ast.walk(node))
        stores = sum(_is_named(each, kept, ast.Store) for each in ast.walk(node))
        if reads != 1 + (asks is not None) or stores != len(kept) or kept.keys() & self._seen:
            return None
        assigned = [target for each in node.body[:place] if isinstance(each, ast.Assign) for target in each.targets]
        targets = [each for one in (node.target, *assigned) for each in ast.walk(one)]
        if not _names_of(kept.values()) <= _names_of(targets) | self._arguments:
            return None
        relation = FLIPPED[relation] if best == left else relation
        relation = relation if is_taken else NEGATED[relation]
        new_node, best_node = (
            (compared.comparators[0], compared.left) if best == left else (compared.left, compared.comparators[0])
        )
        return _Loop(line, compared, new_node, best_node, kept, relation, is_taken, body[0])

    def _is_quiet(self, node: ast.For, numbers: str) -> bool:
        """True where a loop over a range runs no other code, and stores into nothing: lists stay what they are."""
        call = node.iter.func if isinstance(node.iter, ast.Call) else None
        inside = [each for line in node.body for each in ast.walk(line)]
        is_range = isinstance(call, ast.Name) and self._meanings.get(call.id) == "range"
        return is_range and not any(
            not isinstance(each, (*_QUIET, *_QUIET_TOO, *_OPERATORS))
            or isinstance(each, ast.In | ast.NotIn)
            or (isinstance(each, ast.Subscript) and not isinstance(each.ctx, ast.Load))
            or _is_named(each, {numbers: None}, ast.Store)
            or (isinstance(each, ast.Assign) and not isinstance(each.value, ast.Tuple) and _takes_apart(each))
            for each in inside
        )

    def _marked(self, node: ast.For, loop: _Loop) -> list[ast.stmt]:
        self.count += 1
        notes, won = f".noted{self.count}", f".won{self.count}"
        values = ast.Tuple([*loop.kept.values()], ast.Load())
        noted = ast.NamedExpr(
            ast.Name(notes, ast.Store()),
            ast.Call(_name(NOTED), [_name(notes), loop.new, loop.best, values], []),
        )
        kind = ast.Compare(ast.Call(_name(ASKED_TYPE), [loop.new], []), [ast.Is()], [_name(NOISE)])
        is_noted = ast.BoolOp(ast.And(), [ast.BoolOp(ast.Or(), [_name(notes), kind]), noted])
        answer = ast.IfExp(is_noted, ast.Constant(not loop.is_taken), loop.compared)
        _Replacing(loop.compared, answer).visit(loop.line)
        begun = ast.Assign([ast.Name(notes, ast.Store())], ast.Constant(None))
        asked = ast.NamedExpr(
            ast.Name(won, ast.Store()), ast.Call(_name(WON), [_name(notes), ast.Constant(loop.relation)], [])
        )
        targets = ast.Tuple([ast.Name(name, ast.Store()) for name in loop.kept], ast.Store())
        kept = ast.copy_location(ast.Assign([targets], _name(won)), loop.first)
        ended = ast.If(ast.BoolOp(ast.And(), [_name(notes), asked]), [kept], [])
        lines: list[ast.stmt] = [ast.copy_location(begun, node), node, ast.copy_location(ended, loop.line)]
        return [ast.fix_missing_locations(line) for line in lines]


class _Loop(NamedTuple):
    """A loop that keeps the best so far, at its comparison."""

    line: ast.If
    compared: ast.Compare
    new: ast.expr
    best: ast.expr
    kept: Mapping[str, ast.expr]
    """Variable → what it is assigned from where a number is better."""
    relation: Comparator
    """The relation in which a number that takes the place stands to the best so far."""
    is_taken: bool
    """True where it takes the place if the comparison holds."""
    first: ast.stmt
    """The first statement that assigns."""


class _Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, ast.copy_location(new, old)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return self._new if node is self._old else node


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _parts_of(test: ast.expr) -> tuple[ast.Compare | None, ast.Name | None, bool | None]:
    """The comparison of a test, the variable that it asks first for whether it is None, and whether that is enough."""
    match test:
        case ast.Compare(ops=[_], comparators=[_]):
            return test, None, None
        case ast.BoolOp(
            values=[ast.Compare(left=ast.Name() as asks, ops=[op], comparators=[ast.Constant(value=None)]), compared]
        ) if isinstance(compared, ast.Compare) and len(compared.ops) == 1:
            is_or = isinstance(test.op, ast.Or)
            if isinstance(op, ast.Is if is_or else ast.IsNot):
                return compared, asks, is_or
    return None, None, None


def _kept(body: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """Variable → what it is assigned from, where nothing else is done; empty for other code."""
    kept: dict[str, ast.expr] = {}
    for line in body:
        if not isinstance(line, ast.Assign):
            return {}
        for target in line.targets:
            pairs = (
                zip(target.elts, line.value.elts, strict=False)
                if isinstance(target, ast.Tuple)
                and isinstance(line.value, ast.Tuple)
                and len(target.elts) == len(line.value.elts)
                else [(target, line.value)]
            )
            for each, value in pairs:
                if not isinstance(each, ast.Name) or not isinstance(value, ast.Name | ast.Constant) or each.id in kept:
                    return {}
                kept[each.id] = value
    return kept


def _names_of(nodes: Iterable[ast.AST]) -> set[str]:
    return {each.id for each in nodes if isinstance(each, ast.Name)}


def _operand(node: ast.expr) -> tuple[str, ...] | None:
    """A variable, or a list and the variable that is the index."""
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=index)):
            return name, index
    return None


def _takes_apart(node: ast.Assign) -> bool:
    """True where a value is taken apart, as what a generator yields."""
    return any(isinstance(target, ast.Tuple) for target in node.targets)


def _is_named(node: ast.AST, kept: Mapping[str, object], use: type[ast.expr_context]) -> bool:
    return isinstance(node, ast.Name) and node.id in kept and isinstance(node.ctx, use)

"""Comparisons that choose what some variables are: they wait until one of these is read.

    for i, score in enumerate(scores):                          while i < len(noisy):
        number = score + draw(…)                                    if noisy[i] > noisy[best]:
        if best is None or number > best:                               best = i
            best, place = number, i                                 i += 1

Where a number is better, variables are assigned from others, and nothing else is done. So the comparison may leave them
as they were, and note the number with what would be assigned. Before a statement that mentions one of them that is
assigned of the best of all that were noted, as `largest.py` says. Numbers without noise are compared as they are
written, and so are those of a list that is another one, or holds others, than when they were noted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.path_conditions.expressions import FLIPPED, NEGATED, Comparator
from dpverify.mechanisms.patterns.largest import ASKED_TYPE, MOVED, NOISE, NOTED, WON
from dpverify.mechanisms.patterns.last_draws import SEEING_ALL

_RELATIONS: Final[Mapping[type[ast.cmpop], Comparator]] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_SCOPES: Final = (ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.GeneratorExp)
_SEEN_ELSEWHERE: Final = (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)


def mark_choices(tree: ast.AST) -> bool:
    """Put into functions what notes such comparisons, and what asks for them, in place; True where there are some."""
    return sum(_mark(each) for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)) > 0


def _mark(function: ast.FunctionDef) -> int:
    every = [*ast.walk(function)]
    if any(isinstance(each, _SEEN_ELSEWHERE) for each in every) or not SEEING_ALL.isdisjoint(_names_of(every)):
        return 0
    inner = (each for each in every if isinstance(each, _SCOPES) and each is not function)
    elsewhere = _names_of(each for one in inner for each in ast.walk(one))
    elsewhere |= {str(getattr(each, name, "")) for each in every for name in ("name", "rest", "asname")}
    for each in every:  # what is bound, or read, before each round
        head = each.target if isinstance(each, ast.For) else each.test if isinstance(each, ast.While) else None
        elsewhere |= set() if head is None else _names_of(ast.walk(head))
    found = [
        _choice(body[place:], is_round=name == "body" and isinstance(each, ast.For | ast.While))
        for each in every
        for name, body in ast.iter_fields(each)
        for place in range(len(body) if name in ("body", "orelse", "finalbody") and isinstance(body, list) else 0)
    ]
    choices = [each for each in found if each is not None and elsewhere.isdisjoint(each.kept)]
    for i, choice in enumerate(choices):
        _Waiting(choice, f".noted{i}", f".won{i}").put_into(function)
    return len(choices)


class _Choice(NamedTuple):
    """A comparison that chooses what some variables are."""

    line: ast.If
    compared: ast.Compare
    sides: Sequence[ast.expr]
    """The number that is compared, and the best so far."""
    kept: Mapping[str, ast.expr]
    """Variable → what it is assigned from where a number is better; that, or its index, is in one `place`."""
    place: int
    relation: Comparator
    """The relation in which a number that takes the place stands to the best so far."""
    is_taken: bool
    """True where it takes the place if the comparison holds."""


def _choice(body: Sequence[ast.stmt], *, is_round: bool) -> _Choice | None:
    line, *rest = body
    if not isinstance(line, ast.If) or line.orelse:
        return None
    is_taken = not (is_round and isinstance(line.body[0], ast.Continue))
    compared, asks = _parts_of(line.test, ast.Or if is_taken else ast.And)
    kept = _kept(line.body if is_taken else rest)
    relation = None if compared is None else _RELATIONS.get(type(compared.ops[0]))
    if compared is None or relation is None or not kept.keys().isdisjoint(_names_of(kept.values())):
        return None
    sides = [compared.left, compared.comparators[0]]
    if _operand(sides[0])[-1] in kept:
        relation, sides = FLIPPED[relation], sides[::-1]
    new, best = map(_operand, sides)
    of_best = kept.get(best[-1])
    is_so = isinstance(of_best, ast.Name) and new == (*best[:-1], of_best.id) and kept.keys().isdisjoint(new)
    if not is_so or (asks is not None and best != (asks,)):
        return None
    relation = relation if is_taken else NEGATED[relation]
    return _Choice(line, compared, sides, kept, [*kept].index(best[-1]), relation, is_taken)


class _Waiting(ast.NodeTransformer):
    """Puts into a function what notes a comparison, and what asks for the best before variables are mentioned."""

    def __init__(self, choice: _Choice, notes: str, won: str) -> None:
        self._choice, self._notes, self._won = choice, notes, won

    def _asked(self, where: ast.stmt, *when: ast.expr) -> ast.stmt:
        kept = ast.Tuple([ast.Name(name, ast.Store()) for name in self._choice.kept], ast.Store())
        asked = ast.Call(_name(WON), [_name(self._notes), ast.Constant(self._choice.relation)], [])
        test = [_name(self._notes), *when, ast.NamedExpr(ast.Name(self._won, ast.Store()), asked)]
        asking = ast.If(ast.BoolOp(ast.And(), test), [ast.Assign([kept], _name(self._won))], [])
        return ast.fix_missing_locations(ast.copy_location(asking, where))

    def put_into(self, function: ast.FunctionDef) -> None:
        """Put it into a function."""
        self.generic_visit(function)
        begun = ast.copy_location(
            ast.Assign([ast.Name(self._notes, ast.Store())], ast.Constant(None)), function.body[0]
        )
        function.body.insert(ast.get_docstring(function, clean=False) is not None, ast.fix_missing_locations(begun))

    def visit(self, node: ast.AST) -> Any:
        """Visits a statement, and what is in it."""
        if node is self._choice.line:
            return self._marked()
        if not isinstance(node, ast.stmt):
            return self.generic_visit(node) if isinstance(node, ast.ExceptHandler | ast.match_case) else node
        is_asked = not self._choice.kept.keys().isdisjoint(_names_of(_heads(node)))
        self.generic_visit(node)
        return [self._asked(node), node] if is_asked else node

    def _marked(self) -> list[ast.stmt]:
        line, compared, (new, best), kept, place, _, is_taken = self._choice
        notes, values = self._notes, ast.Tuple([*kept.values()], ast.Load())
        told = ast.Call(_name(NOTED), [_name(notes), new, best, values], [])
        noted = ast.NamedExpr(ast.Name(notes, ast.Store()), told)
        kind = ast.Compare(ast.Call(_name(ASKED_TYPE), [new], []), [ast.Is()], [_name(NOISE)])
        is_noted = ast.BoolOp(ast.And(), [ast.BoolOp(ast.Or(), [_name(notes), kind]), noted])
        answer = ast.IfExp(is_noted, ast.Constant(not is_taken), compared)
        if isinstance(line.test, ast.BoolOp):
            line.test.values[1] = answer
        else:
            line.test = answer
        among = [best.value, best.slice, ast.Constant(place)] if isinstance(best, ast.Subscript) else []
        asked = self._asked(line, ast.Call(_name(MOVED), [_name(notes), new, *among], []))
        return [asked, ast.fix_missing_locations(line)]


def _heads(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement that belong to no statement within it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            yield child
            yield from _heads(child)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _parts_of(test: ast.expr, operator: type[ast.boolop]) -> tuple[ast.Compare | None, str | None]:
    """The comparison of a test, and the variable that it asks first for whether it is None, by the operator."""
    match test:
        case ast.Compare(ops=[_]):
            return test, None
        case ast.BoolOp(
            values=[ast.Compare(ast.Name(asks), [op], [ast.Constant(None)]), ast.Compare(ops=[_]) as compared]
        ):
            if isinstance(test.op, operator) and isinstance(op, ast.Is if operator is ast.Or else ast.IsNot):
                return compared, asks
    return None, None


def _kept(body: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """Variable → what it is assigned from, where nothing else is done; empty for other code."""
    kept: dict[str, ast.expr] = {}
    for line in body:
        if not isinstance(line, ast.Assign):
            return {}
        for target in line.targets:
            both = [one.elts if isinstance(one, ast.Tuple) else [one] for one in (target, line.value)]
            if type(target) is not type(line.value) is ast.Tuple or len(both[0]) != len(both[1]):
                return {}
            for each, value in zip(*both, strict=True):
                if not isinstance(each, ast.Name) or not isinstance(value, ast.Name | ast.Constant) or each.id in kept:
                    return {}
                kept[each.id] = value
    return kept


def _names_of(nodes: Iterable[ast.AST]) -> set[str]:
    return {each.id for each in nodes if isinstance(each, ast.Name)}


def _operand(node: ast.expr) -> tuple[str, ...]:
    """A variable, or a list and the variable that is the index; of all else no name."""
    match node:
        case ast.Name(name):
            return (name,)
        case ast.Subscript(ast.Name(name), ast.Name(index)):
            return name, index
    return ("",)

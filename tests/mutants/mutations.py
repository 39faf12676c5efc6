"""Small mistakes in Python source: each changes one expression or statement, at its place in the text."""

import ast
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Mutation:
    """One change of a source: where it is, what stands there and what is put in its place."""

    scope: str
    """The qualified name of the function or class that it is in, empty at module level."""
    line: int
    statement: range
    """The lines of the statement that it is in, without what the statement holds as its body."""
    start: int
    end: int
    """Where the text that is replaced begins and ends, in bytes."""
    old: str
    new: str
    occurrence: int
    """The how many-th of equal changes of its scope it is."""

    def of(self, source: str) -> str:
        """The source with the change."""
        text = source.encode()
        return (text[: self.start] + self.new.encode() + text[self.end :]).decode()

    def rank(self, seed: int) -> bytes:
        """What mutations are sampled by: it stays the same when other code changes, or its function moves elsewhere."""
        return hashlib.sha256(repr((seed, self.scope, self.old, self.new, self.occurrence)).encode()).digest()

    def __str__(self) -> str:
        return f"{_on_one_line(self.old)}  →  {_on_one_line(self.new)}"


def mutations(source: str) -> Iterator[Mutation]:
    """All mutations of a module, in no order that matters."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    text = source.encode()
    seen: dict[tuple[str, str, str], int] = {}
    for scope, statement, node, mutant in _changed(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        old, new = text[start:end].decode(), ast.unparse(mutant)
        if isinstance(mutant, ast.expr):
            new = f"({new})"
        key = scope, old, new
        seen[key] = seen.get(key, 0) + 1
        yield Mutation(scope, node.lineno, statement, start, end, old, new, seen[key])


_Place = ast.expr | ast.stmt


_Found = tuple[str, range, _Place, _Place]


def _changed(tree: ast.AST) -> list[_Found]:
    """What is changed of a module, in which scope and statement and to what: no text, no annotation, no assertion."""
    found: list[_Found] = []

    def look(node: ast.AST, scope: str, statement: range) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            scope = f"{scope}.{node.name}" if scope else node.name
        if isinstance(node, ast.stmt):
            statement = _own_lines(node)
        if isinstance(node, _MAY_CHANGE):
            found.extend((scope, statement, place, mutant) for change in _CHANGES for place, mutant in change(node))
        for name in node._fields:
            if name in _LEFT_OUT:
                continue
            value = getattr(node, name, None)
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.AST) and not isinstance(child, _NOT_ENTERED):
                    look(child, scope, statement)

    look(tree, "", range(1))
    return found


_LEFT_OUT: Final = frozenset({"annotation", "returns", "decorator_list", "bases"})

_NOT_ENTERED: Final = (
    *(ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom),
    *(ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop),  # which hold nothing
)

_MAY_CHANGE: Final = (
    *(ast.Compare, ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.IfExp, ast.Call, ast.Constant),
    *(ast.If, ast.While, ast.For, ast.comprehension, ast.Raise, ast.AugAssign, ast.Expr),
    *(ast.Continue, ast.Break, ast.Return),
)
"""The types of nodes that any of `_CHANGES` changes."""


def _own_lines(statement: ast.stmt) -> range:
    """The lines of a statement up to its body, if it has one."""
    last = statement.end_lineno or statement.lineno
    if isinstance(statement, ast.Match):
        last = statement.subject.end_lineno or statement.lineno
    elif body := getattr(statement, "body", []):
        last = max(statement.lineno, body[0].lineno - 1)
    return range(statement.lineno, last + 1)


_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}

_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
}

_FUNCTIONS: Final = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "reversed": "list"}

_Changes = Iterator[tuple[_Place, ast.expr | ast.stmt]]


def _expressions(node: ast.AST) -> _Changes:
    """Another comparison, another operator, another function, a sign or `not` dropped, the branches turned round."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for i, op in enumerate(ops):
                yield node, ast.Compare(left, [*ops[:i], _COMPARISONS[type(op)](), *ops[i + 1 :]], comparators)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            yield node, ast.BinOp(left, _OPERATORS[type(op)](), right)
        case ast.BoolOp(op=op, values=values):
            yield node, ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield node, operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield node, ast.IfExp(test, orelse, body)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in _FUNCTIONS and args:
            yield node, ast.Call(ast.Name(_FUNCTIONS[name]), args, [] if _FUNCTIONS[name] == "list" else keywords)


def _constants(node: ast.AST) -> _Changes:
    """A number one larger, a truth value turned round."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield node, ast.Constant(not node.value)
        elif isinstance(node.value, int):
            yield node, ast.Constant(node.value + 1)


def _statements(node: ast.AST) -> _Changes:
    """A statement dropped, a condition that never or always holds, a loop without its first round or left early."""
    match node:
        case ast.If(test=test) | ast.While(test=test):
            yield test, ast.Constant(False)
            if isinstance(node, ast.If):
                yield test, ast.Constant(True)
        case ast.For(iter=sequence) | ast.comprehension(iter=sequence):
            rest = ast.Slice(ast.Constant(1), None, None)
            yield sequence, ast.Subscript(ast.Call(ast.Name("list"), [sequence], []), rest)
        case ast.Raise() | ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield node, ast.Pass()
        case ast.Continue():
            yield node, ast.Break()
        case ast.Break():
            yield node, ast.Continue()
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield node, ast.Return(None)


_CHANGES: Final[tuple[Callable[[ast.AST], _Changes], ...]] = (_expressions, _constants, _statements)


def _on_one_line(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= 100 else shown[:97] + "…"

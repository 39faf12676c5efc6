"""The ways in which people break mechanisms: each operator says what it makes of a place, if it applies there."""

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from dpverify.verifiers.auditing.mutation.changes import Operator, TextChange, edits_of, statement_change
from dpverify.verifiers.auditing.mutation.data_operators import (
    early_exit,
    in_a_threshold,
    returned_instead,
    returned_too,
    value_for_index,
)
from dpverify.verifiers.auditing.mutation.mutant_calls import CALL_HALF
from dpverify.verifiers.auditing.mutation.mutation import Edit, Mutation, SyntaxScope
from dpverify.verifiers.auditing.mutation.noise_operators import dropped, hoisted, is_noise, redrawn, reused
from dpverify.verifiers.auditing.mutation.number_operators import count_off, factor_left_out, late_stop, tenth_off
from dpverify.verifiers.auditing.mutation.places import BUDGET, SyntaxPlace, Text, is_named, nodes_in


def _is_budget(node: ast.AST) -> bool:
    return is_named(node, *BUDGET)


def spent_twice(place: SyntaxPlace) -> Iterator[TextChange]:
    """Twice the ε, or the δ."""
    node = place.node
    if isinstance(node, ast.Name | ast.Attribute) and _is_budget(node):
        yield TextChange(node, f"2 * {place.text.segment(node)}")


def not_split(place: SyntaxPlace) -> Iterator[TextChange]:
    """The whole of the ε, or the δ, in place of a part."""
    match place.node:
        case ast.BinOp(left=whole, op=ast.Div(), right=right) if _is_budget(whole) and not _is_budget(right):
            yield TextChange(place.node, place.text.segment(whole))


def sensitivity_halved(place: SyntaxPlace) -> Iterator[TextChange]:
    """Half the sensitivity; also where it is an even number, such as the 2 of a scale 2 / ε."""
    match place.node:
        case ast.Name() | ast.Attribute() as node if is_named(node, "sens"):
            yield TextChange(node, f"{CALL_HALF}({place.text.segment(node)})")
        case ast.Constant(value=int(number)) as node if number >= 2 and number % 2 == 0 and _is_a_sensitivity(place):
            yield TextChange(node, str(number // 2))


def _is_a_sensitivity(place: SyntaxPlace) -> bool:
    """True of an argument `sensitivity=`, and of a factor of what is divided by ε."""
    factor: ast.AST = place.node
    for around in reversed(place.above):
        match around:
            case ast.BinOp(left=left, op=ast.Div(), right=right) if left is factor:
                if _is_budget(right):
                    return True
            case ast.BinOp(op=ast.Mult()):
                pass
            case ast.keyword(arg=str(name)):
                return name.startswith("sens")
            case _:
                return False
        factor = around
    return False


_STRICT: Final[Mapping[type[ast.cmpop], str]] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_TURNED: Final[Mapping[type[ast.cmpop], str]] = {
    ast.Lt: ">",
    ast.LtE: ">=",
    ast.Gt: "<",
    ast.GtE: "<=",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}


def threshold_moved(place: SyntaxPlace) -> Iterator[TextChange]:
    """A threshold that is larger, or smaller, by 1."""
    match place.node:
        case ast.Compare(ops=[op], comparators=[right]) if type(op) in _STRICT:
            yield from (TextChange(right, f"{place.text.segment(right)} {sign} 1") for sign in "+-")


def other_comparison(place: SyntaxPlace) -> Iterator[TextChange]:
    """> for >=, and the like; or a comparison that is turned round."""
    match place.node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for table in (_STRICT, _TURNED):
                if type(op) in table:
                    yield TextChange(
                        place.node, f"{place.text.segment(left)} {table[type(op)]} {place.text.segment(right)}"
                    )


def no_stop(place: SyntaxPlace) -> Iterator[TextChange]:
    """A `break`, a `continue`, or a `return` within a loop, left out."""
    match place.node:
        case ast.Break() | ast.Continue():
            yield TextChange(place.node, "pass")
        case ast.Return():
            function = place.above.index(place.function)
            if any(isinstance(each, ast.For | ast.While) for each in place.above[function:]):
                yield TextChange(place.node, "pass")


def branch_swapped(place: SyntaxPlace) -> Iterator[TextChange]:
    """The one branch for the other, `and` for `or`, or a condition that is turned round, or left out."""
    segment = place.text.segment
    match place.node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield TextChange(place.node, f"{segment(orelse)} if {segment(test)} else {segment(body)}")
        case ast.If(test=test) if not _is_turned_already(test):
            yield TextChange(test, f"not ({segment(test)})")
        case ast.BoolOp(op=op, values=values):
            word = " or " if isinstance(op, ast.And) else " and "
            yield TextChange(place.node, word.join(f"({segment(value)})" for value in values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield TextChange(place.node, segment(operand))
        case ast.comprehension(ifs=conditions):
            yield from (TextChange(condition, "True") for condition in conditions)


def _is_turned_already(test: ast.expr) -> bool:
    """True where another comparison is the opposite of this one."""
    return isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) not in _STRICT


def off_by_one(place: SyntaxPlace) -> Iterator[TextChange]:
    """A whole number that is larger, or smaller, by 1; but what is merely returned."""
    match place.node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            if not isinstance(place.parent, ast.Return):
                yield from (TextChange(place.node, str(other)) for other in (number + 1, number - 1) if other >= 0)


def other_arithmetic(place: SyntaxPlace) -> Iterator[TextChange]:
    """+ for -, - for +, and a product with ε for a quotient."""
    match place.node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if not any(is_noise(place, each) for each in (left, right)):  # as likely as its negative
                yield _combined(place, left, "-" if isinstance(op, ast.Add) else "+", right)
        case ast.BinOp(left=left, op=ast.Div(), right=right) if _is_budget(right):
            yield _combined(place, left, "*", right)


def _combined(place: SyntaxPlace, left: ast.expr, sign: str, right: ast.expr) -> TextChange:
    assert isinstance(place.node, ast.expr)
    return TextChange(place.node, f"({place.text.segment(left)}) {sign} ({place.text.segment(right)})")


_OTHERS: Final = {"max": "min", "min": "max", "any": "all", "all": "any"}


def other_extreme(place: SyntaxPlace) -> Iterator[TextChange]:
    """The least for the largest, `all` for `any`."""
    match place.node:
        case ast.Call(func=ast.Name(id=name) as function, args=[_, *_]) if name in _OTHERS:
            yield TextChange(function, _OTHERS[name])


def other_slice(place: SyntaxPlace) -> Iterator[TextChange]:
    """The part that a slice leaves out, for the one that it takes."""
    match place.node:
        case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=None)) if lower or upper:
            low, high = ("" if end is None else place.text.segment(end) for end in (lower, upper))
            yield TextChange(place.node, f"{place.text.segment(value)}[{high}:{low}]")


OPERATORS: Final[Mapping[str, Operator]] = {
    "noise dropped": dropped,
    "noise reused": reused,
    "noise drawn once for all": hoisted,
    "noise drawn anew": redrawn,
    "budget spent twice": spent_twice,
    "budget not split": not_split,
    "sensitivity halved": sensitivity_halved,
    "a tenth off": tenth_off,
    "factor left out": factor_left_out,
    "threshold moved": threshold_moved,
    "data in a threshold": in_a_threshold,
    "another comparison": other_comparison,
    "stop left out": no_stop,
    "stop one too late": late_stop,
    "early exit": early_exit,
    "branch swapped": branch_swapped,
    "off by one": off_by_one,
    "count off by one": count_off,
    "another sign": other_arithmetic,
    "another extreme": other_extreme,
    "the rest of a slice": other_slice,
    "value for index": value_for_index,
    "data returned too": returned_too,
    "data returned instead": returned_instead,
}
"""All of them, by what a table calls them."""


def mutations(source: str, file: str, running: frozenset[SyntaxScope], draws: frozenset[str]) -> Iterator[Mutation]:
    """All mutations of those functions of a file, in no order that matters; each is text that can be compiled.

    What several operators make of a place is one mutation, of the first of them.
    """
    text = Text.of(source)
    seen: dict[tuple[SyntaxScope, str, str, str], int] = {}
    made: set[tuple[Edit, ...]] = set()
    for place in nodes_in(ast.parse(source), running, text, draws):
        for operator, changes in OPERATORS.items():
            for change in changes(place):
                edits = edits_of(change, text)
                if edits is None or edits in made:
                    continue
                made.add(edits)
                before, after = statement_change(place, change, edits)
                key = place.scope, operator, before, after
                seen[key] = seen.get(key, 0) + 1
                line = change.node.lineno
                yield Mutation(operator, file, place.scope, line, before, after, edits, seen[key])

"""Mistakes with numbers: a tenth off, one too many, a factor that is left out, and a stop one too late."""

import ast
from collections.abc import Iterator
from typing import Final

from dpverify.verifiers.auditing.mutation.changes import TextChange
from dpverify.verifiers.auditing.mutation.mutant_calls import TENTHS
from dpverify.verifiers.auditing.mutation.noise_operators import is_noise
from dpverify.verifiers.auditing.mutation.places import BUDGET, SyntaxPlace, is_named

_MEASURES: Final = (*BUDGET, "scale", "rate", "sens", "threshold", "margin", "slack")
"""Beginnings of names of numbers that noise or a threshold is proportional to."""

_COUNTS: Final = frozenset(
    ("count", "bound", "times", "rounds", "calls", "uses", "parts", "limit", "most", "number", "steps", "size")
)
"""The words in names of what is counted."""


def tenth_off(place: SyntaxPlace) -> Iterator[TextChange]:
    """A tenth less, or more, of ε, δ, a scale or a threshold."""
    node = place.node
    if isinstance(node, ast.Name | ast.Attribute) and is_named(node, *_MEASURES) and not _is_called(place):
        yield from (TextChange(node, f"{TENTHS}({place.text.segment(node)}, {count})") for count in (9, 11))


def count_off(place: SyntaxPlace) -> Iterator[TextChange]:
    """A bound, or a count, that is larger, or smaller, by 1."""
    node = place.node
    match node:
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
            if _COUNTS.intersection(name.lower().split("_")) and not _is_called(place):
                assert isinstance(node, ast.expr)
                yield from (TextChange(node, f"{place.text.segment(node)} {sign} 1") for sign in "+-")


def _is_called(place: SyntaxPlace) -> bool:
    """True where it is `rate` in `rate(…)`, which is no number yet."""
    return isinstance(place.parent, ast.Call) and place.parent.func is place.node


def factor_left_out(place: SyntaxPlace) -> Iterator[TextChange]:
    """A product, or a quotient, without one of its factors that is a variable, but ε and δ."""
    match place.node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from (TextChange(place.node, place.text.segment(other)) for other in _others(place, left, right))
        case ast.BinOp(left=left, op=ast.Div(), right=right) if _is_factor(place, right):
            yield TextChange(place.node, place.text.segment(left))


def _others(place: SyntaxPlace, left: ast.expr, right: ast.expr) -> Iterator[ast.expr]:
    yield from (other for factor, other in ((left, right), (right, left)) if _is_factor(place, factor))


def _is_factor(place: SyntaxPlace, node: ast.expr) -> bool:
    """True where it is a variable, and neither a budget nor noise."""
    return isinstance(node, ast.Name | ast.Attribute) and not (is_named(node, *BUDGET) or is_noise(place, node))


def late_stop(place: SyntaxPlace) -> Iterator[TextChange]:
    """A stop within a loop, or a `break`, one round after the one in which its number is reached."""
    match place.node, place.parent:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]), ast.If(body=[*_, ast.Break() | ast.Return()]):
            if any(isinstance(each, ast.For | ast.While) for each in place.above[place.above.index(place.function) :]):
                yield TextChange(place.node, f"{place.text.segment(left)} > {place.text.segment(right)}")

"""Mistakes with noise: it is forgotten, used twice, drawn once for all, or drawn anew where it has to be kept."""

import ast
from collections.abc import Iterator

from dpverify.verifiers.auditing.mutation.changes import TextChange
from dpverify.verifiers.auditing.mutation.mutant_calls import NOISELESS
from dpverify.verifiers.auditing.mutation.places import FunctionSyntax, SyntaxPlace

_ONCE = "drawn_once"


def dropped(place: SyntaxPlace) -> Iterator[TextChange]:
    """The value without the noise."""
    match place.node:
        case ast.Call(func=ast.Name(id=draw), args=[source], keywords=[]) if place.is_draw(place.node):
            yield TextChange(place.node, f"{NOISELESS}({draw}, {place.text.segment(source)})")


def reused(place: SyntaxPlace) -> Iterator[TextChange]:
    """A draw from before in place of a new one."""
    node = place.node
    if isinstance(node, ast.Call) and place.is_draw(node):
        drawn = ((name, value) for name, value in _drawn(place) if value is not node and _ends_before(value, node))
        yield from (TextChange(node, name) for name in dict(drawn))


def redrawn(place: SyntaxPlace) -> Iterator[TextChange]:
    """New noise where what was drawn before has to be used again."""
    match place.node:
        case ast.Name(id=name, ctx=ast.Load()):
            function = place.function
            written = [value for known, value in _noisy(place) if known == name]
            texts = {" ".join(place.text.segment(value).split()) for value in written}
            used = [each for each in ast.walk(function) if _is_use_of(name, each)]
            if len(texts) == 1 and (len(used) > 1 or _is_repeated(place, written[0])):
                yield TextChange(place.node, texts.pop())


def _noisy(place: SyntaxPlace) -> Iterator[tuple[str, ast.expr]]:
    """The variables of the functions around a place that hold what is computed with noise, and from what."""
    for function in (each for each in place.above if isinstance(each, ast.FunctionDef)):
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if any(map(place.is_draw, ast.walk(value))):
                    yield name, value


def _is_use_of(name: str, node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _is_repeated(place: SyntaxPlace, drawn: ast.expr) -> bool:
    """True where a place is run several times for one time that something is drawn."""
    return any(isinstance(each, _Repeated) and drawn not in ast.walk(each) for each in place.above)


def is_noise(place: SyntaxPlace, node: ast.AST) -> bool:
    """True where a node draws, or is a variable that holds what was drawn."""
    return place.is_draw(node) or (isinstance(node, ast.Name) and node.id in dict(_drawn(place)))


def _drawn(place: SyntaxPlace) -> Iterator[tuple[str, ast.expr]]:
    """The variables of the functions around a place that hold what is drawn, and where it is."""
    for function in (each for each in place.above if isinstance(each, ast.FunctionDef)):
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if place.is_draw(value):
                    yield name, value


def _ends_before(one: ast.expr, other: ast.expr) -> bool:
    assert one.end_lineno is not None and one.end_col_offset is not None
    return (one.end_lineno, one.end_col_offset) <= (other.lineno, other.col_offset)


_Repeated = (
    ast.For | ast.While | ast.Lambda | ast.FunctionDef | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
)
"""Statements that are run again and again."""


def hoisted(place: SyntaxPlace) -> Iterator[TextChange]:
    """One draw for all rounds of a loop, or for all calls of a function within the function."""
    node = place.node
    if not (isinstance(node, ast.Call) and place.is_draw(node)):
        return
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    for i in reversed(range(1, len(place.above))):
        around = place.above[i]
        if not isinstance(around, _Repeated):
            continue
        within_function = any(isinstance(each, FunctionSyntax) for each in place.above[:i])
        if not within_function or used & _bound_in(around):
            return
        statement = next(each for each in reversed(place.above[: i + 1]) if isinstance(each, ast.stmt))
        line = f"{_ONCE} = {' '.join(place.text.segment(node).split())}"
        yield TextChange(node, _ONCE, line_before=(statement, line))
        return


def _bound_in(repeated: ast.AST) -> set[str]:
    """The names that change from round to round, or that only the function within has."""
    names = {each.id for each in ast.walk(repeated) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return names | {each.arg for each in ast.walk(repeated) if isinstance(each, ast.arg)}

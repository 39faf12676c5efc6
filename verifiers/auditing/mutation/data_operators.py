"""Mistakes with data: it is returned, moves a threshold or ends a run, and a value is taken for its position."""

import ast
from collections.abc import Iterator

from dpverify.verifiers.auditing.mutation.changes import TextChange
from dpverify.verifiers.auditing.mutation.mutant_calls import CALL_LEAST, CALL_NOTHING, CALL_OPEN
from dpverify.verifiers.auditing.mutation.places import BUDGET, SyntaxPlace, begins


def returned_too(place: SyntaxPlace) -> Iterator[TextChange]:
    """A variable that holds data, returned beside the answer."""
    for value, name in _leaks(place):
        yield TextChange(value, f"({place.text.segment(value)}, {CALL_OPEN}({name}))")


def returned_instead(place: SyntaxPlace) -> Iterator[TextChange]:
    """A variable that holds data, returned in place of the answer."""
    for value, name in _leaks(place):
        yield TextChange(value, f"{CALL_OPEN}({name})")


def _leaks(place: SyntaxPlace) -> Iterator[tuple[ast.expr, str]]:
    """The values that a function returns that draws, and the variables with data that it has."""
    match place.node, place.function:
        case ast.Return(value=ast.expr() as value), ast.FunctionDef() as function if _draws(function, place):
            for name in _data_of(function, place):
                if not (isinstance(value, ast.Name) and value.id == name):
                    yield value, name


def in_a_threshold(place: SyntaxPlace) -> Iterator[TextChange]:
    """A threshold that moves with the least of the data."""
    match place.node:
        case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
            for name in _given(place):
                yield TextChange(right, f"{place.text.segment(right)} + {CALL_LEAST}({name})")


def early_exit(place: SyntaxPlace) -> Iterator[TextChange]:
    """No answer, before any noise, where there is nothing in the data."""
    match place.node:
        case ast.Return(value=ast.expr() as value):
            for name in _given(place):
                yield TextChange(value, f"None if {CALL_NOTHING}({name}) else {place.text.segment(value)}")


def _given(place: SyntaxPlace) -> list[str]:
    """The arguments with data of the functions around a place, if one of these draws."""
    around = [each for each in place.above if isinstance(each, ast.FunctionDef)]
    if not any(_draws(each, place) for each in around):
        return []
    return list(dict.fromkeys(name for each in around for name in _arguments(each, place)))


def _arguments(function: ast.FunctionDef, place: SyntaxPlace) -> list[str]:
    """Arguments that are given by position, but `draw`, ε and δ."""
    positional = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return [name for name in positional if name not in place.draws and not begins(name, *BUDGET)]


def _draws(function: ast.FunctionDef, place: SyntaxPlace) -> bool:
    return any(argument.arg in place.draws for argument in (*function.args.posonlyargs, *function.args.args))


def _data_of(function: ast.FunctionDef, place: SyntaxPlace) -> list[str]:
    """The arguments with data, and all that is made of them without drawing."""
    data = dict.fromkeys(_arguments(function, place))
    while True:
        before = len(data)
        for node in ast.walk(function):
            for target, value in _bindings(node):
                if not any(map(place.is_draw, ast.walk(value))) and _names(value) & data.keys():
                    data |= dict.fromkeys(sorted(_stored(target)))
        if len(data) == before:
            return list(data)


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets that a statement binds, each with its value."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.For(target=target, iter=value):
            yield target, value


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _stored(target: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(target) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def value_for_index(place: SyntaxPlace) -> Iterator[TextChange]:
    """The value at a position, or under a key, for the position or the key itself."""
    match place.node:
        case ast.Name(id=name, ctx=ast.Load()):
            for around in reversed(place.above):
                for target, sequence in _loops(around):
                    match target, sequence:
                        case (
                            ast.Tuple(elts=[ast.Name(id=index), ast.Name(id=value)]),
                            ast.Call(func=ast.Name(id="enumerate") | ast.Attribute(attr="items")),
                        ) if index == name:
                            yield TextChange(place.node, value)
                            return


def _loops(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.For(target=target, iter=sequence):
            yield target, sequence
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from ((each.target, each.iter) for each in node.generators)

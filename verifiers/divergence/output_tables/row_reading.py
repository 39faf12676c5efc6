"""Mechanisms that do not read the order of their rows: by what they are made of, and by their code."""

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from dpverify.mechanisms.counting.qualities import AllAtOnce, OfCounts
from dpverify.mechanisms.drawing.sorted_rows import InSortedOrder
from dpverify.mechanisms.drawing.symmetric import Relabellings, Symmetric
from dpverify.mechanisms.finer_releases.before_post_processing import BeforePostProcessing
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.functions.trusted import is_trusted_function
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.source import NoSource, tree_of
from dpverify.mechanisms.selection.by_quality import Selection
from dpverify.verifiers.problems.questions.row_orders import NOT_ASKED_FOR, SORTED_BY_IT, OrdersRun


def by_construction(mechanism: Mechanism) -> OrdersRun | None:
    """The reason why no order of rows shows, whatever a user's code does; None where that is up to the code.

    The rows are put in order first, or a quality is given counts alone.
    """
    made = _inner(mechanism)
    if type(made) is InSortedOrder or (type(made) is Symmetric and type(made.under) is Relabellings):
        return SORTED_BY_IT
    return NOT_ASKED_FOR if type(made) is Selection and type(made.quality) is OfCounts else None


def asks_for_counts(mechanism: Mechanism) -> bool:
    """True where the code of a mechanism, or of its quality, asks its rows for counts, length and membership alone."""
    made = _inner(mechanism)
    if type(made) is not Selection:
        return asks_for_counts_alone(made, 1)
    quality = made.quality
    return asks_for_counts_alone(quality.of_database if type(quality) is AllAtOnce else quality, 0)


def asks_for_counts_alone(function: Callable[..., Any], place: int) -> bool:
    """True where each place that names an argument of a function is `rows.count(…)`, `len(rows)` or `… in rows`.

    Whatever else stands there, such as a call that is handed the rows, may read their order.
    """
    if isinstance(function, MethodType):
        function, place = function.__func__, place + 1
    if isinstance(function, partial) and not function.args:
        function = function.func
    if type(function) is not FunctionType or place >= function.__code__.co_argcount:
        return False
    code = function.__code__
    if "len" in (*function.__globals__, *code.co_varnames, *code.co_cellvars, *code.co_freevars):
        return False
    try:
        nodes = list(ast.walk(tree_of(function)))
    except NoSource:
        return False
    name = code.co_varnames[place]
    counted = [one for one in map(_counted, nodes) if one is not None and one.id == name]
    return len(counted) == sum(isinstance(node, ast.Name) and node.id == name for node in nodes)


def _counted(node: ast.AST) -> ast.Name | None:
    """The variable that a node asks for a count, its length, or whether something is in it."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as rows, attr="count")):
            return rows
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as rows], keywords=[]):
            return rows
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as rows]):
            return rows
    return None


def may_see_a_tuple(mechanism: Mechanism, parameters: Mapping[str, Any]) -> bool:
    """True where code may do otherwise with watched rows than with a tuple, and so tell them apart unseen.

    It asks for a type, or it goes on after an error, such as that of a function in C which takes a tuple alone.
    """
    return any(
        isinstance(node, ast.ExceptHandler) or (isinstance(node, ast.Name) and function.names.get(node.id) is type)
        for function in read(mechanism, parameters).each
        if not is_trusted_function(function.function)
        for node in ast.walk(function.tree)
    )


def _inner(mechanism: Any) -> Any:
    """A mechanism without what is put around it that hands it the rows as they are."""
    while True:
        if type(mechanism) is BeforePostProcessing:
            mechanism = mechanism.mechanism
        elif type(mechanism) is partial and not mechanism.args:
            mechanism = mechanism.func
        else:
            return mechanism


def watched_first(positions: Sequence[int]) -> list[int]:
    """Some of the positions, spread out over all of them, the last one among them: most code reads all, or none."""
    count = size_of_sample("multisets watched first")
    return list(positions[:: -max(1, -(-len(positions) // count))]) if count else []

"""Mechanisms that do not read the order of their rows, by what they are made of."""

import ast
from collections.abc import Mapping
from functools import partial
from typing import Any

from dpverify.mechanisms.counting.qualities import OfCounts
from dpverify.mechanisms.drawing.sorted_rows import InSortedOrder
from dpverify.mechanisms.drawing.symmetric import Relabellings, Symmetric
from dpverify.mechanisms.finer_releases.before_post_processing import BeforePostProcessing
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.trusted import is_trusted_function
from dpverify.mechanisms.language.reader import read
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

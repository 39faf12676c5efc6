"""Mechanisms that do not read the order of their rows: by what they are made of, and by their code."""

from __future__ import annotations

import dis
from collections.abc import Mapping, Sequence
from functools import partial
from types import CodeType
from typing import Any, Final

from dpverify.mechanisms.counting.qualities import AllAtOnce, OfCounts
from dpverify.mechanisms.drawing.sorted_rows import InSortedOrder
from dpverify.mechanisms.drawing.symmetric import Relabellings, Symmetric
from dpverify.mechanisms.finer_releases.before_post_processing import BeforePostProcessing
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.instructions.by_code import by_code
from dpverify.mechanisms.instructions.rows_counted import asks_for_counts_alone
from dpverify.mechanisms.reaching.elsewhere import codes_in
from dpverify.mechanisms.reaching.reach import Reach
from dpverify.mechanisms.selection.by_quality import Selection
from dpverify.verifiers.problems.questions.row_orders import NOT_ASKED_FOR, SORTED_BY_IT, OrdersRun


def by_construction(mechanism: Mechanism) -> OrdersRun | None:
    """The reason why no order of rows shows, whatever a user's code does; None where that is up to the code.

    The rows are put in order first, or a quality is given counts that can be computed with and not looked at.
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


def may_see_a_tuple(mechanism: Mechanism, parameters: Mapping[str, Any]) -> bool:
    """True where own code may do otherwise with watched rows than with a tuple, and so tell them apart unseen.

    It asks for a type, or it goes on after an error, such as that of a function in C which takes a tuple alone.
    """
    return any(map(_may_see_a_tuple, Reach([("the mechanism", mechanism), *parameters.items()]).codes))


@by_code
def _may_see_a_tuple(code: CodeType) -> bool:
    return any(
        not _TELLING.isdisjoint(each.co_names) or any(step.opname == _HANDLES for step in dis.get_instructions(each))
        for each in codes_in(code)
    )


_TELLING: Final = frozenset(("type", "dumps", "dump"))
"""The names that give a type; and those of json and pickle, which hand to a function whatever they do not know."""

_HANDLES: Final = "PUSH_EXC_INFO"
"""The begin of what is done after an error, by `except`, `finally` or `with`."""


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

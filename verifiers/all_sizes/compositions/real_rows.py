"""Real rows in the place of sealed ones: what is around the parts does the same, and returns the same, on them.

That nothing tells sealed rows from others rests on a list of refusals. This is another look, which knows none of them:
the code around the parts is run on real rows as well, on the same path. It is a test, and no part of the proof.
"""

from __future__ import annotations

from itertools import cycle, islice
from types import CodeType
from typing import Any, Final

from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.verifiers.all_sizes.compositions.parts import SealedDatabase, SealedScores
from dpverify.verifiers.all_sizes.compositions.sealed import AnyOutcome, AnyReleased, OutcomeToReturn, parts_held

_MOST_ROWS: Final = 10_000


def real_database(database: SealedDatabase | SealedScores, turn: int) -> Any:
    """A database of such, another one at each turn: all rows of the universe, in both orders, then one of them alone.

    None where the least has too many rows to be made again and again.
    """
    if isinstance(database, SealedScores):
        pieces = [(0, turn)] if turn % 2 or not database.last else [(0, -turn), (1 + turn % database.last, turn + 1)]
        return StepFunction.of_pieces(pieces, database.last)
    universe, least = database.universe, database.least
    if least > _MOST_ROWS or len(universe) > _MOST_ROWS:
        return None
    if turn < _ORDERS:
        return tuple(islice(cycle(universe[:: 1 - 2 * turn]), max(least, len(universe))))
    times, place = divmod(turn - _ORDERS, len(universe))
    return (universe[place],) * (least + times)  # anew: rows are known by being this very object


_ORDERS: Final = 2


def compared_form(value: Any) -> Any:
    """A form of a value that can be compared: by kind and content, and by kind alone what may be anything.

    Raises `HoldsRows` for what is of a kind that is not looked into.
    """
    kind = type(value)
    if kind in (AnyReleased, AnyOutcome, OutcomeToReturn):
        return (kind,)
    parts = parts_held(value)
    if parts is None:
        return (kind, value)
    if kind in (set, frozenset):
        return (kind, frozenset(map(compared_form, parts)))
    own = (value.co_code, value.co_names) if kind is CodeType else ()
    return (kind, *own, *map(compared_form, parts))

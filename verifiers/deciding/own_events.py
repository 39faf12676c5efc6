"""Refutations of what is computed from noise on its own outcome: by events that have an exact probability.

A part of the outcome alone may have a distribution in closed form, and so may the event that a part lies on one side of
a number: of a quotient of noisy numbers that is two half-planes. So may the event that two parts lie around one. What
is refuted of any is refuted of the outcome.
"""

from collections.abc import Hashable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.outputs.released_parts import Anything
from dpverify.mechanisms.outputs.templates import AtLeast, AtMost
from dpverify.mechanisms.outputs.views import View
from dpverify.verifiers.deciding.one_epsilon import verdict_at_epsilon
from dpverify.verifiers.problems.preparation.experiment import prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.verdicts.compared_distributions import tabulated
from dpverify.verifiers.verdicts.verdict import Refuted
from dpverify.verifiers.verdicts.witness import Witness

_ENDS: Final = tuple(
    sign * Fraction(end) for end in (0, "1/4", "1/2", 1, 2, 4, 8) for sign in (1, -1) if (end, sign) != (0, -1)
)
"""The numbers on one side of which a part of an outcome may lie."""

_MOST_PARTS: Final = 3
"""Of an outcome of which two parts are looked at together."""

_NEAR: Final = (Fraction(0), Fraction(1))
"""The numbers around which two parts may lie."""


def refuted_on_its_own(question: Question, pair: tuple[Hashable, Hashable], parts: int | None) -> Witness | None:
    """A witness on what can be told from the outcome, on one pair of databases; None where none is found.

    `parts` is how many parts an outcome has, None where it has none.
    """
    of_pair = question.of_two(pair, question.arguments)
    for view in _views(question.mechanism, parts):
        try:
            experiment = prepared_in_full(replace(of_pair, mechanism=view), never_repeated)
            verdict = verdict_at_epsilon(experiment, tabulated(experiment))
        except (InputError, Undecided):
            continue
        if isinstance(verdict, Refuted):
            event = _event(view, parts, verdict.witness.event)
            if event is not None:
                return replace(verdict.witness, event=event)  # whose line asks the view
    return None


def _views(mechanism: Mechanism, parts: int | None) -> Iterator[View]:
    places: list[int | None] = [None] if parts is None else [*range(parts)]
    if parts is not None:
        yield from (View(mechanism, place) for place in places)
    for place in places:
        for end in _ENDS:
            yield View(mechanism, place, ">=", end)
            yield View(mechanism, place, "<=", end)
    # last of all that two parts lie around a number: where they share a noise, it may be that they cannot
    if parts is not None and parts <= _MOST_PARTS:
        for end in _NEAR:
            yield from (View(mechanism, low, ">=", end, high) for low, high in permutations(range(parts), 2))


def _event(view: View, parts: int | None, found: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The event about the outcome; None for that a part is not on a side, which the other side says."""
    if view.side is None:
        event = found
    elif found == (True,):
        event = (AtLeast(view.end) if view.side == ">=" else AtMost(view.end),)
    else:
        return None
    if parts is None:
        return event
    every: list[Any] = [Anything()] * parts
    if view.capped is not None:
        every[view.capped] = AtMost(view.end)
    return tuple((*every[: view.place], each, *every[(view.place or 0) + 1 :]) for each in event)

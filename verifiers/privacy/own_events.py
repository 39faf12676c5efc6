"""Refutations of what is computed from noise on its own outcome: by events that have an exact probability.

A part of the outcome alone may have a law in closed form, and so may the event that a part lies on one side of a
number: of a quotient of noisy numbers that is two half-planes. What is refuted of either is refuted of the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dpverify.mechanisms.exact.errors import InputError, Undecided
from dpverify.mechanisms.laws.released_parts import Anything
from dpverify.mechanisms.laws.templates import AtLeast, AtMost
from dpverify.mechanisms.laws.views import View
from dpverify.reports.record import Status
from dpverify.verifiers.privacy.case import Case, Laws, PrivacyClaim, never_repeated
from dpverify.verifiers.privacy.domains import Listed
from dpverify.verifiers.privacy.pairs import NeighbouringPairs
from dpverify.verifiers.privacy.witness import Witness

if TYPE_CHECKING:
    from dpverify.verifiers.privacy.verdict import Verdict

Decide = Callable[[Case, Laws, PrivacyClaim], "Verdict"]

_ENDS: Final = tuple(
    sign * Fraction(end) for end in (0, "1/4", "1/2", 1, 2, 4, 8) for sign in (1, -1) if (end, sign) != (0, -1)
)
"""The numbers on one side of which a part of an outcome may lie."""


def refuted_on_its_own(
    case: Case, claim: PrivacyClaim, decide: Decide, pair: tuple[Hashable, Hashable], parts: int | None
) -> Witness | None:
    """A witness on what can be told from the outcome, on one pair of databases; None where none is found.

    `parts` is how many parts an outcome has, None where it has none.
    """
    few = _on_pair(case, pair)
    for view in _views(case, parts):
        inner = replace(few, mechanism=view)
        try:
            verdict = decide(inner, inner.tabulated(), claim)
        except (InputError, Undecided):
            continue
        if verdict.status is Status.REFUTED and verdict.witness is not None:
            event = _event(view, parts, verdict.witness.event)
            if event is not None:
                return replace(verdict.witness, event=event, reproduce=None)
    return None


def _on_pair(case: Case, pair: tuple[Hashable, Hashable]) -> Case:
    databases = list(pair)
    pairs = NeighbouringPairs.listed(np.array([1, 2]), 2)
    return replace(
        case, databases=databases, domain=Listed(databases, databases), pairs=pairs, repeating=never_repeated
    )


def _views(case: Case, parts: int | None) -> Iterator[View]:
    places: list[int | None] = [None] if parts is None else [*range(parts)]
    if parts is not None:
        yield from (View(case.mechanism, place) for place in places)
    for place in places:
        for end in _ENDS:
            yield View(case.mechanism, place, ">=", end)
            yield View(case.mechanism, place, "<=", end)


def _event(view: View, parts: int | None, found: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The event about the outcome; None for that a part is not on a side, which the other side says."""
    if view.side is None:
        told = found
    elif found == (True,):
        told = (AtLeast(view.end) if view.side == ">=" else AtMost(view.end),)
    else:
        return None
    if parts is None:
        return told
    every = [Anything()] * parts
    return tuple((*every[: view.place], each, *every[(view.place or 0) + 1 :]) for each in told)

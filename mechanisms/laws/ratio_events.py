"""An event about independent parts that is no box: the product of what tables give to the parts is large enough.

So a witness names the outcomes whose privacy loss exceeds ε, where these are too many to be listed: of twenty
randomized bits, say, those of which fifteen are as on one side. The tables stand in the event, so that a law alone
gives its probability.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from dpverify.mechanisms.laws.released_parts import OneOf, PartCell, outcomes_named
from dpverify.mechanisms.laws.released_reals import outcome_in_words
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, ExactLike, exact, ordering, product, total


class RatioTable(NamedTuple):
    """Of some parts, by their numbers from 0, the ratio for each of their outcomes together; None for ∞."""

    parts: tuple[int, ...]
    ratios: tuple[tuple[tuple[Hashable, ...], ExactLike | None], ...]


@dataclass(frozen=True)
class RatioAbove:
    """Stands for the outcomes of a shape with parts where the product of the ratios in the tables exceeds `least`."""

    outcome: Hashable
    tables: tuple[RatioTable, ...]
    least: ExactLike

    def __str__(self) -> str:
        return f"{outcome_in_words(self.outcome)} with a likelihood ratio of the parts above {self.least}"


@dataclass(frozen=True)
class LossAbove:
    """Stands for the outcomes of a shape whose privacy loss between two databases exceeds ε.

    A law alone, of one database, does not tell its probability.
    """

    outcome: Hashable
    epsilon: ExactLike

    def __str__(self) -> str:
        return f"{outcome_in_words(self.outcome)} of privacy loss above {self.epsilon}"


class AnyPart(Protocol):
    """The law of an independent part."""

    def probability(self, cell: PartCell) -> Exact:
        """Pr[the part is in the cell]."""


def probability_above(event: RatioAbove, parts: Sequence[AnyPart], cells: Sequence[PartCell]) -> Exact:
    """Pr[the ratio of the parts exceeds what the event says, and those in no table lie in their cells]."""
    in_tables = {i for table in event.tables for i in table.parts}
    others = [part.probability(cells[i]) for i, part in enumerate(parts) if i not in in_tables]
    infinite: Exact = ZERO
    so_far: dict[int, tuple[Exact, Exact]] = {ONE.serial: (ONE, ONE)}
    for table in event.tables:
        found: dict[int, tuple[Exact, list[Exact]]] = {}
        of_infinite: list[Exact] = []
        of_table: list[Exact] = []
        for outcomes, ratio in table.ratios:
            those = (parts[i] for i in table.parts)
            p = product(
                part.probability(OneOf(outcomes_named(outcome))) for part, outcome in zip(those, outcomes, strict=True)
            )
            of_table.append(p)
            if ratio is None:
                of_infinite.append(p)
                continue
            for known, mass in so_far.values():
                together = product((known, exact(ratio)))
                found.setdefault(together.serial, (together, []))[1].append(product((mass, p)))
        # infinite so far with anything now, or finite so far with infinite now
        finite = total(mass for _, mass in so_far.values())
        infinite = total((product((infinite, total(of_table))), product((finite, total(of_infinite)))))
        so_far = {serial: (ratio, total(masses)) for serial, (ratio, masses) in found.items()}
    least = exact(event.least)
    above = [mass for ratio, mass in so_far.values() if ordering(ratio, least) > 0]
    return product((*others, total((infinite, *above))))

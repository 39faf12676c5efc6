"""An event about independent parts that is no box: the product of what tables give to the parts is large enough.

So a witness names the outcomes whose privacy loss exceeds ε, where these are too many to be listed: of twenty
randomized bits, say, those of which fifteen are as on one side. The tables stand in the event, so that a law alone
gives its probability.

Needed by noisy gradient descent of several numbers in tests/outside, whose counterexample is named so.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, exact, product, total
from dpverify.mechanisms.outputs.ratio_masses import AlikeParts, RatioMass, Ratios, masses_beyond, merged, parts_by_kind
from dpverify.mechanisms.outputs.released_parts import OneOf, PartCell, outcomes_named
from dpverify.mechanisms.outputs.released_reals import outcome_in_words


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
    ratios: dict[Hashable, Ratios] = {}
    times: Counter[Hashable] = Counter()
    for table in event.tables:
        those = [parts[i] for i in table.parts]
        key = (*map(id, those), table.ratios)  # the parts of a law are kept with it, and alike ones are most often one
        if key not in ratios:
            ratios[key] = _ratios_in(table, those)
        times[key] += 1
    kinds = parts_by_kind(AlikeParts(ratios[key], count) for key, count in times.items())
    above, _ = masses_beyond(kinds, exact(event.least))
    return product((*others, above))


def _ratios_in(table: RatioTable, parts: Sequence[AnyPart]) -> Ratios:
    """The masses that a law gives to the ratios of a table; what has no place in it has none."""
    masses = [
        product(part.probability(OneOf(outcomes_named(o))) for part, o in zip(parts, outcomes, strict=True))
        for outcomes, _ in table.ratios
    ]
    ratios = [ratio for _, ratio in table.ratios]
    infinite = total(p for ratio, p in zip(ratios, masses, strict=True) if ratio is None)
    finite = (RatioMass(exact(ratio), p, ZERO) for ratio, p in zip(ratios, masses, strict=True) if ratio is not None)
    return Ratios(merged(finite), infinite, total(masses))

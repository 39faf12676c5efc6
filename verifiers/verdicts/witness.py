"""The witness of a refuted privacy claim: two neighbours, an event, and its two probabilities."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Final

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import decimal, enclosure
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ordering, total
from dpverify.mechanisms.numbers.shown import cut
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.templates import has_tail
from dpverify.reports.kinds.privacy import witness_lines
from dpverify.reports.privacy_record import WitnessRecord
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick, Summand
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable
from dpverify.verifiers.divergence.output_tables.enclosed import enclosed
from dpverify.verifiers.divergence.output_tables.tails import without_parts
from dpverify.verifiers.readable import readable
from dpverify.verifiers.verdicts.witness_distributions import drawn_distributions

_LONGEST: Final = 50
"""Characters of a database, and of an event, where a witness is shown in a line."""


@dataclass(frozen=True)
class Witness:
    """Neighbours `left` and `right` with p = Pr[event | left] > e^ε·q + δ, q = Pr[event | right].

    `reproduce` is a line of Python that computes p and q anew, None where they cannot be written down; `lifted` says,
    for score vectors, which databases and quality function they come from.
    """

    left: Hashable
    right: Hashable
    event: tuple[Any, ...]
    p: Exact
    q: Exact
    epsilon: Exact
    delta: Exact
    reproduce: str | None
    lifted: str | None = None
    laws: tuple[Distribution[Any], Distribution[Any]] | None = field(default=None, repr=False, compare=False)
    """Those of both databases; None where the event is of their ratio."""

    @property
    def difference(self) -> Exact:
        """p − e^ε·q, which exceeds δ."""
        return self.p - exp(self.epsilon) * self.q

    @property
    def record(self) -> WitnessRecord:
        """The witness as it stands in a report."""
        return WitnessRecord(
            left=readable(self.left),
            right=readable(self.right),
            event=[readable(outcome) for outcome in self.event],
            epsilon=enclosed(self.epsilon).quantity,
            delta=enclosed(self.delta).quantity,
            p=enclosed(self.p).quantity,
            q=enclosed(self.q).quantity,
            difference=enclosed(self.difference).quantity,
            reproduce=self.reproduce,
            realised_by=self.lifted,
            distributions=None if self.laws is None else drawn_distributions(*self.laws, self.event),
        )

    def __str__(self) -> str:
        return "\n".join(witness_lines(self.record))

    def __repr__(self) -> str:
        """It in a line of decimals; `print` shows it with exact numbers, and its fields are exact."""
        left, right = (cut(readable(database), _LONGEST) for database in (self.left, self.right))
        event = cut(", ".join(map(readable, self.event)), _LONGEST)
        excess = f"{decimal(self.difference, 6)} > δ = {decimal(self.delta, 6)}"
        return (
            f"<Witness {left} against {right}, event {{{event}}}: {decimal(self.p, 6)} - e^ε·{decimal(self.q, 6)} = "
            f"{excess} at ε = {decimal(self.epsilon, 6)}; print shows it exactly>"
        )


def smallest_event(
    stick: HockeyStick, table: DistributionTable, i: int, delta: Exact
) -> tuple[tuple[Any, ...], Exact, Exact]:
    """The smallest event by which pair i violates δ, with its probabilities under both distributions.

    The outcomes are taken by falling p − e^ε·q until the sum exceeds δ; floats order them, exact numbers add them up.
    Where one outcome is enough, a single number is taken before a whole tail of them.
    """
    summands = stick.summands(i)
    excess = {summand: stick.excess(summand.p, summand.q) for summand in summands}
    ordered = sorted(summands, key=lambda summand: (-float(enclosure(excess[summand])), summand.column))
    enough = (
        s for s in ordered if not has_tail(without_parts(table.outcomes[s.column])) and ordering(excess[s], delta) > 0
    )
    taken: list[Summand] = []
    reached: Exact = ZERO
    for summand in chain(islice(enough, 1), ordered):
        taken.append(summand)
        reached = total((reached, excess[summand]))
        if ordering(reached, delta) > 0:
            break
    return _event(stick, table, i, taken)


def worst_event(stick: HockeyStick, table: DistributionTable, i: int) -> tuple[tuple[Any, ...], Exact, Exact]:
    """The event of all outcomes with p > e^ε·q, by which pair i needs its δ, with its probabilities."""
    return _event(stick, table, i, stick.summands(i))


def _event(
    stick: HockeyStick, table: DistributionTable, i: int, taken: Sequence[Summand]
) -> tuple[tuple[Any, ...], Exact, Exact]:
    columns = _whole_tails(table, [summand.column for summand in taken])
    p, q = (total(of_column.get(column, ZERO) for column in columns) for of_column in stick.probabilities(i))
    event = tuple(dict.fromkeys(without_parts(table.outcomes[column]) for column in columns))
    return event, simplified(p), simplified(q)


def _whole_tails(table: DistributionTable, columns: Sequence[int]) -> list[int]:
    """The columns, with those of all parts of a tail in place of some: they violate together."""
    block_of = {int(column): block.tolist() for block in table.blocks for column in block}
    return list(dict.fromkeys(each for column in columns for each in block_of.get(column, [column])))

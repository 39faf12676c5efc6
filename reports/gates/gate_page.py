"""The words of a gate that pages begin with: a line, what it does not let through by name, and what else it names."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpverify.mechanisms.numbers.shown import one_line, writable
from dpverify.reports.gates.gate import Gate, GatedClaim, gate_headline, place_in_words


@dataclass(frozen=True)
class GateRow:
    """A row of a gate, in texts that a file can hold."""

    mark: str
    name: str
    place: str
    lines: Sequence[str]
    fails: bool


@dataclass(frozen=True)
class GatePage:
    """The part of a page on a gate."""

    passes: bool
    headline: str
    failing: Sequence[GateRow]
    others: Sequence[GateRow]
    """Stronger and renamed claims; what is known is told of on the page itself."""


def gate_page(gated: Gate) -> GatePage:
    """The part of a page on a gate, worst first."""
    shown = [_row(row) for row in gated.rows if row.mark != "KNOWN"]
    failing, others = [row for row in shown if row.fails], [row for row in shown if not row.fails]
    return GatePage(not failing, writable(gate_headline(gated)), failing, others)


def _row(row: GatedClaim) -> GateRow:
    lines = [writable(one_line(line)) for line in row.in_lines]
    return GateRow(row.mark, writable(row.name), writable(one_line(place_in_words(row))), lines, row.fails)

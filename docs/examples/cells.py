"""What further examples share: numbers as cells of a range that is known beforehand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from columns import read

from dpverify.mechanisms import InputError

MOST_BITS = 16
"""Of the cells of an axis."""

BITS_OPTION = click.option(
    "--bits", type=click.IntRange(1, MOST_BITS), default=6, show_default=True, help="The range has 2^bits cells."
)
LOW_OPTION = click.option("--low", type=float, required=True, help="The lower end of the range, not from the data.")
HIGH_OPTION = click.option("--high", type=float, required=True, help="Its upper end.")
SEED_OPTION = click.option("--seed", type=int, help="For tests: the answer is repeatable, and not private.")
PATH_ARGUMENT = click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))


class Range:
    """The cells of [low, high): whatever lies outside is in the first or the last."""

    def __init__(self, low: float, high: float, bits: int) -> None:
        if not low < high or high - low == float("inf"):
            raise InputError(f"--low {low:g} is not below --high {high:g}, or they are too far apart")
        self.low, self.high, self.cells = Fraction(low), Fraction(high), 1 << bits
        self.width = (self.high - self.low) / self.cells

    def cell_of(self, where: str, name: str, text: str) -> int:
        """The cell of a number in a file. Raises `InputError` where the text is none."""
        try:
            number = Fraction(float(text))
        except (ValueError, OverflowError):
            raise InputError(f"{where}: {name} is {text[:20]!r}, which is no number") from None
        return min(max((number - self.low) // self.width, 0), self.cells - 1)

    def start(self, cell: int) -> str:
        """Where a cell begins."""
        return f"{float(self.low + self.width * cell):g}"


def label_in(where: str, name: str, text: str) -> int:
    """A label of 0 or 1. Raises `InputError` for another."""
    if text.strip() not in ("0", "1"):
        raise InputError(f"{where}: {name} is {text[:20]!r}, neither 0 nor 1")
    return int(text)


def cells_in(
    path: Path, names: tuple[str, ...], labels: tuple[str, ...], within: Range
) -> list[tuple[Any, tuple[int, ...]]]:
    """The rows: the cells of the columns `names`, one or a tuple of them, and the labels.

    Raises `InputError` for fields that are none, and without rows.
    """
    rows: list[tuple[Any, tuple[int, ...]]] = []
    for where, fields in read(path, *names, *labels):
        cells = tuple(within.cell_of(where, name, text) for name, text in zip(names, fields, strict=False))
        given = zip(labels, fields[len(names) :], strict=True)
        rows.append(
            (cells[0] if len(cells) == 1 else cells, tuple(label_in(where, name, text) for name, text in given))
        )
    if not rows:
        raise InputError(f"{path}: there are no rows below the header")
    return rows


def asks_for(what: str, needed: int, given: int, promise: str) -> str:
    """How many rows a theorem asks for, beside those that are given."""
    enough = "as many are given" if given >= needed else f"{given:,} are given, of which it says nothing"
    number = f"{needed:,}" if needed < 10**12 else f"{needed:.1e}"
    return f"{what} asks for {number} rows {promise}; {enough}."

"""The lines of proofs, one data file a paper: each a step that is decided, read and right, a misprint, or lost.

A file of this room that has `PAPER` and `LINES` is one of them. A line is a tuple: the item of the paper, what the line
is about, what became of it, and why: ids of claims of the catalogue for a step, one clause for what is right, the place
of a misprint in `misprints/`, and for what is lost what can be said of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

Written: TypeAlias = tuple[str, str, str, str]
"""A line as a data file has it: item, subject, kind, note."""


class Kind(StrEnum):
    """What became of a line."""

    STEP = "step"
    RIGHT = "right"
    MISPRINT = "misprint"
    LOST = "lost"


class Line(NamedTuple):
    """A line of a proof, or of what is argued in the text with a number."""

    item: str
    subject: str
    kind: Kind
    note: str

    @property
    def ids(self) -> tuple[str, ...]:
        """The claims that decide it."""
        return tuple(self.note.split(", ")) if self.kind is Kind.STEP else ()


ROOM: Final = Path(__file__).parent


def papers() -> Mapping[str, Sequence[Line]]:
    """Key of a paper → its lines, from all data files of the room. Raises `ValueError` for a kind that is none."""
    modules = [import_module(f"docs.pages.papers.proofs.{path.stem}") for path in sorted(ROOM.glob("*.py"))]
    return {
        module.PAPER: [Line(item, subject, Kind(kind), note) for item, subject, kind, note in module.LINES]
        for module in modules
        if hasattr(module, "LINES")
    }

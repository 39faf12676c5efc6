"""Misprints and slips of the papers, as they were met when they were read: what is printed, and what it has to be.

The places are those of the texts that the project implements, which are extractions; of the paper by Bun, Nissim &
Stemmer all formulas are lost, so that its list has references alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What a misprint changes."""

    STATEMENT = "a statement"
    STEP = "a step"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Misprint:
    """One of them. `ids` are claims of the catalogue that decide what it changes, or that read it as it has to be."""

    place: str
    printed: str
    reads: str
    effect: Effect
    why: str
    ids: tuple[str, ...] = ()


STATEMENT, STEP, NOTHING = Effect.STATEMENT, Effect.STEP, Effect.NOTHING

"""Mechanisms as programs: a small language with two readings, which know nothing of each other.

`functions.py` writes a program out as the Python function that a user would write; `oracle.py` finds its law by brute
force. Every plain variable holds a whole number from 0 to 2, unless a test says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias


@dataclass(frozen=True)
class Linear:
    """shift + Σ coefficient·variable, where a variable is a plain number or a noise."""

    parts: tuple[tuple[str, int | Fraction], ...] = ()
    shift: Fraction = Fraction(0)


@dataclass(frozen=True)
class Text:
    """A string that shows a plain number."""

    of: Linear


@dataclass(frozen=True)
class Many:
    """A tuple, or a frozenset of plain outcomes."""

    kind: type[tuple[Any, ...]] | type[frozenset[Any]]
    parts: tuple[Outcome, ...]


@dataclass(frozen=True)
class Literal:
    """A constant outcome, such as None; also one that is equal to another of a different type."""

    value: Any


@dataclass(frozen=True)
class Seen:
    """What a mechanism sees of an outcome beside its value: its type, and how it prints."""

    variable: str


Outcome: TypeAlias = Linear | Text | Many | Literal | Seen


@dataclass(frozen=True)
class Coin:
    """1 with probability p, else 0."""

    p: Linear


@dataclass(frozen=True)
class Pick:
    """Each outcome with probability proportional to its weight, or to e^(ε·weight)."""

    outcomes: tuple[Outcome, ...]
    weights: tuple[Linear, ...]
    exponential: bool = False


@dataclass(frozen=True)
class Uniform:
    """One of 0, …, size - 1."""

    size: int


@dataclass(frozen=True)
class Noise:
    """A sum of Laplace noises of the scales 1/(power·ε), each on its own where `bound` says so within ±bound."""

    powers: tuple[int, ...]
    bound: int | None = None
    continuous: bool = False


@dataclass(frozen=True)
class Clamped:
    """A noise, moved to the nearer end of [low, high]."""

    noise: Linear
    low: int
    high: int


@dataclass(frozen=True)
class Called:
    """What a program draws, given plain numbers: as its law, or, where `inlined`, run on the spot."""

    program: Program
    arguments: tuple[Linear, ...]


Source: TypeAlias = Coin | Pick | Uniform | Noise | Clamped | Called


@dataclass(frozen=True)
class Draw:
    """name = source; then …"""

    name: str
    source: Source
    then: Statement


@dataclass(frozen=True)
class If:
    """If left relation right: yes, else no."""

    left: Linear
    relation: str
    right: Linear
    yes: Statement
    no: Statement


@dataclass(frozen=True)
class Each:
    """For every row in turn: the body, whose `Next` and `Stop` set `found`, 0 at first; then …"""

    row: str
    found: str
    body: Statement
    then: Statement


@dataclass(frozen=True)
class Next:
    """found = value, and on to the next row."""

    value: Linear


@dataclass(frozen=True)
class Stop:
    """found = value, and no further row."""

    value: Linear


@dataclass(frozen=True)
class Return:
    """Return an outcome."""

    outcome: Outcome


@dataclass(frozen=True)
class ReturnLaw:
    """Return a distribution in place of an outcome."""

    law: Pick


Statement: TypeAlias = Draw | If | Each | Next | Stop | Return | ReturnLaw


@dataclass(frozen=True)
class Program:
    """A mechanism. One without parameters takes the database, and sees its first rows, its sum and itself."""

    name: str
    body: Statement
    parameters: tuple[str, ...] = ()


ROWS: Final = ("x", "y")
"""What a program calls the first and the last row of its database."""


def sources(statement: Statement) -> Iterator[Source]:
    """All that a statement draws from, not within sub-mechanisms."""
    match statement:
        case Draw(_, source, then):
            yield source
            yield from sources(then)
        case If(_, _, _, yes, no) | Each(_, _, yes, no):
            yield from sources(yes)
            yield from sources(no)
        case ReturnLaw(law):
            yield law

"""Linear programs whose coefficients are c·E^d, for E = e^ε: what they are, before anything is solved.

Maximise `objective`·x over x ≥ 0 under rows a·x ≤ b or a·x = b. A coefficient is a pair (c, d), a right side Σ cᵢ·E^i.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Coefficient: TypeAlias = tuple[Fraction, int]
"""(c, d) is c·E^d."""

RightSide: TypeAlias = Sequence[Fraction]
"""(c₀, c₁, …) is Σ cᵢ·E^i; none is 0."""


@dataclass(frozen=True)
class Constraint:
    """Σ entries[j]·x[j] ≤ right, or = right."""

    entries: Mapping[int, Coefficient]
    right: RightSide = ()
    is_equality: bool = False


@dataclass(frozen=True)
class Program:
    """A linear program in so many columns: a feasible one, and bounded."""

    columns: int
    rows: Sequence[Constraint]
    objective: Mapping[int, Coefficient]


@dataclass(frozen=True)
class Basis:
    """The columns that may be other than 0, and the rows that hold with equality: as many rows as columns.

    It determines a point, and multipliers: those that solve the square system of these rows and columns.
    """

    columns: Sequence[int]
    tight: Sequence[int]


EMPTY = Basis((), ())
"""All columns are 0, and no row is tight: always a basis."""

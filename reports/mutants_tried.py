"""The mutants of a claim's mechanism that were tried, and those that the claim did not notice, as plain data."""

from __future__ import annotations

from typing import Literal

import msgspec


class UnnoticedMutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mechanism with a mistake in one place, of which the claim is PROVED, too."""

    file: str
    """Relative to the root of the project."""
    line: int
    function: str
    operator: str
    """The mistake, in a few words."""
    before: str
    """The statement on one line; what is far from the change is left out of a long one."""
    after: str
    fate: Literal["survived", "missed"]
    """survived: PROVED wherever it was tried. missed: REFUTED elsewhere, by another claim or on a stronger domain."""
    is_less_private: bool
    """True where its ε, or δ, is larger than the mechanism's."""

    @property
    def place(self) -> str:
        """The file, the line and the function."""
        return f"{self.file}:{self.line} {self.function}"


class MutantsTried(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of mutants of a claim that were tried and killed, and those that it did not notice."""

    claim: str
    """Its id."""
    tried: int
    killed: int
    """Number of those of which the claim is REFUTED."""
    unnoticed: list[UnnoticedMutant]
    """By file and line."""

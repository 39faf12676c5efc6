"""The lines of a mechanism's source: on how many databases each may run, and how likely that is, as plain data."""

from __future__ import annotations

import msgspec


class LineRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """A line on which a statement begins that may run."""

    line: int
    """From 1 on, within the source of the mechanism."""
    databases: int
    """On how many of the databases it runs with a probability above 0."""
    most: str
    """The largest probability, over these databases, that it runs at least once: in decimals, 1 for always alone."""


class LineRuns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often each line of a mechanism runs: found exactly, on some databases of the claim."""

    databases: int
    """How many they are."""
    are_all: bool
    """True where the domain has no others."""
    epsilon: str
    """At which ε, in decimals, of a claim for every ε; empty of others."""
    lines: list[LineRun]
    """By rising line. Left out is what nobody saw run, such as functions that `draw` calls by itself."""

    @property
    def in_words(self) -> str:
        """Of which databases it is."""
        which = f"on all {self.databases:,} databases" if self.are_all else f"on {self.databases:,} of the databases"
        return f"{which}, at ε = {self.epsilon}" if self.epsilon else which

"""The lines of a mechanism's source: on how many databases each may run, and how likely that is, as plain data."""

import msgspec


class LineRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """A line on which a statement begins that may run."""

    line: int
    """From 1 on, within the source of the mechanism."""
    databases: int
    """The number of databases on which it runs with a probability above 0."""
    most: str
    """The largest probability, over these databases, that it runs at least once: in decimals, 1 for always alone."""


class LineRuns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The probabilities with which the lines of a mechanism run, found exactly, on some databases of the claim."""

    databases: int
    """The number of them."""
    are_all: bool
    """True where the domain has no others."""
    epsilon: str
    """The ε, in decimals, of a claim for every ε; empty of others."""
    lines: list[LineRun]
    """By rising line; what nobody saw run is left out, such as functions that `draw` calls by itself."""

    @property
    def in_words(self) -> str:
        """The databases, in words."""
        which = f"on all {self.databases:,} databases" if self.are_all else f"on {self.databases:,} of the databases"
        return f"{which}, at ε = {self.epsilon}" if self.epsilon else which

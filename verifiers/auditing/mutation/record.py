"""The findings of `dpverify mutate`, as plain data, with a JSON form of its own."""

from typing import Final, Literal, get_args

import msgspec

from dpverify.reports.privacy_record import WitnessRecord
from dpverify.reports.record import NotDecided
from dpverify.verifiers.claims import Depth

MUTANTS_SCHEMA_VERSION: Final = "6"
"""It changes whenever the meaning of the JSON form does, or a name in it."""

Fate = Literal["killed", "missed", "survived", "harmless", "unreached", "out of time", "invalid"]
"""Result of a mutant of a claim.

killed: the claim is REFUTED of it. missed: it is REFUTED on a stronger domain alone. survived: PROVED wherever it was
tried. harmless: PROVED for all sizes. unreached: it has the mechanism's distributions wherever this claim looks. out of
time: it was not decided by when its time was up. invalid: it raises or is undecided.
"""

FATES: Final[tuple[Fate, ...]] = get_args(Fate)


class MutantOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The fate of a mutant of a claim, and why."""

    fate: Fate
    reason: str = ""
    domain: str | None = None
    """Claims of which it is REFUTED."""
    witness: WitnessRecord | None = None


class MutantRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A mutant: the mistake, where it is, and what becomes of it."""

    operator: str
    file: str
    line: int
    function: str
    before: str
    after: str
    outcome: MutantOutcome


class ClaimMutants(msgspec.Struct, frozen=True, kw_only=True):
    """The mutants of a claim that were tried, by file and line; how many there are in all, and of which functions."""

    id: str
    claimed: str
    functions: list[str]
    mutants_in_all: int
    mutants: list[MutantRecord]

    def count(self, *fates: Fate) -> int:
        """The number of those with one of these fates."""
        return sum(mutant.outcome.fate in fates for mutant in self.mutants)

    @property
    def killed(self) -> int:
        """The number of those that the claim itself is refuted of."""
        return self.count("killed")

    @property
    def bites(self) -> bool:
        """True where it kills a mutant at least, and misses none."""
        return self.killed > 0 and not self.count("missed")


class MutationRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found. It holds no time and no machine: equal runs give equal files."""

    schema: str
    dpverify: str
    seed: int
    limit: int
    depth: Depth
    """Up to which claims were asked for."""
    claims: list[ClaimMutants]
    not_decided: list[NotDecided]
    """Claims of which no mutant was tried, or not all, and why."""
    left_out: list[str]
    """Claims that are expected to be refuted, of which mutants would say nothing."""


def mutation_json(record: MutationRecord) -> str:
    """The JSON form, indented, with a newline at its end."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n"

"""The findings of `dpverify mutate`, as plain data, with a JSON form of its own."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.former_fields import OF_MUTANTS, by_names_now
from dpverify.reports.privacy_record import LeastConstant, NoiseMultiplier, WitnessRecord
from dpverify.reports.record import NotDecided, Quantity
from dpverify.verifiers.claims import Depth

MUTANTS_SCHEMA_VERSION: Final = "5"
"""It changes whenever the meaning of the JSON form does, or a name in it."""

_FORMER_VERSION: Final = "4"

Fate = Literal["killed", "killed by another", "missed", "survived", "harmless", "unreached", "out of time", "invalid"]
"""Result of a mutant of a claim.

killed: the claim is REFUTED of it. killed by another: not this claim is, but another one of those asked for. missed: it
is REFUTED on a stronger domain, or by a claim that was not asked for, alone. survived: PROVED wherever it was tried.
harmless: PROVED for all sizes. unreached: it has the mechanism's laws wherever this claim looks. out of time: it was
not decided by when its time was up. invalid: it raises or is undecided.
"""

FATES: Final[tuple[Fate, ...]] = get_args(Fate)


class MutantOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The fate of a mutant of a claim, and why."""

    fate: Fate
    reason: str = ""
    domain: str | None = None
    """Claims of which it is REFUTED."""
    is_less_private: bool = False
    """True if its ε, or δ, is larger than the mechanism's wherever it was tried and is PROVED."""
    witness: WitnessRecord | None = None

    @property
    def survives(self) -> str:
        """Way in which no claim notices it, in words; empty where one does, or it counts for nothing."""
        if self.fate == "survived":
            return "refuted nowhere" if self.is_less_private else "as private"
        return "out of time" if self.fate == "out of time" else ""


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
    tight_over_claimed: str | None
    """The part of the claimed ε that is needed at the claimed δ, in decimals; null where it is not known."""
    smallest_delta: Quantity | None
    """The worst δ at the claimed ε; null where it is not known."""
    noise_multipliers: list[NoiseMultiplier] | None
    """The verdicts with other noise multipliers, by falling share; empty without noise of a scale, and
    null where all neighbours have one law."""
    headroom: str | None
    """The least of them, from 1 down, with which it is PROVED; null without noise of a scale."""
    least: LeastConstant | None
    """The verdicts at its least constant, and just below, where it names one."""
    loose: bool | None
    """As an audit says it: by headroom, or by the used parts of ε and δ, at the least constant if that is one."""
    loose_because: str
    """The reason why a loose claim is kept, as it says itself."""

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


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The number of mutants of each fate, each counted once, whatever the number of claims that it was tried on."""

    killed_by_own: int
    """REFUTED by own claims, among those asked for: claims of the row, or of the mechanism, that it was made for."""
    refuted_anywhere: int
    """These and all others that are REFUTED: by other claims, those not asked for too, and on stronger domains."""
    survived: int
    """PROVED wherever they were tried, and not for all sizes."""
    harmless: int
    """PROVED for all sizes by a claim, and by no other claim anything else."""
    unreached: int
    """With the laws of the mechanism wherever any claim that they were made for looks."""
    invalid: int
    """Raising, or undecided; out of time as well where `out_of_time` is null."""
    refuted_nowhere: int = 0
    """Those of `survived` with a larger ε, or δ, than the mechanism's."""
    out_of_time: int | None = None
    """Not decided by when their time was up; null in figures of before this was counted."""

    @property
    def open(self) -> int:
        """The number of those that are neither refuted nor harmless, and not as the mechanism wherever one looks."""
        return self.survived + (self.out_of_time or 0)

    @property
    def killable(self) -> int:
        """These and those that are refuted anywhere: what claims could kill."""
        return self.refuted_anywhere + self.open

    @property
    def score(self) -> Fraction | None:
        """The part of them that own claims kill; None where there are none."""
        return Fraction(self.killed_by_own, self.killable) if self.killable else None

    @property
    def rate(self) -> Fraction | None:
        """The kill rate; None where nothing is refuted anywhere."""
        return Fraction(self.killed_by_own, self.refuted_anywhere) if self.refuted_anywhere else None


class MutationRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found. It holds no time and no machine: equal runs give equal files."""

    schema: str
    dpverify: str
    seed: int
    limit: int
    depth: Depth
    """Up to which claims were asked for."""
    beyond: Depth | None
    """Up to which others of the same rows and mechanisms were tried."""
    figures: Figures
    claims: list[ClaimMutants]
    not_decided: list[NotDecided]
    """Claims of which no mutant was tried, or not all, and why."""
    left_out: list[str]
    """Claims that are expected to be refuted, of which mutants would say nothing."""


def mutation_json(record: MutationRecord) -> str:
    """The JSON form, indented, with a newline at its end."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n"


def read_mutation(path: Path, *, named: str = "mutants", again: str) -> MutationRecord:
    """The record in a file; `named` says what is meant to be in it, and `again` how it is written.

    Raises `InputError` where it holds something else, is of another schema, or cannot be read.
    """
    try:
        plain = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        if plain.get("schema") == _FORMER_VERSION:
            plain = {**by_names_now(plain, OF_MUTANTS), "schema": MUTANTS_SCHEMA_VERSION}
        record = msgspec.convert(plain, MutationRecord)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; {again}") from None
    except msgspec.MsgspecError as error:
        raise InputError(f"{path} holds no {named} ({error}): {again}") from None
    if record.schema != MUTANTS_SCHEMA_VERSION:
        raise InputError(
            bad_input.WRONG, f"{path}, of schema {record.schema},", f"of schema {MUTANTS_SCHEMA_VERSION}", again
        )
    return record

"""The mutants that claims did not notice in an earlier run of `dpverify mutate`, for a report to show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dpverify.reports.mutants_tried import MutantsTried, UnnoticedMutant
from dpverify.reports.record import AuditRecord
from dpverify.verifiers.auditing.mutation.record import ClaimMutants, MutantRecord, read_mutation


def read_mutants(path: Path) -> list[MutantsTried]:
    """The mutants by claim, as `dpverify mutate --json` has written it.

    Raises `InputError` where the file is no such one, or cannot be read.
    """
    record = read_mutation(path, again="write it with dpverify mutate … --json FILE")
    return [_mutants_tried(claim) for claim in record.claims if claim.mutants]


def with_mutants(record: AuditRecord, tried: Sequence[MutantsTried]) -> AuditRecord:
    """An audit with what became of the mutants of its claims; those of other claims are left out."""
    decided = {claim.id for claim in record.claims}
    return msgspec.structs.replace(record, mutants=[one for one in tried if one.claim in decided])


def _mutants_tried(claim: ClaimMutants) -> MutantsTried:
    unnoticed = [_unnoticed(mutant) for mutant in claim.mutants if mutant.outcome.fate in ("survived", "missed")]
    return MutantsTried(claim.id, len(claim.mutants), claim.killed, unnoticed)


def _unnoticed(mutant: MutantRecord) -> UnnoticedMutant:
    return UnnoticedMutant(
        file=mutant.file,
        line=mutant.line,
        function=mutant.function,
        operator=mutant.operator,
        before=mutant.before,
        after=mutant.after,
        fate="missed" if mutant.outcome.fate == "missed" else "survived",
        is_less_private=mutant.outcome.is_less_private,
    )

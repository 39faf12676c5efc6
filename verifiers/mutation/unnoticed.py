"""The mutants that claims did not notice in an earlier run of `dpverify mutate`, for a report to show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.mutants_tried import MutantsTried, UnnoticedMutant
from dpverify.reports.record import AuditRecord
from dpverify.verifiers.mutation.record import MUTANTS_SCHEMA_VERSION, ClaimMutants, MutantRecord, MutationRecord

_AGAIN: Final = "write it with dpverify mutate … --json FILE"


def read_mutants(path: Path) -> list[MutantsTried]:
    """The mutants by claim, as `dpverify mutate --json` has written it.

    Raises `InputError` where the file is no such one, or cannot be read.
    """
    try:
        record = msgspec.json.decode(path.read_bytes(), type=MutationRecord)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; {_AGAIN}") from None
    except msgspec.MsgspecError as error:
        raise InputError(f"{path} holds no mutants ({error}): {_AGAIN}") from None
    if record.schema != MUTANTS_SCHEMA_VERSION:
        raise InputError(f"{path} is of schema {record.schema}, and not {MUTANTS_SCHEMA_VERSION}: {_AGAIN}")
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

"""Where verdicts come from, and a record without what it says of that."""

from __future__ import annotations

import msgspec

from dpverify.reports.record import AuditRecord, ClaimResult


def origins(record: AuditRecord) -> list[str]:
    """Of each claim."""
    return [claim.origin for claim in record.claims]


def but_for_origins(record: AuditRecord) -> AuditRecord:
    """The record as if all of it had been decided by the audit itself, and without the provenance of its reports."""

    def anew(claim: ClaimResult) -> ClaimResult:
        return msgspec.structs.replace(claim, cached=False, origin="decided")

    return msgspec.structs.replace(record, claims=list(map(anew, record.claims)), provenance=None)

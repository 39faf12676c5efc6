"""The committed audit, in which slack is measured, beside what is decided in tests, where half the noise is tried."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from dpverify.reports.json_form import from_json
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import AuditRecord, ClaimResult, Status

RESULTS = Path(__file__).parents[2] / "reports" / "results"


@cache
def committed_audit() -> AuditRecord:
    return from_json((RESULTS / "audit.json").read_bytes())


@cache
def committed() -> dict[str, ClaimResult]:
    return {claim.id: claim for claim in committed_audit().claims}


@cache
def committed_privacy() -> dict[str, PrivacyResult]:
    return {claim.id: claim for claim in committed_audit().claims if isinstance(claim, PrivacyResult)}


def but_for_slack(result: ClaimResult) -> ClaimResult:
    """What is found without measuring slack, of half the noise the verdict alone, and wherever it is written."""
    result = msgspec.structs.replace(result, location=None, mechanism_location=None)
    if not isinstance(result, PrivacyResult):
        return result
    return msgspec.structs.replace(result, slack=None, weak=None, noise_shares=None)


def at_half_the_noise(result: ClaimResult) -> list[Status | None] | None:
    """What becomes of a claim with half the noise; None where that was not tried, and nothing where there is none."""
    if not isinstance(result, PrivacyResult) or result.noise_shares is None:
        return None
    return [point.verdict for point in result.noise_shares if point.share == "1/2"]

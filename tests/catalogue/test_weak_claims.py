"""A proof of privacy that a far worse mechanism earns, too, says why it is kept; one that bites has nothing to say."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.catalogue.committed import committed_privacy

from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import Status
from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy.claim import Claim

PRIVACY = {claim.id: claim for claim in selected([], kinds=["privacy"]) if isinstance(claim, Claim)}


@pytest.fixture(scope="module")
def measured() -> Mapping[str, PrivacyResult]:
    """The privacy claims of the committed audit, of those whose slack it measured."""
    measured = {name: found for name, found in committed_privacy().items() if found.weak is not None}
    assert measured, "no slack is in reports/results/audit.json: make report"
    return measured


def test_every_weak_claim_of_the_committed_audit_says_why_it_is_kept_and_no_other_does(
    measured: Mapping[str, PrivacyResult],
) -> None:
    """The reasons are those of the catalogue, so that a claim that comes to bite has to lose its own."""
    weak = {name for name, found in measured.items() if found.weak}
    explained = {name for name in measured if PRIVACY[name].weak_because}
    assert (sorted(weak - explained), sorted(explained - weak)) == ([], [])


def test_only_a_proof_can_be_weak(measured: Mapping[str, PrivacyResult]) -> None:
    assert all(claim.verdict_expected is Status.PROVED for claim in PRIVACY.values() if claim.weak_because)
    assert all(found.verdict is Status.PROVED for found in measured.values() if found.weak)


@pytest.mark.deep
@pytest.mark.parametrize("name", [claim.id for claim in PRIVACY.values() if claim.weak_because])
def test_a_claim_that_says_so_is_weak(name: str) -> None:
    """Decided anew with each share of the noise, also of claims of depth full, which the audit leaves out."""
    found = PRIVACY[name].decide(How(slack=True, recheck=False))
    assert found.weak, found.noise_shares

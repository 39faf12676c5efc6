"""A proof of privacy that a far worse mechanism earns, too, says why it is kept; one that bites has nothing to say."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.catalogue.committed import committed_audit, committed_privacy

from dpverify.reports.kinds.calculation import CalculationResult
from dpverify.reports.kinds.utility import UtilityResult
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import Status
from dpverify.verifiers import Claim, UtilityClaim
from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.calculations.claim import Calculation
from dpverify.verifiers.claims import How
from dpverify.verifiers.profiles.looseness import is_loose, used_of

PRIVACY = {claim.id: claim for claim in selected([], kinds=["privacy"]) if isinstance(claim, Claim)}

ROOT = Path(__file__).parents[2]

USEFUL = {
    claim.id: claim
    for claim in selected([], kinds=["utility", "calculation"])
    if isinstance(claim, UtilityClaim | Calculation)
}


@pytest.fixture(scope="module")
def measured() -> Mapping[str, PrivacyResult]:
    """The privacy claims of the committed audit, of those whose slack it measured."""
    measured = {name: found for name, found in committed_privacy().items() if found.loose is not None}
    assert measured, "no slack is in reports/results/audit.json: make report"
    return measured


def test_every_weak_claim_of_the_committed_audit_says_why_it_is_kept_and_no_other_does(
    measured: Mapping[str, PrivacyResult],
) -> None:
    """The reasons are those of the catalogue, so that a claim that comes to bite has to lose its own."""
    weak = {name for name, found in measured.items() if found.loose}
    explained = {name for name in measured if PRIVACY[name].weak_because}
    assert (sorted(weak - explained), sorted(explained - weak)) == ([], [])


def test_few_claims_are_weak(measured: Mapping[str, PrivacyResult]) -> None:
    """At most 12 in a hundred."""
    proved = {name for name, found in committed_privacy().items() if found.verdict is Status.PROVED}
    weak = {name for name in proved if name in measured and measured[name].loose}
    assert 100 * len(weak) <= 12 * len(proved), sorted(weak)


def weak_by_its_own_constant(name: str, found: PrivacyResult) -> bool:
    """As if its least constant were not known."""
    used = used_of(PRIVACY[name].question.claim, found.tight_over_claimed, found.smallest_delta)
    return bool(found.loose if found.least is None else is_loose(found.noise_multipliers or (), used))


def test_the_page_tells_what_is_weak_from_what_is_so_but_for_its_least_constant(
    measured: Mapping[str, PrivacyResult],
) -> None:
    by_its_own = {name for name, found in measured.items() if weak_by_its_own_constant(name, found)}
    weak = {name for name, found in measured.items() if found.loose}
    text = " ".join((ROOT / "docs" / "findings.md").read_text(encoding="utf-8").split())
    assert f"{len(by_its_own)} of the PROVED claims of privacy are weak" in text
    assert f"Of these, {len(by_its_own - weak)} name the least constant" in text
    assert f"The other {len(weak)} are the ones that the report counts as weak" in text
    table = text.partition("| weak | what was measured | sharp beside it |")[2].partition("What there is too much")[0]
    named = {name for name in measured if name in table or f"`.{name.partition('.privacy.')[2]}`" in table}
    assert weak <= named


def test_every_least_constant_is_one_and_who_gives_one_says_nothing_else(measured: Mapping[str, PrivacyResult]) -> None:
    """It is PROVED with the share that the claim gives, and REFUTED just below."""
    given = {name for name in measured if PRIVACY[name].least is not None}
    assert given
    for name in given:
        least = measured[name].least
        assert least is not None and least.is_least, name
        assert not measured[name].loose, name


def test_every_weak_claim_of_usefulness_says_why_it_is_kept_or_which_is_sharp() -> None:
    results = {one.id: one for one in committed_audit().claims if isinstance(one, UtilityResult | CalculationResult)}
    weak = {name for name, found in results.items() if found.loose}
    assert weak, "no slack of usefulness is in reports/results/audit.json: make report"
    for name in weak:
        assert USEFUL[name].weak_because or USEFUL[name].sharp_in, name
    for name, claim in USEFUL.items():
        if claim.sharp_in:
            assert claim.sharp_in in results, name
            assert not results[claim.sharp_in].loose, claim.sharp_in
            assert results[claim.sharp_in].verdict in (Status.PROVED, Status.FUZZED), claim.sharp_in


def test_only_a_proof_can_be_weak(measured: Mapping[str, PrivacyResult]) -> None:
    assert all(claim.verdict_expected is Status.PROVED for claim in PRIVACY.values() if claim.weak_because)
    assert all(found.verdict is Status.PROVED for found in measured.values() if found.loose)


@pytest.mark.deep
@pytest.mark.parametrize("name", [claim.id for claim in PRIVACY.values() if claim.weak_because])
def test_a_claim_that_says_so_is_weak(name: str) -> None:
    """Decided anew with each share of the noise, also of claims of depth full, which the audit leaves out."""
    found = PRIVACY[name].decide(How(slack=True, recheck=False))
    assert found.loose, found.noise_multipliers


@pytest.mark.deep
@pytest.mark.parametrize("name", [claim.id for claim in PRIVACY.values() if claim.least and claim.depth == "full"])
def test_a_least_constant_of_a_claim_that_no_report_decides_is_one(name: str) -> None:
    found = PRIVACY[name].decide(How(slack=True, recheck=False))
    assert found.least is not None and found.least.is_least
    assert not found.loose

"""The utility claims and calculations: each as expected, and what they must have."""

import inspect
import re
from collections.abc import Sized

import pytest
from tests.catalogue.committed import committed_audit
from tests.examples import in_one

from dpverify.reports.kinds.calculation import CalculationResult
from dpverify.reports.kinds.utility import UtilityResult
from dpverify.reports.record import Status
from dpverify.verifiers import PacClaim, UtilityClaim
from dpverify.verifiers.catalogue import calculations, utility_claims

CLAIMS = utility_claims()


@pytest.fixture(scope="module")
def committed() -> dict[str, UtilityResult]:
    """What the committed audit says of utility claims."""
    return {one.id: one for one in committed_audit().claims if isinstance(one, UtilityResult)}


def test_a_refuted_claim_keeps_its_witness_as_its_first_example(committed: dict[str, UtilityResult]) -> None:
    """Each is decided, and compared with the committed audit, in claims_catalogue.py."""
    refuted = [claim for claim in CLAIMS if claim.expected is Status.REFUTED and isinstance(claim, UtilityClaim)]
    assert refuted
    for claim in refuted:
        witness, result = claim.examples[0], committed[claim.id]
        assert claim.holds_for(witness)
        assert result.verdict is Status.REFUTED
        assert result.witness is not None
        assert result.witness.case == str(witness)
        assert result.inputs == 1


def test_what_is_proved_is_enumerated(committed: dict[str, UtilityResult]) -> None:
    for result in committed.values():
        assert (result.verdict is Status.PROVED) <= result.enumerated


def test_ids_say_paper_number_aspect_and_variant_and_are_distinct() -> None:
    for claim in CLAIMS:
        pattern = r"(BNS-J|BNS-X|BuNS|CHS|HRS)-[A-Za-z0-9]+(\.[0-9]+)*[ab]?(-MoL)?\.utility\.[a-z0-9-]+"
        assert re.fullmatch(pattern, claim.id), claim.id
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)


@in_one("claim", CLAIMS)
def test_every_mutant_says_what_it_weakens(claim: UtilityClaim | PacClaim) -> None:
    assert inspect.getdoc(claim.mutant), claim.mutant
    assert claim.mutant is not (claim.learner if isinstance(claim, PacClaim) else claim.mechanism)


def test_the_committed_audit_speaks_of_the_claims_as_they_are(committed: dict[str, UtilityResult]) -> None:
    decided = [claim for claim in CLAIMS if claim.depth != "full"]
    assert set(committed) == {claim.id for claim in decided}, "make report"
    for claim in decided:
        result = committed[claim.id]
        assert (result.source, result.statement) == (claim.source, claim.statement), "make report"
        if isinstance(claim, PacClaim):
            assert result.inputs == len(claim.cases), "make report"
        elif claim.sharpness is not None:
            assert result.sharpness is not None
            assert (result.sharpness.what, result.sharpness.paper) == (claim.sharpness.what, claim.sharpness.paper)


# Calculations, which were utility claims.
CALCULATIONS = calculations()


def test_ids_of_calculations_are_those_of_claims_of_usefulness() -> None:
    for claim in CALCULATIONS:
        assert re.fullmatch(r"(BNS-J|BNS-X|BuNS|HRS)-[A-Za-z0-9]+(\.[0-9]+)*[ab]?\.utility\.[a-z0-9-]+", claim.id), (
            claim.id
        )
    assert len({claim.id for claim in CALCULATIONS}) == len(CALCULATIONS) == 66


def test_every_claim_has_a_mutant_and_each_says_what_it_changes() -> None:
    for claim in CALCULATIONS:
        assert claim.mutants and all(mutant.change for mutant in claim.mutants), claim.id
        assert all(mutant.fields.get("computed") is not claim.computed for mutant in claim.mutants), claim.id


def test_the_committed_audit_speaks_of_the_calculations_as_they_are() -> None:
    committed = {one.id: one for one in committed_audit().claims if isinstance(one, CalculationResult)}
    assert set(committed) == {claim.id for claim in CALCULATIONS if claim.depth != "full"}, "make report"
    for claim in CALCULATIONS:
        result = committed[claim.id]
        assert (result.source, result.statement, result.verdict) == (
            claim.source,
            claim.statement,
            claim.verdict_expected,
        ), "make report"
        assert (claim.sharpness is None) == (result.sharpness is None)
        if result.verdict is Status.PROVED and isinstance(claim.cases, Sized):
            assert result.cases == len(claim.cases), "make report"

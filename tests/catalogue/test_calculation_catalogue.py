"""The calculations: what they must have, and what the committed audit says of them."""

from __future__ import annotations

import re

from tests.catalogue.committed import committed_audit

from dpverify.reports.kinds.calculation import CalculationResult
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue import calculations

CLAIMS = calculations()


def test_ids_are_those_of_claims_of_usefulness_and_are_distinct() -> None:
    for claim in CLAIMS:
        assert re.fullmatch(r"(BNS-J|BNS-X|BuNS|HRS)-[A-Za-z0-9]+(\.[0-9]+)*[ab]?\.utility\.[a-z0-9-]+", claim.id), (
            claim.id
        )
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS) == 66


def test_every_claim_has_a_mutant_and_each_says_what_it_changes() -> None:
    for claim in CLAIMS:
        assert claim.mutants and all(mutant.change for mutant in claim.mutants), claim.id
        assert all(mutant.fields.get("computed") is not claim.computed for mutant in claim.mutants), claim.id


def test_the_committed_audit_speaks_of_the_claims_as_they_are() -> None:
    committed = {one.id: one for one in committed_audit().claims if isinstance(one, CalculationResult)}
    assert set(committed) == {claim.id for claim in CLAIMS if claim.depth != "full"}, "make report"
    for claim in CLAIMS:
        result = committed[claim.id]
        assert (result.source, result.statement, result.verdict) == (
            claim.source,
            claim.statement,
            claim.verdict_expected,
        ), "make report"
        assert (claim.sharpness is None) == (result.sharpness is None)
        if result.verdict is Status.PROVED and hasattr(claim.cases, "__len__"):
            assert result.cases == len(claim.cases), "make report"

"""The utility claims: each as expected, and what they must have."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import msgspec
import pytest

from dpverify.reports.record import Status
from dpverify.reports.utility_record import UtilityResult
from dpverify.verifiers.catalogue import utility_claims
from dpverify.verifiers.utility.checker import UtilityClaim, judge
from dpverify.verifiers.utility.pac import PacClaim
from dpverify.verifiers.utility_command import check

CLAIMS = utility_claims()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_claim_is_as_expected_and_keeps_its_witness(claim: UtilityClaim | PacClaim) -> None:
    result = check(claim)
    assert result.as_expected, result
    assert (result.verdict is Status.PROVED) <= result.enumerated
    if result.verdict is Status.REFUTED and isinstance(claim, UtilityClaim):
        witness = claim.examples[0]
        assert claim.holds_for(witness)
        judged = judge(claim, witness)
        assert judged.failure > judged.beta
        assert result.witness == judged.record
        assert result.inputs == 1


def test_ids_say_paper_number_aspect_and_variant_and_are_distinct() -> None:
    for claim in CLAIMS:
        pattern = r"(BNS-J|BNS-X|BuNS|CHS|HRS)-[A-Za-z0-9]+(\.[0-9]+)*[ab]?\.utility\.[a-z0-9-]+"
        assert re.fullmatch(pattern, claim.id), claim.id
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_mutant_says_what_it_weakens(claim: UtilityClaim | PacClaim) -> None:
    assert inspect.getdoc(claim.mutant), claim.mutant
    assert claim.mutant is not (claim.learner if isinstance(claim, PacClaim) else claim.mechanism)


def test_the_committed_page_has_all_claims_with_their_verdicts() -> None:
    reports = Path(__file__).parents[2] / "reports" / "results"
    page = (reports / "utility.md").read_text(encoding="utf-8")
    shown = dict(
        re.findall(r"^\| `([^`]*)`: .*? \| \*{0,2}(PROVED|REFUTED|FUZZED|INCONCLUSIVE)\*{0,2} \|", page, re.MULTILINE)
    )
    assert shown == {claim.id: claim.verdict_expected.value for claim in utility_claims()}, "make utility"
    data = msgspec.json.decode((reports / "utility.json").read_bytes(), type=dict[str, list[UtilityResult]])
    found = {result.id: result for result in data["utility"]}
    assert set(found) == set(shown)
    for claim in CLAIMS:
        result = found[claim.id]
        assert (result.source, result.statement) == (claim.source, claim.statement), "make utility"
        if isinstance(claim, PacClaim):
            assert result.inputs == len(claim.cases), "make utility"
        elif claim.sharpness is not None:
            assert result.sharpness is not None
            assert (result.sharpness.what, result.sharpness.paper) == (claim.sharpness.what, claim.sharpness.paper)

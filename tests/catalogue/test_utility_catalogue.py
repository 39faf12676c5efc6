"""The utility claims: each as expected, and what they must have."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest

from dpverify.reports.record import Status
from dpverify.verifiers.pac import PacClaim
from dpverify.verifiers.utility import UtilityClaim, judge
from dpverify.verifiers.utility_claims import utility_claims
from dpverify.verifiers.utility_command import check

CLAIMS = utility_claims()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_claim_is_as_expected(claim: UtilityClaim | PacClaim) -> None:
    result = check(claim)
    assert result.as_expected, result
    assert (result.verdict is Status.PROVED) <= result.enumerated


def test_ids_say_paper_number_aspect_and_variant_and_are_distinct() -> None:
    for claim in CLAIMS:
        pattern = r"(BNS-J|BNS-X|BuNS|CHS|HRS)-[A-Za-z0-9]+(\.[0-9]+)*[ab]?\.utility\.[a-z0-9-]+"
        assert re.fullmatch(pattern, claim.id), claim.id
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.parametrize(
    "claim", [claim for claim in CLAIMS if claim.expected is Status.REFUTED], ids=lambda claim: claim.id
)
def test_every_refuted_claim_keeps_its_witness(claim: UtilityClaim) -> None:
    witness = claim.examples[0]
    assert claim.holds_for(witness)
    judged = judge(claim, witness)
    assert judged.failure > judged.beta
    result = check(claim)
    assert result.witness == judged.record
    assert result.inputs == 1


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_mutant_says_what_it_weakens(claim: UtilityClaim | PacClaim) -> None:
    assert inspect.getdoc(claim.mutant), claim.mutant
    assert claim.mutant is not (claim.learner if isinstance(claim, PacClaim) else claim.mechanism)


def test_the_committed_page_has_all_claims_with_their_verdicts() -> None:
    reports = Path(__file__).parents[2] / "reports"
    page = (reports / "utility.md").read_text(encoding="utf-8")
    shown = dict(
        re.findall(r"^\| `([^`]*)`: .*? \| \*{0,2}(PROVED|REFUTED|FUZZED|INCONCLUSIVE)\*{0,2} \|", page, re.MULTILINE)
    )
    assert shown == {claim.id: claim.verdict_expected.value for claim in utility_claims()}, "make utility"
    data = json.loads((reports / "utility.json").read_text(encoding="utf-8"))
    assert {result["id"] for result in data["utility"]} == set(shown)

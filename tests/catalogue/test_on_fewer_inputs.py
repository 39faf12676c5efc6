"""Utility claims that take long, on fewer inputs than an audit tries: they hold on these, and their mutants do not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.catalogue.slow import ON_FEWER_INPUTS

from dpverify.reports.record import Status
from dpverify.verifiers.catalogue import utility_claims
from dpverify.verifiers.catalogue.depths import TAKES_LONG
from dpverify.verifiers.utility import checker
from dpverify.verifiers.utility.checker import check_utility
from dpverify.verifiers.utility.claim import UtilityClaim

CLAIMS = [claim for claim in utility_claims() if claim.id in ON_FEWER_INPUTS and isinstance(claim, UtilityClaim)]

EVERY = 4
"""One of so many cases is tried where they are listed."""

EXAMPLES = 20
"""So many are where they are searched, in place of 90."""


def on_fewer_inputs(claim: UtilityClaim) -> UtilityClaim:
    """The claim without what says how many inputs are tried, and how sharp it is."""
    fewer = replace(claim, sharpness=None, floor=EXAMPLES // 2)
    if claim.cases is None:
        return replace(fewer, corners={"any": lambda case: True})
    return replace(fewer, cases=tuple(claim.cases)[::EVERY])


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_it_holds_and_its_mutant_does_not(claim: UtilityClaim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(checker._EXAMPLES, "derandomized", EXAMPLES)
    found = check_utility(on_fewer_inputs(claim))
    assert found.verdict is claim.verdict_expected is not Status.REFUTED
    assert found.mutant.status is Status.REFUTED
    assert found.inputs >= (EXAMPLES // 2 if claim.cases is None else 2)


def test_all_that_an_audit_decides_is_decided_somewhere() -> None:
    assert {claim.id for claim in CLAIMS} == ON_FEWER_INPUTS
    assert ON_FEWER_INPUTS.isdisjoint(TAKES_LONG)

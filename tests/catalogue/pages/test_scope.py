"""What the catalogue says of all sizes: which claims are decided there, with the same verdict, and why others are not."""

from dataclasses import replace
from itertools import islice

import pytest
from docs.pages.papers.scope_table import PAGE, claims_by_topic, page
from tests.catalogue.committed import committed_privacy
from tests.examples import in_one

from dpverify.reports.record import Status
from dpverify.verifiers import Claim, Histograms, Multisets, Scores, ScoreSpace, Tuples
from dpverify.verifiers.all_sizes.compositions import EveryDatabase, EveryQuality, WithSymbols
from dpverify.verifiers.all_sizes.regions.domains import AnyGrowth, as_endless
from dpverify.verifiers.catalogue import finite, privacy_claims
from dpverify.verifiers.privacy.result import of_all_sizes, verdict_on_claim
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore, ScoreGaps

PROVED = [claim for claim in privacy_claims() if claim.verdict_expected is Status.PROVED]
OF_ALL_SIZES = {claim.id: claim for claim in PROVED if claim.all_sizes is not None}
REASONS = {reason for reason in vars(finite).values() if isinstance(reason, str) and " " in reason}


def test_every_proved_claim_is_of_all_sizes_or_says_why_not() -> None:
    for claim in PROVED:
        if claim.is_of_every_delta:
            assert as_endless(claim.domain) is not None and claim.scope == "all", claim.id
        elif claim.all_sizes is None:
            assert claim.finite_because in REASONS, claim.id
        else:
            assert claim.scope == "all", claim.id
            assert not claim.finite_because, claim.id


def test_every_reason_is_that_of_some_claim() -> None:
    used = {claim.finite_because for claim in PROVED if claim.all_sizes is None and not claim.is_of_every_delta}
    assert {reason for reason in REASONS if reason != finite.__doc__} == used


@in_one("claim", OF_ALL_SIZES.values())
def test_all_sizes_hold_the_databases_of_the_finite_domain(claim: Claim) -> None:
    """With the same neighbours: PROVED on all sizes says more than PROVED on the domain, and nothing else."""
    domain, everything = claim.domain, claim.all_sizes
    if isinstance(everything, WithSymbols):
        everything = everything.domain
    if isinstance(everything, EveryDatabase):
        databases = list(islice(domain, 3000))
        assert {row for rows in databases for row in rows} <= set(everything.universe)
        fewest = everything.sizes.least
        assert fewest <= min(map(len, databases)) or f"and from {fewest:,} rows on" in claim.statement, claim.id
    elif isinstance(everything, EveryQuality):
        assert everything.solutions in ({len(quality) for quality in domain} | {OrMore(1)})
    elif isinstance(domain, ScoreSpace | ScoreGaps):
        assert isinstance(everything, Scores if isinstance(domain, ScoreSpace) else ScoreGaps)
        if isinstance(everything, Scores) and everything.by_theorems_alone:
            assert everything.fewest <= domain.solutions
        else:
            assert everything.solutions == domain.solutions
    elif isinstance(domain, BoundedGrowth):
        assert isinstance(everything, BoundedGrowth)
        assert isinstance(everything.given_rows, OrMore)
        assert everything.given_rows.least <= domain.rows
        assert everything.growth == domain.growth
        if isinstance(everything.given_solutions, OrMore):
            assert everything.fewest_solutions <= domain.solutions
        else:
            assert everything.solutions == domain.solutions
    else:
        assert isinstance(domain, Multisets | Tuples)
        assert isinstance(everything, Histograms)
        assert set(everything.universe) >= set(domain.universe)
        assert everything.sizes.least <= min(domain.sizes)


def test_the_number_of_rows_is_unknown_where_the_domain_gives_it() -> None:
    claim = OF_ALL_SIZES["BNS-J-4.4.privacy.printed"]
    assert claim.parameters["rows"] == 93
    assert "rows" not in of_all_sizes(claim).parameters
    assert isinstance(as_endless(claim.all_sizes), AnyGrowth)


@pytest.mark.parametrize(
    "claim_id",
    [
        "BNS-J-2.24.privacy.printed",
        "BNS-J-2.24.privacy.discrete-histogram-add-remove",
        "CHS-Alg1.privacy.printed-3",
        "BNS-J-2.26.privacy.printed-add-remove-ln2",
    ],
)
def test_some_are_proved_on_both_domains(claim_id: str) -> None:
    """By the committed audit, with which `claims_catalogue.py` compares what it decides."""
    result = committed_privacy()[claim_id]
    assert OF_ALL_SIZES[claim_id].all_sizes_depth == "quick"
    assert (result.verdict, result.scope.extent, result.as_expected) == (Status.PROVED, "all", True)


@pytest.mark.deep
@pytest.mark.parametrize("claim", OF_ALL_SIZES.values(), ids=OF_ALL_SIZES)
def test_no_verdict_on_all_sizes_disagrees_with_the_finite_one(claim: Claim) -> None:
    assert verdict_on_claim(replace(claim, all_sizes=None), recheck=False).status is Status.PROVED
    assert verdict_on_claim(of_all_sizes(claim), recheck=False).status is Status.PROVED


_NOT_UNDERSTOOD = {
    "BNS-J-2.24.privacy.printed-histogram-add-remove": "it releases numbers that one noise ties",
    "LSL-Num.privacy.printed": "it releases the noisy query that was compared",
}
"""Claims whose mutants are refuted on the finite domain alone, and why."""
# no theorem speaks of mutants, and parts refute nothing
MUTANTS_REFUTED = {
    name: claim
    for name, claim in OF_ALL_SIZES.items()
    if claim.all_sizes_depth == "quick"
    and name not in _NOT_UNDERSTOOD
    and not isinstance(claim.all_sizes, EveryDatabase | EveryQuality | WithSymbols)
    and not (isinstance(claim.all_sizes, BoundedGrowth) and isinstance(claim.all_sizes.given_solutions, OrMore))
    and not (isinstance(claim.all_sizes, Scores) and (claim.all_sizes.by_theorems_alone or claim.all_sizes.fewest > 2))
}


@pytest.mark.one_in(9)
@pytest.mark.parametrize("claim", MUTANTS_REFUTED.values(), ids=MUTANTS_REFUTED)
def test_the_mutants_of_those_that_take_little_are_refuted_on_all_sizes(claim: Claim) -> None:
    assert verdict_on_claim(of_all_sizes(claim), claim.mutant).status is Status.REFUTED


def test_the_page_follows_the_claims() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(claims_by_topic()), "run python -m docs.pages.papers.scope_table"

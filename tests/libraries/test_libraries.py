"""OpenDP in two versions, and diffprivlib, against models of what they document, where `make libraries` has installed them."""

from pathlib import Path

import pytest
from tests.libraries import library_claims
from tests.libraries.library_claims import EVERY, diffprivlib, opendp_0_14_1, opendp_0_16_0

from dpverify.reports.record import Status
from dpverify.reports.sampled_record import SampledResult
from dpverify.verifiers import Claim, SampledClaim, audit
from dpverify.verifiers.blackbox.sampling.json_lines import JsonLines
from dpverify.verifiers.claims import How

ROOT = Path(__file__).parents[2]


def skip_where_it_is_not_installed(claim: SampledClaim) -> None:
    assert isinstance(claim.sampler, JsonLines)
    python = Path(claim.sampler.command[0])
    if not python.exists():
        pytest.skip(f"{python.parents[1].name} is not installed: make libraries")


def decided(*claims: Claim | SampledClaim) -> list[SampledResult]:
    record = audit(claims)
    assert not record.not_decided
    return [one for one in record.claims if isinstance(one, SampledResult)]


def test_opendp_draws_the_integer_laplace_wrongly_in_one_version_and_rightly_in_another() -> None:
    """By the counts that are kept beside the claims, also where it is not installed."""
    old, new = decided(opendp_0_14_1, opendp_0_16_0)
    assert (old.verdict, old.versions["opendp"]) == (Status.REFUTED, "0.14.1")
    assert (new.verdict, new.versions["opendp"]) == (Status.INCONCLUSIVE, "0.16.0")
    assert new.model_verdict is Status.PROVED and new.agrees_to is not None and float(new.agrees_to) < 0.02
    assert new.counts_file and new.seed is None


@pytest.mark.deep
@pytest.mark.parametrize("claim", diffprivlib, ids=lambda claim: claim.id)
def test_diffprivlib_draws_what_it_documents(claim: SampledClaim) -> None:
    skip_where_it_is_not_installed(claim)
    (found,) = decided(claim)
    assert found.as_expected and found.model_verdict is Status.PROVED


def test_every_model_is_proved_and_every_claim_is_on_the_page() -> None:
    models = [one for one in EVERY if isinstance(one, Claim)]
    assert models and all(one.decide(How(recheck=False)).verdict is Status.PROVED for one in models)
    page = (ROOT / "reports" / "results" / "libraries.md").read_text(encoding="utf-8")
    for claim in EVERY:
        assert isinstance(claim, Claim) or f"`{claim.id}`" in page
    assert "opendp 0.14.1" in page and "diffprivlib 0.6.6" in page
    assert library_claims.DRAWS == 60_000

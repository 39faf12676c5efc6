"""The page of findings: what it calls refuted stands in the group of what is refuted, with the ε that is recomputed."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from tests.catalogue.committed import committed_audit

from dpverify.reports.privacy_noise import noise_in_words
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import ClaimResult, RefutationKind, Status

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
KINDS = {
    "Statements, at parameters in use": RefutationKind.STATEMENT,
    "Steps of proofs, where the statement stands": RefutationKind.PROOF_STEP,
    "To the letter, at parameters that nobody would use": RefutationKind.DEGENERATE,
    "What was filled in": RefutationKind.RECONSTRUCTION,
    "Constants of ours": RefutationKind.OUR_CONSTANTS,
    "Variants": RefutationKind.VARIANT,
}
"""The sections with tables, in their order."""


@pytest.fixture(scope="module")
def refuted() -> dict[str, ClaimResult]:
    return {claim.id: claim for claim in committed_audit().claims if claim.verdict is Status.REFUTED}


def rows_of(section: str) -> list[tuple[str, list[str]]]:
    """The lines of a section's tables that name ids, with these."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    lines = [
        (line, re.findall(r"`([A-Z][\w.-]+\.(?:privacy|utility|structure|lower-bound|step)\.[\w-]+)`", line))
        for line in text.splitlines()
    ]
    return [(line, ids) for line, ids in lines if ids]


def test_statements_come_first() -> None:
    titles = re.findall(r"^## (.*)$", PAGE, flags=re.MULTILINE)
    assert titles[: len(KINDS)] == list(KINDS)


@pytest.mark.parametrize("section", KINDS)
def test_what_stands_in_a_section_is_of_its_kind(section: str, refuted: dict[str, ClaimResult]) -> None:
    found = {name: refuted[name].refutation for _, ids in rows_of(section) for name in ids}
    assert len(found) > 2
    assert {name: of and of.kind for name, of in found.items()} == dict.fromkeys(found, KINDS[section])


def test_no_statement_proof_step_or_degenerate_refutation_is_left_out(refuted: dict[str, ClaimResult]) -> None:
    """Of several of one row and aspect, such as those of A_dist at other ε, one is enough where it is a statement."""
    named = {name for section in KINDS for _, ids in rows_of(section) for name in ids}
    rows_named = {name.rpartition(".")[0] for name in named}
    for name, claim in refuted.items():
        assert claim.refutation is not None
        if claim.refutation.kind in (
            RefutationKind.PROOF_STEP,
            RefutationKind.DEGENERATE,
            RefutationKind.OUR_CONSTANTS,
        ):
            assert name in named
        elif claim.refutation.kind is RefutationKind.STATEMENT:
            assert name.rpartition(".")[0] in rows_named


def test_the_epsilon_of_a_boundary_is_in_its_line(refuted: dict[str, ClaimResult]) -> None:
    for section in (
        "Steps of proofs, where the statement stands",
        "To the letter, at parameters that nobody would use",
    ):
        for line, ids in rows_of(section):
            shown = {Fraction(number.replace(",", "")) for number in re.findall(r"ε = ([\d,.]*\d)", line)}
            for name in ids:
                of = refuted[name].refutation
                if of is not None and of.boundary is not None:
                    assert Fraction(of.boundary.fails_at) in shown, name


def test_the_counts_are_those_of_the_committed_audit(refuted: dict[str, ClaimResult]) -> None:
    assert f"Of {len(committed_audit().claims)} claims {len(refuted)} are refuted" in PAGE
    variants = [
        claim for claim in refuted.values() if claim.refutation and claim.refutation.kind is RefutationKind.VARIANT
    ]
    assert len(variants) == 37
    assert "The audit has\nthirty-seven" in PAGE


@pytest.mark.parametrize("name", ["BuNS-2.16.privacy.30-times", "BuNS-2.16.privacy.100-times-optimum"])
def test_the_epsilon_that_compositions_need_is_that_of_the_audit_at_its_delta(name: str) -> None:
    (claim,) = (claim for claim in committed_audit().claims if claim.id == name)
    assert isinstance(claim, PrivacyResult) and claim.epsilon is not None and claim.tight_over_claimed is not None
    needed = Fraction(claim.epsilon.decimal) * Fraction(claim.tight_over_claimed)
    composition = PAGE.partition("- **Composition** ")[2].partition("\n- **")[0]
    shown = [Fraction(number) for number in re.findall(r"(\d\.\d{6})\b", composition)]
    assert [number for number in shown if abs(number - needed) <= Fraction(1, 10**6)], float(needed)
    said = " ".join(noise_in_words(claim))
    assert ("Pure ε = 3; at δ = 1/1000000 ε ≈ 2.345888." in said) == (claim.tight_epsilon is not None)

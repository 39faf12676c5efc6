"""What a refutation refutes, as commands say it: of claims of the catalogue, and of each kind that it has them of."""

import re

import pytest
from click.testing import CliRunner

from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.command_line import main

pytestmark = pytest.mark.usefixtures("decided_here")

REFUTED = (
    "BNS-J-4.4.privacy.printed-large-epsilon",
    "HRS-5.3.utility.degree-of-one-row",
    "HRS-4.9.structure.one-threshold-near-printed",
)


@pytest.mark.parametrize("claim_id", REFUTED)
def test_explaining_a_refuted_claim_says_what_is_refuted(claim_id: str) -> None:
    (claim,) = selected([claim_id])
    assert claim.refutation is not None
    done = CliRunner().invoke(main, ["explain", claim_id])
    assert done.exit_code == 0, done.output
    assert claim.refutation.in_words in " ".join(done.stdout.split())
    assert f"(expected, {claim.refutation.kind})" in done.stdout


def test_a_list_says_what_is_refuted() -> None:
    done = CliRunner().invoke(main, ["list", *REFUTED, "BNS-J-4.4.privacy.printed", "BNS-J-2.26.privacy.printed"])
    assert done.exit_code == 0
    said = [re.search(r"(PROVED|REFUTED)( \([a-z ]+\))?", line) for line in done.stdout.splitlines()]
    assert [found and found[0] for found in said] == [
        "REFUTED (degenerate)",
        "REFUTED (our constants)",
        "REFUTED (proof step)",
        "PROVED",
        "REFUTED (statement)",
    ]


def test_an_audit_counts_what_is_refuted() -> None:
    done = CliRunner().invoke(main, ["audit", "--no-cache", "--no-recheck", *REFUTED[:2], "BNS-J-2.25.privacy.scores"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-2:] == [
        "3 claims: 1 PROVED, 2 REFUTED; all as expected",
        "2 REFUTED: 1 degenerate, 1 of our constants",
    ]

"""The page of logarithms: its figures, anew."""

import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms import exp, log
from dpverify.mechanisms.selection import choose_by_stability_journal
from dpverify.verifiers import ScoreSpace, check_privacy, scores_linf
from dpverify.verifiers.catalogue import catalogue

PAGE = (Path(__file__).parents[2] / "docs" / "logarithms.md").read_text(encoding="utf-8")


def needed(delta: Fraction, threshold_delta: Any) -> tuple[str, set[int]]:
    """The worst δ of A_dist as printed at ε = 1 where its threshold is ln(1/threshold_delta), and the gaps of its pair."""
    given = {"epsilon": 1, "delta": threshold_delta}
    space = ScoreSpace(range(24), solutions=2)
    verdict = check_privacy(
        choose_by_stability_journal, space, scores_linf, epsilon=1, delta=delta, parameters=given, recheck=False
    )
    worst: Any = verdict.basis.worst
    assert verdict.delta is not None and worst is not None
    return f"{float(verdict.delta.lower):.6f}", {abs(left - right) for left, right in worst}


@pytest.mark.parametrize("delta", [Fraction(1, 10), pytest.param(Fraction(1, 10**6), marks=pytest.mark.deep)])
def test_a_dist_needs_as_much_as_is_said_in_both_readings(delta: Fraction) -> None:
    (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| {delta} |"))
    _, natural, its_gaps, base_2, their_gaps = (cell.strip() for cell in row.strip("|").split("|"))
    for said, gaps, threshold_delta in ((natural, its_gaps, delta), (base_2, their_gaps, exp(log(delta) / log(2)))):
        assert needed(delta, threshold_delta) == (said, {int(gap) for gap in gaps.split(" and ")})


def test_what_is_told_of_one_row_is_a_witness_in_one_reading() -> None:
    tenth = 0.1
    assert f"½·δ·e = {math.e * tenth / 2:.3f}" in PAGE.replace("\n", " ") and math.e * tenth / 2 > tenth
    to_base_2 = math.e * tenth ** (1 / math.log(2)) / 2
    assert f"½·e·(1/10)^(1/ln 2) = {to_base_2:.3f}" in PAGE and to_base_2 < tenth


def test_footnote_3_in_both_readings() -> None:
    natural, base_2 = (16 * math.exp(-0.75 * of(160)) for of in (math.log, math.log2))
    assert f"¾·ln(16/β)) = {natural:.3f}" in PAGE and natural > 0.1
    assert f"¾·log₂(16/β)) = {base_2:.3f}" in PAGE and base_2 < 0.1


def test_the_claims_that_are_named_are_there() -> None:
    ids = {claim.id for claim in catalogue()}
    named = set(re.findall(r"`([A-Z][\w.-]+\.[\w-]+\.[\w-]+)`", PAGE))
    assert named and named <= ids

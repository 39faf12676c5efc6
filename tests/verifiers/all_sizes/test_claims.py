"""Claims on a domain that ends and on one without end: what their results and the reports of them say."""

from typing import Any

import pytest

from dpverify.mechanisms import InputError, exponential
from dpverify.mechanisms.selection import max_of_laplaces
from dpverify.reports.kinds.privacy import background
from dpverify.reports.record import Scope
from dpverify.verifiers import Claim, Histograms, Multisets, Scores, ScoreSpace, Status, scores_linf
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy.result import privacy_result
from dpverify.verifiers.problems.neighbours import bounded_growth
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore

ONCE = How(recheck=False)
FULL = How(recheck=False, depth="full")


def most_common(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return draw(exponential({x: rows.count(x) for x in (0, 1)}, epsilon))


def in_order(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return draw(exponential({x: sum(row == x for row in sorted(rows)) for x in (0, 1)}, epsilon))


def more_than_all(draw: Any, scores: Any, *, rows: int) -> bool:
    """Whether a solution has more rows than there are."""
    return bool(scores[0] > rows)


def counted(mechanism: Any = most_common, **more: Any) -> Claim:
    return Claim(id="a.b", mechanism=mechanism, domain=Multisets((0, 1), size=3), epsilon=1, **more)


def test_a_claim_may_be_proved_on_both() -> None:
    result = privacy_result(counted(all_sizes=Histograms((0, 1)), scope="all"), ONCE)
    assert (result.scope.extent, result.scope.why, result.as_expected) == ("all", "", True)
    assert result.scope.text.startswith("ALL pairs of neighbours (replace_one) among ALL multisets")
    assert "; and, one by one, all 6 ordered pairs" in result.scope.text
    said = background(result)
    assert any(line.startswith("Found on the domain that ends: ") for line in said)
    assert not any("Not of all sizes" in line for line in said)


def test_what_is_left_to_depth_full_is_decided_there_alone() -> None:
    claim = counted(all_sizes=Histograms((0, 1)), all_sizes_depth="full", scope="all")
    usual, full = privacy_result(claim, ONCE), privacy_result(claim, FULL)
    assert (usual.scope.extent, usual.scope.why) == ("finite", "the proof for all sizes is left to depth full")
    assert usual.as_expected
    assert "Not of all sizes: the proof for all sizes is left to depth full." in background(usual)
    assert (full.scope.extent, full.as_expected) == ("all", True)


def test_a_claim_that_is_refuted_on_all_sizes_alone_is_refuted() -> None:
    """At 0.999·ε noisy max fails only from a gap of 1,996 on."""
    claim = Claim(
        id="a.b",
        mechanism=max_of_laplaces,
        domain=ScoreSpace(range(4), solutions=2),
        neighbours=scores_linf,
        epsilon="0.999",
        parameters={"epsilon": 1},
        all_sizes=Scores(solutions=2),
    )
    result = privacy_result(claim, ONCE)
    assert result.verdict is Status.REFUTED
    assert (result.scope.extent, result.scope.why) == ("finite", "a witness is enough")
    assert result.witness is not None


def test_what_is_not_decided_on_all_sizes_is_a_surprise_where_it_is_demanded() -> None:
    endless = Histograms((0, 1))
    result = privacy_result(counted(in_order, all_sizes=endless), ONCE)
    assert (result.verdict, result.scope.extent) == (Status.PROVED, "finite")
    assert "its order" in result.scope.why
    assert result.as_expected
    demanded = privacy_result(counted(in_order, all_sizes=endless, scope="all"), ONCE)
    assert demanded.surprise.startswith("expected for all sizes: ")


def test_of_a_refuted_claim_a_witness_is_enough() -> None:
    result = privacy_result(
        counted(parameters={"epsilon": 3}, expected=Status.REFUTED, finite_because="it is ours"), ONCE
    )
    assert result.scope == Scope("finite", "a witness is enough", result.scope.recomputation, result.scope.text)
    assert not any("Not of all sizes" in line for line in background(result))


def test_a_finite_claim_says_why_where_it_is_told() -> None:
    assert "Not of all sizes: it is ours." in background(privacy_result(counted(finite_because="it is ours"), ONCE))
    assert not any("Not of all sizes" in line for line in background(privacy_result(counted(), ONCE)))


def test_the_number_of_rows_is_that_of_the_endless_domain_and_not_the_parameter() -> None:
    """No solution has more rows than there are, and some have more than two: with a fixed 2 it would be refuted."""
    claim = Claim(
        id="a.b",
        mechanism=more_than_all,
        domain=BoundedGrowth(rows=2, solutions=2, growth=1),
        neighbours=bounded_growth,
        epsilon=1,
        parameters={"rows": 2},
        neighbours_agree=True,
        all_sizes=BoundedGrowth(rows=OrMore(2), solutions=2, growth=1),
        scope="all",
    )
    result = privacy_result(claim, ONCE)
    assert (result.verdict, result.scope.extent, result.as_expected) == (Status.PROVED, "all", True)
    assert result.parameters == {"rows": "2"}


def test_a_depth_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError, match=r"all_sizes_depth=.deep. is none of"):
        counted(all_sizes=Histograms((0, 1)), all_sizes_depth="deep")

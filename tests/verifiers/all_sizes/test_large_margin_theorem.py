"""Theorem 14 of docs/theorems.md: the large margin mechanism for every δ, against the checker, and wrong claims."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import InputError, discrete_laplace, symbolic
from dpverify.mechanisms.numbers.roots.delta_symbol import symbolic_delta
from dpverify.mechanisms.selection.large_margin import items_to_keep, large_margin_mechanism
from dpverify.reports.record import Status
from dpverify.verifiers import Proved, Scores, Verdict, check_privacy, scores_linf
from dpverify.verifiers.all_sizes import large_margin_theorem
from dpverify.verifiers.all_sizes.large_margin_theorem import THEOREM_14
from dpverify.verifiers.problems.neighbours import gaps_linf
from dpverify.verifiers.problems.questions import OrMore, ScoreGaps

TENTH = Fraction(1, 10)


def decided(*, delta: Any = symbolic_delta, epsilon: Any = symbolic, n: int = 1, **given: Any) -> Verdict:
    parameters = {"epsilon": symbolic, "delta": symbolic_delta, **given} if given else {}
    return check_privacy(
        large_margin_mechanism,
        Scores(solutions=OrMore(n)),
        scores_linf,
        epsilon=epsilon,
        delta=delta,
        parameters=parameters,
        recheck=False,
    )


def test_every_delta_and_every_number_of_items() -> None:
    for found in (decided(), decided(delta=TENTH, epsilon=1)):
        assert isinstance(found, Proved) and THEOREM_14 in found.scope


def test_a_large_delta_needs_a_large_share() -> None:
    found = decided(delta=symbolic_delta / 2, slack=1)
    assert found.status is Status.UNDECIDED  # Theorem 14 does not say it, and nothing refutes it


@pytest.mark.parametrize("slack", ["1/10", "1/100"])
def test_smaller_tests_are_refuted(slack: str) -> None:
    assert decided(slack=slack, n=2).status is Status.REFUTED


def test_other_noise_is_left_open() -> None:
    assert not large_margin_theorem.has_printed_tests({"noise": discrete_laplace})
    assert not large_margin_theorem.has_printed_tests({"slack": Fraction(1, 2)})
    assert large_margin_theorem.has_printed_tests({"slack": 2})


def kept(draw: Any, gaps: Any, *, epsilon: Any) -> int:
    """ℓ alone, with tests so small that each ℓ has a chance."""
    falling = sorted((-gap for gap in gaps), reverse=False)
    return items_to_keep(draw, falling[1:], epsilon=epsilon, delta=Fraction(1, 2), slack=Fraction(1, 20))


@pytest.mark.parametrize(("share", "status"), [(Fraction(2, 3), Status.PROVED), (Fraction(1, 6), Status.REFUTED)])
def test_the_number_of_items_kept_is_private_by_itself(share: Fraction, status: Status) -> None:
    found = check_privacy(
        kept, ScoreGaps(6, solutions=3), gaps_linf, epsilon=3 * share, parameters={"epsilon": 3}, recheck=False
    )
    assert found.status is status


def test_a_wrong_theorem_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_margin_theorem, "has_printed_tests", lambda _: True)
    with pytest.raises(InputError, match="violates the claim"):
        decided(slack="1/100", n=2)

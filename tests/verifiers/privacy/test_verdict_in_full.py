"""What a verdict says beside its status: bounds, pairs, scope, witness."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.verifiers.privacy.mechanisms_to_check import BITS, check_privacy, clamped

from dpverify.mechanisms import Draw, bernoulli, discrete_laplace, exact, exponential, sqrt
from dpverify.verifiers import Multisets, ScoreSpace, Status, Tuples, replace_one, scores_linf


def test_the_parts_of_a_verdict() -> None:
    def most_common(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
        return draw(exponential({x: rows.count(x) for x in range(3)}, epsilon))

    domain = Multisets(range(3), size=6)
    verdict = check_privacy(most_common, domain, replace_one, epsilon=1, delta=0)
    assert verdict.status is Status.PROVED
    assert verdict.witness is None
    assert verdict.basis.databases == 28
    assert verdict.pairs.covered == 126
    assert verdict.pairs.outside == 0
    assert verdict.epsilon is not None
    assert verdict.epsilon.lower < Fraction("0.8981891") < verdict.epsilon.upper + Fraction(1, 10**6)
    assert "126 ordered pairs" in verdict.scope
    assert "Multisets(range(0, 3), size=6)" in verdict.scope
    assert "asked for counts, their number and membership alone" in verdict.scope


def test_distinct_pairs_are_counted_once() -> None:
    verdict = check_privacy(clamped, Tuples((0, 1), size=6), epsilon=1)
    assert verdict.pairs.covered == 6 * 2**6
    assert verdict.pairs.distinct == 12  # laws of 7 counts, each with its neighbours


def test_a_constant_mechanism() -> None:
    verdict = check_privacy(lambda draw, rows: "same", BITS, epsilon=0)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == 0
    assert verdict.pairs.distinct == 0


def test_the_mechanism_gets_the_claim_unless_parameters_say_otherwise() -> None:
    def records(draw: Draw, rows: Sequence[int], *, epsilon: Any, delta: Any = None, scale: int = 1) -> Any:
        return epsilon, delta, scale

    def seen(**kwargs: Any) -> Any:
        law = check_privacy(records, BITS, epsilon=1, delta="0.5", **kwargs)
        assert law.status is Status.PROVED
        return law.scope

    assert "epsilon=1, delta=None; " in seen()
    assert "epsilon=3, scale=7, delta=1/4" in seen(parameters={"scale": 7, "epsilon": 3, "delta": "1/4"})


def test_witnesses_in_score_space_are_lifted() -> None:
    def best(draw: Draw, scores: Sequence[int]) -> int:
        return scores.index(max(scores))

    witness = check_privacy(best, ScoreSpace(range(3), solutions=2), scores_linf, epsilon=1).witness
    assert witness is not None
    assert (witness.left, witness.right) == ((0, 0), (0, 1))
    assert witness.lifted is not None
    assert "q((a,), h) = (0, 0)[h]" in witness.lifted


def test_a_sign_without_a_complete_test_makes_a_claim_undecided() -> None:
    hidden, plain = sqrt(7 + 4 * sqrt(3)) / 8, (2 + sqrt(3)) / 8

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli(hidden if database else plain)

    verdict = check_privacy(mechanism, [0, 1], lambda d: [1 - d], epsilon=0)
    assert verdict.status is Status.UNDECIDED
    assert "no complete zero test is known for sqrt" in verdict.reason
    assert verdict.delta is not None
    assert verdict.delta.upper < Fraction(1, 10**200)
    assert check_privacy(mechanism, [0, 1], lambda d: [1 - d], epsilon=0, delta="1e-9").status is Status.PROVED


def test_an_undecided_pair_does_not_hide_a_violation() -> None:
    hidden, plain = sqrt(7 + 4 * sqrt(3)) / 8, (2 + sqrt(3)) / 8

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli((plain, hidden, exact("0.1"))[database])

    verdict = check_privacy(mechanism, [0, 1, 2], lambda d: {0, 1, 2} - {d}, epsilon=0)
    assert verdict.status is Status.REFUTED


def test_an_undecided_comparison_inside_a_mechanism() -> None:
    def mechanism(draw: Draw, rows: Sequence[int]) -> bool:
        return bool(draw(discrete_laplace(1)) + sqrt(7 + 4 * sqrt(3)) >= 2 + sqrt(3))

    verdict = check_privacy(mechanism, BITS, epsilon=1)
    assert verdict.status is Status.UNDECIDED
    assert verdict.delta is None
    assert "sqrt" in verdict.reason

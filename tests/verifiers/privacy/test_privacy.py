"""check_privacy: what it must prove, what it must refute, and what it must refuse."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from tests.verifiers.privacy.mechanisms_to_check import BITS, check_privacy, clamped, geometric, true_answer

from dpverify.mechanisms import Draw, bernoulli, clamp, discrete_laplace, distribution, exp, exponential, laplace, log
from dpverify.mechanisms.selection import discrete_laplace_mechanism
from dpverify.verifiers import ScoreSpace, Status, Verdict, scores_linf

A_BIT = Fraction(1, 10**12)


def half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return sum(rows) + draw(discrete_laplace(1 / (2 * epsilon)))


def without_the_half(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return exponential([rows.count(0), rows.count(1)], 2 * epsilon)


def releases_a_row_sometimes(draw: Draw, rows: Sequence[int], *, delta: Fraction) -> Any:
    return rows[0] if draw(bernoulli(2 * delta)) else "nothing"


def threshold_without_noise(draw: Draw, rows: Sequence[int]) -> bool:
    return sum(rows) >= 2


def branches_on_the_data_before_noise(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return "empty" if sum(rows) == 0 else clamp(sum(rows) + draw(discrete_laplace(1 / epsilon)), 0, 3)


def two_counts_for_the_price_of_one(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return discrete_laplace_mechanism(draw, [sum(rows), sum(rows)], epsilon=epsilon)


def off_by_one_threshold(draw: Draw, scores: Sequence[int], *, epsilon: Fraction, delta: Fraction) -> Any:
    gap = abs(scores[0] - scores[1])
    if gap + draw(laplace(2 / epsilon)) < 2 / epsilon * log(1 / (2 * delta)) + 1:
        return None
    return scores[0] < scores[1]


SMALL_DELTA = Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    [
        (true_answer, 0),
        (true_answer, SMALL_DELTA),
        (half_the_noise, 0),
        (half_the_noise, SMALL_DELTA),
        (without_the_half, 0),
        (without_the_half, SMALL_DELTA),
        (releases_a_row_sometimes, SMALL_DELTA),
        (threshold_without_noise, 0),
        (threshold_without_noise, SMALL_DELTA),
        (branches_on_the_data_before_noise, 0),
        (branches_on_the_data_before_noise, SMALL_DELTA),
        (two_counts_for_the_price_of_one, 0),
        (two_counts_for_the_price_of_one, SMALL_DELTA),
    ],
)
@pytest.mark.parametrize("epsilon", [1, log(2), Fraction(1, 3)])
def test_broken_mechanisms_are_refuted(mechanism: Any, epsilon: Any, delta: Any) -> None:
    verdict = check_privacy(mechanism, BITS, epsilon=epsilon, delta=delta)
    assert verdict.status is Status.REFUTED
    recompute_witness(mechanism, verdict)


def test_a_threshold_that_is_one_too_low_is_refuted() -> None:
    verdict = check_privacy(
        off_by_one_threshold, ScoreSpace(range(6), solutions=2), scores_linf, epsilon=2, delta="0.01"
    )
    assert verdict.status is Status.REFUTED
    recompute_witness(off_by_one_threshold, verdict)


def recompute_witness(mechanism: Any, verdict: Verdict) -> None:
    """The witness from the laws alone: neighbours, p > e^ε·q + δ, and no smaller event of the pair violates."""
    witness = verdict.witness
    assert witness is not None
    names = mechanism.__kwdefaults__ or mechanism.__annotations__
    given_: dict[str, Any] = {n: v for n, v in (("epsilon", witness.epsilon), ("delta", witness.delta)) if n in names}
    left, right = (distribution(mechanism, database, **given_) for database in (witness.left, witness.right))
    assert left.probability(*witness.event) == witness.p
    assert right.probability(*witness.event) == witness.q
    assert witness.p > exp(witness.epsilon) * witness.q + witness.delta
    if left.is_finite and len(left) < 8:
        for size in range(len(witness.event)):
            for event in combinations(left, size):
                assert left.probability(*event) <= exp(witness.epsilon) * right.probability(*event) + witness.delta


def randomized_response(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    lie = bernoulli(1 / (1 + exp(epsilon)))
    return tuple(bit ^ draw(lie) for bit in rows)


def continuous_threshold(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> bool:
    return bool(sum(rows) + draw(laplace(1 / epsilon)) >= 2)


EQUAL = [geometric, clamped, randomized_response, continuous_threshold]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mechanism", EQUAL)
@pytest.mark.parametrize("epsilon", [1, 3, Fraction(3, 10), log(2), log(3) / 2, "0.001", 1 + log(2)])
def test_mechanisms_at_their_exact_epsilon(mechanism: Any, epsilon: Any) -> None:
    at = check_privacy(mechanism, BITS, epsilon=epsilon)
    assert at.status is Status.PROVED
    assert at.delta is not None
    assert at.epsilon is not None
    assert at.delta.exact == 0
    assert at.epsilon.exact == (Fraction(epsilon) if isinstance(epsilon, str) else epsilon)
    number = at.epsilon.exact
    assert number is not None
    below = check_privacy(mechanism, BITS, epsilon=number - number * A_BIT, parameters={"epsilon": epsilon})
    assert below.status is Status.REFUTED
    above = check_privacy(mechanism, BITS, epsilon=number + number * A_BIT, parameters={"epsilon": epsilon})
    assert above.status is Status.PROVED


@pytest.mark.parametrize("epsilon", [1, log(2)])
def test_mechanisms_at_their_exact_delta(epsilon: Any) -> None:
    def lucky(draw: Draw, rows: Sequence[int], *, epsilon: Fraction, delta: Fraction) -> Any:
        return rows[0] if draw(bernoulli(delta)) else randomized_response(draw, rows[:1], epsilon=epsilon)

    at = check_privacy(lucky, BITS, epsilon=epsilon, delta="0.001")
    assert at.status is Status.PROVED
    assert at.delta is not None
    assert at.delta.exact == Fraction(1, 1000)
    assert at.epsilon is None
    below = check_privacy(lucky, BITS, epsilon=epsilon, delta=Fraction(1, 1000) - A_BIT, parameters={"delta": "0.001"})
    assert below.status is Status.REFUTED
    assert below.witness is not None
    assert len(below.witness.event) == 1

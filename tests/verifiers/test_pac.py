"""PAC learning, exactly on small domains, and audited on larger ones."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms.concepts import Point, Threshold, thresholds
from dpverify.mechanisms.distributions import bernoulli
from dpverify.mechanisms.enumerator import distribution
from dpverify.mechanisms.errors import InputError
from dpverify.mechanisms.generic_learner import generic_learner
from dpverify.mechanisms.mechanism import Draw
from dpverify.mechanisms.thresholds_learner import learn_thresholds, rows_for_thresholds
from dpverify.reports.record import Status
from dpverify.verifiers.pac import PacAudit, Population, audit_pac, error, independent, labelled, learnt

HALF = Fraction(1, 2)


def uniform_on(d: int, target: Threshold) -> Population:
    """All points of [0, 2^d) alike."""
    return labelled([(x, Fraction(1, 1 << d)) for x in range(1 << d)], target)


def most_frequent_label(draw: Draw, sample: tuple[tuple[int, int], ...]) -> int:
    """1 where at least half of the labels are."""
    return int(2 * sum(y for _, y in sample) >= len(sample))


def is_one(hypothesis: int) -> bool:
    """Whether the label learnt is 1."""
    return hypothesis == 1


def learns_at(probability: str) -> Any:
    """A learner that fails with this probability, whatever the sample."""

    def learner(draw: Draw, sample: tuple[tuple[int, int], ...]) -> int:
        return int(not draw(bernoulli(probability)))

    return learner


def test_two_examples_of_two_kinds() -> None:
    law = independent((("a", Fraction(1, 3)), ("b", Fraction(2, 3))), 2)
    expected = {("a", "a"): Fraction(1, 9), ("a", "b"): Fraction(4, 9), ("b", "b"): Fraction(4, 9)}
    assert dict(law.probabilities) == expected


def test_three_examples_of_three_kinds_by_hand() -> None:
    law = independent((("a", HALF), ("b", Fraction(1, 4)), ("c", Fraction(1, 4))), 3)
    assert law.probability(("a", "b", "c")) == Fraction(6, 32)
    assert law.probability(("a", "a", "c")) == Fraction(3, 16)
    assert len(law) == 10


def test_an_example_of_probability_0_is_not_drawn() -> None:
    assert dict(independent((("a", Fraction(1)), ("b", Fraction(0))), 4).probabilities) == {("a",) * 4: 1}


def test_no_examples_are_refused() -> None:
    with pytest.raises(InputError, match="size"):
        independent((("a", Fraction(1)),), 0)


def test_labels_and_error_by_hand() -> None:
    population = labelled([(0, HALF), (1, Fraction(1, 3)), (2, Fraction(1, 6))], Threshold(2))
    assert population == (((0, 1), HALF), ((1, 1), Fraction(1, 3)), ((2, 0), Fraction(1, 6)))
    assert error(population, Threshold(2)) == 0
    assert error(population, Threshold(1)) == Fraction(1, 3)
    assert error(population, Point(2)) == 1


def test_learnt_is_over_sample_and_coins() -> None:
    population = (((0, 1), Fraction(1, 3)), ((1, 0), Fraction(2, 3)))
    law = distribution(learnt, population, size=2, learner=most_frequent_label)
    assert law.probability(1) == Fraction(5, 9)


def test_a_learner_that_fails_often_is_refuted() -> None:
    found = audit_pac(learns_at("1/2"), uniform_on(6, Threshold(9)), size=5, is_good=is_one, beta="1/10", samples=50)
    assert found.status is Status.REFUTED
    assert found.low > Fraction(1, 10)


def test_a_good_learner_is_inconclusive_and_never_proved() -> None:
    found = audit_pac(learns_at("1/100"), uniform_on(6, Threshold(9)), size=5, is_good=is_one, beta="1/10", samples=50)
    assert found.status is Status.INCONCLUSIVE
    assert found.low == 0


def test_the_margin_is_hoeffdings_rounded_outward() -> None:
    found = audit_pac(
        learns_at("1/2"), uniform_on(1, Threshold(1)), size=1, is_good=is_one, beta="1/2", samples=100, confidence="0.9"
    )
    # sqrt(ln(20)/200) = 0.122387…
    assert Fraction("0.122387") < found.high - HALF < Fraction("0.122388")
    assert found.high - HALF == HALF - found.low


@pytest.mark.parametrize("size", [1, 3, 6])
def test_the_exact_value_lies_within_the_bounds(size: int) -> None:
    population, given = uniform_on(2, Threshold(2)), {"hypotheses": thresholds(2), "epsilon": Fraction(2)}

    def is_good(hypothesis: Threshold) -> bool:
        return error(population, hypothesis) <= Fraction(1, 4)

    law = distribution(learnt, population, size=size, learner=generic_learner, given=given)
    failure = 1 - sum((p for h, p in law.probabilities.items() if is_good(h)), start=Fraction(0))
    found = audit_pac(generic_learner, population, size=size, is_good=is_good, beta="1/20", given=given, samples=300)
    assert failure >= found.low
    assert failure <= found.high


def test_the_same_seed_finds_the_same() -> None:
    def audited(seed: int) -> PacAudit:
        population = uniform_on(3, Threshold(3))
        return audit_pac(most_frequent_label, population, size=3, is_good=is_one, beta=HALF, samples=40, seed=seed)

    assert audited(7) == audited(7)
    assert len({audited(seed) for seed in range(6)}) > 1


@pytest.mark.parametrize(
    "changed",
    [
        {"size": 0},
        {"samples": 0},
        {"confidence": 1},
        {"confidence": 0.9},
        {"beta": 0},
        {"seed": -1},
        {"population": ()},
        {"population": (((0, 1), HALF),)},
        {"population": (((0, 1), Fraction(3, 2)), ((1, 0), -HALF))},
    ],
)
def test_bad_input_is_refused(changed: dict[str, Any]) -> None:
    given: dict[str, Any] = {"population": uniform_on(1, Threshold(1)), "size": 2, "is_good": is_one, "beta": HALF}
    given |= changed
    with pytest.raises(InputError):
        audit_pac(learns_at("1/2"), given.pop("population"), **given)


@pytest.mark.parametrize("size", [None, 1])
def test_thresholds_learnt_of_the_rows_of_theorem_3_18(size: int | None) -> None:
    """BNS-J-3.18 over the sample and the coins: INCONCLUSIVE, as all that is not refuted; of one row it is refuted."""
    population, alpha, beta = uniform_on(2, Threshold(2)), Fraction(1, 4), Fraction(1, 4)
    asked: dict[str, Any] = {"alpha": alpha, "epsilon": Fraction(20), "delta": Fraction(1, 100), "depth": 1}
    found = audit_pac(
        learn_thresholds,
        population,
        size=size or rows_for_thresholds(d=2, beta=beta, **asked),
        is_good=lambda h: isinstance(h, Threshold) and error(population, h) <= alpha,
        beta=beta,
        given={"d": 2, "base": 2, **asked},
        samples=3_000 if size else 100,
    )
    assert found.status is (Status.REFUTED if size else Status.INCONCLUSIVE)
    assert found.confidence == Fraction(999, 1000)

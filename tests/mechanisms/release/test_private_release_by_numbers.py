"""PrivLearn on numbers of rows and of samples: the same law as on rows and samples one after another."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Distribution, Draw, distribution, uniform
from dpverify.mechanisms.counting.binomial_bounds import at_most
from dpverify.mechanisms.release import ThresholdOracle, release_by_learning
from dpverify.mechanisms.release.private_release import FewestErrors, examples_of
from dpverify.verifiers.catalogue.release.private_release_accuracy import (
    EVERY_LABELLING,
    ask_about_both,
    bulk_of_samples,
    has_bit,
    kinds_of_samples,
    released,
    rows_in_parts,
    rows_with_shares,
)
from dpverify.verifiers.catalogue.release.smooth_learner_utility import EXAMPLES, G, learn_if_smooth
from dpverify.verifiers.utility.pac import numbers_of_each

HALF = Fraction(1, 2)
LITTLE = Fraction(1, 2**90)


def by_numbers(draw: Draw, queries: Distribution[int], samples: int) -> Iterable[tuple[int, int]]:
    """How often each of the queries is among so many independent ones, drawn in one."""
    population = tuple((q, Fraction(1, 2)) for q in (0, 1))
    return tuple((q, n) for q, n in enumerate(draw(numbers_of_each(population, samples))) if n)


def answers(draw: Draw, rows: Any, **given: Any) -> tuple[Fraction, ...]:
    database = dict(rows) if isinstance(rows[0], tuple) else rows
    synopsis = release_by_learning(draw, database, queries=uniform((0, 1)), predicate=has_bit, **given)
    return tuple(synopsis(q) for q in (0, 1))


@pytest.mark.parametrize("learner", [EVERY_LABELLING, ask_about_both])
def test_the_law_is_the_same_by_numbers(learner: Any) -> None:
    given: dict[str, Any] = {"learner": learner, "alpha": 1, "beta": HALF, "gamma": HALF, "epsilon": 20, "samples": 3}
    given["evaluation"] = learner is ask_about_both
    one_by_one = distribution(answers, (0b01, 0b11, 0b01), **given)
    together = distribution(answers, ((0b01, 2), (0b11, 1)), sampling=by_numbers, **given)
    assert one_by_one.probabilities.keys() == together.probabilities.keys()
    assert all(p == together.probabilities[outcome] for outcome, p in one_by_one.probabilities.items())


def test_examples_that_were_sampled_together_are_counted() -> None:
    assert examples_of((((0, 1), 1), ((0, 1), 1))) == ((0, 1), (0, 1))
    assert examples_of((((0, 1), 2), ((1, 0), 3), ((0, 1), 1))) == Counter({(0, 1): 3, (1, 0): 3})


def test_the_oracle_counts_how_often_it_is_asked_at_once() -> None:
    def asks(draw: Draw, rows: int, *, distinct: bool) -> bool:
        oracle = ThresholdOracle(draw, Counter({1: rows}), alpha=HALF, bound=3, epsilon=1, distinct=distinct)
        oracle(bool, HALF, 3)
        return oracle.has_ended

    for distinct in (True, False):
        assert distribution(asks, 2, distinct=distinct).probabilities.keys() == {not distinct}


@in_one("size, p", [*product((1, 2, 5, 40), (HALF, Fraction(1, 8), Fraction(251, 1000)))])
def test_binomial_probabilities_are_enclosed(size: int, p: Fraction) -> None:
    def exactly(number: int) -> Fraction:
        return comb(size, number) * p**number * (1 - p) ** (size - number)

    for most in range(-1, size + 2):
        low, high = at_most(size, p, most)
        assert low <= sum(map(exactly, range(most + 1) if most <= size else range(size + 1))) <= high <= low + LITTLE
    law = kinds_of_samples(size, (1 - p, p), Fraction(1, 4)).probabilities
    least = -(-size // 4)
    for kind in ((n == 0, 0 < n < least, n == size, 0 < size - n < least) for n in range(size + 1)):
        of_kind = [n for n in range(size + 1) if (n == 0, 0 < n < least, n == size, 0 < size - n < least) == kind]
        found = [share for numbers, share in law.items() if numbers is not None and numbers[1] in of_kind]
        assert 0 <= sum(map(exactly, of_kind), Fraction(0)) - sum(found, start=Fraction(0)) <= LITTLE


def test_the_bulk_of_samples_is_what_is_met_often_enough() -> None:
    shares = (Fraction(1, 4),) * 4
    law = bulk_of_samples(40, shares, Fraction(1, 8)).probabilities
    too_seldom = 4 * sum(comb(40, n) * Fraction(3) ** (40 - n) / Fraction(4) ** 40 for n in range(5))
    assert 0 <= law[None] - too_seldom <= LITTLE
    assert set(law) == {None, (10, 10, 10, 10)}


def test_databases_have_the_shares_that_are_asked_for() -> None:
    assert rows_with_shares((HALF, Fraction(1, 4)), 8) == ((0b11, 2), (0b01, 2), (0b00, 4))
    assert rows_in_parts((HALF, Fraction(0), Fraction(1, 3), Fraction(1, 6)), 8) == ((0, 4), (2, 2), (3, 2))


def test_noise_out_of_bounds_counts_as_a_failure_and_no_more() -> None:
    """With all noise the answers that are no failure have at least the probability that they have within Γ."""
    given: dict[str, Any] = {
        "weights": (HALF, HALF),
        "predicate": has_bit,
        "learner": FewestErrors(EVERY_LABELLING.concepts),
        "alpha": Fraction(1),
        "beta": HALF,
        "gamma": HALF,
        "samples": 4,
        "epsilon": 20,
        "evaluation": False,
    }
    rows = ((0b01, 4), (0b11, 4))
    within = distribution(released, rows, **given).probabilities
    everything = distribution(released, rows, all_noise=True, **given).probabilities
    assert None in within
    assert all(p <= everything[outcome] for outcome, p in within.items() if outcome is not None)


def test_the_run_ends_below_the_share_that_is_given() -> None:
    """At α = 1, f(1) = 1/2 is on the second of three thresholds, where query 0 alone, 5/8 of the samples, is answered."""
    given: dict[str, Any] = {"learner": ask_about_both, "alpha": 1, "beta": HALF, "gamma": 1, "epsilon": 10**6}

    def sampling(draw: Draw, queries: Distribution[int], samples: int) -> Iterable[tuple[int, int]]:
        return ((0, 5), (1, 3))

    rows = ((0b01, 2), (0b11, 2))
    for share, ends in ((HALF, False), (Fraction(5, 8), False), (Fraction(2, 3), True)):
        law = distribution(answers, rows, samples=8, sampling=sampling, least_share=share, **given).probabilities
        assert (max(law, key=law.__getitem__) == (HALF, HALF)) is ends


def test_the_learner_of_smooth_distributions_is_one() -> None:
    """Its three failures are below β′ = 1/288 together: e^(−200), e^(−13) and 9·e^(−1157), as e^13 > 300·1000."""
    b, share = EXAMPLES, Fraction(1, 48)
    assert b * Fraction(1, 10**6) == 200
    assert b * share / (2 * 400**2) > 13
    assert b * share / 3600 > 1157
    assert Fraction(27, 10) ** 13 > 288 * 1000
    assert 4 * 2 * G[0] == 1 - Fraction(1, 10**6)  # its share in a 2/γ-smooth distribution is at most that
    assert sum(G) == 1
    assert max(G[1:8]) < share * Fraction(995, 1000)


def test_where_it_may_err_it_does() -> None:
    def learnt(examples: dict[tuple[int, int], int], i: int) -> list[int]:
        found = learn_if_smooth(None, examples, None, t=Fraction(i, 13), gamma=Fraction(1, 48))  # type: ignore[arg-type]
        return [found(q) for q in range(9)]

    alone = {(0, 1): 100}
    assert learnt(alone, 10) == [0] * 9
    everything = {(q, 1): round(G[q] * 10**6) for q in range(9)}
    assert learnt(everything, 3) == [1, 1, 1, 0, 1, 1, 1, 1, 1]
    assert learnt(everything, 10) == [1] * 9
    assert learnt({**everything, (3, 1): 10**6 // 40}, 3) == [1] * 9

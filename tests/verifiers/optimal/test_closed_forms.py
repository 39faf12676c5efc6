"""Optima that are known by hand, or from papers."""

from fractions import Fraction
from math import comb
from typing import Any

import pytest
from tests.examples import in_one
from tests.verifiers.optimal.questions import clique, hits, path

from dpverify.mechanisms import Exact, exact, exp, log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.verifiers import Multisets, Status, check_privacy, replace_one
from dpverify.verifiers.optimal import BestMechanism, best_mechanism

pytestmark = pytest.mark.usefixtures("decided_here")

TENTH = Fraction(1, 10)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("epsilon", [log(2), log(Fraction(3, 2)), 1, Fraction(1, 2), 0], ids=str)
@pytest.mark.parametrize("delta", [0, TENTH], ids=str)
@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_clique_told_its_own_index(epsilon: ExactLike, delta: Fraction, count: int) -> None:
    # randomized response, and with δ > 0 its K-ary form with a leak
    best = best_mechanism(range(count), clique(count), hits, epsilon=epsilon, delta=delta, outcomes=range(count))
    growth = exp(epsilon)
    assert exact(best.success) == (growth + (count - 1) * delta) / (growth + count - 1)
    assert best.certificate.checks()
    verdict = check_privacy(best.mechanism, range(count), clique(count), epsilon=epsilon, delta=delta)
    assert verdict.status is Status.PROVED
    assert min(best.law[database].probability(database) for database in range(count)) == best.success


def test_a_rational_optimum_is_a_fraction() -> None:
    best = best_mechanism(range(3), clique(3), hits, epsilon=log(2), outcomes=range(3))
    assert best.success == Fraction(1, 2)
    assert isinstance(best.success, Fraction)


def truncated_geometric(count: int, epsilon: ExactLike) -> list[list[Exact]]:
    """Pr[r | i]: two-sided geometric noise on a count from 0 to count − 1, what falls outside moved to the ends."""
    a = exp(-exact(epsilon))
    rows = []
    for i in range(count):
        middle = [(1 - a) / (1 + a) * a ** abs(i - r) for r in range(1, count - 1)]
        rows.append([a**i / (1 + a), *middle, a ** (count - 1 - i) / (1 + a)])
    return rows


@in_one("epsilon", [log(2), Fraction(1, 2)])
@in_one("weights", [(1, 1, 1, 1), (4, 1, 0, 2), (1, 5, 5, 1)])
@in_one("loss", [abs, lambda gap: gap * gap, lambda gap: min(abs(gap), 1)])
def test_geometric_noise_is_best_for_a_count(epsilon: ExactLike, weights: tuple[int, ...], loss: Any) -> None:
    # Ghosh, Roughgarden & Sundararajan (2009), Theorem 3.2: with the best reading of each answer, for every prior and
    # every loss that grows with the distance
    count = len(weights)
    largest = loss(count - 1)

    def success(i: int, r: int) -> Fraction:
        return 1 - Fraction(loss(i - r), largest)

    best = best_mechanism(
        range(count), path(count), success, epsilon=epsilon, outcomes=range(count), weights=weights.__getitem__
    )
    noise = truncated_geometric(count, epsilon)
    read_best = sum(
        (
            max(
                sum((weights[i] * noise[i][r] * success(i, told) for i in range(count)), exact(0))
                for told in range(count)
            )
            for r in range(count)
        ),
        exact(0),
    )
    assert exact(best.success) == read_best
    assert best.certificate.checks()


def test_on_one_database_the_best_answer_is_told() -> None:
    best = best_mechanism(["only"], lambda _: [], lambda _, answer: Fraction(answer, 4), epsilon=1, outcomes=range(4))
    assert best.success == Fraction(3, 4)
    assert dict(best.law["only"].probabilities) == {3: 1}
    assert best.certificate.checks()


def test_neighbours_outside_the_domain_are_left_out_and_counted() -> None:
    best = best_mechanism([0, 1], lambda i: [i - 1, i + 1], hits, epsilon=log(2), outcomes=range(2))
    assert best.outside == 2
    assert best.success == Fraction(2, 3)


@pytest.mark.parametrize("epsilon", [0, 1], ids=str)
def test_nothing_is_asked_at_delta_1(epsilon: int) -> None:
    best = best_mechanism(range(3), clique(3), hits, epsilon=epsilon, delta=1, outcomes=range(3))
    assert best.success == 1
    assert best.certificate.checks()


def test_success_may_be_a_number() -> None:
    table = {(0, "a"): 1, (0, "b"): "0.5", (1, "a"): 0, (1, "b"): Fraction(1, 2)}
    best = best_mechanism([0, 1], clique(2), lambda *cell: table[cell], epsilon=log(3), outcomes=["a", "b"])
    # "b" always earns 1/2; with "a" at 3q on 0 and q on 1 it is 1/2·(1 + 3q) and 1/2·(1 − q): more for one, less for all
    assert best.success == Fraction(1, 2)


def together(best: BestMechanism) -> set[Any]:
    return {outcome for law in best.law.values() for outcome in law}


def test_outcomes_that_succeed_alike_are_told_as_one() -> None:
    def succeeds(database: int, answer: int) -> bool:
        return database == answer % 2

    best = best_mechanism([0, 1], clique(2), succeeds, epsilon=log(2), outcomes=range(6))
    assert best.success == Fraction(2, 3)
    assert together(best) == {0, 1}
    assert best.certificate.checks()  # of all six outcomes


def test_outcomes_that_succeed_less_than_another_are_not_told() -> None:
    table = [[True, True, False, False], [False, True, False, True]]
    best = best_mechanism([0, 1], clique(2), lambda i, o: table[i][o], epsilon=1, outcomes=range(4))
    assert best.success == 1
    assert together(best) == {1}
    assert best.certificate.checks()


def test_powers_of_a_large_growth_are_no_floats() -> None:
    best = best_mechanism(range(3), clique(3), hits, epsilon=log(10**30), outcomes=range(3))
    assert best.success == Fraction(10**30, 10**30 + 2)
    assert exact(best_mechanism([0, 1], clique(2), hits, epsilon=1000, outcomes=[0, 1]).success) == exp(1000) / (
        1 + exp(1000)
    )


def test_a_tiny_delta_counts() -> None:
    tiny = Fraction(1, 10**40)
    best = best_mechanism([0, 1], clique(2), hits, epsilon=log(2), delta=tiny, outcomes=[0, 1])
    assert best.success == (2 + tiny) / 3


def test_domains_and_relations_of_the_checker() -> None:
    domain = Multisets(range(2), size=3)
    best = best_mechanism(domain, replace_one, lambda rows, n: sum(rows) == n, epsilon=log(2), outcomes=range(4))
    by_count = best_mechanism(range(4), path(4), hits, epsilon=log(2), outcomes=range(4))
    assert best.success == by_count.success
    assert check_privacy(best.mechanism, domain, replace_one, epsilon=log(2)).status is Status.PROVED


def test_the_best_learner_on_average_over_samples() -> None:
    # PAC: two coins, of which one falls on heads with probability 3/4 and the other with 1/4; whose sample is it?
    size, share = 2, Fraction(3, 4)
    samples = [(coin, heads) for coin in (0, 1) for heads in range(size + 1)]

    def weight(sample: tuple[int, int]) -> Fraction:
        coin, heads = sample
        p = (share, 1 - share)[coin]
        return Fraction(1, 2) * comb(size, heads) * p**heads * (1 - p) ** (size - heads)

    # the sample alone is seen: databases with the same heads are at distance 0
    best = best_mechanism(
        samples,
        None,
        lambda sample, told: sample[0] == told,
        epsilon=log(2),
        outcomes=(0, 1),
        weights=weight,
        distance=lambda a, b: abs(a[1] - b[1]),
    )
    # by hand: with x the chance of telling 0, on 0, 1, 2 heads, it is 1/2 + (x2 − x0)/4; and x1 ≤ 2·x0 with
    # 1 − x1 ≤ 2·(1 − x2) leave x2 − x0 ≤ 1/2
    law = [best.law[0, heads].probability(0) for heads in range(size + 1)]
    assert law == [best.law[1, heads].probability(0) for heads in range(size + 1)]
    assert best.success == Fraction(5, 8)
    assert best.certificate.checks()

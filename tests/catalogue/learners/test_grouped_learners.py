"""Laws that are grouped, convolved or enclosed, against those of the learners themselves where samples can be listed."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from dpverify.mechanisms import bounds, distribution, exact
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.learners.multi_learners import direct_sum, learn_many, learn_many_points
from dpverify.mechanisms.learners.parities import Parity, learn_parities, solution
from dpverify.mechanisms.numbers.exact_numbers import total
from dpverify.mechanisms.sanitizers.concepts import Point, one_for_each_labelling, points, thresholds
from dpverify.mechanisms.selection.subsampling import on_a_sample
from dpverify.verifiers.catalogue.learners.agnostic_choices import Way, choice_of, failure_bounds
from dpverify.verifiers.catalogue.learners.empirical_learners_calculation import at_most
from dpverify.verifiers.catalogue.learners.multi_learners_privacy import how_many_choose
from dpverify.verifiers.catalogue.learners.parities.parities_utility import of_full_rank, parities_by_counts, subsamples
from dpverify.verifiers.catalogue.learners.points.many_points_calculation import Alike, fails_at_most, failure_by
from dpverify.verifiers.catalogue.sanitizers.histograms.many_points_calculation import errors
from dpverify.verifiers.catalogue.sanitizers.histograms.stable_histogram_utility import stable_is_accurate
from dpverify.verifiers.catalogue.selection.subsampling_privacy import ones_in_sample

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def chance(law: Any, event: Any) -> Any:
    """The probability of an event, a function of an outcome."""
    return total([exact(0), *(p for outcome, p in law.probabilities.items() if event(outcome))])


@pytest.mark.parametrize("rows", [((0, 1),), ((0, 0), (0, 1), (0, 0))])
def test_alike_columns_are_those_of_the_k_learner(rows: tuple[tuple[int, int], ...]) -> None:
    """All 2^k vectors of three alike columns, by how many of them are the last candidate."""

    def sanitizer(draw: object, xs: object) -> tuple[int, ...]:
        return (0,)

    given: dict[str, Any] = {"k": 3, "concepts": thresholds(1), "sanitizer": sanitizer, "epsilon": HALF}
    in_full = distribution(learn_many, tuple((x, 7 * y) for x, y in rows), **given)
    counted = distribution(how_many_choose, rows, **given)
    for number in range(4):
        listed = chance(in_full, lambda found, n=number: sum(h.j == 1 for h in found) == n)
        assert bool(chance(counted, lambda found, n=number: found[1] == n) == listed)


def parities_of_listed_subsamples(draw: Any, targets: tuple[int, ...], *, parts: int) -> Any:
    """`learn_parities` of so many subsamples of three rows, of two bits."""
    rows: tuple[Any, ...] = ()
    for _ in range(parts):
        rows += draw(subsample_law(targets))
    return draw(learn_parities, rows, d=2, k=len(targets), size=3, epsilon=Fraction(4), delta=TENTH)


def subsample_law(targets: tuple[int, ...]) -> Any:
    from dpverify.mechanisms import Distribution

    return Distribution(dict(subsamples(targets, 2, 3)))


@pytest.mark.parametrize("targets", [(1, 2), (3,)])
def test_parities_by_counts_are_those_of_the_learner(targets: tuple[int, ...]) -> None:
    """But for ties of the best with another vector, which count as failures."""
    given: dict[str, Any] = {"d": 2, "size": 3, "parts": 3, "epsilon": Fraction(4), "delta": TENTH}
    by_counts = chance(distribution(parities_by_counts, targets, **given), lambda found: found == targets)
    law = distribution(parities_of_listed_subsamples, targets, parts=3)
    listed = chance(law, lambda found: found == tuple(map(Parity, targets)))
    assert bool(by_counts <= listed)
    # a tie is told with probability ≤ ½·e^(−2·threshold) or so
    assert bool(listed <= by_counts + Fraction(1, 50))


def test_full_rank_determines_all_columns() -> None:
    """By all subsamples of three rows of two bits: those of full rank are as many as is said, and give the targets."""
    full = 0
    for rows in product(range(4), repeat=3):
        independent = len({*rows} - {0}) > 1
        full += independent
        for targets in product(range(4), repeat=2):
            labelled = tuple((x, sum(Parity(y)(x) << j for j, y in enumerate(targets))) for x in rows)
            assert not independent or solution(labelled, 2, 2) == targets
    assert bool(of_full_rank(2, 3, 1).probability(1) == Fraction(full, 64))


@pytest.mark.parametrize(
    ("masses", "alpha"), [((HALF, HALF), Fraction(1, 4)), ((Fraction(4, 5), Fraction(1, 5)), HALF)]
)
def test_points_are_no_worse_than_point_by_point(masses: tuple[Fraction, Fraction], alpha: Fraction) -> None:
    """All samples of ten rows of two points, of which point 0 is the target of both columns."""
    size = 10
    given: dict[str, Any] = {"epsilon": Fraction(3), "delta": TENTH}
    listed = []
    for number in range(size + 1):
        rows = ((0, 3),) * number + ((1, 0),) * (size - number)
        law = distribution(learn_many_points, rows, d=1, k=2, alpha=alpha, **given)
        weight = at_most(number, size, masses[0]) - (at_most(number - 1, size, masses[0]) if number else 0)
        listed.append(weight * chance(law, lambda found: any(h != Point(0) for h in found)))
    population = (Alike(1, masses[0], targets=True), Alike(1, masses[1]))
    at_worst = fails_at_most(population, size=size, alpha=alpha, **given)
    alone = failure_by(masses[0], True, size, alpha, given["epsilon"], given["delta"])
    slack = Fraction(1, 2**150)
    assert bool(alone <= total(listed) + slack)
    assert bool(total(listed) <= at_worst + slack)


def failures_listed(chances: tuple[tuple[Fraction, ...], ...], size: int, alpha: Fraction) -> Any:
    """That some column of the direct sum of generic learners of thresholds on {0, 1} errs by more than α above the best.

    By all samples of points with equal masses whose labels are those of the columns, drawn independently.
    """
    concepts = thresholds(1)
    k = len(chances)

    def right(j: int, h: Any) -> Fraction:
        return sum((HALF * (chances[j][x] if h(x) else 1 - chances[j][x]) for x in (0, 1)), Fraction(0))

    def learner(draw: Any, sample: Any) -> Any:
        return generic_learner(draw, sample, hypotheses=concepts, epsilon=Fraction(1))

    def good(found: Any) -> bool:
        return all(right(j, h) >= max(right(j, c) for c in concepts) - alpha for j, h in enumerate(found))

    parts = []
    for rows in product(product((0, 1), range(1 << k)), repeat=size):
        weight = Fraction(1)
        for x, labels in rows:
            weight *= HALF
            for j in range(k):
                weight *= chances[j][x] if labels >> j & 1 else 1 - chances[j][x]
        if weight:
            law = distribution(direct_sum, rows, k=k, learner=learner)
            parts.append(weight * chance(law, lambda found: not good(found)))
    return total(parts)


def test_choices_enclose_the_failures_of_the_direct_sum() -> None:
    """Of a column alone, exactly; of two with labels of their own, from above."""
    alpha, size = Fraction(1, 4), 2
    one = ((Fraction(9, 10), Fraction(4, 5)),)
    two = (*one, (Fraction(1, 10), Fraction(1, 5)))
    for chances in (one, two):
        choices = [choice_of((HALF, HALF), of, thresholds(1), alpha) for of in chances]
        low, high = failure_bounds(choices, size=size, epsilon=Fraction(1))
        listed = failures_listed(chances, size, alpha)
        assert bool(low <= listed)
        assert bool(listed <= high)


def test_concepts_that_differ_alike_from_the_best_are_told_apart() -> None:
    """Of four points, alike, the best of three others that err as much: each is a way of its own, not one of three."""
    masses, chances = (Fraction(1, 4),) * 4, (Fraction(1), Fraction(0), Fraction(0), Fraction(0))
    choice = choice_of(masses, chances, points(2), Fraction(1, 3))
    assert (choice.best, choice.alike, choice.alone) == (0, 1, False)
    assert choice.bad == ((Way(1, HALF, Fraction(0)), 3),)
    low, high = failure_bounds([choice], size=2, epsilon=Fraction(1))
    parts = []
    for xs in product(range(4), repeat=2):
        law = distribution(
            lambda draw, rows: generic_learner(draw, rows, hypotheses=points(2), epsilon=Fraction(1)),
            tuple((x, int(x == 0)) for x in xs),
        )
        parts.append(Fraction(1, 16) * (1 - law.probability(Point(0))))
    assert bool(low <= total(parts))
    assert bool(total(parts) <= high)


def test_a_coin_has_one_way_to_be_bad_and_of_one_column_its_bounds_meet() -> None:
    alpha, coin = Fraction(1, 4), (Fraction(7, 10), Fraction(0))
    choices = [choice_of((Fraction(1), Fraction(0)), coin, one_for_each_labelling(points(1), (0,)), alpha)] * 2
    alone = failure_bounds(choices[:1], size=3, epsilon=Fraction(1))
    assert alone[1] - alone[0] < Fraction(1, 10**30)
    low, high = failure_bounds(choices, size=3, epsilon=Fraction(1))
    # of columns with coins of their own both may be bad, each with that chance
    assert low < 1 - (1 - alone[0]) ** 2 < high
    # by the samples of three labels: both columns have the same ones
    listed = []
    for ones in range(4):
        weight = (1, 3, 3, 1)[ones] * coin[0] ** ones * (1 - coin[0]) ** (3 - ones)
        law = distribution(
            lambda draw, rows: generic_learner(draw, rows, hypotheses=points(1), epsilon=Fraction(1)),
            ((0, 1),) * ones + ((0, 0),) * (3 - ones),
        )
        right = law.probability(Point(0))
        listed.append(weight * (1 - right * right))
    middle = total(listed)
    assert low - Fraction(1, 10**30) <= bounds(middle)[1]
    assert bounds(middle)[0] <= high + Fraction(1, 10**30)


def test_a_sample_of_bits_is_known_by_its_ones() -> None:
    """The law of how many are 1, at 100 of 900 rows, has the mean and, with none, the support that it should have."""
    assert ones_in_sample(0).probabilities.keys() == {0}
    law = ones_in_sample(9).probabilities
    assert bool(total(n * p for n, p in law.items()) == 1)
    assert bool(distribution(on_a_sample, (0, 1), size=1, mechanism=lambda draw, rows: rows[0]).probability(1) == HALF)


@pytest.mark.parametrize("counts", [(1, 1, 1, 1), (3, 1), (2, 2), (8, 1), (9, 3)])
def test_the_histogram_is_off_as_point_by_point(counts: tuple[int, ...]) -> None:
    """Against `stable_histogram` itself: no less than one point alone, and no more than their sum."""
    given: dict[str, Any] = {"alpha": Fraction(1, 4), "epsilon": Fraction(2), "delta": TENTH}
    law = distribution(stable_is_accurate, counts, **given)
    profile = tuple((counts.count(count), count) for count in sorted(set(counts)))
    chances = errors(profile, **given)
    assert bool(max(chances) <= law.probability(False))
    assert bool(law.probability(False) <= total(n * p for (n, _), p in zip(profile, chances, strict=True)))
    if len(counts) == 2 and counts[0] == counts[1]:
        assert bool(law.probability(True) == (1 - chances[0]) * (1 - chances[0]))

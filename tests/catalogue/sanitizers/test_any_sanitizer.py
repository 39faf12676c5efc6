"""Bounds on learning with any sanitizer, against sums that are enumerated, and against the learner itself."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, exp
from typing import Any

import pytest

from dpverify.mechanisms.sanitizers.concepts import Threshold, points, thresholds
from dpverify.mechanisms.sanitizers.label_sanitizer import _nearest_multiple, error_by_rows, labelled_concept
from dpverify.verifiers.catalogue.sanitizers import any_sanitizer
from dpverify.verifiers.catalogue.sanitizers.any_sanitizer import (
    Parts,
    Released,
    Size,
    failure_at_least,
    failure_at_most,
    lost_at_least,
    parts_of,
)
from dpverify.verifiers.catalogue.sanitizers.learning_by_labels_calculation import CASES, one_against, size_for
from dpverify.verifiers.utility.pac import labelled

HALF, HUNDREDTH = Fraction(1, 2), Fraction(1, 100)
NOTHING_OFF = Released(Fraction(0), Fraction(0))


def chance(trials: int, p: Fraction) -> list[Fraction]:
    """Of 0, 1, … of so many trials."""
    return [comb(trials, n) * p**n * (1 - p) ** (trials - n) for n in range(trials + 1)]


@pytest.mark.parametrize(
    ("close", "fails"), [(Fraction(1, 50), Fraction(1, 20)), (Fraction(1, 10), Fraction(0)), (Fraction(0), HUNDREDTH)]
)
@pytest.mark.parametrize("wrong", [(Fraction(1), Fraction(1, 3)), (Fraction(1, 2), Fraction(0))])
def test_chernoffs_bound_is_above_the_sum(close: Fraction, fails: Fraction, wrong: tuple[Fraction, Fraction]) -> None:
    """Pr[Σ 2α′·K + F + 2·Bin(K, β′) ≥ Σ Bin(n, p)/m], all four numbers enumerated."""
    rows_of_part = 3
    parts = (Parts(4, 5, 12, Fraction(1, 3)), Parts(3, 4, 9, Fraction(0)))
    bound = any_sanitizer.no_more_wrong(parts, wrong, rows_of_part, Released(close, fails))
    exactly = Fraction(0)
    lost = [chance(each.most, fails) for each in parts]
    bad = [chance(each.rows, p) for each, p in zip(parts, wrong, strict=True)]
    fixed = sum(2 * close * each.most + each.others for each in parts)
    for (i, p_i), (j, p_j), (k, p_k), (n, p_n) in product(*map(enumerate, (*lost, *bad))):
        if fixed + 2 * (i + j) >= Fraction(k + n, rows_of_part):
            exactly += p_i * p_j * p_k * p_n
    assert exactly <= bound <= 1
    assert bound < 1 or close or fails or not all(wrong)


def runs() -> Iterator[tuple[Any, ...]]:
    """Two parts of two rows of each of two labels, real or filled, and what may be released of each, one row."""
    universe = range(3)
    for ones in product((0, 1), repeat=2):  # those of label 1, of which the target c_2 is right
        for zeros in product((2,), repeat=2):
            for filled in (0, 1):
                part_1 = (*ones, 0)[filled : filled + 2]
                part_0 = (*zeros, 0)[filled : filled + 2]
                for told in product(universe, repeat=2):
                    yield ones[filled:], zeros[filled:], part_1, part_0, told


def test_a_bad_concept_isno_more_wrong_than_the_target_only_as_the_bound_says() -> None:
    """One part of each label: 2α′ for each, the entries that are no examples, and 2 for a part that is lost."""
    concepts, target = thresholds(2), Threshold(2)
    found = 0
    for real_1, real_0, part_1, part_0, told in runs():
        released = ((2, (told[0],)), (2, (told[1],)))  # label 0 and label 1, each of two rows
        off = [
            max(abs(Fraction(c(x)) - Fraction(sum(map(c, part)), 2)) for c in concepts)
            for x, part in zip(told, (part_0, part_1), strict=True)
        ]
        for close in (Fraction(0), Fraction(1, 2)):
            allowed = sum((2 if each > close else 0) + 2 * close for each in off)
            allowed += Fraction(4 - len(real_1) - len(real_0), 2)
            for bad in concepts:
                wrong = Fraction(
                    sum(map(labelled_concept(bad), [*((x, 1) for x in real_1), *((x, 0) for x in real_0)])), 2
                )
                if error_by_rows(bad, released) <= error_by_rows(target, released):
                    found += 1
                    assert wrong <= allowed
    assert found > 100


def test_entries_that_are_no_examples_count() -> None:
    """One part with one row, on which the concept is wrong: with an entry more it may be found all the same."""
    parts = (Parts(1, 1, 1, Fraction(1)),)
    assert any_sanitizer.no_more_wrong(parts, (Fraction(1),), 1, NOTHING_OFF) == 1


def test_rows_are_rounded_as_the_learner_rounds_them() -> None:
    for rows in range(-3, 20):
        assert any_sanitizer._nearest(rows, 6) == _nearest_multiple(rows, 6, None)


@pytest.mark.parametrize(
    ("epsilon", "share"),
    [
        (HALF, Fraction(0)),
        (HALF, HALF),
        (Fraction(30), Fraction(1, 7)),  # the noise hides nothing of how far |S| may be off
        *(
            pytest.param(*more, marks=pytest.mark.deep)
            for more in ((HALF, Fraction(1, 7)), (HALF, 1), (Fraction(30), 0), (Fraction(30), HALF), (Fraction(30), 1))
        ),
    ],
)
def test_the_parts_of_a_label_are_as_many_as_is_said(epsilon: Fraction, share: Fraction) -> None:
    """|S| and ⌊Lap(1/ε)⌋, both enumerated: nearly all of it is within."""
    size = Size(2, 3, 20, epsilon)
    parts = parts_of(size, share)
    rate = float(epsilon)
    noise = {k: (1 - exp(-rate)) / 2 * exp(-rate * (k if k >= 0 else -k - 1)) for k in range(-45, 45)}
    rounding = [_nearest_multiple(n, size.block, None) for n in range(-45, size.examples + 46)]
    outside = 1e-12
    for rows, p in enumerate(map(float, chance(size.examples, share))):
        for off, q in noise.items():
            rounded = rounding[rows + off + 45]
            within = parts.least <= rounded // 2 <= parts.most and min(rows, rounded) >= parts.rows
            if not (within and rounded - rows <= parts.others * size.rows_of_part):
                outside += p * q
    assert outside < 1e-9


def test_the_worst_sanitizer_is_not_said_to_fail_where_it_does_not() -> None:
    """About 120 parts of label 1 among 400, where the target is wrong on a fifth of all."""
    population, size = one_against(Threshold(1), Fraction(3, 10), 1), Size(1, 1, 400, Fraction(100))
    given: dict[str, Any] = {"released": Released(Fraction(1, 5), Fraction(0)), "allowed": Fraction(1, 4)}
    fails = sum(p for ones, p in enumerate(chance(400, Fraction(3, 10))) if ones < 80)
    assert failure_at_least(population, thresholds(1), size, **given) <= fails < Fraction(1, 1000)


def test_a_sanitizer_that_is_worse_fails_and_one_as_good_as_asked_for_does_not() -> None:
    population, size = CASES[0]["population"], CASES[0]["size"]
    given: dict[str, Any] = {"concepts": thresholds(1), "size": size, "allowed": Fraction(27, 100)}
    of = {k: {**given, "released": Released(k * HUNDREDTH, k * HUNDREDTH)} for k in (2, 8, 16)}
    assert failure_at_most(population, **of[2]) < Fraction(1, 10**10)
    assert failure_at_most(population, **of[8]) == 1
    assert failure_at_least(population, **of[2]) == 0
    assert failure_at_least(population, **of[16]) > 1 - Fraction(1, 10**10)


@pytest.mark.parametrize("close", [Fraction(k, 100) for k in range(0, 30, 3)])
def test_what_fails_at_least_is_no_more_than_what_fails_at_most(close: Fraction) -> None:
    population = one_against(Threshold(1), Fraction(28, 100), 1)
    size = size_for(rows=50, alpha=Fraction(1, 20), beta=Fraction(1, 20), epsilon=Fraction(1, 8))
    given: dict[str, Any] = {"released": Released(close, close), "allowed": Fraction(27, 100)}
    low = failure_at_least(population, thresholds(1), size, **given)
    assert 0 <= low <= failure_at_most(population, thresholds(1), size, **given) <= 1


def test_one_block_of_examples_is_not_enough() -> None:
    """A label of less than half a block is rounded to none, and the concept that is 0 has no error then."""
    size = replace(size_for(rows=50, alpha=Fraction(1, 20), beta=Fraction(1, 20), epsilon=Fraction(1, 8)), blocks=1)
    assert parts_of(size, Fraction(28, 100)).most == 0
    population = one_against(Threshold(1), Fraction(28, 100), 1)
    assert failure_at_most(population, thresholds(1), size, NOTHING_OFF, allowed=Fraction(1, 4)) == 1


def test_points_are_learnt_too() -> None:
    population = labelled([(0, Fraction(1, 2)), (1, Fraction(1, 4)), (2, Fraction(1, 4))], points(2)[0])
    size = size_for(rows=100, alpha=HUNDREDTH, beta=HUNDREDTH, epsilon=Fraction(1, 8))
    released = Released(2 * HUNDREDTH, 2 * HUNDREDTH)
    assert failure_at_most(population, points(2), size, released, allowed=Fraction(1, 4)) < Fraction(1, 10**10)


@pytest.mark.parametrize("fails", [Fraction(1, 5), HALF, Fraction(9, 10)])
def test_a_sanitizer_that_loses_parts_fails_as_often_as_is_said(fails: Fraction) -> None:
    """Twelve parts of two rows: how many are lost, and how many rows of label 1 are left."""
    share, exactly = Fraction(1, 4), Fraction(0)
    for lost, p in enumerate(chance(12, fails)):
        for ones, q in enumerate(chance(2 * (12 - lost), share)):
            if lost > Fraction(ones, 2):
                exactly += p * q
    said = lost_at_least(12, 2, share=share, fails=fails)
    assert 0 <= said <= exactly
    assert said > HALF or fails < HALF

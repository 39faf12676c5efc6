"""What the whole of the learner of rectangles rests on: its ends are good whatever close database it looks for them on."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, pairwise, product
from typing import Any

import pytest

from dpverify.mechanisms import Exact, distribution, exp
from dpverify.mechanisms.learners.rectangles_learner import accuracy_on_axis, cut_axis, ends_on_axis
from dpverify.verifiers.catalogue.learners.thresholds.rectangles_learner_utility import (
    chance_of_noise,
    is_learnt,
    of_rows,
)

HALF = Fraction(1, 2)
Copies = tuple[tuple[int, int], ...]


def close_databases(counts: tuple[int, ...], most: int) -> Iterator[Copies]:
    """As many rows, of which those below each point are off by `most`: in all ways on few points, else in stretches."""
    *below, rows = accumulate(counts)
    stretches = [[(-1) ** ((x + i) // of) for x in range(len(below))] for of in (1, 2, 3, 5) for i in (0, of)]
    for way in product((-1, 1), repeat=len(below)) if len(counts) <= 8 else stretches:
        off = (max(0, min(rows, n + by * most)) for n, by in zip(below, way, strict=True))
        moved = [0, *accumulate(off, max), rows]  # no fewer below a point than below the one before
        copies = [after - before for before, after in pairwise(moved)]
        yield tuple((x, n) for x, n in enumerate(copies) if n)


def worst_error(counts: tuple[int, ...], axes: int, targets: Sequence[int]) -> Fraction:
    """The largest share of αm/n that is wrong on the axis, of all databases that are close, targets, and small noise."""
    close, rows, last = accuracy_on_axis(HALF, axes), sum(counts), len(counts) - 1
    worst = Fraction(0)
    for copies in close_databases(counts, int(close * rows)):
        intervals = list(cut_axis(copies, last, close))
        assert len(intervals) <= 2 / close + 1
        half = HALF * rows / (8 * axes * len(intervals))
        for low, high in combinations_with_replacement(targets, 2):
            positives = [x for x in range(low, high + 1) for _ in range(counts[x])]
            for signs in product((-1, 1), repeat=2):
                draw = scripted([signs[i % 2] * half for i in range(len(intervals))])
                found = ends_on_axis(draw, copies, positives, last=last, rows=rows, alpha=HALF, axes=axes, epsilon=1)
                inside = range(found[0], found[1] + 1) if found else range(0)
                worst = max(worst, Fraction(sum(counts[x] for x in {*inside} ^ {*range(low, high + 1)})))
    return worst / (HALF * rows / axes)


def scripted(values: list[Fraction]) -> Any:
    """Noise that is one of the values after the other."""
    left = iter(values)

    def draw(source: object, /, *args: Any, **given: Any) -> Any:
        return next(left)

    return draw


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("shape", [(16, 16, 16, 16), (32, 0, 16, 16), (28, 1, 2, 3, 1, 29)])
def test_the_ends_are_good_on_every_close_database_and_for_all_noise_that_is_small(
    axes: int, shape: tuple[int, ...]
) -> None:
    assert worst_error(tuple(n * axes for n in shape), axes, range(len(shape))) <= Fraction(7, 8)


def test_the_ends_are_good_on_many_light_points_and_wrong_on_some_rows() -> None:
    assert Fraction(1, 10) < worst_error((8,) * 64, 1, range(0, 64, 7)) <= Fraction(7, 8)


def test_the_noise_of_all_intervals_is_bounded() -> None:
    """65 intervals on one axis at α = 1/2: 65·e^(−ε·τ/8), τ = αm/(4·65)."""
    rows = Fraction(65 * 8 * 80)
    assert bool(chance_of_noise(1, rows, alpha=HALF, epsilon=Fraction(1)) == 65 * exp(-10))
    assert chance_of_noise(1, Fraction(1), alpha=HALF, epsilon=Fraction(1)) == 1


def test_it_fails_more_often_on_fewer_rows_and_on_more_axes() -> None:
    one, two = ((16,) * 4,), ((16,) * 4,) * 2

    def failure(sample: tuple[tuple[int, ...], ...], rows: int) -> Exact:
        return distribution(is_learnt, sample, **of_rows(sample, rows).parameters).probabilities[False]

    enough = 8 * 10**9
    assert failure(one, enough) < failure(one, enough // 2) < failure(two, enough // 2)

"""Which databases are tried, and where their regions are found: against brute force."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import islice, pairwise, product
from typing import Any

import numpy as np
import pytest
from tests.verifiers.all_sizes.regions.laws_on import laws_on

from dpverify.mechanisms import discrete_laplace, exact
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.errors import Cut
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.mechanisms.selection import choosing_mechanism
from dpverify.verifiers import Histograms, Scores, replace_one, scores_linf
from dpverify.verifiers.all_sizes.decision import ProvedOnRegions, decided_on_regions
from dpverify.verifiers.all_sizes.regions.constants import constants_of
from dpverify.verifiers.all_sizes.regions.domains import as_endless
from dpverify.verifiers.all_sizes.regions.located import At, DecidedRegions, coordinates, side_of
from dpverify.verifiers.all_sizes.regions.points import (
    Chances,
    evenly_in_log,
    points_around,
    points_at_cuts,
    split,
    spread_points,
)
from dpverify.verifiers.all_sizes.regions.real_rows import ORDERS, Order, orders_of_few, real_rows
from dpverify.verifiers.all_sizes.regions.regions import Region, region
from dpverify.verifiers.problems.neighbours import bounded_growth, gaps_linf
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore, ScoreGaps
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee

DOMAINS = [
    (Histograms("abc"), replace_one),
    (Histograms("ab", sizes=OrMore(15)), replace_one),
    (Scores(solutions=2), scores_linf),
    (ScoreGaps(solutions=3), gaps_linf),
    (BoundedGrowth(rows=OrMore(2), solutions=2, growth=1), bounded_growth),
]


def regions_of(domain: Any, relation: Any) -> list[Region]:
    endless = as_endless(domain)
    assert endless is not None
    return list(endless.regions(relation))


# Sizes
def test_sizes_are_as_many_in_each_decade() -> None:
    sizes = [evenly_in_log(i) for i in range(400)]
    assert sizes[0] == max(sizes) == 10_000 and min(sizes) >= 1
    for low in (1, 10, 100, 1000):
        assert 85 <= sum(low <= size < 10 * low for size in sizes) <= 115


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_a_size_is_split_into_parts_of_all_kinds(parts: int) -> None:
    found = [split(1000, parts, i, Chances(1)) for i in range(4 * parts)]
    assert all(sum(part) == 1000 and min(part) >= 0 and len(part) == parts for part in found)
    for place in range(parts):
        assert any(part[place] == 1000 for part in found), "each alone"
    assert any(max(part) - min(part) <= 1 for part in found), "all alike"


def test_chance_depends_on_the_seed_alone() -> None:
    first, again, other = ([Chances(seed).below(1000) for _ in range(1)] for seed in (1, 1, 2))
    assert first == again != other
    chances = Chances(7)
    often = Counter(chances.below(10) for _ in range(2000))
    assert set(often) == set(range(10)) and min(often.values()) > 120


# Points
@pytest.mark.parametrize(("domain", "relation"), DOMAINS)
def test_points_are_neighbours_of_the_domain(domain: Any, relation: Any) -> None:
    regions = regions_of(domain, relation)
    points = [*islice(spread_points(regions, Chances(3)), 300), *points_around(regions, (0, 7, 777), Chances(3))]
    assert all(map(_is_of_domain, points))
    assert len({at.sides for at in points}) > 250
    assert len({at.region for at in points}) > len([each for each in regions if _has_points(each)]) / 2, "all over"


def _is_of_domain(at: At) -> bool:
    return min(at.point, default=0) >= 0 and min(at.region.needed.at(at.point), default=0) >= 0


def _has_points(each: Region) -> bool:
    return any(_is_of_domain(At(each, point)) for point in product(range(20), repeat=each.chart.dimension))


@pytest.mark.parametrize("constant", [0, 1, 31, 777, 5000])
def test_each_constant_is_met_by_each_row_by_all_and_by_a_difference(constant: int) -> None:
    regions = regions_of(Histograms("abc"), replace_one)
    sides = [side for at in points_around(regions, (constant,), Chances(3)) for side in at.sides]
    for value in (constant - 1, constant, constant + 1):
        if value >= 0:
            for place in range(3):
                assert any(side[place] == value for side in sides), f"{value} of row {place}"
            assert any(sum(side) == value for side in sides) or value == 0, f"{value} in all; 0 rows have no neighbour"
            assert any(abs(a - b) == value for side in sides for a, b in pairwise(side))


def test_cuts_are_met_on_both_sides() -> None:
    (one,) = regions_of(Histograms("ab"), replace_one)
    points = [at.point for at in points_at_cuts([(one, Cut(0, least=40))], Chances(1))]
    assert {39, 40, 41} <= {point[0] for point in points}
    points = [at.point for at in points_at_cuts([(one, Cut(0, j=1))], Chances(1))]
    assert {-1, 0, 1} <= {point[0] - point[1] for point in points}
    points = [at.point for at in points_at_cuts([(one, Cut(1, modulus=5))], Chances(1))]
    assert {0, 1, 4} <= {point[1] % 5 for point in points}


def test_of_cuts_that_are_alike_the_first_and_the_last_are_met() -> None:
    (one,) = regions_of(Histograms("ab"), replace_one)
    moved = [Region(one.chart.moved([i, 0] * 2 + [0] * (len(one.chart.rows) - 4)), one.width) for i in range(50)]
    points = list(points_at_cuts([(each, Cut(1, least=9)) for each in moved], Chances(1)))
    assert {at.region for at in points} == {moved[0], moved[-1]}


# Where regions are found
@pytest.mark.parametrize("cut", [Cut(0, least=3), Cut(1, j=0), Cut(0, j=1), Cut(1, modulus=4), Cut(0, least=1)])
def test_a_point_is_on_the_side_that_says_so(cut: Cut) -> None:
    chart = AffineRegion((2, -1), ((1, 2), (0, 1)))
    sides = list(chart.sides(cut))
    for point in product(range(9), repeat=2):
        side, there = side_of(cut, point)
        assert min(there, default=0) >= 0
        assert sides[side].at(there) == chart.at(point)


def threshold(draw: Any, rows: Any) -> Any:
    a, b = rows.count(0), rows.count(1)
    return (3 if a > 2 * b else 5 if a + b == 7 else 0) + draw(discrete_laplace(100)) > 0


def test_the_leaf_of_a_point_is_the_region_that_was_decided() -> None:
    domain = Histograms((0, 1))
    laws = laws_on(domain, threshold, {})
    found = decided_on_regions(domain.regions(replace_one), laws, PrivacyGuarantee(exact(1), exact(0)))
    assert isinstance(found, ProvedOnRegions) and len(found.regions.cuts) > 5
    (start,) = found.regions.starts
    leaves = set()
    for point in product(range(12), repeat=2):
        leaf = found.regions.leaf(At(start, point))
        assert leaf.region not in found.regions.cuts and min(leaf.point, default=0) >= 0
        assert leaf.sides == At(start, point).sides
        leaves.add(leaf.region)
    assert 5 < len(leaves) <= found.cases


def test_without_cuts_a_point_stays_where_it_is() -> None:
    at = At(region(AffineRegion((0,), ((1,),)), AffineRegion((1,), ((1,),))), (4,))
    assert DecidedRegions().leaf(at) is at


@pytest.mark.parametrize(
    "chart",
    [
        AffineRegion((2, -1), ((1, 2), (0, 1))),
        AffineRegion((0, 0, 1), ((0, 1), (2, 0), (1, 1))),
        AffineRegion((3, 4), ((1,), (-1,))),
        AffineRegion((3, 4), ((), ())),
        AffineRegion((1, 1), ((0, 4), (1, 0))),
    ],
)
def test_coordinates_are_found_where_there_are_some_and_nowhere_else(chart: AffineRegion) -> None:
    held = {chart.at(point): point for point in product(range(12), repeat=chart.dimension)}
    for numbers in product(range(-3, 8), repeat=len(chart.rows)):
        assert coordinates(chart, numbers) == held.get(numbers)


# Rows
def test_rows_come_in_four_orders_with_the_same_counts() -> None:
    times = (5, 0, 9, 2)
    found = {order: real_rows("abcd", times, order, 1) for order in ORDERS}
    assert len(set(found.values())) == 4
    for rows in found.values():
        assert Counter(rows) == Counter("aaaaacccccccccdd")
    assert found[Order.REVERSED] == found[Order.AS_THE_UNIVERSE][::-1]
    assert "".join(map(str, found[Order.INTERLEAVED])) == "acdacdacacaccccc"
    assert found[Order.SHUFFLED] == real_rows("abcd", times, Order.SHUFFLED, 1)
    assert found[Order.SHUFFLED] != real_rows("abcd", times, Order.SHUFFLED, 2)


def test_small_databases_come_in_every_order_and_others_in_some() -> None:
    assert Counter(orders_of_few("ab", (2, 2), 1)) == Counter(
        {rows: 1 for rows in product("ab", repeat=4) if rows.count("a") == 2}
    )
    assert len(set(orders_of_few("ab", (9, 9), 1))) == size_of_sample("orders of small databases") == 24
    assert list(orders_of_few("ab", (0, 0), 1)) == [()]


# Constants
_GLOBAL = 4321
_TABLE = {"size": 65}


class _Held:
    def __init__(self) -> None:
        self.most = 222

    def __call__(self, draw: Any, rows: Any) -> Any:
        return len(rows) > self.most


def test_constants_of_all_that_a_mechanism_reaches() -> None:
    enclosed = 99

    def inner(n: int, most: int = 17) -> bool:
        return n > most or n in (enclosed, _GLOBAL)

    def mechanism(draw: Any, rows: Any, *, least: int = -33) -> Any:
        nested = [n for n in (1234, 5.5, -40) if n]
        return inner(len(rows)) and nested and rows.count(0) == Decimal("777") and _TABLE and len(rows) < least

    found = constants_of(mechanism, {"other": (Fraction(7, 2), 8_000)})
    assert {99, 17, 4321, 33, 1234, 5, 6, 40, 777, 65, 3, 4, 8000} <= set(found)
    assert list(found) == sorted(found) and found[0] >= 0
    assert 222 in constants_of(_Held(), {})
    assert 10**9 not in constants_of(lambda draw, rows: len(rows) > 10**9, {})
    assert constants_of(choosing_mechanism, {}), "of this library its own file"


def test_constants_may_be_huge_or_in_arrays() -> None:
    table, huge = np.array([[31, 2], [3, 4]]), 10**400

    assert 31 in constants_of(lambda draw, rows: rows.count(0) < table[0][0] or rows.count(0) > huge, {})

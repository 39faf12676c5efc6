"""VC dimensions: the search against going through all sets and against solvers, and closed forms against the search."""

from collections.abc import Callable, Iterable
from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import InputError
from dpverify.mechanisms.learners import parities
from dpverify.mechanisms.learners.rectangles_learner import Rectangle, rectangles
from dpverify.mechanisms.release.conjunctions import Conjunction, literals
from dpverify.mechanisms.sanitizers import Point, Threshold, points, thresholds
from dpverify.mechanisms.sanitizers.concepts import AllZero
from dpverify.mechanisms.sanitizers.dimensions import (
    Behaviours,
    behaviours,
    dichotomies,
    growth,
    is_shattered,
    labelled_behaviours,
    vc_dimension,
)
from dpverify.mechanisms.sanitizers.known_dimensions import (
    vc_of_conjunctions,
    vc_of_k_points,
    vc_of_labelled,
    vc_of_monotone_conjunctions,
    vc_of_parities,
    vc_of_points,
    vc_of_rectangles,
    vc_of_thresholds,
    vc_of_thresholds_at_points,
)
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept
from dpverify.mechanisms.sanitizers.point_sets import point_sets
from dpverify.verifiers.catalogue.sanitizers.dimensions_calculation import nearly_shattered
from dpverify.verifiers.structure.smt import SOLVERS, script


def by_definition(concepts: Behaviours) -> int:
    """Definition 2.11, to the letter."""
    return max(
        size
        for size in range(len(concepts.points) + 1)
        for some in combinations(range(len(concepts.points)), size)
        if len({tuple(b >> i & 1 for i in some) for b in concepts.behaviours}) == 2**size
    )


def of_masks(size: int, masks: Iterable[int]) -> Behaviours:
    return Behaviours(tuple(range(size)), tuple(sorted(set(masks))))


classes = st.integers(0, 6).flatmap(
    lambda size: st.builds(of_masks, st.just(size), st.sets(st.integers(0, 2**size - 1), min_size=1, max_size=40))
)


@pytest.mark.deep
@few(75, deep=1_500)
@given(classes)
def test_the_search_finds_the_largest_shattered_set(concepts: Behaviours) -> None:
    found = vc_dimension(concepts)
    assert found.vc == len(found.shattered) == by_definition(concepts)
    assert is_shattered(concepts, found.shattered)
    assert len(dichotomies(concepts, found.shattered)) == 2**found.vc


@few(30, deep=600)
@given(classes)
def test_facts_that_hold_of_every_class(concepts: Behaviours) -> None:
    vc = vc_dimension(concepts).vc
    assert 2**vc <= len(concepts.behaviours)
    for size in range(len(concepts.points) + 1):
        assert growth(concepts, size) <= sum(comb(size, i) for i in range(vc + 1))  # Sauer, Shelah and Perles
        assert (growth(concepts, size) == 2**size) == (size <= vc)
    assert vc_dimension(labelled_behaviours(concepts)).vc == vc_of_labelled(vc)
    other = vc_dimension(Behaviours(concepts.behaviours, tuple(sorted(set(concepts.columns.values()))))).vc
    assert other < 2 ** (vc + 1)
    assert vc < 2 ** (other + 1)
    assert nearly_shattered(concepts) >= vc


def test_labelled_behaviours_are_those_of_labelled_concepts() -> None:
    for concepts in (points(2), thresholds(2)):
        pairs = [(x, sigma) for sigma in (0, 1) for x in range(4)]
        assert labelled_behaviours(behaviours(concepts, range(4))) == behaviours(map(labelled_concept, concepts), pairs)


def test_growth_of_known_classes() -> None:
    """Of m thresholds' points m + 1 dichotomies, of intervals C(m, 2) + m + 1, of points m + 1, with one to spare."""
    on_seven = range(7)
    for m in range(7):
        assert growth(behaviours(map(Threshold, range(8)), on_seven), m) == m + 1
        assert growth(behaviours(map(Point, on_seven), on_seven), m) == m + 1
        assert growth(behaviours(map(Rectangle, *zip(*pairs(7), strict=True)), singles(7)), m) == m * (m + 1) // 2 + 1
    assert growth(behaviours(map(Point, on_seven), on_seven), 7) == 7


def pairs(size: int) -> list[tuple[tuple[int], tuple[int]]]:
    return list(product(singles(size), singles(size)))


def singles(size: int) -> list[tuple[int]]:
    return [(x,) for x in range(size)]


def conjunctions(d: int) -> Behaviours:
    """Of attributes and negated attributes."""
    rows = [literals(u, d) for u in range(1 << d)]
    return behaviours(map(Conjunction, range(1 << 2 * d)), rows)


def rectangles_of(side: int, axes: int) -> Behaviours:
    corners = product(product(range(side), repeat=axes), repeat=2)
    return behaviours((Rectangle(low, high) for low, high in corners), product(range(side), repeat=axes))


CLOSED: list[tuple[str, Callable[..., int], Callable[..., Behaviours], list[tuple[int, ...]]]] = [
    ("points", vc_of_points, lambda n: behaviours(map(Point, range(n)), range(n)), [(n,) for n in range(1, 40)]),
    (
        "k points",
        lambda d, k: vc_of_k_points(1 << d, k),
        lambda d, k: behaviours(point_sets(d, k), range(1 << d)),
        [(d, k) for d in range(4) for k in range(1, (1 << d) + 1)],
    ),
    (
        "thresholds",
        vc_of_thresholds,
        lambda n: behaviours(map(Threshold, range(n + 1)), range(n)),
        [(n,) for n in range(1, 40)],
    ),
    (
        "thresholds at points",
        vc_of_thresholds_at_points,
        lambda n: behaviours(map(Threshold, range(1, n + 1)), range(n)),
        [(n,) for n in range(1, 40)],
    ),
    (
        "rectangles",
        vc_of_rectangles,
        rectangles_of,
        [
            (1, 0),
            (3, 0),
            (1, 1),
            (1, 2),
            (2, 1),
            (2, 2),
            (2, 3),
            (2, 4),
            (3, 1),
            (3, 2),
            (3, 3),
            (4, 2),
            (5, 2),
            (9, 1),
        ],
    ),
    ("parities", vc_of_parities, lambda d: behaviours(parities(d), range(1 << d)), [(d,) for d in range(7)]),
    (
        "monotone conjunctions",
        vc_of_monotone_conjunctions,
        lambda d: behaviours(map(Conjunction, range(1 << d)), range(1 << d)),
        [(d,) for d in range(7)],
    ),
    ("conjunctions", vc_of_conjunctions, conjunctions, [(d,) for d in range(5)]),
]


@pytest.mark.parametrize(("closed", "family", "sizes"), [row[1:] for row in CLOSED], ids=[row[0] for row in CLOSED])
def test_closed_forms(
    closed: Callable[..., int], family: Callable[..., Behaviours], sizes: list[tuple[int, ...]]
) -> None:
    for size in sizes:
        assert vc_dimension(family(*size)).vc == closed(*size), size


def test_the_classes_that_are_enumerated() -> None:
    assert len(point_sets(2, 2)) == 6
    assert behaviours(point_sets(3, 1), range(8)) == behaviours(points(3), range(8))
    assert len(set(rectangles(2, 1))) == 16
    assert len(behaviours(rectangles(2, 1), product(range(2), repeat=2)).behaviours) == 10
    assert [concept(3) for concept in parities(2)] == [0, 1, 1, 0]
    assert vc_dimension(behaviours([AllZero()], range(3))).vc == 0
    assert vc_dimension(behaviours([AllZero()], [])).vc == 0


def shattering_question(concepts: Behaviours, size: int) -> str:
    """Whether some `size` points are shattered, of a class that is given as a table, as SMT-LIB 2."""
    names = [f"x{i}" for i in range(size)]
    assertions = {f"{name} is a point": f"(and (<= 0 {name}) (< {name} {len(concepts.points)}))" for name in names}
    for labels in product((0, 1), repeat=size):
        realised = [
            "(and true "
            + " ".join(
                f"(or false {' '.join(f'(= {x} {i})' for i in range(len(concepts.points)) if b >> i & 1 == label)})"
                for x, label in zip(names, labels, strict=True)
            )
            + ")"
            for b in concepts.behaviours
        ]
        assertions[f"labelling {labels}"] = f"(or false {' '.join(realised)})"
    return script("QF_LIA", [f"(declare-const {name} Int)" for name in names], assertions)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "concepts",
    [
        behaviours(points(0), range(1)),
        behaviours(points(2), range(4)),
        behaviours(thresholds(2), range(4)),
        behaviours(point_sets(2, 3), range(4)),
        behaviours(parities(2), range(4)),
        behaviours(rectangles(2, 1), product(range(2), repeat=2)),
        behaviours(rectangles(1, 2), singles(4)),
    ],
)
def test_solvers_find_no_larger_shattered_set(concepts: Behaviours) -> None:
    vc = vc_dimension(concepts).vc
    for ask in SOLVERS.values():
        assert ask(shattering_question(concepts, vc)).verdict == "sat"
        assert ask(shattering_question(concepts, vc + 1)).verdict == "unsat"


@pytest.mark.parametrize("change", ["one cell may be empty", "no cut"])
def test_a_broken_search_is_noticed(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from dpverify.mechanisms.sanitizers import dimensions

    monkeypatch.setattr(
        dimensions,
        "_shattering",
        (lambda cells, column, least: [cell & column for cell in cells] + [cell & ~column for cell in cells])
        if change == "no cut"
        else (lambda cells, column, least: list(dimensions._cut(cells, column))),
    )
    assert vc_dimension(behaviours(points(2), range(4))).vc != 1


def test_a_larger_search_ends() -> None:
    """Of C(27, 7) = 888,030 sets of seven points of 27, about a thousand are looked at."""
    found = vc_dimension(rectangles_of(3, 3))
    assert (found.vc, found.looked_at < 2000) == (6, True)


def test_bad_input() -> None:
    few_points = behaviours(points(1), range(2))
    with pytest.raises(InputError, match="twice"):
        behaviours(points(1), (0, 0))
    with pytest.raises(InputError, match=r"a label of .*\..* is not 0 or 1"):
        behaviours([lambda x: x], (2,))
    with pytest.raises(InputError, match="empty"):
        behaviours([], (0,))
    with pytest.raises(InputError, match="7 is not a point of the class"):
        dichotomies(few_points, (7,))
    with pytest.raises(InputError, match="size=3"):
        growth(few_points, 3)
    with pytest.raises(InputError, match="k=3"):
        vc_of_k_points(2, 3)

"""Structure of rectangles: which sets of points they shatter, on grids of every size."""

from collections.abc import Sequence
from itertools import product
from typing import Final

from dpverify.mechanisms.learners.rectangles_learner import Rectangle
from dpverify.mechanisms.sanitizers.dimensions import behaviours, is_shattered
from dpverify.verifiers.structure.formulas import all_of, whole_value
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")


def _at(point: int, axis: int) -> str:
    return f"p{point}_{axis}"


def _ends(rectangle: int, axis: int) -> tuple[str, str]:
    return f"low{rectangle}_{axis}", f"high{rectangle}_{axis}"


def _inside(rectangle: int, point: int, axes: int) -> str:
    """The statement that the point lies in the rectangle."""
    ends = (_ends(rectangle, axis) for axis in range(axes))
    return all_of(f"(<= {low} {_at(point, axis)} {high})" for axis, (low, high) in enumerate(ends))


def _coordinates(number: int, axes: int) -> list[str]:
    return [_at(point, axis) for point in range(number) for axis in range(axes)]


def _all_but_one(name: str, number: int, axes: int, *where: str) -> Goal:
    """No set of so many points has, for each of its points, a rectangle around all others and not around that one."""
    ends = [end for i in range(number) for axis in range(axes) for end in _ends(i, axis)]
    return goal(name, "QF_LIA", dict.fromkeys((*_coordinates(number, axes), *ends), "Int")).given(
        *(_inside(i, j, axes) for i in range(number) for j in range(number) if i != j),
        *(f"(not {_inside(i, i, axes)})" for i in range(1, number)),
        *where,
        then=_inside(0, 0, axes),
    )


def _points(values: Values, number: int, axes: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(whole_value(values, _at(i, axis)) for axis in range(axes)) for i in range(number))


def not_shattered(some: Sequence[tuple[int, ...]]) -> tuple[bool, str]:
    """True where the rectangles with corners on [0, 3)^n do not shatter the points."""
    axes = len(some[0])
    pairs = product(product(range(3), repeat=axes), repeat=2)
    grid = behaviours((Rectangle(low, high) for low, high in pairs), product(range(3), repeat=axes))
    found = len(set(some)) == len(some) and is_shattered(grid, some)
    return not found, f"{', '.join(map(str, some))}: {'' if found else 'not '}shattered"


def _small(number: int, axes: int) -> tuple[str, ...]:
    return tuple(f"(and (<= 0 {at}) (<= {at} 2))" for at in _coordinates(number, axes))


_ON_A_LINE: Final = goal("line", "QF_LIA", dict.fromkeys(_coordinates(3, 1), "Int")).given(*_small(3, 1), then="true")
rectangles = lemma("3.20.structure.vc", "after Definition 3.20").says(
    "no 2n + 1 points are shattered by rectangles, n = 1 and n = 2, and four points of the plane are, on every grid "
    "with three points on an axis",
    _all_but_one("three", 3, 1),
    _all_but_one("five", 5, 2),
    # (0, 1), (2, 1), (1, 0), (1, 2) around (1, 1): a rectangle for each labelling b0, …, b3
    goal("four", "QF_LIA", "b0 b1 b2 b3: Bool, lx hx ly hy: Int").given(
        "(and (= lx (ite b0 0 1)) (= hx (ite b1 2 1)))",
        "(and (= ly (ite b2 0 1)) (= hy (ite b3 2 1)))",
        then=all_of(
            f"(= {b} (and (<= lx {x} hx) (<= ly {y} hy)))"
            for b, (x, y) in zip(("b0", "b1", "b2", "b3"), ((0, 1), (2, 1), (1, 0), (1, 2)), strict=True)
        ),
    ),
    FalseVariant(
        "no 2n points, n = 1",
        _all_but_one("two", 2, 1, *_small(2, 1)),
        lambda values: not_shattered(_points(values, 2, 1)),
        terms=_coordinates(2, 1),
    ),
    FalseVariant(
        "no 2n points, n = 2",
        _all_but_one("four", 4, 2, *_small(4, 2)),
        lambda values: not_shattered(_points(values, 4, 2)),
        terms=_coordinates(4, 2),
    ),
    example=instance(_ON_A_LINE, _coordinates(3, 1), "(< p0_0 p1_0 p2_0)"),
    replay=lambda values: not_shattered(_points(values, 3, 1)),
    scope="n ≤ 2, grids of every size",
    note="of n axes in general the 2n points that are extreme on an axis span a rectangle around all others",
)

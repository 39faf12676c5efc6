"""The envelope of a profile: lines dropped by balls, and the order of ratios that floats cannot tell apart."""

from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from tests.verifiers.verdicts.test_profile import delta_by_definition, mechanism_of, others

from dpverify.mechanisms import log
from dpverify.mechanisms.numbers.exact_numbers import exact, to_fraction
from dpverify.verifiers import privacy_profile
from dpverify.verifiers.verdicts.profile import _Line, _near_the_hull, _not_below_another, _runs, _turns_right

shares = st.fractions(0, 1, max_denominator=6)
TINY = Fraction(1, 10**60)


def as_fractions(lines: list[_Line]) -> list[tuple[Fraction, Fraction]]:
    return [(to_fraction(line.p.terms[0].coefficient), to_fraction(line.q.terms[0].coefficient)) for line in lines]


@given(st.lists(st.tuples(shares, shares, st.sampled_from([0, TINY])), min_size=1, max_size=8))
def test_lines_are_dropped_only_below_others(found: list[tuple[Fraction, Fraction, Fraction]]) -> None:
    """The greatest of the lines and of 0 is what it was wherever two of them cross, or one falls to 0."""
    lines = [(p, q + by) for p, q, by in found]
    kept = as_fractions(_not_below_another([_Line(exact(p), exact(q)) for p, q in lines]))
    crossings = {(p - r) / (q - s) for p, q in lines for r, s in [*lines, (Fraction(0), Fraction(0))] if q != s}
    for x in {Fraction(0), Fraction(10**6), *(crossing for crossing in crossings if crossing >= 0)}:
        assert max(Fraction(0), *(p - q * x for p, q in kept)) == max(Fraction(0), *(p - q * x for p, q in lines))


def test_what_is_far_below_is_dropped_and_ties_are_kept() -> None:
    high, low = _Line(exact(Fraction(1, 2)), exact(Fraction(1, 2))), _Line(exact(Fraction(1, 4)), exact(Fraction(1, 2)))
    near = _Line(exact(Fraction(1, 2)), exact(Fraction(1, 2) + TINY))  # no ball of 128 bits tells it from the first
    for lines in ([high, low], [low, high], [low, high, low]):
        assert _not_below_another(lines) == [high]
    assert len(_not_below_another([high, near, low])) == 2


def test_turns_that_balls_do_not_tell_are_told_exactly() -> None:
    first, last, half = _Line(exact(0), exact(0)), _Line(exact(1), exact(1)), Fraction(1, 2)
    for by in (-half, -TINY, Fraction(0), TINY, half):
        assert _turns_right(first, _Line(exact(half + by), exact(half)), last) == (by > 0)


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8)), min_size=1, max_size=8))
@example([(2, 8), (4, 11), (4, 12), (8, 16)])
def test_points_near_the_hull_are_those_that_are_below_no_line_of_others(points: list[tuple[int, int]]) -> None:
    """Below a line between two of them, or from (0, 0), or below one further to the left: by eighths, if at all."""
    corners = [(0, 0), *points]

    def is_below(q: int, p: int) -> bool:
        return any(a <= q and b > p for a, b in corners) or any(
            (b - p) * (c - q) + (d - p) * (q - a) > 0 for a, b in corners for c, d in corners if a < q < c
        )

    found = _near_the_hull(np.array(points) / 8)
    assert found.tolist() == [i for i, (q, p) in enumerate(points) if not is_below(q, p)]


def test_runs_of_near_numbers() -> None:
    assert _runs(np.array([], dtype=bool)) == []
    assert _runs(np.array([True, True, False, False, True])) == [(0, 3), (4, 6)]


def test_ratios_that_floats_cannot_tell_apart_in_several_groups() -> None:
    """Two ratios of 2 and a little more, and two of 3: each two have to be put in order by themselves."""
    few, many = 10**17, 3 * 10**17
    left = [2 * few, 3 * few, 2 * many + 1, 3 * many + 1]
    right = [few, few, many, many]
    # the rest makes the sums equal, at a ratio below 2 in the other direction
    tables = [[*left, 3 * sum(left)], [*right, 4 * sum(left) - sum(right)]]
    profile = privacy_profile(mechanism_of(tables), [0, 1], others, recheck=False)
    corners = [ratio + by for ratio in (2, 3) for by in (Fraction(0), Fraction(1, many))]
    for factor in [*corners, 2 + Fraction(1, 2 * many), 3 + Fraction(1, 2 * many)]:
        assert profile.delta(log(factor)) == delta_by_definition(tables, factor)
    found = [to_fraction(piece.least.terms[0].coefficient) for piece in profile.pieces]
    assert [least for least in found if least >= 2] == corners

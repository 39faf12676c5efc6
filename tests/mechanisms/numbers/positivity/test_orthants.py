"""Charts of unknown whole numbers, and the signs and whole parts of their linear forms, against values at points."""

from contextlib import suppress
from fractions import Fraction
from itertools import product
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.elementary import exp, log, sqrt
from dpverify.mechanisms.numbers.errors import Cut, InputError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion, coordinate
from dpverify.mechanisms.numbers.roots.intervals import multiplied, sums
from dpverify.mechanisms.numbers.roots.substitution import PointSubstitution
from dpverify.mechanisms.numbers.roots.whole_forms import WholeForm, is_whole, refuse_ties_of_unknown, rounded_whole
from dpverify.mechanisms.numbers.symbols import notes

_H, _G = coordinate(0), coordinate(1)


def _points(dimension: int, end: int = 9) -> list[tuple[int, ...]]:
    return list(product(range(end), repeat=dimension))


_IDENTITY = AffineRegion((0, 0), ((1, 0), (0, 1)))


@pytest.mark.parametrize(
    "cut",
    [Cut(0, least=1), Cut(1, least=3), Cut(0, j=1), Cut(1, j=0), Cut(0, modulus=3)],
    ids=["0 below 1", "1 below 3", "0 against 1", "1 against 0", "rests"],
)
def test_the_sides_of_a_cut_hold_every_point_once(cut: Cut) -> None:
    found = [
        at
        for side in _IDENTITY.sides(cut)
        for at in {side.at(point) for point in _points(side.dimension)}
        if max(at) < 9
    ]
    assert sorted(found) == _points(2)


def test_the_sides_of_a_cut_are_what_it_asks_for() -> None:
    below, *others = _IDENTITY.sides(Cut(0, least=2))
    assert below.at((5,)) == (0, 5) and others[-1].at((0, 5)) == (2, 5)
    first, second = _IDENTITY.sides(Cut(0, j=1))
    assert all(h >= g for h, g in map(first.at, _points(2)))
    assert all(g > h for h, g in map(second.at, _points(2)))


@given(st.lists(st.sampled_from("abcd"), max_size=6))
def test_charts_of_charts_hold_every_point_once(cuts: list[str]) -> None:
    charts = [_IDENTITY]
    for name in cuts:
        cut = {"a": Cut(0, least=1), "b": Cut(0, j=1), "c": Cut(1, j=0), "d": Cut(1, least=2)}[name]
        chosen = next((chart for chart in charts if chart.dimension == 2), None)
        if chosen is not None:
            charts.remove(chosen)
            charts += [side.in_order() for side in chosen.sides(cut)]
    found = [at for chart in charts for at in {chart.at(p) for p in _points(chart.dimension, 7)} if max(at) < 4]
    assert sorted(found) == _points(2, 4)


_COEFFICIENTS = st.fractions(min_value=-5, max_value=5, max_denominator=3)


def _decided(form: tuple[Exact, Exact, Exact], chart: AffineRegion, left: int = 200) -> list[tuple[AffineRegion, int]]:
    """The parts of a chart on which c + n·h + m·g has one sign."""
    c, n, m = form
    h, g = chart.numbers()
    number = c + n * h + m * g
    try:
        return [(chart, sign(exact(number)))]
    except Cut as cut:
        assert left, "cuts end"
        return [part for side in chart.sides(cut) for part in _decided(form, side, left - 1)]


@given(_COEFFICIENTS, _COEFFICIENTS, _COEFFICIENTS, st.sampled_from([exact(0), log(2), -log(Fraction(7, 2)), exp(-3)]))
def test_the_sign_of_a_linear_form_is_that_at_every_point(
    c: Fraction, n: Fraction, m: Fraction, further: Exact
) -> None:
    form = (c + further, exact(n), exact(m))
    parts = _decided(form, _IDENTITY)
    seen: dict[tuple[int, ...], int] = {}
    for chart, found in parts:
        for point in _points(chart.dimension):
            seen[chart.at(point)] = found
    for h, g in _points(2):
        assert seen[h, g] == sign(form[0] + n * h + m * g)


def test_a_sign_that_is_the_same_everywhere_is_no_question() -> None:
    assert _H + _G + 1 > 0
    assert not _H + Fraction(1, 2) <= _G - _G
    assert exp(-_H - 1) < 1
    assert exp(-_H) > 0
    assert exp(-_H * _G) > 0 and -exp(_G / (1 + _H)) < 0, "powers of e without a closed form"
    with pytest.raises(Cut):
        bool(_H > 0)
    with pytest.raises(Cut):
        bool(_H == _G)


def test_scores_with_factors_that_are_irrational_multiples_of_each_other_are_undecided() -> None:
    root = sqrt(sqrt(2))
    for n, m in ((log(2), log(2)), (root, root), (exp(1), 2 * exp(1))):
        with pytest.raises(Cut):
            sign(n * _H - m * _G)
    for n, m in ((root, 1 / root), (root, root**3), (exp(1), exp(-1))):
        with pytest.raises(Undecided, match="the ratio of their factors is irrational"):
            sign(n * _H - m * _G)


def test_a_question_that_has_no_answer_is_noted() -> None:
    notes.refused = None
    with pytest.raises(Cut):
        bool(_H > 3)
    assert isinstance(notes.refused, Cut)
    notes.refused = None


@given(_COEFFICIENTS, _COEFFICIENTS, st.integers(-3, 3))
def test_whole_parts_are_those_at_every_point(c: Fraction, n: Fraction, m: int) -> None:
    waiting = [_IDENTITY]
    while waiting:
        chart = waiting.pop()
        h, g = chart.numbers()
        number = exact(c + n * h + m * g)
        try:
            found = rounded_whole(floor(number))
        except Cut as cut:
            waiting += chart.sides(cut)
            continue
        for point in _points(chart.dimension, 4):
            at = PointSubstitution(dict(enumerate(point)))
            assert at(exact(found)) == floor(at(number))


def test_the_whole_part_of_what_is_no_sum_is_refused() -> None:
    with pytest.raises(Undecided, match="irrational factor"):
        floor(_H * log(2))
    with pytest.raises(Undecided, match="no sum of scores"):
        floor(exp(_H))
    notes.refused = None


def test_whole_forms_are_whole() -> None:
    form = rounded_whole(floor(_H - 2 * _G + Fraction(5, 2)))
    assert isinstance(form, WholeForm) and is_whole(form) and not is_whole(_H)
    at = PointSubstitution({0: 7, 1: 2})
    assert at(exact(form + 1)) == 6
    assert at(exact(1 - form)) == -4
    assert at(exact(-form)) == -5
    assert form - form == 0
    assert at(exp(exact(Fraction(-1, 2))) ** form) == exp(exact(Fraction(-5, 2)))
    assert form + 1 > form and form >= form and form < form + 1 and form <= form
    assert form + 1 != form and hash(form) == hash(form + 0)


def test_unknown_scores_are_no_keys_outside() -> None:
    for use in (hash, str, repr, int, float, range):
        notes.refused = None
        with suppress(InputError):
            use(_H)
        assert isinstance(notes.refused, InputError), use
    notes.refused = None


def test_keys_that_may_be_equal_are_told_apart() -> None:
    with pytest.raises(Cut):
        refuse_ties_of_unknown([_H, _G])
    with pytest.raises(Cut):
        refuse_ties_of_unknown([_H, 3])
    refuse_ties_of_unknown([_H, _H + 1, _H + _G + 2, -1])
    notes.refused = None


@few(15, deep=300)
@given(st.integers(1, 60), st.integers(0, 3), st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3, 4)]))
def test_products_of_a_rate_and_a_score_are_exponents(h: int, g: int, rate: Fraction) -> None:
    at = PointSubstitution({0: h, 1: g})
    for number in (log(2), log(Fraction(3, 2)), exact(rate)):
        power = exp(-rate * number * _H + _G)
        assert at(power) == exp(-rate * number * h + g)
        assert log(power) is not None and at(log(power)) == -rate * number * h + g


def test_unknown_numbers_have_names() -> None:
    assert str(2 * _H - _G + 1) == "1 - b + 2·a"
    assert str(exp(-_H)) == "e^(-a)" and str(exp(_G / 3)) == "e^(1/3·b)"
    assert str(exp(-_H * log(2))) == "e^(-ln 2·a)"
    assert repr(_G * log(2)) == "b*log(2)"
    notes.refused = None


def test_unknown_ends_of_whole_noise_are_mirrored_as_whole_ones() -> None:
    """Of [low, high) the negative whole numbers are [1 − high, 1 − low)."""
    low, high = rounded_whole(floor(_H)), rounded_whole(floor(_H + _G + 1))
    ((first, last),) = multiplied(((low, high),), exact(-1))
    assert first == 1 - high and last == 1 - low
    ((first, last),) = sums(((low, high),), ((low, high),))
    assert first == low + low and last == high + high - 1

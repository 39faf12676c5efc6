"""Numbers with coordinates: whether they are nowhere positive, and their signs, against their values at many points."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product as tuples

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import exact, exp, log, symbolic
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.errors import Cut
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, negative, reciprocal_of_nonzero, total
from dpverify.mechanisms.numbers.positivity import positivity as orthant_decision
from dpverify.mechanisms.numbers.positivity.affine_regions import coordinate
from dpverify.mechanisms.numbers.positivity.polynomials import polynomial
from dpverify.mechanisms.numbers.positivity.positivity import (
    Abandoned,
    Nowhere,
    PositivePoint,
    Split,
    best_cut,
    decide_nowhere_positive,
    sign_of_polynomial,
)
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon, EpsilonSymbol
from dpverify.mechanisms.numbers.roots.substitution import NumberSubstitution, PointSubstitution
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of

H, K, L = (coordinate(i) for i in range(3))

DECAYS: list[Callable[[Exact], Exact]] = [
    lambda h: exp(-h / 2),
    lambda h: exp(-h),
    lambda h: exp(-log(2) * h),
    lambda h: exp(-log(3) * h / 2),
]


def at(number: Exact, *point: int) -> Exact:
    return PointSubstitution(dict(enumerate(point)))(number)


def violating_value(number: Exact, violation: PositivePoint, epsilon: Exact = symbolic) -> Exact:
    """The value at the point, and at the ε, that a violation names; coordinates that it does not name are 0."""
    value = PointSubstitution({0: 0, 1: 0, 2: 0, **violation.point})(number)
    if violation.epsilon is None:
        return value
    symbol = epsilon.symbol
    assert symbol is not None
    return NumberSubstitution(symbol, violation.epsilon)(value)


Summand = tuple[int, tuple[int, ...], tuple[int, ...], int]
"""A coefficient, exponents of the decays and powers of the coordinates, and which decay."""


def summed(summands: Sequence[Summand], coordinates: Sequence[Exact]) -> Exact:
    parts = []
    for c, exponents, powers, which in summands:
        part = exact(c)
        for h, e, k in zip(coordinates, exponents, powers, strict=False):
            part = part * DECAYS[which](h) ** e * (h**k if k else ONE)
        parts.append(part)
    return total(parts)


@st.composite
def summands(draw: st.DrawFn, coordinates: int, most: int = 5, decays: int = 3) -> list[Summand]:
    """Of one decay; with one coordinate, where all is decided, of several."""
    which = draw(st.integers(0, decays - 1))
    return draw(
        st.lists(
            st.tuples(
                st.integers(-6, 4),
                st.tuples(*[st.integers(0, 4)] * coordinates),
                st.tuples(*[st.sampled_from((0, 0, 0, 1, 2))] * coordinates),
                st.integers(0, decays - 1) if coordinates == 1 else st.just(which),
            ),
            min_size=1,
            max_size=most,
        )
    )


def check_decision(number: Exact, points: Iterator[tuple[int, ...]]) -> None:
    found = decide_nowhere_positive(number)
    if isinstance(found, Nowhere):
        assert all(sign(at(number, *point)) <= 0 for point in points)
    elif isinstance(found, PositivePoint):
        assert sign(violating_value(number, found)) > 0


@given(summands(1))
def test_a_number_in_one_coordinate_is_always_decided(parts: list[Summand]) -> None:
    number = summed(parts, [H])
    assert isinstance(decide_nowhere_positive(number), Nowhere | PositivePoint)
    check_decision(number, ((h,) for h in (*range(12), 20, 100)))


@given(summands(2))
def test_what_is_nowhere_positive_is_so_at_points_of_a_plane(parts: list[Summand]) -> None:
    check_decision(summed(parts, [H, K]), tuples((0, 1, 2, 3, 5, 9), repeat=2))


@given(summands(3, 4))
def test_what_is_nowhere_positive_is_so_at_points_of_space(parts: list[Summand]) -> None:
    check_decision(summed(parts, [H, K, L]), tuples((0, 1, 2, 6), repeat=3))


@given(summands(2, 4), st.integers(0, 3), st.integers(0, 3))
def test_what_is_at_most_0_by_construction_is_shown(parts: list[Summand], a: int, b: int) -> None:
    """Differences that are tight where a coordinate is 0, in products with what is positive."""
    positive = summed([(abs(c), e, k, which) for c, e, k, which in parts], [H, K])
    tight = exp(-H * (a + 1) / 2) * exp(-K * b / 2) - exp(-H * a / 2)
    assert decide_nowhere_positive(positive * tight) == Nowhere()


U, V = exp(-H / 2), exp(-K / 2)
EPSILON = symbolic


@in_one(
    "number",
    [
        U - 1,  # at the corner
        U * V - U,  # along an edge
        -((U - exp(Fraction(-3, 2))) ** 2),  # in the middle
        -((U - V) ** 2),  # along the diagonal
        2 * U * V - U**2 - V**2,
        U * V * (1 - U) * (V - 1),
        -U,  # at infinity
        (H - 2 * (exp(H / 2) - 1)) * U,
        H * U - 2 + 2 * U,
        2 * (1 - U) - H,
        H * K * U * V - 4 * (1 - U) * (1 - V),
        log(2) * H * exp(-log(2) * H) - 1 + exp(-log(2) * H),
        H * (U * V - U),
        1 - (1 + exp(-H)) ** 2 + exp(-H),
        1 / (1 + U) - 1,
        U / (1 + U + V) - 1 / (1 + V),
        # of a symbolic ε
        exp(-EPSILON * H) - exp(EPSILON),
        exp(-EPSILON * (H + K)) - exp(-EPSILON * H),
        EPSILON * H * exp(-EPSILON * H) - 1,
        EPSILON * exp(-EPSILON) - 1 + exp(-EPSILON),
        1 / (1 + exp(-EPSILON * H / 2)) - exp(EPSILON) / (1 + exp(-EPSILON * (H + 2) / 2)),
        (1 - exp(-EPSILON)) * (EPSILON * H * exp(-EPSILON * H) - 1),
        exp(-EPSILON * H) * (exp(-EPSILON) + EPSILON * (H + 1) * exp(-EPSILON)) - 1 - H * EPSILON,
    ],
)
def test_tight_numbers_are_shown_to_be_nowhere_positive(number: Exact) -> None:
    assert decide_nowhere_positive(number) == Nowhere()


@in_one("tiny", [Fraction(1, 10**12), Fraction(1, 10**40)])
@in_one(
    "number, point",
    [
        (U - 1, (0, 0)),
        (U * V - U, (0, 0)),
        (-((U - exp(Fraction(-3, 2))) ** 2), (3, 0)),
        (-((U - V) ** 2), (0, 0)),
        (-U, None),
        (-U - V, None),
        (-H * U, (0, 0)),
        (1 / (1 + U) - 1, None),
    ],
)
def test_what_is_positive_by_little_is_found(number: Exact, point: tuple[int, int] | None, tiny: Fraction) -> None:
    violated = number + tiny
    if point is not None:
        assert sign(at(violated, *point)) > 0, "the example is one"
    found = decide_nowhere_positive(violated)
    assert isinstance(found, PositivePoint)
    assert sign(violating_value(violated, found)) > 0


@in_one(
    "number",
    [
        -V - 3 * U * V + 6 * U**2 * V - V**2 / 10,
        3 * log(2) * H * exp(-log(2) * H) - 1 - K,
        log(2) * H * exp(-log(2) * H) * 3 - 1 - U * V / 10**6,
        H * U * K * V - Fraction(3, 4) * (1 - U) - Fraction(1, 100),
        # for some ε
        exp(-EPSILON * H) - exp(-EPSILON),
        EPSILON * H * exp(-EPSILON * H) - Fraction(1, 3),
        exp(-EPSILON / 2) - Fraction(1, 2) - exp(-EPSILON * H),
        1 / (1 + exp(EPSILON * H / 2)) - exp(EPSILON * Fraction(9, 10)) / (1 + exp(EPSILON * (H + 2) / 2)),
        EPSILON - 10**6 + H * 0,
        exp(-EPSILON) - EPSILON - H,
    ],
)
def test_what_is_positive_somewhere_is_not_said_to_be_nowhere_positive(number: Exact) -> None:
    found = decide_nowhere_positive(number)
    assert isinstance(found, PositivePoint)
    assert sign(violating_value(number, found)) > 0


@given(
    st.lists(
        st.one_of(
            st.builds(lambda i, n: Cut(i, least=n), st.integers(0, 1), st.integers(1, 2)),
            st.sampled_from([Cut(0, j=1), Cut(1, j=0)]),
        ),
        min_size=1,
        max_size=2,
    )
)
def test_pieces_are_the_whole_each_point_once(cuts: list[Cut]) -> None:
    number = 3 * U * V - 2 * U**2 + H * U - H * K**2 * V + K**2 * U - 1
    f = polynomial(number)
    pieces = [orthant_decision.all_naturals(f)]
    for cut in cuts:
        pieces = [
            side
            for piece in pieces
            for side in (
                piece.sides(cut) if {cut.i, cut.i if cut.j is None else cut.j} <= set(piece.f.places) else [piece]
            )
        ]
    seen = []
    for piece in pieces:
        for at_piece in tuples(range(4), repeat=len(piece.f.places)):
            there = dict(zip(piece.f.places, at_piece, strict=True))
            point = piece.point(there)
            seen.append((point[0], point[1]))
            g = piece.f
            for place in g.places:
                g = g.at(place, there[place])
            assert sign(g.value()) == sign(at(number, point[0], point[1]))
    assert len(set(seen)) == len(seen)
    assert set(seen) >= set(tuples(range(3), repeat=2))


def test_a_violation_far_out_is_found_where_it_begins() -> None:
    number = (H * Fraction(1, 1000) - Fraction(3995, 2000)) * U
    found = decide_nowhere_positive(number)
    assert isinstance(found, PositivePoint)
    assert found.point == {0: 1998}
    assert sign(at(number, 1998)) > 0 > sign(at(number, 1997))


@given(st.integers(0, 10**9), st.sampled_from(DECAYS))
def test_the_largest_root_in_one_coordinate_is_found(root: int, decay: Callable[[Exact], Exact]) -> None:
    """(h − root)·decay is positive from root + 1 on, and not before."""
    assert decide_nowhere_positive((H - root) * decay(H)) == PositivePoint({0: root + 1})
    assert decide_nowhere_positive((root - H) * decay(H) ** 2) == (Nowhere() if root == 0 else PositivePoint({0: 0}))


@given(st.integers(1, 60), st.integers(1, 6))
def test_roots_of_differences_of_decays_are_found(root: int, n: int) -> None:
    """e^(-root/n)·e^(-h/n) − e^(-2h/n): negative before the root, 0 there, positive after it."""
    number = exp(Fraction(-root, n)) * exp(-H / n) - exp(-2 * H / n)
    assert decide_nowhere_positive(number) == PositivePoint({0: root + 1})
    with pytest.raises(Cut) as cut:
        sign_of_polynomial(number)
    assert (cut.value.i, cut.value.least, cut.value.j) == (0, root + 1, None)


def test_an_example_of_two_decays_of_one_coordinate() -> None:
    """2^(-h) and e^(-h/2): which is larger changes once, and different powers are told apart."""
    number = exp(-log(2) * H) * 5 - exp(-H / 2) * 4
    assert decide_nowhere_positive(number) == PositivePoint({0: 0})
    assert decide_nowhere_positive(-number) == PositivePoint({0: 2})
    assert sign(at(number, 1)) > 0 > sign(at(number, 2))


@given(summands(2, 4))
def test_a_sign_is_that_at_all_points(parts: list[Summand]) -> None:
    number = summed(parts, [H, K])
    try:
        found = sign_of_polynomial(number)
    except Cut:
        return
    assert all(sign(at(number, *point)) == found for point in tuples((0, 1, 2, 3, 7, 40), repeat=2))


@given(summands(1, 4), summands(1, 3))
def test_a_sign_in_one_coordinate_is_found_or_cut_where_it_changes(over: list[Summand], under: list[Summand]) -> None:
    below = 1 + summed([(abs(c), e, k, which) for c, e, k, which in under], [H])
    number = summed(over, [H]) / below
    assume(number.symbol is not None)
    values = [sign(at(number, h)) for h in range(60)]
    try:
        found = sign_of_polynomial(number)
        assert set(values) == {found}
    except Cut as cut:
        assert cut.i == 0
        assert cut.least is not None
        if cut.least < 60:
            assert values[cut.least - 1] != values[cut.least]
            assert len(set(values[cut.least :])) == 1


@in_one(
    "number, found",
    [
        (1 + U + V, 1),
        (1 - U * V / 2, 1),
        (U * V / 2 - U, -1),
        (2 - U - V + H * K * U * V * 0, None),
        (1 + H - U * V / 2, 1),
        (H * U - 2, -1),
        (1 - U, None),
        (H, None),
        (U - V, None),
        (1 - H * U, 1),
        (2 / (1 + U) - 1 / (1 + U * V) + V, 1),
        (U * V - U * V, 0),
        (H * (U * V - 2), None),
        (-((U - exp(Fraction(-3, 2))) ** 2) - (1 - V), None),  # 0 at (3, 0) alone
        (-((U - exp(-25)) ** 2) - (1 - V), None),  # 0 at (50, 0) alone
        (-((U - exp(Fraction(-1, 4))) ** 2) - (1 - V), -1),
        (symbolic * (1 + U), 1),
        (symbolic * (U - 2), -1),
        (symbolic * H * (U - 2), None),
        (1 - exp(-symbolic * (H + 1)), 1),
    ],
)
def test_signs_are_strict(number: Exact, found: int | None) -> None:
    if found is None:
        with pytest.raises(Cut):
            sign_of_polynomial(number)
    else:
        assert sign_of_polynomial(number) == found


def test_a_sign_that_is_not_the_same_for_all_epsilon() -> None:
    with pytest.raises(DependsOnEpsilon) as found:
        sign_of_polynomial(exp(-symbolic) - exp(-symbolic * (H + 2)) * 2)
    assert found.value.at == (log(2),)


def test_a_denominator_of_both_signs_is_cut() -> None:
    number = negative(reciprocal_of_nonzero(Fraction(1, 3) - U))  # exp(-1) > 1/3 > exp(-3/2)
    found = decide_nowhere_positive(number)
    assert isinstance(found, Split)
    assert (found.cut.i, found.cut.least) == (0, 3)


def test_a_negative_denominator_turns_the_sign() -> None:
    assert decide_nowhere_positive((1 - U) / (U - 2)) == Nowhere()
    assert isinstance(decide_nowhere_positive((U - 1) / (U - 2)), PositivePoint)
    assert decide_nowhere_positive((U - 1) / (U - 2) ** 2) == Nowhere()


def test_what_is_not_understood_is_given_up() -> None:
    found = decide_nowhere_positive(exp(-(H**2)) - 2)
    assert isinstance(found, Abandoned)
    assert "stands in a number of unknown scores" in found.reason


def test_few_pieces_end_in_a_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    number = -((U - V * exp(Fraction(-1, 2))) ** 2) * (1 + H)
    assert decide_nowhere_positive(number) == Nowhere()
    monkeypatch.setattr(orthant_decision, "_MOST_PIECES", 1)
    found = decide_nowhere_positive(number * 2)
    assert isinstance(found, Split)
    assert found.cut.j is not None or found.cut.least is not None


def test_an_epsilon_of_an_interval() -> None:
    low, high = exact(1), exact(2)
    symbol = EpsilonSymbol(low, high)
    bounded = number_of(symbol)
    assert decide_nowhere_positive(exp(-bounded) - exp(-1)) == Nowhere()
    found = decide_nowhere_positive(exp(-bounded) - exp(Fraction(-3, 2)))
    assert isinstance(found, PositivePoint)
    assert found.epsilon is not None
    assert low < found.epsilon < high
    assert sign(violating_value(exp(-bounded) - exp(Fraction(-3, 2)), found, bounded)) > 0


@given(
    st.lists(
        st.tuples(st.integers(-4, 3), st.integers(0, 4), st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=4
    )
)
def test_functions_of_epsilon_against_values(parts: list[tuple[int, int, int, int]]) -> None:
    number = total(c * exp(-EPSILON * H * e / 2 - EPSILON * z / 2) * (EPSILON**k if k else 1) for c, e, z, k in parts)
    found = decide_nowhere_positive(number)
    if isinstance(found, PositivePoint):
        assert sign(violating_value(number, found)) > 0
    elif isinstance(found, Nowhere):
        for h in (0, 1, 4):
            for epsilon in (Fraction(1, 9), 1, 3):
                symbol = symbolic.symbol
                assert symbol is not None
                assert sign(NumberSubstitution(symbol, exact(epsilon))(at(number, h))) <= 0


def test_of_several_coordinates_that_compete_the_last_two_are_cut_apart() -> None:
    """Whatever their rates: where a proof is cut is not to depend on how numbers are hashed."""
    for first, second, third in tuples(DECAYS, repeat=3):
        cut = best_cut(polynomial(first(H) - second(K) + third(L)), 0)
        assert (cut.i, cut.j) == (1, 2)

"""Functions that are piece by piece Σ c·x^k·e^(λx), against sums and quadrature of their definition.

The pieces have several terms, with powers of x in them: those of one noise have none, and those of sums of noises do.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import few

from dpverify.mechanisms import bounds, exact, log
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, negative
from dpverify.mechanisms.numbers.roots.exponential_polynomials import ExpPoly, Piecewise, convolution
from dpverify.mechanisms.numbers.roots.exponential_roots import SignChange, _Balls

LN2 = log(2)

Floats: TypeAlias = NDArray[np.float64]


def as_float(number: Exact) -> float:
    lower, upper = bounds(number)
    return float(lower + upper) / 2


def terms(rates: Iterable[int]) -> st.SearchStrategy[ExpPoly]:
    """Up to two terms c·x^k·2^(rate·x)."""
    monomials = st.tuples(st.sampled_from([exact(rate) * LN2 for rate in rates]), st.integers(0, 2))
    return st.dictionaries(monomials, st.sampled_from([-2, -1, 1, 3]).map(exact), max_size=2)


@st.composite
def functions(draw: st.DrawFn, discrete: bool, least_breaks: int = 1) -> Piecewise:
    """One that falls off at both ends, with breaks that are whole, or halves of them."""
    breaks = sorted(draw(st.sets(st.integers(-3, 3), min_size=least_breaks, max_size=3)))
    inner = [draw(terms((-1, 0, 1, 2))) for _ in breaks[1:]]
    pieces = (draw(terms((1, 2))), *inner, draw(terms((-1, -2))))
    ends = tuple(b if discrete else exact(b) / 2 for b in breaks)
    return Piecewise(discrete, ends, pieces)


def by_definition(f: Piecewise, x: Floats) -> Floats:
    ends = [float(b) if isinstance(b, int) else as_float(b) for b in f.breaks]
    found = np.zeros(len(x))
    for piece, (low, high) in zip(f.pieces, pairwise([-np.inf, *ends, np.inf]), strict=True):
        inside = (x >= low) & (x < high)
        for (rate, k), c in piece.items():
            found[inside] += as_float(c) * x[inside] ** k * np.exp(as_float(rate) * x[inside])
    return found


NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


def places(discrete: bool, low: float = -70, high: float = 70) -> tuple[Floats, Floats]:
    """Where to look, from `low` up to `high`, and the weight of each place: quadrature between multiples of 1/2."""
    if discrete:
        whole = np.arange(low, high)
        return whole, np.ones(len(whole))
    middles = np.arange(low, high, 0.5) + 0.25
    return (middles[:, None] + NODES / 4).ravel(), np.tile(WEIGHTS / 4, len(middles))


def close(found: Exact, expected: Any) -> bool:
    return abs(as_float(found) - float(expected)) <= 1e-9 * max(1.0, abs(float(expected)))


@few(6, deep=120)
@given(st.booleans().flatmap(lambda discrete: st.tuples(functions(discrete), functions(discrete))), st.integers(-5, 5))
def test_sums_products_and_masses(pair: tuple[Piecewise, Piecewise], t: int) -> None:
    f, g = pair
    x = exact(t) if f.discrete else exact(t) / 2
    at = np.array([as_float(x)])
    assert close(f.at(x), by_definition(f, at)[0])
    assert f.plus(g).at(x) == f.at(x) + g.at(x)
    assert f.times(g).at(x) == f.at(x) * g.at(x)
    assert f.scaled(exact(-3)).at(x) == -3 * f.at(x)
    for end in (t, None):
        among, weights = places(f.discrete, high=70 if end is None else at[0])
        below = f.mass if end is None else f.cumulative.at(x)
        assert close(below, by_definition(f, among) @ weights)
    assert f.cumulative.between(None if f.discrete else x, None) == (
        f.mass if f.discrete else f.mass - f.cumulative.at(x)
    )
    low, high = (t - 2, t + 1) if f.discrete else (x - 1, x + Fraction(1, 2))
    assert f.within(((low, high),)).mass == f.cumulative.between(low, high)
    assert f.within(((None, low), (high, None))).mass == f.mass - f.cumulative.between(low, high)


@few(6, deep=120)
@given(
    st.booleans().flatmap(functions),
    st.sampled_from([Fraction(1), Fraction(-1), Fraction(-2), Fraction(1, 2)]),
    st.data(),
)
def test_changes_of_the_variable(f: Piecewise, slope: Fraction, data: st.DataObject) -> None:
    if f.discrete:
        slope = Fraction(1 if slope > 0 else -1)
    by, y = data.draw(st.integers(-4, 4)), data.draw(st.integers(-6, 6))
    moved = f.composed(exact(slope), by if f.discrete else exact(by) / 2)
    x = slope * y + (by if f.discrete else Fraction(by, 2))
    is_end = slope < 0 and any(exact(x) == exact(b) for b in f.breaks) and not f.discrete  # it is in the other piece
    assert is_end or moved.at(exact(y)) == f.at(exact(x))
    assert moved.mass == f.mass / abs(slope)


@few(8)
@given(st.booleans().flatmap(lambda discrete: st.tuples(functions(discrete), functions(discrete))), st.integers(-4, 4))
def test_convolutions_of_functions_with_powers(pair: tuple[Piecewise, Piecewise], t: int) -> None:
    f, g = pair
    both = convolution(f, g)
    at = exact(t) if f.discrete else exact(t) / 2
    x, weights = places(f.discrete)
    assert close(both.at(at), (by_definition(f, x) * by_definition(g, as_float(at) - x)) @ weights)
    assert both.mass == f.mass * g.mass


@few(8)
@given(st.data(), st.integers(-8, 8))
def test_convolutions_over_finite_stretches(data: st.DataObject, t: int) -> None:
    """Exactly: sums of a few rational products."""
    f, g = (data.draw(functions(True)).within(((low, low + 5),)) for low in (-3, -2))
    expected = [f.at(exact(x)) * g.at(exact(t - x)) for x in range(-3, 2)]
    assert convolution(f, g).at(exact(t)) == sum(expected, start=ZERO)
    assert convolution(f, g.scaled(negative(exact(2)))).at(exact(t)) == sum(expected, start=ZERO) * -2


def test_a_root_that_is_met_is_found() -> None:
    """Of x³ − 8 between 0 and 4: the middle, where nothing is left of the ball around the value."""
    change = SignChange({(ZERO, 3): exact(1), (ZERO, 0): exact(-8)}, exact(0), exact(4), -1)
    change.narrow(20)
    assert change.low is change.high
    assert change.low == 2


@pytest.mark.parametrize(("k", "rate"), [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0)])
def test_newtons_method_leads_to_a_root(k: int, rate: int) -> None:
    """Of (x^k·2^(ax) − 2)·2^(-x), which has one for x > 0: within few steps, whichever of the two terms comes first."""
    summands = [((exact(rate - 1) * LN2, k), exact(1)), ((-LN2, 0), exact(-2))]
    for function in (dict(summands), dict(reversed(summands))):
        found = _Balls(function, 128).root_near(fmpq(1, 2), fmpq(3))
        assert found is not None
        x = float(Fraction(int(found.p), int(found.q)))
        assert abs(x**k * 2 ** (rate * x) - 2) < 1e-12

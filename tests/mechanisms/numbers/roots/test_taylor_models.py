"""Taylor models of low order, whose errors are large, contain the functions that they stand for."""

from typing import Any

from flint import arb, arb_poly, ctx
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms.numbers.roots.taylor_models import (
    TaylorModel,
    constant_model,
    exponential_model,
    integral,
    integral_up_to,
    largest_value,
    power_of_affine,
    product_of_models,
    scaled_model,
    sum_of_models,
    widened_model,
)

parameters = st.tuples(*[st.integers(-8, 8).map(lambda k: arb(k) / 4)] * 3)
points = st.integers(-16, 16).map(lambda k: arb(k) / 16)
orders = st.integers(1, 6)
PRECISION = 200


def holds(model: TaylorModel, u: arb, value: arb) -> bool:
    """Whether the value at u is within the error; balls are so small that they tell."""
    off = abs(model.polynomial(u) - value)
    return bool(off <= model.error + arb(2) ** -150)


def of(given: Any, order: int) -> TaylorModel:
    height, slope, curvature = given
    return exponential_model(height, slope, curvature, order)


def value(given: Any, u: arb) -> Any:
    height, slope, curvature = given
    return height * (slope * u + curvature * u * u).exp()


@given(parameters, orders, points)
def test_an_exponential_is_within_the_error(given: Any, order: int, u: arb) -> None:
    with ctx.workprec(PRECISION):
        model = of(given, order)
        assert holds(model, u, value(given, u))
        assert model.polynomial.degree() <= order


@given(st.lists(st.integers(-9, 9), max_size=9))
def test_the_largest_value_is_the_sum_of_all_coefficients(coefficients: list[int]) -> None:
    """As far as the precision reaches: where all terms have one sign at 1, or at −1, they take it."""
    found, expected = largest_value(TaylorModel(arb_poly(coefficients), arb(0))), sum(map(abs, coefficients))
    assert expected <= float(found) <= expected * 1.000001


@given(parameters, parameters, orders, points)
def test_products_and_sums_are_within_the_error(one: Any, other: Any, order: int, u: arb) -> None:
    with ctx.workprec(PRECISION):
        left, right = of(one, order), of(other, order)
        assert holds(product_of_models(left, right, order), u, value(one, u) * value(other, u))
        together = sum_of_models([left, scaled_model(right, arb(-3)), constant_model(arb(5))])
        assert holds(together, u, value(one, u) - 3 * value(other, u) + 5)
        assert holds(widened_model(left, arb(1)), u, value(one, u) - 1)
        assert product_of_models(left, right, order).polynomial.degree() <= order


def integrated(given: Any, low: arb, high: arb) -> arb:
    """By the rectangle rule with 4,000 steps, which is off by less than the largest slope times a step."""
    steps = 4_000
    step = (high - low) / steps
    return sum((value(given, low + (k + arb(0.5)) * step) for k in range(steps)), arb(0)) * step


@given(parameters, st.integers(1, 4), points, points)
def test_integrals_are_within_the_error(given: Any, order: int, low: arb, high: arb) -> None:
    with ctx.workprec(PRECISION):
        model = of(given, order)
        expected = integrated(given, low, high)
        off = abs(integral(model, low, high).mid() - expected)
        bound = integral(model, low, high).rad() + arb(1) / 100
        assert off <= bound
        assert holds(widened_model(integral_up_to(model, low, order), arb(1) / 100), high, expected)


@given(st.integers(-3, 3), st.integers(0, 5), st.integers(5, 8), points)
def test_powers_are_exact_up_to_their_order(middle: int, k: int, order: int, u: arb) -> None:
    with ctx.workprec(PRECISION):
        model = power_of_affine(arb(middle), arb(2), k, order)
        assert holds(model, u, (middle + 2 * u) ** k)
        assert model.error.is_zero()


def test_an_error_counts_where_it_is() -> None:
    """Of a model that is nothing but error the integral is anything up to its length times that."""
    with ctx.workprec(PRECISION):
        model = TaylorModel(constant_model(arb(0)).polynomial, arb(1))
        assert integral(model, arb(-1), arb(1)).contains(2)
        assert integral_up_to(model, arb(-1), 3).error >= 2
        assert product_of_models(model, constant_model(arb(3)), 3).error >= 3
        assert product_of_models(constant_model(arb(3)), model, 3).error >= 3
        assert product_of_models(model, model, 3).error >= 1


@given(st.integers(-3, 3), st.integers(2, 6), points)
def test_powers_that_are_cut_off_are_within_the_error(middle: int, k: int, u: arb) -> None:
    with ctx.workprec(PRECISION):
        model = power_of_affine(arb(middle), arb(2), k, k - 1)
        assert holds(model, u, (middle + 2 * u) ** k)
        assert model.polynomial.degree() <= k - 1

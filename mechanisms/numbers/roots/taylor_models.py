"""Functions on a cell as polynomials with an error: f(c + r·u) is within `error` of polynomial(u) for all |u| ≤ 1.

The coefficients are balls around fixed numbers; what may differ from u to u is in the error alone, so that models are
integrated: ∫ f du is within error·length of ∫ polynomial du.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from flint import arb, arb_poly

_ZERO = arb(0)
_ALL = arb(0, 1)
"""All u."""


class TaylorModel(NamedTuple):
    """A polynomial in u and a bound of what the function is off it, for |u| ≤ 1."""

    polynomial: arb_poly
    error: arb


def constant_model(value: arb) -> TaylorModel:
    """The function that has one value."""
    return TaylorModel(arb_poly([value]), _ZERO)


def exponential_model(value: arb, slope: arb, curvature: arb, order: int) -> TaylorModel:
    """u ↦ value·exp(slope·u + curvature·u²), up to the power u^order.

    By f′ = (slope + 2·curvature·u)·f the coefficients are c(n+1)·(n+1) = slope·c(n) + 2·curvature·c(n-1). They are at
    most those b(n) of exp(|slope|·u + |curvature|·u²), so that for every s ≥ 1 the others add up to at most
    Σ_{n>order} b(n) ≤ s^(-order-1)·Σ b(n)·s^n ≤ s^(-order-1)·exp(|slope|·s + |curvature|·s²).
    """
    coefficients = [value, value * slope]
    twice = 2 * curvature
    for n in range(1, order):
        coefficients.append((slope * coefficients[n] + twice * coefficients[n - 1]) / (n + 1))
    first, second = slope.abs_upper(), curvature.abs_upper()
    a, b = float(first), float(second)
    # where that is least
    stretch = arb(min(max(2 * (order + 1) / (a + sqrt(a * a + 8 * b * (order + 1)) + 1e-9), 1.0), 1e9))
    rest = (first * stretch + second * stretch * stretch - (order + 1) * stretch.log()).exp()
    return TaylorModel(arb_poly(coefficients), (value.abs_upper() * rest).abs_upper())


def power_of_affine(middle: arb, radius: arb, k: int, order: int) -> TaylorModel:
    """u ↦ (middle + radius·u)^k."""
    taylor_model = constant_model(arb(1))
    for _ in range(k):
        taylor_model = product_of_models(taylor_model, TaylorModel(arb_poly([middle, radius]), _ZERO), order)
    return taylor_model


def largest_value(model: TaylorModel) -> arb:
    """A bound of |polynomial(u)|."""
    return _largest(model.polynomial)


def product_of_models(left: TaylorModel, right: TaylorModel, order: int) -> TaylorModel:
    """The product of two functions, of which powers beyond u^order go into the error."""
    error = _ZERO
    if not left.error.is_zero():
        error += left.error * largest_value(right)
    if not right.error.is_zero():
        error += right.error * (largest_value(left) + left.error)
    return _cut(left.polynomial * right.polynomial, error, order)


def scaled_model(model: TaylorModel, factor: arb) -> TaylorModel:
    """factor·function."""
    return TaylorModel(model.polynomial * factor, (model.error * factor.abs_upper()).abs_upper())


def sum_of_models(models: Sequence[TaylorModel]) -> TaylorModel:
    """The sum of functions."""
    polynomial, error = models[0]
    for model in models[1:]:
        polynomial = polynomial + model.polynomial
        error = error + model.error
    return TaylorModel(polynomial, error)


def widened_model(model: TaylorModel, error: arb) -> TaylorModel:
    """The functions that are within so much of those of a model."""
    return TaylorModel(model.polynomial, model.error + error)


def integral(model: TaylorModel, low: arb, high: arb) -> arb:
    """∫ f du from low to high, which lie in [-1, 1]."""
    primitive = model.polynomial.integral()
    off = (model.error * 2).abs_upper()
    return primitive(high) - primitive(low) + arb(0, off)


def integral_up_to(model: TaylorModel, low: arb, order: int) -> TaylorModel:
    """u ↦ ∫ f from low to u."""
    primitive = model.polynomial.integral()
    return _cut(primitive - primitive(low), model.error * 2, order)


def _cut(polynomial: arb_poly, error: arb, order: int) -> TaylorModel:
    if polynomial.degree() > order:
        error += _largest(polynomial.right_shift(order + 1))
        polynomial = polynomial.truncate(order + 1)
    return TaylorModel(polynomial, error.abs_upper())


def _largest(polynomial: arb_poly) -> arb:
    """A bound of |polynomial(u)|, by a ball that holds its values at all u: about the sum of |coefficients|."""
    return polynomial(_ALL).abs_upper()

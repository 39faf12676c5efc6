"""Densities of noises on cells of the line, as Taylor models: Gaussian ones, piecewise exponentials, and both added."""

from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import Final, NamedTuple

from flint import arb

from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact, negative, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING
from dpverify.mechanisms.numbers.roots.taylor_models import (
    TaylorModel,
    constant_model,
    exponential_model,
    integral_up_to,
    power_of_affine,
    product_of_models,
    scaled_model,
    sum_of_models,
)
from dpverify.mechanisms.path_conditions.certified_nodes import Noises
from dpverify.mechanisms.path_conditions.noise_tree import shared_noise

GUARD_BITS: Final = 40
"""Bits of the arithmetic beyond those that are asked for."""


class TooNear(Exception):
    """Balls at this precision do not tell the order of two numbers."""


class Density(NamedTuple):
    """The density of a noise: where it changes its form, how far out it counts, and its models."""

    kinks: Sequence[Exact]
    reach: float
    beyond: arb
    """A bound of the probability of being further out."""
    width: float
    """Length on which it varies."""
    on: Callable[[arb, arb, int], TaylorModel]
    """The model on middle + radius·u, of so high an order."""


def density_model(noises: Noises, accuracy: int) -> Density:
    """Density of a sum of noises, for so many bits. Raises `InputError` where it is not known."""
    if not noises.others:
        assert noises.sigma is not None, "there is some noise"
        return _normal(noises.sigma, accuracy)
    if noises.sigma is None:
        return _piecewise(noises, accuracy)
    return _mixed(noises, accuracy)


def _normal(sigma: Exact, accuracy: int) -> Density:
    """Density of Gaussian noise: on a cell, exp(-(m + r·u)²/(2σ²)) is exp(-m²/(2σ²) - (m·r/σ²)·u - (r²/(2σ²))·u²)."""
    scale = enclosure(sigma, accuracy + GUARD_BITS)
    reach = float(scale) * sqrt(2 * log(2) * (accuracy + 8))  # a float is a choice: what lies beyond it is a ball
    height = 1 / (scale * (2 * arb.pi()).sqrt())

    def on(middle: arb, radius: arb, order: int) -> TaylorModel:
        m, r = middle / scale, radius / scale
        return exponential_model(height * (-m * m / 2).exp(), -m * r, -r * r / 2, order)

    beyond = (arb(reach) / (scale * arb(2).sqrt())).erfc()
    return Density((), reach, beyond.abs_upper(), float(scale), on)


def _piecewise(noises: Noises, accuracy: int) -> Density:
    """Density of noise that is polynomials times exponentials."""
    precision = accuracy + GUARD_BITS
    density = _exact_density(noises)
    reach, beyond, width = _reach(density, accuracy)
    breaks = [enclosure(exact(kink), precision) for kink in density.breaks]

    def on(middle: arb, radius: arb, order: int) -> TaylorModel:
        piece = density.pieces[_place(middle, breaks)]
        terms = []
        for (rate, k), c in piece.items():
            slope = enclosure(rate, precision)
            model = exponential_model(enclosure(c, precision) * (slope * middle).exp(), slope * radius, arb(0), order)
            terms.append(product_of_models(model, power_of_affine(middle, radius, k, order), order) if k else model)
        return sum_of_models(terms) if terms else constant_model(arb(0))

    return Density([exact(kink) for kink in density.breaks], reach, beyond, width, on)


def _mixed(noises: Noises, accuracy: int) -> Density:
    """Density of Gaussian noise plus noise whose density is exponentials c·e^(λx) on pieces [a, b).

    ∫_a^b c·e^(λx)·φ((y − x)/σ)/σ dx = c·e^(λy + λ²σ²/2)·(Φ((b − y − λσ²)/σ) − Φ((a − y − λσ²)/σ)), by completing the
    square; and as a function of y each Φ is an integral of a density that is modelled as above.
    """
    assert noises.sigma is not None
    precision = accuracy + GUARD_BITS
    exactly = _exact_density(noises)
    if any(k for piece in exactly.pieces for _, k in piece):
        raise InputError(
            bad_mechanism.NOT_INTEGRATED,
            "Gaussian noise was added to several noises of other kinds and one scale, and compared",
        )
    sigma = enclosure(noises.sigma, precision)
    normal = _normal(noises.sigma, accuracy)
    reach, beyond, width = _reach(exactly, accuracy)
    breaks = [None, *(enclosure(exact(kink), precision) for kink in exactly.breaks), None]

    def on(middle: arb, radius: arb, order: int) -> TaylorModel:
        terms = []
        for low, high, piece in zip(breaks, breaks[1:], exactly.pieces, strict=False):
            for (rate, _), c in piece.items():
                slope = enclosure(rate, precision)
                moved = slope * sigma * sigma
                height = enclosure(c, precision) * (slope * middle + slope * moved / 2).exp()
                factor = exponential_model(height, slope * radius, arb(0), order)
                if high is not None:
                    parts = [_distribution(high - moved - middle, radius, sigma, normal, order)]
                    if low is not None:
                        below = _distribution(low - moved - middle, radius, sigma, normal, order)
                        parts.append(scaled_model(below, arb(-1)))
                elif low is not None:  # 1 - Φ as one number, which is small where it is
                    parts = [_distribution(middle - low + moved, radius, sigma, normal, order, rising=True)]
                else:
                    parts = [constant_model(arb(1))]
                terms.append(product_of_models(factor, sum_of_models(parts), order))
        return sum_of_models(terms)

    return Density((), reach + normal.reach, beyond + normal.beyond, min(width, normal.width), on)


def _distribution(
    at: arb, radius: arb, sigma: arb, normal: Density, order: int, *, rising: bool = False
) -> TaylorModel:
    """u ↦ Φ((at − radius·u)/σ), or where it rises Φ((at + radius·u)/σ)."""
    value = (-at / (sigma * arb(2).sqrt())).erfc() / 2
    step = radius if rising else -radius
    slope = integral_up_to(normal.on(at, step, order), arb(0), order)
    return sum_of_models([constant_model(value), scaled_model(slope, step)])


def _exact_density(noises: Noises) -> Piecewise:
    if any(law.is_certified for law, _ in noises.others):
        raise InputError(
            bad_mechanism.NOT_INTEGRATED,
            "noise without a density in closed form was added to other noise, and compared",
        )
    return shared_noise(noises.others, EVERYTHING, ()).density


def _reach_of(density: Piecewise, accuracy: int) -> tuple[float, arb]:
    precision = accuracy + GUARD_BITS
    cumulative, reach = density.cumulative, 1.0
    while True:
        end = exact(int(reach)) if reach >= 1 else exact(1)
        beyond = enclosure(total((cumulative.between(None, negative(end)),)), precision)
        beyond += enclosure(total((density.mass, negative(cumulative.at(end)))), precision)
        if abs(beyond) < arb(2) ** -(accuracy + 8):
            return reach, beyond.abs_upper()
        if reach > 2**60:
            raise InputError(
                bad_mechanism.NOT_INTEGRATED, "noise whose tails fall off too slowly was compared with Gaussian noise"
            )
        reach *= 1.5


def _reach(density: Piecewise, accuracy: int) -> tuple[float, arb, float]:
    """The distance up to which a density counts, what lies beyond, and on what length it varies."""
    reach, beyond = _reach_of(density, accuracy)
    rates = [abs(float(enclosure(rate))) for piece in density.pieces for rate, _ in piece]  # how finely, and no more
    width = 2 / max(rates) if any(rates) else 2 * reach
    return float(int(reach)), beyond, width


def _place(middle: arb, breaks: Sequence[arb]) -> int:
    for i, end in enumerate(breaks):
        if middle < end:
            return i
        if not middle > end:
            raise TooNear
    return len(breaks)

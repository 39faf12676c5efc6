"""The Laplace mechanism, on real or on whole numbers, released as it is or clamped to a range."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.path_conditions.noise_value import clamp


def laplace_mechanism(
    draw: Draw, values: Iterable[Any], *, epsilon: ExactLike, sensitivity: ExactLike = 1, noise: Noise = laplace
) -> tuple[Any, ...]:
    """Each of `values` plus its own noise Lap(sensitivity/ε).

    `sensitivity` is that of the whole vector in ℓ1. Source: Beimel, Nissim & Stemmer, journal version, Theorem 2.24;
    extended abstract, Theorem 1, for one value. With `noise=discrete_laplace`, on whole numbers, it is not the printed
    one. Raises `InputError` unless both parameters are positive.
    """
    scale = positive(sensitivity, "sensitivity") / positive(epsilon, "epsilon")
    return tuple(value + draw(noise(scale)) for value in values)


def discrete_laplace_mechanism(
    draw: Draw, values: Iterable[int], *, epsilon: ExactLike, sensitivity: ExactLike = 1
) -> tuple[Any, ...]:
    """As `laplace_mechanism`, with discrete Laplace noise, on whole numbers."""
    return laplace_mechanism(draw, values, epsilon=epsilon, sensitivity=sensitivity, noise=discrete_laplace)


def clamped_laplace_mechanism(
    draw: Draw,
    values: Iterable[Any],
    low: int | Fraction,
    high: int | Fraction,
    *,
    epsilon: ExactLike,
    sensitivity: ExactLike = 1,
    noise: Noise = discrete_laplace,
) -> tuple[Any, ...]:
    """As `laplace_mechanism`, with each noisy value moved into [low, high]; discrete unless told otherwise.

    Clamping is post-processing of the whole noise; it is another mechanism than truncated noise.
    """
    noisy = laplace_mechanism(draw, values, epsilon=epsilon, sensitivity=sensitivity, noise=noise)
    return tuple(clamp(value, low, high) for value in noisy)

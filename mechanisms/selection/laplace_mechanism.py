"""The Laplace mechanism, with discrete noise on whole numbers, released as it is or clamped to a range."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpverify.mechanisms.exact.exact_numbers import ExactLike
from dpverify.mechanisms.exact.parameters import positive
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.laws.noise import discrete_laplace
from dpverify.mechanisms.laws.noise_value import clamp


def discrete_laplace_mechanism(
    draw: Draw, values: Iterable[int], *, epsilon: ExactLike, sensitivity: ExactLike = 1
) -> tuple[Any, ...]:
    """Each of `values` plus its own discrete Laplace noise of scale sensitivity/ε.

    `sensitivity` is that of the whole vector in ℓ1. The discrete form of Beimel, Nissim & Stemmer, journal version,
    Theorem 2.24, whose noise is continuous. Raises `InputError` unless both parameters are positive.
    """
    scale = positive(sensitivity, "sensitivity") / positive(epsilon, "epsilon")
    return tuple(value + draw(discrete_laplace(scale)) for value in values)


def clamped_laplace_mechanism(
    draw: Draw, values: Iterable[int], low: int, high: int, *, epsilon: ExactLike, sensitivity: ExactLike = 1
) -> tuple[Any, ...]:
    """As `discrete_laplace_mechanism`, with each noisy value moved into [low, high].

    Clamping is post-processing of the whole noise; it is another mechanism than truncated noise.
    """
    noisy = discrete_laplace_mechanism(draw, values, epsilon=epsilon, sensitivity=sensitivity)
    return tuple(clamp(value, low, high) for value in noisy)

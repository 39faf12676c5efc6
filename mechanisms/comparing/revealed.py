"""Uniform numbers that are revealed bit by bit, and what is known of a sum of noises from them.

A noise is the quantile of its uniform number. Balls of finite precision only propose: what they leave open is asked
again with more bits, and never rounded.

Needed by `run`: docs/tutorial.md.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor
from typing import Final

from flint import arb, ctx

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.path_conditions.expressions import PlainNumber

_STEP: Final = 64
"""Bits that are revealed at a time."""

GUARD: Final = 64
"""Bits of precision beyond those revealed."""

RandomBits = Callable[[int], int]
"""k → a whole number of k uniform bits."""


class UniformNumber:
    """A uniform number of which more bits can be revealed: it lies in [known/2^bits, (known+1)/2^bits)."""

    __slots__ = ("_random_bits", "bits", "known")

    def __init__(self, random_bits: RandomBits) -> None:
        self._random_bits = random_bits
        self.known = random_bits(_STEP)
        self.bits = _STEP

    def reveal(self) -> None:
        """Reveal more bits."""
        self.known = self.known << _STEP | self._random_bits(_STEP)
        self.bits += _STEP

    def ball(self) -> arb:
        """A ball around the number; needs a precision beyond `bits`."""
        half_width = arb((1, -self.bits - 1))
        return arb((2 * self.known + 1, -self.bits - 1), half_width)


def ball_of(parts: Sequence[tuple[NoiseLaw, UniformNumber, Exact]], shift: Exact) -> arb | None:
    """A ball around Σ coefficient·noise + shift; None where a noise is not yet known well enough."""
    precision = GUARD + max(noise.bits for _, noise, _ in parts)
    with ctx.workprec(precision):
        ball = enclosure(shift, precision)
        for law, noise, coefficient in parts:
            quantile = law.quantile(noise.ball(), precision)
            if quantile is None:
                return None
            ball += enclosure(coefficient, precision) * quantile
        return ball


def float_in(ball: arb) -> float | None:
    """The float that every number of a ball rounds to; None where it holds numbers that round to different ones.

    Raises `InputError` where they are beyond all floats.
    """
    try:
        low, high = map(float, _ends(ball))
    except OverflowError:
        raise InputError(
            bad_input.BEYOND, "a released number", "every float", "give `run` a grid, which has no largest number"
        ) from None
    return low if low == high else None


def multiple_in(ball: arb, grid: Fraction) -> PlainNumber | None:
    """The multiple of the grid that every number of a ball is nearest to, if there is one."""
    low, high = (round(end / grid) for end in _ends(ball))
    if low != high:
        return None
    result = low * grid
    return int(result) if result.denominator == 1 else result


def _ends(ball: arb) -> tuple[Fraction, Fraction]:
    # `lower` and `upper` would be rounded to the precision of this moment
    middle, radius = (Fraction(int(part.p), int(part.q)) for part in (ball.mid().fmpq(), ball.rad().fmpq()))
    return middle - radius, middle + radius


def floor_of(parts: Sequence[tuple[NoiseLaw, UniformNumber, Exact]], shift: Exact) -> int:
    """⌊Σ coefficient·noise + shift⌋, of noise that is revealed as far as that takes."""
    while True:
        ball = ball_of(parts, shift)
        if ball is not None:
            low, high = map(floor, _ends(ball))
            if low == high:
                return low
        for _, noise, _ in parts:
            noise.reveal()

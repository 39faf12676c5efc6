"""The sampler: runs a mechanism once, with chance that is exactly that of its law.

A uniform number in [0, 1) is revealed bit by bit, as far as a choice needs: an outcome is taken once the revealed
interval lies between two cumulative probabilities, a comparison of noise is answered once balls around both sides are
apart. Balls of finite precision only propose: what they leave open is asked again with more bits, and never rounded.
"""

from __future__ import annotations

import random
import secrets
from bisect import bisect_right
from collections.abc import Callable, Hashable
from typing import Any, Final

from flint import arb, ctx

from dpverify.mechanisms.comparisons import equality_refused
from dpverify.mechanisms.distributions import Distribution, length
from dpverify.mechanisms.enclosure import enclosure
from dpverify.mechanisms.errors import InputError, MechanismError
from dpverify.mechanisms.exact_numbers import ONE, ZERO
from dpverify.mechanisms.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.noise import NoiseLaw
from dpverify.mechanisms.noise_value import HOLDS, NoiseValue, NoiseVariable, Relation
from dpverify.mechanisms.released import LatticeDistribution, Number

_STEP: Final = 64
"""Bits that are revealed at a time."""

_GUARD: Final = 64
"""Bits of precision beyond those revealed."""

RandomBits = Callable[[int], int]
"""k → a whole number of k uniform bits."""


def run(mechanism: Mechanism, database: Hashable, /, seed: int | None = None, **parameters: Any) -> Any:
    """One outcome of mechanism(draw, database, **parameters), drawn exactly from its law.

    Chance comes from the operating system's cryptographic source; with a `seed`, from a generator that repeats (for
    tests and examples: such a run is not private). `epsilon` and `delta` may be any exact numbers. Raises `InputError`
    as `distribution` does, for what a single run meets.
    """
    random_bits = secrets.randbits if seed is None else random.Random(seed).getrandbits
    draw = Sampler(random_bits).draw
    exactly = exact_parameters(parameters)
    try:
        outcome = mechanism(draw, database, **exactly)
        return _without_noise(draw(outcome) if isinstance(outcome, Distribution) else outcome)
    except MechanismError:
        raise
    except InputError as error:
        raise MechanismError(f"{name_of(mechanism)} on {database!r}: {error}") from error


def _without_noise(outcome: Any) -> Any:
    if isinstance(outcome, NoiseValue):
        raise InputError(f"returned continuous noise, {outcome}: outcomes must be discrete, so use discrete_laplace")
    if isinstance(outcome, tuple):
        for part in outcome:
            _without_noise(part)
    return outcome


class _Uniform:
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


class Sampler:
    """The `draw` of one run."""

    def __init__(self, random_bits: RandomBits) -> None:
        self._random_bits = random_bits
        self._noise: dict[NoiseVariable, _Uniform] = {}

    def draw(self, source: Any, /, *args: Any, **kwargs: Any) -> Any:
        """See `Draw`."""
        if isinstance(source, NoiseLaw):
            return self._discrete_noise(source) if source.discrete else self._continuous_noise(source)
        if isinstance(source, LatticeDistribution):
            raise InputError("draw from the mechanism itself, not from its law, which has infinitely many outcomes")
        if isinstance(source, Distribution):
            return self._outcome(source)
        if callable(source):
            outcome = source(self.draw, *args, **kwargs)
            return self.draw(outcome) if isinstance(outcome, Distribution) else outcome
        raise InputError(f"draw({source!r}): draw from a Distribution, a noise law or a mechanism")

    def holds(self, value: NoiseValue, relation: Relation) -> bool:
        """See `Observer`: the noise is revealed until the ball around the value does not contain 0."""
        if relation in ("==", "!="):
            raise equality_refused(value.parts[0][0].law)
        precision = _GUARD + max(self._noise[variable].bits for variable, _ in value.parts)
        while True:
            ball = self._ball(value, precision)
            if ball is not None and (ball > 0 or ball < 0):
                return HOLDS[relation](1 if ball > 0 else -1)
            for variable, _ in value.parts:
                self._noise[variable].reveal()
            precision += _STEP

    def clamped(self, value: NoiseValue, low: Number, high: Number) -> Number:
        """See `Observer`. Discrete noise is a plain number here, so what comes is continuous."""
        raise InputError(f"clamp of continuous noise, {value}: outcomes must be discrete, so use discrete_laplace")

    def _outcome(self, distribution: Distribution[Any]) -> Any:
        blocks = distribution.blocks
        outcomes = blocks[0 if len(blocks) == 1 else self._block(distribution)][0]
        count = length(outcomes)
        return outcomes[0 if count == 1 else self._below(count)]

    def _block(self, distribution: Distribution[Any]) -> int:
        uniform = _Uniform(self._random_bits)
        while True:
            low, high = distribution.cumulative_bounds(uniform.bits)
            index = bisect_right(low, uniform.known)
            if index == 0 or uniform.known >= high[index - 1]:
                return index
            uniform.reveal()

    def _below(self, bound: int) -> int:
        bits = (bound - 1).bit_length()
        while True:
            value = self._random_bits(bits)
            if value < bound:
                return value

    def _discrete_noise(self, law: NoiseLaw) -> int:
        uniform = _Uniform(self._random_bits)
        while True:
            precision = uniform.bits + _GUARD
            with ctx.workprec(precision):
                quantile = law.quantile(uniform.ball(), precision)
                value = None if quantile is None else quantile.ceil().unique_fmpz()
            if value is not None:
                return int(value)
            uniform.reveal()

    def _continuous_noise(self, law: NoiseLaw) -> NoiseValue:
        variable = NoiseVariable(law, len(self._noise) + 1)
        self._noise[variable] = _Uniform(self._random_bits)
        return NoiseValue(self, ((variable, ONE),), ZERO)

    def _ball(self, value: NoiseValue, precision: int) -> arb | None:
        with ctx.workprec(precision):
            ball = enclosure(value.shift, precision)
            for variable, coefficient in value.parts:
                quantile = variable.law.quantile(self._noise[variable].ball(), precision)
                if quantile is None:
                    return None
                ball += enclosure(coefficient, precision) * quantile
            return ball

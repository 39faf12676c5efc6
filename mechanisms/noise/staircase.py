"""Staircase noise, whose density falls in steps of width Δ by a factor of e^ε, and in two steps within each.

On kΔ ≤ x < (k + γ)Δ the density is a·e^(-kε), and on (k + γ)Δ ≤ x < (k + 1)Δ it is a·e^(-(k+1)ε), for whole k ≥ 0;
it is symmetric. Among all noises that keep a query of sensitivity Δ ε-private it has the least expected size, for the γ
that is the default. Source: Geng & Viswanath, "The optimal mechanism in differential privacy" (2014).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import ClassVar

from flint import arb, fmpq

from dpverify.mechanisms.noise.law import NoiseLaw, SymmetricNoise
from dpverify.mechanisms.noise.point_mass import PointMass, of_scale
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, ExactLike, exact, rational
from dpverify.mechanisms.numbers.exact_text import at_a_glance
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.numbers.roots.exponential_polynomials import NOTHING, Piecewise, constant_function
from dpverify.mechanisms.numbers.roots.intervals import Endpoint
from dpverify.mechanisms.numbers.roots.periodic_tails import PeriodicTails


@dataclass(frozen=True)
class Staircase(SymmetricNoise):
    """The density above, for ε, a width Δ and the part γ of a step that is the higher one."""

    epsilon: Exact
    width: Exact
    gamma: Exact
    made_by: ClassVar[str] = "staircase"
    discrete: ClassVar[bool] = False
    is_compared_with_few: ClassVar[bool] = True

    @cached_property
    def height(self) -> Exact:
        """The density at 0, called a above."""
        falls = exp(-self.epsilon)
        return (1 - falls) / (2 * self.width * (self.gamma + falls * (1 - self.gamma)))

    def tail(self, threshold: Endpoint) -> Exact:
        """Pr[N ≥ threshold]: ½·e^(-kε) from the step k of the threshold on, less what lies before it in that step."""
        number = exact(threshold)
        if number < 0:
            return 1 - self.tail(-number)
        k = floor(number / self.width)
        into, higher = number - k * self.width, self.gamma * self.width
        before = into if into <= higher else higher + (into - higher) * exp(-self.epsilon)
        return exp(-k * self.epsilon) * (rational(fmpq(1, 2)) - self.height * before)

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        if low is not None and high is not None and high <= 0:  # mirrored, so that no 1 has to cancel
            low, high = -high, -low
        from_low = ONE if low is None else self.tail(low)
        return from_low if high is None else from_low - self.tail(high)

    @property
    def density(self) -> Piecewise:
        """Raises `InputError`: it has no end of pieces."""
        raise compared_with_numbers_alone(self, "asked for its density")

    @cached_property
    def periodic_density(self) -> PeriodicTails:
        """See `NoiseLaw`: each step is the one before, times e^(-ε)."""
        falls, higher = exp(-self.epsilon), self.gamma * self.width
        lower = constant_function(self.height * falls)
        upper, end = constant_function(self.height), (NOTHING, self.width)
        steps = [(lower, -self.width), (upper, -higher), (lower, higher), end]
        if higher in (ZERO, self.width):  # the two parts of a step are one
            steps = [(lower if higher == 0 else upper, -self.width), end]
        near = Piecewise(False, tuple(start for _, start in steps), (NOTHING, *(piece for piece, _ in steps)))
        return PeriodicTails(near, ZERO, ZERO, self.width, falls)

    def scaled(self, share: Fraction) -> Staircase:
        """The law with the width of its steps times `share` > 0."""
        return Staircase(self.epsilon, self.width * share, self.gamma)

    def refuse_comparison(self, parts: Sequence[tuple[Exact, NoiseLaw]], described: Callable[[], str]) -> None:
        """Raises `InputError` where staircase noise is one of several noises in a comparison."""
        if len(parts) > 1:
            raise compared_with_numbers_alone(self, f"compared with other noise, {described()}")

    def refuse_use(self, what: str) -> None:
        """Raises `InputError` where it is rounded or folded."""
        if what != "returned":
            raise compared_with_numbers_alone(self, what)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the x with Pr[N < x] = level; None where the ball `level` does not tell the step of x."""
        if level >= 0.5 and level < 1:
            return self._upper_quantile(1 - level, precision)
        if level > 0 and level <= 0.5:
            result = self._upper_quantile(level, precision)
            return None if result is None else -result
        return None

    def _upper_quantile(self, beyond: arb, precision: int) -> arb | None:
        """A ball around the x ≥ 0 with Pr[N ≥ x] = beyond."""
        epsilon, width, gamma = (enclosure(x, precision) for x in (self.epsilon, self.width, self.gamma))
        k = (-(2 * beyond).log() / epsilon).floor().unique_fmpz()
        if k is None:
            return None
        before = (arb(1) / 2 - beyond * (int(k) * epsilon).exp()) / enclosure(self.height, precision)
        higher = gamma * width
        if before <= higher:
            return int(k) * width + before
        if before >= higher:
            return int(k) * width + higher + (before - higher) * epsilon.exp()
        return None

    def __str__(self) -> str:
        return f"staircase noise of ε = {self.epsilon}, Δ = {self.width}, γ = {self.gamma}"


def staircase(epsilon: ExactLike, sensitivity: ExactLike = 1, gamma: ExactLike | None = None) -> Staircase | PointMass:
    """Staircase noise for `draw`: a query of this sensitivity, compared with numbers, is ε-private with it.

    Without a γ in [0, 1] it is 1/(1 + e^(ε/2)), for which the expected size is least. For sensitivity
    0 it is a point mass. Raises `InputError` unless epsilon > 0 and sensitivity ≥ 0.

    >>> def far(draw, n):
    ...     return n + draw(staircase(1)) >= 2
    >>> distribution(far, 1).probability(True)
    Fraction(1, 2)*exp(-1)
    """
    given = positive(epsilon, "epsilon")
    part = 1 / (1 + exp(given / 2)) if gamma is None else exact(gamma, "gamma")
    if part < 0 or part > 1:
        raise InputError(bad_input.RANGE, f"gamma={at_a_glance(part)}", "between 0 and 1")
    return of_scale("staircase", lambda width: Staircase(given, width, part), sensitivity, "sensitivity")


def compared_with_numbers_alone(law: Staircase, what: str) -> InputError:
    """The error for staircase noise that meets other noise, or is rounded or folded."""
    return InputError(
        bad_mechanism.NOISE_USE,
        law,
        f"{what}, where its density has infinitely many steps",
        "compare it with numbers alone, or return it by itself",
    )

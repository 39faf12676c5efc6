"""The density of discrete noise plus continuous noise: the continuous one, moved by each whole number, added up.

Where the continuous noise is bounded and the whole one has geometric tails, that is a density whose tails repeat
themselves; where the discrete noise takes finitely many values, it is an ordinary one.
"""

from collections.abc import Iterator
from functools import lru_cache, reduce
from math import ceil, floor
from typing import Final, NamedTuple

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative, product
from dpverify.mechanisms.numbers.roots.exponential_polynomials import ExpPoly, Piecewise
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals
from dpverify.mechanisms.numbers.roots.periodic_tails import AnyDensity, PeriodicTails, is_bounded
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.path_conditions.noise_tree import multiple

MOST_MOVED: Final = 1 << 10
"""Values of discrete noise by which continuous noise is moved one by one."""


class SummandOfMixed(NamedTuple):
    """A noise in a sum, what it is multiplied by, and what is known of it."""

    law: NoiseLaw
    coefficient: Exact
    values: Intervals

    @property
    def density(self) -> Piecewise:
        """Probability of the noise where it is one of the values."""
        density = self.law.density
        return density if self.values == EVERYTHING else density.within(self.values)


@lru_cache(maxsize=1 << 10)
def mixed_density(whole: SummandOfMixed, real: SummandOfMixed) -> AnyDensity | None:
    """The density of coefficient·N + coefficient·U for whole N and continuous U; None where no closed form is known."""
    if real.law.periodic_density is not None:
        return None
    masses = whole.density
    if whole.coefficient < 0:
        masses = masses.composed(negative(ONE), 0)
    step = abs(whole.coefficient)
    moved = multiple(real.density, real.coefficient)
    breaks = [b for b in masses.breaks if isinstance(b, int)]
    if not breaks or len(breaks) < len(masses.breaks):
        return None
    first, beyond = breaks[0], breaks[-1]
    if not masses.pieces[0] and not masses.pieces[-1]:
        return _moved_sum(masses, moved, range(first, beyond), step) if beyond - first <= MOST_MOVED else None
    falls = [_fall(piece, way) for piece, way in ((masses.pieces[0], -1), (masses.pieces[-1], 1)) if piece]
    if not is_bounded(moved) or any(fall is None or fall != falls[0] for fall in falls):
        return None
    fall = falls[0]
    assert fall is not None, "looked at above"
    low, high = exact(moved.breaks[0]), exact(moved.breaks[-1])
    starts, ends = low + first * step, high + beyond * step
    values = range(floor((starts - step - high) / step), ceil((ends + step - low) / step) + 1)
    if len(values) > MOST_MOVED:
        return None
    near = _moved_sum(masses, moved, values, step).within(((starts - step, ends + step),))
    return PeriodicTails(near, starts, ends, step, fall)


def _fall(piece: ExpPoly, way: int) -> Exact | None:
    """The factor by which a tail falls from one number to the next one outwards; None where it is not one factor."""
    if len(piece) != 1:
        return None
    ((rate, k),) = piece
    return exp(product((exact(way), rate))) if k == 0 and rate is not ZERO else None


def _moved_sum(masses: Piecewise, moved: Piecewise, values: range, step: Exact) -> Piecewise:
    return reduce(Piecewise.plus, _each_moved(masses, moved, values, step))


def _each_moved(masses: Piecewise, moved: Piecewise, values: range, step: Exact) -> Iterator[Piecewise]:
    for k in values:
        mass = simplified(masses.at(exact(k)))
        if mass is not ZERO:
            yield moved.composed(ONE, product((exact(-k), step))).scaled(mass)

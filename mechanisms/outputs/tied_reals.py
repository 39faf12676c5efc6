"""Several released real numbers that are tied by one noise which is not returned, as the threshold of a sparse vector.

Given the noise T of the hub, the numbers are independent, and comparisons bound T from either side by them: a released
score that was above the threshold says T ≤ z + b. So their joint density is ∏ f_i(z_i)·∫ h(t) dt, where the integral is
over the t between the largest lower and the least upper bound.

Needed by the claim LSL-Alg3.privacy.claimed-twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, negative
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise, constant_function
from dpverify.mechanisms.numbers.roots.intervals import half_open
from dpverify.mechanisms.outputs.released_reals import OpenInterval


@dataclass(frozen=True, eq=False)
class StarLeaf:
    """A released number z: its density, and whether the hub lies below z + bound, or above it."""

    density: Piecewise
    bound: Exact
    is_above_hub: bool

    def given_hub(self, cell: OpenInterval) -> Piecewise:
        """t ↦ the probability that z lies in the cell, and on its side of the hub at t."""
        inside = self.density if cell == (None, None) else self.density.within(half_open(*cell))
        below = inside.cumulative.composed(ONE, negative(self.bound))  # z < t - bound
        if not self.is_above_hub:
            return below
        return Piecewise(False, (), (constant_function(inside.mass),)).plus(below.scaled(negative(ONE)))


@dataclass(frozen=True, eq=False)
class TiedReals:
    """Numbers that a hub ties: its density, times the probability of all else that is known, and theirs."""

    hub: Piecewise
    arms: tuple[StarLeaf, ...]

    def probability(self, cells: Sequence[OpenInterval]) -> Exact:
        """The probability that each number lies in its cell, and of what is known."""
        if all(cell == (None, None) for cell in cells):
            return self.mass
        return self._probability(cells)

    def _probability(self, cells: Sequence[OpenInterval]) -> Exact:
        return next(self.probabilities([[cell] for cell in cells]))

    def probabilities(self, cells: Sequence[Sequence[OpenInterval]]) -> Iterator[Exact]:
        """The same of each choice of a cell for each number, the last changing first: what they share is had once."""
        each = [[arm.given_hub(cell) for cell in of_arm] for arm, of_arm in zip(self.arms, cells, strict=True)]
        return _masses(self.hub, each)

    @cached_property
    def mass(self) -> Exact:
        """The probability of what is known."""
        return self._probability([(None, None)] * len(self.arms))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TiedReals):
            return NotImplemented
        if self is other:
            return True
        return (
            len(self.arms) == len(other.arms)
            and _one_function(self.hub, other.hub)
            and all(
                mine.bound == theirs.bound
                and mine.is_above_hub == theirs.is_above_hub
                and _one_function(mine.density, theirs.density)
                for mine, theirs in zip(self.arms, other.arms, strict=True)
            )
        )

    def __hash__(self) -> int:
        return hash((len(self.arms), len(self.hub.breaks)))


def _masses(hub: Piecewise, each: Sequence[Sequence[Piecewise]]) -> Iterator[Exact]:
    if not each:
        yield hub.mass
        return
    for given in each[0]:
        yield from _masses(hub.times(given), each[1:])


def _one_function(left: Piecewise, right: Piecewise) -> bool:
    return left is right or (left.breaks == right.breaks and left.pieces == right.pieces)


@dataclass(frozen=True)
class TiedReal:
    """One of the numbers of a group: of which law that is, which number, and which group of the outcome."""

    group: TiedReals
    place: int
    number: int

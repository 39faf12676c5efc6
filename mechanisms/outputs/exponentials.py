"""Distributions with weights e^(rate·step) for whole steps, of which a sample makes no numbers."""

from collections.abc import Sequence
from functools import cached_property

from dpverify.mechanisms.numbers.enclosure import scaled_cumulative_bounds_of_exponentials
from dpverify.mechanisms.numbers.exact_numbers import Exact, Term, from_exponents
from dpverify.mechanisms.outputs.distributions import AtShare, Distribution, Outcome
from dpverify.mechanisms.outputs.long_sequences import length


class Exponentials(Distribution[Outcome]):
    """The distribution in which each outcome of groups[i] has the weight e^(rate·steps[i]).

    As `Distribution.of_blocks`, with weights that are made where they are asked for: a law needs each of them, and one
    outcome few. The rate is rational; all steps are whole and at most 0, and one is 0. Groups share no outcome, and
    none is empty.
    """

    def __init__(
        self, groups: Sequence[Sequence[Outcome]], steps: Sequence[int], rate: Term, *, at_share: AtShare | None = None
    ) -> None:
        self._groups, self._steps, self._rate = groups, steps, rate
        if at_share is not None:
            self.at_share = at_share

    @cached_property
    def _blocks(self) -> tuple[tuple[Sequence[Outcome], Exact], ...]:
        weights = (from_exponents(self._rate.coefficient * step, {}) for step in self._steps)
        return tuple(zip(self._groups, weights, strict=True))

    @property
    def groups(self) -> int:
        """The number of blocks."""
        return len(self._groups)

    def group(self, place: int) -> Sequence[Outcome]:
        """The outcomes of a block."""
        return self._groups[place]

    def _bounds(self, bits: int) -> tuple[Sequence[int], Sequence[int]]:
        counts = map(length, self._groups)
        return scaled_cumulative_bounds_of_exponentials(counts, self._steps, self._rate.coefficient, bits)

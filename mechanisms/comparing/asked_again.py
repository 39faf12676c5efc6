"""Comparisons of noise with numbers that are made again and again: told from the uniform numbers alone.

Noise is the quantile of its uniform number u, so that it is at least t where u is above Pr[N < t], and below t where u
is below it. That chance is a number of the law and of t: once it is enclosed, a comparison of whole numbers is left.

Needed by `run`: docs/tutorial.md.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from dpverify.mechanisms.comparing.revealed import UniformNumber
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.enclosure import scaled_cumulative_bounds
from dpverify.mechanisms.numbers.roots.intervals import Intervals

_BITS: Final = 64
"""Number of the first bits of a uniform number that are looked at."""

_MOST: Final = 1 << 14


class _Asked(NamedTuple):
    """A law and the values that it was asked for, which are kept so that their identities stay theirs."""

    law: NoiseLaw
    holds: Intervals
    split: _Split | None


class _Split(NamedTuple):
    """Whole bounds of 2^64·Pr[N < t], and whether noise is asked to be at least t, and not below it."""

    low: int
    high: int
    is_above: bool


class AskedAgain:
    """The questions that were asked of noise in a run, by the identities of laws and of values."""

    def __init__(self) -> None:
        self._asked: dict[tuple[int, int], _Asked] = {}

    def answer(self, law: NoiseLaw, holds: Intervals, uniform: UniformNumber) -> bool | None:
        """True if the noise of a uniform number is one of `holds`; None where its first bits, or the law, do not tell.

        The first time nothing is told: the chance costs more than one comparison.
        """
        key = (id(law), id(holds))
        known = self._asked.get(key)
        if known is None:
            if len(self._asked) >= _MOST:
                self._asked.clear()
            self._asked[key] = _Asked(law, holds, None)
            return None
        split = known.split
        if split is None:
            split = _split(law, holds)
            if split is None:
                return None
            self._asked[key] = _Asked(law, holds, split)
        first = uniform.known >> (uniform.bits - _BITS)
        if first >= split.high:
            return split.is_above
        return not split.is_above if first < split.low else None


def _split(law: NoiseLaw, holds: Intervals) -> _Split | None:
    """The end of values that are all from one on, or all below one."""
    if not law.has_plain_tails or len(holds) != 1:
        return None
    ((low, high),) = holds
    if (low is None) == (high is None):
        return None
    end = high if low is None else low
    chances = [(1, probability(law, (interval,))) for interval in ((None, end), (end, None))]
    below_at_least, below_at_most = scaled_cumulative_bounds(chances, _BITS)
    return _Split(below_at_least[0], below_at_most[0], low is not None)

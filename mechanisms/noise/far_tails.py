"""The tails of Gaussian noise at unknown whole numbers: next to nothing from some number on, and cut before that.

On databases of every size a threshold may be a function of how often a row occurs. Where it lies far out for all of
them the tail is a number of which a ball is known, from 0 to the tail at the number where "far out" begins; elsewhere
the comparison with that number raises `Cut`, which takes the databases apart until the threshold is known.

Needed by docs/gaussian.md: for any number of rows, Gaussian noise that is compared with numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import Any, Final

from flint import arb

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.elementary import certified
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.numbers.exact_text import evaluable
from dpverify.mechanisms.numbers.roots.intervals import Endpoint
from dpverify.mechanisms.numbers.roots.whole_forms import rounded_whole

FAR: Final = 21
"""In scales of the noise: the tail from there on is below 2^-310."""


@dataclass(frozen=True, eq=False)
class FarTail(Certified):
    """Pr[N ≥ place], or Pr[N = place], of a place that is at least where `most` is the tail, wherever it may be."""

    law: NoiseLaw
    place: Exact
    is_point: bool
    most: Exact

    @cached_property
    def name(self) -> str:
        """See `Certified`: where it begins tells the law."""
        return f"far[{evaluable(self.most)}, {'=' if self.is_point else '>='} {evaluable(self.place)}]"

    @property
    def readable(self) -> str:
        return f"Pr[{self.law} {'=' if self.is_point else '≥'} {self.place}]"

    @cached_property
    def is_unknown(self) -> bool:
        return True

    def with_numbers(self, put: Callable[[Any], Any]) -> Exact:
        place: Exact = put(self.place)
        low = rounded_whole(floor(place)) if self.law.discrete else place
        return self.law.mass(low, low + 1 if self.is_point else None)

    def compute(self, bits: int) -> arb:
        """Between 0 and the tail where it begins."""
        return arb(0).union(enclosure(self.most, bits + 8).abs_upper())


def far_probability(law: NoiseLaw, place: Endpoint, begins: Endpoint, *, is_point: bool = False) -> Exact:
    """Pr[N ≥ place], or Pr[N = place], of a place that is not known, and at least `begins` wherever it may be.

    Raises `Cut` where that depends on where it is, and `InputError` where it lies nearer, and is not known.
    """
    if place >= begins:
        return certified(FarTail(law, exact(place), is_point, law.mass(begins, None)))
    raise InputError(bad_mechanism.GAUSSIAN_SYMBOLIC, f"is compared with {place}, which depends on unknown rows")

"""Databases of many rows, given by runs of equal points, and the values of ε, β and δ for them."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.verifiers.catalogue.corners import ends_of
from dpverify.verifiers.utility.repeated import written_out

Counts: TypeAlias = tuple[tuple[int, int], ...]
"""(point, how many rows are that point), by rising point."""

# A database has some 10⁵ rows at the least of each.
EPSILONS: Final = (Fraction(1), Fraction(5), Fraction(200), Fraction(10**4))
BETAS: Final = (Fraction(1, 10**6), Fraction(1, 20), Fraction(99, 100))
DELTAS: Final = (Fraction(1, 10**6), Fraction(1, 10), Fraction(99, 100))
ENDS: Final = ends_of(epsilon=EPSILONS, beta=BETAS)


@lru_cache(maxsize=4)  # a mechanism is run once for each path
def rows_of(counts: Counts) -> tuple[int, ...]:
    """The rows, by rising point."""
    return written_out(counts)


def is_off(value: Any, distance: ExactLike) -> bool:
    """True where a number, which may hold noise, is more than a distance from 0."""
    return bool(value > distance) or bool(value < -exact(distance))


BETA: Final = Fraction(1, 20)

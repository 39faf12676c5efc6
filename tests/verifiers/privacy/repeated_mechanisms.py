"""What several tests of repetition share."""

from dataclasses import dataclass
from fractions import Fraction

from dpverify.mechanisms import Draw, bernoulli
from dpverify.verifiers import Tuples

BITS = Tuples((0, 1), size=1)


def coin(draw: Draw, k: int) -> bool:
    return bool(draw(bernoulli(Fraction(k, 10))))


@dataclass(frozen=True)
class Point:
    x: int


class Unique:
    """Equal to itself alone."""


UNIQUE = Unique()

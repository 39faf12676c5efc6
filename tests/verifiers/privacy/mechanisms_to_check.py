"""What several tests of privacy share."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any

from dpverify import verifiers
from dpverify.mechanisms import Draw, clamp, discrete_laplace, exponential
from dpverify.verifiers import Tuples

# What is computed a second time has tests of its own, in test_repetition.py.
check_privacy = partial(verifiers.check_privacy, recheck=False)


BITS = Tuples((0, 1), size=3)


def true_answer(draw: Draw, rows: Sequence[int]) -> int:
    return sum(rows)


def geometric(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return sum(rows) + draw(discrete_laplace(1 / epsilon))


def clamped(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return clamp(geometric(draw, rows, epsilon=epsilon), 0, len(rows))


def fine(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return exponential([rows.count(0), rows.count(1)], epsilon)


calls = count()

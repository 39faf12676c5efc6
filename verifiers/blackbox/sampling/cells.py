"""Cells that the outcomes of a model are merged to, by its distribution alone, so that none is rare."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes

MOST_CELLS: Final = 36
"""Cells of a distribution at most, beside the one of what cannot occur."""

EXPECTED: Final = 10
"""Draws that a cell is to get on average, at least: others are merged, by the distribution."""

IMPOSSIBLE: Final = "that the model says cannot occur"


@dataclass(frozen=True)
class Repeats:
    """The probabilities, by a distribution of real numbers, of values that came up more than once, and around them."""

    of: Callable[[Outcomes], list[float]]
    """The values that came up more than once in a pilot, though the distribution has no such one; most often first."""
    near: Callable[[Sequence[float]], tuple[Exact, Callable[[Outcomes], int]]]
    """The exact probability of what is around such values, and how many outcomes are."""


@dataclass(frozen=True)
class DistributionCells:
    """Cells in an order: their names, their exact probabilities, and of an array of outcomes how many lie in each.

    The last is of what the model says cannot occur. `ordered` says that the first few together mean something, too.
    """

    names: Sequence[str]
    probabilities: Sequence[Exact]
    counts: Callable[[Outcomes], list[int]]
    ordered: bool
    repeats: Repeats | None = None
    """None where outcomes may well come up again."""


def about(number: Exact) -> float:
    """A float near a number: it proposes, and decides nothing."""
    return float(enclosure(number, 64).mid())

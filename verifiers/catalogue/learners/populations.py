"""Small populations, and when a hypothesis is good on one: what PAC claims share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.sanitizers.concepts import Threshold
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.pac import Population, error, labelled

JUST: Final = Fraction(1, 1000)


def two_points(target: Threshold, low: int, high: int, share: Fraction) -> Population:
    """So much of the mass on the lower point, and the rest on the higher one."""
    return labelled([(low, share), (high, 1 - share)], target)


def is_within_alpha(case: Case, hypothesis: Any) -> bool:
    """True where the error on the population is at most α; ⊥ is no hypothesis."""
    return callable(hypothesis) and error(case.database, hypothesis) <= case.facts["alpha"]


def turned(population: Population) -> Population:
    """The population with 0 and 1 exchanged in all labels."""
    return tuple(((x, 1 - y), share) for (x, y), share in population)

"""The stability-based histogram for every δ, by Theorem 10 of docs/theorems.md: on all databases of every size."""

from fractions import Fraction
from typing import Final

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.sanitizers.concepts import checked_points
from dpverify.verifiers.all_sizes.claimed_shares import PartOfDelta
from dpverify.verifiers.all_sizes.regions.domains import Endless, Histograms
from dpverify.verifiers.problems.questions.question import Question

THEOREM_10: Final = (
    "Theorem 10 of docs/theorems.md, on the stability-based histogram: every δ, and databases of every size"
)

NEEDED_OF_DELTA: Final = ((laplace, Fraction(1, 4)), (discrete_laplace, Fraction(1, 2)))
"""Part of its δ that it needs at most, by its noise."""


def needed_by_histogram(question: Question, domain: Endless) -> PartOfDelta | None:
    """None where the theorem says nothing. Raises `InputError` as the mechanism does of rows that are no points."""
    assert isinstance(domain, Histograms)
    noise = question.arguments.get("noise", discrete_laplace)
    needed = next((part for known, part in NEEDED_OF_DELTA if noise is known), None)
    if needed is None or len(domain.universe) < _TWO:
        return None
    checked_points([x for x in domain.universe if isinstance(x, int)], question.arguments["d"])
    return PartOfDelta(THEOREM_10, needed) if all(isinstance(x, int) for x in domain.universe) else None


_TWO: Final = 2
"""Rows of which one can take the place of another."""

"""The stability-based histogram for every δ, by Theorem 10 of docs/theorems.md: on all databases of every size."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.sanitizers.concepts import checked_points
from dpverify.mechanisms.sanitizers.stable_histogram import stable_histogram
from dpverify.verifiers.all_sizes.claimed_shares import claimed_shares, never_exceeds
from dpverify.verifiers.all_sizes.regions.domains import Endless, Histograms
from dpverify.verifiers.problems.questions.moves import Replaces, moves_of
from dpverify.verifiers.problems.questions.question import Question

THEOREM_10: Final = (
    "Theorem 10 of docs/theorems.md, on the stability-based histogram: every δ, and databases of every size"
)

NEEDED_OF_DELTA: Final = ((laplace, Fraction(1, 4)), (discrete_laplace, Fraction(1, 2)))
"""Part of its δ that it needs at most, by its noise."""


def stable_histogram_domain(question: Question, domain: Endless) -> Histograms | None:
    """The domain, where the theorem says that a claim of the histogram holds on it; None where it says nothing.

    Raises `InputError` as the mechanism does.
    """
    if question.mechanism is not stable_histogram or moves_of(question.neighbours) != Replaces():
        return None
    if type(domain) is not Histograms or len(domain.universe) < _TWO:
        return None
    given = question.arguments
    noise = given.get("noise", discrete_laplace)
    needed = next((part for known, part in NEEDED_OF_DELTA if noise is known), None)
    claimed = None if needed is None else claimed_shares(question)
    if needed is None or claimed is None:
        return None
    checked_points([x for x in domain.universe if isinstance(x, int)], given["d"])
    if not all(isinstance(x, int) for x in domain.universe):
        return None
    holds = claimed.share_of_epsilon >= 1 and never_exceeds(exact(needed), claimed.share_of_delta)
    return domain if holds else None


_TWO: Final = 2
"""Rows of which one can take the place of another."""

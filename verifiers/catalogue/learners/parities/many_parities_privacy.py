"""Privacy of the learner of several parities of several bits, at ε = 1 and δ = 10⁻⁶.

The learner sees of a subsample the vector of parities that it determines, or ⊥, and of the vectors how often each
occurs: one row changes one vector. What it releases depends on the best vector and its gap alone. On counts of two
vectors, and of ⊥, all changes of these that one row can make occur: so they stand for all databases.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.multi_learners import Row
from dpverify.mechanisms.learners.parities import Parity, learn_parities
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.stability import choose_by_stability, choose_by_stability_journal
from dpverify.verifiers.catalogue.finite import CHOSEN
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS, as_expected
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import best_whatever_the_gap
from dpverify.verifiers.privacy.claim import Claim

Counts = tuple[int, int, int]
"""How many subsamples give the vector `FIRST`, how many `SECOND`, and how many ⊥."""

FIRST: Final = (1, 2)
SECOND: Final = (3, 0)
_POINTS: Final = (0, 1, 2, 3, 1)
"""The points of a subsample of d + 3 rows, of full rank."""


def labelled_by(vector: tuple[int, int]) -> tuple[Row, ...]:
    """The subsample of `_POINTS`, labelled by two parities."""
    return tuple((x, sum(Parity(y)(x) << j for j, y in enumerate(vector))) for x in _POINTS)


_CONTRADICTORY: Final = (*labelled_by(FIRST)[:-1], (1, 0))
"""In its last row point 1 has other labels than before."""


def two_parities(draw: Draw, counts: Counts, *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The learner of two parities of two bits, from subsamples of five rows: which parities, or ⊥."""
    kinds = (labelled_by(FIRST), labelled_by(SECOND), _CONTRADICTORY)
    rows = tuple(row for kind, number in zip(kinds, counts, strict=True) for row in kind * number)
    found = learn_parities(draw, rows, d=2, k=2, size=5, epsilon=epsilon, delta=delta, selection=selection)
    return tuple(h.y for h in found) if isinstance(found, tuple) else found


def two_parities_without_a_dist(
    draw: Draw, counts: Counts, *, selection: Mechanism, epsilon: Exact, delta: Exact
) -> Any:
    """Mutant: takes the most frequent vector without the test of A_dist."""
    return two_parities(draw, counts, selection=best_whatever_the_gap, epsilon=epsilon, delta=delta)


def another_subsample(counts: Counts) -> Iterator[Counts]:
    """The counts where one subsample gives something else."""
    for i, j in permutations(range(3), 2):
        if counts[i]:
            first, second, none = (count + (place == j) - (place == i) for place, count in enumerate(counts))
            yield first, second, none


def all_of(parts: int) -> list[Counts]:
    """All counts of so many subsamples."""
    return [
        (first, second, parts - first - second) for first in range(parts + 1) for second in range(parts + 1 - first)
    ]


def telling(counts: Counts) -> bool:
    """True where the gap is next to the threshold, at 28.2 for the corrected A_dist, or the best vector may change."""
    return abs(counts[0] - counts[1]) >= 26 or counts[0] + counts[1] <= 4


parities = tuple(
    Claim(
        id=f"BuNS-3.12.privacy.{variant}-two-bits{suffix}",
        source="Bun, Nissim & Stemmer, Algorithm 4 and Theorem 3.12, formulas as reconstructed",
        statement=f"the learner of two parities of two bits with {what} is (1, 10⁻⁶)-private, on 32 subsamples of five "
        f"rows{which}",
        mechanism=two_parities,
        domain=list(filter(telling, all_of(32))) if not suffix else all_of(32),
        neighbours=another_subsample,
        epsilon=1,
        delta=Fraction(1, 10**6),
        parameters={"selection": selection},
        **as_expected(refuted),
        finite_because="" if refuted else CHOSEN,
        mutant=two_parities_without_a_dist,
        depth="report" if suffix else "quick",
    )
    for variant, what, selection, refuted, suffix, which in (
        ("printed", "A_dist as printed", choose_by_stability_journal, A_DIST_OF_BUNS, "", ""),
        ("corrected", "the corrected A_dist", choose_by_stability, None, "", ", next to its threshold or nearly tied"),
        ("corrected", "the corrected A_dist", choose_by_stability, None, "-all", ": all counts of two vectors and ⊥"),
    )
)

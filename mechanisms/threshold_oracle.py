"""The threshold oracle of Hardt, Rothblum & Servedio: whether a share of the rows is above a threshold, privately."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.errors import InputError
from dpverify.mechanisms.exact_numbers import ExactLike, exact
from dpverify.mechanisms.mechanism import Draw
from dpverify.mechanisms.noise import Noise, laplace
from dpverify.mechanisms.parameters import positive, whole
from dpverify.mechanisms.stability import Bottom

Query: TypeAlias = Callable[[Any], int]
"""A predicate q of a row; f(q) is the share of the rows with q = 1. Hashable, so that it is known again."""

Answer: TypeAlias = int | Bottom
"""0, 1, or ⊥ where the share is near the threshold, or no query is left."""

_TWO_THIRDS: Final = exact("2/3")


class ThresholdOracle:
    """TO(D, α, b): answers up to `bound` queries, and remembers the noise of each predicate.

    Source: Hardt, Rothblum & Servedio, Figure 1; ε-private for any sequence of queries, chosen one after another
    (Lemma 4.1). It belongs to one run of a mechanism, whose `draw` it uses. Raises `InputError` without rows, and
    unless α > 0, bound ≥ 1 and ε > 0.
    """

    def __init__(
        self,
        draw: Draw,
        rows: Sequence[Any],
        *,
        alpha: ExactLike,
        bound: int,
        epsilon: ExactLike,
        noise: Noise = laplace,
    ) -> None:
        if not rows:
            raise InputError("the database is empty: give at least one row")
        self._draw, self._rows = draw, rows
        self._margin = _TWO_THIRDS * positive(alpha, "alpha")
        self._left = whole(bound, "bound", 1)
        # on counts, and not shares: Lap(b/(εn)) times n
        self._law = noise(self._left / positive(epsilon, "epsilon"))
        self._counts: dict[Hashable, Any] = {}

    @property
    def has_ended(self) -> bool:
        """Whether all queries are spent."""
        return self._left == 0

    def __call__(self, query: Query, threshold: ExactLike) -> Answer:
        """Whether the noisy share of rows with query = 1 is ≥ t + 2α/3 (1), or ≤ t − 2α/3 (0); else ⊥.

        ⊥ as well once `bound` queries have been asked. The same predicate has the same noise, whatever the threshold.
        """
        if self._left == 0:
            return Bottom.BOTTOM
        self._left -= 1
        if query not in self._counts:
            self._counts[query] = sum(query(row) for row in self._rows) + self._draw(self._law)
        count, m, t = self._counts[query], len(self._rows), exact(threshold, "threshold")
        if count <= (t - self._margin) * m:
            return 0
        if count >= (t + self._margin) * m:
            return 1
        return Bottom.BOTTOM


def threshold_answers(
    draw: Draw, rows: Sequence[Any], *, queries: Sequence[tuple[Query, ExactLike]], **given: Any
) -> tuple[Answer, ...]:
    """The answers of a `ThresholdOracle` to (predicate, threshold), one after another. Parameters are those of it."""
    oracle = ThresholdOracle(draw, rows, **given)
    return tuple(oracle(query, threshold) for query, threshold in queries)

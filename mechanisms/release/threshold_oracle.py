"""The threshold oracle of Hardt, Rothblum & Servedio: whether a share of the rows is above a threshold, privately."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import positive, whole
from dpverify.mechanisms.sanitizers.long_databases import numbers_of
from dpverify.mechanisms.selection.composition import epsilon_of_each
from dpverify.mechanisms.selection.of_rows import noisy_number, number_of_rows, to_return
from dpverify.mechanisms.selection.stability import Bottom

Query: TypeAlias = Callable[[Any], int]
"""A predicate q of a row; f(q) is the share of the rows with q = 1. Hashable, so that it is known again."""

Database: TypeAlias = Sequence[Any] | Mapping[Any, int]
"""Rows one after another, or how often each occurs, for databases that are too long to write out."""

Answer: TypeAlias = int | Bottom
"""0, 1, or ⊥ where the share is near the threshold, or no query is left."""

_TWO_THIRDS: Final = exact("2/3")


class ThresholdOracle:
    """TO(D, α, b): answers up to `bound` queries, and remembers the noise of each predicate.

    Source: Hardt, Rothblum & Servedio, Figure 1; ε-private for any sequence of queries, chosen one after another
    (Lemma 4.1). It belongs to one run of a mechanism, whose `draw` it uses. Figure 1 counts every query. Lemma 4.1 and
    Theorem 4.10 count a predicate once, whatever the number of its thresholds: so does `distinct`. With δ it is
    (ε,δ)-private, with the noise of Remark 3.10(2). Raises `InputError` without rows, and unless α > 0, bound ≥ 1,
    ε > 0 and, where it is given, 0 < δ < 1.
    """

    def __init__(
        self,
        draw: Draw,
        rows: Database,
        *,
        alpha: ExactLike,
        bound: int,
        epsilon: ExactLike,
        delta: ExactLike | None = None,
        distinct: bool = False,
        noise: Noise = laplace,
    ) -> None:
        self._draw, self._rows = draw, rows
        self._size = to_return(draw, number_of_rows, rows)
        self._margin = _TWO_THIRDS * positive(alpha, "alpha")
        self._left = whole(bound, "bound", 1)
        # on counts, and not shares: Lap(b/(εn)) times n
        self._law = noise(1 / epsilon_of_a_query(bound, epsilon=epsilon, delta=delta))
        self._distinct = distinct
        self._counts: dict[Hashable, Any] = {}

    @property
    def has_ended(self) -> bool:
        """True where all queries are spent; with `distinct`, predicates that were asked before are still answered."""
        return self._left == 0

    def __call__(self, query: Query, threshold: ExactLike, times: int = 1) -> Answer:
        """1 where the noisy share of rows with query = 1 is ≥ t + 2α/3, 0 where it is ≤ t − 2α/3, else ⊥.

        ⊥ as well once `bound` queries have been asked. The same predicate has the same noise, whatever the threshold,
        so that it can be asked several times at once; ⊥ where not so many queries are left.
        """
        if query not in self._counts or not self._distinct:
            spent = 1 if self._distinct else times
            if self._left < spent:
                return Bottom.BOTTOM
            self._left -= spent
        if query not in self._counts:
            self._counts[query] = to_return(
                self._draw, noisy_number, self._rows, number=partial(rows_that_satisfy, query=query), noise=self._law
            )
        count, m, t = self._counts[query], self._size, exact(threshold, "threshold")
        if count <= (t - self._margin) * m:
            return 0
        if count >= (t + self._margin) * m:
            return 1
        return Bottom.BOTTOM


def rows_that_satisfy(rows: Database, *, query: Query) -> int:
    """The number of rows that satisfy a predicate."""
    numbers = rows if isinstance(rows, Mapping) else numbers_of(rows)
    return sum(n for row, n in numbers.items() if query(row))


def threshold_answers(
    draw: Draw, rows: Database, *, queries: Sequence[tuple[Query, ExactLike]], **given: Any
) -> tuple[Answer, ...]:
    """The answers of a `ThresholdOracle` to (predicate, threshold), one after another. Parameters are those of it."""
    oracle = ThresholdOracle(draw, rows, **given)
    return tuple(oracle(query, threshold) for query, threshold in queries)


@sized(threshold_answers, name="epsilon of a query")
def epsilon_of_a_query(bound: int, *, epsilon: ExactLike, delta: ExactLike | None = None) -> Exact:
    """The ε of each of `bound` queries that together are ε-private, ε/b, or (ε,δ)-private, if that allows more.

    Source: Hardt, Rothblum & Servedio, Figure 1, and with δ Remark 3.10(2), which names the composition theorem alone.
    """
    eps, queries = positive(epsilon, "epsilon"), whole(bound, "bound", 1)
    if delta is None:
        return eps / queries
    return max(eps / queries, epsilon_of_each(times=queries, epsilon=eps, failure=delta))

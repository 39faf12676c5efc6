"""The pairs of query answers on which the sparse vector technique shows most, as a beam search finds them.

Of each length `worst_pairs(mechanism, LongerInputs((0, 1), …))` finds runs of queries that are 0 in the one and 1 in
the other, each of which ends with one that is the other way round: a run for each answer "above" that is paid for. The
threshold pays for the queries below all at once, and so long runs come near to ε, which short ones do not. How near the
search comes is tested with the claims.
"""

from __future__ import annotations

from typing import Final, TypeAlias

Answers: TypeAlias = tuple[int, ...]


def ends_of_runs(*lengths: int) -> list[Answers]:
    """Neighbours: runs of queries, all of which are 0 in the one and 1 in the other, but for the last of each run."""
    one = tuple(answer for length in lengths for answer in (*(0,) * (length - 1), 1))
    return [one, tuple(1 - answer for answer in one)]


def just_below(pair: list[Answers]) -> list[Answers]:
    """The same with −1 and 0 for 0 and 1: the worst of those who stop at the first query below 0."""
    return [tuple(answer - 1 for answer in answers) for answers in pair]


LONG: Final = ends_of_runs(8, 3)
"""For those who stop at the first above; behind it another one waits for those who go on."""

LONG_TWICE: Final = ends_of_runs(6, 2, 2)
"""For those who stop at the second."""

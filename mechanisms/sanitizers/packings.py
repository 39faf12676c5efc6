"""Packings of databases, from which lower bounds to the rows of a private sanitizer follow.

Source: Beimel, Nissim & Stemmer, journal version, Sections 2.4 and 4.4.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias, TypeVar

from dpverify.mechanisms.numbers.errors import InputError, bad_input

_Row = TypeVar("_Row", bound=Hashable)
EstimatedShares: TypeAlias = tuple[Fraction, ...]
"""Est: for each concept, in order, the estimated share of the rows that it is 1 on."""


def told_apart(universe: Iterable[_Row], concepts: Sequence[Callable[[_Row], int]]) -> tuple[_Row, ...]:
    """The first point for each way in which the concepts label points: as many as the effective size X_C.

    Source: Definition 4.14. Any two of them are labelled differently by a concept, and no larger set of points is so,
    since two points that are labelled alike cannot both be in it.
    """
    first: dict[tuple[int, ...], _Row] = {}
    for x in universe:
        first.setdefault(tuple(c(x) for c in concepts), x)
    return tuple(first.values())


def moved_from_the_first(points: Sequence[_Row], *, rows: int, moved: int) -> tuple[tuple[_Row, ...], ...]:
    """S_i for each of the points: `rows` − `moved` entries x_1, and `moved` entries x_i.

    Source: the proof of Lemma 4.15, with 3αm entries moved. Raises `InputError` unless 0 ≤ moved ≤ rows.
    """
    if not 0 <= moved <= rows:
        raise InputError(bad_input.RANGE, f"moved={moved}", f"between 0 and the {rows} rows")
    return tuple((points[0],) * (rows - moved) + (x,) * moved for x in points)


def shares(rows: Sequence[_Row], concepts: Sequence[Callable[[_Row], int]]) -> EstimatedShares:
    """Q_c(S) for each concept c: the share of the rows that it is 1 on (Section 2.4)."""
    return tuple(Fraction(sum(c(x) for x in rows), len(rows)) for c in concepts)


def is_close(estimate: EstimatedShares, truth: EstimatedShares, alpha: Fraction) -> bool:
    """True where |Q_c(S) − Est(c)| ≤ α for every concept (Definition 2.16)."""
    return all(abs(told - share) <= alpha for told, share in zip(estimate, truth, strict=True))


def close_to_all(truths: Sequence[EstimatedShares], alpha: Fraction) -> EstimatedShares | None:
    """An estimate that is α-close to all of these databases, and None where there is none.

    For each concept the middle between the least and the largest share: no other estimate is closer to both.
    """
    between = tuple((min(of_c) + max(of_c)) / 2 for of_c in zip(*truths, strict=True))
    return between if all(is_close(between, truth, alpha) for truth in truths) else None


def estimates(truths: Sequence[EstimatedShares], alpha: Fraction) -> tuple[EstimatedShares, ...]:
    """Estimates of which one is close to all databases of `truths` that any estimate at all is close to.

    One for each largest set of databases that share one. Where each two of some share one, all of them do: shares that
    are near to a number form an interval, and intervals of which each two meet have a common point.
    """
    indices = range(len(truths))
    meet = {pair for pair in combinations(indices, 2) if close_to_all([truths[i] for i in pair], alpha) is not None}
    beside = {i: {j for j in indices if (min(i, j), max(i, j)) in meet} for i in indices}
    together = (close_to_all([truths[i] for i in group], alpha) for group in _cliques(beside, [], set(indices), set()))
    return tuple(dict.fromkeys(estimate for estimate in together if estimate is not None))


def _cliques(
    beside: Mapping[int, set[int]], group: list[int], further: set[int], done: set[int]
) -> Iterator[list[int]]:
    """The largest groups of which each two stand beside one another. Source: Bron & Kerbosch (1973), with a pivot."""
    if not further and not done:
        yield sorted(group)
        return
    pivot = max(further | done, key=lambda i: len(beside[i] & further))
    for i in sorted(further - beside[pivot]):
        yield from _cliques(beside, [*group, i], further & beside[i], done & beside[i])
        further = further - {i}
        done = done | {i}


def shared_estimate(truths: Sequence[EstimatedShares], alpha: Fraction) -> tuple[int, int] | None:
    """The first two databases to which one and the same estimate is α-close, by their numbers; None where none are."""
    return next(
        (
            (i, j)
            for i, j in combinations(range(len(truths)), 2)
            if close_to_all([truths[i], truths[j]], alpha) is not None
        ),
        None,
    )

"""Neighbour relations: which pairs of databases a claim speaks of.

A relation maps a database to its neighbours: any function `relation(database)` or `relation(database, domain)` that
yields databases. Neighbours outside the domain are skipped and counted. Every pair is decided in both directions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.shown import shown
from dpverify.mechanisms.laws.failures import failed
from dpverify.mechanisms.laws.limits import Limits, raise_limit
from dpverify.mechanisms.laws.mechanism import name_of
from dpverify.verifiers.privacy.domains import Domain, Listed, Multisets, RowDomain, Tuples, labels_of
from dpverify.verifiers.privacy.score_domains import BoundedGrowth, ScoreGaps, ScoreSpace
from dpverify.verifiers.privacy.sizes import power_up_to

Relation: TypeAlias = Callable[..., Iterable[Hashable]]
Indices: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class NeighbouringPairs:
    """Ordered pairs of positions in a domain; `outside` counts the neighbours that were skipped."""

    left: Indices
    right: Indices
    outside: int


def replace_one(database: Hashable, domain: RowDomain) -> Iterator[Hashable]:
    """The databases of the same size in which exactly one row is another one: the papers' "swap"."""
    rows = _rows(database, domain, "replace_one")
    universe = domain.universe
    positions = _distinct_positions(rows) if isinstance(domain, Multisets) else range(len(rows))
    for i in positions:
        for row in universe:
            if row != rows[i]:
                yield domain.canonical((*rows[:i], row, *rows[i + 1 :]))


def add_or_remove_one(database: Hashable, domain: RowDomain) -> Iterator[Hashable]:
    """The databases with one row more or one row less, anywhere."""
    rows = _rows(database, domain, "add_or_remove_one")
    for i in range(len(rows)):
        yield domain.canonical((*rows[:i], *rows[i + 1 :]))
    for i in range(len(rows) + 1):
        for row in domain.universe:
            yield domain.canonical((*rows[:i], row, *rows[i:]))


def change_one_label(database: Hashable, domain: RowDomain) -> Iterator[Hashable]:
    """The labelled samples in which exactly one example (x, y) has another label."""
    rows = _rows(database, domain, "change_one_label")
    labels = labels_of(domain)
    for i, example in enumerate(rows):
        if not isinstance(example, tuple) or len(example) != 2:
            raise InputError(f"change_one_label needs rows (x, y), got {shown(example)}: use LabelledSamples")
        x, y = example
        for label in labels:
            if label != y:
                yield domain.canonical((*rows[:i], (x, label), *rows[i + 1 :]))


def scores_linf(scores: Hashable, domain: Domain) -> Iterator[Hashable]:
    """The score vectors in which every score has moved by at most 1: what one row can do to sensitivity-1 qualities."""
    vector = _vector(scores, domain, "scores_linf")
    return (_moved(vector, step) for step in _linf_steps(len(vector)))


def scores_l1(scores: Hashable, domain: Domain) -> Iterator[Hashable]:
    """The score vectors in which exactly one score has moved, by 1."""
    vector = _vector(scores, domain, "scores_l1")
    return (_moved(vector, step) for step in _l1_steps(len(vector)))


def gaps_linf(scores: Hashable, domain: Domain) -> Iterator[Hashable]:
    """`scores_linf`, with the best score brought back to 0, on the domain `ScoreGaps`."""
    if not isinstance(domain, ScoreGaps):
        raise InputError(f"gaps_linf needs the domain ScoreGaps, got {shown(domain)}")
    vector = _vector(scores, domain, "gaps_linf")
    moved = (_moved(vector, step) for step in _linf_steps(len(vector)))
    return (tuple(score - max(other) for score in other) for other in moved)


def bounded_growth(scores: Hashable, domain: Domain) -> Iterator[Hashable]:
    """The score vectors when one row is replaced: one row less lowers up to k scores by 1, the new one raises up to k.

    Source: Beimel, Nissim & Stemmer, journal version, Definition 4.2, on the domain `BoundedGrowth`.
    """
    if not isinstance(domain, BoundedGrowth) or not isinstance(scores, tuple):
        raise InputError(f"bounded_growth needs the domain BoundedGrowth, got {shown(domain)}")
    fewer = domain.one_row_less()
    found: set[Hashable] = {scores}
    for down in _raises(domain):
        remaining = tuple(score - step for score, step in zip(scores, down, strict=True))
        if fewer.admits(remaining) if fewer is not None else not any(remaining):
            for up in _raises(domain):
                other = _moved(remaining, up)
                if other not in found:
                    found.add(other)
                    yield other


def _raises(domain: BoundedGrowth) -> Iterator[tuple[int, ...]]:
    """What one row may raise: every vector of 0s and at most `growth` 1s."""
    for count in range(min(domain.growth, domain.solutions) + 1):
        for raised in combinations(range(domain.solutions), count):
            places = set(raised)
            yield tuple(int(place in places) for place in range(domain.solutions))


RELATIONS: dict[str, Relation] = {
    relation.__name__: relation
    for relation in (
        replace_one,
        add_or_remove_one,
        change_one_label,
        scores_linf,
        scores_l1,
        gaps_linf,
        bounded_growth,
    )
}
"""The relations by the name that the command line knows them by."""


def neighbouring_pairs(
    databases: Sequence[Hashable], domain: Domain, relation: Relation, limits: Limits | None = None
) -> NeighbouringPairs:
    """The ordered pairs of neighbours among `databases`, the databases of `domain` in order.

    Raises `InputError` where there is none, as a claim about no pair would be empty; where the relation raises; and
    where one database has more neighbours than the limit on databases, or than that is by default where it is lowered.
    """
    pairs = pairs_within(databases, domain, relation, limits)
    if not len(pairs.left):
        raise InputError(
            f"{shown(domain)} has no pair of neighbours under {name_of(relation)}"
            + (f" ({pairs.outside:,} neighbours lie outside it)" if pairs.outside else "")
            + ": choose a larger domain or another relation"
        )
    return pairs


def pairs_within(
    databases: Sequence[Hashable], domain: Domain, relation: Relation, limits: Limits | None = None
) -> NeighbouringPairs:
    """As `neighbouring_pairs`, also where there is none."""
    steps = _SCORE_STEPS.get(relation)
    if steps is not None and isinstance(domain, ScoreSpace) and _box_is_small(domain):
        return _score_pairs(np.array(databases, dtype=np.int64), np.array(list(steps(domain.solutions))))
    most = max(Limits().databases, 0 if limits is None else limits.databases)
    return _pairs(databases, domain, relation, most)


_NO_MORE: Final = object()


def _pairs(databases: Sequence[Hashable], domain: Domain, relation: Relation, most: int) -> NeighbouringPairs:
    position = {database: i for i, database in enumerate(databases)}
    neighbours_of = _with_domain(relation, domain)
    codes: set[int] = set()
    outside = 0
    for i, database in enumerate(databases):
        try:
            yielded = iter(neighbours_of(database))
            neighbours = dict.fromkeys(islice(yielded, most))
            is_more = next(yielded, _NO_MORE) is not _NO_MORE
        except (Exception, SystemExit, GeneratorExit) as error:  # a function of the user's may raise anything
            if isinstance(error, InputError) and relation in RELATIONS.values():
                raise
            raise InputError(
                f"{failed(f'the relation {name_of(relation)} on {shown(database)}', error, relation)}; it takes a "
                "database, or a database and the domain, and yields databases"
            ) from error
        if is_more:
            raise InputError(
                f"the relation {name_of(relation)} on {shown(database)} has yielded more than {most:,} neighbours: "
                f"does it end? If so, {raise_limit('databases')}"
            )
        for neighbour in neighbours:
            j = position.get(neighbour)
            if j is None:
                outside += 1
            elif i != j:
                codes.add(i * len(databases) + j)
                codes.add(j * len(databases) + i)
    ordered = np.array(sorted(codes), dtype=np.int64)
    return NeighbouringPairs(ordered // len(databases), ordered % len(databases), outside)


def _with_domain(relation: Relation, domain: Domain) -> Callable[[Hashable], Iterable[Hashable]]:
    if not callable(relation):
        raise InputError(
            f"neighbours={shown(relation)} is not a relation: give replace_one or a function of a database"
        )
    try:
        parameters = inspect.signature(relation).parameters.values()
    except (TypeError, ValueError):
        return relation
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    # A second parameter with a default is something else, unless it is called domain.
    if len(positional) < 2 or (positional[1].default is not inspect.Parameter.empty and positional[1].name != "domain"):
        return relation
    # A relation of the user's own is given the domain that the user gave, unless that is a plain list.
    given = domain
    if isinstance(domain, Listed) and relation not in RELATIONS.values() and not domain.is_plain:
        given = domain.given
    return lambda database: relation(database, given)


def _rows(database: Hashable, domain: object, relation: str) -> tuple[Hashable, ...]:
    if not isinstance(database, tuple) or not isinstance(domain, RowDomain):
        instead = "; use scores_linf or scores_l1" if isinstance(domain, ScoreSpace) else ""
        raise InputError(
            f"{relation} needs databases that are tuples of rows, got {shown(database)} of {shown(domain)}{instead}"
        )
    return database


def _distinct_positions(rows: tuple[Hashable, ...]) -> Iterable[int]:
    return {row: i for i, row in enumerate(rows)}.values()


def _vector(scores: Hashable, domain: Domain, relation: str) -> tuple[int, ...]:
    if isinstance(domain, Tuples | Multisets):
        raise InputError(
            f"{relation} needs vectors of scores, not rows as in {shown(domain)}: use ScoreSpace or replace_one"
        )
    if not isinstance(scores, tuple) or not all(isinstance(score, int) for score in scores):
        raise InputError(
            f"{relation} needs databases that are tuples of whole scores, got {shown(scores)}: use ScoreSpace"
        )
    return scores


def _moved(scores: tuple[int, ...], step: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(score + change for score, change in zip(scores, step, strict=True))


def _linf_steps(solutions: int) -> Iterator[tuple[int, ...]]:
    return (step for step in product((-1, 0, 1), repeat=solutions) if any(step))


def _l1_steps(solutions: int) -> Iterator[tuple[int, ...]]:
    return (step for step in _linf_steps(solutions) if sum(map(abs, step)) == 1)


_SCORE_STEPS: dict[Any, Callable[[int], Iterator[tuple[int, ...]]]] = {scores_linf: _linf_steps, scores_l1: _l1_steps}


_LARGEST_BOX: Final = 10_000_000


def _box_is_small(domain: ScoreSpace) -> bool:
    """Whether a table over all whole vectors between the smallest and the largest, and all steps, are no burden."""
    width = max(3, domain.scores[-1] - domain.scores[0] + 1)  # a score has three ways to go
    return power_up_to(width, domain.solutions, _LARGEST_BOX) <= _LARGEST_BOX


def _score_pairs(vectors: Indices, steps: Indices) -> NeighbouringPairs:
    """As `_pairs`, for all vectors and steps at once, through a table of positions over the bounding box."""
    lowest = vectors.min(axis=0)
    extent = vectors.max(axis=0) - lowest + 1
    place = np.full(extent, -1, dtype=np.int64)
    place[tuple((vectors - lowest).T)] = np.arange(len(vectors))
    lefts, rights = [], []
    outside = 0
    for step in steps:
        moved = vectors - lowest + step
        inside = np.flatnonzero(((moved >= 0) & (moved < extent)).all(axis=1))
        found = place[tuple(moved[inside].T)]
        lefts.append(inside[found >= 0])
        rights.append(found[found >= 0])
        outside += len(vectors) - int((found >= 0).sum())
    return NeighbouringPairs(np.concatenate(lefts), np.concatenate(rights), outside)

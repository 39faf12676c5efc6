"""Neighbour relations: which pairs of databases a claim speaks of.

A relation maps a database to its neighbours: any function `relation(database)` or `relation(database, domain)` that
yields databases. Neighbours outside the domain are skipped and counted. Every pair is decided in both directions.
"""

from __future__ import annotations

import inspect
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import combinations, islice
from typing import Any, Final, TypeVar

import numpy as np

from dpverify.mechanisms.drawing.failures import failed
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.reasons.reason import or_raise
from dpverify.verifiers.problems.neighbours.neighbour_codes import (
    AtOnce,
    RowsAddedOrRemoved,
    RowsReplaced,
    Targets,
    listed_targets,
    multisets_by_size,
    tuples_by_size,
)
from dpverify.verifiers.problems.neighbours.pairs import NeighbouringPairs, TooManyPairs
from dpverify.verifiers.problems.neighbours.score_codes import ScoresMoved, Vectors
from dpverify.verifiers.problems.questions.domains import (
    Domain,
    LabelledSamples,
    Listed,
    Multisets,
    RowDomain,
    Tuples,
    labels_of,
)
from dpverify.verifiers.problems.questions.moves import (
    AddsOrRemoves,
    Grows,
    Moves,
    NeighbourRelation,
    Replaces,
    Shifts,
    has_moves,
    moves_of,
    steps_of_all,
    steps_of_one,
)
from dpverify.verifiers.problems.questions.outside import kept_by
from dpverify.verifiers.problems.questions.score_domains import BoundedGrowth, ScoreGaps, ScoreSpace
from dpverify.verifiers.processes.workplace import HERE, Workplace

_Relation = TypeVar("_Relation", bound=Callable[..., Iterable[Hashable]])


def _asked_by_a_check(relation: _Relation) -> _Relation:
    """The relation, which says what to write where it is called as if it were made for a domain."""

    @wraps(relation)
    def asked(*given: Any) -> Any:
        if len(given) < 2:
            raise InputError(reasons.RELATION_CALLED.text(relation=relation.__name__))
        return relation(*given)

    return asked  # type: ignore[return-value]  # the same signature


@has_moves(Replaces())
@_asked_by_a_check
def replace_one(database: Hashable, domain: RowDomain) -> Iterator[Hashable]:
    """The databases of the same size in which exactly one row is another one: the papers' "swap".

    >>> list(replace_one((0, 0), Tuples((0, 1), size=2)))
    [(1, 0), (0, 1)]
    """
    rows = _rows(database, domain, "replace_one")
    universe = domain.universe
    positions = _distinct_positions(rows) if isinstance(domain, Multisets) else range(len(rows))
    for i in positions:
        for row in universe:
            if row != rows[i]:
                yield domain.canonical((*rows[:i], row, *rows[i + 1 :]))


@has_moves(AddsOrRemoves())
@_asked_by_a_check
def add_or_remove_one(database: Hashable, domain: RowDomain) -> Iterator[Hashable]:
    """The databases with one row more or one row less, anywhere.

    >>> sorted(set(add_or_remove_one((0,), Multisets((0, 1), sizes=range(3)))))
    [(), (0, 0), (0, 1)]
    """
    rows = _rows(database, domain, "add_or_remove_one")
    for i in range(len(rows)):
        yield domain.canonical((*rows[:i], *rows[i + 1 :]))
    for i in range(len(rows) + 1):
        for row in domain.universe:
            yield domain.canonical((*rows[:i], row, *rows[i:]))


@has_moves(Replaces(keeps_point=True))
@_asked_by_a_check
def change_one_label(database: Hashable, domain: RowDomain) -> Iterator[Hashable]:
    """The labelled samples of a domain in which exactly one example (x, y) has another label.

    >>> list(change_one_label(((5, 0),), LabelledSamples((5,), size=1)))
    [((5, 1),)]
    """
    rows = _rows(database, domain, "change_one_label")
    labels, universe = labels_of(domain), set(domain.universe)
    for i, example in enumerate(rows):
        if not isinstance(example, tuple) or len(example) != 2:
            raise InputError(
                bad_input.WRONG, f"change_one_label: {shown(example)}", "a row (x, y)", "take LabelledSamples"
            )
        x, y = example
        for label in labels:
            if label != y and (x, label) in universe:
                yield domain.canonical((*rows[:i], (x, label), *rows[i + 1 :]))


@has_moves(Shifts(steps_of_all, lambda solutions: 3**solutions - 1, one_moves=False))
@_asked_by_a_check
def scores_linf(scores: Hashable, domain: Domain) -> Iterator[Hashable]:
    """The score vectors in which every score has moved by at most 1: what one row can do to sensitivity-1 qualities.

    >>> sorted(scores_linf((1,), ScoreSpace(range(2), solutions=1)))
    [(0,), (2,)]
    """
    vector = _vector(scores, domain, "scores_linf")
    return (_moved(vector, step) for step in steps_of_all(len(vector)))


@has_moves(Shifts(steps_of_one, lambda solutions: 2 * solutions, one_moves=True))
@_asked_by_a_check
def scores_l1(scores: Hashable, domain: Domain) -> Iterator[Hashable]:
    """The score vectors in which exactly one score has moved, by 1.

    >>> sorted(scores_l1((1, 0), ScoreSpace(range(2), solutions=2)))
    [(0, 0), (1, -1), (1, 1), (2, 0)]
    """
    vector = _vector(scores, domain, "scores_l1")
    return (_moved(vector, step) for step in steps_of_one(len(vector)))


@has_moves(Shifts(steps_of_all, lambda solutions: 3**solutions - 1, one_moves=False, best_is_0=True))
@_asked_by_a_check
def gaps_linf(scores: Hashable, domain: Domain) -> Iterator[Hashable]:
    """`scores_linf`, with the best score brought back to 0, on the domain `ScoreGaps`."""
    if not isinstance(domain, ScoreGaps):
        raise InputError(
            bad_input.NEEDS, "gaps_linf", f"the domain ScoreGaps, and {shown(domain)} is not it", "take ScoreGaps"
        )
    vector = _vector(scores, domain, "gaps_linf")
    moved = (_moved(vector, step) for step in steps_of_all(len(vector)))
    return (tuple(score - max(other) for score in other) for other in moved)


@has_moves(Grows())
@_asked_by_a_check
def bounded_growth(scores: Hashable, domain: Domain) -> Iterator[Hashable]:
    """The score vectors when one row is replaced: one row less lowers up to k scores by 1, the new one raises up to k.

    Source: Beimel, Nissim & Stemmer, journal version, Definition 4.2, on the domain `BoundedGrowth`.
    """
    if not isinstance(domain, BoundedGrowth) or not isinstance(scores, tuple):
        raise InputError(
            bad_input.NEEDS,
            "bounded_growth",
            f"the domain BoundedGrowth, and {shown(domain)} is not it",
            "take BoundedGrowth",
        )
    fewer = domain.one_row_less()
    results: set[Hashable] = {scores}
    raises = list(_raises(domain.solutions, domain.growth))
    for down in raises:
        remaining = tuple(score - step for score, step in zip(scores, down, strict=True))
        if fewer.admits(remaining) if fewer is not None else not any(remaining):
            for up in raises:
                other = _moved(remaining, up)
                if other not in results:
                    results.add(other)
                    yield other


def _raises(solutions: int, growth: int) -> Iterator[tuple[int, ...]]:
    """The scores that one row may raise: every vector of 0s and at most `growth` 1s."""
    for count in range(min(growth, solutions) + 1):
        for raised in combinations(range(solutions), count):
            places = set(raised)
            yield tuple(int(place in places) for place in range(solutions))


RELATIONS: dict[str, NeighbourRelation] = {
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
    databases: Sequence[Hashable],
    domain: Domain,
    relation: NeighbourRelation,
    limits: Limits | None = None,
    where: Workplace = HERE,
) -> NeighbouringPairs:
    """The ordered pairs of neighbours among `databases`, the databases of `domain` in order.

    Raises `InputError` where there is none, as a claim about no pair would be empty; where the relation raises; and
    where one database has more neighbours than the limit on databases, or than that is by default where it is lowered.
    """
    pairs = pairs_within(databases, domain, relation, limits, where)
    if not pairs.count:
        raise InputError(
            bad_input.NO_NEIGHBOURS,
            shown(domain),
            name_of(relation),
            f" ({pairs.outside:,} neighbours lie outside it)" if pairs.outside else "",
        )
    return pairs


def pairs_within(
    databases: Sequence[Hashable],
    domain: Domain,
    relation: NeighbourRelation,
    limits: Limits | None = None,
    where: Workplace = HERE,
) -> NeighbouringPairs:
    """As `neighbouring_pairs`, also where there is none."""
    limits = limits or Limits()
    at_once = _at_once(databases, domain, relation)
    try:
        if at_once is not None:
            return NeighbouringPairs.made(at_once, len(databases), limits.pairs, where)
        return _one_by_one(databases, domain, relation, limits)
    except TooManyPairs:
        raise InputError(
            bad_input.TOO_MANY,
            shown(domain),
            f"{limits.pairs:,} ordered pairs of neighbours under {name_of(relation)}",
            f", or {or_raise('pairs')}",
        ) from None


_MOST_AT_ONCE: Final = 1_000_000
"""Neighbours of one database up to which all of them are made at once."""


def _at_once(databases: Sequence[Hashable], domain: Domain, relation: NeighbourRelation) -> AtOnce | None:
    """Function for the neighbours of many databases at once; None for a domain or a relation of the user's own."""
    at_once: AtOnce | None = None
    moves = moves_of(relation)
    if type(domain) in (Tuples, Multisets, LabelledSamples):
        assert isinstance(domain, Tuples | Multisets)
        at_once = _of_rows(domain, moves)
    elif type(domain) is ScoreSpace:
        at_once = _of_scores(databases, domain, moves)
    return None if at_once is None or at_once.most > _MOST_AT_ONCE else at_once


def _of_rows(domain: Tuples | Multisets, moves: Moves | None) -> AtOnce | None:
    universe = len(domain.universe)
    layout = tuples_by_size if isinstance(domain, Tuples) else multisets_by_size
    match moves:
        case AddsOrRemoves():
            return RowsAddedOrRemoved(layout(universe, domain.sizes))
        case Replaces(keeps_point=False):
            return RowsReplaced(layout(universe, domain.sizes), Targets(universe - 1))
        case Replaces() if all(isinstance(row, tuple) and len(row) == 2 for row in domain.universe):
            return RowsReplaced(layout(universe, domain.sizes), listed_targets(_other_labels(domain)))
    return None


def _other_labels(domain: Tuples | Multisets) -> list[list[int]]:
    """For each example of a universe, which examples are the same point with another label."""
    labels, place = labels_of(domain), {row: i for i, row in enumerate(domain.universe)}
    examples: Iterable[Any] = domain.universe
    return [[place[x, label] for label in labels if label != y and (x, label) in place] for x, y in examples]


def _of_scores(databases: Sequence[Hashable], domain: ScoreSpace, moves: Moves | None) -> AtOnce | None:
    solutions, least, largest = domain.solutions, domain.scores[0], domain.scores[-1]
    if not Vectors.fit(solutions, least, largest):
        return None
    if not isinstance(moves, Shifts) or moves.best_is_0 or moves.count(solutions) >= _MOST_AT_ONCE:
        return None
    return ScoresMoved(Vectors(databases, solutions, least, largest), list(moves.steps(solutions)))


_NO_MORE: Final = object()


@dataclass(frozen=True, eq=False)
class NeighboursFound:
    """A neighbour relation by its table, which a check has made of pairs that it found, and which nobody changes."""

    by_database: Mapping[Hashable, Sequence[Hashable]]

    def __call__(self, database: Hashable, /) -> Sequence[Hashable]:
        """The neighbours of a database of the table."""
        return self.by_database[database]


def _one_by_one(
    databases: Sequence[Hashable], domain: Domain, relation: NeighbourRelation, limits: Limits
) -> NeighbouringPairs:
    position = {database: i for i, database in enumerate(databases)}
    neighbours_of = _with_domain(relation, domain)
    most = max(Limits().databases, limits.databases)
    codes = array("q")
    outside = 0
    is_known = isinstance(relation, NeighboursFound) or relation in RELATIONS.values()
    kept = None if is_known else kept_by(relation)
    for i, database in enumerate(databases):
        try:
            yielded = iter(neighbours_of(database))
            neighbours = dict.fromkeys(islice(yielded, most))
            is_more = next(yielded, _NO_MORE) is not _NO_MORE
            if kept is not None and i in (0, len(databases) - 1):  # each look takes as long as a hundred neighbours
                kept.refuse_changes()
        except (Exception, SystemExit, GeneratorExit) as error:  # a function of the user's may raise anything
            if isinstance(error, InputError) and relation in RELATIONS.values():
                raise
            what, advice = (
                f"the relation {name_of(relation)} on {shown(database)}",
                "write a function of a database, or of a database and the domain, that yields databases",
            )
            raise InputError(failed(what, error, relation, advice)) from error
        if is_more:
            raise InputError(bad_input.ENDLESS_RELATION, name_of(relation), shown(database), most)
        for neighbour in neighbours:
            j = position.get(neighbour)
            if j is None:
                outside += 1
            elif i != j:
                codes.append(i * len(databases) + j)
                codes.append(j * len(databases) + i)
        if len(codes) > 2 * limits.pairs:  # where either of two yields the other, both pairs are here twice
            raise TooManyPairs
    result = np.frombuffer(codes, dtype=np.int64) if codes else np.zeros(0, dtype=np.int64)
    pairs = NeighbouringPairs.listed(result, len(databases), outside)
    if pairs.count > limits.pairs:
        raise TooManyPairs
    return pairs


def _with_domain(relation: NeighbourRelation, domain: Domain) -> Callable[[Hashable], Iterable[Hashable]]:
    if not callable(relation):
        raise InputError(
            bad_input.WRONG, f"neighbours={shown(relation)}", "a neighbour relation", "write replace_one, or a function"
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
            bad_input.NEEDS,
            relation,
            f"databases that are tuples of rows, and {shown(database)} of {shown(domain)} is none",
            f"take Tuples or Multisets{instead}",
        )
    return database


def _distinct_positions(rows: tuple[Hashable, ...]) -> Iterable[int]:
    return {row: i for i, row in enumerate(rows)}.values()


def _vector(scores: Hashable, domain: Domain, relation: str) -> tuple[int, ...]:
    if isinstance(domain, Tuples | Multisets):
        raise InputError(
            bad_input.NEEDS, relation, f"vectors of scores, not rows as in {shown(domain)}", "take ScoreSpace"
        )
    if not isinstance(scores, tuple) or not all(isinstance(score, int) for score in scores):
        raise InputError(
            bad_input.NEEDS,
            relation,
            f"databases that are tuples of integer scores, and {shown(scores)} is none",
            "take ScoreSpace",
        )
    return scores


def _moved(scores: tuple[int, ...], step: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(score + change for score, change in zip(scores, step, strict=True))

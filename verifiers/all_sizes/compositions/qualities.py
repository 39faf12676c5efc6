"""Qualities of rows that one row moves by at most 1, each known by being that very function.

That they are is Theorem 11 of docs/theorems.md; its tests try each on all small databases.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle, islice, product
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.learners.multi_learners import rows_with_vectors
from dpverify.mechanisms.learners.parities import subsamples_with_vector
from dpverify.mechanisms.learners.points_learner import point_quality
from dpverify.mechanisms.learners.rectangles_learner import positives_within
from dpverify.mechanisms.learners.threshold_search import blocks_of_both_labels, most_of_both_labels
from dpverify.mechanisms.learners.thresholds_learner import threshold_quality
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.release.threshold_oracle import rows_that_satisfy
from dpverify.mechanisms.sanitizers.concepts import checked_points, checked_sample
from dpverify.mechanisms.sanitizers.label_sanitizer import rows_with_label
from dpverify.mechanisms.sanitizers.multiplicative_weights import rows_in
from dpverify.mechanisms.sanitizers.points_sanitizer import counts_but_for, rows_at
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import counts_within, rows_between, scale_quality_within
from dpverify.verifiers.all_sizes.compositions.parts import SealedDatabase


@dataclass(frozen=True)
class KnownQuality:
    """A quality that one replaced row moves by at most 1 for each solution: these, and whether scores are whole."""

    solutions: Sequence[Hashable]
    is_whole: bool = True
    two_best_alone: bool = False
    """True where it lists enough solutions for their best and second best, and not all: those hang on the rows."""


_Known: TypeAlias = Callable[[SealedDatabase, Mapping[str, Any]], KnownQuality]
"""(database, what the quality is given besides rows) → what is known. Raises `InputError` as the quality does."""


def _points(database: SealedDatabase, given: Mapping[str, Any]) -> KnownQuality:
    point_quality(database.universe, given["d"])  # refuses rows that are no examples
    return KnownQuality(range(1 << given["d"]))


def _vectors_of_parities(database: SealedDatabase, given: Mapping[str, Any]) -> KnownQuality:
    size, d, k = given["size"], given["d"], given["k"]
    if database.in_any_order:
        raise Undecided(
            not_known.CLAIM_DIFFERENTLY,
            "subsamples depend on the order of the rows, which differs between neighbours here",
            "claim it with replace_one",
        )
    if database.least < size:
        raise Undecided(
            not_known.CLAIM_DIFFERENTLY,
            f"databases of {database.least} rows make no subsample of {size}",
            f"take sizes=OrMore({size})",
        )
    subsamples_with_vector(tuple(islice(cycle(database.universe), size * len(database.universe))), **given)
    return KnownQuality(tuple(product(range(1 << d), repeat=k)), two_best_alone=True)


def _vectors_of_labels(database: SealedDatabase, given: Mapping[str, Any]) -> KnownQuality:
    rows_with_vectors(database.universe, **given)  # refuses rows that are none
    vectors = tuple(product(range(1 << given["k"]), repeat=len(given["heavy"])))
    return KnownQuality(vectors, two_best_alone=True)


def _thresholds(database: SealedDatabase, given: Mapping[str, Any]) -> KnownQuality:
    checked_sample(database.universe, given["d"])
    return KnownQuality(range((1 << given["d"]) + 1))


def _scales(database: SealedDatabase, given: Mapping[str, Any]) -> KnownQuality:
    quality = scale_quality_within(database.universe, **{**given, "size": 1})  # what `size` is, is the same
    return KnownQuality(range(quality.last + 1), is_whole=False)


def _blocks(database: SealedDatabase, given: Mapping[str, Any]) -> KnownQuality:
    return KnownQuality(range(blocks_of_both_labels(database.universe, **given).last + 1))


KNOWN_QUALITIES: Final[Mapping[Callable[..., Any], _Known]] = {
    subsamples_with_vector: _vectors_of_parities,
    rows_with_vectors: _vectors_of_labels,
    point_quality: _points,
    threshold_quality: _thresholds,
    blocks_of_both_labels: _blocks,
    scale_quality_within: _scales,
}


@dataclass(frozen=True)
class KnownGrowth:
    """A quality to which each row adds 1 for at most `growth` solutions: these are all that may have 1 or more."""

    solutions: Sequence[Hashable]
    growth: int


def _added(database: SealedDatabase, quality: Callable[..., Mapping[Hashable, int]]) -> KnownGrowth:
    """All that is known of a quality that is a sum over rows, from what each row alone adds."""
    added = [[f for f, score in quality((row,)).items() if score] for row in database.universe]
    solutions = tuple(dict.fromkeys(chain.from_iterable(added)))
    return KnownGrowth(solutions, max(1, *map(len, added)) if added else 1)


KNOWN_GROWTHS: Final[frozenset[Callable[..., Any]]] = frozenset((counts_but_for, counts_within))
"""Qualities that are sums over rows of 0 or 1."""


def known_growth(quality: Callable[..., Any], database: SealedDatabase) -> KnownGrowth:
    """All that is known of the growth of quality(rows). Raises `Undecided` where nothing is, or as quality."""
    function, given = bound_after_rows(quality)
    if function not in KNOWN_GROWTHS:
        raise Undecided(
            not_known.SENSITIVITY_UNKNOWN, f"{name_of(function)} rises by a row for a known number of candidates"
        )
    return _added(database, partial(function, **given))


KNOWN_NUMBERS: Final[Mapping[Callable[..., Any], Callable[[SealedDatabase, Mapping[str, Any]], None]]] = {
    rows_with_label: lambda database, given: refuse_other_labels(database, given["label"]),
    most_of_both_labels: lambda database, given: refuse_other_examples(database, given["d"]),
    rows_that_satisfy: lambda database, given: refuse_no_bits(map(given["query"], database.universe)),
    rows_at: lambda database, given: refuse_other_points(database, given["d"]),
    rows_between: lambda database, given: refuse_other_points(database, given["d"]),
    positives_within: lambda database, given: refuse_other_vectors(database, given["axis"]),
    rows_in: lambda database, given: refuse_no_bits(map(given["concept"], database.universe)),
}
"""Numbers of rows that one replaced row moves by at most 1, with what refuses other rows."""


def refuse_other_examples(database: SealedDatabase, d: int) -> None:
    """Raises `InputError` for rows that are no examples of points of [0, 2^d)."""
    checked_sample(database.universe, d)


def refuse_other_points(database: SealedDatabase, d: int) -> None:
    """Raises `InputError` for rows that are no points of [0, 2^d)."""
    checked_points(database.universe, d)


def refuse_other_vectors(database: SealedDatabase, axis: int) -> None:
    """Raises `Undecided` for rows that are no pairs of a vector that has such an axis, and a label."""
    for row in database.universe:
        match row:
            case (tuple(x), 0 | 1) if len(x) > axis:
                continue
        raise Undecided(not_known.NOT_ROWS, shown(row), "a pair of a vector and a label", "write rows (vector, label)")


def refuse_other_labels(database: SealedDatabase, label: int) -> None:
    """Raises `InputError` for rows that are no pairs with a label."""
    rows_with_label(database.universe, label=label)


def refuse_no_bits(values: Iterable[object]) -> None:
    """Raises `Undecided` for a value that is not 0 or 1, by whatever type."""
    for value in values:
        if type(value) not in _BITS or value not in (0, 1):
            raise Undecided(not_known.NOT_ROWS, f"the value {shown(value)} of a predicate", "0 or 1", "return 0 or 1")


_BITS: Final = frozenset((int, bool, WholeNumber))


def refuse_other_number(number: Callable[..., Any], database: SealedDatabase) -> None:
    """Raises `Undecided` where it is not known that one row moves a whole number(rows) by at most 1."""
    function, given = bound_after_rows(number)
    known = KNOWN_NUMBERS.get(function)
    if known is None:
        raise Undecided(not_known.SENSITIVITY_UNKNOWN, f"replacing a row moves {name_of(function)} by at most 1")
    known(database, given)


def known_quality(quality: Callable[..., Any], database: SealedDatabase) -> KnownQuality:
    """All that is known of quality(rows). Raises `Undecided` where nothing is, and `InputError` as the quality does."""
    function, given = bound_after_rows(quality)
    known = KNOWN_QUALITIES.get(function)
    if known is None:
        raise Undecided(not_known.SENSITIVITY_UNKNOWN, f"replacing a row moves {name_of(function)} by at most 1")
    return known(database, given)


def bound_after_rows(function: Callable[..., Any]) -> tuple[Callable[..., Any], Mapping[str, Any]]:
    """A function of rows without what it is partial in, and its other arguments by name."""
    args: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    while type(function) is partial:  # one of a subclass may be called in a way of its own
        if function.args:
            raise Undecided(
                not_known.NOT_ROWS, f"the first argument of {name_of(function)}", "rows", "give other arguments by name"
            )
        named = {**function.keywords, **named}
        function = function.func
    if not named and not hasattr(function, "__code__"):
        return function, named
    bound = inspect.signature(function).bind(None, *args, **named)
    bound.apply_defaults()
    return function, dict(list(bound.arguments.items())[1:])

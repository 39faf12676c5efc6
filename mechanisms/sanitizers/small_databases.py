"""The sanitizer of Blum, Ligett & Roth: the exponential mechanism over all small databases."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil
from typing import Any, TypeVar

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, whole
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.sanitizers.concepts import refuse_no_concepts
from dpverify.mechanisms.selection.exponential_mechanism import exponential

_Row = TypeVar("_Row", bound=Hashable)


def small_database(
    draw: object,
    rows: Sequence[_Row],
    *,
    universe: Sequence[_Row],
    concepts: Sequence[Callable[[_Row], int]],
    size: int,
    epsilon: ExactLike,
) -> Distribution[tuple[_Row, ...]]:
    """A database of `size` rows of the universe, in its order, whose shares of each concept are near those of `rows`.

    Source: Blum, Ligett & Roth, as cited for Theorem 2.19 of Beimel, Nissim & Stemmer, journal version, which prints no
    steps. The quality is −max over the concepts c of |#{x in rows : c(x) = 1} − (m/size)·#{x in Ŝ : c(x) = 1}|, which
    replacing one of the m rows moves by 1 at most. ε-private. It lists all small databases. Raises `InputError` without
    rows or concepts, for a row that is not of the universe, and unless size ≥ 1 and ε > 0.
    """
    refuse_rows_outside(rows, universe)
    refuse_no_concepts(concepts)
    each = Fraction(len(rows), whole(size, "size", 1))
    counts = [sum(c(x) for x in rows) for c in concepts]

    def error(database: tuple[_Row, ...]) -> Fraction:
        return max(abs(n - each * sum(c(x) for x in database)) for c, n in zip(concepts, counts, strict=True))

    return exponential({s: -error(s) for s in combinations_with_replacement(universe, size)}, epsilon)


def refuse_rows_outside(rows: Sequence[_Row], universe: Sequence[_Row]) -> None:
    """Raises `InputError` where there is no row, one that is not of the universe, or a point twice in that."""
    if not rows:
        raise InputError(bad_input.IS_EMPTY, "the database", "row")
    if len(set(universe)) < len(universe):
        raise InputError(bad_input.TWICE, "universe", "a point", "give each once")
    for i, row in enumerate(rows):
        if row not in universe:
            raise InputError(bad_input.ROW, i, repr(row), "in the universe", "a point of the universe")


@sized(small_database, name="size")
def size_for_closeness(*, vc: int, alpha: ExactLike, beta: ExactLike) -> int:
    """The least whole m ≥ (50·VC/α²)·ln(1/(αβ)): that many random rows of a database are α-close to it.

    Source: Beimel, Nissim & Stemmer, journal version, Theorem 2.14, with probability 1 − β. So a database of that size
    exists which is. Raises `InputError` where a parameter is out of range.
    """
    a, b = open_unit(alpha, "alpha"), open_unit(beta, "beta")
    return ceil(50 * whole(vc, "vc", 1) / a**2 * log(1 / (a * b)))


def sanitize_in_parts(draw: Draw, rows: Sequence[_Row], *, sanitizer: Mechanism, size: int) -> tuple[Any, ...]:
    """The databases that a sanitizer makes of the first `size` rows, of the next `size` rows, and so on, put together.

    Source: Beimel, Nissim & Stemmer, journal version, proof of Lemma 5.1. Every row is in one part, so that it is as
    private as the sanitizer. Raises `InputError` unless the number of rows is a
    multiple of `size`.
    """
    m = whole(size, "size", 1)
    if not rows or len(rows) % m:
        raise InputError(bad_input.NOT_ONE_EACH, f"{len(rows)} rows", f"parts of {m}")
    return tuple(x for i in range(0, len(rows), m) for x in draw(sanitizer, rows[i : i + m]))


@sized(sanitize_in_parts, name="parts")
def parts_needed(*, beta: ExactLike) -> int:
    """The least whole q ≥ (18/β)·ln(1/β), the number of parts of Lemma 5.1. Raises `InputError` unless 0 < β < 1."""
    b = open_unit(beta, "beta")
    return ceil(18 / b * log(1 / b))

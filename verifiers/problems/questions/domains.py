"""Domains: the finite sets of databases on which a claim is decided, smallest first.

Any finite iterable of hashable databases is a domain. The ones here also know their universe, from which the neighbour
relations take replacements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from itertools import combinations_with_replacement, islice, product
from math import comb
from typing import Any, Final, Never, TypeAlias

from dpverify.mechanisms.drawing.failures import failed
from dpverify.mechanisms.functions.unhashable import hashable_in_place
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.integers.whole_numbers import whole_number
from dpverify.mechanisms.numbers.shown import shown, told
from dpverify.mechanisms.reasons.reason import or_raise
from dpverify.verifiers.problems.questions.in_words import domain_in_words, sizes_in_words, values_in_words
from dpverify.verifiers.problems.questions.row_orders import DatabaseRow, other_orders
from dpverify.verifiers.problems.questions.score_domains import BoundedGrowth, ScoreGaps, ScoreSpace
from dpverify.verifiers.problems.questions.sizes import (
    LARGEST_DATABASE,
    LARGEST_TABLE,
    LARGEST_UNIVERSE,
    choices_up_to,
    power_up_to,
    refuse_beyond_len,
    refuse_by_place,
    refuse_longer,
    within_limit,
)

Domain: TypeAlias = Iterable[Any]
"""A finite iterable of hashable databases, smallest first."""


class _Rows:
    """Common part of domains of rows: a universe without repetitions, the numbers of rows, and how rows are ordered."""

    def __init__(self, universe: Iterable[DatabaseRow], size: int | None, sizes: Iterable[int] | None) -> None:
        if not isinstance(universe, Iterable):
            raise InputError(reasons.UNIVERSE_NO_ITERABLE.text(value=shown(universe)))
        self.given = within_limit(universe, LARGEST_UNIVERSE, "universe", "rows")
        self.universe: tuple[DatabaseRow, ...] = tuple(self.given)
        if not self.universe:
            raise InputError(reasons.UNIVERSE_EMPTY.text())
        try:
            distinct = len(set(self.universe))
        except TypeError as error:
            raise InputError(
                reasons.UNIVERSE_NOT_HASHABLE.text(error=told(error), advice=hashable_in_place(self.universe))
            ) from None
        if distinct < len(self.universe):
            raise InputError(reasons.UNIVERSE_REPEATS.text())
        self.sizes = _sizes(size, sizes)

    def _has_more_than(self, limit: int, of_size: Callable[[int, int], int]) -> bool:
        """True where the sum over all sizes, each counted up to what is left of `limit`, is beyond it."""
        left = limit
        for n in self.sizes:
            left -= of_size(n, left)
            if left < 0:
                return True
        return False

    def canonical(self, rows: tuple[DatabaseRow, ...]) -> tuple[DatabaseRow, ...]:
        """The database that consists of `rows`."""
        return rows

    @property
    def in_words(self) -> str:
        """The words that follow "PROVED for"."""
        return f"{sizes_in_words(self.sizes)}, rows from {values_in_words(self.universe)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.given!r}, {_shown(self.sizes)})"


def _sizes(size: int | None, sizes: Iterable[int] | None) -> tuple[int, ...]:
    if (size is None) == (sizes is None):
        raise InputError(reasons.SIZE_AND_SIZES.text())
    if sizes is not None and not isinstance(sizes, Iterable):
        raise InputError(reasons.SIZES_NO_ITERABLE.text(value=shown(sizes)))
    chosen = (size,) if sizes is None else within_limit(sizes, LARGEST_DATABASE, "sizes", "numbers of rows")
    results = set()
    for given in chosen:
        n = whole_number(given)
        if n is None or n < 0:
            raise InputError(bad_input.NOT_WHOLE, f"size={shown(given)}", " ≥ 0")
        refuse_longer(n, "size")
        results.add(n)
    if not results:
        raise InputError(reasons.SIZES_EMPTY.text())
    return tuple(sorted(results))


def _shown(sizes: tuple[int, ...]) -> str:
    if len(sizes) == 1:
        return f"size={sizes[0]}"
    contiguous = sizes == tuple(range(sizes[0], sizes[-1] + 1))
    return f"sizes={range(sizes[0], sizes[-1] + 1) if contiguous else sizes!r}"


class Tuples(_Rows):
    """All tuples of rows: the order of the rows matters.

    `size=n` is exactly n rows, `sizes=` several. Raises `InputError` for an empty universe or a size below 0.

    >>> list(Tuples((0, 1), size=2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(
        self,
        universe: Iterable[DatabaseRow],
        *misplaced: Never,
        size: int | None = None,
        sizes: Iterable[int] | None = None,
    ) -> None:
        refuse_by_place(misplaced, "size")
        super().__init__(universe, size, sizes)

    def __iter__(self) -> Iterator[tuple[DatabaseRow, ...]]:
        return (rows for n in self.sizes for rows in product(self.universe, repeat=n))

    def __len__(self) -> int:
        refuse_beyond_len(self)
        return sum(int(len(self.universe) ** n) for n in self.sizes)

    def has_more_than(self, limit: int) -> bool:
        """True where it has more databases than that, found without counting further."""
        return self._has_more_than(limit, lambda n, left: power_up_to(len(self.universe), n, left))


class Multisets(_Rows):
    """All multisets of rows, each as one tuple in the order of the universe.

    For mechanisms that ignore the order of the rows; `check_privacy` runs them on other orders too, and refuses one
    that does not. `size=n` is exactly n rows, `sizes=` several.

    >>> list(Multisets((0, 1), size=2))
    [(0, 0), (0, 1), (1, 1)]
    """

    def __init__(
        self,
        universe: Iterable[DatabaseRow],
        *misplaced: Never,
        size: int | None = None,
        sizes: Iterable[int] | None = None,
    ) -> None:
        refuse_by_place(misplaced, "size")
        super().__init__(universe, size, sizes)
        self._rank = {row: i for i, row in enumerate(self.universe)}

    def __iter__(self) -> Iterator[tuple[DatabaseRow, ...]]:
        return (rows for n in self.sizes for rows in combinations_with_replacement(self.universe, n))

    def __len__(self) -> int:
        refuse_beyond_len(self)
        return sum(comb(len(self.universe) + n - 1, n) for n in self.sizes)

    def has_more_than(self, limit: int) -> bool:
        """True where it has more databases than that, found without counting further."""
        return self._has_more_than(limit, lambda n, left: choices_up_to(len(self.universe) + n - 1, n, left))

    def canonical(self, rows: tuple[DatabaseRow, ...]) -> tuple[DatabaseRow, ...]:
        """`rows` in the order of the universe."""
        return tuple(sorted(rows, key=self._rank.__getitem__))

    def other_orders(self, database: tuple[DatabaseRow, ...]) -> Iterator[tuple[DatabaseRow, ...]]:
        """The other orders of a database's rows, each once."""
        return other_orders(database)


class LabelledSamples(Multisets):
    """All labelled samples: multisets of examples (x, y) with x from `points` and y from `labels`.

    >>> list(LabelledSamples((5,), size=1))
    [((5, 0),), ((5, 1),)]
    """

    def __init__(
        self,
        points: Iterable[Hashable],
        *misplaced: Never,
        labels: Iterable[Hashable] = (0, 1),
        size: int | None = None,
        sizes: Iterable[int] | None = None,
    ) -> None:
        refuse_by_place(misplaced, "size")
        for name, given in (("points", points), ("labels", labels)):
            if not isinstance(given, Iterable):
                raise InputError(bad_input.NO_ITERABLE, name, shown(given))
        self._points = within_limit(points, LARGEST_UNIVERSE, "points", "points")
        self.labels = tuple(within_limit(labels, LARGEST_UNIVERSE, "labels", "labels"))
        super().__init__(product(self._points, self.labels), size=size, sizes=sizes)

    def __repr__(self) -> str:
        labels = "" if self.labels == (0, 1) else f"labels={self.labels!r}, "
        return f"LabelledSamples({self._points!r}, {labels}{_shown(self.sizes)})"


class Listed:
    """Databases that were simply listed: the rows and labels for replacements are those that occur.

    `given` is what lists them: a domain of the user's own, or a plain list.
    """

    def __init__(self, databases: Sequence[Hashable], given: Domain) -> None:
        self._databases = databases
        self.given = given

    @property
    def is_plain(self) -> bool:
        """True where the databases came as a list, a tuple, a set or the like."""
        return type(self.given).__module__ == "builtins"

    @cached_property
    def universe(self) -> tuple[DatabaseRow, ...]:
        """Every row of a database, in order of occurrence."""
        tuples = (database for database in self._databases if isinstance(database, tuple))
        return tuple(dict.fromkeys(row for rows in tuples for row in rows))

    def canonical(self, rows: tuple[DatabaseRow, ...]) -> tuple[DatabaseRow, ...]:
        """The database that consists of `rows`."""
        return rows

    @property
    def in_words(self) -> str:
        """The words that follow "PROVED for"."""
        return domain_in_words(self.given, len(self._databases))

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._databases)

    def __len__(self) -> int:
        return len(self._databases)

    def __repr__(self) -> str:
        if not self.is_plain and type(self.given).__repr__ is not object.__repr__:
            return repr(self.given)
        return repr(list(self._databases)) if len(self._databases) <= 4 else "a list"


BuiltIn: TypeAlias = Tuples | Multisets | ScoreSpace | ScoreGaps | BoundedGrowth
BUILT_IN: Final = (Tuples, Multisets, ScoreSpace, ScoreGaps, BoundedGrowth)
"""The domains that the relations know."""

RowDomain: TypeAlias = _Rows | Listed
"""The domains that know from which rows a database may be made."""


def labels_of(domain: RowDomain) -> tuple[Hashable, ...]:
    """The labels that an example (x, y) of a domain may have."""
    if isinstance(domain, LabelledSamples):
        return domain.labels
    return tuple(dict.fromkeys(row[1] for row in domain.universe if isinstance(row, tuple) and len(row) == 2))


def listed_databases(domain: Domain, limit: int) -> list[Hashable]:
    """The databases of `domain`, in order.

    Raises `InputError` where it is not a finite iterable of at least one hashable database, holds one twice, or holds
    more than `limit`.
    """
    if not isinstance(domain, Iterable) or isinstance(domain, str | bytes):
        raise InputError(reasons.DOMAIN_NO_ITERABLE.text(value=shown(domain)))
    if isinstance(domain, Iterator):
        raise InputError(reasons.DOMAIN_ITERATOR.text())
    databases = _read(domain, limit)
    if not databases:
        raise InputError(reasons.DOMAIN_EMPTY.text(value=shown(domain)))
    try:
        distinct = len(set(databases))
    except TypeError as error:
        raise InputError(
            reasons.DOMAIN_NOT_HASHABLE.text(error=told(error), advice=hashable_in_place(databases))
        ) from None
    except Exception as error:  # a __hash__ or an __eq__ of the user's own
        raise InputError(failed("comparing the databases of the domain", error)) from error
    if distinct < len(databases):
        raise InputError(
            bad_input.TWICE, "domain", f"the database {shown(_first_repeated(databases))}", "give each once"
        )
    return databases


def _read(domain: Domain, limit: int) -> list[Hashable]:
    too_many = bad_input.TOO_MANY.text("domain", f"{limit:,} databases", f", or {or_raise('databases')}")
    if isinstance(domain, BUILT_IN):
        if domain.has_more_than(limit):
            raise InputError(too_many)
        _refuse_large_table(domain)
        return list(domain)
    try:
        try:
            if isinstance(domain, Sized) and len(domain) > limit:
                raise InputError(too_many)
        except OverflowError:
            raise InputError(too_many) from None
        databases = list(islice(domain, limit + 1))
    except InputError:
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # a domain of the user's own may raise anything
        raise InputError(failed(f"going through the domain {shown(domain)}", error)) from error
    if len(databases) > limit:
        raise InputError(too_many)
    return databases


def _refuse_large_table(domain: BuiltIn) -> None:
    width = max(domain.sizes) if isinstance(domain, Tuples | Multisets) else domain.solutions
    if domain.has_more_than(LARGEST_TABLE // max(1, width)):
        raise InputError(
            bad_input.TOO_MANY, "domain", f"{LARGEST_TABLE:,} rows in all, each database with {width:,},", ""
        )


def _first_repeated(databases: list[Hashable]) -> Hashable:
    counts = Counter(databases)
    return next(database for database in databases if counts[database] > 1)

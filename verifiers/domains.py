"""Domains: the finite sets of databases on which a claim is decided, smallest first.

Any finite iterable of hashable databases is a domain. The ones here also know their universe, from which the neighbour
relations take replacements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from itertools import combinations_with_replacement, islice, product
from math import comb, factorial
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.errors import InputError
from dpverify.mechanisms.limits import raise_limit
from dpverify.mechanisms.parameters import whole

Row: TypeAlias = Hashable
Domain: TypeAlias = Iterable[Any]
"""A finite iterable of hashable databases, smallest first."""


LARGEST_UNIVERSE: Final = 1_000_000
"""Rows of a universe; its databases are many more."""


class _Rows:
    """What domains of rows share: a universe without repetitions, the numbers of rows, and how rows are ordered."""

    def __init__(self, universe: Iterable[Row], *, size: int | None = None, sizes: Iterable[int] | None = None) -> None:
        if not isinstance(universe, Iterable):
            raise InputError(f"universe={universe!r} is no iterable of rows: write, for example, range({universe!r})")
        self._given = universe if isinstance(universe, range) else tuple(universe)
        self.universe: tuple[Row, ...] = tuple(islice(self._given, LARGEST_UNIVERSE + 1))
        if len(self.universe) > LARGEST_UNIVERSE:
            raise InputError(f"universe has more than {LARGEST_UNIVERSE:,} rows: choose a smaller one")
        if not self.universe:
            raise InputError("universe is empty: give at least one row that a database may hold")
        try:
            distinct = len(set(self.universe))
        except TypeError as error:
            raise InputError(
                f"universe holds a row that cannot be hashed ({error}): use tuples in place of lists"
            ) from None
        if distinct < len(self.universe):
            raise InputError("universe holds a row twice: give each row once")
        self.sizes = _sizes(size, sizes)

    def canonical(self, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """The database that consists of `rows`."""
        return rows

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._given!r}, {_shown(self.sizes)})"


def _sizes(size: int | None, sizes: Iterable[int] | None) -> tuple[int, ...]:
    if (size is None) == (sizes is None):
        raise InputError("give either size=n, for databases of exactly n rows, or sizes=range(…), for several sizes")
    if sizes is not None and not isinstance(sizes, Iterable):
        raise InputError(f"sizes={sizes!r} is no iterable of numbers: write size={sizes!r}, or sizes=range(…)")
    chosen = (size,) if sizes is None else tuple(sizes)
    for n in chosen:
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise InputError(f"size={n!r} is not a whole number of rows ≥ 0")
    chosen = tuple(sorted({n for n in chosen if n is not None}))
    if not chosen:
        raise InputError("sizes is empty: give at least one number of rows")
    return tuple(n for n in chosen if n is not None)


def _shown(sizes: tuple[int, ...]) -> str:
    if len(sizes) == 1:
        return f"size={sizes[0]}"
    contiguous = sizes == tuple(range(sizes[0], sizes[-1] + 1))
    return f"sizes={range(sizes[0], sizes[-1] + 1) if contiguous else sizes!r}"


class Tuples(_Rows):
    """All tuples of rows: the order of the rows matters.

    `size=n` is exactly n rows, `sizes=` several. Raises `InputError` for an empty universe or a size below 0.
    """

    def __iter__(self) -> Iterator[tuple[Row, ...]]:
        return (rows for n in self.sizes for rows in product(self.universe, repeat=n))

    def __len__(self) -> int:
        return sum(int(len(self.universe) ** n) for n in self.sizes)


class Multisets(_Rows):
    """All multisets of rows, each as one tuple in the order of the universe.

    For mechanisms that ignore the order of the rows; `check_privacy` runs them on other orders too, and refuses one
    that does not. `size=n` is exactly n rows, `sizes=` several.
    """

    def __init__(self, universe: Iterable[Row], *, size: int | None = None, sizes: Iterable[int] | None = None) -> None:
        super().__init__(universe, size=size, sizes=sizes)
        self._rank = {row: i for i, row in enumerate(self.universe)}

    def __iter__(self) -> Iterator[tuple[Row, ...]]:
        return (rows for n in self.sizes for rows in combinations_with_replacement(self.universe, n))

    def __len__(self) -> int:
        return sum(comb(len(self.universe) + n - 1, n) for n in self.sizes)

    def canonical(self, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """`rows` in the order of the universe."""
        return tuple(sorted(rows, key=self._rank.__getitem__))

    def other_orders(self, database: tuple[Row, ...]) -> Iterator[tuple[Row, ...]]:
        """The other orders of a database's rows, each once."""
        return (rows for rows in _orders(dict(Counter(database)), len(database)) if rows != database)


def _orders(counts: dict[Row, int], length: int) -> Iterator[tuple[Row, ...]]:
    if length == 0:
        yield ()
    for row, count in counts.items():
        if count:
            counts[row] -= 1
            for rest in _orders(counts, length - 1):
                yield (row, *rest)
            counts[row] += 1


def number_of_orders(database: tuple[Row, ...]) -> int:
    """How many distinct orders the rows of a database have."""
    orders = factorial(len(database))
    for count in Counter(database).values():
        orders //= factorial(count)
    return orders


class LabelledSamples(Multisets):
    """All labelled samples: multisets of examples (x, y) with x from `points` and y from `labels`."""

    def __init__(
        self,
        points: Iterable[Hashable],
        *,
        labels: Iterable[Hashable] = (0, 1),
        size: int | None = None,
        sizes: Iterable[int] | None = None,
    ) -> None:
        for name, given in (("points", points), ("labels", labels)):
            if not isinstance(given, Iterable):
                raise InputError(f"{name}={given!r} is no iterable: write, for example, range({given!r})")
        self._points = points if isinstance(points, range) else tuple(points)
        self.labels = tuple(labels)
        super().__init__(product(self._points, self.labels), size=size, sizes=sizes)

    def __repr__(self) -> str:
        labels = "" if self.labels == (0, 1) else f"labels={self.labels!r}, "
        return f"LabelledSamples({self._points!r}, {labels}{_shown(self.sizes)})"


class ScoreSpace:
    """All vectors of `solutions` whole scores: what a quality function of sensitivity 1 may make of a database.

    Under `scores_linf`, every score moves by at most 1, its pairs are those of *all* databases and *all* sensitivity-1
    quality functions with these scores: the vectors s, s′ belong to one-row databases with q(·,h) = s[h] and s′[h].
    Vectors come by rising largest score, then by sum.
    """

    def __init__(self, scores: Iterable[int], *, solutions: int) -> None:
        if not isinstance(scores, Iterable):
            raise InputError(f"scores={scores!r} is no iterable of scores: write, for example, range({scores!r})")
        self._given = scores if isinstance(scores, range) else tuple(scores)
        for score in self._given:
            if isinstance(score, bool) or not isinstance(score, int):
                raise InputError(f"the score {score!r} is not a whole number")
        self.scores = tuple(sorted(set(self._given)))
        whole(solutions, "solutions", 1)
        if not self.scores:
            raise InputError("scores is empty: give at least one score")
        self.solutions = solutions

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        vectors = product(self.scores, repeat=self.solutions)
        return iter(sorted(vectors, key=lambda scores: (max(scores), sum(scores))))

    def __len__(self) -> int:
        return int(len(self.scores) ** self.solutions)

    def __repr__(self) -> str:
        return f"ScoreSpace({self._given!r}, solutions={self.solutions})"


class ScoreGaps:
    """All vectors of `solutions` whole scores of which the best is 0 and none is below −`largest`, in all orders.

    Under `gaps_linf` they stand for all score vectors with such gaps, at any height: for mechanisms in which only
    differences of scores matter. Vectors come by rising largest gap, then by the sum of the gaps.
    """

    def __init__(self, largest: int, *, solutions: int) -> None:
        for name, value, least in (("largest", largest, 1), ("solutions", solutions, 2)):
            whole(value, name, least)
        self.largest, self.solutions = largest, solutions

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        vectors = product(range(-self.largest, 1), repeat=self.solutions)
        with_best_0 = (scores for scores in vectors if max(scores) == 0)
        return iter(sorted(with_best_0, key=lambda scores: (-min(scores), -sum(scores))))

    def __len__(self) -> int:
        return int((self.largest + 1) ** self.solutions - self.largest**self.solutions)

    def __repr__(self) -> str:
        return f"ScoreGaps({self.largest}, solutions={self.solutions})"


class BoundedGrowth:
    """All vectors of qualities that `rows` rows can give `solutions` solutions, each row raising at most `growth` by 1.

    These are the whole vectors with scores from 0 to `rows` whose sum is at most growth·rows, so that under
    `bounded_growth` they stand for all databases of that size and all qualities of that growth. Vectors come by rising
    largest score, then by sum. Source: Beimel, Nissim & Stemmer, journal version, Definition 4.2.
    """

    def __init__(self, *, rows: int, solutions: int, growth: int) -> None:
        for name, value, least in (("rows", rows, 1), ("solutions", solutions, 1), ("growth", growth, 1)):
            whole(value, name, least)
        self.rows, self.solutions, self.growth = rows, solutions, growth

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(sorted(self._vectors(self.solutions, self.growth * self.rows), key=lambda s: (max(s), sum(s))))

    def _vectors(self, solutions: int, left: int) -> Iterator[tuple[int, ...]]:
        if solutions == 0:
            yield ()
            return
        for score in range(min(self.rows, left) + 1):
            for rest in self._vectors(solutions - 1, left - score):
                yield (score, *rest)

    def admits(self, scores: tuple[int, ...]) -> bool:
        """Whether `rows` rows can give these scores."""
        return min(scores) >= 0 and max(scores) <= self.rows and sum(scores) <= self.growth * self.rows

    def one_row_less(self) -> BoundedGrowth | None:
        """The vectors of one row less; None where that is none."""
        if self.rows == 1:
            return None
        return BoundedGrowth(rows=self.rows - 1, solutions=self.solutions, growth=self.growth)

    def __repr__(self) -> str:
        return f"BoundedGrowth(rows={self.rows}, solutions={self.solutions}, growth={self.growth})"


class Listed:
    """Databases that were simply listed: the rows and labels for replacements are those that occur.

    `given` is what lists them: a domain of the user's own, or a plain list.
    """

    def __init__(self, databases: Sequence[Hashable], given: Domain) -> None:
        self._databases = databases
        self.given = given

    @property
    def is_plain(self) -> bool:
        """Whether the databases came as a list, a tuple, a set or the like."""
        return type(self.given).__module__ == "builtins"

    @cached_property
    def universe(self) -> tuple[Row, ...]:
        """Every row of a database, in order of occurrence."""
        tuples = (database for database in self._databases if isinstance(database, tuple))
        return tuple(dict.fromkeys(row for rows in tuples for row in rows))

    def canonical(self, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """The database that consists of `rows`."""
        return rows

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._databases)

    def __len__(self) -> int:
        return len(self._databases)

    def __repr__(self) -> str:
        if not self.is_plain and type(self.given).__repr__ is not object.__repr__:
            return repr(self.given)
        return repr(list(self._databases)) if len(self._databases) <= 4 else "a list"


BUILT_IN: Final = (_Rows, ScoreSpace, ScoreGaps, BoundedGrowth)
"""The domains of this module, which the relations know."""

RowDomain: TypeAlias = _Rows | Listed
"""The domains that know from which rows a database may be made."""


def labels_of(domain: RowDomain) -> tuple[Hashable, ...]:
    """The labels that an example (x, y) of a domain may have."""
    if isinstance(domain, LabelledSamples):
        return domain.labels
    return tuple(dict.fromkeys(row[1] for row in domain.universe if isinstance(row, tuple) and len(row) == 2))


def listed(domain: Domain, limit: int) -> list[Hashable]:
    """The databases of `domain`, in order.

    Raises `InputError` where it is not a finite iterable of at least one hashable database, holds one twice, or holds
    more than `limit`.
    """
    if not isinstance(domain, Iterable) or isinstance(domain, str | bytes):
        raise InputError(f"domain={domain!r} is not an iterable of databases: give Tuples, Multisets, a list, …")
    if isinstance(domain, Iterator):
        raise InputError("domain is an iterator, which can be read only once: give a list or another iterable")
    too_many = f"domain has more than {limit:,} databases: choose a smaller one, or {raise_limit('databases')}"
    try:
        if isinstance(domain, Sized) and len(domain) > limit:
            raise InputError(too_many)
    except OverflowError:
        raise InputError(too_many) from None
    databases = list(islice(domain, limit + 1))
    if not databases:
        raise InputError(f"domain={domain!r} is empty: give at least two databases that are neighbours")
    if len(databases) > limit:
        raise InputError(too_many)
    try:
        distinct = len(set(databases))
    except TypeError as error:
        raise InputError(
            f"domain holds a database that cannot be hashed ({error}): use tuples in place of lists"
        ) from None
    if distinct < len(databases):
        raise InputError(f"domain holds a database twice: {_first_repeated(databases)!r}")
    return databases


def _first_repeated(databases: list[Hashable]) -> Hashable:
    counts = Counter(databases)
    return next(database for database in databases if counts[database] > 1)

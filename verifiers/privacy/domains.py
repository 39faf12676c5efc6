"""Domains: the finite sets of databases on which a claim is decided, smallest first.

Any finite iterable of hashable databases is a domain. The ones here also know their universe, from which the neighbour
relations take replacements.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from itertools import combinations_with_replacement, islice, product
from math import comb, factorial
from typing import Any, Final, Never, TypeAlias

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.parameters import whole
from dpverify.mechanisms.exact.shown import shown, told
from dpverify.mechanisms.laws.failures import failed
from dpverify.mechanisms.laws.limits import raise_limit
from dpverify.mechanisms.laws.long_sequences import length

Row: TypeAlias = Hashable
Domain: TypeAlias = Iterable[Any]
"""A finite iterable of hashable databases, smallest first."""


LARGEST_UNIVERSE: Final = 1_000_000
"""Rows of a universe; its databases are many more."""

LARGEST_DATABASE: Final = 1_000_000
"""Rows of a database, or scores of a vector."""

LARGEST_TABLE: Final = 100_000_000
"""Rows of all databases of a domain together."""


def within_limit(given: Iterable[Any], limit: int, name: str, of: str) -> Sequence[Any]:
    """`given` as a sequence: a range as it is. Raises `InputError` for more than `limit`, before more are made."""
    too_many = f"{name} has more than {limit:,} {of}: choose a smaller one"
    if isinstance(given, range):
        if length(given) > limit:
            raise InputError(too_many)
        return given
    members = tuple(islice(given, limit + 1))
    if len(members) > limit:
        raise InputError(too_many)
    return members


class _Rows:
    """What domains of rows share: a universe without repetitions, the numbers of rows, and how rows are ordered."""

    def __init__(self, universe: Iterable[Row], size: int | None, sizes: Iterable[int] | None) -> None:
        if not isinstance(universe, Iterable):
            raise InputError(
                f"universe={shown(universe)} is no iterable of rows: write, for example, range({shown(universe)})"
            )
        self._given = within_limit(universe, LARGEST_UNIVERSE, "universe", "rows")
        self.universe: tuple[Row, ...] = tuple(self._given)
        if not self.universe:
            raise InputError("universe is empty: give at least one row that a database may hold")
        try:
            distinct = len(set(self.universe))
        except TypeError as error:
            raise InputError(
                f"universe holds a row that cannot be hashed ({told(error)}): use tuples in place of lists"
            ) from None
        if distinct < len(self.universe):
            raise InputError("universe holds a row twice: give each row once")
        self.sizes = _sizes(size, sizes)

    def _has_more_than(self, limit: int, of_size: Callable[[int, int], int]) -> bool:
        """Whether the sum over all sizes, each counted up to what is left of `limit`, is beyond it."""
        left = limit
        for n in self.sizes:
            left -= of_size(n, left)
            if left < 0:
                return True
        return False

    def canonical(self, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """The database that consists of `rows`."""
        return rows

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._given!r}, {_shown(self.sizes)})"


def _sizes(size: int | None, sizes: Iterable[int] | None) -> tuple[int, ...]:
    if (size is None) == (sizes is None):
        raise InputError("give either size=n, for databases of exactly n rows, or sizes=range(…), for several sizes")
    if sizes is not None and not isinstance(sizes, Iterable):
        raise InputError(
            f"sizes={shown(sizes)} is no iterable of numbers: write size={shown(sizes)}, or sizes=range(…)"
        )
    chosen = (size,) if sizes is None else within_limit(sizes, LARGEST_DATABASE, "sizes", "numbers of rows")
    for n in chosen:
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise InputError(f"size={shown(n)} is not a whole number of rows ≥ 0")
        _refuse_longer(n, "size")
    if not chosen:
        raise InputError("sizes is empty: give at least one number of rows")
    return tuple(sorted({int(n) for n in chosen if n is not None}))


def _refuse_longer(n: int, name: str) -> None:
    if n > LARGEST_DATABASE:
        raise InputError(f"{name}={shown(n)} is beyond {LARGEST_DATABASE:,}: choose smaller databases")


def _refuse_by_place(misplaced: tuple[object, ...], name: str) -> None:
    if misplaced:
        raise InputError(f"{shown(misplaced[0])} is given without its name: write {name}={shown(misplaced[0])}")


def _shown(sizes: tuple[int, ...]) -> str:
    if len(sizes) == 1:
        return f"size={sizes[0]}"
    contiguous = sizes == tuple(range(sizes[0], sizes[-1] + 1))
    return f"sizes={range(sizes[0], sizes[-1] + 1) if contiguous else sizes!r}"


class Tuples(_Rows):
    """All tuples of rows: the order of the rows matters.

    `size=n` is exactly n rows, `sizes=` several. Raises `InputError` for an empty universe or a size below 0.
    """

    def __init__(
        self,
        universe: Iterable[Row],
        *misplaced: Never,
        size: int | None = None,
        sizes: Iterable[int] | None = None,
    ) -> None:
        _refuse_by_place(misplaced, "size")
        super().__init__(universe, size, sizes)

    def __iter__(self) -> Iterator[tuple[Row, ...]]:
        return (rows for n in self.sizes for rows in product(self.universe, repeat=n))

    def __len__(self) -> int:
        _refuse_beyond_len(self)
        return sum(int(len(self.universe) ** n) for n in self.sizes)

    def has_more_than(self, limit: int) -> bool:
        """Whether it has more databases than that, found without counting further."""
        return self._has_more_than(limit, lambda n, left: power_up_to(len(self.universe), n, left))


class Multisets(_Rows):
    """All multisets of rows, each as one tuple in the order of the universe.

    For mechanisms that ignore the order of the rows; `check_privacy` runs them on other orders too, and refuses one
    that does not. `size=n` is exactly n rows, `sizes=` several.
    """

    def __init__(
        self,
        universe: Iterable[Row],
        *misplaced: Never,
        size: int | None = None,
        sizes: Iterable[int] | None = None,
    ) -> None:
        _refuse_by_place(misplaced, "size")
        super().__init__(universe, size, sizes)
        self._rank = {row: i for i, row in enumerate(self.universe)}

    def __iter__(self) -> Iterator[tuple[Row, ...]]:
        return (rows for n in self.sizes for rows in combinations_with_replacement(self.universe, n))

    def __len__(self) -> int:
        _refuse_beyond_len(self)
        return sum(comb(len(self.universe) + n - 1, n) for n in self.sizes)

    def has_more_than(self, limit: int) -> bool:
        """Whether it has more databases than that, found without counting further."""
        return self._has_more_than(limit, lambda n, left: choices_up_to(len(self.universe) + n - 1, n, left))

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
        *misplaced: Never,
        labels: Iterable[Hashable] = (0, 1),
        size: int | None = None,
        sizes: Iterable[int] | None = None,
    ) -> None:
        _refuse_by_place(misplaced, "size")
        for name, given in (("points", points), ("labels", labels)):
            if not isinstance(given, Iterable):
                raise InputError(f"{name}={shown(given)} is no iterable: write, for example, range({shown(given)})")
        self._points = within_limit(points, LARGEST_UNIVERSE, "points", "points")
        self.labels = tuple(within_limit(labels, LARGEST_UNIVERSE, "labels", "labels"))
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

    def __init__(self, scores: Iterable[int], *misplaced: Never, solutions: int) -> None:
        _refuse_by_place(misplaced, "solutions")
        if not isinstance(scores, Iterable):
            raise InputError(
                f"scores={shown(scores)} is no iterable of scores: write, for example, range({shown(scores)})"
            )
        self._given = within_limit(scores, LARGEST_UNIVERSE, "scores", "scores")
        for score in self._given:
            if isinstance(score, bool) or not isinstance(score, int):
                raise InputError(f"the score {shown(score)} is not a whole number")
        self.scores = tuple(sorted(set(self._given)))
        _refuse_longer(whole(solutions, "solutions", 1), "solutions")
        if not self.scores:
            raise InputError("scores is empty: give at least one score")
        self.solutions = solutions

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        vectors = product(self.scores, repeat=self.solutions)
        return iter(sorted(vectors, key=lambda scores: (max(scores), sum(scores))))

    def __len__(self) -> int:
        _refuse_beyond_len(self)
        return int(len(self.scores) ** self.solutions)

    def has_more_than(self, limit: int) -> bool:
        """Whether it has more vectors than that, found without counting further."""
        return power_up_to(len(self.scores), self.solutions, limit) > limit

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
        _refuse_longer(solutions, "solutions")
        self.largest, self.solutions = largest, solutions

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        below, all_gaps = range(-self.largest, 0), range(-self.largest, 1)
        with_best_0 = (  # by the place of the first 0
            (*before, 0, *after)
            for place in range(self.solutions)
            for before in product(below, repeat=place)
            for after in product(all_gaps, repeat=self.solutions - place - 1)
        )
        return iter(sorted(with_best_0, key=lambda scores: (-min(scores), -sum(scores), scores)))

    def __len__(self) -> int:
        _refuse_beyond_len(self)
        return int((self.largest + 1) ** self.solutions - self.largest**self.solutions)

    def has_more_than(self, limit: int) -> bool:
        """Whether it has more vectors than that, found without counting further."""
        at_most, below = 1, 1  # vectors without a positive score, and those of them without a 0
        for _ in range(self.solutions):
            at_most, below = at_most * (self.largest + 1), below * self.largest
            if at_most - below > limit:  # it grows with every further solution
                return True
        return False

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
        _refuse_longer(solutions, "solutions")
        self.rows, self.solutions, self.growth = rows, solutions, growth

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(sorted(self._vectors(), key=lambda s: (max(s), sum(s), s)))

    def _vectors(self) -> Iterator[tuple[int, ...]]:
        scores, left = [0] * self.solutions, self.growth * self.rows
        while True:
            yield tuple(scores)
            place = self.solutions - 1
            while place >= 0 and (left == 0 or scores[place] == self.rows):
                left += scores[place]
                scores[place] = 0
                place -= 1
            if place < 0:
                return
            scores[place] += 1
            left -= 1

    def has_more_than(self, limit: int) -> bool:
        """Whether it has more vectors than that, found without counting further."""
        most = min(self.growth, self.solutions) * self.rows  # the largest sum
        zeros_and_ones = 0
        for ones in range(min(self.solutions, most) + 1):
            zeros_and_ones += choices_up_to(self.solutions, ones, limit)
            if zeros_and_ones > limit:
                return True
        # Now solutions or the largest sum are small. Of all vectors with that sum at most, one more place taking what
        # is left of it, those are taken out and in again in which some scores are beyond `rows`.
        if self.rows >= limit:
            return True
        beyond = range(min(self.growth, self.solutions) + 1)
        count: int = sum(
            (1 - 2 * (j % 2))
            * comb(self.solutions, j)
            * comb(most - j * (self.rows + 1) + self.solutions, self.solutions)
            for j in beyond
            if most >= j * (self.rows + 1)
        )
        return count > limit

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


BuiltIn: TypeAlias = Tuples | Multisets | ScoreSpace | ScoreGaps | BoundedGrowth
BUILT_IN: Final = (Tuples, Multisets, ScoreSpace, ScoreGaps, BoundedGrowth)
"""The domains of this module, which the relations know."""

RowDomain: TypeAlias = _Rows | Listed
"""The domains that know from which rows a database may be made."""


def labels_of(domain: RowDomain) -> tuple[Hashable, ...]:
    """The labels that an example (x, y) of a domain may have."""
    if isinstance(domain, LabelledSamples):
        return domain.labels
    return tuple(dict.fromkeys(row[1] for row in domain.universe if isinstance(row, tuple) and len(row) == 2))


def power_up_to(base: int, exponent: int, limit: int) -> int:
    """base^exponent for a base ≥ 1, or some number beyond `limit` ≥ 0 where that is: no large power is made."""
    if base == 1:
        return 1
    found = 1
    for _ in range(exponent):
        found *= base
        if found > limit:
            break
    return found


def choices_up_to(n: int, k: int, limit: int) -> int:
    """The ways to choose k of n, or some number beyond `limit` ≥ 0 where that is: no large one is made."""
    found = 1
    for i in range(1, min(k, n - k) + 1):
        found = found * (n - min(k, n - k) + i) // i
        if found > limit:
            break
    return found


def _refuse_beyond_len(domain: BuiltIn) -> None:
    """Raises `OverflowError` where len() cannot say how many databases there are, before they are counted."""
    if domain.has_more_than(sys.maxsize):
        raise OverflowError(f"{shown(domain)} has more databases than len() can say")


def listed(domain: Domain, limit: int) -> list[Hashable]:
    """The databases of `domain`, in order.

    Raises `InputError` where it is not a finite iterable of at least one hashable database, holds one twice, or holds
    more than `limit`.
    """
    if not isinstance(domain, Iterable) or isinstance(domain, str | bytes):
        raise InputError(f"domain={shown(domain)} is not an iterable of databases: give Tuples, Multisets, a list, …")
    if isinstance(domain, Iterator):
        raise InputError("domain is an iterator, which can be read only once: give a list or another iterable")
    databases = _read(domain, limit)
    if not databases:
        raise InputError(f"domain={shown(domain)} is empty: give at least two databases that are neighbours")
    try:
        distinct = len(set(databases))
    except TypeError as error:
        raise InputError(
            f"domain holds a database that cannot be hashed ({told(error)}): use tuples in place of lists"
        ) from None
    except Exception as error:  # a __hash__ or an __eq__ of the user's own
        raise InputError(failed("comparing the databases of the domain", error)) from error
    if distinct < len(databases):
        raise InputError(f"domain holds a database twice: {shown(_first_repeated(databases))}")
    return databases


def _read(domain: Domain, limit: int) -> list[Hashable]:
    too_many = f"domain has more than {limit:,} databases: choose a smaller one, or {raise_limit('databases')}"
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
            f"domain has databases of {width:,} rows, together more than {LARGEST_TABLE:,}: choose fewer, or smaller "
            "ones"
        )


def _first_repeated(databases: list[Hashable]) -> Hashable:
    counts = Counter(databases)
    return next(database for database in databases if counts[database] > 1)

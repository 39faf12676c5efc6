"""Short functions of rows of 0 and 1 as people write them, which do nothing that real numbers would not do as well.

A statistic is released with noise for the sensitivity that stands beside it, so that it is PROVED at ε for all sizes,
whatever is refused of the traps.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction as F
from typing import Any, Final

Rows = Any
Statistic = Callable[[Rows], Any]
LIMIT: Final = 7


def counted(rows: Rows) -> Counter[int]:
    return Counter(rows)


def tallied(rows: Rows) -> Any:
    found = {0: 0, 1: 0}
    for x in found:
        found[x] += rows.count(x)
    return found[0]


def capped_each(rows: Rows) -> Any:
    return sum(min(rows.count(x), 9) for x in (0, 1))


def budget_left(rows: Rows) -> Any:
    budget = 12
    for x in (0, 1):
        taken = min(rows.count(x), budget)
        budget = budget - taken
    return budget


def levels(rows: Rows) -> Any:
    """How many of some thresholds are reached, no two of them by one row."""
    return sum(1 for threshold in (3, 6, 12) if rows.count(0) >= threshold)


def level_by_while(rows: Rows) -> Any:
    level = 0
    while level < 4 and rows.count(1) > 5 * level:
        level += 1
    return level


def ranked(rows: Rows) -> Any:
    first, second = sorted((rows.count(0), rows.count(1)))
    return second - first


def clipped(rows: Rows) -> Any:
    n = rows.count(0)
    if n < 2:
        return 2
    return LIMIT if n > LIMIT else n


def closure(limit: int) -> Statistic:
    def over(rows: Rows) -> Any:
        return max(rows.count(1) - limit, 0)

    return over


def helper(n: Any, cap: int = 5) -> Any:
    return n if n <= cap else cap


def scanned(rows: Rows) -> Any:
    best = 0
    for x in (0, 1):
        if rows.count(x) > rows.count(best):
            best = x
    return rows.count(best)


def both(rows: Rows) -> Any:
    c: Counter[int] = Counter(rows)
    return c[0] + c[1]


def weighted(rows: Rows) -> Any:
    weights = {0: 2, 1: 5}
    return sum(weights[r] for r in rows)


def early(rows: Rows) -> Any:
    if not rows:
        return 0
    if 0 not in rows:
        return -1 * F(1, 2)
    return F(1, 2)


def chained(rows: Rows) -> Any:
    return 1 if 3 <= rows.count(0) < 8 else 0


def middle(rows: Rows) -> Any:
    return sorted((2, rows.count(0), 9))[1]


def tuple_unpacked(rows: Rows) -> Any:
    n, m = (rows.count(x) for x in (0, 1))
    return n - m


def by_place(rows: Rows) -> Any:
    counts = [rows.count(x) for x in (0, 1)]
    return max(counts) - min(counts)


def without_branches(rows: Rows) -> Any:
    return (rows.count(0) >= 4) + (rows.count(0) >= 9)


def flags(rows: Rows) -> Any:
    return int(any(rows.count(x) > 6 for x in (0, 1))) + int(all(rows.count(x) > 1 for x in (0, 1)))


def filtered(rows: Rows) -> Any:
    return len([x for x in (0, 1) if rows.count(x) >= 3])


def recursive(rows: Rows, limit: int = 4) -> Any:
    if limit == 0 or rows.count(1) < limit:
        return 0
    return 1 + recursive(rows, limit - 1)


def running(rows: Rows) -> Any:
    total = 0
    for x in (0, 1):
        total += x * rows.count(x)
    return total


STATISTICS: Final[Mapping[str, tuple[Statistic, int]]] = {
    "a count": (lambda rows: rows.count(0), 1),
    "of a counter": (lambda rows: counted(rows)[1], 1),
    "counter less counter": (lambda rows: counted(rows)[1] - counted(rows)[0], 2),
    "a counter's values": (lambda rows: sum(counted(rows).values()), 1),
    "a counter's get": (lambda rows: counted(rows).get(0, 0), 1),
    "sum of rows": (lambda rows: 0 + sum(rows), 1),
    "sum with a condition": (lambda rows: sum(1 for r in rows if r > 0), 1),
    "sum of comparisons": (lambda rows: sum(r == 0 for r in rows), 1),
    "sum with weights": (weighted, 3),
    "length": (lambda rows: len(rows) + 0, 1),
    "length and count": (lambda rows: len(rows) - rows.count(0), 1),
    "a cap": (lambda rows: min(rows.count(0), 10), 1),
    "a floor": (lambda rows: max(rows.count(0), 4), 1),
    "a cap and a floor": (lambda rows: min(max(rows.count(0), 3), 8), 1),
    "what is above": (lambda rows: max(rows.count(0) - 5, 0), 1),
    "distance": (lambda rows: abs(rows.count(0) - 6), 1),
    "difference": (lambda rows: abs(rows.count(0) - rows.count(1)), 2),
    "a third": (lambda rows: rows.count(0) * F(1, 3), 1),
    "three halves": (lambda rows: F(3, 2) * rows.count(0), 2),
    "a half, capped": (lambda rows: min(F(1, 2) * rows.count(0), F(7, 2)), 1),
    "minus": (lambda rows: -rows.count(0), 1),
    "plus": (lambda rows: +rows.count(0) + 10**9, 1),
    "twice": (lambda rows: 2 * rows.count(1) - 1, 2),
    "a threshold": (lambda rows: 1 if rows.count(0) >= 20 else 0, 1),
    "a threshold at a fraction": (lambda rows: 1 if rows.count(0) > F(41, 2) else 0, 1),
    "equal to": (lambda rows: 1 if rows.count(0) == 5 else 0, 1),
    "not equal to": (lambda rows: 1 if rows.count(0) != 5 else 0, 1),
    "between": (chained, 1),
    "more of one": (lambda rows: 1 if rows.count(0) > rows.count(1) else 0, 1),
    "is there": (lambda rows: 1 if 1 in rows else 0, 1),
    "tallies": (tallied, 1),
    "caps by row": (capped_each, 1),
    "a budget": (budget_left, 1),
    "levels": (levels, 1),
    "levels by while": (level_by_while, 1),
    "ranked": (ranked, 2),
    "clipped": (clipped, 1),
    "a closure": (closure(6), 1),
    "a helper": (lambda rows: helper(rows.count(0)), 1),
    "a helper with a cap": (lambda rows: helper(rows.count(0), cap=8), 1),
    "the largest": (scanned, 1),
    "of both": (both, 1),
    "early": (early, 1),
    "the middle": (middle, 1),
    "unpacked": (tuple_unpacked, 2),
    "by place": (by_place, 2),
    "added truth values": (without_branches, 1),
    "any and all": (flags, 2),
    "filtered": (filtered, 2),
    "recursion": (recursive, 4),
    "a running total": (running, 1),
    "the same for all": (lambda rows: 3 if rows.count(0) >= 0 else rows.count(1), 1),
}

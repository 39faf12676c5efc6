"""Programs inside the language, which in their compiled form return what they return as they are written."""

# ruff: noqa: C416, UP031, UP032  # as people write them

from __future__ import annotations

import bisect
import heapq
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property, partial, reduce
from typing import Any, NamedTuple

from dpverify.mechanisms import bernoulli, exponential, laplace, uniform

HALF = bernoulli(Fraction(1, 2))
PLACES = {"a": 1, "b": [2, 3]}
LIMITS = [1, 2, 3]
KNOWN = frozenset({"a", "c"})

PROGRAMS: list[Callable[..., Any]] = []


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    """Put a program into the list."""
    PROGRAMS.append(function)
    return function


class Colour(Enum):
    RED = "r"
    BLUE = "b"

    def swapped(self) -> Colour:
        return Colour.BLUE if self is Colour.RED else Colour.RED


@dataclass(frozen=True)
class Point:
    x: int
    ys: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x")

    def moved(self, by: int) -> Point:
        return replace(self, x=self.x + by)

    @property
    def total(self) -> int:
        return self.x + sum(self.ys)


class Pair(NamedTuple):
    left: int
    right: int

    def swapped(self) -> Pair:
        return Pair(self.right, self.left)


class Counting:
    """An object that changes: its methods are called in their compiled form."""

    step = 1

    def __init__(self, start: int = 0) -> None:
        self.count = start
        self.seen: list[Any] = []

    def see(self, value: Any) -> Counting:
        self.seen.append(value)
        self.count += self.step
        return self

    @staticmethod
    def twice(value: int) -> int:
        return 2 * value

    @classmethod
    def begun(cls, start: int) -> Counting:
        return cls(start)

    @property
    def size(self) -> int:
        return len(self.seen)

    @cached_property
    def first(self) -> Any:
        return self.seen[0]


class Stepping(Counting):
    step = 2

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.extra = [start]

    def see(self, value: Any) -> Counting:
        self.extra.append(value)
        return super().see(value)


@dataclass
class Bag:
    items: list[Any] = field(default_factory=list)
    size: int = 0

    def put(self, item: Any) -> None:
        self.items.append(item)
        self.size += 1


def put_in(values: list[Any], value: Any) -> list[Any]:
    values.append(value)
    return values


def filled(counts: dict[Any, int], rows: Any) -> None:
    for row in rows:
        counts[row] = counts.get(row, 0) + 1


@cache
def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def is_even(n: int) -> bool:
    return n == 0 or is_odd(n - 1)


def is_odd(n: int) -> bool:
    return n != 0 and is_even(n - 1)


def flattened(values: Any, out: list[Any]) -> list[Any]:
    for value in values:
        if isinstance(value, tuple):
            flattened(value, out)
        else:
            out.append(value)
    return out


def response(draw: Any, row: Any) -> Any:
    return row if draw(HALF) else "-"


@program
def plain(draw: Any, rows: Any) -> Any:
    return len(rows) + draw(HALF)


@program
def helpers(draw: Any, rows: Any) -> Any:
    out: list[Any] = []
    for row in rows:
        put_in(out, row)
    counts: dict[Any, int] = {}
    filled(counts, out)
    return tuple(sorted(counts.items())), draw(HALF)


@program
def objects(draw: Any, rows: Any) -> Any:
    counting = Counting(1)
    for row in rows:
        counting.see(row)
    other: Any = Stepping.begun(5).see("x").see("y")
    return counting.count, counting.size, counting.first, other.count, tuple(other.extra), Counting.twice(draw(HALF))


@program
def bags(draw: Any, rows: Any) -> Any:
    bags = [Bag() for _ in range(2)]
    for row in rows:
        bags[draw(HALF)].put(row)
    return tuple((tuple(bag.items), bag.size) for bag in bags)


@program
def frozen(draw: Any, rows: Any) -> Any:
    point = Point(1, (2, 3)).moved(draw(HALF))
    return point, point.total, Pair(1, 2).swapped(), Colour.RED.swapped().value


@program
def refused_point(draw: Any, rows: Any) -> Any:
    try:
        return Point(draw(HALF) - 1).x
    except ValueError:
        return "negative"


@program
def sets(draw: Any, rows: Any) -> Any:
    seen = {row for row in rows}
    seen |= {"z"}
    seen.discard("b")
    both = seen & KNOWN | set(rows) - {"a"} ^ frozenset("q")
    return frozenset(both), sorted(seen), isinstance(seen, set), len(set(rows)), "a" in {"a", "b"}, draw(HALF)


@program
def dict_views(draw: Any, rows: Any) -> Any:
    one, other = dict.fromkeys(rows, 1), {"a": 1, "y": 2}
    return frozenset(one.keys() & other.keys()), frozenset(one.keys() - other), draw(HALF)


@program
def from_outside(draw: Any, rows: Any) -> Any:
    values = list(LIMITS)
    values += PLACES["b"]  # type: ignore[arg-type]
    values[0] += 5
    copy = {**PLACES, "c": 3}
    copy["a"] = draw(HALF)
    return tuple(values), copy["a"], len(PLACES)


@program
def containers(draw: Any, rows: Any) -> Any:
    heap = [3, 1, 2]
    heapq.heapify(heap)
    heapq.heappush(heap, 0)
    line: list[int] = []
    for value in (heapq.heappop(heap), 7, 5):
        bisect.insort(line, value)
    queue = deque(rows)
    queue.rotate(1)
    groups = defaultdict(list)
    for i, row in enumerate(rows):
        groups[row].append(i)
    order = OrderedDict(groups)
    order.move_to_end(rows[0])
    counted = Counter(rows)
    counted.update("a")
    return tuple(line), tuple(queue), tuple(order), counted.most_common(1)[0][1], draw(HALF)


@program
def texts(draw: Any, rows: Any) -> Any:
    number = draw(HALF)
    return (
        f"{rows} {number:03d} {len(rows)!r}",
        str(rows),
        "{}-{}".format(number, 2),
        "%d%%" % number,
        list(map(str, rows)),
    )


@program
def closures(draw: Any, rows: Any) -> Any:
    left = list(rows)
    taken = 0

    def take() -> Any:
        nonlocal taken
        taken += 1
        return left.pop(draw(uniform(range(len(left)))))

    return take(), take(), taken


@program
def functions(draw: Any, rows: Any) -> Any:
    add = partial(reduce, lambda a, b: a + b)
    best = max(rows, key=lambda row: (rows.count(row), row))
    return add([1, 2, draw(HALF)]), best, fibonacci(20), is_even(10), [*map(Point, (1, 2))][1].x


@program
def parts(draw: Any, rows: Any) -> Any:
    return draw.each(response, rows), draw(response, "x")


@program
def chosen(draw: Any, rows: Any) -> Any:
    return draw(exponential({row: rows.count(row) for row in ("a", "b")}, 1))


@program
def compared(draw: Any, rows: Any) -> Any:
    best = None
    noisy = []
    for row in ("a", "b"):
        noisy.append(rows.count(row) + draw(laplace(1)))
    for i, value in enumerate(noisy):
        if best is None or value > noisy[best]:
            best = i
    return best


@program
def matched(draw: Any, rows: Any) -> Any:
    match draw(HALF), rows:
        case 0, (first, *others):
            others.append(first)
            return tuple(others)
        case _:
            return 1


@program
def deleted(draw: Any, rows: Any) -> Any:
    values = {row: [row] for row in rows}
    inner = values[rows[0]]
    inner[0:1] = ["x", "y"]
    del inner[0]
    values[rows[0]] += ["z"]
    return tuple(inner), draw(HALF)


@program
def generated(draw: Any, rows: Any) -> Any:
    def every() -> Any:
        for row in rows:
            yield row, len(rows)

    return tuple(every()), sum(x for _, x in every()), draw(HALF)


@program
def recursive(draw: Any, rows: Any) -> Any:
    return tuple(flattened(((rows, 1), (2, (draw(HALF),))), []))


def gone_through(draw: Any, rows: Any) -> Any:
    """A program whose sets show their order, which as it is written depends on the hash seed."""
    return "".join(KNOWN), "".join({"x", "y", *rows}), tuple(KNOWN | set("pq")), draw(HALF)

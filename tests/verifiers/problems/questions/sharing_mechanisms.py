"""Mechanisms on which sharing out may go wrong.

They are found by their names in processes that share nothing with the tests, each of which loads this anew: no more is
imported than they take.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from dpverify.mechanisms import Draw, bernoulli, clamp, discrete_laplace, exponential, laplace, uniform
from dpverify.verifiers.problems.questions.domains import Domain, Multisets, Tuples

ROWS = Multisets(range(3), size=4)
FEWER = Multisets(range(3), size=3)
"""Where a database takes long: two are found before others help, and the rest is more than one block."""
WORDS = Tuples((0, 1), size=4)
SHORT = Tuples((0, 1), size=3)

Mechanism = Callable[..., Any]


def most_common(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return draw(exponential({x: rows.count(x) for x in range(3)}, epsilon))


def noisy(draw: Draw, count: int, *, epsilon: Any) -> Any:
    return clamp(count + draw(discrete_laplace(1 / epsilon)), 0, 1)


def coin(draw: Draw, p: Any) -> Any:
    return draw(bernoulli(p))


def marked(draw: Draw, n: int) -> Any:
    return n, draw(coin, "1/3")


def composed(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """Parts with parts, of which many databases have the same."""
    first = draw(most_common, tuple(sorted(rows))[:2], epsilon=epsilon / 2)
    return first, draw(noisy, min(rows), epsilon=epsilon / 2), draw(marked, min(rows)), draw(coin, "1/3")


def cached_result(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """A part that is made anew for each database, and has one key."""
    least = min(rows)

    def part(draw: Draw) -> Any:
        return least, draw(bernoulli("1/4")), draw(bernoulli("1/4"))

    return draw(part)


def whole_noise(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return "count", rows.count(0) + draw(discrete_laplace(1 / epsilon))


def compared_noise(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    first, second = (count + draw(discrete_laplace(2 / epsilon)) for count in (rows[0], 0))
    return max(first, second)


def real_noise(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return rows.count(0) + draw(laplace(1 / epsilon))


def unequal(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return draw(bernoulli("1/2")) if rows[0] else 1


class Own:
    """Equal to itself alone."""


NOBODY = Own()


def of_its_own(draw: Draw, rows: Sequence[int]) -> Any:
    return NOBODY if draw(bernoulli("1/2")) else rows.count(0)


def lookalikes(draw: Draw, rows: Sequence[int]) -> Any:
    return 1 if rows.count(2) > 1 else True


def first_row(draw: Draw, rows: Sequence[int]) -> Any:
    return rows[0]


def late_order(draw: Draw, rows: Sequence[int]) -> Any:
    return rows[0] if rows.count(2) == 3 else 0


def late_error(draw: Draw, rows: Sequence[int]) -> Any:
    if rows.count(2) > 1:
        raise RuntimeError(f"no {rows}")
    return 0


def late_chance(draw: Draw, rows: Sequence[int]) -> Any:
    return random.random() < 0.5 if rows.count(2) > 1 else False


GENERATOR = random.Random(1)


def late_generator(draw: Draw, rows: Sequence[int]) -> Any:
    return GENERATOR.random() < 2 if rows.count(2) > 1 else True


def late_paths(draw: Draw, rows: Sequence[int]) -> Any:
    return sum(draw(uniform(range(9))) for _ in range(3 * rows.count(2)))


def late_end(draw: Draw, rows: Sequence[int]) -> Any:
    while rows.count(2) > 2:
        pass
    return 0


def no_end_once(draw: Draw, rows: Sequence[int]) -> Any:
    """As `late_end` on one database alone, where each takes its time."""
    while rows == (0, 2, 2, 2):
        pass
    return 0


MECHANISMS: Sequence[tuple[Mechanism, Domain]] = [
    (most_common, ROWS),
    (composed, FEWER),
    (cached_result, ROWS),
    (whole_noise, WORDS),
    (compared_noise, SHORT),
    (real_noise, WORDS),
    (unequal, WORDS),
    (of_its_own, ROWS),
    (lookalikes, ROWS),
    (first_row, ROWS),
    (late_order, ROWS),
    (late_error, ROWS),
    (late_chance, ROWS),
    (late_generator, ROWS),
    (late_paths, ROWS),
]

REFUSED: Final = (
    *("unequal", "lookalikes", "first_row", "late_order", "late_error"),
    *("late_chance", "late_generator", "late_paths"),
)
"""The names of those of which there is no verdict that decides, but an error, or a limit that was met."""

"""Loops whose rounds may come in any order: the rule against all orders, and against its own clauses changed."""

import inspect
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.mechanisms.language.random_programs import plain_law, with_types
from tests.mechanisms.program_states.test_steps import HALF, THIRD, Rows, law_of, mutated

from dpverify.mechanisms import Draw, Limits, bernoulli, exp, laplace
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.watched_rows import OrderRead, WatchedRows
from dpverify.mechanisms.program_states import any_order, states, steps


def by_rule(mechanism: Callable[..., Any], rows: Rows) -> dict[Any, Fraction] | None:
    """The distribution on rows in no order; None where the rule does not see that there is one."""
    enumeration = Enumeration(Limits(), reads=True)
    try:
        with enumeration.looking_out(mechanism, {}):
            law = enumeration.law(mechanism, (WatchedRows(rows),), {})
    except OrderRead:
        return None
    return {with_types(outcome): Fraction(str(p)) for outcome, p in law.probabilities.items()}


def table_walk(table: tuple[int, ...]) -> Callable[..., Any]:
    def walk(draw: Draw, rows: Rows) -> Any:
        at = 0
        for row in rows:
            at = table[6 * at + 2 * row + draw(THIRD)]
        return at

    return walk


def rounds_commute(table: tuple[int, ...], rows: Rows) -> bool:
    def after(law: dict[int, Fraction], row: int) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for at, p in law.items():
            for bit, share in ((1, p / 3), (0, 2 * p / 3)):
                to = table[6 * at + 2 * row + bit]
                found[to] = found.get(to, Fraction(0)) + share
        return found

    reached, level = {0}, {0}
    for _ in rows[2:]:
        level = {to for at in level for row in rows for to in after({at: Fraction(1)}, row)}
        reached |= level
    starts = [{at: Fraction(1)} for at in reached]
    return all(after(after(at, x), y) == after(after(at, y), x) for at in starts for x, y in combinations(set(rows), 2))


@given(st.tuples(*[st.integers(0, 2)] * 18) | st.tuples(*[st.sampled_from((0, 0, 1))] * 18), st.integers(2, 4))
@few(60)
def test_the_rule_accepts_what_commutes_and_no_order_shows_then(table: tuple[int, ...], size: int) -> None:
    walk = table_walk(table)
    for rows in combinations_with_replacement((0, 1, 2), size):
        law = by_rule(walk, rows)
        assert (law is not None) is rounds_commute(table, rows)
        if law is not None:
            assert all(plain_law(walk, order, 1 << 8) == law for order in set(permutations(rows)))


def capped(draw: Draw, rows: Rows) -> Any:
    total = 0
    for row in rows:
        total = min(total + (row ^ draw(THIRD)), 2)
    return total, len(rows), rows.count(1)


def found_one(draw: Draw, rows: Rows) -> Any:
    for row in rows:
        if row == 2 or draw(HALF):
            return "found"
    return "none"


def left_early(draw: Draw, rows: Rows) -> Any:
    bits = 0
    for _ in range(2):
        for row in rows:
            if row and draw(THIRD):
                bits += 4
                break
            bits ^= draw(HALF)
        else:
            bits += 2
    return bits


def pairs_of_rows(draw: Draw, rows: Rows) -> Any:
    bit = 0
    for row in rows:
        for other in rows:
            bit ^= (row & other) ^ draw(THIRD)
    return bit


def largest(draw: Draw, rows: Rows) -> Any:
    best, seen = 0, [0, 0, 0]
    for row in rows:
        best, seen[row] = max(best, row - draw(HALF)), 1
    return best, tuple(seen)


def two_draws(draw: Draw, rows: Rows) -> Any:
    bits = (0, 0)
    for row in rows:
        first = draw(HALF)
        if row and draw(THIRD):
            bits = bits[0] ^ first, bits[1]
        else:
            bits = bits[0], 1
    return bits


def helped(draw: Draw, rows: Rows) -> Any:
    return draw(capped, rows)[0] > 1


def counted_plainly(draw: Draw, rows: Rows) -> Any:
    return sum(1 for row in rows if row > 1) + draw(HALF)


COMMUTING = [pairs_of_rows, capped, found_one, largest, helped, counted_plainly, two_draws]


def third_row(draw: Draw, rows: Rows) -> Any:
    at = 0
    for row in rows:
        at = at + 1 if (at, row) in ((0, 1), (1, 2), (2, 0)) else 9
    return at, draw(HALF)


def clamped(draw: Draw, rows: Rows) -> Any:
    at = 0
    for row in rows:
        at = max(0, min(at + row - draw(HALF), 2))
    return at


def last(draw: Draw, rows: Rows) -> Any:
    kept = 5
    for row in rows:
        kept = row if draw(HALF) else kept
    return kept


def first(draw: Draw, rows: Rows) -> Any:
    kept = 5
    for row in rows:
        kept = row if kept == 5 and draw(HALF) else kept
    return kept


def first_of_ties(draw: Draw, rows: Rows) -> Any:
    best = -1, 0
    for row in rows:
        if row % 2 > best[0]:
            best = row % 2, row
    return best[1], draw(HALF)


def listed(draw: Draw, rows: Rows) -> Any:
    kept = []
    for row in rows:
        kept.append(row ^ draw(HALF))  # noqa: PERF401  # a loop is what is tried
    return tuple(kept)


def in_order_of_insertion(draw: Draw, rows: Rows) -> Any:
    counts: dict[int, int] = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + draw(HALF)
    return tuple(counts)


def of_a_set(draw: Draw, rows: Rows) -> Any:
    seen = set()
    for row in rows:
        seen.add(row + draw(HALF))
    return tuple(seen)


def by_place(draw: Draw, rows: Rows) -> Any:
    return sum(i * (row ^ draw(HALF)) for i, row in enumerate(rows))


def beside_the_first(draw: Draw, rows: Rows) -> Any:
    return sum((row ^ draw(HALF)) == rows[0] for row in rows)


def of_an_iterator(draw: Draw, rows: Rows) -> Any:
    left, total = iter(rows), 0
    for row in left:
        total += (row ^ draw(HALF)) * next(left, 1)
    return total


ORDERED = [
    *(third_row, clamped, last, first, first_of_ties, listed, in_order_of_insertion, of_a_set, by_place),
    *(beside_the_first, of_an_iterator, left_early),
]


def wrong() -> list[str]:
    """The programs of which the rule accepts one that shows its order, or none that does not, or has another law."""
    found = []
    for rows in ((0, 1, 2), (0, 1, 1, 2)):
        for each in (*COMMUTING, *ORDERED)[len(rows) > 3 :]:
            law = by_rule(each, rows)
            orders = [plain_law(each, order, 1 << 12) for order in sorted(set(permutations(rows)))]
            if (law is not None) is not (each in COMMUTING) or (law is not None and any(one != law for one in orders)):
                found.append(each.__name__)
    return found


def test_the_rule_on_programs_that_people_write() -> None:
    assert wrong() == []

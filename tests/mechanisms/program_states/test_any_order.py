"""Loops whose rounds may come in any order: the rule against all orders, and against its own clauses changed."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.mechanisms.language.random_programs import plain_law, with_types
from tests.mechanisms.program_states.test_steps import HALF, THIRD, Rows, mutated

from dpverify.mechanisms import Draw, Limits, discrete_laplace
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.functions.watched_rows import OrderRead, WatchedRows
from dpverify.mechanisms.program_states import any_order, program_points, states, steps

Mechanism = Callable[..., Any]


def by_rule(mechanism: Mechanism, *databases: Rows) -> dict[Any, Fraction] | None:
    """The distribution on the last rows, in no order; None where the rule does not see that there is one."""
    enumeration, law = Enumeration(Limits(), reads=True), None
    with enumeration.looking_out(mechanism, {}):
        for rows in databases:
            try:
                law = enumeration.law(mechanism, (WatchedRows(rows),), {})
            except OrderRead:
                law = None
    return None if law is None else {with_types(outcome): Fraction(str(p)) for outcome, p in law.probabilities.items()}


def loop(step: Callable[[Any, int, int], Any], first: Any = 0, end: Callable[[Any], Any] = lambda at: at) -> Mechanism:
    def walk(draw: Draw, rows: Rows) -> Any:
        at = first
        for row in rows:
            at = step(at, row, draw(THIRD))
        return end(at)

    return walk


def rounds_commute(table: tuple[int, ...], rows: Rows) -> bool:
    def after(law: dict[int, Fraction], row: int) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for at, p in law.items():
            for bit, share in ((1, p / 3), (0, 2 * p / 3)):
                found[table[6 * at + 2 * row + bit]] = found.get(table[6 * at + 2 * row + bit], Fraction(0)) + share
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
    walk = loop(lambda at, row, bit: table[6 * at + 2 * row + bit])
    for rows in combinations_with_replacement((0, 1, 2), size):
        law = by_rule(walk, rows)
        assert (law is not None) is rounds_commute(table, rows)
        assert law is None or all(plain_law(walk, order, 1 << 8) == law for order in set(permutations(rows)))


def pairs_of_rows(draw: Draw, rows: Rows) -> Any:
    bit = 0
    for row in rows:
        for other in rows:
            bit ^= (row & other) ^ draw(THIRD)
    return bit


def capped(draw: Draw, rows: Rows) -> Any:
    return min(sum(row ^ draw(THIRD) for row in rows if row < 2), 2), len(rows), rows.count(1)


def found_one(draw: Draw, rows: Rows) -> Any:
    for row in rows:
        if row == 2 or draw(HALF):
            return "found"
    return "none"


def left_early(draw: Draw, rows: Rows) -> Any:
    bits = 0
    for row in rows:
        if row and draw(THIRD):
            bits += 4
            break
        bits ^= draw(HALF)
    return bits


def largest(draw: Draw, rows: Rows) -> Any:
    best, odd = 0, 0
    for row in rows:
        bit = draw(THIRD)
        best, odd = max(best, row - bit), odd ^ bit
    return best


def odd_of(draw: Draw, row: int) -> Any:
    return sum(row * draw(THIRD) for _ in range(2)) % 2


def with_calls(draw: Draw, rows: Rows) -> Any:
    bits = 0
    for row in rows:
        bits ^= odd_of(draw, row)
    return bits, odd_of(draw, bits)


def without_draws(draw: Draw, rows: Rows) -> Any:
    return sum(1 for row in rows if row > 1) + draw(HALF)


def by_place(draw: Draw, rows: Rows) -> Any:
    return sum(i * (row ^ draw(HALF)) for i, row in enumerate(rows))


def beside_the_first(draw: Draw, rows: Rows) -> Any:
    return sum((row ^ draw(HALF)) == rows[0] for row in rows)


def at_once(draw: Draw, rows: Rows) -> Any:
    return sum(rows) + draw(HALF), max(rows), min(rows, default=9), sorted(rows, reverse=True)[1], all(rows)


def best(draw: Draw, rows: Rows) -> Any:
    return max(rows, key=lambda row: row % 2 < 1), draw(HALF)


COMMUTING = [
    *(pairs_of_rows, capped, largest, found_one, without_draws, lambda draw, rows: draw(capped, rows)[0] > 1),
    *(with_calls, at_once),
    loop(lambda at, row, bit: min(at + row + bit, 3)),
]


def at_place(place: int) -> Mechanism:
    return loop(lambda at, row, bit: (at[0] + 1, at[1] or (at[0] == place and row == 2)), (1, False))


def lucky(n: int) -> Mechanism:
    after = 3 if n == 1 else 1, 3 if n == 2 else 2
    return loop(lambda at, row, bit: (1 + bit, *after, 4 + row)[at] if at < 4 else at)


ORDERED = [
    best,
    *(by_place, beside_the_first, left_early, at_place(3), lucky(1), lucky(2)),
    loop(lambda at, row, bit: at + 1 if (at, row) in ((0, 1), (1, 2), (2, 0)) else 9),
    loop(lambda at, row, bit: max(0, min(at + row - 2 * bit, 2))),
    loop(lambda at, row, bit: row if bit else at, 5),
    loop(lambda at, row, bit: row if bit and at == 5 else at, 5),
    loop(lambda at, row, bit: (row % 2, row) if row % 2 > at[0] else at, (-1, 0)),
    loop(lambda at, row, bit: (*at, row ^ bit), ()),
    loop(lambda at, row, bit: {**at, row: at.get(row, 0) + bit}, {}, tuple),
    loop(lambda at, row, bit: at | {row + bit}, frozenset(), tuple),
]


@cache
def in_all_orders(mechanism: Mechanism, rows: Rows) -> list[dict[Any, Fraction]]:
    return [plain_law(mechanism, order, 1 << 12) for order in set(permutations(rows))]


def is_right(mechanism: Mechanism, rows: Rows) -> bool:
    """True where the rule accepts a program that shows no order, with its distribution, or refuses one that does."""
    law = by_rule(mechanism, rows)
    return law is None if mechanism in ORDERED else all(one == law for one in in_all_orders(mechanism, rows))


NOISE = discrete_laplace(1)


def noisy_to_the_end(draw: Draw, rows: Rows) -> Any:
    noise, bit = draw(NOISE), 0
    is_large = noise > 0
    for row in rows:
        bit ^= row & draw(HALF)
    return bit, is_large, noise > 1


def noisy_anew(draw: Draw, rows: Rows) -> Any:
    noise, bit = draw(NOISE), 0
    is_large = noise > 0
    for row in rows:
        noise, bit = draw(NOISE), bit ^ (row & draw(HALF))
    return bit, is_large, noise > 1


def noisy_in_rounds(draw: Draw, rows: Rows) -> Any:
    noise, bit = draw(NOISE), 0
    is_large = noise > 0
    for row in rows:
        bit = 0 if noise > 0 else bit ^ (row & draw(HALF))
    return bit, is_large


def noise_lives_and_dies() -> bool:
    """True where programs have the distribution of whole runs whose noise is alive at the head of a loop."""
    rows, are_right = (0, 1, 1), []
    for mechanism in (noisy_to_the_end, noisy_anew, noisy_in_rounds):
        enumeration = Enumeration(Limits(), reads=True)
        with enumeration.looking_out(mechanism, {}):
            try:
                law = enumeration.law(mechanism, (WatchedRows(rows),), {})
            except OrderRead:
                return False
        whole = PlainEnumerator(Limits()).distribution_as_compiled(mechanism, (rows,), {})
        are_right.append(all(chance == law.probability(outcome) for outcome, chance in whole.probabilities.items()))
    return all(are_right)


MUTANTS = [
    (any_order, "all(self._is_one", "any(self._is_one"),
    (any_order, "if left > 1", "if left > 2"),
    (any_order, "for place in level):", "for place in level[:1]):"),
    (any_order, "else ((middle, CERTAIN),)", "else ()"),
    (any_order, "else ((place, CERTAIN),)", "else ()"),
    (any_order, "p is right[to] or", "True or"),
    (any_order, "-1) >= size", "-1) > 0"),
    (any_order, "if count <= middle", "if count < middle"),
    (states, "if has_order:", "if False:"),
    (steps, "if not self._commuting(rows):", "if False:"),
    (program_points, 'all(each.arg != "key" for each in node.keywords)', "True"),
    (program_points, "return values if is_known else rows", "return values or rows"),
    (steps, "            if not kept:\n", "            if True:\n"),
    (steps, "found[to] + share if to in found", "found[to] if to in found"),
    (steps, "self._with_dead(CERTAIN, numbers, begun)", "CERTAIN"),
    (steps, "for to in after}\n        some_die = any(", "for to in after}\n        some_die = not any("),
    (steps, "        except NoCanonicalForm:\n            key = None", "        finally:\n            key = (0,)"),
]
"""A clause that is changed: of what is compared where, of what has left the loop, of the weights behind it."""


@pytest.mark.parametrize(("module", "old", "new"), [(None, "", ""), *MUTANTS])
def test_each_clause_of_the_rule_counts(
    module: ModuleType | None, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if module is not None:
        mutated(monkeypatch, module, old, new)
    programs = [(each, rows) for rows in ((0, 1, 2), (0, 1, 1, 2)) for each in (*COMMUTING, *ORDERED)[len(rows) > 3 :]]
    try:
        are_right = noise_lives_and_dies() and all(is_right(*each) for each in programs)
        are_right &= by_rule(at_place(4), (0, 1, 2), (0, 1, 1, 2)) is by_rule(at_once, (0, 1, True)) is None
    except Exception:  # a mutant that raises anything is noticed by it
        are_right = False
    assert are_right is (module is None)

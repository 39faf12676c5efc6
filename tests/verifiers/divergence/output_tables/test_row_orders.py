"""The order of rows on multisets: every order is run, or code does not ask for it, or the verdict says that it is sorted.

Mechanisms whose order shows at four distinct rows, at three, on one multiset alone; brute force over all orders beside.
"""

import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations
from operator import itemgetter
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError, bernoulli, discrete_laplace, distribution, laplace, log, run, symbolic
from dpverify.mechanisms.counting import all_at_once, of_counts
from dpverify.mechanisms.drawing import in_sorted_order
from dpverify.mechanisms.functions import samples
from dpverify.mechanisms.functions.canonical import sorted_by_value
from dpverify.mechanisms.functions.watched_rows import OrderRead, WatchedRows, order_was_read
from dpverify.mechanisms.release.itemsets import (
    frequent_itemset,
    frequent_itemset_by_exponential,
    frequent_itemset_or_none,
    frequent_itemset_that_occurs,
)
from dpverify.mechanisms.selection import Selection
from dpverify.reports.record import FOR_SORTED_ROWS
from dpverify.verifiers import (
    Claim,
    LabelledSamples,
    Multisets,
    Status,
    Tuples,
    add_or_remove_one,
    audit,
    check_privacy,
    replace_one,
)
from dpverify.verifiers.divergence.output_tables import tabulation

HERE = "tests/verifiers/divergence/output_tables/test_row_orders.py"
Mechanism = Callable[[Any, Any], Any]


def top_three(draw: Any, rows: Any) -> Any:
    return dict(Counter(rows).most_common(3)).get("a", 0) + draw(laplace(1))


def first_three(draw: Any, rows: Any) -> Any:
    kept = list(dict.fromkeys(rows))[:3]
    return (rows.count("a") if "a" in kept else 0) + draw(laplace(1))


def first_of_four(draw: Any, rows: Any) -> Any:
    return rows[0] if len(set(rows)) == 4 else 0


def order_of_four(draw: Any, rows: Any) -> Any:
    return rows[0] == max(rows) if len(set(rows)) == 4 else False


def last_of_three(draw: Any, rows: Any) -> Any:
    return rows[-1] if len(set(rows)) == 3 else None


@pytest.mark.parametrize(
    ("mechanism", "size"),
    [
        (top_three, 8),
        (first_three, 5),
        (first_three, 9),
        (first_of_four, 4),
        (first_of_four, 9),
        (order_of_four, 9),
        (last_of_three, 3),
        (last_of_three, 10),
        (lambda draw, rows: rows.index("b") if sorted(rows) == list("aabcdd") else 0, 6),
        (lambda draw, rows: f"{rows}" == "('a', 'b', 'c', 'd')" if len(set(rows)) == 4 else False, 4),
        (lambda draw, rows: next(iter(Counter(rows))) if len(set(rows)) > 3 else "a", 9),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_what_depends_on_the_order_is_named(mechanism: Mechanism, size: int) -> None:
    with pytest.raises(InputError, match=r"depends on the order of the rows: .* or in_sorted_order\(mechanism\)"):
        check_privacy(mechanism, Multisets("abcd", size=size), replace_one, epsilon=9, recheck=False)
    verdict = check_privacy(
        in_sorted_order(mechanism), Multisets("abcd", size=size), replace_one, epsilon=9, recheck=False
    )
    assert "put in order by the mechanism itself" in verdict.scope and not verdict.basis.of_sorted_rows


def test_labelled_samples_have_orders_too() -> None:
    def first_point(draw: Any, rows: Any) -> Any:
        return rows[0][0] if len({x for x, _ in rows}) == 4 else 0

    with pytest.raises(InputError, match="depends on the order"):
        check_privacy(first_point, LabelledSamples(range(4), size=4), replace_one, epsilon=0, recheck=False)


def swallows(draw: Any, rows: Any) -> Any:
    try:
        first = rows[0]
    except BaseException:
        first = "a"  # as it is wherever rows are sorted and some are "a"
    return first != "a" and "a" in rows


def by_type(draw: Any, rows: Any) -> Any:
    return rows[0] if type(rows) is tuple else rows.count("b")


@pytest.mark.parametrize("mechanism", [swallows, by_type])
def test_what_is_swallowed_and_what_differs_counts_as_reading(mechanism: Mechanism) -> None:
    with pytest.raises(InputError, match="depends on the order"):
        check_privacy(mechanism, Multisets("ab", size=4), replace_one, epsilon=9, recheck=False)


def is_falling(rows: Any) -> bool:
    return any(left > right for left, right in pairwise(rows))


def by_type_and_order(draw: Any, rows: Any) -> Any:
    return type(rows) is tuple and is_falling(rows)


def by_json(draw: Any, rows: Any) -> Any:
    try:
        text = json.dumps(rows)
    except TypeError:  # as of rows that are watched
        return False
    return text != json.dumps(tuple(sorted(rows)))


def in_c(draw: Any, rows: Any) -> Any:
    with suppress(TypeError):
        return tuple.__add__(rows, ()) != tuple(sorted(rows))
    return False


@pytest.mark.parametrize("mechanism", [by_type_and_order, by_json, in_c])
def test_what_does_otherwise_with_watched_rows_alone_is_run_in_every_order(mechanism: Mechanism) -> None:
    """On sorted rows and on watched ones they do the same."""
    assert not any(distribution(mechanism, rows).probability(True) for rows in (tuple("aabb"), tuple("abbb")))
    with pytest.raises(InputError, match="depends on the order"):
        check_privacy(mechanism, Multisets("ab", size=4), replace_one, epsilon=0, recheck=False)


def test_rows_that_come_and_go() -> None:
    with pytest.raises(InputError, match="depends on the order"):
        check_privacy(first_three, Multisets("abcd", sizes=range(7)), add_or_remove_one, epsilon=1, recheck=False)


def summed(draw: Any, rows: Any) -> Any:  # of a list, which has an order
    return sum([*rows]) + draw(discrete_laplace(4))


def test_every_order_is_run_while_that_is_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = Multisets(range(3), size=5)
    most = 3**5 - len(domain)
    for budget, words in ((most, "every order of the rows run"), (most - 1, "for rows in sorted order")):
        monkeypatch.setitem(samples._SIZES, "orders of rows", budget)
        verdict = check_privacy(summed, domain, replace_one, epsilon=1, recheck=False)
        assert verdict.status is Status.PROVED and words in verdict.scope
        assert verdict.basis.of_sorted_rows == (budget < most)


def capped(draw: Any, rows: Any) -> Any:
    total = 0
    for row in rows:
        total = min(total + (row ^ draw(bernoulli("1/3"))), 9)
    return total


def clipped(draw: Any, rows: Any) -> Any:
    return sum(min(row, 1) for row in rows) + draw(discrete_laplace(1))


def of_largest(draw: Any, rows: Any) -> Any:
    return sum(rows) // 30 + max(rows) + draw(discrete_laplace(1))


@pytest.mark.parametrize(("mechanism", "epsilon"), [(capped, log(2)), (clipped, 1), (of_largest, 1)])
def test_no_order_is_run_where_rounds_commute(mechanism: Mechanism, epsilon: Any) -> None:
    verdict = check_privacy(mechanism, Multisets(range(2), size=24), replace_one, epsilon=epsilon)
    assert verdict.status is Status.PROVED and not verdict.basis.of_sorted_rows
    assert verdict.epsilon is not None and verdict.epsilon.exact == epsilon
    assert "the rows taken one by one by steps that commute" in verdict.scope


def one_order_of_all(draw: Any, rows: Any) -> Any:
    return rows == tuple("bdacbd")


def test_an_order_that_no_sample_meets_is_said_to_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not check_privacy(
        in_sorted_order(one_order_of_all), Multisets("abcd", size=6), replace_one, epsilon=0, recheck=False
    ).basis.of_sorted_rows
    with pytest.raises(InputError, match="depends on the order"):
        check_privacy(one_order_of_all, Multisets("abcd", size=6), replace_one, epsilon=0, recheck=False)
    monkeypatch.setitem(samples._SIZES, "orders of rows", 100)
    verdict = check_privacy(one_order_of_all, Multisets("abcd", size=6), replace_one, epsilon=0, recheck=False)
    assert verdict.status is Status.PROVED and verdict.basis.of_sorted_rows
    line = one_order_of_all.__code__.co_firstlineno + 1
    assert f"; the order is read at {HERE}, line {line}" in verdict.scope
    assert repr(verdict).startswith("PROVED for rows in sorted order, for n = 6, rows from")


def test_without_a_sample_nothing_of_the_order_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabulation, "some_orders", lambda rows: iter(()))
    verdict = check_privacy(order_of_four, Multisets("abcd", size=9), replace_one, epsilon=0, recheck=False)
    assert verdict.status is Status.PROVED  # wrongly, as the reverse of the rows shows, and says that they are sorted
    assert verdict.basis.of_sorted_rows


def helped(rows: Any) -> Any:
    return 2 * rows.count(1) + len(rows)


def counting(draw: Any, rows: Any) -> Any:
    return {x: rows.count(x) for x in range(4)}[0] + draw(laplace(2))


def by_a_helper(draw: Any, rows: Any) -> Any:
    return helped(rows) + draw(laplace(2))


def in_a_part(draw: Any, rows: Any) -> Any:
    return draw(by_a_helper, rows) if 2 in rows else 0 + draw(laplace(2))


def by_value(draw: Any, rows: Any) -> Any:
    return sum(place * row for place, row in enumerate(sorted_by_value(rows, "rows"))) + draw(laplace(200))


@pytest.mark.parametrize("mechanism", [counting, by_a_helper, in_a_part, by_value])
@pytest.mark.parametrize("epsilon", [2, symbolic])
def test_what_asks_for_counts_needs_no_other_order(mechanism: Mechanism, epsilon: Any) -> None:
    verdict = check_privacy(mechanism, Multisets(range(4), size=9), replace_one, epsilon=epsilon, recheck=False)
    assert "asked for counts, their number and membership alone" in verdict.scope
    assert not verdict.basis.of_sorted_rows


def test_rows_are_sorted_unseen_where_no_code_of_somebodys_is_called_with_them() -> None:
    for rows in permutations((2, 0, (1, "a"), 0)):
        watched = WatchedRows(rows)
        assert sorted_by_value(watched, "rows") == sorted_by_value(rows, "rows") == [(1, "a"), 0, 0, 2]
        assert not order_was_read(watched)

    class Noting(Enum):
        A = 1

        def __eq__(self, other: object) -> bool:
            return self is other

        __hash__ = Enum.__hash__

    watched = WatchedRows((Noting.A, Noting.A))
    with pytest.raises(OrderRead):
        sorted_by_value(watched, "rows")
    assert order_was_read(watched)


@pytest.mark.parametrize(
    "mechanism",
    [
        partial(frequent_itemset, items=3, delta="0.1"),
        partial(frequent_itemset_by_exponential, items=3),
        partial(frequent_itemset_or_none, delta="0.1"),
        partial(frequent_itemset_that_occurs, delta="0.1"),
    ],
)
def test_the_order_of_baskets_is_not_asked_for(mechanism: Mechanism) -> None:
    """Its five claims were PROVED for rows in sorted order: twelve baskets have too many other orders."""
    baskets = ((0,), (0, 1), (1, 2), (0, 1, 2))
    with patch.object(tabulation, "size_of_sample", lambda name: 0 if name == "orders of rows" else 7):
        verdict = check_privacy(mechanism, Multisets(baskets, size=3), epsilon=30, delta=1, parameters={"r": 2})
    assert verdict.status is Status.PROVED and not verdict.basis.of_sorted_rows
    assert "asked for counts, their number and membership alone" in verdict.scope
    law = distribution(mechanism, baskets, r=2, epsilon=1)
    assert all(distribution(mechanism, rows, r=2, epsilon=1) == law for rows in permutations(baskets))


def test_selections_say_what_their_quality_asks_for() -> None:

    domain = Multisets(range(3), size=11)
    for quality, words in (
        (all_at_once(lambda rows: [rows.count(x) for x in range(3)]), "asked for counts"),
        (of_counts(lambda counts, x: counts[x]), "asked for counts"),
        (lambda rows, x: rows.count(x), "asked for counts"),
        (lambda rows, x: sum(row == x for row in rows), "for rows in sorted order"),
    ):
        verdict = check_privacy(Selection(quality, range(3)), domain, replace_one, epsilon=1, recheck=False)
        assert verdict.status is Status.PROVED and words in verdict.scope


READERS: dict[str, Callable[[Any], Any]] = {
    "iteration": lambda rows: [2 * row for row in rows],
    "index": lambda rows: rows[0],
    "last": lambda rows: rows[-1],
    "slice": lambda rows: rows[1:],
    "place": lambda rows: rows.index(1),
    "unpacking": lambda rows: print(*rows),
    "pattern": lambda rows: _matched(rows),  # noqa: PLW0108  # it stands below
    "in a text": lambda rows: "%s" % (rows,),  # noqa: UP031  # as people write
    "by %": lambda rows: "%s %s %s" % rows,  # noqa: UP031  # as people write
    "in an f-string": lambda rows: f"{rows}",
    "repr": repr,
    "==": lambda rows: rows == (2, 1, 1),
    "a tuple ==": lambda rows: (2, 1, 1) == rows,  # noqa: SIM300  # the other way round
    "<": lambda rows: rows < (2,),
    "hash": hash,
    "a key": lambda rows: {rows: 1},
    "sorted": sorted,
    "set": set,
    "sum": sum,
    "max": max,
    "Counter": Counter,
    "fromkeys": dict.fromkeys,
    "tuple": tuple,
    "zip": lambda rows: list(zip(rows, rows, strict=True)),
    "reversed": lambda rows: list(reversed(rows)),
    "+": lambda rows: rows + (1,),  # noqa: RUF005  # as people write
    "*": lambda rows: rows * 2,
    "itemgetter": itemgetter(0),
    "numpy": lambda rows: np.array(rows).argmax(),
    "bytes": bytes,
    "join": lambda rows: "".join(map(str, rows)),
    "isinstance": lambda rows: rows[0] if isinstance(rows, tuple) else 0,
    "permutations": lambda rows: next(permutations(rows)),
    "an equal that looks": lambda rows: rows.count(Looking()),
    "in, an equal that looks": lambda rows: Looking() in rows,
}


class Looking:
    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = object.__hash__


def _matched(rows: Any) -> Any:
    match rows:
        case [first, *_]:
            return first
    return 0


@in_one("name", READERS)
def test_what_reads_the_order_is_seen(name: str) -> None:
    rows = WatchedRows((2, 1, 1))
    with pytest.raises((OrderRead, TypeError)):
        READERS[name](rows)
    assert order_was_read(rows) or name in REFUSED_OUTRIGHT


REFUSED_OUTRIGHT = {"by %"}
"""What raises of rows that are no tuple, which counts as reading."""


@in_one("name", READERS)
def test_what_reads_the_order_is_not_taken_for_counting(name: str) -> None:
    def mechanism(draw: Any, rows: Any) -> Any:
        READERS[name](rows)
        return 0

    domain = Multisets((1, 2), size=3)
    try:
        verdict = check_privacy(mechanism, domain, replace_one, epsilon=0, recheck=False)
    except InputError:
        return  # which no order makes a verdict of
    assert "asked for counts" not in verdict.scope and "every order" in verdict.scope


@pytest.mark.parametrize(
    "ask", [len, bool, lambda rows: rows.count(1), lambda rows: 1 in rows, lambda rows: rows.count(1) + len(rows)]
)
def test_counts_length_and_membership_are_answered(ask: Callable[[Any], Any]) -> None:
    rows = WatchedRows((2, 1, 1))
    assert ask(rows) == ask((2, 1, 1)) and not order_was_read(rows)


PARTS: list[tuple[str, Callable[[Any], Any]]] = [
    ("first", lambda rows: rows[0]),
    ("distinct", lambda rows: len(set(rows))),
    ("sum", sum),
    ("count", lambda rows: rows.count(1)),
    ("first met", lambda rows: next(iter(Counter(rows)))),
    ("most common", lambda rows: Counter(rows).most_common(1)[0][0]),
    ("rises", lambda rows: sum(a < b for a, b in pairwise(rows))),
    ("sorted", lambda rows: sorted(rows)[1]),
    ("cut", lambda rows: sum(rows[:3]) if len(set(rows)) > 2 else 0),
]


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_against_all_tuples(seed: int) -> None:
    """A verdict on multisets without a word on sorted rows is that on all tuples; what differs by order is named."""
    chosen = random.Random(seed)
    (_, one), (_, other) = chosen.sample(PARTS, 2)
    scale, epsilon, universe = chosen.randint(1, 3), Fraction(chosen.randint(1, 6), 2), range(chosen.choice((2, 3, 4)))

    def mechanism(draw: Any, rows: Any) -> Any:
        return one(rows) - other(rows) + draw(discrete_laplace(scale))

    on_tuples = check_privacy(mechanism, Tuples(universe, size=4), replace_one, epsilon=epsilon, recheck=False)
    laws: dict[Any, Any] = {rows: distribution(mechanism, rows) for rows in Tuples(universe, size=4)}
    by_order = any(laws[rows].probability(0) != laws[tuple(sorted(rows))].probability(0) for rows in laws)
    try:
        verdict = check_privacy(mechanism, Multisets(universe, size=4), replace_one, epsilon=epsilon, recheck=False)
    except InputError as error:
        assert by_order and "depends on the order" in str(error)
        return
    assert not by_order and verdict.status is on_tuples.status
    assert verdict.delta is not None and on_tuples.delta is not None and verdict.delta.upper == on_tuples.delta.upper


def test_in_sorted_order_sorts_when_it_is_run() -> None:
    rows = (("b", 1), ("a", 2), 3, None, "x", Fraction(1, 2), True)
    first = in_sorted_order(lambda draw, rows: tuple(map(str, rows)))
    orders = [tuple(random.Random(i).sample(rows, len(rows))) for i in range(20)]
    assert len({run(first, order) for order in orders}) == 1
    assert run(in_sorted_order(lambda draw, rows: rows), (3, 1, 2)) == (1, 2, 3)


def test_in_sorted_order_takes_parameters_and_says_what_rows_are() -> None:
    wrapped = in_sorted_order(lambda draw, rows, *, epsilon: rows[0] + draw(laplace(1 / epsilon)))
    assert check_privacy(wrapped, Multisets((0, 1), size=3), replace_one, epsilon=1).status is Status.PROVED
    with pytest.raises(InputError, match="is put in order, and has no fixed place in an order"):
        distribution(in_sorted_order(lambda draw, rows: 0), (object(), 1))
    with pytest.raises(InputError, match="in_sorted_order: 'abc' is not a tuple of rows"):
        distribution(in_sorted_order(lambda draw, rows: 0), "abc")
    with pytest.raises(InputError, match="has a wrong argument"):
        in_sorted_order(3)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(InputError, match="does not take"):
        in_sorted_order(lambda rows: 0)


def twice(draw: Any, rows: Any) -> Any:
    """Mutant: twice the sum."""
    return 2 * sum(rows) + draw(discrete_laplace(4))


def test_strict_does_not_take_sorted_rows_for_every_order() -> None:
    claim = Claim(
        id="mine.summed",
        source="own",
        mechanism=summed,
        domain=Multisets(range(4), size=9),
        neighbours=replace_one,
        epsilon=1,
        mutant=twice,
    )
    for strict in (False, True):
        (result,) = audit([claim], strict=strict, jobs=1).claims
        assert result.verdict is Status.PROVED and result.rider == FOR_SORTED_ROWS and result.scope.of_sorted_rows
        assert ("--strict asks for every order" in result.surprise) == strict

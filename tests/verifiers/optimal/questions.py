"""What the tests of best mechanisms ask, and an oracle: every vertex of a tiny program, by exact linear algebra."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from flint import fmpq, fmpq_mat

from dpverify.mechanisms import ExactLike, exact
from dpverify.mechanisms.exact.exact_numbers import to_fraction, total
from dpverify.verifiers import BestMechanism, Status, check_privacy

Table = Sequence[Sequence[Fraction]]


def clique(count: int) -> Callable[[int], list[int]]:
    return lambda database: [other for other in range(count) if other != database]


def path(count: int) -> Callable[[int], list[int]]:
    return lambda database: [other for other in (database - 1, database + 1) if 0 <= other < count]


def hits(database: int, answer: int) -> bool:
    return database == answer


def is_confirmed(best: BestMechanism, neighbours: Any, table: Table, epsilon: ExactLike, delta: ExactLike) -> None:
    """The law is private, by the checker, and earns what it says; and the multipliers show that nothing earns more."""
    databases = list(best.law)
    if any(neighbours(database) for database in databases):
        verdict = check_privacy(best.mechanism, databases, neighbours, epsilon=epsilon, delta=delta, recheck=False)
        assert verdict.status is Status.PROVED
    earned = [
        total(p * table[i][answer] for answer, p in best.law[database].probabilities.items())
        for i, database in enumerate(databases)
    ]
    assert min(earned) == exact(best.at_least)
    assert best.certificate.checks()


def best_vertex(table: Table, pairs: Sequence[tuple[int, int]], growth: Fraction, delta: Fraction) -> Fraction:
    """The largest worst success, as the best vertex of the laws of so few databases: every event is an inequality."""
    databases, answers = len(table), len(table[0])
    count = databases * answers + 1

    def at(database: int, answer: int) -> int:
        return database * answers + answer

    def row(entries: dict[int, Fraction]) -> list[Fraction]:
        return [entries.get(j, Fraction(0)) for j in range(count)]

    one = Fraction(1)
    equations = [(row({at(d, o): one for o in range(answers)}), one) for d in range(databases)]
    at_most = [(row({j: -one}), Fraction(0)) for j in range(count)]
    at_most += [
        (row({count - 1: one, **{at(d, o): -table[d][o] for o in range(answers)}}), Fraction(0))
        for d in range(databases)
    ]
    events = [event for size in range(1, answers) for event in combinations(range(answers), size)]
    at_most += [
        (row({**{at(d, o): one for o in event}, **{at(e, o): -growth for o in event}}), delta)
        for d, e in pairs
        for event in events
    ]
    best = Fraction(-1)
    for chosen in combinations(at_most, count - len(equations)):
        tight = [*equations, *chosen]
        matrix = fmpq_mat([[fmpq(c.numerator, c.denominator) for c in entries] for entries, _ in tight])
        right = fmpq_mat([[fmpq(b.numerator, b.denominator)] for _, b in tight])
        try:
            point = [to_fraction(value) for value in matrix.solve(right).entries()]
        except ZeroDivisionError:
            continue
        if point[-1] > best and all(
            sum(c * x for c, x in zip(entries, point, strict=True)) <= b for entries, b in at_most
        ):
            best = point[-1]
    return best

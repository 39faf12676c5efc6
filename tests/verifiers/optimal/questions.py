"""What the tests of best mechanisms ask, and an oracle: every vertex of a tiny program, by exact linear algebra."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from operator import le
from typing import Any

from flint import fmpq, fmpq_mat

from dpverify.mechanisms import exact
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, to_fraction, total
from dpverify.verifiers import Status, check_privacy
from dpverify.verifiers.optimal import BestMechanism

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
    best, every = fmpq(-1), [*equations, *at_most]
    rows, bounds = [[as_fmpq(c) for c in entries] for entries, _ in every], [as_fmpq(b) for _, b in every]
    coefficients = fmpq_mat(rows)
    for chosen in combinations(range(len(equations), len(every)), count - len(equations)):
        tight = [*range(len(equations)), *chosen]
        try:
            point = fmpq_mat([rows[i] for i in tight]).solve(fmpq_mat([[bounds[i]] for i in tight]))
        except ZeroDivisionError:
            continue
        if point[count - 1, 0] > best and all(map(le, (coefficients * point).entries(), bounds)):
            best = point[count - 1, 0]
    return to_fraction(best)


def as_fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)

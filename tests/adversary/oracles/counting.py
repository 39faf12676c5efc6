"""Claims for all sizes on real rows: which databases to try, and their laws: this file imports nothing of dpverify."""

import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from tests.adversary.oracles.noises import NotHere, power
from tests.adversary.oracles.oracle import tagged
from tests.adversary.oracles.paths import EPSILON, Value, runs


class Released(NamedTuple):
    """A number that was returned with noise."""

    kind: str
    scale: Fraction
    sign: Fraction
    centre: Fraction


Key = Hashable
Law = dict[Key, tuple[Fraction, Released | None]]
"""Outcome, with noise left out → probability, and the noise."""

Counts = tuple[int, ...]


def law_of(mechanism: Callable[..., Any], rows: Sequence[Any], base: Fraction) -> Law:
    """The law on rows. Raises `NotHere` where noise was cut before it was returned, or is returned in two ways."""
    law: Law = {}
    for ended in runs(mechanism, rows, base, epsilon=EPSILON):
        released = None
        outcome = ended.outcome
        if isinstance(outcome, Value):
            ((noise, factor),) = outcome.parts
            drawn = ended.run.noises[noise]
            if ended.run.facts[noise] != drawn.everything or abs(factor) != 1 or drawn.ends != (None, None):
                raise NotHere("noise that was looked at before it was returned")
            released = Released(drawn.kind, drawn.scale, factor, outcome.shift)
            key: Key = ("released", drawn.kind)
        else:
            key = tagged(outcome)
        known = law.get(key, (Fraction(0), released))
        if known[1] != released:
            raise NotHere("several noises in one place")
        law[key] = known[0] + ended.weight, released
    assert sum(p for p, _ in law.values()) == 1
    return law


def ratio(left: Law, right: Law, base: Fraction) -> Fraction | None:
    """The largest p/q; None where some q is 0 and p is not."""
    largest = Fraction(1)
    for key, (p, released) in left.items():
        if not p:
            continue
        q, other = right.get(key, (Fraction(0), None))
        if not q:
            return None
        moved = Fraction(1)
        if released is not None and other is not None:
            if released._replace(centre=other.centre) != other:
                return None
            distance = abs(released.centre - other.centre)
            if released.kind.startswith("discrete") and distance.denominator != 1:
                return None
            moved = power(base, distance / released.scale)
        largest = max(largest, p / q * moved)
    return largest


def divergence(left: Law, right: Law, factor: Fraction) -> Fraction | None:
    """Σ max(0, p − factor·q); None where noise was released."""
    if any(released for law in (left, right) for _, released in law.values()):
        return None
    return sum(
        (max(Fraction(0), p - factor * right.get(key, (Fraction(0), None))[0]) for key, (p, _) in left.items()),
        Fraction(0),
    )


def rows_of(universe: Sequence[Any], counts: Counts, rng: random.Random) -> tuple[Any, ...]:
    """Rows that occur so often, in some order."""
    rows = [row for row, times in zip(universe, counts, strict=True) for _ in range(times)]
    rng.shuffle(rows)
    return tuple(rows)


def neighbours(counts: Counts, moves: Iterable[Counts]) -> list[Counts]:
    """What the moves make of counts, as far as there are so many rows."""
    found = [tuple(a + b for a, b in zip(counts, move, strict=True)) for move in moves]
    return [other for other in found if min(other) >= 0]


def databases(constants: Iterable[int], dimension: int, rng: random.Random, count: int) -> list[Counts]:
    """Small ones, all of them as far as they go, and ones whose counts, sums and differences lie around constants."""
    known = sorted(constants)
    near = {0, 1, 2, 3}
    for c in known:
        near |= {c - 1, c, c + 1, c + 2, 2 * c, c // 2, c // 2 + 1, 2 * c + 1}
    near |= {a + b for a in known for b in known} | {abs(a - b) for a in known for b in known}
    values = sorted(value for value in near if value >= 0)
    top = max(known, default=1)
    small = [*product(range({1: 25, 2: 9}.get(dimension, 5)), repeat=dimension)]
    found = dict.fromkeys(small)
    for _ in range(count):
        one = [rng.choice(values) if rng.random() < 0.8 else rng.randint(0, top + 3) for _ in range(dimension)]
        if rng.random() < 0.4 and dimension > 1:
            # the last one so that a sum, or a difference, is near a constant
            target = rng.choice(values)
            last = target - sum(one[:-1]) if rng.random() < 0.5 else one[0] + rng.choice((-1, 1)) * target
            one[-1] = max(0, last + rng.randint(-1, 1))
            rng.shuffle(one)
        found[tuple(one)] = None
    return list(found)

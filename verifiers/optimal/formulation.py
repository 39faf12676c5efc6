"""The linear program of a best mechanism, and how its solution is read as distributions and as multipliers.

Its variables are Pr[o | D] =: x[D, o], a t[D, D′, o] for each ordered pair where δ > 0, and the worst success s:

    s ≤ Σ_o success(D, o)·x[D, o],   Σ_o x[D, o] = 1,   x[D, o] − e^(dε)·x[D′, o] ≤ t[D, D′, o],   Σ_o t[D, D′, o] ≤ δ_d

for pairs at distance d; Σ_F (x − e^(dε)·x′) ≤ δ_d for every event F is the same as the sum of the positive parts.

A cell (D, o) has a variable that it shares with those of its orbit where symmetries are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from dpverify.verifiers.optimal.program import Constraint, Program, RightSide
from dpverify.verifiers.optimal.question import DesignProblem

_Key: TypeAlias = tuple[int, int, int]
"""Common data of private rows of one form: the orbit of the pair, or the distance where δ = 0; both variables."""


@dataclass(frozen=True)
class OrbitNumbers:
    """Classes under symmetries, as numbers: of databases, of goals, of cells (database, outcome), and of pairs."""

    databases: Sequence[int]
    goals: Sequence[int]
    cells: Sequence[Sequence[int]]
    pairs: Sequence[int]

    @classmethod
    def alone(cls, asked: DesignProblem) -> OrbitNumbers:
        """Nothing is alike."""
        count, answers = len(asked.databases), len(asked.outcomes)
        cells = [range(i * answers, (i + 1) * answers) for i in range(count)]
        return cls(range(count), range(len(asked.goals)), cells, range(len(asked.pairs)))


@dataclass(frozen=True)
class Formulation:
    """The program, and which row stands for what."""

    program: Program
    cells: Sequence[Sequence[int]]
    """The variable of each cell."""
    goal_rows: Sequence[int | None]
    """Of each goal, the row that holds the worst success to it; None where weights count."""
    goals_alike: Sequence[int]
    """Number of goals that share that row."""
    private_rows: Mapping[_Key, int]
    cells_alike: Mapping[_Key, int]
    """Number of (D, D′, o) that share a private row."""
    keys: Sequence[Mapping[int, _Key]]
    """By pair: outcome → key, but for outcomes that bind nobody."""


def delta_at_distance(delta: Fraction, steps: int) -> RightSide:
    """The δ of a pair at a distance: δ·(1 + E + … + E^(steps−1))."""
    return (delta,) * steps if delta else ()


def formulated(asked: DesignProblem, delta: Fraction, orbits: OrbitNumbers) -> Formulation:
    """The program of a question, with a rational δ."""
    cells, count = _numbered(orbits.cells)
    rows: list[Constraint] = []
    one = Fraction(1)
    for i in _first_of_each(orbits.databases):
        rows.append(Constraint(_sum([(variable, one) for variable in cells[i]]), (one,), is_equality=True))
    goal_rows: list[int | None] = [None] * len(asked.goals)
    goals_alike = _sizes(orbits.goals)
    if asked.weights is None:
        worst, count = count, count + 1
        row_of_orbit: dict[int, int] = {}
        for g in _first_of_each(orbits.goals):
            row_of_orbit[orbits.goals[g]] = len(rows)
            earned = zip(cells[asked.goals[g]], asked.success[g], strict=True)
            rows.append(Constraint({worst: (one, 0), **_sum([(variable, -share) for variable, share in earned])}))
        goal_rows = [row_of_orbit[orbit] for orbit in orbits.goals]
        objective = {worst: (one, 0)}
    else:
        objective = _sum(
            [
                (variable, weight * share)
                for i, shares, weight in zip(asked.goals, asked.success, asked.weights, strict=True)
                for variable, share in zip(cells[i], shares, strict=True)
            ]
        )
    keys = [
        {
            o: (orbit if delta else pair.steps, a, b)
            for o, (a, b) in enumerate(zip(cells[pair.left], cells[pair.right], strict=True))
            if a != b
        }
        for pair, orbit in zip(asked.pairs, orbits.pairs, strict=True)
    ]
    cells_alike: dict[_Key, int] = {}
    for of_pair in keys:
        for key in of_pair.values():
            cells_alike[key] = cells_alike.get(key, 0) + 1
    private_rows: dict[_Key, int] = {}
    excess: dict[_Key, int] = {}
    for p in _first_of_each(orbits.pairs) if delta else range(len(keys)):
        steps = asked.pairs[p].steps
        spent: list[tuple[int, Fraction]] = []
        for key in keys[p].values():
            if key not in private_rows:
                private_rows[key] = len(rows)
                entries = {key[1]: (one, 0), key[2]: (-one, steps)}
                if delta and steps:
                    entries[count] = (-one, 0)
                    excess[key] = count
                    count += 1
                rows.append(Constraint(entries))
            if key in excess:
                spent.append((excess[key], one))
        if spent:
            rows.append(Constraint(_sum(spent), delta_at_distance(delta, steps)))
    program = Program(count, rows, objective)
    return Formulation(program, cells, goal_rows, goals_alike, private_rows, cells_alike, keys)


def _sum(terms: Sequence[tuple[int, Fraction]]) -> dict[int, tuple[Fraction, int]]:
    coefficients: dict[int, Fraction] = {}
    for variable, c in terms:
        coefficients[variable] = coefficients.get(variable, Fraction(0)) + c
    return {variable: (c, 0) for variable, c in coefficients.items() if c}


def _first_of_each(orbits: Sequence[int]) -> list[int]:
    first: dict[int, int] = {}
    for i, orbit in enumerate(orbits):
        first.setdefault(orbit, i)
    return list(first.values())


def _sizes(orbits: Sequence[int]) -> list[int]:
    sizes: dict[int, int] = {}
    for orbit in orbits:
        sizes[orbit] = sizes.get(orbit, 0) + 1
    return [sizes[orbit] for orbit in orbits]


def _numbered(cells: Sequence[Sequence[int]]) -> tuple[list[list[int]], int]:
    """The orbits numbered from 0 on, and how many there are."""
    numbers: dict[int, int] = {}
    return [[numbers.setdefault(orbit, len(numbers)) for orbit in row] for row in cells], len(numbers)

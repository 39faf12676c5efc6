"""The simplex method in exact numbers: from any basis to an optimal one.

Pivots are greedy at first, and by Bland's rule, which never goes in circles, where that takes long.

A basis is a set of columns and of tight rows (see `Basis`). Its point has all other columns at 0. What varies, in one
order, are the columns and then the slacks of the rows. A basis is feasible where none of them is negative, and the
slacks of equations are 0; it is optimal where besides no multiplier of a tight inequality is negative, and no other
column would earn more than it costs.

Source: Bland (1977), New finite pivoting rules for the simplex method.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Final

from dpverify.verifiers.optimal.elimination import SingularError
from dpverify.verifiers.optimal.program import EMPTY, Basis
from dpverify.verifiers.optimal.rings import Element, Ring, System, WholeProgram, WholeRow

Variable = int
"""A column j < columns, or the slack of row i as columns + i."""


@dataclass(frozen=True)
class Solution:
    """Values of an optimal basis: numerators of the columns, and of the rows' multipliers, over denominators."""

    basis: Basis
    columns: Sequence[Element]
    column_denominator: Element
    multipliers: Sequence[Element]
    multiplier_denominator: Element
    pivots: int


class _At:
    """A program at a basis. Raises `SingularError` where it is none."""

    def __init__(self, ring: Ring, program: WholeProgram, basis: Basis) -> None:
        self.ring, self.program, self.basis = ring, program, basis
        self.place = {j: at for at, j in enumerate(basis.columns)}
        self.tight = {i: at for at, i in enumerate(basis.tight)}
        rows = [self._within(program.rows[i]) for i in basis.tight]
        self.system: System = ring.system(rows, program.norm)

    def _within(self, row: WholeRow) -> dict[int, Element]:
        return {self.place[j]: value for j, value in row.entries.items() if j in self.place}

    @cached_property
    def point(self) -> tuple[list[Element], Element]:
        """The numerators of all columns, and their denominator."""
        numerators, below = self.system.solved({at: self.program.rows[i].right for i, at in self.tight.items()})
        columns = [self.ring.zero] * self.program.columns
        for j, value in zip(self.basis.columns, numerators, strict=True):
            columns[j] = value
        return columns, below

    @cached_property
    def slacks(self) -> list[Element]:
        """Of all rows, over the denominator of the point."""
        columns, below = self.point
        return [
            self.ring.zero if i in self.tight else row.right * below - _inner(self.ring, row.entries, columns)
            for i, row in enumerate(self.program.rows)
        ]

    @cached_property
    def multipliers(self) -> tuple[list[Element], Element]:
        """Of all rows, with their denominator: 0 for those that are not tight."""
        cost = {self.place[j]: value for j, value in self.program.objective.items() if j in self.place}
        numerators, below = self.system.solved_transposed(cost)
        rows = [self.ring.zero] * len(self.program.rows)
        for i, value in zip(self.basis.tight, numerators, strict=True):
            rows[i] = value
        return rows, below

    @cached_property
    def losses(self) -> dict[Variable, Element]:
        """The loss, per unit, where one that is 0 is raised; a slack of an equation is not."""
        multipliers, below = self.multipliers
        lost = {j: self.ring.zero for j in range(self.program.columns) if j not in self.place}
        for i in self.basis.tight:
            if multipliers[i]:
                for j, value in self.program.rows[i].entries.items():
                    if j in lost:
                        lost[j] += multipliers[i] * value
        for j, value in self.program.objective.items():
            if j in lost:
                lost[j] -= value * below
        lost.update(
            {self.program.columns + i: multipliers[i] for i in self.basis.tight if not self.program.rows[i].is_equality}
        )
        return lost

    def infeasible(self, is_greedy: bool) -> Variable | None:
        """The first that is not as large as it has to be; of greedy pivots the one that is furthest from it."""
        columns, _ = self.point
        slacks = enumerate(self.slacks, start=self.program.columns)
        worst: tuple[Variable, Element] | None = None
        for variable, value in (*((j, columns[j]) for j in self.basis.columns), *slacks):
            sign = self.ring.sign(value)
            if not sign or (sign > 0 and not self._is_equation(variable)):
                continue
            if not is_greedy:
                return variable
            below = -value if sign > 0 else value
            if worst is None or self.ring.sign(below - worst[1]) < 0:
                worst = variable, below
        return None if worst is None else worst[0]

    def _is_equation(self, variable: Variable) -> bool:
        return variable >= self.program.columns and self.program.rows[variable - self.program.columns].is_equality

    def moves(self, entering: Variable) -> tuple[list[Element], list[Element], Element]:
        """The effect of raising one that is 0 on the columns and the slacks, over a denominator."""
        if entering < self.program.columns:
            change = {
                at: -self.program.rows[i].entries[entering]
                for i, at in self.tight.items()
                if entering in self.program.rows[i].entries
            }
        else:
            change = {self.tight[entering - self.program.columns]: -self.ring.one}
        numerators, below = self.system.solved(change)
        columns = [self.ring.zero] * self.program.columns
        for j, value in zip(self.basis.columns, numerators, strict=True):
            columns[j] = value
        if entering < self.program.columns:
            columns[entering] = below
        slacks = [
            self.ring.zero if i in self.tight else -_inner(self.ring, row.entries, columns)
            for i, row in enumerate(self.program.rows)
        ]
        return columns, slacks, below

    def gains(self, leaving: Variable) -> dict[Variable, Element]:
        """The effect of raising each of those that are 0 on one that is not, over some denominator > 0."""
        columns = self.program.columns
        if leaving < columns:
            entries, own = {leaving: self.ring.one}, {}
        else:
            entries = own = dict(self.program.rows[leaving - columns].entries)
        combination, below = self.system.solved_transposed(
            {self.place[j]: value for j, value in entries.items() if j in self.place}
        )
        # the column is Σ w·(b − slacks − A·others); the slack is b − that − the row's others
        way = -1 if leaving < columns else 1
        rates = {columns + i: combination[at] * way for i, at in self.tight.items()}
        others = {j: self.ring.zero for j in range(columns) if j not in self.place}
        for i, at in self.tight.items():
            if combination[at]:
                for j, value in self.program.rows[i].entries.items():
                    if j in others:
                        others[j] += combination[at] * value * way
        for j, value in own.items():
            if j in others:
                others[j] -= value * below
        for i in self.basis.tight:
            if self.program.rows[i].is_equality:
                del rates[columns + i]
        return {**others, **rates}

    def exchanged(self, entering: Variable, leaving: Variable) -> Basis:
        """The basis in which one takes the place of another."""
        columns, rows = set(self.basis.columns), set(self.basis.tight)
        if entering < self.program.columns:
            columns.add(entering)
        else:
            rows.remove(entering - self.program.columns)
        if leaving < self.program.columns:
            columns.remove(leaving)
        else:
            rows.add(leaving - self.program.columns)
        return Basis(sorted(columns), sorted(rows))


def _inner(ring: Ring, entries: Mapping[int, Element], columns: Sequence[Element]) -> Element:
    product = ring.zero
    for j, value in entries.items():
        if columns[j]:
            product += value * columns[j]
    return product


GREEDY: Final = 300
"""Pivots after which Bland's rule has its turn."""


def solved(ring: Ring, program: WholeProgram, start: Basis) -> Solution:
    """An optimal solution of a program that has one, from a basis that may be neither feasible nor optimal.

    First by dual pivots to a feasible basis, with another objective where it is no optimal one for the program's; then,
    with the program's, by primal pivots to an optimal one.
    """
    at = _at(ring, program, start)
    pivots = 0
    if at.infeasible(is_greedy=True) is not None:
        is_dual_feasible = _entering(ring, at.losses, is_greedy=False) is None
        at = at if is_dual_feasible else _At(ring, _near(at), at.basis)
        while (leaving := at.infeasible(is_greedy=pivots < GREEDY)) is not None:
            at = _At(ring, at.program, _dual_pivot(at, leaving))
            pivots += 1
        at = _At(ring, program, at.basis)
    greedy = pivots + GREEDY
    while (entering := _entering(ring, at.losses, is_greedy=pivots < greedy)) is not None:
        at = _At(ring, program, _primal_pivot(at, entering))
        pivots += 1
    columns, column_denominator = at.point
    multipliers, multiplier_denominator = at.multipliers
    return Solution(at.basis, columns, column_denominator, multipliers, multiplier_denominator, pivots)


def _near(at: _At) -> WholeProgram:
    """The program with another objective: to raise as little as possible of what is 0 at a basis.

    Each has a weight of its own, so that pivots have no ties. For a slack b − a·x that is −weight·(b − a·x).
    """
    ring, program = at.ring, at.program
    weight = Random(0).randrange
    objective = {j: ring.whole(Fraction(-weight(*_WEIGHTS))) for j in range(program.columns) if j not in at.place}
    for i in at.basis.tight:
        if not program.rows[i].is_equality:
            share = ring.whole(Fraction(weight(*_WEIGHTS)))
            for j, value in program.rows[i].entries.items():
                objective[j] = objective.get(j, ring.zero) + share * value
    return replace(program, objective=objective, norm=max(program.norm, ring.norm(objective.values())))


_WEIGHTS: Final = (1_000, 2_000)


def _at(ring: Ring, program: WholeProgram, start: Basis) -> _At:
    """At the basis; at that of nothing where it is none."""
    try:
        return _At(ring, program, start)
    except SingularError:
        return _At(ring, program, EMPTY)


def _entering(ring: Ring, losses: Mapping[Variable, Element], is_greedy: bool) -> Variable | None:
    """The first by which more is earned than lost; of greedy pivots the one by which most is."""
    best: Variable | None = None
    for variable in sorted(losses):
        if ring.sign(losses[variable]) < 0 and (best is None or ring.sign(losses[variable] - losses[best]) < 0):
            best = variable
            if not is_greedy:
                break
    return best


def _dual_pivot(at: _At, leaving: Variable) -> Basis:
    """A variable that is negative becomes 0, by raising the one that loses least for what it helps."""
    ring, columns = at.ring, at.program.columns
    gains, losses = at.gains(leaving), at.losses
    is_too_large = leaving >= columns and ring.sign(at.slacks[leaving - columns]) > 0  # the slack of an equation
    helping = {v: -gain if is_too_large else gain for v, gain in gains.items()}
    best = _least_ratio(ring, [(v, losses[v], gain) for v, gain in sorted(helping.items()) if ring.sign(gain) > 0])
    assert best is not None, "the program is feasible"
    return at.exchanged(best, leaving)


def _primal_pivot(at: _At, entering: Variable) -> Basis:
    """One that is 0 is raised until the first of the others becomes 0."""
    ring, program = at.ring, at.program
    columns, slacks, _ = at.moves(entering)
    values, _ = at.point
    falling = [(j, values[j], -columns[j]) for j in at.basis.columns if ring.sign(columns[j]) < 0]
    for i, change in enumerate(slacks):
        if change and (program.rows[i].is_equality or ring.sign(change) < 0):
            falling.append((program.columns + i, at.slacks[i], -change if ring.sign(change) < 0 else change))
    best = _least_ratio(ring, falling)
    assert best is not None, "the program is bounded"
    return at.exchanged(entering, best)


def _least_ratio(ring: Ring, candidates: Sequence[tuple[Variable, Element, Element]]) -> Variable | None:
    """The first with the least above/below, for above ≥ 0 and below > 0."""
    best: tuple[Variable, Element, Element] | None = None
    for variable, above, below in candidates:
        if best is None or ring.sign(above * best[2] - best[1] * below) < 0:
            best = (variable, above, below)
    return None if best is None else best[0]

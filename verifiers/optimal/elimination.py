"""Square systems of sparse rational equations, solved exactly: elimination while it stays sparse, then a dense rest.

Bases of these programs fall apart nearly entirely: most rows are x = E·x′, or hold one unknown more than is known.
Elimination takes pivots with few entries beside them (Markowitz). What is left over is small and dense, and is solved
by python-flint, which lifts p-adically (Dixon).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any, Final

from flint import fmpq, fmpz, fmpz_mat, nmod_mat

PRIME: Final = (1 << 62) - 57
"""Modulo which dependent rows are looked for: no Mersenne prime, modulo which powers of 2 soon come round to 1."""

DENSE_BELOW: Final = 12
"""Unknowns below which what is left is not worth to be looked at for sparse pivots."""


class SingularError(ArithmeticError):
    """Rows or columns depend on one another."""


@dataclass(frozen=True)
class _Step:
    """One pivot: the row's other entries over it, and what the other rows had in its column, over it."""

    row: int
    column: int
    pivot: fmpq
    across: Mapping[int, fmpq]
    down: Mapping[int, fmpq]


@dataclass
class _Active:
    """Remaining rows: rows as column → number, columns as sets of rows, and heaps of their sizes."""

    rows: dict[int, dict[int, fmpq]]
    columns: dict[int, set[int]]
    short_rows: list[tuple[int, int]] = field(default_factory=list)
    short_columns: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.short_rows = [(len(entries), i) for i, entries in self.rows.items()]
        self.short_columns = [(len(rows), j) for j, rows in self.columns.items()]
        heapify(self.short_rows)
        heapify(self.short_columns)

    @classmethod
    def of(cls, rows: Sequence[Mapping[int, fmpq]]) -> _Active:
        """All rows; the columns are numbered as the rows are."""
        columns: dict[int, set[int]] = {j: set() for j in range(len(rows))}
        for i, entries in enumerate(rows):
            for j in entries:
                columns[j].add(i)
        return cls({i: dict(entries) for i, entries in enumerate(rows)}, columns)

    def next_pivot(self) -> tuple[int, int, int]:
        """Row, column and how many entries its elimination touches: of the shortest row or column, the better one."""
        while (top := self.short_rows[0])[1] not in self.rows or len(self.rows[top[1]]) != top[0]:
            heappop(self.short_rows)
        while (left := self.short_columns[0])[1] not in self.columns or len(self.columns[left[1]]) != left[0]:
            heappop(self.short_columns)
        length, i = top
        height, j = left
        if not length or not height:
            raise SingularError
        j_of_row = min(self.rows[i], key=lambda column: len(self.columns[column]))
        i_of_column = min(self.columns[j], key=lambda row: len(self.rows[row]))
        by_row = (length - 1) * (len(self.columns[j_of_row]) - 1)
        by_column = (height - 1) * (len(self.rows[i_of_column]) - 1)
        return (i, j_of_row, by_row) if by_row <= by_column else (i_of_column, j, by_column)

    def eliminate(self, i: int, j: int) -> _Step:
        """Take the row of a pivot and its column out, and its multiples from the other rows."""
        across = self.rows.pop(i)
        pivot = across.pop(j)
        touched = self.columns.pop(j)
        touched.discard(i)
        for column in across:
            self.columns[column].discard(i)
        down: dict[int, fmpq] = {}
        for row in touched:
            entries = self.rows[row]
            factor = down[row] = entries.pop(j) / pivot
            for column, value in across.items():
                present = entries.get(column)
                if present is None:
                    entries[column] = -factor * value
                    self.columns[column].add(row)
                    continue
                changed = present - factor * value
                if changed:
                    entries[column] = changed
                else:
                    del entries[column]
                    self.columns[column].discard(row)
            heappush(self.short_rows, (len(entries), row))
        for column in across:
            heappush(self.short_columns, (len(self.columns[column]), column))
        return _Step(i, j, pivot, across, down)

    @property
    def is_dense(self) -> bool:
        """True where what is left is better solved as a dense system."""
        left = len(self.rows)
        return left < DENSE_BELOW or 5 * sum(map(len, self.rows.values())) > left * left


class Factors:
    """A square system, ready to be solved for several right sides. Raises `SingularError` where it has no inverse."""

    def __init__(self, rows: Sequence[Mapping[int, fmpq]]) -> None:
        self._size = len(rows)
        active = _Active.of(rows)
        self._steps: list[_Step] = []
        while active.rows:
            i, j, cost = active.next_pivot()
            if cost > 2 and active.is_dense:
                break
            self._steps.append(active.eliminate(i, j))
        self._rows = tuple(active.rows)
        self._columns = tuple(active.columns)
        place = {j: at for at, j in enumerate(self._columns)}
        left = len(self._rows)
        self._rest = fmpz_mat(left, left)
        self._scales: list[fmpz] = []
        for at, i in enumerate(self._rows):
            scale = fmpz(1)
            for value in active.rows[i].values():
                scale = scale.lcm(value.q)
            self._scales.append(scale)
            for j, value in active.rows[i].items():
                self._rest[at, place[j]] = (value * scale).p
        self._transposed: fmpz_mat | None = None
        if (
            nmod_mat(self._rest, PRIME).rank() < left and self._rest.rank() < left
        ):  # the first is fast, and may be wrong
            raise SingularError

    @property
    def determinant(self) -> fmpq:
        """Up to its sign."""
        product = fmpq(self._rest.det()) if self._rows else fmpq(1)
        for scale in self._scales:
            product /= scale
        for step in self._steps:
            product *= step.pivot
        return product

    def solved(self, right: Mapping[int, fmpq]) -> list[fmpq]:
        """The x with A·x = right."""
        b = dict(right)
        for step in self._steps:
            value = b.get(step.row)
            if value:
                for row, factor in step.down.items():
                    b[row] = b.get(row, 0) - factor * value
        x: list[fmpq] = [fmpq(0)] * self._size
        dense = _dense(self._rest, [b.get(i, 0) * scale for i, scale in zip(self._rows, self._scales, strict=True)])
        for j, value in zip(self._columns, dense, strict=True):
            x[j] = value
        for step in reversed(self._steps):
            value = b.get(step.row, fmpq(0))
            for column, factor in step.across.items():
                if x[column]:
                    value -= factor * x[column]
            x[step.column] = value / step.pivot
        return x

    def solved_transposed(self, cost: Mapping[int, fmpq]) -> list[fmpq]:
        """The y with y·A = cost."""
        c = dict(cost)
        for step in self._steps:
            value = c.get(step.column)
            if value:
                share = value / step.pivot
                for column, factor in step.across.items():
                    c[column] = c.get(column, 0) - factor * share
        y: list[fmpq] = [fmpq(0)] * self._size
        if self._transposed is None:
            self._transposed = self._rest.transpose()
        dense = _dense(self._transposed, [c.get(j, 0) for j in self._columns])
        for i, value, scale in zip(self._rows, dense, self._scales, strict=True):
            y[i] = value * scale
        for step in reversed(self._steps):
            value = c.get(step.column, fmpq(0)) / step.pivot
            for row, factor in step.down.items():
                if y[row]:
                    value -= factor * y[row]
            y[step.row] = value
        return y


def _dense(matrix: fmpz_mat, right: Sequence[Any]) -> list[fmpq]:
    if not right:
        return []
    numbers = [fmpq(value) for value in right]
    if not any(numbers):
        return [fmpq(0)] * len(numbers)
    scale = fmpz(1)
    for value in numbers:
        scale = scale.lcm(value.q)
    result: Any = matrix.solve(fmpz_mat(len(numbers), 1, [(value * scale).p for value in numbers]))
    return [value / scale for value in result.entries()]

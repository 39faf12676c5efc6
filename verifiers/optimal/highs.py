"""The basis that HiGHS, in floating point, holds to be optimal: exact pivots begin there, and trust nothing of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpverify.verifiers.optimal.errors import SolverMissing
from dpverify.verifiers.optimal.program import EMPTY, Basis, Coefficient, Program

_LARGEST: Final = 1e9
"""Bound to which a power of e^ε is cut that floats make nothing of beside 1: exact pivots correct the rest."""


@dataclass(frozen=True)
class Guess:
    """The answer of HiGHS: a basis, the columns, and the multipliers of the rows."""

    basis: Basis
    columns: NDArray[np.float64]
    multipliers: NDArray[np.float64]


def guessed(program: Program, growth: float) -> Guess:
    """The answer of HiGHS on a program at e^ε ≈ `growth`. Raises `SolverMissing` where highspy is missing."""
    try:
        import highspy
    except ImportError:
        raise SolverMissing(
            "the best mechanism is found with the linear programming solver highspy, which is not installed: "
            "pip install 'dpverify[bounds]'"
        ) from None
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = program.columns, len(program.rows)
    model.sense_ = highspy.ObjSense.kMaximize
    cost = np.zeros(program.columns)
    for j, coefficient in program.objective.items():
        cost[j] = _float(coefficient, growth)
    largest = max(float(np.abs(cost).max(initial=0.0)), 1e-300)
    cost /= largest
    right = np.array([sum(_float((c, d), growth) for d, c in enumerate(row.right)) for row in program.rows])
    values = np.array([_float(c, growth) for row in program.rows for c in row.entries.values()])
    model.col_cost_, model.col_lower_ = cost, np.zeros(program.columns)
    model.col_upper_ = np.full(program.columns, highspy.kHighsInf)
    is_equality = np.array([row.is_equality for row in program.rows])
    model.row_lower_, model.row_upper_ = np.where(is_equality, right, -highspy.kHighsInf), right
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.cumsum([0, *(len(row.entries) for row in program.rows)])
    model.a_matrix_.index_ = np.array([j for row in program.rows for j in row.entries])
    model.a_matrix_.value_ = values
    solver: Any = _run(highspy, model, "ipm" if len(program.rows) > _MANY_ROWS else "choose", _TOLERANCE)
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:  # so fine a tolerance was not met
        solver = _run(highspy, model, "simplex", _COARSE)
    basis, solution = solver.getBasis(), solver.getSolution()
    basic = highspy.HighsBasisStatus.kBasic
    results = Basis(
        [j for j, status in enumerate(basis.col_status) if status == basic],
        [i for i, status in enumerate(basis.row_status) if status != basic],
    )
    if len(results.columns) != len(results.tight):  # no basis was found
        results = EMPTY
    return Guess(
        results, _filled(solution.col_value, program.columns), _filled(solution.row_dual, len(program.rows)) * largest
    )


_MANY_ROWS: Final = 2_000
"""Size from which on an interior point, and from it to a basis, is several times faster than pivots."""

_TOLERANCE: Final = 1e-10
_COARSE: Final = 1e-7


def _run(highspy: Any, model: Any, method: str, tolerance: float) -> Any:
    solver = highspy.Highs()
    for option, value in (
        ("output_flag", False),
        ("log_to_console", False),
        ("threads", 1),
        ("random_seed", 1),
        ("solver", method),
        ("primal_feasibility_tolerance", tolerance),
        ("dual_feasibility_tolerance", tolerance),
    ):
        solver.setOptionValue(option, value)
    solver.passModel(model)
    solver.run()
    return solver


def _float(coefficient: Coefficient, growth: float) -> float:
    c, d = coefficient
    try:
        return float(c) * min(growth**d, _LARGEST)
    except OverflowError:
        return float(c) * _LARGEST


def _filled(found: Sequence[float], count: int) -> NDArray[np.float64]:
    return np.array(found) if len(found) == count else np.zeros(count)

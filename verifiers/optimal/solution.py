"""An exact solution of the program: distributions, the optimum, and the multipliers that show it."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dpverify.mechanisms.numbers.exact_numbers import as_parameter
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.verifiers.optimal.certificate import Certificate
from dpverify.verifiers.optimal.formulation import Formulation
from dpverify.verifiers.optimal.program import Basis
from dpverify.verifiers.optimal.question import DesignProblem
from dpverify.verifiers.optimal.rings import Ring, RingNumber, WholeProgram, growth_of
from dpverify.verifiers.optimal.simplex import Solution, solved


class Optimum(NamedTuple):
    """The distributions of a best mechanism, its success, and why none succeeds more often."""

    law: Mapping[Hashable, Distribution[Any]]
    success: RingNumber
    certificate: Certificate


def exactly_best(
    asked: DesignProblem,
    fewer: DesignProblem,
    stands_for: Sequence[int],
    formulation: Formulation,
    ring: Ring,
    start: Basis,
) -> Optimum:
    """The optimum of a question, of which `fewer` holds the outcomes that are kept, by exact pivots from a basis."""
    delta = as_parameter(asked.delta)
    assert isinstance(delta, Fraction), "the optimum is exact for a rational δ"
    program = ring.program(formulation.program)
    solution = solved(ring, program, start)
    columns = ring.without_common_factor([*solution.columns, solution.column_denominator])
    below = columns.pop()
    earned = ring.zero
    for j, value in program.objective.items():
        earned += value * columns[j]
    success = ring.quotient(earned, below * ring.whole(program.scale))
    law = {
        database: _law(ring, fewer.outcomes, [columns[variable] for variable in cells])
        for database, cells in zip(fewer.databases, formulation.cells, strict=True)
    }
    shares, multipliers, scale = _multipliers(asked, formulation, ring, program, solution)
    certificate = Certificate(
        databases=asked.databases,
        pairs=asked.pairs,
        outcomes=asked.outcomes,
        stands_for=stands_for,
        goals=asked.goals,
        success=asked.success,
        weights=asked.weights,
        growth=growth_of(asked.epsilon),
        delta=delta,
        at_most=success,
        shares=shares,
        multipliers=multipliers,
        scale=scale,
    )
    return Optimum(law, success, certificate)


def _law(ring: Ring, outcomes: Sequence[Hashable], weights: Sequence[Any]) -> Distribution[Any]:
    return Distribution({o: ring.number(w) for o, w in zip(outcomes, weights, strict=True) if w})


def _multipliers(
    asked: DesignProblem, formulation: Formulation, ring: Ring, program: WholeProgram, solution: Solution
) -> tuple[list[RingNumber], dict[tuple[int, int, int], RingNumber], RingNumber]:
    """Of goals, and of private rows by pair and outcome, and their scale: those of an orbit share a row's."""
    numerators = ring.without_common_factor([*solution.multipliers, solution.multiplier_denominator])
    scale = ring.number(numerators.pop()) * program.scale

    def of_row(i: int, alike: int) -> RingNumber:
        return ring.number(numerators[i]) * (program.rows[i].scale / alike)

    shares: list[RingNumber]
    if asked.weights is None:
        rows = zip(formulation.goal_rows, formulation.goals_alike, strict=True)
        shares = [of_row(i, alike) for i, alike in rows if i is not None]
    else:
        shares = [weight * scale for weight in asked.weights]
    multipliers = {
        (pair.left, pair.right, o): of_row(formulation.private_rows[key], formulation.cells_alike[key])
        for pair, keys in zip(asked.pairs, formulation.keys, strict=True)
        for o, key in keys.items()
        if numerators[formulation.private_rows[key]]
    }
    return shares, multipliers, scale

"""Exact pivots from whatever basis, and the exact solutions of square systems that they rest on."""

from fractions import Fraction
from random import Random

import pytest
from flint import fmpq, fmpq_mat, fmpz_poly
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.verifiers.optimal.questions import hits, path

from dpverify.mechanisms import exact, exp, log
from dpverify.verifiers.optimal.elimination import Factors, SingularError
from dpverify.verifiers.optimal.formulation import OrbitNumbers, formulated
from dpverify.verifiers.optimal.polynomials import PolynomialRing, ring_for
from dpverify.verifiers.optimal.program import EMPTY, Basis, Program
from dpverify.verifiers.optimal.question import Success, design_problem
from dpverify.verifiers.optimal.rings import Integers, Ring, RingNumber
from dpverify.verifiers.optimal.simplex import Solution, solved
from dpverify.verifiers.problems.questions.question import privacy_guarantee


def program_of(count: int, delta: Fraction, weights: bool = False) -> Program:
    shares = {i: 1 + i for i in range(count)} if weights else None
    asked = design_problem(
        range(count), path(count), None, privacy_guarantee(1, delta), Success(hits, range(count), shares)
    )
    return formulated(asked, delta, OrbitNumbers.alone(asked)).program


def optimum(ring: Ring, program: Program, found: Solution) -> RingNumber:
    whole = ring.program(program)
    earned = sum((c * found.columns[j] for j, c in whole.objective.items()), start=ring.zero)
    return ring.quotient(earned, found.column_denominator * ring.whole(whole.scale))


def some_basis(program: Program, random: Random) -> Basis:
    size = random.randrange(1 + min(program.columns, len(program.rows)))
    return Basis(
        sorted(random.sample(range(program.columns), size)), sorted(random.sample(range(len(program.rows)), size))
    )


RINGS = [Integers(Fraction(2)), Integers(Fraction(4, 3)), Integers(Fraction(1)), PolynomialRing(exp(1))]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("ring", RINGS, ids=["2", "4/3", "1", "e"])
@pytest.mark.parametrize(("delta", "weights"), [(Fraction(0), False), (Fraction(1, 9), False), (Fraction(0), True)])
def test_every_basis_leads_to_the_optimum(ring: Ring, delta: Fraction, weights: bool) -> None:
    program = program_of(3, delta, weights)
    whole = ring.program(program)
    expected = optimum(ring, program, solved(ring, whole, EMPTY))
    random = Random(0)
    for _ in range(8):  # most of them are singular, and neither feasible nor dual feasible
        found = solved(ring, whole, some_basis(program, random))
        assert optimum(ring, program, found) == expected
        is_optimal(ring, program, found)


def is_optimal(ring: Ring, program: Program, found: Solution) -> None:
    """Both feasible, and equal: no word of how it was found."""
    whole = ring.program(program)
    assert all(ring.sign(value) >= 0 for value in found.columns)
    for row, y in zip(whole.rows, found.multipliers, strict=True):
        left = sum((a * found.columns[j] for j, a in row.entries.items()), start=ring.zero)
        slack = ring.sign(row.right * found.column_denominator - left)
        assert slack == 0 if row.is_equality else slack >= 0
        assert row.is_equality or ring.sign(y) >= 0
    costs = [-whole.objective.get(j, ring.zero) * found.multiplier_denominator for j in range(whole.columns)]
    for row, y in zip(whole.rows, found.multipliers, strict=True):
        for j, a in row.entries.items():
            costs[j] += y * a
    assert all(ring.sign(cost) >= 0 for cost in costs)
    shown = sum((y * row.right for row, y in zip(whole.rows, found.multipliers, strict=True)), start=ring.zero)
    earned = sum((c * found.columns[j] for j, c in whole.objective.items()), start=ring.zero)
    assert ring.sign(shown * found.column_denominator - earned * found.multiplier_denominator) == 0


def test_no_pivot_where_the_basis_is_optimal() -> None:
    ring = Integers(Fraction(2))
    whole = ring.program(program_of(4, Fraction(0)))
    first = solved(ring, whole, EMPTY)
    assert first.pivots > 0
    assert solved(ring, whole, first.basis).pivots == 0


@few(10, deep=200)
@given(st.integers(1, 30), st.integers(0, 10**6), st.floats(0.05, 0.6))
def test_sparse_systems_are_solved_as_dense_ones(size: int, seed: int, density: float) -> None:
    random = Random(seed)
    table = [
        [random.randint(-3, 3) if random.random() < density or i == j else 0 for j in range(size)] for i in range(size)
    ]
    rows = [{j: fmpq(c) for j, c in enumerate(row) if c} for row in table]
    right = {i: fmpq(random.randint(-5, 5), 7) for i in range(size) if random.random() < 0.5}
    matrix, column = fmpq_mat(table), fmpq_mat(size, 1, [right.get(i, fmpq(0)) for i in range(size)])
    if matrix.rank() < size:
        with pytest.raises(SingularError):
            Factors(rows)
        return
    factors = Factors(rows)
    assert factors.solved(right) == matrix.solve(column).entries()
    assert factors.solved_transposed(right) == matrix.transpose().solve(column).entries()
    assert factors.determinant in (matrix.det(), -matrix.det())


def test_polynomial_systems_are_solved_by_cramers_rule() -> None:
    ring = PolynomialRing(exp(1))
    e = fmpz_poly([0, 1])
    rows = [{0: fmpz_poly([1]), 1: -e}, {0: e * e, 1: fmpz_poly([-7, 0, 2])}]
    above, below = ring.system(rows, 100).solved({0: fmpz_poly([3, 1]), 1: fmpz_poly([-5])})
    assert above[0] - e * above[1] == below * fmpz_poly([3, 1])
    assert e * e * above[0] + fmpz_poly([-7, 0, 2]) * above[1] == below * -5
    assert ring.sign(below) > 0


def test_signs_of_polynomials_in_e() -> None:
    ring = PolynomialRing(exp(1))
    assert ring.sign(fmpz_poly([])) == 0
    assert ring.sign(fmpz_poly([-271828182845904523536, 10**20])) == 1
    assert ring.sign(fmpz_poly([-271828182845904523537, 10**20])) == -1


def test_in_which_ring_a_claim_is_solved() -> None:
    assert isinstance(ring_for(exact(log(Fraction(3, 2)))), Integers)
    assert isinstance(ring_for(exact(0)), Integers)
    assert isinstance(ring_for(exact(Fraction(1, 3))), PolynomialRing)
    assert isinstance(ring_for(1 + log(2)), PolynomialRing)
    assert ring_for(log(2) / 2) is None  # algebraic
    assert ring_for(log(2) * log(3)) is None  # nobody knows

"""Orbits in place of cells: the same optimum by a smaller program; and what is no symmetry is refused."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.examples import in_one
from tests.verifiers.optimal.questions import clique, hits, is_confirmed

from dpverify.mechanisms import InputError, log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.verifiers.optimal import best_mechanism
from dpverify.verifiers.optimal.best import best_for_domain
from dpverify.verifiers.optimal.formulation import formulated
from dpverify.verifiers.optimal.outcomes import merged_outcomes
from dpverify.verifiers.optimal.question import Success, design_problem
from dpverify.verifiers.optimal.symmetry import outcome_orbits
from dpverify.verifiers.problems.questions.question import privacy_guarantee

BITS = tuple(product((0, 1), repeat=3))
FLIPPED: Any = (lambda bits: tuple(1 - bit for bit in bits), lambda count: 3 - count)
TURNED: Any = (lambda bits: (*bits[1:], bits[0]), lambda count: count)
SWAPPED: Any = (lambda bits: (bits[1], bits[0], bits[2]), lambda count: count)


def one_bit(bits: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*bits[:i], 1 - bits[i], *bits[i + 1 :]) for i in range(len(bits))]


def near(bits: tuple[int, ...], count: int) -> Fraction:
    return 1 - Fraction(abs(sum(bits) - count), 3)


@pytest.mark.parametrize("epsilon", [log(2), Fraction(1, 2)], ids=str)
@pytest.mark.parametrize("delta", [0, Fraction(1, 20)], ids=str)
@pytest.mark.parametrize("weights", [None, lambda bits: 1 + (sum(bits) in (0, 3))], ids=["worst", "weighted"])
def test_with_symmetries_as_without(epsilon: ExactLike, delta: Fraction, weights: Any) -> None:
    given: Any = {"epsilon": epsilon, "delta": delta, "outcomes": range(4), "weights": weights}
    without = best_mechanism(BITS, one_bit, near, **given)
    best = best_mechanism(BITS, one_bit, near, **given, symmetries=[FLIPPED, TURNED, SWAPPED])
    assert best.success == without.success
    if weights is None:
        is_confirmed(best, one_bit, [[near(bits, count) for count in range(4)] for bits in BITS], epsilon, delta)
    assert best.certificate.checks()
    for bits in BITS:
        for move, rename in (FLIPPED, TURNED, SWAPPED):
            for count in range(4):
                assert best.law[bits].probability(count) == best.law[move(bits)].probability(rename(count))


def test_how_much_smaller_the_program_is() -> None:
    asked = design_problem(BITS, one_bit, None, privacy_guarantee(log(2), 0), Success(near, range(4)))
    fewer, stands_for = merged_outcomes(asked)
    orbits = outcome_orbits(asked, fewer, stands_for, [FLIPPED, TURNED, SWAPPED])
    assert formulated(fewer, Fraction(0), orbits).program.columns == 8 + 1  # of 32: counts 0 and 1, with four answers
    assert len(set(orbits.databases)) == 2
    assert len(set(orbits.pairs)) == 3  # 0 → 1, 1 → 0, 1 → 2 and back


@pytest.mark.parametrize("count", [2, 5, 12])
def test_a_clique_is_one_orbit(count: int) -> None:
    turn = (lambda i: (i + 1) % count, lambda i: (i + 1) % count)
    swap = (lambda i: {0: 1, 1: 0}.get(i, i), lambda i: {0: 1, 1: 0}.get(i, i))
    asked = design_problem(
        range(count), clique(count), None, privacy_guarantee(log(3), "0.01"), Success(hits, range(count))
    )
    best = best_for_domain(asked, range(count), [turn, swap])
    assert best.success == (3 + (count - 1) * Fraction(1, 100)) / (3 + count - 1)
    assert best.certificate.checks()


@in_one(
    "symmetry, why",
    [
        ((lambda i: i, lambda o: 2 - o), "does not succeed as"),
        ((lambda i: 2 - i, lambda o: o), "does not succeed as"),
        ((lambda i: (i + 1) % 3, lambda o: (o + 1) % 3), "as far apart as"),
        ((lambda i: i + 1, lambda o: o), "which is not there"),
        ((lambda i: 0, lambda o: o), "two to the same place"),
        ((lambda i: [i], lambda o: o), "which is not there"),
        ((lambda i: i // 0, lambda o: o), "ZeroDivisionError"),
        ((3, lambda o: o), "is not a function"),
        (lambda i: i, "is not a pair"),
    ],
)
def test_what_is_no_symmetry_is_refused(symmetry: Any, why: str) -> None:

    with pytest.raises(InputError, match=rf"symmetries\[0\].*{why}"):
        best_mechanism(range(3), lambda i: [i - 1, i + 1], hits, epsilon=1, outcomes=range(3), symmetries=[symmetry])


def test_weights_are_preserved_too() -> None:
    turn = (lambda i: 1 - i, lambda o: 1 - o)
    given: Any = {"epsilon": log(2), "outcomes": range(2), "symmetries": [turn]}
    with pytest.raises(InputError, match="have different weights"):
        best_mechanism(range(2), clique(2), hits, weights=[1, 2].__getitem__, **given)
    assert best_mechanism(range(2), clique(2), hits, weights=[3, 3].__getitem__, **given).success == 4

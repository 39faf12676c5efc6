"""Products of pieces as polynomials have the integrals of those that are multiplied one by one."""

import random
from fractions import Fraction
from functools import reduce

import pytest

from dpverify.mechanisms import discrete_laplace, exact, exp, laplace, log
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact
from dpverify.mechanisms.numbers.roots.exponential_polynomials import ExpPoly, Piecewise
from dpverify.mechanisms.numbers.roots.products_of_pieces import mass_of_product


def random_pieces(chance: random.Random, *, falls_off: bool) -> Piecewise:
    """A function with two to four pieces; of one that falls off the outer ones do."""

    def number() -> Exact:
        return exact(Fraction(chance.randrange(-5, 6), chance.randrange(1, 5)))

    def piece(sign: int) -> ExpPoly:
        rates = [exact(Fraction(sign * chance.randrange(4, 9), 2)) if sign else number() for _ in range(2)]
        terms = {(rate, chance.randrange(3)): number() * exp(number()) + number() for rate in rates}
        return {key: c for key, c in terms.items() if c is not ZERO}

    ends = sorted(chance.sample(range(-6, 7), chance.randrange(1, 4)))
    inner = [piece(0) for _ in ends[1:]]
    outer = (piece(1), piece(-1)) if falls_off else ({(ZERO, 0): ONE}, {})
    return Piecewise(False, tuple(exact(Fraction(end, 3)) for end in ends), (outer[0], *inner, outer[1]))


@pytest.mark.parametrize("seed", range(30))
def test_integrals_are_those_of_products_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    others = [random_pieces(chance, falls_off=False) for _ in range(chance.randrange(3))]
    functions = [random_pieces(chance, falls_off=True), *others, *others[:1]]
    assert mass_of_product(functions) == reduce(Piecewise.times, functions).mass


def test_other_numbers_are_left_to_exact_ones() -> None:
    whole, of_logarithm = discrete_laplace(1).density, laplace(log(3)).density
    assert mass_of_product([whole]) is mass_of_product([laplace(1).density, of_logarithm]) is None
    assert mass_of_product([laplace(2).density] * 2) == Fraction(1, 8)

"""Places between the roots of a polynomial on an interval of ε."""

from flint import fmpz_poly

from dpverify.mechanisms import log
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.verifiers.divergence.every_epsilon.epsilon_lines import LineOfZ


def test_a_root_near_0_beside_an_end_of_the_line() -> None:
    """It is told from 0 in many steps, which once asked for twice the digits of the other end each."""
    f = fmpz_poly([1, -2 * 10**16, *[0] * 7, 10**32])
    line = LineOfZ(EpsilonSymbol(low=4 * log(10)), 1, 9, [f])
    (root,) = line.roots(f)
    before, after = line.between([None, root, None])
    assert 0 < before < after
    assert f(before) > 0 > f(after)

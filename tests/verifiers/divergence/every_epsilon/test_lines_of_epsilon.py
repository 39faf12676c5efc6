"""Places between the roots of a polynomial on an interval of ε."""

from flint import fmpq

from dpverify.mechanisms import log
from dpverify.mechanisms.numbers.exact_numbers import rational
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.mixed_polynomials import sign_at
from dpverify.verifiers.divergence.every_epsilon.epsilon_lines import LineOfEpsilon


def test_a_root_far_out_beside_an_end_of_the_line() -> None:
    """Where its z is near 0 it is told from the end in many steps."""
    line = LineOfEpsilon(
        EpsilonSymbol(low=4 * log(10)), 1, [{(0, 9): fmpq(1), (0, 8): fmpq(-2 * 10**16), (0, 0): fmpq(10**32)}]
    )
    (f,) = line.numbers
    (root,) = line.roots(f)
    before, after = line.between([None, root, None])
    assert 4 * log(10) < rational(before) < rational(after)
    assert sign_at(f, before) < 0 < sign_at(f, after)

"""Noise that one path returns twice: its outcomes lie on a line, which is no part of the plane of two noises."""

import re
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, bernoulli, discrete_laplace, distribution, laplace, symbolic
from dpverify.mechanisms.outputs import AnyReal, Where
from dpverify.verifiers import Status, Tuples, check_privacy

ONE = Tuples((0, 1), size=1)
BOTH = (AnyReal(), AnyReal())
EQUAL = ((-1, 1), 0)
"""−y1 + y2 = 0"""


def twice_on_one(draw: Draw, rows: Any) -> Any:
    n = draw(laplace(1))
    return (n, n if rows[0] else draw(laplace(1)))


def twice_on_zero(draw: Draw, rows: Any) -> Any:
    n = draw(laplace(1))
    return (n, draw(laplace(1)) if rows[0] else n)


def twice_the_other_way(draw: Draw, rows: Any) -> Any:
    n = draw(laplace(1))
    return (n if rows[0] else draw(laplace(1)), n)


@in_one("mechanism", [twice_on_one, twice_on_zero, twice_the_other_way])
def test_a_line_and_a_plane_have_nothing_in_common(mechanism: Any) -> None:
    """They had one name, so that what was computed again was another probability: the mechanism's fault, it said."""
    for epsilon in (0, 1, symbolic):
        verdict = check_privacy(mechanism, ONE, epsilon=epsilon)
        assert verdict.status is Status.REFUTED
        assert verdict.epsilon is None or verdict.epsilon.exact is None
        witness = verdict.witness
        assert witness is not None
        assert [witness.p, witness.q] == [1, 0]
        laws = [distribution(mechanism, database) for database in (witness.left, witness.right)]
        assert [law.probability(*witness.event) for law in laws] == [1, 0]
        assert str(witness.event[0]).startswith("(any, any) where -y1 + y2 ")


def mixed(draw: Draw, rows: Any, *, second: int) -> Any:
    """One number or two, by a coin; the line is (n, second·n)."""
    n = draw(laplace(1))
    return (n, second * n) if draw(bernoulli("1/2" if rows[0] else "2/5")) else (n, draw(laplace(1)))


def on_lines(draw: Draw, rows: Any) -> Any:
    n = draw(laplace(1))
    return (n, 2 * n) if draw(bernoulli("1/2" if rows[0] else "2/5")) else (n, n)


@pytest.mark.parametrize("second", [1, -2])
def test_both_on_one_database(second: int) -> None:
    """The coin alone tells: 3/5 to 1/2 off the line, 1/2 to 2/5 on it, so that e^ε = 5/4 and δ = 1/10."""
    given: dict[str, Any] = {"parameters": {"second": second}}
    assert check_privacy(mixed, ONE, epsilon=1, **given).status is Status.PROVED
    refuted = check_privacy(mixed, ONE, epsilon=0, delta="0.05", **given)
    assert refuted.delta is not None and refuted.delta.exact == Fraction(1, 10)
    witness = refuted.witness
    assert witness is not None and [witness.p, witness.q] == [Fraction(3, 5), Fraction(1, 2)]
    assert check_privacy(mixed, ONE, epsilon=0, delta="0.1", **given).status is Status.PROVED
    assert f"where {'-y1' if second == 1 else '2·y1'} + y2 ≠ 0" in str(refuted)


def wider(draw: Draw, rows: Any) -> Any:
    n = draw(laplace(1))
    return (n, n) if draw(bernoulli("1/2")) else (n, draw(laplace(1 + rows[0])))


def test_an_interval_off_the_line_is_no_interval_with_it() -> None:
    witness = check_privacy(wider, ONE, epsilon=0).witness
    assert witness is not None
    (event,) = witness.event
    assert isinstance(event, Where) and event.apart == (EQUAL,)
    p, q = (distribution(wider, rows).probability(event) for rows in (witness.left, witness.right))
    assert (p, q) == (witness.p, witness.q)
    with_the_line = Where(event.outcome, event.bounds)
    assert distribution(wider, witness.left).probability(with_the_line) > p


def test_two_lines() -> None:
    assert check_privacy(on_lines, ONE, epsilon=1).status is Status.PROVED
    witness = check_privacy(on_lines, ONE, epsilon=0).witness
    assert witness is not None and [witness.p, witness.q] == [Fraction(3, 5), Fraction(1, 2)]


def three(draw: Draw, rows: Any) -> Any:
    n = draw(laplace(1))
    return (n, n, n if rows[0] else draw(laplace(1)))


def test_a_line_within_a_plane_of_three_numbers() -> None:
    """Both have y1 = y2: what tells them apart is the other form."""
    witness = check_privacy(three, ONE, epsilon=0).witness
    assert witness is not None and [witness.p, witness.q] == [1, 0]
    (event,) = witness.event
    assert event.apart == (((-1, 0, 1), 0),) and event.bounds == (((-1, 1, 0), 0, 0),)


def test_probabilities_on_and_off_a_line() -> None:
    plane, line = distribution(twice_on_one, (0,)), distribution(twice_on_one, (1,))
    on, off = Where(BOTH, ((*EQUAL, 0),)), Where(BOTH, (), (EQUAL,))
    assert [law.probability(on) for law in (plane, line)] == [0, 1]
    assert [law.probability(off) for law in (plane, line)] == [1, 0]
    assert line.probability(Where(BOTH, (), (((-1, 1), 1),))) == 1
    positive = (((1, 0), 0, None),)
    assert line.probability(Where(BOTH, positive, (((-1, 1), 2),))) == Fraction(1, 2)
    assert line.probability(Where(BOTH, positive, (EQUAL,))) == 0
    assert str(off) == "(any, any) where -y1 + y2 ≠ 0"
    assert repr(off).endswith(", apart=(((-1, 1), 0),))") and "apart" not in repr(on)


def test_the_line_that_reproduces_it_names_what_is_apart() -> None:
    witness = check_privacy(twice_on_one, ONE, epsilon=0).witness
    assert witness is not None and witness.reproduce is not None
    assert re.search(
        r"Where\(outcome=\(AnyReal\(\), AnyReal\(\)\), bounds=.*apart=\(\(\(-1, 1\), 0\),\)\)", witness.reproduce
    )


def test_discrete_noise_that_is_returned_twice_is_refused() -> None:
    def twice(draw: Draw, rows: Any) -> Any:
        n = draw(discrete_laplace(1))
        return (n, n if rows[0] else draw(discrete_laplace(1)))

    assert check_privacy(twice, ONE, epsilon=0).status is Status.REFUTED
    assert "returned one noise twice" in check_privacy(twice, ONE, epsilon=1).reason

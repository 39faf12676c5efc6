"""Exact numbers: arithmetic against Fractions, identities against mathematics, and what is refused."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Exact, InputError, bounds, decimal, exact, exp, log, sqrt
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.exact_numbers import ONE, as_parameter, ordering, product, total
from dpverify.mechanisms.numbers.exact_text import readable_within
from dpverify.mechanisms.numbers.primes import _primes as primes
from dpverify.mechanisms.numbers.simplification import simplified

SMALL = st.fractions(min_value=-4, max_value=4, max_denominator=6)


def at_ln2(power: Fraction) -> Fraction:
    """e^(power·ln 2), for whole powers."""
    assert power.denominator == 1
    return Fraction(2) ** power.numerator


# An expression is built twice: with z = e^(-ε) at ε = ln 2 as an exact number, and with z = 1/2 as a Fraction.
Pair = tuple[Exact, Fraction]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> Pair:
    operation = draw(st.sampled_from("+-*/^")) if depth and draw(st.booleans()) else ""
    if not operation:
        if draw(st.booleans()):
            value = draw(SMALL)
            return exact(value), value
        k = draw(st.integers(-4, 4))
        return exp(k * log(2)), at_ln2(Fraction(k))
    a, x = draw(expressions(depth - 1))
    if operation == "^":
        k = draw(st.integers(0, 3))
        return a**k, x**k
    b, y = draw(expressions(depth - 1))
    if operation == "/":
        return (a, x) if y == 0 else (a / b, x / y)
    return {"+": (a + b, x + y), "-": (a - b, x - y), "*": (a * b, x * y)}[operation]


@given(expressions(), expressions())
def test_arithmetic_agrees_with_fractions(left: Pair, right: Pair) -> None:
    (a, x), (b, y) = left, right
    assert a == x
    assert (a < b, a <= b, a == b, a >= b, a > b) == (x < y, x <= y, x == y, x >= y, x > y)
    assert hash(a) == hash(x)
    assert math.floor(a) == math.floor(x)
    assert math.ceil(a) == math.ceil(x)
    lower, upper = bounds(a)
    assert lower <= x <= upper


# The same with z = e^(-1), where no value is rational: identities of polynomials in z must be found exactly.
polynomials = st.lists(st.integers(-3, 3), min_size=1, max_size=5)


def value_at_exp(coefficients: list[int], power: Fraction) -> Exact:
    return total(exact(c) * exp(-power * i) for i, c in enumerate(coefficients))


@given(polynomials, polynomials, st.fractions(min_value="1/4", max_value=3, max_denominator=4))
def test_products_of_polynomials_in_e_tie_exactly(p: list[int], q: list[int], power: Fraction) -> None:
    multiplied = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            multiplied[i + j] += a * b
    difference = value_at_exp(p, power) * value_at_exp(q, power) - value_at_exp(multiplied, power)
    assert difference == 0
    assert difference + Fraction(1, 10**60) > 0
    assert difference - Fraction(1, 10**60) < 0


@given(polynomials, polynomials)
def test_quotients_cancel(p: list[int], q: list[int]) -> None:
    above, below = value_at_exp(p, Fraction(1)), value_at_exp(q, Fraction(1))
    if any(q):
        assert above / below * below == above
        assert (above * below) / below == above


def test_balls_that_touch_tell_no_difference() -> None:
    for way in (1, -1):
        half, hidden = exact(Fraction(1, 2)), (1 + exp(1)) / (2 + 2 * exp(1))
        assert half is not hidden
        half.ball, hidden.ball = arb((2 + way, -2), (1, -2)), arb((2 - way, -2), (1, -2))
        assert ordering(half, hidden) == ordering(hidden, half) == 0
        half.ball = hidden.ball = None


@given(SMALL, SMALL)
def test_exp_is_a_homomorphism(a: Fraction, b: Fraction) -> None:
    assert exp(a) * exp(b) == exp(a + b)
    assert exp(a) * exp(b) is exp(a + b)
    assert log(exp(a)) == a


@given(st.fractions(min_value="1/40", max_value=50, max_denominator=40))
def test_log_and_sqrt_invert(x: Fraction) -> None:
    assert exp(log(x)) == x
    assert sqrt(x) ** 2 == x
    assert log(x) == -log(1 / x)


@pytest.mark.parametrize("digits", [521, 2203, 4423])  # 2^p − 1 is a prime
def test_log_of_a_large_prime_inverts_and_that_of_a_very_large_one_is_not_taken_apart(digits: int) -> None:
    prime = 2**digits - 1
    for number in (prime, 6 * prime):
        assert exp(log(number)) == number
        assert digits * log(2) - 1 < log(number) < (digits + 3) * log(2)
    if digits <= 2_000:
        assert log(6 * prime) == log(6) + log(prime)
    assert (primes(prime) is None) == (digits > 2_000)


@in_one(
    "left, right",
    [
        (lambda: sqrt(2) * sqrt(2), lambda: 2),
        (lambda: sqrt(2) * sqrt(3), lambda: sqrt(6)),
        (lambda: (sqrt(2) + sqrt(3)) ** 2, lambda: 5 + 2 * sqrt(6)),
        (lambda: 1 / (1 - sqrt(2)), lambda: -(1 + sqrt(2))),
        (lambda: log(8) / log(2), lambda: 3),
        (lambda: log(6), lambda: log(2) + log(3)),
        (lambda: exp(log(10) / 3) ** 3, lambda: 10),
        (lambda: exp(2 + log(3) / 2), lambda: exp(1) ** 2 * sqrt(3)),
        (lambda: exp(1) / (1 + exp(-1)), lambda: exp(2) / (exp(1) + 1)),
        (lambda: (1 - exp(-3)) / (1 - exp(-1)), lambda: 1 + exp(-1) + exp(-2)),
        (lambda: log(2) * log(3) - log(3) * log(2), lambda: 0),
        (lambda: exp(4 / (1 + log(2)) * log(10) * (1 + log(2)) / 4), lambda: 10),
        (lambda: exp(sqrt(2)) * exp(sqrt(2)) / exp(sqrt(2)), lambda: exp(sqrt(2))),
    ],
)
def test_equal_numbers_of_different_form_are_equal_and_hash_alike(
    left: Callable[[], object], right: Callable[[], object]
) -> None:
    a, b = left(), right()
    assert a == b
    assert hash(a) == hash(b)


def test_numbers_that_differ_far_below_double_precision_differ() -> None:
    near = exp(Fraction(-(10**12) + 1, 10**12))
    assert exp(-1) < near
    assert exp(1) * near > 1
    assert exp(1) - exact(bounds(exp(1), 400)[0]) > 0
    assert exp(1) ** 1000 < exp(1000) + Fraction(1, 10**500)


def test_a_huge_grain_costs_nothing() -> None:
    """ε − 10⁻¹² beside ε asks for polynomials of degree 10¹² that have a few terms."""
    claimed = exp(1 - Fraction(1, 10**12))
    geometric = (1 - exp(-1)) / (1 + exp(-1))
    assert geometric - claimed * geometric * exp(-1) > 0
    assert geometric - exp(1) * geometric * exp(-1) == 0


def test_closed_forms_are_recognised() -> None:
    assert str(simplified((1 - exp(-3)) / (1 - exp(-1)))) == "1 + e^(-1) + e^(-2)"
    assert as_parameter(log(8) / log(2)) == Fraction(3)
    assert isinstance(as_parameter(log(8) / log(2)), Fraction)
    assert str(sqrt(8)) == "2·2^(1/2)"
    assert str(exp(log(10) * Fraction(2, 3))) == "2^(2/3)·5^(2/3)"


def test_a_quotient_of_very_many_terms_is_left_as_it_is() -> None:
    """Whose division no limit of seconds would end."""
    assert str(simplified((1 + exp(2**40)) / (1 + exp(1)))) == f"(1 + e^{2**40})/(1 + e)"
    assert str(simplified((1 - exp(2**70)) / (1 - exp(2**69)))) == f"1 + e^{2**69}"


def test_the_simplified_form_of_a_product_does_not_depend_on_the_order_of_computation() -> None:
    """Whichever of two equal numbers a cache met first: what a report prints of a quotient is one text."""
    a, b = exp("-1/2"), log(3)
    expanded, nested = 2 + a * b + a * b * b, 2 + a * (b * (1 + b))
    below = 1 + exp("-1/3")
    forms = {str(simplified(above / below)) for above in (expanded, nested, nested * (1 + b) / (1 + b))}
    assert len({str(expanded), str(nested)}) == 2
    assert len(forms) == 1


@given(expressions())
def test_a_text_is_given_where_it_fits(pair: Pair) -> None:
    number, _ = pair
    text = str(number)
    assert readable_within(number, len(text)) == text
    assert readable_within(number, len(text) - 1) is None


@given(expressions())
def test_the_text_of_a_number_gives_it_again(pair: Pair) -> None:
    number, _ = pair
    assert eval(repr(number), {"Fraction": Fraction, "exp": exp, "log": log, "sqrt": sqrt}) == number


@pytest.mark.parametrize("number", [exp(-1) / (1 + exp(-2)), log(3) / (1 + log(2)), exp(sqrt(3)), log(1 + exp(1))])
def test_irrational_texts_give_the_number_again(number: Exact) -> None:
    assert eval(repr(number), {"Fraction": Fraction, "exp": exp, "log": log, "sqrt": sqrt}) == number


def test_structure_is_shared() -> None:
    assert 1 + exp(-1) is exp(-1) + 1
    assert exp(-1) / (1 + exp(-1)) is (1 / (1 + exp(-1))) * exp(-1)
    assert exact("0.5") is exact(Fraction(1, 2))


@in_one(
    "given_, value",
    [
        (3, 3),
        ("0.5", Fraction(1, 2)),
        ("1e-6", Fraction(1, 10**6)),
        ("1/3", Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.int64(7), 7),
    ],
)
def test_what_is_exact_is_taken(given_: object, value: object) -> None:
    assert exact(given_) == value  # type: ignore[arg-type]  # numpy registers its whole numbers at run time


@in_one(
    "bad",
    [0.1, float("nan"), float("inf"), np.float64(0.5), "nan", "inf", "one", "1/0", Decimal("NaN"), None, True, [1], 1j],
)
def test_what_is_not_exact_is_refused_by_name(bad: object) -> None:
    with pytest.raises(InputError, match=r"^epsilon=.*write"):
        exact(bad, "epsilon")  # type: ignore[arg-type]  # bad on purpose


def test_a_float_is_refused_in_arithmetic_too() -> None:
    with pytest.raises(InputError, match=r'write "0\.1"'):
        exp(1) + 0.1
    with pytest.raises(InputError, match="float"):
        _ = exp(1) < 0.1
    with pytest.raises(InputError, match=r"dpverify\.mechanisms"):
        math.exp(exp(1))


def test_other_types_are_left_to_themselves() -> None:
    with pytest.raises(TypeError):
        exp(1) + "1"
    assert exp(1) != "e"


def test_division_by_zero_in_disguise() -> None:
    with pytest.raises(ZeroDivisionError):
        1 / (exp(1) * exp(-1) - 1)
    with pytest.raises(ZeroDivisionError):
        1 / (sqrt(2) * sqrt(8) - 4)
    with pytest.raises(InputError, match="the argument 0 of log must be positive"):
        log(1 - exp(0))
    with pytest.raises(InputError, match="the argument 1 - e of sqrt must be at least 0"):
        sqrt(1 - exp(1))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (exact(Fraction(1, 3)), "0.333333333333"),
        (exp(-1), "0.367879441171"),
        (exp(-100), "3.72007597602e-44"),
        (exact(12), "12"),
        (-exp(1), "-2.71828182846"),
    ],
)
def test_decimals(number: Exact, text: str) -> None:
    assert decimal(number) == text


def test_bounds_are_outward_and_near() -> None:
    lower, upper = bounds(exp(-50))
    assert lower < upper
    assert exp(-50) > lower
    assert exp(-50) < upper
    assert (upper - lower) / lower < Fraction(1, 10**17)
    assert bounds(exact("0.1")) == (Fraction(1, 10), Fraction(1, 10))


def test_product_and_total_of_nothing() -> None:
    assert product(()) == 1
    assert total(()) == 0


@in_one(
    "value, message",
    [
        (0.1, r'^0\.1 is a float.*write "0\.1" or Fraction\(1, 10\)'),
        (2 / 2, r"^1\.0 is a float.*write 1 "),
        (1 / 3, r"^0\.333\d+ is a float.*write Fraction\(1, 3\)"),
        (math.log(10), r'^2\.302\d+ is a float.*write it as text, such as "0\.1", as a Fraction, or with exp, log'),
        (math.inf, r'^inf is a float.*write a number such as "0\.1"'),
        ("log(2)", r"^'log\(2\)' is not a finite number: write log\(2\) without quotes"),
        ("1e100001", "the exponent of 1e100001 is beyond 100,000"),
        (True, "^True is a truth value, where a number is needed: write 1 "),
    ],
)
def test_the_error_says_what_to_write_instead(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        exact(value)


def test_large_numbers_are_not_factored() -> None:
    """The logarithm of what cannot be factored quickly is a number of its own; small primes are taken out of it."""
    semiprime = (2**521 - 1) * (2**607 - 1)
    number = log(Fraction(semiprime, 3))
    lower, upper = bounds(number)
    assert lower < Fraction(str(semiprime.bit_length())) * Fraction(7, 10)
    assert upper > Fraction(str(semiprime.bit_length() - 3)) * Fraction(69, 100)
    assert log(10**400 * (2**127 - 1)) == 400 * log(10) + log(2**127 - 1)
    lower, upper = bounds(sqrt(semiprime))
    assert lower**2 < semiprime < upper**2


def test_large_and_tiny_numbers_can_be_hashed() -> None:
    assert hash(exp(10**6)) == hash(1 / exp(-(10**6)))
    assert log(1 / exp(-(10**6))) == 10**6
    assert len({exp(10**6), exp(-(10**6)), exp(10**6) + 1, -exp(10**6)}) == 4


def test_bounds_of_extreme_numbers_can_be_written() -> None:
    for number in (exp(-(10**6)), exact(Fraction(1, 10**5000)), -exp(-(10**6))):
        lower, upper = bounds(number)
        assert lower <= number <= upper
        assert len(str(lower)) + len(str(upper)) < 9000


def test_the_message_for_a_float_of_a_long_number_is_short() -> None:
    long = sum((exp(-k) for k in range(1, 80)), start=exact(0))
    with pytest.raises(InputError, match="… is exact and does not become a float") as refused:
        float(long)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("power", [-9_100, -9_190, -9_250, 9_100])
def test_bounds_of_very_small_and_very_large_numbers(power: int) -> None:
    """E^-9190 is about 10^-3991, and e^-9250 below 10^-4000, which is as far as bounds go."""
    for number in (exp(power), -exp(power)):
        lower, upper = bounds(number)
        assert lower <= number <= upper


@pytest.mark.parametrize("precision", [WORKING_PRECISION, 300])
def test_a_number_nested_deeper_than_calls_may_go_has_its_enclosure(precision: int) -> None:
    """Products of sums within sums, as the probabilities of many parts make them; against the same by balls."""
    nested: Exact = ONE
    for k in range(2, 700):
        nested = total((ONE, product((nested, exact(exp(Fraction(-1, k)))))))
    with ctx.workprec(2 * precision):
        expected = arb(1)
        for k in range(2, 700):
            expected = 1 + expected * (arb(-1) / k).exp()
    ball = enclosure(nested, precision)
    assert ball.overlaps(expected)
    assert ball.rel_accuracy_bits() > precision // 2


@pytest.mark.parametrize("k", [33_000, 10**12])  # up to some power written out, and never
def test_huge_powers_of_primes_are_not_written_out(k: int) -> None:
    two, three = exp(-k * log(2)), exp(-k * log(3) / 2)
    for one, other in (
        (2 * two, exp((1 - k) * log(2))),
        (two * three / two, three),
        (exact("1/2") ** k, two),
        (exp(k * log(Fraction(3, 4))), two * two / three**2),
        (exact("-2/3") ** (2 * k + 1), Fraction(-2, 3) * three**4 / two**2),
    ):
        assert one == other and hash(one) == hash(other) and one < other + abs(other) * exp(-50) and bool(one)
    assert exp(k * log(2)) * two == 1 and 0 < two < three < 1 and three**2 < two
    assert decimal(1 / two, 3) == decimal(exp(k * log(2)), 3)


def test_a_division_does_not_go_on_between_terms_far_apart() -> None:
    far = exp(-(10**12))
    assert 1 < simplified((1 - far) / (1 - exp(-1))) < 2
    assert simplified((1 - exp(-2)) * (1 + far) / (1 - exp(-1))) == (1 + exp(-1)) * (1 + far)

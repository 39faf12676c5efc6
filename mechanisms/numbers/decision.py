"""Deciding signs: an enclosure first, algebra where it contains 0, then precision doubled until it does not.

For numbers without atoms this is a complete procedure. A sum of terms c·e^a·∏p^r with distinct monomials is 0 only if
every coefficient is: powers e^a with distinct rational a are linearly independent over the algebraic numbers
(Lindemann-Weierstrass), and distinct products ∏p^r, 0 ≤ r < 1, over the rationals (Besicovitch 1940). So once the
algebra has not found 0, the number is not 0, and enough precision separates it from 0.

A symbolic ε is decided in `symbolic_epsilon.py`, unknown whole numbers in `affine_regions.py`;
both compute with numbers, and numbers are compared here. So that no module imports one above it, they register
themselves: this is the only such point among the numbers. They have done so before there is anything to decide, as one
makes the first symbol (`symbols.PUBLIC`), and the other hands out the whole ones.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, log10
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from flint import arb, fmpq

from dpverify.mechanisms.numbers import polynomial_form
from dpverify.mechanisms.numbers.cached_results import by_identity
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, not_known

if TYPE_CHECKING:
    from dpverify.mechanisms.numbers.atoms import NumberForm
    from dpverify.mechanisms.numbers.symbols import Symbol

SignOfFunction: TypeAlias = Callable[[Any, Any], int]
"""Of a number and the symbol that it is a function of: the classes of both are above this file."""

LARGEST_PRECISION: Final = 1 << 20
"""Bits after which a number known not to be 0 is given up as undecided: 315,000 decimal digits."""

LARGEST_PRECISION_WITHOUT_ZERO_TEST: Final = 1 << 12
"""Bits after which a number that may be 0, without a test that could tell, is given up as undecided."""

_BEFORE_ALGEBRA: Final = 8 * WORKING_PRECISION
"""Bits of the ball that is tried before the algebra, which takes the time of several: most numbers are not 0."""


LARGEST_UNDECIDED: Final = Fraction(1, 10**300)
"""Upper bound of a number of undecided sign, unless the error says that it is larger."""

LARGEST_UNDECIDED_CERTIFIED: Final = Fraction(1, 10**60)
"""The same of a number that holds some that are known by balls alone."""

_LARGEST_UNDECIDED: Final = arb(fmpq(1, 10**300))
_LARGEST_UNDECIDED_CERTIFIED: Final = arb(fmpq(1, 10**60))

_signs_of_functions: Final[dict[bool, SignOfFunction]] = {}


def decides_functions(*, whole: bool) -> Callable[[SignOfFunction], SignOfFunction]:
    """Lets a function decide numbers that hold a symbol, whole or not, from now on: see above. Only one may do so."""

    def register(function: SignOfFunction) -> SignOfFunction:
        assert whole not in _signs_of_functions, "the sign of a function is decided in one place"
        _signs_of_functions[whole] = function
        return function

    return register


_WholePart: TypeAlias = Callable[[Any, Any], Any]

_whole_parts: Final[list[_WholePart]] = []


def decides_whole_parts(function: _WholePart) -> _WholePart:
    """`function`, which from now on says what the whole part of a number is that holds whole symbols."""
    assert not _whole_parts, "it is decided in one place"
    _whole_parts.append(function)
    return function


def whole_part_of_function(number: NumberForm, symbol: Symbol) -> Any:
    """The whole part of a number that holds whole symbols. Raises as the sign of one does."""
    return _whole_parts[0](number, symbol)


def sign(number: NumberForm) -> int:
    """-1, 0 or 1. Raises `Undecided` where no complete test exists and 4096 bits do not separate the number from 0.

    Of a function of a symbolic ε, or of unknown whole numbers, the sign for all of them: see
    `dpverify.mechanisms.numbers.roots.symbolic_epsilon` and `dpverify.mechanisms.numbers.positivity.affine_regions`.
    """
    if number.symbol is not None:
        return _signs_of_functions[number.symbol.is_whole](number, number.symbol)
    ball = enclosure(number)
    if ball > 0:
        return 1
    if ball < 0:
        return -1
    return 0 if ball.is_zero() else _sign_near_zero(number)


@by_identity
def _sign_near_zero(number: NumberForm) -> int:
    """The sign of a number that the working precision does not tell from 0; of ties, the same are asked for often."""
    own_limit = polynomial_form.most_bits(number)
    if own_limit is None:
        ball = enclosure(number, _BEFORE_ALGEBRA)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
    if polynomial_form.is_formally_zero(number):
        return 0
    doubt = polynomial_form.why_formal_zero_is_incomplete(number)
    limit = own_limit or (LARGEST_PRECISION if doubt is None else LARGEST_PRECISION_WITHOUT_ZERO_TEST)
    precision = 2 * (_BEFORE_ALGEBRA if own_limit is None else WORKING_PRECISION)
    while precision <= limit:
        ball = enclosure(number, precision)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        precision *= 2
    raise Undecided(
        not_known.SIGN_UNKNOWN.text(
            f"the sign of a number within {_size(ball)} of 0 is not decided at {limit} bits"
            + ("" if doubt is None else f", as {doubt}")
        ),
        is_large=not ball.abs_upper() < (_LARGEST_UNDECIDED if own_limit is None else _LARGEST_UNDECIDED_CERTIFIED),
    )


def _size(ball: arb) -> str:
    """A power of ten above a ball: its digits would depend on the order of the terms, which nobody has chosen."""
    if not ball.is_finite():
        return "∞"
    mantissa, exponent = ball.abs_upper().man_exp()
    return f"10^{ceil((int(mantissa).bit_length() + int(exponent)) * log10(2))}"


def binary_size(number: NumberForm) -> int:
    """A k with |number| < 2^k, at most 2 too large where |number| ≥ 1."""
    mantissa, exponent = enclosure(number).abs_upper().man_exp()
    return int(mantissa).bit_length() + int(exponent)


def near_integer(number: NumberForm) -> int:
    """A whole number within 2 of `number`. Raises `InputError` for a function of a symbolic ε."""
    if number.symbol is not None:
        error = InputError(bad_input.SYMBOLIC, f"the integer part of {number} changes with ε, in infinitely many steps")
        number.symbol.take_note(error)
        raise error
    precision = WORKING_PRECISION
    ball = enclosure(number, precision)
    while not ball.rad() < 1:
        precision *= 2
        if precision > LARGEST_PRECISION:
            raise Undecided(
                not_known.SIGN_UNKNOWN, f"the integer part of a number is not known at {LARGEST_PRECISION} bits"
            )
        ball = enclosure(number, precision)
    return 0 if abs(ball.mid()) < 1 else int(ball.mid().fmpq().floor())

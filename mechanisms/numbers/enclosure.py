"""Enclosures of exact numbers by balls: a midpoint and a radius that provably contain the number.

python-flint's precision is a global of the process; it is set here, and only inside `with ctx.workprec(…)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from flint import arb, ctx, fmpq

from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, not_known
from dpverify.mechanisms.numbers.shown import decimal_of_fraction as decimal_of_fraction  # noqa: PLC0414  # a part of this
from dpverify.mechanisms.numbers.shown import decimal_text

if TYPE_CHECKING:
    from dpverify.mechanisms.numbers.atoms import Atom, FactorForm, NumberForm, TermForm
    from dpverify.mechanisms.numbers.monomials import Monomial

WORKING_PRECISION: Final = 128
"""Bits of the enclosure that every number keeps; ties and near ties ask for more."""

_Memo = dict[int, arb]


def enclosure(number: NumberForm, precision: int = WORKING_PRECISION) -> arb:
    """A ball that contains `number`, computed with `precision` bits; remembered at the working precision."""
    if precision == WORKING_PRECISION and number.ball is not None:
        return number.ball
    with ctx.workprec(precision):
        return _ball(number, None if precision == WORKING_PRECISION else {})


def enclosures(numbers: Iterable[NumberForm]) -> list[arb]:
    """The enclosures of many numbers at the working precision: one change of precision for all of them."""
    with ctx.workprec(WORKING_PRECISION):
        return [_ball(number, None) if number.ball is None else number.ball for number in numbers]


def scaled_cumulative_bounds(weights: Iterable[tuple[int, NumberForm]], bits: int) -> tuple[list[int], list[int]]:
    """Whole numbers low[i] ≤ 2^bits·(w[0]+…+w[i])/(w[0]+…) ≤ high[i] for positive weights; the last are 2^bits.

    A weight is given as a whole number and what it multiplies.
    """
    given, precision = tuple(weights), bits + 64
    while True:
        with ctx.workprec(precision):
            memo: _Memo | None = None if precision == WORKING_PRECISION else {}
            running = arb(0)
            sums = []
            for count, weight in given:
                running += _ball(weight, memo) * count
                sums.append(running)
        if running > 0:
            break
        precision *= 2  # differences of nearly equal numbers
    with ctx.workprec(precision):
        scale = arb(1 << bits) / running
        scaled = [partial * scale for partial in sums[:-1]]
        low = [int(ball.lower().fmpq().floor()) for ball in scaled]
        high = [int(ball.upper().fmpq().ceil()) for ball in scaled]
    return [*low, 1 << bits], [*high, 1 << bits]


def scaled_cumulative_bounds_of_exponentials(
    counts: Iterable[int], steps: Sequence[int], rate: fmpq, bits: int
) -> tuple[list[int], list[int]]:
    """As `scaled_cumulative_bounds`, of the weights counts[i]·e^(rate·steps[i]).

    All steps are whole and at most 0, and one is 0. Weights too small to tell at so many bits are not computed: that
    all of them together are at most 2^(−bits − 64) is in the bounds.
    """
    precision = bits + 64
    far = precision + len(steps).bit_length()
    # e^x ≤ 2^(1.4426·x) for x ≤ 0, and the sum of all weights is at least 1
    digits_of_a_step, unit = 14426 * int(rate.p), 10000 * int(rate.q)
    low, high = [], []
    with ctx.workprec(precision):
        running, sums = arb(0), []
        for count, step in zip(counts, steps, strict=True):
            if -step * digits_of_a_step < (far + count.bit_length()) * unit:
                running += arb(rate * step).exp() * count
            sums.append(running)
        left_out = arb((1, -precision - 1), (1, -precision - 1))
        scale = arb(1 << bits) / (running + left_out)
        before, bounds = None, (0, 0)
        for partial in sums[:-1]:
            if partial is not before:
                before, ball = partial, (partial + left_out) * scale
                bounds = int(ball.lower().fmpq().floor()), int(ball.upper().fmpq().ceil())
            low.append(bounds[0])
            high.append(bounds[1])
    return [*low, 1 << bits], [*high, 1 << bits]


# A memo of None means the working precision, at which each object remembers its own ball.


def _recall(owner: NumberForm | Monomial | Atom, memo: _Memo | None) -> arb | None:
    return owner.ball if memo is None else memo.get(id(owner))


def _remember(owner: NumberForm | Monomial | Atom, memo: _Memo | None, ball: arb) -> arb:
    if memo is None:
        owner.ball = ball
    else:
        memo[id(owner)] = ball
    return ball


def _ball(number: NumberForm, memo: _Memo | None) -> arb:
    try:
        return _number(number, memo)
    except RecursionError:
        return _from_within(number, memo)


def _from_within(number: NumberForm, memo: _Memo | None) -> arb:
    """The ball of a number that holds others in it, and so on, deeper than calls may go: the innermost ones first."""
    waiting = [number]
    while waiting:
        inner = waiting[-1]
        if _recall(inner, memo) is None:
            unknown = [part for part in _numbers_in(inner) if _recall(part, memo) is None]
            if unknown:
                waiting += unknown
                continue
            _number(inner, memo)
        waiting.pop()
    return _number(number, memo)


def _numbers_in(number: NumberForm) -> Iterator[NumberForm]:
    """The numbers that a number is made of, at one step."""
    for term in number.terms:
        if term is not number:
            yield term
            continue
        for factor, _ in term.factors:
            inner = factor.argument if factor.is_atom else factor
            if not isinstance(inner, int | Certified):
                yield inner


def _number(number: NumberForm, memo: _Memo | None) -> arb:
    known = _recall(number, memo)
    if known is not None:
        return known
    terms = number.terms
    if len(terms) == 1 and terms[0] is number:
        return _remember(number, memo, _term(terms[0], memo))
    ball = arb(0)
    for term in terms:
        ball += _number(term, memo)
    return _remember(number, memo, ball)


def _term(term: TermForm, memo: _Memo | None) -> arb:
    ball = _monomial(term.monomial, memo) * term.coefficient
    for factor, k in term.factors:
        base = _factor(factor, memo)
        if k > 0:
            ball *= base if k == 1 else base**k
        else:
            ball /= base if k == -1 else base**-k
    return ball


def _factor(factor: FactorForm, memo: _Memo | None) -> arb:
    if not factor.is_atom:
        return _number(factor, memo)
    known = _recall(factor, memo)
    if known is not None:
        return known
    argument = factor.argument
    if factor.symbol is not None:
        raise has_no_value()
    if isinstance(argument, Certified):
        return _remember(factor, memo, argument.ball())
    ball = arb(argument) if isinstance(argument, int) else _number(argument, memo)
    return _remember(factor, memo, _FUNCTIONS[factor.function](ball))


def _monomial(monomial: Monomial, memo: _Memo | None) -> arb:
    known = _recall(monomial, memo)
    if known is not None:
        return known
    if monomial.symbol is not None:
        raise has_no_value()
    ball = arb(monomial.power).exp()
    for prime, exponent in monomial.radicals:
        with ctx.extraprec(int(exponent.floor()).bit_length()):
            radical = (arb(prime).log() * exponent).exp()
        ball *= radical
    return _remember(monomial, memo, ball)


def has_no_value() -> InputError:
    """The error for asking a function of a symbolic ε for its value."""
    return InputError(bad_input.SYMBOLIC, "a number that depends on a symbolic ε has no value")


def _normal_tail(x: arb) -> arb:
    return (x / arb(2).sqrt()).erfc() / 2


_FUNCTIONS: Final = {"exp": arb.exp, "log": arb.log, "sqrt": arb.sqrt, "normal_tail": _normal_tail}


_LARGEST_EXPONENT: Final = 10**6
_SMALLEST_EXPONENT: Final = 4000
_LONGEST: Final = 10**_SMALLEST_EXPONENT
"""Python writes and reads whole numbers of up to 4300 digits."""


def bounds(number: NumberForm, digits: int = 20) -> tuple[Fraction, Fraction]:
    """Rationals lower ≤ number ≤ upper that agree to about `digits` significant digits; equal if it is rational.

    Both are decimal fractions, rounded outwards; a number within 10^-4000 of 0 is told from 0 by its sign alone.
    Raises `Undecided` beyond 10^1000000, where they are too long to be written out.

    >>> low, high = bounds(exp(1))
    >>> low < exp(1) < high, float(high - low) < 1e-15
    (True, True)
    """
    if len(number.terms) == 1 and number.terms[0].is_rational:
        value = number.terms[0].coefficient
        exactly = Fraction(int(value.p), int(value.q))
        if max(abs(exactly.numerator), exactly.denominator) < _LONGEST:
            return exactly, exactly
    return _decimal_bounds(_accurate(number, digits), digits)


def _accurate(number: NumberForm, digits: int) -> arb:
    precision = WORKING_PRECISION
    ball = enclosure(number, precision)
    while ball.rel_accuracy_bits() < 4 * digits and precision < 64 * WORKING_PRECISION:
        precision *= 2
        ball = enclosure(number, precision)
    return ball


def outward(low: Fraction, high: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Decimal fractions of about so many digits around an interval."""
    with ctx.workprec(64 + 4 * digits):
        ends = (arb(fmpq(end.numerator, end.denominator)) for end in (low, high))
        return _decimal_bounds(next(ends).union(next(ends)), digits)


def _decimal_bounds(ball: arb, digits: int) -> tuple[Fraction, Fraction]:
    mid, radius, exponent = (int(part) for part in ball.mid_rad_10exp(digits))
    if mid and exponent + len(str(mid)) < -_SMALLEST_EXPONENT:
        least = Fraction(1, 10**_SMALLEST_EXPONENT)
        return (Fraction(0), least) if mid > 0 else (-least, Fraction(0))
    if exponent > _LARGEST_EXPONENT:
        raise Undecided(not_known.NOT_MULTIPLIED_OUT, f"it is beyond 10^{_LARGEST_EXPONENT}")
    scale = Fraction(10) ** exponent
    return (mid - radius) * scale, (mid + radius) * scale


def decimal(number: NumberForm, digits: int = 12) -> str:
    """`number` to about `digits` significant decimal digits, for people to read.

    >>> decimal(exp(1))
    '2.71828182846'
    >>> decimal(exp(1), 3)
    '2.72'
    """
    if number.symbol is None and abs(enclosure(number)) > _LONGEST:
        return decimal_text(_accurate(number, digits + 3), digits)
    lower, upper = bounds(number, digits + 3)
    return decimal_of_fraction((lower + upper) / 2, digits)

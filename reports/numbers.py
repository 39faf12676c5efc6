"""Numbers of a record, and sets of ε, as they read: in short, and in full."""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.numbers.shown import decimal_of_fraction
from dpverify.reports.privacy_record import EpsilonRange
from dpverify.reports.record import Quantity

SHORT: Final = 20
"""Characters of an exact form that still reads at a glance."""

LONG: Final = 400
"""Characters of an exact form that nobody reads; the JSON form has it."""


def is_a_bound(number: Quantity) -> bool:
    """True where no more is known of a number than what it is at most."""
    return number.exact is None and number.lower == "0" != number.upper


def equal_to(number: Quantity) -> str:
    """`= ` and a number in short: its exact form, or `≈ ` and six digits where that is long; `≤ ` and a bound."""
    if is_a_bound(number):
        return f"≤ {number.decimal}"
    if number.exact is not None and len(number.exact) <= SHORT:
        return f"= {number.exact}"
    if number.lower == number.upper and Fraction(number.decimal) == Fraction(number.lower):
        return f"= {number.decimal}"
    return f"≈ {decimal_of_fraction(Fraction(number.decimal), 6)}"


def no_less_than(number: Quantity) -> str:
    """`≥ ` and a number in short, which another one is not below: its exact form, or six digits, rounded down."""
    if number.exact is not None and len(number.exact) <= SHORT:
        return f"≥ {number.exact}"
    lower = Fraction(number.lower)
    return f"≥ {_DOWN.divide(Decimal(lower.numerator), Decimal(lower.denominator)).normalize(_DOWN):f}"


_DOWN: Final = Context(prec=6, rounding=ROUND_FLOOR)


def in_full(number: Quantity) -> str:
    """A number's exact form, where it has one that can be read, and its decimals, where they say more."""
    if is_a_bound(number):
        return f"at most {number.decimal}"
    if number.exact is None or number.exact == number.decimal or len(number.exact) > LONG:
        return number.decimal
    return f"{number.exact} = {number.decimal}"


def ranges_in_short(ranges: Sequence[EpsilonRange]) -> str:
    """A set of ε to read at a glance: `ε < 0.905171`, say."""
    return " and ".join(map(_range_in_short, ranges))


def _range_in_short(values: EpsilonRange) -> str:
    low = _short_decimal(values.low)
    if values.high is None:
        return "all ε" if low == "0" else f"ε {'≥' if values.includes_low else '>'} {low}"
    high = _short_decimal(values.high)
    if values.includes_low and values.includes_high and values.low == values.high:
        return f"ε = {low}"
    above = "" if low == "0" else f"{low} {'≤' if values.includes_low else '<'} "
    return f"{above}ε {'≤' if values.includes_high else '<'} {high}"


def _short_decimal(number: Quantity) -> str:
    return decimal_of_fraction(Fraction(number.decimal), 6)


def counted(number: int, what: str) -> str:
    """So many of something, such as "1 pair" and "1,440 pairs"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"

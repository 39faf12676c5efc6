"""Numbers as a verdict gives them: an exact form where there is one, between two rationals."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.numbers import polynomial_form
from dpverify.mechanisms.numbers.decision import LARGEST_UNDECIDED, LARGEST_UNDECIDED_CERTIFIED
from dpverify.mechanisms.numbers.enclosure import bounds, decimal_of_fraction
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.exact_text import readable_within
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.reports.record import Quantity

LONGEST_FORM: Final = 2_000
"""Characters of an exact form in a record; of a longer one it keeps the enclosure alone."""

_SHORT_FORM: Final = 60
"""Characters of an exact form that is shown behind its decimal."""


def undecided_at_most(numbers: Iterable[Exact]) -> Fraction:
    """Upper bound of a sum of multiples of these numbers whose sign is undecided, unless `Undecided` says more.

    10^-300, and 10^-60 where probabilities of Gaussian noise are among them.
    """
    certified = any(polynomial_form.most_bits(number) is not None for number in numbers)
    return LARGEST_UNDECIDED_CERTIFIED if certified else LARGEST_UNDECIDED


@dataclass(frozen=True)
class Enclosed:
    """lower ≤ number ≤ upper; `exact` is its exact form where there is one."""

    lower: Fraction
    upper: Fraction
    exact: Exact | None

    def __repr__(self) -> str:
        """The decimal, and after it the exact form if that is short; `exact`, `lower` and `upper` have all of it."""
        decimal = decimal_of_fraction((self.lower + self.upper) / 2)
        if self.exact is None:
            return f"<{decimal}, between .lower and .upper>"
        form = readable_within(self.exact, _SHORT_FORM)
        if form is None:
            return f"<{decimal}; its form is .exact>"
        return f"<{decimal}>" if form == decimal else f"<{decimal} = {form}>"

    def __str__(self) -> str:
        """The same for a sentence: without brackets."""
        return repr(self)[1:-1]

    @property
    def quantity(self) -> Quantity:
        """The same, for a record."""
        return Quantity(
            exact=None if self.exact is None else readable_within(self.exact, LONGEST_FORM),
            decimal=decimal_of_fraction((self.lower + self.upper) / 2),
            lower=str(self.lower),
            upper=str(self.upper),
        )

    @property
    def bound(self) -> Quantity:
        """As an upper bound of a number ≥ 0, for a record: it lies between 0 and this."""
        if self.upper == 0:
            return self.quantity
        return Quantity(exact=None, decimal=decimal_of_fraction(self.upper), lower="0", upper=str(self.upper))


def enclosed(number: Exact, *, summands_undecided: int = 0, at_most: Fraction = LARGEST_UNDECIDED) -> Enclosed:
    """`number`, to which so many summands may have to be added whose sign is undecided, each `at_most` so large."""
    form = simplified(number)  # its balls do not depend on how the number came about
    lower, upper = bounds(form)
    if summands_undecided:
        return Enclosed(lower, upper + summands_undecided * at_most, None)
    return Enclosed(lower, upper, None if polynomial_form.is_wide(form) else form)

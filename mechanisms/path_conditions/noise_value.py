"""Noise as a mechanism sees it: a value that is added, subtracted, compared, clamped and released.

A `NoiseValue` is shift + Σ coefficient·noise. What a comparison answers is up to its *observer*: the enumerator
explores both answers, the sampler looks at the noise as closely as the answer needs. Under either the same uses are
refused, so that a mechanism cannot tell them apart: the observer takes note of what it refuses, and does not accept the
run even if the mechanism catches the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor, isinf
from typing import Any, Final, Protocol

from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.post_processing import MUST_NOT_RUN_ON_IT, PostProcessed
from dpverify.mechanisms.numbers import decision, reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import (
    Exact,
    as_number,
    as_parameter,
    exact,
    inverse,
    is_unknown,
    negative,
)
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber, without_noise_left
from dpverify.mechanisms.numbers.integers.whole_numbers import plain
from dpverify.mechanisms.numbers.plain_numbers import number_in_text
from dpverify.mechanisms.numbers.positivity.affine_regions import answered
from dpverify.mechanisms.numbers.shown import is_showing, shown
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.path_conditions.expressions import (
    ArrayMet,
    Better,
    Comparator,
    DerivedNumber,
    ExpressionObserver,
    Linear,
    Noisy,
    PlainNumber,
    as_one_number,
    computed,
    noisy_quotient,
    note_refusal,
    refused,
)
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

_POWERS_OF_TEN: Final = (10.0, 100.0, 1e3, 1e4, 1e5, 1e6)
"""Factors by which numpy multiplies, and divides, where it rounds to so many digits."""

HOLDS: Final[Mapping[Comparator, Callable[[int], bool]]] = {
    ">=": lambda sign: sign >= 0,
    ">": lambda sign: sign > 0,
    "<=": lambda sign: sign <= 0,
    "<": lambda sign: sign < 0,
    "==": lambda sign: sign == 0,
    "!=": lambda sign: sign != 0,
}
"""True where x `relation` 0, from the sign of x."""


class Observer(ExpressionObserver, Protocol):
    """The one who answers for the noise."""

    def holds(self, value: NoiseValue, relation: Comparator) -> bool:
        """True where value `relation` 0."""

    def best_of(self, numbers: Sequence[NoiseValue], better: Better, count: int) -> Sequence[int]:
        """The places of so many numbers that are better than all others, the best first; () where it does not say.

        A later number is better than one before it where it stands to it in the relation `better(later, earlier)`, and
        else the one before is; that is an order.
        """

    def clamped(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """value, moved to the nearer end where it is outside [low, high]."""

    def rounded_down(self, value: NoiseValue) -> NoiseValue:
        """⌊value⌋, in place of the noise in it."""

    def folded(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """value, reflected at the ends until it lies in [low, high], in place of the noise in it."""


@as_one_number
@dataclass(frozen=True, eq=False, repr=False)
class NoiseValue(Noisy):
    """shift + Σ coefficient·noise, with coefficients that are not 0.

    A text such as "0.5" is a number where it meets noise, and a text anywhere else. Without noises it is what is left
    of noise of which there is no share: the number that is its shift, of which the same is refused.
    """

    observer: Observer
    parts: tuple[tuple[NoiseVariable, Exact], ...]
    shift: Exact

    @property
    def node(self) -> Linear:  # type: ignore[override]  # which nobody sets
        """See `Noisy`."""
        return Linear(self.parts, self.known.shift)

    def __add__(self, other: object) -> Any:
        return self._plus(other, negated=False)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._plus(other, negated=True)

    def __rsub__(self, other: object) -> Any:
        return (-self)._plus(other, negated=False)

    def __neg__(self) -> NoiseValue:
        return self._scaled(exact(-1))

    def __abs__(self) -> NoiseValue:
        return self if self >= 0 else -self

    @note_refusal
    def __mul__(self, other: object) -> NoiseValue | Fraction | DerivedNumber:
        other = _number_left(other)
        if not self.parts and isinstance(other, NoiseValue):
            return other * self.shift
        if isinstance(other, Noisy):
            return computed("*", self, other)
        factor = self._number(other, "multiplied by")
        return self._scaled(factor) if factor != 0 else Fraction(0)

    __rmul__ = __mul__

    @note_refusal
    def __truediv__(self, other: object) -> NoiseValue | DerivedNumber:
        other = _number_left(other)
        if isinstance(other, Noisy):
            return noisy_quotient(self, other)
        divisor = self._number(other, "divided by")
        if divisor == 0:
            raise InputError(bad_mechanism.NOISE_DIVIDED, self.described())
        return self._scaled(inverse(divisor))

    @note_refusal
    def __floor__(self) -> NoiseValue:
        return self._rounded_down()

    @note_refusal
    def __round__(self, digits: int | None = None) -> NoiseValue:
        if digits is not None and (isinstance(digits, bool) or not isinstance(digits, int)):
            raise InputError(bad_mechanism.ROUNDED_DIGITS, shown(digits))
        grid = Fraction(10) ** (digits or 0)
        moved = self._scaled(exact(grid))._plus(Fraction(1, 2), negated=False)
        assert isinstance(moved, NoiseValue)
        if moved._may_be_whole():
            raise InputError(bad_mechanism.ROUNDED_HALFWAY)
        return moved._rounded_down()._scaled(exact(1 / grid))

    def round(self, decimals: int = 0, out: None = None) -> NoiseValue:
        """As `round` gives it: what numpy's `round` asks for."""
        return round(self, decimals) if decimals else round(self)

    def _rounded_down(self) -> NoiseValue:
        if not self.parts:
            return NoiseValue(self.observer, (), exact(floor(self.shift)))
        return self.observer.rounded_down(self.known)

    def _may_be_whole(self) -> bool:
        """True where one discrete noise, times a rational number, may add up to a whole number."""
        if len(self.parts) != 1 or not self.parts[0][0].law.discrete:
            return False
        ((_, coefficient),) = self.parts
        ratio, shift = as_parameter(coefficient), as_parameter(self.known.shift)
        if not isinstance(ratio, Fraction) or not isinstance(shift, Fraction):
            return False
        return (shift * ratio.denominator).denominator == 1

    @note_refusal
    def __bool__(self) -> bool:
        raise InputError(bad_mechanism.NO_TRUTH_VALUE)

    @note_refusal
    def __hash__(self) -> int:
        raise InputError(bad_mechanism.NOISE_HASHED)

    __float__ = __complex__ = refused(
        "turned into a float, as by float(), math.sqrt, math.exp or math.log (dpverify.mechanisms has others)"
    )

    def __repr__(self) -> str:
        # Never raises, so that a debugger can show it; but a run that made a text of noise is not accepted, unless it
        # is a message that shows it, of which the error is noted.
        if not is_showing():
            self.observer.take_note(InputError(reasons.NOISE_IN_TEXT.text()))
        return self.described()

    def described(self) -> str:
        """The value in words, for messages."""
        return " + ".join([str(self.shift), *(f"{coefficient}·({variable})" for variable, coefficient in self.parts)])

    @note_refusal
    def _plus(self, other: object, *, negated: bool) -> Any:
        return self._added(other, negated=negated)

    def _added(self, other: object, *, negated: bool) -> NoiseValue | DerivedNumber | Fraction | Exact:
        if not isinstance(other, NoiseValue):
            if isinstance(other, DerivedNumber):
                return computed("-" if negated else "+", self, other)
            is_open = type(other) is UnknownNumber and notes.answers is not None and bool(self.parts)
            number: Exact = other.number if is_open else self._number(other, "added to")  # type: ignore[attr-defined]  # an UnknownNumber where is_open
            return NoiseValue(self.observer, self.parts, self.shift - number if negated else self.shift + number)
        if other.observer is not self.observer:
            raise InputError(bad_mechanism.OF_ANOTHER_CALL)
        for value in (self, other):
            if len(value.parts) == 1 and value.parts[0][0].formed is None:
                value.parts[0][0].formed = (value.parts[0][1], value.shift)
        coefficients = dict(self.parts)
        for variable, coefficient in other.parts:
            before, change = coefficients.get(variable), negative(coefficient) if negated else coefficient
            if before is not None and before + change == 0:
                del coefficients[variable]
            else:
                coefficients[variable] = change if before is None else before + change
        parts = tuple(coefficients.items())
        shift = self.shift - other.shift if negated else self.shift + other.shift
        if parts or not self.parts:
            return NoiseValue(self.observer, parts, shift)
        left: Fraction | Exact = without_noise_left(NoiseValue(self.observer, (), shift).known.shift)
        return left

    @property
    def known(self) -> NoiseValue:
        """The same with the number that is answered in the place of one that is unknown: see `notes`."""
        if self.shift.symbol is None or notes.answers is None or not is_unknown(self.shift):
            return self
        return NoiseValue(self.observer, self.parts, answered(self.shift, notes.answers))

    def _scaled(self, factor: Exact) -> NoiseValue:
        parts = tuple((variable, factor * coefficient) for variable, coefficient in self.parts)
        return NoiseValue(self.observer, parts, factor * self.shift)

    @note_refusal
    def _compared(self, other: object, relation: Comparator) -> bool:
        if isinstance(other, float) and isinf(other):
            return HOLDS[relation](-1 if other > 0 else 1)
        if isinstance(other, bool) and relation in ("==", "!="):
            other = int(other)  # as `in` and `count` of a list of numbers and truth values compare them
        difference = self._added(other, negated=True)  # whose errors are noted here
        if isinstance(difference, NoiseValue):
            if len(self.parts) == 1 and self.parts[0][0].compared is None:
                self.parts[0][0].compared = (self.parts[0][1], self.shift)
            if difference.parts:
                return self.observer.holds(difference, relation)
            difference = difference.shift
        elif isinstance(difference, DerivedNumber):
            return bool(difference.observer.holds_of(difference.of, relation))
        return HOLDS[relation](decision.sign(exact(difference)))

    @note_refusal
    def clamped(self, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue | DerivedNumber:
        """See `clamp`."""
        if not self.parts:
            left = without_noise_left(self.shift)
            return clamp(_rational(self.shift) if isinstance(left, Exact) else left, low, high)
        if all(variable.law.discrete for variable, _ in self.parts):
            return self.observer.clamped(self.known, low, high)
        if self <= low:
            return low
        return high if self >= high else self

    @note_refusal
    def folded(self, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """See `dpverify.mechanisms.outputs.folded`."""
        return self.observer.folded(self.known, low, high)

    @staticmethod
    def _number(other: object, how: str) -> Exact:
        if type(other) is float and other in _POWERS_OF_TEN:
            raise InputError(bad_mechanism.ROUNDED_BY_NUMPY, how, other, _POWERS_OF_TEN.index(other) + 1, int(other))
        number = as_number(_number_in(other) if isinstance(other, str | Decimal) else other)
        if number is None and hasattr(type(other), "__array_ufunc__") and getattr(other, "ndim", 0) > 0:
            raise ArrayMet
        if number is None:
            after = f"; {MUST_NOT_RUN_ON_IT}" if isinstance(other, list | tuple | str | bytes) else ""
            raise InputError(bad_mechanism.COMPUTED_WITH, shown(other), after, how)
        return number


def clamp(
    value: NoiseValue | DerivedNumber | PlainNumber, low: PlainNumber | str, high: PlainNumber | str
) -> PlainNumber | NoiseValue | DerivedNumber:
    """value, moved to the nearer end where it is outside [low, high].

    Of discrete noise that is a plain number; of continuous noise an end, or the noise itself. Ends may be texts such as
    "0.5". Raises `InputError` for ends that are not rational numbers, or low > high.

    >>> clamp(7, 0, 5)
    5
    >>> def clamped(draw, rows):
    ...     return clamp(sum(rows) + draw(discrete_laplace(1)), 0, 1)
    >>> distribution(clamped, (1,)).probability(0)
    exp(-1)*(1 + exp(-1))**(-1)
    """
    low, high = _ends(low, high)
    return value.clamped(low, high) if isinstance(value, NoiseValue | DerivedNumber) else min(max(value, low), high)


def _ends(low: object, high: object) -> tuple[PlainNumber, PlainNumber]:
    first, last = _end(low), _end(high)
    if first > last:
        raise InputError(bad_input.LOW_HIGH, "clamp", f"[{shown(first)}, {shown(last)}]")
    return first, last


def _end(end: object) -> PlainNumber:
    number = _number_in(end) if isinstance(end, str | Decimal) else end
    if isinstance(number, bool) or not isinstance(number, int | Fraction):
        after = f"; {MUST_NOT_RUN_ON_IT}" if isinstance(end, Noisy) else ""
        raise InputError(bad_input.END_OF_RANGE, "clamp to", shown(end), after)
    return number


def _number_in(text: str | Decimal) -> Fraction | None:
    """The number that a text denotes, as where it meets noise; None where it is none, but a label."""
    try:
        return number_in_text(text)
    except InputError:
        return None


def _rational(number: Exact) -> Fraction:
    result = as_parameter(number)
    if not isinstance(result, Fraction):
        raise InputError(bad_input.RATIONAL, f"what is clamped, {number},")
    return result


def refuse_noise(values: Iterable[object]) -> None:
    """Raises `InputError` where noise is handed to a sub-mechanism, whose law must not depend on the run around it."""
    if not NOT_KNOWN_YET.isdisjoint(map(type, values)):
        raise InputError(
            bad_mechanism.RELEASED_ALREADY,
            "noise was handed to a sub-mechanism",
            "compare or clamp it, or draw it there",
        )


NOT_KNOWN_YET: Final = frozenset({NoiseValue, DerivedNumber, PostProcessed})
"""Types of what stands for a number that is not known while a mechanism runs."""


def without_noise(outcome: Any, replaced: Callable[[Any], Any]) -> Any:
    """An outcome with each noise value in it, on its own or in nested tuples, replaced by what `replaced` gives.

    So are values that were computed from noise, and those in what is post-processed. Each `WholeNumber` there is the
    plain int again.
    """
    if is_plain(outcome):
        return outcome
    if isinstance(outcome, Noisy):
        return replaced(outcome) if outcome.parts else _without_parts(outcome)
    if isinstance(outcome, tuple):
        parts = [without_noise(part, replaced) for part in outcome]
        return outcome if all(map(_same, parts, outcome)) else tuple(parts)
    if isinstance(outcome, PostProcessed):
        return outcome.mapped(without_noise(outcome.value, replaced))
    return plain(outcome)


def _without_parts(value: Noisy) -> Any:
    """The number that is left of noise of which there is no share: an int where it is whole, as a rounded one is."""
    if isinstance(value, NoiseValue):
        number = without_noise_left(value.shift)
        return number.numerator if isinstance(number, Fraction) and number.denominator == 1 else number
    raise InputError(bad_mechanism.NO_SHARE, value.described())


def _number_left(value: object) -> object:
    """A value, or the number that is left of noise of which there is no share."""
    return value.shift if isinstance(value, NoiseValue) and not value.parts else value


def _same(left: object, right: object) -> bool:
    return left is right

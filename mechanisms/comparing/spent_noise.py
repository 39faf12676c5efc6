"""Noise that is spent: what is rounded or folded takes its place.

⌊c·N + s⌋ is noise with a law of its own, which is released, clamped and compared as other whole noise. No law in closed
form is known where N itself is used besides, since it is tied to its rounded number otherwise than by sums and
differences. Where all noise that is drawn is a leaf, and by the sampler, it may be; but not noise that was folded into
a range, of which nothing is left.
"""

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import NamedTuple

from dpverify.mechanisms.comparing.comparisons import Knowledge, alone, single_noise
from dpverify.mechanisms.functions.post_processing import OR_RELEASE
from dpverify.mechanisms.noise.derived import floored
from dpverify.mechanisms.noise.folded import Folded
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.errors import InputError, NoClosedForm, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact, inverse
from dpverify.mechanisms.numbers.roots.intervals import Intervals
from dpverify.mechanisms.path_conditions.expressions import PlainNumber
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue, Observer
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable


class _Rounding(NamedTuple):
    """⌊coefficient·N + shift⌋, as the noise that it is."""

    coefficient: Exact
    shift: Exact
    result: NoiseValue


class SpentNoises:
    """The noises of a call that were rounded, and to what, or folded; with `rounded_stay` the rounded are not spent."""

    __slots__ = ("_rounded_stay", "_spent")

    def __init__(self, *, rounded_stay: bool = False) -> None:
        self._rounded_stay = rounded_stay
        self._spent: dict[NoiseVariable, list[_Rounding] | None] = {}

    def refuse(self, value: NoiseValue) -> None:
        """Raises `InputError` where a noise in a value is spent: `NoClosedForm` where its rounding is left."""
        for variable, _ in value.parts if self._spent else ():
            if variable in self._spent and not (self._rounded_stay and self._spent[variable]):
                raise _spent_already(variable, is_folded=self._spent[variable] is None)

    def refuse_to_fold(self, value: NoiseValue) -> None:
        """Raises `InputError` where a noise in a value was rounded or folded."""
        for variable, _ in value.parts:
            if variable in self._spent:
                raise _spent_already(variable, is_folded=True)

    def __contains__(self, variable: NoiseVariable) -> bool:
        return variable in self._spent

    def is_folded(self, variable: NoiseVariable) -> bool:
        """True where a noise was folded, so that nothing of it is left."""
        return variable in self._spent and self._spent[variable] is None

    def spend(self, variable: NoiseVariable) -> None:
        """Remember that a noise was folded."""
        self._spent[variable] = None

    def checked(self, value: NoiseValue) -> NoiseValue:
        """The value itself. Raises as `refuse` does."""
        self.refuse(value)
        return value

    def rounded_down(
        self, value: NoiseValue, new_noise: Callable[[NoiseVariable, Exact, Exact], NoiseValue]
    ) -> NoiseValue:
        """⌊value⌋, where new_noise(N, c, s) makes ⌊c·N + s⌋ for 0 ≤ s < 1; the same noise value for the same rounding.

        Raises `InputError` where that is no noise of which the law has a closed form.
        """
        variable, coefficient, shift = single_noise(value, "what is rounded")
        whole = floor(shift)
        if variable in self._spent:
            before = self._spent[variable]
            for rounding in before or ():
                if (rounding.coefficient, rounding.shift) == (coefficient, shift - whole):
                    return _plus(rounding.result, whole, value.observer)
            if before is None or not self._rounded_stay:
                raise _spent_already(variable, is_folded=before is None)
        if variable.law.discrete:
            ratio = as_parameter(coefficient)
            if isinstance(ratio, Fraction) and ratio.denominator == 1:
                return NoiseValue(value.observer, value.parts, exact(whole))
            steps = as_parameter(inverse(coefficient))
            if not isinstance(steps, Fraction) or steps.denominator > 1:
                raise InputError(bad_mechanism.ROUNDED_STEPS, coefficient)
        result = new_noise(variable, coefficient, shift - whole)
        self._spent[variable] = [*(self._spent.get(variable) or ()), _Rounding(coefficient, shift - whole, result)]
        return _plus(result, whole, value.observer)


def rounded_law(law: NoiseLaw, coefficient: Exact, shift: Exact, known: Intervals) -> NoiseLaw:
    """The law of ⌊coefficient·N + shift⌋ for N ~ law, of which it is known that N ∈ known."""
    law.refuse_use("rounded")
    if len(known) != 1:
        raise NoClosedForm(bad_mechanism.ROUND_FIRST, law, "rounded", "comparisons which leave it several intervals")
    return floored(law, coefficient, shift, known)


def rounded_given(
    knowledge: Knowledge, variable: NoiseVariable, coefficient: Exact, shift: Exact
) -> tuple[NoiseLaw, Exact]:
    """The law of ⌊coefficient·N + shift⌋ given what is known of N, which is then forgotten, and its probability."""
    if knowledge.is_shared(alone(variable)):
        raise NoClosedForm(bad_mechanism.ROUND_FIRST, variable, "rounded", "it was compared with other noise")
    law = rounded_law(variable.law, coefficient, shift, knowledge.values(alone(variable)))
    return law, probability(variable.law, knowledge.forget(variable))


def refuse_tied(variable: NoiseVariable, is_tied: bool) -> None:
    """Raises `InputError` where a noise that was compared with other noise is folded."""
    if is_tied:
        raise InputError(bad_mechanism.ROUND_FIRST, variable, "reflected", "it was compared with other noise")


def folded_law(value: NoiseValue, known: Intervals, low: PlainNumber, high: PlainNumber) -> Folded:
    """The law of a value with one continuous noise N, of which it is known that N ∈ known, folded into [low, high].

    Raises `InputError` for noise without a density, and for a shift that is not known.
    """
    variable, coefficient, shift = single_noise(value, "what is folded")
    variable.law.refuse_use("folded")
    if variable.law.is_certified:
        raise InputError(bad_mechanism.NOT_REFLECTED, variable.law, "its density is not exact")
    if shift.symbol is not None or coefficient.symbol is not None:
        raise InputError(bad_mechanism.NOT_REFLECTED, value.described(), "it has numbers in it that are not known")
    return Folded(variable.law, coefficient, shift, known, exact(low), exact(high))


def is_all_continuous(value: NoiseValue) -> bool:
    """True where no noise in a value is discrete."""
    return not any(variable.law.discrete for variable, _ in value.parts)


def _spent_already(variable: NoiseVariable, *, is_folded: bool) -> InputError:
    return (InputError if is_folded else NoClosedForm)(
        f"{variable} was used after it was rounded or folded: do so once, and use what comes of it in its place, "
        f"{OR_RELEASE}"
    )


def _plus(value: NoiseValue, whole: int, observer: Observer) -> NoiseValue:
    return NoiseValue(observer, value.parts, value.shift + whole)

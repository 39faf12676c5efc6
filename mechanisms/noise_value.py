"""Noise as a mechanism sees it: a value that is added, subtracted, compared, clamped and released.

A `NoiseValue` is shift + Σ coefficient·noise. What a comparison answers is up to its *observer*: the enumerator
explores both answers, the sampler looks at the noise as closely as the answer needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, NoReturn, Protocol, TypeAlias

from dpverify.mechanisms import decision
from dpverify.mechanisms.errors import InputError
from dpverify.mechanisms.exact_numbers import Exact, as_number, as_parameter, exact, inverse
from dpverify.mechanisms.noise import NoiseLaw

Relation: TypeAlias = Literal[">=", ">", "<", "<=", "==", "!="]

HOLDS: Final[Mapping[Relation, Callable[[int], bool]]] = {
    ">=": lambda sign: sign >= 0,
    ">": lambda sign: sign > 0,
    "<=": lambda sign: sign <= 0,
    "<": lambda sign: sign < 0,
    "==": lambda sign: sign == 0,
    "!=": lambda sign: sign != 0,
}
"""Whether x `relation` 0, from the sign of x."""


class NoiseVariable:
    """One draw of noise: its law, and which draw of noise of the run it is, counted from 1."""

    __slots__ = ("law", "number")

    def __init__(self, law: NoiseLaw, number: int) -> None:
        self.law = law
        self.number = number

    def __str__(self) -> str:
        return f"noise {self.number} ~ {self.law}"


class Observer(Protocol):
    """Who answers for the noise."""

    def holds(self, value: NoiseValue, relation: Relation) -> bool:
        """Whether value `relation` 0."""

    def clamped(self, value: NoiseValue, low: int | Fraction, high: int | Fraction) -> int | Fraction:
        """value, moved to the nearer end where it is outside [low, high]."""


@dataclass(frozen=True, eq=False)
class NoiseValue:
    """shift + Σ coefficient·noise, with coefficients that are not 0."""

    observer: Observer
    parts: tuple[tuple[NoiseVariable, Exact], ...]
    shift: Exact

    def __add__(self, other: object) -> NoiseValue | Fraction | Exact:
        return self._plus(other, negated=False)

    __radd__ = __add__

    def __sub__(self, other: object) -> NoiseValue | Fraction | Exact:
        return self._plus(other, negated=True)

    def __rsub__(self, other: object) -> NoiseValue | Fraction | Exact:
        return (-self)._plus(other, negated=False)

    def __neg__(self) -> NoiseValue:
        return self._scaled(exact(-1))

    def __pos__(self) -> NoiseValue:
        return self

    def __mul__(self, other: object) -> NoiseValue | Fraction:
        factor = self._number(other, "multiplied by")
        return self._scaled(factor) if factor != 0 else Fraction(0)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> NoiseValue:
        return self._scaled(inverse(self._number(other, "divided by")))

    def __ge__(self, other: object) -> bool:
        return self._compared(other, ">=")

    def __gt__(self, other: object) -> bool:
        return self._compared(other, ">")

    def __le__(self, other: object) -> bool:
        return self._compared(other, "<=")

    def __lt__(self, other: object) -> bool:
        return self._compared(other, "<")

    def __eq__(self, other: object) -> bool:
        return self._compared(other, "==")

    def __ne__(self, other: object) -> bool:
        return self._compared(other, "!=")

    def __bool__(self) -> bool:
        raise InputError("noise has no truth value: compare it, for example `noise >= threshold`")

    def __hash__(self) -> int:
        raise InputError("noise cannot be hashed or used as a key: return it on its own or in a tuple, or compare it")

    def __float__(self) -> NoReturn:
        raise InputError("noise is not turned into a plain number: compare it, clamp it, or return it")

    __int__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = __float__

    def __str__(self) -> str:
        return " + ".join([str(self.shift), *(f"{coefficient}·({variable})" for variable, coefficient in self.parts)])

    __repr__ = __str__

    def _plus(self, other: object, *, negated: bool) -> NoiseValue | Fraction | Exact:
        if not isinstance(other, NoiseValue):
            number = self._number(other, "added to")
            return NoiseValue(self.observer, self.parts, self.shift - number if negated else self.shift + number)
        if other.observer is not self.observer:
            raise InputError("two noises of different runs were combined: draw noise inside the mechanism")
        coefficients = dict(self.parts)
        for variable, coefficient in other.parts:
            change = -coefficient if negated else coefficient
            coefficients[variable] = coefficients[variable] + change if variable in coefficients else change
        parts = tuple((variable, c) for variable, c in coefficients.items() if c != 0)
        shift = self.shift - other.shift if negated else self.shift + other.shift
        return NoiseValue(self.observer, parts, shift) if parts else as_parameter(shift)

    def _scaled(self, factor: Exact) -> NoiseValue:
        parts = tuple((variable, factor * coefficient) for variable, coefficient in self.parts)
        return NoiseValue(self.observer, parts, factor * self.shift)

    def _compared(self, other: object, relation: Relation) -> bool:
        difference = self - other
        if isinstance(difference, NoiseValue):
            return self.observer.holds(difference, relation)
        return HOLDS[relation](decision.sign(exact(difference)))

    @staticmethod
    def _number(other: object, how: str) -> Exact:
        number = as_number(other)
        if number is None:
            raise InputError(f"noise was {how} {other!r}, which is not a number")
        return number


def clamp(value: NoiseValue | int | Fraction, low: int | Fraction, high: int | Fraction) -> int | Fraction:
    """value, moved to the nearer end where it is outside [low, high]; for discrete noise or a plain number.

    Raises `InputError` for continuous noise, ends that are not rational numbers, or low > high.
    """
    for end in (low, high):
        if isinstance(end, bool) or not isinstance(end, int | Fraction):
            raise InputError(f"clamp to {end!r}: the ends are whole numbers or Fractions")
    if low > high:
        raise InputError(f"clamp to [{low}, {high}], which is empty: give the lower end first")
    if isinstance(value, NoiseValue):
        return value.observer.clamped(value, low, high)
    return min(max(value, low), high)

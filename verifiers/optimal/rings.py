"""Ring of numbers in which a program is solved exactly. Here the whole numbers, for a rational e^ε.

Where e^ε = p/q, rows are multiplied through until they are whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

from flint import fmpq, fmpz

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact, total
from dpverify.verifiers.optimal.elimination import Factors
from dpverify.verifiers.optimal.program import Coefficient, Program

Element: TypeAlias = Any
"""An fmpz or an fmpz_poly: what a ring's numbers are."""

RingNumber: TypeAlias = Fraction | Exact


@dataclass(frozen=True)
class WholeRow:
    """A row in a ring: a positive multiple of the program's, by `scale`."""

    entries: Mapping[int, Element]
    right: Element
    is_equality: bool
    scale: Fraction


@dataclass(frozen=True)
class WholeProgram:
    """A program in a ring: its objective is `scale` times the one given."""

    columns: int
    rows: Sequence[WholeRow]
    objective: Mapping[int, Element]
    scale: Fraction
    norm: int
    """No right side, row or column has a larger sum of absolute coefficients; 0 where nobody asks."""


class System(ABC):
    """A square system of a ring: numerators over one denominator > 0 are its solutions."""

    @abstractmethod
    def solved(self, right: Mapping[int, Element]) -> tuple[list[Element], Element]:
        """The x with A·x = right."""

    @abstractmethod
    def solved_transposed(self, cost: Mapping[int, Element]) -> tuple[list[Element], Element]:
        """The y with y·A = cost."""


class Ring(ABC):
    """The whole numbers, or polynomials in e^ε with whole coefficients."""

    zero: Element
    one: Element

    @abstractmethod
    def sign(self, element: Element) -> int:
        """-1, 0 or 1."""

    @abstractmethod
    def system(self, rows: Sequence[Mapping[int, Element]], norm: int) -> System:
        """Ready to be solved for right sides and costs of at most this norm. Raises `SingularError`."""

    @abstractmethod
    def norm(self, elements: Iterable[Element]) -> int:
        """The sum of the absolute coefficients of elements; 0 where nobody asks."""

    @abstractmethod
    def quotient(self, above: Element, below: Element) -> RingNumber:
        """The number above/below."""

    @abstractmethod
    def without_common_factor(self, elements: Sequence[Element]) -> list[Element]:
        """The elements divided by what divides all of them, a positive one."""

    @abstractmethod
    def whole(self, value: Fraction) -> Element:
        """The element that a whole number is."""

    @abstractmethod
    def number(self, element: Element) -> RingNumber:
        """The number that it is."""

    @abstractmethod
    def program(self, given: Program) -> WholeProgram:
        """The program, with its rows multiplied through."""


class Integers(Ring):
    """For a rational e^ε."""

    zero, one = fmpz(0), fmpz(1)

    def __init__(self, growth: Fraction) -> None:
        self._growth = growth

    def sign(self, element: fmpz) -> int:
        return (element > 0) - (element < 0)

    def system(self, rows: Sequence[Mapping[int, Element]], norm: int) -> System:
        return _WholeSystem(Factors([{j: fmpq(v) for j, v in row.items()} for row in rows]))

    def norm(self, elements: Iterable[Element]) -> int:
        return 0

    def quotient(self, above: fmpz, below: fmpz) -> Fraction:
        return Fraction(int(above), int(below))

    def without_common_factor(self, elements: Sequence[fmpz]) -> list[fmpz]:
        common = fmpz(0)
        for element in elements:
            common = common.gcd(element)
        return [element // common for element in elements] if common else list(elements)

    def whole(self, value: Fraction) -> fmpz:
        return fmpz(int(value))

    def number(self, element: fmpz) -> Fraction:
        return Fraction(int(element))

    def program(self, given: Program) -> WholeProgram:
        rows = []
        for row in given.rows:
            right = sum((c * self._growth**d for d, c in enumerate(row.right)), start=Fraction(0))
            entries, above, scale = self._whole(row.entries, right)
            rows.append(WholeRow(entries, above, row.is_equality, scale))
        objective, _, scale = self._whole(given.objective, Fraction(0))
        return WholeProgram(given.columns, rows, objective, scale, 0)

    def _whole(self, entries: Mapping[int, Coefficient], right: Fraction) -> tuple[dict[int, fmpz], fmpz, Fraction]:
        numbers = {j: self._value(coefficient) for j, coefficient in entries.items()}
        scale = lcm(right.denominator, *(number.denominator for number in numbers.values()))
        whole = {j: fmpz(n.numerator * (scale // n.denominator)) for j, n in numbers.items() if n}
        return whole, fmpz(right.numerator * (scale // right.denominator)), Fraction(scale)

    def _value(self, coefficient: Coefficient) -> Fraction:
        c, d = coefficient
        return c * self._growth**d if d else c


@dataclass(frozen=True)
class _WholeSystem(System):
    factors: Factors

    def solved(self, right: Mapping[int, fmpz]) -> tuple[list[fmpz], fmpz]:
        return _over_one_denominator(self.factors.solved({i: fmpq(v) for i, v in right.items()}))

    def solved_transposed(self, cost: Mapping[int, fmpz]) -> tuple[list[fmpz], fmpz]:
        return _over_one_denominator(self.factors.solved_transposed({j: fmpq(v) for j, v in cost.items()}))


def _over_one_denominator(values: Sequence[fmpq]) -> tuple[list[fmpz], fmpz]:
    below = fmpz(1)
    for value in values:
        below = below.lcm(value.q)
    return [value.p * (below // value.q) for value in values], below


def growth_of(epsilon: Exact) -> RingNumber:
    """e^ε: a Fraction where it is rational."""
    return as_parameter(exp(epsilon))


def added(numbers: Iterable[RingNumber]) -> RingNumber:
    """Their sum."""
    summands = list(numbers)
    fractions = [n for n in summands if isinstance(n, Fraction)]
    whole = sum(fractions, start=Fraction(0))
    if len(fractions) == len(summands):
        return whole
    return as_parameter(total([exact(whole), *(n for n in summands if isinstance(n, Exact))]))

"""Sets of ε as finite unions of intervals with exact ends, for the ε at which a claim fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import TypeAlias

from flint import fmpq

from dpverify.mechanisms.numbers.enclosure import bounds, decimal_of_fraction, outward
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, exact, to_fraction
from dpverify.mechanisms.numbers.roots.mixed_roots import MixedRoot, closed_form, is_factored, roots_in_order
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import simplest_between
from dpverify.reports.numbers import in_full
from dpverify.reports.privacy_record import EpsilonRange
from dpverify.reports.record import Quantity
from dpverify.verifiers.divergence.output_tables.enclosed import LONGEST_FORM


@dataclass(frozen=True, repr=False)
class EpsilonEnd:
    """An end of an interval of ε: an exact number, or fineness·t for a root t."""

    exact: Exact | None
    root: MixedRoot | None = None
    fineness: int = 1

    def enclosure(self, digits: int = 20) -> tuple[Fraction, Fraction]:
        """Rationals around it that agree to about so many digits; the same ones whenever it is asked."""
        if self.exact is not None:
            return bounds(self.exact, digits)
        assert self.root is not None
        root = self.root.anew()
        while root.high - root.low > root.low / 2 ** (4 * digits):
            root.narrow()
        return outward(to_fraction(root.low * self.fineness), to_fraction(root.high * self.fineness), digits)

    def compared_to(self, number: Exact) -> int:
        """-1, 0 or 1 as it is less than, equal to or greater than the number."""
        if self.exact is not None:
            return (self.exact > number) - (self.exact < number)
        assert self.root is not None
        return self.root.compared_to(number / self.fineness)

    @property
    def form(self) -> str:
        """Its exact form, with the equation that a root solves."""
        if self.exact is not None:
            return str(self.exact)
        assert self.root is not None
        if any(i for i, _, _ in self.root.key) or not is_factored(self.root.key):
            return f"ε with {_in_epsilon(self.root, self.fineness)} = 0"
        factor = "-" if self.fineness == 1 else f"-{self.fineness}·"
        return f"{factor}ln z with {_in_z(self.root)} = 0"

    @property
    def quantity(self) -> Quantity:
        """The same, for a record."""
        low, high = self.enclosure()
        form = self.form
        return Quantity(
            exact=form if len(form) <= LONGEST_FORM else None,
            decimal=decimal_of_fraction((low + high) / 2),
            lower=str(low),
            upper=str(high),
        )

    def __str__(self) -> str:
        return in_full(self.quantity)

    __repr__ = __str__  # of a tuple of intervals, too, the numbers are what one wants to see


def end_of(root: MixedRoot, fineness: int) -> EpsilonEnd:
    """The ε = fineness·root, in closed form where there is one."""
    closed = closed_form(root)
    return EpsilonEnd(None, root, fineness) if closed is None else EpsilonEnd(closed * fineness)


def end_of_cell(end: Exact | None) -> EpsilonEnd:
    """An end of an interval of a symbol; 0 for None."""
    return EpsilonEnd(ZERO if end is None else end)


def _in_z(root: MixedRoot) -> str:
    return _sum([(Fraction(c), [_power("z", j)]) for _, j, c in sorted(root.key, reverse=True)])


def _in_epsilon(root: MixedRoot, fineness: int) -> str:
    """The irreducible polynomial of a root, in ε and e^(-ε)."""
    degree = max(i for i, _, _ in root.key)
    terms = [(c * fineness ** (degree - i), i, fmpq(-j, fineness)) for i, j, c in sorted(root.key, reverse=True)]
    common = gcd(*(c for c, _, _ in terms))
    return _sum([(Fraction(c, common), [_exponential(rate), _power("ε", i)]) for c, i, rate in terms])


def _sum(terms: Sequence[tuple[Fraction, Sequence[str]]]) -> str:
    text = ""
    for c, powers in terms:
        size = str(abs(c)) if abs(c) != 1 or not any(powers) else ""
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        text += sign + "·".join(filter(None, (size, *powers)))
    return text


def _power(name: str, k: int) -> str:
    return "" if k == 0 else name if k == 1 else f"{name}^{k}"


def _exponential(rate: fmpq) -> str:
    return "" if rate == 0 else "e^(-ε)" if rate == -1 else f"e^({rate}·ε)"


@dataclass(frozen=True, repr=False)
class EpsilonInterval:
    """The ε between two ends; `high` is None where there is none. `closed` says whether low and high belong to it."""

    low: EpsilonEnd
    high: EpsilonEnd | None
    closed: tuple[bool, bool] = (False, False)

    def __contains__(self, epsilon: ExactLike) -> bool:
        number = exact(epsilon, "epsilon")
        if number.symbol is not None:
            raise InputError(bad_input.WRONG, f"epsilon={number}", "a number", "give ε a value")
        above, below = self.low.compared_to(number), -1 if self.high is None else -self.high.compared_to(number)
        return (above < 0 or (above == 0 and self.closed[0])) and (below < 0 or (below == 0 and self.closed[1]))

    def sample(self) -> Exact:
        """A simple number in it: rational, unless it is a single point."""
        if self.high is None:
            return simplest_between(rational_bound(self.low, 20, above=True), None)
        if self.low == self.high:
            assert self.low.exact is not None, "a single point is the end of a cell"
            return self.low.exact
        digits = 20
        while True:
            low, high = rational_bound(self.low, digits, above=True), rational_bound(self.high, digits, above=False)
            if low < high:
                return simplest_between(low, high)
            digits *= 2

    @property
    def record(self) -> EpsilonRange:
        """The same, for a record."""
        return EpsilonRange(self.low.quantity, None if self.high is None else self.high.quantity, *self.closed)

    def __str__(self) -> str:
        if self.high is not None and self.closed == (True, True) and self.low == self.high:
            return f"{{{self.low}}}"
        high = "∞" if self.high is None else str(self.high)
        return f"{'(['[self.closed[0]]}{self.low}, {high}{')]'[self.closed[1]]}"

    __repr__ = __str__


def at_point(epsilon: Exact) -> EpsilonInterval:
    """The interval of a single ε."""
    return EpsilonInterval(end_of_cell(epsilon), end_of_cell(epsilon), (True, True))


def rational_bound(end: EpsilonEnd, digits: int, *, above: bool) -> Exact:
    """The end itself where it has a closed form, else a rational just above or below it."""
    if end.exact is not None:
        return end.exact
    return exact(end.enclosure(digits)[1 if above else 0])


def union_in_words(intervals: Sequence[EpsilonInterval]) -> str:
    """A union of intervals in words."""
    return " and ".join(map(str, intervals))


def union_of_intervals(intervals: Sequence[EpsilonInterval]) -> tuple[EpsilonInterval, ...]:
    """The union of intervals in rising order, those that touch in a point of either made one."""
    epsilon_intervals: list[EpsilonInterval] = []
    for interval in intervals:
        last = epsilon_intervals[-1] if epsilon_intervals else None
        if last is not None and last.high == interval.low and (last.closed[1] or interval.closed[0]):
            epsilon_intervals[-1] = EpsilonInterval(last.low, interval.high, (last.closed[0], interval.closed[1]))
        else:
            epsilon_intervals.append(interval)
    return tuple(epsilon_intervals)


Span: TypeAlias = tuple[MixedRoot | None, MixedRoot | None]
"""The numbers between two roots; None stands for the end of the cell that is looked at."""


def union_of_spans(spans: Iterable[Span]) -> list[Span]:
    """The union of open spans as disjoint ones, in rising order."""
    spans = list(spans)
    roots = roots_in_order([root for span in spans for root in span if root is not None])
    place = {root: i for i, root in enumerate(roots)}
    indexed = sorted(
        (-1 if low is None else place[low], len(roots) if high is None else place[high]) for low, high in spans
    )
    results: list[tuple[int, int]] = []
    for low, high in indexed:
        if results and low < results[-1][1]:
            results[-1] = (results[-1][0], max(high, results[-1][1]))
        else:
            results.append((low, high))
    return [(None if i < 0 else roots[i], None if j == len(roots) else roots[j]) for i, j in results]

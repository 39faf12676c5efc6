"""Numbers as functions of coordinates h, each any whole number ≥ 0: their sign on the whole orthant of these.

A question that is not answered alike on all of it is a `Cut`, on whose two sides it is asked again: h_i < m or h_i ≥ m,
which leaves m orthants of one coordinate less and one that begins at m; or h_i ≥ h_j or h_j > h_i, which are orthants
in other coordinates. So every region is an orthant, and nothing has to be searched to see that it is not empty. For a
linear form c + Σ n·h with rational n the cuts end, as Euclid's algorithm does. Other numbers are polynomials in
e^(-h/n) and h: see `polynomials.py`.

Two scores, of which the second is the greater one: (h_0, 1 + h_0 + h_1). Their difference has one sign on the whole
orthant. The first one less 2 has three, and is asked again where h_0 is 0, where it is 1, where it is 2, and from 3 on.

>>> chart = AffineRegion(base=(0, 1), rows=((1, 0), (1, 1)))
>>> first, second = chart.numbers()
>>> sign_on_naturals(first - second, first.symbol)
-1
>>> try:
...     sign_on_naturals(first - 2, first.symbol)
... except Cut as cut:
...     for side in chart.sides(cut):
...         print(side.base, side.rows)
(0, 1) ((0,), (1,))
(1, 2) ((0,), (1,))
(2, 3) ((0,), (1,))
(3, 4) ((1, 0), (1, 1))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.atoms import atom
from dpverify.mechanisms.numbers.cached_results import by_identity
from dpverify.mechanisms.numbers.errors import Cut, InputError, Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    Exact,
    Factor,
    Term,
    as_parameter,
    exact,
    floor,
    from_factor,
    product,
    total,
)
from dpverify.mechanisms.numbers.positivity.positivity import cut_from, sign_of_polynomial
from dpverify.mechanisms.numbers.symbols import PatternAnswers, Symbol, WholeSymbol, notes, symbol_of, whole_symbol


@dataclass(frozen=True)
class AffineRegion:
    """Whole numbers as sums of coordinates: the j-th is base[j] + Σ rows[j][i]·h_i."""

    base: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self.rows[0]) if self.rows else 0

    def numbers(self) -> tuple[int | Exact, ...]:
        """The numbers that the chart writes: plain ones where no coordinate is in them."""
        return tuple(
            total((exact(b), *(product((exact(n), coordinate(i))) for i, n in enumerate(row) if n))) if any(row) else b
            for b, row in zip(self.base, self.rows, strict=True)
        )

    def at(self, point: Sequence[int]) -> tuple[int, ...]:
        """The numbers that the chart writes where its coordinates are those of a point."""
        return tuple(
            b + sum(n * h for n, h in zip(row, point, strict=True)) for b, row in zip(self.base, self.rows, strict=True)
        )

    def moved(self, by: Sequence[int]) -> AffineRegion:
        """The chart of s + by for the s of this one."""
        return AffineRegion(tuple(b + d for b, d in zip(self.base, by, strict=True)), self.rows)

    def part(self, start: int, stop: int) -> AffineRegion:
        """The chart of some of the whole numbers, in the same coordinates."""
        return AffineRegion(self.base[start:stop], self.rows[start:stop])

    def in_order(self) -> AffineRegion:
        """The same whole numbers, by coordinates in a fixed order: charts that are alike are the same."""
        columns = sorted(zip(*self.rows, strict=True), reverse=True)
        return AffineRegion(self.base, tuple(zip(*columns, strict=True)) if columns else self.rows)

    def sides(self, cut: Cut) -> Iterator[AffineRegion]:
        """The charts of the parts that a cut leaves: together the same whole numbers, each once."""
        i = cut.i
        if cut.j is not None:
            yield self._combined(cut.j, i, 0)  # h_i ≥ h_j: h_i is h_j and what it is more
            yield self._combined(i, cut.j, 1)
            return
        if cut.modulus is not None:
            for rest in range(cut.modulus):
                rows = tuple((*row[:i], cut.modulus * row[i], *row[i + 1 :]) for row in self.rows)
                yield AffineRegion(self._based(i, rest), rows)
            return
        assert cut.least is not None
        for value in range(cut.least):
            yield AffineRegion(self._based(i, value), tuple((*row[:i], *row[i + 1 :]) for row in self.rows))
        yield AffineRegion(self._based(i, cut.least), self.rows)

    def _based(self, i: int, value: int) -> tuple[int, ...]:
        return tuple(b + value * row[i] for b, row in zip(self.base, self.rows, strict=True))

    def _combined(self, smaller: int, greater: int, by: int) -> AffineRegion:
        """With h_greater := h_greater + h_smaller + by."""
        rows = []
        for row in self.rows:
            new = list(row)
            new[smaller] += row[greater]
            rows.append(tuple(new))
        return AffineRegion(self._based(greater, by), tuple(rows))


def coordinate(place: int) -> Exact:
    """The coordinate of a place, from 0, as a number."""
    return from_factor(atom("log", whole_symbol(place).base))


@decision.decides_functions(whole=True)
def sign_on_naturals(number: Exact, symbol: Symbol) -> int:
    """The sign that `number` has for all whole numbers ≥ 0 in the place of its coordinates.

    Raises `Cut` where it has different ones, and `Undecided` where that is not found out.
    """
    try:
        if notes.answers is not None:  # who is asked for what is unknown, but not for the sign of a chance
            notes.answers.refuse("the sign of an unknown chance")
        return _sign(number)
    except (Undecided, InputError) as error:
        symbol.take_note(error)
        raise


def _sign(number: Exact) -> int:
    if isinstance(number, Term):
        sign = 1 if number.coefficient > 0 else -1 if number.coefficient < 0 else 0
        cuts: list[Cut] = []
        for factor, k in number.factors:
            try:
                sign *= _sign_of_factor(factor) ** abs(k)
            except Cut as cut:
                cuts.append(cut)
        if cuts:  # the factors come as they were made, and where to cut is not to depend on that
            raise min(cuts, key=lambda cut: cut.order)
        return sign
    form = linear_form(number)
    return sign_of_polynomial(number) if form is None else _sign_of_form(*form)


def _sign_of_factor(factor: Factor) -> int:
    if not factor.is_atom:
        return decision.sign(from_factor(factor))
    place = _place_of(factor)
    if place is not None:
        raise Cut(place, least=1)
    if factor.function == "exp":
        return 1
    return sign_of_polynomial(from_factor(factor)) if factor.symbol is not None else decision.sign(from_factor(factor))


def _place_of(factor: Factor) -> int | None:
    """The place of the coordinate that a factor is; None for another one."""
    if not factor.is_atom or not isinstance(factor.argument, int):
        return None
    symbol = symbol_of(factor.argument)
    return symbol.place if isinstance(symbol, WholeSymbol) else None


_Form: TypeAlias = tuple[Exact, dict[int, Exact]]
"""(c, {i: n}) for c + Σ n·h_i, no n being 0."""


@by_identity
def linear_form(number: Exact) -> _Form | None:
    """The number as a linear form of coordinates, with numbers without any; None where its terms show none."""
    constant: list[Exact] = []
    parts: dict[int, list[Exact]] = {}
    for term in number.terms:
        if term.symbol is None:
            constant.append(term)
            continue
        if term.monomial.symbol is not None:
            return None
        places = [place for place in (_place_of(factor) for factor, k in term.factors if k == 1) if place is not None]
        if len(places) != 1:
            return None
        own = atom("log", whole_symbol(places[0]).base)
        rest = product((term, from_factor(own, -1)))
        if rest.symbol is not None:
            return None
        parts.setdefault(places[0], []).append(rest)
    sums = {place: total(result) for place, result in parts.items()}
    return total(constant), {place: n for place, n in sums.items() if decision.sign(n) != 0}


def answered(number: Exact, answers: PatternAnswers) -> Exact:
    """A linear form of coordinates with what is answered in their place, of all together where that is rational."""
    form = linear_form(number)
    if form is None or not form[1]:
        return exact(answers.value(number))
    constant, parts = form
    if all(isinstance(as_parameter(n), Fraction) for n in parts.values()):
        return exact(answers.value(number - constant)) + constant
    return total((constant, *(n * exact(answers.value(coordinate(place))) for place, n in parts.items())))


def _sign_of_form(constant: Exact, parts: dict[int, Exact]) -> int:
    above = {i: n for i, n in parts.items() if n > 0}
    below = {i: n for i, n in parts.items() if i not in above}
    if above and below:
        # the pair that is farthest apart, as Euclid's algorithm has it: what is left of the greater gets smaller
        i = max(above, key=lambda place: (above[place], -place))
        j = min(below, key=lambda place: (below[place], place))
        if not isinstance(as_parameter(above[i] / below[j]), Fraction):
            raise Undecided(
                not_known.ANSWER_CHANGES, "two scores are compared, and the ratio of their factors is irrational"
            )
        raise Cut(i, j=j)
    at_zero = decision.sign(constant)
    if not parts:
        return at_zero
    way = 1 if above else -1
    if at_zero * way > 0:
        return at_zero
    if at_zero == 0:
        raise Cut(min(parts), least=1)
    i = max(parts, key=lambda place: (abs(parts[place]), -place))
    least = floor(-constant / parts[i]) + 1
    raise cut_from(i, least)


@decision.decides_whole_parts
def integer_part_on_naturals(number: Exact, symbol: Symbol) -> Exact:
    """⌊number⌋ as a function of the coordinates. Raises `Cut` where it is none, else as `sign_on_naturals` does."""
    try:
        form = linear_form(number)
        if form is None:
            raise Undecided(
                not_known.ANSWER_CHANGES, f"the integer part of {number} is needed, which is no sum of scores"
            )
        constant, parts = form
        for place, n in sorted(parts.items()):
            ratio = as_parameter(n)
            if not isinstance(ratio, Fraction):
                raise Undecided(
                    not_known.ANSWER_CHANGES,
                    f"the integer part of {number} is needed, in which a score has an irrational factor",
                )
            if ratio.denominator > 1:
                raise Cut(place, modulus=ratio.denominator)
        return total((exact(floor(constant)), *(product((n, coordinate(place))) for place, n in parts.items())))
    except (Undecided, InputError) as error:
        symbol.take_note(error)
        raise

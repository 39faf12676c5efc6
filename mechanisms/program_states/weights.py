"""Weights of states over powers of one number: added and multiplied without a greatest common divisor.

They are whole numbers where all chances are rational; else polynomials in what these are made of, such as e^(1/2), over
powers of their common denominator. So like terms are collected, and a probability is put in lowest terms once. Chances
that no state is entered by, as of noise that dies where something is returned, come last, and are multiplied as they
are; so are all where no states were merged, or their common denominator may have many terms.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from math import gcd, lcm, prod
from operator import add, floordiv, mul
from typing import Any, Final, NamedTuple, TypeAlias

from flint import Ordering, fmpq, fmpz, fmpz_mpoly_ctx, fmpz_poly

from dpverify.mechanisms.numbers.errors import Interruption
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    Exact,
    combination,
    exact,
    from_exponents,
    from_factor,
    power,
    product,
    rational,
    reciprocal_of_nonzero,
)
from dpverify.mechanisms.numbers.polynomial_form import Reduced, polynomials


class NotBySteps(Interruption):
    """Ends steps of a mechanism whose distribution is to be found by whole runs: why, and at which line, 0 for none.

    And after how many states, which recur or were reached.
    """

    def __init__(self, why: str, line: int = 0, states: int = 0) -> None:
        super().__init__(why)
        self.why, self.line, self.states = why, line, states


class NeverEnds(NotBySteps):
    """It does not end with probability 1: nothing leads out of some states that recur."""


Edges: TypeAlias = Sequence[tuple[int, int]]
"""States by their places, and outcomes by −1 − theirs, with the numbers of the chances."""

Successors: TypeAlias = Sequence[Edges | None] | Mapping[int, Edges]
"""By the place of a state what it leads to."""

CERTAIN: Final = ONE.serial
"""The number of the chance 1."""


class AfterRows(NamedTuple):
    """States behind a loop that takes rows one by one, with their weights over that power."""

    weights: Mapping[int, Any]
    power: int


class StateWeights:
    """Weights made of some `inner` ones of the chances by their numbers, and of that of 1, as `CERTAIN`."""

    def __init__(self, chances: Mapping[int, Exact], inner: Iterable[int], *, is_merged: bool = True) -> None:
        self.chances = chances
        self.whole: dict[int, Any] = {number: chances[number] for number in {CERTAIN, *inner}}
        """The inner chances, times the denominator."""
        self.one: Any = ONE
        self._is_rational = not is_merged
        self._is_exact = not is_merged or _has_many_terms(self.whole.values())
        if not self._is_exact:
            self._set_polynomials()

    def _set_polynomials(self) -> None:
        self._form = form = polynomials(self.whole.values())
        keys = [key for row in (*form.numerators, *(row for row, _ in form.denominator)) for key in row]
        self._variables = [i for i, column in enumerate(zip(*keys, strict=True)) if any(column)]
        all_rows = form.numerators, *([row] for row, _ in form.denominator)
        above, *below = (_whole(rows, self._variables) for rows in all_rows)
        exponents = [key for some in (above, *below) for row in some.rows for key in row]
        self._steps = [gcd(*column) or 1 for column in zip(*exponents, strict=True)]
        self._is_sparse = len(self._steps) > 1 or any(
            key[0] > _LARGEST_DEGREE * self._steps[0] for key in exponents if key
        )
        times = [each for _, each in form.denominator]
        self._scale = fmpq(prod(each.multiple**k for each, k in zip(below, times, strict=True)), above.multiple)
        self._shift = [
            low - sum(k * each.lowest[i] for each, k in zip(below, times, strict=True))
            for i, low in enumerate(above.lowest)
        ]
        self._monomials: dict[tuple[int, ...], Exact] = {}
        self._reciprocals: dict[tuple[int, int], Exact] = {}
        self._below = [(self._weight(each.rows[0]), k, each.lowest) for each, k in zip(below, times, strict=True)]
        self.whole = dict(zip(self.whole, map(self._weight, above.rows), strict=True))
        self.one = self.whole[CERTAIN]
        self._is_rational = not self._steps

    def _weight(self, row: Mapping[tuple[int, ...], int]) -> Any:
        counts = {tuple(map(floordiv, key, self._steps)): n for key, n in row.items()}
        if not self._steps:
            return counts.get((), 0)
        if self._is_sparse:
            return fmpz_mpoly_ctx.get([f"x{i}" for i in self._variables], Ordering.lex).from_dict(counts)
        return fmpz_poly([counts.get((k,), 0) for k in range(max(counts)[0] + 1)])

    def number(self, weight: Any, power_of_one: int) -> Exact:
        """A weight over a power of `one` as a number; in one variable it is in lowest terms."""
        if self._is_exact:
            return exact(weight)
        scale = self._scale**power_of_one
        if not self._steps:
            return rational(scale * weight)
        below = []
        for i, (factor, times, _) in enumerate(self._below):
            left = times * power_of_one
            while left and not self._is_sparse:
                divided, rest = divmod(weight, factor)
                if rest:
                    break
                weight, left = divided, left - 1
            if left:
                below.append(self._reciprocal(i, left))
        shift = tuple([power_of_one * each for each in self._shift])
        content, above = self._sum(weight, repeat(0) if below else shift)  # a sum of terms, as whole runs make it
        beside = [self._monomial(shift), *below] if below else []
        return product((rational(scale * content), above, *beside))

    def _sum(self, weight: Any, shift: Iterable[int] = repeat(0)) -> tuple[int, Exact]:
        """Two numbers whose product a weight is, times a monomial; the first one is whole."""
        if self._is_sparse:
            terms = [(tuple(map(mul, key, self._steps)), int(n)) for key, n in weight.to_dict().items()]
        else:
            terms = [((k * self._steps[0],), int(n)) for k, n in enumerate(weight.coeffs()) if n]
        content = gcd(*[n for _, n in terms])
        return content, combination(
            (fmpq(n // content), self._monomial(tuple(map(add, exponents, shift)))) for exponents, n in terms
        )

    def _monomial(self, exponents: tuple[int, ...]) -> Exact:
        known = self._monomials.get(exponents)
        if known is None:
            known = self._monomials[exponents] = product(map(self._power, self._variables, exponents))
        return known

    def _power(self, variable: int, exponent: int) -> Exact:
        roots, place = self._form.roots, variable - 1
        if not exponent:
            return ONE
        if place < len(roots):
            base, n = roots[place] if variable else (0, self._form.grain)
            share = fmpq(exponent, n)
            return from_exponents(fmpq(0), {base: share}) if variable else from_exponents(share, {})
        return from_factor(self._form.atoms[place - len(roots)], exponent)

    def _reciprocal(self, place: int, exponent: int) -> Exact:
        known = self._reciprocals.get((place, exponent))
        if known is None:
            below, _, lowest = self._below[place]
            content, factor = self._sum(below, lowest)  # in the form that it had in chances
            number = reciprocal_of_nonzero(power(product((rational(fmpq(content)), factor)), exponent))
            beside = self._monomial(tuple([exponent * each for each in lowest]))
            known = self._reciprocals[place, exponent] = product((beside, number))
        return known

    def spread(
        self,
        begun: Edges,
        entering: dict[int, int],
        successors: Successors,
        after_rows: Mapping[int, AfterRows],
    ) -> Iterator[tuple[int, Exact]]:
        """The outcomes with their probabilities, where it begins with some states, which many edges enter.

        States that are not `entering` are not left. Those at which rows are taken lead to what is `after_rows`.
        """
        found = dict[Hashable, tuple[Any, int]]()
        ready = [place for place, count in entering.items() if not count]
        for to, share, of_share in self._shares(self.one**0, 0, begun):
            self._add(found, to, share, of_share)
        while ready:
            place = ready.pop()
            for to, share, of_share in self._shares(*found.pop(place), successors[place] or (), after_rows.get(place)):
                known = found.get(to)
                if known is None:
                    found[to] = share, of_share
                elif known[1] == of_share:
                    found[to] = known[0] + share, of_share
                else:
                    self._add(found, to, share, of_share)
                if to in entering:
                    entering[to] -= 1
                    if not entering[to]:
                        ready.append(to)
        again = [place for place, count in entering.items() if count]
        if again:
            yield from self._recurring(again, found, successors, after_rows)
        for end, weight in found.items():
            if isinstance(end, tuple):
                yield end[0], product((self.number(*weight), self.chances[end[1]]))
            elif isinstance(end, int):
                yield end, self.number(*weight)

    def _shares(
        self, weight: Any, power: int, edges: Edges, after: AfterRows | None = None
    ) -> list[tuple[Hashable, Any, int]]:
        """The successors of a state with a weight, each with its share of it."""
        if after is not None:
            return [(to, weight * share, power + after.power) for to, share in after.weights.items()]
        whole, more = self.whole, power + 1
        return [
            (to, weight * whole[chance], more)
            if to >= 0 or (chance in whole and chance != CERTAIN)
            else (to if chance == CERTAIN else (to, chance), weight, power)
            for to, chance in edges
        ]

    def _add(self, found: dict[Hashable, tuple[Any, int]], to: Hashable, share: Any, power: int) -> None:
        known = found.get(to)
        if known is None:
            found[to] = share, power
            return
        weight, of_known = known
        if of_known < power:
            weight *= self.one ** (power - of_known)
        elif power < of_known:
            share *= self.one ** (of_known - power)
        found[to] = weight + share, max(power, of_known)

    def _recurring(
        self,
        again: Sequence[int],
        found: dict[Hashable, tuple[Any, int]],
        successors: Successors,
        after_rows: Mapping[int, AfterRows],
    ) -> Iterator[tuple[int, Exact]]:
        """The outcomes behind states that recur, which are put into what leads to them, first where that is little.

        Raises `NotBySteps` with the place of a state in that of the line.
        """
        one, work = self.one**0, 0
        shares = {i: self._shares(one, 0, successors[i] or (), after_rows.get(i)) for i in again}
        shares[_BEGIN] = [(i, *found.pop(i)) for i in again if i in found]
        rows = {i: self._row(each) for i, each in shares.items()}
        before = {to: {i for i, (row, _) in rows.items() if to in row} for to in again}
        while before:
            place = min(before, key=lambda each: len(before[each]) * len(rows[each][0]))
            leading, (row, whole) = before.pop(place) - {place}, rows.pop(place)
            whole -= row.pop(place, whole - whole)
            if not row:
                raise NeverEnds("it does not end with probability 1", place, len(again))
            work += len(leading) * len(row) * _size(whole)
            if work > _MOST_WORK:
                raise NotBySteps("too many states recur", place, len(again))
            row, whole = self._in_lowest_terms(row, whole)
            for to in row.keys() & before.keys():
                before[to] = before[to] - {place} | leading
            for other in leading:
                parts, of_parts = rows[other]
                share = parts.pop(place)
                parts = {to: part * whole for to, part in parts.items()}
                for to, part in row.items():
                    parts[to] = parts[to] + share * part if to in parts else share * part
                rows[other] = self._in_lowest_terms(parts, of_parts * whole)
        row, whole = rows[_BEGIN]
        for end, weight in row.items():
            parts, over = self._in_lowest_terms({end: weight}, whole)
            chance = self.number(parts[end], 0) / self.number(over, 0)
            yield (end, chance) if isinstance(end, int) else (end[0], product((chance, self.chances[end[1]])))

    def _row(self, shares: Iterable[tuple[Hashable, Any, int]]) -> tuple[dict[Any, Any], Any]:
        """Numbers by where they lead to, and what they are shares of."""
        found = dict[Hashable, tuple[Any, int]]()
        for each in shares:
            self._add(found, *each)
        most = max((k for _, k in found.values()), default=0)
        one = fmpz(self.one) if isinstance(self.one, int) else self.one
        return {to: one ** (most - k) * share for to, (share, k) in found.items()}, one**most

    def _in_lowest_terms(self, row: dict[Any, Any], whole: Any) -> tuple[dict[Any, Any], Any]:
        if self._is_exact:
            return {to: part / whole for to, part in row.items()}, ONE
        common = whole
        for part in row.values():
            common = common.gcd(part)
            if common == 1:
                return row, whole
        return {to: part // common for to, part in row.items()}, whole // common


_BEGIN: Final = -1
"""In the place of a state what leads to those that recur."""

_MOST_WORK: Final = 1 << 22
"""Numbers that are multiplied to put states that recur into each other, by their sizes."""


def _size(number: Any) -> int:
    """The size of a number, or of a polynomial."""
    if isinstance(number, fmpz):
        return 1 + number.bit_length() // 64
    if isinstance(number, fmpz_poly):
        return int(number.length()) * (1 + number.height_bits() // 64)
    return 1 << 8


class _Rows(NamedTuple):
    """Polynomials with whole coefficients and exponents from 0 on, times the lowest powers over a whole multiple."""

    rows: Sequence[Mapping[tuple[int, ...], int]]
    lowest: Sequence[int]
    multiple: int


def _whole(rows: Sequence[Reduced], variables: Sequence[int]) -> _Rows:
    lowest = [min(key[i] for row in rows for key in row) for i in variables]
    multiple = lcm(*(int(n.q) for row in rows for n in row.values()))
    return _Rows(
        [
            {
                tuple([key[i] - low for i, low in zip(variables, lowest, strict=True)]): int(n * multiple)
                for key, n in row.items()
            }
            for row in rows
        ],
        lowest,
        multiple,
    )


def _has_many_terms(numbers: Iterable[Exact]) -> bool:
    """True where the common denominator may."""
    factors = {factor.serial: factor for each in numbers for term in each.terms for factor, _ in term.factors}
    sums = [factor.terms for factor in factors.values() if not factor.is_atom]
    if prod(map(len, sums)) <= _MOST_TERMS:
        return False
    powers = [[term.monomial.power for term in terms] for terms in sums]
    grain = lcm(*(int(each.q) for some in powers for each in some))
    is_plain = not any(term.factors or term.monomial.radicals for terms in sums for term in terms)
    return not is_plain or grain * sum(max(some) - min(some) for some in powers) > _MOST_TERMS


_MOST_TERMS: Final = 1 << 10
"""Of a product of all that is below."""

_LARGEST_DEGREE: Final = 32
"""Of a chance in one variable: beyond it, there are few terms for it."""

"""Functions of one real or whole variable that are, piece by piece, Σ c·x^k·e^(λx): what eliminating noise leaves.

They are closed under products, integrals and sums with a variable end, affine changes of the variable, and
convolution. All numbers are exact, and nothing is ever truncated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, cmp_to_key, lru_cache
from itertools import pairwise
from math import comb, factorial
from typing import Final, TypeAlias

from flint import fmpq

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    exact,
    negative,
    ordering,
    power,
    product,
    rational,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Intervals
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole
from dpverify.mechanisms.numbers.simplification import simplified

DecayingPower: TypeAlias = tuple[Exact, int]
"""(λ, k) stands for x^k·e^(λx)."""

ExpPoly: TypeAlias = Mapping[DecayingPower, Exact]
"""Monomial → coefficient; coefficients that are 0 are left out."""

NOTHING: Final[ExpPoly] = {}


def constant_function(value: Exact) -> ExpPoly:
    """The function that is `value` everywhere."""
    return {} if value is ZERO else {(ZERO, 0): value}


def collected_terms(terms: Iterable[tuple[DecayingPower, Exact]]) -> ExpPoly:
    """The sum of terms, like ones added up."""
    parts: dict[DecayingPower, list[Exact]] = {}
    for monomial, coefficient in terms:
        parts.setdefault(monomial, []).append(coefficient)
    sums = ((monomial, result[0] if len(result) == 1 else total(result)) for monomial, result in parts.items())
    return {monomial: coefficient for monomial, coefficient in sums if coefficient is not ZERO}


def sum_of_functions(*functions: ExpPoly) -> ExpPoly:
    """The sum of functions."""
    return collected_terms(item for function in functions for item in function.items())


def scaled_function(function: ExpPoly, factor: Exact) -> ExpPoly:
    """factor·function."""
    if factor is ONE:
        return function
    return collected_terms((monomial, product((factor, c))) for monomial, c in function.items())


def product_of_functions(left: ExpPoly, right: ExpPoly) -> ExpPoly:
    """The product of two functions."""
    return collected_terms(
        ((rate + other, k + j), product((c, d))) for (rate, k), c in left.items() for (other, j), d in right.items()
    )


def composed(function: ExpPoly, slope: Exact, shift: Exact) -> ExpPoly:
    """y ↦ function(slope·y + shift)."""
    return collected_terms(_composed_terms(function, slope, shift))


def _composed_terms(function: ExpPoly, slope: Exact, shift: Exact) -> Iterator[tuple[DecayingPower, Exact]]:
    for (rate, k), c in function.items():
        weight = product((c, exp(product((rate, shift))))) if rate is not ZERO else c
        for j in range(k + 1):
            rest = power(shift, k - j)
            if rest is not ZERO:
                binomial = rational(fmpq(comb(k, j)))
                yield (product((rate, slope)), j), product((weight, binomial, power(slope, j), rest))


def value(function: ExpPoly, x: Exact) -> Exact:
    """function(x)."""
    return total(product((c, power(x, k), exp(product((rate, x))))) for (rate, k), c in function.items())


def antiderivative(function: ExpPoly, discrete: bool) -> ExpPoly:
    """A with A′ = function; for a whole variable, A with A(x + 1) − A(x) = function(x)."""
    of_monomial = _sum_of_monomial if discrete else _integral_of_monomial
    return collected_terms(
        ((rate, j), product((c, d))) for (rate, k), c in function.items() for j, d in of_monomial(rate, k)
    )


@lru_cache(maxsize=4096)
def _integral_of_monomial(rate: Exact, k: int) -> tuple[tuple[int, Exact], ...]:
    """∫ x^k·e^(λx) dx as degree → coefficient, beside e^(λx)."""
    if decision.sign(rate) == 0:
        return ((k + 1, rational(fmpq(1, k + 1))),)
    inverse = reciprocal_of_nonzero(rate)
    return tuple(
        (k - j, product((rational(fmpq((-1) ** j * factorial(k), factorial(k - j))), power(inverse, j + 1))))
        for j in range(k + 1)
    )


@lru_cache(maxsize=4096)
def _sum_of_monomial(rate: Exact, k: int) -> tuple[tuple[int, Exact], ...]:
    """The solution of r·q(x+1) − q(x) = x^k, r = e^λ, by falling degree; with q(0) = 0 where λ = 0."""
    way = decision.sign(rate)
    ratio = exp(rate)
    top = k if way else k + 1
    # 1/(r-1), always through 1 - e^(-|λ|), so that equal denominators look equal
    decay = exp(negative(rate)) if way > 0 else ratio
    over: Exact = reciprocal_of_nonzero(1 - decay) if way else ONE
    over = product((decay, over)) if way > 0 else negative(over)
    numbers: dict[int, Exact] = {}
    for j in range(top, -1 if way else 0, -1):
        row = j if way else j - 1  # the power of x whose coefficients are compared
        above = total(product((rational(fmpq(comb(i, row))), q)) for i, q in numbers.items())
        wanted = total((ONE if row == k else ZERO, negative(product((ratio, above)))))
        numbers[j] = product((wanted, over)) if way else product((wanted, rational(fmpq(1, j))))
    return tuple((j, q) for j, q in numbers.items() if q is not ZERO)


@dataclass(frozen=True, eq=False)
class Piecewise:
    """pieces[i] on breaks[i-1] ≤ x < breaks[i]; the breaks rise strictly, and are whole for a whole variable."""

    discrete: bool
    breaks: tuple[Endpoint, ...]
    pieces: tuple[ExpPoly, ...]

    def at(self, x: Exact) -> Exact:
        """The value at x."""
        return value(self.pieces[sum(1 for b in self.breaks if ordering(exact(b), x) <= 0)], x)

    @cached_property
    def mass(self) -> Exact:
        """Its sum or integral over everything; it must fall off at both ends."""
        return self.below_each_break[-1]

    @cached_property
    def _primitives(self) -> tuple[ExpPoly, ...]:
        return tuple(antiderivative(piece, self.discrete) for piece in self.pieces)

    @cached_property
    def below_each_break(self) -> tuple[Exact, ...]:
        """The masses below each break, and over everything."""
        masses: list[Exact] = []
        for i, primitive in enumerate(self._primitives):
            above = value(primitive, exact(self.breaks[i])) if i < len(self.breaks) else ZERO
            below = value(primitive, exact(self.breaks[i - 1])) if i else ZERO
            mass = total((masses[-1] if masses else ZERO, above, negative(below)))
            masses.append(simplified(mass) if self.discrete else mass)
        return tuple(masses)

    @cached_property
    def cumulative(self) -> Piecewise:
        """u ↦ the mass at x < u."""
        masses = (ZERO, *self.below_each_break)
        pieces = []
        for i, primitive in enumerate(self._primitives):
            below = value(primitive, exact(self.breaks[i - 1])) if i else ZERO
            whole = sum_of_functions(primitive, constant_function(total((masses[i], negative(below)))))
            pieces.append({monomial: simplified(c) for monomial, c in whole.items()} if self.discrete else whole)
        return Piecewise(self.discrete, self.breaks, tuple(pieces))

    def between(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """For a distribution function: its value at `high` less that at `low`, where None is the end of the line."""
        # far to the right only the constant is left
        above = self.pieces[-1].get((ZERO, 0), ZERO) if high is None else self.at(exact(high))
        return above if low is None else total((above, negative(self.at(exact(low)))))

    def within(self, values: Intervals) -> Piecewise:
        """The function on `values`, and 0 elsewhere."""
        ends = [end for interval in values for end in interval if end is not None]
        breaks = in_rising_order([*self.breaks, *ends])
        pieces = [
            piece if any(_contains(interval, low, high) for interval in values) else NOTHING
            for (low, high), piece in zip(_intervals(breaks), self.refined(breaks), strict=True)
        ]
        return _merged(self.discrete, breaks, pieces)

    def times(self, other: Piecewise) -> Piecewise:
        """The product of two functions."""
        return self._combined(other, product_of_functions)

    def plus(self, other: Piecewise) -> Piecewise:
        """The sum of two functions."""
        return self._combined(other, sum_of_functions)

    def scaled(self, factor: Exact) -> Piecewise:
        """factor·function."""
        return Piecewise(self.discrete, self.breaks, tuple(scaled_function(piece, factor) for piece in self.pieces))

    def composed(self, slope: Exact, shift: Endpoint) -> Piecewise:
        """y ↦ function(slope·y + shift); for a whole variable the slope is 1 or −1, and the shift whole."""
        number = exact(shift)
        pieces = [composed(piece, slope, number) for piece in self.pieces]
        rising = decision.sign(slope) > 0
        breaks = [self._moved(b, slope, shift, rising) for b in self.breaks]
        if not rising:
            pieces.reverse()
            breaks.reverse()
        return Piecewise(self.discrete, tuple(breaks), tuple(pieces))

    def _moved(self, b: Endpoint, slope: Exact, shift: Endpoint, rising: bool) -> Endpoint:
        """The y where slope·y + shift reaches b."""
        if self.discrete:
            assert is_whole(b), "the breaks of a whole variable are whole"
            assert is_whole(shift), "so is its shift"
            return b - shift if rising else shift - b + 1
        return (exact(b) - shift) / slope

    def _combined(self, other: Piecewise, operation: Callable[[ExpPoly, ExpPoly], ExpPoly]) -> Piecewise:
        breaks = in_rising_order([*self.breaks, *other.breaks])
        pieces = [operation(a, b) for a, b in zip(self.refined(breaks), other.refined(breaks), strict=True)]
        return _merged(self.discrete, breaks, pieces)

    def refined(self, breaks: list[Endpoint]) -> Iterator[ExpPoly]:
        """The piece on each interval of finer `breaks`."""
        i = 0
        yield self.pieces[0]
        for b in breaks:
            while i < len(self.breaks) and self.breaks[i] <= b:
                i += 1
            yield self.pieces[i]


def convolution(f: Piecewise, g: Piecewise) -> Piecewise:
    """t ↦ ∫ f(x)·g(t − x) dx, or the sum over whole x."""
    discrete = f.discrete
    # For t at or beyond f's break a plus g's break b (less 1 for whole x), x = t - b (+ 1) is at or beyond a.
    meets = {(i, j): _plus(a, b, -1 if discrete else 0) for i, a in enumerate(f.breaks) for j, b in enumerate(g.breaks)}
    breaks = in_rising_order(list(meets.values()))
    pieces = []
    for low, _ in _intervals(breaks):
        beyond = {key: low is not None and meet <= low for key, meet in meets.items()}
        pieces.append(sum_of_functions(*_convolved_parts(f, g, beyond)))
    return _merged(discrete, breaks, pieces)


def _convolved_parts(f: Piecewise, g: Piecewise, beyond: Mapping[tuple[int, int], bool]) -> Iterator[ExpPoly]:
    """The integrals over each stretch of x on which neither f nor g(t − ·) changes its piece."""
    # Going right in x, f's pieces rise and g's fall.
    i, j = 0, len(g.breaks)
    start: tuple[bool, Endpoint] | None = None  # (moving with t, break)
    while True:
        f_next = i < len(f.breaks)
        g_next = j > 0
        # t - b comes before a where t has not reached a + b
        moving = g_next and (not f_next or not beyond[i, j - 1])
        end = (True, g.breaks[j - 1]) if moving else (False, f.breaks[i]) if f_next else None
        yield _stretch(f.pieces[i], g.pieces[j], start, end, f.discrete)
        if end is None:
            return
        start = end
        i, j = (i, j - 1) if moving else (i + 1, j)


def _stretch(
    f: ExpPoly, g: ExpPoly, start: tuple[bool, Endpoint] | None, end: tuple[bool, Endpoint] | None, discrete: bool
) -> ExpPoly:
    """∫ f(x)·g(t − x) dx from start to end, as a function of t; each end is b, or t − b where it moves."""
    terms: list[ExpPoly] = []
    for (mu, k), d in g.items():
        # g's term is Σ binomial·t^(k-m)·e^(mu·t) times (-x)^m·e^(-mu·x)
        for m in range(k + 1):
            of_x = product_of_functions(f, {(negative(mu), m): rational(fmpq((-1) ** m * comb(k, m)))})
            primitive = antiderivative(of_x, discrete)
            between = sum_of_functions(
                _at_end(primitive, end, discrete),
                scaled_function(_at_end(primitive, start, discrete), rational(fmpq(-1))),
            )
            terms.append(product_of_functions(between, {(mu, k - m): d}))
    return sum_of_functions(*terms)


def _at_end(primitive: ExpPoly, end: tuple[bool, Endpoint] | None, discrete: bool) -> ExpPoly:
    if end is None:
        return NOTHING  # it falls off
    moves, b = end
    if not moves:
        return constant_function(value(primitive, exact(b)))
    return composed(primitive, ONE, (1 if discrete else 0) - exact(b))


def _plus(a: Endpoint, b: Endpoint, by: int) -> Endpoint:
    if is_whole(a) and is_whole(b):
        return a + b + by
    return exact(a) + exact(b)


def _merged(discrete: bool, breaks: list[Endpoint], pieces: list[ExpPoly]) -> Piecewise:
    """Without the breaks at which nothing changes."""
    kept = [i for i in range(len(breaks)) if not _are_one(pieces[i], pieces[i + 1])]
    return Piecewise(discrete, tuple(breaks[i] for i in kept), (pieces[0], *(pieces[i + 1] for i in kept)))


def _are_one(p: ExpPoly, q: ExpPoly) -> bool:
    """True where two pieces are one function; of functions of symbols, whether they are so by their form.

    That they are so somewhere is of no use, and where is not asked.
    """
    return p.keys() == q.keys() and all(
        c is q[key] or (c.symbol is None and q[key].symbol is None and c == q[key]) for key, c in p.items()
    )


def in_rising_order(points: list[Endpoint]) -> list[Endpoint]:
    """The points in rising order, each once."""
    ordered = sorted(points, key=cmp_to_key(_order))
    return [point for i, point in enumerate(ordered) if i == 0 or point != ordered[i - 1]]


def _order(a: Endpoint, b: Endpoint) -> int:
    return -1 if a < b else int(a > b)


def _intervals(breaks: list[Endpoint]) -> list[tuple[Endpoint | None, Endpoint | None]]:
    return list(pairwise([None, *breaks, None]))


def _contains(outer: tuple[Endpoint | None, Endpoint | None], low: Endpoint | None, high: Endpoint | None) -> bool:
    """True where [low, high) lies in `outer`."""
    above = outer[0] is None or (low is not None and low >= outer[0])
    return above and (outer[1] is None or (high is not None and high <= outer[1]))

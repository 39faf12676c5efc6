"""The roots t > 0 of polynomials in t and z = e^(-t) with rational coefficients: all of them, and no conjecture needed.

By Lindemann's theorem t and e^(-t) are not both algebraic where t ≠ 0. Let f be irreducible over the rationals and no
multiple of z, and F(t) = f(t, e^(-t)).

- F has simple roots. F′ is g = f_t − z·f_z, of no larger degree in t and in z. If f divided g then g = c·f, so that
  a′ = (c + j)·a for every a·z^j in f, a polynomial in t: then c = -j, a is constant, and f is a·z^j. So f and g have no
  common divisor, hence finitely many common zeros, all with algebraic coordinates: none is on the curve z = e^(-t).
- Two such f that are not multiples of each other have, likewise, no common root.
- F is 0 at a rational t only if f is a multiple of t − that number.

So the line t > 0 is cut until on every piece a ball shows that F is not 0, or that F′ is not. Near 0 the first
derivative that is not 0 there decides (Lagrange's remainder), and far out the first row of f dominates the others.

A polynomial whose degree is too large to be factored is cut likewise, which ends where its roots are simple and none is
shared: what 4096 bits do not tell is undecided.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import cmp_to_key, lru_cache, reduce
from math import gcd, lcm
from typing import Final

from flint import Ordering, arb, ctx, fmpq, fmpq_mpoly_ctx, fmpz_mpoly, fmpz_poly

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.atoms import NumberForm
from dpverify.mechanisms.numbers.decision import LARGEST_PRECISION, LARGEST_PRECISION_WITHOUT_ZERO_TEST
from dpverify.mechanisms.numbers.elementary import exp, log, sqrt
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact, negative, ordering, power, product, rational, total
from dpverify.mechanisms.numbers.roots.mixed_polynomials import (
    MixedFunction,
    MixedTerms,
    coefficients_beyond,
    function_of,
    polynomial_key,
)


class MixedRoot:
    """The only root of a polynomial between two rationals > 0, which move closer as it is asked.

    A rational root is both of them. Roots are equal where they are the same number.
    """

    __slots__ = ("_first", "_halvings_left", "_name", "_rises", "high", "key", "low")

    def __init__(self, key: MixedTerms, low: fmpq, high: fmpq) -> None:
        self.key: Final = key
        self.low = low
        self.high = high
        self._rises = low == high or self.function.sign_at(low) < 0
        self._first = (low, high)
        self._halvings_left = limit_of(key)
        self._name = (key, str(low))  # a polynomial's roots are isolated in one way

    @property
    def function(self) -> MixedFunction:
        """Polynomial of which it is a root."""
        return function_of(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MixedRoot) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def anew(self) -> MixedRoot:
        """The same root between the rationals that it had at first."""
        return MixedRoot(self.key, *self._first)

    def narrow(self) -> None:
        """Halve the interval around it. Raises `Undecided` where two roots seem to be one, as far as bits tell."""
        if self.low == self.high:
            return
        self._halvings_left -= 1
        if self._halvings_left < 0:
            raise Undecided(
                not_known.SIGN_UNKNOWN,
                f"whether two functions of ε are 0 at the same ε is not known with {limit_of(self.key)} bits",
            )
        middle = (self.low + self.high) / 2
        if (self.function.sign_at(middle) < 0) == self._rises:
            self.low = middle
        else:
            self.high = middle

    def compared_to(self, t: Exact) -> int:
        """-1, 0 or 1 as the root is less than, equal to or greater than a number without ε.

        Raises `Undecided` where it cannot be told whether the number is the root.
        """
        if self.low == self.high:
            return ordering(rational(self.low), t)
        for halvings in itertools.count():
            if ordering(rational(self.low), t) >= 0:
                return 1
            if ordering(rational(self.high), t) <= 0:
                return -1
            if halvings == _BEFORE_ALGEBRA and is_factored(self.key) and _is_zero_at(self.key, t):
                break
            self.narrow()
        return 0  # the number is a root of the polynomial, and no other one lies there


_BEFORE_ALGEBRA: Final = 60
"""Halvings after which it is asked whether a number is the root."""


_LARGEST_DEGREE: Final = 500
LARGEST_DEGREE_IN_Z: Final = 4_000
"""Of polynomials that are factored, in both variables and in z alone."""


def is_factored(key: MixedTerms) -> bool:
    """True if a polynomial is not too large to be factored: of such ones the roots are those of irreducible factors."""
    powers, degree = max(i for i, _, _ in key), max(j for _, j, _ in key)
    return powers + degree <= (_LARGEST_DEGREE if powers else LARGEST_DEGREE_IN_Z)


def limit_of(key: MixedTerms) -> int:
    """The bits with which its roots are told from others, and from places where it is not 0."""
    return LARGEST_PRECISION if is_factored(key) else LARGEST_PRECISION_WITHOUT_ZERO_TEST


def mixed_roots(f: fmpz_mpoly) -> list[MixedRoot]:
    """The different roots t > 0 of f ≠ 0, in rising order. Raises `Undecided` where they are not told apart."""
    return roots_in_order([root for factor in _factors(f) for root in _roots_of(factor)])


def roots_in_order(roots: Sequence[MixedRoot]) -> list[MixedRoot]:
    """The different ones among `roots` in rising order, with intervals that do not meet."""
    return sorted(dict.fromkeys(roots), key=cmp_to_key(_order))


def _order(left: MixedRoot, right: MixedRoot) -> int:
    while not (left.high < right.low or right.high < left.low):
        # different roots: at most one of the intervals is a point that the other still holds
        left.narrow()
        right.narrow()
    return -1 if left.high < right.low else 1


def _factors(f: fmpz_mpoly) -> Iterator[MixedTerms]:
    """The irreducible factors of f ≠ 0 that may be 0 for some t > 0: all but t and z.

    Of a large f those in t alone, which are 0 at algebraic numbers, and the product of the others.
    """
    key = polynomial_key(f)
    if _is_nowhere_zero(key):
        return
    if is_factored(key):
        # in rational numbers, since python-flint 0.9 sorts factors with whole coefficients by these as C integers
        for factor, _ in _RATIONAL.from_dict({(i, j): fmpq(c) for i, j, c in key}).factor()[1]:
            if len(factor) > 1:
                yield _primitive((int(i), int(j), c) for (i, j), c in factor.to_dict().items())
    else:
        rows = function_of(key).rows
        common = reduce(fmpz_poly.gcd, (row for _, row in rows))
        for of_t, _ in common.factor()[1]:
            if of_t[0] != 0:  # it is not t
                yield _primitive((i, 0, fmpq(c)) for i, c in enumerate(of_t.coeffs()) if c != 0)
        least = rows[0][0]
        yield _primitive(
            (i, j - least, fmpq(c)) for j, row in rows for i, c in enumerate((row // common).coeffs()) if c != 0
        )


def _primitive(terms: Iterable[tuple[int, int, fmpq]]) -> MixedTerms:
    """The one multiple with coprime whole coefficients of which the last is positive."""
    ordered = sorted(terms, key=lambda term: term[:2])
    scale = fmpq(lcm(*(int(c.q) for _, _, c in ordered)), gcd(*(int(c.p) for _, _, c in ordered)))
    scale = scale if ordered[-1][2] > 0 else -scale
    return tuple((i, j, int((c * scale).p)) for i, j, c in ordered)


_RATIONAL: Final = fmpq_mpoly_ctx.get(("t", "z"), Ordering.lex)


def _is_nowhere_zero(key: MixedTerms) -> bool:
    """True where the signs of coefficients say so: of f itself, or of f in z alone those of Descartes' rule."""
    if len({c > 0 for _, _, c in key}) == 1:
        return True
    if any(i for i, _, _ in key) or not is_factored(key):
        return False
    return len({c > 0 for c in coefficients_beyond(key, max(j for _, j, _ in key)) if c}) == 1


@lru_cache(maxsize=1 << 14)
def _roots_of(key: MixedTerms) -> tuple[MixedRoot, ...]:
    if _is_nowhere_zero(key):
        return ()
    if {(i, j) for i, j, _ in key} == {(0, 0), (1, 0)}:
        of = {i: c for i, _, c in key}
        root = fmpq(-of[0], of[1])
        return (MixedRoot(key, root, root),)
    return tuple(MixedRoot(key, low, high) for low, high in _isolated(function_of(key), limit_of(key)))


def _isolated(function: MixedFunction, limit: int) -> Iterator[tuple[fmpq, fmpq]]:
    """Intervals with rational ends in rising order, each around one root, for a function with simple roots alone."""
    low, high = _near_zero(function), _far_out(function)
    ends = [low]
    while ends[-1] < high:
        ends.append(2 * ends[-1])
    waiting = [(start, end, 0) for start, end in zip(ends[-2::-1], ends[:0:-1], strict=True)]
    while waiting:
        start, end, depth = waiting.pop()
        if 4 * depth > limit:
            raise Undecided(
                not_known.SIGN_UNKNOWN,
                f"whether a function of ε is 0 near ε/L = {start} is not known with {limit} bits",
            )
        result = _number_of_roots(function, start, end, 64 + function.bits + 4 * depth)
        if result is None:
            middle = (start + end) / 2
            waiting += [(middle, end, depth + 1), (start, middle, depth + 1)]
        elif result:
            yield start, end


def _number_of_roots(function: MixedFunction, low: fmpq, high: fmpq, precision: int) -> int | None:
    """0 or 1 where the values of the function, or of its derivative, are seen to have one sign; None elsewhere."""
    slope = function.derivative
    with ctx.workprec(precision):
        start, end, middle = arb(low), arb(high), arb((low + high) / 2)
        around = start.union(end) - middle
        # by the mean value theorem
        slopes = slope.ball(middle, middle) + slope.derivative.ball(start, end) * around
        values = function.ball(middle, middle) + slopes * around
        if values > 0 or values < 0:
            return 0
        monotone = slopes > 0 or slopes < 0
    if not monotone:
        return None
    return int(function.sign_at(low) != function.sign_at(high))


def _near_zero(function: MixedFunction) -> fmpq:
    """A number up to which the function, from 0 on, is not 0."""
    derived = function
    while derived.at_zero == 0:
        derived = derived.derivative
    # F(t) = F⁽ᵐ⁾(s)·t^m/m! for some s between 0 and t, where the earlier derivatives are 0 at 0
    end = fmpq(1)
    with ctx.workprec(64 + derived.bits):
        while True:
            ball = derived.ball(arb(0), arb(end))
            if ball > 0 or ball < 0:
                return end
            end /= 2


def _far_out(function: MixedFunction) -> fmpq:
    """A number from which on the function is not 0: the leading term of its first row exceeds all others together."""
    first = function.rows[0][1]
    degree = first.degree()
    others = [
        (j, i - degree, abs(int(c)))
        for j, row in function.rows
        for i, c in enumerate(row.coeffs())
        if c != 0 and (i, j) != (degree, 0)
    ]
    # from where they begin on, all t^(i - degree)·e^(-jt) fall
    end = max([1, *(-(-i // j) for j, i, _ in others if j and i > 0)])
    with ctx.workprec(64 + function.bits):
        while True:
            t = arb(end)
            if sum((c * t**i * (-j * t).exp() for j, i, c in others), arb(0)) < abs(int(first[degree])):
                return fmpq(end)
            end *= 2


def _is_zero_at(key: MixedTerms, t: Exact) -> bool:
    """True where an irreducible polynomial, not linear in t alone, is 0 at a number t > 0 without ε.

    Raises `Undecided` where that is not known: t and e^t may be transcendental both.
    """
    has_t, has_z = any(i for i, _, _ in key), any(j for _, j, _ in key)
    z = exp(negative(t))
    if (has_z and _is_algebraic(t)) or (has_t and _is_algebraic(z)):
        return False  # then z, or t, is transcendental
    return decision.sign(total(product((rational(fmpq(c)), power(t, i), power(z, j))) for i, j, c in key)) == 0


def _is_algebraic(number: NumberForm) -> bool:
    """True where a number is algebraic by its form: made of rationals and roots."""
    for term in number.terms:
        if term.monomial.power != 0:
            return False
        for factor, _ in term.factors:
            if factor.is_atom:
                argument = factor.argument
                if factor.function != "sqrt" or not isinstance(argument, Exact) or not _is_algebraic(argument):
                    return False
            elif not _is_algebraic(factor):
                return False
    return True


def closed_form(root: MixedRoot) -> Exact | None:
    """The root as a number, where its polynomial is a·t^n − b, a·z^n − b or quadratic in t; None for others."""
    if root.low == root.high:
        return rational(root.low)
    of = {(i, j): c for i, j, c in root.key}
    if len(of) == 2 and (0, 0) in of:
        (((i, j), above),) = ((where, c) for where, c in of.items() if where != (0, 0))
        if i == 0:
            return log(rational(fmpq(-above, of[0, 0]))) / j
        if j == 0:
            return exp(log(rational(fmpq(-of[0, 0], above))) / i)
    if all(j == 0 and i <= 2 for i, j in of):
        a, b, c = (of.get((i, 0), 0) for i in (2, 1, 0))
        width = sqrt(b * b - 4 * a * c)
        both = [(way * width - b) / (2 * a) for way in (-1, 1)]
        return next(x for x in both if rational(root.low) < x < rational(root.high))
    return None

"""The real roots of polynomials with whole coefficients between 0 and 1, exactly, after Vincent, Collins and Akritas.

By Descartes' rule, f has no more roots in (0, 1) than the coefficients of (1 + x)^n·f(1/(1 + x)) change their sign, and
exactly one where they change it once. Those coefficients are, up to positive factors, f's in the Bernstein basis.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key, lru_cache
from itertools import pairwise
from typing import Final, Protocol, TypeVar

from flint import fmpq, fmpz_poly

_ONE_PLUS_X: Final = fmpz_poly([1, 1])


class NarrowingRoot(Protocol):
    """A number between two rationals that move closer as it is asked; equal ones are the same number."""

    low: fmpq
    high: fmpq

    def narrow(self) -> None:
        """Bring them closer."""

    def __hash__(self) -> int: ...


AnyRoot = TypeVar("AnyRoot", bound=NarrowingRoot)


class RealRoot:
    """The only root of an irreducible polynomial between two rationals in [0, 1], which move closer as it is asked.

    A rational root is both of them. Roots are equal where they are the same number.
    """

    __slots__ = ("_name", "_rises", "high", "low", "polynomial")

    def __init__(self, polynomial: fmpz_poly, low: fmpq, high: fmpq) -> None:
        self.polynomial: Final = polynomial
        self.low = low
        self.high = high
        self._rises = low == high or polynomial(low) < 0
        # a polynomial's roots are isolated in one way
        self._name = (tuple(map(int, polynomial.coeffs())), str(low))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RealRoot) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def anew(self) -> RealRoot:
        """The same root between the rationals that it had at first."""
        return next(root for root in _roots_of_irreducible.__wrapped__(self._name[0]) if root == self)

    def narrow(self) -> None:
        """Halve the interval around it."""
        if self.low == self.high:
            return
        middle = (self.low + self.high) / 2
        if (self.polynomial(middle) < 0) == self._rises:
            self.low = middle
        else:
            self.high = middle


def real_roots(f: fmpz_poly) -> list[RealRoot]:
    """The different roots of f ≠ 0 in (0, 1), in rising order."""
    return roots_in_order(
        [root for factor, _ in f.factor()[1] for root in _roots_of_irreducible(tuple(factor.coeffs()))]
    )


def roots_in_order(roots: Sequence[AnyRoot]) -> list[AnyRoot]:
    """The different ones among `roots` in rising order, with intervals that do not meet."""
    return sorted(dict.fromkeys(roots), key=cmp_to_key(_order))


def coefficients_beyond(f: fmpz_poly, degree: int) -> list[int]:
    """The coefficients of (1 + x)^degree·f(1/(1 + x)) from the constant on; `degree` is at least f's."""
    padded = [*map(int, f.coeffs()), *[0] * degree][: degree + 1]
    result = fmpz_poly(padded[::-1])(_ONE_PLUS_X)
    return [*map(int, result.coeffs()), *[0] * degree][: degree + 1]


def coefficient_sign_changes(coefficients: Sequence[int]) -> int:
    """The number of times that successive coefficients, zeros left out, differ in sign."""
    return sum((a < 0) != (b < 0) for a, b in pairwise(c for c in coefficients if c != 0))


def _order(left: AnyRoot, right: AnyRoot) -> int:
    while not (left.high < right.low or right.high < left.low):
        # different roots: at most one of the intervals is a point that the other still holds
        left.narrow()
        right.narrow()
    return -1 if left.high < right.low else 1


@lru_cache(maxsize=1 << 14)
def _roots_of_irreducible(coefficients: tuple[int, ...]) -> tuple[RealRoot, ...]:
    f = fmpz_poly(list(coefficients))
    if f.degree() == 1:
        root = fmpq(-f[0], f[1])
        return (RealRoot(f, root, root),) if 0 < root < 1 else ()
    results = []
    # f on ((c, c + 1)/2^k), as a polynomial on (0, 1); no rational number is a root
    waiting = [(f, 0, 0)] if f.degree() > 1 else []
    while waiting:
        part, c, k = waiting.pop()
        changes = coefficient_sign_changes(coefficients_beyond(part, part.degree()))
        if changes == 1:
            results.append(RealRoot(f, fmpq(c, 1 << k), fmpq(c + 1, 1 << k)))
        elif changes > 1:
            left = fmpz_poly([a << (part.degree() - i) for i, a in enumerate(map(int, part.coeffs()))])
            waiting += [(left, 2 * c, k + 1), (left(_ONE_PLUS_X), 2 * c + 1, k + 1)]
    return tuple(results)

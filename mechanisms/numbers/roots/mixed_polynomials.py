"""Polynomials in t and z = e^(-t) with whole coefficients, as functions of t > 0: their values and bounds, by balls.

By Descartes' rule a polynomial in z alone has no more roots in (0, 1) than the coefficients of (1 + x)^n·f(1/(1 + x))
change their sign: these are, up to positive factors, its coefficients in the Bernstein basis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from flint import Ordering, arb, ctx, fmpq, fmpz, fmpz_mpoly, fmpz_mpoly_ctx, fmpz_poly

from dpverify.mechanisms.numbers.decision import LARGEST_PRECISION
from dpverify.mechanisms.numbers.errors import Undecided, not_known

CONTEXT: Final = fmpz_mpoly_ctx.get(("t", "z"), Ordering.lex)

MixedTerms: TypeAlias = tuple[tuple[int, int, int], ...]
"""The terms (i, j, c) of Σ c·t^i·z^j in rising order: what a polynomial is remembered by."""


def mixed_polynomial(terms: Mapping[tuple[int, ...], fmpz | int]) -> fmpz_mpoly:
    """Σ c·t^i·z^j with (i, j) → c."""
    return CONTEXT.from_dict(dict(terms))


def polynomial_key(f: fmpz_mpoly) -> MixedTerms:
    """The key that two polynomials agree in where they are one."""
    return tuple(sorted((int(i), int(j), int(c)) for (i, j), c in f.to_dict().items()))


def coefficients_beyond(key: MixedTerms, degree: int) -> list[int]:
    """The coefficients of (1 + x)^degree·f(1/(1 + x)) from the constant on; f, in z alone, has no larger degree."""
    padded = [0] * (degree + 1)
    for _, j, c in key:
        padded[degree - j] = c
    result = fmpz_poly(padded)(_ONE_PLUS_X)
    return [*map(int, result.coeffs()), *[0] * degree][: degree + 1]


_ONE_PLUS_X: Final = fmpz_poly([1, 1])


class MixedFunction:
    """The function f(t, e^(-t)): `rows` are (j, what stands beside z^j), the latter a polynomial in t, by rising j."""

    __slots__ = ("_derivative", "bits", "rows")

    def __init__(self, rows: Iterable[tuple[int, fmpz_poly]]) -> None:
        self.rows: Final = tuple((j, row) for j, row in rows if row.degree() >= 0)
        self.bits: Final = max((int(c).bit_length() for _, row in self.rows for c in row.coeffs()), default=0)
        self._derivative: MixedFunction | None = None

    @property
    def derivative(self) -> MixedFunction:
        """The derivative by t: a·z^j becomes (a′ − j·a)·z^j."""
        if self._derivative is None:
            self._derivative = MixedFunction((j, row.derivative() - j * row) for j, row in self.rows)
        return self._derivative

    @property
    def at_zero(self) -> int:
        """The value at t = 0, where z = 1."""
        return sum(int(row[0]) for _, row in self.rows)

    def ball(self, low: arb, high: arb) -> arb:
        """A ball that contains all values between two numbers, which may be one; at the current precision."""
        t = low.union(high)
        decays: dict[int, arb] = {}
        ball = arb(0)
        above = self.rows[-1][0] if self.rows else 0
        for j, row in [*reversed(self.rows), (0, _NOTHING)]:
            if j != above:
                gap = above - j
                if gap not in decays:
                    decays[gap] = (-gap * low).exp().union((-gap * high).exp())
                ball *= decays[gap]
                above = j
            ball += row(t)
        return ball

    def sign_at(self, t: fmpq) -> int:
        """The sign at a rational t > 0. There z is transcendental, so that f is 0 only where all its rows are.

        Raises `Undecided` where it is not seen with a million bits.
        """
        precision = 64 + self.bits
        while precision <= LARGEST_PRECISION:
            with ctx.workprec(precision):
                x = arb(t)
                result = self.ball(x, x)
            if result > 0:
                return 1
            if result < 0:
                return -1
            if all(row(t) == 0 for _, row in self.rows):
                return 0
            precision *= 2
        raise Undecided(
            not_known.SIGN_UNKNOWN, f"the sign of a function of ε is not known with {LARGEST_PRECISION} bits"
        )


_NOTHING: Final = fmpz_poly([])


@lru_cache(maxsize=1 << 12)
def function_of(key: MixedTerms) -> MixedFunction:
    """The function of a polynomial."""
    rows: dict[int, dict[int, int]] = {}
    for i, j, c in key:
        rows.setdefault(j, {})[i] = c
    return MixedFunction(
        (j, fmpz_poly([row.get(i, 0) for i in range(1 + max(row))])) for j, row in sorted(rows.items())
    )


def sign_at(f: fmpz_mpoly, t: fmpq) -> int:
    """The sign of f(t, e^(-t)) at a rational t > 0. Raises `Undecided` as `Function.sign_at` does."""
    return function_of(polynomial_key(f)).sign_at(t)

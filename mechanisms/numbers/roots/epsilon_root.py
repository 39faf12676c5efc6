"""An ε without a closed form: the root of a polynomial in ε and e^(-ε/L), which is compared and narrowed, exactly."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Final, TypeAlias

from flint import arb, ctx, fmpq, fmpz_mpoly

from dpverify.mechanisms.numbers.enclosure import bounds, decimal_of_fraction, outward
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_number, to_fraction
from dpverify.mechanisms.numbers.roots.mixed_polynomials import function_of, mixed_polynomial, of_key, polynomial_key
from dpverify.mechanisms.numbers.roots.mixed_roots import MixedRoot, closed_form, is_factored, limit_of, mixed_roots
from dpverify.mechanisms.numbers.roots.real_roots import comes_before


class EpsilonRoot:
    """The irrational ε = fineness·t for a root t of a polynomial in t and e^(-t).

    It is compared with others and with numbers. Raises `Undecided` where it cannot be told whether they are equal.
    """

    __slots__ = ("_bounds", "fineness", "root")

    def __init__(self, root: MixedRoot, fineness: int) -> None:
        self.root: Final = root
        self.fineness: Final = fineness
        self._bounds: dict[int, tuple[Fraction, Fraction]] = {}

    def compared_to(self, other: Exact | EpsilonRoot) -> int:
        """-1, 0 or 1 as it is less than, equal to or greater than the other."""
        if isinstance(other, Exact):
            return self.root.compared_to(other / self.fineness)
        if self is other:
            return 0
        common = lcm(self.fineness, other.fineness)
        left, right = self.in_units_of(common), other.in_units_of(common)
        return 0 if left == right else -1 if comes_before(left, right) else 1

    def in_units_of(self, fineness: int) -> MixedRoot:
        """The same root as one of a polynomial in ε/fineness, for a multiple of its own fineness."""
        return divided_root(self.root, fineness // self.fineness)

    def sign_of(self, f: fmpz_mpoly, fineness: int) -> int:
        """The sign at this ε of f(ε/fineness, e^(-ε/fineness)). Raises `Undecided` where it is not seen."""
        if f.is_zero():
            return 0
        common = lcm(self.fineness, fineness)
        root, key = self.in_units_of(common), polynomial_key(inflated(f, common // fineness))
        limit = min(limit_of(root.key), limit_of(key))
        if is_factored(root.key) and is_factored(key) and not of_key(key).gcd(of_key(root.key)).is_constant():
            return 0  # the root's polynomial is irreducible
        function = function_of(key)
        bits = 64
        while bits <= limit:
            while root.high - root.low > root.low / (1 << bits):
                root.narrow()
            with ctx.workprec(function.bits + 2 * bits):
                ball = function.ball(arb(root.low), arb(root.high))
            if ball > 0 or ball < 0:
                return 1 if ball > 0 else -1
            bits *= 2
        raise Undecided(not_known.SIGN_UNKNOWN, f"the sign of a function of ε at {self} is not known with {limit} bits")

    def between(self, bits: int) -> tuple[fmpq, fmpq]:
        """Rationals around it that agree to so many bits at least; which ones depends on what was asked before."""
        while self.root.high - self.root.low > self.root.low / (1 << bits):
            self.root.narrow()
        return self.root.low * self.fineness, self.root.high * self.fineness

    def bounds(self, digits: int = 20) -> tuple[Fraction, Fraction]:
        """Decimal fractions around it that agree to about so many digits; the same ones whenever it is asked."""
        if digits not in self._bounds:
            low, high = EpsilonRoot(self.root.anew(), self.fineness).between(4 * digits)
            self._bounds[digits] = outward(to_fraction(low), to_fraction(high), digits)
        return self._bounds[digits]

    def __eq__(self, other: object) -> bool:
        end = _end(other)
        return NotImplemented if end is None else self.compared_to(end) == 0

    def __lt__(self, other: object) -> bool:
        end = _end(other)
        return NotImplemented if end is None else self.compared_to(end) < 0

    def __le__(self, other: object) -> bool:
        end = _end(other)
        return NotImplemented if end is None else self.compared_to(end) <= 0

    def __gt__(self, other: object) -> bool:
        end = _end(other)
        return NotImplemented if end is None else self.compared_to(end) > 0

    def __ge__(self, other: object) -> bool:
        end = _end(other)
        return NotImplemented if end is None else self.compared_to(end) >= 0

    def __hash__(self) -> int:
        bits = 64
        while True:  # it is irrational: its first bits are found, whatever polynomial it is a root of
            low, high = ((x * (1 << 32)).floor() for x in self.between(bits))
            if low == high:
                return hash(int(low))
            bits *= 2

    def __str__(self) -> str:
        low, high = self.bounds()
        return decimal_of_fraction((low + high) / 2)

    __repr__ = __str__


End: TypeAlias = Exact | EpsilonRoot
"""An end of an interval of ε."""


def end_of(root: MixedRoot, fineness: int) -> End:
    """The ε = fineness·root, as a number where it has a closed form."""
    closed = closed_form(root)
    return EpsilonRoot(root, fineness) if closed is None else closed * fineness


def end_bounds(end: End, digits: int = 20) -> tuple[Fraction, Fraction]:
    """Rationals around an end that agree to about so many digits."""
    return bounds(end, digits) if isinstance(end, Exact) else end.bounds(digits)


def inflated(f: fmpz_mpoly, k: int) -> fmpz_mpoly:
    """f(k·t, z^k)."""
    if k == 1:
        return f
    return mixed_polynomial({(int(i), int(j) * k): c * k ** int(i) for (i, j), c in f.to_dict().items()})


def divided_root(root: MixedRoot, k: int) -> MixedRoot:
    """The root divided by k, as a root of the polynomial f(k·t, z^k), whose roots are those of f divided by k."""
    if k == 1:
        return root
    f = of_key(root.key)
    return mixed_roots(inflated(f, k))[mixed_roots(f).index(root)]


def _end(other: object) -> End | None:
    return other if isinstance(other, EpsilonRoot) else as_number(other)

"""Exact numbers as quotients of polynomials: the algebra that decides ties.

All numbers of a comparison are polynomials in a few generators: e^(1/L), b^(1/n) for each base b that occurs, a prime
or a symbolic e^ε, and the atoms. Polynomials are sparse (python-flint's `fmpq_mpoly`), so a large L costs
nothing, and exponents may be negative: each polynomial carries a shift. Denominators stay factored into numerators of
sums, which keeps degrees small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import gcd, lcm, prod
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from dpverify.mechanisms.numbers import exact_text
from dpverify.mechanisms.numbers.cached_results import by_identity
from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.symbols import pair_base

if TYPE_CHECKING:
    from dpverify.mechanisms.numbers.atoms import Atom, NumberForm, TermForm

_Shift: TypeAlias = tuple[int, ...]
_Denominator: TypeAlias = Counter[int]
"""Serial numbers of the sums whose numerators are its factors, with multiplicities."""


class _Generators(NamedTuple):
    """Generators of a number: L of e^(1/L), (b, n) for each b^(1/n), and the atoms in order of serial number."""

    grain: int
    roots: tuple[tuple[int, int], ...]
    atoms: tuple[Atom, ...]


Reduced: TypeAlias = Mapping[_Shift, fmpq]
"""Exponents of the generators → coefficient ≠ 0: a polynomial with (p^(1/n))^n replaced by p."""


class Polynomials(NamedTuple):
    """Numbers over one common denominator, as polynomials in the generators e^(1/grain), b^(1/n) and the atoms."""

    grain: int
    roots: tuple[tuple[int, int], ...]
    atoms: tuple[Atom, ...]
    numerators: Sequence[Reduced]
    denominator: Sequence[tuple[Reduced, int]]
    """Its factors, with multiplicities."""

    def fineness(self, base: int) -> int:
        """The n of base^(1/n)."""
        return dict(self.roots).get(base, 1)


def polynomials(numbers: Iterable[NumberForm]) -> Polynomials:
    """The numbers over their common denominator."""
    numbers = list(numbers)
    generators = _generators(numbers)
    ring = _Ring(generators)
    quotients = [ring.quotient(number) for number in numbers]
    denominator: _Denominator = Counter()
    for quotient in quotients:
        denominator |= quotient.denominator
    return Polynomials(
        *generators,
        [ring.reduced(ring.over(quotient, denominator)) for quotient in quotients],
        [(ring.reduced(ring.expand({serial: 1})), k) for serial, k in denominator.items()],
    )


class _Laurent(NamedTuple):
    """polynomial · ∏ generator^shift."""

    polynomial: fmpq_mpoly
    shift: _Shift


class _Quotient(NamedTuple):
    numerator: _Laurent
    denominator: _Denominator


def is_formally_zero(number: NumberForm) -> bool:
    """True where every collected coefficient of `number` is 0; if so the number is 0."""
    ring = _ring_of(number)
    return ring.is_zero(ring.quotient(number).numerator)


def rational_value(number: NumberForm) -> fmpq | None:
    """The rational that `number` equals, None where the form shows none (for numbers without atoms: where it is none).

    N/D with linearly independent monomials is rational exactly where N is a rational multiple of D.
    """
    ring = _ring_of(number)
    quotient = ring.quotient(number)
    numerator = ring.reduced(quotient.numerator)
    if not numerator:
        return fmpq(0)
    denominator = ring.reduced(ring.expand(quotient.denominator))
    if numerator.keys() != denominator.keys():
        return None
    ratios = {key: numerator[key] / denominator[key] for key in numerator}
    first = next(iter(ratios.values()))
    return first if all(ratio == first for ratio in ratios.values()) else None


def logarithmic_form(number: NumberForm) -> tuple[fmpq, dict[int, fmpq]] | None:
    """(a, {b: r}) where `number` is a + Σ r·ln b over bases b with rational a, r; None where the form shows no such.

    exp of these numbers, and of no others, has a closed form here. A base is a prime, a symbol's, or that of a pair.
    """
    ring = _ring_of(number)
    quotient = ring.quotient(number)
    divided = ring.divided(quotient)
    if divided is None:
        return None
    constant = fmpq(0)
    logarithms: dict[int, fmpq] = {}
    first_atom = ring.first_atom
    for exponents, coefficient in ring.reduced(divided).items():
        if any(exponents[:first_atom]) or min(exponents) < 0:
            return None
        if not any(exponents):
            constant = coefficient
            continue
        base = _base_of_product([a for a, k in zip(ring.generators.atoms, exponents[first_atom:], strict=True) if k])
        if base is None or max(exponents) > 1:
            return None
        logarithms[base] = coefficient
    return constant, logarithms


def _base_of_product(factors: Sequence[Atom]) -> int | None:
    """The base of which a product of logarithms is the logarithm; None where there is none."""
    bases = [factor.argument for factor in factors if isinstance(factor.argument, int)]
    if len(bases) != len(factors) or len(bases) > 2:
        return None
    return bases[0] if len(bases) == 1 else pair_base(*bases)


_LARGEST_DEGREE: Final = 500
"""Of polynomials whose common divisors and factors are looked for: of large ones that takes all memory and time."""


def reduced_fraction(number: NumberForm) -> Hashable | None:
    """The common form of two functions of a symbolic ε that are the same quotient of polynomials in e^ε and atoms.

    None for large ones, and where radicals stand beside: there one quotient has several forms.
    """
    ring = _ring_of(number)
    quotient = ring.quotient(number)
    above, below = quotient.numerator, ring.expand(quotient.denominator)
    radical = any(base > 0 for base, _ in ring.generators.roots)
    if radical or max(*above.polynomial.degrees(), *below.polynomial.degrees()) > _LARGEST_DEGREE:
        return None
    common = above.polynomial.gcd(below.polynomial)
    numerator, denominator = (ring.reduced(_Laurent(part.polynomial / common, part.shift)) for part in (above, below))
    # Every generator may be divided out: what is left is the quotient by the first term of the denominator.
    first = max(denominator)
    scale = denominator[first]
    return tuple(
        frozenset((ring.exponents_beyond(first, key), coefficient / scale) for key, coefficient in part.items())
        for part in (numerator, denominator)
    )


class Monomials(NamedTuple):
    """Σ coefficient·e^power·∏ p^r·∏ atom^k, one entry a summand."""

    entries: tuple[tuple[fmpq, fmpq, Mapping[int, fmpq], tuple[tuple[Atom, int], ...]], ...]


def as_sum_of_monomials(number: NumberForm) -> Monomials | None:
    """`number` without denominators but atoms, where the division comes out; None elsewhere."""
    ring = _ring_of(number)
    divided = ring.divided(ring.quotient(number))
    return None if divided is None else ring.monomials(divided)


class PolynomialFraction(NamedTuple):
    """above/∏ factor^k, without a common divisor."""

    above: Monomials
    below: Sequence[tuple[Monomials, int]]


def as_fraction(number: NumberForm) -> PolynomialFraction | None:
    """`number` as one quotient in lowest terms, with irreducible factors below; None where it is too large for that."""
    ring = _ring_of(number)
    quotient = ring.quotient(number)
    above, below = quotient.numerator, ring.expand(quotient.denominator)
    if max(*above.polynomial.degrees(), *below.polynomial.degrees()) > _LARGEST_DEGREE:
        return None
    common = above.polynomial.gcd(below.polynomial)
    unit, factors = (below.polynomial / common).factor()
    shift = tuple(a - b for a, b in zip(above.shift, below.shift, strict=True))
    # The sign of a factor, and the scale, are chosen by its first term; monomials among the factors go above.
    numerator = above.polynomial / common / unit
    kept: list[tuple[Monomials, int]] = []
    for factor, k in factors:
        terms = factor.to_dict()
        if len(terms) == 1:
            ((exponents, coefficient),) = terms.items()
            shift = tuple(s - int(k) * int(e) for s, e in zip(shift, exponents, strict=True))
            numerator /= coefficient ** int(k)
        else:
            kept.append((ring.monomials(_Laurent(factor, ring.origin)), int(k)))
    return PolynomialFraction(ring.monomials(_Laurent(numerator, shift)), kept)


def most_bits(number: NumberForm) -> int | None:
    """The precision from which on balls of `number` may be no smaller; None where there is none."""
    limits = [a.argument.most_bits for a in _generators([number]).atoms if isinstance(a.argument, Certified)]
    return min(limits, default=None)


def is_wide(number: NumberForm) -> bool:
    """True where `number` is made of one whose balls are too wide for a float64."""
    return any(isinstance(a.argument, Certified) and a.argument.is_wide for a in _generators([number]).atoms)


@by_identity
def has_balls_of_unknown(number: NumberForm) -> bool:
    """True where a number that is known by balls alone, and depends on unknown ones, is in what `number` is made of."""
    factors = (factor for term in number.terms for factor, _ in term.factors)
    return any(
        _is_of_unknown(factor.argument) if factor.is_atom else has_balls_of_unknown(factor) for factor in factors
    )


def _is_of_unknown(argument: int | NumberForm | Certified) -> bool:
    if isinstance(argument, Certified):
        return argument.is_unknown
    return not isinstance(argument, int) and has_balls_of_unknown(argument)


def why_formal_zero_is_incomplete(number: NumberForm) -> str | None:
    """None where a number that is not formally 0 is certainly not 0, else the reason why that is not known.

    Complete are numbers without atoms (Lindemann-Weierstrass and Besicovitch) and, where no powers of e remain after
    one is divided out, those with one logarithm of a prime (it is transcendental) or linear in several (Baker).
    """
    ring = _ring_of(number)
    atoms = ring.generators.atoms
    if not atoms:
        return None
    if any(isinstance(atom.argument, Certified) for atom in atoms):
        return "no complete zero test is known for probabilities of Gaussian noise, of which there are enclosures alone"
    opaque = [atom.function for atom in atoms if not isinstance(atom.argument, int)]
    if opaque:
        names = " and ".join(sorted(set(opaque)))
        return f"no complete zero test is known for {names} of a number that is not of the form a + Σ r·ln p"
    keys = list(ring.reduced(ring.quotient(number).numerator))
    has_e = any(exponents[0] != keys[0][0] for exponents in keys)
    lowest = [min(column) for column in zip(*(exponents[ring.first_atom :] for exponents in keys), strict=True)]
    degree = max(sum(exponents[ring.first_atom :]) for exponents in keys) - sum(lowest)
    if not has_e and (len(atoms) == 1 or degree <= 1):
        return None
    return "no complete zero test is known for products of logarithms, or of logarithms and powers of e (Schanuel)"


def _generators(numbers: Iterable[NumberForm]) -> _Generators:
    grain = 1
    roots: dict[int, int] = {}
    atoms: dict[int, Atom] = {}
    seen: set[int] = set()
    waiting = list(numbers)
    while waiting:
        for term in waiting.pop().terms:
            grain = lcm(grain, int(term.monomial.power.q))
            for prime, exponent in term.monomial.radicals:
                roots[prime] = lcm(roots.get(prime, 1), int(exponent.q))
            for factor, _ in term.factors:
                if factor.serial in seen:
                    continue
                seen.add(factor.serial)
                if factor.is_atom:
                    atoms[factor.serial] = factor
                else:
                    waiting.append(factor)
    return _Generators(grain, tuple(sorted(roots.items())), tuple(sorted(atoms.values(), key=_order_of_atom)))


def _order_of_atom(atom: Atom) -> tuple[str, int, str]:
    """An order that does not depend on which atom was made first; the text of an argument may be long."""
    if atom.order is None:
        if isinstance(atom.argument, int):
            atom.order = (atom.function, atom.argument, "")
        elif isinstance(atom.argument, Certified):
            atom.order = (atom.function, 0, atom.argument.name)
        else:
            atom.order = (atom.function, 0, exact_text.evaluable(atom.argument))
    return atom.order


class _Ring:
    """The polynomial ring over some generators, with the numerators of the sums met so far."""

    def __init__(self, generators: _Generators) -> None:
        self.generators = generators
        self.first_atom = 1 + len(generators.roots)
        self._root_index = {prime: (1 + i, n) for i, (prime, n) in enumerate(generators.roots)}
        self._atom_index = {atom.serial: self.first_atom + i for i, atom in enumerate(generators.atoms)}
        self._width = self.first_atom + len(generators.atoms)
        self._context = fmpq_mpoly_ctx.get([f"x{i}" for i in range(self._width)], Ordering.lex)
        self.origin = (0,) * self._width
        self._one = _Laurent(self._context.from_dict({self.origin: fmpq(1)}), self.origin)
        self._quotients: dict[int, tuple[NumberForm, _Quotient]] = {}  # keeping the sum keeps it shared

    def quotient(self, number: NumberForm) -> _Quotient:
        """`number` over a common denominator."""
        known = self._quotients.get(number.serial)
        if known is not None:
            return known[1]
        denominator: _Denominator = Counter()
        over_each: dict[frozenset[tuple[int, int]], list[_Laurent]] = {}
        for term in number.terms:
            part = self._term(term)
            denominator |= part.denominator
            over_each.setdefault(frozenset(part.denominator.items()), []).append(part.numerator)
        # terms over one denominator are added first: what theirs lacks is multiplied in once, and not for each
        parts = [_Quotient(self._plus(outcome), Counter(dict(below))) for below, outcome in over_each.items()]
        result = _Quotient(self._plus([self.over(part, denominator) for part in parts]), denominator)
        if len(number.terms) > 1:
            self._quotients[number.serial] = (number, result)
        return result

    def over(self, quotient: _Quotient, denominator: _Denominator) -> _Laurent:
        """The numerator of a quotient over a denominator that its own divides."""
        missing = denominator - quotient.denominator
        return self._times(quotient.numerator, self.expand(missing)) if missing else quotient.numerator

    def expand(self, denominator: Mapping[int, int]) -> _Laurent:
        """The product of a denominator's factors."""
        result = self._one
        for serial, k in denominator.items():
            result = self._times(result, self._power(self._quotients[serial][1].numerator, k))
        return result

    def divided(self, quotient: _Quotient) -> _Laurent | None:
        """Numerator / denominator where that is again a Laurent polynomial, and not one of very many terms, else None.

        A division that begins cannot be interrupted: e^(2^40) + 1 by e + 1 has 2^40 steps, in C. Of terms far apart
        those near each other are divided together.
        """
        above, below = quotient.numerator, self.expand(quotient.denominator)
        result = self._context.from_dict({})
        is_short = len(below.polynomial) == 1 or _most_terms(above.polynomial, below.polynomial) <= _MOST_TERMS
        for part in (above.polynomial,) if is_short else self._near_each_other(above.polynomial):
            if not is_short and _most_terms(part, below.polynomial) > _MOST_TERMS:
                return None
            outcome, remainder = divmod(part, below.polynomial)
            if not remainder.is_zero():
                return None
            result += outcome
        return _Laurent(result, tuple(a - b for a, b in zip(above.shift, below.shift, strict=True)))

    def _near_each_other(self, polynomial: fmpq_mpoly) -> list[fmpq_mpoly]:
        """The polynomials of which this one is the sum, with exponents far from those of the others."""
        degrees = [int(degree) for degree in polynomial.degrees()]
        if max(degrees) <= _FAR_APART:
            return [polynomial]
        i = degrees.index(max(degrees))
        terms = sorted(polynomial.to_dict().items(), key=lambda term: int(term[0][i]))
        begins = [j for j, (one, two) in enumerate(pairwise(terms), 1) if int(two[0][i]) - int(one[0][i]) > _FAR_APART]
        ends = pairwise((0, *begins, len(terms)))
        return [self._context.from_dict(dict(terms[begin:end])) for begin, end in ends]

    def is_zero(self, laurent: _Laurent) -> bool:
        """True where nothing is left of `reduced`: without roots of primes, a polynomial is reduced as it is."""
        if laurent.polynomial.is_zero():
            return True
        return any(prime > 0 for prime in self._root_index) and not self.reduced(laurent)

    def reduced(self, laurent: _Laurent) -> dict[_Shift, fmpq]:
        """Exponents → coefficient ≠ 0, with (p^(1/n))^n replaced by p, but where that is too long: see `_kept`."""
        collected: dict[_Shift, fmpq] = {}
        terms = [
            ([int(e) + s for e, s in zip(exponents, laurent.shift, strict=True)], coefficient)
            for exponents, coefficient in laurent.polynomial.to_dict().items()
        ]
        roots = [(prime, i, n) for prime, (i, n) in self._root_index.items() if prime > 0]
        kept = {prime: _kept(prime, [position[i] // n for position, _ in terms]) for prime, i, n in roots}
        for position, coefficient in terms:
            carried = coefficient
            for prime, i, n in roots:
                whole, position[i] = divmod(position[i], n)
                stays = kept[prime](whole)
                position[i] += n * stays
                carried *= fmpq(prime) ** (whole - stays)
            key = tuple(position)
            collected[key] = collected.get(key, fmpq(0)) + carried
        return {key: coefficient for key, coefficient in collected.items() if coefficient != 0}

    def monomials(self, laurent: _Laurent) -> Monomials:
        """The terms of a polynomial."""
        grain, roots, atoms = self.generators
        entries = []
        for exponents, coefficient in self.reduced(laurent).items():
            radicals = {prime: fmpq(e, n) for (prime, n), e in zip(roots, exponents[1:], strict=False) if e}
            powers = tuple((atom, e) for atom, e in zip(atoms, exponents[self.first_atom :], strict=True) if e)
            entries.append((coefficient, fmpq(exponents[0], grain), radicals, powers))
        return Monomials(tuple(entries))

    def exponents_beyond(self, first: _Shift, exponents: _Shift) -> Hashable:
        """Generator → exponent, without those at which both agree."""
        grain, roots, atoms = self.generators
        names = [("e", grain), *roots, *((("atom", atom.serial), 1) for atom in atoms)]
        return tuple(
            (name, fmpq(e - e0, n)) for (name, n), e0, e in zip(names, first, exponents, strict=True) if e != e0
        )

    def _term(self, term: TermForm) -> _Quotient:
        shift = [0] * self._width
        shift[0] = int(term.monomial.power * self.generators.grain)
        for prime, exponent in term.monomial.radicals:
            i, n = self._root_index[prime]
            shift[i] = int(exponent * n)
        numerator = self._one
        above: _Denominator = Counter()
        below: _Denominator = Counter()
        for factor, k in term.factors:
            if factor.is_atom:
                shift[self._atom_index[factor.serial]] += k
                continue
            above[factor.serial] += k  # less than 0 of what is divided by: differences hold what is above 0
            for serial, multiplicity in self.quotient(factor).denominator.items():
                below[serial] += k * multiplicity
        numerator = self.expand(above - below)
        return _Quotient(
            _Laurent(
                numerator.polynomial * term.coefficient,
                tuple(a + b for a, b in zip(numerator.shift, shift, strict=True)),
            ),
            below - above,
        )

    def _times(self, left: _Laurent, right: _Laurent) -> _Laurent:
        if right is self._one:
            return left
        if left is self._one:
            return right
        return _Laurent(
            left.polynomial * right.polynomial, tuple(a + b for a, b in zip(left.shift, right.shift, strict=True))
        )

    def _power(self, base: _Laurent, k: int) -> _Laurent:
        return base if k == 1 else _Laurent(base.polynomial**k, tuple(k * s for s in base.shift))

    def _plus(self, summands: list[_Laurent]) -> _Laurent:
        if len(summands) == 1:
            return summands[0]
        shift = tuple(map(min, zip(*(summand.shift for summand in summands), strict=True)))
        polynomials = []
        for summand in summands:
            offset = tuple(a - b for a, b in zip(summand.shift, shift, strict=True))
            shifted = summand.polynomial * self._context.from_dict({offset: fmpq(1)}) if any(offset) else None
            polynomials.append(summand.polynomial if shifted is None else shifted)
        while (
            len(polynomials) > 1
        ):  # two at a time: each sum is a copy, which of ten thousand terms one by one takes 4 s
            odd = polynomials[len(polynomials) & ~1 :]
            polynomials = [*(a + b for a, b in zip(polynomials[::2], polynomials[1::2], strict=False)), *odd]
        return _Laurent(polynomials[0], shift)

    def forget(self, above: int) -> None:
        """Drop the remembered numerators once they are more than `above`."""
        if len(self._quotients) > above:
            self._quotients.clear()


_MOST_TERMS: Final = 1 << 16
"""Of a quotient that is looked for: a longer one is no simpler than the fraction."""


def _most_terms(above: fmpq_mpoly, below: fmpq_mpoly) -> int:
    """So many terms the quotient of two polynomials has at most: of each generator a power for each common step."""
    if above.is_zero():
        return 0
    degrees = [max(0, int(a) - int(b)) for a, b in zip(above.degrees(), below.degrees(), strict=True)]
    most = prod(degree + 1 for degree in degrees)
    if most <= _MOST_TERMS:  # most often
        return most
    steps = [gcd(*map(int, column)) for column in zip(*above.monoms(), *below.monoms(), strict=True)]
    return prod(degree // (step or 1) + 1 for degree, step in zip(degrees, steps, strict=True))


_FAR_APART: Final = 1 << 14
"""Degrees between which no division goes on."""

_WRITTEN_OUT: Final = 1 << 18
"""Binary digits up to which powers of primes are multiplied out, so that what is collected are rational numbers."""


def _kept(prime: int, wholes: Sequence[int]) -> Callable[[int], int]:
    """Of each whole power of a prime in a polynomial: how much of it is left as it is.

    Nothing where all can be written out. Else the least of them, which is a factor of all; what is so far above it
    that it cannot be written out stays too, and is collected alone: then what is not formally 0 may be 0.
    """
    most = _WRITTEN_OUT // prime.bit_length()
    least = 0 if all(abs(whole) <= most for whole in wholes) else min(wholes)
    return lambda whole: least if whole - least <= most else whole


_REMEMBERED = 20_000


@lru_cache(maxsize=64)
def _ring_over(generators: _Generators) -> _Ring:
    return _Ring(generators)


def _ring_of(number: NumberForm) -> _Ring:
    ring = _ring_over(_generators([number]))
    ring.forget(above=_REMEMBERED)
    return ring

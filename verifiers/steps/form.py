"""A normal form of expressions: sums of products, in which like terms are collected, and its derivatives.

Of a parameter that is positive throughout, log p stands beside p, logarithms of products of such are sums, and the
derivative is the one by log p, that is p·∂/∂p: it stays bounded where p goes to 0 or to ∞, and cancels as it should.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import gcd, lcm
from typing import Final, Literal, TypeAlias

from flint import fmpz

from dpverify.verifiers.steps.terms import Expression

_ONE: Final = Fraction(1)

_MOST_TERMS: Final = 400
"""Beyond which products of sums are not multiplied out."""


@dataclass(frozen=True)
class FormAtom:
    """A form that is an atom: a parameter, its logarithm, or a function of forms. "sum" is a form with two terms."""

    kind: Literal["parameter", "log parameter", "exp", "log", "sum", "ceil", "max"]
    name: str = ""
    forms: tuple[MonomialSum, ...] = ()

    @cached_property
    def _hash(self) -> int:
        return hash((self.kind, self.name, self.forms))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters in it."""
        return frozenset([self.name] if self.name else []).union(*(form.names for form in self.forms))


AtomPowers: TypeAlias = frozenset[tuple[FormAtom, Fraction]]
"""A product of powers of atoms; at most one is an "exp", whose power is 1."""


@dataclass(frozen=True)
class MonomialSum:
    """A sum of rational multiples of monomials."""

    terms: frozenset[tuple[AtomPowers, Fraction]]

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters in it."""
        return frozenset(name for monomial, _ in self.terms for atom, _ in monomial for name in atom.names)

    @property
    def constant(self) -> Fraction | None:
        """Its value where it is a rational number as it stands; None otherwise."""
        if not self.terms:
            return Fraction(0)
        ((monomial, factor), *rest) = self.terms
        return None if rest or monomial else factor

    def __add__(self, other: MonomialSum) -> MonomialSum:
        return collected((*self.terms, *other.terms))

    def __neg__(self) -> MonomialSum:
        return self.times(Fraction(-1))

    def times(self, factor: Fraction) -> MonomialSum:
        """A rational multiple."""
        return MonomialSum(frozenset((m, c * factor) for m, c in self.terms)) if factor else _NOTHING

    def __mul__(self, other: MonomialSum) -> MonomialSum:
        if len(self.terms) * len(other.terms) > _MOST_TERMS:
            left, right = ({FormAtom("sum", forms=(form,)): _ONE} for form in (self, other))
            return _product(left, right)
        products = (_product(dict(m), dict(n)).times(c * d) for m, c in self.terms for n, d in other.terms)
        return collected(term for product in products for term in product.terms)

    def derivative(self, name: str, positive: frozenset[str]) -> MonomialSum | None:
        """∂/∂p, or p·∂/∂p for a positive parameter; None where a ceiling or a maximum depends on it."""
        return _derivative(self, name, name in positive)


_NOTHING: Final = MonomialSum(frozenset())


def collected(terms: Iterable[tuple[AtomPowers, Fraction]]) -> MonomialSum:
    """The sum, with like terms in one."""
    total: dict[AtomPowers, Fraction] = {}
    for monomial, factor in terms:
        before = total.get(monomial)
        total[monomial] = factor if before is None else before + factor
    return MonomialSum(frozenset((m, c) for m, c in total.items() if c))


def number(value: Fraction) -> MonomialSum:
    """A rational number."""
    return collected([(frozenset(), value)])


def atom_power(one: FormAtom, exponent: Fraction = _ONE) -> MonomialSum:
    """A power of an atom."""
    return MonomialSum(frozenset([(frozenset([(one, exponent)]), _ONE)]))


def form_of_term(term: Expression, positive: frozenset[str], replaced: Mapping[str, Expression]) -> MonomialSum:
    """The normal form of an expression in which parameters are replaced by others; `positive` are those above 0."""

    def walk(one: Expression) -> MonomialSum:
        if one.operation == "number":
            return number(one.value)
        if one.operation == "parameter":
            own = atom_power(FormAtom("parameter", one.name))
            return own * walk(replaced[one.name]) if one.name in replaced else own
        parts = [walk(part) for part in one.parts]
        return of_two(one, parts) if len(parts) == 2 else of_one(one, parts)

    def of_two(one: Expression, parts: Sequence[MonomialSum]) -> MonomialSum:
        left, right = parts
        match one.operation:
            case "+":
                return left + right
            case "-":
                return left + -right
            case "*":
                return left * right
            case "/":
                return left * form_power(right, Fraction(-1), positive)
            case "^":
                if (exponent := right.constant) is not None:
                    return form_power(left, exponent, positive)
                return exp(right * log(left, positive), positive)
            case _:
                return atom_power(FormAtom("max", forms=(left, right)))

    def of_one(one: Expression, parts: Sequence[MonomialSum]) -> MonomialSum:
        match one.operation:
            case "exp":
                return exp(parts[0], positive)
            case "log":
                return log(parts[0], positive)
            case "sqrt":
                return form_power(parts[0], Fraction(1, 2), positive)
            case _:
                return atom_power(FormAtom("ceil", forms=(parts[0],)))

    return walk(term)


def log_of(
    term: Expression, positive: frozenset[str], replaced: Mapping[str, Expression]
) -> tuple[MonomialSum, list[MonomialSum]]:
    """The logarithm of a product, as a sum, and the factors that have to be positive for that, and may not be."""
    factors: list[MonomialSum] = []

    def walk(one: Expression) -> MonomialSum:
        match one.operation:
            case "*":
                return walk(one.parts[0]) + walk(one.parts[1])
            case "/":
                return walk(one.parts[0]) + -walk(one.parts[1])
            case "^":
                return walk(one.parts[0]) * form_of_term(one.parts[1], positive, replaced)
            case "exp":
                return form_of_term(one.parts[0], positive, replaced)
            case "sqrt":
                return walk(one.parts[0]).times(Fraction(1, 2))
            case "parameter" if one.name in replaced:
                share = atom_power(FormAtom("parameter", one.name))
                if one.name not in positive:
                    factors.append(share)
                return log(share, positive) + walk(replaced[one.name])
            case _:
                factor = form_of_term(one, positive, replaced)
                if not is_product_of_positives(factor, positive):
                    factors.append(factor)
                return log(factor, positive)

    return walk(term), factors


def is_product_of_positives(form: MonomialSum, positive: frozenset[str]) -> bool:
    """True where it is a positive number times powers of what is positive."""
    return len(form.terms) == 1 and all(
        factor > 0 and all(_is_positive(one, positive) for one, _ in monomial) for monomial, factor in form.terms
    )


def form_power(form: MonomialSum, exponent: Fraction, positive: frozenset[str]) -> MonomialSum:
    """form^exponent."""
    if not exponent or form.constant == 1:
        return number(_ONE)
    if not form.terms:
        return atom_power(FormAtom("sum", forms=(form,)), exponent)
    if exponent.denominator == 1 and 0 < exponent <= 4:
        return form if exponent == 1 else form * form_power(form, exponent - 1, positive)
    if len(form.terms) == 1:
        ((monomial, factor),) = form.terms
        if exponent.denominator == 1:
            return _powers(monomial, exponent, positive).times(factor ** int(exponent))
        if factor > 0 and all(_is_positive(one, positive) for one, _ in monomial):
            return _powers(monomial, exponent, positive) * _root(factor, exponent)
        return atom_power(FormAtom("sum", forms=(form,)), exponent)
    # roots of sums that differ in such a factor alone are to be one root
    content = _content([factor for _, factor in form.terms])
    outside, inside = _root(content, exponent), form.times(1 / content)
    for one, common in _common_powers(form, positive):
        inside *= atom_power(one, -common)
        outside *= atom_power(one, common * exponent)
    return outside * atom_power(FormAtom("sum", forms=(inside,)), exponent)


def _content(factors: Sequence[Fraction]) -> Fraction:
    """The greatest rational number of which all are whole multiples."""
    return Fraction(gcd(*(one.numerator for one in factors)), lcm(*(one.denominator for one in factors)))


def exp(form: MonomialSum, positive: frozenset[str]) -> MonomialSum:
    """e^form, with what is the logarithm of a positive parameter or of a prime number as its power."""
    factors, rest = number(_ONE), _NOTHING
    for monomial, factor in form.terms:
        ((one, exponent),) = monomial if len(monomial) == 1 else ((None, _ONE),)
        if one is not None and exponent == 1 and one.kind == "log parameter":
            factors *= atom_power(FormAtom("parameter", one.name), factor)
        elif (
            one is not None
            and exponent == 1
            and one.kind == "log"
            and (value := one.forms[0].constant or Fraction(0)) > 0
        ):
            factors *= _root(value, factor)
        else:
            rest += MonomialSum(frozenset([(monomial, factor)]))
    return factors * atom_power(FormAtom("exp", forms=(rest,))) if rest.terms else factors


def log(form: MonomialSum, positive: frozenset[str]) -> MonomialSum:
    """ln(form), as a sum for a product of which at most one factor is not known to be positive."""
    if len(form.terms) != 1:
        outside = _NOTHING
        for one, exponent in _common_powers(form, positive):
            form *= atom_power(one, -exponent)
            outside += atom_power(FormAtom("log parameter", one.name)).times(exponent)
        return outside + atom_power(FormAtom("log", forms=(form,)))
    ((monomial, factor),) = form.terms
    unknown = [(one, exponent) for one, exponent in monomial if not _is_positive(one, positive)]
    if factor <= 0 or len(unknown) > 1 or any(exponent not in (_ONE, -_ONE) for _, exponent in unknown):
        return atom_power(FormAtom("log", forms=(form,)))
    total = _NOTHING
    for prime, times in [*fmpz(factor.numerator).factor(), *((p, -k) for p, k in fmpz(factor.denominator).factor())]:
        total += atom_power(FormAtom("log", forms=(number(Fraction(int(prime))),))).times(Fraction(int(times)))
    for one, exponent in monomial:
        if one.kind == "parameter" and one.name in positive:
            total += atom_power(FormAtom("log parameter", one.name)).times(exponent)
        elif one.kind == "exp":
            total += one.forms[0].times(exponent)
        elif one.kind == "sum":
            total += atom_power(FormAtom("log", forms=one.forms)).times(exponent)
        else:
            total += atom_power(FormAtom("log", forms=(atom_power(one),))).times(exponent)
    return total


def at(form: MonomialSum, name: str, value: Fraction, positive: frozenset[str]) -> MonomialSum:
    """The form with a parameter at a rational value, positive for a positive one."""

    @cache
    def within(one: MonomialSum) -> MonomialSum:
        total = _NOTHING
        for monomial, factor in one.terms:
            product = number(factor)
            for each, exponent in monomial:
                product *= form_power(of_atom(each), exponent, positive)
            total += product
        return total

    def of_atom(one: FormAtom) -> MonomialSum:
        if name not in one.names:
            return atom_power(one)
        if one.kind == "parameter":
            return number(value)
        if one.kind == "log parameter":
            return log(number(value), positive)
        if one.kind == "exp":
            return exp(within(one.forms[0]), positive)
        if one.kind == "log":
            return log(within(one.forms[0]), positive)
        if one.kind == "sum":
            return within(one.forms[0])
        return atom_power(FormAtom(one.kind, forms=tuple(map(within, one.forms))))

    return within(form)


def continuous_at_0(form: MonomialSum, name: str) -> bool:
    """True where a positive parameter stands nowhere in a logarithm of it, nor with a negative power."""
    return all(
        (one.kind != "parameter" or exponent > 0)
        and one.kind != "log parameter"
        and all(continuous_at_0(inner, name) for inner in one.forms)
        for monomial, _ in form.terms
        for one, exponent in monomial
        if name in one.names
    )


def without_common_powers(form: MonomialSum, positive: frozenset[str]) -> MonomialSum:
    """The form divided by powers of positive parameters, and of e, that all its terms have: its sign is the same."""
    for one, exponent in _common_powers(form, positive):
        form *= atom_power(one, -exponent)
    exponents_of_e = [[one.forms[0] for one, _ in monomial if one.kind == "exp"] for monomial, _ in form.terms]
    if exponents_of_e and all(exponents_of_e):
        form *= exp(-min((exponents[0] for exponents in exponents_of_e), key=_order), positive)
    return form


def _order(form: MonomialSum) -> tuple[int, str]:
    return len(form.terms), str(sorted(form.names))


def _common_powers(form: MonomialSum, positive: frozenset[str]) -> list[tuple[FormAtom, Fraction]]:
    powers = []
    for name in sorted(form.names & positive):
        one = FormAtom("parameter", name)
        least = min(dict(monomial).get(one, Fraction(0)) for monomial, _ in form.terms)
        if least:
            powers.append((one, least))
    return powers


def _is_positive(one: FormAtom, positive: frozenset[str]) -> bool:
    if one.kind == "sum":
        value = one.forms[0].constant
        return value is not None and value > 0
    return one.kind == "exp" or (one.kind == "parameter" and one.name in positive)


def _product(left: dict[FormAtom, Fraction], right: dict[FormAtom, Fraction]) -> MonomialSum:
    powers, exponent = dict[FormAtom, Fraction](), _NOTHING
    for one, e in (*left.items(), *right.items()):
        if one.kind == "exp":
            exponent += one.forms[0]
        else:
            before = powers.get(one)
            powers[one] = e if before is None else before + e
    kept = [(one, e) for one, e in powers.items() if e]
    factor = _ONE
    for one, e in list(kept):  # a power of a constant that became whole
        value = one.forms[0].constant if one.kind == "sum" else None
        if value is not None and value > 0 and e.denominator == 1:
            kept.remove((one, e))
            factor *= value ** int(e)
    if exponent.terms:
        kept.append((FormAtom("exp", forms=(exponent,)), _ONE))
    return MonomialSum(frozenset([(frozenset(kept), factor)]))


def _powers(monomial: AtomPowers, exponent: Fraction, positive: frozenset[str]) -> MonomialSum:
    total = number(_ONE)
    for one, e in monomial:
        if one.kind == "exp":
            total *= exp(one.forms[0].times(exponent), positive)
        else:
            total *= atom_power(one, e * exponent)
    return total


def _root(value: Fraction, exponent: Fraction) -> MonomialSum:
    """A power of a positive rational number, prime by prime."""
    total = number(_ONE)
    for whole, sign in ((value.numerator, 1), (value.denominator, -1)):
        for prime, times in fmpz(whole).factor():
            power_of = exponent * int(times) * sign
            part, rest = divmod(power_of, 1)
            base = Fraction(int(prime))
            total = total.times(base ** int(part))
            if rest:
                total *= atom_power(FormAtom("sum", forms=(number(base),)), rest)
    return total


@cache
def _derivative(form: MonomialSum, name: str, by_log: bool) -> MonomialSum | None:
    terms = list[tuple[AtomPowers, Fraction]]()
    for monomial, factor in form.terms:
        for one, exponent in monomial:
            if name not in one.names:
                continue
            inner = _of_atom(one, name, by_log)
            if inner is None:
                return None
            rest = {each: e for each, e in monomial if each != one}
            if exponent != 1:
                rest[one] = exponent - 1
            elif one.kind == "exp":
                rest[one] = _ONE
            for n, d in inner.terms:
                terms += _product(rest, dict(n)).times(factor * exponent * d).terms
    return collected(terms)


def _of_atom(one: FormAtom, name: str, by_log: bool) -> MonomialSum | None:
    """The derivative of an atom; of e^f that of f."""
    match one.kind:
        case "parameter":
            return atom_power(one) if by_log else number(_ONE)
        case "log parameter":
            return number(_ONE)
        case "exp" | "sum":
            return _derivative(one.forms[0], name, by_log)
        case "log":
            inner = _derivative(one.forms[0], name, by_log)
            return None if inner is None else inner * form_power(one.forms[0], -_ONE, frozenset())
        case _:
            return None

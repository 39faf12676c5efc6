"""exp, log and sqrt of exact numbers, in closed form where there is one."""

from math import gcd, lcm
from typing import Final, cast

from flint import fmpq

from dpverify.mechanisms.numbers import decision, monomials, polynomial_form
from dpverify.mechanisms.numbers.atoms import CERTIFIED, Atom, atom
from dpverify.mechanisms.numbers.cached_results import by_identity
from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import (
    Exact,
    ExactLike,
    Term,
    exact,
    from_exponents,
    from_factor,
    power,
    product,
    rational,
    total,
)
from dpverify.mechanisms.numbers.plain_numbers import NotKnownYet
from dpverify.mechanisms.numbers.primes import factored
from dpverify.mechanisms.numbers.symbols import PairSymbol, symbol_of

_HALF: Final = fmpq(1, 2)


def exp(x: ExactLike) -> Exact:
    """e^x; in closed form e^a·∏p^r where x = a + Σ r·ln p with rational a and r.

    >>> exp("1/2") * exp("1/2") == exp(1)
    True
    >>> decimal(exp("1/2"))
    '1.6487212707'
    """
    noise: object = x
    if isinstance(noise, NotKnownYet):
        return cast("Exact", noise.exp())  # what is computed from it, no number yet
    return _exp(exact(x, "x"))


@by_identity
def _exp(number: Exact) -> Exact:
    if isinstance(number, Term) and number.is_rational:
        return from_exponents(number.coefficient, {})
    linear = polynomial_form.logarithmic_form(number)
    if linear is not None:
        return from_exponents(*linear)
    logarithms = [term for term in number.terms if _is_whole_multiple_of_a_logarithm(term)]
    if not logarithms:
        return from_factor(atom("exp", number))
    # e^(k·ln x + rest) = x^k·e^rest, so that an ε that was solved for gives its e^ε back
    powers = [power(_argument(term), int(term.coefficient)) for term in logarithms]
    rest = total(term for term in number.terms if not _is_whole_multiple_of_a_logarithm(term))
    return product((*powers, _exp(rest)))


def _is_whole_multiple_of_a_logarithm(term: Term) -> bool:
    """True where the term is k·ln x, for a whole k and an x that has no prime factorisation."""
    if term.coefficient.q != 1 or term.monomial is not monomials.UNIT or len(term.factors) != 1:
        return False
    factor, k = term.factors[0]
    return k == 1 and isinstance(factor, Atom) and factor.function == "log" and not isinstance(factor.argument, int)


def _argument(term: Term) -> Exact:
    factor = term.factors[0][0]
    assert isinstance(factor, Atom)
    assert isinstance(factor.argument, Exact)
    return factor.argument


def log(x: ExactLike) -> Exact:
    """The natural logarithm of x > 0; a + Σ r·ln p for rationals, powers of e, radicals and their products.

    Raises `InputError` where x ≤ 0.

    >>> exp(log(2)) == 2
    True
    >>> decimal(log(2))
    '0.69314718056'
    """
    noise: object = x
    if isinstance(noise, NotKnownYet):
        return cast("Exact", noise.log())  # what is computed from it, no number yet
    return _log(exact(x, "x"))


@by_identity
def _log(number: Exact) -> Exact:
    if decision.sign(number) <= 0:
        raise InputError(bad_input.RANGE, f"the argument {number} of log", "positive")
    exponents = _exponents(number) if isinstance(number, Term) else None
    if exponents is None:
        return from_factor(atom("log", number))
    assert isinstance(number, Term)
    summands: list[Exact] = [rational(number.monomial.power)]
    summands += [product((rational(r), logarithm_of_base(base))) for base, r in exponents.items()]
    for factor, k in number.factors:
        summands.append(product((rational(fmpq(k)), from_factor(atom("log", abs(from_factor(factor)))))))
    return total(summands)


def log_in_lowest_terms(number: Exact) -> Exact:
    """ln number for a number > 0, in which sums that are rational multiples of each other share one logarithm.

    So ln(1 − x) and ln(1/2 − x/2) + ln 2 are one, which `log` leaves apart, as what it gives is to be read.
    """
    if not isinstance(number, Term):
        content = _content(number)
        return total((_log(content), _log(number / content)))
    sums = [(factor, k) for factor, k in number.factors if not isinstance(factor, Atom)]
    rest = abs(product((number, *(from_factor(factor, -k) for factor, k in sums))))
    of_sums = (product((rational(fmpq(k)), log_in_lowest_terms(abs(from_factor(factor))))) for factor, k in sums)
    return total((_log(rest), *of_sums))


def logarithm_of_base(base: int) -> Exact:
    """Ln base, for a prime or a symbol's base: ε, a coordinate h, or ln p·h and ε·h for that of a pair."""
    symbol = symbol_of(base)
    if isinstance(symbol, PairSymbol):
        return product((from_factor(atom("log", symbol.factor)), from_factor(atom("log", symbol.whole.base))))
    return from_factor(atom("log", base))


def sqrt(x: ExactLike) -> Exact:
    """The square root of x ≥ 0; in closed form for rationals, powers of e, radicals and their products.

    Raises `InputError` where x < 0.

    >>> sqrt(8) == 2 * sqrt(2)
    True
    >>> decimal(sqrt(2))
    '1.41421356237'
    """
    noise: object = x
    if isinstance(noise, NotKnownYet):
        return cast("Exact", noise.sqrt())  # what is computed from it, no number yet
    number = exact(x, "x")
    positive = decision.sign(number)
    if positive < 0:
        raise InputError(bad_input.RANGE, f"the argument {number} of sqrt", "at least 0")
    if positive == 0:
        return rational(fmpq(0))
    if not isinstance(number, Term):
        # sqrt(200·x) and 10·sqrt(2·x) are to look alike
        content = _content(number)
        rest = number / content
        return product((sqrt(content), from_factor(atom("sqrt", rest))))
    exponents = _exponents(number)
    if exponents is None:
        return from_factor(atom("sqrt", number))
    roots: list[Exact] = [
        from_exponents(number.monomial.power * _HALF, {prime: r * _HALF for prime, r in exponents.items()})
    ]
    for factor, k in number.factors:
        base = abs(from_factor(factor))
        roots.append(base ** (k // 2))
        if k % 2:
            roots.append(from_factor(atom("sqrt", base)))
    return product(roots)


def normal_tail(x: ExactLike) -> Exact:
    """Pr[N ≥ x] for standard normal N, ½·erfc(x/√2); that of x < 0 is written as 1 less that of −x.

    Raises `InputError` for a function of a symbolic ε, or of unknown numbers.
    """
    number = exact(x, "x")
    if number.symbol is not None:
        raise InputError(bad_mechanism.GAUSSIAN_SYMBOLIC, f"is compared with {number}")
    side = decision.sign(number)
    if side == 0:
        return rational(_HALF)
    if side < 0:
        return total((rational(fmpq(1)), product((rational(fmpq(-1)), normal_tail(-number)))))
    return from_factor(atom("normal_tail", number))


def certified(number: Certified) -> Exact:
    """A number that is known by balls alone, among the others."""
    return from_factor(atom(CERTIFIED, number))


def square(number: Exact) -> Exact:
    """number², in which the squares of square roots are what they are the roots of."""
    if not isinstance(number, Term):
        return power(number, 2)
    without_factors = product((number, *(from_factor(factor, -k) for factor, k in number.factors)))
    parts = [power(without_factors, 2)]
    for factor, k in number.factors:
        if isinstance(factor, Atom) and factor.function == "sqrt" and isinstance(factor.argument, Exact):
            parts.append(power(factor.argument, k))
        else:
            parts.append(from_factor(factor, 2 * k))
    return product(parts)


def _content(number: Exact) -> Exact:
    """The positive rational by which the coefficients of the terms are whole and coprime."""
    coefficients = [term.coefficient for term in number.terms]
    above = gcd(*(int(c.p) for c in coefficients))
    return rational(fmpq(above, lcm(*(int(c.q) for c in coefficients))))


def _exponents(number: Term) -> dict[int, fmpq] | None:
    """Prime → exponent in |coefficient|·(radicals); None where the coefficient is too large to factor."""
    factors = factored(int(number.coefficient.p), int(number.coefficient.q))
    if factors is None:
        return None
    exponents = {prime: fmpq(k) for prime, k in factors}
    for prime, r in number.monomial.radicals:
        exponents[prime] = exponents.get(prime, fmpq(0)) + r
    return exponents

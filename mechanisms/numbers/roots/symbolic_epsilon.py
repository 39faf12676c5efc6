"""A symbolic ε: numbers that are functions of it, their sign for all ε of an interval.

The sign of such a number is that of a polynomial in z = e^(-ε/L), between 0 and 1, in ε, or, with rational
coefficients, in both. Where it is not the same for all ε of the interval, the question has different answers:
`DependsOnEpsilon` names the ε at which they change.
"""

from fractions import Fraction
from math import floor
from typing import Any, Final

from dpverify.mechanisms.numbers import decision, polynomial_form
from dpverify.mechanisms.numbers.atoms import atom
from dpverify.mechanisms.numbers.elementary import exp, log, sqrt
from dpverify.mechanisms.numbers.enclosure import bounds
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    Factor,
    Term,
    exact,
    from_factor,
    power,
    product,
    total,
)
from dpverify.mechanisms.numbers.roots.delta_symbol import holds_delta
from dpverify.mechanisms.numbers.roots.epsilon_polynomials import (
    Powers,
    as_rationals,
    mixed_polynomials,
    mixed_roots_within,
    powers_of,
)
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon, EpsilonSymbol
from dpverify.mechanisms.numbers.roots.mixed_roots import closed_form
from dpverify.mechanisms.numbers.symbols import OF_DELTA, PUBLIC, Symbol


def number_of(symbol: Symbol) -> Exact:
    """The symbol as a number."""
    return from_factor(atom("log", symbol.base))


symbolic: Final = number_of(EpsilonSymbol())
"""ε itself, for any ε > 0: `check_privacy(…, epsilon=symbolic)` decides for all ε at once.

>>> def count(draw, rows, *, epsilon):
...     return sum(rows) + draw(discrete_laplace(1 / epsilon))
>>> check_privacy(count, Tuples((0, 1), size=1), replace_one, epsilon=symbolic).status
<Status.PROVED: 'PROVED'>
"""
assert symbolic.symbol is not None and symbolic.symbol.base == PUBLIC, "it is the first symbol that is made"


@decision.decides_functions(whole=False)
def sign_for_every_epsilon(number: Exact, symbol: EpsilonSymbol) -> int:
    """The sign that `number` has for every ε of the symbol's interval.

    Raises `DependsOnEpsilon` where it has different ones, and `InputError` where that is not understood.
    """
    try:
        if isinstance(number, Term):
            return _sign_of_term(number)
        form = polynomial_form.polynomials([number])
        above = _sign_of_polynomial(powers_of(form, form.numerators[0], symbol), form, symbol)
        return above and above * sign_of_denominator(form, symbol)
    except (Undecided, InputError) as error:
        symbol.take_note(error)
        raise


def sign_of_denominator(form: polynomial_form.Polynomials, symbol: EpsilonSymbol) -> int:
    """The sign of the common denominator, -1 or 1. Raises as `sign_for_every_epsilon` does."""
    number = 1
    for factor, k in form.denominator:
        number *= _sign_of_polynomial(powers_of(form, factor, symbol), form, symbol) ** abs(k)
    return number


def _sign_of_term(term: Term) -> int:
    number = 1 if term.coefficient > 0 else -1 if term.coefficient < 0 else 0
    for factor, k in term.factors:
        number *= _sign_of_factor(factor) ** abs(k)
    return number


def _sign_of_factor(factor: Factor) -> int:
    if not factor.is_atom or factor.symbol is None:
        return decision.sign(from_factor(factor))
    if isinstance(factor.argument, int):
        return 1  # ε itself
    return decision.sign(factor.argument - ONE) if factor.function == "log" else 1  # a square root is not 0, nor is exp


def _sign_of_polynomial(powers: Powers, form: polynomial_form.Polynomials, symbol: EpsilonSymbol) -> int:
    signs = {key: decision.sign(coefficient) for key, coefficient in powers.items()}
    signs = {key: result for key, result in signs.items() if result}
    if len(set(signs.values())) <= 1:
        return next(iter(signs.values()), 0)
    powers = {key: powers[key] for key in signs}
    if not isinstance(symbol, EpsilonSymbol):
        ends = {decision.sign(end) for end in _at_ends(powers, symbol)}
        if len(ends - {0}) == 1:
            return max(ends, key=abs)
        raise Undecided(not_known.NEEDS_DELTA, "whether a number is positive depends on δ")
    fineness = form.fineness(symbol.base)
    changes = _changes(powers, fineness, symbol)
    if changes:
        raise DependsOnEpsilon(
            "the answer is not the same for all ε: it changes at ε = " + ", ".join(map(str, changes)),
            tuple(changes),
            symbol,
        )
    at = simplest_epsilon(symbol)
    return decision.sign(total(product((c, power(at, i), exp(at * j / fineness))) for (i, j), c in powers.items()))


def _at_ends(powers: Powers, symbol: Symbol) -> tuple[Exact, ...]:
    """The values of a + b·δ at δ = 0 and 1, of which neither is a δ; none of another polynomial."""
    if symbol.base != OF_DELTA or not powers.keys() <= {(0, 0), (1, 0)}:
        return ()
    constant = powers.get((0, 0), ZERO)
    return constant, constant + powers.get((1, 0), ZERO)


def _changes(powers: Powers, fineness: int, symbol: EpsilonSymbol) -> list[Exact]:
    """The ε of the symbol's interval, in rising order, at which a polynomial is 0.

    Raises `InputError` where they are not known, and `Undecided` where one has no closed form.
    """
    of_epsilon, of_growth = ({key[place] for key in powers} for place in (0, 1))
    (low, d), (high, c) = min(powers.items()), max(powers.items())
    if len(powers) == 2 and len(of_epsilon) == 1:
        return _within(symbol, log(-d / c) * fineness / (high[1] - low[1]))
    if len(powers) == 2 and len(of_growth) == 1 and high[0] - low[0] <= 2:
        ratio = -d / c
        return _within(symbol, ratio if high[0] - low[0] == 1 else sqrt(ratio))
    rationals = as_rationals(powers)
    if rationals is not None:
        (f,) = mixed_polynomials([rationals], fineness)
        roots = [closed_form(root) for root in mixed_roots_within(f, symbol, fineness)]
        if None in roots:
            raise Undecided(
                not_known.NEEDS_EPSILON, f"the sign of {_shown(powers, fineness)} changes at an ε without a closed form"
            )
        return [root * fineness for root in roots if root is not None]
    raise InputError(
        bad_input.SYMBOLIC,
        f"the sign of {_shown(powers, fineness)} is not known to be the same for all ε, nor where it changes",
    )


def _within(symbol: EpsilonSymbol, value: Exact) -> list[Exact]:
    return [value] if epsilon_lies_in(symbol, value) else []


def _shown(powers: Powers, fineness: int) -> str:
    """A polynomial in ε and e^(ε/fineness) for people."""
    epsilon = number_of(EpsilonSymbol())
    growth = {key: product((power(epsilon, key[0]), exp(epsilon * key[1] / fineness))) for key in powers}
    return str(total(product((c, growth[key])) for key, c in powers.items()))


def epsilon_lies_in(symbol: EpsilonSymbol, value: Exact) -> bool:
    """True where a number without ε lies in the symbol's interval."""
    return value > (ZERO if symbol.low is None else symbol.low) and (symbol.high is None or value < symbol.high)


def simplest_epsilon(symbol: EpsilonSymbol) -> Exact:
    """A rational number in the symbol's interval: the one of smallest denominator, and of those the smallest."""
    if symbol.sample is None:
        symbol.sample = simplest_between(ZERO if symbol.low is None else symbol.low, symbol.high)
    return symbol.sample


def simplest_between(low: Exact, high: Exact | None) -> Exact:
    """The rational number of smallest denominator, and of those the smallest, strictly between 0 ≤ low and high.

    Of irrational ends rationals near them take the place.
    """
    if high is None:
        return exact(floor(low) + 1)
    digits = 20
    while True:
        (_, left), (right, _) = bounds(low, digits), bounds(high, digits)
        if left < right:
            return exact(_simplest(left, right))
        digits *= 2


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The simplest fraction in the open interval, by the continued fraction that its ends share."""
    quotients: list[int] = []
    left: Fraction = low
    right: Fraction | None = high
    while right is not None and not floor(left) + 1 < right:
        whole = floor(left)
        quotients.append(whole)
        left, right = 1 / (right - whole), None if left == whole else 1 / (left - whole)
    number = Fraction(floor(left) + 1)
    for quotient in reversed(quotients):
        number = quotient + 1 / number
    return number


def symbol_in(value: Any) -> EpsilonSymbol | None:
    """The ε that a number depends on, or one in a tuple, list or dict; None where there is none.

    Raises `InputError` for the symbolic δ, of which whoever asks has to know: see `delta_symbol.py`.
    """
    if holds_delta(value):
        raise InputError(not_known.NEEDS_DELTA, "the sign of a number depends on δ")
    return _symbol_in(value)


def _symbol_in(value: Any) -> EpsilonSymbol | None:
    if isinstance(value, Exact):
        assert value.symbol is None or isinstance(value.symbol, EpsilonSymbol), "no claim is about unknown scores"
        return value.symbol
    parts = value.values() if type(value) is dict else value if type(value) in (tuple, list) else ()
    return next((symbol for symbol in map(_symbol_in, parts) if symbol is not None), None)

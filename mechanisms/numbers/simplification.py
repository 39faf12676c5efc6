"""The form of a number that shows no more than it has to: divisions carried out, quotients in lowest terms."""

from dpverify.mechanisms.numbers import polynomial_form
from dpverify.mechanisms.numbers.exact_numbers import (
    Exact,
    Term,
    from_exponents,
    from_factor,
    power,
    product,
    rational,
    reciprocal_of_nonzero,
    total,
)


def simplified(number: Exact) -> Exact:
    """The same number without quotients of sums, where the division comes out, and else a sum of quotients as one.

    Of a product in which no division comes out each factor is simplified, so that the form shows no intermediate sums,
    which depend on what was computed before.
    """
    form = polynomial_form.as_sum_of_monomials(number)
    if form is not None:
        return _of_monomials(form)
    if isinstance(number, Term):
        factors = [_power_of_nonzero(simplified(from_factor(factor)), k) for factor, k in number.factors]
        exponentials = from_exponents(number.monomial.power, dict(number.monomial.radicals))
        return product((rational(number.coefficient), exponentials, *factors))
    fraction = polynomial_form.as_fraction(number)
    if fraction is None:
        return number
    below = [_power_of_nonzero(_of_monomials(factor), -k) for factor, k in fraction.below]
    return product((_of_monomials(fraction.above), *below))


def _of_monomials(form: polynomial_form.Monomials) -> Exact:
    return total(
        product(
            (
                rational(coefficient),
                from_exponents(power_of_e, radicals),
                *(from_factor(generator, k) for generator, k in powers),
            )
        )
        for coefficient, power_of_e, radicals, powers in form.entries
    )


def _power_of_nonzero(number: Exact, exponent: int) -> Exact:
    return power(number, exponent) if exponent > 0 else reciprocal_of_nonzero(power(number, -exponent))

"""The joint probability of comparisons of Gumbel noises of one scale, as one of exponential noises.

With E = e^(-G/b), which is exponential noise of scale 1, G - G′ ∈ [low, high) says that E′ lies between two multiples
of E. So a noise that one comparison ties to the rest is integrated away from α·x to β·x, where x is the value of the
next one: what is left is Σ c·e^(-λx) again, without any breaks.
"""

from collections.abc import Iterator

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative
from dpverify.mechanisms.numbers.roots.exponential_polynomials import (
    ExpPoly,
    antiderivative,
    composed,
    product_of_functions,
    scaled_function,
    sum_of_functions,
    value,
)
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Interval
from dpverify.mechanisms.path_conditions.implied_conditions import Form, PathConditions
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

_DENSITY: ExpPoly = {(negative(ONE), 0): ONE}
"""Density of E, on x > 0."""


def are_of_gumbels(facts: PathConditions) -> bool:
    """True where the facts are about Gumbel noises, which are tied to no others."""
    return any(variable.law.exponential_scale is not None for variable, _ in next(iter(facts)))


def probability_of_tree(facts: PathConditions) -> Exact:
    """The probability of facts about differences of Gumbel noises, which they tie in a tree."""
    root = next(iter(facts))[0][0]
    return negative(value(antiderivative(_function(root, facts, None), False), ZERO))


def _function(noise: NoiseVariable, facts: PathConditions, above: Form | None) -> ExpPoly:
    """x ↦ the density of the noise's E at x times the probability of what hangs from it, but for the fact above it."""
    function = _DENSITY
    for form in facts:
        others = [variable for variable, _ in form if variable is not noise]
        if len(others) == 1 and form is not above:
            primitive = antiderivative(_function(others[0], facts, form), False)
            function = product_of_functions(function, sum_of_functions(*_between(primitive, form, noise, facts)))
    return function


def _between(primitive: ExpPoly, form: Form, noise: NoiseVariable, facts: PathConditions) -> Iterator[ExpPoly]:
    """x ↦ the integral of the other noise over the multiples of x that the fact leaves it."""
    scale = form[0][0].law.exponential_scale
    assert scale is not None, "Gumbel noises are compared with each other alone"
    for interval in facts[form]:
        low, high = (_multiple(end, scale, form[0][0] is noise) for end in _turned(interval, form[0][0] is noise))
        if high is not None:  # beyond all multiples the primitive is 0
            yield composed(primitive, high, ZERO)
        yield scaled_function(composed(primitive, ZERO if low is None else low, ZERO), negative(ONE))


def _turned(interval: Interval, is_first: bool) -> Interval:
    """The ends by which the other noise's E rises: G is the smaller the greater E is."""
    return interval if is_first else (interval[1], interval[0])


def _multiple(end: Endpoint | None, scale: Exact, is_first: bool) -> Exact | None:
    """The multiple of x at which G - r·G′ reaches an end; None for no end."""
    if end is None:
        return None
    return exp(exact(end) / scale if is_first else -exact(end) / scale)

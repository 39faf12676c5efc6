"""Composition: the hardest (ε,δ)-private mechanism, many times over, and what the papers say of it.

Every (ε,δ)-private mechanism on two neighbours is a post-processing of `leaky_randomized_response` (Kairouz, Oh &
Viswanath 2015). So what k uses of that leak together, adaptively chosen or not, is the most that any k (ε,δ)-private
mechanisms leak.
"""

from collections.abc import Hashable, Sequence
from typing import Any

from dpverify.mechanisms.counting.binomial_weights import binomial_weights
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.elementary import exp, log, sqrt
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact, power, product
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole
from dpverify.mechanisms.outputs.distributions import Distribution


def leaky_randomized_response(draw: Draw, bit: int, *, epsilon: ExactLike, delta: ExactLike) -> Distribution[Any]:
    """With probability δ the bit itself, for certain; else the bit with probability e^ε/(1 + e^ε), or the other one.

    Source: Kairouz, Oh & Viswanath 2015, the dominating pair of (ε,δ)-privacy.
    """
    e, d = exp(exact(epsilon, "epsilon")), exact(delta, "delta")
    return Distribution({("leaked", bit): d, bit: (1 - d) * e / (1 + e), 1 - bit: (1 - d) / (1 + e)})


def hardest_composition(draw: Draw, bit: int, *, times: int, epsilon: ExactLike, delta: ExactLike) -> Distribution[Any]:
    """The result of `times` uses of `leaky_randomized_response`: a leak, else the number of times the bit was told.

    A leak tells all, and otherwise only the number of truths matters: nothing is lost for any comparison of two laws.
    """
    k = whole_times(times)
    e, kept = exp(exact(epsilon, "epsilon")), power(1 - exact(delta, "delta"), k)
    scale = product((kept, power(1 + e, -k)))
    ways = enumerate(binomial_weights(k, 1, 1))
    ones = {i: product((scale, exact(each), power(e, i if bit else k - i))) for i, each in ways}
    return Distribution({("leaked", bit): 1 - kept, **ones})


def composition(
    draw: Draw, database: Hashable, *, parts: Sequence[tuple[Mechanism, dict[str, Any]]]
) -> tuple[Any, ...]:
    """The outcomes of several mechanisms on one database: (mechanism, its parameters) for each."""
    return tuple(draw(mechanism, database, **parameters) for mechanism, parameters in parts)


def advanced_composition_epsilon(*, times: int, epsilon: ExactLike, failure: ExactLike) -> Exact:
    """ε′ = sqrt(2k·ln(1/δ′))·ε + 2kε², with δ′ = `failure`.

    Source: Beimel, Nissim & Stemmer, journal version, Theorem 2.5; BuNS, Theorem 2.16. Raises `InputError` unless
    ε > 0 and 0 < δ′ < 1.
    """
    k, eps, d = whole_times(times), positive(epsilon, "epsilon"), open_unit(failure, "failure")
    return sqrt(2 * k * log(1 / d)) * eps + 2 * k * eps * eps


def epsilon_of_each(*, times: int, epsilon: ExactLike, failure: ExactLike) -> Exact:
    """The ε of each of k = `times` parts with which `advanced_composition_epsilon` is `epsilon`: its reverse.

    Raises `InputError` unless ε > 0 and 0 < `failure` < 1.
    """
    k, eps, d = whole_times(times), positive(epsilon, "epsilon"), open_unit(failure, "failure")
    linear = sqrt(2 * k * log(1 / d))
    return (sqrt(linear * linear + 8 * k * eps) - linear) / (4 * k)


def whole_times(times: int) -> int:
    """`times`. Raises `InputError` unless it is a whole number ≥ 1."""
    return whole(times, "times", 1)

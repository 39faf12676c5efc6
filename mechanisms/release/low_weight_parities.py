"""Learning a threshold of counts of simple predicates as a majority of parities of few bits.

Source: Hardt, Rothblum & Servedio, Theorem 6.4, after Jackson, Klivans & Servedio: the sieve with an exhaustive search
over all parities of low weight, for predicates that circuits of constant depth compute.
"""

from collections import Counter
from collections.abc import Sequence
from math import ceil

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, rational_parameter, whole
from dpverify.mechanisms.release.chebyshev import least_count
from dpverify.mechanisms.release.conjunctions import sparse_queries
from dpverify.mechanisms.release.majority_of_parities import (
    MajorityOfParities,
    Vote,
    best_of,
    boost,
    boosting_for,
    sum_of_values,
)
from dpverify.mechanisms.release.polynomial_thresholds import number_of_monomials
from dpverify.mechanisms.sanitizers.concepts import Example, checked_sample, refuse_empty


def learn_low_weight_parities(
    draw: object,
    examples: Sequence[Example],
    ask: object,
    *,
    n: int,
    t: ExactLike,
    gamma: ExactLike,
    beta: ExactLike,
    d: int,
    weight: int,
    edge: ExactLike,
    rounds: int | None = None,
) -> MajorityOfParities:
    """A majority of parities of at most `weight` bits that, with probability 1 − β, errs on less than a share γ.

    Source: Hardt, Rothblum & Servedio, Theorem 6.4; a learner for PrivLearn, Figure 2. `edge` is the advantage a that
    some such parity has under each smooth distribution, d^(−O(log^ℓ(nd/γ))) at a weight of that logarithm; where no
    parity has any, boosting ends early. The paper gives the learner evaluation access. It needs none: what the search
    looks for, E_G[M·f±·χ_y], and where boosting ends, E_G[M], are means over labelled examples, and the boosting has M
    in closed form (see `boost`). Nothing is drawn. Raises `InputError` without examples, where one is bad, or a
    parameter is out of range.
    """
    refuse_empty(examples)
    checked_sample(examples, d)
    least_count(whole(n, "n", 1), t)
    open_unit(beta, "beta")
    how = boosting_for(rational_parameter(edge, "edge"), rational_parameter(open_unit(gamma, "gamma"), "gamma"))
    parities = sparse_queries(d, whole(weight, "weight", 0))
    seen = Counter(examples)
    points, weights = tuple(seen), tuple(seen.values())
    enough = how.enough * how.levels * len(examples)

    def weak(values: Sequence[int], known: Sequence[int]) -> Vote | None:
        by_query = sum_of_values((q, w * value) for (q, _), w, value in zip(points, weights, values, strict=True))
        return best_of((lambda: known, lambda: parities), by_query, enough, d)

    return boost(points, weights, weak, how, rounds)


@sized(learn_low_weight_parities, name="examples")
def examples_for_low_weight_parities(*, gamma: ExactLike, beta: ExactLike, d: int, weight: int, edge: ExactLike) -> int:
    """b: the least whole m ≥ (128/(a²γ²))·((T+1)·ln(2N) + ln(2/β)) for N = C(d, 0) + … + C(d, weight) parities.

    By Hoeffding's bound each E_G[M·f±·χ_y] and E_G[M] is then known to aγ/8, a = `edge`, whatever the T rounds vote.
    Hardt, Rothblum & Servedio state the order d^O(log^ℓ(nd/γ))·log(1/β); the constants are ours. Raises `InputError`
    where a parameter is out of range.
    """
    a, g, b = rational_parameter(edge, "edge"), open_unit(gamma, "gamma"), open_unit(beta, "beta")
    rounds = boosting_for(a, rational_parameter(g, "gamma")).rounds
    parities = number_of_monomials(whole(d, "d", 1), whole(weight, "weight", 0))
    return ceil(128 / (a * g) ** 2 * ((rounds + 1) * log(2 * parities) + log(2 / b)))

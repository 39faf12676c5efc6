"""Learning a threshold of conjunction counts from labelled queries, as the sign of a polynomial, by linear programming.

Source: Hardt, Rothblum & Servedio, Theorem 5.10. Any distribution of queries will do, labelled examples are all that is
asked for, and nothing is drawn. Queries are as in `conjunctions`.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from math import ceil, comb
from typing import Any, Final

from dpverify.mechanisms.counting.logarithms import log2
from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, whole
from dpverify.mechanisms.release.chebyshev import dropping_polynomial, least_count
from dpverify.mechanisms.release.conjunction_tree import degree_on_the_cube
from dpverify.mechanisms.release.conjunctions import submasks_of
from dpverify.mechanisms.release.multilinear import PolynomialThreshold
from dpverify.mechanisms.sanitizers.concepts import Example, checked_sample, refuse_empty

_TOLERANCE: Final = 1e-9
"""Excess of the second program over the least sum of the first, so that rounding leaves it solutions.

Floating point proposes weights here and decides nothing: what is returned are rational weights, of which the labels,
and any law or verdict that they enter, are exact; and what goes in has left the private oracle already.
"""


def learn_polynomial_threshold(
    draw: object,
    examples: Sequence[Example],
    ask: object,
    *,
    n: int,
    t: ExactLike,
    gamma: ExactLike,
    beta: ExactLike,
    d: int,
    k: int | None = None,
    degree: int | None = None,
) -> PolynomialThreshold:
    """The sign of a polynomial of at most this degree that labels all examples as they are labelled, if one does.

    Source: Hardt, Rothblum & Servedio, Theorem 5.10; a learner for PrivLearn, Figure 2, that makes no evaluation
    queries. `degree` is by default `degree_of_thresholds`, for n rows and queries of at most k of d attributes (of any
    number, without k); then there is such a polynomial for labels f^D_t. Where there is none, which the paper's labels
    exclude, the total of what the examples fall short is least. It is with probability at least 1 − β right on all but
    a share γ of the queries, from `examples_for_polynomials` examples. Raises `InputError` without examples, where one
    is bad or has more than k attributes, or a parameter is out of range.
    """
    refuse_empty(examples)
    checked_sample(examples, d)
    least_count(whole(n, "n", 1), t)
    open_unit(gamma, "gamma"), open_unit(beta, "beta")
    most = d if k is None else whole(k, "k", 1)
    for i, (q, _) in enumerate(examples):
        if q.bit_count() > most:
            raise InputError(bad_input.MORE_THAN, f"row {i}: the number of attributes of the query {q}", f"k={most}")
    a = degree_of_thresholds(d, n, k) if degree is None else whole(degree, "degree", 0)
    labelled = tuple(dict.fromkeys(examples))  # a repetition adds no constraint
    # monomials that occur in no example are 0 on all of them, and keep the weight 0
    met = tuple(submasks_of(q, a) for q, _ in labelled)
    monomials = tuple(sorted(set(chain.from_iterable(met))))
    weights = separating_weights(met, tuple(2 * y - 1 for _, y in labelled), monomials)
    return PolynomialThreshold.of(zip(monomials, weights, strict=True))


def separating_weights(
    met: Sequence[Sequence[int]], signs: Sequence[int], monomials: Sequence[int]
) -> tuple[Fraction, ...]:
    """Weights w, one for each of the `monomials`, with sign·Σ_{S met} w_S ≥ 1 − ξ in each example.

    met[i] are the monomials that are 1 in example i. First Σ ξ, for ξ ≥ 0, is least, and then Σ |w|: of the weights
    that the paper admits those that do best on queries not seen, by a wide margin. Both linear programs are solved in
    floating point to a tolerance, with margin 1, and the weights are rounded to a grid, by which no sum moves by more
    than 1/8: the signs of the sums are then what is decided exactly.
    """
    import numpy as np
    from scipy.sparse import csr_array, eye_array, hstack, vstack

    column = {monomial: i for i, monomial in enumerate(monomials)}
    starts = np.cumsum([0, *map(len, met)])
    columns = np.fromiter((column[monomial] for one in met for monomial in one), dtype=np.int64, count=starts[-1])
    entries = np.repeat(np.asarray(signs, dtype=np.float64), np.diff(starts))
    examples, features = len(met), len(monomials)
    signed = csr_array((entries, columns, starts), shape=(examples, features))
    # the variables are the positive parts of the weights, the negative parts, and ξ
    margins = -hstack((signed, -signed, eye_array(examples)), format="csr")
    of_weights = np.concatenate((np.ones(2 * features), np.zeros(examples)))
    of_slack = 1 - of_weights
    least = _least(of_slack, margins, -np.ones(examples))
    slack = float(of_slack @ least)  # a bound for the second program, which proposes weights as the first does
    both = vstack((margins, csr_array(of_slack[np.newaxis])), format="csr")
    found = _least(of_weights, both, np.append(-np.ones(examples), slack + _TOLERANCE))
    grid = 1 << (4 * features - 1).bit_length()  # at least 4 for each feature
    return tuple(
        Fraction(round(Fraction(w) * grid), grid) for w in (found[:features] - found[features:-examples]).tolist()
    )


def _least(cost: Any, matrix: Any, bound: Any) -> Any:
    """An x ≥ 0 with matrix·x ≤ bound of least cost·x."""
    from scipy.optimize import linprog

    found = linprog(cost, A_ub=matrix, b_ub=bound, bounds=(0, None), method="highs")
    if found.x is None:
        raise RuntimeError(f"a linear program that has solutions was not solved: {found.message}")
    return found.x


@sized(learn_polynomial_threshold, name="degree")
def degree_of_thresholds(d: int, n: int, k: int | None = None) -> int:
    """A degree in which f^D_t is the sign of a polynomial on the queries of at most k attributes, for n rows, any t.

    Source: Hardt, Rothblum & Servedio, Lemma 5.3: ⌈√k⌉·⌈log₂(3n)⌉, and never more than k, as monomials of more
    attributes are 0 there. Without k it is for all queries, by Lemma 5.9. Raises `InputError` unless d, n, k are ≥ 1.
    """
    if k is None or whole(k, "k", 1) >= whole(d, "d", 1):
        return degree_on_the_cube(d, n)
    return min(k, dropping_polynomial(k, Fraction(1, 3 * whole(n, "n", 1))).degree)


def number_of_monomials(d: int, degree: int) -> int:
    """C(d, 0) + … + C(d, degree): the multilinear monomials of at most this degree, which is at least their VC."""
    return sum(comb(d, i) for i in range(degree + 1))


@sized(learn_polynomial_threshold, name="examples for so many features")
def examples_for_polynomials(features: int, *, gamma: ExactLike, beta: ExactLike) -> int:
    """The least whole m ≥ max((4/γ)·log₂(2/β), (8N/γ)·log₂(13/γ)), for weights on N = `features` monomials.

    From so many examples whatever is consistent with them has, with probability at least 1 − β, an error of at most γ:
    Blumer, Ehrenfeucht, Haussler & Warmuth, Theorem 2.1, as halfspaces through 0 over N features have VC dimension at
    most N. Hardt, Rothblum & Servedio, Theorem 5.10, state the order Õ(N/γ)·log(1/β); the constants are ours. Raises
    `InputError` unless N ≥ 1, 0 < γ < 1 and 0 < β < 1.
    """
    n, g, b = whole(features, "features", 1), open_unit(gamma, "gamma"), open_unit(beta, "beta")
    return max(ceil(4 / g * log2(exact(2) / b)), ceil(8 * n / g * log2(exact(13) / g)))


@sized(learn_polynomial_threshold, name="examples")
def examples_for_thresholds(n: int, gamma: ExactLike, beta: ExactLike, *, d: int, k: int | None = None) -> int:
    """b(n, γ, β) of `learn_polynomial_threshold` at its own degree. Raises `InputError` where one is out of range."""
    return examples_for_polynomials(number_of_monomials(d, degree_of_thresholds(d, n, k)), gamma=gamma, beta=beta)

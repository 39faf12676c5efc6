"""Learning a threshold of parity counts as a majority of parities, after Jackson's Harmonic Sieve.

Source: Hardt, Rothblum & Servedio, Theorem 6.2: it learns under any distribution G in the 2/γ-smooth extension of the
uniform one, with the approximate G-restricted evaluation access of Definition 3.6. Where G is 0 no label is used.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, gcd, lcm
from typing import Any, TypeAlias

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.learners.parities import walsh_hadamard
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, rational_parameter, whole
from dpverify.mechanisms.outputs.distributions import uniform
from dpverify.mechanisms.release.chebyshev import least_count
from dpverify.mechanisms.release.majority_of_parities import (
    Boosting,
    MajorityOfParities,
    Vote,
    best_of,
    boost,
    boosting_for,
    edge_of_parity_thresholds,
    fourier_sums,
    sum_of_values,
)
from dpverify.mechanisms.sanitizers.concepts import Example, checked_sample, refuse_empty

Ask: TypeAlias = Callable[[int], tuple[Any, Any]]
"""q → (c·G[q], f(q)), or (0, ⊥) where G[q] is 0. Hardt, Rothblum & Servedio, Definition 3.6."""

Estimate: TypeAlias = Callable[[int, Sequence[int]], Sequence[int]]
"""(k, prefixes) → for each, the sum of ĝ(y)² over the y whose lowest k bits it is, up to a factor for each k."""


def learn_majority_of_parities(
    draw: Draw,
    examples: Sequence[Example],
    ask: Ask,
    *,
    n: int,
    t: ExactLike,
    gamma: ExactLike,
    beta: ExactLike,
    d: int,
    samples: int | None = None,
    edge: ExactLike | None = None,
    beam: int | None = None,
    rounds: int | None = None,
) -> MajorityOfParities:
    """A majority of parities that, with probability 1 − β, errs on less than a share γ of the queries drawn from G.

    Source: Hardt, Rothblum & Servedio, Theorem 6.2; a learner for PrivLearn, Figure 2, with evaluation queries. With
    `samples` it asks for at most (d + 1)·`samples` queries, drawn once, each once, and takes the examples for the sums
    over G: `samples_of_sieve` and `examples_of_sieve` say how many give the guarantee. Without, it asks for all 2^d
    queries, draws nothing, uses no example, and all sums are exact. `edge`, `beam` and `rounds` are by default what the
    analysis has: the advantage of the best parity, how many prefixes the search keeps, and how many rounds boosting
    takes at most. Where no parity seems to have enough of an advantage, boosting ends early. Raises `InputError` where
    examples are needed and missing, one is bad, or a parameter is out of range.

    Where it differs from Jackson: the boosting (see `boost`), which is exact in whole numbers and as smooth; the points
    of the estimates, drawn once for all rounds, as each query costs privacy, which a union bound over all votes pays
    for; the search, which keeps the most promising prefixes in place of those above a threshold, so that neither c nor
    E[M] need be known; and that a parity voted for before is voted for again, without a search, while it will do.
    """
    checked_sample(examples, d)
    c = least_count(whole(n, "n", 1), t)
    share = rational_parameter(open_unit(gamma, "gamma"), "gamma")
    open_unit(beta, "beta")
    a = edge_of_parity_thresholds(n, c) if edge is None else rational_parameter(edge, "edge")
    how = boosting_for(a, share)
    kept = prefixes_of_sieve(a, share) if beam is None else whole(beam, "beam", 1)
    if samples is None:
        return _sieve_exactly(ask, how, d=d, beam=kept, rounds=rounds)
    refuse_empty(examples)
    bases, partners = draw_pairs(draw, d=d, samples=whole(samples, "samples", 1))
    return _sieve_by_samples(examples, ask, how, bases, partners, d=d, beam=kept, rounds=rounds)


def _sieve_exactly(ask: Ask, how: Boosting, *, d: int, beam: int, rounds: int | None) -> MajorityOfParities:
    """The sieve with every expectation over all 2^d queries."""
    density, points = _evaluated(ask, range(1 << d))
    weights = [density[q] for q, _ in points]
    enough = how.enough * how.levels * sum(weights)

    def weak(values: Sequence[int], known: Sequence[int]) -> Vote | None:
        # g(q) = 2^d·f±(q)·M(q)·c·G[q], up to a factor
        g = {q: density[q] * value for (q, _), value in zip(points, values, strict=True)}

        def heavy() -> Sequence[int]:
            squares = [transformed**2 for transformed in walsh_hadamard([g.get(q, 0) for q in range(1 << d)])]
            return heavy_parities(lambda k, prefixes: [sum(squares[x :: 1 << k]) for x in prefixes], d=d, beam=beam)

        return best_of((lambda: known, heavy), g, enough, d)

    return boost(points, weights, weak, how, rounds)


def _sieve_by_samples(
    examples: Sequence[Example],
    ask: Ask,
    how: Boosting,
    bases: Sequence[int],
    partners: Sequence[Sequence[int]],
    *,
    d: int,
    beam: int,
    rounds: int | None,
) -> MajorityOfParities:
    """The sieve with E_G estimated on the examples, and the search on the drawn pairs."""
    density, asked = _evaluated(ask, dict.fromkeys([*bases, *(q for level in partners for q in level)]))
    seen = Counter(examples)
    points = tuple(dict.fromkeys([*seen, *asked]))
    weights = [seen[point] for point in points]
    enough = how.enough * how.levels * len(examples)

    def weak(values: Sequence[int], known: Sequence[int]) -> Vote | None:
        value_of = dict(zip(points, values, strict=True))

        def heavy() -> Sequence[int]:
            g = {point[0]: density[point[0]] * value_of[point] for point in asked}

            def energy(k: int, prefixes: Sequence[int]) -> Sequence[int]:
                # E[g(q)·g(q′)·χ_prefix(q ⊕ q′)], q′ being q with its lowest k bits drawn anew
                pairs = zip(bases, partners[k - 1], strict=True)
                products = sum_of_values((q ^ other, g[q] * g[other]) for q, other in pairs if q in g and other in g)
                return fourier_sums(products, prefixes, k)

            return heavy_parities(energy, d=d, beam=beam)

        # E_G[M·f±·χ_y] itself is known best from the examples
        by_query = sum_of_values((q, weight * value_of[q, label]) for (q, label), weight in seen.items())
        return best_of((lambda: known, heavy), by_query, enough, d)

    return boost(points, weights, weak, how, rounds)


def heavy_parities(energy: Estimate, *, d: int, beam: int) -> tuple[int, ...]:
    """The y whose ĝ(y)² is great, found bit by bit: of each length the `beam` prefixes of most energy are kept.

    Source: Kushilevitz & Mansour, where those above a threshold are kept. The energy of a prefix is at least that of
    any y that it begins, and by Parseval all of one length have E[g²] together, so that few can have much. Prefixes of
    no energy, or which seem to have less than none, are dropped.
    """
    prefixes = [0]
    for k in range(1, d + 1):
        longer = [prefix | bit << (k - 1) for bit in (0, 1) for prefix in prefixes]
        known = zip(energy(k, longer), longer, strict=True)
        best = sorted(((e, prefix) for e, prefix in known if e > 0), key=lambda pair: (-pair[0], pair[1]))
        prefixes = [prefix for _, prefix in best[:beam]]
    return tuple(prefixes)


def draw_pairs(draw: Draw, *, d: int, samples: int) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """`samples` uniform queries, and for k = 1, …, d each of them with its lowest k bits drawn anew."""
    bases = tuple(draw(uniform(range(1 << d))) for _ in range(samples))
    partners = tuple(tuple(q >> k << k | draw(uniform(range(1 << k))) for q in bases) for k in range(1, d + 1))
    return bases, partners


def _evaluated(ask: Ask, queries: Any) -> tuple[Mapping[int, int], tuple[Example, ...]]:
    """c·G of the queries where it is not 0, as whole numbers up to a factor, and these queries with their labels.

    An answer of 0 comes with ⊥ in place of a label, which is not looked at.
    """
    share: dict[int, Fraction] = {}
    labelled: list[Example] = []
    for q in queries:
        answer, label = ask(q)
        number = rational_parameter(answer, "c·G[q]")
        if number:
            share[q] = number
            labelled.append((q, label))
    scale = lcm(*(number.denominator for number in share.values()))
    whole_numbers = {q: int(number * scale) for q, number in share.items()}
    common = gcd(*whole_numbers.values()) or 1
    return {q: number // common for q, number in whole_numbers.items()}, tuple(labelled)


def prefixes_of_sieve(edge: Fraction, gamma: Fraction) -> int:
    """⌊8/(a²γ²)⌋: how many prefixes of one length can seem to have as much energy as that of the best parity.

    With S = 2/γ, E[g²] ≤ c²·S·E_G[M], the best parity has (c·a·E_G[M])², and E_G[M] is γ/2 or more; with each energy
    estimated to a quarter of the best, twice E[g²] over it is the most.
    """
    return int(8 / (edge * gamma) ** 2)


@sized(learn_majority_of_parities, name="samples")
def samples_of_sieve(n: int, gamma: ExactLike, beta: ExactLike, *, d: int) -> int:
    """The `samples` for n rows: the least whole m ≥ (8192/(a⁴γ⁸))·((d+1)(T+1)·ln 2 + ln(4/β)), a = 1/(2n+1).

    By Hoeffding's bound each energy is known to (c·a·γ)²/16, for values up to (2c/γ)², whatever the T rounds vote; with
    probability 1 − β/2. Hardt, Rothblum & Servedio state the order poly(d, n, 1/γ)·log(1/β); the constants are ours.
    Raises `InputError` where a parameter is out of range.
    """
    a, g, failure = _bounds_for_sieve(n, gamma, beta, d)
    return ceil(8192 / (a**4 * g**8) * failure)


@sized(learn_majority_of_parities, name="examples")
def examples_of_sieve(n: int, gamma: ExactLike, beta: ExactLike, *, d: int) -> int:
    """The examples for n rows: the least whole m ≥ (128/(a²γ²))·((d+1)(T+1)·ln 2 + ln(4/β)), a = 1/(2n+1).

    By Hoeffding's bound each E_G[M·f±·χ_y] and E_G[M] is known to aγ/8, whatever the T rounds vote; with probability
    1 − β/2. The constants are ours. Raises `InputError` where a parameter is out of range.
    """
    a, g, failure = _bounds_for_sieve(n, gamma, beta, d)
    return ceil(128 / (a**2 * g**2) * failure)


@sized(learn_majority_of_parities, name="queries")
def queries_of_sieve(n: int, gamma: ExactLike, beta: ExactLike, *, d: int) -> int:
    """b(n, γ, β): the examples, or the evaluation queries (d + 1)·m for m samples, whichever are more."""
    return max(examples_of_sieve(n, gamma, beta, d=d), (d + 1) * samples_of_sieve(n, gamma, beta, d=d))


def _bounds_for_sieve(n: int, gamma: ExactLike, beta: ExactLike, d: int) -> tuple[Exact, Exact, Exact]:
    """a, γ, and (d+1)(T+1)·ln 2 + ln(4/β), for T rounds of at most 2^(d+1) votes each."""
    a, g = edge_of_parity_thresholds(n, 0), open_unit(gamma, "gamma")
    rounds = boosting_for(a, rational_parameter(g, "gamma")).rounds
    return exact(a), g, (whole(d, "d", 1) + 1) * (rounds + 1) * log(2) + log(4 / open_unit(beta, "beta"))

"""Utility of learning polynomial thresholds by linear programming: Hardt, Rothblum & Servedio, Theorem 5.10."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.release.chebyshev import least_count
from dpverify.mechanisms.release.conjunctions import Conjunction, sparse_queries
from dpverify.mechanisms.release.polynomial_thresholds import (
    degree_of_thresholds,
    examples_for_thresholds,
    learn_polynomial_threshold,
)
from dpverify.mechanisms.sanitizers.concepts import Concept, Example
from dpverify.verifiers.catalogue.corners import claimed_beta
from dpverify.verifiers.catalogue.learners.populations import JUST, is_within_alpha
from dpverify.verifiers.utility.case import Case, MadeOnce
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.pac import Population, examples_met
from dpverify.verifiers.utility.statement import Sharpness

HALF: Final = Fraction(1, 2)
_HRS: Final = "Hardt, Rothblum & Servedio"


# Theorem 5.10 of Hardt, Rothblum & Servedio: linear programming.


def threshold_labels(rows: Sequence[int], t: Fraction, queries: Sequence[int]) -> tuple[Example, ...]:
    """f^D_t on the queries: whether at least a share t of the rows satisfies them."""
    least = least_count(len(rows), t)
    return tuple((q, int(sum(map(Conjunction(q), rows)) >= least)) for q in queries)


def polynomial_learnt(draw: Draw, population: Population, *, size: int, d: int, k: int, degree: int) -> Concept:
    """The polynomial that linear programming finds from the labels of the queries met among `size` independent ones."""
    return polynomial_of(draw(examples_met(population, size)), d, k, degree)


@lru_cache(maxsize=4096)
def polynomial_of(examples: tuple[Example, ...], d: int, k: int, degree: int) -> Concept:
    """What is learnt of the examples; with a degree, n, t, γ and β are not used, and many populations share it."""
    given: dict[str, Any] = {"n": 1, "t": 1, "gamma": HALF, "beta": HALF, "d": d, "k": k, "degree": degree}
    return learn_polynomial_threshold(None, examples, None, **given)


def polynomial_of_turned_labels(draw: Draw, population: Population, **given: Any) -> Concept:
    """With 0 and 1 exchanged in what it learns from."""
    turned = tuple(((q, 1 - y), share) for (q, y), share in population)
    found: Concept = draw(polynomial_learnt, turned, **given)
    return found


def query_populations(gamma: Fraction) -> Iterator[tuple[Population, int, int, int]]:
    """f^D_t on B_k, with a little more than γ on one query and the rest alike on the others, or all alike; d, n, k."""
    for d, k in ((1, 1), (2, 1), (2, 2)):
        queries = sparse_queries(d, k)
        for n in (1, 2):
            for rows in combinations_with_replacement(range(1 << d), n):
                for least in range(1, n + 1):
                    examples = threshold_labels(rows, Fraction(least, n), queries)
                    rest = (1 - gamma - JUST) / (len(queries) - 1)
                    for heavy in (None, *queries):
                        one = Fraction(1, len(queries)) if heavy is None else gamma + JUST
                        yield (
                            tuple((e, one if heavy in (None, e[0]) else rest) for e in examples),
                            d,
                            n,
                            k,
                        )


def of_5_10(beta: Fraction, gamma: Fraction, size: int | None = None) -> Iterator[Case]:
    """On the examples that are asked for; where another number is given, with d = k = n = 2 alone."""
    for population, d, n, k in query_populations(gamma):
        if size is not None and (d, n, k) != (2, 2, 2):
            continue
        rows = size or examples_for_thresholds(n, gamma, beta, d=d, k=k)
        given = {"size": rows, "d": d, "k": k, "degree": degree_of_thresholds(d, n, k)}
        yield Case(population, given, {"alpha": gamma, "beta": beta})


GAMMA: Final = Fraction(1, 4)
BETA: Final = Fraction(1, 20)

polynomials = UtilityClaim(
    id="HRS-5.10.utility.pac",
    source=f"{_HRS}, Theorem 5.10, with constants of ours, at the degree of Lemmas 5.3 and 5.9",
    statement="from m ≥ max((4/γ)·log₂(2/β), (8N/γ)·log₂(13/γ)) labelled queries, N monomials, linear programming "
    "finds an h with error ≤ γ with probability ≥ 1 − β; all D of up to two rows, d ≤ 2, all t > 0, γ = 1/4, β = 1/20, "
    "all queries alike, or 251/1000 on one of them",
    mechanism=polynomial_learnt,
    succeeds=is_within_alpha,
    beta=claimed_beta,
    cases=MadeOnce(lambda: of_5_10(BETA, GAMMA)),
    mutant=polynomial_of_turned_labels,
    sharpness=Sharpness(
        what="labelled queries, d = 2, k = 2, n = 2, γ = 1/4, β = 1/20",
        paper=examples_for_thresholds(2, GAMMA, BETA, d=2, k=2),
        family=lambda m: of_5_10(BETA, GAMMA, m),
        ours=True,
    ),
)

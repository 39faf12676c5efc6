"""Utility of learning polynomial thresholds by linear programming: Hardt, Rothblum & Servedio, Theorem 5.10."""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from typing import Any, Final

from dpverify.mechanisms import Draw
from dpverify.mechanisms.release import learn_polynomial_threshold
from dpverify.mechanisms.release.conjunctions import sparse_queries
from dpverify.mechanisms.release.polynomial_thresholds import degree_of_thresholds, examples_for_thresholds
from dpverify.mechanisms.sanitizers.concepts import Concept, Example
from dpverify.verifiers.catalogue.corners import JUST, claimed_beta, is_within_alpha, turned
from dpverify.verifiers.catalogue.families import HALF
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import labels
from dpverify.verifiers.utility.family import Case, Family, MadeOnce, as_named, least_of
from dpverify.verifiers.utility.pac import Population, examples_met

GAMMA: Final = Fraction(1, 4)
BETA: Final = Fraction(1, 20)


def polynomial_learnt(draw: Draw, population: Population, *, size: int, d: int, k: int, degree: int) -> Concept:
    """The polynomial that linear programming finds from the labels of the queries met among `size` independent ones."""
    return polynomial_of(draw(examples_met(population, size)), d, k, degree)


@lru_cache(maxsize=4096)
def polynomial_of(examples: tuple[Example, ...], d: int, k: int, degree: int) -> Concept:
    """The concept that is learnt; with a degree, n, t, γ and β are not used, and many populations share it."""
    given: dict[str, Any] = {"n": 1, "t": 1, "gamma": HALF, "beta": HALF, "d": d, "k": k, "degree": degree}
    return learn_polynomial_threshold(None, examples, None, **given)


def query_populations() -> Iterator[tuple[Population, int, int, int]]:
    """f^D_t on B_k, with a little more than γ on one query and the rest alike on the others, or all alike; d, n, k."""
    for (d, k), n in product(((1, 1), (2, 1), (2, 2)), (1, 2)):
        queries = sparse_queries(d, k)
        rest = (1 - GAMMA - JUST) / (len(queries) - 1)
        for rows, least in product(combinations_with_replacement(range(1 << d), n), range(1, n + 1)):
            of_queries = labels(rows, Fraction(least, n), queries)
            for heavy in (None, *queries):
                shares = (
                    Fraction(1, len(queries)) if heavy is None else GAMMA + JUST if q == heavy else rest
                    for q in queries
                )
                yield tuple(zip(zip(queries, of_queries, strict=True), shares, strict=True)), d, n, k


def of_5_10(size: int | None = None) -> Iterator[Case]:
    """On the examples that are asked for; where another number is given, with d = k = n = 2 alone."""
    for population, d, n, k in query_populations():
        if size is None or (d, n, k) == (2, 2, 2):
            rows = size or examples_for_thresholds(n, GAMMA, BETA, d=d, k=k)
            given = {"size": rows, "d": d, "k": k, "degree": degree_of_thresholds(d, n, k)}
            yield Case(population, given, {"alpha": GAMMA, "beta": BETA})


polynomials = Family(
    polynomial_learnt,
    is_within_alpha,
    claimed_beta,
    as_named(
        "polynomial_of_turned_labels",
        "With 0 and 1 exchanged in what it learns from.",
        lambda draw, population, **given: draw(polynomial_learnt, turned(population), **given),
    ),
)(
    "HRS-5.10.utility.pac",
    "Hardt, Rothblum & Servedio, Theorem 5.10, with constants of ours, at the degree of Lemmas 5.3 and 5.9",
    "from m ≥ max((4/γ)·log₂(2/β), (8N/γ)·log₂(13/γ)) labelled queries, N monomials, linear programming "
    "finds an h with error ≤ γ with probability ≥ 1 − β; all D of up to two rows, d ≤ 2, all t > 0, γ = 1/4, β = 1/20, "
    "all queries alike, or 251/1000 on one of them",
    MadeOnce(of_5_10),
    sharpness=least_of(
        "labelled queries, d = 2, k = 2, n = 2, γ = 1/4, β = 1/20",
        examples_for_thresholds(2, GAMMA, BETA, d=2, k=2),
        of_5_10,
        ours=True,
    ),
)

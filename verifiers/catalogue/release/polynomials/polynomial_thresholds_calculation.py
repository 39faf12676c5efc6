"""Polynomials that linear programming finds on all examples: Hardt, Rothblum & Servedio, Theorem 5.10."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final

from dpverify.mechanisms.release import learn_polynomial_threshold
from dpverify.mechanisms.release.conjunctions import sparse_queries
from dpverify.mechanisms.release.polynomial_thresholds import degree_of_thresholds
from dpverify.verifiers.calculations.claim import Broken, Calculation
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import labels, with_thresholds
from dpverify.verifiers.utility.case import MadeOnce

HALF: Final = Fraction(1, 2)


def wrong_labels(rows: tuple[int, ...], t: Fraction, d: int, k: int, off: int = 0) -> int:
    """How many labels of B_k are wrong of what is learnt from all of them, at the degree of Lemma 5.3 less `off`."""
    queries = sparse_queries(d, k)
    examples = tuple(zip(queries, labels(rows, t, queries), strict=True))
    return wrong_of(examples, d, k, max(0, degree_of_thresholds(d, len(rows), k) - off))


@lru_cache(maxsize=4096)
def wrong_of(examples: tuple[tuple[int, int], ...], d: int, k: int, degree: int) -> int:
    """Of these examples; with a degree, n and t are not used, and many databases have the same."""
    given: dict[str, Any] = {"n": 1, "t": 1, "gamma": HALF, "beta": HALF, "d": d, "k": k, "degree": degree}
    learnt = learn_polynomial_threshold(None, examples, None, **given)
    return sum(learnt(q) != label for q, label in examples)


consistent = Calculation(
    id="HRS-5.10.utility.consistent",
    source="Hardt, Rothblum & Servedio, Theorem 5.10, at the degree of Lemmas 5.3 and 5.9",
    statement="linear programming finds a polynomial of that degree that is right on all examples; d, n ≤ 3, all D, t "
    "and k, all of B_k as examples",
    computed=wrong_labels,
    equals=0,
    cases=MadeOnce(lambda: with_thresholds((1, 2, 3), 3, "k")),
    mutants=[Broken("a degree of one less", {"computed": partial(wrong_labels, off=1)})],
)

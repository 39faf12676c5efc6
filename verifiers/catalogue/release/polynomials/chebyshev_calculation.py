"""Polynomials for conjunctions, on sparse queries, and on the cube for narrow databases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any, Final

from dpverify.mechanisms.release import dropping_polynomial, sparse_threshold_polynomial
from dpverify.mechanisms.release.chebyshev import DroppingPolynomial, conjunction_terms
from dpverify.mechanisms.release.conjunctions import sparse_queries, width
from dpverify.verifiers.calculations.claim import Broken, Calculation
from dpverify.verifiers.catalogue.refuted import as_expected, our_constants
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import (
    ONE_LESS,
    cube,
    fewer,
    with_thresholds,
    wrong,
)

_HRS: Final = "Hardt, Rothblum & Servedio"


def wrong_and_degree(rows: tuple[int, ...], t: Fraction, d: int, k: int, less: int = 0) -> tuple[int, int]:
    """The labels on B_k that the polynomial of Lemma 5.3 has wrong, and its degree."""
    found = sparse_threshold_polynomial(rows, t=fewer(t, rows, less), d=d, k=k)
    return wrong(found, rows, t, sparse_queries(d, k)), found.degree


def wrong_of_sparse(rows: tuple[int, ...], t: Fraction, d: int, k: int, less: int = 0) -> int:
    """The wrong labels alone."""
    return wrong_and_degree(rows, t, d, k, less)[0]


sparse = Calculation(
    id="HRS-5.3.utility.construction-14",
    source=f"{_HRS}, the construction of Lemma 5.3 with (14), whose degree at these sizes is no less than k",
    statement="f^D_t is on B_k the sign of A(q) − (⌈tn⌉ − 1/2) with (14) in A; d ≤ 3, n ≤ 3, all D, t and k; of its "
    "degree nothing is said: as ⌈√k⌉·⌈log₂(3n)⌉ ≥ k, any polynomial on B_k would do",
    computed=wrong_of_sparse,
    equals=0,
    cases=tuple(with_thresholds((1, 2, 3), 3, "k")),
    mutants=[Broken(ONE_LESS, {"computed": partial(wrong_of_sparse, less=1)})],
)

sparse_of_one_row = Calculation(
    id="HRS-5.3.utility.degree-of-one-row",
    source=f"{_HRS}, Lemma 5.3",
    statement="the degree is O(√(k·ln n)), which is 0 for n = 1",
    computed=wrong_and_degree,
    at_most=(0, 0),
    cases=({"rows": (0,), "t": Fraction(1), "d": 1, "k": 1}, *with_thresholds((1,), 2, "k")),
    mutants=[Broken(ONE_LESS, {"computed": partial(wrong_and_degree, less=1)})],
    **as_expected(our_constants("The lemma states an order. That it is 0 for one row is read to the letter by us.")),
)


def off_at_k_and_below(k: int, eps: Fraction, less: int = 0) -> tuple[Fraction, Fraction]:
    """|s(k) − 1|, and the largest |s(j)| below k; with an exponent that is less, if that is asked for."""
    s = dropping_polynomial(k, eps)
    s = DroppingPolynomial(k, max(0, s.exponent - less)) if less else s
    return abs(s(k) - 1), max(abs(s(j)) for j in range(k))


dropping = Calculation(
    id="HRS-5.4.utility.dropping-polynomial",
    source=f"{_HRS}, Claim 5.4 and (14), with the logarithm to base 2",
    statement="s(k) = 1 and |s(j)| ≤ ε for j = 0, …, k − 1; k ≤ 40, ε from 1/1000 to 1",
    computed=off_at_k_and_below,
    at_most=lambda eps: (0, eps),
    cases=[
        {"k": k, "eps": Fraction(eps)} for k in range(1, 41) for eps in ("1/1000", "1/6", "1/3", "1/2", "99/100", "1")
    ],
    mutants=[Broken("an exponent of one less", {"computed": partial(off_at_k_and_below, less=1)})],
)


# Corollary 5.5 and Lemma 5.7 of Hardt, Rothblum & Servedio.


def off_where_true_and_false(
    lacking: int, d: int, k: int, share: Fraction, shift: int = 0
) -> tuple[Fraction, Fraction]:
    """The largest |A_u − 1| on B_k where P(q, u) is 1, and |A_u| where it is 0; u lacks these attributes."""
    terms = conjunction_terms(lacking, k + shift, dropping_polynomial(k, share))
    values = {q: sum((c for q0, c in terms if q0 & q == q0), Fraction(0)) for q in sparse_queries(d, k)}
    true = (abs(value - 1) for q, value in values.items() if not q & lacking)
    return max(true), max((abs(value) for q, value in values.items() if q & lacking), default=Fraction(0))


def all_terms() -> Iterator[dict[str, Any]]:
    """All u, all k, at the ε of up to four rows and at one near 1."""
    for d in (1, 2, 3):
        for lacking, k in product(range(1 << d), range(1, d + 1)):
            for share in (*(Fraction(1, 3 * n) for n in (1, 2, 3, 4)), Fraction(99, 100), Fraction(1, 10**6)):
                yield {"lacking": lacking, "d": d, "k": k, "share": share}


conjunctions = Calculation(
    id="HRS-5.5.utility.conjunction",
    source=f"{_HRS}, Corollary 5.5, with the polynomial (14)",
    statement="A_u is 1 where P(q, u) = 1 and |A_u| ≤ ε elsewhere on B_k; d ≤ 3, all u and k, six ε",
    computed=off_where_true_and_false,
    at_most=lambda share: (0, share),
    cases=tuple(all_terms()),
    mutants=[Broken("L(q) = k + 1 − Σ q_i", {"computed": partial(off_where_true_and_false, shift=1)})],
)


def wrong_by_width(rows: tuple[int, ...], t: Fraction, d: int, less: int = 0) -> int:
    """The labels on all of the cube that the polynomial of Lemma 5.3 has wrong with the width in place of k."""
    return wrong(sparse_threshold_polynomial(rows, t=fewer(t, rows, less), d=d, k=width_of(rows, d)), rows, t, cube(d))


def width_of(rows: Sequence[int], d: int) -> int:
    """The width w of a database, at least 1."""
    return max(1, *(width(u, d) for u in rows))


def all_narrow() -> Iterator[dict[str, Any]]:
    """All databases of up to three rows, and all t that differ."""
    for d, n in product((1, 2, 3), (1, 2, 3)):
        for rows in combinations_with_replacement(range(1 << d), n):
            for least in range(n + 1):
                yield {"rows": rows, "t": Fraction(least, n), "d": d}


narrow = Calculation(
    id="HRS-5.7.utility.construction-14",
    source=f"{_HRS}, the construction of Lemma 5.7 with (14), whose degree at these sizes is no less than w",
    statement="for D of width w, f^D_t is on {0, 1}^d the sign of A(q) − (⌈tn⌉ − 1/2) with (14) in A, w ≥ 1; d ≤ 3, "
    "n ≤ 3, all D and t; of its degree nothing is said: as ⌈√w⌉·⌈log₂(3n)⌉ ≥ w, any polynomial would do",
    computed=wrong_by_width,
    equals=0,
    cases=tuple(all_narrow()),
    mutants=[Broken(ONE_LESS, {"computed": partial(wrong_by_width, less=1)})],
)

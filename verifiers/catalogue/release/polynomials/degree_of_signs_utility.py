"""Degrees of the polynomials of Lemmas 5.3 and 5.7 of Hardt, Rothblum & Servedio, where they are below k and the width.

On queries of at most k attributes every function is a polynomial of degree k, so that a bound of k or more says
nothing: here are rows and sizes where it is less, and the mutants have a degree that is too large. The lemmas say that
*some* polynomial has a degree of the order of √(k·log n); these are theirs, with one s or another in them, and nothing
is said of the least degree in which f^D_t is a sign. What draws nothing is claimed with β = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.counting.logarithms import log2
from dpverify.mechanisms.numbers.exact_numbers import ZERO, exact
from dpverify.mechanisms.release.chebyshev import (
    DroppingPolynomial,
    dropping_polynomial,
    sparse_threshold_polynomial,
    threshold_polynomial,
)
from dpverify.mechanisms.release.conjunctions import sparse_queries
from dpverify.mechanisms.release.least_degree import least_drop, least_dropping_polynomial
from dpverify.verifiers.catalogue.release.polynomials.chebyshev_utility import are_sparse_labels, width_of
from dpverify.verifiers.catalogue.release.polynomials.least_degree_utility import NINE_EIGHTHS
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import (
    databases,
    labels,
    signs_on_the_cube,
    with_thresholds,
)
from dpverify.verifiers.utility.case import Case, MadeOnce
from dpverify.verifiers.utility.claim import UtilityClaim

_HRS: Final = "Hardt, Rothblum & Servedio"

Signs: TypeAlias = tuple[tuple[int, ...], int]
"""The signs of a polynomial on some queries, and its degree."""


def share_of_a_row(rows: tuple[int, ...]) -> Fraction:
    """ε = 1/(3n)."""
    return Fraction(1, 3 * len(rows))


# With (14): ⌈√k⌉·⌈log₂(3n)⌉.


def signs_of_14(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, k: int) -> Signs:
    """Of the polynomial of Lemma 5.3 with (14), on B_k."""
    found = sparse_threshold_polynomial(rows, t=t, d=d, k=k)
    signs = signs_on_the_cube(found, d)
    return tuple(signs[q] for q in sparse_queries(d, k)), found.degree


def signs_of_a_larger_exponent(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, k: int) -> Signs:
    """⌈log₂(3n)⌉ + 1 in place of ⌈log₂(3n)⌉."""
    s = dropping_polynomial(k, share_of_a_row(rows))
    found = threshold_polynomial(rows, DroppingPolynomial(k, s.exponent + 1), t=t, d=d)
    signs = signs_on_the_cube(found, d)
    return tuple(signs[q] for q in sparse_queries(d, k)), found.degree


def degree_of_14(n: int, k: int) -> int:
    """⌈√k⌉·⌈log₂(3n)⌉."""
    return (isqrt(k - 1) + 1) * (3 * n - 1).bit_length()


WIDE: Final = (
    (7, 8, ((0,), (1,))),
    (16, 16, ((0,),)),
    (13, 14, ((0, 0), (1, 2))),
    (14, 14, ((0, 1),)),
)
"""k, d and rows that lack all d attributes but one at most, where ⌈√k⌉·⌈log₂(3n)⌉ is below k."""


def wide_cases() -> Iterator[Case]:
    """All t > 0 that differ, on each of them."""
    for k, d, several in WIDE:
        for rows in several:
            for least in range(1, len(rows) + 1):
                yield Case(rows, {"t": Fraction(least, len(rows)), "d": d, "k": k})


wide = UtilityClaim(
    id="HRS-5.3.utility.construction-14-wide",
    source=f"{_HRS}, the construction of Lemma 5.3 with (14), where its degree is below k",
    statement="A(q) − (⌈tn⌉ − 1/2) with (14) in A has on B_k the sign f^D_t and a degree of at most "
    "⌈√k⌉·⌈log₂(3n)⌉ < k; k = 7 and 16 for one row, 13 and 14 for two, which have one attribute or none, t > 0",
    mechanism=signs_of_14,
    succeeds=lambda case, found: (
        are_sparse_labels(case, found[0]) and found[1] <= degree_of_14(len(case.database), case.parameters["k"])
    ),
    beta=lambda case: ZERO,
    cases=MadeOnce(wide_cases),
    mutant=signs_of_a_larger_exponent,
)


# With the s of least degree, which Claim 5.4 says is of the order of √(k·log n).


def has_the_order_of_5_4(n: int, k: int, degree: int) -> bool:
    """True where it is at most (9/8)·√(k·log₂(3n))."""
    return bool(degree * degree <= NINE_EIGHTHS**2 * k * log2(exact(3 * n)))


def signs_of_least_degree(
    draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, k: int, more: int = 0
) -> tuple[tuple[int, ...], int]:
    """Of the polynomial of Lemma 5.3 with the s of least degree, or of `more` than that, on B_k."""
    s = least_dropping_polynomial(k, share_of_a_row(rows))
    found = threshold_polynomial(rows, least_drop(k, s.degree + more), t=t, d=d)
    return tuple(map(found, sparse_queries(d, k))), found.degree


def signs_of_one_more(draw: object, rows: tuple[int, ...], **given: Any) -> Signs:
    """A degree of one more."""
    return signs_of_least_degree(draw, rows, more=1, **given)


of_order = UtilityClaim(
    id="HRS-5.3.utility.construction-of-least-degree",
    source=f"{_HRS}, the construction of Lemma 5.3 with an s of the degree of Claim 5.4, with a constant of ours",
    statement="A(q) − (⌈tn⌉ − 1/2) has, with the s of least degree in A, on B_k the sign f^D_t and a degree of at most "
    "(9/8)·√(k·log₂(3n)); d ≤ 4, n ≤ 2, all D, t and k; it is below k where n = 1 and k ≥ 3, and n = 2 and k = 4",
    mechanism=signs_of_least_degree,
    succeeds=lambda case, found: (
        are_sparse_labels(case, found[0]) and has_the_order_of_5_4(len(case.database), case.parameters["k"], found[1])
    ),
    beta=lambda case: ZERO,
    cases=MadeOnce(lambda: with_thresholds((1, 2, 3, 4), 2, "k")),
    mutant=signs_of_one_more,
)


def signs_by_width_of_least_degree(
    draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, more: int = 0
) -> tuple[tuple[int, ...], int]:
    """The same on all of the cube, with the width in place of k."""
    s = least_dropping_polynomial(width_of(rows, d), share_of_a_row(rows))
    found = threshold_polynomial(rows, least_drop(s.k, s.degree + more), t=t, d=d)
    return tuple(map(found, range(1 << d))), found.degree


def signs_by_width_of_one_more(draw: object, rows: tuple[int, ...], **given: Any) -> Signs:
    """A degree of one more."""
    return signs_by_width_of_least_degree(draw, rows, more=1, **given)


def are_of_order_on_the_cube(case: Case, found: Signs) -> bool:
    """True where they are f^D_t on the cube, and the degree is of the order for the width."""
    rows, given = case.database, case.parameters
    is_right = found[0] == labels(rows, given["t"], tuple(range(1 << given["d"])))
    return is_right and has_the_order_of_5_4(len(rows), width_of(rows, given["d"]), found[1])


def all_of_each_width() -> Iterator[Case]:
    """All databases of one row or two, of up to four attributes, and all t that differ."""
    for d in (1, 2, 3, 4):
        for rows in databases(d, 2):
            for least in range(len(rows) + 1):
                yield Case(rows, {"t": Fraction(least, len(rows)), "d": d})


of_order_by_width = UtilityClaim(
    id="HRS-5.7.utility.construction-of-least-degree",
    source=f"{_HRS}, the construction of Lemma 5.7 with an s of the degree of Claim 5.4, with a constant of ours",
    statement="for D of width w the same on {0, 1}^d with w in place of k, w ≥ 1: a degree of at most "
    "(9/8)·√(w·log₂(3n)); d ≤ 4, n ≤ 2, all D and t",
    mechanism=signs_by_width_of_least_degree,
    succeeds=are_of_order_on_the_cube,
    beta=lambda case: ZERO,
    cases=MadeOnce(all_of_each_width),
    mutant=signs_by_width_of_one_more,
)

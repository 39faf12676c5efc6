"""Degrees of the polynomials of Lemmas 5.3 and 5.7 of Hardt, Rothblum & Servedio, where they are below k and the width.

On queries of at most k attributes every function is a polynomial of degree k, so that a bound of k or more says
nothing: here are rows and sizes where it is less, and the mutants have a degree that is too large. The lemmas say that
*some* polynomial has a degree of the order of √(k·log n); these are theirs, with one s or another in them, and nothing
is said of the least degree in which f^D_t is a sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any, Final

from dpverify.mechanisms import Exact, exact, sqrt
from dpverify.mechanisms.counting.logarithms import log2
from dpverify.mechanisms.release import dropping_polynomial, least_dropping_polynomial
from dpverify.mechanisms.release.chebyshev import DroppingPolynomial, threshold_polynomial
from dpverify.mechanisms.release.conjunctions import sparse_queries
from dpverify.mechanisms.release.least_degree import least_drop
from dpverify.verifiers.calculations.claim import Broken, Calculation
from dpverify.verifiers.catalogue.release.polynomials.chebyshev_calculation import width_of
from dpverify.verifiers.catalogue.release.polynomials.least_degree_calculation import NINE_EIGHTHS
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import (
    cube,
    databases,
    signs_on_the_cube,
    with_thresholds,
    wrong,
)
from dpverify.verifiers.utility.case import MadeOnce

_HRS: Final = "Hardt, Rothblum & Servedio"


def share_of_a_row(rows: tuple[int, ...]) -> Fraction:
    """ε = 1/(3n)."""
    return Fraction(1, 3 * len(rows))


# With (14): ⌈√k⌉·⌈log₂(3n)⌉.


def of_14(rows: tuple[int, ...], t: Fraction, d: int, k: int, more: int = 0) -> tuple[int, int]:
    """The labels on B_k that the polynomial of Lemma 5.3 with (14) has wrong, and its degree.

    The exponent in it may be `more` than ⌈log₂(3n)⌉.
    """
    s = DroppingPolynomial(k, dropping_polynomial(k, share_of_a_row(rows)).exponent + more)
    found = threshold_polynomial(rows, s, t=t, d=d)
    return wrong(signs_on_the_cube(found, d).__getitem__, rows, t, sparse_queries(d, k)), found.degree


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


def wide_cases() -> Iterator[dict[str, Any]]:
    """All t > 0 that differ, on each of them."""
    for k, d, several in WIDE:
        for rows in several:
            for least in range(1, len(rows) + 1):
                yield {"rows": rows, "t": Fraction(least, len(rows)), "d": d, "k": k}


wide = Calculation(
    id="HRS-5.3.utility.construction-14-wide",
    source=f"{_HRS}, the construction of Lemma 5.3 with (14), where its degree is below k",
    statement="A(q) − (⌈tn⌉ − 1/2) with (14) in A has on B_k the sign f^D_t and a degree of at most "
    "⌈√k⌉·⌈log₂(3n)⌉ < k; k = 7 and 16 for one row, 13 and 14 for two, which have one attribute or none, t > 0",
    computed=of_14,
    at_most=lambda rows, k: (0, degree_of_14(len(rows), k)),
    cases=MadeOnce(wide_cases),
    mutants=[Broken("⌈log₂(3n)⌉ + 1 in place of ⌈log₂(3n)⌉", {"computed": partial(of_14, more=1)})],
)


# With the s of least degree, which Claim 5.4 says is of the order of √(k·log n).


def order_of_5_4(n: int, k: int) -> tuple[int, Exact]:
    """No wrong label, and a degree of (9/8)·√(k·log₂(3n))."""
    return 0, NINE_EIGHTHS * sqrt(k * log2(exact(3 * n)))


def of_least_degree(rows: tuple[int, ...], t: Fraction, d: int, k: int, more: int = 0) -> tuple[int, int]:
    """As `of_14`, with the s of least degree, or of `more` than that."""
    return wrong_and_degree(rows, t, d, k, sparse_queries(d, k), more)


def wrong_and_degree(
    rows: tuple[int, ...], t: Fraction, d: int, k: int, queries: tuple[int, ...], more: int
) -> tuple[int, int]:
    """The labels that the polynomial with the s of least degree for k, or of `more`, has wrong, and its degree."""
    s = least_dropping_polynomial(k, share_of_a_row(rows))
    found = threshold_polynomial(rows, least_drop(k, s.degree + more), t=t, d=d)
    return wrong(found, rows, t, queries), found.degree


of_order = Calculation(
    id="HRS-5.3.utility.construction-of-least-degree",
    source=f"{_HRS}, the construction of Lemma 5.3 with an s of the degree of Claim 5.4, with a constant of ours",
    statement="A(q) − (⌈tn⌉ − 1/2) has, with the s of least degree in A, on B_k the sign f^D_t and a degree of at most "
    "(9/8)·√(k·log₂(3n)); d ≤ 4, n ≤ 2, all D, t and k; it is below k where n = 1 and k ≥ 3, and n = 2 and k = 4",
    computed=of_least_degree,
    at_most=lambda rows, k: order_of_5_4(len(rows), k),
    cases=MadeOnce(lambda: with_thresholds((1, 2, 3, 4), 2, "k")),
    mutants=[Broken("a degree of one more", {"computed": partial(of_least_degree, more=1)})],
)


def by_width(rows: tuple[int, ...], t: Fraction, d: int, more: int = 0) -> tuple[int, int]:
    """The same on all of the cube, with the width in place of k."""
    return wrong_and_degree(rows, t, d, width_of(rows, d), cube(d), more)


def all_of_each_width() -> Iterator[dict[str, Any]]:
    """All databases of one row or two, of up to four attributes, and all t that differ."""
    for d in (1, 2, 3, 4):
        for rows in databases(d, 2):
            for least in range(len(rows) + 1):
                yield {"rows": rows, "t": Fraction(least, len(rows)), "d": d}


of_order_by_width = Calculation(
    id="HRS-5.7.utility.construction-of-least-degree",
    source=f"{_HRS}, the construction of Lemma 5.7 with an s of the degree of Claim 5.4, with a constant of ours",
    statement="for D of width w the same on {0, 1}^d with w in place of k, w ≥ 1: a degree of at most "
    "(9/8)·√(w·log₂(3n)); d ≤ 4, n ≤ 2, all D and t",
    computed=by_width,
    at_most=lambda rows, d: order_of_5_4(len(rows), width_of(rows, d)),
    cases=MadeOnce(all_of_each_width),
    mutants=[Broken("a degree of one more", {"computed": partial(by_width, more=1)})],
)

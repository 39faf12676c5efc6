"""Utility of the polynomials for conjunctions, on sparse queries and on the cube for narrow databases.

What draws nothing fails with probability 0 or 1, and is claimed with β = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, Final

from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.release.chebyshev import (
    DroppingPolynomial,
    conjunction_terms,
    dropping_polynomial,
    sparse_threshold_polynomial,
)
from dpverify.mechanisms.release.conjunctions import sparse_queries, width
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.refuted import our_constants
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import labels, with_thresholds
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

_HRS: Final = "Hardt, Rothblum & Servedio"
HALF: Final = Fraction(1, 2)


def sparse_signs(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, k: int) -> tuple[tuple[int, ...], int]:
    """The signs on B_k of the polynomial of Lemma 5.3, and its degree."""
    found = sparse_threshold_polynomial(rows, t=t, d=d, k=k)
    return tuple(map(found, sparse_queries(d, k))), found.degree


def sparse_signs_of_one_less(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, k: int) -> Any:
    """⌈tn⌉ − 1 in place of ⌈tn⌉."""
    return sparse_signs(draw, rows, t=max(Fraction(0), t - Fraction(1, len(rows))), d=d, k=k)


def are_sparse_labels(case: Case, signs: tuple[int, ...]) -> bool:
    """True where they are f^D_t on B_k."""
    given = case.parameters
    return signs == labels(case.database, given["t"], sparse_queries(given["d"], given["k"]))


sparse = UtilityClaim(
    id="HRS-5.3.utility.construction-14",
    source=f"{_HRS}, the construction of Lemma 5.3 with (14), whose degree at these sizes is no less than k",
    statement="f^D_t is on B_k the sign of A(q) − (⌈tn⌉ − 1/2) with (14) in A; d ≤ 3, n ≤ 3, all D, t and k; of its "
    "degree nothing is said: as ⌈√k⌉·⌈log₂(3n)⌉ ≥ k, any polynomial on B_k would do",
    mechanism=sparse_signs,
    succeeds=lambda case, found: are_sparse_labels(case, found[0]),
    beta=lambda case: ZERO,
    cases=tuple(with_thresholds((1, 2, 3), 3, "k")),
    mutant=sparse_signs_of_one_less,
)

sparse_of_one_row = UtilityClaim(
    id="HRS-5.3.utility.degree-of-one-row",
    source=f"{_HRS}, Lemma 5.3",
    statement="the degree is O(√(k·ln n)), which is 0 for n = 1",
    mechanism=sparse_signs,
    succeeds=lambda case, found: are_sparse_labels(case, found[0]) and (len(case.database) > 1 or found[1] == 0),
    beta=lambda case: ZERO,
    cases=tuple(with_thresholds((1,), 2, "k")),
    examples=(Case((0,), {"t": Fraction(1), "d": 1, "k": 1}),),
    mutant=sparse_signs_of_one_less,
    expected=Status.REFUTED,
    refutation=our_constants("The lemma states an order. That it is 0 for one row is read to the letter by us."),
)


def dropping_values(draw: object, k: int, *, eps: Fraction) -> tuple[Fraction, ...]:
    """s(0), …, s(k)."""
    return tuple(map(dropping_polynomial(k, eps), range(k + 1)))


def dropping_values_with_less(draw: object, k: int, *, eps: Fraction) -> tuple[Fraction, ...]:
    """With an exponent of one less."""
    s = dropping_polynomial(k, eps)
    return tuple(map(DroppingPolynomial(k, max(0, s.exponent - 1)), range(k + 1)))


dropping = UtilityClaim(
    id="HRS-5.4.utility.dropping-polynomial",
    source=f"{_HRS}, Claim 5.4 and (14), with the logarithm to base 2",
    statement="s(k) = 1 and |s(j)| ≤ ε for j = 0, …, k − 1; k ≤ 40, ε from 1/1000 to 1",
    mechanism=dropping_values,
    succeeds=lambda case, s: s[-1] == 1 and all(abs(value) <= case.parameters["eps"] for value in s[:-1]),
    beta=lambda case: ZERO,
    cases=tuple(
        Case(k, {"eps": eps})
        for k, eps in product(
            range(1, 41), (Fraction(1, 1000), Fraction(1, 6), Fraction(1, 3), HALF, Fraction(99, 100), Fraction(1))
        )
    ),
    mutant=dropping_values_with_less,
)


# Corollary 5.5 and Lemma 5.7 of Hardt, Rothblum & Servedio.


def term_values(draw: object, lacking: int, *, d: int, k: int, share: Fraction, shift: int = 0) -> tuple[Fraction, ...]:
    """A_u on B_k, for a row that lacks these attributes."""
    terms = conjunction_terms(lacking, k + shift, dropping_polynomial(k, share))
    return tuple(sum((c for q0, c in terms if q0 & q == q0), Fraction(0)) for q in sparse_queries(d, k))


def term_values_one_off(draw: object, lacking: int, **given: Any) -> tuple[Fraction, ...]:
    """L(q) = k + 1 − Σ q_i in place of k − Σ q_i."""
    return term_values(draw, lacking, shift=1, **given)


def all_terms() -> Iterator[Case]:
    """All u, all k, at the ε of up to four rows and at one near 1."""
    for d in (1, 2, 3):
        for lacking, k in product(range(1 << d), range(1, d + 1)):
            for share in (*(Fraction(1, 3 * n) for n in (1, 2, 3, 4)), Fraction(99, 100), Fraction(1, 10**6)):
                yield Case(lacking, {"d": d, "k": k, "share": share})


def is_a_conjunction(case: Case, values: tuple[Fraction, ...]) -> bool:
    """True where A_u is 1 where P(q, u) is, and at most ε in size where it is 0."""
    given = case.parameters
    return all(
        abs(value) <= given["share"] if q & case.database else value == 1
        for q, value in zip(sparse_queries(given["d"], given["k"]), values, strict=True)
    )


conjunctions = UtilityClaim(
    id="HRS-5.5.utility.conjunction",
    source=f"{_HRS}, Corollary 5.5, with the polynomial (14)",
    statement="A_u is 1 where P(q, u) = 1 and |A_u| ≤ ε elsewhere on B_k; d ≤ 3, all u and k, six ε",
    mechanism=term_values,
    succeeds=is_a_conjunction,
    beta=lambda case: ZERO,
    cases=tuple(all_terms()),
    mutant=term_values_one_off,
)


def signs_by_width(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int) -> tuple[tuple[int, ...], int]:
    """The signs on all of the cube of the polynomial of Lemma 5.3 with the width in place of k, and its degree."""
    found = sparse_threshold_polynomial(rows, t=t, d=d, k=width_of(rows, d))
    return tuple(map(found, range(1 << d))), found.degree


def signs_by_width_of_one_less(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int) -> Any:
    """⌈tn⌉ − 1 in place of ⌈tn⌉."""
    return signs_by_width(draw, rows, t=max(Fraction(0), t - Fraction(1, len(rows))), d=d)


def width_of(rows: Sequence[int], d: int) -> int:
    """The width w of a database, at least 1."""
    return max(1, *(width(u, d) for u in rows))


def are_labels_on_the_cube(case: Case, found: tuple[tuple[int, ...], int]) -> bool:
    """True where the signs are f^D_t on all queries."""
    given = case.parameters
    return found[0] == labels(case.database, given["t"], tuple(range(1 << given["d"])))


def all_narrow() -> Iterator[Case]:
    """All databases of up to three rows, and all t that differ."""
    for d, n in product((1, 2, 3), (1, 2, 3)):
        for rows in combinations_with_replacement(range(1 << d), n):
            for least in range(n + 1):
                yield Case(rows, {"t": Fraction(least, n), "d": d})


narrow = UtilityClaim(
    id="HRS-5.7.utility.construction-14",
    source=f"{_HRS}, the construction of Lemma 5.7 with (14), whose degree at these sizes is no less than w",
    statement="for D of width w, f^D_t is on {0, 1}^d the sign of A(q) − (⌈tn⌉ − 1/2) with (14) in A, w ≥ 1; d ≤ 3, "
    "n ≤ 3, all D and t; of its degree nothing is said: as ⌈√w⌉·⌈log₂(3n)⌉ ≥ w, any polynomial would do",
    mechanism=signs_by_width,
    succeeds=are_labels_on_the_cube,
    beta=lambda case: ZERO,
    cases=tuple(all_narrow()),
    mutant=signs_by_width_of_one_less,
)

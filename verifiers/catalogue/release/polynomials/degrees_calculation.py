"""Degrees of the polynomials of Hardt, Rothblum & Servedio: of Claim 5.4, and of Lemmas 5.3 and 5.7.

Those of Claim 5.4 have certificates that are checked anew. What finds them is trusted with nothing: that a polynomial
has a degree, and that none of a lower one will do, is checked here by differences and by moments.

On queries of at most k attributes every function is a polynomial of degree k, so that a bound of k or more says
nothing: here are rows and sizes where it is less, and the mutants have a degree that is too large. The lemmas say that
*some* polynomial has a degree of the order of √(k·log n); these are theirs, with one s or another in them, and nothing
is said of the least degree in which f^D_t is a sign.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import comb, isqrt
from typing import Final, Self, TypeAlias

from dpverify.mechanisms import Exact, exact, sqrt
from dpverify.mechanisms.counting.logarithms import log2
from dpverify.mechanisms.release.chebyshev import DroppingPolynomial, dropping_polynomial, threshold_polynomial
from dpverify.mechanisms.release.conjunctions import sparse_queries
from dpverify.mechanisms.release.least_degree import LeastDrop, least_drop, least_dropping_polynomial
from dpverify.verifiers.calculations.family import Broken, Calculation, MadeOnce
from dpverify.verifiers.catalogue.families import HRS, THIRD
from dpverify.verifiers.catalogue.release.polynomials.conjunction_polynomials_calculation import width_of
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import (
    Rows,
    cube,
    databases,
    each_t,
    signs_on_the_cube,
    with_thresholds,
    wrong,
)

NINE_EIGHTHS: Final = Fraction(9, 8)
"""Of √(k·log₂(1/ε)) that is enough; with 1 it is not, as at k = 2 below ε = 1/3, where a degree of 2 is needed."""


@dataclass(frozen=True)
class Certificate:
    """A proof that some s of this degree has s(k) = 1 and |s(j)| ≤ e at j < k, and none has less than e.

    `values` are s(0), …, s(k), times a whole number; with the `weights` at the `nodes` s(k) is a mean of s(0), ….
    """

    degree: int
    values: tuple[int, ...]
    nodes: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, found: LeastDrop) -> Self:
        """The certificate of its degree."""
        return cls(found.degree, found.values, found.nodes, found.weights)

    @property
    def enough(self) -> Fraction | None:
        """max |s(j)| over j < k; None where the values are of no polynomial of this degree, or 0 at k.

        So many values are those of a polynomial of degree r where the differences of order r + 1 vanish.
        """
        row = list(self.values)
        for _ in range(self.degree + 1):
            row = [after - before for before, after in pairwise(row)]
        if any(row) or not self.values[-1]:
            return None
        return Fraction(max(map(abs, self.values[:-1])), abs(self.values[-1]))

    @property
    def forced(self) -> Fraction | None:
        """A lower bound on max |s(j)| over j < k, for every s of this degree with s(k) = 1; None where it is not shown.

        Where Σ w_i·C(x_i, m) = W·C(k, m) for m = 0, …, r, Σ w_i·s(x_i) = W·s(k) for every s of degree r: these are a
        basis. Then |W| ≤ Σ |w_i|·max |s(x_i)|.
        """
        k, total = len(self.values) - 1, sum(self.weights)
        if len(set(self.nodes)) < len(self.nodes) or not all(0 <= x < k for x in self.nodes):
            return None
        pairs = tuple(zip(self.weights, self.nodes, strict=True))
        if any(sum(w * comb(x, m) for w, x in pairs) != total * comb(k, m) for m in range(self.degree + 1)):
            return None
        return Fraction(abs(total), sum(map(abs, self.weights)))


Pair: TypeAlias = tuple[Certificate, Certificate | None]
"""Of a degree, and of one less, if there is one."""


def certificates(k: int, n: int, less: int = 0) -> Pair:
    """Of the least degree for an accuracy of 1/(3n), or of a degree that is less, and of one less than that."""
    degree = least_dropping_polynomial(k, Fraction(1, 3 * n)).degree - less
    return Certificate.of(least_drop(k, degree)), Certificate.of(least_drop(k, degree - 1)) if degree else None


def degree_shown(k: int, n: int, pair: Pair | None = None, less: int = 0) -> int:
    """The degree of which certificates show that it is the least for an accuracy of 1/(3n); −1 where they do not."""
    enough, below = pair or certificates(k, n, less)
    accuracy = Fraction(1, 3 * n)
    if below is None or below.degree != enough.degree - 1 or {len(enough.values), len(below.values)} != {k + 1}:
        return -1
    if enough.enough is None or below.forced is None:
        return -1
    return enough.degree if enough.enough <= accuracy < below.forced else -1


TABLE: Final = {
    1: (1, 1, 2, 3, 4, 4, 5, 8),
    2: (1, 2, 3, 4, 5, 5, 7, 10),
    10: (1, 2, 4, 6, 7, 8, 12, 16),
    100: (1, 2, 4, 8, 10, 11, 16, 23),
    10**4: (1, 2, 4, 8, 13, 15, 22, 32),
    10**6: (1, 2, 4, 8, 13, 16, 27, 39),
}
"""n → the least degree for an accuracy of 1/(3n), for each of `COLUMNS`."""
COLUMNS: Final = (1, 2, 4, 8, 13, 16, 32, 64)


def in_the_table() -> Iterator[dict[str, int]]:
    """Each cell of the table."""
    for n, degrees in TABLE.items():
        for k, degree in zip(COLUMNS, degrees, strict=True):
            yield {"k": k, "n": n, "degree": degree}


least = Calculation(
    id="HRS-5.4.utility.least-degree",
    source=f"{HRS}, Claim 5.4, at the ε = 1/(3n) of the proof of Lemma 5.3",
    statement="the least degree of an s with s(k) = 1 and |s(j)| ≤ 1/(3n) for j = 0, …, k − 1 is that of the table in "
    "docs/degrees.md, up to 23 for k = 64 and n = 100 and 39 for n = 10⁶; of no threshold f^D_t is a degree said",
    computed=degree_shown,
    equals=lambda degree: degree,
    cases=tuple(in_the_table()),
    mutants=[Broken("a degree of one less", {"computed": partial(degree_shown, less=1)})],
)


def of_each_degree(k: int) -> tuple[Certificate, ...]:
    """Of the degrees 0, …, k."""
    return tuple(Certificate.of(least_drop(k, degree)) for degree in range(k + 1))


def of_a_node_moved(k: int) -> tuple[Certificate, ...]:
    """The first node of the second degree is one further on."""
    found = of_each_degree(k)
    moved = replace(found[1], nodes=(found[1].nodes[0] + 1, *found[1].nodes[1:]))
    return (found[0], moved, *found[2:])


def without_the_order(k: int, found: Sequence[Certificate]) -> int:
    """The number of ends at which the least degree is not shown to be from ½·√(k·log₂(1/ε)) to 9/8 of that root.

    The least degree is a step function of ε, and on each step the root is least at the upper end, and greatest at the
    lower one, which belongs to it.
    """
    if [(one.degree, len(one.values)) for one in found] != [(r, k + 1) for r in range(k + 1)]:
        return 2 * k + 1
    enough = [one.enough for one in found]
    above = (
        high is not None and low is not None and has_upper_order(k, r, low, high)
        for r, (high, low) in enumerate(pairwise(enough), 1)
    )
    forced = [one.forced for one in found[:-1]]  # degree k has error 0
    below = (end is not None and has_lower_order(k, r, end) for r, end in enumerate(forced))
    return [enough[-1] == 0, *above, *below].count(False)


def has_upper_order(k: int, r: int, low: Fraction, high: Fraction) -> bool:
    """True where r ≤ (9/8)·√(k·log₂(1/ε)) for all ε ≤ 1/3 from `low` up to, but without, `high`."""
    end = min(THIRD, high)
    return low > end or bool(r * r <= NINE_EIGHTHS**2 * k * log2(exact(1 / end)))


def has_lower_order(k: int, r: int, low: Fraction) -> bool:
    """True where r ≥ ½·√(k·log₂(1/ε)) for all ε from `low` on."""
    return bool(4 * r * r >= k * log2(exact(1 / low)))


order = Calculation(
    id="HRS-5.4.utility.degree-order",
    source=f"{HRS}, Claim 5.4, with a constant of ours, and the bound from below that Buhrman et al. have",
    statement="the least degree of an s with s(k) = 1 and |s(j)| ≤ ε for j = 0, …, k − 1 is at most "
    "(9/8)·√(k·log₂(1/ε)) for every ε ≤ 1/3, and at least half of that root for every ε from 1/(2^k − 1) to 1; k ≤ 64",
    computed=lambda k: without_the_order(k, of_each_degree(k)),
    equals=0,
    cases=[{"k": k} for k in range(1, 65)],
    mutants=[Broken("a node that is one further on", {"computed": lambda k: without_the_order(k, of_a_node_moved(k))})],
)


# Lemmas 5.3 and 5.7, where the degrees are below k and the width.
def share_of_a_row(rows: Rows) -> Fraction:
    """ε = 1/(3n)."""
    return Fraction(1, 3 * len(rows))


# With (14): ⌈√k⌉·⌈log₂(3n)⌉.
def of_14(rows: Rows, t: Fraction, d: int, k: int, more: int = 0) -> tuple[int, int]:
    """The labels on B_k that the polynomial of Lemma 5.3 with (14) has wrong, and its degree.

    The exponent in it may be `more` than ⌈log₂(3n)⌉.
    """
    s = DroppingPolynomial(k, dropping_polynomial(k, share_of_a_row(rows)).exponent + more)
    found = threshold_polynomial(rows, s, t=t, d=d)
    return wrong(signs_on_the_cube(found, d).__getitem__, rows, t, sparse_queries(d, k)), found.degree


def degree_of_14(n: int, k: int) -> int:
    """⌈√k⌉·⌈log₂(3n)⌉."""
    return (isqrt(k - 1) + 1) * (3 * n - 1).bit_length()


WIDE: Final = ((7, 8, ((0,), (1,))), (16, 16, ((0,),)), (13, 14, ((0, 0), (1, 2))), (14, 14, ((0, 1),)))
"""k, d and rows that lack all d attributes but one at most, where ⌈√k⌉·⌈log₂(3n)⌉ is below k."""
wide = Calculation(
    id="HRS-5.3.utility.construction-14-wide",
    source=f"{HRS}, the construction of Lemma 5.3 with (14), where its degree is below k",
    statement="A(q) − (⌈tn⌉ − 1/2) with (14) in A has on B_k the sign f^D_t and a degree of at most "
    "⌈√k⌉·⌈log₂(3n)⌉ < k; k = 7 and 16 for one row, 13 and 14 for two, which have one attribute or none, t > 0",
    computed=of_14,
    at_most=lambda rows, k: (0, degree_of_14(len(rows), k)),
    cases=MadeOnce(lambda: (case | {"k": k} for k, d, of in WIDE for rows in of for case in each_t(rows, d, least=1))),
    mutants=[Broken("⌈log₂(3n)⌉ + 1 in place of ⌈log₂(3n)⌉", {"computed": partial(of_14, more=1)})],
)


# With the s of least degree, which Claim 5.4 says is of the order of √(k·log n).
def order_of_5_4(n: int, k: int) -> tuple[int, Exact]:
    """No wrong label, and a degree of (9/8)·√(k·log₂(3n))."""
    return 0, NINE_EIGHTHS * sqrt(k * log2(exact(3 * n)))


def of_least_degree(rows: Rows, t: Fraction, d: int, k: int, more: int = 0) -> tuple[int, int]:
    """As `of_14`, with the s of least degree, or of `more` than that."""
    return wrong_and_degree(rows, t, d, k, sparse_queries(d, k), more)


def wrong_and_degree(rows: Rows, t: Fraction, d: int, k: int, queries: tuple[int, ...], more: int) -> tuple[int, int]:
    """The labels that the polynomial with the s of least degree for k, or of `more`, has wrong, and its degree."""
    s = least_dropping_polynomial(k, share_of_a_row(rows))
    found = threshold_polynomial(rows, least_drop(k, s.degree + more), t=t, d=d)
    return wrong(found, rows, t, queries), found.degree


of_order = Calculation(
    id="HRS-5.3.utility.construction-of-least-degree",
    source=f"{HRS}, the construction of Lemma 5.3 with an s of the degree of Claim 5.4, with a constant of ours",
    statement="A(q) − (⌈tn⌉ − 1/2) has, with the s of least degree in A, on B_k the sign f^D_t and a degree of at most "
    "(9/8)·√(k·log₂(3n)); d ≤ 4, n ≤ 2, all D, t and k; it is below k where n = 1 and k ≥ 3, and n = 2 and k = 4",
    computed=of_least_degree,
    at_most=lambda rows, k: order_of_5_4(len(rows), k),
    cases=MadeOnce(lambda: with_thresholds((1, 2, 3, 4), 2, "k")),
    mutants=[Broken("a degree of one more", {"computed": partial(of_least_degree, more=1)})],
)


def by_width(rows: Rows, t: Fraction, d: int, more: int = 0) -> tuple[int, int]:
    """The same on all of the cube, with the width in place of k."""
    return wrong_and_degree(rows, t, d, width_of(rows, d), cube(d), more)


of_order_by_width = Calculation(
    id="HRS-5.7.utility.construction-of-least-degree",
    source=f"{HRS}, the construction of Lemma 5.7 with an s of the degree of Claim 5.4, with a constant of ours",
    statement="for D of width w the same on {0, 1}^d with w in place of k, w ≥ 1: a degree of at most "
    "(9/8)·√(w·log₂(3n)); d ≤ 4, n ≤ 2, all D and t",
    computed=by_width,
    at_most=lambda rows, d: order_of_5_4(len(rows), width_of(rows, d)),
    cases=MadeOnce(lambda: (case for d in (1, 2, 3, 4) for rows in databases(d, 2) for case in each_t(rows, d))),
    mutants=[Broken("a degree of one more", {"computed": partial(by_width, more=1)})],
)

"""Thresholds of conjunction counts on all queries, as decision trees of narrow leaves and as signs of polynomials.

Source: Hardt, Rothblum & Servedio, Section 5.1.2, after Klivans & Servedio. Rows and queries are as in `conjunctions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import whole
from dpverify.mechanisms.release.chebyshev import conjunction_terms, dropping_polynomial, least_count
from dpverify.mechanisms.release.conjunctions import submasks_of
from dpverify.mechanisms.release.multilinear import PolynomialThreshold
from dpverify.mechanisms.sanitizers.concepts import checked_points


@dataclass(frozen=True)
class Leaf:
    """True where at least `least` of the rows, each given by the free attributes that it lacks, lack none that q has.

    The f^{D′}_t of Lemma 5.8, of which two things have to be said. D′ are rows of D on the attributes that the path
    leaves open: without that no leaf could have a row of D that is wide. And t is a share of the rows of D and not of
    D′, or q with all rows of D′ on its side would count for more than in D: `least` is ⌈tn⌉, n = |D|.
    """

    lacking: tuple[int, ...]
    least: int

    def __call__(self, q: int) -> int:
        """The label of q."""
        return int(sum(not mask & q for mask in self.lacking) >= self.least)

    @property
    def rank(self) -> int:
        """0."""
        return 0

    @property
    def width(self) -> int:
        """The most free attributes that a row lacks; 0 without rows. Definition 5.6."""
        return max((mask.bit_count() for mask in self.lacking), default=0)

    def polynomial(self) -> PolynomialThreshold:
        """A(q) − (least − 1/2), which is at least 1/6 in size on the whole cube, with this sign: Lemma 5.7.

        As in Lemma 5.3 with the width w in place of k, and 1 where w is 0, as (14) divides by it.
        """
        s = dropping_polynomial(max(1, self.width), Fraction(1, 3 * max(1, len(self.lacking))))
        in_rows = (
            (monomial, times * c)
            for mask, times in sorted(Counter(self.lacking).items())
            for monomial, c in conjunction_terms(mask, s.k, s)
        )
        return PolynomialThreshold.of([*in_rows, (0, Fraction(1, 2) - self.least)])


@dataclass(frozen=True)
class Branch:
    """A node: the tree `zero` where q lacks the attribute `variable`, else the tree `one`."""

    variable: int
    zero: ConjunctionTree
    one: ConjunctionTree

    def __call__(self, q: int) -> int:
        """The label of q."""
        return (self.one if q >> self.variable & 1 else self.zero)(q)

    @cached_property
    def rank(self) -> int:
        """The greater of the ranks of both trees, and one more where they are equal."""
        a, b = self.zero.rank, self.one.rank
        return a + 1 if a == b else max(a, b)

    @cached_property
    def width(self) -> int:
        """The greatest width of a leaf."""
        return max(self.zero.width, self.one.width)


ConjunctionTree: TypeAlias = Leaf | Branch


def conjunction_tree(rows: Sequence[int], *, t: ExactLike, d: int, r: int) -> ConjunctionTree:
    """The tree of Lemma 5.8 that computes f^D_t, with leaves of width at most r.

    While a row lacks more than r free attributes, branch on the one that the most such rows lack, the first of them:
    where q has it these rows are met no more. Raises `InputError` without rows, where one is not from 0 to 2^d − 1, and
    unless 0 ≤ t ≤ 1 is rational and 1 ≤ r ≤ d.
    """
    full = checked_points(rows, d) - 1
    if whole(r, "r", 1) > d:
        raise InputError(bad_input.MORE_THAN, f"r={r}", f"d={d}")
    return _tree(tuple(full & ~u for u in rows), least_count(len(rows), t), r)


def _tree(lacking: tuple[int, ...], least: int, r: int) -> ConjunctionTree:
    wide = Counter(i for mask in lacking if mask.bit_count() > r for i in range(mask.bit_length()) if mask >> i & 1)
    if not wide:
        return Leaf(lacking, least)
    most = min(wide, key=lambda i: (-wide[i], i))
    bit = 1 << most
    without = tuple(mask & ~bit for mask in lacking)
    killed = tuple(mask for mask in lacking if not mask & bit)
    return Branch(most, _tree(without, least, r), _tree(killed, least, r))


def rank_bound(d: int, n: int, r: int) -> Exact:
    """(2d/r)·ln n + 1 of Lemma 5.8. Raises `InputError` unless d, n, r ≥ 1."""
    return exact(Fraction(2 * whole(d, "d", 1), whole(r, "r", 1))) * log(whole(n, "n", 1)) + 1


def rank_reached(d: int, n: int, r: int) -> int:
    """The most rank that `conjunction_tree` can have: the steps m → ⌊m·(1 − (r+1)/d)⌋ from n to 0, and at most d − r.

    Of m rows that lack more than r of at most d free attributes, ⌈m(r+1)/d⌉ or more lack the same; where q has it they
    are gone, and elsewhere the rank is that for one free attribute less. It is 1 + (d/(r+1))·ln n at most: the printed
    bound is twice that, as in Klivans & Servedio, where a term can have a variable in two ways. Raises `InputError`
    unless d, n, r ≥ 1.
    """
    wide, steps = whole(n, "n", 1), 0
    while wide > 0 and steps < d - r:
        wide, steps = wide * (whole(d, "d", 1) - whole(r, "r", 1) - 1) // d, steps + 1
    return steps


def decision_list(tree: ConjunctionTree) -> Iterator[tuple[int, int, Leaf]]:
    """(has, lacks, leaf), one after another: the first whose attributes q has, and whose others q lacks, labels q.

    Source: Blum, Rank-r decision trees are a subclass of r-decision lists. A tree of rank ρ has a leaf that is at most
    ρ steps from the root; with it taken away, and its parent replaced by what is beside it, no rank is greater.
    """
    rest: ConjunctionTree | None = tree
    while rest is not None:
        has = lacks = 0
        rest, has, lacks, leaf = _without_nearest(rest)
        yield has, lacks, leaf


def _without_nearest(tree: ConjunctionTree) -> tuple[ConjunctionTree | None, int, int, Leaf]:
    """The tree without a leaf that few steps lead to, by the child of less rank; the path to it, and the leaf."""
    if isinstance(tree, Leaf):
        return None, 0, 0, tree
    bit = 1 << tree.variable
    if tree.one.rank <= tree.zero.rank:
        rest, has, lacks, leaf = _without_nearest(tree.one)
        return tree.zero if rest is None else Branch(tree.variable, tree.zero, rest), has | bit, lacks, leaf
    rest, has, lacks, leaf = _without_nearest(tree.zero)
    return tree.one if rest is None else Branch(tree.variable, rest, tree.one), has, lacks | bit, leaf


def cube_threshold_polynomial(rows: Sequence[int], *, t: ExactLike, d: int, r: int) -> PolynomialThreshold:
    """A polynomial whose sign is f^D_t on all of {0, 1}^d, of degree at most the rank of the tree plus that of a leaf.

    Source: Hardt, Rothblum & Servedio, Lemma 5.9, after Klivans & Servedio, Theorem 2: Σ W_j·C_j(q)·A_j(q) over the
    decision list of the tree of width r, C_j being 1 where the path is taken. Each |A_j| is from 1/6 to n + 1, so that
    with W_j = (6n + 7)^(m − j) the first C_j that is 1 outweighs all that follow. The paper writes the degree as the
    greater of the two; products have their sum, of the same order. Raises `InputError` as `conjunction_tree`.
    """
    entries = tuple(decision_list(conjunction_tree(rows, t=t, d=d, r=r)))
    base = 6 * len(rows) + 7
    return PolynomialThreshold.of(
        (monomial | has | lacked, base ** (len(entries) - j) * c * (-1) ** lacked.bit_count())
        for j, (has, lacks, leaf) in enumerate(entries, 1)
        for lacked in submasks_of(lacks, d)  # ∏ (1 − q_i) over the attributes that the path lacks
        for monomial, c in leaf.polynomial().terms
    )


@sized(conjunction_tree, name="degree")
def degree_on_the_cube(d: int, n: int) -> int:
    """The least degree, over all r, in which Lemma 5.9 writes each f^D_t of n rows: the rank and the degree of a leaf.

    At most d, as with r = d there is one leaf. Raises `InputError` unless d and n are ≥ 1.
    """
    eps = Fraction(1, 3 * whole(n, "n", 1))
    widths = range(1, whole(d, "d", 1) + 1)
    return min(rank_reached(d, n, r) + min(r, dropping_polynomial(r, eps).degree) for r in widths)

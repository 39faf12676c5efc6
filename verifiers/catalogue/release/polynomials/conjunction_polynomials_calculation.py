"""Polynomials for conjunctions: on sparse queries, by the tree of conjunctions on the cube, learnt, and by scales."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Exact
from dpverify.mechanisms.release import conjunction_tree, cube_threshold_polynomial, dropping_polynomial
from dpverify.mechanisms.release.chebyshev import DroppingPolynomial, conjunction_terms, sparse_threshold_polynomial
from dpverify.mechanisms.release.conjunction_tree import Branch, ConjunctionTree, Leaf, decision_list, rank_bound
from dpverify.mechanisms.release.conjunctions import sparse_queries, width
from dpverify.mechanisms.release.polynomial_thresholds import degree_of_thresholds, learn_polynomial_threshold
from dpverify.mechanisms.release.scales import dropping_by_scales
from dpverify.verifiers.calculations.family import Broken, Calculation, MadeOnce, component, tried_first
from dpverify.verifiers.catalogue.families import HALF, HRS, MILLIONTH, THIRD
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import (
    ONE_LESS,
    Rows,
    cube,
    databases,
    each_t,
    fewer,
    labels,
    with_thresholds,
    wrong,
)
from dpverify.verifiers.claims import proved_unless


def wrong_and_degree(rows: Rows, t: Fraction, d: int, k: int, less: int = 0) -> tuple[int, int]:
    """The labels on B_k that the polynomial of Lemma 5.3 has wrong, and its degree."""
    found = sparse_threshold_polynomial(rows, t=fewer(t, rows, less), d=d, k=k)
    return wrong(found, rows, t, sparse_queries(d, k)), found.degree


sparse = Calculation(
    id="HRS-5.3.utility.construction-14",
    source=f"{HRS}, the construction of Lemma 5.3 with (14), whose degree at these sizes is no less than k",
    statement="f^D_t is on B_k the sign of A(q) − (⌈tn⌉ − 1/2) with (14) in A; d ≤ 3, n ≤ 3, all D, t and k; of its "
    "degree nothing is said: as ⌈√k⌉·⌈log₂(3n)⌉ ≥ k, any polynomial on B_k would do",
    computed=component(wrong_and_degree, 0),
    equals=0,
    cases=tuple(with_thresholds((1, 2, 3), 3, "k")),
    mutants=[Broken(ONE_LESS, {"computed": component(partial(wrong_and_degree, less=1), 0)})],
)
sparse_of_one_row = Calculation(
    id="HRS-5.3.utility.degree-of-one-row",
    source=f"{HRS}, Lemma 5.3",
    statement="the degree is O(√(k·ln n)), which is 0 for n = 1",
    computed=wrong_and_degree,
    at_most=(0, 0),
    cases=tried_first({"rows": (0,), "t": Fraction(1), "d": 1, "k": 1}, with_thresholds((1,), 2, "k")),
    mutants=[Broken(ONE_LESS, {"computed": partial(wrong_and_degree, less=1)})],
    **proved_unless(our_constants="The lemma states an order. That it is 0 for one row is read to the letter by us."),
)


def off_at_k_and_below(k: int, eps: Fraction, less: int = 0) -> tuple[Fraction, Fraction]:
    """|s(k) − 1|, and the largest |s(j)| below k; with an exponent that is less, if that is asked for."""
    s = dropping_polynomial(k, eps)
    s = DroppingPolynomial(k, max(0, s.exponent - less)) if less else s
    return abs(s(k) - 1), max(abs(s(j)) for j in range(k))


dropping = Calculation(
    id="HRS-5.4.utility.dropping-polynomial",
    source=f"{HRS}, Claim 5.4 and (14), with the logarithm to base 2",
    statement="s(k) = 1 and |s(j)| ≤ ε for j = 0, …, k − 1; k ≤ 40, ε from 1/1000 to 1",
    computed=off_at_k_and_below,
    at_most=lambda eps: (0, eps),
    cases=[{"k": k, "eps": Fraction(e)} for k in range(1, 41) for e in ("1/1000", "1/6", "1/3", "1/2", "99/100", "1")],
    mutants=[Broken("an exponent of one less", {"computed": partial(off_at_k_and_below, less=1)})],
)


# Corollary 5.5 and Lemma 5.7 of Hardt, Rothblum & Servedio.
def off_where_true_and_false(lacking: int, d: int, k: int, share: Fraction, more: int = 0) -> tuple[Fraction, Fraction]:
    """The largest |A_u − 1| on B_k where P(q, u) is 1, and |A_u| where it is 0; u lacks these attributes."""
    terms = conjunction_terms(lacking, k + more, dropping_polynomial(k, share))
    values = {q: sum((c for q0, c in terms if q0 & q == q0), Fraction(0)) for q in sparse_queries(d, k)}
    true = (abs(value - 1) for q, value in values.items() if not q & lacking)
    return max(true), max((abs(value) for q, value in values.items() if q & lacking), default=Fraction(0))


conjunctions = Calculation(
    id="HRS-5.5.utility.conjunction",
    source=f"{HRS}, Corollary 5.5, with the polynomial (14)",
    statement="A_u is 1 where P(q, u) = 1 and |A_u| ≤ ε elsewhere on B_k; d ≤ 3, all u and k, six ε",
    computed=off_where_true_and_false,
    at_most=lambda share: (0, share),
    cases=tuple(
        {"lacking": lacking, "d": d, "k": k, "share": share}
        for d in (1, 2, 3)
        for lacking, k in product(range(1 << d), range(1, d + 1))
        for share in (THIRD, Fraction(1, 6), Fraction(1, 9), Fraction(1, 12), Fraction(99, 100), MILLIONTH)
    ),
    mutants=[Broken("L(q) = k + 1 − Σ q_i", {"computed": partial(off_where_true_and_false, more=1)})],
)


def wrong_by_width(rows: Rows, t: Fraction, d: int, less: int = 0) -> int:
    """The labels on all of the cube that the polynomial of Lemma 5.3 has wrong with the width in place of k."""
    return wrong(sparse_threshold_polynomial(rows, t=fewer(t, rows, less), d=d, k=width_of(rows, d)), rows, t, cube(d))


def width_of(rows: Sequence[int], d: int) -> int:
    """The width w of a database, at least 1."""
    return max(1, *(width(u, d) for u in rows))


narrow = Calculation(
    id="HRS-5.7.utility.construction-14",
    source=f"{HRS}, the construction of Lemma 5.7 with (14), whose degree at these sizes is no less than w",
    statement="for D of width w, f^D_t is on {0, 1}^d the sign of A(q) − (⌈tn⌉ − 1/2) with (14) in A, w ≥ 1; d ≤ 3, "
    "n ≤ 3, all D and t; of its degree nothing is said: as ⌈√w⌉·⌈log₂(3n)⌉ ≥ w, any polynomial would do",
    computed=wrong_by_width,
    equals=0,
    cases=tuple(case for d in (1, 2, 3) for rows in databases(d, 3) for case in each_t(rows, d)),
    mutants=[Broken(ONE_LESS, {"computed": partial(wrong_by_width, less=1)})],
)


# Lemmas 5.8 and 5.9: the tree of conjunctions, and the polynomial for the whole cube.
def of_tree(
    rows: Rows,
    t: Fraction,
    d: int,
    r: int,
    less: int = 0,
    *,
    change: Callable[[ConjunctionTree, Fraction], ConjunctionTree] | None = None,
) -> tuple[int, int, int]:
    """The labels that the tree of Lemma 5.8 has wrong on the cube, its rank and its width."""
    share = fewer(t, rows, less)
    tree = conjunction_tree(rows, t=share, d=d, r=r)
    tree = tree if change is None else change(tree, share)
    return wrong(tree, rows, t, cube(d)), tree.rank, tree.width


def with_own_shares(tree: ConjunctionTree, t: Fraction) -> ConjunctionTree:
    """The leaves f^{D′}_t with a share t of the rows of D′, in place of D, as the lemma has it."""
    if isinstance(tree, Leaf):
        return Leaf(tree.lacking, ceil(t * len(tree.lacking)))
    return Branch(tree.variable, with_own_shares(tree.zero, t), with_own_shares(tree.one, t))


def bounds_of_tree(rows: Rows, d: int, r: int) -> tuple[int, Exact, int]:
    """None wrong, a rank of (2d/r)·ln n + 1 and the width r."""
    return 0, rank_bound(d, len(rows), r), r


_TREES: Final = tuple(with_thresholds((1, 2, 3), 3, "r"))
_PRINTED: Final = partial(of_tree, change=with_own_shares)
trees = Calculation(
    id="HRS-5.8.utility.tree",
    source=f"{HRS}, Lemma 5.8, with leaves that count rows of D",
    statement="f^D_t is a decision tree of rank ≤ (2d/r)·ln n + 1 with leaves of width ≤ r; d, n ≤ 3, all D, t, r",
    computed=of_tree,
    at_most=bounds_of_tree,
    cases=_TREES,
    mutants=[Broken("the leaves as printed, with a share of the rows of D′", {"computed": _PRINTED})],
)
trees_as_printed = Calculation(
    id="HRS-5.8.utility.tree-as-printed",
    source=f"{HRS}, Lemma 5.8, with a leaf f^(D′)_t that asks for a share t of D′",
    statement="the same, of the tree that the proof builds",
    computed=_PRINTED,
    at_most=bounds_of_tree,
    cases=tried_first({"rows": (0, 3), "t": Fraction(1), "d": 2, "r": 1}, _TREES),
    mutants=[Broken(ONE_LESS, {"computed": partial(_PRINTED, less=1)})],
    **proved_unless(
        of_the_statement="Of two rows: a leaf asks for a share of D′, where it has to count rows of D. With that the "
        "lemma holds (HRS-5.8.utility.tree)."
    ),
)


def of_cube(rows: Rows, t: Fraction, d: int, r: int, less: int = 0) -> tuple[int, int]:
    """The labels that the polynomial of Lemma 5.9 has wrong on the cube, and its degree."""
    found = cube_threshold_polynomial(rows, t=fewer(t, rows, less), d=d, r=r)
    return wrong(found, rows, t, cube(d)), found.degree


def degree_of_parts(rows: Rows, t: Fraction, d: int, r: int) -> tuple[int, int]:
    """None wrong, and the rank plus the degree of a leaf."""
    tree = conjunction_tree(rows, t=t, d=d, r=r)
    return 0, tree.rank + max(leaf.polynomial().degree for _, _, leaf in decision_list(tree))


cube_signs = Calculation(
    id="HRS-5.9.utility.cube-signs",
    source=f"{HRS}, Lemma 5.9",
    statement="f^D_t is on {0, 1}^d the sign of a polynomial of at most the rank plus the degree of a leaf; d ≤ 3, "
    "n ≤ 2, all D, t and r",
    computed=of_cube,
    at_most=degree_of_parts,
    cases=tuple(with_thresholds((1, 2, 3), 2, "r")),
    mutants=[Broken(ONE_LESS, {"computed": partial(of_cube, less=1)})],
)


# Theorem 5.10: polynomials that linear programming finds on all examples.
def wrong_labels(rows: Rows, t: Fraction, d: int, k: int, off: int = 0) -> int:
    """The number of labels of B_k that are wrong of what is learnt from all, at the degree of Lemma 5.3 less `off`."""
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
    source=f"{HRS}, Theorem 5.10, at the degree of Lemmas 5.3 and 5.9",
    statement="linear programming finds a polynomial of that degree that is right on all examples; d, n ≤ 3, all D, t "
    "and k, all of B_k as examples",
    computed=wrong_labels,
    equals=0,
    cases=MadeOnce(lambda: with_thresholds((1, 2, 3), 3, "k")),
    mutants=[Broken("a degree of one less", {"computed": partial(wrong_labels, off=1)})],
)


# The polynomial by scales, computed: it is what the steps say of it.
def by_scales(k: int, eps: Fraction, *, half: bool = False) -> tuple[Fraction, Fraction, int]:
    """|s(k) − 1|, the largest |s(j)| below k, and the square of the degree, of the polynomial by scales.

    With m/2 in place of 7m/2 at the distance m, if `half`.
    """
    s = dropping_by_scales(k, eps)
    if half:
        held = (replace(one, exponent=s.zeros // 2) if one.distance == s.zeros else one for one in s.scales)
        s = replace(s, scales=tuple(held))
    return abs(s(k) - 1), max(abs(s(j)) for j in range(k)), s.degree**2


def bounds(k: int, eps: Fraction) -> tuple[int, Fraction, int]:
    """s(k) = 1, |s(j)| ≤ ε below, and a degree of at most 12·√(k·⌈log₂(1/ε)⌉)."""
    return 0, eps, 144 * k * next(m for m in range(10**4) if 2**m * eps >= 1)


ACCURACIES: Final = tuple(Fraction(1, n) for n in (1, 2, 3, 6, 300, 10**6, 2**40))
of_scales = Calculation(
    id="HRS-5.4.utility.by-scales",
    source="by hand, for Claim 5.4 of Hardt, Rothblum & Servedio",
    statement="the polynomial by scales has s(k) = 1, |s(j)| ≤ ε for j = 0, …, k − 1, and a degree of at most "
    "12·√(k·⌈log₂(1/ε)⌉); k ≤ 40 and k = 100, ε = 1/n from 1 to 2^(−40). For every k and ε see HRS-5.4.step.scales",
    computed=by_scales,
    at_most=bounds,
    cases=[{"k": k, "eps": eps} for k, eps in product((*range(1, 41), 100), ACCURACIES)],
    mutants=[Broken("m/2 in place of 7m/2 at the distance m", {"computed": partial(by_scales, half=True)})],
)

"""Utility of the tree of conjunctions, and of the polynomial for the whole cube.

What draws nothing fails with probability 0 or 1, and is claimed with β = 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any, Final

from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.release.conjunction_tree import (
    Branch,
    Leaf,
    Tree,
    conjunction_tree,
    cube_threshold_polynomial,
    decision_list,
    rank_bound,
)
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.refuted import of_the_statement
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import labels, with_thresholds
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

_HRS: Final = "Hardt, Rothblum & Servedio"


def labels_of_tree(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, r: int) -> tuple[Any, int, int]:
    """The labels of the tree of Lemma 5.8 on the cube, its rank and its width."""
    tree = conjunction_tree(rows, t=t, d=d, r=r)
    return tuple(map(tree, range(1 << d))), tree.rank, tree.width


def labels_of_printed_leaves(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, r: int) -> Any:
    """With a share of the rows of D′ in place of D in each leaf, as the lemma has it."""
    tree = with_own_shares(conjunction_tree(rows, t=t, d=d, r=r), t)
    return tuple(map(tree, range(1 << d))), tree.rank, tree.width


def with_own_shares(tree: Tree, t: Fraction) -> Tree:
    """The leaves f^{D′}_t with t of the rows of D′."""
    if isinstance(tree, Leaf):
        return Leaf(tree.lacking, ceil(t * len(tree.lacking)))
    return Branch(tree.variable, with_own_shares(tree.zero, t), with_own_shares(tree.one, t))


def is_tree_of_5_8(case: Case, found: tuple[Any, int, int]) -> bool:
    """True where it computes f^D_t, has rank ≤ (2d/r)·ln n + 1 and width ≤ r."""
    given, n = case.parameters, len(case.database)
    return bool(
        found[0] == labels(case.database, given["t"], tuple(range(1 << given["d"])))
        and found[1] <= rank_bound(given["d"], n, given["r"])
        and found[2] <= given["r"]
    )


_TREES: Final = tuple(with_thresholds((1, 2, 3), 3, "r"))

trees = UtilityClaim(
    id="HRS-5.8.utility.tree",
    source=f"{_HRS}, Lemma 5.8, with leaves that count rows of D",
    statement="f^D_t is a decision tree of rank ≤ (2d/r)·ln n + 1 with leaves of width ≤ r; d, n ≤ 3, all D, t, r",
    mechanism=labels_of_tree,
    succeeds=is_tree_of_5_8,
    beta=lambda case: ZERO,
    cases=_TREES,
    mutant=labels_of_printed_leaves,
)


def labels_of_leaves_of_one_less(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, r: int) -> Any:
    """⌈tn⌉ − 1 in place of ⌈tn⌉, in the printed leaves."""
    return labels_of_printed_leaves(draw, rows, t=max(Fraction(0), t - Fraction(1, len(rows))), d=d, r=r)


trees_as_printed = UtilityClaim(
    id="HRS-5.8.utility.tree-as-printed",
    source=f"{_HRS}, Lemma 5.8, with a leaf f^(D′)_t that asks for a share t of D′",
    statement="the same, of the tree that the proof builds",
    mechanism=labels_of_printed_leaves,
    succeeds=is_tree_of_5_8,
    beta=lambda case: ZERO,
    cases=_TREES,
    examples=(Case((0, 3), {"t": Fraction(1), "d": 2, "r": 1}),),
    mutant=labels_of_leaves_of_one_less,
    expected=Status.REFUTED,
    refutation=of_the_statement(
        "Of two rows: a leaf asks for a share of D′, where it has to count rows of D. With that the lemma holds "
        "(HRS-5.8.utility.tree)."
    ),
)


def cube_signs(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, r: int) -> tuple[Any, int, int, int]:
    """The signs of the polynomial of Lemma 5.9 on the cube, its degree, the rank, and the degree of a leaf."""
    found = cube_threshold_polynomial(rows, t=t, d=d, r=r)
    tree = conjunction_tree(rows, t=t, d=d, r=r)
    leaves = max(leaf.polynomial().degree for _, _, leaf in decision_list(tree))
    return tuple(map(found, range(1 << d))), found.degree, tree.rank, leaves


def cube_signs_of_one_less(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, r: int) -> Any:
    """⌈tn⌉ − 1 in place of ⌈tn⌉."""
    return cube_signs(draw, rows, t=max(Fraction(0), t - Fraction(1, len(rows))), d=d, r=r)


def are_cube_labels(case: Case, signs: tuple[int, ...]) -> bool:
    """True where they are f^D_t on the cube."""
    return signs == labels(case.database, case.parameters["t"], tuple(range(1 << case.parameters["d"])))


cube = UtilityClaim(
    id="HRS-5.9.utility.cube-signs",
    source=f"{_HRS}, Lemma 5.9",
    statement="f^D_t is on {0, 1}^d the sign of a polynomial of at most the rank plus the degree of a leaf; d ≤ 3, "
    "n ≤ 2, all D, t and r",
    mechanism=cube_signs,
    succeeds=lambda case, found: are_cube_labels(case, found[0]) and found[1] <= found[2] + found[3],
    beta=lambda case: ZERO,
    cases=tuple(with_thresholds((1, 2, 3), 2, "r")),
    mutant=cube_signs_of_one_less,
)

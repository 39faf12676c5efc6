"""The tree of conjunctions, and the polynomial for the whole cube."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Final

from dpverify.mechanisms import Exact
from dpverify.mechanisms.release import conjunction_tree, cube_threshold_polynomial
from dpverify.mechanisms.release.conjunction_tree import Branch, Leaf, Tree, decision_list, rank_bound
from dpverify.verifiers.calculations.claim import Broken, Calculation
from dpverify.verifiers.catalogue.refuted import as_expected, of_the_statement
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import (
    ONE_LESS,
    cube,
    fewer,
    with_thresholds,
    wrong,
)

_HRS: Final = "Hardt, Rothblum & Servedio"

Rows = tuple[int, ...]


def of_tree(
    rows: Rows, t: Fraction, d: int, r: int, less: int = 0, *, change: Callable[[Tree, Fraction], Tree] | None = None
) -> tuple[int, int, int]:
    """The labels that the tree of Lemma 5.8 has wrong on the cube, its rank and its width."""
    share = fewer(t, rows, less)
    tree = conjunction_tree(rows, t=share, d=d, r=r)
    tree = tree if change is None else change(tree, share)
    return wrong(tree, rows, t, cube(d)), tree.rank, tree.width


def with_own_shares(tree: Tree, t: Fraction) -> Tree:
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
    source=f"{_HRS}, Lemma 5.8, with leaves that count rows of D",
    statement="f^D_t is a decision tree of rank ≤ (2d/r)·ln n + 1 with leaves of width ≤ r; d, n ≤ 3, all D, t, r",
    computed=of_tree,
    at_most=bounds_of_tree,
    cases=_TREES,
    mutants=[Broken("the leaves as printed, with a share of the rows of D′", {"computed": _PRINTED})],
)

trees_as_printed = Calculation(
    id="HRS-5.8.utility.tree-as-printed",
    source=f"{_HRS}, Lemma 5.8, with a leaf f^(D′)_t that asks for a share t of D′",
    statement="the same, of the tree that the proof builds",
    computed=_PRINTED,
    at_most=bounds_of_tree,
    cases=({"rows": (0, 3), "t": Fraction(1), "d": 2, "r": 1}, *_TREES),
    mutants=[Broken(ONE_LESS, {"computed": partial(_PRINTED, less=1)})],
    **as_expected(
        of_the_statement(
            "Of two rows: a leaf asks for a share of D′, where it has to count rows of D. With that the lemma holds "
            "(HRS-5.8.utility.tree)."
        )
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
    source=f"{_HRS}, Lemma 5.9",
    statement="f^D_t is on {0, 1}^d the sign of a polynomial of at most the rank plus the degree of a leaf; d ≤ 3, "
    "n ≤ 2, all D, t and r",
    computed=of_cube,
    at_most=degree_of_parts,
    cases=tuple(with_thresholds((1, 2, 3), 2, "r")),
    mutants=[Broken(ONE_LESS, {"computed": partial(of_cube, less=1)})],
)

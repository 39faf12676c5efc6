"""Utility of data release by learning thresholds: the oracle, PrivLearn, and the polynomials for conjunctions.

What draws nothing fails with probability 0 or 1, and is claimed with β = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import ceil, floor, isqrt
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.exact.elementary import log
from dpverify.mechanisms.exact.exact_numbers import ZERO, ExactLike, exact
from dpverify.mechanisms.laws.distributions import uniform
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.release.chebyshev import (
    DroppingPolynomial,
    dropping_polynomial,
    least_count,
    sparse_threshold_polynomial,
)
from dpverify.mechanisms.release.conjunction_tree import (
    Branch,
    Leaf,
    Tree,
    conjunction_tree,
    cube_threshold_polynomial,
    decision_list,
    rank_bound,
)
from dpverify.mechanisms.release.conjunctions import Conjunction, sparse_queries
from dpverify.mechanisms.release.polynomial_thresholds import degree_of_thresholds, learn_polynomial_threshold
from dpverify.mechanisms.release.private_release import SynopsisAsPrinted, priv_learn, release_sizes
from dpverify.mechanisms.release.threshold_oracle import threshold_answers
from dpverify.mechanisms.selection.stability import Bottom
from dpverify.reports.record import Status
from dpverify.verifiers.utility.checker import Case, Sharpness, UtilityClaim
from dpverify.verifiers.utility_claims.building_blocks import BETAS, CORNERS, EPSILONS

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_HRS: Final = "Hardt, Rothblum & Servedio"
HALF: Final = Fraction(1, 2)


# Lemma 4.2: a small database.


@lru_cache(maxsize=1 << 14)
def shares_of(classes: tuple[int, ...]) -> tuple[Fraction, ...]:
    """f(q) for each query q, for classes[c] rows that satisfy the queries in the bits of c."""
    queries = (len(classes) - 1).bit_length()
    n = sum(classes)
    return tuple(Fraction(sum(count for c, count in enumerate(classes) if c >> q & 1), n) for q in range(queries))


def all_classes(kinds: int, n: int) -> Iterator[tuple[int, ...]]:
    """All ways in which n rows can be of so many kinds."""
    for rows in combinations_with_replacement(range(kinds), n):
        yield tuple(rows.count(c) for c in range(kinds))


@lru_cache(maxsize=64)
def shares_of_small_ones(kinds: int, most: int) -> tuple[tuple[Fraction, ...], ...]:
    """The shares that databases of at most so many rows can have, and at least one."""
    return tuple({shares_of(classes) for n in range(1, most + 1) for classes in all_classes(kinds, n)})


def nearest_small_database(draw: object, classes: tuple[int, ...], *, most: int) -> Any:
    """The least greatest distance of any small database, or None where it may have no rows."""
    own = shares_of(classes)
    most = min(most, sum(classes))  # of as many rows as there are the database itself is one
    return min(
        (
            max(abs(a - b) for a, b in zip(own, shares, strict=True))
            for shares in shares_of_small_ones(len(classes), most)
        ),
        default=None,
    )


def nearest_of_one_row(draw: object, classes: tuple[int, ...], *, most: int) -> Any:
    """Of one row alone."""
    return nearest_small_database(draw, classes, most=min(1, most))


def rows_printed(queries: int, alpha: Fraction) -> int:
    """⌊10·ln|Q|/α²⌋."""
    return floor(10 * log(queries) / exact(alpha) ** 2) if queries > 1 else 0


def tables(queries: int) -> Iterator[Case]:
    """All databases of some numbers of rows, at α from 1/2 to 1: of more rows than are admitted where α is large."""
    for alpha, n in ((HALF, 2), (HALF, 3), (Fraction(1), 7), (Fraction(1), 8), (Fraction(9, 10), 9)):
        for classes in all_classes(1 << queries, n):
            yield Case(classes, {"most": rows_printed(queries, alpha)}, {"alpha": alpha})


def tables_of_seven(most: int) -> Iterator[Case]:
    """All databases of seven rows and two queries, for α = 1/4."""
    for classes in all_classes(4, 7):
        yield Case(classes, {"most": most}, {"alpha": Fraction(1, 4)})


_SMALL: Final[dict[str, Any]] = {
    "mechanism": nearest_small_database,
    "succeeds": lambda case, distance: distance is not None and distance < case.facts["alpha"],
    "beta": lambda case: ZERO,
}

small_database_exists = UtilityClaim(
    id="HRS-4.2.utility.small-database",
    source=f"{_HRS}, Lemma 4.2, for |Q| ≥ 2 and α ≤ 1",
    statement="a database of at most 10·ln|Q|/α² rows has all shares within less than α; |Q| = 2, all D of n "
    "rows, (α, n) = (1/2, 2), (1/2, 3), (1, 7), (1, 8) and (9/10, 9)",
    cases=tuple(tables(2)),
    mutant=nearest_of_one_row,
    sharpness=Sharpness(
        what="rows |D′| for all D of 7 rows, |Q| = 2, α = 1/4",
        paper=rows_printed(2, Fraction(1, 4)),
        family=tables_of_seven,
    ),
    **_SMALL,
)

no_small_database = UtilityClaim(
    id="HRS-4.2.utility.small-database-of-one-query",
    source=f"{_HRS}, Lemma 4.2",
    statement="the same for |Q| = 1, where 10·ln|Q|/α² = 0 rows are admitted",
    cases=tuple(tables(1)),
    examples=(Case((1, 0), {"most": 0}, {"alpha": Fraction(1)}),),
    mutant=nearest_of_one_row,
    expected=Status.REFUTED,
    **_SMALL,
)


# Lemma 4.3: agreement of the oracle.


@dataclass(frozen=True)
class InClass:
    """The query that the rows satisfy that have a bit."""

    bit: int

    def __call__(self, row: int) -> int:
        """Whether a row satisfies it."""
        return row >> self.bit & 1


@lru_cache(maxsize=8)  # a mechanism is run once for each path
def with_counts(counts: tuple[int, ...], rows: int) -> tuple[int, ...]:
    """A database of which so many of the first rows satisfy each query."""
    return tuple(sum((row < count) << bit for bit, count in enumerate(counts)) for row in range(rows))


def oracle_answers(
    draw: Draw, shares: tuple[tuple[int, Fraction], ...], *, rows: int, alpha: Fraction, epsilon: ExactLike
) -> Any:
    """The oracle's answers to queries that (count, threshold) describe, on a database of so many rows."""
    database = with_counts(tuple(count for count, _ in shares), rows)
    queries = tuple((InClass(bit), threshold) for bit, (_, threshold) in enumerate(shares))
    return draw(threshold_answers, database, queries=queries, bound=len(shares), alpha=alpha, epsilon=epsilon)


def oracle_with_half_the_margin(draw: Draw, shares: Any, *, alpha: Fraction, **given: Any) -> Any:
    """±α/3 in place of ±2α/3."""
    return oracle_answers(draw, shares, alpha=alpha / 2, **given)


def agrees(case: Case, answers: Any) -> bool:
    """Both guarantees: an answer is right for D and for every D′ with shares within less than α/3; ⊥ is near t."""
    n, alpha = case.parameters["rows"], case.parameters["alpha"]
    for (count, t), answer in zip(case.database, answers, strict=True):
        share = Fraction(count, n)
        if answer is Bottom.BOTTOM:
            if abs(share - t) >= alpha:
                return False
        elif answer == 1:
            if share - alpha / 3 < t:
                return False
        elif share + alpha / 3 > t:
            return False
    return True


def rows_for_agreement(queries: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction) -> int:
    """⌈30b·ln(b/β)/(εα)⌉, and at least one row."""
    return max(1, ceil(30 * queries * log(queries / beta) / (epsilon * alpha)))


def askings() -> SearchStrategy[Case]:
    """Counts at the distances from the threshold that decide: 0, α/3, α, and one row more or less."""
    from hypothesis import strategies as st

    def case(epsilon: Fraction, beta: Fraction, alpha: Fraction, asked: list[tuple[Fraction, int, int]]) -> Case:
        n = rows_for_agreement(len(asked), alpha=alpha, beta=beta, epsilon=epsilon)
        shares = tuple((min(n, max(0, int((t + alpha * thirds / 3) * n) + more)), t) for t, thirds, more in asked)
        return Case(shares, {"rows": n, "alpha": alpha, "epsilon": epsilon}, {"beta": beta})

    asked = st.tuples(
        st.sampled_from((Fraction(0), Fraction(1, 3), HALF)), st.sampled_from((-3, -1, 0, 1, 3)), st.integers(-1, 1)
    )
    return st.builds(
        case,
        st.sampled_from(EPSILONS[2:]),
        st.sampled_from(BETAS),
        st.sampled_from((Fraction(1, 10), HALF, Fraction(1))),
        st.lists(asked, min_size=1, max_size=3),
    )


def two_askings(rows: int) -> Iterator[Case]:
    """Two queries at the distances that decide, at α = 1/2, ε = 1 and β = 1/20."""
    for thirds in (-3, -1, 0, 1, 3):
        for more in (0, 1):
            count = int((HALF + HALF * thirds / 3) * rows) + more
            if 0 <= count <= rows:
                yield Case(
                    ((count, HALF),) * 2,
                    {"rows": rows, "alpha": HALF, "epsilon": Fraction(1)},
                    {"beta": Fraction(1, 20)},
                )


agreement = UtilityClaim(
    id="HRS-4.3.utility.agreement",
    source=f"{_HRS}, Lemma 4.3, for every D′ that has all shares within less than α/3",
    statement="on |D| ≥ 30b·ln(b/β)/(εα) rows, with probability ≥ 1 − β, all answers to b queries that are not ⊥ are "
    "right for D and D′, and ⊥ is given for shares within less than α of the threshold alone",
    mechanism=oracle_answers,
    succeeds=agrees,
    beta=lambda case: case.facts["beta"],
    strategy=askings,
    corners={
        "ε = 1": lambda case: case.parameters["epsilon"] == EPSILONS[2],
        "the largest ε": CORNERS["the largest ε"],
        "the least β": CORNERS["the least β"],
        "β near 1": CORNERS["β near 1"],
        "one query": lambda case: len(case.database) == 1,
        "a share at the threshold": lambda case: any(
            Fraction(count, case.parameters["rows"]) == t for count, t in case.database
        ),
        "one row": lambda case: case.parameters["rows"] == 1,
    },
    mutant=oracle_with_half_the_margin,
    sharpness=Sharpness(
        what="rows, b = 2, α = 1/2, ε = 1, β = 1/20",
        paper=rows_for_agreement(2, alpha=HALF, beta=Fraction(1, 20), epsilon=Fraction(1)),
        family=two_askings,
    ),
)


# Lemma 4.5: PrivLearn.


@dataclass(frozen=True)
class Always:
    """A hypothesis that is right: it says for the one query what the examples say."""

    label: int

    def __call__(self, q: object) -> int:
        """The label."""
        return self.label


def perfect_learner(draw: object, examples: Any, ask: object, /, **given: Any) -> Always:
    """What is learnt of one query, from a label of it."""
    return Always(examples[0][1])


def released_share(
    draw: Draw,
    count: int,
    *,
    rows: int,
    bound: int,
    alpha: Fraction,
    beta: Fraction,
    epsilon: ExactLike,
    **given: Any,
) -> Any:
    """PrivLearn's answer to one query, on a database of so many rows of which `count` satisfy it.

    All b_iter samples are that query, and have one noise and one answer: one of them stands for all.
    """
    synopsis = draw(
        priv_learn,
        (1,) * count + (0,) * (rows - count),
        queries=uniform([0]),
        predicate=same_row,
        learner=perfect_learner,
        alpha=alpha,
        beta=beta,
        gamma=HALF,
        epsilon=epsilon,
        samples=1,
        bound=bound,
        **given,
    )
    return synopsis(0)


def same_row(q: object, row: int) -> int:
    """P(q, row): the row itself."""
    return row


def released_share_as_printed(draw: Draw, count: int, **given: Any) -> Any:
    """With step 4 of Figure 2 to the letter."""
    return released_share(draw, count, synopsis=SynopsisAsPrinted, **given)


def constant_release(draw: Draw, count: int, **given: Any) -> Fraction:
    """One half, whatever the rows."""
    return HALF


@lru_cache(maxsize=64)
def sizes_for(alpha: Fraction, beta: Fraction, epsilon: Fraction) -> tuple[int, int]:
    """b_total and the rows that (7) and (8) ask for, of one query, γ = 1/2, and a learner from one example."""
    sizes = release_sizes(
        queries=1, examples=lambda n, gamma, beta: 1, alpha=alpha, beta=beta, gamma=HALF, epsilon=epsilon
    )
    return sizes.bound, sizes.rows


def releases() -> Iterator[Case]:
    """All counts, at ε so large that the rows asked for are few."""
    for alpha, beta, scale in product((Fraction(1, 4), Fraction(2, 5)), (Fraction(1, 20), Fraction(99, 100)), (2, 7)):
        epsilon = Fraction(sizes_for(alpha, beta, Fraction(1))[1], scale)
        bound, rows = sizes_for(alpha, beta, epsilon)
        for count in range(rows + 1):
            yield Case(
                count,
                {"rows": rows, "bound": bound, "alpha": alpha, "beta": beta, "epsilon": epsilon},
            )


_RELEASE: Final[dict[str, Any]] = {
    "succeeds": lambda case, share: (
        abs(share - Fraction(case.database, case.parameters["rows"])) <= case.parameters["alpha"]
    ),
    "beta": lambda case: case.parameters["beta"],
    "cases": tuple(releases()),
}

accuracy_as_printed = UtilityClaim(
    id="HRS-4.5.utility.release-as-printed",
    source=f"{_HRS}, Lemma 4.5, with step 4 of Figure 2 to the letter",
    statement="on the rows of (8) PrivLearn with a perfect learner gives a share within α but with "
    "probability β; |Q| = 1",
    mechanism=released_share_as_printed,
    mutant=constant_release,
    expected=Status.REFUTED,
    examples=_RELEASE["cases"][:1],
    **_RELEASE,
)

accuracy = UtilityClaim(
    id="HRS-4.5.utility.release",
    source=f"{_HRS}, Lemma 4.5, with what step 4 of Figure 2 means",
    statement="the same with t_i for the step down from h_i to h_(i+1); |Q| = 1, all databases of the rows of (8) "
    "where ε is so large that these are 2 or 7",
    mechanism=released_share,
    mutant=released_share_as_printed,
    **_RELEASE,
)


# Section 5: thresholds of conjunction counts.


def databases(d: int, most: int) -> Iterator[tuple[int, ...]]:
    """All databases of up to so many rows of d attributes, in whatever order."""
    for n in range(1, most + 1):
        yield from combinations_with_replacement(range(1 << d), n)


def labels(rows: tuple[int, ...], t: Fraction, queries: tuple[int, ...]) -> tuple[int, ...]:
    """f^D_t on the queries."""
    least = least_count(len(rows), t)
    return tuple(int(sum(map(Conjunction(q), rows)) >= least) for q in queries)


def with_thresholds(dimensions: tuple[int, ...], most: int, parameter: str) -> Iterator[Case]:
    """All databases, all t that differ, and all k or r from 1 to d."""
    for d in dimensions:
        for rows in databases(d, most):
            for least, k in product(range(len(rows) + 1), range(1, d + 1)):
                yield Case(rows, {"t": Fraction(least, len(rows)), "d": d, parameter: k})


def sparse_signs(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, k: int) -> tuple[tuple[int, ...], int]:
    """The signs on B_k of the polynomial of Lemma 5.3, and its degree."""
    found = sparse_threshold_polynomial(rows, t=t, d=d, k=k)
    return tuple(map(found, sparse_queries(d, k))), found.degree


def sparse_signs_of_one_less(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, k: int) -> Any:
    """⌈tn⌉ − 1 in place of ⌈tn⌉."""
    return sparse_signs(draw, rows, t=max(Fraction(0), t - Fraction(1, len(rows))), d=d, k=k)


def are_sparse_labels(case: Case, signs: tuple[int, ...]) -> bool:
    """Whether they are f^D_t on B_k."""
    given = case.parameters
    return signs == labels(case.database, given["t"], sparse_queries(given["d"], given["k"]))


def degree_bound(n: int, k: int) -> int:
    """⌈√k⌉·⌈log₂(3n)⌉."""
    return (isqrt(k - 1) + 1) * (3 * n - 1).bit_length()


sparse = UtilityClaim(
    id="HRS-5.3.utility.sparse-signs",
    source=f"{_HRS}, Lemma 5.3, with the degree of the polynomial that is printed",
    statement="f^D_t is on B_k the sign of a polynomial of degree ≤ ⌈√k⌉·⌈log₂(3n)⌉; d ≤ 3, n ≤ 3, all D, t and k",
    mechanism=sparse_signs,
    succeeds=lambda case, found: (
        are_sparse_labels(case, found[0]) and found[1] <= degree_bound(len(case.database), case.parameters["k"])
    ),
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
    """Whether it computes f^D_t, has rank ≤ (2d/r)·ln n + 1 and width ≤ r."""
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
    """Whether they are f^D_t on the cube."""
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


def learnt_labels(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, k: int, off: int = 0) -> Any:
    """What `learn_polynomial_threshold` labels B_k with, from all its labels, at the degree of Lemma 5.3 less `off`."""
    queries = sparse_queries(d, k)
    examples = tuple(zip(queries, labels(rows, t, queries), strict=True))
    return learnt_from(examples, d, k, max(0, degree_of_thresholds(d, len(rows), k) - off))


@lru_cache(maxsize=4096)
def learnt_from(examples: tuple[tuple[int, int], ...], d: int, k: int, degree: int) -> tuple[int, ...]:
    """The labels of the examples' queries; with a degree, n and t are not used, and many databases have the same."""
    given: dict[str, Any] = {"n": 1, "t": 1, "gamma": HALF, "beta": HALF, "d": d, "k": k, "degree": degree}
    return tuple(learn_polynomial_threshold(None, examples, None, **given)(q) for q, _ in examples)


def learnt_of_less_degree(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int, k: int) -> Any:
    """A degree of one less."""
    return learnt_labels(draw, rows, t=t, d=d, k=k, off=1)


learning = UtilityClaim(
    id="HRS-5.10.utility.consistent",
    source=f"{_HRS}, Theorem 5.10, at the degree of Lemmas 5.3 and 5.9",
    statement="linear programming finds a polynomial of that degree that is right on all examples; d, n ≤ 3, all D, t "
    "and k, all of B_k as examples",
    mechanism=learnt_labels,
    succeeds=are_sparse_labels,
    beta=lambda case: ZERO,
    cases=tuple(with_thresholds((1, 2, 3), 3, "k")),
    mutant=learnt_of_less_degree,
)

CLAIMS: Final = (
    small_database_exists,
    no_small_database,
    agreement,
    accuracy_as_printed,
    accuracy,
    sparse,
    sparse_of_one_row,
    dropping,
    trees,
    trees_as_printed,
    cube,
    learning,
)

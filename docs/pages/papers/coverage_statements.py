"""The rows of the catalogue page that are no mechanisms: lower bounds, and statements that others rest on.

And the whole page, by its sections.
"""

from __future__ import annotations

from typing import Final

from docs.pages.papers.coverage_rows import (
    BUILDING_BLOCKS,
    LEARNERS,
    LOWER_BOUND,
    NOTHING_RUNS,
    PRIVACY,
    RECURSION,
    RELEASE,
    RUNS,
    SANITIZERS,
    STRUCTURE,
    UTILITY,
    WITHIN,
    Row,
)

LOWER_BOUNDS: Final = (
    Row(ids=("BNS-J-4.15",), what="packing of databases, X_C", claims=(STRUCTURE, LOWER_BOUND), without=NOTHING_RUNS),
    Row(
        ids=("BNS-J-4.16",),
        what="m = Ω(VC + …) for C_L ∪ C_R, and all subsets",
        claims=(LOWER_BOUND,),
        without=NOTHING_RUNS,
    ),
    Row(
        ids=("BNS-J-5.7", "BNS-J-5.8"),
        what="k-POINT packing",
        claims=(STRUCTURE, LOWER_BOUND),
        runs=("point_sets",),
        without=NOTHING_RUNS,
    ),
    Row(
        ids=("BNS-J-5.9", "BNS-J-5.10"),
        what="m forced for k-POINT, and for labelled points",
        claims=(LOWER_BOUND,),
        without=NOTHING_RUNS,
    ),
    Row(
        ids=("BNS-X-Thm6",),
        what="m = Ω(VC·log|X|/(αε)) for k-POINT, with the α",
        claims=(LOWER_BOUND,),
        without=NOTHING_RUNS,
    ),
    Row(ids=("BNS-J-2.20",), what="m ≤ VC/2 ⇒ α ≥ 1/(4 + 16ε)", claims=(LOWER_BOUND,), without=NOTHING_RUNS),
    Row(
        ids=("CHS-Prop1", "CHS-Thm1"),
        what="range dependence of pure, ℓ-dependence of approximate privacy",
        claims=(LOWER_BOUND,),
        runs=("near_maximisers",),
        shown_in=("range-lower-bound.md#What near maximisers cost any private mechanism",),
    ),
    Row(
        ids=("BuNS-4.1", "BuNS-4.3"),
        what="an accurate learner is traced, and so not private",
        claims=(UTILITY, STRUCTURE, LOWER_BOUND),
        runs=("trace_of_direct_sum", "traced", "rows_forced"),
        shown_in=("tracing.md#Learners of many concepts",),
    ),
    Row(
        ids=("BuNS-4.6", "BuNS-4.10"),
        what="rows forced by the codes, thresholds and points",
        claims=(UTILITY,),
        runs=("rows_forced",),
        shown_in=("tracing.md#The rows that are forced",),
    ),
    Row(ids=("BuNS-5.1",), what="packing for k concepts, one point", claims=(LOWER_BOUND,), without=NOTHING_RUNS),
    Row(ids=("BuNS-5.4",), what="packing for parities", claims=(LOWER_BOUND,), without=NOTHING_RUNS),
)

OTHERS_REST_ON: Final = (
    Row(
        ids=("BNS-J-2.6",),
        what="Chernoff bounds (Section 2.6)",
        claims=(STRUCTURE,),
        without={
            **NOTHING_RUNS,
        },
    ),
    Row(
        ids=("BNS-J-2.12",),
        what="sample bound, consistent and realizable",
        claims=(UTILITY,),
        without={
            **NOTHING_RUNS,
        },
    ),
    Row(
        ids=("BNS-J-2.13",),
        what="sample bound: consistent hypotheses are good",
        claims=(UTILITY,),
        without=NOTHING_RUNS,
    ),
    Row(ids=("BNS-J-2.14",), what="sample bound: shares are near, uniformly", claims=(UTILITY,), without=NOTHING_RUNS),
    Row(
        ids=("BNS-J-2.17", "BNS-J-2.18"),
        what="a proper sanitizer from an improper one",
        claims=(UTILITY,),
        without={
            **NOTHING_RUNS,
        },
    ),
    Row(
        ids=("BNS-J-2.21",),
        what="every database is close to a small one",
        claims=(UTILITY,),
        runs=("size_for_closeness",),
        without={
            **WITHIN,
        },
    ),
    Row(
        ids=("BNS-J-4.1", "BNS-J-4.2", "BNS-J-4.3"),
        what="bounded growth: what it implies, counts of points",
        claims=(STRUCTURE,),
        runs=("choosing_mechanism",),
        shown_in=("selecting.py",),
    ),
    Row(
        ids=("BNS-J-4.14",),
        also=("BNS-J-4.16.*.two-part*",),
        what="the two-part sanitizer for C_L ∪ C_R (Section 4.4)",
        claims=(PRIVACY, UTILITY),
        runs=("sanitize_two_parts",),
        without={RUNS: "it is two sanitizers side by side, each of which has an example"},
    ),
    Row(
        ids=("BuNS-2.11",),
        what="an empirical k-learner is a PAC k-learner on enough examples",
        claims=(UTILITY,),
        without=NOTHING_RUNS,
    ),
    Row(
        ids=("BuNS-2.21",),
        what="a sanitizer for thresholds, as cited",
        claims=(UTILITY,),
        runs=("sanitize_thresholds",),
        shown_in=("cdf.py",),
    ),
    Row(
        ids=("BuNS-2.23",),
        what="a private learner from a sanitizer, as cited (see BNS-J-5.5)",
        claims=(PRIVACY, UTILITY),
        runs=("learn_by_labels",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BuNS-3.9",),
        what="agnostic k-learner of points (3.7 with 2.20)",
        claims=(UTILITY,),
        without=NOTHING_RUNS,
    ),
    Row(
        ids=("BuNS-3.10",),
        what="agnostic k-learner of thresholds (3.7 with 2.21)",
        claims=(UTILITY,),
        without=NOTHING_RUNS,
    ),
    Row(
        ids=("BuNS-4.2", "BuNS-4.4", "BuNS-4.8"),
        what="feasible words, padding",
        claims=(STRUCTURE,),
        runs=("is_feasible",),
        without=WITHIN,
    ),
    Row(
        ids=("BuNS-4.5",),
        what="Boneh & Shaw: complete and sound",
        claims=(UTILITY, STRUCTURE),
        runs=("BonehShaw",),
        shown_in=("tracing.md#Fingerprinting codes",),
    ),
    Row(
        ids=("BuNS-4.7", "BuNS-4.9"),
        what="Tardos: complete and sound",
        claims=(UTILITY,),
        runs=("Tardos",),
        shown_in=("tracing.md#Fingerprinting codes",),
    ),
    Row(ids=("BuNS-4.11",), what="codes and parities", claims=(STRUCTURE,), runs=("parities",), without=WITHIN),
    Row(ids=("BuNS-5.2",), what="packing, α in the bound", claims=(LOWER_BOUND,), without=NOTHING_RUNS),
    Row(
        ids=("HRS-1.3",),
        what="boosting (HRS 1.3)",
        claims=(UTILITY,),
        without={UTILITY: "out of scope", RUNS: "out of scope"},
        note="the paper uses boosting and does not describe it",
    ),
)

BEYOND: Final = (
    Row(ids=("BNS-J-2.1", "BNS-J-2.2"), what="post-processing", claims=(STRUCTURE,), without=NOTHING_RUNS),
    Row(
        ids=("BNS-J-2.11", "BNS-J-3.1", "BNS-J-3.4", "BNS-J-3.20", "BuNS-2.12"),
        what="VC dimensions",
        claims=(UTILITY,),
        runs=("vc_dimension", "vc_of_points", "vc_of_thresholds", "vc_of_rectangles", "vc_of_parities"),
        without={RUNS: "a number of a class, and not of data"},
    ),
    Row(
        ids=("LSL-Alg1", "LSL-Alg2", "LSL-Alg3", "LSL-Alg4", "LSL-Alg5", "LSL-Alg6", "LSL-Num", "LICS20-SVT"),
        what="sparse vector and its variants",
        claims=(PRIVACY,),
        runs=("svt1", "svt2", "svt3", "svt4", "svt5", "svt6", "numerical_svt", "first_below"),
        shown_in=("gallery/choosing.md#Sparse vector",),
    ),
)

SECTIONS: Final = {
    "Building blocks": BUILDING_BLOCKS,
    "Recursion for quasi-concave promise problems": RECURSION,
    "Learners": LEARNERS,
    "Sanitizers": SANITIZERS,
    "Data release": RELEASE,
    "Lower bounds": LOWER_BOUNDS,
    "Statements that others rest on": OTHERS_REST_ON,
    "Beyond the five papers' rows": BEYOND,
}

OF_ANOTHER: Final = {
    "CHS-4.1.privacy.exponential*": "the exponential mechanism, which the paper compares with",
    "CHS-4.1.privacy.laplaces*": "the max of Laplaces, which the paper compares with",
    "BNS-J-4.13.privacy.parts*": "abstract parts, of which no sanitizer runs",
}
"""Patterns of claims of a row in which the row's own algorithm does not run, and what does: no row counts by these."""

BENT: Final = {
    "BNS-J-5.3.utility.empirical": ("up to 4 rows", "of the sample; nothing of the population"),
    "BNS-J-5.1.utility.parts": ("independently", "parts that fail by a model; no sanitizer runs"),
    "BuNS-2.24.utility.empirical": ("", "samples of few rows"),
    "HRS-4.5.utility.release": ("|Q| = 1", "|Q| = 1, at ε so large that two or seven rows are enough"),
    "HRS-5.3.utility.construction-14": ("of its degree nothing is said", "of a degree that is no less than k"),
    "HRS-5.7.utility.construction-14": ("of its degree nothing is said", "of a degree that is no less than the width"),
    "HRS-5.10.utility.pac": ("up to two rows", "d ≤ 2, databases of up to two rows"),
    "CHS-Cor2.utility.shells": ("four points", "thresholds on four points, 60 rows"),
}
"""Claims that say less than their row, beside those of privacy at ε > 10: what their statement says, and why.

They are shown where none that says more is as good; a claim whose statement no longer says that is not bent.
"""

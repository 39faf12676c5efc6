"""The rows of the catalogue page: what the papers claim of each, and which functions and examples run it.

What is claimed here of a row and proved, tried or refuted of it is found in the registry by the row's ids: nothing else
has to be told of a new claim but, where none has its row, the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

PRIVACY, UTILITY, STRUCTURE, LOWER_BOUND = ASPECTS = ("privacy", "utility", "structure", "lower bound")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row. `ids` are the rows of claims that are its own, the first part of their ids; a letter may follow each.

    `also` are patterns of claims that bear the id of another row.
    `claims` is what the papers claim of it. `runs` are public functions, or module:function; `shown_in` are scripts of
    docs/examples and pages of docs with the heading after #. `without` says why there is no claim of what is claimed,
    or no function or example (`RUNS`); it is left out as soon as there is one. `note` says what is out of scope.
    """

    ids: tuple[str, ...]
    also: tuple[str, ...] = ()
    what: str
    claims: tuple[str, ...]
    runs: tuple[str, ...] = ()
    shown_in: tuple[str, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


RUNS: Final = "runs"
NOTHING_RUNS: Final = {RUNS: "a statement: nothing runs"}
WITHIN: Final = {RUNS: "part of what is proved of the row above, and not run alone"}

BUILDING_BLOCKS: Final = (
    Row(
        ids=("BNS-J-2.24", "BNS-X-Thm1"),
        what="Laplace mechanism",
        claims=(PRIVACY, UTILITY),
        runs=("laplace_mechanism", "discrete_laplace_mechanism", "clamped_laplace_mechanism"),
        shown_in=("gallery/counts.md#A count",),
    ),
    Row(
        ids=("BNS-J-2.25", "BNS-X-Prop1", "CHS-2.2", "BuNS-3.8"),
        what="exponential mechanism",
        claims=(PRIVACY, UTILITY),
        runs=("exponential_mechanism", "exponential"),
        shown_in=("selecting.py", "gallery/choosing.md#A quantile by the exponential mechanism", "itemsets.py"),
    ),
    Row(
        ids=("BNS-J-2.26",),
        also=("CHS-2.2.utility.one-best", "CHS-2.2.utility.two-best"),
        what="A_dist, journal",
        claims=(PRIVACY, UTILITY),
        runs=("choose_by_stability_journal", "choose_by_stability"),
        shown_in=("selecting.py",),
    ),
    Row(
        ids=("BNS-X-Prop2",),
        what="A_dist, extended abstract",
        claims=(PRIVACY, UTILITY),
        runs=("choose_by_stability_extended_abstract",),
        shown_in=("selecting.py",),
    ),
    Row(
        ids=("BuNS-3.11",),
        what="A_dist as in BuNS",
        claims=(PRIVACY, UTILITY),
        runs=("choose_by_stability_journal",),
        note="the corrected A_dist of BNS-J-2.26 mends it",
        shown_in=("selecting.py",),
    ),
    Row(
        ids=("BNS-J-4.4", "BNS-J-4.5", "BNS-X-Lem4"),
        what="choosing mechanism, k-bounded growth",
        claims=(PRIVACY, UTILITY),
        runs=("choosing_mechanism",),
        shown_in=("selecting.py",),
    ),
    Row(
        ids=("CHS-Alg1", "CHS-Thm2", "CHS-Thm3", "CHS-Rem1"),
        also=("CHS-2.2.utility.two-best-kept",),
        what="large margin mechanism",
        claims=(PRIVACY, UTILITY, STRUCTURE),
        runs=("large_margin_mechanism",),
        shown_in=(
            "selecting.py",
            "itemsets.py",
            "large-margin.md#What the large margin mechanism promises, against the universe",
        ),
    ),
    Row(
        ids=("CHS-2.2-MoL",),
        what="max-of-Laplaces",
        claims=(PRIVACY, UTILITY),
        runs=("max_of_laplaces", "max_of_laplaces_drawn"),
        shown_in=("selecting.py", "gallery/choosing.md#Report noisy max", "itemsets.py"),
    ),
    Row(
        ids=("BNS-J-2.3", "BNS-J-2.4", "BNS-J-2.5", "BuNS-2.16"),
        what="composition: two, k-fold, advanced",
        claims=(PRIVACY,),
        runs=("composition", "hardest_composition", "advanced_composition_epsilon"),
        without={RUNS: "composition is decided of laws, and is not run on data"},
    ),
    Row(
        ids=("BuNS-2.25",),
        what="secrecy of the sample",
        claims=(PRIVACY,),
        runs=("on_a_sample",),
        shown_in=("many.py",),
    ),
)

RECURSION: Final = (
    Row(
        ids=("BNS-J-3.12",),
        what="RecConcave is (3Nε, 3Nδ)-private",
        claims=(PRIVACY,),
        runs=("maximise_quasi_concave",),
        shown_in=("threshold.py",),
    ),
    Row(
        ids=("BNS-J-3.14", "BNS-J-3.15"),
        what="RecConcave finds what is promised; the geometry of its intervals",
        claims=(UTILITY, STRUCTURE),
        runs=("maximise_quasi_concave",),
        shown_in=("threshold.py",),
    ),
    Row(
        ids=("BNS-J-3.10",),
        what="RecConcave makes at most log* T calls",
        claims=(UTILITY,),
        runs=("maximise_quasi_concave",),
        shown_in=("threshold.py",),
    ),
    Row(
        ids=("BNS-X-Lem2",),
        what="Rec (32 candidates, recursion in α): privacy",
        claims=(PRIVACY,),
        runs=("maximise_quasi_concave_extended_abstract",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-X-Lem3",),
        what="Rec: utility",
        claims=(UTILITY,),
        runs=("maximise_quasi_concave_extended_abstract",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-J-3.6", "BNS-J-3.7", "BNS-J-3.8", "BNS-J-3.9", "BNS-J-3.11", "BNS-J-3.13"),
        what="q of step 4 and classification are quasi-concave; maxima and minima keep sensitivity 1",
        claims=(STRUCTURE,),
        runs=("maximise_quasi_concave",),
        shown_in=("threshold.py",),
    ),
)

LEARNERS: Final = (
    Row(
        ids=("BNS-J-3.2", "BNS-J-3.3", "BNS-X-Lem1"),
        what="POINT_d learner, and its variant with the all-zero concept",
        claims=(PRIVACY, UTILITY),
        runs=("learn_points", "learn_points_or_none"),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-J-BKN",),
        what="improper learner of points",
        claims=(PRIVACY, UTILITY),
        runs=("learn_points_improperly",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-J-3.18", "BNS-J-3.16", "BNS-J-3.17", "BNS-J-3.19"),
        what="LearnThresholds",
        claims=(PRIVACY, UTILITY),
        runs=("learn_thresholds",),
        shown_in=("threshold.py",),
    ),
    Row(
        ids=("BNS-X-Thm2",),
        what="thresholds by Rec",
        claims=(PRIVACY, UTILITY),
        runs=("learn_thresholds_extended_abstract",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-J-3.5", "BNS-X-Rem1"),
        what="noisy binary searches for a threshold, which depend on d",
        claims=(PRIVACY, UTILITY),
        runs=("learn_thresholds_by_search",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-J-3.22", "BNS-J-3.21"),
        what="rectangles in n dimensions",
        claims=(PRIVACY, UTILITY),
        runs=("learn_rectangle",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-J-KLNRS", "BuNS-2.22"),
        what="generic learner by the exponential mechanism",
        claims=(PRIVACY, UTILITY),
        runs=("generic_learner",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-J-6.2", "BNS-J-Fig13", "BNS-J-6.3", "BNS-X-Thm7"),
        what="label-private learner, semi-private learner",
        claims=(PRIVACY, UTILITY),
        runs=("label_private_learner", "semi_private_learner"),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BuNS-3.2", "BuNS-3.3", "BuNS-3.4", "BuNS-3.5", "BuNS-3.6"),
        what="direct-sum k-learner",
        claims=(PRIVACY, UTILITY),
        runs=("direct_sum",),
        shown_in=("many.py",),
    ),
    Row(
        ids=("BuNS-3.7",),
        what="generic k-learner from a sanitizer",
        claims=(PRIVACY, UTILITY),
        runs=("learn_many",),
        shown_in=("many.py",),
    ),
    Row(
        ids=("BuNS-3.12",),
        what="parity k-learner",
        claims=(PRIVACY, UTILITY),
        runs=("learn_parities",),
        shown_in=("many.py",),
    ),
    Row(
        ids=("BuNS-3.13",),
        what="point k-learner",
        claims=(PRIVACY, UTILITY),
        runs=("learn_many_points",),
        shown_in=("many.py",),
    ),
    Row(
        ids=("BuNS-2.24",),
        what="empirical learner from a PAC learner, by a sample",
        claims=(PRIVACY, UTILITY),
        runs=("learn_empirically",),
        shown_in=("many.py",),
    ),
    Row(
        ids=("BuNS-5.3",),
        what="proper parity learner from an improper one",
        claims=(UTILITY,),
        runs=("nearest_parity",),
        without={RUNS: "after a release, which sees no data: nothing of its own runs"},
    ),
)

SANITIZERS: Final = (
    Row(
        ids=("BNS-J-4.6", "BNS-J-Fig9", "BNS-X-Thm3"),
        what="SanPoints (BNS-X Theorem 3 states its order)",
        claims=(PRIVACY, UTILITY),
        runs=("sanitize_points",),
        shown_in=("frequent.py",),
    ),
    Row(
        ids=("BNS-J-4.7", "BNS-J-Fig10"),
        what="k-POINT sanitizer",
        claims=(PRIVACY, UTILITY),
        runs=("sanitize_k_points",),
        shown_in=("sanitizing.py",),
    ),
    Row(
        ids=("BNS-J-4.8", "BNS-J-Fig11"),
        what="SanThresholds: privacy",
        claims=(PRIVACY,),
        runs=("sanitize_thresholds",),
        shown_in=("cdf.py",),
    ),
    Row(
        ids=("BNS-J-4.9",),
        what="the quality of SanThresholds is quasi-concave",
        claims=(STRUCTURE,),
        runs=("sanitize_thresholds",),
        shown_in=("cdf.py",),
    ),
    Row(
        ids=("BNS-J-4.10", "BNS-J-4.11", "BNS-J-4.12"),
        what="SanThresholds: every call does well",
        claims=(UTILITY,),
        runs=("sanitize_thresholds",),
        shown_in=("cdf.py",),
    ),
    Row(
        ids=("BNS-J-4.13", "BNS-X-Thm4"),
        what="SanThresholds is α-close: the theorem (BNS-X Theorem 4 states an order of its own)",
        claims=(UTILITY,),
        runs=("sanitize_thresholds",),
        shown_in=("cdf.py",),
    ),
    Row(
        ids=("BuNS-2.20",),
        what="histogram by stability, and by cut-offs",
        claims=(PRIVACY, UTILITY),
        runs=("stable_histogram", "cut_off_histogram"),
        shown_in=("sanitizing.py",),
    ),
    Row(
        ids=("BNS-J-2.19", "BuNS-2.18"),
        what="BLR: the exponential mechanism over small databases",
        claims=(PRIVACY, UTILITY),
        runs=("small_database",),
        shown_in=("sanitizing.py",),
    ),
    Row(
        ids=("BuNS-2.19",),
        what="private multiplicative weights",
        claims=(PRIVACY, UTILITY),
        runs=("multiplicative_weights",),
        shown_in=("sanitizing.py",),
    ),
    Row(
        ids=("BNS-J-5.1",),
        what="a sanitizer from parts (Lemma 5.1)",
        claims=(PRIVACY, UTILITY),
        runs=("sanitize_in_parts",),
        shown_in=("sanitizing.py",),
    ),
    Row(
        ids=("BNS-J-5.2",),
        what="VC(C) ≤ VC(C^label) ≤ 2·VC(C)",
        claims=(STRUCTURE,),
        runs=("vc_of_labelled", "vc_dimension"),
        without=WITHIN,
    ),
    Row(
        ids=("BNS-J-5.3",),
        what="Learn, from a sanitized database",
        claims=(PRIVACY, UTILITY),
        runs=("learn_from_sanitized",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-J-5.4",),
        what="Algorithm B: a sanitizer for C^label",
        claims=(PRIVACY, UTILITY),
        runs=("sanitize_labelled",),
        shown_in=("learning.py",),
    ),
    Row(
        ids=("BNS-J-5.5", "BNS-J-5.6", "BNS-X-Thm5"),
        what="a private learner from a sanitizer (BNS-X Theorem 5 has other numbers)",
        claims=(PRIVACY, UTILITY),
        runs=("learn_by_labels",),
        shown_in=("learning.py",),
    ),
)

RELEASE: Final = (
    Row(
        ids=("HRS-Fig1", "HRS-4.1", "HRS-4.3"),
        what="threshold oracle: privacy, agreement",
        claims=(PRIVACY, UTILITY),
        runs=("ThresholdOracle", "threshold_answers"),
        shown_in=("marginals.py",),
    ),
    Row(
        ids=("HRS-4.2",),
        what="a small database that agrees",
        claims=(UTILITY,),
        runs=("rows_of_the_small_database",),
        without={RUNS: "it exists, by the probabilistic method: PrivLearn runs without one"},
    ),
    Row(
        ids=("HRS-Fig2", "HRS-3.9", "HRS-4.4"),
        what="PrivLearn with evaluation access: privacy, its step 4",
        claims=(PRIVACY, STRUCTURE),
        runs=("release_by_learning",),
        shown_in=("marginals.py",),
    ),
    Row(
        ids=("HRS-4.5", "HRS-4.6", "HRS-4.7", "HRS-4.8", "HRS-4.9", "HRS-3.3"),
        what="PrivLearn: accuracy, and on the way there",
        claims=(UTILITY, STRUCTURE),
        runs=("release_by_learning",),
        shown_in=("marginals.py",),
    ),
    Row(
        ids=("HRS-4.10", "HRS-1.1"),
        what="PrivLearn by samples alone (1.1 simplified)",
        claims=(PRIVACY, UTILITY),
        runs=("release_by_learning",),
        shown_in=("marginals.py",),
    ),
    Row(
        ids=("HRS-3.10",),
        what="the (ε,δ) variant of PrivLearn",
        claims=(PRIVACY,),
        runs=("epsilon_of_a_query", "threshold_answers"),
        shown_in=("marginals.py",),
    ),
    Row(
        ids=("HRS-5.3", "HRS-5.4", "HRS-5.5"),
        what="Chebyshev polynomial; thresholds of k-sparse conjunctions as signs",
        claims=(UTILITY, STRUCTURE),
        runs=("dropping_polynomial", "dropping_by_scales", "least_dropping_polynomial", "sparse_threshold_polynomial"),
        shown_in=("marginals.py", "degrees.md#By k and n"),
        note="the order of the degree of Claim 5.4, whose proof is cited, is shown by steps for every k, and decided for "
        "k ≤ 64; (14), which is printed, has a larger degree, and HRS-5.3.utility.construction-14 is of its signs alone, as "
        "no degree bites there",
    ),
    Row(
        ids=("HRS-5.7", "HRS-5.8", "HRS-5.9"),
        what="decision tree of width-r leaves; signs over the whole cube",
        claims=(UTILITY,),
        runs=("conjunction_tree", "cube_threshold_polynomial"),
        without={RUNS: "it shows that a polynomial exists; what learns one is run of 5.10"},
        note="HRS-5.7.utility.construction-14 is of signs alone, as no degree bites there; the degree of 5.9 is a step, with "
        "that of a leaf as 5.7 has it, and beside it with (14)",
    ),
    Row(
        ids=("HRS-5.10", "HRS-5.1", "HRS-1.2", "HRS-1.4"),
        what="polynomial thresholds by linear programming; the rows of 1.2, 1.4 and 5.1 as orders",
        claims=(PRIVACY, UTILITY),
        runs=("learn_polynomial_threshold",),
        shown_in=("marginals.py",),
    ),
    Row(
        ids=("HRS-6.2", "HRS-6.1", "HRS-1.5"),
        what="Harmonic Sieve for parity queries; the rows of 1.5 as an order",
        claims=(PRIVACY, UTILITY),
        runs=("learn_majority_of_parities",),
        shown_in=("queries.py",),
    ),
    Row(
        ids=("HRS-6.4", "HRS-6.3", "HRS-1.6"),
        what="low-weight parities for AC0 queries; the rows of 1.6 and 6.3 as orders",
        claims=(PRIVACY, UTILITY),
        runs=("learn_low_weight_parities",),
        shown_in=("queries.py",),
    ),
    Row(
        ids=("CHS-4.1", "CHS-Cor1"),
        what="frequent itemsets by LMM",
        claims=(PRIVACY, UTILITY),
        runs=("frequent_itemset", "frequent_itemset_or_none", "frequent_itemset_by_exponential"),
        shown_in=("itemsets.py",),
    ),
    Row(
        ids=("CHS-4.2", "CHS-Cor2"),
        what="private PAC learning by LMM, shell bounds",
        claims=(PRIVACY, UTILITY),
        runs=("learn_by_large_margin",),
        shown_in=("learning.py",),
    ),
)

"""What runs unless told otherwise: the learners and sanitizers that run an A_dist, and a few others, by their defaults.

Each is judged at the (ε,δ) that its theorem states, with the arguments that it has by default. A size, such as the
range up to which RecConcave does not recurse, may be smaller; the statement says so. The domains are such that each
branch has a probability of at least 1/100 on some database, which the tests check.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.exact.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.laws.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.multi_learners import learn_many_points
from dpverify.mechanisms.learners.parities import learn_parities
from dpverify.mechanisms.learners.points_learner import learn_points, learn_points_or_none
from dpverify.mechanisms.learners.threshold_search import learn_thresholds_by_search
from dpverify.mechanisms.learners.thresholds_learner import learn_thresholds
from dpverify.mechanisms.recursion.quasi_concave import rec_concave
from dpverify.mechanisms.release.itemsets import frequent_itemset_by_laplaces
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import epsilon_of_san_thresholds, san_thresholds
from dpverify.mechanisms.selection.sparse_vector import svt2
from dpverify.mechanisms.selection.stability import a_dist_journal
from dpverify.mechanisms.selection.step_functions import StepFunction
from dpverify.verifiers.catalogue.bns_j import best_whatever_the_gap
from dpverify.verifiers.catalogue.buns_learners import rows_of
from dpverify.verifiers.catalogue.learners import FOUR_POINTS
from dpverify.verifiers.catalogue.lsl import svt_without_query_noise
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.domains import LabelledSamples, Multisets, ScoreSpace, Tuples
from dpverify.verifiers.privacy.neighbours import scores_linf

HALF: Final = Fraction(1, 2)
TENTH: Final = Fraction(1, 10)
HUNDREDTH: Final = Fraction(1, 100)

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_BUNS: Final = "Bun, Nissim & Stemmer"
_CORRECTED: Final = "with the A_dist that it runs by default, the corrected one,"


def as_printed(mechanism: Mechanism) -> Mechanism:
    """A mutant: the mechanism with the A_dist of the journal version, which the paper prints."""

    def printed(draw: Draw, database: Any, *, epsilon: ExactLike, delta: ExactLike, **given: Any) -> Any:
        return mechanism(draw, database, epsilon=epsilon, delta=delta, selection=a_dist_journal, **given)

    printed.__qualname__ = f"{mechanism.__qualname__}_as_printed"
    printed.__doc__ = "Mutant: with the A_dist that the paper prints."
    return printed


def without_a_dist(draw: Draw, sample: Sequence[Example], *, epsilon: Exact, delta: ExactLike, **given: Any) -> Any:
    """Mutant: takes the best intervals without the test of A_dist, and the exponential mechanism at eight times ε."""
    return learn_thresholds(draw, sample, epsilon=8 * epsilon, delta=delta, selection=best_whatever_the_gap, **given)


def search_at_twelve_times_epsilon(
    draw: Draw, sample: Sequence[Example], *, epsilon: Exact, delta: ExactLike, **given: Any
) -> Any:
    """Mutant: twelve times the ε."""
    return learn_thresholds_by_search(draw, sample, epsilon=12 * epsilon, delta=delta, **given)


def between_far_peaks(draw: Draw, heights: Sequence[int], **given: Any) -> Any:
    """RecConcave on the quality that is heights[0] at 100, heights[1] at 400, and 0 elsewhere on [0, 512].

    A second execution is on the ten scales of that, and a third on their five.
    """
    first, second = heights
    pieces = [(0, 0), (100, first), (101, 0), (400, second), (401, 0)]
    return rec_concave(draw, StepFunction.of_pieces(pieces, 512), **given)


def between_far_peaks_without_a_dist(draw: Draw, heights: Sequence[int], *, epsilon: Exact, **given: Any) -> Any:
    """Mutant: takes the best intervals without the test of A_dist, and the exponential mechanism at eight times ε."""
    return between_far_peaks(draw, heights, epsilon=8 * epsilon, **given, selection=best_whatever_the_gap)


def laplaces_at_three_times_epsilon(draw: Draw, baskets: Any, *, epsilon: Exact, **given: Any) -> Any:
    """Mutant: three times the ε."""
    return frequent_itemset_by_laplaces(draw, baskets, epsilon=3 * epsilon, **given)


def last_row(draw: object, rows: Sequence[int], **_: Any) -> Any:
    """Mutant: gives out the last row, and nothing else."""
    return max(rows)


def two_peaks(ones: int) -> tuple[Example, ...]:
    """Eight rows of which the thresholds 10 and 50 label six as they are, and four in between, `ones` with label 1."""
    return ((9, 1), (10, 0)) * 2 + ((49, 1), (50, 0)) * 2 + tuple((30, int(i < ones)) for i in range(4))


def mostly_in_the_middle(others: int) -> tuple[int, ...]:
    """Four rows on [0, 512): all on 256 but for some on 511."""
    return (256,) * (4 - others) + (511,) * others


points = tuple(
    Claim(
        id=f"BNS-J-3.2.privacy.{variant}",
        source=f"{_BNS}, Section 3.1, {where}",
        statement=f"the learner of POINT_2{other} {_CORRECTED} is (ε,1/10)-private",
        mechanism=learner,
        domain=FOUR_POINTS,
        epsilon=1,
        delta=TENTH,
        parameters={"d": 2},
        mutant=as_printed(learner),
    )
    for variant, where, other, learner in (
        ("default", "Lemma 3.2", "", learn_points),
        ("or-none-default", "Remark 3.3", ", or else the all-zero concept,", learn_points_or_none),
    )
)
search = tuple(
    Claim(
        id=f"BNS-J-3.5.privacy.{variant}",
        source=f"{_BNS}, Section 3.2 and Remark 3.5",
        statement=f"THRESH_2 by a noisy binary search over {what}, {_CORRECTED} is (ε,1/10)-private",
        mechanism=learn_thresholds_by_search,
        domain=LabelledSamples(range(4), size=2),
        epsilon=4,
        delta=TENTH,
        parameters={"d": 2, "alpha": HALF, "powers": powers},
        mutant=search_at_twelve_times_epsilon,
    )
    for variant, what, powers in (("default", "all lengths", False), ("default-powers", "powers of 2", True))
)
recursion = Claim(
    id="BNS-J-3.12.privacy.default",
    source=f"{_BNS}, Figure 5 and Lemma 3.12",
    statement=f"RecConcave {_CORRECTED} and base case 4, which recurses twice on two peaks in [0, 512], so that N = 3, "
    "is (3Nε, 3Nδ)-private",
    mechanism=between_far_peaks,
    domain=ScoreSpace(range(3, 5), solutions=2),
    neighbours=scores_linf,
    epsilon=9,
    delta=9 * HUNDREDTH,
    parameters={"promise": 5, "alpha": HALF, "epsilon": 1, "delta": HUNDREDTH, "base": 4},
    mutant=between_far_peaks_without_a_dist,
)
thresholds = Claim(
    id="BNS-J-3.18.privacy.default",
    source=f"{_BNS}, Section 3.4 and Theorem 3.18",
    statement=f"LearnThresholds {_CORRECTED} N = 2, is (ε,δ)-private, on samples of twelve rows that fit no threshold",
    mechanism=learn_thresholds,
    domain=[two_peaks(ones) for ones in range(5)],
    epsilon=6,
    delta=6 * HUNDREDTH,
    parameters={"d": 6, "alpha": HALF, "depth": 2},
    mutant=without_a_dist,
)
sanitized = Claim(
    id="BNS-J-4.8.privacy.default",
    source=f"{_BNS}, Figure 11 and Lemma 4.8",
    statement=f"SanThresholds {_CORRECTED} one call at ε = 1 and base case 8 for RecConcave, which recurses on its ten "
    "scales, is (sqrt(8c·ln(1/(cδ)))·ε + 8cε², 5cδ)-private on four rows of two points, far fewer than the lemma asks",
    mechanism=san_thresholds,
    domain=[mostly_in_the_middle(others) for others in range(3)],
    epsilon=epsilon_of_san_thresholds(calls=1, epsilon=1, delta=TENTH),
    delta=HALF,
    parameters={"d": 9, "alpha": 1, "epsilon": 1, "delta": TENTH, "calls": 1, "base": 8},
    mutant=last_row,
)
many_concepts = (
    Claim(
        id="BuNS-3.12.privacy.default",
        source=f"{_BUNS}, Algorithm 4 and Theorem 3.12",
        statement=f"the learner of parities {_CORRECTED} is (1,1/10)-private, on four subsamples of one row",
        mechanism=learn_parities,
        domain=Tuples(rows_of(1), size=4),
        epsilon=1,
        delta=TENTH,
        parameters={"d": 1, "k": 1, "size": 1},
        mutant=as_printed(learn_parities),
    ),
    Claim(
        id="BuNS-3.13.privacy.default",
        source=f"{_BUNS}, Algorithm 5 and Theorem 3.13",
        statement=f"the learner of points {_CORRECTED} is (2ε,2δ)-private, at ε = 2 and δ = 1/10, on six rows",
        mechanism=learn_many_points,
        domain=Multisets(rows_of(1), size=6),
        epsilon=4,
        delta=2 * TENTH,
        parameters={"d": 1, "k": 1, "alpha": 1, "epsilon": 2, "delta": TENTH},
        mutant=as_printed(learn_many_points),
    ),
)
others = (
    Claim(
        id="CHS-4.1.privacy.laplaces",
        source="Chaudhuri, Hsu & Song, Section 4.1",
        statement="the pair in most baskets with noise Lap(2/ε), of pairs of three items, is ε-private on four baskets",
        mechanism=frequent_itemset_by_laplaces,
        domain=Multisets(((0, 1), (0, 2), (0, 1, 2)), size=4),
        epsilon=1,
        parameters={"r": 2, "items": 3},
        mutant=laplaces_at_three_times_epsilon,
    ),
    Claim(
        id="LSL-Alg2.privacy.default",
        source="Lyu, Su & Li 2017, Algorithm 2",
        statement="sparse vector with Lap(2c/ε), drawn anew after each above, and Lap(4c/ε), c = 1, is ε-private",
        mechanism=svt2,
        domain=ScoreSpace(range(-1, 2), solutions=3),
        neighbours=scores_linf,
        epsilon=1,
        mutant=svt_without_query_noise,
    ),
)

"""Privacy of the learner of thresholds by the recursion, in both versions of Beimel, Nissim & Stemmer.

It is judged as the recursion is: at the (ε,δ) that its theorem prints, and at what the privacy of its parts adds up to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.thresholds_learner import (
    learn_thresholds,
    learn_thresholds_extended_abstract,
    parts_of_recursion_by_lemma_2,
)
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold
from dpverify.mechanisms.selection.stability import (
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    gap_needed,
)
from dpverify.reports.record import Boundary
from dpverify.verifiers.catalogue.families import BY_DEFAULT, every_sample, on_all
from dpverify.verifiers.catalogue.finite import RECURSES
from dpverify.verifiers.catalogue.refuted import as_expected, of_the_statement
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import best_whatever_the_gap
from dpverify.verifiers.pairs.neighbours import replace_one
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.domains import LabelledSamples

THOUSANDTH: Final = Fraction(1, 1000)
HALF: Final = Fraction(1, 2)
_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
HUNDREDTH: Final = Fraction(1, 100)


def index_of_threshold(
    draw: Draw, sample: Sequence[Example], *, selection: Mechanism, epsilon: Exact, delta: Exact, **given: Any
) -> Any:
    """LearnThresholds, which threshold it finds, or ⊥."""
    found = draw(learn_thresholds, sample, selection=selection, epsilon=epsilon, delta=delta, **given)
    return found.j if isinstance(found, Threshold) else found


def index_without_a_dist(
    draw: Draw, sample: Sequence[Example], *, selection: Mechanism, epsilon: Exact, delta: Exact, **given: Any
) -> Any:
    """Mutant: takes the best intervals without the test of A_dist."""
    return index_of_threshold(draw, sample, selection=best_whatever_the_gap, epsilon=epsilon, delta=delta, **given)


def index_without_division(
    draw: Draw, sample: Sequence[Example], *, selection: Mechanism, epsilon: Exact, delta: Exact, **given: Any
) -> Any:
    """Mutant: runs RecConcave at 2ε, and not at ε/3N."""
    return index_of_threshold(draw, sample, selection=selection, epsilon=12 * epsilon, delta=delta, **given)


# Theorem 3.18. A sample need not be consistent: 100 rows (9, 1) and 100 rows (10, 0) make the threshold 10 better than
# its neighbours by 100, those at 49 and 50 do so for 50, and the labels of the rows at 30 move both peaks.


def two_thresholds(ones: int, lower: int = 0) -> tuple[Example, ...]:
    """A sample of 404 rows with two thresholds that label many of them, and `ones` of four labels 1 between them.

    The second labels `lower` rows less, in place of which are rows that each threshold labels as often.
    """
    second = ((49, 1), (50, 0)) * (100 - lower) + ((63, 1), (63, 0)) * lower
    return ((9, 1), (10, 0)) * 100 + second + _between(ones)


def _between(ones: int) -> tuple[Example, ...]:
    return tuple((30, int(i < ones)) for i in range(4))


def two_thresholds_told(selection: Mechanism, epsilon: ExactLike, delta: ExactLike) -> list[tuple[Example, ...]]:
    """Samples whose two thresholds nearly tie, and such whose gap A_dist, run at (ε,δ), releases half the time."""
    gap = floor(gap_needed(beta=HALF, epsilon=epsilon, delta=delta, selection=selection))
    return [two_thresholds(ones, lower) for lower in (0, gap + 1) for ones in range(5)]


def one_label_between(sample: tuple[Example, ...], domain: Any) -> Iterator[tuple[Example, ...]]:
    """The samples with one more, or one less, label 1 at 30: neighbours that replace one row."""
    ones = sum(y for x, y in sample if x == 30)
    return (sample[:-4] + _between(k) for k in (ones - 1, ones + 1) if 0 <= k <= 4)


_THRESHOLDS: Final = "Beimel, Nissim & Stemmer, journal version, Section 3.4 and Theorem 3.18"

_BEYOND: Final = of_the_statement(
    "Beyond ε = 3·ln 6 = 5.37… alone, with N = 2: up to there its parts give what is claimed.",
    Boundary("5.379", "5.38"),
)

thresholds_of_two_peaks = tuple(
    Claim(
        id=f"BNS-J-3.18.privacy.{variant}",
        source=_THRESHOLDS,
        statement=f"LearnThresholds with {what}, N = 2, is (ε,δ)-private, on samples of 404 rows that fit no threshold",
        mechanism=index_of_threshold,
        domain=two_thresholds_told(selection, epsilon / 6, THOUSANDTH),
        epsilon=epsilon,
        delta=6 * THOUSANDTH,
        parameters={"d": 6, "alpha": HALF, "depth": 2, "selection": selection},
        **as_expected(refuted),
        **(
            on_all(every_sample(6), "report")
            if variant.startswith("corrected")
            else {"neighbours": one_label_between, "finite_because": RECURSES}
        ),
        mutant=index_without_a_dist,
    )
    for variant, what, selection, epsilon, refuted in (
        ("printed", "the A_dist of the journal version", choose_by_stability_journal, exact(5), None),
        ("printed-6", "the A_dist of the journal version", choose_by_stability_journal, exact(6), _BEYOND),
        ("corrected", "the corrected A_dist", choose_by_stability, exact(5), None),
        ("corrected-6", "the corrected A_dist", choose_by_stability, exact(6), None),
    )
)
thresholds_of_three_rows = Claim(
    id="BNS-J-3.18.privacy.printed-three-rows",
    source=_THRESHOLDS,
    statement="LearnThresholds with the A_dist of the journal version, N = 2, base case 3, is (ε,δ)-private, on all "
    "samples of three rows over eight points",
    mechanism=index_of_threshold,
    domain=LabelledSamples(range(8), size=3),
    neighbours=replace_one,
    epsilon=6,
    delta=Fraction(1, 10),
    parameters={"d": 3, "alpha": HALF, "depth": 2, "base": 3, "selection": choose_by_stability_journal},
    finite_because=RECURSES,
    mutant=index_without_division,
    weak_because="of three rows no gap reaches the threshold of A_dist; where gaps do, half the noise is refuted: "
    "BNS-J-3.18.privacy.printed",
    depth="full",
)


def index_by_rec(draw: Draw, sample: Sequence[Example], *, epsilon: Exact, delta: Exact, **given: Any) -> Any:
    """The learner of thresholds by Rec, which threshold it finds, or ⊥."""
    found = draw(learn_thresholds_extended_abstract, sample, epsilon=epsilon, delta=delta, **given)
    return found.j if isinstance(found, Threshold) else found


def index_by_rec_without_a_dist(
    draw: Draw, sample: Sequence[Example], *, epsilon: Exact, delta: Exact, **given: Any
) -> Any:
    """Mutant: takes the best intervals without the test of A_dist."""
    return index_by_rec(draw, sample, epsilon=epsilon, delta=delta, **given, selection=best_whatever_the_gap)


_PARTS_OF_REC: Final = parts_of_recursion_by_lemma_2(last=64, epsilon=8, delta=6 * THOUSANDTH)

thresholds_by_rec = tuple(
    Claim(
        id=f"BNS-X-Thm2.privacy.{variant}",
        source="Beimel, Nissim & Stemmer, extended abstract, Theorem 2 and Lemma 2",
        statement=f"thresholds by Rec {what}, run as Lemma 2 asks, are (8,3/500)-private, on 404 rows that fit "
        "no threshold",
        mechanism=index_by_rec,
        domain=two_thresholds_told(choose_by_stability_extended_abstract, *_PARTS_OF_REC),
        epsilon=8,
        delta=6 * THOUSANDTH,
        parameters={"d": 6, "alpha": HALF, "from_the_end_of_a": from_the_end_of_a},
        **on_all(every_sample(6), "report"),
        mutant=index_by_rec_without_a_dist,
        least=LeastShare(
            share=share,
            below=below,
            because="the lemma composes 3·log* T = 12 draws, where [0, 64] has four, which take a fifth of the ε",
        ),
    )
    for variant, from_the_end_of_a, what, share, below in (
        ("printed", True, "as printed", "3/128", "11/512"),
        ("corrected", False, "with c in the place of b in step 10", "3/64", "11/256"),
    )
)
# Theorem 2 says 8, and these four draws need 0.34678.
thresholds_by_rec_least = replace(
    thresholds_by_rec[1],
    id="BNS-X-Thm2.privacy.corrected-least",
    statement="thresholds by Rec with c in the place of b in step 10, run as Lemma 2 asks of (8,3/500), are "
    "(347/1000,3/500)-private, on 404 rows that fit no threshold",
    epsilon=Fraction(347, 1000),
    parameters={**thresholds_by_rec[1].parameters, "epsilon": 8, "delta": 6 * THOUSANDTH},
    all_sizes=None,
    scope="",
    finite_because=RECURSES,
    least=None,
)


def without_a_dist(draw: Draw, sample: Sequence[Example], *, epsilon: Exact, delta: ExactLike, **given: Any) -> Any:
    """Mutant: takes the best intervals without the test of A_dist, and the exponential mechanism at eight times ε."""
    return learn_thresholds(draw, sample, epsilon=8 * epsilon, delta=delta, selection=best_whatever_the_gap, **given)


def two_peaks(ones: int) -> tuple[Example, ...]:
    """Eight rows of which the thresholds 10 and 50 label six as they are, and four in between, `ones` with label 1."""
    return ((9, 1), (10, 0)) * 2 + ((49, 1), (50, 0)) * 2 + _between(ones)


def one_peak(ones: int) -> tuple[Example, ...]:
    """28 rows of which the threshold 10 labels 12 more than others far from it, and four in between, as in `two_peaks`.

    A_dist begins to tell it there.
    """
    return ((9, 1), (10, 0)) * 12 + _between(ones)


thresholds_by_default = Claim(
    id="BNS-J-3.18.privacy.default",
    source=f"{_BNS}, Section 3.4 and Theorem 3.18",
    statement=f"LearnThresholds {BY_DEFAULT} N = 2, is (ε,δ)-private, on samples of twelve and of 28 rows that fit no "
    "threshold",
    mechanism=learn_thresholds,
    domain=[peaks(ones) for peaks in (two_peaks, one_peak) for ones in range(5)],
    epsilon=6,
    delta=6 * HUNDREDTH,
    parameters={"d": 6, "alpha": HALF, "depth": 2},
    **on_all(every_sample(6), "report"),
    mutant=without_a_dist,
)

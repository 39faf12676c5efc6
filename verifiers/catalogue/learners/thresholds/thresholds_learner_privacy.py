"""Privacy of the learner of thresholds by the recursion, in both versions of Beimel, Nissim & Stemmer.

It is judged as the recursion is: at the (ε,δ) that its theorem prints, and at what the privacy of its parts adds up to.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import floor
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, exact
from dpverify.mechanisms.learners import learn_thresholds_by_search, learn_thresholds_extended_abstract
from dpverify.mechanisms.learners.thresholds_learner import learn_thresholds, parts_of_recursion_by_lemma_2
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_extended_abstract
from dpverify.mechanisms.selection.stability import choose_by_stability_journal, gap_needed
from dpverify.verifiers import LabelledSamples, replace_one
from dpverify.verifiers.catalogue.families import BY_DEFAULT, HALF, HUNDREDTH, SYMBOLS, THOUSANDTH, every_sample
from dpverify.verifiers.catalogue.finite import RECURSES
from dpverify.verifiers.catalogue.mutants import at_times_epsilon, broken, without_a_dist
from dpverify.verifiers.catalogue.refuted import Boundary
from dpverify.verifiers.privacy.family import ExactLike, Mechanism, Row, family, rows_of


def index_of_threshold(draw: Draw, sample: Sequence[Example], *, epsilon: Exact, delta: Exact, **given: Any) -> Any:
    """LearnThresholds, which threshold it finds, or ⊥."""
    found = draw(learn_thresholds, sample, epsilon=epsilon, delta=delta, **given)
    return found.j if isinstance(found, Threshold) else found


def index_by_rec(draw: Draw, sample: Sequence[Example], *, epsilon: Exact, delta: Exact, **given: Any) -> Any:
    """The learner of thresholds by Rec, which threshold it finds, or ⊥."""
    found = draw(learn_thresholds_extended_abstract, sample, epsilon=epsilon, delta=delta, **given)
    return found.j if isinstance(found, Threshold) else found


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


def two_peaks(ones: int) -> tuple[Example, ...]:
    """Eight rows of which the thresholds 10 and 50 label six as they are, and four in between, `ones` with label 1."""
    return ((9, 1), (10, 0)) * 2 + ((49, 1), (50, 0)) * 2 + _between(ones)


def one_peak(ones: int) -> tuple[Example, ...]:
    """28 rows of which the threshold 10 labels 12 more than others far from it, and four in between, as in `two_peaks`.

    A_dist begins to tell it there.
    """
    return ((9, 1), (10, 0)) * 12 + _between(ones)


_ON_404_ROWS: Final = "is (ε,δ)-private, on samples of 404 rows that fit no threshold"
_INTERVALS: Final = "best intervals"


def _on_404_rows(selection: Mechanism, epsilon: int) -> Row:
    return Row().having(domain=two_thresholds_told(selection, exact(epsilon) / 6, THOUSANDTH), epsilon=exact(epsilon))


thresholds = family(
    Row("BNS-J-3.18.privacy.", "LearnThresholds ")
    .having(source="Beimel, Nissim & Stemmer, journal version, Section 3.4 and Theorem 3.18")
    .having(mechanism=index_of_threshold, mutant=without_a_dist(_INTERVALS, index_of_threshold, "index_without_a_dist"))
    .run_with(alpha=HALF, depth=2),
    *rows_of(
        Row().having(delta=6 * THOUSANDTH).run_with(d=6),
        *rows_of(
            Row("printed", f"with the A_dist of the journal version, N = 2, {_ON_404_ROWS}")
            .having(neighbours=one_label_between, finite_because=RECURSES)
            .run_with(selection=choose_by_stability_journal),
            _on_404_rows(choose_by_stability_journal, 5),
            Row("-6")
            .having(
                of_the_statement="Beyond ε = 3·ln 6 = 5.37… alone, with N = 2: up to there its parts give what is "
                "claimed.",
                boundary=Boundary("5.379", "5.38"),
            )
            .of(_on_404_rows(choose_by_stability_journal, 6)),
        ),
        *rows_of(
            Row("corrected", f"with the corrected A_dist, N = 2, {_ON_404_ROWS}")
            .having(all_sizes=every_sample(6), all_sizes_depth="report")
            .run_with(selection=choose_by_stability),
            _on_404_rows(choose_by_stability, 5),
            Row("-6").of(_on_404_rows(choose_by_stability, 6)),
        ),
    ),
    Row("printed-three-rows")
    .says(
        "with the A_dist of the journal version, N = 2, base case 3, is (ε,δ)-private, on all samples of three rows "
        "over eight points"
    )
    .having(domain=LabelledSamples(range(8), size=3), neighbours=replace_one, epsilon=6, delta=Fraction(1, 10))
    .having(finite_because=RECURSES, depth="full")
    .having(
        mutant=broken(
            index_of_threshold, "index_without_division", "runs RecConcave at 2ε, and not at ε/3N.", epsilon_times=12
        ),
        weak_because="of three rows no gap reaches the threshold of A_dist; where gaps do, half the noise is refuted: "
        "BNS-J-3.18.privacy.printed",
    )
    .run_with(d=3, base=3, selection=choose_by_stability_journal),
    Row("default", f"{BY_DEFAULT} N = 2, is (ε,δ)-private, on samples of twelve and of 28 rows that fit no threshold")
    .having(mechanism=learn_thresholds, domain=[peaks(ones) for peaks in (two_peaks, one_peak) for ones in range(5)])
    .having(epsilon=6, delta=6 * HUNDREDTH, all_sizes_depth="report")
    .having(all_sizes=every_sample(6).for_every(*SYMBOLS))
    .having(mutant=without_a_dist(_INTERVALS, learn_thresholds, "without_a_dist", epsilon_times=8))
    .run_with(d=6),
)
_PARTS_OF_REC: Final = parts_of_recursion_by_lemma_2(last=64, epsilon=8, delta=6 * THOUSANDTH)
_FOUR_DRAWS: Final = "the lemma composes 3·log* T = 12 draws, where [0, 64] has four, which take a fifth of the ε"
_RUN: Final = "run as Lemma 2 asks"
thresholds_by_rec = family(
    Row("BNS-X-Thm2.privacy.", "thresholds by Rec {}-private, on 404 rows that fit no threshold")
    .having(source="Beimel, Nissim & Stemmer, extended abstract, Theorem 2 and Lemma 2", mechanism=index_by_rec)
    .having(domain=two_thresholds_told(choose_by_stability_extended_abstract, *_PARTS_OF_REC), epsilon=8)
    .having(delta=6 * THOUSANDTH, mutant=without_a_dist(_INTERVALS, index_by_rec))
    .run_with(d=6, alpha=HALF),
    Row("printed", f"as printed, {_RUN}, are (8,3/500)")
    .having(all_sizes=every_sample(6), all_sizes_depth="report")
    .run_with(from_the_end_of_a=True)
    .holds_with("3/128", "11/512", _FOUR_DRAWS),
    *rows_of(
        Row("corrected", "with c in the place of b in step 10, ").run_with(from_the_end_of_a=False),
        Row("", f"{_RUN}, are (8,3/500)")
        .having(all_sizes=every_sample(6), all_sizes_depth="report")
        .holds_with("3/64", "11/256", _FOUR_DRAWS),
        # Theorem 2 says 8, and these four draws need 0.34678.
        Row("-least", f"{_RUN} of (8,3/500), are (347/1000,3/500)")
        .having(epsilon=Fraction(347, 1000), finite_because=RECURSES, all_sizes_depth="report")
        .run_with(epsilon=8, delta=6 * THOUSANDTH),
    ),
)


# By search: Section 3.2 and Remark 3.5 of the journal version.


# Section 3.2. How ε and δ are divided among the parts is not printed.
def index_by_search(draw: Draw, sample: Sequence[Example], *, epsilon: Any, delta: Any, **given: Any) -> Any:
    """The learner of thresholds by noisy binary search, which threshold it chooses."""
    return draw(learn_thresholds_by_search, sample, epsilon=epsilon, delta=delta, **given).j


_FEW_STEPS: Final = "δ = 1/10 covers what the few steps on four points add up to"
by_search = family(
    Row("BNS-J-3.5.privacy.")
    .having(source="Beimel, Nissim & Stemmer, journal version, Section 3.2 and Remark 3.5", epsilon=4)
    .run_with(alpha=Fraction(1, 2)),
    *rows_of(
        Row("", "THRESH_3 by a noisy binary search over {}, with the corrected A_dist, is (ε,1/100)-private")
        .having(mechanism=index_by_search, domain=LabelledSamples(range(8), size=2), delta=Fraction(1, 100))
        .having(
            all_sizes=every_sample(3).for_every(*SYMBOLS),
            all_sizes_depth="report",
            mutant=at_times_epsilon(12, index_by_search),
        )
        .run_with(d=3, selection=choose_by_stability),
        Row("lengths", "all lengths").run_with(powers=False),
        Row("powers", "powers of 2").run_with(powers=True),
    ),
    *rows_of(
        Row("default", f"THRESH_2 by a noisy binary search over {{}}, {BY_DEFAULT} is (ε,1/10)-private")
        .having(mechanism=learn_thresholds_by_search, domain=LabelledSamples(range(4), size=2), delta=Fraction(1, 10))
        .having(all_sizes=every_sample(2).for_every(*SYMBOLS))
        .having(mutant=at_times_epsilon(12, learn_thresholds_by_search, "search_at_twelve_times_epsilon"))
        .run_with(d=2),
        Row("", "all lengths").run_with(powers=False).holds_with("1/4", "15/64", _FEW_STEPS),
        Row("-powers", "powers of 2").run_with(powers=True).holds_with("7/32", "13/64", _FEW_STEPS),
    ),
)

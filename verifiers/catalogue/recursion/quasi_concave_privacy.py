"""Privacy of the recursion for quasi-concave promise problems, in both versions of Beimel, Nissim & Stemmer.

It is judged twice: at the (ε,δ) that its lemma prints, and at what the privacy of its parts adds up to, with the
constants of the A_dist in use: (2ε, ½e^(2ε)·δ) for that of the journal version, (ε,δ) for the corrected one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any, Final

from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.thresholds_learner import epsilon_of_recursion_by_lemma_2
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.recursion.quasi_concave import maximise_quasi_concave, maximise_quasi_concave_extended_abstract
from dpverify.mechanisms.selection.stability import (
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    gap_needed,
)
from dpverify.verifiers.catalogue.families import BY_DEFAULT, at_each_epsilon, on_all, one_for_each
from dpverify.verifiers.catalogue.finite import RECURSES
from dpverify.verifiers.catalogue.refuted import OF_THE_STATEMENT, as_expected
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import best_whatever_the_gap
from dpverify.verifiers.composites.domains import EveryQuality
from dpverify.verifiers.pairs.neighbours import scores_linf
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.score_domains import ScoreSpace

HALF: Final = Fraction(1, 2)
THOUSANDTH: Final = Fraction(1, 1000)
_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
HUNDREDTH: Final = Fraction(1, 100)

HEIGHTS: Final = ScoreSpace(range(97, 100), solutions=2)
"""Two peaks that nearly tie: the best of them changes between neighbours."""


def heights_told(selection: Mechanism, epsilon: Exact, delta: Fraction) -> tuple[tuple[int, ...], ...]:
    """The `HEIGHTS`, and peaks that A_dist begins to tell: with a gap from 3 less than what it releases half the time.

    There both of its answers are likely, and with less noise neighbours differ by more than with all of it.
    """
    gap = floor(gap_needed(beta=HALF, epsilon=epsilon, delta=delta, selection=selection))
    lower = (low for low in range(94 - gap, 101 - gap) if low < min(HEIGHTS.scores))
    return (*HEIGHTS, *product(HEIGHTS.scores, lower))


def on_two_peaks(draw: Draw, heights: Sequence[int], *, recursion: Mechanism, **given: Any) -> Any:
    """A recursion on the quality that is heights[0] at 10, heights[1] at 50, and 0 elsewhere on [0, 64].

    Its scale is 1 nearly always, and the peaks lie in different ones of all intervals.
    """
    first, second = heights
    return recursion(draw, StepFunction.of_pieces([(0, 0), (10, first), (11, 0), (50, second), (51, 0)], 64), **given)


def on_all_qualities(draw: Draw, scores: Sequence[int], **given: Any) -> Any:
    """RecConcave on the quality with these values at 0, 1, …."""
    return maximise_quasi_concave(draw, StepFunction.of(scores), **given)


def without_a_dist(draw: Draw, heights: Sequence[int], *, selection: Mechanism, **given: Any) -> Any:
    """Mutant: takes the best intervals without the test of A_dist."""
    return on_two_peaks(draw, heights, selection=best_whatever_the_gap, **given)


def all_qualities_at_eight_times_epsilon(draw: Draw, scores: Sequence[int], *, epsilon: Fraction, **given: Any) -> Any:
    """Mutant: eight times the ε."""
    return on_all_qualities(draw, scores, epsilon=8 * epsilon, **given)


# Lemma 3.12, with N = 2: a call that recurses, on a range above the printed 32, and one that does not.

_RECURSION: Final = "Beimel, Nissim & Stemmer, journal version, Figure 5 and Lemma 3.12"
_ON_PEAKS: Final = "on qualities with two peaks in [0, 64]"
_SETTING: Final = {"recursion": maximise_quasi_concave, "promise": 100, "alpha": HALF, "delta": THOUSANDTH, "depth": 2}


def _recursion(variant: str, statement: str, **more: Any) -> tuple[Claim, ...]:
    return at_each_epsilon(
        f"BNS-J-3.12.privacy.{variant}",
        source=_RECURSION,
        statement=f"{statement}, {_ON_PEAKS}",
        mechanism=on_two_peaks,
        neighbours=scores_linf,
        finite_because=RECURSES,
        mutant=without_a_dist,
        **more,
    )


def _claimed(selection: Mechanism, epsilons: int, delta: Any) -> Any:
    """What differs between the claims of a family: (epsilons·ε, delta(ε)), and the ε that the mechanism runs at."""
    return lambda epsilon: {
        "epsilon": epsilons * epsilon,
        "delta": delta(epsilon),
        "domain": heights_told(selection, epsilon, THOUSANDTH),
        "parameters": {**_SETTING, "epsilon": epsilon, "selection": selection},
    }


_printed_by_parts = _claimed(choose_by_stability_journal, 6, lambda epsilon: exp(2 * epsilon) * THOUSANDTH)
_printed = _claimed(choose_by_stability_journal, 6, lambda _: 6 * THOUSANDTH)

rec_concave_printed = _recursion(
    "printed",
    "RecConcave with the A_dist of the journal version, N = 2, is (3Nε, 3Nδ)-private",
    differing=lambda epsilon: _printed(epsilon) | as_expected(None if epsilon == log(2) else OF_THE_STATEMENT),
)
rec_concave_printed_by_parts = _recursion(
    "printed-by-parts",
    "what its parts give: RecConcave with that A_dist, N = 2, is ((5N − 4)ε, (N − 1)·e^(2ε)·δ)-private",
    differing=_printed_by_parts,
)
rec_concave_corrected = _recursion(
    "corrected",
    "RecConcave with the corrected A_dist, N = 2, is (3Nε, 3Nδ)-private",
    differing=_claimed(choose_by_stability, 6, lambda _: 6 * THOUSANDTH),
)
rec_concave_corrected_by_parts = _recursion(
    "corrected-by-parts",
    "what its parts give: RecConcave with the corrected A_dist, N = 2, is ((3N − 2)ε, 2(N − 1)δ)-private",
    differing=_claimed(choose_by_stability, 4, lambda _: 2 * THOUSANDTH),
)
all_qualities = tuple(
    Claim(
        id=f"BNS-J-3.12.privacy.{variant}-all-qualities",
        source=_RECURSION,
        statement=f"RecConcave with {what}, N = 2, base case 3, is (3Nε, 3Nδ)-private for all qualities in {{0, 1, 2}} "
        "on [0, 8]",
        mechanism=on_all_qualities,
        domain=ScoreSpace(range(3), solutions=9),
        neighbours=scores_linf,
        epsilon=6,
        delta=Fraction(6, 100),
        parameters={
            "promise": 2,
            "alpha": HALF,
            "epsilon": 1,
            "delta": Fraction(1, 100),
            "depth": 2,
            "base": 3,
            "selection": selection,
        },
        finite_because=RECURSES,
        mutant=all_qualities_at_eight_times_epsilon,
        depth="full",
    )
    for variant, what, selection in (
        ("printed", "the A_dist of the journal version", choose_by_stability_journal),
        ("corrected", "the corrected A_dist", choose_by_stability),
    )
)

# On all qualities of nine points, whatever their values: each part is as private as it is on all scores.


def on_nine_points_without_a_dist(
    draw: Draw, quality: Sequence[int], *, recursion: Mechanism, selection: Mechanism, **given: Any
) -> Any:
    """Mutant: takes the best intervals without the test of A_dist."""
    return recursion(draw, quality, selection=best_whatever_the_gap, **given)


def on_nine_points(draw: Draw, quality: Sequence[int], *, recursion: Mechanism, **given: Any) -> Any:
    """A recursion on a quality of the points 0, …, 8."""
    return draw(recursion, quality, **given)


every_quality = tuple(
    Claim(
        id=f"{row}.privacy.{variant}-every-quality",
        source=source,
        statement=f"what its parts give: {what}, which recurses once on nine points, base case 3, is (4ε, 2δ)-private "
        "for peaks at both ends, at ε = 1 and δ = 1/1000, and for every quality of nine points",
        mechanism=on_nine_points,
        domain=[(first, *(0,) * 7, last) for first, last in heights_told(selection, exact(1), THOUSANDTH)],
        neighbours=scores_linf,
        epsilon=4,
        delta=2 * THOUSANDTH,
        parameters={
            "recursion": recursion,
            "promise": 100,
            "alpha": HALF,
            "epsilon": 1,
            "delta": THOUSANDTH,
            "base": 3,
            "selection": selection,
        },
        **on_all(EveryQuality(solutions=9), "report"),
        mutant=on_nine_points_without_a_dist,
        depth="report",
        least=least,
    )
    for row, variant, source, what, recursion, selection, least in (
        (
            "BNS-J-3.12",
            "corrected",
            _RECURSION,
            "RecConcave with the corrected A_dist",
            maximise_quasi_concave,
            choose_by_stability,
            LeastShare(
                share="1/4",
                below="7/32",
                because="B is one interval, and the scale next to certain: so that of four draws two show, at 2ε",
            ),
        ),
        (
            "BNS-X-Lem2",
            "corrected",
            "Beimel, Nissim & Stemmer, extended abstract, Figure 1 and Lemma 2",
            "Rec with c in the place of b in step 10",
            maximise_quasi_concave_extended_abstract,
            choose_by_stability_extended_abstract,
            LeastShare(
                share="1/8",
                below="3/32",
                because="the same, where A_dist has twice the noise that a gap which moves by 2 needs",
            ),
        ),
    )
)

# The same on shorter ranges, with base case 2: T = 3, where A and B have one interval, or none, to the printed 64.

LENGTHS: Final = (3, 4, 8, 16, 32, 64)
_LONGER: Final = (16, 32)
"""Between shorter ones and a longer one, which an audit does not need each time."""

_ONE_CHOICE: Final = LeastShare(
    share="5/32",
    below="9/64",
    because="A and B are one interval or none, so that of four draws the last alone shows, and takes ε of 6ε",
)
_ONE_A_DIST: Final = LeastShare(
    share="11/64",
    below="5/32",
    because="each end is in the intervals of A or B alone, so that one A_dist leaks, which takes ε of the 6ε",
)


def on_a_range(draw: Draw, heights: Sequence[int], *, last: int, **given: Any) -> Any:
    """RecConcave on the quality that is heights[0] at 0, heights[1] at `last`, and 0 between them."""
    first, second = heights
    return maximise_quasi_concave(draw, StepFunction.of_pieces([(0, first), (1, 0), (last, second)], last), **given)


def on_a_range_without_a_dist(draw: Draw, heights: Sequence[int], *, selection: Mechanism, **given: Any) -> Any:
    """Mutant: takes the best intervals without the test of A_dist, and the exponential mechanism at eight times ε."""
    return on_a_range(draw, heights, selection=best_whatever_the_gap, **given | {"epsilon": 8 * given["epsilon"]})


all_lengths = tuple(
    Claim(
        id=f"BNS-J-3.12.privacy.{variant}-to-{last}",
        source=_RECURSION,
        statement=f"RecConcave with {what}, N = 2, base case 2, is {private}, for peaks at both ends of [0, {last}]",
        mechanism=on_a_range,
        domain=heights_told(selection, exact(1), THOUSANDTH),
        neighbours=scores_linf,
        epsilon=6,
        delta=delta,
        parameters={
            **{name: value for name, value in _SETTING.items() if name != "recursion"},
            "epsilon": 1,
            "base": 2,
            "last": last,
            "selection": selection,
        },
        finite_because=RECURSES,
        mutant=on_a_range_without_a_dist,
        least=_ONE_CHOICE if last <= 4 else _ONE_A_DIST if selection is choose_by_stability else None,
        depth="full" if last in _LONGER else "quick",
    )
    for last in LENGTHS
    for variant, what, selection, private, delta in (
        (
            "printed-by-parts",
            "the A_dist of the journal version",
            choose_by_stability_journal,
            "((5N − 4)ε, (N − 1)·e^(2ε)·δ)-private",
            exp(2) * THOUSANDTH,
        ),
        ("corrected", "the corrected A_dist", choose_by_stability, "(3Nε, 3Nδ)-private", 6 * THOUSANDTH),
    )
)

# Lemma 2 of the extended abstract: log* 64 = 4.

_LOG_STAR: Final = 4


_FOUR_DRAWS: Final = "the lemma composes 3·log* T = 12 draws, where [0, 64] has four, which take 4ε of at least 11ε"


def _claimed_by_lemma_2(from_the_end_of_a: bool) -> Callable[[Exact], dict[str, Any]]:
    given = {
        "recursion": maximise_quasi_concave_extended_abstract,
        "promise": 100,
        "alpha": HALF,
        "delta": THOUSANDTH,
        "selection": choose_by_stability_extended_abstract,
    }
    return lambda epsilon: {
        "epsilon": epsilon_of_recursion_by_lemma_2(last=64, epsilon=epsilon, delta=THOUSANDTH),
        "delta": 4 * _LOG_STAR * THOUSANDTH,
        "domain": heights_told(choose_by_stability_extended_abstract, epsilon, THOUSANDTH),
        "parameters": {**given, "epsilon": epsilon, "from_the_end_of_a": from_the_end_of_a},
    }


def _with_least(
    claimed: Callable[[Exact], dict[str, Any]], shares: Sequence[tuple[str, str]]
) -> Callable[[Exact], dict[str, Any]]:
    constants = (LeastShare(share=share, below=below, because=_FOUR_DRAWS) for share, below in shares)
    least = one_for_each("least", constants)
    return lambda epsilon: {**claimed(epsilon), **least(epsilon)}


rec_extended = tuple(
    claim
    for variant, from_the_end_of_a, what, least in (
        ("printed", True, "as printed", (("3/256", "11/1024"), ("5/256", "9/512"), ("3/512", "11/2048"))),
        (
            "corrected",
            False,
            "with c in the place of b in step 10",
            (("11/512", "5/256"), ("9/256", "1/32"), ("3/256", "11/1024")),
        ),
    )
    for claim in at_each_epsilon(
        f"BNS-X-Lem2.privacy.{variant}",
        source="Beimel, Nissim & Stemmer, extended abstract, Figure 1 and Lemma 2",
        statement=f"Rec {what} is (sqrt(6·log* T·ln(1/(log* T·δ)))·ε + 6·log* T·ε², 4·log* T·δ)-private, {_ON_PEAKS}",
        mechanism=on_two_peaks,
        neighbours=scores_linf,
        differing=_with_least(_claimed_by_lemma_2(from_the_end_of_a), least),
        finite_because=RECURSES,
        mutant=without_a_dist,
    )
)

# What the lemma would have to say of the four draws that there are: at δ = 2/125 the ε that is needed, 0.91991.
rec_least = Claim(
    **{
        "id": "BNS-X-Lem2.privacy.corrected-least",
        "source": "Beimel, Nissim & Stemmer, extended abstract, Figure 1 and Lemma 2",
        "statement": f"Rec with c in the place of b in step 10, at ε = 1, is (23/25,2/125)-private, {_ON_PEAKS}",
        "mechanism": on_two_peaks,
        "neighbours": scores_linf,
        "finite_because": RECURSES,
        "mutant": without_a_dist,
        **_claimed_by_lemma_2(False)(exact(1)),
        "epsilon": Fraction(23, 25),
    }
)


def between_far_peaks(draw: Draw, heights: Sequence[int], **given: Any) -> Any:
    """RecConcave on the quality that is heights[0] at 100, heights[1] at 400, and 0 elsewhere on [0, 512].

    A second execution is on the ten scales of that, and a third on their five.
    """
    first, second = heights
    pieces = [(0, 0), (100, first), (101, 0), (400, second), (401, 0)]
    return maximise_quasi_concave(draw, StepFunction.of_pieces(pieces, 512), **given)


def between_far_peaks_without_a_dist(draw: Draw, heights: Sequence[int], *, epsilon: Exact, **given: Any) -> Any:
    """Mutant: takes the best intervals without the test of A_dist, and the exponential mechanism at eight times ε."""
    return between_far_peaks(draw, heights, epsilon=8 * epsilon, **given, selection=best_whatever_the_gap)


recursion_by_default = Claim(
    id="BNS-J-3.12.privacy.default",
    source=f"{_BNS}, Figure 5 and Lemma 3.12",
    statement=f"RecConcave {BY_DEFAULT} and base case 4, which recurses twice on two peaks in [0, 512], so that N = 3, "
    "is (3Nε, 3Nδ)-private",
    mechanism=between_far_peaks,
    domain=ScoreSpace(range(3, 5), solutions=2),
    neighbours=scores_linf,
    epsilon=9,
    delta=9 * HUNDREDTH,
    parameters={"promise": 5, "alpha": HALF, "epsilon": 1, "delta": HUNDREDTH, "base": 4},
    finite_because=RECURSES,
    mutant=between_far_peaks_without_a_dist,
    weak_because="so that each branch is taken, gaps are below the threshold of A_dist in all three executions, which "
    "takes next to nothing of 9ε; where it releases half the time, in BNS-J-3.12.privacy.corrected, a quarter of the "
    "noise is refuted",
)

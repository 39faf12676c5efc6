"""Privacy of the recursion for quasi-concave promise problems, in both versions of Beimel, Nissim & Stemmer.

It is judged twice: at the (ε,δ) that its lemma prints, and at what the privacy of its parts adds up to, with the
constants of the A_dist in use: (2ε, ½e^(2ε)·δ) for that of the journal version, (ε,δ) for the corrected one.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, exact, exp, log, symbolic
from dpverify.mechanisms.counting import StepFunction
from dpverify.mechanisms.learners.thresholds_learner import epsilon_of_recursion_by_lemma_2
from dpverify.mechanisms.numbers.exact_numbers import ONE
from dpverify.mechanisms.numbers.roots.delta_symbol import at_depth, symbolic_delta, symbolic_depth, with_delta
from dpverify.mechanisms.recursion import maximise_quasi_concave, maximise_quasi_concave_extended_abstract
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_extended_abstract
from dpverify.mechanisms.selection.stability import choose_by_stability_journal, gap_needed
from dpverify.verifiers import ScoreSpace, scores_linf
from dpverify.verifiers.all_sizes.compositions import EVERY_VALUE, EveryQuality, WithSymbols
from dpverify.verifiers.catalogue.families import BY_DEFAULT, HALF, HUNDREDTH, THOUSANDTH, at_each_epsilon
from dpverify.verifiers.catalogue.finite import RECURSES
from dpverify.verifiers.catalogue.mutants import at_times_epsilon, without_a_dist
from dpverify.verifiers.catalogue.refuted import OF_THE_STATEMENT
from dpverify.verifiers.privacy.family import LeastShare, Mechanism, Row, family, rows_of
from dpverify.verifiers.problems.questions.score_domains import OrMore

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


def on_nine_points(draw: Draw, quality: Sequence[int], *, recursion: Mechanism, **given: Any) -> Any:
    """A recursion on a quality of the points 0, …, 8."""
    return draw(recursion, quality, **given)


def on_a_range(draw: Draw, heights: Sequence[int], *, last: int, **given: Any) -> Any:
    """RecConcave on the quality that is heights[0] at 0, heights[1] at `last`, and 0 between them."""
    first, second = heights
    return maximise_quasi_concave(draw, StepFunction.of_pieces([(0, first), (1, 0), (last, second)], last), **given)


def between_far_peaks(draw: Draw, heights: Sequence[int], **given: Any) -> Any:
    """RecConcave on the quality that is heights[0] at 100, heights[1] at 400, and 0 elsewhere on [0, 512].

    A second execution is on the ten scales of that, and a third on their five.
    """
    first, second = heights
    pieces = [(0, 0), (100, first), (101, 0), (400, second), (401, 0)]
    return maximise_quasi_concave(draw, StepFunction.of_pieces(pieces, 512), **given)


_INTERVALS: Final = "best intervals"
_PAPER: Final = "Beimel, Nissim & Stemmer, journal version, Figure 5 and Lemma 3.12"
_EXTENDED: Final = "Beimel, Nissim & Stemmer, extended abstract, Figure 1 and Lemma 2"
_RECURSION: Final = Row("BNS-J-3.12.privacy.").having(source=_PAPER, neighbours=scores_linf, finite_because=RECURSES)
_AT_1: Final[dict[str, Any]] = {"promise": 100, "alpha": HALF, "epsilon": 1, "delta": THOUSANDTH}

# Lemma 3.12, with N = 2: a call that recurses, on a range above the printed 32, and one that does not.
_ON_PEAKS: Final = "on qualities with two peaks in [0, 64]"
_SETTING: Final = {"recursion": maximise_quasi_concave, "promise": 100, "alpha": HALF, "delta": THOUSANDTH, "depth": 2}


def _run_at(epsilon: Exact, selection: Mechanism, epsilons: int, delta: Any) -> Row:
    """The claim of (epsilons·ε, δ), and the ε that the mechanism runs at."""
    return (
        Row()
        .having(domain=heights_told(selection, epsilon, THOUSANDTH), epsilon=epsilons * epsilon, delta=delta)
        .run_with(**_SETTING, epsilon=epsilon, selection=selection)
    )


two_peaks = family(
    Row("", f"{{}}-private, {_ON_PEAKS}")
    .having(mechanism=on_two_peaks, mutant=without_a_dist(_INTERVALS, on_two_peaks, "without_a_dist"))
    .of(_RECURSION),
    *at_each_epsilon(
        Row("printed", "RecConcave with the A_dist of the journal version, N = 2, is (3Nε, 3Nδ)"),
        differing=lambda epsilon: (
            Row()
            .having(refuted=None if epsilon == log(2) else OF_THE_STATEMENT)
            .of(_run_at(epsilon, choose_by_stability_journal, 6, 6 * THOUSANDTH))
        ),
    ),
    *at_each_epsilon(
        Row("printed-by-parts").says(
            "what its parts give: RecConcave with that A_dist, N = 2, is ((5N − 4)ε, (N − 1)·e^(2ε)·δ)"
        ),
        differing=lambda epsilon: _run_at(epsilon, choose_by_stability_journal, 6, exp(2 * epsilon) * THOUSANDTH),
    ),
    *at_each_epsilon(
        Row("corrected", "RecConcave with the corrected A_dist, N = 2, is (3Nε, 3Nδ)"),
        differing=lambda epsilon: _run_at(epsilon, choose_by_stability, 6, 6 * THOUSANDTH),
    ),
    *at_each_epsilon(
        Row("corrected-by-parts").says(
            "what its parts give: RecConcave with the corrected A_dist, N = 2, is ((3N − 2)ε, 2(N − 1)δ)"
        ),
        differing=lambda epsilon: _run_at(epsilon, choose_by_stability, 4, 2 * THOUSANDTH),
    ),
)
all_qualities = family(
    Row("{}-all-qualities")
    .says("RecConcave with {}, N = 2, base case 3, is (3Nε, 3Nδ)-private for all qualities in {0, 1, 2} on [0, 8]")
    .having(mechanism=on_all_qualities, domain=ScoreSpace(range(3), solutions=9), epsilon=6, delta=6 * HUNDREDTH)
    .having(mutant=at_times_epsilon(8, on_all_qualities, "all_qualities_at_eight_times_epsilon"), depth="full")
    .run_with(promise=2, alpha=HALF, epsilon=1, delta=HUNDREDTH, depth=2, base=3)
    .of(_RECURSION),
    Row("printed", "the A_dist of the journal version").run_with(selection=choose_by_stability_journal),
    Row("corrected", "the corrected A_dist").run_with(selection=choose_by_stability),
)


# On all qualities of nine points, whatever their values: each part is as private as it is on all scores.
def _on_nine_points(recursion: Mechanism, selection: Mechanism) -> Row:
    return (
        Row()
        .having(domain=[(first, *(0,) * 7, last) for first, last in heights_told(selection, exact(1), THOUSANDTH)])
        .run_with(recursion=recursion, **_AT_1, base=3, selection=selection)
    )


_TWO_SHOW: Final = "B is one interval, and the scale next to certain: so that of four draws two show, at 2ε"
every_quality = family(
    Row("{}.privacy.corrected-every-quality")
    .says(
        "what its parts give: {}, which recurses once on nine points, base case 3, is (4ε, 2δ)-private for peaks at "
        "both ends, at ε = 1 and δ = 1/1000, and for every quality of nine points"
    )
    .having(mechanism=on_nine_points, epsilon=4, delta=2 * THOUSANDTH, neighbours=scores_linf, depth="report")
    .having(all_sizes=EveryQuality(solutions=9), all_sizes_depth="report")
    .having(mutant=without_a_dist(_INTERVALS, on_nine_points)),
    Row("BNS-J-3.12", "RecConcave with the corrected A_dist")
    .having(source=_PAPER)
    .holds_with("1/4", "7/32", _TWO_SHOW)
    .of(_on_nine_points(maximise_quasi_concave, choose_by_stability)),
    Row("BNS-X-Lem2", "Rec with c in the place of b in step 10")
    .having(source=_EXTENDED)
    .holds_with("1/8", "3/32", "the same, where A_dist has twice the noise that a gap which moves by 2 needs")
    .of(_on_nine_points(maximise_quasi_concave_extended_abstract, choose_by_stability_extended_abstract)),
)

# For every depth, range, base case, promise, α, ε and δ at once, by induction: Theorem 17 of docs/theorems.md.
_ANY: Final = {"promise": EVERY_VALUE, "alpha": EVERY_VALUE, "base": EVERY_VALUE}


def _every_depth(epsilon: Exact, delta: Exact) -> Row:
    """The claim of so much for every depth N, and of N = 2 on nine points at ε = 1 and δ = 1/1000."""
    here, there = at_depth((epsilon, delta), 2), {"epsilon": symbolic, "delta": symbolic_delta, "depth": symbolic_depth}
    return Row().having(
        epsilon=with_delta(here[0], THOUSANDTH) / symbolic,
        delta=with_delta(here[1], THOUSANDTH),
        all_sizes=WithSymbols(
            EveryQuality(solutions=OrMore(1)), epsilon=epsilon, delta=delta, parameters={**_ANY, **there}
        ),
    )


every_depth = family(
    Row("BNS-J-3.12.privacy.every-depth")
    .says(
        "RecConcave with the corrected A_dist is {}-private for every N, T, base case, promise, α, ε and δ; and for "
        "N = 2 at ε = 1, δ = 1/1000, on nine points with peaks at both ends"
    )
    .having(mechanism=maximise_quasi_concave, source=_PAPER, neighbours=scores_linf)
    .having(mutant=without_a_dist(_INTERVALS, maximise_quasi_concave), weak_because=_TWO_SHOW)
    .having(domain=[(first, *(0,) * 7, last) for first, last in heights_told(choose_by_stability, ONE, THOUSANDTH)])
    .run_with(**_AT_1, base=3, depth=2),
    Row("-printed", "(3Nε, 3Nδ)").of(_every_depth(3 * symbolic_depth * symbolic, 3 * symbolic_depth * symbolic_delta)),
    Row("", "((3N − 2)ε, (2N − 2)δ)").of(
        _every_depth((3 * symbolic_depth - 2) * symbolic, (2 * symbolic_depth - 2) * symbolic_delta)
    ),
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


def _to_each_length(selection: Mechanism, least: LeastShare | None) -> list[Row]:
    return [
        Row(f"-to-{last}", f", for peaks at both ends of [0, {last}]")
        .having(domain=heights_told(selection, exact(1), THOUSANDTH), depth="full" if last in _LONGER else "quick")
        .having(least=_ONE_CHOICE if last <= 4 else least)
        .run_with(promise=100, alpha=HALF, delta=THOUSANDTH, depth=2, epsilon=1, base=2, last=last)
        .run_with(selection=selection)
        for last in LENGTHS
    ]


all_lengths = family(
    Row("", "RecConcave with ")
    .having(mechanism=on_a_range, epsilon=6, mutant=without_a_dist(_INTERVALS, on_a_range, epsilon_times=8))
    .of(_RECURSION),
    *rows_of(
        Row("printed-by-parts")
        .says("the A_dist of the journal version, N = 2, base case 2, is ((5N − 4)ε, (N − 1)·e^(2ε)·δ)-private")
        .having(delta=exp(2) * THOUSANDTH),
        *_to_each_length(choose_by_stability_journal, None),
    ),
    *rows_of(
        Row("corrected", "the corrected A_dist, N = 2, base case 2, is (3Nε, 3Nδ)-private").having(
            delta=6 * THOUSANDTH
        ),
        *_to_each_length(choose_by_stability, _ONE_A_DIST),
    ),
)

# Lemma 2 of the extended abstract: log* 64 = 4.
_FOUR_DRAWS: Final = "the lemma composes 3·log* T = 12 draws, where [0, 64] has four, which take 4ε of at least 11ε"


def _by_lemma_2(from_the_end_of_a: bool, *least: tuple[str, str]) -> Callable[[Exact], Row]:
    """The claim of the lemma at each ε, and the least shares of the noise there."""
    shares = dict(zip((exact(1).serial, log(2).serial, exact(3).serial), least, strict=True)) if least else {}

    def claimed(epsilon: Exact) -> Row:
        share = shares.get(epsilon.serial)
        return (
            Row()
            .having(domain=heights_told(choose_by_stability_extended_abstract, epsilon, THOUSANDTH))
            .having(epsilon=epsilon_of_recursion_by_lemma_2(last=64, epsilon=epsilon, delta=THOUSANDTH))
            .having(delta=16 * THOUSANDTH)
            .having(least=share and LeastShare(share=share[0], below=share[1], because=_FOUR_DRAWS))
            .run_with(recursion=maximise_quasi_concave_extended_abstract, promise=100, alpha=HALF, delta=THOUSANDTH)
            .run_with(selection=choose_by_stability_extended_abstract, epsilon=epsilon)
            .run_with(from_the_end_of_a=from_the_end_of_a)
        )

    return claimed


rec = family(
    Row("BNS-X-Lem2.privacy.", f"Rec {{}}-private, {_ON_PEAKS}")
    .having(mechanism=on_two_peaks, source=_EXTENDED, neighbours=scores_linf, finite_because=RECURSES)
    .having(mutant=without_a_dist(_INTERVALS, on_two_peaks, "without_a_dist")),
    *rows_of(
        Row("", "{} is (sqrt(6·log* T·ln(1/(log* T·δ)))·ε + 6·log* T·ε², 4·log* T·δ)"),
        *at_each_epsilon(
            Row("printed", "as printed"),
            differing=_by_lemma_2(True, ("3/256", "11/1024"), ("5/256", "9/512"), ("3/512", "11/2048")),
        ),
        *at_each_epsilon(
            Row("corrected", "with c in the place of b in step 10"),
            differing=_by_lemma_2(False, ("11/512", "5/256"), ("9/256", "1/32"), ("3/256", "11/1024")),
        ),
    ),
    # What the lemma would have to say of the four draws that there are: at δ = 2/125 the ε that is needed, 0.91991.
    Row("corrected-least", "with c in the place of b in step 10, at ε = 1, is (23/25,2/125)")
    .having(epsilon=Fraction(23, 25))
    .of(_by_lemma_2(False)(exact(1))),
)
recursion_by_default = family(
    _RECURSION,
    Row("default")
    .says(
        f"RecConcave {BY_DEFAULT} and base case 4, which recurses twice on two peaks in [0, 512], so that N = 3, is "
        "(3Nε, 3Nδ)-private"
    )
    .having(mechanism=between_far_peaks, domain=ScoreSpace(range(3, 5), solutions=2), epsilon=9, delta=9 * HUNDREDTH)
    .having(mutant=without_a_dist(_INTERVALS, between_far_peaks, epsilon_times=8))
    .having(
        weak_because="so that each branch is taken, gaps are below the threshold of A_dist in all three executions, "
        "which takes next to nothing of 9ε; where it releases half the time, in BNS-J-3.12.privacy.corrected, a "
        "quarter of the noise is refuted"
    )
    .run_with(promise=5, alpha=HALF, epsilon=1, delta=HUNDREDTH, base=4),
)

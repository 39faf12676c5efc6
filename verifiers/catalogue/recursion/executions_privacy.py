"""Privacy of RecConcave by the number of its executions, N = 1 to 4, and by what it takes for a scale: Lemma 3.12.

The mutants break the recursion itself: each is RecConcave whose recursive call, or base case, is another.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Distribution, Draw, exponential
from dpverify.mechanisms.counting import StepFunction
from dpverify.mechanisms.recursion.quasi_concave import PRINTED_BASE, maximise_quasi_concave
from dpverify.verifiers import ScoreSpace, scores_linf
from dpverify.verifiers.catalogue.families import HALF, HUNDREDTH
from dpverify.verifiers.catalogue.finite import RECURSES
from dpverify.verifiers.catalogue.mutants import best_whatever_the_gap
from dpverify.verifiers.privacy.family import Mechanism, Row, claims, family

GIVEN: Final[dict[str, Any]] = {"promise": 100, "alpha": HALF, "epsilon": 1, "delta": HUNDREDTH}


# RecConcave with another recursive call, or another base case.
def calling(draw: Draw, instead: Mechanism) -> Any:
    """A `draw` that runs `instead` where RecConcave calls itself."""

    def drawing(what: Any, *args: Any, **given: Any) -> Any:
        called = given.get("mechanism")  # by which the quality of scales is handed on
        handed_on = {"mechanism": instead} if called is maximise_quasi_concave else {}
        return draw(what, *args, **{**given, **handed_on})

    return drawing


def is_base_case(quality: StepFunction, given: dict[str, Any]) -> bool:
    """Step 1."""
    return quality.last <= given.get("base", PRINTED_BASE) or given.get("depth") == 1


def best_index(draw: object, quality: StepFunction, **given: Any) -> int:
    """The first of the best, without noise."""
    return quality.best_and_gap()[0]


def with_the_best_scale(draw: Draw, quality: StepFunction, **given: Any) -> Any:
    """Mutant: takes the best scale as it is, in place of the recursive call."""
    return maximise_quasi_concave(calling(draw, best_index), quality, **given)


def base_case_without_noise(draw: Draw, quality: StepFunction, **given: Any) -> Any:
    """Mutant: the base case returns the best index."""
    if is_base_case(quality, given):
        return best_index(draw, quality)
    return maximise_quasi_concave(calling(draw, base_case_without_noise), quality, **given)


def base_case_at_sixteen_times_epsilon(draw: Draw, quality: StepFunction, **given: Any) -> Any:
    """Mutant: a sixteenth of the noise in the base case alone."""
    if is_base_case(quality, given):
        law: Distribution[Any] = exponential(quality, 16 * given["epsilon"])
        return law
    return maximise_quasi_concave(calling(draw, base_case_at_sixteen_times_epsilon), quality, **given)


def without_a_dist_at_the_top(draw: Draw, quality: StepFunction, **given: Any) -> Any:
    """Mutant: the first execution takes the best intervals, without the test of A_dist; those it calls have it."""

    def as_it_is(draw: Draw, q: StepFunction, *, selection: Any, **of_call: Any) -> Any:
        return maximise_quasi_concave(draw, q, **of_call)

    return maximise_quasi_concave(calling(draw, as_it_is), quality, selection=best_whatever_the_gap, **given)


# Qualities on which each of these shows.
Heights: TypeAlias = Sequence[int]


def one_peak(draw: Draw, heights: Heights, *, recursion: Mechanism = maximise_quasi_concave, **given: Any) -> Any:
    """On the quality that is heights[0] at 10, and heights[1] elsewhere on [0, 64]."""
    peak, rest = heights
    return recursion(draw, StepFunction.of_pieces([(0, rest), (10, peak), (11, rest)], 64), **given)


def on_broken(qualities: Mechanism, recursion: Mechanism, name: str) -> Mechanism:
    """A mutant: RecConcave that is broken, on one of the qualities here."""

    def broken(draw: Draw, heights: Heights, **given: Any) -> Any:
        return qualities(draw, heights, recursion=recursion, **given)

    broken.__qualname__, broken.__doc__ = name, recursion.__doc__
    return broken


def twin_peaks(draw: Draw, heights: Heights, *, recursion: Mechanism = maximise_quasi_concave, **given: Any) -> Any:
    """On the quality that is heights[0] at 10 and at 50, heights[1] elsewhere up to 15, and 0 on the rest of [0, 64].

    Where the heights are 100 and 75, the scales 1 and 16 are equally good. At the first the peaks lie in two intervals,
    neither of which stands out; at the second in one, which is all there is.
    """
    peaks, plateau = heights
    pieces = [(0, plateau), (10, peaks), (11, plateau), (16, 0), (50, peaks), (51, 0)]
    return recursion(draw, StepFunction.of_pieces(pieces, 64), **given)


def two_peaks(draw: Draw, heights: Heights, *, recursion: Mechanism = maximise_quasi_concave, **given: Any) -> Any:
    """On the quality that is heights[0] at 10, heights[1] at 50, and 0 elsewhere on [0, 64]."""
    first, second = heights
    pieces = [(0, 0), (10, first), (11, 0), (50, second), (51, 0)]
    return recursion(draw, StepFunction.of_pieces(pieces, 64), **given)


TIED_OR_TOLD: Final = ((98, 98), (98, 99), (98, 89), (99, 88))
"""Two peaks that nearly tie, and two with a gap next to the threshold of A_dist."""
_LEMMA: Final = (
    Row("BNS-J-3.12.privacy.", "RecConcave with the corrected A_dist is (3Nε, 3Nδ)-private, N = ")
    .having(source="Beimel, Nissim & Stemmer, journal version, Figure 5 and Lemma 3.12", neighbours=scores_linf)
    .having(parameters=GIVEN, finite_because=RECURSES)
)


def _executions(number: int, base: int | None = None) -> Row:
    """With N executions, which [0, 64] takes with this base case: on [0, 6], and [0, 3], and [0, 2]."""
    return (
        Row("", f"{number}, " if base is None else f"{number}, base case {base}, ")
        .having(epsilon=3 * number, delta=3 * number * HUNDREDTH)
        .having(parameters={"depth": number} if base is None else {"depth": number, "base": base})
        .of(_LEMMA)
    )


(one_execution,) = family(
    _executions(1),
    Row("one-execution", "which is the exponential mechanism, on qualities with one peak in [0, 64]")
    .having(mechanism=one_peak, domain=ScoreSpace(range(3), solutions=2))
    .having(mutant=on_broken(one_peak, base_case_without_noise, "one_peak_without_noise"))
    .holds_with("5/16", "9/32", "N = 1 is one draw, at ε, and the lemma gives it 3ε"),
)


def _scales(number: int, share: str, below: str) -> Row:
    because = f"all that differs is which scale is found, where 3N = {3 * number} draws are added up"
    return (
        Row(f"scales-of-{number}")
        .says(
            "on two peaks and a plateau in [0, 64], where two scales are equally good, and what is found at them "
            "differs"
        )
        .having(mechanism=twin_peaks, domain=tuple(product((99, 100), (75, 76))))
        .having(mutant=on_broken(twin_peaks, with_the_best_scale, "twin_peaks_with_the_best_scale"))
        .holds_with(share, below, because)
    )


def _more(name: str, number: int, share: str, below: str, **rest: Any) -> Row:
    because = (
        f"of the 3N = {3 * number} draws two A_dist and the last choice show at a time: the scales of two far peaks "
        "are the same, and q(S, ·) has no two peaks, by Claim 3.13"
    )
    return (
        Row(f"{name}-executions")
        .says("on qualities with two peaks in [0, 64], which tie or are about as far apart as the threshold of A_dist")
        .having(mechanism=two_peaks, domain=TIED_OR_TOLD, **rest)
        .having(mutant=on_broken(two_peaks, without_a_dist_at_the_top, "two_peaks_without_a_dist_at_the_top"))
        .holds_with(share, below, because)
    )


scales = claims(
    _scales(2, "9/64", "1/8").of(_executions(2, PRINTED_BASE)), _scales(3, "3/32", "11/128").of(_executions(3, 4))
)
more_executions = claims(
    _more("three", 3, "5/32", "9/64").of(_executions(3, 4)),
    _more("four", 4, "7/64", "13/128", depth="full").of(_executions(4, 2)),
)

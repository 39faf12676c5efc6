"""Bounds on the recursion, against its exact law."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import distribution
from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.learners.thresholds_learner import learn_thresholds
from dpverify.mechanisms.numbers.exact_numbers import ZERO, total
from dpverify.mechanisms.recursion.quasi_concave import maximise_quasi_concave, maximise_quasi_concave_extended_abstract
from dpverify.mechanisms.sanitizers.concepts import Threshold
from dpverify.mechanisms.selection.stability import (
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
)
from dpverify.verifiers.catalogue.corners import is_within_alpha, two_points
from dpverify.verifiers.catalogue.learners.thresholds.bounds_of_recursion import Bounds, Envelope, Recursion
from dpverify.verifiers.catalogue.learners.thresholds.thresholds_learner_calculation import failure_of_learner
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.pac import learnt

HALF = Fraction(1, 2)
GIVEN: dict[str, Any] = {"promise": Fraction(40), "alpha": HALF, "epsilon": Fraction(1), "delta": Fraction(1, 100)}


@st.composite
def qualities_in_envelopes(choose: Any) -> tuple[StepFunction, Envelope]:
    last = choose(st.sampled_from((7, 16, 33, 100)))
    starts = sorted({0, *choose(st.lists(st.integers(1, last), max_size=5))})
    pieces, inside = [], []
    for start in starts:
        low, width = choose(st.integers(0, 60)), choose(st.sampled_from((0, 0, 1, 6)))
        pieces.append((start, low, low + width))
        inside.append((start, choose(st.integers(low, low + width))))
    return StepFunction.of_pieces(inside, last), Envelope.of_pieces(pieces, last)


def bounds_of(
    envelope: Envelope, *, promise: Fraction, alpha: Fraction, depth: int | None = None, **given: Any
) -> Bounds:
    return Recursion(**given).within(envelope, promise, alpha, depth)


def are_bounds_on(bounded: Bounds, law: dict[Any, Any], envelope: Envelope) -> bool:
    """Whether no outcomes up to where the quality changes, nor all others, are likelier than is said."""

    def chance(event: Any) -> Any:
        found = [p for outcome, p in law.items() if event(outcome)]
        return total(found) if found else ZERO

    for cut in (*envelope.starts, envelope.last + 1):

        def before(j: Any, cut: int = cut) -> bool:
            return isinstance(j, int) and j < cut

        below = chance(before) <= bounded.at_most(before, with_bottom=False)
        above = chance(lambda j: not before(j)) <= bounded.at_most(lambda j: not before(j), with_bottom=True)
        if not (below and above):
            return False
    return True


@few(8, deep=250)
@given(
    qualities_in_envelopes(),
    st.sampled_from((choose_by_stability, choose_by_stability_journal)),
    st.sampled_from((1, 2, 3)),
)
def test_rec_concave_is_within_its_bounds(
    given_quality: tuple[StepFunction, Envelope], selection: Any, depth: int
) -> None:
    quality, envelope = given_quality
    given = {**GIVEN, "selection": selection, "depth": depth, "base": 3}
    law = distribution(maximise_quasi_concave, quality, **given).probabilities
    assert are_bounds_on(bounds_of(envelope, **given), dict(law), envelope)


@few(8, deep=250)
@given(qualities_in_envelopes(), st.booleans())
def test_rec_is_within_its_bounds(given_quality: tuple[StepFunction, Envelope], from_the_end_of_a: bool) -> None:
    quality, envelope = given_quality
    given = {**GIVEN, "selection": choose_by_stability_extended_abstract, "base": 3}
    law = distribution(
        maximise_quasi_concave_extended_abstract, quality, from_the_end_of_a=from_the_end_of_a, **given
    ).probabilities
    candidates = "32 points of A" if from_the_end_of_a else "32 points of A and B"
    assert are_bounds_on(bounds_of(envelope, candidates=candidates, **given), dict(law), envelope)


@pytest.mark.parametrize("depth", [2, 3])
def test_of_a_quality_that_is_known_the_bounds_are_its_law(depth: int) -> None:
    quality = StepFunction.of_pieces([(0, 5), (10, 60), (12, 100), (13, 60), (30, 40)], 64)
    given: dict[str, Any] = {**GIVEN, "promise": Fraction(100), "selection": choose_by_stability}
    given |= {"depth": depth, "base": 4}
    law = distribution(maximise_quasi_concave, quality, **given).probabilities
    bound = bounds_of(Envelope(quality, quality, quality.starts), **given).at_most(lambda j: j != 12, with_bottom=True)
    fails = total(p for outcome, p in law.items() if outcome != 12)
    assert fails <= bound <= fails * Fraction(1001, 1000)


@pytest.mark.deep
def test_what_is_claimed_of_the_learner_bounds_its_exact_failure() -> None:
    population = two_points(Threshold(32), 30, 33, HALF + Fraction(1, 1000))
    given: dict[str, Any] = {"d": 6, "alpha": HALF, "epsilon": Fraction(100), "delta": Fraction(1, 10), "depth": 2}
    size = 30
    exactly = distribution(learnt, population, size=size, learner=learn_thresholds, given=given).probabilities
    case = Case(population, {}, {"alpha": HALF})
    fails = total(p for hypothesis, p in exactly.items() if not is_within_alpha(case, hypothesis))
    low, high = failure_of_learner(population, size, selection=choose_by_stability, **given)
    assert low <= fails <= high < 1


def test_a_bound_from_below_is_one_for_the_variant_that_leaves_b_out() -> None:
    given: dict[str, Any] = {"d": 6, "alpha": HALF, "epsilon": Fraction(1), "delta": Fraction(1, 10), "depth": 2}
    across = two_points(Threshold(32), 30, 32, HALF)
    low, _ = failure_of_learner(across, 230_250, selection=choose_by_stability, candidates="A", **given)
    assert low > Fraction(9, 10)

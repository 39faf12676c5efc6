"""What is looked at of outcomes, and which events a pilot proposes."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError
from dpverify.verifiers.blackbox.sampling.events import EventPlan, best_events
from dpverify.verifiers.blackbox.sampling.features import NO_BIT, lowest_bit
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes, as_outcomes, concatenated, objects

PLAN = EventPlan(0.0, 10_000, 4.0)


def test_the_lowest_bit_of_floats() -> None:
    values = np.array([1.0, 0.5, 3.0, 6.0, -0.75, 2.0**-1074, 2.0**1000, 1 + 2.0**-52, 0.0, nan, inf])
    assert lowest_bit(values).tolist() == [0, -1, 0, 1, -2, -1074, 1000, -52, NO_BIT, NO_BIT, NO_BIT]


@in_one(
    "given, kind, shape",
    [
        ([True, False], "b", (2,)),
        ([1, 2.5], "f", (2,)),
        ([2**70, 1], "O", (2,)),
        ([(1, 2), (3, 4)], "i", (2, 2)),
        ([(1.5, 2), (3, 4)], "f", (2, 2)),
        ([(1,), (1, 2)], "O", (2,)),
        ([(1, "a"), (2, "b")], "O", (2,)),
        (["a", None], "O", (2,)),
        (np.array([[True], [False]]), "b", (2, 1)),
        ([np.array([1, 2]), np.array([3, 4])], "i", (2, 2)),
    ],
)
def test_outcomes_become_arrays_of_what_they_are(given: Any, kind: str, shape: tuple[int, ...]) -> None:
    found = as_outcomes(given, 2, "it")
    assert (found.dtype.kind, found.shape) == (kind, shape)
    expected = [tuple(each) if isinstance(each, np.ndarray) else each for each in given]
    assert objects(found) == expected
    assert objects(concatenated([found, found])) == expected * 2


def test_texts_and_unequal_numbers_are_refused() -> None:
    for given in ("ab", 7, [1]):
        with pytest.raises(InputError):
            as_outcomes(given, 2, "it")


@pytest.mark.parametrize(
    ("values", "event"),
    [
        ([0, 1], "outcome = 1"),
        ([0.25, 0.75], "outcome = 0.75"),
        (["no", "yes"], "outcome in {'yes'}"),
        ([(0, 9), (1, 9)], "outcome in {(1, 9)}"),
    ],
)
def test_the_event_is_what_one_side_has_more_often_and_is_counted(values: list[Any], event: str) -> None:
    rng = np.random.default_rng(1)

    def side(zeros: int) -> Outcomes:
        places = rng.permutation([0] * zeros + [1] * (1_000 - zeros))
        return as_outcomes([values[i] for i in places], 1_000, "it")

    left, right = side(250), side(750)
    found = best_events(left, right, PLAN, {})
    assert event in [str(one.event) for one in found]
    best = max(found, key=lambda one: one.promise)
    assert (best.event.count(left), best.event.count(right)) == (750, 250)


def test_what_fits_a_pilot_by_chance_promises_nothing() -> None:
    """Two samples of one law with 240 values, each seen about once: whatever order half of them suggests is noise."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        left, right = rng.integers(240, size=400), rng.integers(240, size=400)
        assert max(one.promise for one in best_events(left, right, EventPlan(0.0, 10**6, 4.0), {})) < 0.25


def test_events_in_the_middle_and_at_no_number() -> None:
    """Both tails, or no number, are more probable on the left."""
    rng = np.random.default_rng(3)
    left, right = rng.normal(scale=2, size=4_000), rng.normal(scale=1, size=4_000)
    best = max(best_events(left, right, PLAN, {}), key=lambda one: one.promise)
    assert " or " in str(best.event) and best.promise > 1
    assert best.event.count(np.array([-4.0, 0.0, 4.0, nan])) == 2


def test_what_a_pilot_has_not_seen_is_in_no_event_of_numbers() -> None:
    rng = np.random.default_rng(5)
    for left, right, later in (
        (rng.normal(size=500), rng.normal(2, size=500), [9.5, "failed", None, (1, 2), 10**400]),
        (rng.normal(size=(500, 2)), rng.normal(2, size=(500, 2)), [(9.5, 9.5), "failed", (9.5,), ("a", "b")]),
    ):
        for one in best_events(right, left, PLAN, {}):
            assert 0 <= one.event.count(as_outcomes(later, len(later), "it")) <= 1
            assert one.event.count(as_outcomes(["failed"], 1, "it")) == 0


def test_whole_numbers_on_one_side_and_real_ones_on_the_other() -> None:
    places = np.random.default_rng(6).permutation([0, 1] * 500)
    left, right = (as_outcomes([(one, 2)[i] for i in places], 1_000, "it") for one in (1, 1.5))
    best = max(best_events(left, right, PLAN, {}), key=lambda one: one.promise)
    assert best.event.count(left) == 500 and best.event.count(right) == 0


def test_rows_of_numbers_that_speak_together() -> None:
    """Twenty bits, each of which says little: what they add up to says most."""
    rng = np.random.default_rng(4)
    left, right = ((rng.random((4_000, 20)) < p).astype(int) for p in (0.55, 0.45))
    best = max(best_events(left, right, PLAN, {}), key=lambda one: one.promise)
    assert best.event.feature.name in ("sum", "score of all numbers by the pilot")
    singles = [one.promise for one in best_events(left[:, :1], right[:, :1], PLAN, {})]
    assert best.promise > 2 * max(singles)

"""The tests to be made: pairs and events, proposed by a pilot of which nothing is used again."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpverify.mechanisms.numbers.enclosure import bounds
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.verifiers.blackbox.sampling.events import Event, EventPlan, best_events
from dpverify.verifiers.blackbox.sampling.evidence import Prior
from dpverify.verifiers.blackbox.sampling.features import OwnFeature
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes, objects
from dpverify.verifiers.blackbox.sampling.samplers import DrawBlocks

MOST_TESTS: Final = 4
"""Tests that a pilot proposes at most: each shares the error with the others."""

_DEVIATIONS: Final = 4.0
"""Standard errors from a share to the end of its interval, about, at the confidences in use."""


@dataclass(frozen=True)
class Test:
    """Test that an event has on the left at most e^ε times the probability, and δ more, that it has on the right."""

    left: int
    right: int
    event: Event
    prior: Prior


@dataclass(frozen=True)
class Piloted:
    """The proposals of a pilot, the most promising first, and whether it saw one and the same outcome everywhere."""

    tests: Sequence[Test]
    constant: tuple[Hashable] | None
    draws: int


def pilot_draws(draws: int) -> int:
    """Draws of a pilot: a tenth, but not fewer than 200, nor more than 200,000."""
    return min(max(draws // 10, 200), 200_000)


def plan_of(delta: Exact, draws: int, low_bits: bool) -> EventPlan:
    """The purpose of choosing events: the claimed δ, the draws that follow, and whether bits of floats count."""
    return EventPlan(float(bounds(delta)[0]), draws, _DEVIATIONS, low_bits)


def piloted(
    source: DrawBlocks,
    databases: Sequence[Hashable],
    pairs: Sequence[tuple[int, int]],
    plan: EventPlan,
    own: Mapping[str, OwnFeature],
) -> Piloted:
    """The tests that a pilot on all databases of the pairs proposes. Raises `InputError` where the sampler fails."""
    size = pilot_draws(plan.draws)
    places = sorted({place for pair in pairs for place in pair})
    result = source.pilot({i: databases[i] for i in places}, size)
    promised = [
        (promise.promise, Test(left, right, promise.event, _prior(promise.event, result[left], result[right])))
        for left, right in pairs
        for promise in best_events(result[left], result[right], plan, own)
    ]
    promised.sort(key=lambda one: -one[0])
    return Piloted(_varied([test for _, test in promised]), _constant(list(result.values())), size)


def _prior(event: Event, left: Outcomes, right: Outcomes) -> Prior:
    return Prior(event.count(left), event.count(right), len(left))


def _varied(tests: Sequence[Test]) -> list[Test]:
    """The first few, of which no two are of one pair and see one thing."""
    results: list[Test] = []
    seen: set[tuple[int, int, int, int]] = set()
    for test in tests:
        same = (test.left, test.right, test.prior.left, test.prior.right)
        if same not in seen:
            seen.add(same)
            results.append(test)
        if len(results) == MOST_TESTS:
            break
    return results


def _constant(samples: Sequence[Outcomes]) -> tuple[Hashable] | None:
    """The one outcome of all draws, in a tuple; None where there are several."""
    first = objects(samples[0][:1])[0]
    kinds = {(sample.dtype, sample.shape[1:]) for sample in samples}
    return (first,) if len(kinds) == 1 and all(_is_always(sample, samples[0][:1]) for sample in samples) else None


def _is_always(sample: Outcomes, one: Outcomes) -> bool:
    """True where all outcomes are that one; what is no number is as good as itself."""
    same = sample == one
    return bool((same | (np.isnan(sample) & np.isnan(one))).all() if sample.dtype.kind == "f" else same.all())

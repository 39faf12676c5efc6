"""An event is of an outcome alone: it counts the same whatever stands beside the outcome in its block."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import InputError, exact
from dpverify.verifiers import SampledClaim, Status, Tuples, check_sampled
from dpverify.verifiers.blackbox.sampling.events import EventPlan, _cells_of_numbers, _counted, best_events
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes, as_outcomes, concatenated, objects
from dpverify.verifiers.blackbox.sampling.pilot import plan_of
from dpverify.verifiers.blackbox.sampling.scores import score_of

WHOLE = (0, 1, 2, 7, -3)
REAL = (*WHOLE, 0.0, -0.0, 0.5, 0.1 + 0.2, 1.0, nan, inf, -inf)
LARGE = (2**53 + 1, 2.0**53, 2**60, 2.0**60, 2**62, 2**63 - 1, 2.0**63, -(2**63), 10**40, 10**400)
OTHER = (True, False, "too few", None, np.str_("too few"), np.float64(nan), (1, (2, nan)), ("leak", 0.5), ())

shapes = st.sampled_from([WHOLE, REAL, (*REAL, *LARGE), (*REAL, *LARGE, *OTHER)])


@st.composite
def outcomes_of_all_shapes(draw: st.DrawFn) -> list[Any]:
    """Numbers, rows of one length or of several, texts among them: a few kinds, each many times."""
    alone = st.sampled_from(draw(shapes))
    rows = st.one_of(*(st.tuples(*[alone] * i) for i in draw(st.sets(st.integers(1, 3), min_size=1))))
    kinds = draw(st.lists(st.one_of(*draw(st.sampled_from([[alone], [rows], [alone, rows]]))), min_size=1, max_size=9))
    found = draw(st.lists(st.sampled_from(kinds), min_size=8, max_size=40))
    return [1 if each is True else 0 if each is False else each for each in found]  # truth values stand in rows alone


def blocks_of(outcomes: Sequence[Any], cuts: Sequence[int]) -> list[Outcomes]:
    ends = [0, *sorted({cut % len(outcomes) for cut in cuts} - {0}), len(outcomes)]
    parts = [list(outcomes[a:b]) for a, b in pairwise(ends)]
    return [as_outcomes(part, len(part), "it") for part in parts]


@given(outcomes_of_all_shapes(), outcomes_of_all_shapes(), st.lists(st.integers(1, 39), max_size=12), st.randoms())
@few(12, deep=250)
@pytest.mark.deep
def test_events_count_the_same_in_any_blocks(pilot: list[Any], later: list[Any], cuts: list[int], order: Any) -> None:
    """Chosen on one sample, counted on that and on another, in blocks, joined again, and in another order."""
    half = len(pilot) // 2
    left, right = (as_outcomes(side, len(side), "it") for side in (pilot[:half], pilot[half:]))
    for promising in best_events(left, right, EventPlan(0.0, 1_000, 4.0), {"own": own}):
        event = promising.event
        for outcomes in (later, pilot, pilot + later):
            alone = sum(event.count(as_outcomes([one], 1, "it")) for one in outcomes)
            parts = blocks_of(outcomes, cuts)
            mixed = list(outcomes)
            order.shuffle(mixed)
            assert event.count(as_outcomes(outcomes, len(outcomes), "it")) == alone
            assert sum(map(event.count, parts)) == alone
            assert sum(map(event.count, blocks_of(mixed, cuts))) == alone
            assert event.count(as_outcomes(objects(concatenated(parts)), len(outcomes), "it")) == alone


def own(outcomes: Outcomes) -> Any:
    """Whole numbers of a block where all are, and fractions else."""
    sizes = [sum(map(size, each)) if isinstance(each, tuple) else size(each) for each in objects(outcomes)]
    return np.array(sizes) if sizes else np.zeros(0)


def size(value: Any) -> float:
    return min(abs(value), 9) if isinstance(value, int | float) and value == value else 0.5


def test_scores_and_sums_are_rounded_alike_whatever_the_order_in_memory() -> None:
    rows = np.random.default_rng(1).normal(size=(200, 9))
    turned = np.asfortranarray(rows)
    for feature in (score_of(rows[:100], rows[100:]), *features_named("sum", rows)):
        alone = [feature.of(rows[i : i + 1])[0] for i in range(200)]
        assert feature.of(rows).tolist() == feature.of(turned).tolist() == alone


def features_named(name: str, rows: Outcomes) -> list[Any]:
    from dpverify.verifiers.blackbox.sampling.features import features_of

    return [one for one in features_of(rows, {}, True) if one.name == name]


def noisy(rows: tuple[int, ...], rng: np.random.Generator) -> Any:
    """A count with Laplace noise, private at ε = 0.45; in few runs, whatever the rows, a status alone."""
    if rng.random() < 0.004:
        return ("too few",)
    return (1.0, sum(rows) + float(rng.laplace(scale=1 / 0.45)))


@pytest.mark.parametrize("seed", [0, 3])
def test_a_rare_status_among_rows_of_numbers_refutes_nothing(seed: int) -> None:
    claim = SampledClaim(
        id="it", sampler=noisy, epsilon="1/2", domain=Tuples((0, 1), size=2), draws=3_000, seed=seed,
        rarest="1/10", low_bits=False,
    )  # fmt: skip
    assert check_sampled(claim).verdict is Status.INCONCLUSIVE


def test_numbers_at_the_ends_are_in_one_cell_each() -> None:
    """The largest int64, and ∞: no cell begins above them."""
    for most in (2**63 - 1, inf):
        values = [*range(-5_000, 5_000), *[most] * 3_000]
        sample = as_outcomes(np.array(values), len(values), "it")
        plan = plan_of(exact(0), 10_000, True)
        for one in best_events(sample, sample, plan, {}):
            if one.event.feature.name == "outcome":
                assert one.event.count(sample) <= len(sample)
        cells = _cells_of_numbers(sample, sample)
        assert sum(_counted(sample, cells)) == len(sample)


def test_a_feature_of_a_users_that_looks_at_the_others_is_refused() -> None:
    def rank(outcomes: Outcomes) -> Any:
        return np.argsort(np.argsort(outcomes, kind="stable"))

    claim = SampledClaim(
        id="it", sampler=lambda rows, rng, size: rng.random(size), epsilon=1, features={"rank": rank},
        domain=Tuples((0, 1), size=1), draws=3_000,
    )  # fmt: skip
    with pytest.raises(InputError, match="it: the feature rank depends on more than each outcome"):
        check_sampled(claim)


def test_minus_zero_is_told_from_zero_where_floats_are_looked_at() -> None:
    def shipped(rows: tuple[int, ...], rng: np.random.Generator, size: int) -> Any:
        return np.where(rng.random(size) < 0.5, -0.0 if rows[0] else 0.0, 5.5)

    for sampler in (shipped, lambda rows, rng, size: np.stack([shipped(rows, rng, size), rng.random(size)], axis=1)):
        for bits, verdict in ((True, Status.REFUTED), (False, Status.INCONCLUSIVE)):
            claim = SampledClaim(
                id="it", sampler=sampler, epsilon="1/2", low_bits=bits, domain=Tuples((0, 1), size=1), draws=3_000
            )  # fmt: skip
            found = check_sampled(claim)
            assert found.verdict is verdict
            assert not bits or "-0.0" in found.tests[0].event


def test_what_is_masked_is_hidden_and_rows_of_one_length_on_each_database_tell_them_apart() -> None:
    given: dict[str, Any] = {"id": "it", "epsilon": "1/2", "domain": Tuples((0, 1), size=1), "draws": 3_000}

    def masked(rows: tuple[int, ...], rng: np.random.Generator, size: int) -> Any:
        hidden = rng.random(size) < 0.5
        return np.ma.masked_array(np.where(hidden, rows[0], 7), mask=hidden)

    assert check_sampled(SampledClaim(sampler=masked, **given)).verdict is Status.INCONCLUSIVE
    for sampler in (lambda rows, rng, size: np.ones((size, 2 + rows[0])), lambda rows, rng: (1,) * (2 + rows[0])):
        assert check_sampled(SampledClaim(sampler=sampler, **given)).verdict is Status.REFUTED

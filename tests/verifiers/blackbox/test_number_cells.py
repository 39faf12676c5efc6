"""Cells of a number with noise, wherever it lies: none is too wide, what cannot occur is told, and what is rounded too."""

from decimal import Decimal
from fractions import Fraction as F
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import (
    Distribution,
    InputError,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    gaussian,
    laplace,
    run,
)
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.reports.sampled_record import SampledResult
from dpverify.verifiers import Claim, SampledClaim, Status, check_sampled
from dpverify.verifiers.blackbox.agreement import CellCounts, DatabaseCells, _deviations, error_of_each
from dpverify.verifiers.blackbox.sampling.cells import MOST_CELLS, DistributionCells, about
from dpverify.verifiers.blackbox.sampling.distribution_cells import cells_of
from dpverify.verifiers.blackbox.sampling.number_cells import float_at, float_place
from dpverify.verifiers.blackbox.sampling.power import POWER, smallest_shift
from dpverify.verifiers.utility.binomial_interval import lower_end

DRAWS = 20_000
Rng = np.random.Generator


def found(model: Any, sampler: Any, at: F = F(0), scale: F = F(2), **changed: Any) -> SampledResult:
    """Of a model on two answers half a scale apart, so that it is private at ε = ½ where it is Laplace's."""
    exact_model = Claim(
        id="model", mechanism=model, domain=(at, at + scale / 2), epsilon=F(1, 2),
        neighbours=lambda value: [value - scale / 2, value + scale / 2],
    )  # fmt: skip
    given = {"id": "it", "model": exact_model, "sampler": sampler, "draws": DRAWS, **changed}
    return check_sampled(SampledClaim(**given))


def of_scale(scale: F) -> Any:
    def measured(draw: Draw, answer: F) -> Any:
        return answer + draw(laplace(scale))

    return measured


def shipped(scale: float) -> Any:
    def sampler(answer: F, rng: Rng, size: int) -> Any:
        return float(answer) + rng.laplace(scale=scale, size=size)

    return sampler


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("at", "scale"),
    [(0, F(2)), (10**12, F(2)), (-(10**12), F(2)), (1, F(1, 10**9)), (0, F(1, 10**30)), (0, F(10) ** 30), (-3, F(1, 7))],
)  # fmt: skip
@pytest.mark.parametrize("noise", [laplace, discrete_laplace, gaussian])
def test_a_law_is_cut_into_many_cells_wherever_it_lies(at: int, scale: F, noise: Any) -> None:
    """Whole steps are few where the scale is small: then each is a cell."""
    law = distribution(lambda draw, rows: rows + draw(noise(scale)), at)
    cells = cells_of(law, 60_000)
    assert sum(cells.probabilities, start=exact(0)) == 1
    whole_steps = noise is discrete_laplace
    assert max(map(about, cells.probabilities)) < (0.25 if whole_steps else 0.1) or (whole_steps and scale < 1)
    assert len(cells.names) > (12 if whole_steps and scale >= 1 else 3 if whole_steps else 25)
    assert len(set(cells.names)) == len(cells.names)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("at", "scale"), [(F(10**12), F(2)), (F(1), F(1, 10**9)), (F(0), F(1, 10**6))])
def test_noise_that_is_too_small_is_refuted_wherever_the_answer_lies(at: F, scale: F) -> None:
    right, wrong = (found(of_scale(scale), shipped(float(scale) * part), at, scale) for part in (1, 0.01))
    assert (right.verdict, wrong.verdict) == (Status.INCONCLUSIVE, Status.REFUTED)
    assert right.agrees_to is not None and float(right.agrees_to) < 0.04


def test_a_law_that_is_narrower_than_floats_is_refused_with_a_way_out() -> None:
    """All that is right rounds to a few floats, and so would much that is wrong."""
    with pytest.raises(InputError, match=r"to 999\.9999999999974, on 17 floats"):
        found(of_scale(F(1, 10**12)), shipped(1e-12), F(1000), F(1, 10**12))


def test_the_power_that_is_told_is_that_of_the_cells_that_there_are() -> None:
    """A cell of ½ is nowhere near: one outcome has 99 of 100."""

    def rarely(draw: Draw, answer: F) -> Any:
        return draw(Distribution({0: 99, 1: 1}))

    told = found(rarely, lambda answer, rng, size: (rng.random(size) < 0.01).astype(int))
    assert "of an event of probability 0.01, among 2 cells" in told.smallest_in_words
    assert 0.002 < float(told.smallest) < 0.006
    at_half = found(of_scale(F(2)), shipped(2.0))
    assert "of an event of probability 0.5," in at_half.smallest_in_words


@pytest.mark.parametrize("p", [F(1, 100), F(1, 2)])
def test_a_shift_is_seen_as_often_as_is_said(p: F) -> None:
    error, rng = F(1, 1000), np.random.default_rng(5)
    shift = smallest_shift(DRAWS, error, p)
    assert shift is not None
    seen = [int(k) for k in rng.binomial(DRAWS, float(p + shift), size=200)]
    assert sum(lower_end(k, DRAWS, error) > p for k in seen) >= 200 * POWER - 15
    assert smallest_shift(DRAWS, error, F(1)) is None


# --- Outcomes that cannot occur
def in_steps(step: F, offset: F = F(0)) -> Any:
    def counted(draw: Draw, answer: F) -> Any:
        return (answer + draw(discrete_laplace(2))) * step + offset

    return counted


def steps_of(step: float, offset: float = 0.0) -> Any:
    def sampler(answer: F, rng: Rng, size: int) -> Any:
        p = 1 - np.exp(-0.5)
        return (float(answer) + rng.geometric(p, size) - rng.geometric(p, size)) * step + offset

    return sampler


def moved(sampler: Any, by: float) -> Any:
    return lambda answer, rng, size: sampler(answer, rng, size) + by


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("step", "offset"),
    [(F(1), F(0)), (F(1, 2), F(0)), (F(1, 4), F(3, 8)), (F(3), F(1, 2)), (F(1, 3), F(0)), (F(1, 10), F(1, 30))],
)
def test_an_outcome_between_two_steps_cannot_occur(step: F, offset: F) -> None:
    """Right outcomes are rounded as floats do; wrong ones are off by a part of a step, in few draws."""
    right = steps_of(float(step), float(offset))

    def wrong(answer: F, rng: Rng, size: int) -> Any:
        return right(answer, rng, size) + np.where(rng.random(size) < 0.01, float(step) / 5, 0)

    model = in_steps(step, offset)
    assert found(model, right, draws=5_000).verdict is Status.INCONCLUSIVE
    off = found(model, wrong, draws=5_000)
    assert off.verdict is Status.REFUTED and off.draws < 5_000


def test_thirds_of_finitely_many_and_a_clamp_at_a_third_are_what_floats_make_of_them() -> None:
    def thirds(draw: Draw, answer: F) -> Any:
        return draw(Distribution({F(i, 3): i + 1 for i in range(4)}))

    def shipped_thirds(answer: F, rng: Rng, size: int) -> Any:
        return rng.choice(4, size=size, p=np.array([1, 2, 3, 4]) / 10) / 3

    assert found(thirds, shipped_thirds, draws=5_000).verdict is Status.INCONCLUSIVE
    assert found(thirds, moved(shipped_thirds, 1e-6), draws=5_000).verdict is Status.REFUTED

    def clamped(draw: Draw, answer: F) -> Any:
        return clamp(answer + draw(laplace(2)), F(1, 3), 10)

    def shipped_clamp(answer: F, rng: Rng, size: int) -> Any:
        return np.clip(shipped(2.0)(answer, rng, size), 1 / 3, 10)

    assert found(clamped, shipped_clamp, draws=5_000).verdict is Status.INCONCLUSIVE


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", [lambda x: x, lambda x: Decimal(str(float(x))), float])
def test_exact_numbers_are_numbers_like_floats(kind: Any) -> None:
    """What the simulator of the project gives, and decimals."""
    model = in_steps(F(1, 2))

    def simulated(answer: F, rng: Rng) -> Any:
        return kind(run(model, answer, seed=int(rng.integers(2**60))))

    assert found(model, simulated, draws=1_000).verdict is Status.INCONCLUSIVE
    assert (
        found(model, lambda answer, rng: simulated(answer, rng) + kind(F(1, 8)), draws=1_000).verdict is Status.REFUTED
    )


def test_whole_numbers_too_large_for_floats_are_counted_one_by_one() -> None:
    at = F(10**17)

    def sampler(answer: F, rng: Rng, size: int) -> Any:
        p = 1 - np.exp(-0.5)
        return int(answer) + rng.geometric(p, size) - rng.geometric(p, size)

    assert found(in_steps(F(1)), sampler, at).verdict is Status.INCONCLUSIVE
    assert found(in_steps(F(1)), moved(sampler, 1), at).verdict is Status.REFUTED


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("digits", "verdict"), [(1, Status.REFUTED), (2, Status.REFUTED), (None, Status.INCONCLUSIVE)])
def test_rounded_numbers_are_not_of_a_law_without_repeats(digits: int | None, verdict: Status) -> None:
    """Cells of a law of scale 20 do not see tenths; floats of 32 bits repeat, and no more often than near values do."""

    def sampler(answer: F, rng: Rng, size: int) -> Any:
        values = shipped(20.0)(answer, rng, size)
        return values.astype(np.float32) if digits is None else np.round(values, digits)

    told = found(of_scale(F(20)), sampler, scale=F(20))
    assert told.verdict is verdict
    assert verdict is Status.INCONCLUSIVE or "came up more than once" in told.tests[0].event


def test_a_rare_outcome_is_not_hidden_beside_one_that_is_not() -> None:
    """Where the law has 1 in a million, a library has all, or the other way about."""

    def with_small_noise(draw: Draw, answer: F) -> Any:
        return draw(discrete_laplace(F(1, 20)))

    def with_less(draw: Draw, answer: F) -> Any:
        """Noise once in 10^48 times: floats round the probability of none to 1."""
        return draw(discrete_laplace(F(9, 1000)))

    for model in (lambda draw, answer: draw(Distribution({0: 10**6 - 1, 1: 1})), with_small_noise, with_less):
        assert found(model, lambda answer, rng, size: np.zeros(size)).verdict is Status.INCONCLUSIVE
        for wrong in (1, -1):
            assert found(model, lambda answer, rng, size, wrong=wrong: np.full(size, wrong)).verdict is Status.REFUTED


# --- How many events there are, and places of floats
@pytest.mark.parametrize("number", [64, 65, 200])
def test_a_law_of_many_outcomes_has_no_more_events_than_the_error_is_shared_among(number: int) -> None:
    cells = cells_of(Distribution(dict.fromkeys(range(number), 1)), 10**6)
    holds(cells, len(cells.names))


def test_a_law_with_many_plain_outcomes_has_no_more_events_either() -> None:
    def many(draw: Draw, rows: int) -> Any:
        which = draw(Distribution(dict.fromkeys(range(60), 1)))
        return which if which < 50 else draw(laplace(20))

    cells = cells_of(distribution(many, 0), 10**6)
    assert cells.repeats is not None
    holds(cells, len(cells.names))


def holds(cells: DistributionCells, number: int) -> None:
    counts = CellCounts(
        [DatabaseCells("x", [1] * number, [1] * number, [0.25] * (cells.repeats is not None))], 9, number
    )
    events = len(_deviations(counts.databases[0], cells, number, None, F(1, 100)))
    assert number - 1 <= MOST_CELLS and 2 * events * error_of_each(F(1), 1) <= F(1, 2)
    assert sum(cells.probabilities, start=exact(0)) == 1


@given(st.floats(allow_nan=False, allow_infinity=False))
@few(30, deep=600)
def test_places_of_floats_rise_with_them(value: float) -> None:
    assert float_at(float_place(value)) == value
    assert float_place(float(np.nextafter(value, inf))) == float_place(value) + 1

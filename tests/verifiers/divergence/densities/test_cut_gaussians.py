"""Several numbers with Gaussian noise of which some are cut off: what is cut is computed from the noisy numbers."""

from fractions import Fraction
from math import exp as float_exp
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import clamp, discrete_gaussian, gaussian, laplace
from dpverify.reports.record import Status
from dpverify.verifiers import Multisets, check_privacy, replace_one

ROWS = Multisets((0, 1, 2), size=3)


def noisy(draw: Any, rows: Any, sigma: Any, noise: Any) -> Any:
    return tuple(rows.count(x) + draw(noise(sigma)) for x in (0, 1))


def raised(draw: Any, rows: Any, *, sigma: Any, noise: Any) -> Any:
    return tuple(max(0, x) for x in noisy(draw, rows, sigma, noise))


def above_a_threshold(draw: Any, rows: Any, *, sigma: Any, noise: Any) -> Any:
    return tuple(x if x >= 1 else None for x in noisy(draw, rows, sigma, noise))


def clamped(draw: Any, rows: Any, *, sigma: Any, noise: Any) -> Any:
    return tuple(clamp(x, 0, 3) for x in noisy(draw, rows, sigma, noise))


def verdict_on(mechanism: Any, epsilon: Any = 1, delta: Any = 1, **parameters: Any) -> Any:
    return check_privacy(
        mechanism, ROWS, replace_one, epsilon=epsilon, delta=delta, parameters=parameters, recheck=False
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("noise", [gaussian, discrete_gaussian])
@pytest.mark.parametrize("mechanism", [raised, above_a_threshold])
def test_what_is_cut_needs_no_more_than_the_numbers(mechanism: Any, noise: Any) -> None:
    def as_they_are(draw: Any, rows: Any, *, sigma: Any, noise: Any) -> Any:
        return noisy(draw, rows, sigma, noise)

    cut, whole = (verdict_on(f, sigma=2, noise=noise) for f in (mechanism, as_they_are))
    assert cut.status is whole.status is Status.PROVED
    assert cut.basis.is_upper_bound and "before post-processing" in cut.reason
    assert cut.delta.exact == whole.delta.exact
    assert verdict_on(mechanism, delta=whole.delta.upper, sigma=2, noise=noise).status is Status.PROVED


@pytest.mark.deep
def test_real_numbers_that_are_clamped() -> None:
    assert verdict_on(clamped, delta="1/10", sigma=2, noise=gaussian).status is Status.PROVED


@pytest.mark.parametrize("mechanism", [raised, above_a_threshold])
def test_too_little_noise_is_refuted_by_what_is_returned(mechanism: Any) -> None:
    verdict = verdict_on(mechanism, delta="1/25", sigma=1, noise=gaussian)
    assert verdict.status is Status.REFUTED
    assert verdict.witness.p > verdict.witness.q


def true_delta(sigma: float, epsilon: float) -> float:
    """Of the two counts of one row that moves from 0 to 1, raised to 0 where they are below: a cell for each pair."""
    from scipy.special import ndtr  # late: every process that is forked before copies what it takes

    edges = np.concatenate([[-np.inf], np.arange(0, 14, 1 / 64)])

    def law(n: int) -> Any:
        return np.diff(ndtr((np.append(edges, np.inf) - n) / sigma))

    worst = 0.0
    for a, b in ((1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (1, 2)):
        p, q = np.outer(law(a), law(b)), np.outer(law(a - 1), law(b + 1))
        worst = max(worst, *(float(np.maximum(x - float_exp(epsilon) * y, 0).sum()) for x, y in ((p, q), (q, p))))
    return worst


@pytest.mark.deep
def test_between_what_is_needed_and_what_is_proved_nothing_is_refuted() -> None:
    """At σ = 1 and ε = 1 the cut numbers need less than the numbers themselves."""
    at_least = true_delta(1, 1)
    proved = verdict_on(raised, sigma=1, noise=gaussian)
    assert at_least < float(proved.delta.upper) - 1e-4
    between = Fraction((at_least + float(proved.delta.upper)) / 2).limit_denominator(10**9)
    verdict = verdict_on(raised, delta=between, sigma=1, noise=gaussian)
    assert verdict.status is Status.UNDECIDED
    assert "an upper bound" in verdict.reason and "clamp after all of the release" in verdict.reason


def by_the_data(draw: Any, rows: Any) -> Any:
    """The cut is at a number of the data, which numbers alone do not tell."""
    return tuple(max(rows.count(x), y) for x, y in zip((0, 1), noisy(draw, rows, 2, gaussian), strict=True))


def to_the_data(draw: Any, rows: Any) -> Any:
    """What is put in the place of a small number is of the data."""
    return tuple(y if y > 0 else len(set(rows)) for y in noisy(draw, rows, 2, gaussian))


def by_another_cut(draw: Any, rows: Any) -> Any:
    """How many are cut depends on the data, behind noise that is not returned and tells nothing."""
    first, second = noisy(draw, rows, 2, gaussian)
    return first if first > 0 or 2 in rows else 0, max(0, second)


@pytest.mark.parametrize("mechanism", [by_the_data, to_the_data, by_another_cut])
def test_what_is_done_with_the_numbers_may_not_depend_on_the_data(mechanism: Any) -> None:
    assert verdict_on(mechanism, delta="1/10").status is not Status.PROVED


@pytest.mark.deep
def test_a_number_that_is_compared_and_not_returned_counts_besides() -> None:
    def hidden(draw: Any, rows: Any) -> Any:
        return rows.count(0) + draw(gaussian(2)) > 1, *raised(draw, rows, sigma=2, noise=gaussian)

    needed = verdict_on(lambda draw, rows: (rows.count(0) + draw(gaussian(2)), *noisy(draw, rows, 2, gaussian))).delta
    assert verdict_on(hidden, delta=needed.upper).status is Status.PROVED
    assert verdict_on(hidden, delta=needed.lower * Fraction(9, 10)).status is Status.UNDECIDED


def test_a_threshold_of_the_loss_that_meets_a_cut() -> None:
    """Their difference is 0, of two logarithms of sums that are multiples of each other."""

    def met(draw: Any, rows: Any) -> Any:
        first, second = noisy(draw, rows, 2, gaussian)
        return first > 1, max(0, second), max(0, len(rows) + draw(gaussian(1)))

    assert verdict_on(met, delta="1/30").status is Status.PROVED
    assert verdict_on(met, delta="1/40").status is Status.REFUTED


def test_cut_laplace_noise_is_decided_as_before() -> None:
    assert verdict_on(raised, epsilon=1, delta=0, sigma=2, noise=laplace).status is Status.PROVED
    assert verdict_on(raised, epsilon="9/10", delta=0, sigma=2, noise=laplace).status is Status.REFUTED

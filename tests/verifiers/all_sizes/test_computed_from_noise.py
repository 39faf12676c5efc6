"""What is computed from noisy numbers of databases of every size: decided by the noises, and what is not."""

from __future__ import annotations

from fractions import Fraction
from math import e, exp
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, discrete_laplace, laplace
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, Verdict, add_or_remove_one, check_privacy

ALL = Histograms((0, 1))


def counts(draw: Draw, rows: Any, scale: Any = 2) -> list[Any]:
    """Noisy counts, private at ε = 1 under replacement."""
    return [rows.count(i) + draw(laplace(scale)) for i in (0, 1)]


def decided(mechanism: Any, epsilon: Any = 1) -> Verdict:
    return check_privacy(mechanism, ALL, epsilon=epsilon)


def share(draw: Draw, rows: Any) -> Any:
    first, second = counts(draw, rows)
    return first / (first + second)


def in_order(draw: Draw, rows: Any) -> Any:
    return tuple(sorted(counts(draw, rows)))


def by_then(draw: Draw, rows: Any) -> Any:
    return draw.release(counts(draw, rows), then=max)


def winner_rounded(draw: Draw, rows: Any) -> Any:
    noisy = counts(draw, rows)
    i = noisy.index(max(noisy))
    return i, round(noisy[i])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mechanism", [share, winner_rounded, in_order, by_then])
def test_what_is_computed_from_noisy_counts_is_decided_by_them(mechanism: Any) -> None:
    verdict = decided(mechanism)
    assert verdict.status is Status.PROVED, verdict
    assert verdict.basis.before_post_processing and verdict.basis.for_all_sizes
    assert "decided before post-processing" in verdict.scope and "compared with those of" in verdict.scope


def test_nothing_follows_for_the_outcome_where_the_noises_need_more() -> None:
    verdict = decided(by_then, "0.9")
    assert verdict.status is Status.UNDECIDED
    assert "two of them: before post-processing it needs ε = 1, an upper bound" in verdict.reason


def test_too_little_noise_is_refuted_on_the_outcome_itself() -> None:
    def share_of_one(draw: Draw, rows: Any) -> Any:
        first, second = counts(draw, rows, Fraction(1, 4))
        return first / second

    verdict = decided(share_of_one)
    assert verdict.status is Status.REFUTED and "two of them" in verdict.scope


def closure(draw: Draw, rows: Any) -> Any:
    number = rows.count(0)
    return draw.release(counts(draw, rows), then=lambda noisy: max(noisy) + number)


def default(draw: Draw, rows: Any) -> Any:
    number = rows.count(0)
    return draw.release(counts(draw, rows), then=lambda _, known=number: known)  # type: ignore[misc]


def factor(draw: Draw, rows: Any) -> Any:
    return share(draw, rows) * (1 + rows.count(1))


def beside(draw: Draw, rows: Any) -> Any:
    return share(draw, rows) + rows.count(1) - 1


def flag(draw: Draw, rows: Any) -> Any:
    return share(draw, rows), rows.count(0) > 1


def by_the_truth(draw: Draw, rows: Any) -> Any:
    return share(draw, rows) if rows.count(0) > rows.count(1) else 1 - share(draw, rows)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mechanism", [closure, default, factor, beside, flag, by_the_truth])
def test_what_sees_an_unknown_number_is_not_proved(mechanism: Any) -> None:
    assert decided(mechanism, 9).status is not Status.PROVED


def test_what_is_not_decided_names_the_way_out() -> None:
    reason = decided(factor).reason
    assert (
        "needs numbers" in reason
        and "then=<lambda> sees number, which differs between databases" in decided(closure).reason
    )
    assert "check_privacy" not in reason
    assert "draw.release(noise, then=function)" in reason and "test_computed_from_noise.py, line" in reason


@pytest.mark.parametrize(("epsilon", "status"), [("1/2", Status.PROVED), ("0.49", Status.REFUTED)])
def test_a_whole_noisy_count_may_be_halved_and_compared(epsilon: str, status: Status) -> None:

    assert decided(lambda draw, rows: (rows.count(0) + draw(discrete_laplace(2))) // 2 > 0, epsilon).status is status


@in_one("epsilon, status", [(Fraction(1), Status.PROVED), (Fraction(9, 10), Status.REFUTED)])
def test_a_noisy_count_may_be_rounded(epsilon: Fraction, status: Status) -> None:
    def rounded(draw: Draw, rows: Any) -> Any:
        return round(rows.count(0) + draw(laplace(1)))

    verdict = check_privacy(rounded, ALL, add_or_remove_one, epsilon=epsilon)
    assert verdict.status is status
    if verdict.witness is not None:
        sides: Any = verdict.witness.left, verdict.witness.right
        (outcome,) = verdict.witness.event
        p, q = (_mass_of_cell(outcome - rows.count(0)) for rows in sides)
        assert p > exp(float(epsilon)) * q
    else:
        ratios = [_mass_of_cell(k) / _mass_of_cell(k - 1) for k in range(-9, 10)]
        assert max(*ratios, *(1 / ratio for ratio in ratios)) <= e + 1e-9


def _mass_of_cell(k: int) -> float:
    """Pr[⌊Lap(1) + 1/2⌋ = k]."""
    return 1 - exp(-0.5) if k == 0 else exp(-abs(k)) * (exp(0.5) - exp(-0.5)) / 2

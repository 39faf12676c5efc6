"""RecConcave broken in one step at a time is refuted where that step shows."""

from dataclasses import replace
from functools import partial, wraps
from itertools import product
from typing import Any

import pytest

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.recursion.executions_privacy import (
    base_case_at_sixteen_times_epsilon,
    base_case_without_noise,
    more_executions,
    one_execution,
    one_peak,
    scales,
    twin_peaks,
    two_peaks,
    with_the_best_scale,
    without_a_dist_at_the_top,
)
from dpverify.verifiers.privacy.result import verdict_on_claim

OF_TWO, OF_THREE = scales
THREE_EXECUTIONS, _ = more_executions


def named(quality: Mechanism, recursion: Mechanism) -> Any:
    return wraps(quality)(partial(quality, recursion=recursion))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("claim", "quality", "broken"),
    [
        (one_execution, one_peak, base_case_without_noise),
        (one_execution, one_peak, base_case_at_sixteen_times_epsilon),
        (OF_TWO, twin_peaks, with_the_best_scale),
        (OF_TWO, twin_peaks, base_case_without_noise),
        (OF_TWO, twin_peaks, base_case_at_sixteen_times_epsilon),
        (OF_THREE, twin_peaks, with_the_best_scale),
        (THREE_EXECUTIONS, two_peaks, without_a_dist_at_the_top),
    ],
    ids=lambda one: getattr(one, "id", getattr(one, "__name__", "")),
)
def test_each_broken_step_is_refuted(claim: Any, quality: Mechanism, broken: Mechanism) -> None:
    domain = tuple(product((100,), (74, 75, 76))) if quality is twin_peaks else claim.domain
    found = verdict_on_claim(
        replace(claim, mechanism=named(quality, broken), mutant=None, domain=domain, weak_because="")
    )
    assert found.status is Status.REFUTED

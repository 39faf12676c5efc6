"""A verdict for every ε, against verdicts at single ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from dpverify.mechanisms import exact, symbolic
from dpverify.mechanisms.exact.exact_numbers import ExactLike
from dpverify.mechanisms.laws.substitution import Substitution
from dpverify.reports.record import Status
from dpverify.verifiers import Verdict, check_privacy


def compare(verdict: Verdict, at: Sequence[ExactLike], mechanism: Any, *args: Any, **claim: Any) -> None:
    """The verdict for all ε says of each single one what a check of that one says."""
    assert verdict.fails_at is not None
    assert (verdict.status is Status.REFUTED) == bool(verdict.fails_at)
    samples = [interval.sample() for interval in verdict.fails_at]
    for before, after in pairwise(sample for sample in samples if sample is not None):
        assert before < after
    assert symbolic.symbol is not None
    for epsilon in at:
        put = Substitution(symbolic.symbol, exact(epsilon))
        single = check_privacy(mechanism, *args, recheck=False, **{name: put(value) for name, value in claim.items()})
        fails = any(epsilon in interval for interval in verdict.fails_at)
        assert (single.status is Status.REFUTED) == fails, epsilon

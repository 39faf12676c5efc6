"""A verdict for every ε, against verdicts at single ones."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from dpverify.mechanisms import exact, symbolic
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.reports.record import Status
from dpverify.verifiers import Proved, Refuted, Verdict, check_privacy
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import EpsilonInterval


def failing(verdict: Verdict) -> tuple[EpsilonInterval, ...]:
    """Where a claim for all ε fails: nowhere, if it is proved."""
    if isinstance(verdict, Proved):
        return ()
    assert isinstance(verdict, Refuted) and verdict.fails_at, f"{verdict} says nothing of all ε"
    return verdict.fails_at


def compare(verdict: Verdict, at: Sequence[ExactLike], mechanism: Any, *args: Any, **claim: Any) -> None:
    """The verdict for all ε says of each single one what a check of that one says."""
    samples = [interval.sample() for interval in failing(verdict)]
    for before, after in pairwise(sample for sample in samples if sample is not None):
        assert before < after
    assert symbolic.symbol is not None
    for epsilon in at:
        put = DistributionSubstitution(symbolic.symbol, exact(epsilon))
        single = check_privacy(mechanism, *args, recheck=False, **{name: put(value) for name, value in claim.items()})
        fails = any(epsilon in interval for interval in failing(verdict))
        assert (single.status is Status.REFUTED) == fails, epsilon

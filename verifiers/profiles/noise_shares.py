"""The share of its noise that a mechanism needs for its claim: the claim decided anew with other shares of the noise.

Privacy is not monotone in the noise: a selection with a threshold may fail with three quarters of its noise and hold
with a sixteenth of it, where it is all but deterministic. So nothing is searched between shares: each of a fixed grid
is decided by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.privacy_record import NoiseShare
from dpverify.reports.record import Status
from dpverify.verifiers.deciding.deciding import decided_on, status_on
from dpverify.verifiers.experiments.experiment import Experiment
from dpverify.verifiers.experiments.repetition import never_repeated
from dpverify.verifiers.profiles.nearby import on_few_pairs
from dpverify.verifiers.verdicts.verdict import Verdict

_HALF: Final = Fraction(1, 2)
"""The share that is decided in every audit."""

GRID: Final = tuple(map(Fraction, ("2", "1", "3/4", "1/2", "1/4", "1/8", "1/16", "0")))
"""The shares that are decided where slack is measured, by falling share."""

_MOST_BEYOND_FLOATS: Final = 1_000
"""Pairs of laws up to which little noise is tried where it makes probabilities that no float holds: each is asked by
exact numbers, which take the longer the smaller they are."""


def with_half_the_noise(verdict: Verdict) -> list[NoiseShare]:
    """What becomes of a claim with half the noise, on the pairs where it comes nearest to failing first.

    Empty where nothing that the mechanism draws is noise of a scale.
    """
    experiment = _of(verdict)
    if not verdict.basis.has_scaled:
        return []
    with suppress(InputError, Undecided):  # of which all pairs tell
        if status_on(_with(_HALF, on_few_pairs(experiment, verdict))) is Status.REFUTED:
            return [NoiseShare(share=str(_HALF), verdict=Status.REFUTED, delta=None, reason="on a few pairs")]
    return [_decided_at(_HALF, experiment)]


def with_each_share(verdict: Verdict) -> list[NoiseShare]:
    """What becomes of a claim with each share of the noise, with the exact worst δ; empty as for half the noise."""
    experiment = _of(verdict)
    if not verdict.basis.has_scaled:
        return []
    delta = None if verdict.delta is None else verdict.delta.quantity
    known = {Fraction(1): NoiseShare(share="1", verdict=verdict.status, delta=delta, reason="")}
    if _is_beyond_floats(verdict):
        known |= {share: _not_tried(share) for share in GRID if 0 < share < _HALF}
    return [known.get(share) or _decided_at(share, experiment) for share in GRID]


def _is_beyond_floats(verdict: Verdict) -> bool:
    laws = verdict.basis.laws
    if laws is None or laws.densities is not None:
        return False
    return laws.compared.count > _MOST_BEYOND_FLOATS and not laws.table.is_trusted


def _not_tried(share: Fraction) -> NoiseShare:
    reason = "not tried: with all noise there are probabilities already that no float holds"
    return NoiseShare(share=str(share), verdict=None, delta=None, reason=reason)


def _of(verdict: Verdict) -> Experiment:
    assert verdict.basis.experiment is not None, "a claim is decided on an experiment"
    return verdict.basis.experiment


def _with(share: Fraction, experiment: Experiment) -> Experiment:
    """The experiment with a share of the noise, not repeated."""
    return replace(experiment, share=share, repeating=never_repeated)


def _decided_at(share: Fraction, experiment: Experiment) -> NoiseShare:
    """What becomes of a claim with a share of the noise."""
    try:
        found = decided_on(_with(share, experiment))
    except (InputError, Undecided) as error:  # a mechanism may count on its noise
        return NoiseShare(share=str(share), verdict=None, delta=None, reason=one_line(str(error)))
    delta = None if found.delta is None else found.delta.quantity
    reason = found.reason if found.status is Status.UNDECIDED else ""
    return NoiseShare(share=str(share), verdict=found.status, delta=delta, reason=reason)


def slack_of(found: Sequence[NoiseShare]) -> Fraction | None:
    """The least share of the run of shares, from 1 down, with which a claim is proved; None where not all are known."""
    verdicts = {Fraction(point.share): point.verdict for point in found}
    if not verdicts.keys() >= set(GRID) or verdicts[Fraction(1)] is not Status.PROVED:
        return None
    least = Fraction(1)
    for share in GRID:
        if share < 1:
            if verdicts[share] is not Status.PROVED:
                break
            least = share
    return least

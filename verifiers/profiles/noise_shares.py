"""The share of its noise that a mechanism needs for its claim: the claim decided anew with other shares of the noise.

Privacy is not monotone in the noise: a selection with a threshold may fail with three quarters of its noise and hold
with a sixteenth of it, where it is all but deterministic. So nothing is searched between shares: each of a fixed grid
is decided by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, NamedTuple

from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.privacy_record import ON_FEW_PAIRS, NoiseShare
from dpverify.reports.record import Status
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.profiles.nearby import nearest_pairs, refuted_on, violating_pair
from dpverify.verifiers.verdicts.verdict import Refuted, Verdict

_HALF: Final = Fraction(1, 2)
"""The share that is decided in every audit."""

GRID: Final = tuple(map(Fraction, ("2", "1", "3/4", "1/2", "1/4", "1/8", "1/16", "0")))
"""The shares that are decided where slack is measured, by falling share."""

_MOST_BEYOND_FLOATS: Final = 1_000
"""Pairs of laws up to which little noise is tried where it makes probabilities that no float holds: each is asked by
exact numbers, which take the longer the smaller they are."""


def with_half_the_noise(verdict: Verdict) -> list[NoiseShare]:
    """The fate of a claim with half the noise, on the pairs where it comes nearest to failing first.

    Empty where nothing that the mechanism draws is noise of a scale.
    """
    experiment = _of(verdict)
    if not verdict.basis.has_scaled:
        return []
    return [_decided_at(_HALF, experiment, nearest_pairs(experiment, verdict)).point]


def with_each_share(verdict: Verdict) -> list[NoiseShare]:
    """The fate of a claim with each share of the noise; empty as for half the noise.

    Each is decided on the pairs where the claim, or a larger share, comes nearest to failing first: what they refute is
    not decided on others, and has no worst δ.
    """
    if not verdict.basis.has_scaled:
        return []
    return list(_shares(_of(verdict), verdict))


def _shares(experiment: Experiment, verdict: Verdict) -> Iterator[NoiseShare]:
    delta = None if verdict.delta is None else verdict.delta.quantity
    is_little_tried = _is_beyond_floats(verdict)
    nearest = nearest_pairs(experiment, verdict)
    for share in GRID:
        if share == 1:
            yield NoiseShare(share="1", verdict=verdict.status, delta=delta, reason="")
        elif is_little_tried and 0 < share < _HALF:
            yield _not_tried(share)
        else:
            result = _decided_at(share, experiment, nearest)
            nearest = (*result.violating, *nearest)
            yield result.point


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


class _Decided(NamedTuple):
    """The fate of a claim with a share of the noise, and the pair that none of those tried before stands for."""

    point: NoiseShare
    violating: tuple[int, ...] = ()


def _decided_at(share: Fraction, experiment: Experiment, nearest: tuple[int, ...]) -> _Decided:
    """The fate of a claim with a share of the noise, on the pairs at these positions first."""
    experiment = _with(share, experiment)
    if refuted_on(experiment, nearest):
        return _Decided(NoiseShare(share=str(share), verdict=Status.REFUTED, delta=None, reason=ON_FEW_PAIRS))
    return _decided_on_all(experiment)


def _decided_on_all(experiment: Experiment) -> _Decided:
    """The same on all pairs at once."""
    share = str(experiment.share)
    try:
        verdict = decided_on(experiment)
    except (InputError, Undecided) as error:  # a mechanism may count on its noise
        return _Decided(NoiseShare(share=share, verdict=None, delta=None, reason=one_line(str(error))))
    delta = None if verdict.delta is None else verdict.delta.quantity
    reason = verdict.reason if verdict.status is Status.UNDECIDED else ""
    violating = (violating_pair(experiment, verdict),) if isinstance(verdict, Refuted) else ()
    return _Decided(NoiseShare(share=share, verdict=verdict.status, delta=delta, reason=reason), violating)


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

"""Noise multipliers: a claim decided again with all noise of its mechanism multiplied by a number.

Privacy is not monotone in the noise: a selection with a threshold may fail with three quarters of its noise and hold
with a sixteenth of it, where it is all but deterministic. So nothing is searched between multipliers: each of a fixed
grid is decided by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, NamedTuple

from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.privacy_record import ON_FEW_PAIRS, NoiseMultiplier
from dpverify.reports.record import Status
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.profiles.nearby import nearest_pairs, refuted_on, violating_pair
from dpverify.verifiers.verdicts.verdict import Refuted, Verdict

GRID: Final = tuple(map(Fraction, ("2", "1", "3/4", "1/2", "1/4", "1/8", "1/16", "0")))
"""The multipliers that are decided where headroom is measured, falling."""

_MOST_BEYOND_FLOATS: Final = 1_000
"""Pairs of laws up to which little noise is tried where it makes probabilities that no float holds: each is asked by
exact numbers, which take the longer the smaller they are."""


def with_each_multiplier(verdict: Verdict) -> list[NoiseMultiplier]:
    """The fate of a claim with each multiplier; empty where nothing that the mechanism draws is noise of a scale.

    Each is decided on the pairs where the claim, or a larger multiplier, comes nearest to failing first: what they
    refute is not decided on others, and has no worst δ.
    """
    if not verdict.basis.has_scaled:
        return []
    return list(_multipliers(_of(verdict), verdict))


def _multipliers(experiment: Experiment, verdict: Verdict) -> Iterator[NoiseMultiplier]:
    delta = None if verdict.delta is None else verdict.delta.quantity
    is_little_tried = _is_beyond_floats(verdict)
    nearest = nearest_pairs(experiment, verdict)
    for multiplier in GRID:
        if multiplier == 1:
            yield NoiseMultiplier(multiplier="1", verdict=verdict.status, delta=delta, reason="")
        elif is_little_tried and 0 < multiplier < Fraction(1, 2):
            yield _not_tried(multiplier)
        else:
            result = _decided_at(multiplier, experiment, nearest)
            nearest = (*result.violating, *nearest)
            yield result.point


def _is_beyond_floats(verdict: Verdict) -> bool:
    laws = verdict.basis.laws
    if laws is None or laws.densities is not None:
        return False
    return laws.compared.count > _MOST_BEYOND_FLOATS and not laws.table.is_trusted


def _not_tried(multiplier: Fraction) -> NoiseMultiplier:
    reason = "not tried: with all noise there are probabilities already that no float holds"
    return NoiseMultiplier(multiplier=str(multiplier), verdict=None, delta=None, reason=reason)


def _of(verdict: Verdict) -> Experiment:
    assert verdict.basis.experiment is not None, "a claim is decided on an experiment"
    return verdict.basis.experiment


def _with(multiplier: Fraction, experiment: Experiment) -> Experiment:
    """The experiment with a noise multiplier, not repeated."""
    return replace(experiment, share=multiplier, repeating=never_repeated)


class _Decided(NamedTuple):
    """The fate of a claim with a noise multiplier, and the pair that none of those tried before stands for."""

    point: NoiseMultiplier
    violating: tuple[int, ...] = ()


def _decided_at(multiplier: Fraction, experiment: Experiment, nearest: tuple[int, ...]) -> _Decided:
    """The fate of a claim with a noise multiplier, on the pairs at these positions first."""
    experiment = _with(multiplier, experiment)
    if refuted_on(experiment, nearest):
        return _Decided(
            NoiseMultiplier(multiplier=str(multiplier), verdict=Status.REFUTED, delta=None, reason=ON_FEW_PAIRS)
        )
    return _decided_on_all(experiment)


def _decided_on_all(experiment: Experiment) -> _Decided:
    """The same on all pairs at once."""
    multiplier = str(experiment.share)
    try:
        verdict = decided_on(experiment)
    except (InputError, Undecided) as error:  # a mechanism may count on its noise
        return _Decided(NoiseMultiplier(multiplier=multiplier, verdict=None, delta=None, reason=one_line(str(error))))
    delta = None if verdict.delta is None else verdict.delta.quantity
    reason = verdict.reason if verdict.status is Status.UNDECIDED else ""
    violating = (violating_pair(experiment, verdict),) if isinstance(verdict, Refuted) else ()
    return _Decided(
        NoiseMultiplier(multiplier=multiplier, verdict=verdict.status, delta=delta, reason=reason), violating
    )


def headroom_of(measured: Sequence[NoiseMultiplier]) -> Fraction | None:
    """The least of the multipliers from 1 down with which a claim is proved; None where not all are known."""
    verdicts = {Fraction(point.multiplier): point.verdict for point in measured}
    if not verdicts.keys() >= set(GRID) or verdicts[Fraction(1)] is not Status.PROVED:
        return None
    least = Fraction(1)
    for multiplier in GRID:
        if multiplier < 1:
            if verdicts[multiplier] is not Status.PROVED:
                break
            least = multiplier
    return least

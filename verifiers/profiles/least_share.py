"""The least constant that holds: a printed one is larger than a claim needs on its domain, and this says how much.

The claim is decided with a share of the constant, where it has to be PROVED, and with one just below, where it has to
be REFUTED. So headroom that a paper has becomes a result, which is decided as any other, in place of a remark.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from msgspec.structs import replace as replace_fields

from dpverify.mechanisms.functions.signatures import refuse_kept
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, as_parameter, exact
from dpverify.mechanisms.numbers.shown import one_line, shown
from dpverify.reports.privacy_record import LeastConstant, NoiseMultiplier
from dpverify.reports.record import Status
from dpverify.verifiers.deciding.deciding import decided_on, status_on
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.profiles.looseness import used_of
from dpverify.verifiers.profiles.nearby import nearest_pairs, refuted_on
from dpverify.verifiers.verdicts.tightness import tightness
from dpverify.verifiers.verdicts.verdict import Verdict

JUST_BELOW: Final = Fraction(3, 4)
"""Ratio, at least, of the number just below a least share to that share."""


@dataclass(frozen=True, kw_only=True)
class LeastShare:
    """The least share of a printed constant with which a claim holds on its domain.

    It is PROVED with `share` of it, and REFUTED with `below`, which is at least three quarters of `share`: both are
    decided where headroom is measured. Of noise it is not PROVED either with less of it that is decided there. The
    constant is the noise of the mechanism, of which the share is taken as headroom takes it, or `of` names another one,
    the share of which is the `parameter` of the mechanism. `because` says what there is too much of. Raises
    `InputError` where they are not 0 < below < share ≤ 1, or `below` is far below.
    """

    share: ExactLike
    below: ExactLike
    parameter: str = ""
    of: str = "its noise"
    because: str = ""

    def __post_init__(self) -> None:
        share, below = self.shares
        if not 0 < below < share <= 1:
            raise InputError(
                bad_input.RANGE, f"LeastShare: share={share}, below={below}", "such that 0 < below < share ≤ 1"
            )
        if below < JUST_BELOW * share:
            nearest = JUST_BELOW * share
            raise InputError(
                bad_input.RANGE, f"LeastShare: below={below}", f"just below share={share}, at least {nearest}"
            )
        for name in ("parameter", "of", "because"):
            if not isinstance(getattr(self, name), str):
                raise InputError(
                    bad_input.TEXT, f"LeastShare: {name}={shown(getattr(self, name))}", "write it in quotes"
                )

    @property
    def shares(self) -> tuple[Fraction, Fraction]:
        """The least one, and the one just below. Raises `InputError` where one is no rational number."""
        return _fraction(self.share, "share"), _fraction(self.below, "below")


def _fraction(value: ExactLike, name: str) -> Fraction:
    number = as_parameter(exact(value, name))
    if not isinstance(number, Fraction):
        raise InputError(bad_input.RATIONAL, f"LeastShare: {name}={shown(value)}")
    return number


def least_constant(verdict: Verdict, least: LeastShare, multipliers: Sequence[NoiseMultiplier]) -> LeastConstant:
    """The fate of a claim with the least share that is given, and just below, `verdict` being that on the claim.

    Of its noise it is not the least where the claim is PROVED with less of it again, among the `multipliers` of a grid.
    """
    experiment = verdict.basis.experiment
    assert experiment is not None, "a claim is decided on an experiment"
    share, below = least.shares
    constant = LeastConstant(
        of=least.of, parameter=least.parameter, share=str(share), below=str(below), because=least.because
    )
    try:
        result = decided_on(_with(share, least, experiment))
        return replace_fields(
            constant,
            verdict=result.status,
            below_verdict=_status_of(_with(below, least, experiment), verdict),
            uses_little=_uses_little(result, experiment),
            reason="" if least.parameter else _holds_again(below, multipliers),
        )
    except (InputError, Undecided) as error:  # a mechanism may count on its constant
        return replace_fields(constant, reason=one_line(str(error)))


def _holds_again(below: Fraction, multipliers: Sequence[NoiseMultiplier]) -> str:
    held = (each.multiplier for each in multipliers if each.verdict is Status.PROVED)
    again = next((one for one in held if Fraction(one) < below), None)
    return f"PROVED again with {again}" if again is not None else ""


def _with(share: Fraction, least: LeastShare, experiment: Experiment) -> Experiment:
    """The experiment with a share of the constant, not repeated."""
    if not least.parameter:
        return replace(experiment, share=share, repeating=never_repeated)
    question = experiment.question
    refuse_kept(question.mechanism, least.parameter, question.parameters)
    parameters = {**question.parameters, least.parameter: share}
    return replace(experiment, question=replace(question, parameters=parameters), repeating=never_repeated)


def _status_of(under: Experiment, verdict: Verdict) -> Status:
    """The status of a verdict, on the pairs where the claim comes nearest to failing first."""
    return Status.REFUTED if refuted_on(under, nearest_pairs(under, verdict)) else status_on(under)


def _uses_little(found: Verdict, experiment: Experiment) -> bool:
    if experiment.question.symbol is not None or found.delta is None:
        return False
    claimed = experiment.question.claim
    used = used_of(claimed, tightness(found, claimed, None), found.delta.quantity)
    return used is not None and used.is_little

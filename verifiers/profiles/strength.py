"""The strength of a claim: the least noise multiplier that is enough, the used part of its ε and δ, if it is loose."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpverify.reports.privacy_record import LeastConstant, NoiseMultiplier
from dpverify.reports.record import Quantity
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.profiles.least_share import LeastShare, least_constant
from dpverify.verifiers.profiles.looseness import is_loose, used_of
from dpverify.verifiers.profiles.noise_multipliers import headroom_of, with_each_multiplier
from dpverify.verifiers.verdicts.profile import PrivacyProfile
from dpverify.verifiers.verdicts.tightness import tightness
from dpverify.verifiers.verdicts.verdict import Proved, Verdict


@dataclass(frozen=True)
class Strength:
    """The strength of a claim; None stands for each part that was not measured."""

    tight_over_claimed: str | None = None
    """Tight ε over claimed ε, at the claimed δ, in decimals; ∞ where no ε is enough."""
    delta: Quantity | None = None
    """The worst δ at the claimed ε."""
    multipliers: Sequence[NoiseMultiplier] | None = None
    """The verdicts with other noise multipliers, falling; empty without noise of a scale."""
    least: LeastConstant | None = None
    loose: bool | None = None

    @property
    def headroom(self) -> str | None:
        """The least noise multiplier, from 1 down, with which it is PROVED."""
        headroom = None if self.multipliers is None else headroom_of(self.multipliers)
        return None if headroom is None else str(headroom)


def strength_of(
    verdict: Verdict,
    claimed: PrivacyGuarantee,
    profile: PrivacyProfile | None,
    least: LeastShare | None,
    *,
    each_multiplier: bool,
) -> Strength:
    """The strength of a claim on which `verdict` is, of which the least constant may be `least`.

    Of a mechanism that draws noise of a scale no multiplier is tried, and none is loose, without `each_multiplier`; nor
    where a claim is not PROVED, or all output distributions agree.
    """
    used = tightness(verdict, claimed, profile)
    delta = None if verdict.delta is None else verdict.delta.quantity
    if not isinstance(verdict, Proved) or verdict.neighbours_agree or verdict.basis.experiment is None:
        return Strength(used, delta)
    if verdict.basis.has_scaled and not each_multiplier:
        return Strength(used, delta)
    multipliers = with_each_multiplier(verdict)
    is_measured = headroom_of(multipliers) is not None
    constant = least_constant(verdict, least, multipliers) if least is not None and is_measured else None
    return Strength(used, delta, multipliers, constant, is_loose(multipliers, used_of(claimed, used, delta), constant))

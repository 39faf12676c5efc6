"""The strength of a claim: the least of its noise that is enough, what it uses of its ε and δ, and if it is weak.

An audit and `dpverify mutate` say it of a claim in the same words, and mean the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpverify.reports.privacy_record import LeastConstant, NoiseShare
from dpverify.reports.record import Quantity
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.profiles.least_share import LeastShare, least_constant
from dpverify.verifiers.profiles.noise_shares import slack_of, with_each_share, with_half_the_noise
from dpverify.verifiers.profiles.weakness import is_weak, used_of
from dpverify.verifiers.verdicts.profile import PrivacyProfile
from dpverify.verifiers.verdicts.tightness import tightness
from dpverify.verifiers.verdicts.verdict import Proved, Verdict


@dataclass(frozen=True)
class Strength:
    """The strength of a claim; None stands for each part that was not measured."""

    tightness: str | None = None
    """The part of the claimed ε that is needed at the claimed δ, in decimals; ∞ where no ε is enough."""
    delta: Quantity | None = None
    """The worst δ at the claimed ε."""
    shares: Sequence[NoiseShare] | None = None
    """The verdicts with other shares of its noise, by falling share; empty without noise of a scale."""
    least: LeastConstant | None = None
    weak: bool | None = None

    @property
    def slack(self) -> str | None:
        """The least share, from 1 down, with which it is PROVED."""
        slack = None if self.shares is None else slack_of(self.shares)
        return None if slack is None else str(slack)


def strength_of(
    verdict: Verdict,
    claimed: PrivacyGuarantee,
    profile: PrivacyProfile | None,
    least: LeastShare | None,
    *,
    each_share: bool,
) -> Strength:
    """The strength of a claim on which `verdict` is, of which the least constant may be `least`.

    Half the noise alone is tried, and none is weak, without `each_share`; nor where a claim is not PROVED, or all laws
    agree.
    """
    used = tightness(verdict, claimed, profile)
    delta = None if verdict.delta is None else verdict.delta.quantity
    if not isinstance(verdict, Proved) or verdict.neighbours_agree or verdict.basis.experiment is None:
        return Strength(used, delta)
    shares = with_each_share(verdict) if each_share else with_half_the_noise(verdict)
    constant = None if least is None or slack_of(shares) is None else least_constant(verdict, least, shares)
    return Strength(used, delta, shares, constant, is_weak(shares, used_of(claimed, used, delta), constant))

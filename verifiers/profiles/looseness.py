"""Loose claims of privacy: those that hold with little noise, or use little of their ε and of their δ."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.reports.privacy_record import LeastConstant, NoiseMultiplier
from dpverify.reports.record import Quantity, Status
from dpverify.verifiers.divergence.output_tables.enclosed import enclosed
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.profiles.noise_multipliers import headroom_of

LITTLE: Final = Fraction(1, 4)
"""A claim that holds down to this noise multiplier, or uses no more of its ε and of its δ, says little."""


class Used(NamedTuple):
    """Used parts of a claimed ε and δ; None where one is not known, or where 0 is claimed."""

    of_epsilon: Fraction | None = None
    of_delta: Fraction | None = None

    @property
    def is_little(self) -> bool:
        """True where both are little; 0 has nothing to be used, and neither known is not said to be little."""
        known = [part for part in self if part is not None]
        return bool(known) and all(part <= LITTLE for part in known)


def used_of(claimed: PrivacyGuarantee, tight: str | None, delta: Quantity | None) -> Used | None:
    """Used part of a claim at one ε, by tight ε over claimed ε and the worst δ; None where one needed is unknown."""
    of_epsilon = None if tight is None else Fraction(tight) if tight != "∞" else Fraction(2)
    if (claimed.epsilon is not ZERO and of_epsilon is None) or (claimed.delta is not ZERO and delta is None):
        return None
    of_delta = None
    if claimed.delta is not ZERO and delta is not None:
        of_delta = Fraction(delta.upper) / Fraction(enclosed(claimed.delta).quantity.lower)
    return Used(None if claimed.epsilon is ZERO else of_epsilon, of_delta)


def is_loose(
    measured: Sequence[NoiseMultiplier], used: Used | None = None, least: LeastConstant | None = None
) -> bool | None:
    """True where a far worse mechanism earns the claim, too; None where that was not measured.

    It does where none of its noise is enough, or a quarter, and where it uses little of its ε and of its δ. A claim
    that comes out undecided, or with an error, without noise is not said to be loose. Where the least constant is known
    it is that with which a claim is judged: what is refuted just below it says much, and headroom is the paper's.
    """
    uses_little = used is not None and used.is_little
    if not measured:
        return uses_little
    headroom = headroom_of(measured)
    if headroom is None:
        return None
    held_without = any(point.multiplier == "0" and point.verdict is Status.PROVED for point in measured)
    if least is not None and least.is_least and not least.uses_little and (least.parameter or not held_without):
        return False
    return headroom <= LITTLE or held_without or uses_little

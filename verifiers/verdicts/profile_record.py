"""The record of a privacy profile, and of a claim for every ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE
from dpverify.mechanisms.numbers.roots.delta_symbol import holds_delta
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbol_in
from dpverify.reports.privacy_record import CurvePoint, ForAllEpsilon, ProfilePiece
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import EpsilonInterval
from dpverify.verifiers.divergence.every_epsilon.few_rows_sets import FailingSet
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.verdicts.compared_distributions import Laws
from dpverify.verifiers.verdicts.profile import PrivacyProfile, profile_of

_MOST_PAIRS: Final = 2_000
"""Distinct pairs of distributions up to which an audit computes the privacy profile as well."""


def profile_or_none(laws: Laws | None) -> PrivacyProfile | None:
    """The profile of distributions; None where they are too many, or it is not known."""
    if laws is None or laws.distinct_pairs > _MOST_PAIRS:
        return None
    try:
        return profile_of(laws)
    except Undecided:
        return None


def curve_of(profile: PrivacyProfile | None, claim: PrivacyGuarantee) -> list[CurvePoint] | None:
    """Points of δ(ε) from 0 to beyond the claimed ε, or to where it is 0; None where it has pieces, or is not known."""
    if profile is None or profile.laws.densities is None:
        return None
    try:
        least = profile.epsilon(0)
        far = max((number for number in (least, claim.epsilon) if number is not None and number > 0), default=ONE)
        most = far if least is not None or claim.epsilon == 0 else 2 * claim.epsilon
        return profile.points(most)
    except Undecided:
        return None


def pieces_of(profile: PrivacyProfile | None) -> list[ProfilePiece] | None:
    """The pieces of a profile in decimals; None where it has none."""
    if profile is None:
        return None
    return [piece.record for piece in profile.pieces] or None


def for_all_epsilon(
    claim: PrivacyGuarantee,
    parameters: Mapping[str, Any],
    fails_at: tuple[EpsilonInterval, ...] | None,
    fails_in: FailingSet | None = None,
) -> ForAllEpsilon | None:
    """The claim for every ε, or every δ, and where it fails; None of a claim for one ε and one δ."""
    every_delta = holds_delta((*claim, dict(parameters)))
    if not every_delta and symbol_in((*claim, dict(parameters))) is None:
        return None
    ranges = None if fails_at is None else [interval.record for interval in fails_at]
    region = None if fails_in is None else fails_in.record
    return ForAllEpsilon(str(claim.epsilon), str(claim.delta), ranges, every_delta, region)

"""A verdict as a record: what an audit, a report and a notebook have in common of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from dpverify.mechanisms.laws.mechanism import Mechanism, name_of
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import Scope
from dpverify.verifiers.privacy.case import PrivacyGuarantee
from dpverify.verifiers.privacy.domains import Domain
from dpverify.verifiers.privacy.enclosed import enclosed
from dpverify.verifiers.privacy.moves import Relation
from dpverify.verifiers.privacy.profile import PrivacyProfile
from dpverify.verifiers.privacy.profile_record import curve_of, for_all_epsilon, pieces_of
from dpverify.verifiers.readable import readable, shown_parameter

if TYPE_CHECKING:
    from dpverify.verifiers.privacy.verdict import Verdict


class Asked(NamedTuple):
    """What a verdict is about."""

    mechanism: Mechanism
    domain: Domain
    neighbours: Relation
    claim: PrivacyGuarantee
    parameters: Mapping[str, Any]


def record_of(verdict: Verdict, asked: Asked, scope: Scope, profile: PrivacyProfile | None) -> PrivacyResult:
    """The verdict as a record under the mechanism's name, as expected, without what takes further checks."""
    claim = asked.claim
    for_all = for_all_epsilon(claim, asked.parameters, verdict.fails_at)
    return PrivacyResult(
        id=name_of(asked.mechanism),
        source="",
        statement="",
        mechanism=name_of(asked.mechanism),
        # by name, as the JSON form has them, so that an audit that is read back is rendered as it was
        parameters={name: shown_parameter(value) for name, value in sorted(asked.parameters.items())},
        domain=repr(asked.domain),
        neighbours=name_of(asked.neighbours),
        epsilon=None if for_all is not None else enclosed(claim.epsilon).quantity,
        delta=None if for_all is not None else enclosed(claim.delta).quantity,
        for_all_epsilon=for_all,
        expected=verdict.status,
        verdict=verdict.status,
        reason=verdict.reason,
        scope=scope,
        databases=verdict.databases,
        pairs=verdict.pairs.covered,
        distinct_pairs=verdict.pairs.distinct,
        skipped_neighbours=verdict.pairs.outside,
        exact_epsilon=None if verdict.epsilon is None else verdict.epsilon.quantity,
        exact_delta=None if verdict.delta is None else verdict.delta.quantity,
        worst_pair=None if verdict.worst is None else [readable(database) for database in verdict.worst],
        profile=pieces_of(profile),
        curve=curve_of(profile, claim),
        sweep=[],
        trend="",
        witness=None if verdict.witness is None else verdict.witness.record,
        mutant=None,
        neighbours_agree=verdict.neighbours_agree,
        neighbours_agree_expected=True,
        strict=False,
    )

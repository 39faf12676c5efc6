"""A verdict as people see it: a line and its witness; in a notebook a row of a report, with the curve of its δ."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dpverify.mechanisms.laws.mechanism import Mechanism, name_of
from dpverify.reports.kinds.privacy import KIND
from dpverify.reports.privacy_record import FINITE_DOMAIN, PrivacyResult
from dpverify.reports.record import Scope, Status, storable
from dpverify.verifiers.privacy.case import PrivacyClaim
from dpverify.verifiers.privacy.domains import Domain
from dpverify.verifiers.privacy.enclosed import enclosed
from dpverify.verifiers.privacy.neighbours import Relation
from dpverify.verifiers.privacy.profile_record import curve_of, for_all_epsilon, pieces_of, profile_or_none
from dpverify.verifiers.readable import readable, shown_parameter

if TYPE_CHECKING:
    from dpverify.verifiers.privacy.verdict import Verdict

_WIDTH: Final = 110


class Asked(NamedTuple):
    """What a verdict is about."""

    mechanism: Mechanism
    domain: Domain
    neighbours: Relation
    claim: PrivacyClaim
    parameters: Mapping[str, Any]


def in_lines(verdict: Verdict, asked: Asked) -> str:
    """The verdict in a line, why it is none, or worth a look, below it, and the witness."""
    result = _record(verdict, asked, with_profile=False)
    found = f"{KIND.claimed(result)}, found {KIND.found(result)}, {KIND.extent(result)}"
    lines = [f"{result.verdict} {result.mechanism}: {found}"]
    if verdict.status is Status.UNDECIDED or verdict.neighbours_agree:
        lines += (f"    {line}" for line in textwrap.wrap(result.reason, _WIDTH))
    return "\n".join([*lines, *(f"    {line}" for line in KIND.witness(result))])


def in_html(verdict: Verdict, asked: Asked) -> str:
    """The row of a report, its witness, and the curve of the worst δ at every ε."""
    from dpverify.reports.html import row_of  # what a page is made with takes long to load

    return row_of(_record(verdict, asked, with_profile=True))


def _record(verdict: Verdict, asked: Asked, *, with_profile: bool) -> PrivacyResult:
    """The verdict as an audit would have it, but for what takes further checks."""
    claim = asked.claim
    for_all = for_all_epsilon(claim, asked.parameters, verdict.fails_at)
    profile = profile_or_none(verdict.laws) if with_profile else None
    reach_all = verdict.for_all_sizes and verdict.status is Status.PROVED
    return storable(
        PrivacyResult(
            id=name_of(asked.mechanism),
            source="",
            statement="",
            mechanism=name_of(asked.mechanism),
            parameters={name: shown_parameter(value) for name, value in sorted(asked.parameters.items())},
            domain=repr(asked.domain),
            neighbours=name_of(asked.neighbours),
            epsilon=None if for_all is not None else enclosed(claim.epsilon).quantity,
            delta=None if for_all is not None else enclosed(claim.delta).quantity,
            for_all_epsilon=for_all,
            expected=verdict.status,
            verdict=verdict.status,
            reason=verdict.reason,
            scope=Scope(
                "all" if reach_all else "finite", "" if reach_all else FINITE_DOMAIN, verdict.recheck, verdict.scope
            ),
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
    )

"""A verdict as people see it: a line and its witness; in a notebook a row of a report, with the curve of its δ."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from dpverify.reports.kinds.privacy import KIND
from dpverify.reports.privacy_record import FINITE_DOMAIN, PrivacyResult
from dpverify.reports.record import Scope, Status, storable
from dpverify.verifiers.privacy.profile_record import profile_or_none
from dpverify.verifiers.privacy.question import Question
from dpverify.verifiers.privacy.verdict_record import record_of

if TYPE_CHECKING:
    from dpverify.verifiers.privacy.verdict import Verdict

_WIDTH: Final = 110


def in_lines(verdict: Verdict, question: Question) -> str:
    """The verdict in a line, why it is none, or worth a look, below it, and the witness."""
    result = _record(verdict, question, with_profile=False)
    found = f"{KIND.claimed(result)}, found {KIND.found(result)}, {KIND.extent(result)}"
    lines = [f"{result.verdict} {result.mechanism}: {found}"]
    if verdict.status is Status.UNDECIDED or verdict.neighbours_agree:
        lines += (f"    {line}" for line in textwrap.wrap(result.reason, _WIDTH))
    return "\n".join([*lines, *(f"    {line}" for line in KIND.witness(result))])


def in_html(verdict: Verdict, question: Question) -> str:
    """The row of a report, its witness, and the curve of the worst δ at every ε."""
    from dpverify.reports.html import row_of  # what a page is made with takes long to load

    return row_of(_record(verdict, question, with_profile=True))


def _record(verdict: Verdict, question: Question, *, with_profile: bool) -> PrivacyResult:
    """The verdict as an audit would have it, but for what takes further checks."""
    reach_all = verdict.for_all_sizes and verdict.status is Status.PROVED
    scope = Scope("all" if reach_all else "finite", "" if reach_all else FINITE_DOMAIN, verdict.recheck, verdict.scope)
    return storable(record_of(verdict, question, scope, profile_or_none(verdict.laws) if with_profile else None))

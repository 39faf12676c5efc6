"""The first lists of a page, and where the rest is: surprises, what is refuted and known, what is loose, chapters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from dpverify.reports.audits.summary import REFUTED_AS, Group, groups, refuted_kind
from dpverify.reports.record import AuditRecord, ClaimResult, NotDecided, RefutationKind, Status


class Chapter(NamedTuple):
    """The groups of one paper, or of one file: what their names begin with, and the title that most of them give."""

    name: str
    title: str
    groups: Sequence[Group]
    surprises: int
    """The number of its claims that are told of before all: they are not as expected, and not among its groups."""

    @property
    def claims(self) -> list[ClaimResult]:
        """Its claims, in order."""
        return [claim for group in self.groups for claim in group.claims]


_PAPER: Final = re.compile(r"[A-Z]\w*(?:-[A-Z](?=-))?(?=-)")
"""Pattern of the beginning of the name of a row of a catalogue, such as BNS-J of BNS-J-2.26."""


def chapters(audit: AuditRecord) -> list[Chapter]:
    """The claims that are as expected, by paper, or by file, in order of occurrence."""
    results: dict[str, list[Group]] = {}
    for group in groups(audit):
        results.setdefault(_paper(group.name), []).append(group)
    return [_chapter(name, parts) for name, parts in results.items() if any(map(as_expected, parts))]


def _chapter(name: str, parts: Sequence[Group]) -> Chapter:
    claims = [claim for group in parts for claim in group.claims]
    surprising = sum(not claim.as_expected for claim in claims)
    kept = [Group(group.name, as_expected(group)) for group in parts if as_expected(group)]
    return Chapter(name, _title(claim.source for claim in claims), kept, surprising)


def as_expected(group: Group) -> list[ClaimResult]:
    """The claims of a group that are as expected, which is where they are told of: others are told of before all."""
    return [claim for claim in group.claims if claim.as_expected]


LEGEND: Final = (
    "PROVED: holds exactly on the domain shown. REFUTED: a counterexample is shown; by samples, at the stated "
    "confidence. CHECKED, FUZZED, INCONCLUSIVE: not refuted, and not proved. Tight ε: smallest ε at the claimed δ. "
    "Headroom: smallest noise multiplier with which the claim holds. Loose: a quarter of the noise or budget suffices. "
    "Bar: privacy loss used; mark: claimed budget."
)
"""Instructions for reading a page, for all kinds of claims."""


def _paper(name: str) -> str:
    start = _PAPER.match(name)
    return name if start is None or "/" in name or ":" in name or name.endswith(".py") else start[0]


def _title(sources: Iterable[str]) -> str:
    """The longest beginning that half of the sources have, up to a comma; empty where they have none."""
    parts = [source.split(", ") for source in sources if source]
    title: list[str] = []
    while parts:
        following = Counter(
            part[len(title)] for part in parts if part[: len(title)] == title and len(part) > len(title)
        )
        if not following:
            break
        word, count = following.most_common(1)[0]
        if 2 * count <= len(parts) or (count == 1 and title):
            break
        title.append(word)
    return ", ".join(title)


def surprises(audit: AuditRecord) -> list[ClaimResult]:
    """The claims that are not as expected, refuted ones first."""
    return sorted(
        (claim for claim in audit.claims if not claim.as_expected), key=lambda one: one.verdict is not Status.REFUTED
    )


class GroupRemark(NamedTuple):
    """Refuted claims of a group of which one thing is said: sentences, or nothing."""

    group: Group
    claims: Sequence[ClaimResult]
    why: str


class Known(NamedTuple):
    """The claims that are refuted as expected, of one kind of refutation: a name for a count, and what that means."""

    kind: RefutationKind | None
    name: str
    meaning: str
    told: Sequence[GroupRemark]

    @property
    def claims(self) -> list[ClaimResult]:
        """All of them."""
        return [claim for told in self.told for claim in told.claims]


def known(audit: AuditRecord) -> list[Known]:
    """The claims that are refuted as expected, by the kind of refutation: statements first."""
    results = [Known(kind, name, meaning, _told(audit, kind)) for kind, (name, meaning) in REFUTED_AS.items()]
    return [one for one in results if one.told]


def _told(audit: AuditRecord, kind: RefutationKind | None) -> list[GroupRemark]:
    said: dict[tuple[str, str], GroupRemark] = {}
    for group in groups(audit):
        for claim in group.claims:
            if claim.verdict is Status.REFUTED and claim.as_expected and refuted_kind(claim) is kind:
                why = "" if claim.refutation is None else claim.refutation.sentences
                earlier = said.get((group.name, why), GroupRemark(group, (), why))
                said[group.name, why] = earlier._replace(claims=[*earlier.claims, claim])
    return list(said.values())


def loose(audit: AuditRecord) -> list[GroupRemark]:
    """The verdicts that a much worse mechanism earns, too, by group."""
    results = (GroupRemark(group, [claim for claim in group.claims if claim.loose], "") for group in groups(audit))
    return [told for told in results if told.claims]


def unreached_claims(audit: AuditRecord) -> list[ClaimResult]:
    """The claims of mechanisms of which some code never ran, or reads more than its rows, and nobody accepts that."""
    return [claim for claim in audit.claims if claim.never_run is not None and claim.never_run.in_short]


def left_by_reason(audit: AuditRecord) -> list[tuple[str, Sequence[NotDecided]]]:
    """The rows that are not decided, by why, in order of occurrence."""
    results: dict[str, list[NotDecided]] = {}
    for row in audit.not_decided:
        results.setdefault(row.reason, []).append(row)
    return list(results.items())

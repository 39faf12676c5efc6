"""What the renderers have in common: counts, groups, and what is worth saying of a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from dpverify.reports.kinds import kinds
from dpverify.reports.numbers import counted
from dpverify.reports.record import AuditRecord, ClaimResult, Status


class Group(NamedTuple):
    """The claims on one row of the catalogue, such as BNS-J-2.26."""

    name: str
    claims: Sequence[ClaimResult]


def groups(audit: AuditRecord) -> list[Group]:
    """The claims by the part of the id that they share, in order of occurrence.

    That is BNS-J-2.26 of `BNS-J-2.26.privacy.printed`, a file of the tests in it, and mylib of `mylib.most_common`.
    """
    found: dict[str, list[ClaimResult]] = {}
    for claim in audit.claims:
        found.setdefault(_shared(claim.id), []).append(claim)
    return [Group(name, claims) for name, claims in found.items()]


def _shared(claim_id: str) -> str:
    for separator in (*(f".{kind}." for kind in kinds()), "::"):
        if separator in claim_id:
            return claim_id.partition(separator)[0]
    return claim_id if ":" in claim_id else claim_id.rpartition(".")[0] or claim_id


def variant(claim: ClaimResult, group: Group) -> str:
    """The part of the id that tells a claim from others of its group."""
    return claim.id.removeprefix(group.name).lstrip(".:") or claim.id


def expectation(claim: ClaimResult) -> str:
    """What is worth saying of a verdict: why it is a surprise, or that what is not held is known; else nothing."""
    return claim.surprise or ("expected" if claim.verdict in _EXPECTED_IS_WORTH_SAYING else "")


def remarks(claim: ClaimResult) -> list[str]:
    """What is said beside a verdict in a table: if it is a surprise or known, weak, or was decided earlier."""
    return [
        *filter(None, [expectation(claim)]),
        *(["weak"] if claim.weak else []),
        *(["decided earlier"] if claim.cached else []),
    ]


_EXPECTED_IS_WORTH_SAYING: Final = (Status.REFUTED, Status.UNDECIDED, Status.VACUOUS)


def counts(results: Iterable[ClaimResult]) -> list[tuple[Status, int]]:
    """How many have each verdict, in the order of `Status`, without those that none has."""
    found = Counter(result.verdict for result in results)
    return [(status, found[status]) for status in Status if found[status]]


def headline(audit: AuditRecord) -> str:
    """The audit in one sentence: how many claims have which verdict, and whether all is as expected and decided."""
    parts = ", ".join(f"{count} {status}" for status, count in counts(audit.claims))
    claims = f"{counted(len(audit.claims), 'claim')}: {parts or 'none'}"
    unexpected = sum(not result.as_expected for result in audit.claims)
    earlier = sum(claim.cached for claim in audit.claims)
    rows = counted(len(audit.not_decided), "row")
    verdict = f"{unexpected} not as expected" if unexpected else "all as expected"
    said = [claims, verdict] if audit.claims or not audit.partial else ["no claim was decided"]
    weak = sum(bool(claim.weak) for claim in audit.claims)
    if weak:
        said.append(f"{weak} weak")
    if audit.partial:
        said.append(f"not decided: {rows}; this report is partial")
    return "; ".join(said) + (f" ({earlier} decided earlier)" if earlier else "")

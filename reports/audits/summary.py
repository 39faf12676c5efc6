"""Parts that the renderers have in common: counts, groups, what is refuted, and what is worth saying of a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from dpverify.reports.kinds import kind_of, kinds
from dpverify.reports.numbers import counted
from dpverify.reports.privacy_record import LEFT_TO_DEPTH_FULL, PrivacyResult
from dpverify.reports.record import AuditRecord, ClaimResult, Origin, RefutationKind, Status


class Group(NamedTuple):
    """The claims on one row of the catalogue, such as BNS-J-2.26."""

    name: str
    claims: Sequence[ClaimResult]


def groups(audit: AuditRecord) -> list[Group]:
    """The claims by the row of a catalogue, or the file, that they are of, in order of occurrence.

    That is BNS-J-2.26 of `BNS-J-2.26.privacy.printed`, a file of the tests and the claims in it, and, where no file is
    known, mylib of `mylib.most_common`.
    """
    results: dict[str, list[ClaimResult]] = {}
    for claim in audit.claims:
        results.setdefault(_shared(claim), []).append(claim)
    return [Group(name, claims) for name, claims in results.items()]


def _shared(claim: ClaimResult) -> str:
    claim_id = claim.id
    for separator in (*(f".{kind}." for kind in kinds()), "::"):
        if separator in claim_id:
            return claim_id.partition(separator)[0]
    if claim.location is not None and claim.location.file:
        return claim.location.file
    return claim_id if ":" in claim_id else claim_id.rpartition(".")[0] or claim_id


def variant(claim: ClaimResult, group: Group) -> str:
    """The part of the id that tells a claim from others of its group."""
    return claim.id.removeprefix(group.name).lstrip(".:") or claim.id


REFUTED_AS: Final = {
    RefutationKind.STATEMENT: ("of statements", "What is stated, at parameters in use."),
    RefutationKind.PROOF_STEP: ("of proof steps", "A step of a proof, or one way to a statement; that stands."),
    RefutationKind.DEGENERATE: ("degenerate", "A statement to the letter, at parameters that nobody would use."),
    RefutationKind.RECONSTRUCTION: ("of reconstructions", "What the paper does not print, and has been filled in."),
    RefutationKind.OUR_CONSTANTS: ("of our constants", "Constants of ours, where the paper states an order."),
    RefutationKind.VARIANT: (
        "of variants",
        "More than is claimed: less or other noise, fewer rows, other neighbours, or no condition.",
    ),
    None: ("not classified", "Claims that do not say what is refuted."),
}
"""Refuted things, in the order in which they are told: for a count, and what that means."""


class RefutedGroup(NamedTuple):
    """The refuted claims of one kind, which says in a count, and by its meaning, what is refuted."""

    kind: RefutationKind | None
    name: str
    meaning: str
    claims: Sequence[ClaimResult]

    @property
    def alike(self) -> list[tuple[str, Sequence[ClaimResult]]]:
        """The claims by what is said of them, in order: sentences, or nothing, and those of which they are said."""
        results: dict[str, list[ClaimResult]] = {}
        for claim in self.claims:
            results.setdefault("" if claim.refutation is None else claim.refutation.sentences, []).append(claim)
        return list(results.items())


def refuted_kind(claim: ClaimResult) -> RefutationKind | None:
    """Kind of the refutation of a claim; None where it is not refuted, and where it does not say."""
    return None if claim.refutation is None else claim.refutation.kind


def refutations(claims: Iterable[ClaimResult]) -> list[RefutedGroup]:
    """The refuted claims by what is refuted, findings first; nothing where no claim says so."""
    refuted = [claim for claim in claims if claim.verdict is Status.REFUTED]
    if all(claim.refutation is None for claim in refuted):
        return []
    results = [
        RefutedGroup(kind, name, meaning, [claim for claim in refuted if refuted_kind(claim) is kind])
        for kind, (name, meaning) in REFUTED_AS.items()
    ]
    return [group for group in results if group.claims]


def refuted_in_short(claims: Iterable[ClaimResult]) -> str:
    """The number of claims that are refuted, and of what; empty where no claim says so."""
    result = refutations(claims)
    counted_by = ", ".join(f"{len(group.claims)} {group.name}" for group in result)
    return f"{sum(len(group.claims) for group in result)} REFUTED: {counted_by}" if result else ""


def refuted_in_words(claim: ClaimResult) -> list[str]:
    """The object of a refutation, and its reason, as one text; none where there is nothing to say."""
    return [] if claim.refutation is None or not claim.refutation.in_words else [claim.refutation.in_words]


_FEW_OUTSIDE: Final = 2
"""Constructs outside the language that are named in a sentence."""


def named_outside(claim: ClaimResult) -> list[str]:
    """The first constructs outside the language, and how many more there are, as one text; none where all is inside.

    And none where the reason of the verdict names them, as that of CHECKED does.
    """
    if "outside the language" in claim.reason:
        return []
    named = ", ".join(one.in_words for one in claim.outside[:_FEW_OUTSIDE])
    more = len(claim.outside) - _FEW_OUTSIDE
    return [f"Outside the language: {named}{f' and {more} more' if more > 0 else ''}."] if named else []


def badge(claim: ClaimResult) -> str:
    """The object of a refutation, in a word or two; nothing where the claim does not say."""
    return str(refuted_kind(claim) or "")


def expectation(claim: ClaimResult) -> str:
    """A remark on a verdict: why it is a surprise, or that what is not held is known; else nothing."""
    return claim.surprise or ("expected" if claim.verdict in _EXPECTED_IS_WORTH_SAYING else "")


def remarks(claim: ClaimResult) -> list[str]:
    """The remarks beside a verdict in a table: a surprise, or known, what is refuted, loose, or from elsewhere."""
    return [
        *filter(None, [claim.rider, expectation(claim), badge(claim)]),
        *(["loose"] if claim.loose else []),
        *filter(None, [origin_in_words(claim)]),
    ]


_ORIGINS: Final[Mapping[Origin, str]] = {
    "decided": "",
    "cache": "decided earlier",
    "journal": "from a journal",
    "another worker": "by another worker",
}


def origin_in_words(claim: ClaimResult) -> str:
    """The words for where the verdict comes from; none where it was decided by the audit itself."""
    return _ORIGINS["cache" if claim.cached and claim.origin == "decided" else claim.origin]


_EXPECTED_IS_WORTH_SAYING: Final = (Status.REFUTED, Status.UNDECIDED, Status.VACUOUS)


def proved_for(claim: ClaimResult) -> str:
    """The words that follow PROVED, such as "for n = 4, rows from {0, 1}"; empty of other verdicts and kinds."""
    return kind_of(claim).extent(claim) if isinstance(claim, PrivacyResult) and claim.proved_for else ""


def verdict_in_words(claim: ClaimResult) -> str:
    """The verdict, and what a claim of privacy is PROVED for."""
    return f"{claim.verdict} {', '.join(filter(None, [claim.rider, proved_for(claim)]))}".rstrip()


def claim_described(claim: ClaimResult) -> list[str]:
    """A claim for somebody who sees nothing else of it: what is claimed and found, what is wrong, and the witness."""
    kind = kind_of(claim)
    what = f"{claim.id} is {verdict_in_words(claim)}: {kind.claimed(claim)}, found {kind.found(claim)}"
    said = [claim.surprise, *refuted_in_words(claim), "" if claim.surprise else claim.reason, claim.statement]
    elsewhere = [f"verdict: {origin_in_words(claim)}"] if origin_in_words(claim) else []
    known = [f"{name}: {place}" for name, place in places(claim)]
    return [what, *filter(None, said), *elsewhere, *known, *kind.witness(claim)]


def places(claim: ClaimResult) -> list[tuple[str, str]]:
    """The places where the mechanism and the claim are written, as file:line and name, as far as that is known."""
    known = [("mechanism", claim.mechanism_location), ("claim", claim.location)]
    return [(what, f"{place.in_words} {place.name}".strip()) for what, place in known if place is not None]


def counts(results: Iterable[ClaimResult]) -> list[tuple[Status, int]]:
    """The number of claims of each verdict, in the order of `Status`, without those that none has."""
    counter = Counter(result.verdict for result in results)
    return [(status, counter[status]) for status in Status if counter[status]]


def headline(audit: AuditRecord) -> str:
    """The audit in one sentence: how many claims have which verdict, and whether all is as expected and decided."""
    parts = ", ".join(f"{count} {status}" for status, count in counts(audit.claims))
    claims = f"{counted(len(audit.claims), 'claim')}: {parts or 'none'}"
    unexpected = sum(not result.as_expected for result in audit.claims)
    origins = ", ".join(origins_in_short(audit))
    rows = counted(len(audit.not_decided), "row")
    verdict = f"{unexpected} not as expected" if unexpected else "all as expected"
    said = [claims, verdict] if audit.claims or not audit.partial else ["no claim was decided"]
    weak = sum(bool(claim.loose) for claim in audit.claims)
    if weak:
        said.append(f"{weak} loose")
    restricted = Counter(claim.rider for claim in audit.claims if claim.rider)
    said += [f"{count} {rider}" for rider, count in restricted.items()]
    at_least = sum(isinstance(claim, PrivacyResult) and claim.at_least_constant for claim in audit.claims)
    if at_least:
        said.append(f"{at_least} with headroom of the paper, and the least constant")
    if audit.partial:
        said.append(f"not decided: {rows}; this report is partial")
    return "; ".join(said) + (f" ({origins})" if origins else "")


def origins_in_short(audit: AuditRecord) -> list[str]:
    """The number of verdicts from each origin, such as "3 from a journal"; without those decided here."""
    elsewhere = Counter(map(origin_in_words, audit.claims))
    return [f"{elsewhere[words]} {words}" for words in filter(None, _ORIGINS.values()) if elsewhere[words]]


def left_to_depth_full(audit: AuditRecord) -> list[PrivacyResult]:
    """The claims that are shown on databases alone, and are of all sizes at depth full."""
    return [each for each in audit.claims if isinstance(each, PrivacyResult) and each.scope.why == LEFT_TO_DEPTH_FULL]

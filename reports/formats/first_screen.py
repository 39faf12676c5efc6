"""First words of a page: one sentence on all claims, and counts that strengthen or weaken it."""

from collections import Counter
from typing import Final, Literal, NamedTuple

from dpverify.reports.audits.summary import origins_in_short
from dpverify.reports.formats.contents import unreached_claims
from dpverify.reports.numbers import counted
from dpverify.reports.record import AuditRecord, ClaimResult, Status


class ClaimCount(NamedTuple):
    """A part of the sentence, such as "1 counterexample"."""

    text: str
    colour: Literal["good", "bad", "odd", "plain"] = "plain"
    leads_to: str = ""
    """The name of the part of the page that says more; empty where nothing does."""
    shows: str = ""
    """Claims that it counts, as the filter of the page has it; empty where it counts none, or all."""


def first_sentence(audit: AuditRecord) -> list[ClaimCount]:
    """Number of claims that hold, and the end of each other one: every claim is counted once.

    A claim holds that is PROVED, and of which nothing is unexpected.
    """
    claims = audit.claims
    unread = sum(row.kind == "file" for row in audit.not_decided)
    left = len(audit.not_decided) - unread
    total = len(claims) + left
    holding = [claim for claim in claims if claim.verdict is Status.PROVED and claim.as_expected]
    whole = f"all {total:,}" if total > 1 and len(holding) == total else f"{len(holding):,} of {total:,}"
    is_good = bool(total) and not audit.partial and all(claim.as_expected for claim in claims)
    others = [claim for claim in claims if not (claim.verdict is Status.PROVED and claim.as_expected)]
    return [
        ClaimCount(f"{whole} claims hold" if total else "no claims", "good" if is_good else "plain", "claims"),
        *_surprising([claim for claim in others if not claim.as_expected]),
        *_expected([claim for claim in others if claim.as_expected]),
        *([ClaimCount(f"{left:,} not decided", "odd", "not-decided")] if left else []),
        *([ClaimCount(f"{counted(unread, 'file')} not read", "odd", "not-decided")] if unread else []),
    ]


_IN_WORDS: Final = {
    Status.PROVED: "proved",
    Status.CHECKED: "checked, outside the language",
    Status.UNDECIDED: "undecided",
    Status.VACUOUS: "vacuous",
    Status.FUZZED: "not refuted on inputs tried",
    Status.INCONCLUSIVE: "not refuted by samples",
}


_WITHOUT_ANSWER: Final = (Status.UNDECIDED, Status.VACUOUS)


def _surprising(claims: list[ClaimResult]) -> list[ClaimCount]:
    counts = Counter(claim.verdict for claim in claims)
    refuted = counts.pop(Status.REFUTED, 0)
    return [
        *([ClaimCount(counted(refuted, "counterexample"), "bad", "failed", "surprise")] if refuted else []),
        *(
            ClaimCount(
                f"{counts[status]:,} {words}{' but not as expected' if status is Status.PROVED else ''}",
                "bad",
                "failed",
            )
            for status, words in _IN_WORDS.items()
            if counts[status]
        ),
    ]


def _expected(claims: list[ClaimResult]) -> list[ClaimCount]:
    counts = Counter(claim.verdict for claim in claims)
    refuted = counts.pop(Status.REFUTED, 0)
    return [
        *([ClaimCount(f"{refuted:,} refuted as expected", "plain", "known", "refuted")] if refuted else []),
        *(
            ClaimCount(f"{counts[status]:,} {words}{' as expected' if status in _WITHOUT_ANSWER else ''}")
            for status, words in _IN_WORDS.items()
            if counts[status]
        ),
    ]


def one_sentence(parts: list[ClaimCount]) -> str:
    """The parts as one sentence, without its full stop."""
    return "; ".join(part.text for part in parts)


def strength(audit: AuditRecord) -> list[ClaimCount]:
    """Qualifications of the sentence: loose claims, code that no database of a claim runs, verdicts from elsewhere."""
    loose, not_run = sum(bool(claim.loose) for claim in audit.claims), len(unreached_claims(audit))
    return [
        *([ClaimCount(f"{loose:,} loose", "odd", "loose", "loose")] if loose else []),
        *([ClaimCount(f"{not_run:,} with unreached code", "odd", "unreached", "unreached")] if not_run else []),
        *(ClaimCount(f"verdicts: {said}", "odd") for said in origins_in_short(audit)),
    ]

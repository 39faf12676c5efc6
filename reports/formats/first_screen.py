"""Answers that a page gives before it is read: numbers, each with a word, a colour, and where more is said of it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from dpverify.reports.formats.contents import known, surprises, unreached_claims
from dpverify.reports.gates.gate import Gate
from dpverify.reports.record import AuditRecord


class Tile(NamedTuple):
    """A number of the first screen."""

    number: str
    words: str
    colour: Literal["good", "bad", "odd", "plain"]
    leads_to: str
    """The name of the part of the page that says more; empty where nothing does."""
    shows: str = ""
    """Which claims it counts, as the filter of the page has it; empty where it counts none, or all."""


def tiles(audit: AuditRecord, gated: Gate | None, without_claim: int, *, is_red: bool) -> list[Tile]:
    """What the gate says, how many are as expected, failed, are new, are weak, or have code that never ran.

    `without_claim` functions draw, and no claim reaches them.
    """
    return [*_gate(gated, is_red, without_claim), *_verdicts(audit), *_strength(audit), *_refuted(audit)]


def _gate(gated: Gate | None, is_red: bool, without_claim: int) -> list[Tile]:
    if gated is None and not without_claim:
        return [Tile("gate", "no baseline", "plain", "meaning")]
    said = Tile("gate", "does not pass" if is_red else "passes", "bad" if is_red else "good", "gate")
    new = 0 if gated is None else len(gated.marked("NEW"))
    return [
        said,
        *([] if gated is None else [Tile(f"{new:,}", "new", "bad" if new else "plain", "gate" if new else "")]),
        *([Tile(f"{without_claim:,}", "without a claim", "bad", "gate")] if without_claim else []),
    ]


def _verdicts(audit: AuditRecord) -> list[Tile]:
    failed, decided, left = len(surprises(audit)), len(audit.claims), len(audit.not_decided)
    return [
        Tile(
            f"{decided - failed:,}",
            f"of {decided + left:,} as expected",
            "plain" if left or failed else "good",
            "claims",
        ),
        Tile(f"{failed:,}", "not as expected", *(("bad", "failed", "surprise") if failed else ("plain", "", ""))),
        *([Tile(f"{left:,}", "not decided", "odd", "not-decided")] if left else []),
    ]


def _strength(audit: AuditRecord) -> list[Tile]:
    weak, not_run = sum(bool(claim.weak) for claim in audit.claims), len(unreached_claims(audit))
    looked = any(claim.never_run is not None for claim in audit.claims)
    said = "with code that never ran" if looked else "code that never ran: not looked at"
    return [
        Tile(f"{weak:,}", "weak", *(("odd", "weak", "weak") if weak else ("plain", "", ""))),
        Tile(
            f"{not_run:,}" if looked else "–",
            said,
            *(("odd", "unreached", "unreached") if not_run else ("plain", "", "")),
        ),
    ]


def _refuted(audit: AuditRecord) -> list[Tile]:
    count = sum(len(one.claims) for one in known(audit))
    return [Tile(f"{count:,}", "refuted and known", "plain", "known", "refuted")] if count else []

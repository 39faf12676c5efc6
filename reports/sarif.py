"""An audit as SARIF 2.1.0, which code scanning shows beside the lines: what is a surprise, refuted, weak or open."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import quote

import msgspec

from dpverify.mechanisms.exact.shown import cut
from dpverify.reports.record import AuditRecord, ClaimResult, Location, NotDecided, Status, storable_audit
from dpverify.reports.summary import described

Level = Literal["error", "warning", "note"]

MOST_RESULTS: Final = 5_000
"""Results of a run that GitHub shows; it refuses files with more than 25,000."""

_LONGEST: Final = 8_000
"""Characters of a message."""

_ROOT: Final = "%SRCROOT%"


class Rule(NamedTuple):
    """A sort of finding."""

    id: str
    level: Level
    text: str
    help: str


RULES: Final = (
    Rule(
        "refuted",
        "error",
        "A claim that is expected to hold is refuted.",
        "The witness is two neighbours and an event, or an input, on which the claim fails, exactly.",
    ),
    Rule(
        "not-as-expected",
        "error",
        "A claim is not as expected.",
        "It has another verdict, its mutant is not refuted, or nothing was put to the test.",
    ),
    Rule("not-decided", "error", "A claim could not be decided.", "Its input is bad, or its mechanism raised or hung."),
    Rule(
        "left-open",
        "warning",
        "A claim is left open.",
        "A limit was met, or no complete test is known: the reason is in the message.",
    ),
    Rule(
        "weak",
        "note",
        "A much worse mechanism would earn the claim, too.",
        "It holds with a quarter of its noise, or with none: choose a domain that tells them apart.",
    ),
    Rule(
        "known-refutation",
        "note",
        "A claim is refuted, as it is expected to be.",
        "It is pinned by expected=Status.REFUTED: the gate notices when it is refuted no more, or worse.",
    ),
)
"""All sorts, worst first."""


def to_sarif(audit: AuditRecord) -> str:
    """The audit as SARIF 2.1.0, worst findings first; what is as expected and holds is none."""
    audit = storable_audit(audit)
    order = [rule.id for rule in RULES]
    found = [_not_decided(row) for row in audit.not_decided]
    found += [_result(claim, rule) for claim in audit.claims if (rule := _rule(claim)) is not None]
    found.sort(key=lambda one: order.index(one["ruleId"]))
    results = [{**one, "ruleIndex": order.index(one["ruleId"])} for one in found if "locations" in one]
    elsewhere = [_notification(one) for one in found if "locations" not in one]
    if len(results) > MOST_RESULTS:
        left = f"{len(results) - MOST_RESULTS} more findings are left out, the least grave"
        elsewhere.append({"level": "warning", "message": {"text": left}})
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "dpverify",
                        "version": audit.dpverify,
                        "rules": [_described(rule) for rule in RULES],
                    }
                },
                "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the project."}}},
                "invocations": [
                    {"executionSuccessful": not audit.partial, "toolExecutionNotifications": elsewhere},
                ],
                "columnKind": "unicodeCodePoints",
                "results": results[:MOST_RESULTS],
            }
        ],
    }
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _rule(claim: ClaimResult) -> str | None:
    """Of which sort a claim is a finding; None where it is none."""
    if claim.surprise and claim.left_open:
        return "left-open"
    if claim.surprise:
        return "refuted" if claim.verdict is Status.REFUTED else "not-as-expected"
    if claim.verdict is Status.REFUTED:
        return "known-refutation"
    return "weak" if claim.weak else None


def _described(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.text},
        "fullDescription": {"text": f"{rule.text} {rule.help}"},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(claim: ClaimResult, rule: str) -> dict[str, Any]:
    text = "\n".join(described(claim))
    found = _finding(claim.id, rule, text, [claim.mechanism_location, claim.location])
    found["properties"] = {"kind": claim.kind, "verdict": str(claim.verdict), "expected": str(claim.expected)}
    if rule == "known-refutation":
        found["suppressions"] = [{"kind": "inSource", "justification": f"expected to be {claim.expected}"}]
    return found


def _not_decided(row: NotDecided) -> dict[str, Any]:
    place = Location(row.id, 0, "", "") if row.kind == "file" else row.location
    return _finding(row.id, "not-decided", f"{row.id} is not decided: {row.reason}", [place])


def _finding(name: str, rule: str, text: str, places: list[Location | None]) -> dict[str, Any]:
    """A finding at the first of the places that is in the project, with the others beside it."""
    level = next(one.level for one in RULES if one.id == rule)
    found: dict[str, Any] = {
        "ruleId": rule,
        "level": level,
        "message": {"text": _literal(cut(text, _LONGEST))},
        "partialFingerprints": {"claim/v1": sha256(f"{rule} {name}".encode()).hexdigest()},
    }
    known = [place for place in places if place is not None and place.file]
    if known:
        found["locations"] = [_place(known[0])]
        related = [{**_place(place), "id": i, "message": {"text": "the claim"}} for i, place in enumerate(known[1:], 1)]
        found |= {"relatedLocations": related} if related else {}
    return found


def _literal(text: str) -> str:
    """A text in which nothing is a placeholder, such as {0}, or a link."""
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _place(place: Location) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(place.file), "uriBaseId": _ROOT}}
    physical["region"] = {"startLine": max(place.line, 1)}
    found: dict[str, Any] = {"physicalLocation": physical}
    if place.name:
        found["logicalLocations"] = [{"fullyQualifiedName": place.function}]
    return found


def _notification(found: dict[str, Any]) -> dict[str, Any]:
    return {"level": found["level"], "message": found["message"], "associatedRule": {"id": found["ruleId"]}}

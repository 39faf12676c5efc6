"""An audit as SARIF 2.1.0, which code scanning shows beside the lines: what is a surprise, refuted, weak or open.

With a gate also what got worse, changed, is new or gone, and of each finding whether the baseline has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from dpverify.mechanisms.numbers.shown import cut
from dpverify.reports.audits.summary import claim_described, headline
from dpverify.reports.gates.baseline import BaselineLine
from dpverify.reports.gates.gate import Gate, GatedClaim
from dpverify.reports.record import (
    OPEN_VERDICTS,
    AuditRecord,
    ClaimResult,
    Location,
    NotDecided,
    Status,
    storable,
    storable_audit,
)

_Level = Literal["error", "warning", "note"]

_State = Literal["new", "unchanged", "updated", "absent"]
"""Of a finding, against a baseline."""

MOST_RESULTS: Final = 5_000
"""Results of a run that GitHub shows; it refuses files with more than 25,000."""

_LONGEST: Final = 8_000
"""Characters of a message."""

ROOT: Final = "%SRCROOT%"


class Rule(NamedTuple):
    """A sort of finding."""

    id: str
    level: _Level
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
    Rule(
        "worse",
        "error",
        "A claim is answered worse than was accepted.",
        "The message has what changed. Accept it by --update-baseline, if it is meant.",
    ),
    Rule(
        "gone",
        "error",
        "A claim of the baseline is no claim any more.",
        "Nothing is decided in its place. Accept it by --update-baseline, if it is meant.",
    ),
    Rule(
        "changed",
        "error",
        "A claim asks another question than was accepted.",
        "It is not shown to be stronger: the message has what changed. Accept it by --update-baseline, if it is meant.",
    ),
    Rule(
        "new",
        "error",
        "A claim is not in the baseline.",
        "Nobody has accepted its question, whatever its verdict. Accept it by --update-baseline, if it is meant.",
    ),
    Rule(
        "no-claim",
        "error",
        "A function draws, and no claim reaches it.",
        "--strict and --coverage ask for one: claim it, or what calls it.",
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
        "It needs a quarter of its noise, or of ε and δ, at most: choose a domain that tells them apart.",
    ),
    Rule(
        "never-run",
        "note",
        "Lines of a mechanism that no database of its claim runs.",
        "The claim says nothing of them: widen its domain, or accept them by `# dp: unreached, because …`.",
    ),
    Rule(
        "known-refutation",
        "note",
        "A claim is refuted, as it is expected to be.",
        "It is pinned by expected=Status.REFUTED: the gate notices when it is refuted no more, or worse.",
    ),
)
"""All sorts, worst first."""


_HOME_PAGES: Final = ("homepage", "repository", "documentation")
"""Labels of the address that tells of a package, the best first."""


def to_sarif(audit: AuditRecord, gated: Gate | None = None, uncovered: Sequence[Location] = ()) -> str:
    """The audit as SARIF 2.1.0, worst findings first; what is as expected and holds is none.

    With a gate each finding says whether the baseline has it, and what got worse, changed, is new or gone is a finding,
    too. So is each of the functions that are `uncovered`.
    """
    audit = storable_audit(audit)
    order = [rule.id for rule in RULES]
    outcome = [_not_decided(row) for row in audit.not_decided]
    if gated is None:
        outcome += [_result(claim, rule) for claim in audit.claims if (rule := _rule(claim)) is not None]
    else:
        outcome = [{**one, "baselineState": "new"} for one in outcome]
        outcome += [*_against_baseline(audit, gated), *map(_of_row, _absent_rows(audit, gated))]
    outcome += [_without_claim(storable(place)) for place in uncovered]
    outcome += [one for claim in audit.claims for one in _never_run(claim)]
    outcome.sort(key=lambda one: order.index(one["ruleId"]))
    results = [{**one, "ruleIndex": order.index(one["ruleId"])} for one in outcome if "locations" in one]
    elsewhere = [
        _notification(one) for one in outcome if "locations" not in one and one.get("baselineState") != "absent"
    ]
    if len(results) > MOST_RESULTS:
        left = f"{len(results) - MOST_RESULTS} more findings are left out, the least grave"
        elsewhere.append({"level": "warning", "message": {"text": left}})
    driver = {"name": "dpverify", "version": audit.dpverify, "rules": [_described(rule) for rule in RULES]}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver | _information(audit.dpverify)},
                "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the project."}}},
                "invocations": [{"executionSuccessful": not audit.partial, "toolExecutionNotifications": elsewhere}],
                "properties": {"audit": headline(audit)},
                "columnKind": "unicodeCodePoints",
                "results": results[:MOST_RESULTS],
            }
        ],
    }
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _information(version: str) -> dict[str, str]:
    """The address of dpverify: as its package says, or where it was installed from; else a name, and no address.

    A page of somebody else's would mislead, and files of this machine are nobody's business.
    """
    try:
        result = distribution("dpverify")
    except PackageNotFoundError:
        return {"informationUri": f"urn:dpverify:{quote(version)}"}
    said = result.metadata.get_all("Project-URL") or []
    named = {name.strip().lower(): address.strip() for name, _, address in (one.partition(",") for one in said)}
    addresses = [named[name] for name in _HOME_PAGES if name in named]
    origin = str(json.loads(result.read_text("direct_url.json") or "{}").get("url", ""))
    if origin.startswith(("https://", "http://")) and "@" not in origin:
        addresses.append(origin.removesuffix(".git"))
    return {"informationUri": next(iter(addresses), f"urn:dpverify:{quote(version)}")}


def _against_baseline(audit: AuditRecord, gated: Gate) -> Iterator[dict[str, Any]]:
    """The findings of claims, each with whether the baseline has it, and those that only the baseline has."""
    rows = gated.of_claims
    for claim in audit.claims:
        row, before = rows.get(claim.id), gated.before.get(claim.id)
        now, earlier = _rule(claim), None if before is None else _rule_before(before, claim)
        fails = row is not None and row.fails
        if row is not None and fails and now in (None, "weak", "known-refutation"):
            now = row.mark.lower()
        if now is None:
            if before is not None and earlier is not None:
                yield _absent(before, earlier, [claim.mechanism_location, claim.location])
            continue
        state: _State = "new" if earlier is None else "unchanged"
        if earlier is not None and (earlier != now or (row is not None and row.changes)):
            state = "updated"
        results = {**_result(claim, now, row if fails else None), "baselineState": state}
        if claim.surprise and not fails:
            known = {"kind": "external", "justification": "the baseline has it, and it is no worse"}
            results["suppressions"] = [known]
        yield results
    for row in gated.marked("GONE"):
        before = gated.before[row.name]
        earlier = _rule_before(before, None)
        if earlier is not None:
            yield _absent(before, earlier, [row.claim_at, row.mechanism_at])


def _absent_rows(audit: AuditRecord, gated: Gate) -> list[GatedClaim]:
    """The claims that a gate does not let through of claims that the audit has not decided, and has no row of."""
    known = {claim.id for claim in audit.claims} | {row.id for row in audit.not_decided}
    return [row for row in gated.failing if row.name not in known]


def _absent(before: BaselineLine, rule: str, places: list[Location | None]) -> dict[str, Any]:
    """A finding of the baseline that is none any more: closed, also for those who do not look at its state."""
    result = _finding(before.id, rule, f"{before.id} was {before.verdict} in the baseline", places)
    closed = {"kind": "external", "justification": "only the baseline has it"}
    return {**result, "level": "none", "kind": "notApplicable", "baselineState": "absent", "suppressions": [closed]}


def _of_row(row: GatedClaim) -> dict[str, Any]:
    """A claim that is gone or left to a later depth, where it was."""
    rule = {"NOT DECIDED": "not-decided"}.get(row.mark, row.mark.lower())
    text = "\n".join([f"{row.name} is {row.mark.lower()}", *row.in_lines])
    return {**_finding(row.name, rule, text, [row.claim_at, row.mechanism_at]), "baselineState": "new"}


def _without_claim(place: Location) -> dict[str, Any]:
    return _finding(place.function, "no-claim", f"{place.function} draws, and no claim reaches it", [place])


def _never_run(claim: ClaimResult) -> Iterator[dict[str, Any]]:
    """The lines that no database of a claim runs, each where it stands.

    A baseline, which has no lines, does not tell which are new.
    """
    if claim.never_run is None:
        return
    for line in claim.never_run.open_lines:
        text = f"{line.in_words} is never run by any database of {claim.id}"
        place = Location(line.file, line.first, "", "")
        yield _finding(f"{claim.id} {line.in_words}", "never-run", text, [place, claim.location])


def _rule(claim: ClaimResult) -> str | None:
    """Sort of finding that a claim is; None where it is none."""
    if claim.surprise and claim.left_open:
        return "left-open"
    if claim.surprise:
        return "refuted" if claim.verdict is Status.REFUTED else "not-as-expected"
    if claim.verdict is Status.REFUTED:
        return "known-refutation"
    return "weak" if claim.loose else None


def _rule_before(line: BaselineLine, claim: ClaimResult | None) -> str | None:
    """Sort of finding that a claim was when it was accepted, as far as the baseline says so."""
    refuted = line.verdict == Status.REFUTED.value
    if line.surprise:
        is_open = line.verdict in (str(status) for status in OPEN_VERDICTS)
        return "left-open" if is_open else "refuted" if refuted else "not-as-expected"
    if refuted:
        return "known-refutation"
    return "weak" if claim is not None and _rule(claim) == "weak" else None


def _described(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.text},
        "fullDescription": {"text": f"{rule.text} {rule.help}"},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(claim: ClaimResult, rule: str, row: GatedClaim | None = None) -> dict[str, Any]:
    """A claim as a finding, with what a gate that does not let it through says of it."""
    first, *more = claim_described(claim)
    text = "\n".join([first, *([] if row is None else row.in_lines), *more])
    places = [claim.mechanism_location, claim.location]
    if row is not None and row.place == claim.location:
        places.reverse()
    result = _finding(claim.id, rule, text, places)
    if rule in ("worse", "changed") and row is not None and row.left_open:
        result["level"] = "warning"
    result["properties"] = {
        "kind": claim.kind,
        "verdict": str(claim.verdict),
        "expected": str(claim.expected),
        "origin": claim.origin,
        **({} if claim.reason_id is UNSET else {"reason": claim.reason_id}),
    }
    if rule == "known-refutation":
        result["suppressions"] = [{"kind": "inSource", "justification": f"expected to be {claim.expected}"}]
    return result


def _not_decided(row: NotDecided) -> dict[str, Any]:
    place = Location(row.id, 0, "", "") if row.kind == "file" else row.location
    return _finding(row.id, "not-decided", f"{row.id} is not decided: {row.reason}", [place])


def _finding(name: str, rule: str, text: str, places: list[Location | None]) -> dict[str, Any]:
    """A finding at the first of the places that is in the project, with the others beside it."""
    level = next(one.level for one in RULES if one.id == rule)
    results: dict[str, Any] = {
        "ruleId": rule,
        "level": level,
        "message": {"text": literal(cut(text, _LONGEST))},
        "partialFingerprints": {"claim/v1": sha256(f"{rule} {name}".encode()).hexdigest()},
    }
    known = [place for place in places if place is not None and place.file]
    if known:
        results["locations"] = [_place(known[0])]
        words = {True: {"text": "the claim"}, False: {"text": "the mechanism"}}
        related = [
            {**_place(place), "id": i, "message": words[place.name == name]} for i, place in enumerate(known[1:], 1)
        ]
        results |= {"relatedLocations": related} if related else {}
    return results


def literal(text: str) -> str:
    """A text in which nothing is a placeholder, such as {0}, or a link."""
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _place(place: Location) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(place.file), "uriBaseId": ROOT}}
    physical["region"] = {"startLine": max(place.line, 1)}
    results: dict[str, Any] = {"physicalLocation": physical}
    if place.name:
        results["logicalLocations"] = [{"fullyQualifiedName": place.function}]
    return results


def _notification(found: dict[str, Any]) -> dict[str, Any]:
    return {"level": found["level"], "message": found["message"], "associatedRule": {"id": found["ruleId"]}}

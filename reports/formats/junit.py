"""An audit as JUnit XML, which CI systems show among the tests: a suite for each kind, and a test for each claim."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from xml.etree import ElementTree

from msgspec import UNSET

from dpverify.mechanisms.numbers.shown import cut
from dpverify.reports.audits.summary import claim_described, origin_in_words, proved_for
from dpverify.reports.gates.gate import Gate, GatedClaim
from dpverify.reports.kinds import kinds
from dpverify.reports.record import AuditRecord, ClaimResult, Location, Status, storable, storable_audit

_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not have."""

_LONGEST: Final = 20_000
"""Characters of a text: GitLab refuses files of more than 30 MB."""


def to_junit(
    audit: AuditRecord,
    gated: Gate | None = None,
    uncovered: Sequence[Location] = (),
    seconds: Mapping[str, float] | None = None,
) -> str:
    """The audit as JUnit XML: a claim that is not as expected has failed, and one that is not decided is an error.

    With a gate a claim has failed that it does not let through, also one that is gone; what is known passes. So has
    each function that is `uncovered`. `seconds` are how long claims took, by their ids: 0 where nobody knows, or where
    a verdict was known before.
    """
    audit = storable_audit(audit)
    times = seconds or {}
    cases: dict[str, list[ElementTree.Element]] = {name: [] for name in kinds()}
    rows = {} if gated is None else gated.of_claims
    for claim in audit.claims:
        case = _of_claim(claim, rows.get(claim.id), judged=gated is not None)
        case.set("time", f"{times.get(claim.id, 0):.3f}")
        cases[claim.kind].append(case)
    if gated is not None:
        known = {claim.id for claim in audit.claims} | {row.id for row in audit.not_decided}
        for row in gated.failing:
            if row.name not in known:
                case = _case(row.name, row.kind, row.claim_at)
                said = f"{row.mark}: {'; '.join(row.in_lines)}"
                cases.setdefault(row.kind, []).append(_failed(case, said, row.mark, row.in_lines))
    for unread in audit.not_decided:
        case = _case(unread.id, unread.kind, unread.location)
        _text(ElementTree.SubElement(case, "error", _safe(message=unread.reason, type="not decided")), [unread.reason])
        cases.setdefault(unread.kind, []).append(case)
    cases["coverage"] = [_without_claim(place) for place in map(storable, uncovered)]
    all_cases = [case for result in cases.values() for case in result]
    root = ElementTree.Element("testsuites", {"name": "dpverify", **_counts(all_cases)})
    for name, result in cases.items():
        if result:
            counts = {**_counts(result), "skipped": "0"}
            ElementTree.SubElement(root, "testsuite", _safe(name=f"dpverify.{name}") | counts).extend(result)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _counts(cases: Sequence[ElementTree.Element]) -> dict[str, str]:
    failed, errors = (sum(case.find(what) is not None for case in cases) for what in ("failure", "error"))
    time = sum(float(case.get("time", "0")) for case in cases)
    return {"tests": str(len(cases)), "failures": str(failed), "errors": str(errors), "time": f"{time:.3f}"}


def _of_claim(claim: ClaimResult, row: GatedClaim | None, *, judged: bool) -> ElementTree.Element:
    """A claim, which has failed where the gate that it is `judged` by has a row of it that fails, or by itself."""
    case = _case(claim.id, claim.kind, claim.location)
    elsewhere = origin_in_words(claim)
    reason = "" if claim.reason_id is UNSET else claim.reason_id
    told = {"verdict": elsewhere, "proved": proved_for(claim), "reason": reason}
    if any(told.values()):
        properties = ElementTree.SubElement(case, "properties")
        for name in filter(told.get, told):
            ElementTree.SubElement(properties, "property", _safe(name=name, value=told[name]))
    lines = claim_described(claim)
    if judged and row is not None and row.fails:
        said = "; ".join(row.in_lines)
        return _failed(case, f"{claim.verdict}, {row.mark}: {said}", str(claim.verdict), [*row.in_lines, *lines])
    if claim.surprise and not judged:
        return _failed(case, f"{claim.verdict}: {claim.surprise}", str(claim.verdict), lines)
    if claim.verdict is not Status.PROVED or claim.surprise:
        _text(ElementTree.SubElement(case, "system-out"), lines)
    return case


def _without_claim(place: Location) -> ElementTree.Element:
    case = _case(place.function, "coverage", place)
    return _failed(case, "NO CLAIM: no claim reaches it", "NO CLAIM", [place.in_words])


def _failed(case: ElementTree.Element, message: str, sort: str, lines: Sequence[str]) -> ElementTree.Element:
    _text(ElementTree.SubElement(case, "failure", _safe(message=message, type=sort)), lines)
    return case


def _case(name: str, kind: str, place: Location | None) -> ElementTree.Element:
    module = place.module if place is not None and place.module else f"dpverify.{kind}"
    given = _safe(classname=module, name=name, time="0.000")
    if place is not None and place.file:
        given |= _safe(file=place.file) | ({"line": str(place.line)} if place.line else {})
    return ElementTree.Element("testcase", given)


def _text(element: ElementTree.Element, lines: Sequence[str]) -> None:
    element.text = _legal(cut("\n".join(lines), _LONGEST))


def _safe(**attributes: str) -> dict[str, str]:
    return {name: _legal(cut(" ".join(value.split()), 1_000)) for name, value in attributes.items()}


def _legal(text: str) -> str:
    """The text with escapes for what XML has no characters for."""
    return _ILLEGAL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)

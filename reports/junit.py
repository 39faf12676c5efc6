"""An audit as JUnit XML, which CI systems show among the tests: a suite for each kind, and a test for each claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from dpverify.mechanisms.exact.shown import cut
from dpverify.reports.kinds import kinds
from dpverify.reports.record import AuditRecord, ClaimResult, Location, NotDecided, Status, storable_audit
from dpverify.reports.summary import described

_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 does not have."""

_LONGEST: Final = 20_000
"""Characters of a text: GitLab refuses files of more than 30 MB."""


def to_junit(audit: AuditRecord) -> str:
    """The audit as JUnit XML: a claim that is not as expected has failed, and one that is not decided is an error.

    It holds no times, so that equal audits are equal files.
    """
    audit = storable_audit(audit)
    names = [*kinds(), *dict.fromkeys(row.kind for row in audit.not_decided if row.kind not in kinds())]
    suites = [
        _suite(
            name,
            [claim for claim in audit.claims if claim.kind == name],
            [row for row in audit.not_decided if row.kind == name],
        )
        for name in names
    ]
    root = ElementTree.Element("testsuites", {"name": "dpverify", **_counts(audit.claims, audit.not_decided)})
    root.extend(suite for suite in suites if len(suite))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _counts(claims: Sequence[ClaimResult], rows: Sequence[NotDecided]) -> dict[str, str]:
    failed = sum(not claim.as_expected for claim in claims)
    return {
        "tests": str(len(claims) + len(rows)),
        "failures": str(failed),
        "errors": str(len(rows)),
        "time": "0",
    }


def _suite(name: str, claims: Sequence[ClaimResult], rows: Sequence[NotDecided]) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", {"name": f"dpverify.{name}", **_counts(claims, rows), "skipped": "0"})
    for claim in claims:
        case = _case(suite, claim.id, claim.kind, claim.location)
        lines = described(claim)
        if claim.surprise:
            message = f"{claim.verdict}: {claim.surprise}"
            _text(ElementTree.SubElement(case, "failure", _safe(message=message, type=str(claim.verdict))), lines)
        elif claim.verdict is not Status.PROVED:
            _text(ElementTree.SubElement(case, "system-out"), lines)
    for row in rows:
        case = _case(suite, row.id, row.kind, row.location)
        _text(ElementTree.SubElement(case, "error", _safe(message=row.reason, type="not decided")), [row.reason])
    return suite


def _case(suite: ElementTree.Element, name: str, kind: str, place: Location | None) -> ElementTree.Element:
    module = place.module if place is not None and place.module else f"dpverify.{kind}"
    given = _safe(classname=module, name=name, time="0")
    if place is not None and place.file:
        given |= _safe(file=place.file) | ({"line": str(place.line)} if place.line else {})
    return ElementTree.SubElement(suite, "testcase", given)


def _text(element: ElementTree.Element, lines: Sequence[str]) -> None:
    element.text = _legal(cut("\n".join(lines), _LONGEST))


def _safe(**attributes: str) -> dict[str, str]:
    return {name: _legal(cut(" ".join(value.split()), 1_000)) for name, value in attributes.items()}


def _legal(text: str) -> str:
    """The text with escapes for what XML has no characters for."""
    return _ILLEGAL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)

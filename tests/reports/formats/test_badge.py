"""The badge: what it says, in which colour, and that it is an image that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from dpverify.mechanisms import Draw
from dpverify.reports.formats.rendering import render, suffix_of
from dpverify.reports.gates.baseline import baseline_line
from dpverify.reports.gates.gate import Gate, answers, gate
from dpverify.reports.record import AuditRecord, Location, NotDecided, Status
from dpverify.verifiers import Claim, Tuples, audit

pytestmark = pytest.mark.usefixtures("decided_here")


def row(draw: Draw, rows: tuple[int, ...]) -> Any:
    return rows[0]


def nothing(draw: Draw, rows: tuple[int, ...]) -> Any:
    return 0


DOMAIN = Tuples((0, 1), size=1)
CLAIMS = [
    Claim(id="lib.known", mechanism=row, domain=DOMAIN, epsilon=1, expected=Status.REFUTED),
    Claim(id="lib.row", mechanism=row, domain=DOMAIN, epsilon=1),
]
LEFT = NotDecided("lib.<left>", "privacy", "", None, "interrupted")


@pytest.fixture(scope="module")
def record() -> AuditRecord:
    return audit(CLAIMS, recheck=False)


def said(audit: AuditRecord, gated: Gate | None = None, uncovered: tuple[Location, ...] = ()) -> tuple[str, str]:
    root = ElementTree.fromstring(render(audit, ".badge.svg", gated, uncovered))
    label = root.attrib["aria-label"]
    fill = [one.attrib["fill"] for one in root.iter() if one.tag.endswith("rect") and "fill" in one.attrib][-1]
    return label, {"#17724a": "green", "#b92f25": "red", "#835700": "amber"}[fill]


def test_a_badge_says_how_many_are_as_expected(record: AuditRecord) -> None:
    good = msgspec.structs.replace(record, claims=record.claims[:1])
    assert said(good) == ("dpverify: 1 claim as expected", "green")
    assert said(record) == ("dpverify: 1 of 2 claims not as expected", "red")
    partial = msgspec.structs.replace(good, not_decided=[LEFT])
    assert said(partial) == ("dpverify: partial: 1 not decided", "amber")
    assert said(msgspec.structs.replace(record, not_decided=[LEFT]))[1] == "red"
    assert said(msgspec.structs.replace(record, claims=[])) == ("dpverify: no claims", "amber")


def test_a_badge_is_of_the_colour_of_the_gate(record: AuditRecord) -> None:
    known = {claim.id: baseline_line(claim) for claim in record.claims}
    assert said(record, gate(known, answers(record), {})) == ("dpverify: the gate passes", "green")
    good = msgspec.structs.replace(record, claims=record.claims[:1])
    assert said(good, gate(known, answers(good), {})) == ("dpverify: 1 finding of the gate", "red")
    place = Location("lib.py", 3, "lib", "row")
    assert said(good, None, (place, place)) == ("dpverify: 2 functions without a claim", "red")


def test_a_badge_needs_nothing_else(record: AuditRecord) -> None:
    text = render(record, ".badge.svg")
    assert "href" not in text and "script" not in text and text.count("http") == 1
    assert len(text) < 1500


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("a.badge.svg", ".badge.svg"), ("a.svg", ".svg"), ("badge.svg", ".svg"), ("a.b.json", ".json"), ("a.txt", "")],
)
def test_the_format_of_a_file_is_that_of_its_longest_suffix(name: str, suffix: str) -> None:
    assert suffix_of(name) == suffix
    assert suffix_of(str(Path("folder.json") / name)) == suffix

"""The trend of several records: counts that add up, what became of which claim, and what is no change."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from tests.catalogue.committed import committed_audit

from dpverify.mechanisms import Draw, laplace
from dpverify.reports.audits.json_form import to_json
from dpverify.reports.formats.html import trend_page
from dpverify.reports.gates.comparison import Audit, read_loosely
from dpverify.reports.gates.trend import (
    ABSENT,
    NOT_DECIDED,
    TREND_HEIGHT,
    TREND_WIDTH,
    columns,
    in_lines,
    trend_of_audits,
)
from dpverify.reports.record import AuditRecord, NotDecided, Status
from dpverify.verifiers import Claim, Tuples, audit

pytestmark = pytest.mark.usefixtures("decided_here")


def count(draw: Draw, rows: tuple[int, ...]) -> Any:
    return sum(rows) + draw(laplace(1))


def row(draw: Draw, rows: tuple[int, ...]) -> Any:
    return rows[0]


DOMAIN = Tuples((0, 1), size=1)
CLAIMS = [
    Claim(id="lib.count", mechanism=count, domain=DOMAIN, epsilon=1),
    Claim(id="lib.known", mechanism=row, domain=DOMAIN, epsilon=1, expected=Status.REFUTED),
    Claim(id="lib.row", mechanism=count, domain=DOMAIN, epsilon=1),
]
WORSE = Claim(id="lib.row", mechanism=row, domain=DOMAIN, epsilon=1)


@pytest.fixture(scope="module")
def good() -> AuditRecord:
    return audit(CLAIMS, recheck=False)


@pytest.fixture(scope="module")
def bad(good: AuditRecord) -> AuditRecord:
    return msgspec.structs.replace(good, claims=[*good.claims[:2], *audit([WORSE], recheck=False).claims])


def loosely(record: AuditRecord) -> Audit:
    return read_loosely(to_json(record))


def changed(record: AuditRecord, place: int, **fields: Any) -> AuditRecord:
    claims = list(record.claims)
    claims[place] = msgspec.structs.replace(claims[place], **fields)
    return msgspec.structs.replace(record, claims=claims)


def test_counts_add_up(good: AuditRecord, bad: AuditRecord) -> None:
    left = msgspec.structs.replace(bad, not_decided=[NotDecided("lib.left", "privacy", "", None, "bad")])
    found = trend_of_audits({"a": loosely(good), "b": loosely(left), "c": loosely(committed_audit())})
    one, two, three = found.points
    assert (one.held, one.refuted, one.left_open, one.failed, one.not_decided) == (2, 1, 0, 0, 0)
    assert (two.held, two.refuted, two.left_open, two.failed, two.not_decided) == (1, 1, 0, 1, 1)
    assert (two.claims, two.asked) == (3, 4)
    assert (three.claims, three.refuted, three.left_open, three.weak) == (945, 166, 38, 39)
    assert "b: 3 claims, 1 not as expected, 1 not decided" in in_lines(found)


def test_a_claim_that_changes_has_its_story_and_what_fails_comes_first(good: AuditRecord, bad: AuditRecord) -> None:
    without = msgspec.structs.replace(bad, claims=bad.claims[1:])
    left = NotDecided("lib.known", "privacy", "", None, "bad")
    last = msgspec.structs.replace(bad, claims=[bad.claims[0], bad.claims[2]], not_decided=[left])
    found = trend_of_audits({"a": loosely(good), "b": loosely(bad), "c": loosely(without), "d": loosely(last)})
    stories = {story.name: [(state.verdict, state.first) for state in story.states] for story in found.stories}
    assert stories == {
        "lib.row": [("PROVED", "a"), ("REFUTED", "b")],
        "lib.count": [("PROVED", "a"), (ABSENT, "c"), ("PROVED", "d")],
        "lib.known": [("REFUTED", "a"), (NOT_DECIDED, "d")],
    }
    assert next(iter(stories)) == "lib.row" and found.stories[0].fails_now
    assert [story.fails_now for story in found.stories] == [True, False, False]
    assert "lib.row: PROVED → REFUTED, expected PROVED (from b)" in in_lines(found)
    assert found.same == 0


def test_claims_that_only_appear_are_counted_apart(good: AuditRecord, bad: AuditRecord) -> None:
    fewer = msgspec.structs.replace(good, claims=good.claims[:1])
    found = trend_of_audits({"a": loosely(fewer), "b": loosely(good)})
    assert (found.stories, [story.name for story in found.appeared], found.same) == ([], ["lib.known", "lib.row"], 1)
    assert in_lines(found)[-1] == "2 claims appeared, 1 claim the same in all"
    assert "<summary>2 claims appeared</summary>" in trend_page(found)
    found = trend_of_audits({"a": loosely(fewer), "b": loosely(bad)})
    assert [story.name for story in found.stories] == ["lib.row"], "what fails is no mere newcomer"


def test_records_that_say_the_same_have_no_story(good: AuditRecord) -> None:
    found = trend_of_audits({"a": loosely(good), "b": loosely(good)})
    assert (found.stories, found.same) == ([], 3)
    assert "All records say the same." in trend_page(found)


def test_what_one_has_not_measured_is_no_change(good: AuditRecord) -> None:
    measured, less = changed(good, 0, slack="1/2", weak=False), changed(good, 0, slack="1/4", weak=True)
    for records in ((good, measured), (measured, good), (measured, good, measured)):
        assert trend_of_audits({str(i): loosely(one) for i, one in enumerate(records)}).stories == []
    (story,) = trend_of_audits({"a": loosely(measured), "b": loosely(good), "c": loosely(less)}).stories
    assert [state.remarks for state in story.states] == [["headroom 1/2"], ["headroom 1/4", "loose"]]
    assert story.states[1].first == "c" and not story.fails_now


def test_a_claim_of_a_kind_that_is_not_known_is_told_by_its_verdict(good: AuditRecord) -> None:
    plain = json.loads(to_json(good))
    plain["claims"][0] |= {"kind": "of-tomorrow", "verdict": "REFUTED"}
    found = trend_of_audits({"a": loosely(good), "b": read_loosely(json.dumps(plain))})
    assert found.points[1].failed == 1 and found.stories[0].fails_now


def test_columns_are_to_one_scale(good: AuditRecord, bad: AuditRecord) -> None:
    found = trend_of_audits({"a": loosely(good), "b": loosely(msgspec.structs.replace(bad, claims=bad.claims[1:]))})
    one, two = columns(found)
    assert [colour for colour, _, _ in one.parts] == ["good", "soft"]
    assert [height for _, _, height in one.parts] == pytest.approx(
        [2 / 3 * TREND_HEIGHT, 1 / 3 * TREND_HEIGHT], abs=0.1
    )
    assert [colour for colour, _, _ in two.parts] == ["soft", "bad"]
    assert sum(height for _, _, height in two.parts) == pytest.approx(2 / 3 * TREND_HEIGHT, abs=0.2)
    for column in (one, two):
        ends = [(y, y + height) for _, y, height in column.parts]
        assert ends[0][1] == pytest.approx(TREND_HEIGHT, abs=0.2)
        assert all(upper[1] == pytest.approx(lower[0], abs=0.2) for lower, upper in pairwise(ends))
    assert two.x == TREND_WIDTH / 2 and one.x + one.width < two.x


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def test_the_page_needs_nothing_else_and_is_the_same_every_time(good: AuditRecord, bad: AuditRecord) -> None:
    records = {"<a>.json": loosely(good), "b.json": loosely(bad)}
    text = trend_page(trend_of_audits(records))
    assert text == trend_page(trend_of_audits(records))
    page = Tags()
    page.feed(text)
    assert not {"script", "link", "img", "iframe", "a"} & set(page.tags[page.tags.index("header") :])
    assert "http:" not in text and "https:" not in text and "&lt;a&gt;.json" in text
    assert re.search(r'<li class="fails"><strong>lib.row</strong>.*from b.json', text)

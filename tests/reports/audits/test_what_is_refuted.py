"""What a refutation refutes: how a claim declares it, how it is told in each format, and what the record keeps of it."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.reports.published import published
from tests.reports.test_reports import Page

from dpverify.mechanisms import Distribution, Draw, InputError, exp
from dpverify.reports.audits.json_form import read_audit, result_from_json, to_json
from dpverify.reports.audits.summary import REFUTED_AS, headline, refutations, refuted_in_short
from dpverify.reports.audits.table import to_table
from dpverify.reports.formats.rendering import render
from dpverify.reports.gates.comparison import difference, read_loosely
from dpverify.reports.record import AuditRecord
from dpverify.verifiers import Claim, Status, audit
from dpverify.verifiers.claims import OF_THE_STATEMENT, Boundary, Refutation, RefutationKind

pytestmark = pytest.mark.usefixtures("decided_here")

WHY = "At <b>so</b> large an ε | one row is enough_."


def told(draw: Draw, bit: int, *, epsilon: Any) -> Any:
    """Randomized response at twice the ε."""
    return draw(Distribution({bit: exp(2 * epsilon), 1 - bit: 1}))


def other(bit: int, _: Sequence[int]) -> list[int]:
    return [1 - bit]


def claim(name: str, refutation: Refutation | None, **more: Any) -> Claim:
    given: dict[str, Any] = {"epsilon": 1, "expected": Status.REFUTED, **more}
    return Claim(id=name, mechanism=told, domain=(0, 1), neighbours=other, refutation=refutation, **given)


DEGENERATE = Refutation(RefutationKind.DEGENERATE, WHY, Boundary("21.57", "21.58"))
CLAIMS = [
    claim("a.degenerate", DEGENERATE),
    claim("a.statement", OF_THE_STATEMENT),
    claim("a.proved", None, epsilon=2, expected=Status.PROVED, parameters={"epsilon": 1}),
    claim("a.unsaid", None),
    claim("a.alike", DEGENERATE),
]


@pytest.fixture(scope="module")
def record() -> AuditRecord:
    found = audit(CLAIMS, recheck=False)
    return msgspec.structs.replace(found, claims=[msgspec.structs.replace(one, location=None) for one in found.claims])


def test_the_record_keeps_what_is_refuted_and_nothing_of_what_is_proved(record: AuditRecord) -> None:
    assert record.as_expected
    assert [one.refutation for one in record.claims] == [DEGENERATE, OF_THE_STATEMENT, None, None, DEGENERATE]
    text = to_json(record)
    assert read_audit(text) == record
    published().validate(json.loads(text))
    assert json.loads(text)["claims"][0]["refutation"] == {
        "kind": "degenerate",
        "why": WHY,
        "boundary": {"holds_at": "21.57", "fails_at": "21.58"},
    }


@pytest.mark.parametrize(
    "changed",
    [{"kind": "letter"}, {"kind": "degenerate", "why": ""}, {"boundary": "21.57"}, {"boundary": {"holds_at": "1"}}],
)
def test_what_is_no_refutation_is_not_read(record: AuditRecord, changed: dict[str, Any]) -> None:
    data = json.loads(to_json(record))["claims"][0]
    data["refutation"] = {**data["refutation"], **changed}
    with pytest.raises(msgspec.ValidationError):
        result_from_json(json.dumps(data))


def test_a_claim_that_is_proved_against_what_it_declares_is_not_as_expected() -> None:
    (found,) = audit([claim("a.proved", DEGENERATE, epsilon=2, parameters={"epsilon": 1})], recheck=False).claims
    assert (found.verdict, found.refutation) == (Status.PROVED, None)
    assert found.surprise == "expected REFUTED"


@pytest.mark.parametrize(
    ("refutation", "expected", "message"),
    [
        (DEGENERATE, Status.PROVED, r"a\.b: refutation= and expected=PROVED exclude each other"),
        (OF_THE_STATEMENT, None, r"a\.b: refutation= and expected=PROVED exclude each other"),
        (OF_THE_STATEMENT, Status.UNDECIDED, "and expected=UNDECIDED exclude each other"),
        ("degenerate", Status.REFUTED, "refutation='degenerate' is not a Refutation"),
    ],
)
def test_a_claim_says_what_is_refuted_only_where_it_is_to_be_refuted(
    refutation: Any, expected: Status | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        claim("a.b", refutation, expected=expected)


def test_a_refutation_that_is_not_of_the_statement_says_why() -> None:
    for kind in set(RefutationKind) - {RefutationKind.STATEMENT}:
        with pytest.raises(InputError, match="give a sentence"):
            Refutation(kind)
    with pytest.raises(InputError, match="a character that no report or terminal can show"):
        Refutation(RefutationKind.STATEMENT, "\ud800")


def test_all_kinds_have_words() -> None:
    assert set(REFUTED_AS) == {*RefutationKind, None}


def test_refutations_are_grouped_and_counted(record: AuditRecord) -> None:
    found = [(group.name, [one.id for one in group.claims]) for group in refutations(record.claims)]
    assert found == [
        ("of statements", ["a.statement"]),
        ("degenerate", ["a.degenerate", "a.alike"]),
        ("not classified", ["a.unsaid"]),
    ]
    assert refuted_in_short(record.claims) == "4 REFUTED: 1 of statements, 2 degenerate, 1 not classified"
    assert refuted_in_short(record.claims[2:4]) == ""


IN_WORDS = f"Refuted (degenerate): {WHY} It holds at ε = 21.57 and fails at ε = 21.58, by bisection."


def test_the_table_says_it(record: AuditRecord) -> None:
    lines = to_table(record).splitlines()
    assert lines[-2:] == [headline(record), refuted_in_short(record.claims)]
    at = next(i for i, line in enumerate(lines) if "a.degenerate" in line)
    assert lines[at].endswith("(expected, degenerate)")
    assert " ".join(line.strip() for line in lines[at + 1 : at + 3]) == IN_WORDS
    assert lines[at + 3].startswith("    left")
    assert next(line for line in lines if "a.statement" in line).endswith("(expected, statement)")
    assert next(line for line in lines if "a.unsaid" in line).endswith("(expected)")
    assert IN_WORDS in " ".join(to_table(record, detail="all").split())


def test_markdown_says_it(record: AuditRecord) -> None:
    text = render(record, ".md")
    assert "| `a.degenerate` | **REFUTED** (expected, degenerate) |" in text
    groups = text.partition("## What is refuted\n")[2].partition("## a\n")[0]
    assert [line for line in groups.splitlines() if line.startswith("### ")] == [
        "### 1 of statements",
        "### 2 degenerate",
        "### 1 not classified",
    ]
    escaped = "At &lt;b&gt;so&lt;/b&gt; large an ε \\| one row is enough\\_."
    assert f"- `a.degenerate`, `a.alike`: {escaped} It holds at ε = 21.57 and" in groups
    assert "- `a.statement`\n" in groups
    assert "What is refuted" not in render(msgspec.structs.replace(record, claims=record.claims[2:4]), ".md")


def test_html_says_it(record: AuditRecord) -> None:
    page, text = Page(), render(record, ".html")
    page.feed(text)
    assert page.open == []
    assert "b" not in page.tags
    assert page.text.count(IN_WORDS) == 2
    assert re.search(rf"a\.\s+Claimed .*{re.escape(WHY)} It holds.*\s+degenerate, alike\s", page.text)
    for words in ("1 of statements.", "2 degenerate.", "1 not classified."):
        assert f"<summary><strong>{words}</strong>" in text
    assert '<span class="badge of-degenerate">degenerate</span>' in text
    assert '<span class="badge of-statement">statement</span>' in text
    links = ["#a.statement", "#a.degenerate", "#a.alike", "#a.unsaid"]
    rows = [f"#{claim.id}" for claim in record.claims]
    assert [link for link in page.loads if link.startswith("#a.")][: len(links)] == links
    assert re.findall(r'<th scope="row"><a href="(#a\.[^"]*)">', text) == rows
    assert all(f'<div class="body" id="{link[1:]}">' in text for link in links)
    without = render(msgspec.structs.replace(record, claims=record.claims[2:4]), ".html")
    assert "not classified" not in without and "<summary>refuted as expected</summary>" in without


def test_what_is_refuted_is_a_difference(record: AuditRecord) -> None:
    new = json.loads(to_json(record))
    old = {**new, "claims": [{**one, "refutation": None} for one in new["claims"]]}
    assert difference(read_loosely(json.dumps(new)), read_loosely(json.dumps(new))).is_none
    changed = difference(read_loosely(json.dumps(old)), read_loosely(json.dumps(new))).changed
    assert changed.keys() == {"a.degenerate", "a.statement", "a.alike"}


def test_a_claim_that_is_changed_keeps_what_it_declares() -> None:
    assert replace(CLAIMS[0], id="a.another").refutation == DEGENERATE

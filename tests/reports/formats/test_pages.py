"""The page and the Markdown as they are read: what is told first, by which paper, and how much of it."""

from __future__ import annotations

import argparse
import re
from functools import partial
from typing import Any

import msgspec
import pytest
from tests.catalogue.committed import RESULTS, committed_audit
from tests.reports.test_reports import Page

from dpverify.mechanisms import Draw, laplace
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.formats import markdown
from dpverify.reports.formats.contents import chapters, known, surprises, weak
from dpverify.reports.formats.rendering import render
from dpverify.reports.kinds import kind_of
from dpverify.reports.record import AuditRecord, Location, Status
from dpverify.verifiers import Claim, Tuples, audit
from dpverify.verifiers.claims import RefutationKind
from dpverify.verifiers.kept.mechanism_sources import MOST_LINES, source_of


@pytest.fixture(scope="module")
def committed() -> AuditRecord:
    return committed_audit()


@pytest.fixture(scope="module")
def committed_page() -> str:
    """As it is committed; that this is what is rendered is seen in `tests/catalogue/test_catalogue.py`, and below."""
    return (RESULTS / "audit.html").read_text(encoding="utf-8")


def count(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    return sum(rows) + draw(laplace(1 / epsilon))


def row(draw: Draw, rows: tuple[int, ...]) -> Any:
    return rows[0]


CLAIMS = [
    Claim(id="lib.count", mechanism=count, domain=Tuples((0, 1), size=1), epsilon=1),
    Claim(id="lib.row", mechanism=row, domain=Tuples((0, 1), size=1), epsilon=1, source="by </script> hand"),
    Claim(id="lib.known", mechanism=row, domain=Tuples((0, 1), size=1), epsilon=1, expected=Status.REFUTED),
]


@pytest.fixture(scope="module")
def record() -> AuditRecord:
    return audit(CLAIMS, recheck=False)


def test_chapters_are_papers(committed: AuditRecord) -> None:
    found = {chapter.name: chapter.title for chapter in chapters(committed)}
    assert (
        found.items()
        >= {
            "BNS-J": "Beimel, Nissim & Stemmer, journal version",
            "BNS-X": "Beimel, Nissim & Stemmer, extended abstract",
            "BuNS": "Bun, Nissim & Stemmer",
            "HRS": "Hardt, Rothblum & Servedio",
            "CHS": "Chaudhuri, Hsu & Song",
        }.items()
    )
    assert sum(len(chapter.claims) for chapter in chapters(committed)) == len(committed.claims)


@pytest.mark.parametrize(
    ("claim_id", "name"),
    [
        ("BNS-J-2.26.privacy.printed", "BNS-J"),
        ("LSL-Alg1.privacy.printed", "LSL"),
        ("mylib.most_common", "mylib"),
        ("my-lib.py:most_common", "my-lib.py:most_common"),
        ("my-lib.most_common", "my-lib"),
        ("tests/Test-a.py::test_b", "tests/Test-a.py"),
        ("plain", "plain"),
    ],
)
def test_what_is_of_no_paper_is_of_its_file(record: AuditRecord, claim_id: str, name: str) -> None:
    claim = msgspec.structs.replace(record.claims[0], id=claim_id)
    (chapter,) = chapters(msgspec.structs.replace(record, claims=[claim]))
    assert chapter.name == name


def test_every_refuted_claim_is_told_first_once(committed: AuditRecord, record: AuditRecord) -> None:
    for one in (committed, record):
        refuted = {claim.id for claim in one.claims if claim.verdict is Status.REFUTED}
        told = [claim.id for claim in surprises(one)] + [claim.id for kind in known(one) for claim in kind.claims]
        assert sorted(told) == sorted(refuted)
    assert known(committed)[0].kind is RefutationKind.STATEMENT
    assert sum(len(told.claims) for told in weak(committed)) == sum(bool(claim.weak) for claim in committed.claims)


def test_surprises_begin_with_what_is_refuted(record: AuditRecord) -> None:
    unexpected = msgspec.structs.replace(record.claims[0], expected=Status.REFUTED)
    changed = msgspec.structs.replace(record, claims=[unexpected, *record.claims[1:]])
    assert [claim.id for claim in surprises(changed)] == ["lib.row", "lib.count"]


def test_all_links_of_the_committed_page_lead_somewhere(committed: AuditRecord, committed_page: str) -> None:
    text = committed_page
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(set(ids)) == len(ids)
    links = re.findall(r' href="([^"]*)"', text)
    assert all(link.startswith("#") for link in links) and {link[1:] for link in links} <= set(ids)
    assert text == render(read_audit(to_json(committed)), ".html")


def test_the_source_of_a_mechanism_is_beside_what_refutes_it(record: AuditRecord) -> None:
    (source,) = record.sources
    assert source.claims == ["lib.row", "lib.known"]
    assert source.text.startswith("def row(") and source.text.endswith("return rows[0]")
    assert read_audit(to_json(record)) == record
    text = render(record, ".html")
    assert text.count('<pre class="source">def row(') == 2
    assert "</script> hand" not in text
    without = msgspec.structs.replace(record, sources=[])
    assert '"sources"' not in to_json(without)
    assert '<pre class="source">' not in render(without, ".html")


def test_a_page_says_where_claims_and_mechanisms_are_written(record: AuditRecord) -> None:
    at = Location("lib/<noise>.py", 7, "lib.noise", "count")
    claim = msgspec.structs.replace(record.claims[0], mechanism_location=at, location=None)
    text = render(msgspec.structs.replace(record, claims=[claim]), ".html")
    assert '<span class="soft">mechanism</span> <span class="place">lib/&lt;noise&gt;.py:7 count</span>.' in text
    claim = msgspec.structs.replace(claim, location=Location("claims_lib.py", 0, "claims_lib", "lib.count"))
    text = render(msgspec.structs.replace(record, claims=[claim]), ".html")
    assert '<span class="soft">claim</span> <span class="place">claims_lib.py lib.count</span>.' in text


def test_only_what_is_plainly_proved_is_a_list_on_paper(
    committed: AuditRecord, committed_page: str, record: AuditRecord
) -> None:
    for one, page in ((committed, committed_page), (record, render(record, ".html"))):
        shown = dict(re.findall(r'<details id="([^"]*)" class="claim(| told| plain)"', page))
        plain = {name for name, mark in shown.items() if mark == " plain"}
        assert plain == {
            claim.id
            for claim in one.claims
            if claim.verdict is Status.PROVED
            and claim.as_expected
            and not claim.weak
            and not kind_of(claim).witness(claim)
        }


def test_sources_of_what_is_called() -> None:
    assert source_of(partial(row, rows=(1,))) == source_of(row)
    assert source_of(print) == source_of(None) == source_of(eval("lambda draw, rows: 0")) == ""
    assert source_of(Page).startswith("class Page(") and source_of(Page()) == source_of(Page)
    long = source_of(argparse.ArgumentParser)
    assert len(long.splitlines()) == MOST_LINES + 1 and "more lines" in long.splitlines()[-1]


def test_markdown_is_short_enough_to_be_shown(committed: AuditRecord, record: AuditRecord) -> None:
    text = render(committed, ".md")
    assert 30_000 < len(text.encode()) <= markdown.LIMIT
    assert "This page is kept short" in text and "This page" not in render(record, ".md")
    refuted = [claim.id for claim in committed.claims if claim.verdict is Status.REFUTED]
    assert all(f"`{name}`" in text for name in refuted)
    assert "- `BNS-J-2.26.privacy.printed`: `left (0, 0, 1); right (0, 0, 0); event {2}`" in text


def test_what_is_from_a_journal_has_a_row_on_a_short_page_too(committed: AuditRecord) -> None:
    name = next(c.id for c in committed.claims if c.kind == "step" and c.verdict is Status.PROVED and not c.weak)
    assert f"| `{name}` |" not in render(committed, ".md")
    claims = [
        msgspec.structs.replace(claim, origin="journal") if claim.id == name else claim for claim in committed.claims
    ]
    text = render(msgspec.structs.replace(committed, claims=claims), ".md")
    assert f"| `{name}` | **PROVED** (from a journal) |" in text
    assert "(1 from a journal)." in text


def test_markdown_of_whatever_length_is_cut_at_last(committed: AuditRecord) -> None:
    claims = [msgspec.structs.replace(claim, expected=Status.VACUOUS) for claim in committed.claims]
    text = render(msgspec.structs.replace(committed, claims=claims), ".md")
    assert len(text.encode()) <= markdown.LIMIT
    assert "… and more" in text and text.count("\n```") % 2 == 0
    assert text.index("## Not as expected") < 1000


def test_markdown_begins_with_surprises(record: AuditRecord) -> None:
    assert "## Not as expected\n\n- `lib.row`: **REFUTED**, expected PROVED\n" in render(record, ".md")

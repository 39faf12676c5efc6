"""The page and the Markdown as they are read: what is told first, by which paper, and how much of it."""

import argparse
import gzip
import re
from functools import partial
from typing import Any

import msgspec
import pytest
from tests.catalogue.committed import RESULTS, committed_audit
from tests.examples import in_one
from tests.reports.test_reports import Page

from dpverify.mechanisms import Draw, laplace
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.audits.summary import left_to_depth_full
from dpverify.reports.formats import markdown
from dpverify.reports.formats.contents import (
    LEGEND,
    chapters,
    known,
    left_by_reason,
    loose,
    surprises,
    unreached_claims,
)
from dpverify.reports.formats.first_screen import first_sentence, one_sentence, strength
from dpverify.reports.formats.rendering import render, suffix_of
from dpverify.reports.formats.source_lines import SourceLine, source_lines, sources_once
from dpverify.reports.kinds import kind_of
from dpverify.reports.line_runs import LineRun, LineRuns
from dpverify.reports.never_run import LinesNotRun, NeverRun
from dpverify.reports.record import AuditRecord, Location, MechanismSource, NotDecided, Status
from dpverify.verifiers import Claim, Tuples, audit
from dpverify.verifiers.auditing.cache.mechanism_sources import MOST_LINES, source_of
from dpverify.verifiers.claims import RefutationKind

pytestmark = pytest.mark.usefixtures("decided_here")


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
    return audit(CLAIMS, recheck=False, reach=False)


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
    claim = msgspec.structs.replace(record.claims[0], id=claim_id, location=None)
    (chapter,) = chapters(msgspec.structs.replace(record, claims=[claim]))
    assert chapter.name == name


def test_every_refuted_claim_is_told_first_once(committed: AuditRecord, record: AuditRecord) -> None:
    for one in (committed, record):
        refuted = {claim.id for claim in one.claims if claim.verdict is Status.REFUTED}
        told = [claim.id for claim in surprises(one)] + [claim.id for kind in known(one) for claim in kind.claims]
        assert sorted(told) == sorted(refuted)
    assert known(committed)[0].kind is RefutationKind.STATEMENT
    assert sum(len(told.claims) for told in loose(committed)) == sum(bool(claim.loose) for claim in committed.claims)


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


def test_the_source_of_a_mechanism_is_beside_what_refutes_it(record: AuditRecord) -> None:
    of_count, source = record.sources
    assert of_count.claims == ["lib.count"] and source.claims == ["lib.row", "lib.known"]
    assert source.text.startswith("def row(") and source.text.endswith("return rows[0]")
    assert read_audit(to_json(record)) == record
    text = render(record, ".html")
    assert source_lines(source.text, record.claims[1].mechanism_location)[0] == SourceLine(
        row.__code__.co_firstlineno, "def row(draw: Draw, rows: tuple[int, ...]) -> Any:", False, False, ""
    )
    assert text.count('<pre class="source"><code>') == 2, "once for both claims of it"
    assert 'its source is with</i> <a href="#lib.row">lib.row</a>' in text
    assert sources_once(record) == {"lib.count": "lib.count", "lib.row": "lib.row", "lib.known": "lib.row"}
    seen = NeverRun(2, [LinesNotRun("tests/reports/formats/test_pages.py", 1, 999, "", raises=False, because="")])
    other = msgspec.structs.replace(record.claims[2], never_run=seen)
    looks_otherwise = msgspec.structs.replace(record, claims=[*record.claims[:2], other])
    assert sources_once(looks_otherwise) == {name: name for name in ("lib.count", "lib.row", "lib.known")}
    assert "</script> hand" not in text
    without = msgspec.structs.replace(record, sources=[])
    assert '"sources"' not in to_json(without)
    assert '<pre class="source">' not in render(without, ".html")


def test_a_page_says_where_claims_and_mechanisms_are_written(record: AuditRecord) -> None:
    at = Location("lib/<noise>.py", 7, "lib.noise", "count")
    claim = msgspec.structs.replace(record.claims[0], mechanism_location=at, location=None)
    text = render(msgspec.structs.replace(record, claims=[claim]), ".html")
    assert "<i>mechanism</i> lib/&lt;noise&gt;.py:7 count." in text
    claim = msgspec.structs.replace(claim, location=Location("claims_lib.py", 0, "claims_lib", "lib.count"))
    text = render(msgspec.structs.replace(record, claims=[claim]), ".html")
    assert "<i>claim</i> claims_lib.py lib.count." in text


def test_only_what_is_plainly_proved_is_a_list_on_paper(
    committed: AuditRecord, committed_page: str, record: AuditRecord
) -> None:
    for one, page in ((committed, committed_page), (record, render(record, ".html"))):
        shown = {
            name: mark
            for mark, name in re.findall(
                r'<tbody class="claim(| told| plain)".*?<div class="body" id="([^"]*)"', page, flags=re.DOTALL
            )
        }
        plain = {name for name, mark in shown.items() if mark == " plain"}
        assert plain == {
            claim.id
            for claim in one.claims
            if claim.verdict is Status.PROVED
            and claim.as_expected
            and not claim.loose
            and not claim.rider
            and not kind_of(claim).witness(claim)
        }


def test_sources_of_what_is_called() -> None:
    assert source_of(partial(row, rows=(1,))) == source_of(row)
    assert source_of(print) == source_of(None) == source_of(eval("lambda draw, rows: 0")) == ""
    assert source_of(Page).startswith("class Page(") and source_of(Page()) == source_of(Page)
    long = source_of(argparse.ArgumentParser)
    assert len(long.splitlines()) == MOST_LINES + 1 and "more lines" in long.splitlines()[-1]


DRAWS = """@wrapped
def told(tell, rows):
    def one(x):
        return tell(x)
    found = [tell(
        x) for x in rows]
    draw = len(rows)
    return handed(tell, found), draw
# … 3 more lines"""

CALLED = """class DescribedPart:
    def other(self, tell):
        return tell
    def __call__(self, tell, rows):
        return tell(rows)"""


@in_one(
    "text, drawing",
    [
        (DRAWS, [4, 5, 8]),
        (CALLED, [5]),
        ("async def f(d, /, rows):\n    return d(rows)", [2]),
        ("def f(*, draw):\n    return draw()", []),
        ("    lambda draw, rows: draw(rows),", []),
        ("x = (lambda draw: draw(1))", []),
        ("def f(draw):\n    return '\\d' is draw", [2]),
        ("", []),
    ],
)
def test_lines_that_draw_are_those_that_use_the_first_parameter(text: str, drawing: list[int]) -> None:
    lines = source_lines(text, Location("lib.py", 70, "lib", "told"))
    assert [i for i, line in enumerate(lines, 1) if line.draws] == drawing
    assert [line.text for line in lines] == text.splitlines()
    numbers = [line.number for line in lines]
    cut = [None] if "more lines" in text else []
    assert numbers == [*range(70, 70 + len(numbers) - len(cut)), *cut]
    assert {line.number for line in source_lines(text, None)} <= {None}
    assert {line.number for line in source_lines(text, Location("", 0, "lib", "told"))} <= {None}


def test_a_long_docstring_is_folded() -> None:
    text = 'def f(draw):\n    """One.\n\n    Two.\n    """\n    return draw'
    lines = source_lines(text, Location("lib.py", 7, "lib", "f"))
    assert [line.number for line in lines] == [7, 8, 11, 12] and lines[1].text == '    """One. …'
    assert [line.number for line in lines if line.draws] == [12]
    short = source_lines('class F:\n    """One.\n    """\n    x = 1', None)
    assert [line.text for line in short][1:3] == ['    """One.', '    """']


def test_lines_that_never_ran_are_marked_in_their_file_alone() -> None:
    def silent(file: str, first: int, last: int, because: str = "", *, raises: bool = False) -> LinesNotRun:
        return LinesNotRun(file=file, first=first, last=last, part="", raises=raises, because=because)

    found = [
        silent("lib.py", 72, 73),
        silent("other.py", 74, 74),
        silent("lib.py", 75, 75, "it logs"),
        silent("lib.py", 76, 76, raises=True),
    ]
    never_run = NeverRun(databases=1, lines=found)
    lines = source_lines(DRAWS, Location("lib.py", 70, "lib", "told"), never_run)
    assert [line.number for line in lines if line.never_ran] == [72, 73]
    assert not any(line.never_ran for line in source_lines(DRAWS, None, never_run))
    assert not any(line.never_ran for line in source_lines(DRAWS, Location("", 70, "lib", "told"), never_run))


def test_how_likely_lines_are_to_run_is_beside_them(record: AuditRecord) -> None:
    of_count, of_row, of_known = record.claims
    at = Location("lib.py", 41, "lib", "row")
    runs = LineRuns(16, False, "", [LineRun(1, 16, "1"), LineRun(2, 9, "0.25")])
    seldom = [msgspec.structs.replace(one, mechanism_location=at, line_runs=runs) for one in (of_row, of_known)]
    always = msgspec.structs.replace(of_count, line_runs=LineRuns(4, True, "1", [LineRun(2, 4, "1")]))
    text = render(msgspec.structs.replace(record, claims=[always, *seldom]), ".html")
    assert '<i>42</i><span class="chance">0.25 on 9</span>    return rows[0]' in text
    assert "stands with which probability a line runs at most, on 16 of the databases</p>" in text
    assert "0.25 on 9 (line 42) <i>at most,</i> on 16 of the databases." in text
    assert "draws; each line always runs, on all 4 databases, at ε = 1</p>" in text
    assert text.count('class="source likely"') == 1


def test_claims_may_have_the_names_of_parts_of_the_page(record: AuditRecord) -> None:
    names = ("claims", "gate", "failed", "loose", "filter", "sorted", "meaning", "known-1", "not-decided")
    claims = [msgspec.structs.replace(record.claims[i % 3], id=name, loose=True) for i, name in enumerate(names)]
    rows = [NotDecided("lib.left", "privacy", "", None, "bad")]
    text = render(msgspec.structs.replace(record, claims=claims, not_decided=rows), ".html")
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(set(ids)) == len(ids) and set(names) <= set(ids)
    assert {link[1:] for link in re.findall(r' href="([^"]*)"', text)} <= set(ids)


def claims_with(record: AuditRecord, *verdicts: tuple[Status, Status]) -> AuditRecord:
    """A record of claims with these verdicts, and the expected ones."""
    claims = [
        msgspec.structs.replace(record.claims[0], id=f"lib.{i}", verdict=verdict, expected=expected)
        for i, (verdict, expected) in enumerate(verdicts)
    ]
    return msgspec.structs.replace(record, claims=claims)


HELD = (Status.PROVED, Status.PROVED)


@in_one(
    "verdicts, said",
    [
        ([HELD] * 4 + [(Status.REFUTED, Status.PROVED)], "4 of 5 claims hold; 1 counterexample"),
        ([HELD] * 2, "all 2 claims hold"),
        ([HELD], "1 of 1 claims hold"),
        ([], "no claims"),
        ([HELD, (Status.REFUTED, Status.REFUTED)], "1 of 2 claims hold; 1 refuted as expected"),
        ([(Status.REFUTED, Status.PROVED)] * 2, "0 of 2 claims hold; 2 counterexamples"),
        ([(Status.UNDECIDED, Status.PROVED)], "0 of 1 claims hold; 1 undecided"),
        ([(Status.UNDECIDED, Status.UNDECIDED)], "0 of 1 claims hold; 1 undecided as expected"),
        ([HELD, (Status.VACUOUS, Status.PROVED)], "1 of 2 claims hold; 1 vacuous"),
        ([HELD, (Status.PROVED, Status.REFUTED)], "1 of 2 claims hold; 1 proved but not as expected"),
        ([HELD, (Status.FUZZED, Status.FUZZED)], "1 of 2 claims hold; 1 not refuted on inputs tried"),
        ([HELD, (Status.CHECKED, Status.PROVED)], "1 of 2 claims hold; 1 checked, outside the language"),
        ([(Status.CHECKED, Status.CHECKED)], "0 of 1 claims hold; 1 checked, outside the language"),
        ([(Status.INCONCLUSIVE, Status.INCONCLUSIVE)], "0 of 1 claims hold; 1 not refuted by samples"),
        (
            [
                HELD,
                (Status.UNDECIDED, Status.PROVED),
                (Status.REFUTED, Status.PROVED),
                (Status.REFUTED, Status.REFUTED),
            ],
            "1 of 4 claims hold; 1 counterexample; 1 undecided; 1 refuted as expected",
        ),
    ],
)
def test_the_first_sentence_counts_every_claim_once(
    record: AuditRecord, verdicts: list[tuple[Status, Status]], said: str
) -> None:
    audit_record = claims_with(record, *verdicts)
    sentence = first_sentence(audit_record)
    assert one_sentence(sentence) == said
    held_all = bool(verdicts) and all(verdict is expected for verdict, expected in verdicts)
    assert (sentence[0].colour == "good") is held_all
    if verdicts:
        counts = [int(part.text.removeprefix("all ").split()[0]) for part in sentence]
        assert sum(counts) == len(verdicts)


def test_the_first_sentence_says_what_is_not_decided(record: AuditRecord) -> None:
    rows = [NotDecided("lib.left", "privacy", "", None, "bad"), NotDecided("claims_x.py", "file", "", None, "bad")]
    partial = msgspec.structs.replace(claims_with(record, HELD, HELD), not_decided=rows)
    sentence = first_sentence(partial)
    assert one_sentence(sentence) == "2 of 3 claims hold; 1 not decided; 1 file not read"
    assert sentence[0].colour == "plain"
    nothing = msgspec.structs.replace(partial, claims=[])
    text = render(nothing, ".html")
    assert {link[1:] for link in re.findall(r' href="([^"]*)"', text)} <= set(re.findall(r' id="([^"]*)"', text))


def test_all_formats_begin_with_the_sentence_and_then_with_what_failed(record: AuditRecord) -> None:
    said = "1 of 3 claims hold; 1 counterexample; 1 refuted as expected"
    page, text = render(record, ".html"), render(record, ".md")
    shown = Page()
    shown.feed(page)
    assert text.startswith(f"# dpverify audit\n\n**{said}.**\n\n## Not as expected\n\n| claim |")
    assert (
        shown.text.index(f"{said}.") < shown.text.index("1 claim not as expected") < shown.text.index("known violation")
    )
    order = ["lib.row", "lib.count", "lib.known"]
    assert re.findall(r'<div class="body" id="([^"]*)"', page) == order
    assert re.findall(r"^\| `([^`]*)` \|", text, flags=re.MULTILINE) == order


def test_claims_are_grouped_by_file_with_a_list_of_many(record: AuditRecord) -> None:
    places = [Location(f"tests/claims_{i}.py", 1, "", "") for i in (0, 1, 2, 3, 0)]
    claims = [
        msgspec.structs.replace(record.claims[0], id=f"lib.{i}", location=place) for i, place in enumerate(places)
    ]
    many = msgspec.structs.replace(record, claims=claims)
    assert [(chapter.name, len(chapter.claims)) for chapter in chapters(many)] == [
        ("tests/claims_0.py", 2),
        ("tests/claims_1.py", 1),
        ("tests/claims_2.py", 1),
        ("tests/claims_3.py", 1),
    ]
    text = render(many, ".html")
    nav = text[text.index("<nav") : text.index("</nav>")]
    links = re.findall(r'href="#([^"]*)">(.*?)</a> (\d)', nav)
    assert [link[1:] for link in links] == [(one.name, str(len(one.claims))) for one in chapters(many)]
    assert all(f'<details class="chapter" id="{name}"' in text for name, _, _ in links)
    assert "<nav" not in render(msgspec.structs.replace(many, claims=claims[:2]), ".html")
    failed = msgspec.structs.replace(claims[0], expected=Status.REFUTED)
    (chapter,) = chapters(msgspec.structs.replace(many, claims=[failed, claims[4]]))
    assert (chapter.surprises, [claim.id for claim in chapter.claims]) == (1, ["lib.4"])
    assert chapters(msgspec.structs.replace(many, claims=[failed])) == []


def test_the_legend_is_short_and_on_every_page(record: AuditRecord) -> None:
    assert len(LEGEND.split()) <= 60
    assert LEGEND in render(record, ".html") and LEGEND in render(record, ".md")
    for word in ("Tight ε", "Headroom", "noise multiplier", "counterexample"):
        assert word in LEGEND


def test_a_page_without_other_claims_has_no_heading_for_them(record: AuditRecord) -> None:
    text = render(msgspec.structs.replace(record, claims=record.claims[1:2]), ".html")
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", text) == ["1 claim not as expected", "Legend"]


def test_lines_that_no_database_runs_are_on_the_first_screen(record: AuditRecord) -> None:
    one = LinesNotRun(file="lib.py", first=3, last=3, part="", raises=False, because="")
    seen = NeverRun(databases=4, lines=[one])
    claims = [msgspec.structs.replace(record.claims[0], never_run=seen), *record.claims[1:]]
    changed = msgspec.structs.replace(record, claims=claims)
    assert [claim.id for claim in unreached_claims(changed)] == ["lib.count"]
    (part,) = strength(changed)
    assert (part.text, part.leads_to, part.shows) == ("1 with unreached code", "unreached", "unreached")
    text = render(changed, ".html")
    source = MechanismSource("def count(draw, rows):\n    if rows:\n        return draw(rows)", ["lib.count"])
    at = Location("lib.py", 1, "lib", "count")
    told = msgspec.structs.replace(claims[0], mechanism_location=at)
    shown = render(msgspec.structs.replace(changed, claims=[told, *claims[1:]], sources=[source]), ".html")
    assert '<code class="draws never-ran"><i>3</i>' in shown
    assert "no database of the claim runs it" in shown and "no database of the claim runs it" not in text
    assert 'id="the-unreached"' in text and "lib.py:3 never run by any of the 4 databases" in text
    accepted = msgspec.structs.replace(seen, lines=[msgspec.structs.replace(one, because="it logs")])
    claims = [msgspec.structs.replace(record.claims[0], never_run=accepted), *record.claims[1:]]
    assert unreached_claims(msgspec.structs.replace(record, claims=claims)) == []


def test_what_is_not_decided_is_told_by_its_reason(record: AuditRecord) -> None:
    rows = [NotDecided(f"lib.{i}", "privacy", "", None, "its time was up" if i < 9 else "bad") for i in range(10)]
    partial = msgspec.structs.replace(record, not_decided=rows)
    assert [(reason, len(found)) for reason, found in left_by_reason(partial)] == [("its time was up", 9), ("bad", 1)]
    text = render(partial, ".html")
    assert text.count("its time was up") == 1 and "lib.0, lib.1," in text


def test_the_committed_page_is_small(committed_page: str) -> None:
    page = committed_page.encode()
    assert len(page) < 4_000_000 and len(gzip.compress(page, mtime=0)) < 500_000


def test_markdown_is_short_enough_to_be_shown(committed: AuditRecord, record: AuditRecord) -> None:
    text = render(committed, ".md")
    assert 30_000 < len(text.encode()) <= markdown.LIMIT
    assert "This page is kept short" in text and "This page" not in render(record, ".md")
    refuted = [claim.id for claim in committed.claims if claim.verdict is Status.REFUTED]
    assert all(f"`{name}`" in text for name in refuted)
    assert "- `BNS-J-2.26.privacy.printed`: `left (0, 0, 1); right (0, 0, 0); event {2}`" in text


def test_pages_name_what_is_of_all_sizes_at_depth_full_alone(committed: AuditRecord, record: AuditRecord) -> None:
    """It is not told from what is of databases alone otherwise."""
    left = {claim.id for claim in left_to_depth_full(committed)}
    assert "BNS-J-4.4.privacy.printed-growth-2" in left
    _, _, text = render(committed, ".md").partition("## Of all sizes at depth full\n")
    named = text.partition("\n## ")[0]
    assert f"{len(left)} claims of all sizes" in named
    assert set(re.findall(r"`([^`]*\.privacy\.[^`]*)`", named)) == left
    assert "depth full" not in render(record, ".md")


def test_what_is_from_a_journal_has_a_row_on_a_short_page_too(committed: AuditRecord) -> None:
    name = next(c.id for c in committed.claims if c.kind == "step" and c.verdict is Status.PROVED and not c.loose)
    assert f"| `{name}` |" not in render(committed, ".md")
    claims = [
        msgspec.structs.replace(claim, origin="journal") if claim.id == name else claim for claim in committed.claims
    ]
    text = render(msgspec.structs.replace(committed, claims=claims), ".md")
    assert f"| `{name}` | **PROVED** (from a journal) |" in text
    assert "verdicts: 1 from a journal." in text


def test_markdown_of_whatever_length_is_cut_at_last(committed: AuditRecord) -> None:
    claims = [msgspec.structs.replace(claim, expected=Status.VACUOUS) for claim in committed.claims]
    text = render(msgspec.structs.replace(committed, claims=claims), ".md")
    assert len(text.encode()) <= markdown.LIMIT
    assert "… and more" in text and text.count("\n```") % 2 == 0
    assert text.index("## Not as expected") < 1000


@in_one("name, suffix", [("a.xml", ".xml"), ("folder.json/a.b.md", ".md"), ("a.svg", ""), ("json", "")])
def test_the_format_of_a_file_is_that_of_its_suffix(name: str, suffix: str) -> None:
    assert suffix_of(name) == suffix

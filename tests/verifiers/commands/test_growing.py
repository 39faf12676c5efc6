"""Reports that grow while an audit runs: partial and whole at every moment, seldom enough, and the last one as ever."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.verifiers.commands.command_runs import dpverify

from dpverify.mechanisms import Draw
from dpverify.reports.formats.rendering import FORMATS, render
from dpverify.reports.record import TO_BE_DECIDED, AuditRecord, NotDecided, Status
from dpverify.reports.writing import STANDARD_OUTPUT, write_reports
from dpverify.verifiers import Claim, Tuples, audit
from dpverify.verifiers.commands import growing
from dpverify.verifiers.commands.growing import LEAST, SHARE, GrowingReports

PAGE = next(form for form in FORMATS if form.suffix == ".html")
JSON = next(form for form in FORMATS if form.suffix == ".json")


def row(draw: Draw, rows: tuple[int, ...]) -> Any:
    return rows[0]


CLAIMS = [
    Claim(id=f"lib.{i}", mechanism=row, domain=Tuples((0, 1), size=1), epsilon=1, expected=Status.REFUTED)
    for i in range(4)
]


@pytest.fixture(scope="module")
def record() -> AuditRecord:
    return audit(CLAIMS, recheck=False)


class Clock:
    """A clock that is set by hand, and that writing takes so long by."""

    def __init__(self, writing: float = 0.0) -> None:
        self.now = 0.0
        self._writing = writing
        self._asked = 0

    def __call__(self) -> float:
        return self.now

    def written(self, texts: Any) -> None:
        self.now += self._writing


def test_a_report_is_partial_from_the_start_and_grows(tmp_path: Path, record: AuditRecord) -> None:
    clock, page = Clock(), tmp_path / "a.html"
    unread = NotDecided("claims_bad.py", "file", "", None, "no such file")
    reports = GrowingReports({page: PAGE, tmp_path / "a.json": JSON}, CLAIMS, [unread], clock)
    text = page.read_text(encoding="utf-8")
    assert ">0 of 4 claims hold<" in text and ">4 not decided<" in text and ">1 file not read<" in text
    assert text.count(TO_BE_DECIDED) == 1 and "lib.0, lib.1, lib.2, lib.3" in text
    assert " data-grows>" in text and "This report is partial" in text and "claims_bad.py" in text
    clock.now = LEAST
    reports.note(record.claims[0])
    text = page.read_text(encoding="utf-8")
    assert 'id="lib.0"' in text and 'id="lib.1"' not in text and "def row" in text
    assert [one.id for one in reports.record.not_decided] == ["claims_bad.py", "lib.1", "lib.2", "lib.3"]
    left = NotDecided("lib.1", "privacy", "", Status.REFUTED, "its time was up")
    reports.note(left)
    assert reports.record.not_decided[1] == left
    assert [one.id for one in reports.record.not_decided] == ["claims_bad.py", "lib.1", "lib.2", "lib.3"]
    assert [one.id for one in reports.record.claims] == ["lib.0"]
    assert not (tmp_path / "a.json").exists(), "JSON does not grow"


def written_at(
    monkeypatch: pytest.MonkeyPatch, record: AuditRecord, clock: Clock, moments: list[float]
) -> Callable[[], list[int]]:
    """How many claims were known whenever a report was written, where each is decided at its moment."""
    known: list[int] = []

    def write(texts: Any) -> None:
        known.append(len(reports.record.claims) if known else 0)
        clock.written(texts)

    monkeypatch.setattr(growing, "write_reports", write)
    reports = GrowingReports({Path("a.html"): PAGE}, CLAIMS, (), clock)
    for moment, claim in zip(moments, record.claims, strict=False):
        clock.now = max(clock.now, moment)
        reports.note(claim)
    return lambda: known


def test_reports_are_seldom_written(monkeypatch: pytest.MonkeyPatch, record: AuditRecord) -> None:
    quick = written_at(monkeypatch, record, Clock(), [0.1, LEAST, LEAST + 0.1])
    assert quick() == [0, 2]
    slow = written_at(monkeypatch, record, Clock(writing=1.0), [LEAST + 1, SHARE, SHARE + 1])
    assert slow() == [0, 3], "a report that takes a second is written every twenty"


def test_the_last_claim_leaves_the_report_to_the_end(monkeypatch: pytest.MonkeyPatch, record: AuditRecord) -> None:
    assert written_at(monkeypatch, record, Clock(), [10, 20, 30, 40])() == [0, 1, 2, 3]


def test_what_cannot_be_written_does_not_stop_an_audit(tmp_path: Path, record: AuditRecord) -> None:
    clock = Clock()
    reports = GrowingReports({tmp_path / "missing" / "a.html": PAGE}, CLAIMS, (), clock)
    clock.now = 100
    reports.note(record.claims[0])
    assert not (tmp_path / "missing").exists()


def test_nothing_grows_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    GrowingReports({STANDARD_OUTPUT: PAGE}, CLAIMS)
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("decided_here")
def test_the_page_of_an_audit_ends_as_it_would_have_been_written_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def write(texts: Any) -> None:
        seen.extend(texts.values())
        write_reports(texts)

    monkeypatch.setattr(growing, "write_reports", write)
    monkeypatch.setattr(growing, "LEAST", 0.0)
    monkeypatch.setattr(growing, "SHARE", 0.0)
    assert dpverify("audit", "claims_mine.py", "--html", "a.html").exit_code == 0
    assert len(seen) == 2 and all(" data-grows>" in text for text in seen)
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "<main>" in page and "partial" not in page.partition("<main")[2].partition("<script>")[0]


def test_only_a_report_that_grows_is_loaded_anew(record: AuditRecord) -> None:
    assert "<main>" in render(record, ".html")
    stopped = AuditRecord(record.schema, record.dpverify, record.claims, [NotDecided("a", "privacy", "", None, "bad")])
    assert "<main>" in render(stopped, ".html")

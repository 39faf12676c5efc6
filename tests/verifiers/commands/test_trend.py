"""dpverify trend: reports by their files, a page, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import dpverify

pytestmark = pytest.mark.usefixtures("decided_here")


@pytest.fixture
def reports(folder: Path) -> Path:
    assert dpverify("audit", "claims_mine.py", "--json", "a.json").exit_code == 0
    text = (folder / "a.json").read_text(encoding="utf-8")
    (folder / "b.json").write_text(text.replace('"verdict": "PROVED"', '"verdict": "VACUOUS"'), encoding="utf-8")
    return folder


def test_what_became_of_claims(reports: Path) -> None:
    done = dpverify("trend", "a.json", "b.json", "--html", "trend.html")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("a.json: 2 claims, 0 not as expected\nb.json: 2 claims, 1 not as expected\n\n")
    assert "PROVED → VACUOUS, expected PROVED (from b.json)\n1 claim the same in all\n" in done.stdout
    page = (reports / "trend.html").read_text(encoding="utf-8")
    assert "dpverify trend" in page and "VACUOUS" in page
    alone = dpverify("trend", "a.json", "b.json", "--html", "-")
    assert alone.stdout.startswith("<!DOCTYPE html>") and alone.stderr.startswith("a.json: 2 claims")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.json",), "the list of further reports is empty"),
        (("a.json", "a.json"), "a.json is named twice"),
        (("a.json", "none.json"), "cannot read none.json: No such file or directory"),
        (("a.json", "mylib.py"), "mylib.py: not an audit of dpverify"),
        (("a.json", "b.json", "--html", "no/a.html"), "cannot write no/a.html: there is no folder no"),
        (("a.json", "b.json", "--html", "b.json"), "cannot write b.json: the data are read from it"),
    ],
)
def test_what_is_no_trend_is_refused_and_nothing_is_written(
    reports: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = {path.name: path.read_bytes() for path in reports.iterdir() if path.is_file()}
    done = dpverify("trend", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert {path.name: path.read_bytes() for path in reports.iterdir() if path.is_file()} == before

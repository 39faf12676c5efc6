"""The report in a real browser: nothing is cut, all can be read, and what is refuted is found.

Run by `make browser`, and not with the other tests: it needs a Chromium, and fails where there is none. With
DPVERIFY_PICTURES=FOLDER the pictures are kept there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.chromium import DARK, DARK_PHONE, DESKTOP, PAPER, PHONE, WITHOUT_SCRIPT, Chromium, View

from dpverify.mechanisms import Distribution, Draw, laplace
from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.formats.rendering import render
from dpverify.verifiers import Claim, Multisets, Status, Tuples, audit

LOOKS = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8")
RESULTS = Path(__file__).parents[2] / "reports" / "results"
PLAIN = "[...document.querySelectorAll('.claim.plain')]"
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
VIEWS = {"desktop": DESKTOP, "phone": PHONE, "dark": DARK, "dark-phone": DARK_PHONE, "paper": PAPER}
MOST_PAGES = 14
LEAST_POINTS = 7
"""Of a letter on paper."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as started:
        yield started


def row(draw: Draw, rows: tuple[int, ...], **_: Any) -> Any:
    """The first row, which nobody is to see."""
    return rows[0]


def noisy(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    return sum(rows) + draw(laplace(1 / epsilon))


def broken(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(Distribution({"a" * 300: 1 + rows[0], "b b " * 80: 2}))


def raises(draw: Draw, rows: tuple[int, ...]) -> Any:
    raise ValueError("no such " + "row " * 50)


UNDECIDED = [
    Claim(id="mylib.raises", mechanism=raises, domain=Tuples((0, 1), size=2), epsilon=1, source="by hand"),
    Claim(id="mylib.sum", mechanism=noisy, domain=Multisets((0, 1), size=2), epsilon=1),
]

CLAIMS = [
    Claim(id="mylib.sum", mechanism=noisy, domain=Multisets((0, 1), size=2), epsilon=1, statement="a noisy sum"),
    Claim(id="mylib.first", mechanism=row, domain=Tuples((0, 1), size=2), epsilon=1, statement="<b>the first</b> row"),
    Claim(id="mylib.known", mechanism=row, domain=Tuples((0, 1), size=2), epsilon=1, expected=Status.REFUTED),
    Claim(id=f"other.{'long-' * 30}name", mechanism=broken, domain=Tuples((0, 1), size=2), epsilon="0.01"),
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The committed audit, one with surprises, and one of which a part could not be decided."""
    folder = tmp_path_factory.mktemp("pages")
    partial = folder / "partial.html"
    partial.write_text(render(audit(UNDECIDED, recheck=False), ".html"), encoding="utf-8")
    surprising = folder / "surprising.html"
    surprising.write_text(render(audit(CLAIMS, recheck=False), ".html"), encoding="utf-8")
    catalogue = folder / "catalogue.html"
    catalogue.write_text(render(read_audit((RESULTS / "audit.json").read_bytes()), ".html"), encoding="utf-8")
    return {"catalogue": catalogue, "surprising": surprising, "partial": partial}


def keep(browser: Chromium, name: str) -> None:
    folder = os.environ.get("DPVERIFY_PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(browser.picture())


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("page", ["catalogue", "surprising", "partial"])
def test_nothing_is_cut_and_all_can_be_read(browser: Chromium, pages: dict[str, Path], page: str, view: str) -> None:
    browser.show(pages[page], VIEWS[view])
    keep(browser, f"{page}-{view}")
    assert browser.evaluate(f"{LOOKS}.overflow().slice(0, 20)") == []
    if VIEWS[view].medium == "screen":  # on paper it is what a witness is, and not what a reader opens
        browser.evaluate(OPEN_ALL)
    assert browser.evaluate(f"{LOOKS}.overflow().slice(0, 20)") == []
    assert browser.evaluate(f"{LOOKS}.contrast()") == []


@pytest.mark.parametrize("page", ["catalogue", "surprising", "partial"])
def test_a_screen_reader_is_told_what_things_are(browser: Chromium, pages: dict[str, Path], page: str) -> None:
    browser.show(pages[page], DESKTOP)
    assert browser.evaluate(f"{LOOKS}.names()") == []


def test_the_checks_see_what_is_wrong(browser: Chromium, tmp_path: Path) -> None:
    page = tmp_path / "wrong.html"
    page.write_text(
        "<!DOCTYPE html><body style='background: #fff'><p style='width: 3000px'>wide</p><p style='color: #999'>faint</p>"
        "<pre style='overflow: hidden; width: 20px'>a long line</pre><svg></svg><h3>deep</h3><a href='#nowhere'>a</a>",
        encoding="utf-8",
    )
    browser.show(page, DESKTOP)
    wide = browser.evaluate(f"{LOOKS}.overflow()")
    assert any("beyond the edge, p" in said for said in wide) and any("cut or scrolled, pre" in said for said in wide)
    assert len(browser.evaluate(f"{LOOKS}.contrast()")) == 1
    said = " ".join(browser.evaluate(f"{LOOKS}.names()"))
    assert all(part in said for part in ("first heading", "not one main", "no words for svg", "#nowhere leads nowhere"))


def test_the_first_screen_says_what_is_refuted(browser: Chromium, pages: dict[str, Path]) -> None:
    on_screen = (
        "[...document.querySelectorAll('.card h2')].filter((one) => one.getBoundingClientRect().bottom < innerHeight)"
    )
    for page, view in (("catalogue", DESKTOP), ("catalogue", PHONE), ("surprising", DESKTOP)):
        browser.show(pages[page], view)
        shown = browser.evaluate(f"{on_screen}.map((one) => one.textContent)")
        assert [re.sub(r"^\d+ ", "", text) for text in shown] == ["not as expected", "weak", "refuted and known"]
    first = browser.evaluate("document.querySelector('.card.bad li').innerText")
    assert first.startswith("mylib.first REFUTED expected PROVED") and "found ε = ∞" in first
    assert browser.evaluate("document.querySelector('#mylib\\\\.first .witness').checkVisibility()")
    assert "def row" in browser.evaluate("document.querySelector('#mylib\\\\.first .source').innerText")


SHOWN = "[...document.querySelectorAll('.claim')].filter((one) => one.checkVisibility())"


@pytest.mark.parametrize("view", [DESKTOP, WITHOUT_SCRIPT])
def test_the_filter_works_with_and_without_the_script(browser: Chromium, pages: dict[str, Path], view: View) -> None:
    browser.show(pages["catalogue"], view)
    whole = browser.evaluate(f"{SHOWN}.length")
    for choice in ("verdict-REFUTED", "kind-utility", "paper-1"):
        browser.evaluate(f"document.getElementById('{choice}').checked = true")
    left = browser.evaluate(
        f"{SHOWN}.map((one) => [one.dataset.verdict, one.dataset.kind, one.closest('.chapter').dataset.paper])"
    )
    assert 0 < len(left) < whole
    assert set(map(tuple, left)) == {("REFUTED", "utility", "1")}
    empty = "[...document.querySelectorAll('.group')].filter((one) => one.checkVisibility() && one.clientHeight < 60)"
    assert browser.evaluate(f"{empty}.length") == 0
    keep(browser, "filter" if view.scripts else "filter-without-script")


def test_the_search_narrows_and_a_link_shows_what_was_hidden(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["catalogue"], DESKTOP)
    browser.evaluate(
        "(() => { const s = document.querySelector('#search'); s.value = 'bnS-j-2.26 counts'; s.dispatchEvent(new Event('input')); })()"
    )
    shown = browser.evaluate(f"{SHOWN}.map((one) => one.id)")
    assert shown and all(name.startswith("BNS-J-2.26.") for name in shown)
    assert browser.evaluate("document.querySelector('output').textContent").startswith(f"{len(shown)} of ")
    browser.evaluate("document.getElementById('verdict-PROVED').click()")
    browser.evaluate("location.hash = '#LSL-Alg5.privacy.claimed'; new Promise((done) => setTimeout(done, 100))")
    assert browser.evaluate("document.querySelector('#LSL-Alg5\\\\.privacy\\\\.claimed .witness').checkVisibility()")


def test_a_link_opens_a_claim_without_the_script(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["catalogue"], WITHOUT_SCRIPT, "#BNS-J-2.26.privacy.printed")
    assert browser.evaluate(
        "document.querySelector('#BNS-J-2\\\\.26\\\\.privacy\\\\.printed .witness').clientHeight > 50"
    )
    keep(browser, "link-without-script")


def test_on_paper_all_witnesses_are_open_on_few_pages(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["catalogue"], PAPER)
    hidden = (
        "[...document.querySelectorAll('.witness')].filter((one) => !one.checkVisibility() || one.clientHeight < 5)"
    )
    assert browser.evaluate(f"{hidden}.map((one) => one.closest('details').id)") == []
    assert browser.evaluate(f"{SHOWN}.length") == browser.evaluate("document.querySelectorAll('.claim').length")
    assert browser.evaluate(f"{LOOKS}.smallest()") >= LEAST_POINTS
    # what is plainly proved is a list, and none of it lacks what is claimed and what is found
    numbers = (
        f"{PLAIN}.map((one) => [...one.querySelectorAll('.number')].filter((part) => part.checkVisibility()).length)"
    )
    assert min(browser.evaluate(numbers)) >= 2
    paper = browser.pdf()
    if folder := os.environ.get("DPVERIFY_PICTURES"):
        (Path(folder) / "catalogue.pdf").write_bytes(paper)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", paper)) <= MOST_PAGES

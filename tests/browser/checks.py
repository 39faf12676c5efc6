"""The report in a real browser: nothing is cut, all can be read, and what is refuted is found.

Run by `make browser`, and not with the other tests: it needs a Chromium, and fails where there is none. With
DPVERIFY_PICTURES=FOLDER the pictures are kept there.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import numpy as np
import pytest
from tests.browser.chromium import DARK, DARK_PHONE, DESKTOP, PAPER, PHONE, WITHOUT_SCRIPT, Chromium
from tests.catalogue.committed import committed_audit

from dpverify.mechanisms import Distribution, Draw, bernoulli, laplace
from dpverify.reports.formats.first_screen import first_sentence, one_sentence
from dpverify.reports.formats.rendering import render
from dpverify.reports.gates.baseline import baseline_line
from dpverify.reports.gates.gate import answers, gate
from dpverify.reports.record import AuditRecord
from dpverify.verifiers import Claim, Multisets, SampledClaim, Status, Tuples, audit

LOOKS = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8")
CLAIMED = len(committed_audit().claims)
LOOSE = sum(bool(claim.loose) for claim in committed_audit().claims)
PLAIN = "[...document.querySelectorAll('.claim.plain')]"
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
VIEWS = {"desktop": DESKTOP, "phone": PHONE, "dark": DARK, "dark-phone": DARK_PHONE, "paper": PAPER}
MOST_PAGES = 22
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


def seldom(draw: Draw, rows: tuple[int, ...]) -> Any:
    if draw(bernoulli("1/3")):
        return "a rather long text, so that its line is longer than a phone is wide, and than half of a desk is, too"
    return rows[0] if draw(bernoulli("3/4")) else 1 - rows[0]


SELDOM = Claim(id="mylib.seldom", mechanism=seldom, domain=Tuples((0, 1), size=1), epsilon=2)

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


def sample(rows: tuple[int, ...], rng: np.random.Generator, size: int) -> Any:
    """Whole noise around the sum, of which a few draws show nothing."""
    return sum(rows) + rng.geometric(0.4, size) - rng.geometric(0.4, size)


SAMPLED = [SampledClaim(id="shop.visitors", sampler=sample, epsilon="1/2", domain=Tuples((0, 1), size=2), draws=20_000)]


RECORDS: Mapping[str, Callable[[], AuditRecord]] = {
    "catalogue": committed_audit,
    "surprising": lambda: audit(CLAIMS, recheck=False),
    "red": lambda: audit(CLAIMS, recheck=False),
    "partial": lambda: audit(UNDECIDED, recheck=False),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The committed audit, one with surprises, and one of which a part could not be decided."""
    folder = tmp_path_factory.mktemp("pages")
    partial = folder / "partial.html"
    partial.write_text(render(audit(UNDECIDED, recheck=False), ".html"), encoding="utf-8")
    surprising = folder / "surprising.html"
    surprising.write_text(render(audit(CLAIMS, recheck=False), ".html"), encoding="utf-8")
    catalogue = folder / "catalogue.html"
    catalogue.write_text(render(committed_audit(), ".html"), encoding="utf-8")
    sampled = folder / "sampled.html"
    by_samples = audit(SAMPLED, recheck=False)
    assert [claim.verdict for claim in by_samples.claims] == [Status.INCONCLUSIVE], "the longest verdict is looked at"
    sampled.write_text(render(by_samples, ".html"), encoding="utf-8")
    red = folder / "red.html"
    record = audit(CLAIMS, recheck=False)
    held = msgspec.structs.replace(record.claims[1], verdict=Status.PROVED, witness=None)
    before = {claim.id: baseline_line(claim) for claim in (record.claims[0], held, record.claims[2])}
    red.write_text(render(record, ".html", gate(before, answers(record), {})), encoding="utf-8")
    marked = folder / "marked.html"
    marked.write_text(render(audit([SELDOM], recheck=False, lines=True), ".html"), encoding="utf-8")
    return {
        "catalogue": catalogue,
        "surprising": surprising,
        "partial": partial,
        "red": red,
        "marked": marked,
        "sampled": sampled,
    }


def keep(browser: Chromium, name: str) -> None:
    folder = os.environ.get("DPVERIFY_PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(browser.picture())


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("page", ["catalogue", "surprising", "red", "partial", "sampled", "marked"])
def test_nothing_is_cut_and_all_can_be_read(browser: Chromium, pages: dict[str, Path], page: str, view: str) -> None:
    browser.show(pages[page], VIEWS[view])
    keep(browser, f"{page}-{view}")
    assert browser.evaluate(f"{LOOKS}.overflow().slice(0, 20)") == []
    if VIEWS[view].medium == "screen":  # on paper it is what a witness is, and not what a reader opens
        browser.evaluate(OPEN_ALL)
    assert browser.evaluate(f"{LOOKS}.overflow().slice(0, 20)") == []
    assert browser.evaluate(f"{LOOKS}.broken().slice(0, 20)") == []
    assert browser.evaluate(f"{LOOKS}.contrast()") == []


@pytest.mark.parametrize("page", ["catalogue", "surprising", "red", "partial", "sampled", "marked"])
def test_a_screen_reader_is_told_what_things_are(browser: Chromium, pages: dict[str, Path], page: str) -> None:
    browser.show(pages[page], DESKTOP)
    assert browser.evaluate(f"{LOOKS}.names()") == []


def test_the_checks_see_what_is_wrong(browser: Chromium, tmp_path: Path) -> None:
    page = tmp_path / "wrong.html"
    page.write_text(
        "<!DOCTYPE html><body style='background: #fff'><p style='width: 3000px'>wide</p><p style='color: #999'>faint</p>"
        "<pre style='overflow: hidden; width: 20px'>a long line</pre><svg></svg><h3>deep</h3><a href='#nowhere'>a</a>"
        "<table style='table-layout: fixed; width: 100px'><tr><td style='overflow-wrap: anywhere'>INCONCLUSIVELY so</td>"
        "<td style='white-space: nowrap'>INCONCLUSIVE</td></tr></table>",
        encoding="utf-8",
    )
    browser.show(page, DESKTOP)
    wide = browser.evaluate(f"{LOOKS}.overflow()")
    assert any("beyond the edge, p" in said for said in wide) and any("cut or scrolled, pre" in said for said in wide)
    assert [said for said in wide if "sticks out of its cell" in said] == [
        "sticks out of its cell, td. in the page: INCONCLUSIVE"
    ]
    (broken_word,) = browser.evaluate(f"{LOOKS}.broken()")
    assert broken_word.startswith("INCONCLUSIVELY is broken, td.")
    assert len(browser.evaluate(f"{LOOKS}.contrast()")) == 1
    said = " ".join(browser.evaluate(f"{LOOKS}.names()"))
    assert all(part in said for part in ("first heading", "not one main", "no words for svg", "#nowhere leads nowhere"))


@pytest.mark.parametrize("page", ["catalogue", "surprising", "red", "partial"])
@pytest.mark.parametrize("view", ["desktop", "phone"])
def test_the_first_screen_answers(browser: Chromium, pages: dict[str, Path], page: str, view: str) -> None:
    browser.show(pages[page], VIEWS[view])
    lead = "document.querySelector('.lead')"
    assert browser.evaluate(f"{lead}.getBoundingClientRect().bottom < innerHeight / 2")
    assert browser.evaluate(f"{lead}.textContent") == f"{one_sentence(first_sentence(RECORDS[page]()))}."
    if page in ("red", "surprising"):
        failed = "document.querySelector('#the-failed .claim')"
        assert browser.evaluate(f"{failed}.dataset.verdict") == "REFUTED"
        assert page == "red" or browser.evaluate(f"{failed}.getBoundingClientRect().top < innerHeight")
    if page == "red":
        said = browser.evaluate("document.querySelector('#the-gate h2').textContent")
        assert re.fullmatch(r"Gate failed: \d worse, \d new, \d unchanged, \d known violation", said)
        assert browser.evaluate("document.querySelector('#the-gate').getBoundingClientRect().top < innerHeight")


@pytest.mark.parametrize("scripts", [True, False])
def test_on_a_phone_a_jump_shows_the_first_line_of_the_row(
    browser: Chromium, pages: dict[str, Path], scripts: bool
) -> None:
    for claim in committed_audit().claims[:: CLAIMED // 20]:
        browser.show(pages["catalogue"], PHONE._replace(width=390, scripts=scripts), f"#{quote(claim.id)}")
        row = f"document.getElementById('{claim.id}').closest('.claim').getBoundingClientRect()"
        assert browser.evaluate(f"0 <= {row}.top && {row}.top < innerHeight / 2"), claim.id


def test_what_failed_is_open_with_its_witness_beside_its_source(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["surprising"], DESKTOP, "#mylib.first")
    first = browser.evaluate("document.querySelector('#the-failed .claim tr').innerText")
    assert re.match(r"REFUTED\s+mylib.first expected PROVED\s+ε = 1\s+ε = ∞", first)
    body = "document.getElementById('mylib.first')"
    assert browser.evaluate(f"{body}.querySelector('.witness').checkVisibility()")
    source = browser.evaluate(f"{body}.querySelector('.source').innerText")
    assert re.match(rf"\s*{row.__code__.co_firstlineno}\s*def row", source)
    left, right = (
        browser.evaluate(f"{body}.querySelector('{one}').getBoundingClientRect().top") for one in ("h4", ".more h4")
    )
    assert left == right


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("claim", ["BNS-J-2.26.privacy.printed", "BNS-J-2.24.privacy.printed-below"])
def test_a_witness_is_drawn(browser: Chromium, pages: dict[str, Path], claim: str, view: str) -> None:
    browser.show(pages["catalogue"], VIEWS[view], f"#{claim}")
    keep(browser, f"claim-{claim}-{view}")
    box = browser.evaluate(
        f"(({{width, height}}) => [width, height])(document.getElementById('{claim}').querySelector('.laws svg').getBoundingClientRect())"
    )
    assert (box[0] > 300 and 100 < box[1] < 500) or VIEWS[view].medium == "print"
    wide = f"[...document.getElementById('{claim}').querySelectorAll('.laws text')].map((one) => one.getBBox()).filter(({{x, width}}) => x < 0 || x + width > 421)"
    assert browser.evaluate(f"{wide}.length") == 0, "no letter is cut off by the picture"


SHOWN = "[...document.querySelectorAll('.claim')].filter((one) => one.checkVisibility())"
IDS = f"{SHOWN}.map((one) => one.querySelector('.body').id)"


def choose(browser: Chromium, **chosen: str) -> None:
    for name, value in chosen.items():
        browser.evaluate(
            f"(() => {{ const one = document.querySelector('#the-filter').elements['{name}']; one.value = '{value}';"
            " one.dispatchEvent(new Event('input', {bubbles: true})); one.dispatchEvent(new Event('change')); })()"
        )


def test_papers_are_folded_and_the_table_is_narrowed(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["catalogue"], DESKTOP)
    assert browser.evaluate(f"{SHOWN}.length") == 0
    assert browser.evaluate("document.documentElement.scrollHeight < 3 * innerHeight")
    choose(browser, verdict="REFUTED", kind="utility")
    left = browser.evaluate(f"{SHOWN}.map((one) => [one.dataset.verdict, one.dataset.kind])")
    assert left and set(map(tuple, left)) == {("REFUTED", "utility")}
    assert browser.evaluate("document.querySelector('output').textContent") == f"{len(left)} of {CLAIMED} claims shown"
    empty = "[...document.querySelectorAll('.chapter:has(.claims)')].filter((one) => one.checkVisibility() && one.clientHeight < 60)"
    assert browser.evaluate(f"{empty}.length") == 0
    keep(browser, "filter")
    browser.evaluate("document.querySelector('[type=reset]').click(); new Promise((done) => setTimeout(done, 50))")
    assert browser.evaluate(f"{SHOWN}.length") == 0
    browser.evaluate("document.querySelector('[data-shows=loose]').click()")
    loose = browser.evaluate(f"{SHOWN}.map((one) => 'loose' in one.dataset)")
    assert len(loose) == LOOSE and all(loose)


def test_the_search_narrows_and_a_link_shows_what_was_hidden(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["catalogue"], DESKTOP)
    choose(browser, search="bnS-j-2.26 counts")
    shown = browser.evaluate(IDS)
    assert shown and all(name.startswith("BNS-J-2.26.") for name in shown)
    choose(browser, verdict="PROVED")
    browser.evaluate("location.hash = '#LSL-Alg5.privacy.claimed'; new Promise((done) => setTimeout(done, 200))")
    assert browser.evaluate(
        "document.getElementById('LSL-Alg5.privacy.claimed').querySelector('.witness').checkVisibility()"
    )


def _value(text: str) -> float:
    above, _, below = text.replace(",", "").partition("/")
    return inf if text == "∞" else float(above) / float(below or 1)


def test_the_table_is_sorted_by_a_column_and_put_back(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["catalogue"], DESKTOP)
    assert browser.evaluate("document.querySelector('#the-filter').elements.sort.options.length") == 8
    choose(browser, sort="5")
    headroom = f"{SHOWN}.map((one) => one.rows[0].cells[5].textContent.trim())"
    found = browser.evaluate(headroom)
    assert len(found) == CLAIMED
    measured = [Fraction(text) for text in found if text]
    assert (
        measured == sorted(measured)
        and found[len(measured) :] == [""] * (CLAIMED - len(measured))
        and len(measured) > 100
    )
    head = "document.querySelector('#the-sorted th:nth-child(6)')"
    assert browser.evaluate(f"{head}.getAttribute('aria-sort')") == "ascending"
    browser.evaluate(f"{head}.querySelector('button').click()")
    assert browser.evaluate(f"{head}.getAttribute('aria-sort')") == "descending"
    falling = [Fraction(text) for text in browser.evaluate(headroom) if text]
    assert falling == measured[::-1]
    assert browser.evaluate("document.activeElement.textContent") == "Headroom"
    keep(browser, "sorted")
    choose(browser, sort="3")
    found = browser.evaluate(f"{SHOWN}.map((one) => one.rows[0].cells[3].textContent.trim())")
    numbered = [i for i, text in enumerate(found) if re.search(r"[0-9∞]", text)]
    assert numbered == list(range(len(numbered))) and 0 < len(numbered) < CLAIMED, "what has no number comes last"
    first = [re.search(r"-?[\d,]*\.?\d+(?:e[-+]?\d+)?(?:/\d+)?|∞", found[i]) for i in numbered]
    values = [_value(match[0]) for match in first if match is not None]
    assert len(values) == len(numbered) and values == sorted(values)
    choose(browser, kind="step", sort="5")
    assert set(browser.evaluate(f"{SHOWN}.map((one) => one.dataset.kind)")) == {"step"}
    browser.evaluate("document.querySelector('[type=reset]').click(); new Promise((done) => setTimeout(done, 50))")
    browser.evaluate(OPEN_ALL)
    assert sorted(browser.evaluate(IDS)) == sorted(claim.id for claim in committed_audit().claims)
    assert browser.evaluate("document.querySelectorAll('#the-sorted .claim').length") == 0


def test_a_claim_opens_by_the_keyboard_and_by_a_click_on_its_row(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["surprising"], DESKTOP)
    body = "document.getElementById('mylib.sum')"
    assert not browser.evaluate(f"{body}.checkVisibility()")
    browser.evaluate(f"{body}.closest('.claim').rows[0].cells[2].click()")
    assert browser.evaluate(f"{body}.checkVisibility()")
    browser.evaluate(f"{body}.closest('details').querySelector('summary').focus()")
    key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **key)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **key)
    assert not browser.evaluate(f"{body}.checkVisibility()")


def test_all_can_be_read_without_the_script(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["catalogue"], WITHOUT_SCRIPT, "#BNS-J-2.26.privacy.printed")
    assert not browser.evaluate("document.querySelector('#the-filter').checkVisibility()"), (
        "what does nothing is not there"
    )
    witness = "document.getElementById('BNS-J-2.26.privacy.printed').querySelector('.witness')"
    assert browser.evaluate(f"{witness}.clientHeight > 50"), "a link opens its claim"
    keep(browser, "link-without-script")
    browser.evaluate(OPEN_ALL)
    assert browser.evaluate(f"{SHOWN}.length") == CLAIMED
    assert (
        browser.evaluate("[...document.querySelectorAll('.body')].filter((one) => !one.checkVisibility()).length") == 0
    )


def test_on_paper_all_witnesses_are_open_on_few_pages(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.show(pages["catalogue"], PAPER)
    hidden = (
        "[...document.querySelectorAll('.witness')].filter((one) => !one.checkVisibility() || one.clientHeight < 5)"
    )
    assert browser.evaluate(f"{hidden}.map((one) => one.closest('.body').id)") == []
    assert browser.evaluate(f"{SHOWN}.length") == browser.evaluate("document.querySelectorAll('.claim').length")
    assert browser.evaluate(f"{LOOKS}.smallest()") >= LEAST_POINTS
    empty = "[...document.querySelectorAll('h2, h3')].filter((one) => one.checkVisibility() && one.closest('section, details, .card').innerText.trim() === one.innerText.trim() && !one.closest('#the-gate')).map((one) => one.innerText)"
    assert browser.evaluate(empty) == [], "no heading without content"
    # what is plainly proved is a list, and none of it lacks what is claimed and what is found
    numbers = (
        f"{PLAIN}.map((one) => [...one.rows[0].cells].slice(2, 4).filter((part) => part.checkVisibility()).length)"
    )
    assert min(browser.evaluate(numbers)) >= 2
    paper = browser.pdf()
    if folder := os.environ.get("DPVERIFY_PICTURES"):
        (Path(folder) / "catalogue.pdf").write_bytes(paper)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", paper)) <= MOST_PAGES

"""What notebooks show of a verdict, a profile and an audit: parts of a page that are whole, and hold nothing foreign."""

import subprocess
import sys
from typing import Any

import msgspec
import pytest
from tests.reports.test_reports import Page

from dpverify.mechanisms import Distribution, Draw, gaussian, laplace
from dpverify.reports.formats.html import MOST_ROWS
from dpverify.reports.record import NotDecided, Status
from dpverify.verifiers import Claim, Tuples, audit, check_privacy, privacy_profile

pytestmark = pytest.mark.usefixtures("decided_here")

DOMAIN = Tuples((0, 1), size=1)


def told(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(Distribution({rows[0]: 3, 1 - rows[0]: 1}))


def real(draw: Draw, rows: tuple[int, ...]) -> Any:
    return rows[0] + draw(laplace(1))


def nothing(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(Distribution({0: 1, 1: 1}))


def part(text: str | None) -> Page:
    """The fragment, read: balanced, with nothing that is loaded or run."""
    assert text is not None
    page = Page()
    page.feed(text)
    assert page.open == [] and page.loads == [] and not {"script", "html", "body"} & set(page.tags)
    return page


@pytest.mark.parametrize("mechanism", [told, real, lambda draw, rows: rows[0] + draw(gaussian(1))])
def test_a_profile_is_a_curve_with_values(mechanism: Any) -> None:
    page = part(privacy_profile(mechanism, DOMAIN)._repr_html_())
    assert "polyline" in page.tags and "circle" not in page.tags, "nothing is claimed"
    assert "The worst δ at every ε on this domain." in page.text and page.tags.count("td") >= 8


def test_a_profile_that_is_0_everywhere_shows_its_line_alone() -> None:
    assert privacy_profile(nothing, DOMAIN)._repr_html_() is None


def test_a_verdict_that_is_refuted_shows_both_laws() -> None:
    page = part(check_privacy(told, DOMAIN, epsilon=1, delta=0)._repr_html_())
    assert "allowed: e^ε·q + δ = " in page.text and "left, p" in page.text


def test_an_audit_is_a_table_that_begins_with_what_fails() -> None:
    claims = [
        Claim(id="lib.<good>", mechanism=real, domain=DOMAIN, epsilon=1),
        Claim(id="lib.bad", mechanism=real, domain=DOMAIN, epsilon="1/2"),
        Claim(id="lib.known", mechanism=told, domain=DOMAIN, epsilon=1, expected=Status.REFUTED),
    ]
    record = audit(claims, recheck=False)
    left = [NotDecided("lib.left", "privacy", "", None, "its <time> was up")]
    record = msgspec.structs.replace(record, not_decided=left)
    text = record._repr_html_()
    page = part(text)
    assert page.tags.count("tr") == 5
    names = [page.text.index(name) for name in ("lib.bad", "lib.<good>", "lib.known", "lib.left", "its <time> was up")]
    assert names == sorted(names) and "1 of 4 claims hold; 1 counterexample" in page.text and "more;" not in page.text
    assert record._repr_html_() == text
    many = [msgspec.structs.replace(record.claims[1], id=f"lib.{i}") for i in range(MOST_ROWS + 2)]
    rows = left * (MOST_ROWS + 3)
    page = part(msgspec.structs.replace(record, claims=many, not_decided=rows)._repr_html_())
    assert page.tags.count("tr") == 1 + 2 * MOST_ROWS and "and 5 more; render(record, " in page.text


def test_the_record_loads_no_page_before_one_is_shown() -> None:

    script = "import sys, dpverify.reports.record; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

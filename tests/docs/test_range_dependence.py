"""The four mechanisms side by side: the committed page is what is computed, and what it says is so."""

import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path

import pytest
import range_dependence
from click.testing import CliRunner
from range_dependence import chances_of_a_best_item, files

from dpverify.mechanisms import distribution, exp
from dpverify.mechanisms.selection import items_to_keep
from dpverify.reports.curves import curves_svg

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.deep
def test_the_committed_page_is_what_is_computed() -> None:
    """The quick suite writes it whole for up to three items, and looks at some of its numbers."""
    for name, text in files().items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, "run `make figures` and commit docs/"


def test_the_exponential_mechanism_is_as_the_paper_says() -> None:
    """e^(nα/2)/(K − 1 + e^(nα/2))."""
    for items in (2, 5):
        row = chances_of_a_best_item(1, 10, items)
        assert row.chances[0] == exp(5) / (items - 1 + exp(5))


def test_what_the_page_says() -> None:
    few, many = chances_of_a_best_item(1, 20, 2), chances_of_a_best_item(1, 20, 8)
    assert few.chances[2] == many.chances[2], "A_dist does not depend on the number of items"
    assert all(few.chances[i] > many.chances[i] for i in (0, 1, 3))
    assert chances_of_a_best_item(2, 500, 3).chances[2] < Fraction(1, 10**6)
    kept = distribution(items_to_keep, (500, 500), epsilon=1, delta=Fraction(1, 10**6))
    assert kept.probability(1) > Fraction(99, 100), "at n = 500 the margin is seen"
    assert chances_of_a_best_item(1, 500, 3).chances[0] > chances_of_a_best_item(1, 500, 3).chances[3]


def test_the_page_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_dependence, "ITEMS", (2, 3))
    assert CliRunner().invoke(range_dependence.main, [str(tmp_path)]).exit_code == 0
    assert {path.suffix for path in tmp_path.iterdir()} == {".md", ".svg"}


def test_curves_are_well_formed_and_hold_every_point() -> None:
    text = curves_svg("a < b", [1, 2, 4], {"one": [0, 0.5, 1], "two": [1, 1, 1]}, "x", "y")
    lines = [tag for tag in ElementTree.fromstring(text).iter() if tag.tag.endswith("polyline")]
    assert [line.attrib["points"] for line in lines] == ["48.0,268 258.0,158.0 468.0,48", "48.0,48 258.0,48 468.0,48"]

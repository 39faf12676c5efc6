"""What near maximisers cost: the committed page is what is computed, and what it says is so."""

from itertools import pairwise
from pathlib import Path

import pytest
import range_lower_bound
from click.testing import CliRunner
from range_lower_bound import NAMES, PLOTS, Plot, files, point

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.deep
def test_the_committed_page_is_what_is_computed() -> None:
    """The quick suite writes it whole for few items, and looks at some of its numbers."""
    for name, text in files().items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, "run `make figures` and commit docs/"


def test_nothing_is_better_than_the_best_and_the_best_is_what_is_forced() -> None:
    for parameters in ((4, 4, 2), (8, 4, 2), (2, 2, 1), (3, 3, 4)):
        found = dict(zip(NAMES, point(*parameters).success, strict=True))
        assert found["optimal"] == found["forced"]
        assert max(found.values()) == found["forced"] < 1
        assert min(found.values()) > 0


def test_what_depends_on_the_number_of_items() -> None:
    of_k = [dict(zip(NAMES, point(items, 2, 2).success, strict=True)) for items in (2, 4, 8)]
    for few, many in pairwise(of_k):
        assert all(few[name] == many[name] for name in ("optimal", "forced", "A_dist"))
        assert all(few[name] > many[name] for name in ("exponential", "max of Laplaces", "choosing", "large margin"))


def test_the_page_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = tuple(Plot(plot.grows, plot.title, plot.points[:2]) for plot in PLOTS)
    monkeypatch.setattr(range_lower_bound, "PLOTS", few)
    assert CliRunner().invoke(range_lower_bound.main, [str(tmp_path)]).exit_code == 0
    page = (tmp_path / "range-lower-bound.md").read_text(encoding="utf-8")
    committed = (DOCS / "range-lower-bound.md").read_text(encoding="utf-8").splitlines()
    assert set(page.splitlines()) <= set(committed), "run `make figures` and commit docs/"
    assert {path.suffix for path in tmp_path.iterdir()} == {".md", ".svg"}

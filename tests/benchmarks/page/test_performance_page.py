"""The page on performance: it is written whole from small cases, and the committed one has the rows of today."""

import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from docs.pages.performance import measures, performance
from docs.pages.performance.large import LARGE, Large, helped, measured, of_checks, of_sizing
from docs.pages.performance.measures import LONG, PEERS, PRICED, ROWS, SPARSE_VECTOR, Long, Price, price
from docs.pages.performance.performance import of_longs, of_prices, seconds
from docs.pages.performance.programs import PROGRAMS

from dpverify.mechanisms.selection import choose_by_stability_journal

DOCS = Path(__file__).parents[3] / "docs"


def rows(text: str) -> list[list[str]]:
    """The cells of the tables' lines."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


SMALL: Mapping[str, Callable[[], Any]] = {
    "exponential, a few": partial(measures.on_multisets, 2, 2),
    "A_dist, a few": partial(
        measures.on_scores, 2, 3, choose_by_stability_journal, measures.float_a_dist, Fraction(1, 1000)
    ),
}


SHARED = Large("scores", "alone", 4, 12, 0.5, 0.4, 0.0, 1 << 20, 0, 0, 0)


@pytest.mark.deep
def test_the_page_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is measured of a check that the new process knows, too."""
    small: dict[str, object] = {
        "PRICED": SMALL,
        "MEASURED_IN_MEMORY": (next(iter(PRICED)),),
        "ROWS": (200,),
        "LONG": dict([*LONG.items()][:1]),
        "_ROUNDS": 1,
        "CLAIMS": ("CHS-2.2.utility*",),
        "IMPORTED": {name: ("-c", name) for name in ("import json", "import fractions")},
        "SPARSE_VECTOR": {1: SPARSE_VECTOR[1]},
        "PEERS": {"LaplaceMechanism": PEERS["LaplaceMechanism"]},
        "PROGRAMS": ("svt1, {−1, 0, 1}^4",),
    }
    for name, value in small.items():
        monkeypatch.setattr(measures, name, value)
    monkeypatch.setattr(performance, "shared", lambda jobs: [SHARED])
    result = CliRunner().invoke(performance.main, [str(tmp_path), "--jobs", "1"])
    assert result.exit_code == 0, result.output
    assert {path.name for path in tmp_path.iterdir()} == {"performance.md", *(f"performance-{i}.svg" for i in (1, 2))}
    names = {row[0] for row in rows((tmp_path / "performance.md").read_text(encoding="utf-8"))}
    assert {*SMALL, next(iter(PRICED)), next(iter(LONG)), "`import json`", "LaplaceMechanism"} <= names
    bars = ElementTree.parse(tmp_path / "performance-1.svg").getroot()
    assert set(SMALL) <= {text.text for text in bars.iter() if text.tag.endswith("text")}


def test_the_committed_page_has_the_rows_of_today() -> None:
    """Its figures are of the machine that wrote it."""
    text = (DOCS / "performance.md").read_text(encoding="utf-8")
    found = rows(text)
    assert [row[0] for row in found if row[0] in PRICED] == [*PRICED, *measures.MEASURED_IN_MEMORY], (
        "make performance UPDATE=1"
    )
    assert [row[0] for row in found if row[0] in LONG] == [name for name in LONG for _ in ROWS], (
        "make performance UPDATE=1"
    )
    assert [row[0] for row in found if row[0] in PEERS] == list(PEERS), "make performance UPDATE=1"
    assert [row[0] for row in found if row[0] in PROGRAMS] == list(PROGRAMS), "make performance UPDATE=1"
    assert [row[0] for row in found if row[0] == "alone"], "make performance UPDATE=1"
    for plot in re.findall(r"\]\((.*?\.svg)\)", text):
        assert (DOCS / plot).is_file()


@pytest.mark.parametrize("name", SMALL)
def test_the_two_that_are_compared_find_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "PRICED", SMALL)
    monkeypatch.setattr(measures, "_ROUNDS", 1)
    found = price(name)
    assert found.pairs == {"exponential, a few": 4, "A_dist, a few": 316}[name]
    monkeypatch.setattr(measures, "float_delta", lambda laws, left, right: 0.5)
    with pytest.raises(AssertionError):
        price(name)


def test_ratios_are_of_what_stands_beside_them() -> None:
    (_, _, cells) = rows(of_prices([Price("one", 1000, 0.5, 0.25)]))
    assert cells == ["one", "1,000", "0.5", "2,000", "0.25", "2 ×"]
    longs = [Long("a", 10, 1.0), Long("a", 100, 30.0), Long("b", 10, 5.0), Long("b", 20, 10.0)]
    assert [cells[3] for cells in rows(of_longs(longs))[2:]] == ["1 ×", "3 ×", "1 ×", "1 ×"]


def test_what_is_large_is_measured_and_printed() -> None:
    """In the process of the test, on few pairs: the tables of docs/large-audits.md have the rows of today."""
    name, alone = "few scores", measures.on_scores(1, 3, measures.best_score, measures.float_exponential)
    found = measured(name, "alone", alone)
    assert (found.databases, found.pairs, found.cpu) == (8, 56, found.here + found.helpers)
    with ThreadPoolExecutor(1) as pool:
        by_pool = measured(name, "a pool of 1", *helped(pool, alone))._replace(helpers=3.25, blocks=7, sent=2_500_000)
    (cells,) = rows(of_checks([found, by_pool]))[2:]
    assert cells[:3] == [name, "8", "56"] and cells[5:7] == ["3.2", "7"] and cells[9] == "2.5"
    (cells,) = rows(of_sizing([found._replace(here=0.36, helpers=0.0, memory=1 << 30), by_pool]))[2:]
    claims = -(-(10**12) // 56)
    hours = claims * 0.36 / 3600
    assert cells == [name, f"{claims:,}", f"{8 * claims:.1e}", f"{hours:,.0f}", f"{hours / 64:,.1f}", "64"]
    committed = [row[0] for row in rows((DOCS / "large-audits.md").read_text(encoding="utf-8"))]
    assert [row for row in committed if row in LARGE] == [*LARGE, *LARGE], "python -m docs.pages.performance.large"


@pytest.mark.parametrize(
    ("value", "text"), [(0.01234, "0.012"), (9.96, "10"), (12.4, "12"), (1234.5, "1,234"), (1e-5, "1e-05")]
)
def test_seconds_have_two_digits(value: float, text: str) -> None:
    assert seconds(value) == text

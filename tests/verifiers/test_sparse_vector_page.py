"""The page on sparse vector: what it prints is what is computed, as far as a test has time for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpverify.mechanisms import svt1
from dpverify.verifiers import scores_linf, sparse_vector_page
from dpverify.verifiers.sparse_vector_page import SCORES, VARIANTS, page, row, table

PAGE = (Path(__file__).parents[2] / "docs" / "sparse-vector.md").read_text(encoding="utf-8")
FEW = 3


def lines(text: str) -> list[list[str]]:
    """The cells of the tables' lines."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_the_committed_page_is_what_is_computed() -> None:
    today, committed = lines(page(table(FEW))), lines(PAGE)
    assert [line[: FEW + 1] for line in committed] == [line[: FEW + 1] for line in today], "run `make figures`"
    cells = {len(line) for line in committed}
    assert cells == {len(sparse_vector_page.QUERIES) + 1}


def test_every_variant_is_on_the_page_as_far_as_it_says() -> None:
    filled = [sum(map(bool, line)) - 1 for line in lines(PAGE) if line[0] not in ("algorithm", "---")]
    assert filled == [variant.most[i] for i in (0, 0, 1, 1) for variant in VARIANTS]


def test_what_is_known_of_the_first_variant() -> None:
    """0.179, 0.424, 0.615 and 0.754 for one to four queries, as integration by hand and by quadrature gave them."""
    found = row(VARIANTS[0], SCORES[0], scores_linf, 1)
    assert found.variant.mechanism is svt1
    assert [round(float(cell), 3) for cell in lines(PAGE)[2][1:5]] == [0.179, 0.424, 0.615, 0.754]


def test_the_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_vector_page, "VARIANTS", VARIANTS[:1])
    monkeypatch.setattr(sparse_vector_page, "QUERIES", range(1, 3))
    monkeypatch.setattr(sparse_vector_page, "table", lambda: table(2))
    sparse_vector_page.write(tmp_path)
    assert "| 1, Lap | 0.178859 | 0.424249 |" in (tmp_path / "sparse-vector.md").read_text(encoding="utf-8")

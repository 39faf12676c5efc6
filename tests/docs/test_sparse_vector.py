"""The page on sparse vector: what it prints is what is computed, as far as a test has time for."""

from pathlib import Path

import pytest
import sparse_vector
from click.testing import CliRunner
from sparse_vector import QUERIES, RELATIONS, SCORES, VARIANTS, page, row

from dpverify.mechanisms.selection import svt1
from dpverify.verifiers import scores_linf

PAGE = (Path(__file__).parents[2] / "docs" / "sparse-vector.md").read_text(encoding="utf-8")


FEW = {
    (SCORES[0], RELATIONS[0]): 2,
    (SCORES[0], RELATIONS[1]): 2,
    (SCORES[1], RELATIONS[0]): 3,
    (SCORES[1], RELATIONS[1]): 2,
}
"""Up to how many queries the test computes: three where they take two values, which reach every branch of a variant."""

UP_TO_TWO = [variant.name for variant in VARIANTS if "discrete" in variant.name or variant.name == "3, Lap"]
"""The variants that are computed up to two: those that run the same code with other noise, and what takes longest."""


def lines(text: str) -> list[list[str]]:
    """The cells of the tables' lines."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


@pytest.mark.deep
def test_the_committed_page_is_what_is_computed() -> None:
    rows = [
        row(variant, scores, relation, 2 if variant.name in UP_TO_TWO else few)
        for (scores, relation), few in FEW.items()
        for variant in VARIANTS
    ]
    today, committed = lines(page(rows)), lines(PAGE)
    assert len(today) == len(committed)
    for line, other in zip(today, committed, strict=True):
        computed = next((i for i, cell in enumerate(line) if not cell), len(line))
        assert line[:computed] == other[:computed], "run `make figures`"
        assert computed > 2
    assert {len(line) for line in committed} == {len(QUERIES) + 1}


def test_every_variant_is_on_the_page_as_far_as_it_says() -> None:
    filled = [sum(map(bool, line)) - 1 for line in lines(PAGE) if line[0] not in ("algorithm", "---")]
    assert filled == [variant.most[i] for i in (0, 0, 1, 1) for variant in VARIANTS]


def test_what_is_known_of_the_first_variant() -> None:
    """0.179, 0.424, 0.615 and 0.754 for one to four queries, as integration by hand and by quadrature gave them."""
    found = row(VARIANTS[0], SCORES[0], scores_linf, 1)
    assert found.variant.mechanism is svt1
    assert [round(float(cell), 3) for cell in lines(PAGE)[2][1:5]] == [0.179, 0.424, 0.615, 0.754]


def test_the_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = VARIANTS[0]._replace(most=(2, 1))
    monkeypatch.setattr(sparse_vector, "VARIANTS", (first,))
    monkeypatch.setattr(sparse_vector, "QUERIES", range(1, 3))
    assert CliRunner().invoke(sparse_vector.main, [str(tmp_path)]).exit_code == 0
    text = (tmp_path / "sparse-vector.md").read_text(encoding="utf-8")
    assert "| 1, Lap | 0.178859 | 0.424249 |" in text
    assert "| 1, Lap | 0.178859 |  |" in text

"""The page of Corollaries 1 and 2 of Chaudhuri, Hsu & Song: what is committed is what is computed."""

from pathlib import Path

from click.testing import CliRunner
from large_margin import main

NAME = "large-margin.md"


def test_the_committed_page_is_what_is_computed(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, [str(tmp_path)]).exit_code == 0
    committed = Path(__file__).parents[2] / "docs" / NAME
    assert (tmp_path / NAME).read_bytes() == committed.read_bytes(), "run `make figures`"

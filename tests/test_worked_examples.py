"""Worked examples in docstrings, each of which is run."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent
MODULES = sorted(
    ".".join(("dpverify", *path.relative_to(FOLDER).with_suffix("").parts))
    for room in ("mechanisms", "reports", "verifiers")
    for path in (FOLDER / room).rglob("*.py")
    if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
)


def test_what_numbers_stand_for_has_a_worked_example() -> None:
    ends = {name.rpartition(".")[2] for name in MODULES}
    assert ends >= {"score_codes", "lumping", "comparisons", "orthants"}


@pytest.mark.parametrize("name", MODULES)
def test_an_example_comes_out_as_it_is_written(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0
    assert found.failed == 0

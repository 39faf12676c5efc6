"""The data that a line reads besides its rows: what its module holds, and files that it names."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.verifiers.auditing.digests.data_read import data_read

MODULE = """
from collections import defaultdict
from pathlib import Path

CONFIG = {"cap": 3}
FACTORS = (1, 2)
CACHE = {}
COUNTS = defaultdict(list)
CALLS = 0
FILE = Path(__file__).parent / "data.txt"
NAME = "data.txt"


def called():
    global CALLS
    CALLS += 1
"""


@pytest.fixture
def around(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "held.py").write_text(MODULE)
    (tmp_path / "data.txt").write_text("3")
    spec = importlib.util.spec_from_file_location("held", tmp_path / "held.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "held" not in sys.modules
    return vars(module)


@in_one(
    "statement, names",
    [
        ("cap = CONFIG['cap']", ["CONFIG"]),
        ("return CONFIG[FACTORS[0]]", ["CONFIG", "FACTORS"]),
        ("CACHE[rows] = 1", []),
        ("COUNTS[rows].append(1)", []),
        ("CALLS += 1", []),
        ("text = FILE.read_text()", ["data.txt"]),
        ("text = open(NAME).read()", ["data.txt"]),
        ("text = (Path(__file__).parent / 'data.txt').read_text()", ["data.txt"]),
        ("text = open('nowhere.txt').read()", []),
        ("local = rows", []),
    ],
)
def test_what_is_read(statement: str, names: list[str], around: dict[str, Any]) -> None:
    assert list(data_read(statement, around)) == names


def test_another_content_is_other_data(around: dict[str, Any]) -> None:
    before = data_read("text = FILE.read_text()", around)
    Path(around["FILE"]).write_text("1")
    assert data_read("text = FILE.read_text()", around) != before
    one = data_read("cap = CONFIG['cap']", around)
    assert data_read("cap = CONFIG['cap']", {**around, "CONFIG": {"cap": 1}}) != one

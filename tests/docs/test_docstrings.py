"""Docstrings say what is returned, or what a thing is: few begin with a question's word, and their number falls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.test_architecture import definitions

ROOT = Path(__file__).parents[2]

ASKING = ("What", "Whether", "Who", "Where", "How")

MOST_ASKING = 181
"""About as many as begin so today: to be lowered, never raised; who writes one anew takes an old one away."""


def asking(source: str) -> Iterator[str]:
    """The docstrings of a module, and of its classes and functions, that begin with a question's word."""
    if not re.search(rf"[\"']\s*({'|'.join(ASKING)})\b", source):
        return  # to parse all modules takes long
    module = ast.parse(source)
    for node in (module, *definitions(module)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            if text.partition(" ")[0].rstrip(".,:;") in ASKING:
                yield text


def test_no_more_docstrings_begin_with_a_question_than_did() -> None:
    files = [path for room in ("mechanisms", "reports", "verifiers") for path in (ROOT / room).rglob("*.py")]
    assert len(files) > 600
    assert sum(len(list(asking(path.read_text(encoding="utf-8")))) for path in files) <= MOST_ASKING


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""What it is."""', 1),
        ('"""Whatever it is."""', 0),
        ('class A:\n    """How."""\n    def f(self):\n        """Whether: or not."""', 2),
        ('async def f():\n    """True where it is."""', 0),
        ("def f(): ...", 0),
    ],
)
def test_docstrings_are_counted(source: str, found: int) -> None:
    assert len(list(asking(source))) == found

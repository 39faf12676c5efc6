"""Docstrings begin with a noun or a verb that says what is returned, or what a thing is, and not with a question word."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

QUESTION = re.compile(
    r"\s*((of|by|in|for|with|to|on|from|at|under|after|before|against|as|over|through) )?"
    r"(what|whether|how|where|when|which|who|whose|whom|why|that)\b(?!')",
    re.IGNORECASE,
)


def asking(source: str) -> Iterator[str]:
    """The docstrings that begin with a question word: of a module, its classes and functions, and of its variables."""
    if not re.search(rf"\"\"\"{QUESTION.pattern}", source, re.IGNORECASE):
        return  # to parse all modules takes long
    for node in ast.walk(ast.parse(source)):
        for part in getattr(node, "body", ()) if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            match part:
                case ast.Expr(value=ast.Constant(value=str(text))) if QUESTION.match(text):
                    yield text


def test_docstrings_begin_with_a_noun_or_a_verb() -> None:
    files = [path for room in ("mechanisms", "reports", "verifiers") for path in (ROOT / room).rglob("*.py")]
    assert len(files) > 600
    asked = [f"{path.relative_to(ROOT)}: {text}" for path in files for text in asking(path.read_text(encoding="utf-8"))]
    assert not asked, "begin with what is returned, or with what it is: " + "\n".join(asked)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""What it is."""', 1),
        ('"""Whatever it is."""', 0),
        ('class A:\n    """How."""\n    def f(self):\n        """Whether: or not."""', 2),
        ('async def f():\n    """True where it is."""', 0),
        ('"""Of which kind it is."""', 1),
        ('x = 1\n"""How many there are."""\n\ny = lambda: 1', 1),
        ('class A:\n    x: int\n    """Which one."""', 1),
        ('def f():\n    """The number of what is there."""', 0),
        ("def f(): ...", 0),
    ],
)
def test_docstrings_are_counted(source: str, found: int) -> None:
    assert len(list(asking(source))) == found

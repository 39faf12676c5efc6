"""The checks of `make browser` say no number of the committed record themselves: they would be wrong with the next."""

import ast
import re
from pathlib import Path

import pytest

CHECKS = (Path(__file__).parent / "checks.py").read_text(encoding="utf-8")
MOST = 9
"""The largest number that a check compares with and that is no count of a record."""


def numbers_compared(source: str) -> list[int]:
    """The numbers beyond `MOST` that are compared for equality or membership, alone or in a text, and in `asked`."""
    tree = ast.parse(source)
    sides = [
        each
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and any(isinstance(operator, (ast.Eq, ast.NotEq, ast.In, ast.Lt, ast.LtE)) for operator in node.ops)
        for each in (node.left, *node.comparators)
        if not _is_of_the_page(each)
    ]
    sides += [
        each for node in ast.walk(tree) if isinstance(node, ast.Dict) for each in node.values if not _is_a_number(each)
    ]
    constants = [each.value for side in sides for each in ast.walk(side) if isinstance(each, ast.Constant)]
    found = [each for each in constants if isinstance(each, int)]
    found += [
        int(number)
        for each in constants
        if isinstance(each, str)
        for number in re.findall(r"\d+(?= of | claims)", each)
    ]
    return [number for number in found if number > MOST]


def _is_a_number(value: ast.expr) -> bool:
    """True of one by itself, which in a dictionary is the code of a key."""
    return isinstance(value, ast.Constant) and isinstance(value.value, int)


def _is_of_the_page(side: ast.expr) -> bool:
    """True of a side that is what a browser is asked, with pixels in it."""
    return any(isinstance(each, ast.Attribute) and each.attr == "evaluate" for each in ast.walk(side))


def test_no_count_is_written_into_a_check() -> None:
    pixels = [100, 500, 300]  # of a picture of laws
    assert sorted(number for number in numbers_compared(CHECKS) if number not in pixels) == []


@pytest.mark.parametrize(
    "stale",
    [
        "assert len(found) == 768",
        "assert said == f'{len(left)} of 768 claims shown'",
        "asked = {'catalogue': '768 of 768 as expected'}",
        "assert found[n:] == [''] * (768 - n)",
        "assert 0 < len(numbered) < 768",
        "assert len(loose) == 60 and all(loose)",
    ],
)
def test_a_count_that_is_written_down_is_found(stale: str) -> None:
    assert numbers_compared(stale)

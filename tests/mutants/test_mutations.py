"""The mistakes that `make mutants` puts into modules: each is one, and stays the same where its function moves."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.mutants.__main__ import TESTS, run_on, sampled
from tests.mutants.mutations import mutations

SOURCE = '''
"""Text."""

def largest(rows: list[int], most: int = 3) -> int:
    """The λ: 1 < 2."""
    assert len(rows) > 0
    best = max(rows)
    if best < most and not rows:
        raise ValueError(f"{best + 1}")
    return sum(row + 1 for row in rows)
'''


def test_each_change_is_one_of_the_code_and_of_no_text_annotation_or_assertion() -> None:
    found = {(found.old, found.new) for found in mutations(SOURCE)}
    assert found == {
        ("3", "(4)"),
        ("max(rows)", "(min(rows))"),
        ("best < most and not rows", "(best < most or not rows)"),
        ("best < most and not rows", "(False)"),
        ("best < most and not rows", "(True)"),
        ("best < most", "(best <= most)"),
        ("not rows", "(rows)"),
        ('raise ValueError(f"{best + 1}")', "pass"),
        ("return sum(row + 1 for row in rows)", "return"),
        ("row + 1", "(row - 1)"),
        ("1", "(2)"),
        ("rows", "(list(rows)[1:])"),
    }


def test_every_mutant_of_the_tree_parses_and_differs() -> None:
    root = Path(__file__).parents[2]
    for path in (root / "verifiers" / "privacy").glob("tails*.py"):
        source = path.read_text(encoding="utf-8")
        before = ast.dump(ast.parse(source))
        for mutation in mutations(source):
            assert ast.dump(ast.parse(mutation.of(source))) != before, mutation


def test_the_sample_stays_the_same_when_other_code_comes_and_the_function_moves() -> None:
    moved = "def another() -> int:\n    return 1 + 1\n\n\n" + SOURCE
    before = {found.rank(1) for found in mutations(SOURCE)}
    assert before < {found.rank(1) for found in mutations(moved)}
    assert len(before) == len(list(mutations(SOURCE)))
    assert before.isdisjoint(found.rank(2) for found in mutations(SOURCE))


def test_all_that_is_mutated_and_run_is_there() -> None:
    root = Path(__file__).parents[2]
    for folder in TESTS:
        assert list((root / folder).glob("*.py")), folder
        for test in run_on(folder, "", catalogue=True):
            assert (root / test).exists(), test
    assert len({str(mutant) for mutant in sampled(1, 30)}) == 30

"""The mistakes that `make mutants` puts into modules: each is one, and stays the same where its function moves."""

import ast
from importlib import import_module
from pathlib import Path

import pytest
from tests.mutants.__main__ import (
    CATALOGUE,
    FURTHER,
    MUTATED,
    TESTS,
    Mutant,
    asked_for,
    fate,
    files_with_tests,
    sampled,
    sources,
    trial_of,
)
from tests.mutants.mutations import mutations
from tests.mutants.recording import record, recorded
from tests.mutants.runs import ROOT

SOURCE = '''
"""Text."""

def largest(rows: list[int], most: int = 3) -> int:
    """The λ: 1 < 2."""
    assert len(rows) > 0
    best = max(rows)
    if 0 < best < most and not rows:
        raise ValueError(f"{best + 1}")
    return sum(row + 1 for row in rows)
'''


def test_each_change_is_one_of_the_code_and_of_no_text_annotation_or_assertion() -> None:
    found = {(found.old, found.new) for found in mutations(SOURCE)}
    assert found == {
        ("3", "(4)"),
        ("max(rows)", "(min(rows))"),
        ("0 < best < most and not rows", "(0 < best < most or not rows)"),
        ("0 < best < most and not rows", "(False)"),
        ("0 < best < most and not rows", "(True)"),
        ("0 < best < most", "(0 <= best < most)"),
        ("0 < best < most", "(0 < best <= most)"),
        ("0", "(1)"),
        ("not rows", "(rows)"),
        ('raise ValueError(f"{best + 1}")', "pass"),
        ("return sum(row + 1 for row in rows)", "return"),
        ("row + 1", "(row - 1)"),
        ("1", "(2)"),
        ("rows", "(list(rows)[1:])"),
    }


def test_every_mutant_of_the_tree_parses_and_differs() -> None:
    modules = sources()[::20]
    assert len(modules) > 6
    tried = 0
    for name in modules:
        source = (ROOT / name).read_text(encoding="utf-8")
        before = ast.dump(ast.parse(source))
        for mutation in list(mutations(source))[::20]:  # a sample: each parses the whole file again
            assert ast.dump(ast.parse(mutation.of(source))) != before, mutation
            tried += 1
    assert tried > 25


def test_the_sample_stays_the_same_when_other_code_comes_and_the_function_moves() -> None:
    moved = "def another() -> int:\n    return 1 + 1\n\n\n" + SOURCE
    before = {found.rank(1) for found in mutations(SOURCE)}
    assert before < {found.rank(1) for found in mutations(moved)}
    assert len(before) == len(list(mutations(SOURCE)))
    assert before.isdisjoint(found.rank(2) for found in mutations(SOURCE))


def test_all_that_is_mutated_and_run_is_there() -> None:
    assert {path.rpartition("/")[0] for path in sources()} >= set(MUTATED)
    assert all(path.startswith(tuple(f"{folder}/" for folder in MUTATED)) for path in sources())
    for test in (*TESTS, *CATALOGUE.values()):
        assert any(file.startswith(test) for file in files_with_tests()) or (ROOT / test).is_file(), test
    for folder, tests in FURTHER.items():
        assert asked_for(["mechanisms", folder]) == asked_for([f"{folder}/claim"]) == (folder,)
        assert set(sources([folder])) - set(sources())
        assert all(any(file.startswith(test) for file in files_with_tests([folder])) for test in tests)
    assert asked_for([""]) == asked_for(["verifiers/privacy", "verifiers/all_sizes.py"]) == ()
    (mutant,) = sampled(1, 1, ["verifiers/lower_bounds/claim.py"])
    assert mutant.path == "verifiers/lower_bounds/claim.py" and mutant.catalogue
    assert {mutant.path for mutant in sampled(1, 30, ["verifiers/divergence/output_tables/tails.py"])} == {
        "verifiers/divergence/output_tables/tails.py"
    }


MODULE = """
LIMIT = 3

def below(x):
    return x < LIMIT

def above(x):
    if x > LIMIT:
        return True
    return False

def never(x):
    return x + 1
"""

THEIR_TESTS = """
import os

from dpverify.reports.module import above, below

def test_below():
    assert below(2)

def test_above():
    assert above(4)

def test_elsewhere():
    assert below(2)
    if not (child := os.fork()):
        os._exit(bool(above(3)))
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.deep
def test_a_mutant_meets_the_tests_that_run_it_and_those_that_may_elsewhere(tmp_path: Path) -> None:
    import_module("dpverify.reports")
    tree = tmp_path / "tree"
    (tree / ".src" / "dpverify").mkdir(parents=True)
    (tree / "decided").mkdir()
    (tree / ".src" / "dpverify" / "reports").symlink_to("../../decided")  # as what is loaded here, of another tree
    (tree / "decided" / "__init__.py").touch()
    (tree / "decided" / "module.py").write_text(MODULE)
    (tree / "test_module.py").write_text(THEIR_TESTS)
    (tree / "pytest.ini").write_text("[pytest]")
    into = tmp_path / "recorded.json"
    assert record(tree, "test_module.py", ["decided"], into)
    tests = recorded([into])
    lines = {test.timed.name.partition("::")[2]: test.lines["decided/module.py"] for test in tests}
    imported = {2, 4, 7, 12}
    assert lines == {"test_below": imported | {5}, "test_above": imported | {8, 9}, "test_elsewhere": imported | {5}}

    def tried(old: str, new: str) -> tuple[list[str], str]:
        mutation = next(found for found in mutations(MODULE) if (found.old, found.new) == (old, new))
        mutant = Mutant("decided/module.py", mutation)
        trial = trial_of(mutant, tests, 60, catalogue=False)
        return sorted(test.name.partition("::")[2] for test in trial.tests), fate(trial, tree)

    assert tried("x > LIMIT", "(x >= LIMIT)") == (["test_above", "test_elsewhere"], "killed")  # in another process
    assert tried("x > LIMIT", "(False)") == (["test_above", "test_elsewhere"], "killed")
    assert tried("x < LIMIT", "(x <= LIMIT)") == (["test_below", "test_elsewhere"], "SURVIVED")
    assert tried("3", "(4)") == (["test_above", "test_below", "test_elsewhere"], "killed")
    assert tried("return False", "return") == (["test_elsewhere"], "SURVIVED: no test runs it")
    assert (tree / "decided" / "module.py").read_text() == MODULE
    assert tried("x + 1", "(x - 1)") == (["test_elsewhere"], "SURVIVED: no test runs it")

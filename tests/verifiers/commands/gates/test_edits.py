"""What lazy and hostile people do to a gated library, and what stops each of it; and what passes, since it is harmless."""

import re
from functools import cache
from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import dpverify, forget_modules
from tests.verifiers.commands.gates.gated_library import (
    BY_COVERAGE,
    BY_REACH,
    CLAIMS,
    FILE,
    HARMLESS,
    LIB,
    LIBRARY,
    OWN,
    TABLE,
    WORSE_CODE,
    Edit,
)

from dpverify.verifiers.verdicts import verdict

BASELINE = "dpverify-baseline.txt"
GATE = ("audit", FILE, "-q", "--no-recheck", "--jobs", "1", "--baseline", BASELINE)

pytestmark = pytest.mark.usefixtures("decided_here")


@pytest.fixture
def gated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library with its claims and their baseline, as a repository."""
    monkeypatch.setenv("CI", "1")
    # what is measured beside a verdict is no part of what a gate compares
    monkeypatch.setattr(verdict, "curve_of", lambda *given: None)
    (folder / ".git").mkdir()
    (folder / LIB).write_text(LIBRARY)
    (folder / FILE).write_text(CLAIMS)
    (folder / BASELINE).write_text(baseline())
    forget_modules("dplib")  # of another test's folder
    return folder


@cache
def baseline() -> str:
    """Of the library in the working directory; it is the same in any."""
    forget_modules("dplib")
    assert dpverify(*GATE, "--update-baseline").exit_code == 0
    return Path(BASELINE).read_text()


def make(edit: Edit, folder: Path) -> None:
    for name, before, after in edit.changes:
        text = (folder / name).read_text()
        assert before in text, (edit.name, before)
        (folder / name).write_text(text.replace(before, after))
    forget_modules("dplib")


def ids(edit: Edit) -> str:
    return edit.name


def test_the_measured_table_is_whole() -> None:
    """19 ways: twelve edits of claims here, two by depth in two forms; six of code alone; three that coverage stops."""
    ways = {edit.name.partition(",")[0] if edit.name.startswith("depth") else edit.name for edit in TABLE}
    assert (len(TABLE), len(ways), len(BY_REACH), len(BY_COVERAGE) + 1) == (12, 11, 6, 3)
    assert len(OWN) >= 18
    assert len(HARMLESS) >= 9


@pytest.mark.one_in(6)
@pytest.mark.parametrize("edit", [*TABLE, *WORSE_CODE, *OWN], ids=ids)
def test_what_is_harmful_is_stopped(edit: Edit, gated: Path) -> None:
    before = (gated / BASELINE).read_bytes()
    make(edit, gated)
    done = dpverify(*GATE)
    assert done.exit_code in (1, 2, 3), done.output
    row, _, part = edit.stopped.partition("|")
    _, found, said = done.stdout.partition(row)
    assert found, done.output
    assert part in said.partition("Gate ")[0], done.output
    at_claim = re.match(rf"\S*  \({FILE}:(\d+)\)\n", said)
    if at_claim:
        line = (gated / FILE).read_text().splitlines()[int(at_claim[1]) - 1]
        assert row.split()[1] in line or line == "    UtilityClaim("
    assert "Gate failed" in done.stdout
    assert "stronger" not in done.stdout.partition("Gate ")[2] or "STRONGER" in done.stdout
    assert (gated / BASELINE).read_bytes() == before


@pytest.mark.one_in(6)
@pytest.mark.parametrize("edit", HARMLESS, ids=ids)
def test_what_is_harmless_passes(edit: Edit, gated: Path) -> None:
    make(edit, gated)
    done = dpverify(*GATE)
    assert done.exit_code == 0, done.stdout
    assert "Gate passed" in done.stdout


@pytest.mark.one_in(3)
@pytest.mark.parametrize("edit", BY_REACH, ids=ids)
def test_what_changes_code_alone_is_the_same_question_with_the_same_verdict(edit: Edit, gated: Path) -> None:
    """A line that no database runs: it is `reach` that names it, and fails with --strict."""
    make(edit, gated)
    assert "unchanged" in dpverify(*GATE).stdout


@pytest.mark.parametrize("edit", BY_COVERAGE, ids=ids)
def test_what_no_claim_reaches_is_listed(edit: Edit, gated: Path) -> None:
    make(edit, gated)
    done = dpverify(*GATE, "--coverage", "dplib", "--strict")
    assert done.exit_code == 1
    assert edit.stopped in done.stdout


def test_a_second_module_is_covered_as_part_of_its_package(gated: Path) -> None:
    package = gated / "dplibs"
    package.mkdir()
    (package / "__init__.py").write_text(LIBRARY)
    (package / "_more.py").write_text("def leak(draw, rows):\n    return rows\n")
    (gated / FILE).write_text(CLAIMS.replace("import dplib", "import dplibs as dplib"))
    forget_modules("dplib")
    done = dpverify("audit", f"{FILE}::dplib.total", "--no-recheck", "--coverage", "dplibs")
    assert "NO CLAIM     dplibs._more.leak  (dplibs/_more.py:1)\n" in done.stdout
    assert (
        "COVERED      dplibs._told  (dplibs/__init__.py:17)  by dplib.responses, dplib.responses.truth\n" in done.stdout
    )
    assert "COVERED      dplibs.served  (dplibs/__init__.py:33)  by dplib.served\n" in done.stdout
    assert done.stdout.endswith("coverage of dplibs: 5 of 6 functions that draw are reached by a claim\n")


def test_nothing_to_cover_is_an_error(gated: Path) -> None:
    (gated / "nothing.py").write_text("def plain(rows):\n    return rows\n")
    done = dpverify("audit", f"{FILE}::dplib.total", "--no-recheck", "--coverage", "nothing")
    assert done.exit_code == 2
    assert "Error: --coverage needs a function that draws, and nothing has none" in done.stderr


PUBLIC = """\
from dpverify.mechanisms import laplace


def total(draw, rows, *, epsilon, times=1):
    return clipped(rows, 3) + draw(laplace(3 * times / epsilon))


def twice(draw, rows, *, epsilon, times=2):
    return total(draw, rows, epsilon=epsilon, times=times)


def clipped(rows, most):
    return sum(min(row, most) for row in rows)


def leak(rows):
    return rows


def known(rows):  # dp: exact, because it is called on public data
    return rows


def _private(rows):
    return rows


def labels(count):
    return list(range(count))
"""
CLAIM_OF_TOTAL = """\
from dpverify.verifiers import Claim, Tuples

import dplib


def asked(draw, rows, *, epsilon):
    return dplib.total(draw, rows, epsilon=epsilon{})


claim = Claim(id="total", mechanism={}, domain=Tuples((0, 5), size=2), epsilon=1{})
"""


@pytest.mark.parametrize(
    ("claim", "without"),
    [
        (CLAIM_OF_TOTAL.format("", "dplib.total", ""), ["twice"]),
        (CLAIM_OF_TOTAL.format("", "dplib.total", ', parameters={"times": 1}'), ["twice"]),
        (CLAIM_OF_TOTAL.format("", "dplib.total", ', parameters={"times": 4}'), ["total", "twice"]),
        (CLAIM_OF_TOTAL.format("", "asked", ""), ["twice"]),
        (CLAIM_OF_TOTAL.format(", times=4", "asked", ""), ["total", "twice"]),
        (CLAIM_OF_TOTAL.format(', **{"times": 4}', "asked", ""), ["total", "twice"]),
        (CLAIM_OF_TOTAL.format("", "dplib.twice", ""), ["total"]),
    ],
    ids=[
        "as it is",
        "the same value",
        "another value",
        "by a wrapper",
        "by a wrapper with another value",
        "by stars",
        "in another",
    ],
)
def test_public_functions_whose_defaults_no_claim_runs_are_listed(
    claim: str, without: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "1")
    (folder / LIB).write_text(PUBLIC)
    (folder / FILE).write_text(claim)
    forget_modules("dplib")
    done = dpverify("audit", FILE, "--no-recheck", "--jobs", "1", "--coverage", "dplib")
    assert done.exit_code == 0, "it is said, and fails nothing"
    lines = done.stdout.splitlines()
    assert [line.split()[2] for line in lines if line.startswith("NO DEFAULTS")] == [
        f"dplib.{name}" for name in without
    ]
    exact = [line for line in lines if line.startswith("NO DRAW")]
    assert [line.split()[2] for line in exact] == ["dplib.clipped", "dplib.leak"], "by what mechanisms call their rows"
    assert exact[0].endswith("returns data without draw: make it private, or write `# dp: exact, because …` at its def")

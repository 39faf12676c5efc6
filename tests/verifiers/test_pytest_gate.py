"""pytest --dp-baseline and --dp-strict: the gate of the command, and what it says, in a run of tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import dpverify, forget_modules
from tests.verifiers.commands.gates.gated_library import (
    CLAIMS,
    DELETED,
    FILE,
    HARMLESS,
    LIB,
    LIBRARY,
    OWN,
    TABLE,
    WORSE_CODE,
    Edit,
)
from tests.verifiers.test_pytest_plugin import LOADED, pytest_in

from dpverify.verifiers.verdicts import verdict

pytest_plugins = ["pytester"]

assert LOADED, "a run in this process forgets the modules that it has loaded, and numpy can be loaded once only"

BASELINE = "dpverify-baseline.txt"
GATE = ("--dp-no-recheck", "--dp-baseline", BASELINE)
AUDIT = ("audit", FILE, "-q", "--no-recheck", "--jobs", "1", "--baseline", BASELINE)


@pytest.fixture
def gated(decided_here: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    forget_modules("dplib")
    monkeypatch.setenv("CI", "1")
    monkeypatch.setattr(verdict, "curve_of", lambda *given: None)
    (pytester.path / ".git").mkdir()
    (pytester.path / LIB).write_text(LIBRARY)
    (pytester.path / FILE).write_text(CLAIMS)
    (pytester.path / BASELINE).write_text(baseline())
    return pytester


@cache
def baseline() -> str:
    """Of the library in the working directory; it is the same in any."""
    forget_modules("dplib")
    assert dpverify(*AUDIT, "--update-baseline").exit_code == 0
    forget_modules("dplib")
    return Path(BASELINE).read_text()


def make(edit: Edit, folder: Path) -> None:
    for name, before, after in edit.changes:
        (folder / name).write_text((folder / name).read_text().replace(before, after))
    forget_modules("dplib")


def said_by(text: str) -> list[str]:
    """The lines of a gate, from its first row to whether it passes, but for witnesses."""
    lines = text.splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("Gate"))
    marks = ("WORSE ", "CHANGED ", "GONE ", "NEW ", "NOT DECIDED ", "STRONGER ", "RENAMED ", "KNOWN ", "    ", "Gate")
    first = last
    while first and lines[first - 1].startswith(marks):
        first -= 1
    return [line for line in lines[first : last + 1] if not line.startswith(8 * " ")]


def named(name: str) -> Edit:
    return next(edit for edit in [*TABLE, *OWN, *HARMLESS] if edit.name == name)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "name",
    [
        "noise divided by 2000, and the parameter, too",
        "depth full, then the noise",
        "a claim at ε = 1000",
        "deleted",
        "pinned",
        pytest.param("a constant of the wrapper", marks=pytest.mark.deep),
        "a larger domain",
        "another id",
        "twice the noise",
    ],
)
def test_pytest_says_what_the_command_says(name: str, gated: pytest.Pytester) -> None:
    make(named(name), gated.path)
    by_command = dpverify(*AUDIT)
    forget_modules("dplib")
    by_pytest = pytest_in(gated, *GATE)
    assert by_pytest.returncode == by_command.exit_code, by_pytest.stdout
    assert said_by(by_pytest.stdout) == said_by(by_command.stdout)
    assert " gate =" in by_pytest.stdout


def test_a_claim_that_the_gate_does_not_let_through_is_a_failed_test(gated: pytest.Pytester) -> None:
    make(TABLE[0], gated.path)
    done = pytest_in(gated, *GATE, "--dp-report", "a.sarif", "--dp-report", "a.html", "--dp-report", "a.xml")
    assert f"FAILED {FILE}::dplib.total - " in done.stdout
    assert "2 failed, 4 passed" in done.stdout, "half of what is drawn makes the known violation larger"
    (run,) = json.loads((gated.path / "a.sarif").read_text())["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["worse", "changed"]
    assert 'class="card gate bad"' in (gated.path / "a.html").read_text()
    assert 'failures="2"' in (gated.path / "a.xml").read_text()
    times = [part.partition('"')[0] for part in (gated.path / "a.xml").read_text().split('time="')[1:]]
    assert all(float(time) > 0 for time in times)


def test_a_deleted_claim_is_red_though_every_test_passes(gated: pytest.Pytester) -> None:
    name, before, after = DELETED
    (gated.path / name).write_text((gated.path / name).read_text().replace(before, after))
    forget_modules("dplib")
    assert pytest_in(gated, "--dp-no-recheck").returncode == 0
    forget_modules("dplib")
    done = pytest_in(gated, *GATE)
    assert done.returncode == 1
    assert "5 passed" in done.stdout
    assert "GONE         dplib.total  (claims_dplib.py)" in done.stdout


@pytest.mark.deep
def test_what_was_accepted_once_is_a_test_that_passes(gated: pytest.Pytester) -> None:
    """A claim that is not as expected, and was so when the baseline was written."""
    (gated.path / FILE).write_text(CLAIMS.replace(", expected=Status.REFUTED", ""))
    forget_modules("dplib")
    assert pytest_in(gated, *GATE).returncode == 1
    forget_modules("dplib")
    assert dpverify(*AUDIT, "--update-baseline").exit_code == 0
    forget_modules("dplib")
    done = pytest_in(gated, *GATE)
    assert done.returncode == 0
    assert "KNOWN        dplib.total.known" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ((f"{FILE}::dplib.total",), 0, "Gate passed: 1 unchanged; 5 of the baseline not asked for"),
        ((".",), 0, "Gate passed: 5 unchanged, 1 known violation"),
        (("-k", "most_common"), 1, "Gate failed: 5 not decided, 1 unchanged"),
        (("--deselect", f"{FILE}::dplib.served"), 1, "Gate failed: 1 not decided, 4 unchanged, 1 known violation"),
    ],
)
def test_what_is_not_asked_for_is_not_gone(
    arguments: tuple[str, ...], status: int, said: str, gated: pytest.Pytester
) -> None:
    done = pytest_in(gated, *GATE, *arguments)
    assert (done.returncode, said in done.stdout) == (status, True), done.stdout


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda text: '{"claims": []}',
            "--dp-baseline: dpverify-baseline.txt is no baseline of dpverify: it is of an earlier version",
        ),
        (lambda text: text.replace("PROVED", "REFUTED", 1), "was edited by hand"),
        (lambda text: "", "is no baseline of dpverify"),
    ],
    ids=["JSON", "edited", "empty"],
)
def test_a_bad_baseline_is_a_usage_error(damage: Callable[[str], str], message: str, gated: pytest.Pytester) -> None:
    file = gated.path / BASELINE
    file.write_text(damage(file.read_text()))
    done = pytest_in(gated, *GATE)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert message in done.stderr
    missing = pytest_in(gated, "--dp-baseline", "nowhere.txt")
    assert "the baseline nowhere.txt does not exist" in missing.stderr


@pytest.mark.deep
def test_a_file_that_cannot_be_read_takes_no_claim_away(gated: pytest.Pytester) -> None:
    (gated.path / FILE).write_text("1 / 0\n")
    forget_modules("dplib")
    done = pytest_in(gated, *GATE)
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert "NOT DECIDED  dplib.total  (claims_dplib.py)" in done.stdout
    assert "Gate failed: 6 not decided, 0 unchanged" in done.stdout


def test_strict_is_that_of_the_command(gated: pytest.Pytester) -> None:
    """What was not computed a second time is no answer, and a claim that is proved has a mutant."""
    done = pytest_in(gated, "--dp-no-recheck", "--dp-strict", f"{FILE}::dplib.most_common")
    assert done.returncode == 1
    assert "its distributions were not recomputed, which --strict asks for" in done.stdout
    (gated.path / FILE).write_text(CLAIMS.replace(", mutant=loud", ""))
    forget_modules("dplib")
    bare = pytest_in(gated, "--dp-strict", f"{FILE}::dplib.most_common")
    assert bare.returncode == 1
    assert "it has no mutant, which --strict asks for" in bare.stdout


@pytest.mark.deep
def test_workers_of_xdist_say_the_same(gated: pytest.Pytester) -> None:
    make(TABLE[0], gated.path)
    alone = pytest_in(gated, *GATE)
    workers = pytest_in(gated, *GATE, "-n", "2")
    assert alone.returncode == workers.returncode == 1
    assert said_by(alone.stdout) == said_by(workers.stdout)


HOOK = "import pytest\n\n\n{}\n"
INI = "[pytest]\naddopts = {}\n"
HIDING = {
    "conftest drops an item": (
        "conftest.py",
        "def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if i.name != 'dplib.total']\n",
    ),
    "conftest drops a file": ("conftest.py", "collect_ignore_glob = ['claims_*']\n"),
    "conftest skips": (
        "conftest.py",
        HOOK.format(
            "def pytest_collection_modifyitems(items):\n    for item in items:\n        item.add_marker(pytest.mark.skip)"
        ),
    ),
    "conftest deselects": (
        "conftest.py",
        "def pytest_collection_modifyitems(items, config):\n    config.hook.pytest_deselected(items=items[:])\n    items[:] = []\n",
    ),
    "conftest ends green": (
        "conftest.py",
        HOOK.format("@pytest.hookimpl(trylast=True)\ndef pytest_sessionfinish(session):\n    session.exitstatus = 0"),
    ),
    "addopts -k": ("pytest.ini", INI.format("-k most_common")),
    "addopts --ignore": ("pytest.ini", INI.format(f"--ignore {FILE}")),
    "addopts --collect-only": ("pytest.ini", INI.format("--collect-only")),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", HIDING)
def test_settings_and_conftest_turn_no_red_gate_green(name: str, gated: pytest.Pytester) -> None:
    """Half the noise is WORSE: whatever leaves that claim out leaves it not decided."""
    make(WORSE_CODE[0], gated.path)
    (gated.path / "elsewhere").mkdir()
    for other in ("test_other.py", "elsewhere/test_more.py"):
        (gated.path / other).write_text("def test_other():\n    assert True\n")
    file, text = HIDING[name]
    (gated.path / file).write_text(text)
    done = pytest_in(gated, *GATE)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    rows = [
        line
        for line in done.stdout.splitlines()
        if line.startswith(("NOT DECIDED  dplib.total ", "WORSE        dplib.total "))
    ]
    assert rows, done.stdout
    assert "Gate failed" in done.stdout


@pytest.mark.parametrize("arguments", [("-k", "most_common"), ("-m", "slow"), ("--ignore", FILE), ("--deselect", FILE)])
def test_options_that_leave_claims_out_leave_them_not_decided(
    arguments: tuple[str, str], gated: pytest.Pytester
) -> None:
    make(WORSE_CODE[0], gated.path)
    done = pytest_in(gated, *GATE, *arguments)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert "NOT DECIDED  dplib.total  (claims_dplib.py)" in done.stdout

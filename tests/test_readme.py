"""The README does what it says: its files, commands and outputs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, flags=re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]
CONSOLE = [text for language, text in BLOCKS if not language]
DPVERIFY = [sys.executable, "-c", "from dpverify.verifiers.command_line import main; main()"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mylib.py").write_text(PYTHON[0], encoding="utf-8")
    return tmp_path


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["check", "mylib.py:most_common", "--domain", "Multisets(range(3), sizes=range(1, 7))", "--epsilon", "1"]
    done = subprocess.run([*DPVERIFY, *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done


def test_the_first_mechanism_is_proved_as_shown(folder: Path) -> None:
    shown = next(text for text in CONSOLE if text.startswith("$ dpverify check"))
    done = check(folder)
    assert done.returncode == 0
    assert shown.partition("\n")[2] == done.stdout


def test_broken_on_purpose_it_shows_the_witness(folder: Path) -> None:
    path = folder / "mylib.py"
    path.write_text(path.read_text().replace("exponential(counts, epsilon)", "exponential(counts, 2 * epsilon)"))
    done = check(folder)
    assert done.returncode == 1
    shown = next(text for text in CONSOLE if text.startswith("REFUTED"))
    for line in shown.splitlines():
        start = line.partition("…")[0]
        assert any(printed.startswith(start) for printed in done.stdout.splitlines()), line
    line = next(line.strip() for line in done.stdout.splitlines() if "python -c" in line)
    again = subprocess.run(
        line.replace("python -c", f"{sys.executable} -c", 1),
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert again.stdout == "1/(2 + e^(-1)) e^(-2)/(1 + 2·e^(-2)) True\n"


def test_the_python_example_runs(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PYTHON[1]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_verdict_for_every_epsilon_is_as_said(folder: Path) -> None:
    script = PYTHON[2] + "\nprint(verdict.status, *verdict.fails_at, verdict.witness.epsilon)"
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("REFUTED (-2·ln z with ")


def test_the_calibration_finds_what_it_says(folder: Path) -> None:
    script = PYTHON[3] + "\nprint(found.smallest, found.below, found.refuted.status)"
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1 3/4 REFUTED\n", "")


def test_the_profile_example_runs(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PYTHON[4]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_matrix_prints_what_is_shown(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PYTHON[5]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout in CONSOLE


def test_the_pytest_examples_run(folder: Path) -> None:
    (folder / "claims_mylib.py").write_text(PYTHON[6], encoding="utf-8")
    imports = "from dpverify.verifiers import Multisets, replace_one\nfrom mylib import most_common\n"
    (folder / "test_mylib.py").write_text(imports + PYTHON[7], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "--dp-report", "audit.html"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "claims_mylib.py::mylib.most_common PASSED" in done.stdout
    assert "test_mylib.py::test_most_common_is_private PASSED" in done.stdout
    assert (folder / "audit.html").exists()


def test_the_thresholds_example_says_what_is_asked_for(folder: Path) -> None:
    script = next(text for text in PYTHON if "learn_thresholds" in text)
    shown = script + "\nlearned = run(learn_thresholds, tuple(sample), seed=1, d=64, **asked)"
    shown += "\nprint(sum(learned(x) == y for x, y in sample) > 2850)"
    shown += "\nprint(f'{rows_for_thresholds(d=64, beta=Fraction(1, 10), **asked):,} rows')"
    done = subprocess.run([sys.executable, "-c", shown], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    correct, rows = done.stdout.splitlines()
    assert correct == "True"
    assert rows in README


def test_the_utility_claim_is_proved_as_shown() -> None:
    (text,) = (text for text in PYTHON if "UtilityClaim(" in text)
    names: dict[str, Any] = {}
    exec(text, names)  # it is what the README says
    result = names["check_utility"](names["claim"])
    assert result.as_expected
    assert str(result.verdict) == "PROVED"
    assert result.inputs == 10

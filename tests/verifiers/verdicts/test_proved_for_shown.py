"""What a claim is PROVED for, in each output; a hint; and the worst counterexample beside the smallest one."""

import html
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import dpverify, forget_modules

from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.formats.github import summary

pytestmark = pytest.mark.usefixtures("decided_here")

CLAIMS = """
from dpverify.mechanisms import exponential
from dpverify.verifiers import Claim, Status, Multisets, ScoreSpace, scores_linf

def most_common(draw, rows, *, times):
    return draw(exponential([rows.count(x) for x in range(3)], times))

def best(draw, scores):
    return draw(exponential(scores, 2))

ROWS = Multisets(range(3), sizes=range(1, 3))
right = Claim(id="svc.right", mechanism=most_common, domain=ROWS, epsilon=1, parameters={"times": 1})
half = Claim(id="svc.half", mechanism=best, domain=ScoreSpace(range(2), solutions=2), neighbours=scores_linf,
             epsilon=1, expected=Status.REFUTED)
wrong = Claim(id="svc.wrong", mechanism=most_common, domain=Multisets(range(3), size=4), epsilon=1,
              parameters={"times": 2})
"""
RIGHT = "for 1 ≤ n ≤ 2, rows from {0, 1, 2}"
HINT = "what it draws guarantees ε = 2: try three candidates"
HALF = f"on this domain (scores 0 to 1, 2 candidates); {HINT}"
WORST = "this is the smallest counterexample; worst: δ ≥ "
NAMES = ("json", "markdown", "html", "junit", "sarif")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    forget_modules()


@pytest.fixture
def written(folder: Path) -> dict[str, str]:
    """What is printed, and the reports, as plain text."""
    (folder / "claims_mine.py").write_text(CLAIMS)
    outputs = [word for name in NAMES for word in (f"--{name}", f"out.{name}")]
    done = dpverify("audit", "claims_mine.py", "--no-cache", *outputs)
    assert done.exit_code == 1
    files = {name: (folder / f"out.{name}").read_text() for name in NAMES}
    files["github"] = summary(read_audit(files["json"]))
    files["sarif"] = "".join(one["message"]["text"] for one in json.loads(files["sarif"])["runs"][0]["results"])
    return {"printed": done.stdout, **{name: html.unescape(text).replace("\\", "") for name, text in files.items()}}


def test_every_output_says_what_a_claim_is_proved_for(written: dict[str, str]) -> None:
    lines = {
        line.split()[1]: line for line in written["printed"].splitlines() if line.startswith(("PROVED", "REFUTED"))
    }
    assert lines["svc.right"].endswith(RIGHT) and HALF in lines["svc.half"] and "pairs" in lines["svc.wrong"]
    rows = {row["id"]: row for row in json.loads(written["json"])["claims"]}
    assert {name: (row["proved_for"], row["hint"]) for name, row in rows.items()} == {
        "svc.right": (RIGHT.removeprefix("for "), ""),
        "svc.half": ("scores 0 to 1, 2 candidates", HINT),
        "svc.wrong": ("", ""),
    }
    for name in ("printed", "markdown", "html", "junit", "github"):
        assert RIGHT in written[name], name
    for name in ("printed", "markdown", "html", "junit", "github", "sarif"):  # where all that is a finding stands
        assert HALF in written[name], name


def test_every_output_names_the_smallest_and_the_worst_counterexample(written: dict[str, str]) -> None:
    wrong = next(row for row in json.loads(written["json"])["claims"] if row["id"] == "svc.wrong")
    worst = wrong["worst"]["difference"]["decimal"]
    assert worst == wrong["smallest_delta"]["decimal"] != wrong["witness"]["difference"]["decimal"]
    for name in ("printed", "markdown", "html", "junit", "sarif"):
        assert f"{WORST}{worst} for left {wrong['worst']['left']}, right" in written[name], name


def test_all_that_is_known_has_the_exact_epsilon_by_size(folder: Path) -> None:
    (folder / "claims_mine.py").write_text(CLAIMS)
    assert "By size: ε ≈ " not in dpverify("audit", "claims_mine.py", "svc.right", "--no-cache").stdout
    for told in (
        dpverify("audit", "claims_mine.py", "svc.right", "--no-cache", "-v").stdout,
        dpverify("explain", "claims_mine.py::svc.right").stdout.replace("by size: ", "By size: "),
    ):
        assert "By size: ε = 1/2 at n = 1, ≈ 0.593425 at n = 2" in told, told
    assert RIGHT in dpverify("explain", "claims_mine.py::svc.right").stdout.replace("\n    ", " ")

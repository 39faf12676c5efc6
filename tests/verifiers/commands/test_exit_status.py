"""Exit statuses, streams, and what makes a verdict a surprise."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from msgspec import structs
from tests.verifiers.commands.command_runs import ONE, SIX, dpverify

from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.record import AuditRecord, Status
from dpverify.verifiers import Claim, Tuples, audit
from dpverify.verifiers.auditing import selection
from dpverify.verifiers.auditing.exit_status import exit_status


def test_help_names_the_exit_statuses() -> None:
    text = dpverify("--help").stdout
    for line in (
        "0  every claim came out as expected",
        "1  some claim did not",
        "2  bad usage",
        "3  nothing worse",
        "130  interrupted",
    ):
        assert line in text
    for command in ("list", "audit", "check", "explain"):
        assert dpverify(command, "--help").exit_code == 0


@cache
def audited() -> AuditRecord:
    claim = Claim(
        id="x", mechanism=lambda draw, rows: 1, domain=Tuples((0, 1), size=1), epsilon=1, neighbours_agree=True
    )
    return audit([claim])


def result(expected: Status, verdict: Status) -> AuditRecord:
    record = audited()
    return structs.replace(record, claims=[structs.replace(record.claims[0], expected=expected, verdict=verdict)])


@pytest.mark.parametrize(
    ("expected", "verdict", "status"),
    [
        (Status.PROVED, Status.PROVED, 0),
        (Status.REFUTED, Status.REFUTED, 0),
        (Status.PROVED, Status.REFUTED, 1),
        (Status.REFUTED, Status.PROVED, 1),
        (Status.PROVED, Status.VACUOUS, 1),
        (Status.PROVED, Status.UNDECIDED, 3),
        (Status.PROVED, Status.CHECKED, 3),
        (Status.CHECKED, Status.CHECKED, 0),
        (Status.CHECKED, Status.PROVED, 1),
        (Status.CHECKED, Status.UNDECIDED, 3),
        (Status.PROVED, Status.FUZZED, 3),
        (Status.PROVED, Status.INCONCLUSIVE, 3),
        (Status.UNDECIDED, Status.UNDECIDED, 0),
    ],
)
def test_exit_statuses(expected: Status, verdict: Status, status: int) -> None:
    assert exit_status(result(expected, verdict).claims) == status


@pytest.mark.deep
def test_the_installed_command_keeps_its_streams_apart(folder: Path) -> None:
    """The console script, with both streams redirected: no colour, no progress line."""
    script = Path(sys.executable).with_name("dpverify")
    done = subprocess.run(
        [script, "audit", "claims_mine.py::mine.one", "--no-recheck", "--json", "a.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert len(json.loads((folder / "a.json").read_text())["claims"]) == 1


def test_internal_errors_are_one_line_too(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("dpverify.verifiers.privacy.result.decided_question", None)
    done = dpverify("check", "mylib:most_common", *SIX, "--epsilon", "1")
    assert done.exit_code == 2
    line = "internal error, TypeError: 'NoneType' object is not callable (DPVERIFY_DEBUG=1 shows where)"
    assert done.stderr == f"Error: mylib:most_common: {line}\n"
    assert "Traceback" not in capfd.readouterr().err
    monkeypatch.setattr(selection, "selected", None)
    done = dpverify("audit")
    assert (done.exit_code, done.stderr) == (2, f"Error: {line}\n")
    monkeypatch.setenv("DPVERIFY_DEBUG", "1")
    assert isinstance(dpverify("audit").exception, TypeError)


@pytest.mark.usefixtures("decided_here")
def test_neighbours_that_agree_are_a_surprise_unless_they_are_claimed_to() -> None:
    """A mechanism that forgets to return satisfies any claim."""
    done = dpverify("check", "mylib:forgets", *ONE)
    assert done.exit_code == 1
    assert "it returned None on every database" in done.stdout.replace("\n    ", " ")
    assert "the claim does not say neighbours_agree=True" in done.stdout
    assert done.stdout.endswith("1 claim: 1 PROVED; 1 not as expected\n")
    assert dpverify("check", "mylib:forgets", *ONE, "--neighbours-agree").exit_code == 0
    assert dpverify("check", "mylib:forgets", *ONE[:2], "--epsilon", "0").exit_code == 0
    assert dpverify("check", "mylib:forgets", *ONE[:2], "--epsilon", "symbolic").exit_code == 1
    differ = dpverify("check", "mylib:most_common", *SIX, "--epsilon", "1", "--neighbours-agree")
    assert differ.exit_code == 1
    assert (
        "some neighbours have different output distributions: claim it without neighbours_agree=True" in differ.stdout
    )


@pytest.mark.parametrize(("choice", "status"), [("choose_by_stability", 0), ("choose_by_stability_journal", 1)])
@pytest.mark.usefixtures("decided_here")
def test_every_delta_is_asked_for_by_its_name(choice: str, status: int) -> None:
    every = ("--epsilon", "symbolic", "--delta", "symbolic_delta", "--neighbours", "scores_linf")
    done = dpverify(
        "check", f"dpverify.mechanisms.selection:{choice}", "--domain", "Scores(solutions=OrMore(2))", *every
    )
    assert done.exit_code == status
    assert "every ε, every δ" in done.stdout


@pytest.mark.parametrize("recheck", [(), ("--no-recheck",)])
@pytest.mark.usefixtures("decided_here")
def test_strict_asks_for_a_recheck(folder: Path, recheck: tuple[str, ...]) -> None:
    command = ("check", "mylib:most_common", *SIX, "--epsilon", "1", *recheck, "--no-reach", "--json", "a.json")
    assert dpverify(*command).exit_code == 0
    (claim,) = read_audit((folder / "a.json").read_text()).claims
    assert (claim.scope.recomputation == "none") is bool(recheck)
    strict = dpverify(*command, "--strict")
    assert strict.exit_code == (1 if recheck else 0)
    assert ("were not recomputed" in strict.stdout) is bool(recheck)

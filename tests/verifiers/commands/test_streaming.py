"""What a log shows while an audit goes on: each result when it is decided, and a line after a long silence."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.verifiers.commands.command_runs import dpverify

from dpverify.verifiers.commands import terminal
from dpverify.verifiers.commands.terminal import Progress

CLAIMS = """
import time
from pathlib import Path
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim

def quick(draw, bit):
    return draw(bernoulli("1/2"))

def patient(draw, bit):
    for _ in range(3_000):
        if Path("heard").exists():
            return draw(bernoulli("1/2"))
        time.sleep(0.01)
    raise TimeoutError("nothing was heard")

def other(bit):
    return [1 - bit]

CLAIMS = [
    Claim(id=f.__name__, mechanism=f, domain=(0, 1), neighbours=other, epsilon=0, expected=expected)
    for f, expected in ((quick, "PROVED"), (patient, "CHECKED"))  # which waits for a file
]
"""


@pytest.fixture
def claims(folder: Path) -> Path:
    (folder / "claims_slow.py").write_text(CLAIMS)
    return folder


def test_results_are_in_the_log_as_soon_as_they_are_decided(claims: Path) -> None:
    """The patient one is decided when the quick one was heard of, and not before."""
    command = "from dpverify.verifiers.command_line import main; main()"
    arguments = ["audit", "claims_slow.py", "quick", "patient", "--no-recheck", "--no-cache", "--jobs", "1"]
    with subprocess.Popen([sys.executable, "-c", command, *arguments], cwd=claims, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline().split()[:2] == [b"PROVED", b"quick"]
        (claims / "heard").touch()
        rest = running.stdout.read()
    assert b"\nCHECKED      patient" in rest
    assert running.returncode == 0


def test_a_log_hears_of_a_long_silence(claims: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The patient one is decided when it was looked at twice, and not before."""
    looks = []

    def looked(self: Progress, in_hand: Sequence[str], done: int, look: Any = Progress.waiting) -> None:
        look(self, in_hand, done)
        looks.append(done)
        if len(looks) == 2:
            (claims / "heard").touch()

    monkeypatch.setattr(Progress, "waiting", looked)
    monkeypatch.setattr(terminal, "SILENCE", 0.05)
    done = dpverify("audit", "claims_slow.py::patient", "--no-recheck", "--no-cache")
    assert done.exit_code == 0
    lines = done.stderr.splitlines()
    assert lines
    assert all(line.endswith(" s: 0/1 decided, in hand: patient") for line in lines)


def test_silence_is_broken_by_results_too(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    progress = Progress(3, clock=lambda: now[0])
    for moment in (10, 29):
        now[0] = moment
        progress.waiting(["a", "b\n"], 0)
    progress.advance()
    now[0] = 58
    progress.waiting(["b"], 1)
    assert capsys.readouterr().err == ""
    for moment in (59, 60, 89, 90):
        now[0] = moment
        progress.waiting(["a", "b\n"], 1)
    assert capsys.readouterr().err == "59 s: 1/3 decided, in hand: a, b\n89 s: 1/3 decided, in hand: a, b\n"

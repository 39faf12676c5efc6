"""Nobody reads, or there is nothing to write to: no status that stands for a verdict, and no traceback."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.verifiers.commands.command_runs import dpverify

LEAK = """
from dpverify.verifiers import Claim, Tuples
for i in range(20):
    globals()[f"leak{i}"] = Claim(id=f"leak{i:03}", mechanism=lambda draw, rows: rows, domain=Tuples((0, 1), size=1), epsilon=1)
"""

MANY = LEAK.replace("20", "500")
"""More than a buffer holds, when they are listed."""

COMMANDS: Sequence[Sequence[str]] = (
    ("list", "claims_many.py"),
    ("explain", "leak001", "claims_leak.py"),
    ("--help",),
    ("audit", "--help"),
    ("audit", "claims_leak.py", "--no-recheck", "--no-cache", "--jobs", "1"),
    ("audit", "claims_leak.py", "--no-recheck", "--no-cache", "--jobs", "1", "--json", "-"),
)


def ended(arguments: Sequence[str], folder: Path, **streams: Any) -> subprocess.CompletedProcess[bytes]:
    (folder / "claims_leak.py").write_text(LEAK)
    (folder / "claims_many.py").write_text(MANY)
    command = [sys.executable, "-m", "dpverify", *arguments]
    with_errors: Any = {"stderr": subprocess.PIPE, **streams}
    return subprocess.run(command, cwd=folder, check=False, text=False, **with_errors)


def without_reader() -> int:
    """The end of a pipe that nobody reads any more, as after `| true`."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.one_in(6)
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_who_reads_is_gone(arguments: Sequence[str], tmp_path: Path) -> None:
    """It was 1, which says that a claim is refuted, or 0 where all was still in a buffer."""
    writing = without_reader()
    done = ended(arguments, tmp_path, stdout=writing)
    os.close(writing)
    assert done.returncode == 141
    assert b"Traceback" not in done.stderr and b"Error" not in done.stderr


@pytest.mark.deep
@pytest.mark.one_in(3)
@pytest.mark.parametrize("arguments", [("audit", "claims_nowhere.py"), COMMANDS[0], ("lst",)], ids=" ".join)
def test_who_reads_both_streams_is_gone(arguments: Sequence[str], tmp_path: Path) -> None:
    writing = without_reader()
    done = ended(arguments, tmp_path, stdout=writing, stderr=writing)
    os.close(writing)
    assert done.returncode == 141


@pytest.mark.deep
def test_what_a_file_of_claims_prints_is_output_too(tmp_path: Path) -> None:
    """It waits in a buffer until the process ends, which would make the status 120, with words of Python's."""
    (tmp_path / "claims_print.py").write_text("print('here')\nraise ValueError\n")
    writing = without_reader()
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    done = ended(("list", "claims_print.py"), tmp_path, stdout=writing, env=buffered)
    os.close(writing)
    assert done.returncode == 141
    assert b"ValueError" in done.stderr and b"BrokenPipe" not in done.stderr


@pytest.mark.one_in(3)
@pytest.mark.parametrize("arguments", COMMANDS[1:], ids=" ".join)
def test_standard_output_is_closed(arguments: Sequence[str], tmp_path: Path) -> None:
    """It was 0, or an internal error."""
    done = ended(arguments, tmp_path, preexec_fn=lambda: os.close(1))
    assert done.returncode == 74
    assert done.stderr == b"Error: standard output is closed: write to a file, or > /dev/null\n"


@pytest.mark.deep
def test_standard_output_is_not_for_writing(tmp_path: Path) -> None:
    with Path(os.devnull).open("rb") as nothing:
        done = ended(("list", "claims_leak.py"), tmp_path, stdout=nothing)
    assert (done.returncode, done.stderr) == (74, b"Error: standard output cannot be written to: Bad file descriptor\n")


@pytest.mark.deep
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("arguments", "status"), [(("audit", "claims_nowhere.py"), 2), (COMMANDS[1], 1), (COMMANDS[4], 1)]
)
def test_standard_error_is_closed(arguments: Sequence[str], status: int, tmp_path: Path) -> None:
    """Nothing is to be said there that matters: it was an internal error."""
    done = ended(arguments, tmp_path, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.close(2))
    assert done.returncode == status


@pytest.mark.one_in(3)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("arguments", [COMMANDS[2], COMMANDS[3], COMMANDS[5]], ids=" ".join)
def test_there_is_no_room_left(arguments: Sequence[str], tmp_path: Path) -> None:
    """Of --help it was a traceback."""
    with Path("/dev/full").open("wb") as full:
        done = ended(arguments, tmp_path, stdout=full)
    assert done.returncode == 2
    assert done.stderr.endswith(b"Error: No space left on device\n")
    assert b"Traceback" not in done.stderr


def test_help_and_the_page_name_both() -> None:
    page = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text()
    said: Mapping[str, str] = {"74": "standard output is closed", "141": "who reads standard output is gone"}
    text = dpverify("--help").stdout
    for status, words in said.items():
        assert f"{status}  {words}" in text
        assert f"| {status} | {words}" in page

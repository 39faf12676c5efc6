"""What mechanisms and files do to the process, limits of time, interruptions."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import ONE, SIX, dpverify

from dpverify.reports.audits.json_form import read_audit


def row_of(*arguments: str) -> str:
    """The error line of a check that decides nothing, with status 2 and nothing else said."""
    done = dpverify(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "internal error" not in done.stderr
    assert len(done.stderr) < 2_100
    return done.stderr


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("exits", "the process that decided it ended with status 0"),
        ("interrupts", "KeyboardInterrupt (mylib.py, line "),
        ("unshowable", "Unshowable: <its text raises RuntimeError> (mylib.py, line "),
    ],
)
def test_whatever_a_mechanism_raises_is_one_line(function: str, reason: str) -> None:
    assert reason in row_of("check", f"mylib:{function}", *ONE)


def test_explain_guards_its_process_as_well() -> None:
    (Path.cwd() / "claims_exits.py").write_text(
        "from mylib import exits\nfrom dpverify.verifiers import Claim\nc = Claim(id='c', mechanism=exits, domain=[0, 1], "
        "neighbours=lambda x: [1 - x], epsilon=1)\n"
    )
    assert "ended with status 0" in row_of("explain", "claims_exits.py")


@pytest.mark.usefixtures("hurried_by_the_clock")
def test_a_mechanism_that_swallows_its_interruption_is_ended(folder: Path) -> None:
    """One that no exception stops, and one that no signal reaches, as if it were in a library's loop."""
    (folder / "claims_slow.py").write_text(
        "from mylib import *\n"
        "def one(draw, rows): return bernoulli(Fraction(1 + rows[0], 3))\n"
        "c = [Claim(id=f.__name__, mechanism=f, domain=Tuples((0, 1), size=1), epsilon=1) for f in (stubborn, deaf, one)]"
    )
    done = dpverify("audit", "claims_slow.py", "--limit", "seconds=1", "--jobs", "2")
    assert done.exit_code == 2
    assert "the output distribution of stubborn on (0,) was not known after 10 s by the clock" in done.stdout
    assert "deaf\n    a database took longer than the limit of seconds" in done.stdout
    assert "1 claim: 1 PROVED; all as expected; not decided: 2 rows" in done.stdout


def test_a_time_limit_for_all_of_it_leaves_rows(folder: Path) -> None:
    (folder / "claims_slow.py").write_text(
        "from mylib import *\nslow = [Claim(id=f's{i}', mechanism=stubborn, domain=Tuples((0, 1), size=1), epsilon=1) "
        "for i in range(3)]\n"
    )
    done = dpverify("audit", "claims_slow.py", "--timeout", "0.2", "--json", "a.json", "--jobs", "2")
    assert done.exit_code == 2
    rows = read_audit((folder / "a.json").read_text()).not_decided
    assert [(row.id, row.reason) for row in rows] == [
        (f"s{i}", "the time of 0.2 s (--timeout) was up") for i in range(3)
    ]
    assert "first: s0: the time of 0.2 s" in done.stderr


@pytest.mark.parametrize(
    "expression", ["+".join("1" * 5000), "-" * 5000 + "1", "(" * 5000 + "1", "1" * 10**6, "log(" * 3000 + "2"]
)
def test_numbers_that_are_too_deep_or_too_long_are_one_line(expression: str) -> None:
    line = row_of("check", "mylib:most_common", *SIX, "--epsilon", expression)
    assert line.startswith("Error: epsilon=")
    assert "not readable" in line or "too deep" in line  # which of the two depends on the version of Python


@pytest.mark.parametrize("name", ["a" * 10**5, "a" * 10**5 + ".py", "loop.py", "loop.py::x"])
def test_names_that_are_no_files_are_one_line(folder: Path, name: str) -> None:
    (folder / "loop.py").symlink_to("loop.py")
    row_of("audit", name)
    row_of("audit", "claims_mine.py", "--json", f"{name}/a")
    row_of("check", f"{name}:f", *ONE)


def test_a_limit_beyond_any_clock_is_refused() -> None:
    done = dpverify("check", "mylib:forgets", *ONE, "--neighbours-agree", "--limit", f"seconds={10**30}")
    assert done.exit_code == 2
    assert "the limit seconds=" in done.stderr
    assert (
        dpverify("check", "mylib:forgets", *ONE, "--neighbours-agree", "--limit", "seconds=1000000000").exit_code == 0
    )


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "GeneratorExit", "BaseException('mine')"])
def test_a_claims_file_that_raises_anything_is_one_line(folder: Path, raised: str) -> None:
    (folder / "claims_raises.py").write_text(f"raise {raised}")
    done = dpverify("audit", "claims_raises.py")
    assert done.exit_code == (130 if raised == "KeyboardInterrupt" else 2)
    assert len(done.stderr.splitlines()) == 1
    assert ("interrupted" if raised == "KeyboardInterrupt" else "claims_raises.py, line 1") in done.stderr


@pytest.mark.usefixtures("decided_here")
def test_half_a_character_is_refused_in_ids_and_escaped_elsewhere(folder: Path) -> None:
    (folder / "claims_half.py").write_text(
        "from mylib import *\nc = Claim(id='a\\ud800b', mechanism=answer, domain=[0], epsilon=1)"
    )
    assert "no report or terminal can show" in row_of("audit", "claims_half.py")
    (folder / "claims_half.py").write_text(
        "from mylib import *\nc = Claim(id='half', mechanism=lambda draw, rows: '\\ud800' * rows[0], "
        "domain=Tuples((0, 1), size=1), epsilon=1, parameters={})\n"
        "class Odd:\n    def __repr__(self): return 'x\\ud800'\n"
        "d = Claim(id='odd', mechanism=lambda draw, rows, k: rows, domain=Tuples((0, 1), size=1), epsilon=1, "
        "parameters={'k': Odd()})"
    )
    for kind in ("json", "markdown", "html"):
        done = dpverify("audit", "claims_half.py", f"--{kind}", "out")
        assert done.exit_code == 1, done.output
        assert "x\\ud800" in (folder / "out").read_text(encoding="utf-8").replace("\\\\", "\\")
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".out")) == []


@pytest.mark.deep
def test_a_terminal_of_another_encoding_gets_escapes(folder: Path) -> None:
    script = Path(sys.executable).with_name("dpverify")
    done = subprocess.run(
        [script, "check", "mylib.py:answer", *ONE, "--markdown", "-"],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert done.returncode == 1
    assert b"\\u03b5 = 1" in done.stderr, "the table"
    assert "ε = 1" in done.stdout.decode("utf-8"), "a report is what a file would hold"


@pytest.mark.parametrize(
    ("sent", "to_all"), [(signal.SIGINT, True), pytest.param(signal.SIGTERM, False, marks=pytest.mark.deep)]
)
def test_an_interruption_reports_what_was_decided_and_leaves_no_process(
    folder: Path, sent: signal.Signals, to_all: bool
) -> None:
    """SIGINT, which a terminal sends to all, and SIGTERM, sent to the parent alone."""
    (folder / "claims_slow.py").write_text(
        "import os\nfrom mylib import *\n"
        "pids = open('pids', 'a', buffering=1)\n"
        "def note(): pids.write(f'{os.getpid()}\\n')\n"
        "def noted(draw, rows):\n    globals()['note']()\n    stubborn(draw, rows)\n"  # which it may not name
        "one = Claim(id='one', mechanism=lambda draw, rows: bernoulli(Fraction(1 + rows[0], 3)), "
        "domain=Tuples((0, 1), size=1), epsilon=1)\n"
        "slow = [Claim(id=f's{i}', mechanism=noted, domain=Tuples((0, 1), size=1), epsilon=1) for i in range(3)]\n"
    )
    script = Path(sys.executable).with_name("dpverify")
    heard = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    audit_it = (script, "audit", "claims_slow.py", "--jobs", "2", "--no-recheck", "--json", "a.json")
    command: list[str | Path] = [sys.executable, "-c", heard, *audit_it]  # a job in the background ignores SIGINT
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        while len(_noted(folder)) < 2:
            with suppress(subprocess.TimeoutExpired):  # it takes a core to look again and again
                running.wait(0.02)
            assert running.poll() is None, running.communicate()
        os.killpg(running.pid, sent) if to_all else running.send_signal(sent)
        out, err = running.communicate()
    assert running.returncode == 130
    assert err == "Error: interrupted: 1 of 4 decided\n"
    assert out.endswith(
        "1 claim: 1 PROVED; all as expected; not decided: 3 rows; this report is partial\nwrote a.json\n"
    )
    record = read_audit((folder / "a.json").read_text())
    assert [claim.id for claim in record.claims] == ["one"]
    assert {row.reason for row in record.not_decided} == {"interrupted before it was decided"}
    for pid in _noted(folder):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def _noted(folder: Path) -> frozenset[int]:
    path = folder / "pids"
    return frozenset(map(int, path.read_text().split())) if path.exists() else frozenset()


def test_utility_claims_and_lemmas_that_cannot_be_decided_are_rows(folder: Path) -> None:
    (folder / "claims_useful.py").write_text(
        "import os\nfrom dpverify.verifiers import Case, UtilityClaim\n"
        "def good(draw, x):\n    return x\n"
        "def bad(draw, x):\n    os._exit(1)\n"
        "a, b, c = (UtilityClaim(id=name, source='', statement='', mechanism=f, cases=[Case(1, {})], "
        "succeeds=lambda case, x: x == 1, beta=lambda case, beta=beta: beta, mutant=lambda draw, x: 0) "
        "for name, f, beta in (('a|a', bad, 0), ('b', good, 0), ('c', good, 'many')))\n"
    )
    done = dpverify("utility", "claims_useful.py", "--json", "u.json", "--markdown", "u.md")
    assert done.exit_code == 2
    assert "1 claim: 1 PROVED; all as expected; not decided: 2 rows; this report is partial" in done.stdout
    assert [row["id"] for row in json.loads((folder / "u.json").read_text())["not_decided"]] == ["a|a", "c"]
    assert "| `a\\|a` | the process that decided it ended with status 1" in (folder / "u.md").read_text()
    assert done.stderr.startswith("Error: 2 of 3 not decided, first: a|a: the process")
    (folder / "claims_lemma.py").write_text(
        "from dataclasses import replace\nfrom dpverify.verifiers.catalogue import lemmas\n"
        "lemma = replace(lemmas()[0], id='mine-1.structure.x', replay=None)\n"
    )
    done = dpverify("lemmas", "claims_lemma.py", "--markdown", "l.md")
    assert done.exit_code == 2
    assert "| `mine-1.structure.x` | " in (folder / "l.md").read_text()

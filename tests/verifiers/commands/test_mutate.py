"""dpverify mutate: what it says of files of claims, its exit statuses, and what is bad input."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import dpverify

from dpverify.verifiers.auditing.mutation.codes import Loaded
from dpverify.verifiers.auditing.mutation.record import MUTANTS_SCHEMA_VERSION

SCRIPT = Path(sys.executable).with_name("dpverify")

WEAK = """
from dpverify.mechanisms import discrete_laplace
from dpverify.verifiers import Claim, Tuples

def quiet(draw, rows):
    return sum(rows) + draw(discrete_laplace(2))

quiet_is_private = Claim(id="quiet", mechanism=quiet, domain=Tuples((0, 1), size=1), epsilon=1)
"""


@pytest.fixture(scope="module", autouse=True)
def little_remembered() -> None:
    """What other tests left in memory is forgotten here once, as otherwise in the process of each mutant."""
    Loaded.now().forget()


@pytest.mark.deep
def test_a_file_of_claims(folder: Path) -> None:
    """The README's mechanism has mutants that are killed, and no file is changed."""
    before = {path: path.read_bytes() for path in folder.glob("*.py")}
    done = dpverify("mutate", "claims_mine.py", "--seed", "2", "--limit", "4", "-v")
    assert done.exit_code == 0, done.output
    first, counts, *lines = done.stdout.splitlines()
    assert first.startswith("mine.one  ε = 1  4 of ")
    assert first.endswith(" mutants of 1 function")
    assert "killed" in counts
    at = lines.index("    KILLED  mylib.py:10 most_common: branch swapped")
    assert lines[at + 1 : at + 3] == [
        "        - return draw(exponential(counts, epsilon if half else 2 * epsilon))",
        "        + return draw(exponential(counts, 2 * epsilon if half else epsilon))",
    ]
    assert "left out, as they are not expected to be PROVED pair by pair: mine.two" in lines
    assert lines[-1].startswith("1 claim, 4 mutants (seed 2): ")
    assert lines[-1].endswith(": 4 killed")
    assert {path: path.read_bytes() for path in folder.glob("*.py")} == before


def test_what_is_missed_is_shown_with_its_witness_and_status_1(folder: Path) -> None:
    (folder / "claims_weak.py").write_text(WEAK)
    told = ("mutate", "claims_weak.py", "--limit", "2", "--stronger", "Tuples((0, 1), size=1) @ 1/2")
    done = dpverify(*told)
    assert done.exit_code == 1
    lines = [line.strip() for line in done.stdout.splitlines()]
    at = lines.index("MISSED  claims_weak.py:6 quiet: off by one")
    assert lines[at + 1 : at + 7] == [
        "- return sum(rows) + draw(discrete_laplace(2))",
        "+ return sum(rows) + draw(discrete_laplace(1))",
        "REFUTED on Tuples((0, 1), size=1)",
        "left   (0,)",
        "right  (1,)",
        "event  {0}",
    ]
    assert "at ε = 1/2" in done.stdout
    assert "python -c" not in done.stdout


@pytest.mark.deep
def test_a_claim_that_kills_nothing_has_status_1(folder: Path) -> None:
    (folder / "claims_weak.py").write_text(WEAK.replace("epsilon=1", "epsilon=9, delta=1"))
    done = dpverify("mutate", "claims_weak.py", "--limit", "2")
    assert done.exit_code == 1
    assert "it kills none of them" in done.stdout
    assert "; 1 of the claims kills none" in done.stdout


@pytest.mark.deep
def test_records_are_equal_whatever_the_hash_seed(folder: Path) -> None:
    told = ("mutate", "claims_mine.py", "--limit", "3", "--json", "-")
    here = dpverify(*told)
    there = subprocess.run(
        [SCRIPT, *told],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        check=False,
    )
    assert there.stdout == here.stdout
    assert there.returncode == here.exit_code == 0
    assert there.stderr == here.stderr
    record = json.loads(there.stdout)
    assert record["schema"] == MUTANTS_SCHEMA_VERSION
    (claim,) = record["claims"]
    assert len(claim["mutants"]) == 3 < claim["mutants_in_all"]
    assert claim["functions"] == ["mylib.py:most_common"]
    assert record["left_out"] == ["mine.two"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("BNS-X-Prop2.utility.gap",), "stands for no claim of kind privacy, but of kind utility"),
        (("mylib.py",), "mylib.py holds no claims"),
        (("claims_mine.py::mine.two",), "needs a claim that is expected to be PROVED pair by pair"),
        (
            ("claims_mine.py::mine.one", "--stronger", "Tuples((0, 1), size=2) @ 1, 2, 3"),
            "3 is not of the form DOMAIN, 'DOMAIN @ ε' or 'DOMAIN @ ε, δ'",
        ),
        (("claims_mine.py::mine.one", "--stronger", "Tuples((0, 1), size=2) @ x"), "epsilon=x"),
        (("claims_mine.py::mine.one", "--stronger", "3"), "write a domain"),
        (("claims_mine.py", "--limit", "0"), "--limit"),
        (("claims_mine.py", "--timeout", "0"), "--timeout"),
        (("claims_builtin.py",), "no: max has no source that could be changed, as it is no function of Python: "),
    ],
)
def test_bad_input_is_one_line(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    (folder / "claims_builtin.py").write_text(
        "from functools import partial\nfrom mylib import *\n"
        "c = Claim(id='no', mechanism=partial(max, 1), domain=SIX, epsilon=1)"
    )
    done = dpverify("mutate", *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_help_says_what_becomes_of_mutants() -> None:
    text = dpverify("mutate", "--help").stdout
    for word in ("killed", "missed", "survived", "harmless", "unreached", "invalid", "Exit status: 0"):
        assert word in text


@pytest.mark.deep
def test_an_interruption_reports_what_was_decided_and_leaves_no_process(folder: Path) -> None:
    """Of a mutant that does not end, while it runs."""
    (folder / "claims_slow.py").write_text(
        "import os\nfrom mylib import *\n"
        "pids = open('pids', 'a', buffering=1)\n"
        "def note(): pids.write(f'{os.getpid()}\\n')\n"  # which a mechanism may not name
        "def counting(draw, rows):\n"
        "    left, rounds = 3, 0\n"
        "    while left > 0:\n"
        "        left -= 1\n"
        "        rounds += 1\n"
        "        rounds == 99999 and globals()['note']()\n"
        "    return draw(bernoulli(Fraction(1, 2)))\n"
        "c = Claim(id='c', mechanism=counting, domain=Tuples((0, 1), size=1), epsilon=1, neighbours_agree=True)\n"
    )
    heard = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    told = (SCRIPT, "mutate", "claims_slow.py", "--jobs", "1", "--timeout", "500", "--json", "a.json")
    command: list[str | Path] = [sys.executable, "-c", heard, *told]  # a job in the background ignores SIGINT
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        while not (folder / "pids").exists() or not (folder / "pids").read_text():
            assert running.poll() is None, running.communicate()
        os.killpg(running.pid, signal.SIGINT)
        out, err = running.communicate()
    assert running.returncode == 130
    (claim,) = json.loads((folder / "a.json").read_text())["claims"]
    assert err == f"Error: interrupted: {len(claim['mutants'])} mutants decided\n"
    assert len(claim["mutants"]) < claim["mutants_in_all"]
    assert out.splitlines()[0].startswith(f"c  ε = 1  {len(claim['mutants'])} of ")
    for pid in (folder / "pids").read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)

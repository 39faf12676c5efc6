"""The command line: what it prints, where, and with which status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec import structs

from dpverify.reports.json_form import from_json
from dpverify.reports.record import AuditRecord, Status
from dpverify.verifiers import Claim, Tuples, audit
from dpverify.verifiers.audit import selection
from dpverify.verifiers.audit.exit_status import exit_status
from dpverify.verifiers.command_line import main

MYLIB = """
import os
import signal
from fractions import Fraction
from dpverify.mechanisms import exponential, bernoulli, sqrt
from dpverify.verifiers import Claim, Multisets, Status, Tuples

def most_common(draw, rows, *, epsilon, half=True):
    counts = {x: rows.count(x) for x in range(3)}
    return draw(exponential(counts, epsilon if half else 2 * epsilon))

def by_method(draw, rows, *, method, epsilon):
    return method(draw, rows, epsilon=epsilon)

def answer(draw, rows):
    return sum(rows)

def hidden(draw, database):
    return bernoulli((sqrt(7 + 4 * sqrt(3)) if database else 2 + sqrt(3)) / 8)

def flip(database):
    return [1 - database]

def forgets(draw, rows):
    draw(bernoulli(Fraction(1, 2)))

def exits(draw, rows):
    os._exit(0)

def interrupts(draw, rows):
    raise KeyboardInterrupt

def stubborn(draw, rows):
    while True:
        try:
            int("x")
        except:
            continue

def deaf(draw, rows):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    stubborn(draw, rows)

class Unshowable(Exception):
    def __str__(self):
        raise RuntimeError("no text")

def unshowable(draw, rows):
    raise Unshowable

NUMBERS = [0, 1]
SIX = Multisets(range(3), size=6)
"""

CLAIMS = """
from mylib import *
one = Claim(id="mine.one", mechanism=most_common, domain=SIX, epsilon=1)
two = Claim(id="mine.two", mechanism=answer, domain=Tuples((0, 1), size=2), epsilon=1, expected=Status.REFUTED, statement="a known leak")
late = Claim(id="mine.late", mechanism=most_common, domain=SIX, epsilon=1, depth="full")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder whose modules are forgotten afterwards."""
    (tmp_path / "mylib.py").write_text(MYLIB)
    (tmp_path / "claims_mine.py").write_text(CLAIMS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    forget_modules()


def forget_modules() -> None:
    for name in [name for name in sys.modules if name.startswith(("mylib", "claims_"))]:
        del sys.modules[name]


def dpverify(*arguments: str) -> Result:
    forget_modules()
    return CliRunner().invoke(main, arguments)


SIX = ("--domain", "Multisets(range(3), size=6)")


def test_check_proves() -> None:
    done = dpverify("check", "mylib:most_common", *SIX, "--epsilon", "1")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("PROVED")
    assert "126 ordered pairs of neighbours (replace_one)" in done.stdout
    assert done.stderr == ""


def test_check_refutes_with_the_witness() -> None:
    done = dpverify("check", "mylib.py:most_common", *SIX, "--epsilon", "1", "--param", "half=False")
    assert done.exit_code == 1
    assert "left   (0, 0, 0, 0, 0, 1)" in done.stdout
    assert "right  (0, 0, 0, 0, 0, 0)" in done.stdout
    assert "1 claim: 1 REFUTED; 1 not as expected" in done.stdout


def test_check_writes_reports(folder: Path) -> None:
    done = dpverify(
        "check",
        "mylib:answer",
        "--domain",
        "Tuples((0, 1), size=2)",
        "--epsilon",
        "1",
        "--json",
        "a.json",
        "--html",
        "a.html",
        "--markdown",
        "a.md",
    )
    assert done.exit_code == 1
    (claim,) = from_json((folder / "a.json").read_text()).claims
    assert claim.id == "mylib:answer"
    assert claim.verdict is Status.REFUTED
    assert "mylib:answer" in (folder / "a.html").read_text()
    assert "mylib:answer" in (folder / "a.md").read_text()


def test_an_undecided_claim_has_a_status_of_its_own() -> None:
    done = dpverify(
        "check", "mylib:hidden", "--domain", "mylib:NUMBERS", "--neighbours", "mylib:flip", "--epsilon", "0"
    )
    assert done.exit_code == 3
    assert done.stdout.startswith("UNDECIDED")
    assert "sqrt" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--epsilon", "log(2)"), "ε = ln 2"),
        (("--epsilon", "0.5", "--delta", "1e-6"), "ε = 1/2, δ = 1/1000000"),
        (("--epsilon", "1/3", "--delta", "exp(-3)"), "ε = 1/3, δ = e^(-3)"),
        (("--epsilon", "2*log(3)-1", "--delta", "2**-10"), "ε = -1 + 2·ln 3, δ = 1/1024"),
        (("--epsilon", "2", "--param", "epsilon=0.25"), "ε = 2"),
        (
            ("--epsilon", "1", "--neighbours", "add_or_remove_one", "--domain", "Multisets(range(3), sizes=range(4))"),
            "ε = 1",
        ),
        (("--epsilon", "1", "--domain", "[(0, 0), (0, 1)]"), "ε = 1"),
        (("--epsilon", "1", "--domain", "mylib:SIX"), "ε = 1"),
        (("--epsilon", "1", "--domain", "Tuples(range(-1, 2), size=2)"), "ε = 1"),
    ],
)
def test_numbers_domains_and_relations_as_text(arguments: tuple[str, ...], line: str) -> None:
    done = dpverify("check", "mylib:most_common", *SIX, *arguments)
    assert done.exit_code in (0, 1), done.output
    assert line in done.stdout.splitlines()[0]


def test_parameters_as_text() -> None:
    done = dpverify("check", "mylib:by_method", *SIX, "--epsilon", "1", "--param", "method=mylib:most_common")
    assert done.exit_code == 0
    assert "method=most_common" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "mylib:most_comon", *SIX, "--epsilon", "1"), "mylib has no most_comon: did you mean most_common?"),
        (("check", "nolib:f", *SIX, "--epsilon", "1"), "there is no module nolib"),
        (("check", "nolib.py:f", *SIX, "--epsilon", "1"), "nolib.py is not a file"),
        (("check", "mylib", *SIX, "--epsilon", "1"), "'mylib' is not of the form MODULE:NAME"),
        (("check", "mylib:NUMBERS", *SIX, "--epsilon", "1"), "mechanism=[0, 1] is not a function"),
        (
            ("check", "mylib:most_common", "--domain", "Multiset(range(3))", "--epsilon", "1"),
            "Multiset is not known here",
        ),
        (("check", "mylib:most_common", "--domain", "Multisets(range(3)", "--epsilon", "1"), "not readable"),
        (
            ("check", "mylib:most_common", "--domain", "Multisets(range(3), sise=3)", "--epsilon", "1"),
            "unexpected keyword",
        ),
        (
            ("check", "mylib:most_common", "--domain", "Multisets(range(3), size=0)", "--epsilon", "1"),
            "no pair of neighbours",
        ),
        (("check", "mylib:most_common", *SIX, "--epsilon", "one"), "epsilon=one: one is not known here"),
        (("check", "mylib:most_common", *SIX, "--epsilon", "nan"), "epsilon=nan: nan is not known here"),
        (("check", "mylib:most_common", *SIX, "--epsilon", "1/0"), "epsilon=1/0 divides by 0"),
        (("check", "mylib:most_common", *SIX, "--epsilon", "-1"), "epsilon=-1 is negative"),
        (("check", "mylib:most_common", *SIX, "--epsilon", "(1, 2)"), "epsilon=(1, 2) is not an exact number"),
        (("check", "mylib:most_common", *SIX, "--epsilon", "1", "--delta", "2"), "delta=2 is not between 0 and 1"),
        (
            ("check", "mylib:most_common", *SIX, "--epsilon", "1", "--param", "half"),
            "'half' is not of the form NAME=VALUE",
        ),
        (("check", "mylib:most_common", *SIX, "--epsilon", "1", "--param", "whole=1"), "has no parameter whole"),
        (
            ("check", "mylib:most_common", *SIX, "--epsilon", "1", "--neighbours", "swap"),
            "neighbours 'swap' is none of replace_one",
        ),
        (("audit", "BNS-J-2.26.privacy.printd"), "did you mean BNS-J-2.26.privacy.printed"),
        (("audit", "nothing.py"), "nothing.py is not a file"),
        (("audit", "claims_mine.py::mine.three"), "claims_mine.py has no claim mine.three"),
        (("explain", "BNS-J-2.26*"), "stands for"),
        (("audit", "."), ". is a folder: name the files of claims in it"),
        (("audit", "claims_mine.py::mine.la*"), "claims of depth full only: add --depth full"),
        (("audit", "claims_mine.py", "--json", "nowhere/a.json"), "there is no folder nowhere"),
        (("audit", "claims_mine.py", "--json", "a", "--html", "a"), "two reports are to be written to a"),
        (("audit", "claims_mine.py", "--json", "/dev/null"), "no ordinary file"),
        (("audit", "claims_mine.py", "--limit", "paths"), "not of the form NAME=N"),
        (("audit", "claims_mine.py", "--limit", "depth=3"), "with NAME one of draws, paths, outcomes"),
        (("check", "mylib:by_method", *SIX, "--epsilon", "1"), "--param method=… on the command line"),
        (
            ("check", "mylib:most_common", *SIX, "--epsilon", "1", "--param", "half=1", "--param", "half=2"),
            "--param half was given twice",
        ),
        (("check", "mylib:most_common", *SIX, "--epsilon", "log(0)"), "epsilon=log(0): "),
        (("check", "mylib:most_common", *SIX, "--epsilon", "1e9999999"), "exponent beyond 100,000"),
        (("check", "mylib:most_common", *SIX, "--epsilon", "9**9**9"), "too long"),
        (
            ("check", "mylib:most_common", "--domain", "Tuples(range(10**9), size=10)", "--epsilon", "1"),
            "universe has more than 1,000,000 rows",
        ),
        (("check", "mylib:most_common", "--domain", "Multisets(3, size=2)", "--epsilon", "1"), "range(3)"),
        (("check", "mylib:most_common", "--domain", "Multisets(range(3), sizes=2)", "--epsilon", "1"), "size=2"),
        (
            ("check", "mylib:answer", *SIX, "--epsilon", "1", "--neighbours", "scores_linf"),
            "scores_linf needs vectors of scores, not rows",
        ),
    ],
)
def test_bad_input_is_one_line_on_standard_error(arguments: tuple[str, ...], message: str) -> None:
    done = dpverify(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "mylib:most_common", "--epsilon", "1"), "Missing option '--domain'. (see dpverify check --help)"),
        (("audit", "--jobs", "0"), "0 is not in the range x>=1. (see dpverify audit --help)"),
        (("verify",), "No such command 'verify'."),
        (("--versoin",), "No such option"),
    ],
)
def test_bad_usage_is_one_line_too(arguments: tuple[str, ...], message: str) -> None:
    done = CliRunner().invoke(main, arguments, prog_name="dpverify")
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1


def test_no_command_is_help() -> None:
    assert "Commands:" in dpverify().output


def test_limits_from_the_command_line() -> None:
    done = dpverify("check", "mylib:most_common", *SIX, "--epsilon", "1", "--limit", "databases=10")
    assert done.exit_code == 2
    assert "more than 10 databases" in done.stderr
    assert dpverify("audit", "claims_mine.py", "--limit", "outcomes=1_0").exit_code == 0
    met = dpverify("audit", "claims_mine.py", "--limit", "outcomes=2")
    assert met.exit_code == 3
    assert "1 REFUTED, 1 UNDECIDED" in met.stdout
    assert "limits=Limits(outcomes=…)" in " ".join(met.stdout.split())


def test_a_claims_file_that_exits_is_an_error(folder: Path) -> None:
    (folder / "claims_exit.py").write_text("import sys\nsys.exit()")
    done = dpverify("audit", "claims_exit.py")
    assert done.exit_code == 2
    assert done.stderr == "Error: claims_exit.py, line 2: SystemExit: \n".replace(": \n", ":\n")


def test_a_report_on_standard_output_is_alone_there() -> None:
    done = dpverify("audit", "claims_mine.py", "--json", "-")
    assert done.exit_code == 0
    assert len(from_json(done.stdout).claims) == 2
    assert "all as expected" in done.stderr


def test_verbose_and_quiet() -> None:
    assert dpverify("audit", "claims_mine.py", "--quiet").stdout == "2 claims: 1 PROVED, 1 REFUTED; all as expected\n"
    whole = dpverify("audit", "claims_mine.py", "-v").stdout
    assert "Scope: all 126 ordered pairs" in whole
    assert "a known leak" in whole
    assert dpverify("audit", "-q", "-v").exit_code == 2


def test_what_is_not_decided_is_a_row_of_every_report(folder: Path) -> None:
    (folder / "claims_mine.py").write_text(
        CLAIMS + "bad = Claim(id='mine.<bad>', mechanism=most_common, domain=[], epsilon=1, source='a | b')"
    )
    done = dpverify("audit", "claims_mine.py", "--json", "a.json", "--markdown", "a.md", "--html", "a.html")
    assert done.exit_code == 2
    assert (
        done.stderr
        == "Error: 1 of 3 not decided: mine.<bad>: domain=[] is empty: give at least two databases that are neighbours\n"
    )
    headline = "2 claims: 1 PROVED, 1 REFUTED; all as expected; not decided: 1 row; this report is partial"
    assert done.stdout.endswith(
        f"NOT DECIDED  mine.<bad>\n    domain=[] is empty: give at least two databases that are neighbours\n\n{headline}\n"
    )
    record = from_json((folder / "a.json").read_text())
    (row,) = record.not_decided
    assert (row.id, row.kind, row.source, row.expected) == ("mine.<bad>", "privacy", "a | b", Status.PROVED)
    assert record.partial
    assert not record.as_expected
    assert f"{headline}." in (folder / "a.md").read_text()
    assert (
        "| `mine.<bad>` | domain=\\[\\] is empty: give at least two databases that are neighbours |"
        in (folder / "a.md").read_text()
    )
    page = (folder / "a.html").read_text()
    assert headline in page
    assert "NOT DECIDED" in page
    assert "mine.&lt;bad&gt;" in page
    assert "<bad>" not in page


def test_a_file_that_cannot_be_read_does_not_hide_the_others(folder: Path) -> None:
    (folder / "claims_broken.py").write_text("import nowhere")
    done = dpverify("audit", "claims_broken.py", "claims_mine.py", "--json", "a.json")
    assert done.exit_code == 2
    assert "2 claims: 1 PROVED, 1 REFUTED; all as expected; not decided: 1 row" in done.stdout
    assert done.stderr.startswith(
        "Error: 1 of 3 not decided: claims_broken.py: claims_broken.py, line 1: ModuleNotFound"
    )
    (row,) = from_json((folder / "a.json").read_text()).not_decided
    assert (row.id, row.kind, row.expected) == ("claims_broken.py", "file", None)
    both = dpverify("audit", "claims_broken.py", "claims_missing.py", "--json", "a.json")
    assert both.exit_code == 2
    assert [row.id for row in from_json((folder / "a.json").read_text()).not_decided] == [
        "claims_broken.py",
        "claims_missing.py",
    ]
    assert dpverify("audit", "no.such.id", "claims_mine.py").stdout == "", "what is mistyped is no claim"


def test_a_single_claim_that_is_not_decided_has_a_report_too(folder: Path) -> None:
    done = dpverify("check", "mylib:most_common", *SIX, "--epsilon", "0", "--json", "a.json")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    record = from_json((folder / "a.json").read_text())
    assert not record.claims
    assert f"Error: mylib:most_common: {record.not_decided[0].reason}\n" == done.stderr


def test_audit_a_file(folder: Path) -> None:
    done = dpverify("audit", "claims_mine.py", "--json", "a.json")
    assert done.exit_code == 0, done.output
    assert "2 claims: 1 PROVED, 1 REFUTED; all as expected" in done.stdout
    assert [claim.id for claim in from_json((folder / "a.json").read_text()).claims] == ["mine.one", "mine.two"]
    assert "3 claims" in dpverify("audit", "claims_mine.py", "--depth", "full", "--jobs", "2").stdout
    assert "1 claim:" in dpverify("audit", "claims_mine.py::mine.late").stdout
    unexpected = CLAIMS.replace("expected=Status.REFUTED, ", "")
    (folder / "claims_mine.py").write_text(unexpected)
    assert dpverify("audit", "claims_mine.py").exit_code == 1


def test_audit_parts_of_the_catalogue() -> None:
    done = dpverify("audit", "BNS-J-2.25.privacy.scores*", "BNS-J-2.25.privacy.scores", "claims_mine.py::mine.two")
    assert done.exit_code == 0
    assert "5 claims: 4 PROVED, 1 REFUTED" in done.stdout


def test_list() -> None:
    whole = dpverify("list")
    assert whole.exit_code == 0
    assert len(whole.stdout.splitlines()) > 70
    mine = dpverify("list", "claims_mine.py").stdout.splitlines()
    assert [line.split()[0] for line in mine] == ["mine.one", "mine.two", "mine.late"]
    assert mine[1] == "mine.two   privacy  REFUTED  ε = 1  a known leak"


def test_explain() -> None:
    done = dpverify("explain", "BNS-J-2.26.privacy.printed")
    assert done.exit_code == 0
    for part in (
        "Proposition 2.26(i)",
        "def a_dist_journal(",
        "worst δ: 1 - 1/20·e^2 - 5·e^(-3) = 0.381611853214",
        "worst pair: (0, 0, 3) and (0, 1, 2)",
        "exact ε: ∞",
        "best_whatever_the_gap is REFUTED",
        "left   (0, 0, 1)",
    ):
        assert part in done.stdout
    assert "Rényi: ∞ of order 2, ∞ of order 4, ∞ of order 8; ρ-zCDP for no ρ" in done.stdout
    mine = dpverify("explain", "claims_mine.py::mine.one")
    assert mine.exit_code == 0
    assert "Rényi: 0." in mine.stdout
    assert "not ρ-zCDP for any ρ < 0." in mine.stdout
    assert "δ(ε) = 0 for" in mine.stdout
    assert dpverify("explain", "claims_mine.py::mine.two").exit_code == 0


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


def result(expected: Status, verdict: Status) -> AuditRecord:
    claim = Claim(
        id="x", mechanism=lambda draw, rows: 1, domain=Tuples((0, 1), size=1), epsilon=1, neighbours_agree=True
    )
    record = audit([claim])
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
        (Status.PROVED, Status.FUZZED, 3),
        (Status.PROVED, Status.INCONCLUSIVE, 3),
        (Status.UNDECIDED, Status.UNDECIDED, 0),
    ],
)
def test_exit_statuses(expected: Status, verdict: Status, status: int) -> None:
    assert exit_status(result(expected, verdict).claims) == status


def test_the_installed_command_keeps_its_streams_apart(folder: Path) -> None:
    """The console script, with both streams redirected: no colour, no progress line."""
    script = Path(sys.executable).with_name("dpverify")
    done = subprocess.run(
        [script, "audit", "BNS-J-2.25.privacy.scores", "--kind", "privacy", "--json", "a.json"],
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
    monkeypatch.setattr("dpverify.verifiers.privacy.result.decided", None)
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


ONE = ("--domain", "Tuples((0, 1), size=1)", "--epsilon", "1")


def test_neighbours_that_agree_are_a_surprise_unless_they_are_claimed_to() -> None:
    """A mechanism that forgets to return satisfies any claim."""
    done = dpverify("check", "mylib:forgets", *ONE)
    assert done.exit_code == 1
    assert "does the mechanism return what it finds?" in done.stdout.replace("\n    ", " ")
    assert "the claim does not say neighbours_agree=True" in done.stdout
    assert done.stdout.endswith("1 claim: 1 PROVED; 1 not as expected\n")
    assert dpverify("check", "mylib:forgets", *ONE, "--neighbours-agree").exit_code == 0
    assert dpverify("check", "mylib:forgets", *ONE[:2], "--epsilon", "0").exit_code == 0
    assert dpverify("check", "mylib:forgets", *ONE[:2], "--epsilon", "symbolic").exit_code == 1
    differ = dpverify("check", "mylib:most_common", *SIX, "--epsilon", "1", "--neighbours-agree")
    assert differ.exit_code == 1
    assert "some neighbours have different laws: claim it without neighbours_agree=True" in differ.stdout


@pytest.mark.parametrize("recheck", [(), ("--no-recheck",)])
def test_strict_asks_for_a_recheck(folder: Path, recheck: tuple[str, ...]) -> None:
    command = ("check", "mylib:most_common", *SIX, "--epsilon", "1", *recheck, "--json", "a.json")
    assert dpverify(*command).exit_code == 0
    (claim,) = from_json((folder / "a.json").read_text()).claims
    assert claim.scope.recheck == ("none" if recheck else "another interpreter")
    strict = dpverify(*command, "--strict")
    assert strict.exit_code == (1 if recheck else 0)
    assert ("were not rechecked" in strict.stdout) is bool(recheck)


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


def test_a_mechanism_that_swallows_its_interruption_is_ended(folder: Path) -> None:
    """One that no exception stops, and one that no signal reaches, as if it were in a library's loop."""
    (folder / "claims_slow.py").write_text(
        "from mylib import *\n"
        "def one(draw, rows): return bernoulli(Fraction(1 + rows[0], 3))\n"
        "c = [Claim(id=f.__name__, mechanism=f, domain=Tuples((0, 1), size=1), epsilon=1) for f in (stubborn, deaf, one)]"
    )
    done = dpverify("audit", "claims_slow.py", "--limit", "seconds=1", "--jobs", "2")
    assert done.exit_code == 2
    assert "the law of stubborn on (0,) was not known after 1 s" in done.stdout
    assert "deaf\n    a database took longer than the limit of seconds" in done.stdout
    assert "1 claim: 1 PROVED; all as expected; not decided: 2 rows" in done.stdout


def test_a_time_limit_for_all_of_it_leaves_rows(folder: Path) -> None:
    (folder / "claims_slow.py").write_text(
        "from mylib import *\nslow = [Claim(id=f's{i}', mechanism=stubborn, domain=Tuples((0, 1), size=1), epsilon=1) "
        "for i in range(3)]\n"
    )
    done = dpverify("audit", "claims_slow.py", "--timeout", "0.2", "--json", "a.json", "--jobs", "2")
    assert done.exit_code == 2
    rows = from_json((folder / "a.json").read_text()).not_decided
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
    assert "not readable" in line or "nested too deeply" in line


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


def test_half_a_character_is_refused_in_ids_and_escaped_elsewhere(folder: Path) -> None:
    (folder / "claims_half.py").write_text(
        "from mylib import *\nc = Claim(id='a\\ud800b', mechanism=answer, domain=[0], epsilon=1)"
    )
    assert "half of a character" in row_of("audit", "claims_half.py")
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


def test_an_interruption_reports_what_was_decided_and_leaves_no_process(folder: Path) -> None:
    """SIGINT, which a terminal sends to all, and SIGTERM, sent to the parent alone."""
    (folder / "claims_slow.py").write_text(
        "import os\nfrom pathlib import Path\nfrom mylib import *\n"
        "def noted(draw, rows):\n    Path(f'pid-{os.getpid()}').touch()\n    stubborn(draw, rows)\n"
        "one = Claim(id='one', mechanism=lambda draw, rows: bernoulli(Fraction(1 + rows[0], 3)), "
        "domain=Tuples((0, 1), size=1), epsilon=1)\n"
        "slow = [Claim(id=f's{i}', mechanism=noted, domain=Tuples((0, 1), size=1), epsilon=1) for i in range(3)]\n"
    )
    script = Path(sys.executable).with_name("dpverify")
    heard = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    for sent, to_all in ((signal.SIGINT, True), (signal.SIGTERM, False)):
        audit_it = (script, "audit", "claims_slow.py", "--jobs", "2", "--json", "a.json")
        command: list[str | Path] = [sys.executable, "-c", heard, *audit_it]  # a job in the background ignores SIGINT
        with subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as running:
            while len(list(folder.glob("pid-*"))) < 2:
                assert running.poll() is None, running.communicate()
            os.killpg(running.pid, sent) if to_all else running.send_signal(sent)
            out, err = running.communicate()
        assert running.returncode == 130
        assert err == "Error: interrupted: 1 of 4 decided\n"
        assert out.endswith("1 claim: 1 PROVED; all as expected; not decided: 3 rows; this report is partial\n")
        record = from_json((folder / "a.json").read_text())
        assert [claim.id for claim in record.claims] == ["one"]
        assert {row.reason for row in record.not_decided} == {"interrupted before it was decided"}
        for path in folder.glob("pid-*"):
            with pytest.raises(ProcessLookupError):
                os.kill(int(path.name.removeprefix("pid-")), 0)
            path.unlink()
        (folder / "a.json").unlink()


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

"""The command line: what it prints, where, and with which status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dpverify.reports.record import AuditRecord, Status, from_json
from dpverify.verifiers import Claim, Tuples, audit
from dpverify.verifiers.command_line import main
from dpverify.verifiers.deciding import exit_status

MYLIB = """
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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder whose modules are forgotten afterwards."""
    (tmp_path / "mylib.py").write_text(MYLIB)
    (tmp_path / "claims_mine.py").write_text(CLAIMS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in [name for name in sys.modules if name.startswith(("mylib", "claims_mine"))]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def dpverify(*arguments: str) -> Result:
    for name in [name for name in sys.modules if name.startswith(("mylib", "claims_"))]:
        del sys.modules[name]
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
    assert "(limit 2)" in dpverify("audit", "claims_mine.py", "--limit", "outcomes=2").stderr


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


def test_bad_input_leaves_no_report(folder: Path) -> None:
    dpverify("check", "mylib:most_common", *SIX, "--epsilon", "0", "--json", "a.json")
    assert not (folder / "a.json").exists()
    (folder / "claims_mine.py").write_text(
        CLAIMS + "bad = Claim(id='mine.bad', mechanism=most_common, domain=[], epsilon=1)"
    )
    done = dpverify("audit", "claims_mine.py", "--json", "a.json")
    assert done.exit_code == 2
    assert "mine.bad: domain=[] is empty" in done.stderr
    assert "no report was written" in done.stderr
    assert "2 claims: 1 PROVED, 1 REFUTED; all as expected" in done.stdout, "what could be decided is still shown"
    assert not (folder / "a.json").exists()


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
    assert mine[1] == "mine.two   REFUTED  ε = 1  a known leak"


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
    for line in ("0  every claim came out as expected", "1  some claim did not", "2  bad usage", "3  nothing worse"):
        assert line in text
    for command in ("list", "audit", "check", "explain"):
        assert dpverify(command, "--help").exit_code == 0


def result(expected: Status, verdict: Status) -> AuditRecord:
    from msgspec.structs import replace

    record = audit([Claim(id="x", mechanism=lambda draw, rows: 1, domain=Tuples((0, 1), size=1), epsilon=1)])
    return replace(record, claims=[replace(record.claims[0], expected=expected, verdict=verdict)])


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
        [script, "audit", "BNS-J-2.25*", "--json", "a.json"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert len(json.loads((folder / "a.json").read_text())["claims"]) == 8


def test_internal_errors_are_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("dpverify.verifiers.auditing.check_privacy", broken)
    done = dpverify("audit", "BNS-J-2.25.privacy.scores")
    assert done.exit_code == 2
    assert done.stderr == "Error: internal error, RuntimeError: unforeseen (DPVERIFY_DEBUG=1 shows where)\n"
    monkeypatch.setenv("DPVERIFY_DEBUG", "1")
    assert isinstance(dpverify("audit", "BNS-J-2.25.privacy.scores").exception, RuntimeError)

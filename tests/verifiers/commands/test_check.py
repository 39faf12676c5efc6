"""dpverify check: one mechanism named on the command line, and what is bad input."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.verifiers.commands.command_runs import SIX, dpverify

from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.record import Status
from dpverify.verifiers.command_line import main

pytestmark = pytest.mark.usefixtures("decided_here")


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
    (claim,) = read_audit((folder / "a.json").read_text()).claims
    assert claim.id == "mylib:answer"
    assert claim.verdict is Status.REFUTED
    assert "mylib:answer" in (folder / "a.html").read_text()
    assert "mylib:answer" in (folder / "a.md").read_text()


def test_a_claim_that_puts_nothing_to_the_test_is_vacuous_and_fails() -> None:
    done = dpverify("check", "mylib:most_common", "--domain", "Histograms((0,))", "--epsilon", "1")
    assert done.exit_code == 1
    assert done.stdout.startswith("VACUOUS") and "no two databases are neighbours (replace_one)" in done.stdout
    assert "1 claim: 1 VACUOUS; 1 not as expected" in done.stdout


def test_an_undecided_claim_has_a_status_of_its_own() -> None:
    done = dpverify(
        "check", "mylib:hidden", "--domain", "mylib:NUMBERS", "--neighbours", "mylib:flip", "--epsilon", "0"
    )
    assert done.exit_code == 3
    assert done.stdout.startswith("UNDECIDED")
    assert "sqrt" in done.stdout


@pytest.mark.one_in(2)
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
    done = dpverify("check", "mylib:by_method", *SIX, "--epsilon", "1", "--param", "method=mylib:most_common", "-v")
    assert done.exit_code == 0
    assert "method=most_common" in done.stdout


def test_what_a_verdict_covers_is_said_in_a_line_and_all_of_it_on_demand() -> None:
    given = ("check", "mylib:most_common", "--domain", "Tuples((0, 1), size=2)", "--epsilon", "1")
    short, all_of_it = (dpverify(*given, *more) for more in ((), ("-v",)))
    assert (short.exit_code, all_of_it.exit_code) == (0, 0)
    said, whole = (" ".join(done.stdout.split()) for done in (short, all_of_it))
    assert "among the 4 databases of Tuples((0, 1), size=2); … (all of it: -v) no pair of neighbours needs" in said
    assert "what files, clocks and foreign code do is not seen no pair of neighbours needs" in whole
    assert "(all of it" not in whole
    assert said.split(";")[0] == whole.split(";")[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "mylib:most_comon", *SIX, "--epsilon", "1"), "mylib has no most_comon (did you mean most_common?)"),
        (("check", "nolib:f", *SIX, "--epsilon", "1"), "there is no module nolib"),
        (
            ("check", "mylib:most_common", "--domain", "Multiset(range(3))", "--epsilon", "1"),
            "Multiset is not known here",
        ),
        (
            ("check", "mylib:most_common", "--domain", "Multisets(range(3), size=0)", "--epsilon", "1"),
            "no pair of neighbours",
        ),
        (("check", "mylib:most_common", *SIX, "--epsilon", "1/0"), "the divisor in epsilon=1/0 must be other than 0"),
        (
            ("check", "mylib:most_common", *SIX, "--epsilon", "1", "--delta", "2"),
            "mylib:most_common: delta=2 must be between 0 and 1",
        ),
        (("check", "mylib:most_common", *SIX, "--epsilon", "1", "--param", "whole=1"), "has no parameter whole"),
        (("audit", "BNS-J-2.26.privacy.printd"), "did you mean BNS-J-2.26.privacy.printed"),
        (("audit", "claims_mine.py::mine.three"), "claims_mine.py has no claim mine.three"),
        (("explain", "BNS-J-2.26*"), "stands for"),
        (("audit", "claims_mine.py", "--limit", "paths"), "not of the form NAME=N"),
        (("check", "mylib:by_method", *SIX, "--epsilon", "1"), "--param method=… on the command line"),
        (
            ("check", "mylib:most_common", *SIX, "--epsilon", "1", "--param", "half=1", "--param", "half=2"),
            "the command holds --param half twice",
        ),
        (("check", "mylib:most_common", *SIX, "--epsilon", "1e9999999"), "the exponent of 1e9999999 is beyond 100,000"),
        (("check", "mylib:most_common", *SIX, "--epsilon", "9**9**9"), "too long"),
        (
            ("check", "mylib:most_common", "--domain", "Tuples(range(10**9), size=10)", "--epsilon", "1"),
            "universe has more than 1,000,000 rows",
        ),
        (("check", "mylib:most_common", "--domain", "Multisets(3, size=2)", "--epsilon", "1"), "range(3)"),
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
        (("audit", "--jobs", "0"), "0 is no whole number from 1 on (see dpverify audit --help)"),
        (("verify",), "No such command 'verify': did you mean audit, of claims, or check"),
        (("--versoin",), "no such option --versoin: did you mean --version?"),
        (
            ("audit", "--sheduler", "x"),
            "no such option --sheduler: did you mean --scheduler? (see dpverify audit --help)",
        ),
        (("audit", "--zzzzq"), "no such option --zzzzq (see dpverify audit --help)"),
        (("audit", "--update-basline"), "did you mean --update-baseline or --baseline? (see"),
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


HEAVY = {"numpy", "flint", "scipy", "z3", "cvc5", "dpverify.mechanisms.drawing", "dpverify.verifiers.divergence"}
OF_OTHERS = {
    *("dpverify.mechanisms.recursion.quasi_concave", "dpverify.verifiers.all_sizes.known_guarantees"),
    *("dpverify.verifiers.blackbox.claim", "dpverify.verifiers.steps.checker", "dpverify.verifiers.utility.checker"),
}


@pytest.mark.parametrize(
    ("arguments", "unloaded"),
    [
        (("--help",), HEAVY),
        (("check", "mylib:most_common", *SIX, "--epsilon", "1", "--no-recheck"), {"scipy", "z3", "cvc5", *OF_OTHERS}),
    ],
)
def test_a_command_loads_what_it_needs(folder: Path, arguments: tuple[str, ...], unloaded: set[str]) -> None:
    code = f"""if True:
        import atexit, sys
        atexit.register(lambda: print("loaded", *sys.modules))
        from dpverify.verifiers.command_line import main
        main({list(arguments)})
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rpartition("loaded ")[2].split())
    assert "dpverify.verifiers.command_line" in loaded
    assert loaded & unloaded == set()

"""Utility claims in reports and on the command line."""

import json
import signal
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from tests.verifiers.utility.made_for_tests import (
    ENUMERATED,
    FUZZED,
    always,
    audit_of,
    boundary,
    hidden,
    one_of,
    refuses_three,
    too_little,
)

from dpverify.mechanisms import Draw
from dpverify.mechanisms.numbers.errors import Overtime
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.formats.markdown import to_markdown
from dpverify.reports.kinds.utility import UtilityResult
from dpverify.reports.record import Status
from dpverify.verifiers import Case, UtilityClaim, check_utility
from dpverify.verifiers.auditing import selection
from dpverify.verifiers.command_line import main
from dpverify.verifiers.utility.statement import Sharpness


def results() -> list[UtilityResult]:
    claim, family = boundary(13)
    sharp = replace(
        claim,
        id="Test-3.utility.sharp",
        statement="a|b",
        holds_for=lambda case: case.database >= 13,
        sharpness=Sharpness(what="|rows|", paper=100, family=family),
    )
    odd = Case("a|b\n", {"epsilon": Fraction(1)})
    refused = replace(ENUMERATED, cases=(odd,), mechanism=always, mutant=always, beta=lambda case: 0)
    return [check_utility(claim) for claim in (ENUMERATED, sharp, refused, replace(FUZZED, beta=too_little))]


def test_json_is_read_as_it_was_written() -> None:
    found = results()
    assert read_audit(to_json(audit_of(*found))).claims == found


def test_bars_of_the_page_are_escaped() -> None:
    page = to_markdown(audit_of(*results()))
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    columns = {line.replace("\\|", "").count("|") for line in rows}
    assert columns == {6, 7}  # of five columns, and of six
    assert "a\\|b" in page
    assert "\\|rows\\|" in page
    assert "**REFUTED**" in page


ONE = "BNS-J-6.2.utility.one-point"
"""A claim that takes a hundredth of a second."""


def run(*given: str) -> Any:
    return CliRunner().invoke(main, ["utility", *given])


@cache
def two_that_are_fuzzed(jobs: int) -> str:
    """What is said of two claims of the catalogue, decided by so many processes: two of the quickest."""
    return str(run("BuNS-3.11.utility.gap", "BNS-J-2.26*", "--jobs", str(jobs)).output)


@pytest.mark.deep
def test_ids_and_patterns() -> None:
    one = run(ONE)
    assert one.exit_code == 0, one.output
    assert one.output.startswith(f"REFUTED      {ONE}  ")
    assert one.output.endswith("\n1 claim: 1 REFUTED; all as expected\n1 REFUTED: 1 of proof steps\n")
    two = two_that_are_fuzzed(jobs=2)
    assert two.startswith("FUZZED       BuNS-3.11.utility.gap  ")
    assert two.endswith("\n2 claims: 2 FUZZED; all as expected\n")
    assert "Weakened, " in run(f"{ONE[:-1]}?", "-v").output


OWN = """
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers import Case, UtilityClaim

def worse(draw, quality, *, epsilon):
    "Half the ε."
    return exponential_mechanism(draw, quality, epsilon=epsilon / 2)

BEST = UtilityClaim(
    id="mine.utility.best", source="docs", statement="the best of two is chosen",
    mechanism=exponential_mechanism, cases=[Case((10, 0), {"epsilon": 1})],
    succeeds=lambda case, chosen: chosen == 0, beta=lambda case: "1/100", mutant=worse,
)
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_claims_of_ones_own_in_a_file(tmp_path: Path, jobs: str) -> None:
    path = tmp_path / f"mine_{jobs}.py"
    path.write_text(OWN, encoding="utf-8")
    result = run(str(path), f"{path}::mine.*", "--jobs", jobs)
    assert result.exit_code == 0, result.output
    assert "PROVED       mine.utility.best" in result.output
    assert "1 claim: 1 PROVED; all as expected" in result.output
    wrong = run(f"{path}::yours")
    assert wrong.exit_code == 2
    assert f"{path} has no claim yours: see `dpverify list`" in wrong.output
    path.with_name("empty.py").write_text("x = 1\n", encoding="utf-8")
    empty = run(str(path.with_name("empty.py")))
    assert empty.exit_code == 2
    assert "holds no claims: assign a Claim(…), or a claim of another kind, to a name at module level" in empty.output


def test_an_unknown_id_is_bad_usage() -> None:
    result = run("BNS-J-9.99")
    assert result.exit_code == 2
    assert "the catalogue has no claim BNS-J-9.99" in result.output
    assert "did you mean BNS-J-2.26.utility.gap" in run("BNS-J-2.26.utility.gapp").output


def test_json_goes_to_standard_output_and_all_else_to_the_other(tmp_path: Path) -> None:
    result = run(ONE, "--json", "-", "--html", str(tmp_path / "page.html"))
    assert result.exit_code == 0
    assert [found["id"] for found in json.loads(result.stdout)["claims"]] == [ONE]
    assert "all as expected" in result.stderr
    assert ONE in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.deep
def test_two_processes_find_the_same() -> None:
    assert two_that_are_fuzzed(jobs=2) == two_that_are_fuzzed(jobs=1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ([ENUMERATED], 0),
        ([ENUMERATED, replace(FUZZED, beta=too_little)], 1),
        ([replace(ENUMERATED, mutant=one_of)], 1),
        ([ENUMERATED, replace(ENUMERATED, id="open", beta=hidden)], 3),
        ([replace(ENUMERATED, id="open", beta=hidden), replace(ENUMERATED, mutant=one_of)], 1),
        ([replace(ENUMERATED, mechanism=refuses_three)], 2),
    ],
    ids=["all as expected", "refuted", "mutant lives", "undecided", "undecided and worse", "refused"],
)
def test_exit_status(claims: list[UtilityClaim], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    by_id = {claim.id: claim for claim in claims}
    monkeypatch.setattr(selection, "catalogue", lambda: list(by_id.values()))
    result = run("--catalogue")
    assert result.exit_code == code, result.output
    if code == 2:
        assert "Test-1.utility.first: on 3" in result.output


def test_where_no_input_meets_the_precondition_it_is_vacuous() -> None:
    result = check_utility(replace(FUZZED, holds_for=lambda case: False))
    assert (result.inputs, result.verdict) == (0, Status.VACUOUS)


def test_what_is_claimed_with_beta_1_is_no_input() -> None:
    result = check_utility(replace(FUZZED, beta=lambda case: 1))
    assert (result.inputs, result.verdict) == (0, Status.VACUOUS)


@pytest.mark.parametrize("cases", [None, [Case(1, {})]])
def test_a_mechanism_that_does_not_return_is_stopped(cases: list[Case] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once: Hypothesis would run an ordinary failure again and again to shrink it."""
    monkeypatch.setattr("dpverify.verifiers.processes.stopwatch._LONGEST", 0.2)
    monkeypatch.setattr("dpverify.verifiers.processes.deadline.TIMES_BY_THE_CLOCK", 1)
    from hypothesis import strategies as st

    calls = 0

    def endless(draw: Draw, database: Any) -> Any:
        nonlocal calls
        calls += 1
        while True:
            signal.pause()

    claim = UtilityClaim(
        id="endless",
        source="",
        statement="",
        mechanism=endless,
        cases=cases,
        strategy=None if cases else lambda: st.builds(Case, st.integers(0, 9), st.just({})),
        corners={} if cases else {"least": lambda case: case.database == 0},
        succeeds=lambda case, outcome: True,
        beta=lambda case: 0,
        mutant=endless,
    )
    with pytest.raises(Overtime, match=r"endless, on \d+.* was not known after 600 s by the clock"):
        check_utility(claim)
    assert calls == 1


def test_a_bar_in_a_statement_is_escaped_once() -> None:
    """Twice would be a backslash, and the end of a cell."""
    found = [msgspec.structs.replace(result, statement="at most |H| + 1") for result in results()]
    page = to_markdown(audit_of(*found))
    assert "at most \\|H\\| + 1" in page
    assert "\\\\|" not in page

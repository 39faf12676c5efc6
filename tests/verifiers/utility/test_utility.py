"""Utility claims: all verdicts, exact sums, shrinking, repetition, and the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner

from dpverify.mechanisms import Distribution, Draw, InputError, Mechanism, Undecided, sqrt
from dpverify.mechanisms.exact.errors import Overtime
from dpverify.reports.curves import bars_svg
from dpverify.reports.json_form import from_json, to_json
from dpverify.reports.kinds.utility import (
    SharpnessResult,
    UtilityResult,
)
from dpverify.reports.markdown import to_markdown
from dpverify.reports.record import SCHEMA_VERSION, AuditRecord, Status
from dpverify.reports.sharpness import sharpness_svg
from dpverify.reports.summary import headline
from dpverify.reports.table import claim_lines
from dpverify.verifiers.audit import selection
from dpverify.verifiers.command_line import main
from dpverify.verifiers.utility import checker as utility_module
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.checker import check_utility, failure_probability, judge, sharpest
from dpverify.verifiers.utility.claim import Sharpness, UtilityClaim

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# A claim made for these tests: one row of n is drawn, and it is not the first but with probability 1/n.


def one_of(draw: Draw, size: int) -> Any:
    return draw(Distribution(dict.fromkeys(range(size), 1)))


def the_first(draw: Draw, size: int) -> int:
    """Always."""
    return 0


def sizes(high: int = 100) -> Callable[[], SearchStrategy[Case]]:
    def strategy() -> SearchStrategy[Case]:
        from hypothesis import strategies as st

        return st.builds(Case, st.integers(2, high))

    return strategy


ENUMERATED = UtilityClaim(
    id="Test-1.utility.first",
    source="by hand",
    statement="the first is drawn with probability at most 1/n",
    mechanism=one_of,
    succeeds=lambda case, drawn: drawn != 0,
    beta=lambda case: Fraction(1, case.database),
    mutant=the_first,
    cases=tuple(Case(size) for size in range(2, 20)),
)
SMALL = {"two rows": lambda case: case.database == 2}
FUZZED = replace(ENUMERATED, cases=None, strategy=sizes(), corners=SMALL, floor=15)


def too_little(case: Case) -> Fraction:
    """1/n as long as n < 17, and then less than that."""
    return Fraction(1, case.database if case.database < 17 else case.database + 1)


# Verdicts


def test_all_of_an_enumerated_space_is_proved() -> None:
    result = check_utility(ENUMERATED)
    assert result.verdict is Status.PROVED
    assert result.as_expected
    assert (result.inputs, result.enumerated, result.ratio) == (18, True, 1.0)
    assert result.mutant.status is Status.REFUTED
    assert result.mutant.shown == "2"
    assert result.worst is not None
    assert result.worst.case == "2"


def test_a_false_claim_is_refuted_with_the_first_and_smallest_case() -> None:
    result = check_utility(replace(ENUMERATED, beta=too_little))
    assert result.verdict is Status.REFUTED
    assert result.witness is not None
    assert (result.witness.case, result.witness.failure, result.inputs) == ("17", "1/17", 16)
    assert not result.as_expected
    assert check_utility(replace(ENUMERATED, beta=too_little, expected=Status.REFUTED)).as_expected


def test_what_was_tried_is_fuzzed_and_never_proved() -> None:
    result = check_utility(FUZZED)
    assert result.verdict is Status.FUZZED
    assert result.as_expected
    assert not result.enumerated
    assert result.inputs >= 15
    assert result.corners["two rows"] == 1  # the same case counts once, however often it comes


def test_a_false_claim_is_shrunk_to_the_smallest_size() -> None:
    result = check_utility(replace(FUZZED, beta=too_little))
    assert result.verdict is Status.REFUTED
    assert result.witness is not None
    assert result.witness.case == "17"


def test_a_case_that_comes_again_counts_once() -> None:
    result = check_utility(replace(FUZZED, strategy=sizes(5)))
    assert (result.inputs, result.verdict) == (4, Status.VACUOUS)
    assert result.reason == "4 inputs met the precondition, fewer than 15"
    assert not result.as_expected


def test_fewer_that_meet_the_precondition_than_the_floor_are_vacuous() -> None:
    result = check_utility(replace(FUZZED, holds_for=lambda case: case.database == 2))
    assert (result.inputs, result.verdict) == (1, Status.VACUOUS)
    assert result.rejected > 0


def test_a_corner_that_is_not_hit_is_vacuous() -> None:
    never = {**SMALL, "no row": lambda case: case.database == 0}
    result = check_utility(replace(FUZZED, corners=never))
    assert result.verdict is Status.VACUOUS
    assert result.reason == "no input hit a corner: no row"


def test_a_precondition_that_no_enumerated_case_meets_is_vacuous() -> None:
    result = check_utility(replace(ENUMERATED, holds_for=lambda case: case.database > 99))
    assert (result.verdict, result.rejected) == (Status.VACUOUS, 18)
    assert result.reason == "none of 18 cases meets the precondition"
    assert not result.as_expected


# √(7 + 4√3) = 2 + √3, which no form here shows.
def hidden(case: Case) -> Any:
    """1/n, but where n = 3 as a number that no complete test compares with it."""
    third = (sqrt(7 + 4 * sqrt(3)) - 2 - sqrt(3)) + Fraction(1, 3)
    return third if case.database == 3 else Fraction(1, case.database)


@pytest.mark.parametrize("claim", [ENUMERATED, FUZZED], ids=["enumerated", "fuzzed"])
def test_a_comparison_without_a_complete_test_is_undecided(claim: UtilityClaim) -> None:
    with pytest.raises(Undecided):
        judge(replace(claim, beta=hidden), Case(3))
    result = check_utility(replace(claim, beta=hidden, examples=(Case(3),)))
    assert result.verdict is Status.UNDECIDED
    assert result.reason.startswith("3: ")
    assert "sqrt" in result.reason
    assert not result.as_expected


@pytest.mark.parametrize("claim", [ENUMERATED, FUZZED], ids=["enumerated", "fuzzed"])
def test_a_case_that_fails_counts_beside_one_that_is_undecided(claim: UtilityClaim) -> None:
    both = replace(claim, beta=lambda case: hidden(case) if case.database == 3 else too_little(case))
    result = check_utility(replace(both, examples=(Case(3),)))
    assert result.verdict is Status.REFUTED
    assert result.witness is not None
    assert result.witness.case == "17"


def test_a_mutant_that_is_not_refuted_is_not_as_expected() -> None:
    result = check_utility(replace(ENUMERATED, mutant=one_of))
    assert (result.verdict, result.mutant.status) == (Status.PROVED, Status.PROVED)
    assert not result.as_expected
    assert "and REFUTED of one_of, which is PROVED" in claim_lines(result)[-1]
    assert "1 not as expected" in headline(audit_of(result))


def refuses_three(draw: Draw, size: int) -> Any:
    if size >= 3:
        raise InputError("three is refused")
    return one_of(draw, size)


@pytest.mark.parametrize("claim", [ENUMERATED, FUZZED], ids=["enumerated", "fuzzed"])
def test_input_that_a_mechanism_refuses_is_reported_with_the_claim(claim: UtilityClaim) -> None:
    with pytest.raises(InputError, match=r"^Test-1\.utility\.first, on 3: .*three is refused"):
        check_utility(replace(claim, mechanism=refuses_three))
    with pytest.raises(InputError, match=r"^Test-1\.utility\.first, on \d+: beta=0\.1 is a float"):
        check_utility(replace(claim, beta=lambda case: 0.1))  # type: ignore[arg-type, return-value]  # a float is the point


def test_claims_that_cannot_be_checked_are_refused() -> None:
    with pytest.raises(InputError, match="either cases or a strategy"):
        replace(ENUMERATED, strategy=sizes())
    with pytest.raises(InputError, match="either cases or a strategy"):
        replace(ENUMERATED, cases=None)
    with pytest.raises(InputError, match="corners"):
        replace(FUZZED, corners={})
    with pytest.raises(InputError, match="used up"):
        replace(ENUMERATED, cases=(Case(size) for size in range(3)))


# Exact sums


@pytest.mark.parametrize("failing", [1, 64, 65, 100, 101, 199, 200], ids=str)
def test_the_failure_probability_is_the_sum_by_hand(failing: int) -> None:
    """Pr[k] = (k + 1)/20100 for k < 200, and all k < `failing` fail: few are summed, and of many the others."""

    def rising(draw: Draw, database: int) -> Any:
        return draw(Distribution({k: k + 1 for k in range(200)}))

    claim = replace(ENUMERATED, mechanism=rising, succeeds=lambda case, k: k >= failing)
    assert failure_probability(claim, Case(0)) == Fraction(failing * (failing + 1) // 2, 20_100)


def test_no_failing_outcome_and_all_failing() -> None:
    assert failure_probability(replace(ENUMERATED, succeeds=lambda case, k: True), Case(4)) == 0
    assert failure_probability(replace(ENUMERATED, succeeds=lambda case, k: False), Case(4)) == 1


def test_beta_zero_and_a_ratio_beyond_a_float() -> None:
    none = replace(ENUMERATED, beta=lambda case: 0)
    assert judge(none, Case(2)).ratio == float("inf")
    assert judge(replace(none, succeeds=lambda case, k: True), Case(2)).ratio == 0
    assert judge(replace(none, beta=lambda case: Fraction(1, 10**400)), Case(2)).ratio == float("inf")
    result = check_utility(replace(none, expected=Status.REFUTED))
    assert result.ratio is None
    assert "∞" in claim_lines(result)[0]
    assert from_json(to_json(audit_of(result))).claims == [result]


# Repetition, past failures and examples


@pytest.mark.parametrize("claim", [FUZZED, replace(FUZZED, beta=too_little)], ids=["true", "false"])
def test_derandomized_runs_are_the_same(claim: UtilityClaim) -> None:
    assert check_utility(claim) == check_utility(claim)


def test_the_mutant_meets_the_same_cases() -> None:
    met: list[list[int]] = [[], []]

    def noted(place: int) -> Any:
        def mechanism(draw: Draw, size: int) -> int:
            met[place].append(size)
            return 1

        return mechanism

    check_utility(replace(FUZZED, mechanism=noted(0), mutant=noted(1)))
    assert met[0] == met[1]


def first_of_two(draw: Draw, size: int) -> int:
    """It fails where n = 2, and nowhere else."""
    return 0 if size == 2 else 1


def first_tried(claim: UtilityClaim) -> int:
    """The first case of the mechanism in a deep run."""
    tried: list[int] = []

    def noted(draw: Draw, size: int) -> Any:
        tried.append(size)
        return one_of(draw, size)

    assert check_utility(replace(claim, mechanism=noted), "deep").verdict is Status.REFUTED
    return tried[0]


def test_the_deep_profile_tries_past_failures_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utility_module, "_EXAMPLE_DATABASE", tmp_path)
    monkeypatch.setitem(utility_module._EXAMPLES, "deep", 200)
    false = replace(FUZZED, beta=too_little, mutant=first_of_two)
    other = replace(false, id="Test-2.utility.other")
    assert check_utility(false, "deep").verdict is Status.REFUTED
    assert any(tmp_path.iterdir())
    # again and again: the mutant's run, on which other cases fail, does not drop it
    assert [first_tried(false) for _ in range(3)] == [17] * 3
    # and of another claim nothing is known
    assert first_tried(other) != 17


def test_the_derandomized_profile_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utility_module, "_EXAMPLE_DATABASE", tmp_path)
    check_utility(replace(FUZZED, beta=too_little))
    assert not any(tmp_path.iterdir())


def test_examples_are_tried_first() -> None:
    result = check_utility(replace(FUZZED, beta=too_little, examples=(Case(3), Case(90), Case(17))))
    assert result.witness is not None
    assert (result.witness.case, result.inputs) == ("90", 2)
    skipped = replace(FUZZED, beta=too_little, examples=(Case(90),), holds_for=lambda case: case.database < 90)
    assert check_utility(skipped).witness != result.witness


# Sharpness


def boundary(at: int) -> tuple[UtilityClaim, Callable[[int], Iterator[Case]]]:
    """One of n rows is the first with probability at most 1/at: so from n = at on."""
    return replace(ENUMERATED, beta=lambda case: Fraction(1, at)), lambda size: iter((Case(size), Case(size + 1)))


@pytest.mark.parametrize("least", [0, 1, 12, 13])
def test_the_least_that_is_enough(least: int) -> None:
    claim, family = boundary(13)
    sharpness = Sharpness(what="rows", paper=100, family=family, least=max(1, least))
    assert sharpest(claim, sharpness) == SharpnessResult("rows", 100, 13, False, None)


def test_what_the_paper_asks_for_may_be_too_little_just_enough_or_the_least() -> None:
    claim, family = boundary(13)
    for paper, least, smallest in ((12, 1, None), (13, 1, 13), (99, 20, 20), (20, 20, 20)):
        sharpness = Sharpness(what="rows", paper=paper, family=family, least=least)
        assert sharpest(claim, sharpness) == SharpnessResult("rows", paper, smallest, False, None)


def test_what_is_undecided_is_not_said_to_be_enough() -> None:
    claim = replace(ENUMERATED, beta=hidden)
    sharpness = Sharpness(what="rows", paper=4, family=lambda size: (Case(size),), least=3)
    assert sharpest(claim, sharpness) == SharpnessResult("rows", 4, 4, False, None)
    assert sharpest(claim, replace(sharpness, paper=3)) is None


def with_chance_of_epsilon(draw: Draw, size: int, *, epsilon: Fraction) -> Any:
    """0 with probability 1/(ε·size)."""
    return draw(Distribution({0: 1 / (epsilon * size), 1: 1 - 1 / (epsilon * size)}))


def whatever_epsilon_is(draw: Draw, size: int, *, epsilon: Fraction) -> Any:
    """0 with probability 1/size."""
    return with_chance_of_epsilon(draw, size, epsilon=Fraction(1))


def undecided_below_one(draw: Draw, size: int, *, epsilon: Fraction) -> Any:
    """As with the whole ε, and for less an answer that no comparison decides."""
    if epsilon < 1:
        raise Undecided("it is so")
    return with_chance_of_epsilon(draw, size, epsilon=epsilon)


@pytest.mark.parametrize(
    ("mechanism", "halved"),
    [
        (with_chance_of_epsilon, Status.REFUTED),
        (whatever_epsilon_is, Status.PROVED),
        (undecided_below_one, Status.UNDECIDED),
    ],
)
def test_half_the_epsilon_is_caught_where_a_claim_is_sharp(mechanism: Mechanism, halved: Status) -> None:
    cases = tuple(Case(size, {"epsilon": Fraction(1)}) for size in (20, 13))
    claim = replace(ENUMERATED, mechanism=mechanism, mutant=always, cases=cases, beta=lambda case: Fraction(1, 13))
    sharpness = Sharpness(what="rows", paper=40, family=lambda size: (Case(size, {"epsilon": Fraction(1)}),))
    result = check_utility(replace(claim, sharpness=sharpness))
    assert result.sharpness == SharpnessResult("rows", 40, 13, False, halved)
    assert result.as_expected == (halved is Status.REFUTED)
    said = "\n".join(claim_lines(result))
    assert ("with half the ε it is" in said) == (halved is not Status.REFUTED)


def test_a_family_without_cases_is_refused() -> None:
    claim, _ = boundary(13)
    with pytest.raises(InputError, match=r"Test-1\.utility\.first: there is no case at rows = 13"):
        sharpest(claim, Sharpness(what="rows", paper=13, family=lambda size: ()))


# Reports


def audit_of(*found: UtilityResult) -> AuditRecord:
    return AuditRecord(SCHEMA_VERSION, "0", list(found), [])


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


def always(draw: Draw, database: Any, *, epsilon: Fraction) -> int:
    """0."""
    return 0


def test_json_is_read_as_it_was_written() -> None:
    found = results()
    assert from_json(to_json(audit_of(*found))).claims == found


def test_bars_of_the_page_are_escaped() -> None:
    page = to_markdown(audit_of(*results()))
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    columns = {line.replace("\\|", "").count("|") for line in rows}
    assert columns == {6, 7}  # of five columns, and of six
    assert "a\\|b" in page
    assert "\\|rows\\|" in page
    assert "**REFUTED**" in page


def test_the_plot_is_xml_also_without_bars() -> None:
    for text in (sharpness_svg([]), sharpness_svg(results()), bars_svg("<&>", {"a<b": 0.0, '"': 2.0}, str)):
        assert ElementTree.fromstring(text).tag.endswith("svg")
    assert len(ElementTree.fromstring(sharpness_svg(results())).findall(".//{*}rect")) == 2  # the page, and one bar


# The command line


def run(*given: str) -> Any:
    return CliRunner().invoke(main, ["utility", *given])


def test_ids_and_patterns() -> None:
    one = run("BNS-J-2.24.utility.tail")
    assert one.exit_code == 0, one.output
    assert one.output.startswith("FUZZED       BNS-J-2.24.utility.tail  ")
    assert one.output.endswith("\n1 claim: 1 FUZZED; all as expected\n")
    both = run("BNS-J-2.2[46]*")
    assert "2 claims: 2 FUZZED" in both.output
    assert "Weakened, " in run("BNS-J-2.24*", "-v").output


OWN = """
from dpverify.mechanisms import exponential_mechanism
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
    assert f"{path} has no claim yours; see `dpverify list`" in wrong.output
    path.with_name("empty.py").write_text("x = 1\n", encoding="utf-8")
    empty = run(str(path.with_name("empty.py")))
    assert empty.exit_code == 2
    assert "holds no claims: assign Claim(…), UtilityClaim(…), PacClaim(…) or Lemma(…) objects" in empty.output


def test_an_unknown_id_is_bad_usage() -> None:
    result = run("BNS-J-9.99")
    assert result.exit_code == 2
    assert "the catalogue has no claim BNS-J-9.99" in result.output
    assert "did you mean BNS-J-2.26.utility.gap" in run("BNS-J-2.26.utility.gapp").output


def test_json_goes_to_standard_output_and_all_else_to_the_other(tmp_path: Path) -> None:
    result = run("BNS-J-2.24*", "--json", "-", "--svg", str(tmp_path / "sharp.svg"))
    assert result.exit_code == 0
    assert [found["id"] for found in json.loads(result.stdout)["claims"]] == ["BNS-J-2.24.utility.tail"]
    assert "all as expected" in result.stderr
    assert ElementTree.parse(tmp_path / "sharp.svg").getroot().tag.endswith("svg")


def test_two_processes_find_the_same() -> None:
    assert run("BNS-J-2.2[46]*", "--jobs", "2").output == run("BNS-J-2.2[46]*").output


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
    result = run()
    assert result.exit_code == code, result.output
    if code == 2:
        assert "Test-1.utility.first, on 3" in result.output


def test_where_no_input_meets_the_precondition_it_is_vacuous() -> None:
    result = check_utility(replace(FUZZED, holds_for=lambda case: False))
    assert (result.inputs, result.verdict) == (0, Status.VACUOUS)


def test_what_is_claimed_with_beta_1_is_no_input() -> None:
    result = check_utility(replace(FUZZED, beta=lambda case: 1))
    assert (result.inputs, result.verdict) == (0, Status.VACUOUS)


@pytest.mark.parametrize("cases", [None, [Case(1, {})]])
def test_a_mechanism_that_does_not_return_is_stopped(cases: list[Case] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once: Hypothesis would run an ordinary failure again and again to shrink it."""
    monkeypatch.setattr("dpverify.verifiers.processes.stopwatch._LONGEST", 0.01)
    from hypothesis import strategies as st

    calls = 0

    def endless(draw: Draw, database: Any) -> Any:
        nonlocal calls
        calls += 1
        while True:
            pass

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
    with pytest.raises(Overtime, match=r"endless, on \d+.* was not known after 60 s"):
        check_utility(claim)
    assert calls == 1


def test_a_bar_in_a_statement_is_escaped_once() -> None:
    """Twice would be a backslash, and the end of a cell."""
    found = [msgspec.structs.replace(result, statement="at most |H| + 1") for result in results()]
    page = to_markdown(audit_of(*found))
    assert "at most \\|H\\| + 1" in page
    assert "\\\\|" not in page

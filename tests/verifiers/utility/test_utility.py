"""Utility claims: all verdicts, exact sums, shrinking and repetition."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.examples import in_one
from tests.verifiers.utility.made_for_tests import (
    ENUMERATED,
    FUZZED,
    SMALL,
    audit_of,
    hidden,
    one_of,
    refuses_three,
    sizes,
    too_little,
)

from dpverify.mechanisms import Distribution, Draw, InputError, Undecided
from dpverify.mechanisms.functions import samples
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.audits.summary import headline
from dpverify.reports.audits.table import claim_lines
from dpverify.reports.record import Status
from dpverify.verifiers import Case, UtilityClaim, check_utility
from dpverify.verifiers.utility import checker as utility_module
from dpverify.verifiers.utility.judging import Enumerating, failure_probability, judge


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
    assert "its mutant one_of is PROVED" in claim_lines(result)[-1]
    assert "1 not as expected" in headline(audit_of(result))


@pytest.mark.parametrize("claim", [ENUMERATED, FUZZED], ids=["enumerated", "fuzzed"])
def test_input_that_a_mechanism_refuses_is_reported_with_the_claim(claim: UtilityClaim) -> None:
    with pytest.raises(InputError, match=r"^Test-1\.utility\.first, on 3: .*three is refused"):
        check_utility(replace(claim, mechanism=refuses_three))
    with pytest.raises(InputError, match=r"^Test-1\.utility\.first, on \d+: beta=0\.1 is a float"):
        check_utility(replace(claim, beta=partial(lambda given, case: given, 0.1)))  # where source has no say


def test_claims_that_cannot_be_checked_are_refused() -> None:
    with pytest.raises(InputError, match="needs either cases or a strategy: give one"):
        replace(ENUMERATED, strategy=sizes())
    with pytest.raises(InputError, match="needs either cases or a strategy: give one"):
        replace(ENUMERATED, cases=None)
    with pytest.raises(InputError, match="corners"):
        replace(FUZZED, corners={})
    with pytest.raises(InputError, match="iterator that can be read only once, is not a tuple"):
        replace(ENUMERATED, cases=(Case(size) for size in range(3)))


@in_one("failing", [1, 64, 65, 100, 101, 199, 200])
def test_the_failure_probability_is_the_sum_by_hand(failing: int) -> None:
    """Pr[k] = (k + 1)/20100 for k < 200, and all k < `failing` fail: few are summed, and of many the others."""

    weights = Distribution({k: k + 1 for k in range(200)})

    claim = replace(ENUMERATED, mechanism=lambda draw, database: draw(weights), succeeds=lambda case, k: k >= failing)
    assert failure_probability(claim, Case(0)) == Fraction(failing * (failing + 1) // 2, 20_100)


def test_no_failing_outcome_and_all_failing() -> None:
    assert failure_probability(replace(ENUMERATED, succeeds=lambda case, k: True), Case(4)) == 0
    assert failure_probability(replace(ENUMERATED, succeeds=lambda case, k: False), Case(4)) == 1


@pytest.mark.deep
def test_what_is_remembered_of_other_cases_changes_no_probability() -> None:
    """Of more cases than are remembered together; the sum is 0, and fails, where both parts give 0."""

    def both(draw: Draw, size: int, *, most: int) -> Any:
        return draw(one_of, size) + draw(one_of, most)

    claim = replace(ENUMERATED, mechanism=both)
    enumerating = Enumerating(claim)
    for case in [Case(size, {"most": most}) for most in range(1, 12) for size in range(2, 15)]:
        found = failure_probability(claim, case, enumerating=enumerating)
        assert found == Fraction(1, case.database * case.parameters["most"])
        mutant = failure_probability(claim, case, lambda draw, size, most: draw(one_of, most), enumerating)
        assert mutant == Fraction(1, case.parameters["most"])


def test_what_independent_parts_give_is_asked_in_full() -> None:
    claim = replace(ENUMERATED, mechanism=lambda draw, size: draw.each(one_of, [size, 2, 2]), succeeds=all_are_zero)
    assert failure_probability(claim, Case(5)) == 1 - Fraction(1, 20)


def all_are_zero(case: Case, drawn: tuple[int, ...]) -> bool:
    return drawn == (0, 0, 0)


def test_beta_zero_and_a_ratio_beyond_a_float() -> None:
    none = replace(ENUMERATED, beta=lambda case: 0)
    assert judge(none, Case(2)).ratio == float("inf")
    assert judge(replace(none, succeeds=lambda case, k: True), Case(2)).ratio == 0
    assert judge(replace(none, beta=lambda case: Fraction(1, 10**400)), Case(2)).ratio == float("inf")
    result = check_utility(replace(none, expected=Status.REFUTED))
    assert result.ratio is None
    assert "∞" in claim_lines(result)[0]
    assert read_audit(to_json(audit_of(result))).claims == [result]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("claim", [FUZZED, replace(FUZZED, beta=too_little)], ids=["true", "false"])
def test_derandomized_runs_are_the_same(claim: UtilityClaim) -> None:
    assert check_utility(claim) == check_utility(claim)


@pytest.mark.usefixtures("nothing_is_watched")
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


@pytest.mark.usefixtures("nothing_is_watched")
def test_the_deep_profile_tries_past_failures_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utility_module, "_EXAMPLE_DATABASE", tmp_path)
    monkeypatch.setitem(samples._SIZES, "examples of a deep search", 200)
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

"""How sharp utility claims are."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.verifiers.utility.made_for_tests import ENUMERATED, always, boundary, hidden

from dpverify.mechanisms import Distribution, Draw, InputError, Undecided
from dpverify.mechanisms.functions import Mechanism
from dpverify.reports.audits.table import claim_lines
from dpverify.reports.kinds.utility import SharpnessResult
from dpverify.reports.record import Status
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.checker import check_utility, sharpest
from dpverify.verifiers.utility.judging import judge
from dpverify.verifiers.utility.statement import Sharpness


@pytest.mark.parametrize("least", [0, 1, 12, 13])
def test_the_least_that_is_enough(least: int) -> None:
    claim, family = boundary(13)
    sharpness = Sharpness(what="rows", paper=100, family=family, least=max(1, least))
    assert sharpest(claim, sharpness) == SharpnessResult("rows", 100, 13, False, None, least < 13)


def test_what_the_paper_asks_for_may_be_too_little_just_enough_or_the_least() -> None:
    claim, family = boundary(13)
    for paper, least, smallest in ((12, 1, None), (13, 1, 13), (99, 20, 20), (20, 20, 20)):
        sharpness = Sharpness(what="rows", paper=paper, family=family, least=least)
        assert sharpest(claim, sharpness) == SharpnessResult("rows", paper, smallest, False, None, smallest == 13)


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
    claim = replace(ENUMERATED, mechanism=mechanism, mutant=always, cases=cases, beta=thirteenth)
    sharpness = Sharpness(what="rows", paper=40, family=lambda size: (Case(size, {"epsilon": Fraction(1)}),))
    result = check_utility(replace(claim, sharpness=sharpness))
    assert result.sharpness == SharpnessResult("rows", 40, 13, False, halved, halved is not Status.PROVED)
    assert result.as_expected == (halved is Status.REFUTED)
    said = "\n".join(claim_lines(result))
    assert ("with half the ε it is" in said) == (halved is not Status.REFUTED)


def test_half_the_epsilon_is_not_tried_of_what_is_asked_for_whatever_epsilon_is() -> None:
    case = Case(13, {"epsilon": Fraction(1)})
    claim = replace(ENUMERATED, mechanism=whatever_epsilon_is, mutant=always, cases=(case,), beta=thirteenth)
    sharpness = Sharpness(
        what="samples", paper=40, family=lambda size: (replace(case, database=size),), whatever_epsilon=True
    )
    result = check_utility(replace(claim, sharpness=sharpness))
    assert result.sharpness == SharpnessResult("samples", 40, 13, False, None, True)
    assert result.as_expected


def thirteenth(case: Case) -> Fraction:
    return Fraction(1, 13)


def test_what_the_check_has_found_is_not_found_once_more_and_nothing_else_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[int, Any]] = []

    def noted(claim: Any, case: Case, *more: Any) -> Any:
        asked.append((case.database, case.parameters["epsilon"]))
        return judge(claim, case, *more)

    monkeypatch.setattr("dpverify.verifiers.utility.checker.judge", noted)

    def cases(size: int) -> tuple[Case, ...]:
        return Case(size, {"epsilon": Fraction(2)}), Case(size, {"epsilon": Fraction(1)})

    claim = replace(ENUMERATED, mechanism=with_chance_of_epsilon, mutant=always, cases=cases(14), beta=thirteenth)
    result = check_utility(replace(claim, sharpness=Sharpness(what="rows", paper=14, family=cases, least=12)))
    assert result.sharpness == SharpnessResult("rows", 14, 13, False, Status.REFUTED, True)
    checked, mutant = [(14, 2), (14, 1)], [(14, 2)]
    bisected, halved = [(12, 2), (12, 1), (13, 2), (13, 1)], [(13, 2), (13, 1)]
    assert asked == [*checked, *mutant, *bisected, *halved]


def test_a_family_without_cases_is_refused() -> None:
    claim, _ = boundary(13)
    with pytest.raises(InputError, match="the list of cases at rows = 13 is empty"):
        sharpest(claim, Sharpness(what="rows", paper=13, family=lambda size: ()))

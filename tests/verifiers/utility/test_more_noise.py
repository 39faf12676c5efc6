"""How much more noise a claim of usefulness bears, and when it is weak."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.verifiers.utility.made_for_tests import ENUMERATED, audit_of

from dpverify.mechanisms import Draw, discrete_laplace
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.audits.summary import headline
from dpverify.reports.kinds.utility import UtilityResult, background
from dpverify.reports.record import Status
from dpverify.verifiers import Case, UtilityClaim, check_utility
from dpverify.verifiers.utility.statement import Sharpness

P, R, F = Status.PROVED, Status.REFUTED, Status.FUZZED


def noise_of(draw: Draw, margin: int, *, times: int = 1) -> bool:
    """Whether the noise is within a margin."""
    return bool(abs(draw(discrete_laplace(times))) <= margin)


def far_off(draw: Draw, margin: int, *, times: int = 1) -> bool:
    """It never is."""
    return False


def claim(margin: int = 8, beta: Any = Fraction(1, 100), **changed: Any) -> UtilityClaim:
    """With probability ≥ 1 − β the noise is within the margin."""
    given: dict[str, Any] = {
        "id": "Test-2.utility.within",
        "mechanism": noise_of,
        "succeeds": lambda case, within: within,
        "beta": lambda case: beta,
        "mutant": far_off,
        "cases": (Case(margin),),
    }
    return UtilityClaim(**{**given, **changed})


def measured(asked: UtilityClaim) -> UtilityResult:
    return check_utility(asked, slack=True)


@pytest.mark.parametrize(
    ("margin", "slack", "weak"), [(5, "1", False), (12, "1/2", False), (24, "1/4", True), (200, "1/16", True)]
)
def test_slack_is_the_share_of_the_accuracy_that_would_do(margin: int, slack: str, weak: bool) -> None:
    found = measured(claim(margin))
    assert (found.verdict, found.headroom, found.loose) == (P, slack, weak)
    assert found.more_noise is not None
    assert [one.verdict for one in found.more_noise[:-1]] == [P] * (len(found.more_noise) - 1)
    for one in found.more_noise:  # each verdict is that of the mechanism written with so much noise
        by_hand = check_utility(claim(margin, cases=(Case(margin, {"times": one.times}),)))
        assert one.verdict is by_hand.verdict
        assert one.ratio == pytest.approx(by_hand.ratio)


def test_where_slack_is_not_asked_for_nothing_is_said_to_be_weak() -> None:
    found = check_utility(claim(200))
    assert (found.headroom, found.loose, found.more_noise) == (None, None, None)


def test_what_all_but_cannot_fail_is_weak_however_little_noise_it_bears() -> None:
    found = measured(claim(40, beta=Fraction(1, 2)))
    assert found.ratio is not None and found.ratio < 1e-10
    assert found.loose


def test_what_fails_as_often_as_it_may_is_not_weak_whatever_its_noise_is() -> None:
    """Of two cases one fails as often as it may, whatever its noise: a toss of a coin that is fair at any scale."""

    found = measured(claim(mechanism=lambda draw, margin: not draw(discrete_laplace(100)) > 0, beta=Fraction(1, 2)))
    assert found.headroom == "1/16"
    assert found.ratio is not None and found.ratio > 0.9
    assert found.loose is False


def test_what_is_known_at_the_least_size_is_judged_there() -> None:
    sharpness = Sharpness(what="margin", paper=60, family=lambda margin: (Case(margin),), whatever_epsilon=True)
    found = measured(claim(60, sharpness=sharpness))
    assert found.headroom is not None and Fraction(found.headroom) <= Fraction(1, 4)
    assert found.sharpness is not None and found.sharpness.is_least
    assert found.loose is False


def test_of_what_draws_no_noise_of_a_scale_and_never_fails_nothing_is_weak() -> None:
    coin = measured(ENUMERATED)
    assert (coin.headroom, coin.more_noise, coin.loose) == (None, [], False)
    never = measured(replace(ENUMERATED, succeeds=lambda case, drawn: drawn >= 0 or drawn is None))
    assert never.ratio == 0.0 and never.loose is False


def test_of_many_cases_the_nearest_are_tried_which_is_no_proof() -> None:
    found = measured(claim(cases=tuple(Case(margin) for margin in range(100, 200))))
    assert found.more_noise is not None
    assert {one.verdict for one in found.more_noise} <= {F, R}
    assert found.more_noise[0].verdict is F


def test_every_form_says_why_a_weak_one_is_kept() -> None:
    found = measured(claim(200, weak_because="it is an example", sharp_in="Test-2.utility.sharp"))
    record = audit_of(found)
    assert read_audit(to_json(record)) == record
    assert "1 loose" in headline(record)
    said = " ".join(background(found))
    assert "Headroom: 1/16. With more noise 2 times PROVED" in said
    assert "also satisfies this claim; none satisfies Test-2.utility.sharp: it is an example." in said

"""What a verdict and a gate say of an ε or δ that a mechanism keeps beside the claimed one."""

from functools import partial, wraps
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, bernoulli, exponential, symbolic
from dpverify.verifiers import (
    Claim,
    Histograms,
    Multisets,
    SampledClaim,
    Status,
    Verdict,
    calibrate,
    check_privacy,
    privacy_profile,
    replace_one,
)
from dpverify.verifiers.all_sizes.compositions import EveryDatabase
from dpverify.verifiers.auditing.digests.question import question_of
from dpverify.verifiers.claims import How
from dpverify.verifiers.optimal import distance_from_optimal
from dpverify.verifiers.profiles import LeastShare

pytestmark = pytest.mark.usefixtures("decided_here")

D = Multisets(range(2), size=3)


def most_common(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return draw(exponential({x: rows.count(x) for x in range(2)}, epsilon))


at_five = partial(most_common, epsilon=5)


def tells(draw: Draw, rows: Any, *, epsilon: Any = None, delta: Any = "1/2") -> Any:
    return rows.count(0) if draw(bernoulli(delta)) else None


def first_line(verdict: Verdict) -> str:
    return repr(verdict).splitlines()[0]


def test_the_first_line_says_what_is_kept() -> None:
    verdict = check_privacy(at_five, D, epsilon=1)
    assert first_line(verdict) == (
        "REFUTED most_common: ε = 1 (epsilon = 5 is kept; claimed: 1), found ε ≈ 4.92166, 6 pairs"
    )
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == privacy_profile(at_five, D).epsilon()
    assert "with epsilon=5;" in verdict.scope
    assert first_line(check_privacy(tells, D, epsilon=0, delta="1/10")) == (
        "REFUTED tells: ε = 0, δ = 1/10 (epsilon = None is kept; claimed: 0, delta = 1/2 is kept; claimed: 1/10), "
        "found δ = 1/2, 6 pairs"
    )


def test_the_claimed_value_and_one_that_is_given_are_not_worth_a_word() -> None:
    assert "is kept" not in repr(check_privacy(at_five, D, epsilon=5))
    for given in (1, 5):
        verdict = check_privacy(at_five, D, epsilon=1, parameters={"epsilon": given})
        assert "is kept" not in repr(verdict)
        assert verdict.status is (Status.PROVED if given == 1 else Status.REFUTED)


def test_all_sizes_keep_it_too() -> None:
    verdict = check_privacy(at_five, Histograms((0, 1)), epsilon=1)
    assert verdict.status is Status.REFUTED
    assert "(epsilon = 5 is kept; claimed: 1)" in first_line(verdict)
    assert check_privacy(at_five, Histograms((0, 1)), epsilon=5).status is Status.PROVED


def filled(draw: Draw, rows: Any) -> Any:
    return draw(at_five_inside, rows)


@wraps(most_common)
def at_five_inside(draw: Draw, rows: Any, **more: Any) -> Any:
    return most_common(draw, rows, **{"epsilon": 5, **more})


@wraps(most_common)
def with_five(draw: Draw, rows: Any, epsilon: Any = 5) -> Any:
    return most_common(draw, rows, epsilon=epsilon)


def of_a_part_at_one(draw: Draw, rows: Any) -> Any:
    return draw(at_five_inside, rows, epsilon=1)


def or_five(draw: Draw, rows: Any, epsilon: Any = None) -> Any:
    return most_common(draw, rows, epsilon=epsilon or 5)


def test_a_sub_mechanism_keeps_it_too() -> None:
    for claimed, status in ((5, Status.PROVED), (1, Status.UNDECIDED)):
        domain = EveryDatabase((0, 1), parts=(with_five,))
        assert check_privacy(lambda draw, rows: draw(with_five, rows), domain, epsilon=claimed).status is status
    for whole, part in ((filled, at_five_inside), (lambda draw, rows: draw(or_five, rows), or_five)):
        nothing_known = check_privacy(whole, EveryDatabase((0, 1), parts=(part,)), epsilon=5)
        assert nothing_known.status is Status.UNDECIDED
        assert "has no epsilon" in nothing_known.reason
    by_name = check_privacy(of_a_part_at_one, EveryDatabase((0, 1), parts=(at_five_inside,)), epsilon=1)
    assert by_name.status is Status.PROVED


def test_whatever_asks_for_other_values_asks_for_parameters() -> None:
    why = "most_common keeps epsilon = 5, where the claim has another one: give parameters={'epsilon': …}"
    with pytest.raises(InputError, match=why):
        check_privacy(at_five, D, epsilon=symbolic)
    with pytest.raises(InputError, match=why):
        calibrate(at_five, D, parameter="epsilon", grid=[3, 2, 1], epsilon=1)
    with pytest.raises(InputError, match=why):
        distance_from_optimal(at_five, D, replace_one, lambda rows, x: x in rows, epsilon=1)
    least = LeastShare(share=1, below="4/5", parameter="epsilon", of="ε")
    result = Claim(id="a", mechanism=at_five, domain=D, epsilon=5, least=least).decide(How(slack=True))
    assert result.least is not None
    assert result.least.reason.startswith(why)
    given: Any = {"epsilon": 5}
    assert check_privacy(at_five, D, epsilon=symbolic, parameters={"epsilon": symbolic}).status is Status.PROVED
    found = calibrate(at_five, D, parameter="epsilon", grid=[3, 2, 1], epsilon=1, parameters=given)
    assert (found.below, found.smallest) == (2, 1)
    assert distance_from_optimal(at_five, D, replace_one, lambda rows, x: x in rows, epsilon=5).achieved > 0


def test_a_mutant_with_a_value_of_its_own_keeps_it() -> None:
    claim = Claim(id="a", mechanism=most_common, domain=D, epsilon=1, mutant=at_five)
    mutant = claim.decide().mutant
    assert mutant is not None
    assert mutant.status is Status.REFUTED


def test_the_gate_keeps_the_value_that_is_kept() -> None:
    claim = Claim(id="a", mechanism=at_five, domain=D, epsilon=1)
    assert question_of(claim).parameters == {"epsilon": "5"}
    plain = Claim(id="a", mechanism=most_common, domain=D, epsilon=1)
    assert question_of(plain).parameters == {"epsilon": "1"}


def test_a_strict_audit_refuses_a_model_that_keeps_another_value() -> None:

    model = Claim(id="model", mechanism=at_five, domain=D, epsilon=1)
    claim = SampledClaim(id="a", sampler=lambda rows, rng, size: rng.integers(0, 2, size), model=model, draws=1000)
    with pytest.raises(
        InputError, match=r"^a: model: most_common is claimed at ε = 1 \(epsilon = 5 is kept; claimed: 1\)"
    ):
        claim.decide(How(strict=True))

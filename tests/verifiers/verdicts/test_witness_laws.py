"""The laws of a witness as they are drawn: against laws by hand, and what is left out of them."""

from collections.abc import Mapping
from fractions import Fraction
from math import exp
from typing import Any

import pytest

from dpverify.mechanisms import Distribution, Draw, discrete_laplace, distribution, laplace, log
from dpverify.mechanisms.outputs import AnyReal, AtLeast, AtMost, Between
from dpverify.reports.privacy_record import WitnessDistributions
from dpverify.verifiers import Multisets, Refuted, Tuples, check_privacy
from dpverify.verifiers.verdicts.witness_distributions import MOST_OUTCOMES, MOST_WAYS, SHOWN, drawn_distributions


def law(weights: Mapping[Any, Any]) -> Distribution[Any]:
    return Distribution(dict(weights))


def told(found: WitnessDistributions | None) -> dict[str, tuple[str, str, bool]]:
    assert found is not None and found.ends == [] and found.line == ""
    return {share.outcome: (share.p, share.q, share.in_event) for share in found.shares}


def test_outcomes_of_finite_laws_with_both_probabilities() -> None:
    found = drawn_distributions(law({"a": 1, "b": 3}), law({"b": 1, "c": 1}), ("a",))
    assert told(found) == {"'a'": ("0.25", "0", True), "'b'": ("0.75", "0.5", False), "'c'": ("0", "0.5", False)}
    assert found is not None and found.left_out == 0


def test_the_event_is_shown_and_beside_it_what_is_likeliest() -> None:
    many = {i: i + 1 for i in range(100)}
    found = drawn_distributions(law(many), law({**many, 500: 10_000}), (0, 3))
    shown = told(found)
    assert list(shown) == ["0", "3", *(str(i) for i in range(101 - SHOWN, 100)), "500"]
    assert {name for name, (_, _, hit) in shown.items() if hit} == {"0", "3"}
    assert found is not None and found.left_out == 101 - len(shown)
    assert drawn_distributions(law(dict.fromkeys(range(MOST_OUTCOMES + 1), 1)), law({0: 1}), (0,)) is None
    long = told(drawn_distributions(law({"x" * 500: 1}), law({"y": 1}), ("y",)))
    assert max(map(len, long)) == 60


def noisy(draw: Draw, rows: tuple[int, ...], *, epsilon: Any = 1) -> Any:
    return sum(rows) + draw(laplace(1 / Fraction(epsilon)))


def whole(draw: Draw, rows: tuple[int, ...]) -> Any:
    return "count", 3 * (sum(rows) + draw(discrete_laplace(1)))


def cumulative(x: float) -> float:
    return exp(x) / 2 if x < 0 else 1 - exp(-x) / 2


@pytest.mark.parametrize(
    ("event", "inside"),
    [(AtMost(0), lambda x: x < 0), (AtLeast(1), lambda x: x > 1), (Between(Fraction(1, 2), 1), lambda x: 0.5 < x < 1)],
)
def test_real_noise_is_a_line_in_stretches_that_end_where_the_event_does(event: Any, inside: Any) -> None:
    found = drawn_distributions(distribution(noisy, (0,)), distribution(noisy, (1,)), (event,))
    assert found is not None and found.line == "x"
    ends = list(map(float, found.ends))
    assert len(ends) == len(found.shares) + 1 and 20 < len(ends) < 60
    for i, share in enumerate(found.shares):
        for number, centre in ((share.p, 0), (share.q, 1)):
            mass = cumulative(ends[i + 1] - centre) - cumulative(ends[i] - centre)
            assert abs(float(number) - mass) < 1e-4 * mass + 1e-12
        assert share.in_event == inside((ends[i] + ends[i + 1]) / 2)
    bound = event.low if isinstance(event, Between) else event.value
    assert float(bound) in ends
    assert sum(float(share.p) for share in found.shares) > 0.97
    assert sum(float(share.q) for share in found.shares) > 0.97


def test_whole_noise_is_a_line_with_a_stretch_for_each_number() -> None:
    found = drawn_distributions(distribution(whole, (0,)), distribution(whole, (1,)), (("count", 3),))
    assert found is not None and found.line == "('count', x)"
    middles = [(float(low) + float(high)) / 2 for low, high in zip(found.ends, found.ends[1:], strict=False)]
    assert all(middle % 3 == 0 for middle in middles)
    for middle, share in zip(middles, found.shares, strict=True):
        for number, centre in ((share.p, 0), (share.q, 1)):
            mass = (1 - exp(-1)) / (1 + exp(-1)) * exp(-abs(middle / 3 - centre))
            assert abs(float(number) - mass) < 1e-5 * mass
        assert share.in_event == (middle == 3)


def test_several_numbers_are_no_line() -> None:
    def two(draw: Draw, rows: tuple[int, ...]) -> Any:
        return sum(rows) + draw(laplace(1)), draw(laplace(1))

    laws = distribution(two, (0,)), distribution(two, (1,))
    assert drawn_distributions(*laws, ((AtMost(0), AtMost(0)),)) is None


class Shy:
    """An outcome that does not like to be compared with a text."""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            raise RuntimeError("no")
        return self is other

    def __hash__(self) -> int:
        return hash("b")


def test_a_picture_is_no_reason_to_be_without_a_witness() -> None:
    laws = distribution(noisy, (0,)), distribution(noisy, (1,))
    assert drawn_distributions(*laws, (AnyReal(),)) is None, "it ends nowhere"
    assert drawn_distributions(law({Shy(): 1}), law({"b": 1}), ("b",)) is None
    assert drawn_distributions(law({Shy(): 1}), law({0: 1}), (0,)) is not None


def test_lines_of_many_ways_are_not_drawn() -> None:
    def mixed(draw: Draw, rows: tuple[int, ...], ways: int) -> Any:
        return draw(Distribution(dict.fromkeys(range(ways), 1))) + rows[0] + draw(laplace(1))

    def of(ways: int) -> WitnessDistributions | None:
        return drawn_distributions(
            distribution(mixed, (0,), ways=ways), distribution(mixed, (1,), ways=ways), (AtMost(0),)
        )

    assert of(8) is not None
    assert of(MOST_WAYS + 1) is None


def test_a_witness_has_the_laws_of_its_databases() -> None:
    verdict = check_privacy(noisy, Multisets((0, 1), size=2), epsilon="1/2", parameters={"epsilon": 1})
    assert isinstance(verdict, Refuted)
    laws = verdict.witness.record.distributions
    assert laws is not None and laws.line == "x" and any(share.in_event for share in laws.shares)

    verdict = check_privacy(lambda draw, rows: rows[0], Tuples((0, 1), size=1), epsilon=1)
    assert isinstance(verdict, Refuted)
    assert told(verdict.witness.record.distributions) == {"0": ("1", "0", True), "1": ("0", "1", False)}


def test_noise_with_a_logarithm_for_its_scale_is_drawn() -> None:
    """Its probabilities far away are 2^(−2³⁶), which would take all memory to write out."""

    def noisy_count(draw: Draw, rows: tuple[int, ...]) -> Any:
        return sum(rows) + draw(laplace(1 / (2 * log(2))))

    verdict = check_privacy(noisy_count, Tuples((0, 1), size=1), epsilon=log(2))
    assert isinstance(verdict, Refuted)
    assert verdict.witness.record.event == ["≤ 1/4"] and verdict.witness.record.distributions is not None

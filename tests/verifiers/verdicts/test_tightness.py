"""The least ε that a mechanism needs, against the whole privacy profile and by hand."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import Distribution, Draw, decimal, discrete_laplace, exact, exp, log, symbolic
from dpverify.verifiers import Claim, Status, Tuples, check_privacy, privacy_profile
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy.result import privacy_result
from dpverify.verifiers.verdicts.tightness import least_epsilon


def mechanism_of(*tables: list[int]) -> Any:
    def mechanism(draw: Draw, database: int) -> Any:
        return Distribution(dict(enumerate(tables[database])))

    return mechanism


WEIGHTS = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)
DELTAS = st.fractions(0, 1, max_denominator=40)


@given(tables=st.tuples(WEIGHTS, WEIGHTS, WEIGHTS), delta=DELTAS)
def test_it_is_where_the_profile_falls_to_delta(tables: tuple[list[int], ...], delta: Fraction) -> None:
    domain = range(3)
    mechanism = mechanism_of(*tables)
    profile = privacy_profile(mechanism, domain, lambda _: domain, recheck=False)
    least = profile.epsilon(delta)
    assert least_epsilon(profile.laws, exact(delta)) == least
    for start in (0, Fraction(1, 2), 2):
        from_there = least_epsilon(profile.laws, exact(delta), exact(start))
        assert from_there == (None if least is None else max(least, exact(start)))


@given(tables=st.tuples(WEIGHTS, WEIGHTS), delta=DELTAS)
def test_the_claim_holds_there_and_not_below(tables: tuple[list[int], ...], delta: Fraction) -> None:
    def status(epsilon: Any) -> Status:
        return check_privacy(
            mechanism_of(*tables), (0, 1), lambda x: [1 - x], epsilon=epsilon, delta=delta, recheck=False
        ).status

    laws = privacy_profile(mechanism_of(*tables), (0, 1), lambda x: [1 - x], recheck=False).laws
    least = least_epsilon(laws, exact(delta))
    if least is None:
        assert status(1_000) is Status.REFUTED
        return
    assert status(least) is Status.PROVED
    if least > 0:
        assert status(least * Fraction(999_999, 1_000_000)) is Status.REFUTED


def leaks(draw: Draw, bit: int) -> Any:
    """With probability 1/10 it says the bit; else it says it with the odds e."""
    e = exp(1)
    return Distribution(
        {("said", bit): Fraction(1, 10), bit: Fraction(9, 10) * e / (1 + e), 1 - bit: Fraction(9, 10) / (1 + e)}
    )


@pytest.mark.parametrize(
    ("epsilon", "delta", "tightness"),
    [
        (1, Fraction(1, 20), "∞"),  # the bit is said more often than that
        (1, Fraction(1, 10), "1"),
        (2, Fraction(1, 10), "0.5"),
        (1, 1, "0"),
        # (9/10)·(e − x)/(1 + e) = 1/10 at x = e − (1 + e)/9
        (1, Fraction(1, 5), decimal(log(exp(1) - (1 + exp(1)) / 9))),
        (0, Fraction(1, 2), None),
    ],
)
def test_it_is_told_as_a_part_of_the_claimed_epsilon(epsilon: int, delta: Any, tightness: str | None) -> None:
    one = Claim(id="c", mechanism=leaks, domain=(0, 1), neighbours=lambda bit: [1 - bit], epsilon=epsilon, delta=delta)
    assert privacy_result(one, How(recheck=False)).tight_over_claimed == tightness


def noise_that_is_halved_from_2_on(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    return sum(rows) + draw(discrete_laplace(1 / epsilon if epsilon < 2 else 1 / (2 * epsilon)))


def test_of_every_epsilon_it_is_known_where_some_of_them_uses_all_of_it() -> None:
    """Also of a refuted claim, which does where it holds."""
    claim = Claim(id="c", mechanism=noise_that_is_halved_from_2_on, domain=Tuples((0, 1), size=1), epsilon=symbolic)
    result = privacy_result(claim, How(recheck=False))
    assert (result.verdict, result.tight_over_claimed) == (Status.REFUTED, "1")
    twice = privacy_result(replace(claim, epsilon=3 * symbolic, parameters={"epsilon": symbolic}), How(recheck=False))
    assert (twice.verdict, twice.tight_over_claimed) == (Status.PROVED, None)

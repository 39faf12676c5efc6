"""Comparisons that are told from uniform numbers alone: as those that look at the noise, and as its law has it."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import (
    Draw,
    bounds,
    decimal,
    discrete_laplace,
    distribution,
    exact,
    exp,
    laplace,
    log,
    run,
    truncated_laplace,
)
from dpverify.mechanisms.comparing import asked_again
from dpverify.mechanisms.comparing.asked_again import AskedAgain
from dpverify.mechanisms.comparing.revealed import UniformNumber
from dpverify.mechanisms.drawing import sampler
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.roots.intervals import below, other_than, ray
from dpverify.mechanisms.sanitizers import stable_histogram


def told(law: NoiseLaw, holds: Any, first_bits: int) -> bool | None:
    """What is told the second time."""
    asked = AskedAgain()
    uniform = UniformNumber(lambda _: first_bits)
    assert asked.answer(law, holds, uniform) is None
    return asked.answer(law, holds, uniform)


@in_one("law", [laplace(2), discrete_laplace(2), laplace(log(3)), discrete_laplace(log(3))])
@in_one("threshold", [-7, -1, 0, 1, 4, 60])
def test_it_is_told_but_next_to_the_chance(law: NoiseLaw, threshold: int) -> None:
    end = threshold if law.discrete else log(3) * threshold
    chance_below = probability(law, below(end))
    low, high = (part * 2**64 for part in bounds(chance_below))
    first = int(low)
    for bits in {max(0, first - 2), first - 2**40 if first > 2**40 else 0}:
        assert told(law, ray(end), bits) is (False if bits + 1 <= low else None)
        assert told(law, below(end), bits) is (True if bits + 1 <= low else None)
    for bits in {min(2**64 - 1, int(high) + 2)}:
        assert told(law, ray(end), bits) is (True if bits >= high else None)
        assert told(law, below(end), bits) is (False if bits >= high else None)
    assert told(law, ray(end), first) is (True if first >= chance_below * 2**64 else None)


def test_of_other_laws_and_other_values_nothing_is_told() -> None:
    assert told(truncated_laplace(1, 3), ray(exp(1)), 2**63) is None
    assert told(discrete_laplace(1), other_than(2), 2**63) is None


class Never(AskedAgain):
    """Nothing is ever told: the noise is looked at."""

    def answer(self, law: NoiseLaw, holds: Any, uniform: UniformNumber) -> bool | None:
        return None


def compares(draw: Draw, numbers: tuple[int, ...], *, noise: Any) -> tuple[Any, ...]:
    """The noise of each number is asked for several thresholds, and then told, or not."""
    law, found = noise(Fraction(3, 2)), []
    for number in numbers:
        noisy = number + draw(law)
        found.append((noisy > 1, noisy >= 1, noisy < log(5), -noisy < 0, noisy if noisy > 2 else None))
    return tuple(found)


@given(
    st.integers(0, 2**32),
    st.lists(st.integers(-3, 3), max_size=12).map(tuple),
    st.sampled_from((laplace, discrete_laplace)),
)
def test_a_run_is_the_same_as_one_that_looks_at_all_noise(seed: int, numbers: tuple[int, ...], noise: Any) -> None:
    found = run(compares, numbers, seed=seed, noise=noise)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampler, "AskedAgain", Never)
        assert run(compares, numbers, seed=seed, noise=noise) == found


def test_what_is_remembered_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked_again, "_MOST", 3)
    asked, law = AskedAgain(), discrete_laplace(1)
    kept = [ray(k) for k in range(8)]
    for values in kept:
        assert asked.answer(law, values, UniformNumber(lambda _: 2**63)) is None
        assert len(asked._asked) <= 3


def standing_out(draw: Draw, database: tuple[int, ...], **given_: Any) -> tuple[int, ...]:
    return tuple(x for x, _ in stable_histogram(draw, database, **given_))


def as_in_the_paper(draw: Draw, database: tuple[int, ...], *, d: int, epsilon: int, delta: str) -> tuple[int, ...]:
    """Which points of Algorithm 1 stand out, each with a noise of its own and one comparison."""
    found = []
    for x in range(1 << d):
        count = database.count(x)
        if (
            count > 0
            and count + draw(discrete_laplace(Fraction(2, epsilon))) > Fraction(2, epsilon) * log(2 / exact(delta)) + 1
        ):
            found.append(x)
    return tuple(found)


def test_the_law_of_the_histogram_is_that_of_the_algorithm() -> None:
    """Exactly, on counts on both sides of the threshold."""
    for counts in ((1, 0, 13), (12, 11, 2), (14, 1, 1)):
        database = tuple(x for x, count in enumerate(counts) for _ in range(count))
        parameters: dict[str, Any] = {"d": 2, "epsilon": 1, "delta": "1/100"}
        law = distribution(standing_out, database, **parameters)
        assert law == distribution(as_in_the_paper, database, **parameters)
        assert law == distribution(
            lambda draw, rows, **given_: draw(standing_out, rows, **given_), database, **parameters
        )


def test_the_histogram_is_drawn_by_its_law() -> None:
    database = (0,) * 13 + (1,) * 13 + (2,) * 11
    parameters: dict[str, Any] = {"d": 2, "epsilon": 1, "delta": "1/100"}
    law = distribution(standing_out, database, **parameters)
    seen = [run(standing_out, database, seed=seed, **parameters) for seed in range(2000)]
    for points in law:
        share = Fraction(decimal(law.probability(points), 9))
        assert abs(Fraction(seen.count(points), len(seen)) - share) < Fraction(1, 20)  # more than four deviations
    assert len(set(seen)) > 4

"""What an enumeration may cost: a limit that is met leaves the law undecided, and says how far it came."""

from collections.abc import Callable
from typing import Any

import pytest

from dpverify.mechanisms import Draw, Limits, Undecided, bernoulli, clamp, discrete_laplace, distribution, uniform
from dpverify.mechanisms.numbers.errors import LimitMet


def _endless(draw: Draw, database: int) -> Any:
    flips = 0
    while draw(bernoulli("0.5")):
        flips += 1
    return flips


def _explodes(draw: Draw, database: int) -> Any:
    number = 0
    for place in range(11):  # 2,048 paths
        number += draw(bernoulli("0.5")) << place
    return number


def _draws_from_the_endless(draw: Draw, database: int) -> Any:
    return draw(bernoulli("0.5")) or draw(_endless, 1)


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (_endless, r"1,000 choices on one path.*\[endless-path\]; so far 0 paths.*test_limits.py, line \d+\)$"),
        (
            _explodes,
            r"more than 1,000 paths.*limits=Limits\(paths=…\).*so far 1,000 paths to 1,000 outcomes and a prob",
        ),
        (lambda draw, database: draw(uniform(range(2**64))), r"which are too many to enumerate \(limit 1,000,000\)"),
        (_draws_from_the_endless, "_endless on 1 has made 1,000 choices"),
    ],
)
def test_a_limit_that_is_met_leaves_the_law_undecided(mechanism: Callable[..., Any], message: str) -> None:
    with pytest.raises(LimitMet, match=message) as raised:
        distribution(mechanism, 7, limits=Limits(paths=1_000))
    assert isinstance(raised.value, Undecided)
    if mechanism is not _draws_from_the_endless:
        assert str(raised.value).startswith(f"{mechanism.__name__} on 7")


def test_a_limit_that_is_met_cannot_be_caught() -> None:
    def careless(draw: Draw, database: int) -> Any:
        try:
            return draw(_endless, database)
        except Undecided:
            return 0

    with pytest.raises(LimitMet, match="careless on 7"):
        distribution(careless, 7)


def test_how_far_an_enumeration_came() -> None:
    """Of ½ + ¼ + ⅛ + … the first five paths cover 31/32."""

    def halves(draw: Draw, database: int) -> int:
        found = 0
        while not draw(bernoulli("0.5")):
            found += 1
        return found

    with pytest.raises(LimitMet, match=r"so far 5 paths to 5 outcomes and a probability of 0\.969 were covered"):
        distribution(halves, 0, limits=Limits(paths=5, draws=25))


def test_a_clamp_to_too_many_numbers_is_refused_before_they_are_made() -> None:
    with pytest.raises(LimitMet, match=r"leaves 1,000,000,000 numbers to explore.*limits=Limits\(paths=…\)"):
        distribution(lambda draw, database: clamp(draw(discrete_laplace(1)), 0, 10**9), 0)

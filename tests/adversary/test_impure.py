"""Mechanisms that are no function of their database and of `draw`: whatever the claim, they are not PROVED."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from tests.adversary.tally import Tally

from dpverify.mechanisms import InputError, bernoulli, discrete_laplace, distribution, run
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy

TURNS = "1110010001011010"
"""The second half differs from the first, forwards and backwards, and the first from itself backwards."""


UNDER = "KEPT"
KEPT: dict[str, int] = {}
"""Under a name that code reads nowhere, so that it is not among what a mechanism reaches."""

IMPURE = re.compile("not deterministic|keep nothing|unchangeable|changed")
"""What is said of a mechanism that changes: nothing else is a reason to refuse these."""


class _Turns:
    """May change with every second run, so that the two runs of one enumeration agree.

    It counts where nobody can compare what it was with what it is: only another enumeration tells.
    """

    def __init__(self) -> None:
        KEPT["runs"] = 0

    def __call__(self) -> int:
        kept = globals()[UNDER]
        runs = kept["runs"]
        kept["runs"] += 1
        return int(TURNS[runs // 2 % len(TURNS)])


def plain_outcome(draw: Any, turn: int) -> Any:
    return f"turn {turn}" if draw(bernoulli(Fraction(1, 2))) else "heads"


def plain_beside_released(draw: Any, turn: int) -> Any:
    return f"turn {turn}" if draw(bernoulli(Fraction(1, 2))) else draw(discrete_laplace(1))


def probability(draw: Any, turn: int) -> Any:
    return draw(bernoulli(Fraction(1, 2))) and f"turn {turn}"


def released_shift(draw: Any, turn: int) -> Any:
    return draw(discrete_laplace(1)) + turn if draw(bernoulli(Fraction(1, 2))) else "tails"


def released_sign(draw: Any, turn: int) -> Any:
    noise = draw(discrete_laplace(1))
    return noise if (noise >= 1) == bool(turn) else "tails"


@pytest.mark.parametrize(
    "mechanism", [plain_outcome, plain_beside_released, probability, released_shift, released_sign]
)
def test_what_changes_between_enumerations_is_refused(mechanism: Callable[..., Any], tally: Tally) -> None:
    """At δ = 1 every law is private, so that only the second enumeration can speak against it, in whatever order."""
    turns = _Turns()

    def impure(draw: Any, rows: int) -> Any:
        return mechanism(draw, turns())

    tally.counts["impure mechanisms"] += 1
    try:
        verdict = check_privacy(impure, range(8), lambda rows: [(rows + 1) % 8], epsilon=0, delta=1)
    except InputError as refused:
        assert IMPURE.search(str(refused)), refused
        return
    assert verdict.status is not Status.PROVED


def test_the_sampler_and_the_enumerator_refuse_alike(tally: Tally) -> None:
    """A use of noise that the one refuses is refused by the other, too."""

    def index(draw: Any, rows: int) -> Any:
        return (3, 4)[draw(discrete_laplace(1))]

    engines: tuple[Callable[[int], Any], ...] = (lambda _: distribution(index, 0), lambda i: run(index, 0, seed=i))
    for engine in engines:
        with pytest.raises(InputError):
            for i in range(40):
                engine(i)
        tally.counts["impure mechanisms"] += 1

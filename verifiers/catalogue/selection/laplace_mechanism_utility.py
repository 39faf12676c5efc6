"""Utility of the Laplace mechanism: the tail of its noise."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from dpverify.mechanisms.exact.elementary import exp
from dpverify.mechanisms.exact.exact_numbers import ExactLike, exact
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.laws.noise import laplace
from dpverify.verifiers.catalogue.corners import CORNERS, EPSILONS
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def off_by_more_than(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """Whether Lap(1/ε) is more than a distance from 0."""
    noise = draw(laplace(1 / exact(epsilon)))
    return bool(noise > distance or noise < -distance)


def off_with_twice_the_noise(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """Lap(2/ε) in its place."""
    return off_by_more_than(draw, distance, epsilon=exact(epsilon) / 2)


def tails() -> SearchStrategy[Case]:
    """Distances from 0 on, at all ε."""
    from hypothesis import strategies as st

    return st.builds(
        lambda distance, epsilon: Case(distance, {"epsilon": epsilon}),
        st.fractions(0, 50, max_denominator=8),
        st.sampled_from(EPSILONS),
    )


laplace_tail = UtilityClaim(
    id="BNS-J-2.24.utility.tail",
    source=f"{_BNS}, Theorem 2.24 and Section 2.5.1",
    statement="Lap(1/ε) is more than Δ from 0 with probability at most e^(−εΔ)",
    mechanism=off_by_more_than,
    succeeds=lambda case, off: not off,
    beta=lambda case: exp(-case.parameters["epsilon"] * case.database),
    strategy=tails,
    corners={
        "the least ε": CORNERS["the least ε"],
        "the largest ε": CORNERS["the largest ε"],
    },
    mutant=off_with_twice_the_noise,
)

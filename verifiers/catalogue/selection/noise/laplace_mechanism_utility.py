"""Utility of the Laplace mechanism: the tail of its noise."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.verifiers.catalogue.corners import CORNERS, EPSILONS
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def off_by_more_than(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """True where Lap(1/ε) is more than a distance from 0."""
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


# Theorem 1 of the extended abstract says with which probability exactly: no more than that, and no less.


def off_by_more(draw: Draw, distance: Fraction, *, sensitivity: Fraction, epsilon: ExactLike) -> bool:
    """True where Lap(k/ε), with which a query of sensitivity k is answered, is more than a distance from 0."""
    return off_by_more_than(draw, distance, epsilon=exact(epsilon) / sensitivity)


def off_by_more_with_twice_the_noise(
    draw: Draw, distance: Fraction, *, sensitivity: Fraction, epsilon: ExactLike
) -> bool:
    """Lap(2k/ε) in its place."""
    return off_by_more(draw, distance, sensitivity=2 * sensitivity, epsilon=epsilon)


def off_by_more_with_half_the_noise(
    draw: Draw, distance: Fraction, *, sensitivity: Fraction, epsilon: ExactLike
) -> bool:
    """Lap(k/(2ε)) in its place, which is nearer to 0."""
    return off_by_more(draw, distance, sensitivity=sensitivity / 2, epsilon=epsilon)


def tails_of_queries() -> SearchStrategy[Case]:
    """Distances from 0 on, at all ε, of queries of several sensitivities."""
    from hypothesis import strategies as st

    return st.builds(
        lambda distance, epsilon, sensitivity: Case(distance, {"epsilon": epsilon, "sensitivity": sensitivity}),
        st.fractions(0, 50, max_denominator=8),
        st.sampled_from(EPSILONS),
        st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(3)]),
    )


def tail_of_theorem_1(case: Case) -> Exact:
    """e^(−εΔ/k)."""
    return exp(-case.parameters["epsilon"] * case.database / case.parameters["sensitivity"])


_THEOREM_1: Final = "Beimel, Nissim & Stemmer, extended abstract, Theorem 1"
_CORNERS: Final = {name: CORNERS[name] for name in ("the least ε", "the largest ε")}

tail_at_most = UtilityClaim(
    id="BNS-X-Thm1.utility.tail",
    source=_THEOREM_1,
    statement="Lap(k/ε) is more than Δ from 0 with probability e^(−εΔ/k), and no more",
    mechanism=off_by_more,
    succeeds=lambda case, off: not off,
    beta=tail_of_theorem_1,
    strategy=tails_of_queries,
    corners=_CORNERS,
    mutant=off_by_more_with_twice_the_noise,
)
tail_at_least = UtilityClaim(
    id="BNS-X-Thm1.utility.tail-no-less",
    source=_THEOREM_1,
    statement="Lap(k/ε) is more than Δ from 0 with probability e^(−εΔ/k), and no less",
    mechanism=off_by_more,
    succeeds=lambda case, off: off,
    beta=lambda case: 1 - tail_of_theorem_1(case),
    strategy=tails_of_queries,
    corners=_CORNERS,
    mutant=off_by_more_with_half_the_noise,
)


# The union bound of Theorem 2.24: of n coordinates.


def some_off_by_more(draw: Draw, distance: Fraction, *, coordinates: int, epsilon: ExactLike) -> bool:
    """True where some of the n noises Lap(1/ε) is more than a distance from 0."""
    return any(off_by_more_than(draw, distance, epsilon=epsilon) for _ in range(coordinates))


def some_off_with_twice_the_noise(draw: Draw, distance: Fraction, *, coordinates: int, epsilon: ExactLike) -> bool:
    """Lap(2/ε) in its place."""
    return some_off_by_more(draw, distance, coordinates=coordinates, epsilon=exact(epsilon) / 2)


def tails_of_vectors() -> SearchStrategy[Case]:
    """Distances from 0 on, at all ε, of one to four coordinates."""
    from hypothesis import strategies as st

    return st.builds(
        lambda distance, epsilon, coordinates: Case(distance, {"epsilon": epsilon, "coordinates": coordinates}),
        st.fractions(0, 50, max_denominator=8),
        st.sampled_from(EPSILONS),
        st.integers(1, 4),
    )


tail_of_a_vector = UtilityClaim(
    id="BNS-J-2.24.utility.tail-of-a-vector",
    source=f"{_BNS}, Theorem 2.24",
    statement="some of n noises Lap(1/ε) is more than Δ from 0 with probability at most n·e^(−εΔ)",
    mechanism=some_off_by_more,
    succeeds=lambda case, off: not off,
    beta=lambda case: case.parameters["coordinates"] * exp(-case.parameters["epsilon"] * case.database),
    strategy=tails_of_vectors,
    corners=_CORNERS,
    mutant=some_off_with_twice_the_noise,
)


def _of_many_coordinates(n: int, epsilon: Fraction, beta: Fraction) -> Case:
    """The distance that some of n noises exceeds with probability at most β."""
    return Case(log(n / beta) / epsilon, {"epsilon": epsilon, "coordinates": n}, {"beta": beta})


tail_of_a_long_vector = UtilityClaim(
    id="BNS-J-2.24.utility.tail-of-a-long-vector",
    source=f"{_BNS}, Theorem 2.24, and a union bound over the coordinates",
    statement="all of n noises Lap(1/ε) are within (1/ε)·ln(n/β) of 0 with probability at least 1 − β; n = 10 and 50",
    mechanism=some_off_by_more,
    succeeds=lambda case, off: not off,
    beta=lambda case: case.facts["beta"],
    cases=[
        _of_many_coordinates(n, epsilon, beta)
        for n in (10, 50)
        for epsilon in (Fraction(1, 10), Fraction(1))
        for beta in (Fraction(1, 20), Fraction(1, 4))
    ],
    mutant=some_off_with_twice_the_noise,
)

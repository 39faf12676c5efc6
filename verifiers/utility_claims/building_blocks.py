"""Utility of noise, the exponential mechanism and A_dist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.exact.elementary import exp, log
from dpverify.mechanisms.exact.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.laws.noise import laplace
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.stability import a_dist_extended_abstract, a_dist_journal
from dpverify.reports.record import Status
from dpverify.verifiers.utility.checker import Case, Sharpness, UtilityClaim

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

EPSILONS: Final = (Fraction(1, 100), Fraction(1, 3), Fraction(1), Fraction(5), Fraction(200))
"""Small and large ones; corners are the ends."""

BETAS: Final = (Fraction(1, 10**12), Fraction(1, 20), Fraction(1, 2), Fraction(99, 100))
DELTAS: Final = (Fraction(1, 10**9), Fraction(1, 10), Fraction(99, 100))

CORNERS: Final = {
    "the least ε": lambda case: case.parameters["epsilon"] == EPSILONS[0],
    "the largest ε": lambda case: case.parameters["epsilon"] == EPSILONS[-1],
    "the least β": lambda case: case.facts["beta"] == BETAS[0],
    "β near 1": lambda case: case.facts["beta"] == BETAS[-1],
}
DELTA_CORNERS: Final = {
    **CORNERS,
    "the least δ": lambda case: case.parameters["delta"] == DELTAS[0],
    "δ near 1": lambda case: case.parameters["delta"] == DELTAS[-1],
}


# Theorem 2.24: the tail of Laplace noise.


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


# Proposition 2.25(ii): the exponential mechanism.


def exponential_at_half_epsilon(draw: Draw, quality: tuple[int, ...], *, epsilon: ExactLike) -> Any:
    """Half the ε."""
    return exponential_mechanism(draw, quality, epsilon=exact(epsilon) / 2)


def qualities() -> SearchStrategy[Case]:
    """Qualities with a best, others at and around best − Δ, and Δ from 1/ε to 20/ε."""
    from hypothesis import strategies as st

    @st.composite
    def case(choose: Any) -> Case:
        epsilon = choose(st.sampled_from(EPSILONS))
        distance = ceil(choose(st.sampled_from((1, 6, 9, 20))) / epsilon)
        heights = choose(st.sampled_from(((distance,), (0, distance - 1, distance, distance + 3))))
        gaps = choose(st.lists(st.sampled_from(heights), max_size=12))
        best = choose(st.integers(0, 40))
        return Case((best, *(best - gap for gap in gaps)), {"epsilon": epsilon}, {"distance": distance})

    return case()


def many_at(distance: int) -> Iterator[Case]:
    """One best solution and 99 that are worse by `distance`, at ε = 1 and β = 1/20."""
    yield Case((distance, *(0,) * 99), {"epsilon": Fraction(1)}, {"distance": distance, "beta": Fraction(1, 20)})


def allowed_by_exponential(case: Case) -> Exact:
    """|H|·e^(−εΔ/2), or β where the case names one."""
    if "beta" in case.facts:
        return exact(case.facts["beta"])
    return len(case.database) * exp(-case.parameters["epsilon"] * case.facts["distance"] / 2)


exponential_choice = UtilityClaim(
    id="BNS-J-2.25.utility.exponential",
    source=f"{_BNS}, Proposition 2.25(ii)",
    statement="the exponential mechanism chooses a solution of quality ≤ best − Δ with probability ≤ |H|·e^(−εΔ/2)",
    mechanism=exponential_mechanism,
    succeeds=lambda case, chosen: case.database[chosen] > max(case.database) - case.facts["distance"],
    beta=allowed_by_exponential,
    strategy=qualities,
    corners={
        "one solution": lambda case: len(case.database) == 1,
        "all but one at best − Δ": lambda case: set(case.database[1:]) == {case.database[0] - case.facts["distance"]},
        "the least ε": CORNERS["the least ε"],
        "the largest ε": CORNERS["the largest ε"],
    },
    mutant=exponential_at_half_epsilon,
    sharpness=Sharpness(
        what="gap Δ for 100 solutions, ε = 1, β = 1/20",
        paper=ceil(2 * log(2000)),  # |H|·e^(−εΔ/2) = β
        family=many_at,
    ),
)


# Proposition 2.26(ii), and Proposition 2(ii) of the extended abstract: A_dist.


def at_the_gap(needed: Any, betas: Sequence[Fraction] = BETAS) -> SearchStrategy[Case]:
    """Qualities whose gap is the least whole one that the proposition speaks of, or one or some more."""
    from hypothesis import strategies as st

    def case(epsilon: Fraction, delta: Fraction, beta: Fraction, more: int, others: int) -> Case:
        gap = max(0, ceil(needed(epsilon, delta, beta))) + more
        return Case(
            (gap, *(0,) * others), {"epsilon": epsilon, "delta": delta}, {"beta": beta, "at the gap": more == 0}
        )

    return st.builds(
        case,
        st.sampled_from(EPSILONS),
        st.sampled_from(DELTAS),
        st.sampled_from(betas),
        st.sampled_from((0, 0, 1, 7)),
        st.integers(1, 3),
    )


def gap_journal(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Exact:
    """(1/ε)·ln(1/(βδ))."""
    return log(1 / (beta * delta)) / epsilon


def gap_extended_abstract(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Exact:
    """(4/ε)·ln(2/(βδ))."""
    return 4 * log(2 / (beta * delta)) / epsilon


def with_twice_the_threshold(draw: Draw, quality: tuple[int, ...], *, epsilon: ExactLike, delta: Fraction) -> Any:
    """A_dist with the threshold of δ², which is twice as high."""
    return a_dist_journal(draw, quality, epsilon=epsilon, delta=delta**2)


def extended_at_a_third_of_epsilon(draw: Draw, quality: tuple[int, ...], *, epsilon: Fraction, delta: Fraction) -> Any:
    """A third of the ε."""
    return a_dist_extended_abstract(draw, quality, epsilon=epsilon / 3, delta=delta)


def one_gap(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Any:
    """The gap as what is varied."""

    def family(gap: int) -> Iterator[Case]:
        yield Case((gap, 0), {"epsilon": epsilon, "delta": delta}, {"beta": beta})

    return family


_AT: Final = (Fraction(1), Fraction(1, 10**6), Fraction(1, 20))

a_dist_of_the_journal = UtilityClaim(
    id="BNS-J-2.26.utility.gap",
    source=f"{_BNS}, Proposition 2.26(ii)",
    statement="A_dist returns the best solution with probability ≥ 1 − β where its gap is ≥ (1/ε)·ln(1/(βδ))",
    mechanism=a_dist_journal,
    succeeds=lambda case, chosen: chosen == 0,
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: (
        case.database[0] - case.database[1]
        >= gap_journal(case.parameters["epsilon"], case.parameters["delta"], case.facts["beta"])
    ),
    strategy=lambda: at_the_gap(gap_journal),
    corners={**DELTA_CORNERS, "exactly the gap": lambda case: case.facts["at the gap"]},
    mutant=with_twice_the_threshold,
    sharpness=Sharpness(
        what="gap, ε = 1, δ = 10⁻⁶, β = 1/20", paper=ceil(gap_journal(*_AT)), family=one_gap(*_AT), least=0
    ),
)


def gap_corrected(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Exact:
    """(4/ε)·ln(1/(2βδ)) + 2, where Lap(4/ε) leaves the threshold (4/ε)·ln(1/δ) + 2 with probability β ≤ 1/2."""
    return 4 * log(1 / (2 * beta * delta)) / epsilon + 2


_EXTENDED: Final[dict[str, Any]] = {
    "mechanism": a_dist_extended_abstract,
    "succeeds": lambda case, chosen: chosen == 0,
    "beta": lambda case: case.facts["beta"],
    "corners": {**DELTA_CORNERS, "exactly the gap": lambda case: case.facts["at the gap"]},
    "mutant": extended_at_a_third_of_epsilon,
}

a_dist_of_the_extended_abstract = UtilityClaim(
    id="BNS-X-Prop2.utility.gap",
    source="Beimel, Nissim & Stemmer, extended abstract, Proposition 2(ii)",
    statement="A_dist returns the best solution with probability ≥ 1 − β where its gap is ≥ (4/ε)·ln(2/(βδ))",
    strategy=lambda: at_the_gap(gap_extended_abstract),
    expected=Status.REFUTED,
    examples=(
        Case(
            (40, 0),
            {"epsilon": Fraction(5), "delta": DELTAS[0]},
            {"beta": BETAS[0], "at the gap": True},
        ),
    ),
    **_EXTENDED,
)

a_dist_of_the_extended_abstract_corrected = UtilityClaim(
    id="BNS-X-Prop2.utility.gap-corrected",
    source="Beimel, Nissim & Stemmer, extended abstract, Proposition 2(ii), with the gap that its threshold needs",
    statement="A_dist returns the best solution with probability ≥ 1 − β where its gap is ≥ (4/ε)·ln(1/(2βδ)) + 2, "
    "β ≤ 1/2",
    strategy=lambda: at_the_gap(gap_corrected, BETAS[:-1]),
    sharpness=Sharpness(
        what="gap, ε = 1, δ = 10⁻⁶, β = 1/20", paper=ceil(gap_corrected(*_AT)), family=one_gap(*_AT), least=0, ours=True
    ),
    **{**_EXTENDED, "corners": {name: hit for name, hit in _EXTENDED["corners"].items() if name != "β near 1"}},
)

CLAIMS: Final = (
    laplace_tail,
    exponential_choice,
    a_dist_of_the_journal,
    a_dist_of_the_extended_abstract,
    a_dist_of_the_extended_abstract_corrected,
)

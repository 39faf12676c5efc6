"""Utility of the exponential mechanism: Beimel, Nissim & Stemmer, journal version, Proposition 2.25(ii)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.verifiers.catalogue.corners import CORNERS, EPSILONS
from dpverify.verifiers.utility.best_possible import BestPossible
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def exponential_at_half_epsilon(draw: Draw, quality: tuple[int, ...], *, epsilon: ExactLike, **given: Any) -> Any:
    """Half the ε."""
    return exponential_mechanism(draw, quality, epsilon=exact(epsilon) / 2, **given)


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


def with_another_row(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The counts where one row has another value."""
    for i, j in permutations(range(len(counts)), 2):
        if counts[i]:
            yield tuple(count + (k == j) - (k == i) for k, count in enumerate(counts))


_COUNTS: Final = [counts for counts in product(range(5), repeat=3) if sum(counts) == 4]
_TWO_BELOW: Final = {"distance": 2}

exponential_choice_of_counts = UtilityClaim(
    id="BNS-J-2.25.utility.counts",
    source=f"{_BNS}, Proposition 2.25(ii)",
    statement="of the counts of three values in four rows, at ε = ln 9, the exponential mechanism chooses one that is "
    "two or more below the best with probability ≤ 3·e^(−ε)",
    mechanism=exponential_mechanism,
    cases=[Case(counts, {"epsilon": log(9)}, _TWO_BELOW) for counts in _COUNTS],
    succeeds=lambda case, chosen: case.database[chosen] > max(case.database) - case.facts["distance"],
    beta=allowed_by_exponential,
    optimal=BestPossible(epsilon=log(9), neighbours=with_another_row, outcomes=range(3)),
    mutant=exponential_at_half_epsilon,
)


# BuNS, Proposition 3.8(2): the same for qualities of any sensitivity.


def qualities_of_sensitivity() -> Iterator[Case]:
    """A best solution, and 1, 3 or 99 others at exactly best − t or just above it, at ordinary ε and three Δ."""
    for sensitivity, others, epsilon in product(
        (Fraction(1, 2), Fraction(2), Fraction(3)), (1, 3, 99), (Fraction(1, 10), Fraction(1, 2), Fraction(1))
    ):
        for distance in (ceil(2 * log(2 * (others + 1)) * sensitivity / epsilon), ceil(12 * sensitivity / epsilon)):
            for above in (0, min(others, 2)):
                quality = (distance, *(1,) * above, *(0,) * (others - above))
                yield Case(quality, {"epsilon": epsilon, "sensitivity": sensitivity}, {"distance": distance})


def allowed_at_sensitivity(case: Case) -> Exact:
    """|H|·e^(−εt/(2Δ))."""
    rate = case.parameters["epsilon"] / (2 * case.parameters["sensitivity"])
    return len(case.database) * exp(-rate * case.facts["distance"])


exponential_choice_of_sensitivity = UtilityClaim(
    id="BuNS-3.8.utility.sensitivity",
    source="Bun, Nissim & Stemmer, Proposition 3.8(2), as reconstructed for a quality of sensitivity Δ",
    statement="the exponential mechanism for qualities of sensitivity Δ chooses a solution of quality ≤ best − t with "
    "probability ≤ |H|·e^(−εt/(2Δ)); Δ in {1/2, 2, 3}, |H| ≤ 100, ε in {1/10, 1/2, 1}",
    mechanism=exponential_mechanism,
    succeeds=lambda case, chosen: case.database[chosen] > max(case.database) - case.facts["distance"],
    beta=allowed_at_sensitivity,
    cases=tuple(qualities_of_sensitivity()),
    mutant=exponential_at_half_epsilon,
)

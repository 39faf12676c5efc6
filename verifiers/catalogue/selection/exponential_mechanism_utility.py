"""Utility of the exponential mechanism: Beimel, Nissim & Stemmer, journal version, Proposition 2.25(ii)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms import Exact, exact, exp, log
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers.catalogue.corners import ENDS_OF_EPSILON, EPSILONS
from dpverify.verifiers.catalogue.selection.counting import move_one_row
from dpverify.verifiers.utility.best_possible import BestPossible
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.family import Family, at_part, least_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, Proposition 2.25(ii)"


def allowed_by_exponential(case: Case) -> Exact:
    """|H|·e^(−εt/(2Δ)) for sensitivity Δ, which is 1 unless the case says so; β where the case names one."""
    if "beta" in case.facts:
        return exact(case.facts["beta"])
    rate = case.parameters["epsilon"] / (2 * case.parameters.get("sensitivity", 1))
    return len(case.database) * exp(-rate * case.facts["distance"])


choice = Family(
    exponential_mechanism,
    lambda case, chosen: case.database[chosen] > max(case.database) - case.facts["distance"],
    allowed_by_exponential,
    at_part("exponential_at_half_epsilon", exponential_mechanism, 2),
)


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


exponential_choice = choice(
    "BNS-J-2.25.utility.exponential",
    _SOURCE,
    "the exponential mechanism chooses a solution of quality ≤ best − Δ with probability ≤ |H|·e^(−εΔ/2)",
    strategy=qualities,
    corners={
        "one solution": lambda case: len(case.database) == 1,
        "all but one at best − Δ": lambda case: set(case.database[1:]) == {case.database[0] - case.facts["distance"]},
        **ENDS_OF_EPSILON,
    },
    sharpness=least_of(
        "gap Δ for 100 solutions, ε = 1, β = 1/20",
        ceil(2 * log(2000)),  # |H|·e^(−εΔ/2) = β
        lambda gap: [Case((gap, *(0,) * 99), {"epsilon": Fraction(1)}, {"distance": gap, "beta": Fraction(1, 20)})],
    ),
)


exponential_choice_of_counts = choice(
    "BNS-J-2.25.utility.counts",
    _SOURCE,
    "of the counts of three values in four rows, at ε = ln 9, the exponential mechanism chooses one that is "
    "two or more below the best with probability ≤ 3·e^(−ε)",
    [Case(rows, {"epsilon": log(9)}, {"distance": 2}) for rows in product(range(5), repeat=3) if sum(rows) == 4],
    optimal=BestPossible(epsilon=log(9), neighbours=move_one_row, outcomes=range(3)),
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


exponential_choice_of_sensitivity = choice(
    "BuNS-3.8.utility.sensitivity",
    "Bun, Nissim & Stemmer, Proposition 3.8(2), as reconstructed for a quality of sensitivity Δ",
    "the exponential mechanism for qualities of sensitivity Δ chooses a solution of quality ≤ best − t with "
    "probability ≤ |H|·e^(−εt/(2Δ)); Δ in {1/2, 2, 3}, |H| ≤ 100, ε in {1/10, 1/2, 1}",
    tuple(qualities_of_sensitivity()),
)

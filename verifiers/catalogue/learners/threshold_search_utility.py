"""Utility of the noisy binary search: Beimel, Nissim & Stemmer, journal version, Remark 3.5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.exact.exact_numbers import exact
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.learners.threshold_search import comparisons, noisy_binary_search, rows_for_search
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import Sharpness, UtilityClaim

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def length_found(
    draw: Draw, qualities: Sequence[int], *, alpha: Fraction, epsilon: Fraction, size: int, wider: int = 1
) -> int:
    """The j that the search finds, with the threshold and the ε that the learner of thresholds gives it."""
    last = len(qualities) - 1
    threshold = exact(alpha * size / 2)
    return noisy_binary_search(draw, qualities.__getitem__, last, threshold, exact(epsilon / 4 / wider))


def length_found_by_more_noise(draw: Draw, qualities: Sequence[int], **given: Any) -> int:
    """Eight times the noise."""
    return length_found(draw, qualities, wider=8, **given)


def is_between(case: Case, j: int) -> bool:
    """Whether Q(j) ≥ αm/4, and Q(j − 1) ≤ 3αm/4 unless j = 0."""
    values, scaled = case.database, case.parameters["alpha"] * case.parameters["size"] / 4
    return bool(values[j] >= scaled and (j == 0 or values[j - 1] <= 3 * scaled))


def levels(alpha: Fraction, size: int) -> tuple[int, ...]:
    """Qualities at the ends of what is wrong, in the middle, and far from it."""
    quarter = alpha * size / 4
    return (0, ceil(quarter) - 1, ceil(quarter), ceil(2 * quarter), int(3 * quarter) + 1, size)


SEARCH_EPSILONS: Final = (Fraction(1, 100), Fraction(1), Fraction(200))
SEARCH_BETAS: Final = (Fraction(1, 10**9), Fraction(1, 20), Fraction(99, 100))
SEARCH_ALPHAS: Final = (Fraction(1, 10), Fraction(1, 2), Fraction(99, 100))


def searches() -> SearchStrategy[Case]:
    """Qualities that do not fall, over all lengths or the powers of two, and the rows for them."""
    from hypothesis import strategies as st

    @st.composite
    def case(choose: Any) -> Case:
        d, powers = choose(st.sampled_from((0, 0, 0, 1, 2, 3))), choose(st.booleans())
        alpha, beta = choose(st.sampled_from(SEARCH_ALPHAS)), choose(st.sampled_from(SEARCH_BETAS))
        epsilon = choose(st.sampled_from(SEARCH_EPSILONS))
        m = rows_for_search(d=d, alpha=alpha, beta=beta, epsilon=epsilon, powers=powers)
        length = (d if powers else 1 << d) + 1
        values = sorted(choose(st.lists(st.sampled_from(levels(alpha, m)), min_size=length, max_size=length)))
        given = {"alpha": alpha, "epsilon": epsilon, "size": m}
        return Case(tuple(values), given, {"beta": beta, "d": d, "powers": powers})

    return case()


def staircases(m: int) -> Iterator[Case]:
    """Qualities of five lengths, d = 4: all that rise through what is wrong."""
    alpha = Fraction(1, 2)
    low, high = max(0, ceil(alpha * m / 4) - 1), min(m, int(3 * alpha * m / 4) + 1)
    for values in combinations_with_replacement(sorted({low, high, m}), 5):
        if values[-1] >= alpha * m / 4:
            yield Case(values, {"alpha": alpha, "epsilon": Fraction(1), "size": m}, {"beta": Fraction(1, 20)})


search = UtilityClaim(
    id="BNS-J-3.5.utility.search",
    source=f"{_BNS}, Remark 3.5, with the number of rows of `rows_for_search`: the paper states none",
    statement="k comparisons with noise Lap(4k/ε) find j with Q(j) ≥ αm/4 and, unless j = 0, Q(j − 1) ≤ 3αm/4, with "
    "probability ≥ 1 − β, from m ≥ (16k/(αε))·ln(k/β), where the last Q is ≥ αm/4",
    mechanism=length_found,
    succeeds=is_between,
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: bool(case.database[-1] >= case.parameters["alpha"] * case.parameters["size"] / 4),
    strategy=searches,
    corners={
        "one length": lambda case: len(case.database) == 1,
        "all lengths": lambda case: not case.facts["powers"] and case.facts["d"] == 3,
        "the powers of two": lambda case: case.facts["powers"] and case.facts["d"] == 3,
        "one Q just below αm/4": lambda case: (
            levels(case.parameters["alpha"], case.parameters["size"])[1] in case.database
        ),
        "one Q just above 3αm/4": lambda case: (
            levels(case.parameters["alpha"], case.parameters["size"])[4] in case.database
        ),
        "the least ε": lambda case: case.parameters["epsilon"] == SEARCH_EPSILONS[0],
        "the largest ε": lambda case: case.parameters["epsilon"] == SEARCH_EPSILONS[-1],
        "the least β": lambda case: case.facts["beta"] == SEARCH_BETAS[0],
        "β near 1": lambda case: case.facts["beta"] == SEARCH_BETAS[-1],
        "the least α": lambda case: case.parameters["alpha"] == SEARCH_ALPHAS[0],
        "α near 1": lambda case: case.parameters["alpha"] == SEARCH_ALPHAS[-1],
    },
    mutant=length_found_by_more_noise,
    sharpness=Sharpness(
        ours=True,
        what=f"rows, {comparisons(4)} comparisons, α = 1/2, ε = 1, β = 1/20",
        paper=rows_for_search(d=4, alpha=Fraction(1, 2), beta=Fraction(1, 20), epsilon=Fraction(1), powers=True),
        family=staircases,
    ),
)

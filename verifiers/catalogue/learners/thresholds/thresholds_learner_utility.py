"""Utility of learning thresholds: LearnThresholds on its sample, event E2 of Theorem 3.18, and noisy binary search.

The search is that of Remark 3.5 of the journal version of Beimel, Nissim & Stemmer, and of Remark 1 of their extended
abstract, which says other bounds of it.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Draw, exact, laplace
from dpverify.mechanisms.learners.threshold_search import (
    comparisons,
    most_of_both,
    noisy_binary_search,
    rows_for_search,
)
from dpverify.mechanisms.learners.thresholds_learner import learn_thresholds, rows_for_promise
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold, correct_labels
from dpverify.mechanisms.selection import choose_by_stability_journal
from dpverify.verifiers.catalogue.corners import claimed_beta, ends_of
from dpverify.verifiers.catalogue.families import BNS, BNS_X, HALF, HUNDREDTH, MILLIONTH, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.utility.family import Case, Family, RandomCases, as_named, at_part, least_of, weakened

# Theorem 3.18: the part of its proof that is on the sample, event E2.
THRESHOLD_EPSILONS: Final = (Fraction(20), Fraction(200), Fraction(10_000))
THRESHOLD_BETAS: Final = (MILLIONTH, QUARTER, Fraction(99, 100))
THRESHOLD_DELTAS: Final = (MILLIONTH, Fraction(99, 100))


def threshold_after(draw: Draw, sample: Sequence[Example], **given: Any) -> Any:
    """LearnThresholds, and the threshold one half of the domain further on, around its end."""
    found = draw(learn_thresholds, sample, **given)
    size = 1 << given["d"]
    return Threshold((found.j + (size + 1) // 2) % (size + 1)) if isinstance(found, Threshold) else found


def samples_with_gaps() -> RandomCases:
    """Samples of exactly the rows that the proof asks for, consistent with a threshold: two points next to a gap."""
    from hypothesis import strategies as st

    @st.composite
    def case(choose: Any) -> Case:
        d, alpha = choose(st.sampled_from((1, 3, 6))), choose(st.sampled_from((HALF, Fraction(9, 10))))
        epsilon, delta = choose(st.sampled_from(THRESHOLD_EPSILONS)), choose(st.sampled_from(THRESHOLD_DELTAS))
        beta, depth = choose(st.sampled_from(THRESHOLD_BETAS)), 2 if epsilon > 20 and choose(st.booleans()) else 1
        asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "depth": depth}
        printed: dict[str, Any] = {"selection": choose_by_stability_journal}
        m = rows_for_promise(last=1 << d, alpha=alpha / 2, beta=beta / 2, **asked, **printed)
        low = choose(st.integers(0, (1 << d) - 2))
        high = choose(st.integers(low + 1, (1 << d) - 1))
        ones = choose(st.sampled_from((0, 1, m // 2, m)))
        sample = ((low, 1),) * ones + ((high, 0),) * (m - ones)
        return Case(sample, {"d": d, "alpha": alpha, **asked, "base": 2, **printed}, {"beta": beta, "ones": ones})

    return case()


def is_good_on_the_sample(case: Case, hypothesis: Any) -> bool:
    """True where the error on the sample is at most α/2."""
    rows = len(case.database)
    return isinstance(hypothesis, Threshold) and bool(
        rows - correct_labels(hypothesis, case.database) <= case.parameters["alpha"] / 2 * rows
    )


on_the_sample = Family(learn_thresholds, is_good_on_the_sample, lambda case: case.facts["beta"] / 2, threshold_after)(
    "BNS-J-3.18.utility.empirical",
    f"{BNS}, proof of Theorem 3.18, event E2",
    "LearnThresholds has error ≤ α/2 on a consistent sample with probability ≥ 1 − β/2, from "
    "m ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times",
    strategy=samples_with_gaps,
    corners={
        "d = 1": lambda case: case.parameters["d"] == 1,
        "one label": lambda case: case.facts["ones"] in (0, len(case.database)),
        "one example of label 1": lambda case: case.facts["ones"] == 1,
        **ends_of(epsilon=THRESHOLD_EPSILONS, delta=THRESHOLD_DELTAS, beta=THRESHOLD_BETAS),
    },
    sharp_in="BNS-J-3.18.utility.on-the-sample",
)


def length_found(
    draw: Draw, qualities: Sequence[int], *, alpha: Fraction, epsilon: Fraction, size: int, wider: int = 1
) -> int:
    """The j that the search finds, with the threshold and the ε that the learner of thresholds gives it."""
    last = len(qualities) - 1
    threshold = exact(alpha * size / 2)
    noise = laplace(comparisons(last) / exact(epsilon / 4 / wider))
    return noisy_binary_search(lambda j: qualities[j] + draw(noise), last, threshold)


def is_between(case: Case, j: int) -> bool:
    """True where Q(j) ≥ αm/4, and Q(j − 1) ≤ 3αm/4 unless j = 0."""
    values, scaled = case.database, case.parameters["alpha"] * case.parameters["size"] / 4
    return bool(values[j] >= scaled and (j == 0 or values[j - 1] <= 3 * scaled))


def levels(alpha: Fraction, size: int, **_: Any) -> tuple[int, ...]:
    """Qualities at the ends of what is wrong, in the middle, and far from it."""
    quarter = alpha * size / 4
    return (0, ceil(quarter) - 1, ceil(quarter), ceil(2 * quarter), int(3 * quarter) + 1, size)


SEARCH_EPSILONS: Final = (HUNDREDTH, Fraction(1), Fraction(200))
SEARCH_BETAS: Final = (Fraction(1, 10**9), TWENTIETH, Fraction(99, 100))
SEARCH_ALPHAS: Final = (TENTH, HALF, Fraction(99, 100))


def searches() -> RandomCases:
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
    alpha = HALF
    low, high = max(0, ceil(alpha * m / 4) - 1), min(m, int(3 * alpha * m / 4) + 1)
    for values in combinations_with_replacement(sorted({low, high, m}), 5):
        if values[-1] >= alpha * m / 4:
            yield Case(values, {"alpha": alpha, "epsilon": Fraction(1), "size": m}, {"beta": TWENTIETH})


search = Family(
    length_found,
    is_between,
    claimed_beta,
    weakened("length_found_by_more_noise", length_found, wider=8),
    lambda case: bool(case.database[-1] >= case.parameters["alpha"] * case.parameters["size"] / 4),
)(
    "BNS-J-3.5.utility.search",
    f"{BNS}, Remark 3.5, with the number of rows of `rows_for_search`: the paper states none",
    "k comparisons with noise Lap(4k/ε) find j with Q(j) ≥ αm/4 and, unless j = 0, Q(j − 1) ≤ 3αm/4, with "
    "probability ≥ 1 − β, from m ≥ (16k/(αε))·ln(k/β), where the last Q is ≥ αm/4",
    strategy=searches,
    corners={
        "one length": lambda case: len(case.database) == 1,
        "all lengths": lambda case: not case.facts["powers"] and case.facts["d"] == 3,
        "the powers of two": lambda case: case.facts["powers"] and case.facts["d"] == 3,
        "one Q just below αm/4": lambda case: levels(**case.parameters)[1] in case.database,
        "one Q just above 3αm/4": lambda case: levels(**case.parameters)[4] in case.database,
        **ends_of(epsilon=SEARCH_EPSILONS, beta=SEARCH_BETAS, alpha=SEARCH_ALPHAS),
    },
    sharpness=least_of(
        f"rows, {comparisons(4)} comparisons, α = 1/2, ε = 1, β = 1/20",
        rows_for_search(d=4, alpha=HALF, beta=TWENTIETH, epsilon=Fraction(1), powers=True),
        staircases,
        ours=True,
    ),
)


# Remark 1 of the extended abstract: Q(j) ≥ (1 − 3α/4)·m and Q(j − 1) ≤ (1 − α/4)·m, where Q is at most m/2.
def quality_of(sample: Sequence[Example], j: int) -> int:
    """Q(j): the largest min(zeros, ones) in an interval [a, b] with b − a = 2^j."""
    zeros, ones = (sorted(x for x, y in sample if y == label) for label in (0, 1))
    return most_of_both(zeros, ones, 1 << j)


def power_found(draw: Draw, sample: Sequence[Example], *, d: int, epsilon: Fraction, threshold: Fraction) -> int:
    """The j that the search over the powers of two finds, with noise as in the learner of thresholds."""
    noise = laplace(comparisons(d) / exact(epsilon / 4))
    return noisy_binary_search(lambda j: quality_of(sample, j) + draw(noise), d, exact(threshold))


def is_between_the_bounds(case: Case, j: int) -> bool:
    """True where Q(j) is at least the lower bound, and Q(j − 1), unless j = 0, at most the upper one."""
    low, high = case.facts["bounds"]
    return bool(quality_of(case.database, j) >= low and (j == 0 or quality_of(case.database, j - 1) <= high))


def samples_in_two_halves(bounds: Callable[[Fraction], tuple[Fraction, Fraction]]) -> Iterator[Case]:
    """As many examples labelled 1 as 0, 2^j apart or alike on all points: d = 4, α = 1/2 and 1/10, β = 1/4, ε = 1."""
    d, beta, epsilon = 4, QUARTER, Fraction(1)
    for alpha in (HALF, TENTH):
        half = ceil(Fraction(rows_for_search(d=d, alpha=alpha, beta=beta, epsilon=epsilon, powers=True), 16)) * 8
        low, high = (2 * half * share for share in bounds(alpha))
        given = {"d": d, "epsilon": epsilon, "threshold": (low + high) / 2}
        facts = {"alpha": alpha, "beta": beta, "bounds": (low, high)}
        for ones, zeros in ((7, 8), (4, 8), (0, 15)):
            yield Case(((ones, 1),) * half + ((zeros, 0),) * half, given, facts)
        all_points = tuple((x, int(x < 8)) for x in range(16) for _ in range(half // 8))
        yield Case(all_points, given, facts)


_PRINTED_BOUNDS: Final = tuple(samples_in_two_halves(lambda alpha: (1 - 3 * alpha / 4, 1 - alpha / 4)))
search_of_the_abstract = Family(
    power_found,
    is_between_the_bounds,
    claimed_beta,
    as_named("power_below_the_bounds", "The least j, whatever the sample.", lambda draw, sample, **given: 0),
)(
    "BNS-X-Rem1.utility.search",
    f"{BNS_X}, Remark 1",
    "a noisy binary search finds a j with Q(j) ≥ (1 − 3α/4)·m and Q(j − 1) ≤ (1 − α/4)·m with probability "
    "≥ 1 − β, on samples with as many zeros as ones; d = 4, α = 1/2 and 1/10, β = 1/4, ε = 1",
    _PRINTED_BOUNDS,
    examples=_PRINTED_BOUNDS[:1],
    of_the_statement="Q(j) is the lesser of two numbers that add up to m at most, so that no j has that for α < 2/3. "
    "The bounds are those of a quality that is m at best, as L of Figure 1 is; those of the journal version, αm/4 and "
    "3αm/4, are met (BNS-X-Rem1.utility.search-corrected).",
)
search_as_in_the_journal = Family(
    power_found, is_between_the_bounds, claimed_beta, at_part("power_found_by_more_noise", power_found, 16)
)(
    "BNS-X-Rem1.utility.search-corrected",
    f"{BNS_X}, Remark 1, with the bounds of the journal version's Remark 3.5",
    "the same, with Q(j) ≥ αm/4 and Q(j − 1) ≤ 3αm/4, from m ≥ (16k/(αε))·ln(k/β) rows, k comparisons with "
    "noise Lap(4k/ε)",
    tuple(samples_in_two_halves(lambda alpha: (alpha / 4, 3 * alpha / 4))),
)

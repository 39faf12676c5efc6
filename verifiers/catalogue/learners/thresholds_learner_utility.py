"""Utility of LearnThresholds, on the sample and over it, and of the same learner by Rec.

The database of a PAC claim's case is the population; the probability is over the sample and the coins. Populations have
two kinds of examples, and the samples are summed over by how many are of either; those on which there are too many
samples are audited by some. What no claim takes to the sizes that a theorem asks for, because no exact sum reaches
them, is claimed on the sample, as in the proofs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.exact.exact_numbers import ONE, total
from dpverify.mechanisms.exact.logarithms import log_star
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.learners.thresholds_learner import (
    learn_thresholds,
    learn_thresholds_by_rec,
    parts_of_rec,
    rows_for_promise,
    rows_for_thresholds,
    rows_to_generalise,
)
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold, correct_labels
from dpverify.mechanisms.selection.stability import Bottom, a_dist_journal
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.corners import claimed_beta
from dpverify.verifiers.catalogue.learners.populations import JUST, is_within_alpha, two_points
from dpverify.verifiers.catalogue.recursion.quasi_concave_utility import promise_of_the_abstract
from dpverify.verifiers.catalogue.refuted import proof_step
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import Sharpness, UtilityClaim
from dpverify.verifiers.utility.pac import PacClaim, Population, labelled, learnt, learnt_of_numbers, numbers_of_each

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
HALF: Final = Fraction(1, 2)
_BNS_X: Final = "Beimel, Nissim & Stemmer, extended abstract"

# Theorem 3.18: the part of its proof that is on the sample, event E2.

THRESHOLD_EPSILONS: Final = (Fraction(20), Fraction(200), Fraction(10_000))
THRESHOLD_BETAS: Final = (Fraction(1, 10**6), Fraction(1, 4), Fraction(99, 100))
THRESHOLD_DELTAS: Final = (Fraction(1, 10**6), Fraction(99, 100))


def threshold_after(draw: Draw, sample: Sequence[Example], **given: Any) -> Any:
    """LearnThresholds, and the threshold one half of the domain further on, around its end."""
    found = draw(learn_thresholds, sample, **given)
    size = 1 << given["d"]
    return Threshold((found.j + (size + 1) // 2) % (size + 1)) if isinstance(found, Threshold) else found


def samples_with_gaps() -> SearchStrategy[Case]:
    """Samples of exactly the rows that the proof asks for, consistent with a threshold: two points next to a gap."""
    from hypothesis import strategies as st

    @st.composite
    def case(choose: Any) -> Case:
        d, alpha = choose(st.sampled_from((1, 3, 6))), choose(st.sampled_from((Fraction(1, 2), Fraction(9, 10))))
        epsilon, delta = choose(st.sampled_from(THRESHOLD_EPSILONS)), choose(st.sampled_from(THRESHOLD_DELTAS))
        beta, depth = choose(st.sampled_from(THRESHOLD_BETAS)), 2 if epsilon > 20 and choose(st.booleans()) else 1
        asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "depth": depth}
        printed: dict[str, Any] = {"selection": a_dist_journal}
        m = rows_for_promise(last=1 << d, alpha=alpha / 2, beta=beta / 2, **asked, **printed)
        low = choose(st.integers(0, (1 << d) - 2))
        high = choose(st.integers(low + 1, (1 << d) - 1))
        ones = choose(st.sampled_from((0, 1, m // 2, m)))
        sample = ((low, 1),) * ones + ((high, 0),) * (m - ones)
        return Case(sample, {"d": d, "alpha": alpha, **asked, "base": 2, **printed}, {"beta": beta, "ones": ones})

    return case()


def is_good_on_the_sample(case: Case, hypothesis: Any) -> bool:
    """Whether the error on the sample is at most α/2."""
    rows = len(case.database)
    return isinstance(hypothesis, Threshold) and bool(
        rows - correct_labels(hypothesis, case.database) <= case.parameters["alpha"] / 2 * rows
    )


thresholds_on_the_sample = UtilityClaim(
    id="BNS-J-3.18.utility.empirical",
    source=f"{_BNS}, proof of Theorem 3.18, event E2",
    statement="LearnThresholds has error ≤ α/2 on a consistent sample with probability ≥ 1 − β/2, from "
    "m ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times",
    mechanism=learn_thresholds,
    succeeds=is_good_on_the_sample,
    beta=lambda case: case.facts["beta"] / 2,
    strategy=samples_with_gaps,
    corners={
        "d = 1": lambda case: case.parameters["d"] == 1,
        "one label": lambda case: case.facts["ones"] in (0, len(case.database)),
        "one example of label 1": lambda case: case.facts["ones"] == 1,
        "the least ε": lambda case: case.parameters["epsilon"] == THRESHOLD_EPSILONS[0],
        "the largest ε": lambda case: case.parameters["epsilon"] == THRESHOLD_EPSILONS[-1],
        "the least δ": lambda case: case.parameters["delta"] == THRESHOLD_DELTAS[0],
        "δ near 1": lambda case: case.parameters["delta"] == THRESHOLD_DELTAS[-1],
        "the least β": lambda case: case.facts["beta"] == THRESHOLD_BETAS[0],
        "β near 1": lambda case: case.facts["beta"] == THRESHOLD_BETAS[-1],
    },
    mutant=threshold_after,
)


# Theorem 3.18: LearnThresholds.


def thresholds_learnt(draw: Draw, population: Population, *, size: int, **given: Any) -> Any:
    """What LearnThresholds makes of `size` independent examples."""
    return learnt(draw, population, size=size, learner=learn_thresholds, given=given)


def next_threshold_learnt(draw: Draw, population: Population, *, size: int, **given: Any) -> Any:
    """The threshold one half of the domain further on."""
    return learnt(draw, population, size=size, learner=threshold_after, given=given)


def around_targets(d: int, targets: Sequence[int], shares: Sequence[Fraction]) -> Iterator[Population]:
    """The points on both sides of each target, or at the end of the domain: there are the next best thresholds."""
    for j in targets:
        low = min(max(j - 1, 0), (1 << d) - 2)
        for share in shares:
            yield two_points(Threshold(j), low, low + 1, share)


def of_3_18(
    d: int,
    population: Population,
    *,
    beta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    alpha: Fraction = Fraction(9, 10),
    depth: int = 1,
) -> tuple[dict[str, Any], int, dict[str, Any]]:
    """What LearnThresholds is given, the rows that Theorem 3.18 asks for, and what is claimed."""
    asked: dict[str, Any] = {"alpha": alpha, "epsilon": epsilon, "delta": delta, "depth": depth}
    asked["selection"] = a_dist_journal
    rows = rows_for_thresholds(d=d, beta=beta, **asked)
    return {"d": d, "base": 2, **asked}, rows, {"alpha": alpha, "beta": beta}


def exactly(d: int, population: Population, size: int | None = None, **asked: Any) -> Case:
    """A case whose samples are all summed over; the rows are those of the theorem, unless another number is given."""
    given, rows, facts = of_3_18(d, population, **asked)
    return Case(population, {**given, "size": size or rows}, facts)


JUST_MORE: Final = Fraction(9, 10) + JUST
BOTH_SIDES: Final = (JUST_MORE, 1 - JUST_MORE)


def cases_of_3_18() -> Iterator[Case]:
    """All targets, with a little more than α on either side of them; on four points, on one side."""
    lax: dict[str, Any] = {"beta": Fraction(99, 100), "delta": Fraction(1, 10)}
    for population in around_targets(1, (0, 1, 2), BOTH_SIDES):
        yield exactly(1, population, epsilon=Fraction(20), **lax)
    for population in around_targets(2, (0, 1, 2, 3, 4), BOTH_SIDES[:1]):
        yield exactly(2, population, epsilon=Fraction(10_000), **lax)


_AT: Final[dict[str, Any]] = {"beta": Fraction(1, 20), "epsilon": Fraction(10), "delta": Fraction(1, 10)}
_PAC_OF_THRESHOLDS: Final = (
    "LearnThresholds has error ≤ α with probability ≥ 1 − β over the sample and the coins, from m ≥ "
    "(200/α²)·ln(4/(αβ)) and ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times, examples; with base = 2"
)

exact_thresholds = UtilityClaim(
    id="BNS-J-3.18.utility.pac",
    source=f"{_BNS}, Theorem 3.18 with the constants of its proof",
    statement=f"{_PAC_OF_THRESHOLDS}; N = 1, α = 9/10, β = 99/100, δ = 1/10, d = 1 at ε = 20 and d = 2 at ε = 10⁴, all "
    "targets, with 901/1000 on one and 99/1000 on the other of the points next to the target",
    mechanism=thresholds_learnt,
    succeeds=is_within_alpha,
    beta=claimed_beta,
    cases=tuple(cases_of_3_18()),
    mutant=next_threshold_learnt,
    sharpness=Sharpness(
        what="examples m, d = 1, N = 1, α = 9/10, β = 1/20, ε = 10, δ = 1/10",
        paper=rows_for_thresholds(d=1, depth=1, alpha=Fraction(9, 10), selection=a_dist_journal, **_AT),
        family=lambda m: (exactly(1, population, m, **_AT) for population in around_targets(1, (0, 1), (JUST_MORE,))),
    ),
)


def mostly_above(d: int) -> Population:
    """All points, with 19/20 of the mass in the upper half, which is labelled 0."""
    half = 1 << (d - 1)
    shares = (Fraction(1, 20) / half, Fraction(19, 20) / half)
    return labelled([(x, shares[x >= half]) for x in range(1 << d)], Threshold(half))


def larger_cases() -> Iterator[Case]:
    """16 points with N = 1, and 64 points with N = 2."""
    at: dict[str, Any] = {"beta": Fraction(1, 4), "delta": Fraction(1, 100)}
    for d, epsilon, depth in ((4, Fraction(20), 1), (6, Fraction(1000), 2)):
        population = mostly_above(d)
        given, rows, facts = of_3_18(d, population, epsilon=epsilon, depth=depth, **at)
        yield Case(population, given, {**facts, "size": rows})


def claimed_size(case: Case) -> int:
    """The number of examples."""
    size: int = case.facts["size"]
    return size


audited_thresholds = PacClaim(
    id="BNS-J-3.18.utility.pac-of-many-points",
    source=f"{_BNS}, Theorem 3.18 with the constants of its proof",
    statement=f"{_PAC_OF_THRESHOLDS}; 19/20 of the mass alike on the upper half, the target in the middle, α = 9/10, "
    "β = 1/4, δ = 1/100, d = 4 with N = 1, ε = 20, and d = 6 with N = 2, ε = 1000",
    learner=learn_thresholds,
    succeeds=is_within_alpha,
    size=claimed_size,
    beta=claimed_beta,
    mutant=threshold_after,
    cases=tuple(larger_cases()),
)


# Theorem 2 of the extended abstract: the same learner by Rec.


def promise_by_rec(*, d: int, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Lemma 3 at α/2 and with 2·(its β)·log* T = β/2, at the (ε,δ) of its parts."""
    last = 1 << d
    part, part_delta = parts_of_rec(last=last, epsilon=epsilon, delta=delta)
    return promise_of_the_abstract(last, 0, alpha / 2, beta / (4 * log_star(last)), part, part_delta)


def rows_by_rec(*, d: int, alpha: Fraction, beta: Fraction, **private: Fraction) -> int:
    """Both events of the proof of Theorem 3.18, with Rec: Theorem 2 states the order alone."""
    return max(rows_to_generalise(alpha=alpha, beta=beta), ceil(promise_by_rec(d=d, alpha=alpha, beta=beta, **private)))


OF_THEOREM_2: Final[dict[str, Any]] = {"alpha": Fraction(49, 100), "epsilon": Fraction(10**8), "delta": Fraction(1, 10)}
"""So large an ε, for which Lemma 3 asks for no more rows than the error does."""
ROWS_OF_THEOREM_2: Final = rows_by_rec(d=6, beta=Fraction(1, 4), **OF_THEOREM_2)
GIVEN_OF_THEOREM_2: Final = {"d": 6, "base": 32, **OF_THEOREM_2}
FACTS_OF_THEOREM_2: Final = {"alpha": OF_THEOREM_2["alpha"], "beta": Fraction(1, 4)}


@lru_cache(maxsize=8)
def likely_numbers(population: Population, size: int, within: int) -> Distribution[tuple[int, ...] | None]:
    """How many examples of either kind there are, where these are nearly as many; None stands for all else."""
    law = numbers_of_each(population, size).probabilities
    likely = {numbers: p for numbers, p in law.items() if abs(2 * numbers[0] - size) <= 2 * within}
    return Distribution({**likely, None: ONE - total(likely.values())})


def learnt_of_likely(draw: Draw, population: Population, *, size: int, within: int, **given: Any) -> Any:
    """What the learner by Rec makes of likely samples; of all others, the target.

    That it fails on none of these can only make its probability of failure smaller: what is refuted here is refuted.
    """
    numbers = draw(likely_numbers(population, size, within))
    if numbers is None:
        return Threshold(population[1][0][0])
    return draw(learnt_of_numbers, numbers, population=population, learner=learn_thresholds_by_rec, **given)


def learns_nothing(draw: Draw, population: Population, **given: Any) -> Bottom:
    """⊥, whatever the sample."""
    return Bottom.BOTTOM


TIED: Final = two_points(Threshold(16), 14, 16, HALF)
"""The best thresholds are 15 and 16, and the first of Rec's intervals A ends with 15."""

TIED_CASE: Final = Case(TIED, {**GIVEN_OF_THEOREM_2, "size": ROWS_OF_THEOREM_2, "within": 10}, FACTS_OF_THEOREM_2)

rec_as_printed = UtilityClaim(
    id="BNS-X-Thm2.utility.pac",
    source=f"{_BNS_X}, Theorem 2, whose details it omits: LearnThresholds with Rec as printed, on the rows of Lemma 3 "
    "and Theorem 2.14",
    statement="the learner has error ≤ α with probability ≥ 1 − β over the sample and the coins; d = 6, α = 49/100, "
    f"β = 1/4, δ = 1/10, m = {ROWS_OF_THEOREM_2:,} at ε = 10⁸; counted are its failures on samples with m/2 ± 10 "
    "examples of either kind, so that the probability shown is less than that of all",
    mechanism=learnt_of_likely,
    succeeds=is_within_alpha,
    beta=claimed_beta,
    cases=(TIED_CASE,),
    examples=(TIED_CASE,),
    mutant=learns_nothing,
    expected=Status.REFUTED,
    refutation=proof_step(
        "The theorem says that a learner exists, and not which: the journal version's, by RecConcave, is one. This "
        "one, by Rec as printed, is how its omitted details were read."
    ),
)


def by_rec_with_b(draw: Draw, sample: Any, **given: Any) -> Any:
    """The learner by Rec with B in its step 10."""
    return learn_thresholds_by_rec(draw, sample, from_the_end_of_a=False, **given)


rec_with_b = PacClaim(
    id="BNS-X-Thm2.utility.pac-with-b",
    source=f"{_BNS_X}, Theorem 2, as LearnThresholds with B in step 10 of Rec, on the rows of Lemma 3 and Theorem 2.14",
    statement="the learner has error ≤ α with probability ≥ 1 − β over the sample and the coins; d = 6, α = 49/100, "
    "β = 1/4, δ = 1/10, ε = 10⁸, half of the mass on each of the points 14 and 16, or 30 and 40",
    learner=by_rec_with_b,
    succeeds=is_within_alpha,
    size=claimed_size,
    beta=claimed_beta,
    mutant=learn_thresholds_by_rec,
    cases=tuple(
        Case(population, GIVEN_OF_THEOREM_2, {**FACTS_OF_THEOREM_2, "size": ROWS_OF_THEOREM_2})
        for population in (TIED, two_points(Threshold(32), 30, 40, HALF))
    ),
)

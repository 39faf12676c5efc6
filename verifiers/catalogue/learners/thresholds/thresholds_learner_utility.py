"""Utility of LearnThresholds, on the sample and over it, and of the same learner by Rec.

The database of a PAC claim's case is the population; the probability is over the sample and the coins. Samples of so
many rows as the theorems ask for are too many to sum over. All but a thousandth of them have qualities within a band,
by Hoeffding's inequality at each threshold, and there each step of the recursion is bounded: what is claimed is the
bound on both together. What is refuted fails at least so often: the learner succeeds at most so often on the band.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.learners.thresholds_learner import (
    learn_thresholds,
    parts_of_recursion_by_lemma_2,
    rows_for_promise,
    rows_for_thresholds,
    rows_to_generalise,
)
from dpverify.mechanisms.numbers.elementary import log, sqrt
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold, correct_labels
from dpverify.mechanisms.selection.stability import (
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
)
from dpverify.reports.record import Status
from dpverify.verifiers.bands.enclosing import (
    Band,
    Bounds,
    Candidates,
    rec_concave_within,
    rec_within,
)
from dpverify.verifiers.catalogue.corners import claimed_beta
from dpverify.verifiers.catalogue.learners.populations import JUST, two_points
from dpverify.verifiers.catalogue.recursion.quasi_concave_utility import promise_of_the_abstract
from dpverify.verifiers.catalogue.refuted import proof_step
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.pac import Population, error, labelled

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
HALF: Final = Fraction(1, 2)
MILLIONTH: Final = Fraction(1, 10**6)
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


thresholds_on_the_sample = UtilityClaim(
    id="BNS-J-3.18.utility.empirical",
    sharp_in="BNS-J-3.18.utility.on-the-sample",
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


# Over the sample and the coins: Theorem 3.18, and Theorem 2 of the extended abstract.

UNLIKELY: Final = Fraction(1, 1000)
"""At most so many samples have a quality beyond the band."""


def band_of_samples(population: Population, *, size: int, last: int) -> Band:
    """Bounds on the quality of all but `UNLIKELY` of the samples of this size, which are labelled by a threshold.

    c_j is wrong on n examples, where n/size is off by more than sqrt(ln(2k/UNLIKELY)/(2·size)) with probability at most
    UNLIKELY/k, by Hoeffding's inequality, for each of the k thresholds of which it is uncertain where they are wrong.
    """
    starts = sorted({0, *(x + 1 for (x, _), _ in population)})
    wrong = {j: error(population, Threshold(j)) for j in starts}
    uncertain = {j for j, share in wrong.items() if 0 < share < 1}
    off = ceil(sqrt(size * log(2 * max(1, len(uncertain)) / UNLIKELY) / 2))

    def around(j: int) -> tuple[int, Fraction, Fraction]:
        expected = size * (1 - wrong[j])
        width = off if j in uncertain else 0
        return j, max(Fraction(0), expected - width), min(Fraction(size), expected + width)

    return Band.of_pieces(map(around, starts), last)


def outcome_of(population: Population, alpha: Fraction, bounded: Bounds, *, fails_at_least: bool) -> Distribution[str]:
    """Whether an error of at most α is met: by an upper bound on the probability of failure, or by a lower one."""

    def is_good(j: int) -> bool:
        return error(population, Threshold(j)) <= alpha

    if fails_at_least:
        fails = max(Fraction(0), 1 - UNLIKELY - bounded.at_most(is_good, with_bottom=False))
    else:
        fails = min(Fraction(1), UNLIKELY + bounded.at_most(lambda j: not is_good(j), with_bottom=True))
    return Distribution({FAILS: fails, LEARNS: 1 - fails})


FAILS: Final = "an error of more than α, or ⊥"
LEARNS: Final = "an error of at most α"


def thresholds_learnt(draw: object, population: Population, **given: Any) -> Distribution[str]:
    """The outcome of LearnThresholds on `size` independent examples: a bound on how often it fails."""
    return _learnt_within(population, candidates="A and B", **given)


def learnt_without_b(draw: object, population: Population, **given: Any) -> Distribution[str]:
    """With RecConcave's A alone: intervals that the best thresholds may lie across the end of."""
    return _learnt_within(population, candidates="A", **given)


def _learnt_within(
    population: Population,
    *,
    candidates: Candidates,
    size: int,
    d: int,
    alpha: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    depth: int,
    selection: Mechanism,
) -> Distribution[str]:
    """Steps 1 to 3 of LearnThresholds on all likely samples at once."""
    bounded = rec_concave_within(
        band_of_samples(population, size=size, last=1 << d),
        promise=Fraction(size),
        alpha=alpha / 2,
        epsilon=epsilon / (3 * depth),
        delta=delta / (3 * depth),
        selection=selection,
        depth=depth,
        candidates=candidates,
    )
    return outcome_of(population, alpha, bounded, fails_at_least=candidates == "A")


def on_all_points(d: int, j: int) -> Population:
    """All points alike."""
    return labelled([(x, Fraction(1, 1 << d)) for x in range(1 << d)], Threshold(j))


def nearer_and_nearer(d: int, j: int, ratio: int) -> Population:
    """Points 1, `ratio`, `ratio`², … from the target on either side, as far as the domain goes, alike."""
    distances = [ratio**i for i in range(d) if ratio**i < 1 << d]
    around = {x for far in distances for x in (j - far, j - 1 + far) if 0 <= x < 1 << d}
    return labelled([(x, Fraction(1, len(around))) for x in sorted(around)], Threshold(j))


def across_the_end_of_a(j: int) -> Population:
    """Half of the mass two points before j, and half on j: c_(j − 1) and c_j, next to an end of A, are best."""
    return two_points(Threshold(j), j - 2, j, HALF)


def of_3_18(population: Population, **asked: Any) -> Case:
    """A case with the rows that Theorem 3.18 asks for."""
    beta = asked.pop("beta")
    size = rows_for_thresholds(beta=beta, **asked)
    return Case(population, {"size": size, **asked}, {"alpha": asked["alpha"], "beta": beta})


ORDINARY: Final[dict[str, Any]] = {"alpha": HALF, "beta": Fraction(1, 4), "epsilon": Fraction(1)}


def cases_of_3_18() -> Iterator[Case]:
    """64 points, N = 2: the first case has 230,250 rows."""
    of_64: dict[str, Any] = {"d": 6, "depth": 2, "selection": choose_by_stability}
    for delta in (Fraction(1, 10), MILLIONTH):
        at = {**ORDINARY, "delta": delta, **of_64}
        yield of_3_18(across_the_end_of_a(32), **at)
        for j in (0, 5, 32, 63):
            yield of_3_18(on_all_points(6, j), **at)
        for j in (1, 32, 40):
            yield of_3_18(two_points(Threshold(j), j - 1, j, HALF + JUST), **at)
            yield of_3_18(nearer_and_nearer(6, j, 3), **at)
    # the A_dist as printed, and a smaller α and β
    yield of_3_18(
        on_all_points(6, 32), **{**ORDINARY, **of_64, "delta": MILLIONTH, "selection": choose_by_stability_journal}
    )
    smaller: dict[str, Any] = {"alpha": Fraction(1, 10), "beta": Fraction(1, 20), "epsilon": HALF, "delta": MILLIONTH}
    yield of_3_18(on_all_points(6, 32), **smaller, **of_64)


def cases_on_long_ranges() -> Iterator[Case]:
    """2^16 points, N = 2, and 2^40, where RecConcave recurses twice, N = 3."""
    for d, depth in ((16, 2), (40, 3)):
        at = {**ORDINARY, "delta": MILLIONTH, "d": d, "depth": depth, "selection": choose_by_stability}
        middle = 1 << (d - 1)
        yield of_3_18(across_the_end_of_a(middle), **at)
        yield of_3_18(two_points(Threshold(middle), middle - (1 << d // 2), middle + 3, HALF + JUST), **at)
        for j in (middle, middle + 12_345):
            yield of_3_18(nearer_and_nearer(d, j, 3 if d == 16 else 20), **at)


_PAC_OF_THRESHOLDS: Final = (
    "LearnThresholds has error ≤ α with probability ≥ 1 − β over the sample and the coins, from m ≥ "
    "(200/α²)·ln(4/(αβ)) and ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times, examples; α = 1/2, β = 1/4, ε ="
    " 1: all samples within what Hoeffding's inequality says are bounded together, and the rest by 1/1000;"
)
_THEOREM: Final[dict[str, Any]] = {
    "source": f"{_BNS}, Theorem 3.18 with the constants of its proof",
    "mechanism": thresholds_learnt,
    "succeeds": lambda case, outcome: outcome == LEARNS,
    "beta": claimed_beta,
    "mutant": learnt_without_b,
}

pac_of_thresholds = UtilityClaim(
    id="BNS-J-3.18.utility.pac",
    statement=f"{_PAC_OF_THRESHOLDS} N = 2, d = 6, δ = 1/10 and 10⁻⁶, 230,250 and 536,399 rows, all points alike, two "
    "points, and points closer and closer to the target, which is in several places; and at smaller α, β and ε",
    cases=tuple(cases_of_3_18()),
    **_THEOREM,
)
pac_on_long_ranges = UtilityClaim(
    id="BNS-J-3.18.utility.pac-of-long-ranges",
    statement=f"{_PAC_OF_THRESHOLDS} δ = 10⁻⁶, d = 16 with N = 2, and d = 40 with N = 3, where it recurses twice",
    cases=tuple(cases_on_long_ranges()),
    **_THEOREM,
)


# Theorem 2 of the extended abstract: the same learner by Rec.


def promise_by_rec(*, d: int, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Lemma 3 at α/2 and with 2·(its β)·log* T = β/2, at the (ε,δ) of its parts."""
    last = 1 << d
    part, part_delta = parts_of_recursion_by_lemma_2(last=last, epsilon=epsilon, delta=delta)
    return promise_of_the_abstract(last, 0, alpha / 2, beta / (4 * log_star(last)), part, part_delta)


def rows_by_rec(*, d: int, alpha: Fraction, beta: Fraction, **private: Fraction) -> int:
    """Both events of the proof of Theorem 3.18, with Rec: Theorem 2 states the order alone."""
    return max(rows_to_generalise(alpha=alpha, beta=beta), ceil(promise_by_rec(d=d, alpha=alpha, beta=beta, **private)))


def learnt_by_rec(
    draw: object,
    population: Population,
    *,
    size: int,
    d: int,
    alpha: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    from_the_end_of_a: bool,
    fails_at_least: bool,
) -> Distribution[str]:
    """The outcome of the learner by Rec on `size` independent examples: a bound on how often it fails."""
    part, part_delta = parts_of_recursion_by_lemma_2(last=1 << d, epsilon=epsilon, delta=delta)
    bounded = rec_within(
        band_of_samples(population, size=size, last=1 << d),
        promise=Fraction(size),
        alpha=alpha / 2,
        epsilon=part,
        delta=part_delta,
        selection=choose_by_stability_extended_abstract,
        from_the_end_of_a=from_the_end_of_a,
    )
    return outcome_of(population, alpha, bounded, fails_at_least=fails_at_least)


def by_rec_as_printed(draw: object, population: Population, **given: Any) -> Distribution[str]:
    """The learner by Rec as printed, whose step 10 leaves B out: how often it fails at least."""
    return learnt_by_rec(draw, population, **given, from_the_end_of_a=True, fails_at_least=True)


def by_rec_with_b(draw: object, population: Population, **given: Any) -> Distribution[str]:
    """The learner by Rec with B in its step 10: how often it fails at most."""
    return learnt_by_rec(draw, population, **given, from_the_end_of_a=False, fails_at_least=False)


def learns_nothing(draw: object, population: Population, **given: Any) -> str:
    """⊥, whatever the sample."""
    return FAILS


def of_theorem_2(population: Population, *, delta: Fraction) -> Case:
    """A case with the rows of Lemma 3 and Theorem 2.14, 64 points."""
    asked: dict[str, Any] = {"alpha": HALF, "epsilon": Fraction(1), "delta": delta, "d": 6}
    size = rows_by_rec(beta=Fraction(1, 4), **asked)
    return Case(population, {"size": size, **asked}, {"alpha": HALF, "beta": Fraction(1, 4)})


def cases_of_theorem_2() -> Iterator[Case]:
    """The first is what the learner by Rec as printed fails on."""
    for delta in (Fraction(1, 10), MILLIONTH):
        yield of_theorem_2(across_the_end_of_a(16), delta=delta)
        for j in (0, 5, 16, 32, 63):
            yield of_theorem_2(on_all_points(6, j), delta=delta)
        for j in (16, 31, 32):
            yield of_theorem_2(two_points(Threshold(j), j - 1, j, HALF + JUST), delta=delta)
            yield of_theorem_2(nearer_and_nearer(6, j, 3), delta=delta)


OF_THEOREM_2: Final = tuple(cases_of_theorem_2())
_BY_REC: Final[dict[str, Any]] = {
    "succeeds": lambda case, outcome: outcome == LEARNS,
    "beta": claimed_beta,
    "cases": OF_THEOREM_2,
}
_STATED: Final = (
    "the learner has error ≤ α with probability ≥ 1 − β over the sample and the coins; d = 6, α = 1/2, β = 1/4, ε = 1, "
    f"δ = 1/10 and 10⁻⁶, m = {OF_THEOREM_2[0].parameters['size']:,} and {OF_THEOREM_2[-1].parameters['size']:,}"
)

rec_as_printed = UtilityClaim(
    id="BNS-X-Thm2.utility.pac",
    source=f"{_BNS_X}, Theorem 2, whose details it omits: LearnThresholds with Rec as printed, on the rows of Lemma 3 "
    "and Theorem 2.14",
    statement=f"{_STATED}; the probability shown is a bound from below",
    mechanism=by_rec_as_printed,
    examples=OF_THEOREM_2[:1],
    mutant=learns_nothing,
    expected=Status.REFUTED,
    refutation=proof_step(
        "The theorem says that a learner exists, and not which: the journal version's, by RecConcave, is one, as is "
        "this one with B in step 10 (BNS-X-Thm2.utility.pac-with-b). By Rec as printed is how its omitted details were "
        "read."
    ),
    **_BY_REC,
)
rec_with_b = UtilityClaim(
    id="BNS-X-Thm2.utility.pac-with-b",
    source=f"{_BNS_X}, Theorem 2, as LearnThresholds with B in step 10 of Rec, on the rows of Lemma 3 and Theorem 2.14",
    statement=f"{_STATED}; all points alike, two points, and points closer and closer to the target",
    mechanism=by_rec_with_b,
    mutant=by_rec_as_printed,
    **_BY_REC,
)

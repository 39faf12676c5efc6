"""LearnThresholds on samples of as many rows as its proof asks for, and over the sample and the coins: Theorem 3.18.

Some 10⁵ rows are too many for the law of the recursion to be listed: each of its steps is bounded on the quality of the
sample, by `bounds_of_recursion`, and what is claimed is the bound on the probability of failure. On the sample the
quality is known, which is given by how often each example occurs. Over the sample all but a thousandth of the qualities
lie within an envelope, by Hoeffding's inequality at each threshold. What is refuted fails at least so often.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import log, sqrt
from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.learners import thresholds_learner
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_extended_abstract
from dpverify.mechanisms.selection.stability import choose_by_stability_journal
from dpverify.verifiers.calculations.family import Broken, Calculation, FailureBound, Sharpness, component
from dpverify.verifiers.catalogue.corners import JUST, two_points
from dpverify.verifiers.catalogue.families import BNS, BNS_X, HALF, MILLIONTH, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.catalogue.learners.thresholds.bounds_of_recursion import Among, Bounds, Envelope, Recursion
from dpverify.verifiers.catalogue.recursion.quasi_concave_utility import At, promise_of_the_abstract
from dpverify.verifiers.utility.pac import Population, error, labelled

WITHOUT_B: Final = "RecConcave's A alone, across the end of whose intervals the best thresholds may lie"
Given: TypeAlias = dict[str, Any]
Sample: TypeAlias = tuple[tuple[Example, int], ...]
"""(example, how often it occurs)."""


def rows_of(sample: Sample) -> int:
    """The number of rows."""
    return sum(count for _, count in sample)


def learnt_within(
    sample: Sample,
    d: int,
    alpha: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    depth: int,
    candidates: Among = "A and B",
) -> tuple[Fraction, Fraction]:
    """Bounds on how often LearnThresholds has an error of more than α/2 on the sample, or returns ⊥."""
    size = rows_of(sample)
    shares = tuple((example, Fraction(count, size)) for example, count in sample)
    quality = envelope_of_samples(shares, size=size, last=1 << d, is_known=True)
    steps = Recursion(epsilon / (3 * depth), delta / (3 * depth), choose_by_stability, candidates)
    bounded = steps.within(quality, Fraction(size), alpha / 2, depth)
    return bounds_of_failure(bounded, shares, alpha / 2)


def bounds_of_failure(
    bounded: Bounds, population: Population, alpha: Fraction, beyond: Fraction = Fraction(0)
) -> tuple[Fraction, Fraction]:
    """Bounds on how often an error is above α, where nothing is known of samples of the probability `beyond`."""

    def is_good(j: int) -> bool:
        return error(population, Threshold(j)) <= alpha

    least = 1 - beyond - bounded.at_most(is_good, with_bottom=False)
    most = beyond + bounded.at_most(lambda j: not is_good(j), with_bottom=True)
    return max(Fraction(0), least), min(Fraction(1), most)


def samples_of(size: int, middle: int) -> Iterator[Sample]:
    """Two points with two between them, at the end of an interval of A; one label; and points nearer and nearer."""
    half = size // 2
    yield ((middle - 2, 1), size - half), ((middle, 0), half)
    yield ((middle, 1), size), ((middle + 1, 0), 0)
    yield ((0, 1), 1), ((middle, 0), size - 1)
    around = [(middle - 3**i, 1) for i in range(1, 4)] + [(middle + 3**i, 0) for i in range(4)]
    each = size // len(around)
    yield *((x, each) for x in around[1:]), (around[0], size - 6 * each)


CASES: Final[tuple[Given, ...]] = tuple(
    {"sample": sample, "d": d, "alpha": alpha, **given, "beta": beta}
    for d, depth in ((6, 2), (16, 2), (40, 3))
    for alpha, beta, epsilon in ((HALF, QUARTER, Fraction(1)), (TENTH, TWENTIETH, HALF))
    for given in [Given(epsilon=epsilon, delta=MILLIONTH, depth=depth)]
    for sample in samples_of(
        thresholds_learner.rows_for_promise(last=1 << d, alpha=alpha / 2, beta=beta / 2, **given), 1 << (d - 1)
    )
)
"""64 points and 2^16 with N = 2, and 2^40 with N = 3, from the rows that the proof asks for, at α/2, β/2."""
on_the_sample = Calculation(
    id="BNS-J-3.18.utility.on-the-sample",
    source=f"{BNS}, proof of Theorem 3.18, event E2",
    statement="LearnThresholds has error ≤ α/2 on a consistent sample with probability ≥ 1 − β/2, from m ≥ "
    f"8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times, at ε = 1 and 1/2: {rows_of(CASES[0]['sample']):,} rows "
    "and more on 2^6, 2^16 and 2^40 points, on which RecConcave recurses once, once and twice; two points, one label, "
    "and points nearer and nearer to the target",
    computed=component(learnt_within, 1),
    at_most=lambda beta: beta / 2,
    cases=CASES,
    mutants=[Broken(WITHOUT_B, {"computed": component(partial(learnt_within, candidates="A"), 0)})],
    sharpness=Sharpness(
        what="rows near the target on 64 points, N = 2, α = 1/2, β = 1/4, ε = 1, δ = 10⁻⁶",
        paper=rows_of(CASES[3]["sample"]),
        family=lambda rows: [{**CASES[3], "sample": tuple(samples_of(rows, 1 << 5))[-1]}],
    ),
)

# Over the sample and the coins: Theorem 3.18, and Theorem 2 of the extended abstract.
UNLIKELY: Final = Fraction(1, 1000)
"""At most so many samples have a quality beyond the envelope."""


def envelope_of_samples(population: Population, *, size: int, last: int, is_known: bool = False) -> Envelope:
    """Bounds on the quality of all but `UNLIKELY` of the samples of this size, which are labelled by a threshold.

    Of one that `is_known` the population are its rows, and the bounds are its quality.

    c_j is wrong on n examples, where n/size is off by more than sqrt(ln(2k/UNLIKELY)/(2·size)) with probability at most
    UNLIKELY/k, by Hoeffding's inequality, for each of the k thresholds of which it is uncertain where they are wrong.
    """
    starts = sorted({0, *(x + 1 for (x, _), _ in population)})
    wrong = {j: error(population, Threshold(j)) for j in starts}
    uncertain = {j for j, share in wrong.items() if 0 < share < 1}
    off = ceil(sqrt(size * log(2 * max(1, len(uncertain)) / UNLIKELY) / 2))

    def around(j: int) -> tuple[int, Fraction, Fraction]:
        expected = size * (1 - wrong[j])
        width = off if j in uncertain and not is_known else 0
        return j, max(Fraction(0), expected - width), min(Fraction(size), expected + width)

    return Envelope.of_pieces(map(around, starts), last)


def failure_of_learner(
    population: Population,
    size: int,
    d: int,
    alpha: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    depth: int,
    selection: Mechanism,
    candidates: Among = "A and B",
) -> tuple[Fraction, Fraction]:
    """Bounds on how often LearnThresholds fails on `size` independent examples: steps 1 to 3 on all likely samples."""
    quality = envelope_of_samples(population, size=size, last=1 << d)
    steps = Recursion(epsilon / (3 * depth), delta / (3 * depth), selection, candidates)
    bounded = steps.within(quality, Fraction(size), alpha / 2, depth)
    return bounds_of_failure(bounded, population, alpha, UNLIKELY)


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


def populations(d: int, across: int, alike: Iterable[int], near: Iterable[int]) -> Iterator[Population]:
    """Across the end of an interval of A, all points alike, two points, and points nearer and nearer to the target."""
    yield across_the_end_of_a(across)
    yield from (on_all_points(d, j) for j in alike)
    for j in near:
        yield two_points(Threshold(j), j - 1, j, HALF + JUST)
        yield nearer_and_nearer(d, j, 3)


def on_long_range(d: int) -> Iterator[Population]:
    """Across the end of an interval of A, two points, and points nearer and nearer to the target, on 2^d points."""
    middle = 1 << (d - 1)
    yield across_the_end_of_a(middle)
    yield two_points(Threshold(middle), middle - (1 << d // 2), middle + 3, HALF + JUST)
    for j in (middle, middle + 12_345):
        yield nearer_and_nearer(d, j, 3 if d == 16 else 20)


def of_3_18(population: Population, **asked: Any) -> Given:
    """A case with the rows that Theorem 3.18 asks for."""
    return {"population": population, "size": thresholds_learner.rows_for_thresholds(**asked), **asked}


ORDINARY: Final[Given] = {"alpha": HALF, "beta": QUARTER, "epsilon": Fraction(1)}
_OF_64: Final[Given] = {**ORDINARY, "d": 6, "depth": 2, "selection": choose_by_stability}
_PAC_OF_THRESHOLDS: Final = (
    "LearnThresholds has error ≤ α with probability ≥ 1 − β over the sample and the coins, from m ≥ "
    "(200/α²)·ln(4/(αβ)) and ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times, examples; α = 1/2, β = 1/4, ε ="
    " 1: all samples within what Hoeffding's inequality says are bounded together, and the rest by 1/1000;"
)
_OF_3_18: Final = f"{BNS}, Theorem 3.18 with the constants of its proof"
failure_bound: Final = FailureBound(
    component(failure_of_learner, 1),
    Broken(WITHOUT_B, {"computed": component(partial(failure_of_learner, candidates="A"), 0)}),
)
of_theorem_3_18 = [
    failure_bound(
        "BNS-J-3.18.utility.pac",
        _OF_3_18,
        f"{_PAC_OF_THRESHOLDS} N = 2, d = 6, δ = 1/10 and 10⁻⁶, 230,250 and 536,399 rows, all points alike, two "
        "points, and points closer and closer to the target, which is in several places; and at smaller α, β and ε",
        (
            *(
                of_3_18(population, **_OF_64, delta=delta)
                for delta in (TENTH, MILLIONTH)
                for population in populations(6, 32, (0, 5, 32, 63), (1, 32, 40))
            ),
            # the A_dist as printed, and a smaller α and β
            of_3_18(on_all_points(6, 32), **{**_OF_64, "selection": choose_by_stability_journal}, delta=MILLIONTH),
            of_3_18(
                on_all_points(6, 32), **{**_OF_64, "alpha": TENTH, "beta": TWENTIETH, "epsilon": HALF}, delta=MILLIONTH
            ),
        ),
    ),
    failure_bound(
        "BNS-J-3.18.utility.pac-of-long-ranges",
        _OF_3_18,
        f"{_PAC_OF_THRESHOLDS} δ = 10⁻⁶, d = 16 with N = 2, and d = 40 with N = 3, where it recurses twice",
        (
            of_3_18(population, **{**ORDINARY, "delta": MILLIONTH, **_OF_64, "d": d, "depth": depth})
            for d, depth in ((16, 2), (40, 3))
            for population in on_long_range(d)
        ),
    ),
]


# Theorem 2 of the extended abstract: the same learner by Rec.
def rows_by_rec(*, d: int, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """Both events of the proof of Theorem 3.18, with Rec: Theorem 2 states the order alone.

    Lemma 3 is asked at α/2 and with 2·(its β)·log* T = β/2, at the (ε,δ) of its parts.
    """
    last = 1 << d
    part, part_delta = thresholds_learner.parts_of_recursion_by_lemma_2(last=last, epsilon=epsilon, delta=delta)
    promise = promise_of_the_abstract(last, 0, At(alpha / 2, beta / (4 * log_star(last)), part, part_delta))
    return max(thresholds_learner.rows_to_generalise(alpha=alpha, beta=beta), ceil(promise))


def failure_by_rec(
    population: Population, size: int, d: int, alpha: Fraction, epsilon: Fraction, delta: Fraction, candidates: Among
) -> tuple[Fraction, Fraction]:
    """Bounds on how often the learner by Rec fails; as printed its step 10 is from the end of A, and leaves B out."""
    part, part_delta = thresholds_learner.parts_of_recursion_by_lemma_2(last=1 << d, epsilon=epsilon, delta=delta)
    rec = Recursion(part, part_delta, choose_by_stability_extended_abstract, candidates)
    quality = envelope_of_samples(population, size=size, last=1 << d)
    bounded = rec.within(quality, Fraction(size), alpha / 2)
    return bounds_of_failure(bounded, population, alpha, UNLIKELY)


AS_PRINTED: Final = component(partial(failure_by_rec, candidates="32 points of A"), 0)
WITH_B: Final = component(partial(failure_by_rec, candidates="32 points of A and B"), 1)
OF_THEOREM_2: Final[tuple[Given, ...]] = tuple(
    {"population": population, "size": rows_by_rec(**asked), **asked}
    for delta in (TENTH, MILLIONTH)
    for asked in [Given(alpha=HALF, epsilon=Fraction(1), delta=delta, d=6, beta=QUARTER)]
    for population in populations(6, 16, (0, 5, 16, 32, 63), (16, 31, 32))
)
"""With the rows of Lemma 3 and Theorem 2.14; the learner by Rec as printed fails on the first."""
_STATED: Final = (
    "the learner has error ≤ α with probability ≥ 1 − β over the sample and the coins; d = 6, α = 1/2, β = 1/4, ε = 1, "
    f"δ = 1/10 and 10⁻⁶, m = {OF_THEOREM_2[0]['size']:,} and {OF_THEOREM_2[-1]['size']:,}"
)
of_theorem_2_of_the_abstract = [
    FailureBound(AS_PRINTED, Broken("⊥, whatever the sample", {"computed": lambda: 1}))(
        "BNS-X-Thm2.utility.pac",
        f"{BNS_X}, Theorem 2, whose details it omits: LearnThresholds with Rec as printed, on the rows of Lemma 3 "
        "and Theorem 2.14",
        f"{_STATED}; the probability shown is a bound from below",
        OF_THEOREM_2,
        proof_step="The theorem says that a learner exists, and not which: the journal version's, by RecConcave, is "
        "one, as is this one with B in step 10 (BNS-X-Thm2.utility.pac-with-b). By Rec as printed is how its omitted "
        "details were read.",
    ),
    FailureBound(WITH_B, Broken("step 10 as printed, which leaves B out", {"computed": AS_PRINTED}))(
        "BNS-X-Thm2.utility.pac-with-b",
        f"{BNS_X}, Theorem 2, as LearnThresholds with B in step 10 of Rec, on the rows of Lemma 3 and Theorem 2.14",
        f"{_STATED}; all points alike, two points, and points closer and closer to the target",
        OF_THEOREM_2,
    ),
]

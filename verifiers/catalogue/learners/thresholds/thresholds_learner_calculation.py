"""LearnThresholds on samples of as many rows as its proof asks for, and over the sample and the coins: Theorem 3.18.

Some 10⁵ rows are too many for the law of the recursion to be listed: each of its steps is bounded on the quality of the
sample, by `bounds_of_recursion`, and what is claimed is the bound on the probability of failure. On the sample the
quality is known, which is given by how often each example occurs. Over the sample all but a thousandth of the qualities
lie within an envelope, by Hoeffding's inequality at each threshold. What is refuted fails at least so often.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import log, sqrt
from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.learners.thresholds_learner import (
    parts_of_recursion_by_lemma_2,
    rows_for_promise,
    rows_for_thresholds,
    rows_to_generalise,
)
from dpverify.mechanisms.sanitizers import Threshold
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
)
from dpverify.verifiers.calculations.claim import Broken, Calculation, component
from dpverify.verifiers.catalogue.learners.populations import JUST, two_points
from dpverify.verifiers.catalogue.learners.thresholds.bounds_of_recursion import (
    Bounds,
    Candidates,
    Envelope,
    rec_concave_within,
    rec_within,
)
from dpverify.verifiers.catalogue.recursion.quasi_concave_utility import promise_of_the_abstract
from dpverify.verifiers.catalogue.refuted import as_expected, proof_step
from dpverify.verifiers.utility.pac import Population, error, labelled
from dpverify.verifiers.utility.statement import Sharpness

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_BNS_X: Final = "Beimel, Nissim & Stemmer, extended abstract"
HALF: Final = Fraction(1, 2)
MILLIONTH: Final = Fraction(1, 10**6)
WITHOUT_B: Final = "RecConcave's A alone, across the end of whose intervals the best thresholds may lie"

Given: TypeAlias = dict[str, Any]
Sample: TypeAlias = tuple[tuple[Example, int], ...]
"""(example, how often it occurs)."""


def rows_of(sample: Sample) -> int:
    """The number of rows."""
    return sum(count for _, count in sample)


def wrong_on(sample: Sample, concept: Threshold) -> int:
    """The number of rows it labels otherwise."""
    return sum(count for (x, y), count in sample if concept(x) != y)


def quality_of(sample: Sample, last: int) -> Envelope:
    """The number of rows that each c_j labels right, which changes behind a point of the sample alone."""
    size = rows_of(sample)
    starts = sorted({0, *(x + 1 for (x, _), _ in sample)})
    right = {j: size - wrong_on(sample, Threshold(j)) for j in starts}
    return Envelope.of_pieces(((j, right[j], right[j]) for j in starts), last)


def learnt_within(
    sample: Sample,
    d: int,
    alpha: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    depth: int,
    candidates: Candidates = "A and B",
) -> tuple[Fraction, Fraction]:
    """Bounds on how often LearnThresholds has an error of more than α/2 on the sample, or returns ⊥."""
    size = rows_of(sample)
    bounded = rec_concave_within(
        quality_of(sample, 1 << d),
        promise=Fraction(size),
        alpha=alpha / 2,
        epsilon=epsilon / (3 * depth),
        delta=delta / (3 * depth),
        selection=choose_by_stability,
        depth=depth,
        candidates=candidates,
    )

    def is_good(j: int) -> bool:
        return wrong_on(sample, Threshold(j)) <= alpha / 2 * size

    least = 1 - bounded.at_most(is_good, with_bottom=False)
    return least, bounded.at_most(lambda j: not is_good(j), with_bottom=True)


def samples_of(size: int, middle: int) -> Iterator[Sample]:
    """Two points with two between them, at the end of an interval of A; one label; and points nearer and nearer."""
    half = size // 2
    yield ((middle - 2, 1), size - half), ((middle, 0), half)
    yield ((middle, 1), size), ((middle + 1, 0), 0)
    yield ((0, 1), 1), ((middle, 0), size - 1)
    around = [(middle - 3**i, 1) for i in range(1, 4)] + [(middle + 3**i, 0) for i in range(4)]
    each = size // len(around)
    yield *((x, each) for x in around[1:]), (around[0], size - 6 * each)


def cases() -> Iterator[Given]:
    """64 points and 2^16 with N = 2, and 2^40 with N = 3, at two sets of ordinary parameters.

    With the rows that the proof asks for: those of RecConcave at α/2 and β/2.
    """
    for d, depth in ((6, 2), (16, 2), (40, 3)):
        for alpha, beta, epsilon in (
            (Fraction(1, 2), Fraction(1, 4), Fraction(1)),
            (Fraction(1, 10), Fraction(1, 20), Fraction(1, 2)),
        ):
            given: dict[str, Any] = {"epsilon": epsilon, "delta": Fraction(1, 10**6), "depth": depth}
            rows = rows_for_promise(last=1 << d, alpha=alpha / 2, beta=beta / 2, **given)
            for sample in samples_of(rows, 1 << (d - 1)):
                yield {"sample": sample, "d": d, "alpha": alpha, **given, "beta": beta}


CASES: Final = tuple(cases())


def scattered(rows: int) -> tuple[Given, ...]:
    """So many rows on the points that are nearer and nearer, for the first parameters."""
    return ({**CASES[3], "sample": tuple(samples_of(rows, 1 << 5))[-1]},)


on_the_sample = Calculation(
    id="BNS-J-3.18.utility.on-the-sample",
    source=f"{_BNS}, proof of Theorem 3.18, event E2",
    statement="LearnThresholds has error ≤ α/2 on a consistent sample with probability ≥ 1 − β/2, from "
    "m ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times, at ε = 1 and 1/2: "
    f"{rows_of(CASES[0]['sample']):,} rows and more on 2^6, 2^16 and 2^40 points, on which RecConcave recurses once, "
    "once and twice; two points, one label, and points nearer and nearer to the target",
    computed=component(learnt_within, 1),
    at_most=lambda beta: beta / 2,
    cases=CASES,
    mutants=[Broken(WITHOUT_B, {"computed": component(partial(learnt_within, candidates="A"), 0)})],
    sharpness=Sharpness(
        what="rows near the target on 64 points, N = 2, α = 1/2, β = 1/4, ε = 1, δ = 10⁻⁶",
        paper=rows_of(CASES[3]["sample"]),
        family=scattered,
    ),
)


# Over the sample and the coins: Theorem 3.18, and Theorem 2 of the extended abstract.

UNLIKELY: Final = Fraction(1, 1000)
"""At most so many samples have a quality beyond the envelope."""


def envelope_of_samples(population: Population, *, size: int, last: int) -> Envelope:
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

    return Envelope.of_pieces(map(around, starts), last)


def bounds_of_failure(population: Population, alpha: Fraction, bounded: Bounds) -> tuple[Fraction, Fraction]:
    """Bounds on how often an error of at most α is not met."""

    def is_good(j: int) -> bool:
        return error(population, Threshold(j)) <= alpha

    least = 1 - UNLIKELY - bounded.at_most(is_good, with_bottom=False)
    most = UNLIKELY + bounded.at_most(lambda j: not is_good(j), with_bottom=True)
    return max(Fraction(0), least), min(Fraction(1), most)


def failure_of_learner(
    population: Population,
    size: int,
    d: int,
    alpha: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    depth: int,
    selection: Mechanism,
    candidates: Candidates = "A and B",
) -> tuple[Fraction, Fraction]:
    """Bounds on how often LearnThresholds fails on `size` independent examples: steps 1 to 3 on all likely samples."""
    bounded = rec_concave_within(
        envelope_of_samples(population, size=size, last=1 << d),
        promise=Fraction(size),
        alpha=alpha / 2,
        epsilon=epsilon / (3 * depth),
        delta=delta / (3 * depth),
        selection=selection,
        depth=depth,
        candidates=candidates,
    )
    return bounds_of_failure(population, alpha, bounded)


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


def of_3_18(population: Population, **asked: Any) -> Given:
    """A case with the rows that Theorem 3.18 asks for."""
    return {"population": population, "size": rows_for_thresholds(**asked), **asked}


ORDINARY: Final[dict[str, Any]] = {"alpha": HALF, "beta": Fraction(1, 4), "epsilon": Fraction(1)}


def cases_of_3_18() -> Iterator[Given]:
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


def cases_on_long_ranges() -> Iterator[Given]:
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
of_theorem_3_18 = [
    Calculation(
        id=f"BNS-J-3.18.utility.{name}",
        source=f"{_BNS}, Theorem 3.18 with the constants of its proof",
        statement=f"{_PAC_OF_THRESHOLDS} {which}",
        computed=component(failure_of_learner, 1),
        at_most=lambda beta: beta,
        cases=tuple(cases),
        mutants=[Broken(WITHOUT_B, {"computed": component(partial(failure_of_learner, candidates="A"), 0)})],
    )
    for name, which, cases in (
        (
            "pac",
            "N = 2, d = 6, δ = 1/10 and 10⁻⁶, 230,250 and 536,399 rows, all points alike, two points, and points "
            "closer and closer to the target, which is in several places; and at smaller α, β and ε",
            cases_of_3_18(),
        ),
        (
            "pac-of-long-ranges",
            "δ = 10⁻⁶, d = 16 with N = 2, and d = 40 with N = 3, where it recurses twice",
            cases_on_long_ranges(),
        ),
    )
]


# Theorem 2 of the extended abstract: the same learner by Rec.


def promise_by_rec(*, d: int, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Lemma 3 at α/2 and with 2·(its β)·log* T = β/2, at the (ε,δ) of its parts."""
    last = 1 << d
    part, part_delta = parts_of_recursion_by_lemma_2(last=last, epsilon=epsilon, delta=delta)
    return promise_of_the_abstract(last, 0, alpha / 2, beta / (4 * log_star(last)), part, part_delta)


def rows_by_rec(*, d: int, alpha: Fraction, beta: Fraction, **private: Fraction) -> int:
    """Both events of the proof of Theorem 3.18, with Rec: Theorem 2 states the order alone."""
    return max(rows_to_generalise(alpha=alpha, beta=beta), ceil(promise_by_rec(d=d, alpha=alpha, beta=beta, **private)))


def failure_by_rec(
    population: Population,
    size: int,
    d: int,
    alpha: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    *,
    from_the_end_of_a: bool,
) -> tuple[Fraction, Fraction]:
    """Bounds on how often the learner by Rec fails; as printed its step 10 is from the end of A, and leaves B out."""
    part, part_delta = parts_of_recursion_by_lemma_2(last=1 << d, epsilon=epsilon, delta=delta)
    bounded = rec_within(
        envelope_of_samples(population, size=size, last=1 << d),
        promise=Fraction(size),
        alpha=alpha / 2,
        epsilon=part,
        delta=part_delta,
        selection=choose_by_stability_extended_abstract,
        from_the_end_of_a=from_the_end_of_a,
    )
    return bounds_of_failure(population, alpha, bounded)


AS_PRINTED: Final = component(partial(failure_by_rec, from_the_end_of_a=True), 0)
WITH_B: Final = component(partial(failure_by_rec, from_the_end_of_a=False), 1)


def of_theorem_2(population: Population, *, delta: Fraction) -> Given:
    """A case with the rows of Lemma 3 and Theorem 2.14, 64 points."""
    asked: dict[str, Any] = {"alpha": HALF, "epsilon": Fraction(1), "delta": delta, "d": 6}
    beta = Fraction(1, 4)
    return {"population": population, "size": rows_by_rec(beta=beta, **asked), **asked, "beta": beta}


def cases_of_theorem_2() -> Iterator[Given]:
    """The first is what the learner by Rec as printed fails on."""
    for delta in (Fraction(1, 10), MILLIONTH):
        yield of_theorem_2(across_the_end_of_a(16), delta=delta)
        for j in (0, 5, 16, 32, 63):
            yield of_theorem_2(on_all_points(6, j), delta=delta)
        for j in (16, 31, 32):
            yield of_theorem_2(two_points(Threshold(j), j - 1, j, HALF + JUST), delta=delta)
            yield of_theorem_2(nearer_and_nearer(6, j, 3), delta=delta)


OF_THEOREM_2: Final = tuple(cases_of_theorem_2())
_STATED: Final = (
    "the learner has error ≤ α with probability ≥ 1 − β over the sample and the coins; d = 6, α = 1/2, β = 1/4, ε = 1, "
    f"δ = 1/10 and 10⁻⁶, m = {OF_THEOREM_2[0]['size']:,} and {OF_THEOREM_2[-1]['size']:,}"
)

rec_as_printed = Calculation(
    id="BNS-X-Thm2.utility.pac",
    source=f"{_BNS_X}, Theorem 2, whose details it omits: LearnThresholds with Rec as printed, on the rows of Lemma 3 "
    "and Theorem 2.14",
    statement=f"{_STATED}; the probability shown is a bound from below",
    computed=AS_PRINTED,
    at_most=lambda beta: beta,
    cases=OF_THEOREM_2,
    mutants=[Broken("⊥, whatever the sample", {"computed": lambda: 1})],
    **as_expected(
        proof_step(
            "The theorem says that a learner exists, and not which: the journal version's, by RecConcave, is one, as "
            "is this one with B in step 10 (BNS-X-Thm2.utility.pac-with-b). By Rec as printed is how its omitted "
            "details were read."
        )
    ),
)
rec_with_b = Calculation(
    id="BNS-X-Thm2.utility.pac-with-b",
    source=f"{_BNS_X}, Theorem 2, as LearnThresholds with B in step 10 of Rec, on the rows of Lemma 3 and Theorem 2.14",
    statement=f"{_STATED}; all points alike, two points, and points closer and closer to the target",
    computed=WITH_B,
    at_most=lambda beta: beta,
    cases=OF_THEOREM_2,
    mutants=[Broken("step 10 as printed, which leaves B out", {"computed": AS_PRINTED})],
)

"""Utility of LearnThresholds on a sample of as many rows as its proof asks for, at ordinary ε.

A sample is given by how often each example occurs. Some 10⁵ rows are too many for the law of the recursion to be listed
in moments, and it need not be: each step is bounded on the quality of the sample, as in `bands.enclosing`, which is
known here to the last row. What is claimed is the bound on the probability of failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.learners.thresholds_learner import rows_for_promise
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold
from dpverify.mechanisms.selection.stability import choose_by_stability
from dpverify.verifiers.bands.enclosing import Band, Candidates, rec_concave_within
from dpverify.verifiers.catalogue.corners import claimed_beta
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

Sample: TypeAlias = tuple[tuple[Example, int], ...]
"""(example, how often it occurs)."""


def rows_of(sample: Sample) -> int:
    """The number of rows."""
    return sum(count for _, count in sample)


def wrong_on(sample: Sample, concept: Threshold) -> int:
    """The number of rows it labels otherwise."""
    return sum(count for (x, y), count in sample if concept(x) != y)


def quality_of(sample: Sample, last: int) -> Band:
    """The number of rows that each c_j labels right, which changes behind a point of the sample alone."""
    size = rows_of(sample)
    starts = sorted({0, *(x + 1 for (x, _), _ in sample)})
    right = {j: size - wrong_on(sample, Threshold(j)) for j in starts}
    return Band.of_pieces(((j, right[j], right[j]) for j in starts), last)


def learnt_within(
    sample: Sample,
    *,
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


def is_learnt(draw: object, sample: Sample, **given: Any) -> Distribution[bool]:
    """The law of whether the error is at most α/2: at least so often."""
    _, fails = learnt_within(sample, **given)
    return Distribution({False: fails, True: 1 - fails})


def is_learnt_without_b(draw: object, sample: Sample, **given: Any) -> Distribution[bool]:
    """With RecConcave's A alone, across the end of whose intervals the best thresholds may be: at most so often."""
    fails, _ = learnt_within(sample, candidates="A", **given)
    return Distribution({False: fails, True: 1 - fails})


def samples_of(size: int, middle: int) -> Iterator[Sample]:
    """Two points with two between them, at the end of an interval of A; one label; and points nearer and nearer."""
    half = size // 2
    yield ((middle - 2, 1), size - half), ((middle, 0), half)
    yield ((middle, 1), size), ((middle + 1, 0), 0)
    yield ((0, 1), 1), ((middle, 0), size - 1)
    around = [(middle - 3**i, 1) for i in range(1, 4)] + [(middle + 3**i, 0) for i in range(4)]
    each = size // len(around)
    yield *((x, each) for x in around[1:]), (around[0], size - 6 * each)


def cases() -> Iterator[Case]:
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
                yield Case(sample, {"d": d, "alpha": alpha, **given}, {"beta": beta})


CASES: Final = tuple(cases())


def scattered(rows: int) -> tuple[Case, ...]:
    """So many rows on the points that are nearer and nearer, for the first parameters."""
    first = CASES[3]
    return (Case(tuple(samples_of(rows, 1 << 5))[-1], first.parameters, first.facts),)


on_the_sample = UtilityClaim(
    id="BNS-J-3.18.utility.on-the-sample",
    source="Beimel, Nissim & Stemmer, journal version, proof of Theorem 3.18, event E2",
    statement="LearnThresholds has error ≤ α/2 on a consistent sample with probability ≥ 1 − β/2, from "
    "m ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times, at ε = 1 and 1/2: "
    f"{rows_of(CASES[0].database):,} rows and more on 2^6, 2^16 and 2^40 points, on which RecConcave recurses once, "
    "once and twice; two points, one label, and points nearer and nearer to the target",
    mechanism=is_learnt,
    succeeds=lambda case, good: good,
    beta=lambda case: claimed_beta(case) / 2,
    cases=CASES,
    mutant=is_learnt_without_b,
    sharpness=Sharpness(
        what="rows near the target on 64 points, N = 2, α = 1/2, β = 1/4, ε = 1, δ = 10⁻⁶",
        paper=rows_of(CASES[3].database),
        family=scattered,
    ),
)

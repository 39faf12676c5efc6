"""Utility of learners that choose among all concepts: the generic learner, and that by the large margin mechanism.

The generic learner is that of Kasiviswanathan et al.; the shells are those of Corollary 2 of Chaudhuri, Hsu & Song.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from dpverify.mechanisms import Draw, exp
from dpverify.mechanisms.learners import generic_learner, learn_by_large_margin
from dpverify.mechanisms.learners.large_margin_learner import deviation_of, error_by_shells
from dpverify.mechanisms.sanitizers.concepts import Threshold, correct_labels, points, thresholds
from dpverify.verifiers.catalogue.families import BNS, CHS, HALF, HUNDREDTH, TENTH
from dpverify.verifiers.utility.family import Case, Family, at_part
from dpverify.verifiers.utility.pac import Population, error, learnt


def is_best_but_for(case: Case, hypothesis: Any) -> bool:
    """True where it labels fewer than `wrong` examples less than the best correctly."""
    best = max(correct_labels(h, case.database) for h in case.parameters["hypotheses"])
    return bool(best - correct_labels(hypothesis, case.database) < case.facts["wrong"])


generic = Family(
    generic_learner,
    is_best_but_for,
    lambda case: len(case.parameters["hypotheses"]) * exp(-case.parameters["epsilon"] * case.facts["wrong"] / 2),
    at_part("generic_at_half_epsilon", generic_learner, 2),
)(
    "BNS-J-KLNRS.utility.empirical",
    f"{BNS}, Section 2.5.2",
    "the generic learner's hypothesis has error ≥ the least + Δ with probability at most |H|·e^(−εΔm/2), "
    "on all samples with d = 1, m ≤ 4 and d = 2, m ≤ 2, of points and thresholds, at three ε",
    tuple(
        # errors are multiples of 1/m: more than wrong − 1 is the least that Δ can mean
        Case(sample, {"hypotheses": hypotheses, "epsilon": epsilon}, {"wrong": wrong})
        for d, most in ((1, 4), (2, 2))
        for hypotheses in (points(d), thresholds(d), points(d)[:1])
        for m in range(1, most + 1)
        for sample in combinations_with_replacement(tuple(product(range(1 << d), (0, 1))), m)
        for epsilon in (HUNDREDTH, Fraction(3), Fraction(200))
        for wrong in (1, m)
    ),
)


def learnt_by_large_margin(draw: Draw, population: Population, *, size: int, **given: Any) -> Any:
    """The concept that LMM chooses of the concepts on `size` independent examples."""
    return learnt(draw, population, size=size, learner=learn_by_large_margin, given=given)


def worst_by_large_margin(draw: Draw, population: Population, *, concepts: Sequence[Threshold], **given: Any) -> Any:
    """The threshold on the other side of what LMM chooses: j + 2 around the end in place of j."""
    found = draw(learnt_by_large_margin, population, concepts=concepts, **given)
    return concepts[(found.j + 2) % len(concepts)]


def is_within_shells(case: Case, hypothesis: Any) -> bool:
    """True where its error is at most the least one and what Corollary 2 admits."""
    given, rows = case.parameters, case.parameters["size"]
    errors = Counter(error(case.database, h) for h in given["concepts"])
    u = deviation_of(len(given["concepts"]), rows=rows, failure=case.facts["failure"])
    more = error_by_shells(errors, rows=rows, deviation=u, epsilon=given["epsilon"], delta=given["delta"])
    return bool(error(case.database, hypothesis) <= min(errors) + more)


shells = Family(
    learnt_by_large_margin,
    is_within_shells,
    lambda case: case.facts["failure"] + case.parameters["delta"],
    worst_by_large_margin,
)(
    "CHS-Cor2.utility.shells",
    f"{CHS}, Corollary 2, with the constants of Theorem 3, Hoeffding's u, and ℋ(t* + 2) in place of ℋ(t* + 1)",
    "LMM on n(1 − êrr) chooses an h with err(h) ≤ min err + 2u + 6·ln(2|ℋ(t* + 2)|/δ)/(αn) with probability "
    "≥ 1 − δ₀ − δ over the sample and the coins; thresholds on four points, n = 60, δ = 1/10, (α, δ₀) = (1, 1/10) and "
    "(20, 4/5), two kinds of examples, consistent with a threshold, or with none, or of one label",
    tuple(
        Case(
            (((0, low), share), ((3, high), 1 - share)),
            {"concepts": thresholds(2), "size": 60, "epsilon": epsilon, "delta": TENTH},
            {"failure": failure},
        )
        for (low, high), share in (((1, 0), Fraction(9, 10)), ((0, 1), Fraction(9, 10)), ((0, 0), HALF))
        for epsilon, failure in ((Fraction(1), TENTH), (Fraction(20), Fraction(4, 5)))
    ),
    weak_because="2u, for what the sample errs by, is most of the bound, and LMM chooses among two hypotheses or so: "
    "as it is it fails with 0.002 of what is allowed, and with eight times its noise with 0.92",
)

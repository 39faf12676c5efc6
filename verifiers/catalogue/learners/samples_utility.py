"""Utility of random samples: the bounds of Theorems 2.12, 2.13 and 2.14 that every PAC claim rests on.

The number of examples that any learner needs, Theorem 2.12, is after Ehrenfeucht, Haussler, Kearns & Valiant. Their
hard instance: a shattered set of VC points, of which one has probability 1 − 8α and the others share 8α, and a target
that labels those at random. What is not seen is labelled right with probability 1/2 by any learner.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, floor
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, exact, log
from dpverify.mechanisms.counting.occupancies import sequences_within
from dpverify.verifiers.catalogue.corners import claimed_beta, is_so
from dpverify.verifiers.catalogue.families import BNS, HALF, HUNDREDTH, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import BETA, BETAS, ENDS
from dpverify.verifiers.utility.family import Case, Choices, Family, as_named, chosen, least_of, weakened
from dpverify.verifiers.utility.pac import examples_met


def points_seen(draw: Draw, weights: tuple[int, ...], *, m: int) -> Distribution[tuple[int, ...]]:
    """The points of m random rows, where point i has weight i of the whole."""
    return examples_met(tuple((i, Fraction(weight, sum(weights))) for i, weight in enumerate(weights)), m)


_VC_1: Final = {"points": ((1, 0, 0), (0, 1, 0), (0, 0, 1)), "thresholds": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1))}
"""Concepts on three points, as the labels of each; the VC dimension is 1."""


def generalizes(case: Case, seen: tuple[int, ...]) -> bool:
    """True where no hypothesis is wrong by more than α, and right on all points that were seen."""
    weights, target = case.database, case.facts["target"]
    for h in _VC_1[case.facts["class"]]:
        wrong = [i for i in range(3) if h[i] != target[i]]
        if sum(weights[i] for i in wrong) > case.facts["alpha"] * sum(weights) and not set(seen).intersection(wrong):
            return False
    return True


def sample_bound(alpha: Fraction, beta: Fraction) -> int:
    """(8/α)·(VC·ln(16/α) + ln(2/β)) for VC = 1."""
    return ceil(8 / exact(alpha) * (log(16 / exact(alpha)) + log(2 / exact(beta))))


_JUST_ABOVE: Final = ((89, 11, 0), (49, 51, 0), (9, 91, 0), (78, 11, 11))
"""Weights that are just above one of the α."""


def sample_case(name: str, target: int, alpha: Fraction, beta: Fraction, weights: tuple[int, int, int]) -> Case:
    """A class, by its name, one of its concepts, and any weights of the points, or such as are just above α."""
    concepts = _VC_1[name]
    facts = {"class": name, "target": concepts[target % len(concepts)], "alpha": alpha, "beta": beta}
    return Case(weights, {"m": sample_bound(alpha, beta)}, facts)


realizable = Family(points_seen, generalizes, claimed_beta, weakened("points_seen_in_one_row", points_seen, m=1))(
    "BNS-J-2.13.utility.samples",
    f"{BNS}, Theorem 2.13, on three points, VC(C) = 1",
    "some h of C is wrong by more than α and agrees with m ≥ (8/α)·(VC(C)·ln(16/α) + ln(2/β)) random "
    "rows with probability ≤ β",
    strategy=chosen(
        *(sample_case, sorted(_VC_1), range(4), (TENTH, HALF, Fraction(9, 10)), BETAS),
        lambda st: st.one_of(
            st.tuples(st.integers(1, 30), st.integers(0, 30), st.integers(0, 30)), st.sampled_from(_JUST_ABOVE)
        ),
    ),
    corners={
        "the least β": ENDS["the least β"],
        "β near 1": ENDS["β near 1"],
        "just above α": lambda case: case.database in _JUST_ABOVE,
        "all on one point": lambda case: case.database[1:] == (0, 0),
        "points": lambda case: case.facts["class"] == "points",
        "thresholds": lambda case: case.facts["class"] == "thresholds",
    },
    sharpness=least_of(
        "random rows, α = 1/10, β = 1/20, VC = 1",
        sample_bound(TENTH, BETA),
        lambda m: (
            Case(weights, {"m": m}, {"class": name, "target": target, "alpha": TENTH, "beta": BETA})
            for weights in ((89, 11, 0), (78, 11, 11), (899, 101, 0))
            for name, concepts in _VC_1.items()
            for target in concepts
        ),
    ),
)


def share_is_close(draw: Draw, weights: tuple[int, int], *, m: int, alpha: Fraction) -> Distribution[bool]:
    """The law of whether the share of point 1 among m random rows is within α of its probability: exact binomials."""
    p = Fraction(weights[1], sum(weights))
    ways = {True: 0, False: 0}
    if not weights[0] or not weights[1]:
        return Distribution({True: 1})  # all rows are alike, and the share is the probability
    of_k = weights[0] ** m  # comb(m, k)·(weight of 1)^k·(weight of 0)^(m − k), from each k to the next
    for k in range(m + 1):
        ways[abs(Fraction(k, m) - p) <= alpha] += of_k
        of_k = of_k * (m - k) * weights[1] // ((k + 1) * weights[0])
    return Distribution(ways)


def agnostic_bound(vc: int, alpha: Fraction, beta: Fraction) -> int:
    """(50·VC(H)/α²)·ln(1/(αβ)), at least 1."""
    return max(1, ceil(50 * vc / exact(alpha) ** 2 * log(1 / exact(alpha * beta))))


def agnostic_case(vc: int, alpha: Fraction, beta: Fraction, weights: tuple[int, int]) -> Case:
    """Two points, of which a hypothesis and f differ on 1."""
    return Case(weights, {"m": agnostic_bound(vc, alpha, beta), "alpha": alpha}, {"vc": vc, "beta": beta})


_TWO_POINTS: Final[tuple[Choices, ...]] = (
    (HALF, Fraction(9, 10), Fraction(99, 100)),
    BETAS,
    lambda st: st.tuples(st.integers(1, 20), st.integers(0, 20)),
)
"""α, β and weights. A class of VC dimension 0 is a single hypothesis."""
_WITHIN: Final = (
    "with probability ≥ 1 − β the error of every h of H on m ≥ (50·VC(H)/α²)·ln(1/(αβ)) random rows is within α"
)
_AGNOSTIC: Final = Family(share_is_close, is_so, claimed_beta, weakened("share_in_one_row", share_is_close, m=1))
_AGNOSTIC_CASES: Final[dict[str, Any]] = {
    "corners": {
        "the least β": ENDS["the least β"],
        "β near 1": ENDS["β near 1"],
        "α near 1": lambda case: case.parameters["alpha"] == Fraction(99, 100),
        "all on one point": lambda case: case.database[1] == 0,
    }
}
agnostic_as_printed = _AGNOSTIC(
    "BNS-J-2.14.utility.samples",
    f"{BNS}, Theorem 2.14, on two points",
    _WITHIN,
    strategy=chosen(agnostic_case, range(2), *_TWO_POINTS),
    examples=(agnostic_case(0, QUARTER, Fraction(99, 100), (1, 1)),),
    degenerate="A class of VC dimension 0, for which no row is asked for. There is no ε in it.",
    **_AGNOSTIC_CASES,
)
agnostic_corrected = _AGNOSTIC(
    "BNS-J-2.14.utility.samples-of-two-points",
    f"{BNS}, Theorem 2.14, for VC(H) ≥ 1, on two points alone",
    f"{_WITHIN}, VC(H) ≥ 1",
    strategy=chosen(agnostic_case, range(1, 2), *_TWO_POINTS),
    sharpness=least_of(
        "random rows, α = 1/4, β = 1/20, VC = 1",
        agnostic_bound(1, QUARTER, BETA),
        lambda m: (Case(weights, {"m": m, "alpha": QUARTER}, {"beta": BETA}) for weights in ((1, 1), (2, 1), (9, 1))),
    ),
    **_AGNOSTIC_CASES,
)


def shares_are_close(draw: Draw, points: int, *, m: int, alpha: Fraction) -> Distribution[bool]:
    """True where each of so many points, all alike, has a share among m random rows within α of its probability.

    Of the points^m ways to draw the rows those are counted that have each point from `low` to `high` times.
    """
    low = max(0, ceil(m * (Fraction(1, points) - alpha)))
    high = min(m, floor(m * (Fraction(1, points) + alpha)))
    close = sequences_within(m, points, low, high)
    return Distribution({True: close, False: points**m - close})


def case_of_points(points: int, alpha: Fraction, beta: Fraction) -> Case:
    """All c_j on so many points, all alike, where f is 0 everywhere: error_D(c_j) is 1/points, error_S(c_j) a share."""
    return Case(points, {"m": agnostic_bound(1, alpha, beta), "alpha": alpha}, {"beta": beta})


_ALPHAS: Final = (HALF, Fraction(9, 10), Fraction(99, 100), Fraction(199, 200))
_OF_POINTS: Final = Family(shares_are_close, is_so, claimed_beta, weakened("shares_in_one_row", shares_are_close, m=1))
_OF_POINTS_CASES: Final[dict[str, Any]] = {
    "strategy": chosen(case_of_points, (2, 3, 5, 20, 100, 201), _ALPHAS, (TWENTIETH, *_ALPHAS)),
    "corners": {
        "two points": lambda case: case.database == 2,
        "201 points": lambda case: case.database == 201,
        "β near 1": lambda case: case.facts["beta"] == Fraction(199, 200),
        "β = 1/20": lambda case: case.facts["beta"] == TWENTIETH,
        "α near 1": lambda case: case.parameters["alpha"] == Fraction(199, 200),
    },
}
agnostic_points_as_printed = _OF_POINTS(
    "BNS-J-2.14.utility.samples-of-points",
    f"{BNS}, Theorem 2.14, for the points, VC(H) = 1, all of them alike, and f = 0",
    f"{_WITHIN}, VC(H) ≥ 1",
    examples=(case_of_points(201, Fraction(199, 200), Fraction(199, 200)),),
    degenerate="α = β = 199/200, for which one row is asked for. There is no ε in it.",
    **_OF_POINTS_CASES,
)
agnostic_points_corrected = replace(_OF_POINTS, holds_for=lambda case: case.parameters["m"] > 1)(
    "BNS-J-2.14.utility.samples-of-points-corrected",
    f"{BNS}, Theorem 2.14, for the points, VC(H) = 1, all of them alike, and f = 0",
    f"{_WITHIN}, VC(H) ≥ 1 and m ≥ 2",
    sharpness=least_of(
        "random rows, 20 points, α = 9/10, β = 1/20, VC = 1",
        agnostic_bound(1, Fraction(9, 10), BETA),
        lambda m: [Case(20, {"m": m, "alpha": Fraction(9, 10)}, {"beta": BETA})],
    ),
    **_OF_POINTS_CASES,
)


@lru_cache(maxsize=64)
def unseen(light: int, share: Fraction, examples: int) -> tuple[Fraction, ...]:
    """The probabilities that 0, 1, … of the light points, which together have this share, have no example."""
    left = [Fraction(0)] * light + [Fraction(1)]
    for _ in range(examples):
        seen = [Fraction(0)] * (light + 1)
        for u, chance in enumerate(left):
            if chance:
                new = share * u / light
                seen[u] += chance * (1 - new)
                if u:
                    seen[u - 1] += chance * new
        left = seen
    return tuple(left)


def best_learner_is_wrong(draw: Draw, examples: int, *, vc: int, alpha: Fraction) -> Distribution[bool]:
    """True where a learner that keeps the labels it saw has an error above α: no learner has one less often.

    Of u light points that were not seen it labels Binomial(u, 1/2) wrong, each of which weighs 8α/(VC − 1).
    """
    light = vc - 1
    wrong = sum(
        (
            chance * Fraction(comb(u, errors), 2**u)
            for u, chance in enumerate(unseen(light, 8 * alpha, examples))
            for errors in range(u + 1)
            if 8 * errors > light
        ),
        Fraction(0),
    )
    return Distribution({True: wrong, False: 1 - wrong})


_MANY_MORE: Final = as_named(
    "with_many_more_examples",
    "32 times as many examples, from which a learner may well be right.",
    lambda draw, examples, **given: best_learner_is_wrong(draw, 32 * max(1, examples), **given),
)
examples_needed = Family(best_learner_is_wrong, is_so, lambda case: 1 - HUNDREDTH, _MANY_MORE)(
    "BNS-J-2.12.utility.examples-needed",
    f"{BNS}, Theorem 2.12, an order; the constants of Ehrenfeucht, Haussler, Kearns & Valiant, for VC ≥ 2 and α ≤ 1/8",
    "from (VC − 1)/(32α) examples no learner has an error of at most α with probability ≥ 99/100: on the "
    "hard instance, on average over its targets, the best one fails with probability ≥ 1/100",
    tuple(
        Case(int((vc - 1) / (32 * alpha)), {"vc": vc, "alpha": alpha})
        for vc in (2, 3, 9, 17)
        for alpha in (TWENTIETH, Fraction(1, 8))
    ),
)


def label_of_the_first(draw: Draw, sample: Sequence[tuple[int, int]]) -> int:
    """The learner of the two constant concepts that returns the one with the first example's label."""
    return sample[0][1]


_OF_TWO: Final = tuple(Case(((0, target),), {}, {"target": target}) for target in (0, 1))
two_constants = Family(
    label_of_the_first,
    lambda case, h: h != case.facts["target"],
    lambda case: 1 - HUNDREDTH,
    as_named("always_one", "It looks at nothing: it is right as well, where the target is 1.", lambda draw, sample: 1),
)(
    "BNS-J-2.12.utility.two-constants",
    f"{BNS}, Theorem 2.12, for every class",
    "from VC/(10⁶·α) examples no learner has an error of at most α with probability ≥ 99/100; of the two "
    "constant concepts, VC = 1, one example, α = 10⁻⁶",
    _OF_TWO,
    examples=_OF_TWO[:1],
    degenerate="One example tells which of the two it is, whatever α is. Ehrenfeucht, Haussler, Kearns & Valiant ask "
    "for two concepts that agree somewhere and differ elsewhere; with VC − 1 it is true of these, too. There is no ε "
    "in it.",
)

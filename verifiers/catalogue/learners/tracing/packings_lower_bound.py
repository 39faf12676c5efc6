"""Lower bounds to the examples of private learners, by packings of samples."""

from fractions import Fraction
from functools import cache, partial
from math import ceil, comb, floor
from typing import Any, Final

from dpverify.mechanisms import Exact, distribution, log
from dpverify.mechanisms.learners import generic_learner
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.sanitizers import point_sets
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.mechanisms.sanitizers.point_sets import (
    Points,
    PointSet,
    concentrated,
    greedy_family,
    removed,
    removed_as_printed,
    removed_at_most,
    too_near,
)
from dpverify.mechanisms.selection.packing_bound import binomial_above, packing_bound, steps_forced
from dpverify.verifiers.catalogue.families import TENTH
from dpverify.verifiers.lower_bounds.family import BoundFamily, Broken, a_tenth_too_little, on_cases, without_distances
from dpverify.verifiers.lower_bounds.instance import HardInstance, rows_replaced
from dpverify.verifiers.lower_bounds.statement import Law, Parameters

_LEMMA: Final = "Beimel, Nissim & Stemmer, journal version, Lemma 5.7"
_LN_2: Final = log(2)
Sample = tuple[Example, ...]


def moved(case: Parameters) -> int:
    """5αm, the number of examples that D_A puts on A by expectation."""
    return int(5 * case["alpha"] * case["m"])


def family_of(case: Parameters) -> tuple[Points, ...]:
    """The sets that the greedy algorithm chooses."""
    return tuple(greedy_family(case["d"], case["k"], removes=case.get("removes", removed), most=32))


def samples(case: Parameters) -> dict[Sample, Points]:
    """S_A, labelled by c_A, for each A of the family: (1 − 5α)m examples of 0, and 5αm spread over A."""
    return {
        tuple((x, int(x in a)) for x in concentrated(a, rows=case["m"], moved=moved(case))): a
        for a in dict.fromkeys(family_of(case))
    }


def error(hypothesis: PointSet, a: Points, alpha: Fraction) -> Fraction:
    """error_{D_A}(h, c_A), for D_A of 1 − 5α on 0, and 5α/k on each point of A."""
    missed = sum(not hypothesis(x) for x in a)
    return 5 * alpha / len(a) * missed + (1 - 5 * alpha) * hypothesis(0)


def learning(case: Parameters) -> HardInstance:
    """To find a hypothesis of k points that is α-good for c_A and D_A; the order of the examples does not matter."""
    of, alpha = samples(case), case["alpha"]
    in_any_order = {tuple(sorted(sample)): a for sample, a in of.items()}

    @cache
    def is_good(h: PointSet, a: Points) -> bool:
        return bool(error(h, a, alpha) <= alpha)

    return HardInstance(
        databases=list(of),
        outcomes=[PointSet(a) for a in of.values()],
        succeeds=lambda sample, h: is_good(h, in_any_order[tuple(sorted(sample))]),
        distance=rows_replaced,
    )


def good_for_two(case: Parameters, times: int = 1) -> str | None:
    """A hypothesis of k points, of all there are, that is α-good for two sets of the family; None without one."""
    alpha = case["alpha"]
    for h in point_sets(case["d"], case["k"]):
        good = [a for a in samples(case).values() if error(h, a, alpha) <= times * alpha]
        if len(good) > 1:
            return f"the points {h.points} are good for {good[0]} and for {good[1]}"
    return None


def shares_too_many(case: Parameters) -> str | None:
    """Two sets of the family that share more than k/2 points; None where no two do."""
    pair = too_near(family_of(case))
    return None if pair is None else f"{pair[0]} and {pair[1]} are both chosen"


def family_too_small(case: Parameters) -> str | None:
    """The size of a family below C(2^d − 1, k) over what one set removes, or below the printed one; otherwise None."""
    size, d, k = len(greedy_family(case["d"], case["k"])), case["d"], case["k"]
    if size * removed_at_most(d, k) < comb((1 << d) - 1, k):
        return f"{size} sets, each of which removes at most {removed_at_most(d, k)}"
    # e² > 7, so that what is compared is more than the printed number
    return None if size**2 >= Fraction((1 << d) - 1, 28 * k) ** k else f"{size} sets are fewer than the printed number"


def too_often_bad(case: Parameters) -> str | None:
    """The probability, if above 1/4, of more than 8αm examples that are not 0, for m ≥ 5·ln 4/(3α); otherwise None."""
    alpha, rows = case["alpha"], case["chernoff"]
    if rows * 3 * alpha < 5 * log(4):
        return f"m = {rows} is less than 5·ln 4/(3α)"
    chance = binomial_above(rows, 5 * alpha, floor(8 * alpha * rows))
    return None if chance <= Fraction(1, 4) else f"with probability {chance}"


def forced(case: Parameters) -> Exact:
    """1/(1 + (|B| − 1)·e^(−5αεm)): the samples S_A differ in 5αm examples at most."""
    return packing_bound(len(samples(case)), moved(case), case["epsilon"])


def by_choosing(case: Parameters) -> Law:
    """The generic learner, with all sets of k points for hypotheses."""
    return partial(distribution, generic_learner, hypotheses=point_sets(case["d"], case["k"]), epsilon=case["epsilon"])


def examples_forced(case: Parameters) -> int:
    """The least m that lets a learner with β = 1/2 pass: 3e^(8αεm) ≥ |B| − 1, by inequality (6)."""
    steps = steps_forced(len(samples(case)), beta=Fraction(3, 4), epsilon=case["epsilon"])
    return ceil(steps / (8 * Fraction(case["alpha"])))


def case_of(d: int, k: int, m: int, epsilon: ExactLike, chernoff: int) -> dict[str, Any]:
    """k points of 2^d, m examples, and as many as Chernoff's bound is looked at for; α = 1/10."""
    return {"d": d, "k": k, "m": m, "alpha": TENTH, "epsilon": epsilon, "chernoff": chernoff}


_LARGEST: Final = case_of(3, 3, 6, _LN_2, 40)
_NOT_TOO_NEAR: Final = {"no two sets share more than k/2 points": shares_too_many}
packing = BoundFamily(
    forced,
    learning,
    {
        **_NOT_TOO_NEAR,
        "no hypothesis is good for two of the samples": good_for_two,
        "there are as many sets as are counted": family_too_small,
        "a sample is good with probability 3/4": too_often_bad,
    },
    {"generic learner": by_choosing},
    least=examples_forced,
)(
    "BNS-J-5.7.lower-bound.packing",
    f"{_LEMMA} and its proof",
    "on samples S_A an ε-private proper learner of k-POINT_d is α-good with probability "
    "1/(1 + (|B| − 1)·e^(−5αεm)) at most, and with 8αm examples in place of 5αm every sample is of this kind but with "
    "probability 1/4: for β = 1/2, m ≥ ln((|B| − 1)/3)/(8αε)",
    [
        case_of(2, 1, 4, 1, 24),
        case_of(3, 1, 4, _LN_2, 24),
        case_of(3, 2, 4, _LN_2, 30),
        case_of(3, 2, 4, 2 * _LN_2, 30),
        _LARGEST,
    ],
    a_tenth_too_little,
    Broken("hypotheses are 2α-good", {"properties": {"good for one": partial(good_for_two, times=2)}}),
    without_distances,
    on_cases("the sets that share too many points stay", {**_LARGEST, "removes": removed_as_printed}),
)
greedy_as_printed = BoundFamily(lambda case: 1, properties=_NOT_TOO_NEAR)(
    "BNS-J-5.7.lower-bound.greedy-printed",
    f"{_LEMMA}, the greedy algorithm in its proof",
    "after A is chosen every I with |A ∩ I| ≤ k/2 is removed: of the sets that are chosen no two share more "
    "than k/2 points",
    [{**_LARGEST, "removes": removed_as_printed}],
    proof_step="It is to be |A ∩ I| > k/2. As printed the sets that are too near stay, A among them, so that it has no "
    "end and chooses (1, 2, 3) again. The count of what is removed is that of the sets with |A ∩ I| ≥ k/2, and stands, "
    "as does the lemma (BNS-J-5.7.lower-bound.packing).",
)


def two_concepts(case: Parameters) -> HardInstance:
    """POINT_1: two concepts on two points, of which any two hypotheses differ on both."""
    family = [(x,) for x in range(2)]
    return HardInstance(
        databases=[tuple((x, int(x in a)) for x in (0, 1)) for a in family],
        outcomes=[PointSet(a) for a in family],
        succeeds=lambda sample, h: all(h(x) == y for x, y in sample),
    )


letter = BoundFamily(lambda case: Fraction(1, 2), two_concepts, strict=True)(
    "BNS-J-5.7.lower-bound.letter",
    _LEMMA,
    "for α < 1/5 and 2^d ≥ k^1.1 every proper (α, 1/2, ε, m)-PPAC learner of k-POINT_d has m = Ω(kd/(αε))",
    [{"d": 1, "k": 1, "alpha": TENTH, "epsilon": 0}],
    degenerate="k = d = 1 leaves two concepts, of which a coin finds the right one with probability 1/2 = 1 − β, at ε "
    "= 0 and from no examples. With four points or more a coin is not enough. As it fails at every ε, no ε is a "
    "boundary.",
)

"""Lower bounds to the examples of private learners of k concepts at once: Bun, Nissim & Stemmer, Section 5.

The extraction of the paper has lost its formulas: the bounds are what the proofs give, with their constants.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, floor
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, Exact, distribution, exact, exp, log
from dpverify.mechanisms.learners import Parity, direct_sum, generic_learner, learn_parities
from dpverify.mechanisms.sanitizers.concepts import AllZero, Point
from dpverify.mechanisms.selection.packing_bound import binomial_above, packing_bound, steps_forced
from dpverify.verifiers.catalogue.families import BUNS, TENTH
from dpverify.verifiers.lower_bounds.family import BoundFamily, Broken, a_tenth_too_little, on_cases, without_distances
from dpverify.verifiers.lower_bounds.instance import HardInstance
from dpverify.verifiers.lower_bounds.statement import Law, Parameters

_LN_2: Final = log(2)
_TWO: Final = (Point(0), AllZero())
"""Two concepts that differ on the point 0, and agree on the point 1."""


def learned_apart(draw: Draw, rows: Any, *, k: int, hypotheses: Any, epsilon: Any) -> Any:
    """The direct sum of k generic learners at ε/k each."""
    return draw(direct_sum, rows, k=k, learner=partial(generic_learner, hypotheses=hypotheses, epsilon=epsilon / k))


def by_direct_sum(case: Parameters) -> Law:
    """The direct sum of generic learners: of parities of d bits where the case has a d, else of the two concepts."""
    hypotheses: Any = tuple(map(Parity, range(1 << case["d"]))) if "d" in case else _TWO
    return partial(distribution, learned_apart, k=case["k"], hypotheses=hypotheses, epsilon=case["epsilon"])


# Theorem 5.1 and Remark 5.2: d rows (x, labels), for all k-vectors of labels; other rows, (y, 0), say nothing.
def labelled(case: Parameters) -> HardInstance:
    """The databases of n rows, `moved` of which are (x, labels): x = 0, and y = 1 where all concepts agree."""
    n, k, some = case["n"], case["k"], case.get("moved", case["n"])

    def succeeds(rows: tuple[tuple[int, int], ...], hypotheses: Any) -> bool:
        return all(h(0) == rows[0][1] >> j & 1 for j, h in enumerate(hypotheses))

    return HardInstance(
        databases=[((0, labels),) * some + ((1, 0),) * (n - some) for labels in range(1 << k)],
        outcomes=list(product(_TWO, repeat=k)),
        succeeds=succeeds,
    )


def forced(case: Parameters) -> Exact:
    """1/(1 + (2^k − 1)·e^(−εd)), for the d rows that differ."""
    return packing_bound(1 << case["k"], case.get("moved", case["n"]), case["epsilon"])


labelling = BoundFamily(
    forced,
    labelled,
    mechanisms={"direct sum": by_direct_sum},
    least=lambda case: steps_forced(1 << case["k"], beta=case["beta"], epsilon=case["epsilon"]),
)
one_point = labelling(
    "BuNS-5.1.lower-bound.packing",
    f"{BUNS}, Theorem 5.1 and its proof",
    "an ε-private PAC k-learner of a class of two concepts or more, proper or not, labels a point of probability 1 "
    "rightly for all k with probability 1/(1 + (2^k − 1)·e^(−εn)) at most: n ≥ ln((2^k − 1)(1 − β)/β)/ε",
    [{"k": k, "n": n, "epsilon": _LN_2, "beta": TENTH} for k, n in ((1, 1), (1, 3), (2, 3), (3, 2), (3, 4), (4, 4))],
    a_tenth_too_little,
    Broken("k + 1 labels", {"forced": lambda case: forced({**case, "k": case["k"] + 1})}),
    without_distances,
)


def seldom_more(case: Parameters) -> str | None:
    """The probability, if above 1/4, that more than 4αn of n examples are x, of probability 2α; otherwise None."""
    n, alpha = case["n"], case["alpha"]
    chance = binomial_above(n, 2 * alpha, floor(4 * alpha * n))
    return None if chance <= Fraction(1, 4) else f"with probability {chance}"


def with_alpha(k: int, n: int, some: int, alpha: Fraction | None = None) -> dict[str, Any]:
    """k, n, how many rows are moved, and α, which is such that these are 4αn where nothing is said."""
    given = {"k": k, "n": n, "moved": some, "alpha": alpha or Fraction(some, 4 * n)}
    return {**given, "epsilon": _LN_2, "beta": TENTH}


of_rare_point = replace(
    labelling,
    properties={
        "seldom more than 4αn examples are x": seldom_more,
        "4αn rows are moved": lambda case: (
            None if case["moved"] == 4 * case["alpha"] * case["n"] else f"4αn is {4 * case['alpha'] * case['n']}"
        ),
    },
    least=lambda case: ceil(
        steps_forced(1 << case["k"], beta=case["beta"] + Fraction(1, 4), epsilon=case["epsilon"]) / (4 * case["alpha"])
    ),
)(
    "BuNS-5.2.lower-bound.packing",
    f"{BUNS}, Remark 5.2",
    "where two concepts agree on y and differ on x, of probability 2α, an ε-private (α, β)-PAC k-learner has "
    "1 − β − 1/4 ≤ 1/(1 + (2^k − 1)·e^(−4εαn)), as more than 4αn examples are x with probability 1/4 at most",
    [with_alpha(k, n, some) for k, n, some in ((1, 16, 4), (2, 16, 4), (3, 16, 4), (4, 16, 4), (4, 20, 5))],
    a_tenth_too_little,
    on_cases("2αn rows are moved", with_alpha(1, 16, 2, Fraction(1, 16))),
)


# Theorem 5.4: parities of d bits, k of them, with a basis for a sample.
def parities(case: Parameters) -> HardInstance:
    """The rows e_1, …, e_d, `times` each, with the labels of k parities: for all 2^(kd) of them."""
    d, k, times = case["d"], case["k"], case["times"]
    targets = {
        tuple((1 << i, sum((y >> i & 1) << j for j, y in enumerate(ys))) for i in range(d) for _ in range(times)): ys
        for ys in product(range(1 << d), repeat=k)
    }
    return HardInstance(
        databases=list(targets),
        outcomes=[tuple(map(Parity, ys)) for ys in targets.values()],
        succeeds=lambda rows, found: found == tuple(map(Parity, targets[rows])),
    )


def rows_of(case: Parameters) -> int:
    """n = d·times."""
    return int(case["d"] * case["times"])


def forced_as_reconstructed(case: Parameters) -> Exact:
    """e^(εn)/2^(kd), and at most 1: n ≥ (kd·ln 2 + ln(1 − β))/ε."""
    sets: int = 1 << case["k"] * case["d"]
    return min(exact(1), exp(exact(case["epsilon"]) * rows_of(case)) / sets)


def of_parities(d: int, k: int, times: int, epsilon: Exact, **delta: Fraction) -> dict[str, Any]:
    """k parities of d bits, and how often the sample has each vector of the basis."""
    return {"d": d, "k": k, "times": times, "epsilon": epsilon, **delta}


_THREE_HALVES: Final = log(Fraction(3, 2))
exact_parities = BoundFamily(forced_as_reconstructed, parities, mechanisms={"direct sum": by_direct_sum})(
    "BuNS-5.4.lower-bound.packing",
    f"{BUNS}, Theorem 5.4 and its proof, by Lemma 5.3",
    "an ε-private k-learner of parities under the uniform distribution finds all k exactly with probability "
    "e^(εn)/2^(kd) at most: n ≥ (kd·ln 2 + ln(1 − β))/ε",
    [
        *(of_parities(d, k, times, _THREE_HALVES) for d, k, times in ((2, 1, 1), (3, 1, 1), (2, 2, 1), (2, 2, 2))),
        of_parities(1, 4, 2, _LN_2),
    ],
    on_cases(
        "half of it is forced, for d = 1, where n rows are one point",
        of_parities(1, 2, 1, _LN_2),
        forced=lambda case: forced_as_reconstructed(case) / 2,
    ),
    without_distances,
)


def forced_approximately(case: Parameters) -> Exact:
    """The packing argument with δ in it."""
    return packing_bound(1 << case["k"] * case["d"], rows_of(case), case["epsilon"], case["delta"])


def by_majority(case: Parameters) -> Law:
    """Algorithm 4, with subsamples of d rows, each of which is a basis."""
    given = {name: case[name] for name in ("d", "k", "epsilon", "delta")}

    def in_subsamples(rows: Any) -> Distribution[Any]:
        """The rows so that each subsample has every vector of the basis: their order is up to whoever runs it."""
        times, d = case["times"], case["d"]
        ordered = tuple(rows[i * times + part] for part in range(times) for i in range(d))
        return distribution(learn_parities, ordered, size=d, **given)

    return in_subsamples


approximately = BoundFamily(forced_approximately, parities, mechanisms={"learn_parities": by_majority})(
    "BuNS-5.4.lower-bound.approximate",
    f"{BUNS}, Theorem 5.4, with a δ, by hand",
    "with δ_n = δ·(e^(εn) − 1)/(e^ε − 1) an (ε, δ)-private k-learner of parities finds all k exactly with probability "
    "(1 + (2^(kd) − 1)·e^(−εn)·δ_n)/(1 + (2^(kd) − 1)·e^(−εn)) at most: with δ > 0 the argument ends where δ_n = 1",
    [of_parities(2, 1, times, _LN_2, delta=Fraction(1, 1000)) for times in (1, 2, 4)],
    Broken("half of what is forced without δ", {"forced": lambda case: forced_approximately({**case, "delta": 0}) / 2}),
    without_distances,
)

"""Steps of the proof of Lemma 3.2, about the learner of points, and of the improper learner."""

from typing import Final

from dpverify.verifiers.catalogue.learners.points.points_learner_privacy import CITED
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Relation, exp, log, parameters

alpha, beta, epsilon, delta, x, m, p = parameters("alpha beta epsilon delta x m p")
_RANGES: Final = {"alpha beta": BELOW_1, "epsilon": above_zero(), "delta": BELOW_1, "x": whole_from(2)}
_proper: Final = ProofSteps("BNS-J-", "Beimel, Nissim & Stemmer, journal version, proof of Lemma 3.2, ", _RANGES)
_improper: Final = ProofSteps("BNS-J-BKN.step.", CITED, _RANGES)


def _of_order(constant: int) -> Relation:
    """The rows for A_dist and those for the sample, together, are of the order of the lemma with this constant."""
    rows = 8 / (alpha * epsilon) * log(4 / (beta * delta)) + 8 / alpha * log(2 / beta)
    return rows <= constant / (alpha * epsilon) * log(1 / (beta * delta))


STEPS: Final = [
    _proper("3.2.step.gap").says(
        "a gap of αm/2 is at least (1/ε)·ln(2/(βδ)), as A_dist asks for with β/2, for m ≥ (8/(αε))·ln(4/(βδ))",
        log(1 / (beta / 2 * delta)) / epsilon <= alpha * m / 2,
        broken("1 in place of 8", m=at_least(1 / (alpha * epsilon) * log(4 / (beta * delta)))),
        m=at_least(8 / (alpha * epsilon) * log(4 / (beta * delta))),
    ),
    _proper("3.2.step.gap-corrected", "with the A_dist of the extended abstract").says(
        "a gap of αm/2 is at least (4/ε)·ln(4/(βδ)), as Proposition 2 asks for with β/2",
        4 / epsilon * log(2 / (beta / 2 * delta)) <= alpha * m / 2,
        broken("7 in place of 8", m=at_least(7 / (alpha * epsilon) * log(4 / (beta * delta)))),
        m=at_least(8 / (alpha * epsilon) * log(4 / (beta * delta))),
    ),
    _proper("3.2.step.sample").says(
        "e^(−αm/8) ≤ β/2 for m ≥ (8/α)·ln(2/β)",
        exp(-alpha * m / 8) <= beta / 2,
        broken("7 in place of 8", m=at_least(7 / alpha * log(2 / beta))),
        m=at_least(8 / alpha * log(2 / beta)),
    ),
    _proper("3.2.step.both").says(
        "(1 − e^(−αm/8))·(1 − β/2) ≥ 1 − β where e^(−αm/8) ≤ β/2",
        1 - beta <= (1 - p) * (1 - beta / 2),
        broken("1 − 3β/4", 1 - 3 * beta / 4 <= (1 - p) * (1 - beta / 2)),
        p=Range(0, beta / 2),
    ),
    _proper("3.2.step.order", "the number of rows").says(
        "(8/(αε))·ln(4/(βδ)) and (8/α)·ln(2/β) are together (24/(αε))·ln(1/(βδ)) at most, for ε ≤ 1 and β, δ ≤ 1/2",
        _of_order(24),
        broken("23", _of_order(23)),
        beta=above_zero(HALF),
        epsilon=above_zero(1),
        delta=above_zero(HALF),
    ),
    _proper("3.2.step.order-any-epsilon", "the number of rows").says(
        "the same for every ε > 0 with a universal constant, here 1,000,000",
        _of_order(1_000_000),
        beta=above_zero(HALF),
        delta=above_zero(HALF),
        tries=[{"alpha": HALF, "beta": HALF, "epsilon": 10**8, "delta": HALF}],
        mends="ε ≤ 1, or (1/α)·ln(1/β) besides",
        degenerate="(8/α)·ln(2/β) examples are for the sample, and no ε is in them; there is no boundary in ε of its "
        "own, but one that grows with the constant.",
    ),
    _proper("3.2.step.order-near-one", "the number of rows").says(
        "the same for every β and δ, ε ≤ 1, with that constant",
        _of_order(1_000_000),
        epsilon=above_zero(1),
        tries=[{"alpha": HALF, "beta": 1 - HALF**30, "epsilon": 1, "delta": 1 - HALF**30}],
        mends="β ≤ 1/2, or ln(2/(βδ)) in place of ln(1/(βδ))",
        degenerate="No example is asked for, which is too few for 2^40 points. There is no boundary in ε.",
    ),
    # The improper learner errs on at most α of the population but for β; x = 2^r hashes
    _improper(
        "collisions",
        ": a share 1/x of the other points is hashed to the target's on average, and by Markov's inequality",
    ).says(
        "more than α/4 share the hash of the target with probability at most (4/α)/x ≤ β/3, for x ≥ 12/(αβ)",
        4 / (alpha * x) <= beta / 3,
        broken("x ≥ 11/(αβ)", x=at_least(11 / (alpha * beta))),
        x=at_least(12 / (alpha * beta)),
    ),
    _improper("sample", ", by the Chernoff bounds of Section 2.6").says(
        "with m ≥ (32/α)·ln(6x/β) examples none of x hypotheses with an error above α is wrong on 3αm/4 or less, and "
        "that of the target, with α/4, on no more than αm/2, but for x·e^(−αm/32) + e^(−αm/12) ≤ β/3",
        x * exp(-alpha * m / 32) + exp(-alpha * m / 12) <= beta / 3,
        broken("16 in place of 32", m=at_least(16 / alpha * log(6 * x / beta))),
        m=at_least(32 / alpha * log(6 * x / beta)),
    ),
    _improper("choice", ", by the exponential mechanism").says(
        "with m ≥ (8/(αε))·ln(3x/β) one that is right on αm/4 fewer is chosen with x·e^(−εαm/8) ≤ β/3 at most",
        x * exp(-epsilon * alpha * m / 8) <= beta / 3,
        broken("7 in place of 8", m=at_least(7 / (alpha * epsilon) * log(3 * x / beta))),
        epsilon=above_zero(),
        m=at_least(8 / (alpha * epsilon) * log(3 * x / beta)),
    ),
]

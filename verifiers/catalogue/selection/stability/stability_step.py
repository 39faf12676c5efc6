"""Steps of the proofs about A_dist and the choosing mechanism: Propositions 2.26 and 2, Lemmas 4.4, 4.5 and 4."""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import degenerate
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import exp, log, parameters

alpha, beta, epsilon, delta, k, m, g, x = parameters("alpha beta epsilon delta k m g x")
_RANGES: Final = {"alpha beta": BELOW_1, "epsilon": above_zero(1), "delta": BELOW_1, "k m": whole_from(1)}
_journal: Final = ProofSteps("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ", _RANGES)
_abstract: Final = ProofSteps("BNS-X-", "Beimel, Nissim & Stemmer, extended abstract, ", _RANGES)


def _rows(constant: int = 16) -> Range:
    """m ≥ (16/(αε))·ln(16k/(αβεδ))."""
    return at_least(constant / (alpha * epsilon) * log(16 * k / (alpha * beta * epsilon * delta)))


_enough: Final = m >= 16 / (alpha * epsilon) * log(16 * k / (alpha * beta * epsilon * delta))
_not_bottom: Final = exp(-epsilon / 4 * (alpha * m / 4)) / 2 <= delta
_fact_1: Final = exp(epsilon / 4) / exp(epsilon / 4 * (alpha * m / 4)) <= delta / k
_NEAR_1: Final = Fraction(99, 100)
_LARGE_EPSILON: Final = degenerate(
    "The lemma sets no bound to ε, and with a large one its rows are few, or none. There is no boundary in ε alone: it "
    "is one in αβε/k."
)
STEPS: Final = [
    # A_dist: with a gap of g the best solution is not chosen with probability e^(−(g − t)/b)/2, for a threshold t ≤ g
    _journal("2.26.step.utility", "Proposition 2.26(ii), whose proof is in its source").says(
        "with a gap of (1/ε)·ln(1/(βδ)) the best solution is missed with probability at most β",
        exp(-epsilon * (g - log(1 / delta) / epsilon)) / 2 <= beta,
        broken("half of the gap", g=at_least(log(1 / (beta * delta)) / (2 * epsilon))),
        epsilon=above_zero(),
        g=at_least(log(1 / (beta * delta)) / (1 * epsilon)),
    ),
    _abstract("Prop2.step.utility", "Proposition 2(ii), whose proof is in its source").says(
        "with a gap of (4/ε)·ln(2/(βδ)) the best solution is missed with probability at most β, for ε ≤ 1",
        exp(-epsilon / 4 * (g - 4 / epsilon * log(1 / delta) - 2)) / 2 <= beta,
        broken("3/ε", g=at_least(3 / epsilon * log(2 / (beta * delta)))),
        g=at_least(4 / epsilon * log(2 / (beta * delta))),
    ),
    # The choosing mechanism
    _journal("4.4.step.case-a", "proof of Lemma 4.4, case (a)").says(
        "where all qualities are below αm/4 something other than ⊥ is chosen with probability at most δ; ε ≤ 1",
        _not_bottom,
        broken("(8/(αε))·ln(2/δ) rows", given=(), m=at_least(8 / (alpha * epsilon) * log(2 / delta))),
        m=_rows(),
    ),
    _journal("4.4.step.case-a-any-epsilon", "proof of Lemma 4.4, case (a)").says(
        "something other than ⊥ is chosen in case (a) with probability at most δ, for every ε > 0",
        _not_bottom,
        given=[_enough],
        epsilon=above_zero(),
        tries=[{"alpha": _NEAR_1, "beta": _NEAR_1, "epsilon": 35, "delta": Fraction(1, 18), "k": 1, "m": 1}],
        mends="ε ≤ 1, or m ≥ (16/(αε))·ln(1/(2δ)) besides",
        refuted=_LARGE_EPSILON,
    ),
    _journal("4.4.step.fact-1", "proof of Lemma 4.4, Fact 1").says(
        "a solution of quality 1 is chosen with probability at most δ/k, for ε ≤ 4",
        _fact_1,
        broken("half of the rows", epsilon=above_zero(1), m=_rows(8)),
        epsilon=above_zero(4),
        m=_rows(),
    ),
    _journal("4.4.step.fact-1-any-epsilon", "proof of Lemma 4.4, Fact 1").says(
        "a solution of quality 1 is chosen with probability at most δ/k, for every ε > 0",
        _fact_1,
        given=[_enough],
        epsilon=above_zero(),
        tries=[{"alpha": HALF, "beta": HALF, "epsilon": 64, "delta": Fraction(1, 100), "k": 1, "m": 3}],
        mends="ε ≤ 4, or m ≥ (16/(αε))·(ε/4 + ln(k/δ)) besides, as the extended abstract has it for k = 1",
        refuted=_LARGE_EPSILON,
    ),
    _journal("4.4.step.inequality-4", "proof of Lemma 4.4, Inequality (4), divided by e^(ε/4)").says(
        "k + X ≤ e^(ε/4)·X, for X ≥ 4k/ε",
        k + x <= exp(epsilon / 4) * x,
        broken("X ≥ 3k/ε", x=at_least(3 * k / epsilon)),
        epsilon=above_zero(),
        x=at_least(4 * k / epsilon),
    ),
    _journal("4.4.step.x", "proof of Lemma 4.4, below Inequality (4)").says(
        "e^((ε/4)·(αm/4)) ≥ 4k/ε, for m ≥ (16/(αε))·ln(4k/ε) and ε ≤ 1",
        4 * k / epsilon <= exp(epsilon / 4 * (alpha * m / 4)),
        broken("ln(3k/ε)", m=at_least(16 / (alpha * epsilon) * log(3 * k / epsilon))),
        m=at_least(16 / (alpha * epsilon) * log(4 * k / epsilon)),
    ),
    _journal("4.4.step.inequality-4-rows", "proof of Lemma 4.4, Inequality (4)").says(
        "the rows of the lemma are (16/(αε))·ln(4k/ε) and more, for ε ≤ 1",
        lambda c=4: m >= 16 / (alpha * epsilon) * log(c * k / epsilon),
        broken("ln(17k/ε)", 17),
        m=_rows(),
    ),
    _journal("4.5.step.e1", "proof of Lemma 4.5").says(
        "best(S) ≥ αm/2 but with probability (1/2)·e^(−εαm/8) ≤ β/2, for m ≥ (8/(αε))·ln(1/β)",
        exp(-epsilon / 4 * (alpha * m / 2)) / 2 <= beta / 2,
        broken("7/(αε)", m=at_least(7 / (alpha * epsilon) * log(1 / beta))),
        epsilon=above_zero(),
        m=at_least(8 / (alpha * epsilon) * log(1 / beta)),
    ),
    _journal("4.5.step.e2", "proof of Lemma 4.5").says(
        "one of km solutions that is αm worse is chosen with probability at most km·e^(−αεm/4) ≤ β/2, for "
        "m ≥ (8/(αε))·ln(16k/(αβε)) and ε ≤ 1",
        k * m * exp(-alpha * epsilon * m / 4) <= beta / 2,
        broken("4/(αε)", m=at_least(4 / (alpha * epsilon) * log(16 * k / (alpha * beta * epsilon)))),
        m=at_least(8 / (alpha * epsilon) * log(16 * k / (alpha * beta * epsilon))),
    ),
    _abstract("Lem4.step.fact-1", "Lemma 4; Fact 1 as the journal version has it").says(
        "a solution of quality 1 is chosen with probability at most δ/k, with the rows of the extended abstract",
        _fact_1,
        given=[
            m >= 16 / (alpha * epsilon) * (epsilon / 4 + log(1 / delta)),
            m >= 16 / (alpha * epsilon) * log(16 * k / (alpha * beta * epsilon)),
        ],
        tries=[{"alpha": HALF, "beta": HALF, "epsilon": 1, "delta": Fraction(1, 10**6), "k": 2, "m": 451}],
        mends="ln(k/δ) in place of ln(1/δ), as in the journal version",
        reconstruction="The extended abstract prints no proof. That of the journal version, with k solutions of which "
        "each has probability δ, gives (ε, kδ).",
    ),
]

"""Steps of the proofs about the choosing mechanism: Lemmas 4.4 and 4.5, and Lemma 4 of the extended abstract."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate, reconstruction
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of Lemma"
_UNIT: Final = between(0, 1)
_HALF: Final = Fraction(1, 2)
_UP_TO_1: Final = above_zero(1)


def _rows(constant: int = 16) -> Range:
    """m ≥ (16/(αε))·ln(16k/(αβεδ))."""

    def least(alpha: Expression, beta: Expression, epsilon: Expression, delta: Expression, k: Expression) -> Expression:
        return constant / (alpha * epsilon) * log(16 * k / (alpha * beta * epsilon * delta))

    return at_least(least)


def _parameters(rows: Range, epsilon: Range = _UP_TO_1) -> dict[str, Range]:
    return {"alpha": _UNIT, "beta": _UNIT, "epsilon": epsilon, "delta": _UNIT, "k": whole_from(1), "m": rows}


def _enough(
    m: Expression, alpha: Expression, beta: Expression, epsilon: Expression, delta: Expression, k: Expression
) -> Relation:
    return m >= 16 / (alpha * epsilon) * log(16 * k / (alpha * beta * epsilon * delta))


def _not_bottom(alpha: Expression, epsilon: Expression, delta: Expression, m: Expression) -> Relation:
    return exp(-epsilon / 4 * (alpha * m / 4)) / 2 <= delta


def _fact_1(alpha: Expression, epsilon: Expression, delta: Expression, k: Expression, m: Expression) -> Relation:
    return exp(epsilon / 4) / exp(epsilon / 4 * (alpha * m / 4)) <= delta / k


def _rows_of_x(constant: int) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "epsilon": above_zero(1),
        "k": whole_from(1),
        "m": at_least(lambda alpha, epsilon, k: 16 / (alpha * epsilon) * log(constant * k / epsilon)),
    }


LARGE_EPSILON: Final = degenerate(
    "The lemma sets no bound to ε, and with a large one its rows are few, or none. There is no boundary in ε alone: it "
    "is one in αβε/k."
)

case_a = Step(
    id="BNS-J-4.4.step.case-a",
    source=f"{_SOURCE} 4.4, case (a)",
    statement="where all qualities are below αm/4 something other than ⊥ is chosen with probability at most δ; ε ≤ 1",
    parameters=_parameters(_rows()),
    says=_not_bottom,
    mutants=[
        BrokenStep(
            "(8/(αε))·ln(2/δ) rows",
            given=(),
            parameters={
                "alpha": _UNIT,
                "epsilon": above_zero(1),
                "delta": between(0, 1),
                "m": at_least(lambda alpha, epsilon, delta: 8 / (alpha * epsilon) * log(2 / delta)),
            },
        )
    ],
)

case_a_any_epsilon = Step(
    id="BNS-J-4.4.step.case-a-any-epsilon",
    source=f"{_SOURCE} 4.4, case (a)",
    statement="something other than ⊥ is chosen in case (a) with probability at most δ, for every ε > 0",
    parameters=_parameters(whole_from(1), above_zero()),
    given=[_enough],
    says=_not_bottom,
    tries=[
        {"alpha": Fraction(99, 100), "beta": Fraction(99, 100), "epsilon": 35, "delta": Fraction(1, 18), "k": 1, "m": 1}
    ],
    mends="ε ≤ 1, or m ≥ (16/(αε))·ln(1/(2δ)) besides",
    **as_expected(LARGE_EPSILON),
)

fact_1 = Step(
    id="BNS-J-4.4.step.fact-1",
    source=f"{_SOURCE} 4.4, Fact 1",
    statement="a solution of quality 1 is chosen with probability at most δ/k, for ε ≤ 4",
    parameters=_parameters(_rows(), above_zero(4)),
    says=_fact_1,
    mutants=[BrokenStep("half of the rows", parameters=_parameters(_rows(8)))],
)

fact_1_any_epsilon = Step(
    id="BNS-J-4.4.step.fact-1-any-epsilon",
    source=f"{_SOURCE} 4.4, Fact 1",
    statement="a solution of quality 1 is chosen with probability at most δ/k, for every ε > 0",
    parameters=_parameters(whole_from(1), above_zero()),
    given=[_enough],
    says=_fact_1,
    tries=[{"alpha": _HALF, "beta": _HALF, "epsilon": 64, "delta": Fraction(1, 100), "k": 1, "m": 3}],
    mends="ε ≤ 4, or m ≥ (16/(αε))·(ε/4 + ln(k/δ)) besides, as the extended abstract has it for k = 1",
    **as_expected(LARGE_EPSILON),
)

inequality_4 = Step(
    id="BNS-J-4.4.step.inequality-4",
    source=f"{_SOURCE} 4.4, Inequality (4), divided by e^(ε/4)",
    statement="k + X ≤ e^(ε/4)·X, for X ≥ 4k/ε",
    parameters={"epsilon": above_zero(), "k": whole_from(1), "x": at_least(lambda epsilon, k: 4 * k / epsilon)},
    says=lambda epsilon, k, x: k + x <= exp(epsilon / 4) * x,
    mutants=[
        BrokenStep(
            "X ≥ 3k/ε",
            parameters={"epsilon": above_zero(), "k": whole_from(1), "x": at_least(lambda epsilon, k: 3 * k / epsilon)},
        )
    ],
)

x_at_least = Step(
    id="BNS-J-4.4.step.x",
    source=f"{_SOURCE} 4.4, below Inequality (4)",
    statement="e^((ε/4)·(αm/4)) ≥ 4k/ε, for m ≥ (16/(αε))·ln(4k/ε) and ε ≤ 1",
    parameters=_rows_of_x(4),
    says=lambda alpha, epsilon, k, m: 4 * k / epsilon <= exp(epsilon / 4 * (alpha * m / 4)),
    mutants=[BrokenStep("ln(3k/ε)", parameters=_rows_of_x(3))],
)

inequality_4_rows = Step(
    id="BNS-J-4.4.step.inequality-4-rows",
    source=f"{_SOURCE} 4.4, Inequality (4)",
    statement="the rows of the lemma are (16/(αε))·ln(4k/ε) and more, for ε ≤ 1",
    parameters=_parameters(_rows()),
    says=lambda alpha, epsilon, k, m: m >= 16 / (alpha * epsilon) * log(4 * k / epsilon),
    mutants=[
        BrokenStep("ln(17k/ε)", says=lambda alpha, epsilon, k, m: m >= 16 / (alpha * epsilon) * log(17 * k / epsilon))
    ],
)

event_1 = Step(
    id="BNS-J-4.5.step.e1",
    source=f"{_SOURCE} 4.5",
    statement="best(S) ≥ αm/2 but with probability (1/2)·e^(−εαm/8) ≤ β/2, for m ≥ (8/(αε))·ln(1/β)",
    parameters={
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(),
        "m": at_least(lambda alpha, beta, epsilon: 8 / (alpha * epsilon) * log(1 / beta)),
    },
    says=lambda alpha, beta, epsilon, m: exp(-epsilon / 4 * (alpha * m / 2)) / 2 <= beta / 2,
    mutants=[
        BrokenStep(
            "7/(αε)",
            parameters={
                "alpha": _UNIT,
                "beta": _UNIT,
                "epsilon": above_zero(),
                "m": at_least(lambda alpha, beta, epsilon: 7 / (alpha * epsilon) * log(1 / beta)),
            },
        )
    ],
)


def _rows_of_e2(constant: int) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(1),
        "k": whole_from(1),
        "m": at_least(
            lambda alpha, beta, epsilon, k: constant / (alpha * epsilon) * log(16 * k / (alpha * beta * epsilon))
        ),
    }


event_2 = Step(
    id="BNS-J-4.5.step.e2",
    source=f"{_SOURCE} 4.5",
    statement="one of km solutions that is αm worse is chosen with probability at most km·e^(−αεm/4) ≤ β/2, for "
    "m ≥ (8/(αε))·ln(16k/(αβε)) and ε ≤ 1",
    parameters=_rows_of_e2(8),
    says=lambda alpha, beta, epsilon, k, m: k * m * exp(-alpha * epsilon * m / 4) <= beta / 2,
    mutants=[BrokenStep("4/(αε)", parameters=_rows_of_e2(4))],
)

extended_abstract = Step(
    id="BNS-X-Lem4.step.fact-1",
    source="Beimel, Nissim & Stemmer, extended abstract, Lemma 4; Fact 1 as the journal version has it",
    statement="a solution of quality 1 is chosen with probability at most δ/k, with the rows of the extended abstract",
    parameters={
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(1),
        "delta": _UNIT,
        "k": whole_from(1),
        "m": whole_from(1),
    },
    given=[
        lambda alpha, epsilon, delta, m: m >= 16 / (alpha * epsilon) * (epsilon / 4 + log(1 / delta)),
        lambda alpha, beta, epsilon, k, m: m >= 16 / (alpha * epsilon) * log(16 * k / (alpha * beta * epsilon)),
    ],
    says=_fact_1,
    tries=[
        {"alpha": _HALF, "beta": _HALF, "epsilon": 1, "delta": Fraction(1, 10**6), "k": 2, "m": 451},
    ],
    mends="ln(k/δ) in place of ln(1/δ), as in the journal version",
    **as_expected(
        reconstruction(
            "The extended abstract prints no proof. That of the journal version, with k solutions of which each has "
            "probability δ, gives (ε, kδ)."
        )
    ),
)

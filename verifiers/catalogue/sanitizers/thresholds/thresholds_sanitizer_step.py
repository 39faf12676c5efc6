"""Steps of the proofs about SanThresholds: Lemma 4.8, Claims 4.10 and 4.11, and Lemma 4.12.

`n` stands for log*(d); logarithms of a number of rows that is from RecConcave are to base 2, as there.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate, proof_step
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, from_to, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, log2, sqrt

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of"
_UNIT: Final = between(0, 1)
_UP_TO_1: Final = above_zero(1)


def _calls(constant: int = 77) -> Range:
    """c ≥ 77/α."""
    return at_least(lambda alpha: constant / alpha)


def _rows(constant: Fraction | int = 60) -> Range:
    """m ≥ 8^n·(60c/(αε))·n·log(12n/(βεδ)), n = log*(d)."""

    def least(
        n: Expression, alpha: Expression, beta: Expression, epsilon: Expression, delta: Expression, c: Expression
    ) -> Expression:
        return 8**n * (constant * c / (alpha * epsilon)) * n * log2(12 * n / (beta * epsilon * delta))

    return at_least(least)


def _executed(calls: Range | None = None, rows: Range | None = None) -> dict[str, Range]:
    return {
        "n": whole_from(1),
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": _UP_TO_1,
        "delta": _UNIT,
        "c": calls or _calls(),
        "m": rows or _rows(),
    }


def _rows_for_choosing(constant: int = 1024) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": _UP_TO_1,
        "delta": _UNIT,
        "m": at_least(
            lambda alpha, beta, epsilon, delta: (
                constant / (alpha * epsilon) * log(2048 / (alpha * beta * epsilon * delta))
            )
        ),
    }


def _choosing_asks_for(
    alpha: Expression, beta: Expression, epsilon: Expression, delta: Expression, m: Expression
) -> Relation:
    return 16 / (alpha / 64 * epsilon) * log(16 * 2 / (alpha / 64 * beta * epsilon * delta)) <= m


choosing = Step(
    id="BNS-J-4.8.step.choosing",
    source=f"{_SOURCE} Lemma 4.8",
    statement="(1024/(αε))·ln(2048/(αβεδ)) rows are what Lemma 4.4 asks for with α/64 and k = 2, for ε ≤ 1",
    parameters=_rows_for_choosing(),
    says=_choosing_asks_for,
    mutants=[BrokenStep("1000 in place of 1024", parameters=_rows_for_choosing(1000))],
)


composition = Step(
    id="BNS-J-4.8.step.composition",
    source=f"{_SOURCE} Lemma 4.8",
    statement="4c mechanisms, δ′ = cδ, compose to ε̃ = sqrt(8c·ln(1/(cδ)))·ε + 8cε², by Theorem 2.5",
    parameters={"c": whole_from(1), "epsilon": _UP_TO_1, "delta": _UNIT},
    given=[lambda c, delta: c * delta <= 1],
    says=lambda c, epsilon, delta: (
        sqrt(2 * (4 * c) * log(1 / (c * delta))) * epsilon + 2 * (4 * c) * epsilon**2
        <= sqrt(8 * c * log(1 / (c * delta))) * epsilon + 8 * c * epsilon**2
    ),
    mutants=[
        BrokenStep(
            "7cε²",
            says=lambda c, epsilon, delta: (
                sqrt(2 * (4 * c) * log(1 / (c * delta))) * epsilon + 2 * (4 * c) * epsilon**2
                <= sqrt(8 * c * log(1 / (c * delta))) * epsilon + 7 * c * epsilon**2
            ),
        )
    ],
)


def _every_draw(alpha: Expression, beta: Expression, epsilon: Expression, c: Expression, m: Expression) -> Relation:
    return exp(-alpha * epsilon * m / (16 * c)) <= beta / 2


b1 = Step(
    id="BNS-J-4.10.step.b1",
    source=f"{_SOURCE} Claim 4.10, B1",
    statement="Pr[|Lap(1/ε)| > αm/(16c)] ≤ β/2 with the rows of the claim, for ε ≤ 1",
    parameters=_executed(),
    says=_every_draw,
    mutants=[BrokenStep("1/100 in place of 60", parameters=_executed(rows=_rows(Fraction(1, 100))))],
)

b1_display = Step(
    id="BNS-J-4.10.step.b1-display",
    source=f"{_SOURCE} Claim 4.10, B1",
    statement="Pr[|Lap(1/ε)| > αm/(16c)] ≤ β/2 for m ≥ (16c/(αε))·ln(2/β)",
    parameters={
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(),
        "c": whole_from(1),
        "m": at_least(lambda alpha, beta, epsilon, c: 16 * c / (alpha * epsilon) * log(2 / beta)),
    },
    says=_every_draw,
    mutants=[
        BrokenStep(
            "15c in place of 16c",
            parameters={
                "alpha": _UNIT,
                "beta": _UNIT,
                "epsilon": above_zero(),
                "c": whole_from(1),
                "m": at_least(lambda alpha, beta, epsilon, c: 15 * c / (alpha * epsilon) * log(2 / beta)),
            },
        )
    ],
)

b1_any_epsilon = Step(
    id="BNS-J-4.10.step.b1-any-epsilon",
    source=f"{_SOURCE} Claim 4.10, B1",
    statement="Pr[|Lap(1/ε)| > αm/(16c)] ≤ β/2 with the rows of the claim, for every ε > 0",
    parameters={**_executed(), "epsilon": above_zero(), "c": above_zero(), "m": whole_from(1)},
    given=[
        lambda alpha, c: c >= 77 / alpha,
        lambda n, alpha, beta, epsilon, delta, c, m: (
            m >= 8**n * (60 * c / (alpha * epsilon)) * n * log2(12 * n / (beta * epsilon * delta))
        ),
    ],
    says=_every_draw,
    tries=[
        {
            "n": 1,
            "alpha": Fraction(1, 2),
            "beta": Fraction(1, 2),
            "epsilon": 96,
            "delta": Fraction(1, 2),
            "c": 154,
            "m": 1,
        }
    ],
    mends="ε ≤ 1",
    **as_expected(
        degenerate(
            "With ε > 12·log*(d)/(βδ) the number of rows is negative. There is no boundary in ε alone, but one in βεδ."
        )
    ),
)

passed_step_3 = Step(
    id="BNS-J-4.10.step.passed-step-3",
    source=f"{_SOURCE} Claim 4.10, B2",
    statement="αm/8 less the noise of B1 is αm/16 or more",
    parameters={"alpha": _UNIT, "c": _calls(), "m": above_zero()},
    says=lambda alpha, c, m: alpha * m / 16 <= alpha * m / 8 - alpha * m / (16 * c),
    mutants=[
        BrokenStep(
            "αm/8·(299/300)",
            says=lambda alpha, c, m: alpha * m / 8 * Fraction(299, 300) <= alpha * m / 8 - alpha * m / (16 * c),
            tries=[{"alpha": Fraction(99, 100), "c": 78, "m": 1}],
        )
    ],
)

promise_of_more = Step(
    id="BNS-J-4.10.step.promise-above",
    source=f"{_SOURCE} Claim 4.10, B2, and Figure 11, step 6",
    statement="I(S, j) ≥ αm/16 gives I(S, j) − αm/32 ≥ r = αm/32",
    parameters={"alpha": _UNIT, "m": above_zero(), "i": at_least(lambda alpha, m: alpha * m / 16)},
    says=lambda alpha, m, i: alpha * m / 32 <= i - alpha * m / 32,
    mutants=[BrokenStep("I(S, j) − αm/31", says=lambda alpha, m, i: alpha * m / 32 <= i - alpha * m / 31)],
)

promise_of_less = Step(
    id="BNS-J-4.10.step.promise-below",
    source=f"{_SOURCE} Claim 4.10, B2, and Figure 11, step 6",
    statement="I(S, j − 1) ≤ αm/16 gives 3αm/32 − I(S, j − 1) ≥ r = αm/32",
    parameters={"alpha": _UNIT, "m": above_zero(), "i": Range(0, lambda alpha, m: alpha * m / 16)},
    says=lambda alpha, m, i: alpha * m / 32 <= 3 * alpha * m / 32 - i,
    mutants=[
        BrokenStep(
            "2.9 in place of 3", says=lambda alpha, m, i: alpha * m / 32 <= Fraction(29, 10) * alpha * m / 32 - i
        )
    ],
)


def _rec_concave_asks_for(
    n: Expression, alpha: Expression, beta: Expression, epsilon: Expression, delta: Expression, m: Expression
) -> Relation:
    """Remark 3.16 with α = 1/4, of r = αm/32."""
    return 8**n * (36 * n / (Fraction(1, 4) * epsilon)) * log2(12 * n / (beta * delta)) <= alpha * m / 32


def _rows_of_b2(constant: int = 4608) -> dict[str, Range]:
    return {
        "n": whole_from(1),
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(),
        "delta": _UNIT,
        "m": at_least(
            lambda n, alpha, beta, epsilon, delta: (
                8**n * (constant / (alpha * epsilon)) * n * log2(12 * n / (beta * delta))
            )
        ),
    }


b2_display = Step(
    id="BNS-J-4.10.step.b2-display",
    source=f"{_SOURCE} Claim 4.10, B2",
    statement="8^n·(4608/(αε))·n·log(12n/(βδ)) rows are what Remark 3.16 asks for with α = 1/4 and r = αm/32",
    parameters=_rows_of_b2(),
    says=_rec_concave_asks_for,
    mutants=[BrokenStep("4600 in place of 4608", parameters=_rows_of_b2(4600))],
)

b2 = Step(
    id="BNS-J-4.10.step.b2",
    source=f"{_SOURCE} Claim 4.10, B2",
    statement="the rows of the claim are 8^n·(4608/(αε))·n·log(12n/(βδ)) and more, for ε ≤ 1",
    parameters=_executed(),
    says=_rec_concave_asks_for,
    mutants=[
        BrokenStep(
            "59 in place of 60",
            parameters=_executed(rows=_rows(59)),
            tries=[
                {
                    "n": 1,
                    "alpha": Fraction(999, 1000),
                    "beta": Fraction(1, 2),
                    "epsilon": 1,
                    "delta": Fraction(1, 2),
                    "c": Fraction(7708, 100),
                    "m": 203400,
                }
            ],
        )
    ],
)

b3_rows = Step(
    id="BNS-J-4.10.step.b3-rows",
    source=f"{_SOURCE} Claim 4.10, B3",
    statement="the rows of the claim are (1024/(αε))·ln(2048/(αβεδ)) and more, for ε ≤ 1",
    parameters=_executed(),
    says=_choosing_asks_for,
    mutants=[BrokenStep("1/2 in place of 60", parameters=_executed(rows=_rows(Fraction(1, 2))))],
)

b3 = Step(
    id="BNS-J-4.10.step.b3",
    source=f"{_SOURCE} Claim 4.10, B3",
    statement="a quality of 7αm/128, less (α/64)·m, is 5αm/128",
    parameters={"alpha": _UNIT, "m": above_zero(), "q": at_least(lambda alpha, m: 7 * alpha * m / 128)},
    says=lambda alpha, m, q: 5 * alpha * m / 128 <= q - alpha / 64 * m,
    mutants=[BrokenStep("α/63", says=lambda alpha, m, q: 5 * alpha * m / 128 <= q - alpha / 63 * m)],
)

given_success = Step(
    id="BNS-J-4.10.step.given-success-printed",
    source=f"{_SOURCE} Claim 4.10, B3 with B1 and B2 supposed",
    statement="where B2 has occurred, each choice fails with probability at most β: of two iterations, where a "
    "first choice fails with probability β, the second call of RecConcave with β after one that has not, and surely "
    "not after one that has, β/(β + (1 − β)²) ≤ β",
    parameters={"beta": _UNIT},
    says=lambda beta: beta / (beta + (1 - beta) ** 2) <= beta,
    tries=[{"beta": Fraction(1, 2)}],
    mends="the failures in the order in which they are drawn: each of 3c has probability β or less, whatever was "
    "before it, and 3cβ is what the claim has",
    **as_expected(
        proof_step(
            "B2 is of later calls too, and what these do depends on the intervals that were chosen: to suppose it "
            "changes the law of a choice. The claim stands, as the union of 3c failures."
        )
    ),
)

all_three = Step(
    id="BNS-J-4.10.step.all-three",
    source=f"{_SOURCE} Claim 4.10, the last line",
    statement="(1 − cβ)³ ≥ 1 − 3cβ for cβ ≤ 3; x = cβ",
    parameters={"x": above_zero(3)},
    says=lambda x: 1 - 3 * x <= (1 - x) ** 3,
    mutants=[BrokenStep("cβ ≤ 4", parameters={"x": above_zero(4)})],
)

leaves = Step(
    id="BNS-J-4.11.step.y1-printed",
    source=f"{_SOURCE} Claim 4.11, E1",
    statement="of y2 iterations with two calls each, at most y1 ≤ y2 + 1 halt early: y1 ≤ 2·y2",
    parameters={"y2": whole_from(0), "y1": whole_from(0)},
    given=[lambda y1, y2: y1 <= y2 + 1],
    says=lambda y1, y2: y1 <= 2 * y2,
    tries=[{"y2": 0, "y1": 1}],
    mends="y1 ≤ y2 + 1, and the total of 2·y2 + 1 ≤ 256/(5α) + 1 is below 77/α, too",
    **as_expected(
        proof_step("Where the first iteration halts on step 3 there is one iteration, and none that is complete.")
    ),
)

calls = Step(
    id="BNS-J-4.11.step.calls",
    source=f"{_SOURCE} Claim 4.11, E1",
    statement="3·y2 < 77/α for y2 ≤ 128/(5α)",
    parameters={"alpha": _UNIT, "y2": Range(0, lambda alpha: 128 / (5 * alpha))},
    says=lambda alpha, y2: 3 * y2 < 77 / alpha,
    mutants=[BrokenStep("76/α", says=lambda alpha, y2: 3 * y2 < 76 / alpha)],
)

calls_corrected = Step(
    id="BNS-J-4.11.step.calls-corrected",
    source=f"{_SOURCE} Claim 4.11, E1, with y1 ≤ y2 + 1",
    statement="2·y2 + 1 < 77/α for y2 ≤ 128/(5α)",
    parameters={"alpha": _UNIT, "y2": Range(0, lambda alpha: 128 / (5 * alpha))},
    says=lambda alpha, y2: 2 * y2 + 1 < 77 / alpha,
    mutants=[BrokenStep("52/α", says=lambda alpha, y2: 2 * y2 + 1 < 52 / alpha)],
)

e3 = Step(
    id="BNS-J-4.11.step.e3",
    source=f"{_SOURCE} Claim 4.11, E3",
    statement="αm/(16c) ≤ (αm/4)·(α/77)",
    parameters={"alpha": _UNIT, "c": _calls(), "m": above_zero()},
    says=lambda alpha, c, m: alpha * m / (16 * c) <= alpha * m / 4 * (alpha / 77),
    mutants=[BrokenStep("c ≥ 19/α", parameters={"alpha": _UNIT, "c": _calls(19), "m": above_zero()})],
)

e2_step_3 = Step(
    id="BNS-J-4.11.step.e2-step-3",
    source=f"{_SOURCE} Claim 4.11, E2",
    statement="αm/8 and the noise of B1 are at most αm/2",
    parameters={"alpha": _UNIT, "c": _calls(), "m": above_zero()},
    says=lambda alpha, c, m: alpha * m / 8 + alpha * m / (16 * c) <= alpha * m / 2,
    mutants=[
        BrokenStep(
            "αm/2 before the noise",
            says=lambda alpha, c, m: alpha * m / 2 + alpha * m / (16 * c) <= alpha * m / 2,
        )
    ],
)

e2_step_10 = Step(
    id="BNS-J-4.11.step.e2-step-10",
    source=f"{_SOURCE} Claim 4.11, E2",
    statement="four intervals of 9αm/128 points each hold at most αm/2",
    parameters={"alpha": _UNIT, "m": above_zero(), "i": Range(0, lambda alpha, m: 9 * alpha * m / 128)},
    says=lambda alpha, m, i: 4 * i <= alpha * m / 2,
    mutants=[BrokenStep("eight intervals", says=lambda alpha, m, i: 8 * i <= alpha * m / 2)],
)

noise = Step(
    id="BNS-J-4.12.step.noise",
    source=f"{_SOURCE} Lemma 4.12",
    statement="αm/2 and t ≤ 77/α noises of (αm/4)·(α/77) are at most 3αm/4",
    parameters={"alpha": _UNIT, "m": above_zero(), "t": Range(0, lambda alpha: 77 / alpha)},
    says=lambda alpha, m, t: alpha * m / 2 + t * (alpha * m / 4 * (alpha / 77)) <= 3 * alpha * m / 4,
    mutants=[
        BrokenStep("t ≤ 78/α", parameters={"alpha": _UNIT, "m": above_zero(), "t": Range(0, lambda alpha: 78 / alpha)})
    ],
)

more_copies = Step(
    id="BNS-J-4.12.step.more-copies",
    source=f"{_SOURCE} Lemma 4.12",
    statement="σn points of n copies, of which there are n = x·m ≤ (1 + α/4)·m, are at most α/4 more of m than of n",
    parameters={"alpha": _UNIT, "x": Range(0, lambda alpha: 1 + alpha / 4), "sigma": from_to(0, 1)},
    says=lambda alpha, x, sigma: sigma * x - sigma <= alpha / 4,
    mutants=[BrokenStep("α/5", says=lambda alpha, x, sigma: sigma * x - sigma <= alpha / 5)],
)

fewer_copies = Step(
    id="BNS-J-4.12.step.fewer-copies",
    source=f"{_SOURCE} Lemma 4.12, “similar arguments”",
    statement="σn points of n copies, of which there are n = x·m ≥ (1 − α/4)·m, are at most α/4 more of n than of m",
    parameters={"alpha": _UNIT, "x": at_least(lambda alpha: 1 - alpha / 4), "sigma": from_to(0, 1)},
    says=lambda alpha, x, sigma: sigma - sigma * x <= alpha / 4,
    mutants=[BrokenStep("α/5", says=lambda alpha, x, sigma: sigma - sigma * x <= alpha / 5)],
)

"""Steps of the proof of Theorem 6.2, about the generic label-private learner.

`V` is VC(C); `n` stands for the rows of S1, and m for all.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate, proof_step
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of Theorem 6.2"
_UNIT: Final = between(0, 1)


def _first_sample(alpha: Expression, beta: Expression, V: Expression) -> Expression:  # noqa: N803  # the paper's
    """n of Figure 13."""
    return 32 / alpha * (V * log(64 / alpha) + log(8 / beta))


def _rows(alpha: Expression, beta: Expression, epsilon: Expression, V: Expression, constant: int = 768) -> Expression:  # noqa: N803
    """m of Figure 13."""
    return constant / (alpha**2 * epsilon) * (V * log(64 / alpha) + 2 * log(8 / beta))


_OF_FIGURE: Final = {"alpha": _UNIT, "beta": _UNIT, "epsilon": above_zero(1), "V": whole_from(1)}

generalization = Step(
    id="BNS-J-6.2.step.n",
    source=f"{_SOURCE}, E1",
    statement="n is at least what Theorem 2.13 asks for with α/8 and β/4",
    parameters={"alpha": _UNIT, "beta": _UNIT, "V": whole_from(1)},
    says=lambda alpha, beta, V: (  # noqa: N803
        8 / (alpha / 8) * (V * log(16 / (alpha / 8)) + log(2 / (beta / 4))) <= _first_sample(alpha, beta, V)
    ),
    tries=[{"alpha": Fraction(1, 4), "beta": Fraction(1, 4), "V": 1}],
    mends="n = (64/α)·(VC·ln(128/α) + ln(8/β)), or E1 with α/4 in place of α/8",
    **as_expected(
        proof_step(
            "Theorem 2.13 with α/8 asks for (64/α)·(VC·ln(128/α) + ln(8/β)); what is printed is what it asks for with "
            "α/4."
        )
    ),
)


def _tail_of_e1(constant: int = 24) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "beta": _UNIT,
        "n": whole_from(1),
        "m": at_least(lambda alpha, beta, n: n + constant / alpha * log(4 / beta)),
    }


event_1 = Step(
    id="BNS-J-6.2.step.e1",
    source=f"{_SOURCE}, E1",
    statement="e^(−(m − n)α/24) ≤ β/4 for m ≥ n + (24/α)·ln(4/β)",
    parameters=_tail_of_e1(),
    says=lambda alpha, beta, n, m: exp(-(m - n) * alpha / 24) <= beta / 4,
    mutants=[BrokenStep("23 in place of 24", parameters=_tail_of_e1(23))],
)

both = Step(
    id="BNS-J-6.2.step.e1-both",
    source=f"{_SOURCE}, E1",
    statement="(1 − β/4)² ≥ 1 − β/2",
    parameters={"beta": _UNIT},
    says=lambda beta: 1 - beta / 2 <= (1 - beta / 4) ** 2,
    mutants=[BrokenStep("1 − 2β/5", says=lambda beta: 1 - 2 * beta / 5 <= (1 - beta / 4) ** 2)],
)


def _tail_of_e2(constant: int = 8) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "beta": _UNIT,
        "n": whole_from(1),
        "m": at_least(lambda alpha, beta, n: constant / alpha * (n + log(4 / beta))),
    }


event_2 = Step(
    id="BNS-J-6.2.step.e2",
    source=f"{_SOURCE}, E2",
    statement="2^n·e^(−(m − n)α/8) ≤ β/4 for m ≥ (8/α)·(n + ln(4/β))",
    parameters=_tail_of_e2(),
    says=lambda alpha, beta, n, m: 2**n * exp(-(m - n) * alpha / 8) <= beta / 4,
    mutants=[BrokenStep("6 in place of 8", parameters=_tail_of_e2(6))],
)


def _tail_of_e3(constant: int = 8) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(1),
        "n": whole_from(1),
        "m": at_least(lambda alpha, beta, epsilon, n: constant / (alpha * epsilon) * (n + log(4 / beta))),
    }


def _worse(alpha: Expression, epsilon: Expression, rows: Expression) -> Expression:
    """A solution that is (α/4)·rows worse than the best, by the exponential mechanism, beside it."""
    return exp(-epsilon * (alpha / 4) * rows / 2)


event_3 = Step(
    id="BNS-J-6.2.step.e3",
    source=f"{_SOURCE}, E3",
    statement="a hypothesis that is wrong on (α/4)·|S2| more rows of S2, |S2| = m − n, has at most e^(−εαm/8)",
    parameters={"alpha": _UNIT, "epsilon": above_zero(1), "n": whole_from(1), "m": at_least(lambda n: n)},
    says=lambda alpha, epsilon, n, m: _worse(alpha, epsilon, m - n) <= exp(-epsilon * alpha * m / 8),
    tries=[{"alpha": Fraction(1, 4), "epsilon": 1, "n": 1000, "m": 10000}],
    mends="e^(−εα(m − n)/8), with which (8/(αε))·(n + ln(4/β)) rows are enough, too, for ε ≤ 1",
    **as_expected(proof_step("The quality is a count of rows of S2, of which there are m − n and not m.")),
)

event_3_corrected = Step(
    id="BNS-J-6.2.step.e3-corrected",
    source=f"{_SOURCE}, E3, with the rows of S2",
    statement="2^n·e^(−εα(m − n)/8) ≤ β/4 for m ≥ (8/(αε))·(n + ln(4/β)), for ε ≤ 1",
    parameters=_tail_of_e3(),
    says=lambda alpha, beta, epsilon, n, m: 2**n * _worse(alpha, epsilon, m - n) <= beta / 4,
    mutants=[BrokenStep("5 in place of 8", parameters=_tail_of_e3(5))],
)

rows = Step(
    id="BNS-J-6.2.step.m",
    source=f"{_SOURCE}, the last line",
    statement="(768/(α²ε))·(VC·ln(64/α) + 2·ln(8/β)) is at least (8/(αε))·(n + ln(4/β)), for ε ≤ 1",
    parameters=_OF_FIGURE,
    says=lambda alpha, beta, epsilon, V: (  # noqa: N803
        8 / (alpha * epsilon) * (_first_sample(alpha, beta, V) + log(4 / beta)) <= _rows(alpha, beta, epsilon, V)
    ),
    mutants=[
        BrokenStep(
            "250 in place of 768",
            says=lambda alpha, beta, epsilon, V: (  # noqa: N803
                8 / (alpha * epsilon) * (_first_sample(alpha, beta, V) + log(4 / beta))
                <= _rows(alpha, beta, epsilon, V, 250)
            ),
            tries=[{"alpha": Fraction(1, 2), "beta": Fraction(1, 2), "epsilon": 1, "V": 1000}],
        )
    ],
)

rows_of_e1 = Step(
    id="BNS-J-6.2.step.m-e1",
    source=f"{_SOURCE}, the last line",
    statement="n + (24/α)·ln(4/β) is at most (56/α)·(VC·ln(64/α) + 2·ln(8/β)), of the rows of Figure 13 for ε ≤ 1",
    parameters={"alpha": _UNIT, "beta": _UNIT, "V": whole_from(1)},
    says=lambda alpha, beta, V: (  # noqa: N803
        _first_sample(alpha, beta, V) + 24 / alpha * log(4 / beta)
        <= 56 / alpha * (V * log(64 / alpha) + 2 * log(8 / beta))
    ),
    mutants=[
        BrokenStep(
            "28 in place of 56",
            says=lambda alpha, beta, V: (  # noqa: N803
                _first_sample(alpha, beta, V) + 24 / alpha * log(4 / beta)
                <= 28 / alpha * (V * log(64 / alpha) + 2 * log(8 / beta))
            ),
        )
    ],
)

rows_any_epsilon = Step(
    id="BNS-J-6.2.step.m-any-epsilon",
    source=f"{_SOURCE}, the last line",
    statement="n + (24/α)·ln(4/β) is at most the rows of Figure 13, for every ε > 0, as the theorem has it",
    parameters={**_OF_FIGURE, "epsilon": above_zero()},
    says=lambda alpha, beta, epsilon, V: (  # noqa: N803
        _first_sample(alpha, beta, V) + 24 / alpha * log(4 / beta) <= _rows(alpha, beta, epsilon, V)
    ),
    tries=[{"alpha": Fraction(1, 4), "beta": Fraction(1, 4), "epsilon": 200, "V": 1}],
    mends="ε ≤ 1",
    **as_expected(
        degenerate("With ε > 24/α there can be fewer rows than n: there is no boundary in ε alone, but one in αε.")
    ),
)


def corrected_rows(alpha: Expression, beta: Expression, epsilon: Expression, V: Expression, constant: int) -> Relation:  # noqa: N803
    """The condition of E3 with n as Theorem 2.13 has it."""
    n = 64 / alpha * (V * log(128 / alpha) + log(8 / beta))
    asked = 8 / (alpha * epsilon) * (n + log(4 / beta))
    return asked <= constant / (alpha**2 * epsilon) * (V * log(64 / alpha) + 2 * log(8 / beta))


rows_corrected = Step(
    id="BNS-J-6.2.step.m-corrected",
    source=f"{_SOURCE}, with n as Theorem 2.13 has it for α/8",
    statement="768/(α²ε)·(VC·ln(64/α) + 2·ln(8/β)) is at least (8/(αε))·(n + ln(4/β)) with the larger n, too",
    parameters=_OF_FIGURE,
    says=lambda alpha, beta, epsilon, V: corrected_rows(alpha, beta, epsilon, V, 768),  # noqa: N803
    mutants=[
        BrokenStep(
            "500 in place of 768",
            says=lambda alpha, beta, epsilon, V: corrected_rows(alpha, beta, epsilon, V, 500),  # noqa: N803
            tries=[{"alpha": Fraction(1, 2), "beta": Fraction(1, 2), "epsilon": 1, "V": 1000}],
        )
    ],
)

"""Steps of the proof of Theorem 6.2, about the generic label-private learner.

`V` is VC(C); `n` stands for the rows of S1, and m for all.
"""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, parameters

alpha, beta, V, epsilon, n, m = parameters("alpha beta V epsilon n m")
step: Final = ProofSteps(
    "BNS-J-",
    "Beimel, Nissim & Stemmer, journal version, proof of Theorem 6.2, ",
    {"alpha beta": BELOW_1, "epsilon": above_zero(1), "V n": whole_from(1)},
)
_first: Final = 32 / alpha * (V * log(64 / alpha) + log(8 / beta))
"""n of Figure 13."""


def _rows(constant: int = 768) -> Expression:
    """m of Figure 13."""
    return constant / (alpha**2 * epsilon) * (V * log(64 / alpha) + 2 * log(8 / beta))


def _worse(rows: Expression) -> Expression:
    """A solution that is (α/4)·rows worse than the best, by the exponential mechanism, beside it."""
    return exp(-epsilon * (alpha / 4) * rows / 2)


def corrected_rows(constant: int = 768) -> Relation:
    """The condition of E3 with n as Theorem 2.13 has it."""
    n = 64 / alpha * (V * log(128 / alpha) + log(8 / beta))
    asked = 8 / (alpha * epsilon) * (n + log(4 / beta))
    return asked <= constant / (alpha**2 * epsilon) * (V * log(64 / alpha) + 2 * log(8 / beta))


STEPS: Final = [
    step("6.2.step.n", "E1").says(
        "n is at least what Theorem 2.13 asks for with α/8 and β/4",
        8 / (alpha / 8) * (V * log(16 / (alpha / 8)) + log(2 / (beta / 4))) <= _first,
        tries=[{"alpha": Fraction(1, 4), "beta": Fraction(1, 4), "V": 1}],
        mends="n = (64/α)·(VC·ln(128/α) + ln(8/β)), or E1 with α/4 in place of α/8",
        proof_step="Theorem 2.13 with α/8 asks for (64/α)·(VC·ln(128/α) + ln(8/β)); what is printed is what it asks "
        "for with α/4.",
    ),
    step("6.2.step.e1", "E1").says(
        "e^(−(m − n)α/24) ≤ β/4 for m ≥ n + (24/α)·ln(4/β)",
        exp(-(m - n) * alpha / 24) <= beta / 4,
        broken("23 in place of 24", m=at_least(n + 23 / alpha * log(4 / beta))),
        m=at_least(n + 24 / alpha * log(4 / beta)),
    ),
    step("6.2.step.e1-both", "E1").says(
        "(1 − β/4)² ≥ 1 − β/2",
        1 - beta / 2 <= (1 - beta / 4) ** 2,
        broken("1 − 2β/5", 1 - 2 * beta / 5 <= (1 - beta / 4) ** 2),
    ),
    step("6.2.step.e2", "E2").says(
        "2^n·e^(−(m − n)α/8) ≤ β/4 for m ≥ (8/α)·(n + ln(4/β))",
        2**n * exp(-(m - n) * alpha / 8) <= beta / 4,
        broken("6 in place of 8", m=at_least(6 / alpha * (n + log(4 / beta)))),
        m=at_least(8 / alpha * (n + log(4 / beta))),
    ),
    step("6.2.step.e3", "E3").says(
        "a hypothesis that is wrong on (α/4)·|S2| more rows of S2, |S2| = m − n, has at most e^(−εαm/8)",
        _worse(m - n) <= exp(-epsilon * alpha * m / 8),
        m=at_least(n),
        tries=[{"alpha": Fraction(1, 4), "epsilon": 1, "n": 1000, "m": 10000}],
        mends="e^(−εα(m − n)/8), with which (8/(αε))·(n + ln(4/β)) rows are enough, too, for ε ≤ 1",
        proof_step="The quality is a count of rows of S2, of which there are m − n and not m.",
    ),
    step("6.2.step.e3-corrected", "E3, with the rows of S2").says(
        "2^n·e^(−εα(m − n)/8) ≤ β/4 for m ≥ (8/(αε))·(n + ln(4/β)), for ε ≤ 1",
        2**n * _worse(m - n) <= beta / 4,
        broken("5 in place of 8", m=at_least(5 / (alpha * epsilon) * (n + log(4 / beta)))),
        m=at_least(8 / (alpha * epsilon) * (n + log(4 / beta))),
    ),
    step("6.2.step.m", "the last line").says(
        "(768/(α²ε))·(VC·ln(64/α) + 2·ln(8/β)) is at least (8/(αε))·(n + ln(4/β)), for ε ≤ 1",
        lambda c=768: 8 / (alpha * epsilon) * (_first + log(4 / beta)) <= _rows(c),
        broken("250 in place of 768", 250, tries=[{"alpha": HALF, "beta": HALF, "epsilon": 1, "V": 1000}]),
    ),
    step("6.2.step.m-e1", "the last line").says(
        "n + (24/α)·ln(4/β) is at most (56/α)·(VC·ln(64/α) + 2·ln(8/β)), of the rows of Figure 13 for ε ≤ 1",
        lambda c=56: _first + 24 / alpha * log(4 / beta) <= c / alpha * (V * log(64 / alpha) + 2 * log(8 / beta)),
        broken("28 in place of 56", 28),
    ),
    step("6.2.step.m-any-epsilon", "the last line").says(
        "n + (24/α)·ln(4/β) is at most the rows of Figure 13, for every ε > 0, as the theorem has it",
        _first + 24 / alpha * log(4 / beta) <= _rows(),
        epsilon=above_zero(),
        tries=[{"alpha": Fraction(1, 4), "beta": Fraction(1, 4), "epsilon": 200, "V": 1}],
        mends="ε ≤ 1",
        degenerate="With ε > 24/α there can be fewer rows than n: there is no boundary in ε alone, but one in αε.",
    ),
    step("6.2.step.m-corrected", "with n as Theorem 2.13 has it for α/8").says(
        "768/(α²ε)·(VC·ln(64/α) + 2·ln(8/β)) is at least (8/(αε))·(n + ln(4/β)) with the larger n, too",
        corrected_rows,
        broken("500 in place of 768", 500, tries=[{"alpha": HALF, "beta": HALF, "epsilon": 1, "V": 1000}]),
    ),
]

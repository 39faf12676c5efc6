"""Steps of the proof about SanPoints, Theorem 4.6."""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import above_zero, at_least
from dpverify.verifiers.steps.rows import BELOW_1, ProofSteps, broken
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, parameters, sqrt

alpha, epsilon, delta, a, b, x, beta, m = parameters("alpha epsilon delta a b x beta m")
step: Final = ProofSteps(
    "BNS-J-",
    "Beimel, Nissim & Stemmer, journal version, proof of Theorem 4.6, ",
    {"alpha beta": BELOW_1, "epsilon": above_zero(1), "delta": BELOW_1, "a b x": at_least(Fraction(69, 100))},
)


def _small(constant: int = 32) -> Expression:
    """ε̃ of Figure 9."""
    return epsilon / sqrt(constant / alpha * log(5 / delta))


def _composed(more: int) -> Relation:
    """√(2k·ln(5/δ))·ε̃ + 2kε̃² ≤ ε for k = 4/α + `more` mechanisms; divided by ε."""
    k_alpha = 4 + more * alpha
    return sqrt(k_alpha / 16) + epsilon * k_alpha / (16 * log(5 / delta)) <= 1


STEPS: Final = [
    step("4.6.step.e1", "E1").says(
        "(2/α)·e^(−ε̃αm) ≤ β/2 for m ≥ (6/(α^1.5·ε))·ln(4/(αβ))·sqrt(ln(5/δ))",
        2 / alpha * exp(-_small() * alpha * m) <= beta / 2,
        broken(
            "5 in place of 6",
            m=at_least(5 / (alpha * sqrt(alpha) * epsilon) * log(4 / (alpha * beta)) * sqrt(log(5 / delta))),
        ),
        epsilon=above_zero(),
        m=at_least(6 / (alpha * sqrt(alpha) * epsilon) * log(4 / (alpha * beta)) * sqrt(log(5 / delta))),
    ),
    step("4.6.step.composition", "privacy").says(
        "4/α mechanisms with ε̃, δ′ = δ/5, compose to ε by Theorem 2.5, for ε ≤ 1, as that asks for",
        sqrt(2 * (4 / alpha) * log(5 / delta)) * _small() + 2 * (4 / alpha) * _small() ** 2 <= epsilon,
        broken(
            "8 in place of 32",
            sqrt(2 * (4 / alpha) * log(5 / delta)) * _small(8) + 2 * (4 / alpha) * _small(8) ** 2 <= epsilon,
        ),
    ),
    step("4.6.step.deltas", "privacy").says(
        "4/α times δ̃ = αδ/5, and δ′ = δ/5, are δ",
        lambda c=5: 4 / alpha * (alpha * delta / c) + delta / 5 <= delta,
        broken("δ̃ = αδ/4", 4),
    ),
    step("4.6.step.e2", "E2").says(
        "2/α choices, each wrong with probability αβ/4, are all right but with probability β/2",
        lambda c=4: 2 / alpha * (alpha * beta / c) <= beta / 2,
        broken("αβ/3", 3),
    ),
    step("4.6.step.rounded-up", "privacy").says(
        "with 2/α rounded up there are at most 4/α + 2 mechanisms, and they compose to ε by Theorem 2.5, too, for "
        "ε ≤ 1: √(2k·ln(5/δ))·ε̃ + 2kε̃² ≤ ε, divided by ε",
        _composed(2),
        broken("5 more", _composed(5)),
    ),
    step("4.6.step.logarithm", "the number of rows, which is left as an order").says(
        "of the rows that Lemmas 4.4 and 4.5 ask for with α/2, αβ/4, ε̃ and δ̃ the logarithm, "
        "ln(640·√((32/α)·ln(5/δ))/(α³βεδ)), is at most 6·ln(1/(αβεδ)), where α, βε and δ are 1/2 at most; a = ln(1/α), "
        "b = ln(1/(βε)), x = ln(1/δ)",
        lambda c=6: log(640 * sqrt(32)) + 7 * a / 2 + b + x + log(log(5) + x) / 2 <= c * (a + b + x),
        broken("5", 5),
    ),
]

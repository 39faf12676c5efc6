"""Steps from the learner of rectangles on its sample to Theorem 3.22, for all parameters, with constants of ours.

Lemma 4.12 asks for 8^N·(60c/(α̂ε̂))·N·log(12N/(β̂ε̂δ̂)) rows on each axis, N = log* d ≥ 1, for α̂ = α/(16n), c = 77/α̂,
ε̂ ≤ ε/(2n), δ̂ ≤ 1 and β̂ = β/(6nc): as ε ≤ 1, for (8·60·77·512·n³/(α²ε))·log(88704·n²/(αβ)) at the least. With these the
noise of the ends is as small as is needed but for β/4, and the error on the population is within α/8 of that on the
sample but for β/4, by Theorem 2.14: so it is at most α but for β.

The order n³/α^2.5 of the theorem is that of all 4cn parts by Theorem 2.5, which leaves each ε̂ = ε/(4·√(4cn·ln(5/δ))) at
the least: as much for each axis by Theorem 2.4 would make it n^3.5.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import degenerate
from dpverify.verifiers.steps.ranges import above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, log2, parameters, sqrt

alpha, beta, epsilon, delta, n, x, y = parameters("alpha beta epsilon delta n x y")
ROWS: Final = 8 * 60 * 77 * 512
_HERE: Final = "by the learner of Section 3.5 as it is run here"
step: Final = ProofSteps(
    "BNS-J-",
    "Beimel, Nissim & Stemmer, journal version, Theorem 3.22, ",
    {"alpha beta": BELOW_1, "epsilon": above_zero(1), "delta": BELOW_1, "n": whole_from(1)},
)


def _logarithms(x: Expression, rows: int) -> Relation:
    """x is n²/(αβ)."""
    return 1100 * log(132 * x) <= rows * log2(88704 * x)


def _sample(rows: int) -> Relation:
    return 50 * 2 * n * 64 * log(32 / (alpha * beta)) <= rows * n**3 * log2(88704 / (alpha * beta))


def _together(by: int) -> Relation:
    """sqrt(2x·ln(5/δ))·ε̂ + 2x·ε̂² ≤ ε/2, by Theorem 2.5 with δ′ = δ/5."""
    part = epsilon / (by * sqrt(x * log(5 / delta)))
    return sqrt(2 * x * log(5 / delta)) * part + 2 * x * part**2 <= epsilon / 2


def _rows() -> Expression:
    """ε·60c/(α̂ε̂), c = 77/α̂, α̂ = α/(16n), which Lemma 4.12 has times 8^N·N·log(…)."""
    calls = 1232 * n / alpha
    return 60 * calls * (16 * n / alpha) * 4 * sqrt(4 * calls * n * log(5 / delta))


def _root(constant: int) -> Relation:
    return log(5 / delta) <= (constant * log(n / (alpha * delta))) ** 2


STEPS: Final = [
    step("3.22.step.noise", _HERE).says(
        "with m = x·n³/(α²ε) rows, x ≥ 1100·ln(132·n²/(αβ)), the noise Lap(4n/ε) of each of the 33n/α intervals of n "
        "axes is within half of the threshold αm/(4n·33n/α) but for β/4",
        33 * n**2 / alpha * exp(-x / 1056) <= beta / 4,
        broken("1000 in place of 1100", x=at_least(1000 * log(132 * n**2 / (alpha * beta)))),
        x=at_least(1100 * log(132 * n**2 / (alpha * beta))),
    ),
    step("3.22.step.rows", _HERE).says(
        "the rows of Lemma 4.12 are as many: 1100·ln(132·x) ≤ 8·60·77·512·log(88704·x), x = n²/(αβ) ≥ 1, y = 1/x",
        _logarithms(1 / y, ROWS),
        broken("300 in place of 8·60·77·512", _logarithms(1 / y, 300)),
        y=above_zero(1),
    ),
    step("3.22.step.sample", _HERE).says(
        "the rows of Lemma 4.12 are as many as Theorem 2.14 asks for, VC = 2n, with α/8 and β/4; both times α²",
        _sample(ROWS),
        broken("1000 in place of 8·60·77·512", _sample(1000)),
    ),
    # The order of the theorem, in n, α and δ
    step("3.22.step.parts", f"{_HERE}, by Theorem 2.5, for ε ≤ 1").says(
        "x = 4cn parts of ε̂ = ε/(4·√(x·ln(5/δ))) are together (ε/2, ·)-private",
        _together(4),
        broken("3 in place of 4", _together(3)),
        x=whole_from(4),
    ),
    step("3.22.step.order", f"{_HERE}, with these parts").says(
        "60c/(α̂ε̂) ≤ 340,000,000·(n³/(α^2.5·ε))·√(ln(5/δ)); both times α³·ε",
        alpha**3 * _rows() <= 340_000_000 * n**3 * sqrt(alpha * log(5 / delta)),
        broken("n^2.5 in place of n³", alpha**3 * _rows() <= 340_000_000 * n**2 * sqrt(n * alpha * log(5 / delta))),
    ),
    step("3.22.step.logarithm-printed").says(
        "√(ln(5/δ)) is O(log(n/(αδ))), here with the constant 1,000,000",
        _root(10**6),
        tries=[{"alpha": 1 - Fraction(1, 10**7), "delta": 1 - Fraction(1, 10**7), "n": 1}],
        mends="δ ≤ 1/2: BNS-J-3.22.step.logarithm",
        refuted=degenerate(
            "n = 1, and α and δ near 1, where log(n/(αδ)) is near 0 and the rows are not. There is no boundary in ε."
        ),
    ),
    step("3.22.step.logarithm", "for δ ≤ 1/2").says(
        "√(ln(5/δ)) ≤ 3·ln(n/(αδ)), in squares",
        _root(3),
        broken("2 in place of 3", _root(2)),
        delta=above_zero(HALF),
    ),
]

"""From what the learner of rectangles does on its sample to Theorem 3.22, for all parameters, with constants of ours.

Lemma 4.12 asks for 8^N·(60c/(α̂ε̂))·N·log(12N/(β̂ε̂δ̂)) rows on each axis, N = log* d ≥ 1, for α̂ = α/(16n), c = 77/α̂,
ε̂ ≤ ε/(2n), δ̂ ≤ 1 and β̂ = β/(6nc): as ε ≤ 1, for (8·60·77·512·n³/(α²ε))·log(88704·n²/(αβ)) at the least. With these the
noise of the ends is as small as is needed but for β/4, and the error on the population is within α/8 of that on the
sample but for β/4, by Theorem 2.14: so it is at most α but for β.
"""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, log2

_SOURCE: Final = (
    "Beimel, Nissim & Stemmer, journal version, Theorem 3.22, by the learner of Section 3.5 as it is run here"
)
ROWS: Final = 8 * 60 * 77 * 512


def _noise(constant: int = 1100) -> dict[str, Range]:
    return {
        "alpha": between(0, 1),
        "beta": between(0, 1),
        "n": whole_from(1),
        "x": at_least(lambda alpha, beta, n: constant * log(132 * n**2 / (alpha * beta))),
    }


noise = Step(
    id="BNS-J-3.22.step.noise",
    source=_SOURCE,
    statement="with m = x·n³/(α²ε) rows, x ≥ 1100·ln(132·n²/(αβ)), the noise Lap(4n/ε) of each of the 33n/α intervals "
    "of n axes is within half of the threshold αm/(4n·33n/α) but for β/4",
    parameters=_noise(),
    says=lambda alpha, beta, n, x: 33 * n**2 / alpha * exp(-x / 1056) <= beta / 4,
    mutants=[BrokenStep("1000 in place of 1100", parameters=_noise(1000))],
)


def _logarithms(x: Expression, rows: int) -> Relation:
    """x is n²/(αβ)."""
    return 1100 * log(132 * x) <= rows * log2(88704 * x)


rows_for_the_noise = Step(
    id="BNS-J-3.22.step.rows",
    source=_SOURCE,
    statement="the rows of Lemma 4.12 are as many: 1100·ln(132·x) ≤ 8·60·77·512·log(88704·x), x = n²/(αβ) ≥ 1, y = 1/x",
    parameters={"y": above_zero(1)},
    says=lambda y: _logarithms(1 / y, ROWS),
    mutants=[BrokenStep("300 in place of 8·60·77·512", says=lambda y: _logarithms(1 / y, 300))],
)


def _sample(alpha: Expression, beta: Expression, n: Expression, rows: int) -> Relation:
    return 50 * 2 * n * 64 * log(32 / (alpha * beta)) <= rows * n**3 * log2(88704 / (alpha * beta))


rows_for_the_sample = Step(
    id="BNS-J-3.22.step.sample",
    source=_SOURCE,
    statement="the rows of Lemma 4.12 are as many as Theorem 2.14 asks for, VC = 2n, with α/8 and β/4; both times α²",
    parameters={"alpha": between(0, 1), "beta": between(0, 1), "n": whole_from(1)},
    says=lambda alpha, beta, n: _sample(alpha, beta, n, ROWS),
    mutants=[BrokenStep("1000 in place of 8·60·77·512", says=lambda alpha, beta, n: _sample(alpha, beta, n, 1000))],
)

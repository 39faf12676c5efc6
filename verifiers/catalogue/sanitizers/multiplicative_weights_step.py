"""Steps of private multiplicative weights: what an update gains, how many there are, and how rarely noise is large."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import exp, log

_SOURCE: Final = (
    "Hardt & Rothblum (2010), cited for Theorem 2.19 of Bun, Nissim & Stemmer, whose formula is lost: constants of ours"
)
_RATE: Final = Range(0, Fraction(1, 6), True, False)
_UNIT: Final = between(0, 1)

losing = Step(
    id="BuNS-2.19.step.normalising",
    source=_SOURCE,
    statement="the weights that are left of 1, 1 − η·q, have −ln(1 − η·q) ≥ η·q, for 0 < η ≤ 1/6, 0 ≤ q ≤ 1: x = η·q",
    parameters={"x": Range(0, Fraction(1, 6))},
    says=lambda x: x <= -log(1 - x),
    mutants=[BrokenStep("2·x in place of x", says=lambda x: 2 * x <= -log(1 - x))],
)
rate = Step(
    id="BuNS-2.19.step.rate",
    source=_SOURCE,
    statement="−ln(1 − η) ≤ η + η², for 0 < η ≤ 1/6",
    parameters={"eta": _RATE},
    says=lambda eta: -log(1 - eta) <= eta + eta * eta,
    mutants=[BrokenStep("η²/2 in place of η²", says=lambda eta: -log(1 - eta) <= eta + eta * eta / 2)],
)
gain = Step(
    id="BuNS-2.19.step.gain-of-an-update",
    source=_SOURCE,
    statement="where q, the share of the weights that loses, is p + 2η + s, s ≥ 0, of a law p, the divergence of the "
    "weights from it falls by η·q − p·(η + η²) ≥ η²; with η = α/6 that is α²/36 for what is off by α/3",
    parameters={"eta": _RATE, "p": Range(0, 1), "s": Range(0, 1)},
    says=lambda eta, p, s: eta * eta <= eta * (p + 2 * eta + s) - p * (eta + eta * eta),
    mutants=[
        BrokenStep("η in place of 2η", says=lambda eta, p, s: eta * eta <= eta * (p + eta + s) - p * (eta + eta * eta))
    ],
)


def _updates(constant: int) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "x": whole_from(2),
        "c": at_least(lambda alpha, x: constant * log(x) / alpha**2),
    }


updates = Step(
    id="BuNS-2.19.step.updates",
    source=_SOURCE,
    statement="c ≥ 36·ln|X|/α² updates that gain α²/36 each gain ln|X|, the most that a law on |X| ≥ 2 points diverges "
    "from the uniform one",
    parameters=_updates(36),
    says=lambda alpha, x, c: log(x) <= c * alpha**2 / 36,
    mutants=[BrokenStep("35 in place of 36", parameters=_updates(35))],
)


def _rows(constant: int) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(),
        "n": whole_from(3),
        "m": at_least(lambda alpha, beta, epsilon, n: constant / (alpha * epsilon) * log(n / beta)),
    }


rows = Step(
    id="BuNS-2.19.step.rows",
    source=_SOURCE,
    statement="n = k + 2c noises of scale 8/ε₀ at most, each above αm/6 with probability ≤ e^(−αmε₀/48), are so "
    "together with probability ≤ β, for m ≥ (48/(αε₀))·ln(n/β)",
    parameters=_rows(48),
    says=lambda alpha, beta, epsilon, n, m: n * exp(-alpha * m / 6 * epsilon / 8) <= beta,
    mutants=[BrokenStep("47 in place of 48", parameters=_rows(47))],
)

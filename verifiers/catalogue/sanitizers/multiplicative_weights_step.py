"""Steps of private multiplicative weights: what an update gains, how many there are, and how rarely noise is large."""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, ProofSteps, broken
from dpverify.verifiers.steps.terms import exp, log, parameters

x, eta, p, s, alpha, c, beta, epsilon, n, m = parameters("x eta p s alpha c beta epsilon n m")
step: Final = ProofSteps(
    "BuNS-",
    "Hardt & Rothblum (2010), cited for Theorem 2.19 of Bun, Nissim & Stemmer, whose formula is lost: constants of "
    "ours",
    {"eta": Range(0, Fraction(1, 6), True, False), "alpha": BELOW_1},
)
STEPS: Final = [
    step("2.19.step.normalising").says(
        "the weights that are left of 1, 1 − η·q, have −ln(1 − η·q) ≥ η·q, for 0 < η ≤ 1/6, 0 ≤ q ≤ 1: x = η·q",
        x <= -log(1 - x),
        broken("2·x in place of x", 2 * x <= -log(1 - x)),
        x=Range(0, Fraction(1, 6)),
    ),
    step("2.19.step.rate").says(
        "−ln(1 − η) ≤ η + η², for 0 < η ≤ 1/6",
        -log(1 - eta) <= eta + eta * eta,
        broken("η²/2 in place of η²", -log(1 - eta) <= eta + eta * eta / 2),
    ),
    step("2.19.step.gain-of-an-update").says(
        "where q, the share of the weights that loses, is p + 2η + s, s ≥ 0, of a law p, the divergence of the weights "
        "from it falls by η·q − p·(η + η²) ≥ η²; with η = α/6 that is α²/36 for what is off by α/3",
        eta * eta <= eta * (p + 2 * eta + s) - p * (eta + eta * eta),
        broken("η in place of 2η", eta * eta <= eta * (p + eta + s) - p * (eta + eta * eta)),
        p=Range(0, 1),
        s=Range(0, 1),
    ),
    step("2.19.step.updates").says(
        "c ≥ 36·ln|X|/α² updates that gain α²/36 each gain ln|X|, the most that a law on |X| ≥ 2 points diverges from "
        "the uniform one",
        log(x) <= c * alpha**2 / 36,
        broken("35 in place of 36", c=at_least(35 * log(x) / alpha**2)),
        x=whole_from(2),
        c=at_least(36 * log(x) / alpha**2),
    ),
    step("2.19.step.rows").says(
        "n = k + 2c noises of scale 8/ε₀ at most, each above αm/6 with probability ≤ e^(−αmε₀/48), are so together "
        "with probability ≤ β, for m ≥ (48/(αε₀))·ln(n/β)",
        n * exp(-alpha * m / 6 * epsilon / 8) <= beta,
        broken("47 in place of 48", m=at_least(47 / (alpha * epsilon) * log(n / beta))),
        beta=BELOW_1,
        epsilon=above_zero(),
        n=whole_from(3),
        m=at_least(48 / (alpha * epsilon) * log(n / beta)),
    ),
]

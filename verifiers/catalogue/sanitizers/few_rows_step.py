"""Orders of rows at the ends of their parameters, where they ask for one row or less, and one is too few.

Of N databases of one row of which no two have an answer that is good for both, an (ε,δ)-private mechanism gives on some
one a good answer with probability at most e^ε/N + δ; and if it fails with probability β, 1 − β ≤ e^ε·β + δ.
"""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.families import BNS, HALF, QUARTER
from dpverify.verifiers.steps.ranges import above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, ProofSteps
from dpverify.verifiers.steps.terms import exp, log, parameters, sqrt

n, d, k, alpha, beta, epsilon, delta, V, m = parameters("n d k alpha beta epsilon delta V m")
_RANGES: Final = {"n d k V": whole_from(1), "alpha beta delta": BELOW_1, "epsilon": above_zero(), "m": whole_from(0)}
_step: Final = ProofSteps("BNS-J-", f"{BNS}, ", _RANGES)
_QUARTERS: Final = {"alpha": QUARTER, "beta": QUARTER, "delta": QUARTER}
_C: Final = 10**6
_thresholds: Final = log(n / (alpha * beta * epsilon * delta)) * sqrt(log(1 / (alpha * delta)))
_MANY: Final = [epsilon < d * log(2) + log(1 - beta - delta)]
_MORE: Final = "is more than 1, C = 1,000,000, where 1 − β > e^ε/2^d + δ, so that one row is too few"
STEPS: Final = [
    _step("4.6.step.delta-near-one", "Theorem 4.6, k = 1, and Theorem 4.7, for every δ").says(
        "C·(k^1.5/(α^1.5·ε))·√ln(1/δ)·ln(k/(αβεδ)) is more than 1, C = 1,000,000, where (1 + e^ε)·β < 1 − δ, so that "
        "one row is too few",
        log(k / (alpha * beta * epsilon * delta)) > epsilon / (_C * sqrt(k / alpha) ** 3 * sqrt(log(1 / delta))),
        given=[(1 + exp(epsilon)) * beta < 1 - delta],
        tries=[{"k": 1, "alpha": QUARTER, "beta": Fraction(1, 10**21), "epsilon": 1, "delta": 1 - Fraction(1, 10**20)}],
        mends="δ ≤ 1/2, or ln(5/δ) in place of ln(1/δ), as the proof has it",
        degenerate="√ln(1/δ) is 10⁻¹⁰, and the other logarithm below 51: one row is enough for it, for k = 1 and 2. "
        "There is no boundary in ε.",
    ),
    _step("4.13.step.large-epsilon", "Theorem 4.13 and, with √n, Theorem 4 of the abstract, n = log*(d), every ε").says(
        f"C·8^n·n/(α^2.5·ε)·ln(n/(αβεδ))·√ln(1/(αδ)) {_MORE}",
        _C * 8**n * n * _thresholds / (epsilon * sqrt(alpha) ** 5) > 1,
        given=_MANY,
        tries=[{**_QUARTERS, "n": 4, "epsilon": 256, "d": 2**16}],
        mends="ε ≤ 1",
        degenerate="ln(n/(αβεδ)) is 0. There is no boundary in ε: it is one in αβεδ/n.",
    ),
    ProofSteps("BuNS-2.20.step.", "Bun, Nissim & Stemmer, Proposition 2.20, for every ε", _RANGES)(
        "large-epsilon"
    ).says(
        f"C·ln(1/(αβδ))/(αε) {_MORE}",
        _C * log(1 / (alpha * beta * delta)) / (alpha * epsilon) > 1,
        given=_MANY,
        tries=[{**_QUARTERS, "epsilon": 10**8, "d": 10**9}],
        mends="ε ≤ 1, or 2/α rows besides: BuNS-2.20b.utility.any-universe",
        reconstruction="The text has lost its formula; what README has for it is for ε ≤ 1.",
    ),
    _step("2.21.step.one-row", "Theorem 2.21, for every α").says(
        "C·(VC/α²)·ln(1/α) rows are one row at least, C = 1,000,000",
        _C * V / alpha**2 * log(1 / alpha) >= 1,
        tries=[{"V": 1, "alpha": 1 - Fraction(1, 10**7)}],
        mends="log(2/α) in place of log(1/α), and VC ≥ 1",
        degenerate="For α next to 1 log(1/α) is next to 0; of one concept, VC = 0, it is 0 for every α. There is no ε.",
    ),
    _step("2.12.step.half", "Theorem 2.12, for every α").says(
        "VC/(10⁶·α) ≤ m, as a learner of m examples has an error of at most α ≥ 1/2 with probability 1/2",
        V / (_C * alpha) <= m,
        alpha=at_least(HALF),
        tries=[{"V": 1, "alpha": HALF, "m": 0}],
        mends="α < 1/2, or β < 1/2",
        degenerate="A coin between h and 1 − h takes none: their errors add up to 1. There is no ε in it.",
    ),
]

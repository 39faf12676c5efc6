"""Steps about learners: the search of Section 3.2, Theorems 3.18 and 3.22 (rectangles), and the abstract's Theorem 2.

In steps about thresholds `y` stands for the N-fold logarithm of T, and in those about rectangles for what they say.
"""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, log2, parameters, sqrt

n, alpha, beta, epsilon, delta, x, y, w, J = parameters("n alpha beta epsilon delta x y w J")
_RANGES: Final = {"n": whole_from(1), "alpha beta": BELOW_1, "epsilon": above_zero(), "delta": BELOW_1}
_journal: Final = ProofSteps("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ", _RANGES)
_abstract: Final = ProofSteps("BNS-X-", "Beimel, Nissim & Stemmer, extended abstract, ", _RANGES)


def _of_order(constant: int) -> Relation:
    both = 25 * log(4 / (alpha * beta)) + 72 * (log2(12 / (beta * delta)) + w)
    return both <= constant * (log2(1 / (alpha * beta * delta)) + w)


STEPS: Final = [
    _journal("3.5.step.longest-printed", "Section 3.2, computing the interval length").says(
        "for every J from 0 to n = 2^d there is an interval [a, b] of [0, n − 1] with b − a = J, so that Q(J) is a "
        "maximum over some: J ≤ n − 1",
        n - 1 >= J,
        given=[n >= J],
        J=whole_from(0),
        tries=[{"n": 2, "J": 2}],
        mends="J ≤ 2^d − 1, or b − a + 1 = J; and Q(2^d) is the lesser of all zeros and all ones",
        proof_step="Q(2^d) is a maximum over no interval, and that it is large is what the search rests on. So it is "
        "for the power j = d, here and in the extended abstract. Read as all of X_d the argument stands: "
        "BNS-J-3.5.utility.search.",
    ),
    _journal("3.18.step.e1", "proof of Theorem 3.18, E1").says(
        "(200/α²)·ln(4/(αβ)) is what Theorem 2.14 asks for with VC = 1, α/2 and β/2",
        lambda c=200: (
            50 / (alpha / 2) ** 2 * log(1 / (alpha / 2 * (beta / 2))) <= c / alpha**2 * log(4 / (alpha * beta))
        ),
        broken("199 in place of 200", 199),
    ),
    _journal("3.18.step.e2", "proof of Theorem 3.18, E2").says(
        "8^N·(72N/(αε))·(log(12N/(βδ)) + y) is what Theorem 3.15 asks for with α/2 and β/2",
        lambda c=12: (
            8**n * (36 * n / (alpha / 2 * epsilon)) * (log2(6 * n / (beta / 2 * delta)) + y)
            <= 8**n * (72 * n / (alpha * epsilon)) * (log2(c * n / (beta * delta)) + y)
        ),
        broken("11N in place of 12N", 11),
        y=Range(0),
    ),
    _journal("3.18.step.order", "proof of Theorem 3.18, the last line").says(
        "(200/α²)·ln(4/(αβ)) and 8^N·(72N/(αε))·(log(12N/(βδ)) + y) are together at most 366 times "
        "8^N·(N/(α·min{α, ε}))·(log(N/(αβδ)) + y), which the second is divided by, and the first by 8/α²; w = log "
        "N + y is at least 1 for N ≤ log*(2^d)",
        _of_order(366),
        broken("360", _of_order(360)),
        w=at_least(1),
    ),
    _abstract("Thm2.step.sixteen-printed", "Theorem 2 by Lemma 3").says(
        "(2/α)^n, n = log*(d), is at most C·16^n for a C that depends on α, β and ε alone, here 1,000,000",
        (2 / alpha) ** n <= 1_000_000 * 16**n,
        alpha=above_zero(HALF),
        n=whole_from(0),
        tries=[{"alpha": Fraction(1, 16), "n": 20}],
        mends="α ≥ 1/8, where 2/α ≤ 16, or an approximation parameter of 1/4 in all calls but the first, as in the "
        "journal version, which has 8^n",
        proof_step="Rec hands α on to all of its calls, so that Lemma 3 has (2/α)^(log* d): for α < 1/8 no C is enough "
        "for all d. The theorem stands by RecConcave (BNS-J-3.18.step.order).",
    ),
    _abstract("Thm2.step.delta-near-one", "Theorem 2, at d = 2, where log*(d) = 1, for every δ").says(
        "C·16·√(ln(1/δ)·ln(1/δ)) is more than 1 for every δ and a C that depends on α, β and ε, here 1,000,000",
        16 * 10**6 * log(1 / delta) > 1,
        tries=[{"delta": 1 - Fraction(1, 10**9)}],
        mends="δ ≤ 1/2, or log(2/δ)",
        degenerate="One example of two points is too few for α < 1/2 and β < 1/4. There is no boundary in ε.",
    ),
]


# From the learner of rectangles on its sample to Theorem 3.22, for all parameters, with constants of ours. Lemma 4.12
# asks for 8^N·(60c/(α̂ε̂))·N·log(12N/(β̂ε̂δ̂)) rows on each axis, N = log* d ≥ 1, for α̂ = α/(16n), c = 77/α̂, ε̂ ≤
# ε/(2n), δ̂ ≤ 1 and β̂ = β/(6nc): as ε ≤ 1, for (8·60·77·512·n³/(α²ε))·log(88704·n²/(αβ)) at the least. With these the
# noise of the ends is as small as is needed but for β/4, and the error on the population is within α/8 of that on the
# sample but for β/4, by Theorem 2.14: so it is at most α but for β. The order n³/α^2.5 of the theorem is that of all
# 4cn parts by Theorem 2.5, which leaves each ε̂ = ε/(4·√(4cn·ln(5/δ))) at the least: as much for each axis by Theorem
# 2.4 would make it n^3.5.
ROWS: Final = 8 * 60 * 77 * 512
_HERE: Final = "by the learner of Section 3.5 as it is run here"
of_rectangles: Final = ProofSteps(
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


RECTANGLES: Final = [
    of_rectangles("3.22.step.noise", _HERE).says(
        "with m = x·n³/(α²ε) rows, x ≥ 1100·ln(132·n²/(αβ)), the noise Lap(4n/ε) of each of the 33n/α intervals of n "
        "axes is within half of the threshold αm/(4n·33n/α) but for β/4",
        33 * n**2 / alpha * exp(-x / 1056) <= beta / 4,
        broken("1000 in place of 1100", x=at_least(1000 * log(132 * n**2 / (alpha * beta)))),
        x=at_least(1100 * log(132 * n**2 / (alpha * beta))),
    ),
    of_rectangles("3.22.step.rows", _HERE).says(
        "the rows of Lemma 4.12 are as many: 1100·ln(132·x) ≤ 8·60·77·512·log(88704·x), x = n²/(αβ) ≥ 1, y = 1/x",
        _logarithms(1 / y, ROWS),
        broken("300 in place of 8·60·77·512", _logarithms(1 / y, 300)),
        y=above_zero(1),
    ),
    of_rectangles("3.22.step.sample", _HERE).says(
        "the rows of Lemma 4.12 are as many as Theorem 2.14 asks for, VC = 2n, with α/8 and β/4; both times α²",
        _sample(ROWS),
        broken("1000 in place of 8·60·77·512", _sample(1000)),
    ),
    # The order of the theorem, in n, α and δ
    of_rectangles("3.22.step.parts", f"{_HERE}, by Theorem 2.5, for ε ≤ 1").says(
        "x = 4cn parts of ε̂ = ε/(4·√(x·ln(5/δ))) are together (ε/2, ·)-private",
        _together(4),
        broken("3 in place of 4", _together(3)),
        x=whole_from(4),
    ),
    of_rectangles("3.22.step.order", f"{_HERE}, with these parts").says(
        "60c/(α̂ε̂) ≤ 340,000,000·(n³/(α^2.5·ε))·√(ln(5/δ)); both times α³·ε",
        alpha**3 * _rows() <= 340_000_000 * n**3 * sqrt(alpha * log(5 / delta)),
        broken("n^2.5 in place of n³", alpha**3 * _rows() <= 340_000_000 * n**2 * sqrt(n * alpha * log(5 / delta))),
    ),
    of_rectangles("3.22.step.logarithm-printed").says(
        "√(ln(5/δ)) is O(log(n/(αδ))), here with the constant 1,000,000",
        _root(10**6),
        tries=[{"alpha": 1 - Fraction(1, 10**7), "delta": 1 - Fraction(1, 10**7), "n": 1}],
        mends="δ ≤ 1/2: BNS-J-3.22.step.logarithm",
        degenerate="n = 1, and α and δ near 1, where log(n/(αδ)) is near 0 and the rows are not. There is no boundary "
        "in ε.",
    ),
    of_rectangles("3.22.step.large-epsilon", ", for every ε").says(
        "C·(n³/(α^2.5·ε))·8^y·y·ln(n/(αδ))·ln(n·y/(αβεδ)), C = 1,000,000, y = log*(d), is more than 1 for α < 1/2 and "
        "β < 1/4, for which one example is too few",
        10**6 * n**3 * 8**y * y * log(n / (alpha * delta)) * log(n * y / (alpha * beta * epsilon * delta))
        > sqrt(alpha) ** 5 * epsilon,
        epsilon=above_zero(),
        y=whole_from(1),
        given=[alpha < HALF, beta < Fraction(1, 4)],
        tries=[{"alpha": Fraction(1, 4), "beta": Fraction(1, 8), "delta": HALF, "n": 1, "y": 1, "epsilon": 64}],
        mends="ε ≤ 1, or what Theorem 2.14 asks for besides",
        degenerate="Of two points one example shows one. There is no boundary in ε: it is one in αβεδ.",
    ),
    of_rectangles("3.22.step.logarithm", "for δ ≤ 1/2").says(
        "√(ln(5/δ)) ≤ 3·ln(n/(αδ)), in squares", _root(3), broken("2 in place of 3", _root(2)), delta=above_zero(HALF)
    ),
]

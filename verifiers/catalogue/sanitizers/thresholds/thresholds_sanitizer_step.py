"""Steps of the proofs about SanThresholds: Lemma 4.8, Claims 4.10 and 4.11, and Lemma 4.12.

`n` stands for log*(d); logarithms of a number of rows that is from RecConcave are to base 2, as there.
"""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, from_to, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Expression, Number, Relation, exp, log, log2, parameters, sqrt

alpha, beta, epsilon, delta, m, c, n, i, q, x, y, y1, y2, t, sigma, a = parameters(
    "alpha beta epsilon delta m c n i q x y y1 y2 t sigma a"
)


def _calls(constant: int = 77) -> Range:
    """c ≥ 77/α."""
    return at_least(constant / alpha)


def _rows(constant: Fraction | int = 60) -> Range:
    """m ≥ 8^n·(60c/(αε))·n·log(12n/(βεδ)), n = log*(d)."""
    return at_least(8**n * (constant * c / (alpha * epsilon)) * n * log2(12 * n / (beta * epsilon * delta)))


_TO_1: Final = above_zero(1)
step: Final = ProofSteps(
    "BNS-J-",
    "Beimel, Nissim & Stemmer, journal version, proof of ",
    {"n": whole_from(1), "alpha beta": BELOW_1, "epsilon": _TO_1, "delta": BELOW_1, "c": _calls(), "m": above_zero()},
)
_Y2: Final = Range(0, 128 / (5 * alpha))
_choosing_asks_for: Final = 16 / (alpha / 64 * epsilon) * log(16 * 2 / (alpha / 64 * beta * epsilon * delta)) <= m
_every_draw: Final = exp(-alpha * epsilon * m / (16 * c)) <= beta / 2
_rec_asks_for: Final = 8**n * (36 * n / (Fraction(1, 4) * epsilon)) * log2(12 * n / (beta * delta)) <= alpha * m / 32
"""Remark 3.16 with α = 1/4, of r = αm/32."""
STEPS: Final = [
    step("4.8.step.choosing", "Lemma 4.8").says(
        "(1024/(αε))·ln(2048/(αβεδ)) rows are what Lemma 4.4 asks for with α/64 and k = 2, for ε ≤ 1",
        _choosing_asks_for,
        broken(
            "1000 in place of 1024", m=at_least(1000 / (alpha * epsilon) * log(2048 / (alpha * beta * epsilon * delta)))
        ),
        m=at_least(1024 / (alpha * epsilon) * log(2048 / (alpha * beta * epsilon * delta))),
    ),
    step("4.8.step.composition", "Lemma 4.8").says(
        "4c mechanisms, δ′ = cδ, compose to ε̃ = sqrt(8c·ln(1/(cδ)))·ε + 8cε², by Theorem 2.5",
        lambda factor=8: (
            sqrt(2 * (4 * c) * log(1 / (c * delta))) * epsilon + 2 * (4 * c) * epsilon**2
            <= sqrt(8 * c * log(1 / (c * delta))) * epsilon + factor * c * epsilon**2
        ),
        broken("7cε²", 7),
        given=[c * delta <= 1],
        c=whole_from(1),
        epsilon=_TO_1,
        delta=BELOW_1,
    ),
    step("4.10.step.b1", "Claim 4.10, B1").says(
        "Pr[|Lap(1/ε)| > αm/(16c)] ≤ β/2 with the rows of the claim, for ε ≤ 1",
        _every_draw,
        broken("1/100 in place of 60", m=_rows(Fraction(1, 100))),
        m=_rows(),
    ),
    step("4.10.step.b1-display", "Claim 4.10, B1").says(
        "Pr[|Lap(1/ε)| > αm/(16c)] ≤ β/2 for m ≥ (16c/(αε))·ln(2/β)",
        _every_draw,
        broken("15c in place of 16c", m=at_least(15 * c / (alpha * epsilon) * log(2 / beta))),
        epsilon=above_zero(),
        c=whole_from(1),
        m=at_least(16 * c / (alpha * epsilon) * log(2 / beta)),
    ),
    step("4.10.step.b1-any-epsilon", "Claim 4.10, B1").says(
        "Pr[|Lap(1/ε)| > αm/(16c)] ≤ β/2 with the rows of the claim, for every ε > 0",
        _every_draw,
        given=[c >= 77 / alpha, m >= 8**n * (60 * c / (alpha * epsilon)) * n * log2(12 * n / (beta * epsilon * delta))],
        epsilon=above_zero(),
        c=above_zero(),
        m=whole_from(1),
        tries=[{"n": 1, "alpha": HALF, "beta": HALF, "epsilon": 96, "delta": HALF, "c": 154, "m": 1}],
        mends="ε ≤ 1",
        degenerate="With ε > 12·log*(d)/(βδ) the number of rows is negative. There is no boundary in ε alone, but one "
        "in βεδ.",
    ),
    step("4.10.step.passed-step-3", "Claim 4.10, B2").says(
        "αm/8 less the noise of B1 is αm/16 or more",
        alpha * m / 16 <= alpha * m / 8 - alpha * m / (16 * c),
        broken(
            "αm/8·(299/300)",
            alpha * m / 8 * Fraction(299, 300) <= alpha * m / 8 - alpha * m / (16 * c),
            tries=[{"alpha": Fraction(99, 100), "c": 78, "m": 1}],
        ),
    ),
    step("4.10.step.promise-above", "Claim 4.10, B2, and Figure 11, step 6").says(
        "I(S, j) ≥ αm/16 gives I(S, j) − αm/32 ≥ r = αm/32",
        lambda c=32: alpha * m / 32 <= i - alpha * m / c,
        broken("I(S, j) − αm/31", 31),
        i=at_least(alpha * m / 16),
    ),
    step("4.10.step.promise-below", "Claim 4.10, B2, and Figure 11, step 6").says(
        "I(S, j − 1) ≤ αm/16 gives 3αm/32 − I(S, j − 1) ≥ r = αm/32",
        lambda c=3: alpha * m / 32 <= c * alpha * m / 32 - i,
        broken("2.9 in place of 3", Fraction(29, 10)),
        i=Range(0, alpha * m / 16),
    ),
    step("4.10.step.b2-display", "Claim 4.10, B2").says(
        "8^n·(4608/(αε))·n·log(12n/(βδ)) rows are what Remark 3.16 asks for with α = 1/4 and r = αm/32",
        _rec_asks_for,
        broken(
            "4600 in place of 4608", m=at_least(8**n * (4600 / (alpha * epsilon)) * n * log2(12 * n / (beta * delta)))
        ),
        epsilon=above_zero(),
        m=at_least(8**n * (4608 / (alpha * epsilon)) * n * log2(12 * n / (beta * delta))),
    ),
    step("4.10.step.b2", "Claim 4.10, B2").says(
        "the rows of the claim are 8^n·(4608/(αε))·n·log(12n/(βδ)) and more, for ε ≤ 1",
        _rec_asks_for,
        broken(
            "59 in place of 60",
            tries=[
                {
                    "n": 1,
                    "alpha": Fraction(999, 1000),
                    "beta": HALF,
                    "epsilon": 1,
                    "delta": HALF,
                    "c": Fraction(7708, 100),
                    "m": 203400,
                }
            ],
            m=_rows(59),
        ),
        m=_rows(),
    ),
    step("4.10.step.b3-rows", "Claim 4.10, B3").says(
        "the rows of the claim are (1024/(αε))·ln(2048/(αβεδ)) and more, for ε ≤ 1",
        _choosing_asks_for,
        broken("1/2 in place of 60", m=_rows(Fraction(1, 2))),
        m=_rows(),
    ),
    step("4.10.step.b3", "Claim 4.10, B3").says(
        "a quality of 7αm/128, less (α/64)·m, is 5αm/128",
        lambda c=64: 5 * alpha * m / 128 <= q - alpha / c * m,
        broken("α/63", 63),
        q=at_least(7 * alpha * m / 128),
    ),
    step("4.10.step.given-success-printed", "Claim 4.10, B3 with B1 and B2 supposed").says(
        "where B2 has occurred, each choice fails with probability at most β: of two iterations, where a first choice "
        "fails with probability β, the second call of RecConcave with β after one that has not, and surely not after "
        "one that has, β/(β + (1 − β)²) ≤ β",
        beta / (beta + (1 - beta) ** 2) <= beta,
        tries=[{"beta": HALF}],
        mends="the failures in the order in which they are drawn: each of 3c has probability β or less, whatever was "
        "before it, and 3cβ is what the claim has",
        proof_step="B2 is of later calls too, and what these do depends on the intervals that were chosen: to suppose "
        "it changes the law of a choice. The claim stands, as the union of 3c failures.",
    ),
    step("4.10.step.all-three", "Claim 4.10, the last line").says(
        "(1 − cβ)³ ≥ 1 − 3cβ for cβ ≤ 3; x = cβ",
        1 - 3 * x <= (1 - x) ** 3,
        broken("cβ ≤ 4", x=above_zero(4)),
        x=above_zero(3),
    ),
    step("4.11.step.y1-printed", "Claim 4.11, E1").says(
        "of y2 iterations with two calls each, at most y1 ≤ y2 + 1 halt early: y1 ≤ 2·y2",
        y1 <= 2 * y2,
        given=[y1 <= y2 + 1],
        y2=whole_from(0),
        y1=whole_from(0),
        tries=[{"y2": 0, "y1": 1}],
        mends="y1 ≤ y2 + 1, and the total of 2·y2 + 1 ≤ 256/(5α) + 1 is below 77/α, too",
        proof_step="Where the first iteration halts on step 3 there is one iteration, and none that is complete.",
    ),
    step("4.11.step.calls", "Claim 4.11, E1").says(
        "3·y2 < 77/α for y2 ≤ 128/(5α)", 3 * y2 < 77 / alpha, broken("76/α", 3 * y2 < 76 / alpha), y2=_Y2
    ),
    step("4.11.step.calls-corrected", "Claim 4.11, E1, with y1 ≤ y2 + 1").says(
        "2·y2 + 1 < 77/α for y2 ≤ 128/(5α)", 2 * y2 + 1 < 77 / alpha, broken("52/α", 2 * y2 + 1 < 52 / alpha), y2=_Y2
    ),
    step("4.11.step.e3", "Claim 4.11, E3").says(
        "αm/(16c) ≤ (αm/4)·(α/77)",
        alpha * m / (16 * c) <= alpha * m / 4 * (alpha / 77),
        broken("c ≥ 19/α", c=_calls(19)),
    ),
    step("4.11.step.e2-step-3", "Claim 4.11, E2").says(
        "αm/8 and the noise of B1 are at most αm/2",
        lambda factor=8: alpha * m / factor + alpha * m / (16 * c) <= alpha * m / 2,
        broken("αm/2 before the noise", 2),
    ),
    step("4.11.step.e2-step-10", "Claim 4.11, E2").says(
        "four intervals of 9αm/128 points each hold at most αm/2",
        4 * i <= alpha * m / 2,
        broken("eight intervals", 8 * i <= alpha * m / 2),
        i=Range(0, 9 * alpha * m / 128),
    ),
    step("4.12.step.noise", "Lemma 4.12").says(
        "αm/2 and t ≤ 77/α noises of (αm/4)·(α/77) are at most 3αm/4",
        alpha * m / 2 + t * (alpha * m / 4 * (alpha / 77)) <= 3 * alpha * m / 4,
        broken("t ≤ 78/α", t=Range(0, 78 / alpha)),
        t=Range(0, 77 / alpha),
    ),
    step("4.12.step.more-copies", "Lemma 4.12").says(
        "σn points of n copies, of which there are n = x·m ≤ (1 + α/4)·m, are at most α/4 more of m than of n",
        sigma * x - sigma <= alpha / 4,
        broken("α/5", sigma * x - sigma <= alpha / 5),
        x=Range(0, 1 + alpha / 4),
        sigma=from_to(0, 1),
    ),
    step("4.12.step.fewer-copies", "Lemma 4.12, “similar arguments”").says(
        "σn points of n copies, of which there are n = x·m ≥ (1 − α/4)·m, are at most α/4 more of n than of m",
        sigma - sigma * x <= alpha / 4,
        broken("α/5", sigma - sigma * x <= alpha / 5),
        x=at_least(1 - alpha / 4),
        sigma=from_to(0, 1),
    ),
]


# From the rows of Theorem 4.13 to those of the extended abstract's Theorem 4: a constant. Lemma 4.12 asks for
# 8^n·(60c/(αε̂))·n·log(12n/(β̂ε̂δ̂)) rows, n = log* d, c = 78/α at most, with β̂ = β/(3c), δ̂ = δ/(5c) and the ε̂ of
# each part. The abstract has √n·ln(1/(αδ)) in the place of the journal's n·√ln(1/(αδ)): that is an order where n is not
# far above ln(1/(αδ)), as for d below a tower of twos of that height, and is not beyond it. Together the steps make the
# m of the journal at most 60·78·(4/3)·√(8·78)·3·22 < 10,300,000 times that of the abstract.
CALLS: Final = 78
"""⌈77/α⌉ ≤ 78/α."""
of_theorem_4: Final = ProofSteps(
    "BNS-X-", "Beimel, Nissim & Stemmer, extended abstract, Theorem 4, from the journal version's Lemmas 4.8 and 4.12"
)


def _whole_epsilon(part: Number) -> Expression:
    """√(8c·ln(5/δ))·ε̂ + 8cε̂² for ε̂ = ε/(part·√(8c·ln(5/δ)))."""
    return epsilon / part + 8 * c * epsilon**2 / (part**2 * 8 * c * log(5 / delta))


def _logarithm(x: Expression, factor: Number) -> Relation:
    """x is n/(βεδ): its logarithm, and what else is in that of the lemma, c = 78/α; ln(5/δ) ≤ 5/δ ≤ 5·x."""
    others = 12 * 15 * CALLS**2 * Fraction(4, 3) / alpha**2 * sqrt(8 * CALLS / alpha * 5 * x)
    return log2(others * x) <= factor * log(x / alpha)


THEOREM_4: Final = [
    of_theorem_4("Thm4.step.parts").says(
        "parts with ε̂ = 3ε/(4·√(8c·ln(5/δ))) make a whole of √(8c·ln(5/δ))·ε̂ + 8cε̂² ≤ ε, for ε ≤ 1 and δ ≤ 1/2",
        lambda c=Fraction(4, 3): _whole_epsilon(c) <= epsilon,
        broken("all of ε in the first term", 1),
        epsilon=above_zero(1),
        delta=above_zero(HALF),
        c=whole_from(1),
    ),
    of_theorem_4("Thm4.step.roots").says(
        "n·√ln(5/δ) is at most 3·√n·ln(1/(αδ)), where n = log* d ≤ 5·ln(1/(αδ)) and α, δ ≤ 1/2; squared, over n, with "
        "a = ln(1/α) and x = ln(1/δ)",
        n * (log(5) + x) <= 9 * (a + x) ** 2,
        broken("n ≤ 6·ln(1/(αδ))", n=Range(0, 6 * (a + x))),
        a=Range(log(2)),
        x=Range(log(2)),
        n=Range(0, 5 * (a + x)),
    ),
    of_theorem_4("Thm4.step.logarithm").says(
        "log(12n/(β̂ε̂δ̂)) is at most 22·ln(n/(αβεδ)), for α ≤ 1/2 and x = n/(βεδ) ≥ 2",
        _logarithm(1 / y, 22),
        broken("20 in place of 22", _logarithm(1 / y, 20)),
        alpha=above_zero(HALF),
        y=above_zero(HALF),
    ),
]

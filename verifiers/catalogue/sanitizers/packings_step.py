"""Steps of the proofs by packing: Lemma 4.15, Lemma 5.7 and Theorem 5.9; and what packing says of Theorem 2.19."""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import Range, above, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, ProofSteps, broken
from dpverify.verifiers.steps.terms import exp, log, parameters

d, alpha, beta, epsilon, u, m, s, p, q, both, k, i, n, t = parameters("d alpha beta epsilon u m s p q both k i n t")
_RANGES: Final = {"d k": whole_from(1), "alpha beta": BELOW_1, "s p q both": whole_from(0)}
step: Final = ProofSteps("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ", _RANGES)
_sets: Final = (n / k) ** k / ((2 * exp(1)) ** (k / 2) * (2 * exp(1) * n / k) ** (k / 2))
STEPS: Final = [
    step("2.19.step.rows-printed", "Theorem 2.19, after Blum, Ligett & Roth, for every α").says(
        "with a constant Γ, here 1,000,000, the rows for point functions on 2^d points, VC = 1, are as many as a "
        "packing forces: 2^d·(1 − β)·e^(−εm) ≤ 1/(1 − α), as a database has a share of 1 − α on so many points at most",
        d * log(2) + log(1 - beta) + log(1 - alpha)
        <= 1_000_000 * (d * log(2) * log(1 / alpha) / alpha**3 + log(1 / beta) / alpha),
        tries=[{"d": 10**9, "alpha": 1 - Fraction(1, 10**7), "beta": Fraction(1, 2)}],
        mends="log(2/α) in place of log(1/α), or α ≤ 1/2",
        degenerate="For α next to 1 log(1/α) is next to 0, and with it the rows that are asked for. There is no ε in "
        "it: both sides are of εm.",
    ),
    step("4.15.step.solving", "proof of Lemma 4.15").says(
        "with m ≤ ln(u)/(3εα) rows u·e^(−3εαm) ≥ 1, for u = (X_C − 1)(1 − β)/β > 1",
        u * exp(-3 * epsilon * alpha * m) >= 1,
        broken("2 in place of 3", m=Range(0, log(u) / (2 * epsilon * alpha))),
        epsilon=above_zero(),
        u=above(1),
        m=Range(0, log(u) / (3 * epsilon * alpha)),
    ),
    step("5.7.step.good", "proof of Lemma 5.7").says(
        "1/2 − e^(−3αm/5) ≥ 1/4 for m ≥ 5·ln(4)/(3α)",
        Fraction(1, 4) <= Fraction(1, 2) - exp(-3 * alpha * m / 5),
        broken("4 in place of 5", m=at_least(4 * log(4) / (3 * alpha))),
        alpha=between(0, Fraction(1, 5)),
        m=at_least(5 * log(4) / (3 * alpha)),
    ),
    step("5.7.step.chernoff", "proof of Lemma 5.7").says(
        "the bound of Section 2.6 with p = 5α and 8α = (1 + 3/5)·p gives e^(−3αm/5)",
        lambda c=3: exp(-(m * 5 * alpha) * Fraction(3, 5) ** 2 / 3) <= exp(-c * alpha * m / 5),
        broken("4αm/5", 4),
        alpha=between(0, Fraction(1, 5)),
        m=whole_from(1),
    ),
    step("5.7.step.distance-printed", "proof of Lemma 5.7").says(
        "samples with p and q places, s = 8αm or less, in which there is no example 0^d, differ in at most s places: "
        "p + q − both ≤ s, where `both` of the places are the same",
        p + q - both <= s,
        given=[p <= s, q <= s, both <= p, both <= q],
        tries=[{"s": 1, "p": 1, "q": 1, "both": 0}],
        mends="16αm, or a learner that shuffles its examples first, which is as good and as private: then samples can "
        "be taken that have them in the same places, as BNS-J-5.7.lower-bound.packing does",
        proof_step="Each S_A is a sample that exists, and its examples of A may stand anywhere, as neighbours differ "
        "in one place. The order of the lemma stands, with 16 in place of 8, or by a learner that shuffles.",
    ),
    step("5.7.step.disjoint", "proof of Lemma 5.7").says(
        "I with 4k/5 points of each of two sets of k points shows that these share more than k/2",
        k / 2 < i + i - k,
        broken("3k/4", tries=[{"k": 4, "i": 3}], i=at_least(Fraction(3, 4) * k)),
        i=at_least(Fraction(4, 5) * k),
    ),
    step("5.9.step.constants", "proof of Theorem 5.9").says(
        "15α + 12β ≤ 9/50 < 1/5 and 10β ≤ 1/15 for α, β ≤ 1/150; here the first",
        15 * alpha + 12 * beta <= Fraction(9, 50),
        broken("1/149", alpha=above_zero(Fraction(1, 149)), beta=above_zero(Fraction(1, 149))),
        alpha=above_zero(Fraction(1, 150)),
        beta=above_zero(Fraction(1, 150)),
    ),
    step("5.9.step.t-printed", "proof of Theorem 5.9").says(
        "t = O(m) for every ε ≤ 1/8, of the t of Lemma 5.4, which has m·(1 + 1/(mε)): with a constant, here 1,000,000, "
        "1 + 1/(mε) is at most that",
        1 + 1 / (m * epsilon) <= 1_000_000,
        m=whole_from(1),
        epsilon=above_zero(Fraction(1, 8)),
        tries=[{"m": 1, "epsilon": Fraction(1, 10**6)}],
        mends="m ≥ λ/ε for a constant λ, which Lemma 4.15 gives: t = O(m + 1/ε) = O(m)",
        proof_step="Theorem 5.5 has t = O(m) with a factor that depends on ε, and the theorem is an order in ε. It "
        "stands, by Lemma 4.15 or directly (BNS-J-5.9.lower-bound.direct).",
    ),
    step("5.7.step.binomials", "proof of Lemma 5.7, the size of B").says(
        "(n/k)^k, which C(n, k) is at least, over (2e)^(k/2), (2en/k)^(k/2), which C(k, k/2), C(n, k/2) are at most, "
        "is (n/(4e²k))^(k/2) or more; n = 2^d − 1",
        lambda c=4: (n / (c * exp(2) * k)) ** (k / 2) <= _sets,
        broken("3e² in place of 4e²", 3),
        n=at_least(1),
    ),
]


# From the packing of k-POINT_d to the rows of Theorem 6 of the extended abstract, with a constant of ours. By the proof
# of the journal version's Lemma 5.7 there are |B| ≥ (n/(4e²k))^(k/2) sets of k of n = 2^d − 1 points that share k/2 of
# them at most. Databases that put s > 4αm entries on a set are more than 2α apart, so that a sanitizer which is α-close
# with probability ≥ 1/2 has e^(εs) ≥ |B| − 1. Where 4αm ≥ k a multiple s ≤ 8αm of k will do, and α ≤ 1/8 makes s ≤ m;
# where 4αm < k as many points as s, with an entry each, make a set, the others of which have none: then e^ε is to be
# more than it is.
of_theorem_6: Final = ProofSteps(
    "BNS-X-",
    "Beimel, Nissim & Stemmer, extended abstract, Theorem 6, with constants of ours",
    {"k": whole_from(1), "s": at_least(1), "n": at_least((4 * exp(2) * k) ** 2)},
)
THEOREM_6: Final = [
    of_theorem_6("Thm6.step.sets").says(
        "(n/(4e²k))^(k/2) is at least n^(k/4) for n ≥ (4e²k)²; the logarithms, over k/2",
        log(n) / 2 <= log(n) - log(4 * exp(2) * k),
        broken("n ≥ (3e²k)²", n=at_least((3 * exp(2) * k) ** 2)),
    ),
    of_theorem_6("Thm6.step.one-less").says(
        "|B|^(21/25) ≤ |B| − 1 for |B| ≥ 2e, which is n^(1/4) for the least n; over |B| = e^t",
        lambda c=Fraction(21, 25): exp((c - 1) * t) <= 1 - exp(-t),
        broken("23/25", Fraction(23, 25)),
        t=at_least(log(2) + 1),
    ),
    of_theorem_6("Thm6.step.rows").says(
        "with m ≤ k·ln|X|/(40αε) rows εs ≤ 8αεm is at most (21/25)·(k/4)·ln(n) ≤ ln(|B| − 1), |X| = n + 1; over k, "
        "with n = e^t: (8/40)·(t + ln(1 + e^(−t))) ≤ (21/100)·t",
        lambda c=40: Fraction(8, c) * log(1 + exp(-t)) <= (Fraction(21, 100) - Fraction(8, c)) * t,
        broken("38 in place of 40", 38),
        t=at_least(2 * (log(4) + 2)),
    ),
    of_theorem_6("Thm6.step.few-rows").says(
        "with 4αm < k, and sets of s ≤ k of the n − k points that are in no other way taken, εs ≤ s is below "
        "(21/25)·(s/4)·ln(n − k)",
        lambda c=4: s < Fraction(21, 25) * s / c * log(n - k),
        broken("half as much", 8),
    ),
]

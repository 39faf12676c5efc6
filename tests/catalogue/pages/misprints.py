"""Misprints and slips of the papers, as they were met when they were read: what is printed, and what it has to be.

The places are those of the texts that the project implements, which are extractions; of the paper by Bun, Nissim &
Stemmer all formulas are lost, so that its list has references alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Effect(StrEnum):
    """What a misprint changes."""

    STATEMENT = "a statement"
    STEP = "a step"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Misprint:
    """One of them. `ids` are claims of the catalogue that decide what it changes, or that read it as it has to be."""

    place: str
    printed: str
    reads: str
    effect: Effect
    why: str
    ids: tuple[str, ...] = ()


STATEMENT, STEP, NOTHING = Effect.STATEMENT, Effect.STEP, Effect.NOTHING

JOURNAL: Final[Sequence[Misprint]] = (
    Misprint("2.2.2", "as Π_C(B) ≤ |C|", "|Π_C(B)| ≤ |C|", NOTHING, "a set for its size"),
    Misprint(
        "2.26, 4.4, 4.5",
        "q(h, S), q(f, S)",
        "q(S, h), q(S, f)",
        NOTHING,
        "the arguments of q, which are S and h elsewhere",
    ),
    Misprint(
        "2.6",
        "Pr[ΣX > (1 + δ)pn] ≤ e^(−pnδ²/3) for δ > 0",
        "for 0 < δ ≤ 1",
        STATEMENT,
        "it is used for δ ≤ 1 alone",
        ("BNS-J-2.6.step.above", "BNS-J-2.6.step.above-corrected"),
    ),
    Misprint(
        "the learner of points, step 2",
        "A_dist with parameters α/2, β/2, ε, δ",
        "with ε, δ",
        NOTHING,
        "A_dist has no α and no β; so in the extended abstract",
    ),
    Misprint(
        "proof of 3.2",
        "A_dist has two possible outputs: ℓ, ⊥",
        "… or any point with probability δ/2 where ℓ is not met",
        STATEMENT,
        "all qualities are 0 then, and h₁ is any point",
        ("BNS-J-3.2.utility.none", "BNS-J-3.2.utility.none-corrected"),
    ),
    Misprint("Figure 3", "A1 A2 A3 A4 A4", "A1 A2 A3 A4 A5", NOTHING, "the last interval"),
    Misprint(
        "3.2, computing J", "log^Ω(1)(d)", "log^O(1)(d)", NOTHING, "a bound from above; so in the extended abstract"
    ),
    Misprint(
        "Figure 5, step 7, comment",
        "Q(S, i) = r for some i ∈ A_g",
        "Q(S, i) ≥ r",
        NOTHING,
        "the promise is that some quality is r or more; so in the extended abstract",
    ),
    Misprint(
        "Figure 5, steps 7 to 9",
        "A_dist chooses an interval of {B_i}, B₁ = [4K, 12K − 1]",
        "… where 4K ≤ T′",
        STEP,
        "for 4K > T′ there is none, and no maximum: A_dist has nothing to choose from. {B_i} does not cover [0, 4K − 1] "
        "either. Nothing is lost, as A₁ is all of the range then",
        ("BNS-J-3.14.structure.covering",),
    ),
    Misprint(
        "proof of 3.12",
        "on Step 1 or on Step 11",
        "on Step 1 or on Step 10",
        NOTHING,
        "Figure 5 has ten steps; that of the extended abstract has eleven",
    ),
    Misprint(
        "proof of 3.14, base",
        "r ≥ (2/(αε))·log(T/β)",
        "(2/(αε))·ln((T + 1)/β)",
        STEP,
        "[0, T] has T + 1 solutions; the promise of the lemma is larger",
        ("BNS-J-3.14.step.base", "BNS-J-3.14.step.base-corrected"),
    ),
    Misprint(
        "footnote 3, twice",
        "a solution h with Q(S, h) ≥ (1 − α)r is chosen with probability at most …",
        "Q(S, h) ≤ (1 − α)r",
        STEP,
        "it bounds the chance of a bad solution: of the good ones it would say the contrary of what is claimed",
        ("BNS-J-3.14.step.footnote-3",),
    ),
    Misprint(
        "proof of 3.18",
        "the index k at step 2; log … log(T); a learner for C",
        "step 3; 2^d; THRESH_d",
        NOTHING,
        "step 2 defines Q, and the range is [0, 2^d]",
    ),
    Misprint("4.1", "a database S ⊆ X*", "S ∈ X*", NOTHING, "a database is one of X*"),
    Misprint("proof of 4.4, Fact 1", "there exists f̂ ∈ S", "f̂ ∈ G(S)", NOTHING, "f̂ is a solution, and no row"),
    Misprint(
        "proof of 4.6",
        "every iteration 1 ≤ i ≤ α/2",
        "1 ≤ i ≤ 2/α",
        STEP,
        "there are 2/α iterations; the union bound before it has them",
        ("BNS-J-4.6.step.e1",),
    ),
    Misprint(
        "proof of 4.6, privacy",
        "exactly 2/α interactions with the Laplacian mechanism",
        "at most 2/α",
        NOTHING,
        "where b = ⊥ there is none: = for ≤",
    ),
    Misprint(
        "proof of 4.11, E1",
        "y1 ≤ 2·y2, 3·y2",
        "y1 ≤ y2 + 1, 2·y2 + 1",
        STEP,
        "two calls for each complete iteration, and the first",
        ("BNS-J-4.11.step.y1-printed",),
    ),
    Misprint(
        "proof of 4.11, E2",
        "L(S, z − 1) ≤ 9αm/128",
        "I(S, z − 1)",
        NOTHING,
        "L is of RecConcave, and I of this algorithm",
    ),
    Misprint(
        "proof of 4.12",
        "let t be such that j ∈ [a_t, b_t], c_j ∈ THRESH_d",
        "… for j < 2^d",
        NOTHING,
        "j = 2^d is in no interval; its concept is 1 everywhere, and both shares are 1",
    ),
    Misprint("proof of 4.15", "Ŝ_i ∩ Ŝ_j = ∅", "of the sets 𝒮_i and 𝒮_j", NOTHING, "Ŝ is a database there"),
    Misprint(
        "3.22",
        "log(n/(αδ)) for all α and δ",
        "δ ≤ 1/2",
        STATEMENT,
        "for n = 1 and α and δ near 1 it is near 0",
        ("BNS-J-3.22.step.logarithm-printed", "BNS-J-3.22.step.logarithm"),
    ),
    Misprint(
        "proof of 4.16",
        "immediate from Theorem 2.20, with ε = 1/2",
        "ε < 1/4",
        STEP,
        "at ε = 1/2 Theorem 2.20 gives α ≥ 1/12, and α is 1/8",
        ("BNS-J-4.16.lower-bound.immediate", "BNS-J-4.16.lower-bound.corrected"),
    ),
    Misprint(
        "proof of 5.1",
        "by Theorem 2.21 a (2α, 3β/2, ε, m)-sanitizer, n = O((VC/α²)·log(1/(αβ)))",
        "(2α, β, ε, m), O((VC/α²)·log(1/α))",
        NOTHING,
        "Theorem 2.21 takes nothing of β; 3β/2 is what the bound after it is for",
        ("BNS-J-5.1.step.chernoff",),
    ),
    Misprint("proof of 5.1", "Ŝ = (ẑ₁, ẑ₁, …, ẑ_qn); Q_f(Ŝ_(t/m))", "(ẑ₁, ẑ₂, …); Q_f(Ŝ_q)", NOTHING, "there is no t"),
    Misprint(
        "proof of 5.4",
        "we could alter A to first shuffle its input",
        "A′, and then the A of Lemma 5.1 as well",
        STEP,
        "it is A that is run, and it cuts its rows into parts in their order",
        ("BNS-J-5.4.privacy.in-order", "BNS-J-5.4.privacy.shuffled-by-parts"),
    ),
    Misprint(
        "proof of 5.4",
        "S0[D, L] and S0[D′, L] are neighboring; m0[D] = |S0| + ℓ0",
        "Ŝ0[D, L], Ŝ0[D′, L]; max{0, |S0| + ℓ0} in step 3",
        NOTHING,
        "of equal sizes they are after step 5 alone",
    ),
    Misprint(
        "proof of 5.4",
        "identical up to an addition or a change of one entry",
        "or a removal",
        NOTHING,
        "a row whose label changes leaves S0, or comes to it",
    ),
    Misprint(
        "Figure 12, step 8, and r = n(m̂0 + m̂1)",
        "m̂0 copies of S̃0 ◦ 0, where A gives n rows",
        "a weight of m̂0 for all of S̃0",
        STEP,
        "A gives rows in proportion to m̂0 already, so that a label weighs m̂0²",
        ("BNS-J-5.4.utility.copies", "BNS-J-5.4.utility.rows"),
    ),
    Misprint(
        "proof of 5.4",
        "|⌊Lap(1/ε)⌋| ≤ M/2 for M ≥ (2/ε)·ln(2/β)",
        "M ≥ (2/ε)·ln(2/β) + 1",
        STEP,
        "rounding down moves the tail below by one",
        ("BNS-J-5.4.step.laplace-rounded", "BNS-J-5.4.step.laplace-corrected"),
    ),
    Misprint(
        "proof of 5.7",
        "remove every c_I with |A ∩ I| ≤ k/2",
        "|A ∩ I| > k/2",
        STEP,
        "as printed A itself stays, and is chosen again",
        ("BNS-J-5.7.lower-bound.greedy-printed", "BNS-J-5.7.lower-bound.packing"),
    ),
    Misprint("proof of 5.7", "B̂ ≥ …", "|B̂| ≥ …", NOTHING, "a set for its size"),
    Misprint(
        "proof of 5.7",
        "the sum from j = k/2, C(k, k/2)",
        "⌈k/2⌉",
        NOTHING,
        "k may be odd; the order is the same",
        ("BNS-J-5.7.step.binomials",),
    ),
    Misprint(
        "5.10",
        "q = ⌈100·50³·ln(50²)⌉",
        "50² would do",
        NOTHING,
        "Lemma 5.3 asks for γ² = 1/50²",
        ("BNS-J-5.10.step.sample",),
    ),
    Misprint(
        "proof of 6.2",
        "|H| = 2^|B|",
        "|H| ≤ 2^|B|",
        NOTHING,
        "H has a concept for each labeling that C realizes: = for ≤",
    ),
    Misprint(
        "proof of 6.2, E1",
        "n ≥ (32/α)·(VC·ln(64/α) + ln(8/β)) gives error ≤ α/8",
        "(64/α)·(VC·ln(128/α) + ln(8/β)), or α/4",
        STEP,
        "it is what Theorem 2.13 asks for with α/4",
        ("BNS-J-6.2.step.n",),
    ),
    Misprint(
        "proof of 6.2, E3",
        "|H|·e^(−εαm/8)",
        "|H|·e^(−εα(m − n)/8)",
        STEP,
        "the exponential mechanism sees S2, of m − n rows",
        ("BNS-J-6.2.step.e3", "BNS-J-6.2.step.e3-corrected", "BNS-J-6.2.utility.e3"),
    ),
)

EXTENDED_ABSTRACT: Final[Sequence[Misprint]] = (
    Misprint(
        "2.3",
        "such a database exists, i.e., S itself",
        "… but with probability β",
        NOTHING,
        "est is close to S but with probability β, as the journal version says",
    ),
    Misprint(
        "Remark 1",
        "Q(j) ≥ (1 − 3α/4)·m and Q(j − 1) ≤ (1 − α/4)·m",
        "αm/4 and 3αm/4",
        STATEMENT,
        "Q is the lesser of two numbers of rows, and m/2 at most",
        ("BNS-X-Rem1.utility.search", "BNS-X-Rem1.utility.search-corrected"),
    ),
    Misprint(
        "Definition 9",
        "concave",
        "quasi-concave",
        NOTHING,
        "what is defined is quasi-concave, as the journal version calls it",
    ),
    Misprint(
        "Figure 1, step 2",
        "Q(S, i) = 0 for T < i ≤ T′",
        "min{0, Q(S, T)}",
        NOTHING,
        "where Q(S, T) < 0, as in recursive calls, Q is no longer quasi-concave; what is asked for is above 0",
    ),
    Misprint(
        "Figure 1, step 10",
        "H = {a + iK/2} ∪ {b + iK/2}, A = [a, b], B = [c, d]",
        "{c + iK/2}",
        STATEMENT,
        "B is left out. For K = 1 the points a + iK/2 are not whole, too",
        ("BNS-X-Lem3.utility.promise", "BNS-X-Lem3.utility.corrected"),
    ),
    Misprint(
        "Proposition 2(ii)",
        "gap ≥ (4/ε)·ln(2/(βδ))",
        "(4/ε)·ln(1/(2βδ)) + 2",
        STATEMENT,
        "the threshold has + 2",
        ("BNS-X-Prop2.utility.gap", "BNS-X-Prop2.utility.gap-corrected"),
    ),
    Misprint(
        "4.1, the rows of the choosing mechanism",
        "ε/4 + ln(1/δ)",
        "ε/4 + ln(k/δ)",
        STEP,
        "each of k solutions is chosen with probability δ/k",
        ("BNS-X-Lem4.step.fact-1",),
    ),
)

RELEASE: Final[Sequence[Misprint]] = (
    Misprint(
        "1.2, 1.4, 5.1",
        "1/(εαγ²)",
        "1/(εα²γ²), or α ≥ d^(−k·ln d)",
        STATEMENT,
        "1/(εαγ) of Theorem 4.10 and 1/γ′ of 5.10, γ′ = Θ(αγ); d^O(…) has the other 1/α but for tiny α",
        ("HRS-1.2.step.power-of-alpha-any", "HRS-1.2.step.power-of-alpha", "HRS-1.4.step.power-of-alpha-any"),
    ),
    Misprint(
        "1.1",
        "C·b·log(1/β)/(εαγ)",
        "C·b·log(b/(αβγ))·log(1/β′)/(εαγ)",
        STEP,
        "what is proved is Theorem 4.10",
        ("HRS-1.1.step.rows-printed", "HRS-4.10.step.rows"),
    ),
    Misprint(
        "3.10(2)",
        "the requirement on n is improved to one on √n",
        "to one on about n²",
        NOTHING,
        "the noise grows with the root of the number of queries: of a requirement on √n n would be the square",
        ("HRS-3.10.privacy.sixteen-queries",),
    ),
    Misprint(
        "3.9, 4.8",
        "the (2/γ)-smooth extension",
        "the (6/γ)-smooth one, or an end below 3γ/4 in step 3(c)",
        STATEMENT,
        "|B_i|/b_iter is just above γ/2 where Z_i is just below",
        ("HRS-4.5.utility.smooth-learner-printed", "HRS-4.8.utility.smooth-printed", "HRS-4.8.utility.smooth-six"),
    ),
    Misprint(
        "Figure 1 and 4.10",
        "if j > b, output ⊥, of the j-th query (q, t)",
        "the j-th q",
        STEP,
        "Lemma 4.1 and the b_total of 4.10 count predicates, and Figure 1 counts calls",
        ("HRS-4.10.utility.two-queries",),
    ),
    Misprint(
        "4.2",
        "for any α ≥ 0 … 10·log|Q|/α² rows",
        "α > 0, and at least one row",
        STATEMENT,
        "for |Q| = 1 no rows are admitted",
        ("HRS-4.2.utility.small-database-of-one-query", "HRS-4.2.utility.small-database"),
    ),
    Misprint(
        "Figure 2, step 4",
        "the smallest i with h_i(q) = 1 and h_(i−1)(q) = 0",
        "h_i(q) = 1 and h_(i+1)(q) = 0, h_0 = 1",
        STATEMENT,
        "the thresholds step down: f ≥ t_i holds for small i",
        ("HRS-Fig2.structure.aggregation-printed", "HRS-Fig2.structure.aggregation"),
    ),
    Misprint(
        "proof of 4.5, first case",
        "points that are α-close to t",
        "α/21-close, or cases by the share that is answered",
        STEP,
        "an α-close query may be answered",
        ("HRS-4.5.step.first-case-printed", "HRS-4.5.step.first-case"),
    ),
    Misprint(
        "proof of 4.5, third case",
        "the algorithm terminates prematurely with probability at most 1 − β",
        "at most β",
        STEP,
        "(9) does not hold then; as β it is one of four events, whose sum is not β",
        ("HRS-4.5.step.union-printed", "HRS-4.5.step.union"),
    ),
    Misprint(
        "proof of 4.6",
        "a sample is rejected at step t with probability at most γ/10",
        "at step i, 1 − γ/10",
        STEP,
        "G has 1 − γ/10 near a threshold at most",
        ("HRS-4.6.utility.rejected-printed", "HRS-4.6.utility.samples"),
    ),
    Misprint(
        "proof of 4.6",
        "|B_i| ≥ b_base with probability 1 − β/k",
        "1 − β/(3k)",
        STEP,
        "k of them are to be β/3 together",
        ("HRS-4.6.step.union-printed", "HRS-4.6.step.enough"),
    ),
    Misprint("4.8", "let t ∈ {t_1, …, t_k}; in step t", "let i ∈ [k]; in step i", NOTHING, "h_i and G_i are of step i"),
    Misprint(
        "proof of 4.8, second claim",
        "by (11) and since we assumed Γ holds",
        "by (11) and (12)",
        NOTHING,
        "Γ is of the labels; the factor from 1/3 to 3 is (12), of Lemma 4.7",
        ("HRS-4.7.utility.samples",),
    ),
    Misprint(
        "4.9",
        "any two thresholds differ by at least α/3",
        "by α/(3 + 2α)",
        STEP,
        "they are 1/(k + 1) apart, k = ⌈3/α⌉",
        ("HRS-4.9.step.spacing-printed", "HRS-4.9.step.spacing"),
    ),
    Misprint("4.10", "𝒢𝒬′", "𝒢𝒬′ as in Theorem 3.9", NOTHING, "it is not defined there"),
    Misprint(
        "(14)",
        "⌈log(1/ε)⌉",
        "⌈log₂(1/ε)⌉, and 0 for ε ≥ 1",
        STEP,
        "C_r(1 + 1/k) ≥ 2 gives powers of 2",
        ("HRS-5.4.step.exponent-natural", "HRS-5.4.step.exponent"),
    ),
    Misprint("proof of 5.3", "r_u is the polynomial from Corollary 5.5", "A_u", NOTHING, "the corollary calls it A_u"),
    Misprint(
        "5.8(2)",
        "a function f^(D′)_t, D′ ⊆ D",
        "at least ⌈t·|D|⌉ of D′, on the attributes that are left",
        STATEMENT,
        "a share of D′ is none of D; and without leaving attributes out no leaf has a row of D that is wide",
        ("HRS-5.8.utility.tree-as-printed", "HRS-5.8.utility.tree"),
    ),
    Misprint(
        "proof of 5.9",
        "max{(2d/r)·ln n + 1, O(√(r·log n))}, r = d^(2/3)(log n)^(1/3)",
        "their sum, r rounded up, and r ≤ d",
        STEP,
        "products have the sum of the degrees; for n > e^d r is more than d",
        ("HRS-5.9.step.degree", "HRS-5.9.step.width"),
    ),
    Misprint(
        "6.3", "an ε-differentially (𝒰, 𝒬, 𝒢𝒬, P) data release algorithm", "… private …", NOTHING, "a word is missing"
    ),
)

LARGE_MARGIN: Final[Sequence[Misprint]] = (
    Misprint(
        "2.2",
        "i* = 1 only changes when at least n/2 entries change",
        "it never does, and others are as good after n",
        NOTHING,
        "f(1, D) = 1 for every D, as all entries are 1 or more",
        ("CHS-2.2.utility.example",),
    ),
    Misprint(
        "Theorem 1",
        "any ℓ > 1",
        "ℓ ≥ 4",
        STATEMENT,
        "γ ≤ 0 for ℓ = 2 and 3, and Condition 1 has γ > 0",
        ("CHS-Thm1.lower-bound.two-or-three",),
    ),
    Misprint(
        "4.2, C₀",
        "for all h ∈ H, with probability ≥ 1 − δ₀",
        "with probability ≥ 1 − δ₀, for all h ∈ H",
        NOTHING,
        "it is used of all h at once",
        ("CHS-4.2.step.error",),
    ),
    Misprint("4.2, shells", "H(t + 1) ⊆ H(t)", "H(t) ⊆ H(t + 1)", NOTHING, "the bound to the error grows with t"),
    Misprint(
        "4.2, t*",
        "H(t + 1)",
        "H(t + 2)",
        STEP,
        "both the best hypothesis and the other may be off by C₀·s",
        ("CHS-Cor2.step.shell-printed", "CHS-Cor2.step.shell"),
    ),
    Misprint(
        "Remark 1",
        "γ* = C·log(ℓ*/δ)/(nα) for any δ in (0, 1)",
        "log(2ℓ*/δ), or δ ≤ 1/2",
        STATEMENT,
        "for ℓ* = 1 and δ near 1 it is near 0",
        ("CHS-Rem1.step.constant-printed", "CHS-Rem1.step.constant"),
    ),
)

MANY_CONCEPTS: Final[Sequence[Misprint]] = (
    Misprint(
        "proof of 3.7", "the sanitizer used in Step 5", "in Step 2", NOTHING, "step 5 of Algorithm 2 is the choice"
    ),
    Misprint(
        "proof of 3.13",
        "Theorem 2.11 states that",
        "Theorem 2.7",
        NOTHING,
        "2.11 is of learners; 2.7 is the bound that is used",
    ),
    Misprint("proof of 4.11", "by Lemma 2.24", "Theorem 2.24", NOTHING, "it is a theorem"),
)

UNDEFINED: Final[Sequence[Misprint]] = (
    Misprint(
        "BNS-J, Figure 11, steps 3 and 11",
        "add #̂[a, b] copies",
        "max{0, #̂[a, b] rounded}",
        NOTHING,
        "a real number of copies, or less than 0",
        ("BNS-J-4.12.utility.close",),
    ),
    Misprint(
        "BNS-J, Figure 11, steps 9 and 10(b)",
        "[a, b] where the choosing mechanism returns ⊥",
        "all of the range, and halt",
        NOTHING,
        "B3 excludes it but with probability β",
        ("BNS-J-4.8.privacy.by-parts-few-rows",),
    ),
    Misprint(
        "BNS-J, Figure 5, step 9",
        "A or B where A_dist returns ⊥",
        "that interval is left out; ⊥ where both are",
        NOTHING,
        "w.h.p. one is good",
        ("BNS-J-3.14.utility.short",),
    ),
    Misprint(
        "BNS-J, Figures 9 and 11",
        "2/α iterations, 77/α calls",
        "rounded up",
        NOTHING,
        "2/α need not be whole",
        ("BNS-J-4.6.utility.ordinary",),
    ),
    Misprint(
        "A_dist, step 1",
        "two solutions h₁ ≠ h₂",
        "an only solution is returned",
        NOTHING,
        "its gap is infinite",
        ("BNS-J-2.26.privacy.corrected",),
    ),
)
"""What algorithms leave undefined, and how it is read here."""

PAPERS: Final = {
    "Beimel, Nissim & Stemmer, the journal version": JOURNAL,
    "Its extended abstract": EXTENDED_ABSTRACT,
    "Hardt, Rothblum & Servedio": RELEASE,
    "Chaudhuri, Hsu & Song": LARGE_MARGIN,
    "Bun, Nissim & Stemmer": MANY_CONCEPTS,
}

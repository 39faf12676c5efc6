"""Misprints of Beimel, Nissim & Stemmer, the extended abstract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from docs.pages.papers.misprints.misprint import NOTHING, STATEMENT, STEP, Misprint

EXTENDED_ABSTRACT: Final[Sequence[Misprint]] = (
    Misprint(
        "2.3",
        "such a database exists, i.e., S itself",
        "… but with probability β",
        NOTHING,
        "est is close to S but with probability β, as the journal version says",
    ),
    Misprint(
        "1.1",
        "sample size roughly 2^(log* d)",
        "2^O(log* d)",
        NOTHING,
        "16^(log* d) in Section 3.2, as far as the text shows",
    ),
    Misprint(
        "3.2, {B_i}",
        "intervals {B_i} of length J right shifted by J",
        "of length 2J",
        STEP,
        "as printed each lies in one of {A_i}, and what lies across an end of these is in none",
        (
            "BNS-X-Rem1.structure.covering-printed",
            "BNS-J-3.5.structure.covering",
        ),
    ),
    Misprint(
        "3.2, the length J",
        "there exists a k-good interval G of that length",
        "a 2-good interval",
        NOTHING,
        "4-good is what the interval has to be that is chosen, of length 2J",
    ),
    Misprint(
        "3.2, Q(j)",
        "the maximum over [a, b] ⊆ X_d with b − a = 2^j, for 0 ≤ j ≤ d",
        "j ≤ d − 1, or b − a ≤ 2^j",
        STEP,
        "as for Q(J) in the journal version: for j = d there is no such interval",
        ("BNS-J-3.5.step.longest-printed",),
    ),
    Misprint(
        "Remark 1, Q(j − 1)",
        "Q(j − 1)",
        "… unless j = 0",
        NOTHING,
        "j begins at 0",
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
        "Lemmas 2 and 3",
        "log*(T)",
        "max{1, log*(T)}",
        STATEMENT,
        "on [0, 1] there is one execution, and log*(1) = 0",
        ("BNS-X-Lem3.step.no-recursion-printed",),
    ),
    Misprint(
        "Theorem 2",
        "16^(log* d), times what depends on α, β and ε",
        "(2/α)^(log* d), or α ≥ 1/8",
        STEP,
        "Lemma 3 has (2/α)^(log* T), as Rec hands α on to all calls; the journal version has 1/4 in all but the first",
        ("BNS-X-Thm2.step.sixteen-printed",),
    ),
    Misprint(
        "Figure 1, step 2",
        "Q(S, i) = 0 for T < i ≤ T′",
        "min{0, Q(S, T)}",
        NOTHING,
        "where Q(S, T) < 0, as in recursive calls, Q is no longer quasi-concave; what is asked for is above 0",
    ),
    Misprint(
        "Figure 1, steps 7 to 9",
        "A_dist chooses an interval of {B_i}",
        "… where 4K ≤ T′",
        STEP,
        "as in Figure 5 of the journal version",
        ("BNS-J-3.14.structure.covering",),
    ),
    Misprint(
        "Figure 1, step 10, a trimmed interval",
        "a + iK/2 for all i ≤ 15",
        "… those on [0, T]",
        NOTHING,
        "A may be shorter than 8K, and H goes on beyond T′",
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

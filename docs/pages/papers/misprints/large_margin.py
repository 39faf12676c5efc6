"""Misprints of Chaudhuri, Hsu & Song."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from docs.pages.papers.misprints.misprint import NOTHING, STATEMENT, STEP, Misprint

LARGE_MARGIN: Final[Sequence[Misprint]] = (
    Misprint("1, Definition 2", "D ⊆ 𝒳ⁿ", "D ∈ 𝒳ⁿ", NOTHING, "a dataset is one of 𝒳ⁿ, as everywhere else"),
    Misprint(
        "2.2",
        "i* = 1 only changes when at least n/2 entries change",
        "it never does, and others are as good after n",
        NOTHING,
        "f(1, D) = 1 for every D, as all entries are 1 or more",
        ("CHS-2.2.utility.example",),
    ),
    Misprint(
        "2.2, bounded growth",
        "adding an individual keeps f(i, D) or increases it by 1/n",
        "the count n·f, which it increases by 1",
        NOTHING,
        "f is of datasets of n rows: as a share it would fall where the count stays",
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
        "Algorithm 1, step 1",
        "t^(r), T^(r) = O(1/n + log(r/δ)/(nα)), δ ∈ (0, 1)",
        "δ ≤ 1/2",
        STEP,
        "for r = 1 and δ near 1 log(r/δ) is near 0, and ln(3r/δ) is not",
        ("CHS-Alg1.step.order-printed", "CHS-Alg1.step.order"),
    ),
    Misprint(
        "4.1",
        "n·C(B, r) ≪ |I|^r whenever B ≪ |I|",
        "whenever n·(B/|I|)^r ≪ 1",
        STEP,
        "n is in the bound",
        ("CHS-4.1.step.few-itemsets-printed",),
    ),
    Misprint(
        "4.2, the smallest c",
        "C₀ is the smallest c > 0 such that …",
        "some such c > 0",
        NOTHING,
        "where no error is ever off every c > 0 will do, and none is the smallest",
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
        "4.2, the smallest t",
        "t*(n) is the smallest t ∈ ℕ with …/t ≤ C₀·α·√(dn·log n)/C",
        "for n ≥ 2 and d ≥ 1",
        STEP,
        "for n = 1, or a class of VC dimension 0, there is none, and no smallest",
        ("CHS-Cor2.step.some-shell-printed", "CHS-Cor2.step.some-shell"),
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

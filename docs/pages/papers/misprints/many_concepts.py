"""Misprints of Bun, Nissim & Stemmer, of which all formulas are lost: references alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from docs.pages.papers.misprints.misprint import NOTHING, Misprint

MANY_CONCEPTS: Final[Sequence[Misprint]] = (
    Misprint(
        "after 2.8",
        "Theorems 2.11 and 2.8, twice",
        "Theorems 2.7 and 2.8",
        NOTHING,
        "2.11 is what follows from these two",
    ),
    Misprint("before 3.9", "combining Lemma 3.6 with Proposition 2.20", "Lemma 3.7", NOTHING, "3.6 takes no sanitizer"),
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

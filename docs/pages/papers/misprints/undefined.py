"""What the algorithms of the papers leave undefined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from docs.pages.papers.misprints.misprint import NOTHING, Misprint

UNDEFINED: Final[Sequence[Misprint]] = (
    Misprint(
        "BNS-J, Figure 8, step 2",
        "f ∈ G(S), where G(S) is empty",
        "⊥",
        NOTHING,
        "all qualities are 0, and the noise is large; so of SanPoints where all points are chosen",
    ),
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
        "BNS-J, Figure 13, step 2",
        "n = (32/α)·(…) rows, and m of them",
        "rounded up",
        NOTHING,
        "it is no whole number",
    ),
    Misprint(
        "BNS-J, Section 3.5",
        "intervals I that a point is about equally likely to fall into",
        "a point that has as much on its own is one",
        NOTHING,
        "the distribution may have such points",
        ("BNS-J-3.22.utility.whole",),
    ),
    Misprint(
        "BNS-J, Section 3.5",
        "the left-most interval I such that p_I is significant, where none is",
        "the concept that is 0",
        NOTHING,
        "few examples are labelled 1, or none",
        ("BNS-J-3.22.utility.whole",),
    ),
    Misprint(
        "A_dist, step 1",
        "two solutions h₁ ≠ h₂",
        "an only solution is returned",
        NOTHING,
        "its gap is infinite",
        ("BNS-J-2.26.privacy.corrected",),
    ),
    Misprint(
        "BuNS, Algorithm 5, step 4",
        "the least number over the heavy elements, where none is heavy",
        "an only choice, of no vectors: all h_j are 0",
        NOTHING,
        "the least of no numbers",
        ("BuNS-3.13.utility.any-columns",),
    ),
    Misprint(
        "HRS, (6) and (7)",
        "n′ = 4410·log|Q|/α² and b_iter = 100·b_base·log(1/β′)/γ of rows and samples",
        "rounded up, n′ ≥ 1",
        NOTHING,
        "they need not be whole",
        ("HRS-4.7.utility.samples",),
    ),
)
"""What algorithms leave undefined, and how it is read here."""

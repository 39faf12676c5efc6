"""Claims of the catalogue that are left to reports: those that take long, where others of their family do not.

They are listed here and not where they stand, so that what an audit at depth quick leaves out is seen at a glance. A
claim that takes longer than a report may take says so itself, with `depth="full"`.
"""

from typing import Final

_BY_ROW: Final = {
    "BNS-J-2.14.utility": "samples-of-points-corrected",
    "BNS-J-2.19.utility": "intervals",
    "BNS-J-2.20.lower-bound": "more-points",
    "BNS-J-2.24.privacy": "discrete-histogram discrete-histogram-add-remove",
    "BNS-J-2.26.privacy": "printed-at-2epsilon printed-at-2epsilon-ln2 corrected corrected-ln2 "
    "corrected-small-delta corrected-discrete corrected-discrete-ln2 corrected-counts-ln2 discrete corrected-counts-3",
    "BNS-J-3.12.privacy": "printed printed-ln2 printed-3 printed-by-parts printed-by-parts-ln2 printed-by-parts-3 "
    "corrected corrected-3 corrected-by-parts corrected-by-parts-ln2 corrected-by-parts-3 "
    "printed-by-parts-to-64 corrected-to-64 default corrected-ln2",
    "BNS-J-3.14.utility": "promise",
    "BNS-J-3.18.privacy": "printed printed-6 corrected default",
    "BNS-J-3.2.privacy": "corrected default printed",
    "BNS-J-3.2.utility": "pac-corrected none-corrected",
    "BNS-J-3.22.utility": "whole",
    "BNS-J-3.5.privacy": "lengths powers",
    "BNS-J-4.10.utility": "b2",
    "BNS-J-4.11.utility": "intervals",
    "BNS-J-4.13.utility": "printed",
    "BNS-J-4.4.privacy": "printed printed-growth-2",
    "BNS-J-4.6.privacy": "released-laplace printed printed-3 printed-by-parts",
    "BNS-J-4.6.utility": "estimates e1",
    "BNS-J-4.7.privacy": "released-laplace",
    "BNS-J-4.8.privacy": "by-parts-few-rows-released-laplace printed printed-by-parts printed-two-calls "
    "printed-by-parts-two-calls by-parts-few-rows recursive default",
    "BNS-J-5.4.privacy": "shuffled-by-parts",
    "BNS-J-5.4.utility": "rows",
    "BNS-X-Lem1.privacy": "printed",
    "BNS-X-Lem1.utility": "pac-corrected none",
    "BNS-X-Lem2.privacy": "printed printed-ln2 printed-3 corrected-ln2 corrected-3",
    "BNS-X-Lem3.utility": "corrected",
    "BNS-X-Lem4.privacy": "printed printed-growth-3",
    "BNS-X-Prop2.privacy": "printed-every-epsilon printed-ln2 printed-3 discrete-ln2 discrete-3 printed "
    "printed-counts printed-counts-ln2",
    "BNS-X-Thm2.privacy": "printed",
    "BuNS-2.20.privacy": "printed-cut-offs printed-stability-quarter-every-delta stability-every-delta stability "
    "printed-stability-fourteen-rows listed",
    "BuNS-2.25.privacy": "real-sum noisy-sum exponential",
    "BuNS-3.11.privacy": "discrete discrete-3 printed-3",
    "BuNS-4.3.utility": "inequality private-is-not-traced",
    "CHS-2.2-MoL.privacy": "discrete",
    "CHS-4.1.privacy": "printed-30 cut without-universe without-universe-30 without-universe-100 or-none "
    "or-none-30 or-none-100 or-none-third-of-the-slack or-none-fifth-of-the-slack",
    "CHS-4.2.privacy": "printed-30",
    "CHS-Alg1.privacy": "printed discrete printed-three-items least-slack least-slack-below "
    "printed-three-items-around-the-margin printed-four-items-around-the-margin",
    "CHS-Thm1.lower-bound": "exact",
    "CHS-Thm3.utility": "large-margin",
    "HRS-4.2.utility": "small-database",
    "HRS-4.5.utility": "release",
    "HRS-5.10.utility": "consistent",
    "HRS-5.4.utility": "degree-order",
    "LICS20-SVT.privacy": "first-below-twenty-six-queries",
    "LSL-Alg1.privacy": "printed-ln2 printed-3",
    "LSL-Alg3.privacy": "discrete claimed-twice",
    "LSL-Alg6.privacy": "claimed",
    "LSL-Num.privacy": "printed printed-three-queries printed-twice released-discrete",
}
"""The row of a claim, `<item of the paper>.<kind>`, with what the ids end with, of which other claims are decided."""
TAKES_LONG: Final = frozenset(f"{row}.{end}" for row, ends in _BY_ROW.items() for end in ends.split())
"""Ids of claims, each of a family of which other claims are decided in every audit."""

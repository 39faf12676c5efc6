"""Claims of the VC dimensions of rectangles and parities.

What draws nothing fails with probability 0 or 1, and is claimed with β = 0.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from dpverify.mechanisms.learners.parities import parities
from dpverify.mechanisms.learners.rectangles_learner import rectangles
from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.sanitizers.dimensions import Behaviours, behaviours
from dpverify.mechanisms.sanitizers.known_dimensions import vc_of_rectangles
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.refuted import degenerate
from dpverify.verifiers.catalogue.sanitizers.dimension_cases import vc_found, vc_with_one_missing
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def rectangles_of(n: int, d: int) -> Behaviours:
    """RECTANGLE^n_d on (X_d)^n."""
    return behaviours(rectangles(n, d), product(range(1 << d), repeat=n))


def parities_of(d: int) -> Behaviours:
    """PARITY_d on {0, 1}^d."""
    return behaviours(parities(d), range(1 << d))


_GRIDS: Final = ((1, 0), (2, 0), (1, 1), (2, 1), (3, 1), (4, 1), (1, 2), (2, 2), (1, 3), (1, 4))
"""n and d."""

of_rectangles_as_printed = UtilityClaim(
    id="BNS-J-3.20.utility.vc-as-printed",
    source=f"{_BNS}, after Definition 3.20",
    statement="the VC dimension of RECTANGLE^n_d is 2n; grids of up to 16 points, and all d ≤ 4 for n = 1",
    mechanism=vc_found,
    succeeds=lambda case, found: found == 2 * case.database[0],
    beta=lambda case: ZERO,
    cases=tuple(Case(size, {"family": rectangles_of}) for size in _GRIDS),
    examples=(Case((2, 1), {"family": rectangles_of}),),
    mutant=vc_with_one_missing,
    expected=Status.REFUTED,
    refutation=degenerate(
        "A single point, d = 0, where it is 0; and two points on each of two axes or more, d = 1, where it is n: no "
        "point lies between two others. There is no ε in it."
    ),
)

of_rectangles = UtilityClaim(
    id="BNS-J-3.20.utility.vc",
    source=f"{_BNS}, after Definition 3.20, for d ≥ 2; Natschläger & Schmitt (1996) for d = 1",
    statement="the VC dimension of RECTANGLE^n_d is 2n for d ≥ 2 and for n = d = 1, n for d = 1 and n ≥ 2, and 0 for "
    "d = 0; grids of up to 16 points",
    mechanism=vc_found,
    succeeds=lambda case, found: found == vc_of_rectangles(1 << case.database[1], case.database[0]),
    beta=lambda case: ZERO,
    cases=tuple(Case(size, {"family": rectangles_of}) for size in _GRIDS),
    mutant=vc_with_one_missing,
)

of_parities = UtilityClaim(
    id="BuNS-2.12.utility.vc-parities",
    source="Bun, Nissim & Stemmer, Section 2.2, after Corollary 2.12",
    statement="the VC dimension of the parities on {0, 1}^d is d, d ≤ 6",
    mechanism=vc_found,
    succeeds=lambda case, found: found == case.database[0],
    beta=lambda case: ZERO,
    cases=tuple(Case((d,), {"family": parities_of}) for d in range(7)),
    mutant=vc_with_one_missing,
)

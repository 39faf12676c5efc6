"""VC dimensions of rectangles and parities, by exhaustive search."""

from itertools import product
from typing import Final

from dpverify.mechanisms.learners import parities
from dpverify.mechanisms.learners.rectangles_learner import rectangles
from dpverify.mechanisms.sanitizers import vc_of_rectangles
from dpverify.mechanisms.sanitizers.dimensions import Behaviours, behaviours
from dpverify.verifiers.calculations.family import tried_first
from dpverify.verifiers.catalogue.families import BNS
from dpverify.verifiers.catalogue.sanitizers.dimensions_calculation import ALL_D, vc_claim


def rectangles_of(n: int, d: int) -> Behaviours:
    """RECTANGLE^n_d on (X_d)^n."""
    return behaviours(rectangles(n, d), product(range(1 << d), repeat=n))


_SIZES: Final = ((1, 0), (2, 0), (1, 1), (2, 1), (3, 1), (4, 1), (1, 2), (2, 2), (1, 3), (1, 4))
_GRIDS: Final = [{"n": n, "d": d} for n, d in _SIZES]
dimensions = [
    vc_claim(
        "BNS-J-3.20.utility.vc-as-printed",
        rectangles_of,
        tried_first({"n": 2, "d": 1}, _GRIDS),
        lambda n: 2 * n,
        source=f"{BNS}, after Definition 3.20",
        statement="the VC dimension of RECTANGLE^n_d is 2n; grids of up to 16 points, and all d ≤ 4 for n = 1",
        degenerate="A single point, d = 0, where it is 0; and two points on each of two axes or more, d = 1, where it "
        "is n: no point lies between two others. There is no ε in it.",
    ),
    vc_claim(
        "BNS-J-3.20.utility.vc",
        rectangles_of,
        _GRIDS,
        lambda n, d: vc_of_rectangles(1 << d, n),
        source=f"{BNS}, after Definition 3.20, for d ≥ 2; Natschläger & Schmitt (1996) for d = 1",
        statement="the VC dimension of RECTANGLE^n_d is 2n for d ≥ 2 and for n = d = 1, n for d = 1 and n ≥ 2, and 0 "
        "for d = 0; grids of up to 16 points",
    ),
    vc_claim(
        "BuNS-2.12.utility.vc-parities",
        lambda d: behaviours(parities(d), range(1 << d)),
        ALL_D,
        lambda d: d,
        source="Bun, Nissim & Stemmer, Section 2.2, after Corollary 2.12",
        statement="the VC dimension of the parities on {0, 1}^d is d, d ≤ 6",
    ),
]

"""VC dimensions by exhaustive search: of points, thresholds, k points, labelled classes, and by the size of a class."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, TypeAlias, Unpack

from dpverify.mechanisms.sanitizers import Point, Threshold, point_sets, points, thresholds, vc_dimension
from dpverify.mechanisms.sanitizers.dimensions import Behaviours, behaviours, dichotomies, labelled_behaviours
from dpverify.mechanisms.sanitizers.known_dimensions import vc_of_k_points, vc_of_labelled
from dpverify.mechanisms.sanitizers.point_sets import PointSet
from dpverify.verifiers.calculations.family import Broken, Calculation
from dpverify.verifiers.catalogue.families import BNS
from dpverify.verifiers.claims import Why, proved_unless

Family: TypeAlias = Callable[..., Behaviours]
"""The behaviours of a class on all points of its domain, by its parameters, such as d."""


@lru_cache(maxsize=256)
def _class(family: Family, size: tuple[int, ...]) -> Behaviours:
    return family(*size)


def of(dimension: Callable[[Behaviours], int], family: Family) -> Callable[..., int]:
    """A dimension of the classes of a family, by their parameters."""
    return lambda **size: dimension(_class(family, tuple(size.values())))


def vc(concepts: Behaviours) -> int:
    """VC(C)."""
    return vc_dimension(concepts).vc


def nearly_shattered(concepts: Behaviours) -> int:
    """The size of the largest set with at least 2^|B| − 1 dichotomies."""
    found = 0
    while found < len(concepts.points) and any(
        len(dichotomies(concepts, some)) >= (2 << found) - 1 for some in combinations(concepts.points, found + 1)
    ):
        found += 1
    return found


ONE_MISSING: Final = "a set counts as shattered that lacks one labelling"


def vc_claim(
    claim_id: str,
    family: Family,
    sizes: Iterable[Mapping[str, int]],
    equals: int | Callable[..., int],
    *,
    source: str,
    statement: str,
    **why: Unpack[Why],
) -> Calculation:
    """The claim that the VC dimension of a family is that, for each of the sizes."""
    return Calculation(
        id=claim_id,
        source=source,
        statement=statement,
        computed=of(vc, family),
        equals=equals,
        cases=tuple(sizes),
        mutants=[Broken(ONE_MISSING, {"computed": of(nearly_shattered, family)})],
        **proved_unless(**why),
    )


def points_of(d: int) -> Behaviours:
    """POINT_d on X_d."""
    return behaviours(points(d), range(1 << d))


def thresholds_at_points(size: int) -> Behaviours:
    """Thresh_X = {c_x : x ∈ X}, c_x(y) = 1 iff y ≤ x, for X of that size."""
    return behaviours((Threshold(x + 1) for x in range(size)), range(size))


def k_points_of(d: int, k: int) -> Behaviours:
    """k-POINT_d on X_d."""
    return behaviours(point_sets(d, k), range(1 << d))


def cube_and_points(d: int, n: int) -> Behaviours:
    """C_L ∪ C_R: all labellings of the first n points of X_d that are 0 elsewhere, and the points n, …, 2^d − 1."""
    left = [PointSet(tuple(x for x in range(n) if j >> x & 1)) for j in range(1 << n)]
    return behaviours([*left, *map(Point, range(n, 1 << d))], range(1 << d))


def every_class(size: int, chosen: int) -> Behaviours:
    """Over the points 0, …, size − 1 the class whose behaviours are the bits of `chosen`, of 2^(2^size) − 1."""
    every: tuple[Any, ...] = tuple(range(size))
    return Behaviours(every, tuple(b for b in range(1 << size) if chosen >> b & 1))


ALL_D: Final = [{"d": d} for d in range(7)]
_SIZES: Final = [{"size": size} for size in range(1, 33)]
dimensions = [
    vc_claim(
        "BNS-J-3.1.utility.vc-as-printed",
        *(points_of, ALL_D, 1),
        source=f"{BNS}, after Definition 3.1; Bun, Nissim & Stemmer, Section 2.2, for any X",
        statement="the VC dimension of POINT_d is 1, d ≤ 6",
        degenerate="A single point, d = 0: its only concept labels it 1. There is no ε in it.",
    ),
    vc_claim(
        "BNS-J-3.1.utility.vc",
        *(points_of, ALL_D, lambda d: 1 if d else 0),
        source=f"{BNS}, after Definition 3.1, for d ≥ 1",
        statement="the VC dimension of POINT_d is 1 for 1 ≤ d ≤ 6, and 0 for d = 0",
    ),
    vc_claim(
        "BNS-J-3.4.utility.vc",
        *(lambda d: behaviours(thresholds(d), range(1 << d)), ALL_D, 1),
        source=f"{BNS}, after Definition 3.4",
        statement="VC(THRESH_d) = 1, d ≤ 6",
    ),
    vc_claim(
        "BuNS-2.12.utility.vc-thresholds",
        *(thresholds_at_points, _SIZES, 1),
        source="Bun, Nissim & Stemmer, Section 2.2, after Corollary 2.12: for any X",
        statement="the VC dimension of Thresh_X = {c_x : x ∈ X}, c_x(y) = 1 iff y ≤ x, is 1; 1 ≤ |X| ≤ 32",
        reconstruction="A single point, which c_x labels 1. The formulas of the text are lost; with one threshold "
        "more, as in the journal version of Beimel, Nissim & Stemmer, it holds (BNS-J-3.4.utility.vc), and from two "
        "points on as it is (BuNS-2.12.utility.vc-thresholds-two-points).",
    ),
    vc_claim(
        "BuNS-2.12.utility.vc-thresholds-two-points",
        *(thresholds_at_points, _SIZES[1:], 1),
        source="Bun, Nissim & Stemmer, Section 2.2, after Corollary 2.12, for |X| ≥ 2",
        statement="the VC dimension of Thresh_X is 1 for 2 ≤ |X| ≤ 32",
    ),
    vc_claim(
        "BNS-J-4.16.utility.vc",
        *(cube_and_points, [{"d": d, "n": n} for d in range(2, 6) for n in range(1, d)], lambda n: n),
        source=f"{BNS}, the example after Theorem 4.16, whose sanitizer takes VC(C) for that of C_L",
        statement="VC(C_L ∪ C_R) = n for 1 ≤ n < d ≤ 5",
    ),
]
of_k_points = Calculation(
    id="BNS-J-5.7.utility.vc",
    source=f"{BNS}, Section 5.2: VC(k-POINT_d) = k, assuming 2^d ≥ 2k",
    statement="VC(k-POINT_d) = k where 2^d ≥ 2k, and 2^d − k elsewhere, which is less than k; d ≤ 3",
    computed=lambda d, k: (of(vc, k_points_of)(d=d, k=k), int(of(vc, k_points_of)(d=d, k=k) == k)),
    equals=lambda d, k: (vc_of_k_points(1 << d, k), int(1 << d >= 2 * k)),
    cases=[{"d": d, "k": k} for d in range(4) for k in range(1, (1 << d) + 1)],
    mutants=[Broken(ONE_MISSING, {"computed": lambda d, k: (of(nearly_shattered, k_points_of)(d=d, k=k), 1)})],
)

# All classes over up to three points.
_EVERY: Final = [{"size": n, "chosen": chosen} for n in range(4) for chosen in range(1, 1 << (1 << n))]


def labelled_class(size: int, chosen: int) -> Behaviours:
    """C^label."""
    return labelled_behaviours(every_class(size, chosen))


labelled = Calculation(
    id="BNS-J-5.2.utility.every-small-class",
    source=f"{BNS}, Claim 5.2",
    statement="VC(C^label) = VC(C), and so VC(C) ≤ VC(C^label) ≤ 2·VC(C); all 274 classes over at most three points",
    computed=of(vc, labelled_class),
    equals=lambda **size: vc_of_labelled(of(vc, every_class)(**size)),
    cases=_EVERY,
    mutants=[Broken(ONE_MISSING, {"computed": of(nearly_shattered, labelled_class)})],
)
by_size = Calculation(
    id="BNS-J-2.11.utility.vc-by-size",
    source=f"{BNS}, after Definition 2.11",
    statement="VC(C) ≤ log₂|C|; all 274 classes over at most three points",
    computed=lambda **size: 1 << of(vc, every_class)(**size),
    at_most=lambda chosen: chosen.bit_count(),
    cases=_EVERY,
    mutants=[Broken(ONE_MISSING, {"computed": lambda **size: 1 << of(nearly_shattered, every_class)(**size)})],
)

"""Claims of VC dimensions: of points, of thresholds, of k points, of labelled classes, and by the size.

What draws nothing fails with probability 0 or 1, and is claimed with β = 0. All domains up to a size are gone through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.mechanisms.sanitizers.concepts import Point, Threshold, points, thresholds
from dpverify.mechanisms.sanitizers.dimensions import Behaviours, behaviours, labelled_behaviours, vc_dimension
from dpverify.mechanisms.sanitizers.known_dimensions import vc_of_k_points, vc_of_labelled
from dpverify.mechanisms.sanitizers.point_sets import PointSet, point_sets
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.refuted import degenerate, reconstruction
from dpverify.verifiers.catalogue.sanitizers.dimension_cases import (
    Family,
    every_class,
    nearly_shattered,
    vc_found,
    vc_with_one_missing,
)
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def points_of(d: int) -> Behaviours:
    """POINT_d on X_d."""
    return behaviours(points(d), range(1 << d))


def thresholds_of(d: int) -> Behaviours:
    """THRESH_d on X_d."""
    return behaviours(thresholds(d), range(1 << d))


def k_points_of(d: int, k: int) -> Behaviours:
    """k-POINT_d on X_d."""
    return behaviours(point_sets(d, k), range(1 << d))


def thresholds_at_points(size: int) -> Behaviours:
    """Thresh_X = {c_x : x ∈ X}, c_x(y) = 1 iff y ≤ x, for X of that size."""
    return behaviours((Threshold(x + 1) for x in range(size)), range(size))


def _of(family: Family, sizes: Sequence[tuple[int, ...]]) -> tuple[Case, ...]:
    return tuple(Case(size, {"family": family}) for size in sizes)


def _is(vc: Callable[[tuple[int, ...]], int]) -> Callable[[Case, int], bool]:
    return lambda case, found: found == vc(case.database)


def _never(case: Case) -> Exact:
    return ZERO


_ALL_D: Final = tuple((d,) for d in range(7))

of_points_as_printed = UtilityClaim(
    id="BNS-J-3.1.utility.vc-as-printed",
    source=f"{_BNS}, after Definition 3.1; Bun, Nissim & Stemmer, Section 2.2, for any X",
    statement="the VC dimension of POINT_d is 1, d ≤ 6",
    mechanism=vc_found,
    succeeds=_is(lambda size: 1),
    beta=_never,
    cases=_of(points_of, _ALL_D),
    examples=_of(points_of, [(0,)]),
    mutant=vc_with_one_missing,
    expected=Status.REFUTED,
    refutation=degenerate("A single point, d = 0: its only concept labels it 1. There is no ε in it."),
)

of_points = UtilityClaim(
    id="BNS-J-3.1.utility.vc",
    source=f"{_BNS}, after Definition 3.1, for d ≥ 1",
    statement="the VC dimension of POINT_d is 1 for 1 ≤ d ≤ 6, and 0 for d = 0",
    mechanism=vc_found,
    succeeds=_is(lambda size: 1 if size[0] else 0),
    beta=_never,
    cases=_of(points_of, _ALL_D),
    mutant=vc_with_one_missing,
)

of_thresholds = UtilityClaim(
    id="BNS-J-3.4.utility.vc",
    source=f"{_BNS}, after Definition 3.4",
    statement="VC(THRESH_d) = 1, d ≤ 6",
    mechanism=vc_found,
    succeeds=_is(lambda size: 1),
    beta=_never,
    cases=_of(thresholds_of, _ALL_D),
    mutant=vc_with_one_missing,
)

_SIZES: Final = tuple((size,) for size in range(1, 33))

of_thresholds_at_points = UtilityClaim(
    id="BuNS-2.12.utility.vc-thresholds",
    source="Bun, Nissim & Stemmer, Section 2.2, after Corollary 2.12: for any X",
    statement="the VC dimension of Thresh_X = {c_x : x ∈ X}, c_x(y) = 1 iff y ≤ x, is 1; 1 ≤ |X| ≤ 32",
    mechanism=vc_found,
    succeeds=_is(lambda size: 1),
    beta=_never,
    cases=_of(thresholds_at_points, _SIZES),
    examples=_of(thresholds_at_points, [(1,)]),
    mutant=vc_with_one_missing,
    expected=Status.REFUTED,
    refutation=reconstruction(
        "A single point, which c_x labels 1. The formulas of the text are lost; with one threshold more, as in the "
        "journal version of Beimel, Nissim & Stemmer, it holds (BNS-J-3.4.utility.vc), and from two points on as it is "
        "(BuNS-2.12.utility.vc-thresholds-two-points)."
    ),
)

of_thresholds_at_two_points = UtilityClaim(
    id="BuNS-2.12.utility.vc-thresholds-two-points",
    source="Bun, Nissim & Stemmer, Section 2.2, after Corollary 2.12, for |X| ≥ 2",
    statement="the VC dimension of Thresh_X is 1 for 2 ≤ |X| ≤ 32",
    mechanism=vc_found,
    succeeds=_is(lambda size: 1),
    beta=_never,
    cases=_of(thresholds_at_points, _SIZES[1:]),
    mutant=vc_with_one_missing,
)

_K: Final = tuple((d, k) for d in range(4) for k in range(1, (1 << d) + 1))

of_k_points = UtilityClaim(
    id="BNS-J-5.7.utility.vc",
    source=f"{_BNS}, Section 5.2: VC(k-POINT_d) = k, assuming 2^d ≥ 2k",
    statement="VC(k-POINT_d) = k where 2^d ≥ 2k, and 2^d − k elsewhere, which is less than k; d ≤ 3",
    mechanism=vc_found,
    succeeds=lambda case, found: (
        found == vc_of_k_points(1 << case.database[0], case.database[1])
        and (found == case.database[1]) == (1 << case.database[0] >= 2 * case.database[1])
    ),
    beta=_never,
    cases=_of(k_points_of, _K),
    mutant=vc_with_one_missing,
)


def cube_and_points(d: int, n: int) -> Behaviours:
    """C_L ∪ C_R: all labellings of the first n points of X_d that are 0 elsewhere, and the points n, …, 2^d − 1."""
    left = [PointSet(tuple(x for x in range(n) if j >> x & 1)) for j in range(1 << n)]
    return behaviours([*left, *map(Point, range(n, 1 << d))], range(1 << d))


of_cube_and_points = UtilityClaim(
    id="BNS-J-4.16.utility.vc",
    source=f"{_BNS}, the example after Theorem 4.16, whose sanitizer takes VC(C) for that of C_L",
    statement="VC(C_L ∪ C_R) = n for 1 ≤ n < d ≤ 5",
    mechanism=vc_found,
    succeeds=_is(lambda size: size[1]),
    beta=_never,
    cases=_of(cube_and_points, [(d, n) for d in range(2, 6) for n in range(1, d)]),
    mutant=vc_with_one_missing,
)


# All classes over up to three points.

_EVERY: Final = _of(every_class, [(n, chosen) for n in range(4) for chosen in range(1, 1 << (1 << n))])


def vc_and_of_labelled(draw: object, size: tuple[int, ...], *, family: Family) -> tuple[int, int]:
    """VC(C) and VC(C^label)."""
    concepts = family(*size)
    return vc_dimension(concepts).vc, vc_dimension(labelled_behaviours(concepts)).vc


def vc_and_of_nearly_labelled(draw: object, size: tuple[int, ...], *, family: Family) -> tuple[int, int]:
    """VC(C), and what C^label shatters but for one labelling."""
    concepts = family(*size)
    return vc_dimension(concepts).vc, nearly_shattered(labelled_behaviours(concepts))


of_labelled = UtilityClaim(
    id="BNS-J-5.2.utility.every-small-class",
    source=f"{_BNS}, Claim 5.2",
    statement="VC(C^label) = VC(C), and so VC(C) ≤ VC(C^label) ≤ 2·VC(C); all 274 classes over at most three points",
    mechanism=vc_and_of_labelled,
    succeeds=lambda case, found: found[1] == vc_of_labelled(found[0]) and found[0] <= found[1] <= 2 * found[0],
    beta=_never,
    cases=_EVERY,
    mutant=vc_and_of_nearly_labelled,
)

by_size = UtilityClaim(
    id="BNS-J-2.11.utility.vc-by-size",
    source=f"{_BNS}, after Definition 2.11",
    statement="VC(C) ≤ log₂|C|; all 274 classes over at most three points",
    mechanism=vc_found,
    succeeds=lambda case, found: 1 << found <= case.database[1].bit_count(),
    beta=_never,
    cases=_EVERY,
    mutant=vc_with_one_missing,
)

"""The VC dimensions of the classes in use, in closed form, at the smallest domains too.

Each is compared with the exhaustive search of `dimensions` on all small domains, and is what the papers say from some
size on: of POINT_d from two points, of k-POINT_d from 2k points, and of rectangles from three points on an axis.
"""

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.integers.parameters import whole


def vc_of_points(size: int) -> int:
    """Of the point functions on `size` points: 1, and 0 on a single point, which all of them label 1.

    Beimel, Nissim & Stemmer, journal version, Section 3.1, say 1. Raises `InputError` unless size ≥ 1.
    """
    return vc_of_k_points(size, 1)


def vc_of_k_points(size: int, k: int) -> int:
    """Of the concepts that are 1 on exactly k of `size` points: min(k, size − k).

    A shattered set has a concept that is 1 on all of it, and one that is 0 on all of it. The same, Section 5.2, say k
    where size ≥ 2k. Raises `InputError` unless 1 ≤ k ≤ size.
    """
    if whole(k, "k", 1) > whole(size, "size", 1):
        raise InputError(bad_input.MORE_THAN, f"k={k}", f"the {size} points there are")
    return min(k, size - k)


def vc_of_thresholds(size: int) -> int:
    """Of the `size` + 1 thresholds c_j(x) = 1 iff x < j, 0 ≤ j ≤ size: 1, also on a single point (Section 3.2).

    Raises `InputError` unless size ≥ 1.
    """
    return min(1, whole(size, "size", 1))


def vc_of_thresholds_at_points(size: int) -> int:
    """Of the `size` thresholds c_x(y) = 1 iff y ≤ x with x among the points: 1, and 0 on a single point.

    The class of Bun, Nissim & Stemmer, Section 2.2, which never labels the first point 0. Raises `InputError` unless
    size ≥ 1.
    """
    return min(1, whole(size, "size", 1) - 1)


def vc_of_rectangles(side: int, axes: int) -> int:
    """Of the rectangles, the empty one too, with corners on a grid of `side` points on each axis.

    2·axes where an axis has three points or more, so that there is one between two others; on a cube, side = 2, they
    are the monomials, of VC dimension `axes` but for the line, where it is 2 (Natschläger & Schmitt 1996); on a single
    point 0, as none is empty there. Raises `InputError` unless side ≥ 1 and axes ≥ 0.
    """
    n = whole(axes, "axes", 0)
    if whole(side, "side", 1) == 1:
        return 0
    return 2 * n if side > 2 or n == 1 else n


def vc_of_parities(d: int) -> int:
    """Of the 2^d parities on {0, 1}^d: d; the unit vectors are shattered. Raises `InputError` unless d ≥ 0."""
    return whole(d, "d", 0)


def vc_of_monotone_conjunctions(d: int) -> int:
    """Of the 2^d conjunctions of attributes: d, by the rows that lack one attribute each.

    Raises `InputError` unless d ≥ 0.
    """
    return whole(d, "d", 0)


def vc_of_conjunctions(d: int) -> int:
    """Of the conjunctions of attributes and negated attributes, the contradiction too: d, but 2 where d = 1.

    They are the rectangles of the cube. Raises `InputError` unless d ≥ 0.
    """
    return vc_of_rectangles(2, d)


def vc_of_labelled(vc: int) -> int:
    """VC(C^label) = VC(C), where Claim 5.2 has VC(C) ≤ VC(C^label) ≤ 2·VC(C). Raises `InputError` unless vc ≥ 0."""
    return whole(vc, "vc", 0)

"""Utility of the learner of rectangles: Beimel, Nissim & Stemmer, journal version, Section 3.5 and Theorem 3.22.

The theorem states an order alone, and the learner's constants are chosen here. On each axis it sanitizes, and looks for
the ends on what comes out. Judged are, on an axis where all points have as many examples: step 8 of the sanitizer,
which the number of rows is asked for; and the ends, given a sanitized axis. What fails on few rows is the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Draw
from dpverify.mechanisms.counting import StepFunction
from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.counting.step_functions import Value
from dpverify.mechanisms.learners.rectangles_learner import (
    accuracy_on_axis,
    ends_on_axis,
    parts_on_axis,
    rows_for_rectangle,
)
from dpverify.mechanisms.recursion import maximise_quasi_concave
from dpverify.verifiers.catalogue.corners import claimed_beta
from dpverify.verifiers.catalogue.refuted import variant
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.family import Family, Times, least_of, weakened
from dpverify.verifiers.utility.repeated import written_out

_SECTION: Final = "Beimel, Nissim & Stemmer, journal version, Section 3.5 and Theorem 3.22"
QUARTER: Final = Fraction(1, 4)
ASKED: Final[dict[str, Any]] = {"alpha": Fraction(1, 2), "epsilon": Fraction(1), "delta": Fraction(1, 10**6)}


# Step 8 of SanThresholds, in its first call on an axis.


def scale_quality_of_all_alike(d: int, each: Fraction, unit: Fraction) -> StepFunction:
    """Steps 5 and 6 where each of the 2^d points has so many rows: I(j) = 2^j·each, `unit` = αm/32."""
    most: list[Value] = [0, *(each * 2**j for j in range(d + 1))]
    return StepFunction.of([min(most[j + 1] - unit, 3 * unit - most[j]) for j in range(d + 1)])


def scale_is_good(
    draw: Draw, each: Fraction, *, d: int, axes: int, alpha: Fraction, epsilon: Fraction, delta: Fraction
) -> bool:
    """Whether step 8 of the first call returns a z with Q(z) ≥ 3αm/128, m = 2^d·each, at the learner's α, ε and δ."""
    a = accuracy_on_axis(alpha, axes)
    unit, n = a * each * 2**d / 32, log_star(d)
    part, part_delta = parts_on_axis(axes, ceil(77 / a), epsilon, delta)
    quality = scale_quality_of_all_alike(d, each, unit)
    z = draw(
        maximise_quasi_concave,
        quality,
        promise=unit,
        alpha=QUARTER,
        epsilon=part / (3 * n),
        delta=part_delta / (3 * n),
        depth=n,
    )
    return isinstance(z, int) and bool(quality(z) >= 3 * unit / 4)


def scale_is_any(draw: object, each: Fraction, **given: Any) -> bool:
    """None that is good."""
    return False


def axis(axes: int, d: int, rows: int | None = None) -> Case:
    """An axis of 2^d points, with the rows of the theorem, or so many; α = 1/2, β = 1/4, ε = 1, δ = 10⁻⁶."""
    m = rows or rows_for_rectangle(axes=axes, d=d, beta=QUARTER, **ASKED)
    return Case(Fraction(m, 1 << d), {"d": d, "axes": axes, **ASKED}, {"rows": m, "beta": QUARTER})


ENOUGH: Final = tuple(axis(axes, d) for axes, d in product((1, 2), (1, 8, 16)))
FIFTY_THOUSAND: Final = 50_000
FEW: Final = (axis(1, 8, FIFTY_THOUSAND),)


scale = Family(
    scale_is_good,
    lambda case, good: good,
    claimed_beta,
    weakened("scale_at_next_to_no_epsilon", scale_is_good, epsilon=Times(Fraction(1, 10**10))),
)(
    "BNS-J-3.22.utility.scale",
    f"{_SECTION}, and Claim 4.10 for SanThresholds on each axis",
    "on an axis with all points alike the sanitizer finds a scale z with Q(z) ≥ 3αm/128 in its first call, "
    "with probability ≥ 1 − β, from as many rows as Lemma 4.12 asks for; α = 1/2, β = 1/4, ε = 1, δ = 10⁻⁶: "
    f"{ENOUGH[1].facts['rows']:,} on one axis of 256 points, {ENOUGH[4].facts['rows']:,} on two",
    ENOUGH,
    sharpness=least_of(
        "rows on one axis of 256 points alike, α = 1/2, β = 1/4, ε = 1, δ = 10⁻⁶",
        ENOUGH[1].facts["rows"],
        lambda rows: (axis(1, 8, rows),),
    ),
    sharp_in="BNS-J-3.22.utility.whole-on-fewer-rows",
)
scale_of_few_rows = Family(scale_is_good, lambda case, good: good, claimed_beta, scale_is_any)(
    "BNS-J-3.22.utility.scale-of-few-rows",
    f"{_SECTION}: why the learner fails on 50,000 rows, which is not claimed",
    "as BNS-J-3.22.utility.scale, from 50,000 rows on one axis of 256 points",
    FEW,
    examples=FEW,
    refuted=variant(
        "At α/(16n) the sanitizer has 77·16n/α = 2,464 calls, which leaves each an ε of 1/1138: on 50,000 rows the "
        "promise αm/32 of RecConcave is 49 rows, which the exponential mechanism cannot see, and the scale is nearly "
        "any of nine. The ends that are looked for then are found (BNS-J-3.22.utility.ends)."
    ),
)


# The ends, given what an axis was sanitized to.


def ends_found(draw: Draw, copies: tuple[tuple[int, int], ...], *, inside: tuple[int, int], **given: Any) -> Any:
    """The ends on an axis of eight points, where each has an eighth of the rows, positive from inside[0] to inside[1].

    There `copies` are what was sanitized.
    """
    each = given["rows"] // 8
    positives = written_out((x, each) for x in range(inside[0], inside[1] + 1))
    return ends_on_axis(draw, copies, positives, last=7, axes=1, **given)


def has_small_error(case: Case, ends: Any) -> bool:
    """True where at most αm examples lie in one of the intervals alone: none, as each point has more."""
    inside = set(range(case.parameters["inside"][0], case.parameters["inside"][1] + 1))
    found = set() if ends is None else set(range(ends[0], ends[1] + 1))
    return bool(Fraction(len(inside ^ found), 8) <= case.parameters["alpha"])


def sanitized_axes() -> Iterator[Case]:
    """Each count as it is, or off by the α/16 of the rows that is admitted, more and less in turn."""
    alpha, rows = Fraction(1, 10), FIFTY_THOUSAND
    off = int(accuracy_on_axis(alpha, 1) * rows) // 2
    for inside, wrong in (((2, 5), off), ((0, 0), 0)):
        copies = tuple((x, rows // 8 + wrong * (-1) ** x) for x in range(8))
        given = {"rows": rows, "alpha": alpha, "epsilon": Fraction(1), "inside": inside}
        yield Case(copies, given, {"beta": Fraction(1, 20)})


ends = Family(
    ends_found,
    has_small_error,
    claimed_beta,
    weakened("ends_at_a_thousandth", ends_found, epsilon=Times(Fraction(1, 1_000))),
)(
    "BNS-J-3.22.utility.ends",
    f"{_SECTION}, after Kearns, given a sanitized axis",
    "on two axes of eight points with as many rows each, whose sanitized shares of intervals are within "
    "α/16, the ends that are found are wrong on at most αm rows with probability ≥ 1 − β; 50,000 rows, α = 1/10, "
    "β = 1/20, ε = 1",
    tuple(sanitized_axes()),
    sharp_in="BNS-J-3.22.utility.whole-on-fewer-rows",
)

"""Utility of the learner of rectangles: Beimel, Nissim & Stemmer, journal version, Section 3.5 and Theorem 3.22.

The theorem states an order alone, and the learner's constants are chosen here. On each axis it sanitizes, and looks for
the ends on what comes out. Judged are, on an axis where all points have as many examples: step 8 of the sanitizer,
which the number of rows is asked for; and the ends, given a sanitized axis. What fails on few rows is the first.

As a whole it is judged on a sample that is given by how many rows each point of each axis has. SanThresholds on an axis
goes well with a probability that is found as for its own theorem, in `thresholds_sanitizer_utility`. What it releases
is then as close as Section 3.5 needs it, and whatever it is, the ends that are looked for on it are good where no noise
of a count is above half of the threshold τ = αm/(4nJ), for J intervals. An interval that is not a single point has less
than 2·α/(16n) of what is released, and less than α/(4n) of the sample. So the ends let in at most 2·α/(4n) on each
axis, as each lies in an interval with a positive example; and what is left out lies in intervals with less than 3τ/2 of
these each, less than 3α/(8n) together. Both add up to 7α/8 over the axes.
"""

from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Distribution, Draw, Exact, exact, exp, log
from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.counting.step_functions import StepFunction, Value
from dpverify.mechanisms.learners.rectangles_learner import (
    accuracy_on_axis,
    ends_on_axis,
    parts_on_axis,
    rows_for_rectangle,
)
from dpverify.mechanisms.recursion import maximise_quasi_concave
from dpverify.verifiers.catalogue.corners import claimed_beta, is_so, whether
from dpverify.verifiers.catalogue.families import BNS, HALF, MILLIONTH, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_executions_calculation import Inside
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_utility import is_close
from dpverify.verifiers.utility.family import Case, Family, as_named, at_part, least_of
from dpverify.verifiers.utility.repeated import written_out

_SECTION: Final = f"{BNS}, Section 3.5 and Theorem 3.22"
ASKED: Final[dict[str, Any]] = {"alpha": HALF, "epsilon": Fraction(1), "delta": MILLIONTH}


# Step 8 of SanThresholds, in its first call on an axis.
def scale_quality_of_all_alike(d: int, each: Fraction, unit: Fraction) -> StepFunction:
    """Steps 5 and 6 where each of the 2^d points has so many rows: I(j) = 2^j·each, `unit` = αm/32."""
    most: list[Value] = [0, *(each * 2**j for j in range(d + 1))]
    return StepFunction.of([min(most[j + 1] - unit, 3 * unit - most[j]) for j in range(d + 1)])


def scale_is_good(
    draw: Draw, each: Fraction, *, d: int, axes: int, alpha: Fraction, epsilon: Fraction, delta: Fraction
) -> bool:
    """True if step 8 of the first call returns a z with Q(z) ≥ 3αm/128, m = 2^d·each, at the learner's α, ε and δ."""
    a = accuracy_on_axis(alpha, axes)
    unit, n = a * each * 2**d / 32, log_star(d)
    part, part_delta = parts_on_axis(axes, ceil(77 / a), epsilon, delta)
    quality = scale_quality_of_all_alike(d, each, unit)
    given: dict[str, Any] = {"epsilon": part / (3 * n), "delta": part_delta / (3 * n), "depth": n}
    z = draw(maximise_quasi_concave, quality, promise=unit, alpha=QUARTER, **given)
    return isinstance(z, int) and bool(quality(z) >= 3 * unit / 4)


def axis(axes: int, d: int, rows: int | None = None) -> Case:
    """An axis of 2^d points, with the rows of the theorem, or so many; α = 1/2, β = 1/4, ε = 1, δ = 10⁻⁶."""
    m = rows or rows_for_rectangle(axes=axes, d=d, beta=QUARTER, **ASKED)
    return Case(Fraction(m, 1 << d), {"d": d, "axes": axes, **ASKED}, {"rows": m, "beta": QUARTER})


ENOUGH: Final = tuple(axis(axes, d) for axes, d in product((1, 2), (1, 8, 16)))
FIFTY_THOUSAND: Final = 50_000
FEW: Final = (axis(1, 8, FIFTY_THOUSAND),)
scale = whether(scale_is_good, "scale_at_next_to_no_epsilon", 10**10)(
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
scale_of_few_rows = Family(
    scale_is_good, is_so, claimed_beta, as_named("scale_is_any", "None that is good.", lambda draw, it, **given: False)
)(
    "BNS-J-3.22.utility.scale-of-few-rows",
    f"{_SECTION}: why the learner fails on 50,000 rows, which is not claimed",
    "as BNS-J-3.22.utility.scale, from 50,000 rows on one axis of 256 points",
    FEW,
    examples=FEW,
    variant="At α/(16n) the sanitizer has 77·16n/α = 2,464 calls, which leaves each an ε of 1/1138: on 50,000 rows the "
    "promise αm/32 of RecConcave is 49 rows, which the exponential mechanism cannot see, and the scale is nearly any "
    "of nine. The ends that are looked for then are found (BNS-J-3.22.utility.ends).",
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


ends = Family(ends_found, has_small_error, claimed_beta, at_part("ends_at_a_thousandth", ends_found, 1_000))(
    "BNS-J-3.22.utility.ends",
    f"{_SECTION}, after Kearns, given a sanitized axis",
    "on two axes of eight points with as many rows each, whose sanitized shares of intervals are within α/16, the ends "
    "that are found are wrong on at most αm rows with probability ≥ 1 − β; 50,000 rows, α = 1/10, β = 1/20, ε = 1",
    # each count as it is, or off by the α/16 of the rows that is admitted, more and less in turn
    tuple(
        Case(
            tuple((x, FIFTY_THOUSAND // 8 + wrong * (-1) ** x) for x in range(8)),
            {"rows": FIFTY_THOUSAND, "alpha": TENTH, "epsilon": Fraction(1), "inside": inside},
            {"beta": TWENTIETH},
        )
        for inside, wrong in (((2, 5), int(accuracy_on_axis(TENTH, 1) * FIFTY_THOUSAND) // 2), ((0, 0), 0))
    ),
    sharp_in="BNS-J-3.22.utility.whole-on-fewer-rows",
)
Axes: TypeAlias = tuple[Inside, ...]
"""The numbers of blocks of rows of each point of each axis."""


def is_learnt(draw: Draw, rows: Axes, *, block: Fraction, alpha: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """True where each axis is sanitized well, and no noise of a count on it is above half of its threshold."""
    axes = len(rows)
    close = accuracy_on_axis(alpha, axes)
    calls = ceil(77 / close)
    part, part_delta = parts_on_axis(axes, calls, epsilon, delta)
    given: dict[str, Any] = {
        "block": block,
        "alpha": close,
        "calls": calls,
        "epsilon": Fraction(floor(part * 10**18), 10**18),
        "delta": Fraction(floor(part_delta * 10**24), 10**24),
    }
    for inside in rows:
        if not draw(is_close, inside, **given):
            return False
        off = chance_of_noise(axes, sum(inside) * block, alpha=alpha, epsilon=epsilon)
        if draw(Distribution({True: off, False: 1 - off})):
            return False
    return True


def chance_of_noise(axes: int, rows: Fraction, *, alpha: Fraction, epsilon: Fraction) -> Exact:
    """J·Pr[|Lap(4n/ε)| > τ/2] for the most intervals, J = 2·16n/α + 1, or 1 where that is more."""
    intervals = floor(2 / accuracy_on_axis(alpha, axes)) + 1
    half = alpha * rows / (8 * axes * intervals)
    return min(exact(1), intervals * exp(-epsilon * half / (4 * axes)))


BETA: Final = Fraction(1, 20)
_FOUR: Final = ((16,) * 4, (40, 0, 8, 16))
_EIGHT: Final = ((8,) * 8, (32, 0, 0, 16, 0, 8, 0, 8))


def of_rows(sample: Axes, rows: int) -> Case:
    """At least so many rows, in equal blocks."""
    return Case(sample, {"block": Fraction(-(-rows // sum(sample[0]))), **ASKED}, {"beta": BETA})


def rows_asked_for(sample: Axes) -> int:
    """As many as Lemmas 4.8 and 4.12 ask for, for each axis."""
    return rows_for_rectangle(axes=len(sample), d=len(sample[0]).bit_length() - 1, beta=BETA, **ASKED)


SAMPLES: Final[tuple[Axes, ...]] = (*((inside,) for inside in (*_FOUR, *_EIGHT)), _FOUR)
"""One axis of four and eight points, two axes of four."""
LONG: Final[tuple[Axes, ...]] = (
    ((32, *(0,) * 254, 32),),
    ((16, *(0,) * 100, 16, *(0,) * 100, 16, *(0,) * 52, 16),),
    ((8, *(0,) * 31) * 8,),
    ((2,) * 32,),
)
"""One axis of 256 points with up to eight heaps, and one of 32 points alike."""


def rows_of_ours(sample: Axes) -> int:
    """(12c/(α̂ε̂))·ln(6cn/β) for the α̂ = α/(16n), c = 77/α̂ and ε̂ of the sanitizer's parts on each of n axes."""
    axes = len(sample)
    close = accuracy_on_axis(ASKED["alpha"], axes)
    calls = ceil(77 / close)
    part, _ = parts_on_axis(axes, calls, ASKED["epsilon"], ASKED["delta"])
    return ceil(12 * calls / (close * part) * log(6 * calls * axes / BETA))


whole = whether(is_learnt, "is_learnt_at_half_epsilon", 2)
_SECTION_WHOLE: Final = f"{BNS}, Theorem 3.22, an order, by the learner of Section 3.5 with"
_LEARNS: Final = (
    "the learner of rectangles has an error of at most 7α/8 on its sample, whatever rectangle labels it, with "
    "probability ≥ 1 − β over all of its steps; α = 1/2, β = 1/20, ε = 1, δ = 10⁻⁶"
)
_WHOLE: Final = f"{_LEARNS}, samples on one axis of four and eight points and two of four, in shapes of equal blocks"
as_asked_for = whether(is_learnt, "is_learnt_at_a_ten_thousandth", 10_000)(
    "BNS-J-3.22.utility.whole",
    f"{_SECTION_WHOLE} the m of Lemmas 4.8 and 4.12",
    f"{_WHOLE}: {rows_asked_for(SAMPLES[0]):,} rows and more, of Lemmas 4.8 and 4.12",
    tuple(of_rows(sample, rows_asked_for(sample)) for sample in SAMPLES),
    sharpness=least_of(
        "rows on one axis of 4 points, α = 1/2, β = 1/20, ε = 1, δ = 10⁻⁶",
        rows_asked_for(SAMPLES[0]),
        lambda m: (of_rows(SAMPLES[0], m),),
    ),
    sharp_in="BNS-J-3.22.utility.whole-on-fewer-rows",
)
on_fewer_rows = whole(
    "BNS-J-3.22.utility.whole-on-fewer-rows",
    f"{_SECTION_WHOLE} constants of ours",
    f"{_WHOLE}: (12c/(α̂ε̂))·ln(6cn/β) rows, α̂ = α/(16n), c = 77/α̂, ε̂ that of the sanitizer's parts, "
    f"{rows_of_ours(SAMPLES[0]):,} on one axis",
    tuple(of_rows(sample, rows_of_ours(sample)) for sample in SAMPLES),
)
on_long_axes = whole(
    "BNS-J-3.22.utility.whole-on-long-axes",
    f"{_SECTION_WHOLE} constants of ours",
    f"{_LEARNS}; {rows_of_ours(LONG[0]):,} rows, as many as for any d, where Lemma 4.12 asks for "
    f"{rows_asked_for(LONG[0]):,}, on one axis of 256 points with two, four and eight heaps, and on one of 32 "
    "points alike",
    tuple(of_rows(sample, rows_of_ours(sample)) for sample in LONG),
    depth="report",
)

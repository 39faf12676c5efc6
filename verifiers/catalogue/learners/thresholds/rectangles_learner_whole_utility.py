"""Utility of the learner of rectangles as a whole, on its sample: Theorem 3.22, with the constants chosen here.

A sample is given by how many rows each point of each axis has. SanThresholds on an axis goes well with a probability
that is found as for its own theorem, in `thresholds_sanitizer_utility`. What it releases is then as close as
Section 3.5 needs it, and whatever it is, the ends that are looked for on it are good where no noise of a count is above
half of the threshold τ = αm/(4nJ), for J intervals. An interval that is not a single point has less than 2·α/(16n) of
what is released, and less than α/(4n) of the sample. So the ends let in at most 2·α/(4n) on each axis, as each lies in
an interval with a positive example; and what is left out lies in intervals with less than 3τ/2 of these each, less than
3α/(8n) together. Both add up to 7α/8 over the axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Distribution, Draw, Exact, exact, exp, log
from dpverify.mechanisms.learners.rectangles_learner import accuracy_on_axis, parts_on_axis, rows_for_rectangle
from dpverify.verifiers.catalogue.corners import claimed_beta
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_executions_calculation import Inside
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_utility import is_close
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

Axes: TypeAlias = tuple[Inside, ...]
"""How many blocks of rows each point of each axis has."""


def is_learnt(
    draw: Draw, sample: Axes, *, block: Fraction, alpha: Fraction, epsilon: Fraction, delta: Fraction
) -> bool:
    """True where each axis is sanitized well, and no noise of a count on it is above half of its threshold."""
    axes = len(sample)
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
    for inside in sample:
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


def is_learnt_at_a_ten_thousandth(draw: Draw, sample: Axes, *, epsilon: Fraction, **given: Any) -> bool:
    """A ten thousandth of the ε."""
    return is_learnt(draw, sample, epsilon=epsilon / 10_000, **given)


def is_learnt_at_half_epsilon(draw: Draw, sample: Axes, *, epsilon: Fraction, **given: Any) -> bool:
    """Half the ε."""
    return is_learnt(draw, sample, epsilon=epsilon / 2, **given)


_ASKED: Final[dict[str, Fraction]] = {"alpha": Fraction(1, 2), "epsilon": Fraction(1), "delta": Fraction(1, 10**6)}
BETA: Final = Fraction(1, 20)
_FOUR: Final = ((16,) * 4, (40, 0, 8, 16))
_EIGHT: Final = ((8,) * 8, (32, 0, 0, 16, 0, 8, 0, 8))


def of_rows(sample: Axes, rows: int) -> Case:
    """At least so many rows, in equal blocks."""
    return Case(sample, {"block": Fraction(-(-rows // sum(sample[0]))), **_ASKED}, {"beta": BETA})


def rows_asked_for(sample: Axes) -> int:
    """As many as Lemmas 4.8 and 4.12 ask for, for each axis."""
    return rows_for_rectangle(axes=len(sample), d=len(sample[0]).bit_length() - 1, beta=BETA, **_ASKED)


def samples() -> Iterator[Axes]:
    """One axis of four and eight points, two axes of four."""
    yield from ((inside,) for inside in (*_FOUR, *_EIGHT))
    yield _FOUR


SAMPLES: Final = tuple(samples())
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
    close = accuracy_on_axis(_ASKED["alpha"], axes)
    calls = ceil(77 / close)
    part, _ = parts_on_axis(axes, calls, _ASKED["epsilon"], _ASKED["delta"])
    return ceil(12 * calls / (close * part) * log(6 * calls * axes / BETA))


def of_the_whole(**given: Any) -> UtilityClaim:
    """A claim about samples in shapes of equal blocks."""
    return UtilityClaim(mechanism=is_learnt, succeeds=lambda case, good: good, beta=claimed_beta, **given)


_SECTION: Final = (
    "Beimel, Nissim & Stemmer, journal version, Theorem 3.22, an order, by the learner of Section 3.5 with"
)
_LEARNS: Final = (
    "the learner of rectangles has an error of at most 7α/8 on its sample, whatever rectangle labels it, with "
    "probability ≥ 1 − β over all of its steps; α = 1/2, β = 1/20, ε = 1, δ = 10⁻⁶"
)
_WHOLE: Final = f"{_LEARNS}, samples on one axis of four and eight points and two of four, in shapes of equal blocks"

as_asked_for = of_the_whole(
    id="BNS-J-3.22.utility.whole",
    sharp_in="BNS-J-3.22.utility.whole-on-fewer-rows",
    source=f"{_SECTION} the m of Lemmas 4.8 and 4.12",
    statement=f"{_WHOLE}: {rows_asked_for(SAMPLES[0]):,} rows and more, of Lemmas 4.8 and 4.12",
    cases=tuple(of_rows(sample, rows_asked_for(sample)) for sample in SAMPLES),
    mutant=is_learnt_at_a_ten_thousandth,
    sharpness=Sharpness(
        what="rows on one axis of 4 points, α = 1/2, β = 1/20, ε = 1, δ = 10⁻⁶",
        paper=rows_asked_for(SAMPLES[0]),
        family=lambda m: (of_rows(SAMPLES[0], m),),
    ),
)
on_fewer_rows = of_the_whole(
    id="BNS-J-3.22.utility.whole-on-fewer-rows",
    source=f"{_SECTION} constants of ours",
    statement=f"{_WHOLE}: (12c/(α̂ε̂))·ln(6cn/β) rows, α̂ = α/(16n), c = 77/α̂, ε̂ that of the sanitizer's parts, "
    f"{rows_of_ours(SAMPLES[0]):,} on one axis",
    cases=tuple(of_rows(sample, rows_of_ours(sample)) for sample in SAMPLES),
    mutant=is_learnt_at_half_epsilon,
)
on_long_axes = of_the_whole(
    id="BNS-J-3.22.utility.whole-on-long-axes",
    source=f"{_SECTION} constants of ours",
    statement=f"{_LEARNS}; {rows_of_ours(LONG[0]):,} rows, as many as for any d, where Lemma 4.12 asks for "
    f"{rows_asked_for(LONG[0]):,}, on one axis of 256 points with two, four and eight heaps, and on one of 32 "
    "points alike",
    cases=tuple(of_rows(sample, rows_of_ours(sample)) for sample in LONG),
    mutant=is_learnt_at_half_epsilon,
    depth="report",
)

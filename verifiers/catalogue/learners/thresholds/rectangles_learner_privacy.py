"""Privacy of the learner of rectangles: Beimel, Nissim & Stemmer, journal version, Theorem 3.22.

Its constants are not printed.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact
from dpverify.mechanisms.learners import Rectangle, learn_rectangle
from dpverify.mechanisms.learners.rectangles_learner import Vector, parts_on_axis, rows_for_private_rectangle
from dpverify.mechanisms.selection import hardest_composition
from dpverify.verifiers import Tuples
from dpverify.verifiers.catalogue.families import TENTH, the_other
from dpverify.verifiers.catalogue.finite import DOMINATING_PAIR, RECURSES
from dpverify.verifiers.privacy.family import Depth, EveryDatabase, LeastShare, OrMore, Row, claims, family


def ends_of_rectangle(
    draw: Draw, sample: Sequence[tuple[Vector, int]], *, epsilon: Any, delta: Any, **given: Any
) -> Any:
    """The learner of rectangles, the corners of the one that it finds, or None for the concept that is 0."""
    found = learn_rectangle(draw, sample, epsilon=epsilon, delta=delta, **given)
    return (found.lows, found.highs) if isinstance(found, Rectangle) else None


def bounding_box(draw: Draw, sample: Sequence[tuple[Vector, int]], **_: Any) -> Any:
    """Mutant: the smallest rectangle around the positive examples."""
    positives = [x for x, y in sample if y]
    if not positives:
        return None
    return (tuple(map(min, zip(*positives, strict=True))), tuple(map(max, zip(*positives, strict=True))))


def parts_of_rectangle(
    draw: Draw, bit: int, *, axes: int, calls: int, epsilon: Fraction, of_part: tuple[Fraction, Exact]
) -> Any:
    """The hardest mechanisms with the ε and δ of 4c parts of SanThresholds on each axis, and of its counts, ε/(2n)."""
    part, part_delta = of_part
    sanitized = draw(hardest_composition, bit, times=4 * calls * axes, epsilon=part, delta=part_delta)
    return sanitized, draw(hardest_composition, bit, times=axes, epsilon=epsilon / (2 * axes), delta=0)


def counts_at_epsilon(draw: Draw, bit: int, *, axes: int, epsilon: Fraction, **given: Any) -> Any:
    """Mutant: the counts have Lap(2/ε) on each axis, as on one axis alone."""
    return parts_of_rectangle(draw, bit, axes=axes, epsilon=axes * epsilon, **given)


def rounded_down(value: Exact) -> Fraction:
    """To millionths."""
    return Fraction(floor(value * 10**6), 10**6)


_ONE_CALL: Final = LeastShare(
    share="5/16", below="9/32", because="the composition over axes and calls is not in one call on one axis"
)
_ONE_CALL_ON_HALVES: Final[dict[str, Any]] = {"alpha": Fraction(1, 2), "calls": 1}
_NONE: Final = ((0, 0), 0)
_LOW: Final = ((0, 0), 1)
_HIGH: Final = ((1, 1), 1)
FOUR_ROWS: Final = tuple(
    (_NONE, _NONE, *last) for last in ((_NONE, _NONE), (_NONE, _LOW), (_NONE, _HIGH), (_LOW, _HIGH), (_HIGH, _HIGH))
)
"""Databases of which nearly all rows are negative, and the positive ones come to be in another corner."""


def _on_two_rows_and_all(name: str, axes: str, n: int, depth: Depth) -> Row:
    """On all samples of two rows, and on all of at least as many as Lemma 4.8 asks for."""
    examples = tuple((x, y) for x in product((0, 1), repeat=n) for y in (0, 1))
    enough = rows_for_private_rectangle(axes=n, beta=Fraction(1, 2), epsilon=2, delta=TENTH, **_ONE_CALL_ON_HALVES)
    return (
        Row(name)
        .says(
            f"{axes} of two points is (2,1/10)-private, with one call for an axis, on two rows, far fewer than Lemma "
            f"4.8 asks for, and from {enough:,} rows on, as it asks"
        )
        .having(domain=Tuples(examples, size=2), delta=TENTH, depth=depth, all_sizes_depth=depth)
        .having(all_sizes=EveryDatabase(examples, sizes=OrMore(enough)))
    )


_BNS: Final = "Beimel, Nissim & Stemmer, journal version, Section 3.5"
rectangles = family(
    Row("BNS-J-3.22.privacy.", "the learner of rectangles with ")
    .having(source=f"{_BNS} and Theorem 3.22", mechanism=ends_of_rectangle, epsilon=2, mutant=bounding_box)
    .run_with(d=1, **_ONE_CALL_ON_HALVES),
    _on_two_rows_and_all("one-axis", "one axis", 1, "quick").having(least=_ONE_CALL),
    _on_two_rows_and_all("two-axes", "two axes", 2, "full").having(
        weak_because="δ = 1/10 covers what two rows show; at δ = 1/1000 a quarter of the noise is refuted on four "
        "rows, in BNS-J-3.22.privacy.two-axes-four-rows"
    ),
    Row(
        "two-axes-four-rows",
        "two axes of two points is (2,1/1000)-private, with one call for an axis, on four rows of two opposite "
        "corners, far fewer than Lemma 4.8 asks for",
    ).having(domain=FOUR_ROWS, delta=Fraction(1, 1000), depth="report", finite_because=RECURSES),
)

# Composition over the axes: SanThresholds on each has 4c parts, and the counts of its intervals are one more.
_PART, _PART_DELTA = parts_on_axis(2, 4, 1, Fraction(1, 10**6))
parts_of_two_axes = claims(
    Row("BNS-J-3.22.privacy.parts-of-two-axes")
    .says(
        "the 4c parts of SanThresholds on each of n = 2 axes, c = 4, and the counts at ε/(2n) are together (1, "
        "10⁻⁶)-private, for the ε and δ that Theorem 2.5 leaves the parts of (ε/2, δ)"
    )
    .having(source=f"{_BNS}, by Theorem 2.5, as Lemma 4.8 on one axis", mechanism=parts_of_rectangle, domain=(0, 1))
    .having(neighbours=the_other, epsilon=1, delta=Fraction(1, 10**6), finite_because=DOMINATING_PAIR)
    .having(mutant=counts_at_epsilon)
    .run_with(axes=2, calls=4, epsilon=Fraction(1), of_part=(rounded_down(_PART), _PART_DELTA))
)

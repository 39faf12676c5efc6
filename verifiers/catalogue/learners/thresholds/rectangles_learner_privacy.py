"""Privacy of the learner of rectangles: Beimel, Nissim & Stemmer, journal version, Theorem 3.22.

Its constants are not printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Final, Literal

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.learners.rectangles_learner import (
    Rectangle,
    Vector,
    learn_rectangle,
    rows_for_private_rectangle,
)
from dpverify.verifiers.catalogue.families import on_all
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.domains import Tuples
from dpverify.verifiers.questions.score_domains import OrMore

TENTH: Final = Fraction(1, 10)


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


_ONE_CALL: Final = LeastShare(
    share="5/16", below="9/32", because="the composition over axes and calls is not in one call on one axis"
)


def _rectangles(variant: str, axes: str, n: int, depth: Literal["quick", "full"]) -> Claim:
    examples = tuple((x, y) for x in product((0, 1), repeat=n) for y in (0, 1))
    given: dict[str, Any] = {"alpha": Fraction(1, 2), "calls": 1}
    enough = rows_for_private_rectangle(axes=n, beta=Fraction(1, 2), epsilon=2, delta=TENTH, **given)
    return Claim(
        id=f"BNS-J-3.22.privacy.{variant}",
        source="Beimel, Nissim & Stemmer, journal version, Section 3.5 and Theorem 3.22",
        statement=f"the learner of rectangles with {axes} of two points is (2,1/10)-private, with one call for "
        f"an axis, on two rows, far fewer than Lemma 4.8 asks for, and from {enough:,} rows on, as it asks",
        mechanism=ends_of_rectangle,
        domain=Tuples(examples, size=2),
        epsilon=2,
        delta=TENTH,
        parameters={"d": 1, **given},
        **on_all(EveryDatabase(examples, sizes=OrMore(enough)), depth),
        mutant=bounding_box,
        depth=depth,
        least=_ONE_CALL if n == 1 else None,
    )


rectangles = (_rectangles("one-axis", "one axis", 1, "quick"), _rectangles("two-axes", "two axes", 2, "full"))

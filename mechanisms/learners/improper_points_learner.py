"""An improper learner of points, whose rows do not depend on how many points there are: it hashes them to few."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.functions.thin import thin
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole
from dpverify.mechanisms.outputs.distributions import uniform
from dpverify.mechanisms.sanitizers.concepts import Example, checked_sample, points, refuse_empty

Masks = tuple[int, ...]
"""A linear map of bits: bit i of what a point is hashed to is the parity of its bits in masks[i]."""


def hashed(x: int, masks: Masks) -> int:
    """The hash of the point x; the same of two points with probability 2^−r, for r masks drawn uniformly."""
    return sum(((x & mask).bit_count() & 1) << i for i, mask in enumerate(masks))


@dataclass(frozen=True)
class HashedPoint:
    """h(x) = 1 exactly where x is hashed to j: on 2^(d − r) of 2^d points, if the r masks are independent."""

    masks: Masks
    j: int

    def __call__(self, x: int) -> int:
        """The label of x."""
        return int(hashed(x, self.masks) == self.j)


def learn_points_improperly(
    draw: Draw, sample: Sequence[Example], *, d: int, bits: int, epsilon: ExactLike
) -> HashedPoint:
    """A hypothesis that labels nearly all examples as they are labelled, if a point of [0, 2^d) labels them.

    The points are hashed to 2^bits, whatever the sample is, and one of these is learnt by the exponential mechanism. So
    it is ε-private, and the number of rows depends on α, β and ε, and not on d, where a proper learner that is
    ε-private needs Ω(d). Beimel, Nissim & Stemmer, journal version, Section 3.1, cite such a learner of Beimel,
    Kasiviswanathan & Nissim, and print none: the constants are chosen here. Raises `InputError` for an empty sample, a
    bad example, bits < 1 or ε ≤ 0.
    """
    size = 1 << whole(d, "d", 0)
    masks = tuple(draw(uniform(range(size))) for _ in range(whole(bits, "bits", 1)))
    found = draw(
        on_hashed_points, sample, d=d, masks=masks, mechanism=generic_learner, hypotheses=points(bits), epsilon=epsilon
    )
    return HashedPoint(masks, found.j)


@thin
def on_hashed_points(
    draw: Draw, rows: Sequence[Example], *, d: int, masks: Masks, mechanism: Mechanism, **parameters: Any
) -> Any:
    """The outcome of a mechanism on the examples with their points hashed; it has the other parameters.

    Raises `InputError` for an empty sample, and for a bad example of points of [0, 2^d).
    """
    refuse_empty(rows)
    checked_sample(rows, d)
    return draw(mechanism, tuple((hashed(x, masks), y) for x, y in rows), **parameters)


@sized(learn_points_improperly, name="bits")
def bits_for_improper_points(*, alpha: ExactLike, beta: ExactLike) -> int:
    """The least r with 2^r ≥ 12/(αβ): points of more than α/4 are hashed to the target's with probability ≤ β/3.

    Raises `InputError` where a parameter is out of range.
    """
    least = ceil(12 / (open_unit(alpha, "alpha") * open_unit(beta, "beta")))
    return (least - 1).bit_length()


@sized(learn_points_improperly)
def rows_for_improper_points(*, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike) -> int:
    """The least whole m ≥ (32/α)·ln(6·2^r/β) and ≥ (8/(αε))·ln(3·2^r/β): then the error is at most α but for β.

    r is the number of bits that is asked for, and the hypothesis with the target has an error of at most α/4 but for
    β/3. It is wrong on at most half of αm examples, and none with an error above α is right on more than 1 − 3α/4 of
    them, but for β/3; one is chosen that is right on αm/4 fewer with probability at most β/3. Raises `InputError` where
    a parameter is out of range.
    """
    a, b, eps = open_unit(alpha, "alpha"), open_unit(beta, "beta"), positive(epsilon, "epsilon")
    hypotheses = 1 << bits_for_improper_points(alpha=alpha, beta=beta)
    return max(ceil(32 / a * log(6 * hypotheses / b)), ceil(8 / (a * eps) * log(3 * hypotheses / b)))

"""From a sanitizer of a class to one of its labelled form, and from that to a private learner.

Source: Beimel, Nissim & Stemmer, journal version, Section 5.1. A labelled row x∘y is the pair (x, y).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, TypeAlias, TypeVar

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.functions.thin import thin
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole
from dpverify.mechanisms.outputs.distributions import uniform
from dpverify.mechanisms.sanitizers.concepts import Hypothesis, refuse_empty, refuse_no_concepts
from dpverify.mechanisms.selection.of_rows import noisy_number, on_some_rows

_Row = TypeVar("_Row", bound=Hashable)
Labelled: TypeAlias = tuple[Any, int]
"""x∘y."""

Released: TypeAlias = tuple[tuple[int, Any], tuple[int, Any]]
"""m̂ and S̃ for the label 0, and for the label 1."""


def labelled_concept(concept: Callable[[Any], int]) -> Callable[[Labelled], int]:
    """c^label: whether c labels x otherwise than y. Its share in a sample is the error of c on it."""

    def mislabels(example: Labelled) -> int:
        x, y = example
        return int(concept(x) != y)

    return mislabels


def sanitize_labelled(
    draw: Draw,
    sample: Sequence[Labelled],
    *,
    sanitizer: Mechanism,
    block: int,
    epsilon: ExactLike,
    filler: Any,
    most: int | None = None,
) -> Released:
    """Algorithm B: the rows of each label, sanitized apart, with noisy numbers of rows that are multiples of `block`.

    Source: Figure 12, where `block` is M: see `rows_of_a_block`. `sanitizer` is A, which takes any multiple of M rows,
    and whose privacy must not rest on the order of the rows: see `shuffled`. `filler` is 0^d, or another point.
    `most` cuts m̂ off at that many blocks, so that there are finitely many outcomes; the printed algorithm does
    not. Raises `InputError` for an empty sample, a row that is no pair, a label that is not 0 or 1, or a parameter out
    of range.
    """
    big_m, noise = whole(block, "block", 1), laplace(1 / positive(epsilon, "epsilon"))
    if most is not None:
        whole(most, "most", 0)
    # 1 to 4
    numbers = [draw(noisy_number, sample, number=partial(rows_with_label, label=y), noise=noise) for y in (0, 1)]
    m_hat = [_nearest_multiple(number, big_m, most) for number in numbers]
    # 5 and 6
    s_tilde = [
        draw(on_label, sample, label=y, size=n, filler=filler, mechanism=sanitizer) if n else ()
        for y, n in enumerate(m_hat)
    ]
    # 7
    return (m_hat[0], s_tilde[0]), (m_hat[1], s_tilde[1])


def rows_with_label(sample: Sequence[Labelled], *, label: int) -> int:
    """The number of rows of a label. Raises `InputError` for an empty sample, and a row without a label."""
    return len(points_with_label(sample, label))


def points_with_label(sample: Sequence[Labelled], label: int) -> tuple[Any, ...]:
    """Step 1: the points of the rows of a label. Raises as `rows_with_label` does."""
    refuse_empty(sample)
    for i, example in enumerate(sample):
        if (
            not isinstance(example, tuple)
            or len(example) != 2
            or type(example[1]) is not int
            or example[1] not in (0, 1)
        ):
            raise InputError(bad_input.ROW, i, repr(example), "a pair of a point and a label 0 or 1", "(point, label)")
    return tuple(x for x, y in sample if y == label)


@thin
def on_label(
    draw: Draw,
    sample: Sequence[Labelled],
    *,
    label: int,
    size: int,
    filler: Any,
    mechanism: Mechanism,
    **parameters: Any,
) -> Any:
    """The outcome of a mechanism on `size` points of a label, cut off or filled up; it has the other parameters.

    Neighbours are as many, and differ in one point, but for their order. Raises as `rows_with_label` does.
    """
    points = points_with_label(sample, label)
    return draw(mechanism, (points + (filler,) * size)[:size], **parameters)


def _nearest_multiple(noisy: Any, block: int, most: int | None) -> int:
    """⌊max(0, ⌊noisy⌋)/M + 1/2⌋·M, where ⌊noisy⌋ ≥ t asks for noisy ≥ ⌈t⌉, t = (blocks + 1/2)·M; by halving."""

    def is_at_most(blocks: int) -> bool:
        return bool(noisy < ((2 * blocks + 1) * block + 1) // 2)

    end = 1
    while most is None and not is_at_most(end):
        end *= 2
    return bisect_left(range(end if most is None else most), True, key=is_at_most) * block


def shuffled(draw: Draw, rows: Sequence[_Row], *, sanitizer: Mechanism) -> Any:
    """A sanitizer on the rows in random order: what it is private for does not rest on their order.

    Source: the remark in the proof of Lemma 5.4.
    """
    waiting = list(rows)
    for i in range(len(waiting) - 1, 0, -1):
        j = draw(uniform(range(i + 1)))
        waiting[i], waiting[j] = waiting[j], waiting[i]
    return draw(sanitizer, tuple(waiting))


def error_as_printed(concept: Callable[[Any], int], released: Released) -> Fraction:
    """The error of a concept on step 8's database, in which each S̃ of label σ occurs m̂ times; 0 where it is empty.

    Each S̃ is a database: a tuple of points. As the proof of Lemma 5.4 uses it, both have one size. The A that it takes
    from Lemma 5.1 gives sizes in proportion to m̂, so that a label weighs m̂²: see `error_by_rows`.
    """
    rows = sum(copies * len(s) for copies, s in released)
    wrong = sum(copies * _mislabelled(concept, s, y) for y, (copies, s) in enumerate(released))
    return Fraction(wrong, rows) if rows else Fraction(0)


def error_by_rows(concept: Callable[[Any], int], released: Released) -> Fraction:
    """The error of a concept where each label weighs m̂, whatever the size of its S̃; 0 where there is no row."""
    rows = sum(weight for weight, s in released if s)
    wrong = sum(
        (weight * Fraction(_mislabelled(concept, s, y), len(s)) for y, (weight, s) in enumerate(released) if s),
        Fraction(0),
    )
    return wrong / rows if rows else Fraction(0)


def _mislabelled(concept: Callable[[Any], int], rows: Sequence[Any], label: int) -> int:
    """The number of rows that the concept labels otherwise; it is asked once of each that occurs, as most do often."""
    return sum(times for x, times in Counter(rows).items() if concept(x) != label)


def learn_from_sanitized(
    draw: Draw, sample: Sequence[Labelled], *, sanitizer: Mechanism, concepts: Sequence[Hypothesis]
) -> Hypothesis:
    """Learn: the first concept with the least error on the sanitized sample, which is a tuple of labelled rows.

    Source: the proof of Lemma 5.3. `sanitizer` is one for the concepts' labelled form. Raises `InputError` for an empty
    sample, and without concepts.
    """
    refuse_no_concepts(concepts)
    # 1
    sanitized = draw(on_some_rows, sample, mechanism=sanitizer)
    # 2
    return min(concepts, key=lambda concept: sum(map(labelled_concept(concept), sanitized)))


def learn_by_labels(
    draw: Draw,
    sample: Sequence[Labelled],
    *,
    concepts: Sequence[Hypothesis],
    error: Callable[[Callable[[Any], int], Released], Fraction] = error_by_rows,
    **given: Any,
) -> Hypothesis:
    """Learn with Algorithm B: the first concept with the least error on its database.

    Source: Theorem 5.5. With `error=error_as_printed` step 8 is the printed one, of which Lemma 5.4 does not hold
    (claim BNS-J-5.4.utility.copies); the other parameters are those of B. Raises `InputError` without concepts, and as
    `sanitize_labelled` does.
    """
    refuse_no_concepts(concepts)
    released = draw(sanitize_labelled, sample, **given)
    return min(concepts, key=lambda concept: error(concept, released))


@sized(sanitize_labelled, learn_by_labels, name="block")
def rows_of_a_block(*, rows: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike) -> int:
    """M = m·⌈(18/β)·ln(2/(αβ))·(1 + 1/(mε))⌉, for a sanitizer of m = `rows` rows: the proof of Lemma 5.4.

    Raises `InputError` where a parameter is out of range.
    """
    m, a, b = whole(rows, "rows", 1), open_unit(alpha, "alpha"), open_unit(beta, "beta")
    return m * ceil(18 / b * log(2 / (a * b)) * (1 + 1 / (m * positive(epsilon, "epsilon"))))


@sized(sanitize_labelled, learn_by_labels)
def rows_for_labels_by_blocks(*, rows: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike) -> int:
    """The labelled rows that Algorithm B takes: t = ⌈6/α²⌉·M. Raises `InputError` where a parameter is out of range."""
    big_m = rows_of_a_block(rows=rows, alpha=alpha, beta=beta, epsilon=epsilon)
    return ceil(6 / open_unit(alpha, "alpha") ** 2) * big_m

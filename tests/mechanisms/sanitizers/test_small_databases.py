"""The sanitizer over small databases, and from sanitizing to learning."""

from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Distribution, Draw, InputError, distribution, exp, log, run
from dpverify.mechanisms.sanitizers import (
    Threshold,
    error_as_printed,
    error_by_rows,
    learn_by_labels,
    learn_from_sanitized,
    sanitize_in_parts,
    sanitize_labelled,
    shuffled,
    small_database,
    thresholds,
)
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept, rows_for_labels_by_blocks, rows_of_a_block
from dpverify.mechanisms.sanitizers.small_databases import parts_needed, size_for_closeness

LN2 = log(2)
samples = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=4).map(tuple)


def response(draw: Draw, rows: Any) -> Distribution[Any]:
    """The only row with probability 2/3."""
    (x,) = rows
    return Distribution({(x,): 2, (1 - x,): 1})


def half_of_them(draw: Draw, rows: Any) -> Any:
    return rows[: len(rows) // 2]


def as_they_are(draw: Draw, rows: Any) -> Any:
    return rows


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5).map(tuple), st.integers(1, 3))
def test_small_databases_by_their_definition(rows: tuple[int, ...], size: int) -> None:
    concepts = thresholds(2)
    weights = {}
    for s in combinations_with_replacement(range(4), size):
        errors = [
            abs(Fraction(sum(c(x) for x in rows), len(rows)) - Fraction(sum(c(x) for x in s), size)) for c in concepts
        ]
        weights[s] = exp(-max(errors) * len(rows) / 2)
    law = distribution(small_database, rows, universe=range(4), concepts=concepts, size=size, epsilon=1)
    assert law == Distribution(weights)


def test_parts() -> None:
    law = distribution(sanitize_in_parts, (0, 1), sanitizer=response, size=1)
    assert law.probability((0, 1)) == Fraction(4, 9)
    assert law.probability((1, 1)) == Fraction(2, 9)
    with pytest.raises(InputError, match="3 rows do not fit parts of 2"):
        distribution(sanitize_in_parts, (0, 1, 1), sanitizer=response, size=2)
    with pytest.raises(InputError, match="0 rows"):
        distribution(sanitize_in_parts, (), sanitizer=response, size=2)


def test_a_shuffle_is_uniform() -> None:
    law = distribution(shuffled, (1, 2, 3), sanitizer=as_they_are)
    assert all(law.probability(order) == Fraction(1, 6) for order in permutations((1, 2, 3)))


@given(samples, st.integers(1, 3), st.integers(0, 2))
def test_algorithm_b_by_its_steps(sample: Any, block: int, most: int) -> None:
    """The numbers of rows by hand, with the rows themselves for the sanitized ones."""
    law = distribution(sanitize_labelled, sample, sanitizer=as_they_are, block=block, epsilon=LN2, most=most, filler=9)

    def at_least(t: int) -> Fraction:  # Pr[Lap(1/ln 2) ≥ t]
        return Fraction(1, 2) ** (t + 1) if t >= 0 else 1 - Fraction(1, 2) ** (1 - t)

    def chance(count: int, blocks: int) -> Fraction:
        """Pr[⌊max(0, ⌊count + Lap⌋)/M + 1/2⌋ = blocks, or more for the most]: ⌊noise⌋ ≥ t where noise ≥ t."""
        from_here = at_least(-(-(2 * blocks - 1) * block // 2) - count) if blocks else Fraction(1)
        return from_here - (at_least(-(-(2 * blocks + 1) * block // 2) - count) if blocks < most else 0)

    own = [tuple(x for x, y in sample if y == label) for label in (0, 1)]
    for blocks in product(range(most + 1), repeat=2):
        rows = [(s + (9,) * (b * block))[: b * block] for s, b in zip(own, blocks, strict=True)]
        outcome = tuple((b * block, s) for b, s in zip(blocks, rows, strict=True))
        assert law.probability(outcome) == chance(len(own[0]), blocks[0]) * chance(len(own[1]), blocks[1])


def test_without_a_cut_it_runs_on_many_rows() -> None:
    sample = tuple((i % 2, int(i % 3 == 0)) for i in range(3_000))
    found = run(sanitize_labelled, sample, seed=1, sanitizer=as_they_are, block=100, epsilon=1, filler=0)
    assert [(rows, len(s)) for rows, s in found] == [(2000, 2000), (1000, 1000)]


def test_the_error_on_a_released_database() -> None:
    released = ((4, (0, 1)), (2, (0, 0, 1)))
    # 4 copies of (0, 1) with label 0 and 2 of (0, 0, 1) with label 1; the threshold 1 gives 0 the label 1
    assert error_as_printed(Threshold(1), released) == Fraction(4 + 2, 8 + 6)
    assert error_by_rows(Threshold(1), released) == (4 * Fraction(1, 2) + 2 * Fraction(1, 3)) / 6
    for error in (error_as_printed, error_by_rows):
        assert error(Threshold(1), ((0, ()), (0, ()))) == 0


def test_as_printed_a_label_weighs_the_square_of_its_rows() -> None:
    """80 rows (3, 0) and 20 rows (0, 1), sanitized to the letter in parts of four: the error of c_0 is 1/5."""
    sample = ((3, 0),) * 80 + ((0, 1),) * 20

    def parts(draw: Draw, rows: Any) -> Any:
        return sanitize_in_parts(draw, rows, sanitizer=half_of_them, size=4)

    released = run(sanitize_labelled, sample, seed=1, sanitizer=parts, block=20, epsilon=1000, filler=0)
    assert [(rows, len(s)) for rows, s in released] == [(80, 40), (20, 10)]
    assert error_by_rows(Threshold(0), released) == Fraction(1, 5)
    assert error_as_printed(Threshold(0), released) == Fraction(1, 17)
    # of (3, 0), (1, 0) and (2, 1) the threshold 3 mislabels 16 %, and 0 24 %, which are 9 % by squares
    sample = ((3, 0),) * 60 + ((1, 0),) * 16 + ((2, 1),) * 24
    given: dict[str, Any] = {"sanitizer": parts, "block": 4, "epsilon": 1000, "filler": 0, "concepts": thresholds(2)}
    assert run(learn_by_labels, sample, seed=1, **given) == Threshold(3)
    assert run(learn_by_labels, sample, seed=1, error=error_as_printed, **given) == Threshold(0)


def test_learning_from_what_is_sanitized() -> None:
    concepts = thresholds(2)
    sample = ((0, 1), (1, 1), (2, 0), (3, 0))
    assert (
        distribution(learn_from_sanitized, sample, sanitizer=as_they_are, concepts=concepts).probability(Threshold(2))
        == 1
    )
    given: dict[str, Any] = {"sanitizer": as_they_are, "block": 2, "epsilon": 100, "filler": 0, "most": 1}
    law = distribution(learn_by_labels, sample, concepts=concepts, **given)
    assert law.probability(Threshold(2)) > Fraction(999, 1000)


def test_a_labelled_concept_is_1_where_the_concept_errs() -> None:
    errs = labelled_concept(Threshold(1))
    assert [errs((x, y)) for x in (0, 1) for y in (0, 1)] == [1, 0, 0, 1]


def test_the_printed_sizes() -> None:
    assert size_for_closeness(vc=1, alpha="0.1", beta="0.1") == 23026  # 5000·ln 100 = 23025.85…
    assert parts_needed(beta="0.1") == 415  # 180·ln 10 = 414.46…
    # 10·⌈180·ln 200·1.1⌉ = 10·⌈1049.05…⌉
    given: dict[str, Any] = {"alpha": "0.1", "beta": "0.1", "epsilon": 1}
    assert rows_of_a_block(rows=10, **given) == 10500
    assert rows_for_labels_by_blocks(rows=10, **given) == 600 * 10500


@in_one(
    "mechanism, rows, changed, words",
    [
        (small_database, (), {}, "the database is empty"),
        (small_database, (7,), {}, "row 0, 7, is not in the universe"),
        (small_database, (0,), {"size": 0}, "size=0"),
        (small_database, (0,), {"universe": (0, 0)}, "universe holds a point twice"),
        (small_database, (0,), {"concepts": ()}, "concepts is empty"),
        (small_database, (0,), {"epsilon": 0}, "epsilon=0"),
        (sanitize_labelled, (), {}, "the sample is empty"),
        (sanitize_labelled, (0,), {}, "row 0, 0, is not a pair"),
        (sanitize_labelled, ((0, 1.0),), {}, "is not a pair of a point and a label 0 or 1"),
        (sanitize_labelled, ((0, 2),), {}, "is not a pair of a point and a label 0 or 1"),
        (sanitize_labelled, ((0, True),), {}, "is not a pair of a point and a label 0 or 1"),
        (sanitize_labelled, ((0, 1),), {"block": 0}, "block=0"),
        (sanitize_labelled, ((0, 1),), {"most": -1}, "most=-1"),
        (learn_from_sanitized, ((0, 1),), {"concepts": ()}, "concepts is empty"),
        (learn_from_sanitized, (), {}, "the database is empty"),
        (learn_by_labels, ((0, 1),), {"concepts": ()}, "concepts is empty"),
    ],
)
def test_bad_input(mechanism: Any, rows: Any, changed: dict[str, Any], words: str) -> None:
    given: dict[Any, dict[str, Any]] = {
        small_database: {"universe": (0, 1), "concepts": thresholds(1), "size": 1, "epsilon": 1},
        sanitize_labelled: {"sanitizer": as_they_are, "block": 1, "epsilon": 1, "filler": 0, "most": 1},
        learn_from_sanitized: {"sanitizer": as_they_are, "concepts": thresholds(1)},
        learn_by_labels: {
            "sanitizer": as_they_are,
            "concepts": thresholds(1),
            "block": 1,
            "epsilon": 1,
            "filler": 0,
            "most": 1,
        },
    }
    with pytest.raises(InputError, match=words):
        distribution(mechanism, rows, **{**given[mechanism], **changed})

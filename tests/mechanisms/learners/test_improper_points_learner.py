"""The improper learner of points."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from dpverify.mechanisms import InputError, distribution, log, run, sample_size
from dpverify.mechanisms.learners import HashedPoint, learn_points_improperly
from dpverify.mechanisms.learners.improper_points_learner import hashed

SAMPLE = ((1, 1), (1, 1), (1, 1), (0, 0), (0, 0))


def test_its_law_by_hand() -> None:
    """At ε = 2·ln 2 a hypothesis that is right on q examples has the weight 2^q."""
    law = distribution(learn_points_improperly, SAMPLE, d=1, bits=1, epsilon=2 * log(2))
    # the identity: 1 is right on all five, and 0 on none; and all points on 0, which is right on three, and 1 on two
    by_hand = {
        HashedPoint((1,), 1): Fraction(1, 2) * Fraction(32, 33),
        HashedPoint((1,), 0): Fraction(1, 2) * Fraction(1, 33),
        HashedPoint((0,), 0): Fraction(1, 2) * Fraction(8, 12),
        HashedPoint((0,), 1): Fraction(1, 2) * Fraction(4, 12),
    }
    assert all(law.probability(h) == p for h, p in by_hand.items())
    assert sum(by_hand.values()) == 1


def test_two_points_have_one_hash_for_one_map_in_four() -> None:
    maps = list(product(range(8), repeat=2))
    for x, y in product(range(8), repeat=2):
        same = sum(hashed(x, masks) == hashed(y, masks) for masks in maps)
        assert same == (len(maps) if x == y else len(maps) // 4)


def test_a_hypothesis_is_1_on_a_quarter_of_the_points_or_more_where_masks_depend() -> None:
    for masks in product(range(1, 8), repeat=2):
        ones = [sum(map(HashedPoint(masks, j), range(8))) for j in range(4)]
        assert ones == ([2] * 4 if len(set(masks)) == 2 else [4, 0, 0, 4])


def test_a_point_among_two_to_the_64() -> None:
    target = 2**63 + 7
    sample = ((target, 1),) * 300 + tuple((i, 0) for i in range(300))
    found = run(learn_points_improperly, sample, seed=1, d=64, bits=6, epsilon=1)
    assert found(target) == 1
    assert sum(found(x) != y for x, y in sample) < 30


def test_rows_and_bits_do_not_depend_on_the_number_of_points() -> None:
    given: dict[str, Any] = {"alpha": "0.1", "beta": "0.1"}
    assert sample_size(learn_points_improperly, "bits", **given) == 11  # 2^11 ≥ 1,200
    assert sample_size(learn_points_improperly, epsilon=1, **given) == 3751  # 320·ln(122,880)
    assert sample_size(learn_points_improperly, epsilon="0.1", **given) == 8821  # 800·ln(61,440)


@pytest.mark.parametrize(
    ("sample", "changed", "words"),
    [((), {}, "empty"), (((8, 1),), {}, "row 0: the point 8"), (SAMPLE, {"bits": 0}, "bits")],
)
def test_what_is_refused(sample: Any, changed: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"d": 3, "bits": 1, "epsilon": 1, **changed}
    with pytest.raises(InputError, match=words):
        distribution(learn_points_improperly, sample, **given)

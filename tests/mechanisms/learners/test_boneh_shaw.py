"""The code of Boneh & Shaw: its exact laws against all codebooks, its tests, and what does not depend on names."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction as F
from itertools import permutations, product
from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import Distribution, InputError
from dpverify.mechanisms.learners import PIRATE_STRATEGIES, BonehShaw, accusation_of_pirates, is_feasible
from dpverify.mechanisms.learners.boneh_shaw import (
    accusation_of_columns,
    copies_as_printed,
    copies_needed,
    suspicion_of_innocent,
    word_that_accuses_nobody,
)
from dpverify.verifiers.utility import clopper_pearson

CODES = [
    BonehShaw(3, 2, F(9, 10), slack=F(1, 2)),
    BonehShaw(3, 2, F(9, 10), ends=True, slack=F(1, 3)),
    BonehShaw(3, 3, F(9, 10), slack=F(1, 2)),
    BonehShaw(4, 2, F(9, 10), slack=F(1, 3)),
    BonehShaw(2, 3, F(1, 2), ends=True, slack=F(1, 3)),
]


def by_definition(code: BonehShaw, weights: dict[int, int]) -> int | None:
    """Acc as it is written, in floats: the numbers are small, and no test is near its threshold."""
    slack = float(code.slack)
    for s in range(1, code.users + 1):
        if not code.ends and s == 1:
            guilty = weights[1] > 0
        elif not code.ends and s == code.users:
            guilty = weights[s - 1] < code.copies
        else:
            w = weights[s - 1] + weights[s]
            gap = w / 2 - slack * (w / 2 * log(2 * code.users / code.security)) ** 0.5 - weights[s - 1]
            assert abs(gap) > 1e-9 or not w
            guilty = gap > 1e-9
        if guilty:
            return s
    return None


def orders(code: BonehShaw) -> list[tuple[int, ...]]:
    """All codebooks, as the types of their columns."""
    return sorted(set(permutations([t for t in code.types for _ in range(code.copies)])))


@pytest.mark.parametrize("code", [*CODES[:1], pytest.param(CODES[1], marks=pytest.mark.deep), *CODES[2:3]], ids=str)
def test_pirates_against_all_codebooks(code: BonehShaw) -> None:
    """A pirate that puts its ones in the first columns of each kind that it sees, whatever the order is."""
    books = orders(code)
    for size in range(1, code.users + 1):
        coalition = tuple(range(1, code.users + 1))[-size:] if size != 2 else (1, code.users)
        groups = code.groups(coalition)
        for ones in [tuple(min(len(g) * code.copies, n) for g in groups) for n in range(6)]:
            seen = Counter()  # type: Counter[int | None]
            for book in books:
                left = dict(zip(groups, ones, strict=True))
                weights = dict.fromkeys(code.types, 0)
                for kind in book:
                    group = next(g for g in groups if kind in g)
                    if left[group]:
                        left[group] -= 1
                        weights[kind] += 1
                seen[by_definition(code, weights)] += 1
            law = accusation_of_pirates(code, coalition, ones).probabilities
            assert law == Distribution(seen).probabilities


@pytest.mark.parametrize("code", CODES, ids=str)
def test_columns_against_all_weights(code: BonehShaw) -> None:
    ones = {t: F(2 * i + 1, 7 + 2 * i) for i, t in enumerate(code.types)}
    law: dict[int | None, F] = {}
    for vector in product(range(code.copies + 1), repeat=len(code.types)):
        weights = dict(zip(code.types, vector, strict=True))
        chance = F(1)
        for t, w in weights.items():
            chance *= comb(code.copies, w) * ones[t] ** w * (1 - ones[t]) ** (code.copies - w)
        accused = by_definition(code, weights)
        assert accused == code.accuse(weights)
        law[accused] = law.get(accused, F(0)) + chance
    assert accusation_of_columns(code, ones).probabilities == Distribution(law).probabilities


def test_a_column_that_is_certain() -> None:
    code = BonehShaw(3, 40, F(1, 2), ends=True)
    law = accusation_of_columns(code, {0: 0, 1: 0, 2: 1, 3: 1})
    assert law.probability(2) == 1


@pytest.mark.parametrize("copies", [3, 12])
def test_an_innocent_user_is_one_of_two_types(copies: int) -> None:
    code = BonehShaw(3, copies, F(1, 2), slack=F(1, 2))
    for ones in range(2 * copies + 1):
        law = suspicion_of_innocent(code, ones)
        of_pirates = accusation_of_pirates(BonehShaw(3, copies, F(1, 2), True, F(1, 2)), (1, 3), (0, ones, copies))
        # with no 1 on type 0, user 1 can be accused of what is on type 1, and comes first
        assert law.probability(True) >= of_pirates.probability(2)
        assert law.probability(True) + law.probability(False) == 1


@pytest.mark.parametrize("ends", [False, True])
def test_copies_needed_are_enough_and_far_fewer_are_not(ends: bool) -> None:
    for n, xi in product((3, 4, 7), (F(1, 2), F(1, 100))):
        needed = copies_needed(n, xi, ends=ends)
        assert needed < copies_as_printed(n, xi)
        assert word_that_accuses_nobody(BonehShaw(n, needed, xi, ends)) is None
        found = word_that_accuses_nobody(BonehShaw(n, needed * 4 // 5, xi, ends))
        assert found is not None
        code = BonehShaw(n, needed * 4 // 5, xi, ends)
        assert code.accused(dict(zip(code.types, found, strict=True))) == ()


def test_no_word_of_few_copies_accuses_nobody_where_none_is_found() -> None:
    for copies in range(1, 12):
        code = BonehShaw(3, copies, F(9, 10))
        words = product(range(copies + 1), repeat=2)
        free = [w for w in words if not code.accused(dict(zip(code.types, w, strict=True)))]
        found = word_that_accuses_nobody(code)
        assert (found is None) == (not free)
        assert found is None or found in free


@given(st.integers(2, 6), st.integers(1, 30), st.booleans(), st.randoms(use_true_random=False), st.data())
@few(10, deep=200)
def test_what_pirates_make_is_feasible_and_its_groups_are_marked(
    users: int, copies: int, ends: bool, source: object, data: st.DataObject
) -> None:
    code = BonehShaw(users, copies, F(1, 10), ends)
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    coalition = sorted(data.draw(st.sets(st.integers(1, users), min_size=1)))
    types, matrix = code.codebook(generator)
    assert matrix.shape == (users, code.length)
    rows = matrix[[user - 1 for user in coalition]]
    allowed = [set(range(len(g) * copies + 1)) for g in code.groups(coalition)]
    for g, most in zip(code.groups(coalition), allowed, strict=True):
        if (bit := code.marked(coalition, g)) is not None:
            most &= {bit * len(g) * copies}
    for name, strategy in PIRATE_STRATEGIES.items():
        word = strategy(rows, generator)
        assert is_feasible(rows, word), name
        weights = code.weights(types, word)
        for g, most in zip(code.groups(coalition), allowed, strict=True):
            assert sum(weights[t] for t in g) in most, name


def test_a_word_that_is_not_feasible() -> None:
    rows = np.array([[0, 1, 0], [0, 1, 1]], dtype=np.uint8)
    assert is_feasible(rows, np.array([0, 1, 1], dtype=np.uint8))
    assert not is_feasible(rows, np.array([1, 1, 1], dtype=np.uint8))
    assert not is_feasible(rows, np.array([0, 0, 1], dtype=np.uint8))


def test_the_least_exposed_is_followed() -> None:
    """The first, then the second, who has agreed but where all do, then the third, and then the first of all again."""
    rows = np.array([[0, 0, 1, 1, 1], [1, 0, 0, 1, 0], [1, 0, 1, 0, 0]], dtype=np.uint8)
    assert PIRATE_STRATEGIES["least exposed"](rows, np.random.default_rng(1)).tolist() == [0, 0, 0, 0, 1]


def test_who_is_accused_does_not_depend_on_the_order_of_the_columns() -> None:
    generator = np.random.default_rng(3)
    code = BonehShaw(4, 60, F(1, 2))
    types, matrix = code.codebook(generator)
    word = PIRATE_STRATEGIES["majority"](matrix[:3], generator)
    order = generator.permutation(code.length)
    assert code.accused(code.weights(types, word)) == code.accused(code.weights(types[order], word[order]))


def test_sampled_frequencies_lie_in_the_interval_around_the_exact_number() -> None:
    code = BonehShaw(3, 6, F(9, 10), slack=F(1, 2))
    generator = np.random.default_rng(5)
    trials, found = 1_000, 0
    for _ in range(trials):
        types, matrix = code.codebook(generator)
        rows = matrix[[0, 2]]
        differ = np.flatnonzero(rows[0] != rows[1])
        word = rows.min(axis=0)
        word[differ[:5]] = 1
        found += code.accuse(code.weights(types, word)) == 2
    exactly = accusation_of_pirates(code, (1, 3), (5,)).probability(2)
    low, high = clopper_pearson(found, trials, F(999, 1000))
    assert low < exactly < high
    assert 0 < exactly < 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BonehShaw(1, 3, F(1, 2)), "the code of one user needs a column"),
        (lambda: BonehShaw(3, 0, F(1, 2)), "copies=0"),
        (lambda: BonehShaw(3, 3, F(3, 2)), "security=3/2"),
        (lambda: accusation_of_pirates(CODES[0], (), (1,)), r"\) must be among the users 1 to 3"),
        (lambda: accusation_of_pirates(CODES[0], (4,), (1,)), r"\) must be among the users 1 to 3"),
        (lambda: accusation_of_pirates(CODES[0], (1, 3), (5,)), r"each of the groups \(range\(1, 3\),\) of 2 copies"),
        (lambda: accusation_of_columns(CODES[0], {1: 0, 2: 2}), "the probability 2 of a 1 must be from 0 to 1"),
        (lambda: suspicion_of_innocent(CODES[0], 5), "ones=5"),
    ],
)
def test_what_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()

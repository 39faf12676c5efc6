"""The lower bound by tracing on few columns: against closed forms, and a sum over all codebooks."""

from fractions import Fraction as F
from itertools import product
from math import comb

import pytest

from dpverify.mechanisms import exact, exp
from dpverify.verifiers.catalogue.learners.tracing.tracing_lower_bound import (
    accusation,
    direct_sum_of_generic,
    epsilon_of,
    forced_by_tracing,
    is_feasible,
    suspicion,
    types_of,
    unsound,
    words,
)
from dpverify.verifiers.optimal.best import best_mechanism

ODDS = F(41, 40)


@pytest.mark.parametrize("copies", [1, 2])
def test_of_one_user_the_best_is_known(copies: int) -> None:
    """All N = C(2d, d) codewords are neighbours: the right one with e^ε/(e^ε + N − 1), and e^ε/N is what is forced."""
    case = {"users": 1, "copies": copies, "odds": ODDS}
    instance, e = words(case), exp(epsilon_of(case))
    number = comb(2 * copies, copies)
    assert e == exact(ODDS ** (4 * copies))
    best = best_mechanism(
        instance.databases,
        None,
        instance.succeeds,
        epsilon=epsilon_of(case),
        outcomes=instance.outcomes,
        distance=instance.distance,
        symmetries=instance.symmetries,
    )
    assert best.success == e / (e + number - 1)
    assert forced_by_tracing(case) == e / number


def test_codebooks_are_all_orders_of_the_columns() -> None:
    books = types_of(2, 2)
    assert len(books) == 90
    assert all(sorted(types) == [0, 0, 1, 1, 2, 2] for types in books.values())
    rows = min(books)
    assert is_feasible(rows, rows[0])
    assert not is_feasible(rows, tuple(1 - bit for bit in rows[0]))


@pytest.mark.parametrize(("users", "copies"), [(1, 2), (2, 1), (2, 2), (3, 1)])
def test_what_bounds_suspicion_is_attained_or_not_and_never_passed(users: int, copies: int) -> None:
    case = {"users": users, "copies": copies, "odds": ODDS}
    assert unsound(case) is None
    assert unsound(case, F(9, 10)) is not None


def test_the_direct_sum_against_a_sum_over_words() -> None:
    """n = 2: thresholds 0, 1, 2 are right on e^(2·correct/2) = odds^correct, and round to 0, 1, 1."""
    law = direct_sum_of_generic({"users": 2, "copies": 2, "odds": ODDS})
    rows, types = min(types_of(2, 2).items())
    ones = {0: (ODDS + 1) / (ODDS**2 + ODDS + 1), 1: (ODDS**2 + ODDS) / (ODDS**2 + 2 * ODDS), 2: (ODDS + ODDS**2)}
    ones[2] /= 1 + ODDS + ODDS**2
    found = law(rows).probabilities
    for word in product((0, 1), repeat=6):
        chance = F(1)
        for kind, bit in zip(types, word, strict=True):
            chance *= ones[kind] if bit else 1 - ones[kind]
        assert found[word] == chance


def test_who_jumps_is_accused() -> None:
    assert accusation(2, 2, (0, 0, 1, 1, 2, 2), (0, 0, 1, 0, 1, 1)) == {1: F(1, 2), 2: F(1, 2)}
    assert accusation(2, 2, (0, 0, 1, 1, 2, 2), (1, 0, 1, 0, 1, 1)) == {}
    assert suspicion(2, 2, 1) == suspicion(2, 2, 2) == F(1, 4)

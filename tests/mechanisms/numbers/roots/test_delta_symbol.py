"""The symbolic δ: it is a number in claims alone, and whoever does not know of it refuses it."""

import pickle
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError, Limits, Undecided, distribution, exact, exp, log, symbolic
from dpverify.mechanisms.numbers.roots import symbolic_delta, symbolic_depth
from dpverify.mechanisms.numbers.roots.delta_symbol import holds_delta, with_delta
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbol_in
from dpverify.mechanisms.numbers.symbols import OF_DELTA, OF_DEPTH, SymbolOfTheorems
from dpverify.mechanisms.selection import choose_by_stability
from dpverify.verifiers import Scores, check_privacy, scores_linf
from dpverify.verifiers.problems.preparation.experiment import prepared_in_full
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee

TENTH = Fraction(1, 10)
BOTH = exp(2 * symbolic) * symbolic_delta / 2


def test_it_is_told_as_delta_and_written_by_its_name() -> None:
    assert (str(symbolic_delta), repr(symbolic_delta)) == ("δ", "symbolic_delta")
    assert str(BOTH) == "1/2·e^(2·ε)·δ"
    assert str(BOTH / symbolic_delta) == "1/2·e^(2·ε)"


def test_there_is_one_and_it_travels() -> None:
    for symbol, base in ((symbolic_delta, OF_DELTA), (symbolic_depth, OF_DEPTH)):
        assert pickle.loads(pickle.dumps(symbol)) is symbol
        with pytest.raises(AssertionError):
            SymbolOfTheorems(base)


@in_one(
    "value, holds",
    [
        (symbolic_delta, True),
        (BOTH, True),
        (1 - symbolic_delta, True),
        (log(1 + symbolic_delta), True),
        ((1, [symbolic_delta]), True),
        ({"delta": 2 * symbolic_delta}, True),
        (1 + symbolic_delta * symbolic, True),
        (BOTH / symbolic_delta, False),
        (symbolic, False),
        (exact(3), False),
        ("δ", False),
        ((1, {"delta": TENTH}), False),
    ],
)
def test_what_depends_on_it_is_known(value: Any, holds: bool) -> None:
    assert holds_delta(value) is holds


def test_a_number_takes_its_place() -> None:
    assert with_delta(2 * symbolic_delta, TENTH) == Fraction(1, 5)
    assert with_delta(BOTH, "1/3") == exp(2 * symbolic) / 6
    found = with_delta({"a": (symbolic_delta, 1), "b": ["δ", symbolic]}, TENTH)
    assert found == {"a": (TENTH, 1), "b": ["δ", symbolic]}
    for number in (0, 1, -1, 2):
        with pytest.raises(InputError, match="between 0 and 1"):
            with_delta(symbolic_delta, number)


def test_only_what_is_so_for_all_of_them_is_said() -> None:
    assert symbolic_delta > 0
    assert 1 + symbolic_delta > 0
    assert BOTH > 0
    assert symbolic_delta < 1 and 2 - 2 * symbolic_delta > 0 and 1 - symbolic_delta / 2 > 0
    for number in (symbolic_delta - TENTH, symbolic_delta**2 - 1, 1 - 2 * symbolic_delta, symbolic_depth - 1):
        with pytest.raises(Undecided, match="depends on δ"):
            assert number < 0
    with pytest.raises(InputError, match="two symbolic"):
        assert symbolic_delta < symbolic


@in_one(
    "door",
    [
        lambda: symbol_in(symbolic_delta),
        lambda: privacy_guarantee(1, symbolic_delta),
        lambda: privacy_guarantee(symbolic, BOTH),
        lambda: distribution(choose_by_stability, (0, 1), epsilon=1, delta=symbolic_delta),
        lambda: check_privacy(choose_by_stability, Scores(solutions=2), scores_linf, epsilon=symbolic_delta, delta=0),
        lambda: check_privacy(
            choose_by_stability, Scores(solutions=2), scores_linf, epsilon=1, delta=symbolic_delta - TENTH
        ),
        lambda: symbol_in((symbolic, BOTH)),
        lambda: prepared_in_full(
            Question(
                choose_by_stability,
                [(0, 1), (1, 1)],
                lambda _: [],
                privacy_guarantee(1, symbolic_delta, every_delta=True),
                {},
                Limits(),
            )
        ),
    ],
)
def test_whoever_does_not_know_of_it_refuses_it(door: Any) -> None:
    with pytest.raises((InputError, Undecided)):
        door()


def test_a_claim_is_of_a_multiple_of_it() -> None:
    claim = privacy_guarantee(2 * symbolic, BOTH, every_delta=True)
    assert (claim.epsilon, claim.delta) == (2 * symbolic, BOTH)
    assert privacy_guarantee(1, TENTH, every_delta=True) == privacy_guarantee(1, TENTH)
    for epsilon, delta in (
        (symbolic_delta, 0),
        (1, -symbolic_delta),
        (1, TENTH - symbolic_delta),
        (-1, symbolic_delta),
    ):
        with pytest.raises(InputError):
            privacy_guarantee(epsilon, delta, every_delta=True)

"""What the exponential mechanism remembers: numbers by the differences of qualities, and the choices made last."""

from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from itertools import permutations, product
from typing import Any

import pytest

from dpverify.mechanisms import (
    Distribution,
    Draw,
    Exact,
    InputError,
    distribution,
    exp,
    exponential,
    log,
    run,
    symbolic,
)
from dpverify.mechanisms.numbers.exact_numbers import exact, reciprocal_of_nonzero, total
from dpverify.mechanisms.numbers.exact_numbers import product as multiplied
from dpverify.mechanisms.outputs import distributions, scored

exponential_mechanism = import_module("dpverify.mechanisms.selection.exponential_mechanism")  # and not the function

EPSILONS = (1, Fraction(2, 3), log(4), symbolic)


@pytest.fixture
def nothing_is_remembered() -> Iterator[None]:
    """Nothing of what is remembered is there, before and after."""
    forget()
    yield
    forget()


def forget() -> None:
    distributions._normals.clear()
    scored._choosers.cache_clear()
    exponential_mechanism._lately.cache_clear()
    exponential_mechanism.weights_of.cache_clear()


def by_definition(scores: tuple[int, ...], epsilon: Any, sensitivity: Any = 1) -> list[Exact]:
    """exp(ε·q/(2·sensitivity)) over the sum of them, each number made anew."""
    weights = [exp(exact(epsilon) / 2 / sensitivity * (score - max(scores))) for score in scores]
    scale = reciprocal_of_nonzero(total(weights))
    return [multiplied((weight, scale)) for weight in weights]


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.usefixtures("nothing_is_remembered")
def test_every_choice_on_a_small_domain_is_the_one_by_definition(epsilon: Any) -> None:
    """The very same numbers, the first time and when their pattern was met in other orders and with other outcomes."""
    for scores in product(range(4), repeat=3):
        for names in ("abc", (0, 1, 2)):
            law = exponential(dict(zip(names, scores, strict=True)), epsilon)
            found = [law.probabilities[name] for name in names]
            assert all(mine is other for mine, other in zip(found, by_definition(scores, epsilon), strict=True))


@pytest.mark.usefixtures("nothing_is_remembered")
def test_what_is_remembered_is_of_one_rate() -> None:
    rates: tuple[Fraction, ...] = (Fraction(1), Fraction(2), Fraction(1, 2))
    for epsilon, sensitivity in product(rates, repeat=2):
        law = exponential((0, 1, 3), epsilon, sensitivity=sensitivity)
        assert list(law.probabilities.values()) == by_definition((0, 1, 3), epsilon, sensitivity)


@pytest.mark.usefixtures("nothing_is_remembered")
def test_patterns_count_how_many_outcomes_have_a_weight() -> None:
    for scores in ((0, 0, 1), (0, 1, 1), (0, 1), (0, 0, 1, 1)):
        law = exponential(scores, 1)
        assert [law.probabilities[h] for h in range(len(scores))] == by_definition(scores, 1)


@pytest.mark.usefixtures("nothing_is_remembered")
def test_outcomes_that_are_equal_and_not_the_same_stay_apart() -> None:
    """True and 1 are equal keys: what is remembered goes by the objects."""
    first, second = exponential({1: 0, 2: 1}, 1), exponential({True: 0, 2: 1}, 1)
    assert [type(outcome) for outcome in first] == [int, int]
    assert [type(outcome) for outcome in second] == [bool, int]


@pytest.mark.usefixtures("nothing_is_remembered")
def test_a_truth_value_is_no_quality_although_it_equals_one_that_was_met() -> None:
    assert exponential([0, 1], 1) == exponential([0, 1], 1)
    with pytest.raises(InputError, match="quality"):
        exponential([False, True], 1)


@pytest.mark.usefixtures("nothing_is_remembered")
def test_a_parameter_that_equals_one_that_was_met_is_checked_all_the_same() -> None:
    exponential([0, 1], 1)
    bad: Any
    for bad in (True, 1.0):
        with pytest.raises(InputError, match="epsilon"):
            exponential([0, 1], bad)
        with pytest.raises(InputError, match="sensitivity"):
            exponential([0, 1], 1, sensitivity=bad)
    for sign in (0, -1):
        with pytest.raises(InputError, match="must be greater than 0"):
            exponential([0, 1], sign)


@pytest.mark.usefixtures("nothing_is_remembered")
def test_a_quality_that_changes_later_changes_no_law() -> None:
    quality = {"a": 0, "b": 1}
    law = exponential(quality, 1)
    quality["a"] = 5
    changed = exponential(quality, 1)
    assert [law.probabilities[h] for h in "ab"] == by_definition((0, 1), 1)
    assert [changed.probabilities[h] for h in "ab"] == by_definition((5, 1), 1)


@pytest.mark.usefixtures("nothing_is_remembered")
def test_tables_that_are_full_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributions, "_MOST", 3)
    monkeypatch.setattr(exponential_mechanism, "_LATELY", 2)
    monkeypatch.setattr(exponential_mechanism, "_MOST", 2)
    for epsilon, scores in product((1, 2, 3), permutations((0, 1, 3, 7))):
        law = exponential(scores, epsilon)
        assert [law.probabilities[h] for h in range(4)] == by_definition(scores, epsilon)
    assert len(distributions._normals) <= 3
    assert len(exponential_mechanism._lately()) <= 2
    assert all(len(exponential_mechanism.weights_of(exact(epsilon) / 2)) <= 2 for epsilon in (1, 2, 3))


def test_a_total_that_the_caller_knows_is_taken() -> None:
    """Of another form than the sum of the weights would have, and equal to it."""
    weights = [exp(log(2) * 3), exp(1), 8 - exp(1)]
    law = Distribution.of_blocks([((h,), weight) for h, weight in enumerate(weights)], total_weight=exact(16))
    assert law.total_weight is exact(16)
    assert all(law.probability(h) is multiplied((weight, exact("1/16"))) for h, weight in enumerate(weights))


def test_a_law_of_probabilities_is_one_of_blocks() -> None:
    probabilities: dict[str | int, Exact] = {"a": exact(Fraction(1, 4)), 1: exact(Fraction(3, 4))}
    law = Distribution.of_probabilities(probabilities)
    assert law == Distribution(probabilities) == Distribution.of_blocks(law.blocks)
    assert law.blocks == ((("a",), exact("1/4")), ((1,), exact("3/4")))
    assert law.size == len(law) == 2
    assert list(law) == ["a", 1]
    assert law.leaves == tuple(probabilities.items())
    assert repr(law) == "Distribution({'a': Fraction(1, 4), 1: Fraction(3, 4)})"
    assert law.cumulative_bounds(8) == ([64, 256], [64, 256])


def test_a_mechanism_that_chooses_again_and_again_has_the_law_by_definition() -> None:
    """Two choices in one run, of two qualities and of one: what was chosen from lately is not mixed up."""

    def chosen(draw: Any, scores: tuple[int, ...], *, epsilon: Any) -> tuple[int, int, int]:
        other = {h: -score for h, score in enumerate(scores)}
        first = dict(enumerate(scores))
        return draw(exponential(first, epsilon)), draw(exponential(other, epsilon)), draw(exponential(first, epsilon))

    scores = (0, 2, 1)
    up, down = by_definition(scores, 1), by_definition((0, -2, -1), 1)
    law = distribution(chosen, scores, epsilon=1)
    for i, j, k in product(range(3), repeat=3):
        assert law.probability((i, j, k)) == up[i] * down[j] * up[k]


def peeled(draw: Draw, scores: tuple[int, ...]) -> Any:
    """Two choices, the second among those that are left: made by changing what the first was drawn from."""
    first = draw(exponential(scores, 1))
    left = exponential(scores, 1).probabilities
    assert isinstance(left, dict)
    left.pop(first)
    return first, draw(Distribution(left))


def peeled_with_care(draw: Draw, scores: tuple[int, ...]) -> Any:
    first = draw(exponential(scores, 1))
    return first, draw(Distribution({x: p for x, p in exponential(scores, 1).probabilities.items() if x != first}))


@pytest.mark.usefixtures("nothing_is_remembered")
def test_who_changes_what_is_given_out_changes_nothing_that_is_remembered() -> None:
    scores = (2, 0, 1)
    expected = distribution(peeled_with_care, scores).probabilities
    assert distribution(peeled, scores).probabilities == expected
    assert distribution(peeled_with_care, scores).probabilities == expected
    assert len(expected) == 6
    assert all(len(set(run(peeled, scores, seed=seed))) == 2 for seed in range(20))

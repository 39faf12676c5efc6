"""Sub-mechanisms: each is its law, what that may depend on, and what may leave it."""

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import (
    Distribution,
    Draw,
    Limits,
    MechanismError,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    laplace,
    log,
    run,
    uniform,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.drawing.enumerator import Enumeration


def _inner(draw: Draw, x: int, *, shift: int) -> int:
    return x + shift + sum(bool(draw(bernoulli("0.5"))) for _ in range(3))


def test_a_sub_mechanism_is_its_law() -> None:

    enumeration = Enumeration(Limits())
    law = enumeration.law(lambda draw, database: (draw(_inner, 1, shift=2), draw(_inner, 1, shift=2)), (0,), {})
    assert enumeration.runs == 8 + 4 * 4  # enumerated once, whatever the number of its outcomes and uses
    assert law == distribution(lambda draw, database: (_inner(draw, 1, shift=2), _inner(draw, 1, shift=2)), 0)


def test_sub_mechanisms_get_exact_parameters() -> None:
    def inner(draw: Draw, database: int, *, epsilon: Fraction) -> str:
        return type(epsilon).__name__

    def outer(draw: Draw, database: int) -> Any:
        return draw(inner, database, epsilon=1)

    assert distribution(outer, 0).probabilities == {run(outer, 0): 1} == {"Fraction": 1}


def test_a_method_of_an_object_that_changes_is_not_remembered() -> None:
    """Two calls of a bound method may mean two laws."""

    class Box:
        value = 0

        def part(self, draw: Draw) -> int:
            return self.value

    def mechanism(draw: Draw, database: int) -> Any:
        box = Box()
        box.value = draw(uniform((1, 2)))
        return draw(box.part)

    assert distribution(mechanism, 0).probabilities == {1: Fraction(1, 2), 2: Fraction(1, 2)}


def test_drawing_without_replacement_by_a_closure() -> None:
    """The closure sees another list at the second draw: its law is not the one of the first."""

    def two(draw: Draw, database: tuple[int, ...]) -> tuple[int, int]:
        remaining = list(database)

        def pick(draw: Draw) -> int:
            return int(draw(uniform(tuple(remaining))))

        first = draw(pick)
        remaining.remove(first)
        return first, draw(pick)

    half = Fraction(1, 2)
    assert distribution(two, (0, 1)).probabilities == {(0, 1): half, (1, 0): half}
    assert {run(two, (0, 1), seed=seed) for seed in range(20)} == {(0, 1), (1, 0)}


def test_equal_arguments_of_different_types_are_different_arguments() -> None:
    def told_apart(draw: Draw, *given: Any, **named: Any) -> str:
        return repr((given, sorted(named.items())))

    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((1,), {}),
        ((True,), {}),
        (((1,),), {}),
        (((True,),), {}),
        (((Fraction(1),),), {}),
        ((), {"a": 1, "b": True}),
        ((), {"b": 1, "a": True}),
        (({"a": 1, "b": 2},), {}),
        (({"b": 2, "a": 1},), {}),
        (({"a": True, "b": 2},), {}),
    ]

    def mechanism(draw: Draw, database: int) -> Any:
        return tuple(draw(told_apart, *given, **named) for given, named in calls)

    in_its_place: Any = run
    expected = tuple(told_apart(in_its_place, *given, **named) for given, named in calls)
    assert distribution(mechanism, 0).probabilities == {expected: 1}


def test_an_argument_that_changes_is_not_remembered() -> None:
    class State:
        n = 0

    def sub(draw: Draw, state: State) -> int:
        return state.n

    def mechanism(draw: Draw, database: int) -> Any:
        state = State()
        before = draw(sub, state)
        state.n = 1
        return before, draw(sub, state)

    assert distribution(mechanism, 0).probabilities == {(0, 1): 1}


def test_a_dict_that_changes_is_another_argument() -> None:
    """By the mechanism between two draws."""

    def look(draw: Draw, counts: dict[str, int]) -> int:
        return counts["n"]

    def mechanism(draw: Draw, database: int) -> Any:
        counts = {"n": database}
        before = draw(look, counts)
        counts["n"] = draw(uniform((7, 8)))
        return before, draw(look, counts)

    half = Fraction(1, 2)
    assert distribution(mechanism, 0).probabilities == {(0, 7): half, (0, 8): half}
    assert {run(mechanism, 0, seed=seed) for seed in range(20)} == {(0, 7), (0, 8)}


def test_a_dict_that_holds_itself() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        endless: dict[str, Any] = {}
        endless["endless"] = endless
        return draw(lambda inner, given: len(given), endless)

    assert distribution(mechanism, 0).probabilities == {1: 1}


def test_the_law_for_a_dict_is_remembered() -> None:
    """Sixteen paths lead to the second draw, of two laws."""

    def chosen(draw: Draw, counts: dict[int, int]) -> int:
        return int(draw(uniform(tuple(counts))))

    def mechanism(draw: Draw, database: int) -> Any:
        drawn = [draw(uniform(range(2))) for _ in range(4)]
        return draw(chosen, dict.fromkeys(range(1 + drawn[-1]), 0))

    enumeration = Enumeration(Limits())
    law = enumeration.law(mechanism, (0,), {})
    assert law.probabilities == {0: Fraction(3, 4), 1: Fraction(1, 4)}
    assert enumeration.runs == 16 + 1 + 2


def _leaks_noise(draw: Draw, database: int) -> Any:
    kept: list[Any] = []

    def sub(inner: Draw) -> int:
        kept.append(inner(discrete_laplace(1)))
        return 0

    draw(sub)
    return 1 if kept[-1] + database >= 1 else 0


def _leaks_clamped_noise(draw: Draw, database: int) -> Any:
    kept: list[Any] = []
    draw(lambda inner: kept.append(inner(discrete_laplace(1))))
    return clamp(kept[-1], 0, 1)


def _leaks_noise_to_be_rounded(draw: Draw, database: int) -> Any:
    kept: list[Any] = []
    draw(lambda inner: kept.append(inner(laplace(1))))
    return floor(kept[-1])


def _leaks_draw(draw: Draw, database: int) -> Any:
    kept: list[Any] = []
    draw(kept.append)
    return kept[-1](bernoulli("0.5"))


def _uses_the_outer_draw(draw: Draw, database: int) -> Any:
    return draw(lambda inner: draw(bernoulli("0.5")))


def _uses_outer_noise(draw: Draw, database: int) -> Any:
    noise = draw(discrete_laplace(1))
    return draw(lambda inner: bool(noise >= 1))


@in_one(
    "mechanism",
    [
        *(_leaks_noise, _leaks_clamped_noise, _leaks_noise_to_be_rounded, _leaks_draw, _uses_the_outer_draw),
        _uses_outer_noise,
    ],
)
def test_draws_and_noise_stay_in_their_call(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(MechanismError, match=r"changed (kept|list.append)|used in another one, or after its call"):
        distribution(mechanism, 0)
    with debugging(), pytest.raises(MechanismError, match="used in another one, or after its call"):
        run(mechanism, 0)


def test_noise_that_a_sub_mechanism_returns_is_noise_of_the_caller() -> None:
    def sub(draw: Draw, x: int) -> Any:
        return x - draw(discrete_laplace(1 / log(2))) / 2, "label"

    def mechanism(draw: Draw, database: int) -> Any:
        value, label = draw(sub, database)
        return bool(value >= database), clamp(value, -50, 50), label

    law = distribution(mechanism, 3)
    assert law.probability(*(outcome for outcome in law if outcome[0])) == Fraction(2, 3)
    for seed in range(20):
        above, value, label = run(mechanism, 3, seed=seed)
        assert (above, label) == (value >= 3, "label")


@given(st.integers(-3, 3), st.integers(-3, 3), st.sampled_from([1, -1]))
def test_what_was_learnt_of_noise_that_is_returned_stays_known(cut: int, threshold: int, way: int) -> None:
    """The law is that of the mechanism with the other one written out in it, and nothing that was ruled out comes."""

    def above(draw: Draw, database: int) -> Any:
        noisy = database + draw(discrete_laplace(1 / log(2)))
        return way * noisy if noisy > cut else None

    def drawn(draw: Draw, database: int) -> Any:
        found = draw(above, database)
        return None if found is None else (bool(found >= threshold), clamp(found, -4, 4))

    def inlined(draw: Draw, database: int) -> Any:
        found = above(draw, database)
        return None if found is None else (bool(found >= threshold), clamp(found, -4, 4))

    law = distribution(drawn, 0)
    assert law.probabilities == distribution(inlined, 0).probabilities
    kept = {way * noisy for noisy in range(cut + 1, 60)}
    assert set(law) == {None} | {(found >= threshold, min(max(found, -4), 4)) for found in kept}
    assert distribution(lambda draw, x: draw(above, x), 0).probability(way * cut) == 0


def test_noise_that_a_sub_mechanism_returns_twice_is_one_noise() -> None:
    def sub(draw: Draw, x: int) -> Any:
        noise = draw(laplace(1))
        return x + noise, 2 * noise, (noise,)

    def mechanism(draw: Draw, database: int) -> Any:
        noisy, double, (noise,) = draw(sub, database)
        return noisy - noise == database, noisy - double + noise == database, double - noise != noise

    assert distribution(mechanism, 3) == Distribution({(True, True, False): 1})
    assert run(mechanism, 3) == (True, True, False)


@pytest.mark.parametrize("noise", [discrete_laplace(1), laplace(1)])
@pytest.mark.parametrize("apart", [False, True])
def test_noise_of_another_mechanism_is_not_returned_as_if_it_were_drawn_anew(noise: Any, apart: bool) -> None:
    def mechanism(draw: Draw, x: int) -> Any:  # where it was, x stood beside noise that hides nothing
        drawn = draw(noise)

        def sub(inner: Draw, _: int) -> Any:
            return drawn

        return x + drawn, draw.each(sub, (1,)) if apart else draw(sub, 1)

    with pytest.raises(MechanismError, match="noise, of one mechanism was used in another one"):
        distribution(mechanism, 0)
    with debugging(), pytest.raises(MechanismError, match="noise, of one mechanism was used in another one"):
        run(mechanism, 0)

"""The enumerator: exact laws against brute force, and what it refuses."""

from __future__ import annotations

import math
import operator
import random
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import count, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    Limits,
    MechanismError,
    Undecided,
    bernoulli,
    clamp,
    debugging,
    discrete_laplace,
    distribution,
    exp,
    exponential,
    laplace,
    log,
    run,
    sqrt,
    truncated_discrete_laplace,
    truncated_laplace,
    uniform,
)
from dpverify.mechanisms.exact.errors import LimitMet
from dpverify.mechanisms.exact.exact_numbers import Exact, total
from dpverify.mechanisms.laws.enumerator import Enumeration

Z = Fraction(1, 2)
UNIT = 1 / log(2)
"""The scale at which discrete Laplace noise has z = 1/2."""


def discrete_pmf(k: int) -> Fraction:
    return (1 - Z) / (1 + Z) * Z ** abs(k)


def as_fractions(law: Distribution[Any]) -> dict[Any, Fraction]:
    found = {}
    for outcome, p in law.probabilities.items():
        value = next(f for f in [Fraction(int(p.terms[0].coefficient.p), int(p.terms[0].coefficient.q))] if p == f)
        found[outcome] = value
    return found


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3).filter(any), min_size=1, max_size=3))
def test_draws_multiply_and_outcomes_merge(tables: list[list[int]]) -> None:
    def mechanism(draw: Draw, database: tuple[()]) -> int:
        return sum(int(draw(Distribution(dict(enumerate(table))))) for table in tables)

    expected: Counter[int] = Counter()
    for picks in product(*(range(len(table)) for table in tables)):
        weight = Fraction(1)
        for table, pick in zip(tables, picks, strict=True):
            weight *= Fraction(table[pick], sum(table))
        expected[sum(picks)] += weight  # type: ignore[assignment]  # Counter is typed for whole counts
    law = distribution(mechanism, ())
    assert {o: law.probability(o) for o in expected} == expected
    assert total(law.probabilities.values()) == 1


def test_draws_may_depend_on_draws() -> None:
    def mechanism(draw: Draw, database: int) -> int:
        steps = 0
        while steps < 4 and draw(bernoulli(Fraction(1, steps + 2))):
            steps += 1
        return steps

    assert as_fractions(distribution(mechanism, 0)) == {
        0: Fraction(1, 2),
        1: Fraction(1, 3),
        2: Fraction(1, 8),
        3: Fraction(1, 30),
        4: Fraction(1, 120),
    }


def test_a_returned_distribution_is_drawn_from() -> None:
    def returns(draw: Draw, database: int) -> Distribution[int]:
        coin = draw(bernoulli("0.25"))
        return uniform(range(2, 4)) if coin else exponential([0, 1, 1], 1)

    def draws(draw: Draw, database: int) -> Any:
        return draw(returns(draw, database))

    assert distribution(returns, 0) == distribution(draws, 0)


_calls: list[int] = []


def _inner(draw: Draw, x: int, *, shift: int) -> int:
    _calls.append(x)
    return x + shift + sum(bool(draw(bernoulli("0.5"))) for _ in range(3))


def test_a_sub_mechanism_is_its_law() -> None:
    def collapsed(draw: Draw, database: int) -> tuple[int, int]:
        return draw(_inner, 1, shift=2), draw(_inner, 1, shift=2)

    def inlined(draw: Draw, database: int) -> tuple[int, int]:
        return _inner(draw, 1, shift=2), _inner(draw, 1, shift=2)

    _calls.clear()
    law = distribution(collapsed, 0)
    assert len(_calls) == 8  # enumerated once, whatever the number of its outcomes and uses
    assert law == distribution(inlined, 0)


def brute_force_noise(decide: Callable[[list[int]], Any], noises: int, reach: int = 60) -> dict[Any, Fraction]:
    """Sums the definition over |N| ≤ reach; what is left out is below z^reach."""
    found: dict[Any, Fraction] = {}
    for values in product(range(-reach, reach + 1), repeat=noises):
        weight = Fraction(1)
        for value in values:
            weight *= discrete_pmf(value)
        outcome = decide(list(values))
        found[outcome] = found.get(outcome, Fraction(0)) + weight
    return found


def agree(law: Distribution[Any], sums: dict[Any, Fraction], reach: int = 60) -> None:
    for outcome, p in sums.items():
        assert 0 <= law.probability(outcome) - p <= 4 * Z**reach


RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}


@pytest.mark.parametrize("threshold", [0, 3, -2, Fraction(5, 2), log(8) / log(2), log(9) / log(2), sqrt(2)])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("sign", [1, -1])
def test_one_noise_against_a_threshold(threshold: Any, relation: str, sign: int) -> None:
    compare = RELATIONS[relation]

    def mechanism(draw: Draw, database: int) -> bool:
        return bool(compare(database + sign * draw(discrete_laplace(UNIT)), threshold))

    agree(distribution(mechanism, 1), brute_force_noise(lambda n: bool(compare(1 + sign * n[0], threshold)), 1))


def test_the_threshold_may_stand_on_the_left() -> None:
    def left(draw: Draw, database: int) -> bool:
        return bool(log(8) / log(2) <= 1 - draw(discrete_laplace(UNIT)))

    def right(draw: Draw, database: int) -> bool:
        return bool(1 - draw(discrete_laplace(UNIT)) >= 3)

    assert distribution(left, 0) == distribution(right, 0)


def test_one_noise_against_several_thresholds() -> None:
    asked: list[bool] = []

    def mechanism(draw: Draw, database: int) -> int:
        noisy = 2 * draw(discrete_laplace(UNIT)) + database
        asked.clear()
        for t in (3, -3, 0, 7, 3):
            asked.append(noisy < t)
        return sum(1 << i for i, answer in enumerate(asked) if answer)

    def decide(noise: list[int]) -> int:
        return sum(1 << i for i, t in enumerate((3, -3, 0, 7, 3)) if 2 * noise[0] + 1 < t)

    law = distribution(mechanism, 1)
    sums = brute_force_noise(decide, 1)
    assert law.probabilities.keys() == sums.keys()  # answers that follow from others are not branches
    agree(law, sums)


def test_equality_splits_discrete_noise() -> None:
    def mechanism(draw: Draw, database: int) -> str:
        noise = draw(discrete_laplace(UNIT))
        if noise == 0:
            return "zero"
        if noise == Fraction(1, 2):
            return "never"
        if noise >= -2 and not noise > 2:
            return "near"
        return "far"

    law = distribution(mechanism, 0)
    assert as_fractions(law) == {"zero": Fraction(1, 3), "near": Fraction(1, 2), "far": Fraction(1, 6)}


def test_several_independent_noises() -> None:
    def mechanism(draw: Draw, database: tuple[int, int]) -> tuple[bool, bool]:
        first, second = (value + draw(discrete_laplace(UNIT)) for value in database)
        return first >= 1, second < 2

    agree(
        distribution(mechanism, (0, 3)),
        brute_force_noise(lambda n: (n[0] >= 1, 3 + n[1] < 2), 2, reach=40),
        reach=40,
    )


@given(st.integers(-4, 4), st.integers(-3, 0), st.integers(0, 3), st.sampled_from([1, -1, 2, Fraction(1, 2)]))
def test_clamped_noise(value: int, low: int, high: int, factor: Fraction) -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        return clamp(database + factor * draw(discrete_laplace(UNIT)), low, high)

    agree(distribution(mechanism, value), brute_force_noise(lambda n: min(max(value + factor * n[0], low), high), 1))


def test_clamping_what_is_known_of_the_noise() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noise = draw(discrete_laplace(UNIT))
        return clamp(noise, -1, 3) if noise > 0 else "none"

    assert as_fractions(distribution(mechanism, 0)) == {
        "none": Fraction(2, 3),
        1: Fraction(1, 6),
        2: Fraction(1, 12),
        3: Fraction(1, 12),
    }


def test_truncated_noise_is_a_noise_value() -> None:
    def mechanism(draw: Draw, database: int) -> bool:
        return bool(database + draw(truncated_discrete_laplace(UNIT, 2)) >= 3)

    kept = sum(discrete_pmf(k) for k in range(-2, 3))
    assert as_fractions(distribution(mechanism, 1)) == {
        True: discrete_pmf(2) / kept,
        False: 1 - discrete_pmf(2) / kept,
    }
    assert as_fractions(distribution(mechanism, 0)) == {False: 1}

    def continuous(draw: Draw, database: int) -> bool:
        return bool(database + draw(truncated_laplace(1, 2)) >= 3)

    assert distribution(continuous, 0).probability(True) == 0
    assert distribution(continuous, 2).probability(True) == (exp(-1) - exp(-2)) / (2 * (1 - exp(-2)))


def test_noise_cancels() -> None:
    def mechanism(draw: Draw, database: int) -> bool:
        noise = draw(laplace(1))
        return bool((noise + 3) - noise >= 3)

    assert as_fractions(distribution(mechanism, 0)) == {True: 1}


def test_undecided_comparisons_are_passed_on() -> None:
    def mechanism(draw: Draw, database: int) -> bool:
        return bool(draw(discrete_laplace(1)) + sqrt(7 + 4 * sqrt(3)) >= 2 + sqrt(3))

    with pytest.raises(Undecided, match="sqrt"):
        distribution(mechanism, 0)


def test_exact_parameters_are_fractions_where_they_are_rational() -> None:
    def mechanism(draw: Draw, database: int, *, epsilon: Fraction, delta: Exact, other: int) -> tuple[str, str, str]:
        return type(epsilon).__name__, type(delta).__name__, type(other).__name__

    law = distribution(mechanism, 0, epsilon=2, delta=exp(-3), other=1)
    assert set(law) == {("Fraction", "Term", "int")}
    with pytest.raises(InputError, match=r"epsilon=0\.1 is a float"):
        distribution(mechanism, 0, epsilon=0.1, delta=0, other=1)


state = count()


def _raises(draw: Draw, database: int) -> int:
    return 1 // 0


def _draws_from_a_list(draw: Draw, database: int) -> Any:
    return draw([1, 2])


def _empty(draw: Draw, database: int) -> Any:
    return draw(Distribution({}))


def _own_randomness_in_weights(draw: Draw, database: int) -> Any:
    return draw(Distribution({0: 1, 1: next(state) + 1}))


def _stops_drawing(draw: Draw, database: int) -> Any:
    coin = draw(bernoulli("0.5"))
    if next(state) % 2 == 0:
        draw(bernoulli("0.5"))
    return coin


def _endless(draw: Draw, database: int) -> Any:
    flips = 0
    while draw(bernoulli("0.5")):
        flips += 1
    return flips


def _explodes(draw: Draw, database: int) -> Any:
    return tuple(draw(bernoulli("0.5")) for _ in range(40))


def _too_many_outcomes(draw: Draw, database: int) -> Any:
    return draw(uniform(range(2**64)))


def _yields(draw: Draw, database: int) -> Any:
    yield draw(bernoulli("0.5"))


def _exits(draw: Draw, database: int) -> Any:
    sys.exit(0)


def _hands_noise_on(draw: Draw, database: int) -> Any:
    return draw(lambda draw, noise: noise > 0, draw(discrete_laplace(1)))


def _unhashable(draw: Draw, database: int) -> Any:
    return [draw(bernoulli("0.5"))]


def _not_a_number(draw: Draw, database: int) -> Any:
    return float("nan")


def _continuous_released(draw: Draw, database: int) -> Any:
    return database + draw(laplace(1))


def _continuous_clamped(draw: Draw, database: int) -> Any:
    return clamp(draw(laplace(1)), 0, 3)


def _continuous_equal(draw: Draw, database: int) -> Any:
    return draw(laplace(1)) == 0


def _two_noises(draw: Draw, database: int) -> Any:
    return draw(discrete_laplace(1)) + draw(discrete_laplace(2))


def _noise_as_bool(draw: Draw, database: int) -> Any:
    return 1 if draw(discrete_laplace(1)) else 0


def _noise_as_int(draw: Draw, database: int) -> Any:
    return int(draw(discrete_laplace(1)))


def _noise_in_a_set(draw: Draw, database: int) -> Any:
    return frozenset([draw(discrete_laplace(1))])


def _noise_plus_text(draw: Draw, database: int) -> Any:
    return draw(discrete_laplace(1)) + "1"


def _noise_plus_float(draw: Draw, database: int) -> Any:
    return draw(discrete_laplace(1)) >= 0.5


def _released_twice(draw: Draw, database: int) -> Any:
    noise = draw(discrete_laplace(1))
    return noise, noise + 1


def _released_irrational(draw: Draw, database: int) -> Any:
    return draw(discrete_laplace(1)) + log(2)


def _float_scale(draw: Draw, database: int) -> Any:
    return draw(laplace(1 / 3)) >= 0  # type: ignore[arg-type]  # bad on purpose


def _clamp_upside_down(draw: Draw, database: int) -> Any:
    return clamp(draw(discrete_laplace(1)), 3, 0)


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (_raises, r"_raises on 7 raised ZeroDivisionError"),
        (_draws_from_a_list, r"draw\(\[1, 2\]\): draw from a Distribution, a noise law or a mechanism"),
        (_empty, "an empty distribution"),
        (_own_randomness_in_weights, "not deterministic.*`draw`"),
        (_stops_drawing, "not deterministic"),
        (_yields, "returned a generator"),
        (_exits, "raised SystemExit: 0"),
        (_hands_noise_on, "noise was handed to a sub-mechanism"),
        (_unhashable, r"returned a list which cannot be hashed .*: return a tuple"),
        (_not_a_number, "does not equal itself"),
        (_continuous_released, "what is returned is continuous noise.*discrete_laplace"),
        (_continuous_clamped, "what is clamped is continuous noise"),
        (_continuous_equal, "compared for equality, which has probability 0"),
        (_two_noises, "2 noises at once: .*noise 1 ~ discrete Lap.*noise 2 ~ discrete"),
        (_noise_as_bool, "no truth value"),
        (_noise_as_int, "noise was used as a plain number"),
        (_noise_in_a_set, "cannot be hashed"),
        (_noise_plus_text, "added to '1', which is not a number"),
        (_noise_plus_float, r"0\.5 is a float"),
        (_released_twice, "one noise twice"),
        (_released_irrational, "no rational values"),
        (_float_scale, r"scale=0\.33.* is a float"),
        (_clamp_upside_down, r"clamp to \[3, 0\], which is empty"),
    ],
)
def test_what_is_refused(mechanism: Callable[..., Any], message: str) -> None:
    with pytest.raises(MechanismError, match=message) as raised:
        distribution(mechanism, 7, limits=Limits(paths=5_000))
    assert str(raised.value).startswith(f"{mechanism.__name__} on 7")


def _draws_from_the_endless(draw: Draw, database: int) -> Any:
    return draw(bernoulli("0.5")) or draw(_endless, 1)


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (
            _endless,
            r"made 1,000 choices on one path without returning: does it end.*limits=Limits\(draws=…\).*so far 0 paths",
        ),
        (
            _explodes,
            r"more than 5,000 paths.*limits=Limits\(paths=…\).*so far 5,000 paths to 5,000 outcomes and a prob",
        ),
        (
            _too_many_outcomes,
            r"18,446,744,073,709,551,616 outcomes, too large to enumerate.*limits=Limits\(outcomes=…\)",
        ),
        (_draws_from_the_endless, "_endless on 1 has made 1,000 choices"),
    ],
)
def test_a_limit_that_is_met_leaves_the_law_undecided(mechanism: Callable[..., Any], message: str) -> None:
    with pytest.raises(LimitMet, match=message) as raised:
        distribution(mechanism, 7, limits=Limits(paths=5_000))
    assert isinstance(raised.value, Undecided)
    if mechanism is not _draws_from_the_endless:
        assert str(raised.value).startswith(f"{mechanism.__name__} on 7")


def test_a_limit_that_is_met_cannot_be_caught() -> None:
    def careless(draw: Draw, database: int) -> Any:
        try:
            return draw(_endless, database)
        except Undecided:
            return 0

    with pytest.raises(LimitMet, match="_endless on 7"):
        distribution(careless, 7)


def test_how_far_an_enumeration_came() -> None:
    """Of ½ + ¼ + ⅛ + … the first five paths cover 31/32."""

    def halves(draw: Draw, database: int) -> int:
        found = 0
        while not draw(bernoulli("0.5")):
            found += 1
        return found

    with pytest.raises(LimitMet, match=r"so far 5 paths to 5 outcomes and a probability of 0\.969 were covered"):
        distribution(halves, 0, limits=Limits(paths=5, draws=25))


def test_a_mechanism_may_not_use_its_own_randomness() -> None:
    source = random.Random(1)

    def mechanism(draw: Draw, database: int) -> Any:
        return draw(exponential([0, source.randrange(1000)], 1))

    with pytest.raises(MechanismError, match=r"chance came from random\.randrange: let all chance come from `draw`"):
        distribution(mechanism, 0)


NOISE_USES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda noise: noise == 0.5, "is a float"),
    (lambda noise: noise + "1", "not a number"),
    (bool, "no truth value"),
    (int, "plain number"),
    (float, "plain number"),
    (complex, "plain number"),
    (round, "plain number"),
    (math.floor, "plain number"),
    (math.ceil, "plain number"),
    (math.trunc, "plain number"),
    (abs, "plain number"),
    (lambda noise: noise % 2, "plain number"),
    (lambda noise: 5 % noise, "plain number"),
    (lambda noise: noise // 2, "plain number"),
    (lambda noise: divmod(noise, 2), "plain number"),
    (lambda noise: noise**2, "plain number"),
    (lambda noise: 2**noise, "plain number"),
    (lambda noise: 1 / noise, "plain number"),
    (range, "plain number"),
    (lambda noise: "abc"[noise], "plain number"),
    (lambda noise: {noise: 1}, "cannot be hashed"),
    (str, "turned into text"),
    (repr, "turned into text"),
    (lambda noise: f"{noise}", "turned into text"),
]


@pytest.mark.parametrize(("use", "message"), NOISE_USES)
def test_a_refused_use_of_noise_is_refused_even_where_the_mechanism_catches_it(
    use: Callable[[Any], Any], message: str
) -> None:
    """Otherwise the enumerator would see the branch of the handler, and the sampler the other one."""

    def mechanism(draw: Draw, database: int) -> Any:
        noise = draw(discrete_laplace(1)) + database
        try:
            return str(use(noise))
        except Exception:  # as a careless mechanism does
            return "caught"

    for answer in (distribution, run):
        with debugging(), pytest.raises(MechanismError, match=message):
            answer(mechanism, 7)


def test_a_refused_draw_is_refused_even_where_the_mechanism_catches_it() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        try:
            return draw([database])
        except ValueError:
            return 0

    for answer in (distribution, run):
        with debugging(), pytest.raises(MechanismError, match="draw from a Distribution"):
            answer(mechanism, 7)


def test_noise_has_one_type_whoever_runs_the_mechanism() -> None:
    """A mechanism cannot tell the sampler from the enumerator by looking at its noise."""

    def peeks(draw: Draw, database: int) -> Any:
        return isinstance(draw(discrete_laplace(1)), int | Fraction)

    assert as_fractions(distribution(peeks, 0)) == {run(peeks, 0): 1} == {False: 1}


def test_sub_mechanisms_get_exact_parameters() -> None:
    def inner(draw: Draw, database: int, *, epsilon: Fraction) -> str:
        return type(epsilon).__name__

    def outer(draw: Draw, database: int) -> Any:
        return draw(inner, database, epsilon=1)

    assert as_fractions(distribution(outer, 0)) == {run(outer, 0): 1} == {"Fraction": 1}


def test_a_method_of_an_object_that_changes_is_not_remembered() -> None:
    """Two calls of a bound method may mean two laws."""

    class Box:
        value = 0

        def part(self, draw: Draw) -> int:
            return self.value

    box = Box()

    def mechanism(draw: Draw, database: int) -> Any:
        box.value = draw(uniform((1, 2)))
        return draw(box.part)

    assert as_fractions(distribution(mechanism, 0)) == {1: Fraction(1, 2), 2: Fraction(1, 2)}


# What a sub-mechanism may depend on, and what may leave it.


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
    assert as_fractions(distribution(two, (0, 1))) == {(0, 1): half, (1, 0): half}
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

    expected = tuple(told_apart(run, *given, **named) for given, named in calls)
    assert as_fractions(distribution(mechanism, 0)) == {expected: 1}


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

    assert as_fractions(distribution(mechanism, 0)) == {(0, 1): 1}


def test_a_dict_that_changes_is_another_argument() -> None:
    """By the mechanism between two draws, or by the sub-mechanism that is given it."""

    def look(draw: Draw, counts: dict[str, int]) -> int:
        return counts["n"]

    def add(draw: Draw, counts: dict[str, int]) -> int:
        counts["n"] += 1
        return counts["n"]

    def mechanism(draw: Draw, database: int) -> Any:
        counts = {"n": database}
        before = draw(look, counts)
        counts["n"] = draw(uniform((7, 8)))
        return before, draw(look, counts), draw(add, counts), draw(add, counts)

    half = Fraction(1, 2)
    assert as_fractions(distribution(mechanism, 0)) == {(0, 7, 8, 9): half, (0, 8, 9, 10): half}
    assert {run(mechanism, 0, seed=seed) for seed in range(20)} == {(0, 7, 8, 9), (0, 8, 9, 10)}


def test_a_dict_that_holds_itself() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        endless: dict[str, Any] = {}
        endless["endless"] = endless
        return draw(lambda inner, given: len(given), endless)

    assert as_fractions(distribution(mechanism, 0)) == {1: 1}


def test_the_law_for_a_dict_is_remembered() -> None:
    """Sixteen paths lead to the second draw, of two laws."""

    def chosen(draw: Draw, counts: dict[int, int]) -> int:
        return int(draw(uniform(tuple(counts))))

    def mechanism(draw: Draw, database: int) -> Any:
        drawn = [draw(uniform(range(2))) for _ in range(4)]
        return draw(chosen, dict.fromkeys(range(1 + drawn[-1]), 0))

    enumeration = Enumeration(Limits())
    law = enumeration.law(mechanism, (0,), {})
    assert as_fractions(law) == {0: Fraction(3, 4), 1: Fraction(1, 4)}
    assert enumeration.runs == 24 + 1 + 2


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


def _leaks_draw(draw: Draw, database: int) -> Any:
    kept: list[Any] = []
    draw(kept.append)
    return kept[-1](bernoulli("0.5"))


def _uses_the_outer_draw(draw: Draw, database: int) -> Any:
    return draw(lambda inner: draw(bernoulli("0.5")))


def _uses_outer_noise(draw: Draw, database: int) -> Any:
    noise = draw(discrete_laplace(1))
    return draw(lambda inner: bool(noise >= 1))


@pytest.mark.parametrize(
    "mechanism", [_leaks_noise, _leaks_clamped_noise, _leaks_draw, _uses_the_outer_draw, _uses_outer_noise]
)
def test_draws_and_noise_stay_in_their_call(mechanism: Callable[..., Any]) -> None:
    for answer in (distribution, run):
        with debugging(), pytest.raises(MechanismError, match="used in another one, or after its call"):
            answer(mechanism, 0)


def test_noise_that_a_sub_mechanism_returns_is_noise_of_the_caller() -> None:
    def sub(draw: Draw, x: int) -> Any:
        return x - draw(discrete_laplace(UNIT)) / 2, "label"

    def mechanism(draw: Draw, database: int) -> Any:
        value, label = draw(sub, database)
        return bool(value >= database), clamp(value, -50, 50), label

    law = distribution(mechanism, 3)
    assert law.probability(*(outcome for outcome in law if outcome[0])) == discrete_pmf(0) + (1 - discrete_pmf(0)) / 2
    for seed in range(20):
        above, value, label = run(mechanism, 3, seed=seed)
        assert (above, label) == (value >= 3, "label")


def iter_of_nothing() -> Any:
    yield from ()


@pytest.mark.parametrize(
    "outcome", [[1], {}, float("nan"), (1, [2]), iter_of_nothing()], ids=["list", "dict", "nan", "nested", "generator"]
)
def test_what_no_law_can_hold_is_refused_whoever_runs_the_mechanism(outcome: Any) -> None:
    for answer in (distribution, run):
        with debugging(), pytest.raises(MechanismError, match="returned"):
            answer(lambda draw, database: outcome, 0)
    with debugging(), pytest.raises(InputError, match=r"seed=\[1\] is not a whole number"):
        run(lambda draw, database: 0, 0, seed=[1])  # type: ignore[arg-type]  # bad on purpose


def test_laws_without_end_are_drawn_from_their_mechanism() -> None:
    def inner(draw: Draw, x: int) -> Any:
        return x + draw(discrete_laplace(1))

    def returns(draw: Draw, database: int) -> Any:
        return distribution(inner, database)

    def draws(draw: Draw, database: int) -> Any:
        return draw(distribution(inner, database))

    for mechanism in (returns, draws):
        for answer in (distribution, run):
            with debugging(), pytest.raises(MechanismError, match="draw from the mechanism itself"):
                answer(mechanism, 0)


def test_a_clamp_to_too_many_numbers_is_refused_before_they_are_made() -> None:
    with pytest.raises(LimitMet, match=r"leaves 1,000,000,000 numbers to explore.*limits=Limits\(paths=…\)"):
        distribution(lambda draw, database: clamp(draw(discrete_laplace(1)), 0, 10**9), 0)

"""Laws computed a second time: inlined as nested, which are asked for, and on their way between processes."""

import itertools
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.verifiers.privacy.repeated_mechanisms import BITS, UNIQUE, Point, coin

from dpverify.mechanisms import (
    Distribution,
    Draw,
    MechanismError,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    laplace,
    log,
    sqrt,
    symbolic,
    uniform,
)
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.recursion import maximise_quasi_concave
from dpverify.mechanisms.selection import choose_by_stability, svt1
from dpverify.verifiers import Status, check_privacy
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution
from dpverify.verifiers.problems.preparation.answers import (
    Failure,
    Probabilities,
    answer_bytes,
    answer_from_bytes,
    probabilities_of,
)

pytestmark = pytest.mark.forks


def pair(draw: Draw, k: int) -> tuple[bool, Any]:
    return draw(coin, k), draw(coin, k + 1)


def noisy_pair(draw: Draw, k: int) -> tuple[bool, Any]:
    noise = draw(discrete_laplace(2)) + k
    return bool(noise >= 1), clamp(draw(discrete_laplace(1)), 0, 2)


def released(draw: Draw, k: int) -> Any:
    noise = draw(discrete_laplace(1))
    return ("above", k + noise) if noise >= 1 else ("below", None)


PARTS: list[Callable[..., Any]] = [coin, pair, noisy_pair, released, lambda draw, k: uniform(range(k))]


def of_parts(draw: Draw, database: tuple[tuple[int, int], ...]) -> Any:
    found = []
    for which, k in database:
        value = draw(PARTS[which], k)
        if which == 3 and value[0] == "above":
            value = (value[0], bool(value[1] >= k + 2), value[1])
        found.append(value)
        if which == 0 and value:
            break
    return tuple(found)


def deeper(draw: Draw, database: tuple[tuple[int, int], ...]) -> Any:
    return draw(of_parts, database), draw(laplace(1)) >= len(database)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), max_size=2).map(tuple),
    st.sampled_from([of_parts, deeper]),
)
def test_inlined_is_nested(database: tuple[tuple[int, int], ...], mechanism: Callable[..., Any]) -> None:
    nested = Enumeration(Limits()).law(mechanism, (database,), {})
    ways: list[Callable[[Any], bool]] = [lambda _: True, lambda part: part is coin, lambda part: part is of_parts]
    for inlined in ways:
        assert same_distribution(nested, Enumeration(Limits(), inlined).law(mechanism, (database,), {}))


def test_inlining_a_recursion() -> None:
    asked = {"promise": 1, "epsilon": 2, "delta": Fraction(1, 10), "base": 2, "alpha": Fraction(1, 2)}
    quality = [0, 1, 3, 1, 0, 0, 0, 0, 0]
    names = set(maximise_quasi_concave.__kwdefaults__ or {}) | set(maximise_quasi_concave.__code__.co_varnames)
    given = {name: value for name, value in asked.items() if name in names}
    nested = Enumeration(Limits())
    law = nested.law(maximise_quasi_concave, (tuple(quality),), given)
    inlined = Enumeration(Limits(), lambda _: True)
    assert same_distribution(law, inlined.law(maximise_quasi_concave, (tuple(quality),), given))
    assert nested.parts


class Colour(Enum):
    RED = 1


def released_and_plain(draw: Draw, rows: Any) -> Any:
    threshold, noise = draw(discrete_laplace(2)), draw(discrete_laplace(3))
    if noise >= threshold:
        return ("sum", rows[0] + noise)
    return None if draw(bernoulli(exp(-1) / 2)) else ("free", draw(truncated_discrete_laplace(1, 2)))


def many_kinds(draw: Draw, rows: Any) -> Any:
    return draw(uniform([1, Fraction(1, 3), "a", None, bool(rows), (Colour.RED, frozenset({"x", "y"})), Point(2)]))


TRAVELLERS: list[tuple[Callable[..., Any], Any, dict[str, Any]]] = [
    (released_and_plain, (0,), {}),
    (many_kinds, (), {}),
    (svt1, (0, 1, -1), {"epsilon": 1}),
    (svt1, (0, 1, -1), {"epsilon": log(2)}),
    (choose_by_stability, (3, 0, 1), {"epsilon": sqrt(2), "delta": Fraction(1, 10)}),
]


@pytest.mark.parametrize(("mechanism", "database", "parameters"), TRAVELLERS)
def test_a_law_arrives_as_it_was_sent(mechanism: Any, database: Any, parameters: dict[str, Any]) -> None:
    law = distribution(mechanism, database, **parameters)
    answer = answer_from_bytes(answer_bytes([law]))
    assert not isinstance(answer, Failure)
    (back,) = answer
    assert not isinstance(back, Probabilities)
    assert same_distribution(law, back)
    if not isinstance(law, ReleasedDistribution):  # numbers are the same objects, and not merely equal
        assert all(law.probabilities[outcome] is p for outcome, p in back.probabilities.items())


@pytest.mark.usefixtures("nothing_is_watched")
def test_what_does_not_travel_is_compared_by_its_probabilities() -> None:
    def unsendable(draw: Draw, rows: Any) -> Any:
        return draw(bernoulli(Fraction(1 + rows[0], 5))) and UNIQUE

    law = distribution(unsendable, (0,))
    (back,) = answer_from_bytes(answer_bytes([law]))
    assert back == probabilities_of(law) == Probabilities((exact("1/5"), exact("4/5")))
    assert check_privacy(unsendable, BITS, epsilon=1).status is Status.PROVED
    kept = itertools.count(2)
    with pytest.raises(MechanismError, match="not deterministic"):
        check_privacy(lambda draw, rows: draw(bernoulli(Fraction(1, next(kept)))) and UNIQUE, BITS, epsilon=9)


def test_a_tied_release_that_has_travelled_is_compared_by_its_density() -> None:
    def law_of(scale: int) -> Any:
        def mechanism(draw: Draw, rows: Any) -> Any:
            threshold, noise = draw(discrete_laplace(scale)), draw(discrete_laplace(3))
            return noise if noise >= threshold else None

        return distribution(mechanism, ())

    (back,) = answer_from_bytes(answer_bytes([law_of(2)]))
    assert isinstance(back, ReleasedDistribution)
    (there,) = answer_from_bytes(answer_bytes([back]))
    assert isinstance(there, ReleasedDistribution)
    for law in (law_of(2), back, there):
        assert same_distribution(law, back)
        assert back.released == law.released
        assert not same_distribution(law_of(4), law)
        assert back.released != law_of(4).released


def test_a_symbol_of_an_interval_does_not_travel() -> None:
    from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
    from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of

    assert pickle.loads(pickle.dumps(exp(-symbolic) + symbolic)) is exp(-symbolic) + symbolic
    inner = number_of(EpsilonSymbol())
    for number in (inner, exp(-inner)):
        with pytest.raises(TypeError, match="belongs to one process"):
            pickle.dumps(number)


def test_same_law_looks_at_plain_outcomes_beside_released_ones() -> None:
    def law_of(k: int) -> Any:
        def mechanism(draw: Draw, rows: Any) -> Any:
            if draw(bernoulli("0.5")):
                return draw(discrete_laplace(1)), "noise"
            return draw(bernoulli(Fraction(k, 10)))

        return distribution(mechanism, ())

    assert same_distribution(law_of(3), law_of(3))
    assert not same_distribution(law_of(3), law_of(4))


def test_a_mechanism_that_ends_its_process_is_no_verdict() -> None:
    parent = os.getpid()

    def ends_elsewhere(draw: Draw, rows: Any) -> int:
        if os.getpid() != parent:
            os._exit(0)
        return 0

    with pytest.raises(MechanismError, match="in a forked process, which ended without an answer"):
        check_privacy(ends_elsewhere, BITS, epsilon=0)


def test_no_process_is_left_behind() -> None:
    check_privacy(lambda draw, rows: coin(draw, 1 + rows[0]), BITS, epsilon=1)
    with suppress(ChildProcessError):  # there is none at all
        assert os.waitpid(-1, os.WNOHANG) == (0, 0), "one has ended, and nobody waits for it"


WEIGHTS = st.lists(st.sampled_from([exp(1), exp("1/2"), exact(2), sqrt(2), exp(1) + 1, log(3)]), min_size=3, max_size=4)


@given(WEIGHTS, st.sampled_from([exact(1), exp(1), exact(3), exp("-1/2"), exp(1) + 1]), st.randoms())
def test_laws_are_the_same_where_each_probability_is(weights: list[Any], scale: Any, chance: Any) -> None:
    """In the same proportions to one another as all others, or only as some."""
    law = distribution(lambda draw, _: draw(Distribution(dict(enumerate(weights)))), ())
    scaled = distribution(lambda draw, _: draw(Distribution({i: scale * w for i, w in enumerate(weights)})), ())
    assert same_distribution(law, scaled) and same_distribution(scaled, law)
    others = [*weights[:-1], chance.choice([exact("7/5"), weights[0] + weights[-1], weights[-1] * 2])]
    chance.shuffle(others)
    other = distribution(lambda draw, _: draw(Distribution(dict(enumerate(others)))), ())
    assert same_distribution(law, other) == all(law.probability(i) == other.probability(i) for i in range(len(weights)))

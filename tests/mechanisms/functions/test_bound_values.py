"""A claim gives a mechanism its ε and δ where it has no value for them: what is decided is what `run` runs.

The oracle is Python: the mechanism is called without what the claim says, and answers with the values it was run with.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, wraps
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.mechanisms import Draw, InputError, distribution, run
from dpverify.mechanisms.functions.signatures import parameters_for, signature_of
from dpverify.mechanisms.functions.wrappers import handed_on_to

CLAIM = {"epsilon": 1, "delta": Fraction(1, 10)}
ROWS = (0, 1)
Mechanism = Callable[..., Any]
Layer = Callable[[Mechanism, str, Any], Mechanism]


def needs_epsilon(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return epsilon


MECHANISMS: dict[str, Mechanism] = {"epsilon": needs_epsilon, "delta": lambda draw, rows, *, delta: delta}


def by_partial(inner: Mechanism, name: str, value: Any) -> Mechanism:
    return partial(inner, **{name: value})


def by_keyword_default(inner: Mechanism, name: str, value: Any) -> Mechanism:
    if name == "epsilon":
        return lambda draw, rows, *, epsilon=value: inner(draw, rows, epsilon=epsilon)
    return lambda draw, rows, *, delta=value: inner(draw, rows, delta=delta)


def by_none_or_its_own(inner: Mechanism, name: str, value: Any) -> Mechanism:
    class Service:
        own = value

        def release(self, draw: Draw, rows: Any, epsilon: Any = None, delta: Any = None) -> Any:
            return inner(draw, rows, **{name: (epsilon if name == "epsilon" else delta) or self.own})

    return Service().release


def by_static_and_class_method(inner: Mechanism, name: str, value: Any) -> Mechanism:
    class Service:
        @staticmethod
        def plain(draw: Draw, rows: Any, *, epsilon: Any = value) -> Any:
            return inner(draw, rows, epsilon=epsilon)

        @classmethod
        def of_class(cls, draw: Draw, rows: Any, *, delta: Any = value) -> Any:
            return inner(draw, rows, delta=delta)

    return Service.plain if name == "epsilon" else Service.of_class


def by_object(inner: Mechanism, name: str, value: Any) -> Mechanism:
    class Callable_:
        def __call__(self, draw: Draw, rows: Any, *, epsilon: Any = value) -> Any:
            return inner(draw, rows, **{name: epsilon})

    @dataclass(frozen=True)
    class Held:
        delta: Any

        def __call__(self, draw: Draw, rows: Any) -> Any:
            return inner(draw, rows, **{name: self.delta})

    return Callable_() if name == "epsilon" else Held(value)


def by_a_wrapper_that_fills_it_in(inner: Mechanism, name: str, value: Any) -> Mechanism:
    @wraps(inner)
    def filled(draw: Draw, rows: Any, **more: Any) -> Any:
        return inner(draw, rows, **{name: value, **more})

    return filled


def by_a_wrapper_that_gives_it_by_name(inner: Mechanism, name: str, value: Any) -> Mechanism:
    @wraps(inner)
    def of_epsilon(draw: Draw, rows: Any, **more: Any) -> Any:
        return inner(draw, rows, epsilon=value, **more)

    @wraps(inner)
    def of_delta(draw: Draw, rows: Any, **more: Any) -> Any:
        return inner(draw, rows, delta=value, **more)

    return of_epsilon if name == "epsilon" else of_delta


def by_a_wrapper_that_catches(inner: Mechanism, name: str, value: Any) -> Mechanism:
    @wraps(inner)
    def wrapper(draw: Draw, rows: Any, **more: Any) -> Any:
        with suppress(TypeError):
            return inner(draw, rows, **more)
        return inner(draw, rows, **{name: value})

    return wrapper


def by_a_wrapper_without_it(inner: Mechanism, name: str, value: Any) -> Mechanism:
    @wraps(inner)
    def wrapper(draw: Draw, rows: Any) -> Any:
        return inner(draw, rows, **{name: value})

    return wrapper


BINDING: Sequence[Layer] = (
    *(by_partial, by_keyword_default, by_none_or_its_own, by_static_and_class_method, by_object),
    *(by_a_wrapper_that_fills_it_in, by_a_wrapper_that_gives_it_by_name),
    *(by_a_wrapper_that_catches, by_a_wrapper_without_it),
)


def handed_on(inner: Mechanism) -> Mechanism:
    @wraps(inner)
    def wrapper(draw: Draw, rows: Any, **more: Any) -> Any:
        str(more is None)
        return inner(draw, rows, **more)

    return wrapper


def with_its_arguments(inner: Mechanism) -> Mechanism:
    @wraps(inner)
    def wrapper(*args: Any, **named: Any) -> Any:
        return inner(*args, **named)

    return wrapper


def by_name(inner: Mechanism) -> Mechanism:
    @wraps(inner)
    def wrapper(draw: Draw, rows: Any, **named: Any) -> Any:
        return inner(draw, rows, **named)

    return wrapper


def drawn(inner: Mechanism) -> Mechanism:
    @wraps(inner)
    def wrapper(draw: Draw, rows: Any, **named: Any) -> Any:
        return draw(inner, rows, **named)

    return wrapper


def of_an_object(inner: Mechanism) -> Mechanism:
    class Service:
        @with_its_arguments
        def release(self, draw: Draw, rows: Any, *, epsilon: Any) -> Any:
            return inner(draw, rows, epsilon=epsilon)

        def __call__(self, draw: Draw, rows: Any, **named: Any) -> Any:
            return inner(draw, rows, **named)

    return Service().release if inner is needs_epsilon else by_name(inner)


SEEN_TO_HAND_ON = (with_its_arguments, by_name, drawn, of_an_object)


def call(source: Any, /, *args: Any, **named: Any) -> Any:
    """What stands for `draw`: it calls."""
    return source(plain, *args, **named)


plain: Any = call


def run_with(mechanism: Mechanism, parameters: dict[str, Any]) -> Any:
    return run(mechanism, ROWS, **parameters)


def decided(mechanism: Mechanism, parameters: dict[str, Any]) -> Any:
    """The value that the mechanism is decided with."""
    (outcome,) = distribution(mechanism, ROWS, **parameters_for(mechanism, CLAIM, parameters))
    return outcome


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("layer", SEEN_TO_HAND_ON)
def test_a_parameter_without_a_value_takes_the_claims(layer: Callable[[Mechanism], Mechanism], name: str) -> None:
    inner = MECHANISMS[name]
    for mechanism in (inner, layer(inner), by_name(layer(inner))):
        assert decided(mechanism, {}) == CLAIM[name]
        assert decided(mechanism, {name: "1/7"}) == Fraction(1, 7) == run_with(mechanism, {name: "1/7"})
        with pytest.raises(InputError, match=f"needs {name}"):
            run(mechanism, ROWS)
        with pytest.raises(InputError, match="has no parameter wrong"):
            parameters_for(mechanism, CLAIM, {"wrong": 1})
    assert decided(partial(layer(inner), **{name: 3}), {}) == 3


def test_a_wrapper_that_is_not_seen_to_hand_on_asks_for_parameters() -> None:
    mechanism = handed_on(needs_epsilon)
    with pytest.raises(InputError, match=r"this wrapper does not name it: give parameters=\{'epsilon': …\}"):
        decided(mechanism, {})
    assert decided(mechanism, {"epsilon": 1}) == 1


LAYERS = st.one_of(
    st.tuples(st.sampled_from(BINDING), st.integers(2, 4)),
    st.tuples(st.sampled_from((handed_on, *SEEN_TO_HAND_ON[:3])), st.none()),
)


@settings(max_examples=150, derandomize=True, deadline=None, database=None)
@given(st.sampled_from(sorted(MECHANISMS)), st.lists(LAYERS, max_size=4), st.sampled_from(({}, {"epsilon": 6})))
def test_what_is_decided_is_what_python_calls(name: str, layers: list[Any], parameters: dict[str, Any]) -> None:
    mechanism = MECHANISMS[name]
    for layer, value in layers:
        mechanism = layer(mechanism) if value is None else layer(mechanism, name, value)
    try:
        expected = mechanism(plain, ROWS, **parameters)
    except TypeError:
        with suppress(InputError):  # there is no such program, or it needs the claim's
            assert decided(mechanism, parameters) == CLAIM[name] == mechanism(plain, ROWS, **{name: CLAIM[name]})
    else:
        assert decided(mechanism, parameters) == expected == run(mechanism, ROWS, **parameters)


def test_the_signature_is_that_of_the_object_that_is_called() -> None:
    def names(mechanism: Mechanism) -> list[str]:
        signature = signature_of(mechanism)
        assert signature is not None
        return list(signature.parameters)

    assert names(by_a_wrapper_without_it(needs_epsilon, "epsilon", 5)) == ["draw", "rows"]
    assert names(by_a_wrapper_that_fills_it_in(needs_epsilon, "epsilon", 5)) == ["draw", "rows", "more"]
    assert names(with_its_arguments(needs_epsilon)) == ["draw", "rows", "epsilon"]
    assert names(partial(with_its_arguments(needs_epsilon), epsilon=5)) == ["draw", "rows"]
    assert signature_of(len) is not None
    assert handed_on_to(len) is None

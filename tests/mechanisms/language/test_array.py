"""Arrays of exact numbers: numpy is the oracle, on numbers that floats hold exactly."""

import ast
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import InputError, exp, run
from dpverify.mechanisms.language.array import Array, OutsideNumpy, array
from dpverify.mechanisms.language.array_functions import NUMPY_FUNCTIONS
from dpverify.mechanisms.language.exact_reading import runtime_names, transformed
from dpverify.mechanisms.language.numpy_names import meaning
from dpverify.mechanisms.numbers.plain_numbers import Real

NP = meaning(np)
NUMBERS = st.one_of(
    st.lists(st.integers(-4, 4), min_size=1, max_size=5),
    st.lists(st.integers(-8, 8).map(lambda k: k / 4), min_size=1, max_size=5),
    st.lists(st.booleans(), min_size=1, max_size=5),
)
OF_ONE: tuple[str, ...] = (
    "a.sum()",
    "m.sum(a)",
    "m.mean(a * 4)",
    "a.max()",
    "m.min(a)",
    "a.argmax()",
    "m.argmin(a)",
    "m.abs(a + 0)",
    "m.sign(a + 0)",
    "m.clip(a + 0, -1, 1.0)",
    "m.sort(a)",
    "m.cumsum(a)",
    "m.where(a > 0, a, 0)",
    "m.where(a > 0)[0]",
    "m.unique(a)",
    "m.unique(a, return_counts=True)[1]",
    "m.histogram(a + 0, bins=2, range=(-1.0, 1.0))[0]",
    "m.histogram(a + 0, bins=[-1, 0, 2])[0]",
    "m.bincount(m.abs((a + 0).astype(int)), minlength=3)",
    "a[1:]",
    "a[::-1]",
    "a[a > 0]",
    "a[[0, -1]]",
    "a[-1]",
    "a + 1",
    "2 * a",
    "a / 2",
    "1 - (a + 0)",
    "(a + 0) ** 2",
    "a + a",
    "a * a",
    "a >= 0.5",
    "(a > 0) & (a < 2)",
    "~(a > 0)",
    "a.astype(int)",
    "a.astype(float)",
    "m.array([0.5, -1.75, 2.0], dtype=int)",
    "m.zeros(2)",
    "m.ones(2, dtype=int)",
    "m.arange(4)",
    "m.arange(1, 2, 0.25)",
    "m.full(2, 0.5)",
    "m.concatenate([a, a])",
    "m.maximum(a, 1)",
    "m.count_nonzero(a)",
    "m.any(a)",
    "m.all(a)",
    "m.linalg.norm(a + 0, ord=1)",
    "m.round(a + 0)",
    "m.floor(a + 0)",
    "m.dot(a + 0, a)",
    "m.diff(a + 0)",
    "m.argsort(a[:1])",
    "m.var(a * 4) * len(a) ** 2",
    "m.zeros_like(a)",
    "m.linspace(0, 1, 5)",
    "m.isin(a, [0, 1])",
    "len(a)",
    "a.shape",
    "m.append(a, 1.5)",
    "(a > 0) + (a < 2)",
    "m.square(a + 0)",
    "a.size",
)


def read_over_the_reals(text: str, **names: Any) -> Any:
    code = compile(transformed(ast.parse(text, mode="eval")), "<test>", "eval")
    return eval(code, {**runtime_names(code), **names})


def listed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


@given(NUMBERS)
def test_what_is_computed_is_what_numpy_computes(numbers: Any) -> None:
    theirs, ours = np.array(numbers), NP.array([Real(x) if type(x) is float else x for x in numbers])
    for text in OF_ONE:
        right, found = listed(eval(text, {"m": np, "a": theirs})), listed(read_over_the_reals(text, m=NP, a=ours))
        pairs = zip(found, right, strict=True) if isinstance(right, list | tuple) else [(found, right)]
        for x, y in pairs:
            assert abs(Fraction(x) - Fraction(y)) <= Fraction(1, 10**12), text
            assert (type(x) is bool) is (type(y) is bool), text


def changed(m: Any, half: Any) -> Any:
    a = m.zeros(4)
    part = a[1:3]
    part[0] = half
    a[2] += 1
    part *= 2
    whole = m.array([1, 2, 3])
    whole[0] = half * 5
    whole[1:] = [4, 5]
    whole[whole > 4] = 9
    same = m.asarray(a)
    same[3] = 7
    other = m.array(a)
    other[3] = 0
    return [a.tolist(), part.tolist(), whole.tolist(), other.tolist()]


def test_slices_share_their_items_and_ints_are_cut_off() -> None:
    ours, theirs = changed(NP, Real("0.5")), changed(np, 0.5)
    assert [[float(x) for x in row] for row in ours] == theirs


@pytest.mark.parametrize(
    "outside",
    [
        lambda m: m.fft,
        lambda m: m.array([[1, 2], [3, 4]]),
        lambda m: m.zeros((2, 2)),
        lambda m: m.array([1, 2]).reshape(2),
        lambda m: m.array([1, "a"]),
        lambda m: m.zeros(2, dtype="datetime64"),
        lambda m: str(m.zeros(2)),
        lambda m: m.array([1, 2]).__iadd__(Real("0.5")),
        lambda m: m.mean([]),
        lambda m: m.array([1]) / 0,
        lambda m: m.random.poisson(1),
        lambda m: m.array([1, 2])[None],
        lambda m: m.random.laplace(size=(2, 2)),
    ],
)
def test_all_else_of_numpy_is_outside(outside: Callable[[Any], Any]) -> None:
    with pytest.raises(OutsideNumpy, match="outside the language"):
        outside(NP)


def test_what_python_would_refuse_is_refused() -> None:
    for wrong in (lambda: NP.array([1, 2]) + array([1, 2, 3]), lambda: bool(array([1, 2])), lambda: array([1])[5]):
        with pytest.raises((ValueError, IndexError)):
            wrong()
    with pytest.raises(InputError):
        float(array([1]))


def test_functions_of_exact_numbers() -> None:
    assert listed(NUMPY_FUNCTIONS["exp"]([0, 1])) == [1, exp(1)]
    assert listed(NUMPY_FUNCTIONS["log"](array([1]))) == [0]
    assert NUMPY_FUNCTIONS["sqrt"](Fraction(1, 4)) == Fraction(1, 2)
    assert isinstance(meaning(np).ndarray, type)


def test_run_hands_out_an_array_of_numpys() -> None:

    found = run(lambda draw, rows: {"all": Array([Real("0.5"), exp(1)], "f"), "one": [Array([1, 2], "i")]}, ())
    assert isinstance(found["all"], np.ndarray)
    assert found["all"].tolist() == [0.5, 2.718281828459045]
    assert found["one"][0].dtype == np.int64

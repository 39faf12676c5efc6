"""numpy's generator over `draw`: laws as written with `draw`, nested, inlined and sampled; numpy's own as oracle.

The functions of a library, the same as written with `draw`, and the tests of both lie side by side, to be read in pairs.
"""

import inspect
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one
from tests.mechanisms.drawn import assert_drawn_from_the_law

from dpverify.mechanisms import (
    Distribution,
    Draw,
    Exact,
    InputError,
    MechanismError,
    Rng,
    bernoulli,
    distribution,
    exact,
    exp,
    exponential,
    exponential_noise,
    geometric,
    gumbel,
    laplace,
    log,
    run,
    sqrt,
    uniform,
    uniform_noise,
)
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.language.generator import LISTED
from dpverify.mechanisms.noise import discrete_uniform
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.outputs import AtLeast, as_array, as_frame, as_outcome
from dpverify.verifiers import Multisets, Status, check_privacy

ROWS = (0, 1, 1)
HALF = Fraction(1, 2)


# Functions of a library: `rng` and numpy, and nothing of `draw`


def histogram(values: Any, rng: Any, epsilon: Any) -> Any:
    return np.bincount(values, minlength=2) + rng.laplace(scale=2 / epsilon, size=2)


def above(values: Any, rng: Any, epsilon: Any) -> Any:
    return np.flatnonzero(histogram(values, rng, epsilon) > 1)


def largest(values: Any, rng: Any, epsilon: Any) -> Any:
    return np.argmax(histogram(values, rng, epsilon))


def noisy_maximum(values: Any, rng: Any, epsilon: Any) -> Any:
    return np.max(np.bincount(values, minlength=2) + rng.exponential(2 / epsilon, 2)) > 2


def by_gumbel(values: Any, rng: Any, epsilon: Any) -> Any:
    return np.argmax(rng.gumbel(loc=np.bincount(values, minlength=2), scale=2 / epsilon))


def weighted(values: Any, rng: Any, epsilon: Any) -> Any:
    weights = np.exp(epsilon * np.bincount(values, minlength=2) / 2)
    return rng.choice(["no", "yes"], p=weights / weights.sum())


def two_sided(values: Any, rng: Any, epsilon: Any) -> Any:
    p = 1 - np.exp(-epsilon)
    return values.sum() + rng.geometric(p) - rng.geometric(p)


def responses(values: Any, rng: Any, epsilon: Any) -> Any:
    return np.where(rng.random(len(values)) < 1 / (1 + np.exp(epsilon)), 1 - values, values)


def between(values: Any, rng: Any, epsilon: Any) -> Any:
    return values.sum() + rng.uniform(-1 / epsilon, 1 / epsilon)


def at_most(values: Any, rng: Any, epsilon: Any) -> Any:
    return rng.integers(1, 2**40, endpoint=True) <= values.sum() * 2**38


def sample(values: Any, rng: Any, epsilon: Any) -> Any:
    return rng.choice(values, size=2, replace=False)


def shuffled(values: Any, rng: Any, epsilon: Any) -> Any:
    copied = values.copy()
    rng.shuffle(copied)
    return copied


# The same, by `draw` directly


def counts_of(rows: tuple[int, ...]) -> tuple[int, int]:
    return rows.count(0), rows.count(1)


def d_above(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    noisy = [count + draw(laplace(2 / epsilon)) for count in counts_of(rows)]
    return tuple(i for i in (0, 1) if noisy[i] > 1)


def d_largest(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    first, second = [count + draw(laplace(2 / epsilon)) for count in counts_of(rows)]
    return int(second > first)


def d_noisy_maximum(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    noisy = [count + draw(exponential_noise(2 / epsilon)) for count in counts_of(rows)]
    return noisy[0] > 2 or noisy[1] > 2


def d_by_gumbel(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    first, second = [count + draw(gumbel(2 / epsilon)) for count in counts_of(rows)]
    return int(second > first)


def d_weighted(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return draw(exponential(dict(zip(("no", "yes"), counts_of(rows), strict=True)), epsilon))


def d_responses(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return tuple(1 - row if draw(bernoulli(1 / (1 + exp(epsilon)))) else row for row in rows)


def d_of_the_rows(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return tuple(rows[draw(uniform(range(len(rows))))] for _ in range(2))


def d_sample(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    i, j = draw(uniform([(i, j) for i in range(len(rows)) for j in range(len(rows)) if i != j]))
    return rows[i], rows[j]


def d_in_any_order(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    weights = {order: Fraction(1) for order in ((0, 1, 1), (1, 0, 1), (1, 1, 0))}
    assert sorted(rows) == [0, 1, 1]
    return draw(Distribution(weights))


PAIRS = [
    (histogram, lambda draw, rows, *, epsilon: tuple(count + draw(laplace(2 / epsilon)) for count in counts_of(rows))),
    (above, d_above),
    (largest, d_largest),
    (noisy_maximum, d_noisy_maximum),
    (by_gumbel, d_by_gumbel),
    (weighted, d_weighted),
    (two_sided, lambda draw, rows, *, epsilon: sum(rows) + draw(geometric(1 / epsilon)) - draw(geometric(1 / epsilon))),
    (responses, d_responses),
    (between, lambda draw, rows, *, epsilon: sum(rows) + draw(uniform_noise(-1 / epsilon, 1 / epsilon))),
    (lambda values, rng, epsilon: values[rng.integers(len(values), size=2)], d_of_the_rows),
    (at_most, lambda draw, rows, *, epsilon: draw(discrete_uniform(1, 2**40)) <= sum(rows) * 2**38),
    (sample, d_sample),
    (lambda values, rng, epsilon: rng.permutation(values), d_in_any_order),
    (shuffled, d_in_any_order),
]
OF_REALS = (histogram, two_sided, between)


def through(function: Callable[..., Any]) -> Callable[..., Any]:
    def mechanism(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return as_outcome(function(as_array(rows), Rng(draw), exact(epsilon)))

    return mechanism


def same(left: Any, right: Any) -> bool:
    if left.is_finite:
        return bool(left == right)
    return bool(left.structure == right.structure)


@in_one("function, direct", PAIRS)
def test_laws_are_those_written_by_draw(function: Callable[..., Any], direct: Callable[..., Any]) -> None:
    mechanism = through(function)

    def around(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return draw(mechanism, rows, epsilon=epsilon)

    expected = distribution(direct, ROWS, epsilon=HALF)
    assert same(distribution(mechanism, ROWS, epsilon=HALF), expected)
    assert same(distribution(around, ROWS, epsilon=HALF), expected)


@pytest.mark.parametrize("function", [f for f, _ in PAIRS if f not in OF_REALS])
def test_samples_follow_the_law(function: Callable[..., Any]) -> None:
    assert_drawn_from_the_law(through(function), ROWS, 60, epsilon=HALF)


@pytest.mark.parametrize("function", OF_REALS)
def test_a_run_gives_floats_and_whole_numbers(function: Callable[..., Any]) -> None:
    outcome = run(through(function), ROWS, seed=1, epsilon=HALF)
    assert all(isinstance(part, float | int) for part in (outcome if isinstance(outcome, tuple) else (outcome,)))


TRIES = 20_000


@pytest.mark.parametrize("function", [above, largest, noisy_maximum, by_gumbel, weighted, responses, sample, at_most])
def test_numpys_own_generator_has_the_law(function: Callable[..., Any]) -> None:
    """Of each outcome, within five standard deviations of its probability."""
    rng, values = np.random.default_rng(7), np.array(ROWS)
    tries = 2_000
    found = [as_outcome(function(values, rng, 0.5)) for _ in range(tries)]
    law = distribution(through(function), ROWS, epsilon=HALF)
    for outcome, probability in law.probabilities.items():
        p = float_of(probability)
        assert abs(found.count(outcome) - tries * p) <= 5 * (tries * p * (1 - p)) ** 0.5 + 1e-9
    assert set(found) <= set(law)


def float_of(number: Exact) -> float:
    return float(enclosure(number))


@in_one(
    "method, arguments, direct, at",
    [
        ("laplace", (1, 2), lambda draw: 1 + draw(laplace(2)), 2),
        ("exponential", (2,), lambda draw: draw(exponential_noise(2)), 2),
        ("uniform", (1, 4), lambda draw: draw(uniform_noise(1, 4)), 2),
        ("random", (), lambda draw: draw(uniform_noise(0, 1)), HALF),
        ("geometric", (Fraction(1, 3),), lambda draw: 1 + draw(geometric(-1 / log(Fraction(2, 3)))), 3),
        ("integers", (2, 6), lambda draw: draw(discrete_uniform(2, 5)), 4),
    ],
)
def test_each_method_has_numpys_law(method: str, arguments: Any, direct: Callable[..., Any], at: Any) -> None:
    law = distribution(lambda draw, _: bool(getattr(Rng(draw), method)(*arguments) >= at), ())
    assert law == distribution(lambda draw, _: bool(direct(draw) >= at), ())
    p = float_of(law.probability(True))
    assert 0.1 < p < 0.9
    found = getattr(np.random.default_rng(3), method)(*map(float_or_int, arguments), size=TRIES) >= float(at)
    assert abs(found.mean() - p) <= 5 * (p * (1 - p) / TRIES) ** 0.5


def float_or_int(number: Any) -> Any:
    return number if isinstance(number, int) else float(number)


METHODS = [name for name in vars(Rng) if not name.startswith("_")]


@in_one("name", METHODS)
def test_signatures_are_numpys(name: str) -> None:
    numpys, ours = (inspect.signature(getattr(owner, name)).parameters for owner in (np.random.Generator, Rng))
    assert list(numpys) == list(ours)
    for parameter, with_default in ours.items():
        default = numpys[parameter].default
        assert with_default.default == default or parameter == "dtype"


def test_arguments_that_are_left_out() -> None:
    def mechanism(draw: Draw, end: Any) -> bool:
        rng = Rng(draw)
        return bool((rng.uniform() if end is None else rng.uniform(high=end)) < Fraction(1, 3))

    assert distribution(mechanism, None).probability(True) == Fraction(1, 3)
    assert distribution(mechanism, 2).probability(True) == Fraction(1, 6)


@pytest.mark.parametrize("more", [0, 1])
def test_whole_numbers_are_listed_up_to_a_limit_and_are_noise_beyond_it(more: int) -> None:
    listed: list[bool] = []

    def mechanism(draw: Draw, _: Any) -> int:
        listed.append(type(Rng(draw).integers(1, LISTED + more, endpoint=True)) is int)
        return 0

    run(mechanism, 0, seed=1)
    assert listed == [not more]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_quotients_of_rows_are_exact(values: list[int]) -> None:
    """The mean, in an array of objects; in one of numpy's numbers it is a float, and refused."""
    scale, expected = Fraction(3, len(values)), Fraction(sum(values), len(values))

    def mean(draw: Draw, rows: Any, dtype: type) -> bool:
        return bool(as_array(rows, dtype=dtype).mean() + Rng(draw).laplace(scale=scale) > 1)

    law = distribution(mean, tuple(values), dtype=object)
    assert law == distribution(lambda draw, _: draw(laplace(scale)) > 1 - expected, tuple(values))
    with pytest.raises(InputError, match="is a float"):
        distribution(mean, tuple(values), dtype=np.int64)


def test_exact_numbers_in_numpy() -> None:
    numbers: Any = exact(HALF) * np.array([1, 2, 4])
    assert list(np.exp(numbers)) == [exp(HALF), exp(1), exp(2)]
    assert list(np.sqrt(numbers)) == [sqrt(HALF), 1, sqrt(2)]
    assert list(np.log(numbers)) == [log(HALF), 0, log(2)]
    assert np.sum(numbers) == Fraction(7, 2)
    assert np.max(np.exp(numbers)) == exp(2)
    assert np.argmax(-numbers) == 0
    assert list(np.floor(numbers)) == [0, 1, 2]
    assert list(np.cumsum(numbers)) == [HALF, Fraction(3, 2), Fraction(7, 2)]
    assert (numbers[1] == 1) and np.clip(numbers, 1, 2).tolist() == [1, 1, 2]
    with pytest.raises(InputError, match="the argument -1/2 of log must be positive"):
        np.log(-numbers)
    with pytest.raises(InputError, match=r"0.5 is a float"):
        0.5 * numbers


@in_one(
    "on_an_array, on_numbers",
    [
        (lambda noise, counts: noise + counts, lambda noise, count: noise + count),
        (lambda noise, counts: counts + noise, lambda noise, count: count + noise),
        (lambda noise, counts: counts - noise, lambda noise, count: count - noise),
        (lambda noise, counts: noise * 2 - counts, lambda noise, count: noise * 2 - count),
        (lambda noise, counts: noise * counts, lambda noise, count: noise * count),
        (lambda noise, counts: noise / (1 + counts), lambda noise, count: noise / (1 + count)),
        (lambda noise, counts: np.floor(noise + counts), lambda noise, count: math.floor(noise + count)),
        (lambda noise, counts: np.round(noise + counts), lambda noise, count: round(noise + count)),
        (lambda noise, counts: np.maximum(noise + counts, 0), lambda noise, count: max(noise + count, 0)),
        (lambda noise, counts: np.abs(noise - counts), lambda noise, count: abs(noise - count)),
    ],
)
def test_one_noise_meets_an_array(on_an_array: Callable[..., Any], on_numbers: Callable[..., Any]) -> None:
    """On either side, as it meets each number there: here by the sum, which is compared."""

    def mechanism(draw: Draw, rows: Any) -> Any:
        return as_outcome(np.sum(on_an_array(Rng(draw).laplace(), as_array(rows))) > 1)

    def each(draw: Draw, rows: Any) -> Any:
        noise = draw(laplace(1))
        return bool(sum(on_numbers(noise, row) for row in rows) > 1)

    assert distribution(mechanism, ROWS) == distribution(each, ROWS)


def test_noise_is_compared_with_an_array() -> None:
    def mechanism(draw: Draw, rows: Any) -> Any:
        return as_outcome(Rng(draw).random() < np.array(rows, dtype=object))

    assert distribution(mechanism, (HALF, 1)) == Distribution({(True, True): 1, (False, True): 1})
    with pytest.raises(InputError, match="which is not a number"):
        distribution(lambda draw, _: Rng(draw).random() + object(), ())


def test_shapes_are_numpys() -> None:
    def mechanism(draw: Draw, _: Any) -> Any:
        rng = Rng(draw)
        scales = np.array([[1, 2, 3]])
        assert rng.laplace(np.zeros((2, 1), dtype=int), scales).shape == (2, 3)
        assert rng.laplace(size=(2, 2)).shape == (2, 2)
        assert rng.laplace([Fraction(1, 2), 1]).shape == (2,)
        assert rng.random(np.int64(0)).shape == (0,)
        assert rng.integers(3, size=2).dtype == np.int64
        assert rng.choice(np.array(["a", "b"]), size=2).dtype.kind == "U"
        assert rng.choice(range(4, 5)) == 4
        return type(rng.choice(np.array(["a", "b"]))) is str

    assert PlainEnumerator(Limits()).distribution(mechanism, ((),), {}) == Distribution({True: 1})


@in_one(
    "use, message",
    [
        (lambda rng: rng.normal(0, -1), "sigma=-1 must be at least 0"),
        (lambda rng: rng.standard_normal(dtype=np.float32), "does not take out, nor dtype but float64"),
        (lambda rng: rng.poisson(2), "geometric, integers, choice, permutation, shuffle"),
        (lambda rng: rng.bit_generator, "geometric, integers, choice, permutation, shuffle"),
        (lambda rng: rng.laplace(scale=-1), "scale=-1"),
        (lambda rng: rng.random(dtype=np.float32), "does not take out, nor dtype but float64"),
        (lambda rng: rng.geometric(1), r"rng\.geometric: p=1 must be between 0 and 1"),
        (lambda rng: rng.integers(0), r"rng\.integers: the range from low=0 below 0 is empty"),
        (lambda rng: rng.integers("1/2"), "is not a whole number"),
        (lambda rng: rng.integers(2, dtype=bool), r"rng\.integers: dtype=.* is not a type of integers"),
        (lambda rng: [1, 2][rng.integers(LISTED + 1)], "where a plain number is needed"),
        (lambda rng: rng.choice(rng.integers(LISTED + 1)), "where a plain number is needed"),
        (lambda rng: rng.choice(2, p=[HALF, 1]), r"rng\.choice: the sum 3/2 of p is not 1"),
        (lambda rng: rng.choice(3, p=[HALF, HALF]), r"rng\.choice: 2 probabilities do not fit 3 members"),
        (lambda rng: rng.choice([]), r"rng\.choice: the list of members is empty"),
        (lambda rng: rng.choice([(1, 2), (3, 4)]), r"rng\.choice: a member is not a single value"),
        (lambda rng: rng.choice(np.array([[1, 2]])), "of one dimension|of several dimensions"),
        (lambda rng: rng.choice({1, 2}), "is not a list or an array of one dimension"),
        (lambda rng: rng.choice("ab"), "is not a list or an array of one dimension"),
        (lambda rng: rng.shuffle((1, 2)), "is not a list or an array: shuffle one of these"),
        (lambda rng: rng.choice(2, 3, replace=False), "size=3 with replace=False is more than the 2 members"),
        (lambda rng: rng.choice(2, 1, False, [HALF, HALF]), "does not take p together with replace=False"),
        (lambda rng: rng.choice(2, shuffle=False), "does not take another axis than the first, nor shuffle=False"),
        (lambda rng: rng.permutation([1], axis=1), "does not take another axis than the first"),
        (lambda rng: rng.laplace([0, 1], size=3), "rng: |could not be broadcast together"),
    ],
)
def test_what_is_refused_is_refused_also_where_it_is_caught(use: Callable[..., Any], message: str) -> None:
    def mechanism(draw: Draw, _: Any) -> Any:
        use(Rng(draw))
        return 0

    def catching(draw: Draw, _: Any) -> Any:
        try:
            use(Rng(draw))
        except InputError:
            return 1
        return 0

    for each in (mechanism, catching):
        with pytest.raises(InputError, match=message):
            distribution(each, ())
        with pytest.raises(MechanismError):
            run(each, (), seed=1)


def test_a_generator_is_no_draw() -> None:
    with pytest.raises(InputError, match="give the `draw` of the mechanism"):
        Rng(np.random.default_rng(1))  # type: ignore[arg-type]  # on purpose


def test_a_draw_of_another_call_is_refused() -> None:
    def inner(_: Draw, rng: Any) -> Any:
        return rng.random() < HALF

    with pytest.raises(InputError, match="of one mechanism was used in another one"):
        distribution(lambda draw, _: draw(inner, Rng(draw)), ())


HELD = np.random.default_rng(5)


def by_default(values: Any, rng: Any = None) -> Any:
    rng = np.random.default_rng() if rng is None else rng
    return values.sum() + rng.laplace()


def by_the_global(values: Any, rng: Any) -> Any:
    return values.sum() + rng.laplace() + int(np.random.laplace())


def by_a_held_one(values: Any, rng: Any) -> Any:
    return values.sum() + rng.laplace() + int(HELD.integers(2))


def made_anew(values: Any, rng: Any) -> Any:
    return values.sum() + np.random.default_rng(rng).laplace()


@pytest.mark.parametrize(
    ("mechanism", "source"),
    [
        (lambda draw, rows: by_default(as_array(rows)), "chance came from os.urandom"),
        (lambda draw, rows: made_anew(as_array(rows), Rng(draw)), "rng.capsule is none of random, uniform"),
        (
            lambda draw, rows: by_the_global(as_array(rows), Rng(draw)),
            "chance came from numpy.random.random or its like",
        ),
        (
            lambda draw, rows: by_a_held_one(as_array(rows), Rng(draw)),
            "chance came from a Generator that is held, whose state",
        ),
    ],
)
def test_chance_beside_the_generator_is_refused(mechanism: Callable[..., Any], source: str) -> None:
    with pytest.raises(InputError, match=source):
        distribution(mechanism, ROWS)


def test_arrays_of_rows() -> None:
    assert as_array((0, 1)).dtype == np.int64
    assert as_array(()).dtype == np.int64
    assert as_array((), columns=2).shape == (0, 2)
    assert as_array(((1, 2), (3, 4))).shape == (2, 2)
    assert as_array(("a", "b")).tolist() == ["a", "b"]
    assert as_array((Fraction(1, 3), 1))[0] == Fraction(1, 3)
    assert as_array((1, 2), dtype=object)[0] / 2 == HALF
    with pytest.raises(InputError, match="inhomogeneous"):
        as_array(((1, 2), (3,)))


def test_outcomes_of_code() -> None:
    assert as_outcome(np.array([[1, 2], [3, 4]])) == ((1, 2), (3, 4))
    assert type(as_outcome(np.int64(3))) is int
    assert as_outcome({"a": [1], "b": np.bool_(True)}) == (("a", (1,)), ("b", True))
    assert as_outcome({1, 2}) == frozenset({1, 2})
    assert as_outcome("ab") == "ab"
    assert as_outcome(None) is None


def test_an_array_of_noise_is_a_release() -> None:
    law = distribution(through(histogram), ROWS, epsilon=1)
    assert law.probability((AtLeast(1), AtLeast(2))) == Fraction(1, 4)


def test_a_claim_through_the_generator() -> None:
    kept = check_privacy(through(weighted), Multisets((0, 1), size=3), epsilon=1)
    direct = check_privacy(d_weighted, Multisets((0, 1), size=3), epsilon=1)
    assert (kept.status, direct.status) == (Status.CHECKED, Status.PROVED)  # numpy's own arrays are not compiled
    assert kept.epsilon == direct.epsilon


def test_without_pandas_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="data frames: pandas is needed, and is not installed"):
        as_frame(((1,),), ["a"])


def test_pandas_is_loaded_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for it, with the few names that are used of it."""
    pandas = ModuleType("pandas")

    class DataFrame:
        def __init__(self, rows: list[Any], columns: list[str]) -> None:
            self.rows, self.columns = rows, columns

        def itertuples(self, index: bool, name: None) -> Any:
            return ((i, *row) for i, row in enumerate(self.rows)) if index else iter(self.rows)

    DataFrame.__module__ = "pandas"
    pandas.DataFrame = DataFrame  # type: ignore[attr-defined]  # it stands in for the package
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert as_outcome(as_frame(((1, 2),), ["a", "b"])) == (("a", "b"), ((0, 1, 2),))


def test_data_frames() -> None:
    pandas = pytest.importorskip("pandas")

    def totals(frame: Any, rng: Any) -> Any:
        sums = frame.groupby("group")["value"].sum().reindex([0, 1], fill_value=0)
        return sums + rng.laplace(scale=2, size=len(sums)) > 1

    def mechanism(draw: Draw, rows: Any) -> Any:
        return as_outcome(totals(as_frame(rows, ["group", "value"]), Rng(draw)))

    def direct(draw: Draw, rows: Any) -> Any:
        sums = [sum(value for group, value in rows if group == each) for each in (0, 1)]
        return tuple((i, bool(total + draw(laplace(2)) > 1)) for i, total in enumerate(sums))

    assert distribution(mechanism, ((0, 1), (1, 2))) == distribution(direct, ((0, 1), (1, 2)))
    frame = pandas.DataFrame({"a": [1, 2]})
    assert as_outcome(frame) == (("a",), ((0, 1), (1, 2)))

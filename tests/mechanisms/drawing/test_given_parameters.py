"""Numbers as newcomers give them: whole numbers under any name, and texts where noise meets them."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Distribution, Draw, InputError, clamp, discrete_laplace, distribution, laplace, run
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import exact_parameters
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

ROWS = (1, 0, 1)


def law(mechanism: Any, share: Any = 1, inlined: bool = False, **parameters: Any) -> Distribution[Any]:
    return Enumeration(Limits(), lambda _: inlined, share=Fraction(share)).law(mechanism, (ROWS,), parameters)


# --- Whole numbers
def noisy(draw: Draw, rows: Any, *, eps: Any, n: int) -> Any:
    assert list(range(n)) == [0, 1, 2]
    assert isinstance(n, int)
    return sum(rows) + draw(discrete_laplace(2 / eps)), rows[n - 1], n


def outer(draw: Draw, rows: Any, *, eps: Any, n: int) -> Any:
    return draw(noisy, rows, eps=2 * eps, n=n)


def by_hand(draw: Draw, rows: Any, *, scale: Fraction) -> Any:
    return sum(rows) + draw(discrete_laplace(scale)), rows[2], 3


def test_a_whole_number_under_any_name_is_divided_exactly() -> None:
    for eps in (1, 2, 3, Fraction(3)):
        assert same_distribution(distribution(noisy, ROWS, eps=eps, n=3), law(by_hand, scale=Fraction(2) / eps))
        assert same_distribution(distribution(outer, ROWS, eps=eps, n=3), law(by_hand, scale=Fraction(1) / eps))
        inlined = law(outer, inlined=True, **exact_parameters({"eps": eps, "n": 3}))
        assert same_distribution(inlined, law(by_hand, scale=Fraction(1) / eps))


def test_a_run_is_given_the_same_and_returns_plain_numbers() -> None:
    for mechanism in (noisy, outer):
        _, row, n = run(mechanism, ROWS, seed=1, eps=2, n=3)
        assert (row, n) == (1, 3)
        assert type(n) is int
        (outcome,) = distribution(lambda draw, rows, *, n: (rows[0], n), ROWS, n=3)
        assert list(map(type, outcome)) == [int, int]


def test_a_truth_value_stays_one() -> None:
    def says(draw: Draw, rows: Any, *, flag: bool, n: int) -> tuple[str, ...]:
        return type(flag).__name__, type(n).__name__

    assert set(distribution(says, ROWS, flag=True, n=1)) == {("bool", "WholeNumber")}


def half(draw: Draw, k: int) -> Any:
    return k / 2, type(k).__name__


def test_a_law_is_not_remembered_for_another_division() -> None:
    def both(draw: Draw, rows: Any, *, n: int) -> Any:
        return draw(half, 3), draw(half, n)

    assert set(distribution(both, ROWS, n=3)) == {((Fraction(3, 2), "int"), (Fraction(3, 2), "WholeNumber"))}


def test_a_law_of_a_part_that_is_given_whole_numbers_is_remembered() -> None:
    def many(draw: Draw, rows: Any, *, n: Any) -> Any:
        return [draw(by_hand, rows, scale=n + 1) for _ in range(9)][-1]

    enumeration = Enumeration(Limits())
    enumeration.law(many, (ROWS,), exact_parameters({"n": 3}))
    assert enumeration.runs == 2


def returns_the_number(draw: Draw, rows: Any, *, n: int) -> Any:
    return Distribution({n: 1, sum(rows): 1}) if rows[0] else Distribution({2: 1, 3: 3})


def leaks(draw: Draw, rows: Any, *, eps: Any) -> Any:
    return (sum(rows) + draw(laplace(1 / (2 * eps))) >= 1, eps)


def test_as_an_outcome_it_is_the_plain_int_and_a_witness_shows_that() -> None:
    result = check_privacy(leaks, [(0,), (1,)], epsilon=1, parameters={"eps": 1})
    assert result.status is Status.REFUTED
    assert result.epsilon is not None
    assert result.epsilon.exact == 2
    assert result.witness is not None
    assert "WholeNumber" not in repr(result.witness)
    assert ", eps=1)" in str(result.witness.reproduce)
    # two outcomes that are equal, one of each type, are one
    result = check_privacy(returns_the_number, [(1, 1, 0), (0, 1, 0)], epsilon=1, parameters={"n": 3})
    assert result.status is Status.PROVED


# --- Texts where noise meets them
MEETINGS: list[Callable[[Any, Any], Any]] = [
    lambda noise, t: noise >= t,
    lambda noise, t: noise < t,
    lambda noise, t: t <= noise,
    lambda noise, t: noise + t >= 1,
    lambda noise, t: t + noise >= 1,
    lambda noise, t: noise - t >= 1,
    lambda noise, t: t - noise >= 1,
    lambda noise, t: noise * t >= 1,
    lambda noise, t: t * noise >= 1,
    lambda noise, t: noise / t >= 1,
    lambda noise, t: noise != t,
    lambda noise, t: clamp(noise, 0, t),
    lambda noise, t: clamp(noise, t, 4),
    lambda noise, t: noise + t,
    lambda noise, t: clamp(3, t, 4),
]


@in_one("meet", MEETINGS)
@in_one("share", [0, Fraction(1, 2), 1])
def test_a_decimal_text_is_a_number_where_noise_meets_it(meet: Callable[[Any, Any], Any], share: Any) -> None:
    def mechanism(draw: Draw, rows: Any, *, t: Any) -> Any:
        return meet(sum(rows) + draw(discrete_laplace(2)), t)

    number = law(mechanism, share, t=Fraction(3, 2))
    for text in ("1.5", "3/2", " 15e-1", *([Decimal("1.5")] if share == 1 else [])):  # which is outside the language
        assert same_distribution(law(mechanism, share, t=text), number)
        if share == 1:
            assert run(mechanism, ROWS, seed=5, t=text) == run(mechanism, ROWS, seed=5, t=Fraction(3, 2))


def test_a_text_is_a_text_anywhere_else() -> None:
    def counted(draw: Draw, rows: Any, *, label: str) -> Any:
        assert label == "10115"
        return label, rows.count(label) + draw(laplace(1)) >= 1

    result = check_privacy(counted, [("10115",), ("80331",)], epsilon=1, parameters={"label": "10115"})
    assert result.status is Status.PROVED
    assert {label for label, _ in distribution(counted, ("80331",), label="10115")} == {"10115"}


def test_a_label_that_noise_meets_is_refused() -> None:
    for meet in MEETINGS:
        with pytest.raises(InputError, match=r"not a number|clamp to 'north'"):
            law(lambda draw, rows, *, t, meet=meet: meet(draw(discrete_laplace(2)), t), t="north")


@pytest.mark.parametrize(
    "compute", [lambda t: 2 / t, lambda t: t <= 1, lambda t: t * t, lambda t: t + 1, lambda t: 1 - t], ids="/>*+-"
)
def test_an_error_says_where_a_text_is_a_number(compute: Callable[[Any], Any]) -> None:
    with pytest.raises(InputError, match=r"raised TypeError: .*str.*; a text was used as a number"):
        distribution(lambda draw, rows, *, t: compute(t), ROWS, t="0.5")
    with pytest.raises(InputError, match=r"raised TypeError: [^;]*$"):
        distribution(lambda draw, rows, *, t: compute(t), ROWS, t=None)


# --- What is left of noise of which there is no share
def test_without_a_share_of_it_noise_is_refused_the_same() -> None:
    for use in (bool, int, lambda noise: {noise: 1}, lambda noise: noise >= FLOAT):
        with pytest.raises(InputError):
            law(lambda draw, rows, use=use: use(draw(laplace(2)) + 1), 0)


def test_without_a_share_of_it_noise_is_the_number_beside_it() -> None:
    def several(draw: Draw, rows: Any) -> Any:
        first, second = draw(laplace(1)), draw(discrete_laplace(3))
        compared = first + second + 2 >= "2", first == 0
        return compared, (first - second, 3 * second + 1), clamp(second + 7, 0, 5)

    assert law(several, 0).probabilities == {((True, True), (0, 1), 5): 1}
    assert law(lambda draw, rows: (draw(laplace(2)) + 2) * (draw(laplace(2)) + 3), 0).probabilities == {6: 1}


# --- Where a float comes from, which source does not give as a literal
FLOAT: Any = float("0.5")


@in_one(
    "computed, cause",
    [(lambda rows: FLOAT, r"0\.5 is a float"), (lambda rows: math.sin(len(rows)), r"0\.1\d* is a float")],
)
def test_an_error_names_where_a_float_most_likely_comes_from(computed: Any, cause: str) -> None:

    for answer in (distribution, run):
        with debugging(), pytest.raises(InputError, match=cause):
            answer(lambda draw, rows: draw(laplace(1)) >= computed(rows), ROWS)

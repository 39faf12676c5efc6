"""What is released and post-processed by a function: what the function sees, and what must not run on it."""

import functools
import statistics
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import (
    Draw,
    InputError,
    Limits,
    bernoulli,
    discrete_laplace,
    distribution,
    gumbel,
    laplace,
    run,
    uniform_noise,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.reports.record import Status
from dpverify.verifiers import Claim, Tuples, Verdict, check_privacy, replace_one

Rows = tuple[int, ...]

TWO_BITS = Tuples((0, 1), size=2)


def lap(draw: Draw, epsilon: Any = 1) -> Any:
    return draw(laplace(1 / Fraction(epsilon)))


def both(draw: Draw, rows: Rows) -> tuple[Any, Any]:
    """Both bits, each with noise of its own."""
    return rows[0] + lap(draw), rows[1] + lap(draw)


def decided(mechanism: Any, domain: Any = TWO_BITS, neighbours: Any = replace_one, **given: Any) -> Verdict:
    return check_privacy(mechanism, domain, neighbours, **({"epsilon": 1, "recheck": False} | given))


def released_with(made: Callable[[Rows], Any]) -> Any:
    """A mechanism that hands two noisy bits to a function that is made where the rows are seen."""

    def mechanism(draw: Draw, rows: Rows) -> Any:
        return draw.release(both(draw, rows), then=made(rows))

    return mechanism


MOST = 7


def most(numbers: Any) -> Any:
    return max(numbers) + MOST


@pytest.mark.parametrize(
    "then",
    [sorted, max, tuple, most, statistics.mean, np.sort, functools.partial(round, ndigits=2), lambda x: (x[0] + 1) / 2],
)
def test_a_function_that_sees_nothing_else_costs_nothing(then: Any) -> None:
    verdict = decided(released_with(lambda _: then))
    assert verdict.status is Status.PROVED and verdict.basis.before_post_processing


class Held:
    """An object with an attribute."""

    def __init__(self, row: int) -> None:
        self.row = row

    def told(self, _: Any) -> int:
        return self.row


def _attribute(row: int) -> Any:
    def then(_: Any) -> Any:
        return then.row  # type: ignore[attr-defined]

    then.row = row  # type: ignore[attr-defined]
    return then


def _holding(held: Any, told: Callable[[Any], Any]) -> Any:
    """A function in whose closure something is."""
    return lambda _: told(held)


SEES_A_ROW: dict[str, Callable[[int], Any]] = {
    "a closure": lambda row: lambda _: row,
    "a default": lambda row: lambda _, told=row: told,
    "a list": lambda row: _holding([row], lambda held: held[0]),
    "a dict": lambda row: _holding({"row": row}, lambda held: held["row"]),
    "an array": lambda row: _holding(np.array([row]), lambda held: int(held[0])),
    "an attribute of an object": lambda row: _holding(Held(row), lambda held: held.row),
    "a method": lambda row: Held(row).told,
    "an attribute of a function": _attribute,
    "an iterator": lambda row: _holding(iter([row]), next),
    "a generator": lambda row: _holding((each for each in (row,)), next),
    "a partial": lambda row: functools.partial(lambda told, _: told, row),
    "a method of a number": lambda row: row.__add__,
    "another function": lambda row: (lambda _: 1) if row else (lambda _: 2),
    "a function in a function": lambda row: lambda x: [row for _ in x],
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seen", SEES_A_ROW)
def test_a_function_that_sees_a_row_is_not_proved(seen: str) -> None:
    verdict = decided(released_with(lambda rows: SEES_A_ROW[seen](rows[0])), epsilon=2, delta="0.5")
    assert verdict.status is Status.UNDECIDED


def test_what_a_function_sees_is_named() -> None:
    def sees(draw: Draw, rows: Rows) -> Any:
        return draw.release(both(draw, rows), then=lambda _: rows[0])

    reason = decided(sees).reason
    assert "<lambda> sees rows (" in reason and f"line {sees.__code__.co_firstlineno + 1})" in reason


def test_what_differs_of_what_is_applied_to_noise_is_said() -> None:
    def beside(draw: Draw, rows: Rows) -> Any:
        return draw.release((rows[0] + lap(draw), rows[1]), then=lambda of: of[0] * of[1])

    assert "<lambda> is given a plain value, 0 on one database, and 1 on another one" in decided(beside).reason
    of_two = decided(released_with(lambda rows: (min, max)[rows[0]]))
    assert "min is applied on one database, and max on another one" in of_two.reason


def test_different_functions_on_the_paths_of_one_database_see_none() -> None:
    def on_paths(draw: Draw, rows: Rows) -> Any:
        noisy = rows[0] + draw(discrete_laplace(2))
        if noisy > 2 * rows[1]:
            return draw.release(noisy, then=lambda _: 0)
        return draw.release(noisy, then=lambda _: 1)

    assert "sees" not in decided(on_paths).reason and "is applied" not in decided(on_paths).reason


def test_a_function_that_sees_noise_or_draws_is_refused_by_name() -> None:
    def noise(draw: Draw, rows: Rows) -> Any:
        hidden = rows[0] + lap(draw)
        return draw.release(both(draw, rows), then=lambda _: hidden)

    def draws(draw: Draw, rows: Rows) -> Any:
        return draw.release(both(draw, rows), then=lambda _: draw(laplace(1)))

    assert "sees hidden, a NoiseValue" in decided(noise).reason
    assert "sees draw, a Drawing" in decided(draws).reason


def test_a_function_is_given_the_plain_numbers() -> None:
    def mechanism(draw: Draw, rows: Rows) -> Any:
        return draw.release((rows[0] + draw(discrete_laplace(1)), [rows[1]]), then=lambda given: given)

    drawn, inner = run(mechanism, (1, 1), seed=3)
    assert type(drawn) is int and inner == (1,)


def test_a_function_may_give_what_no_law_can_hold() -> None:
    assert run(lambda draw, rows: draw.release(rows, then=list), (2, 1), seed=1) == [2, 1]


def test_a_mutant_may_be_refuted_before_post_processing_and_says_so() -> None:
    def private(draw: Draw, rows: Rows) -> Any:
        return draw.release(both(draw, rows), then=sorted)

    def with_half_the_noise(draw: Draw, rows: Rows) -> Any:
        """Half the noise."""
        return draw.release(tuple(row + lap(draw, 2) for row in rows), then=sorted)

    claim = Claim(
        id="Toy.release",
        source="by hand",
        statement="sorted noisy bits are private",
        mechanism=private,
        domain=TWO_BITS,
        epsilon=1,
        mutant=with_half_the_noise,
    )
    result = claim.decide()
    assert result.verdict is Status.PROVED and result.tight_over_claimed is None and not result.curve
    assert "decided before post-processing" in result.scope.text
    assert result.mutant is not None and result.mutant.status is Status.REFUTED
    assert result.mutant.description == "Half the noise. (refuted before post-processing)"
    assert decided(with_half_the_noise).status is Status.UNDECIDED


def test_what_is_released_without_a_function_has_the_law_that_it_has() -> None:
    law = distribution(lambda draw, rows: draw.release((draw(bernoulli("0.5")), 1)), (0,))
    assert law.probability((True, 1)) == Fraction(1, 2)


@in_one(
    "use",
    [
        *(lambda given, rows: rows[given], lambda given, rows: list(range(given)), lambda given, rows: {given: 1}),
        *(lambda given, rows: 2 * given, lambda given, rows: bool(given), lambda given, rows: given == 1),
        *(lambda given, rows: given[0], lambda given, rows: list(given), lambda given, rows: str(given)),
        *(lambda given, rows: laplace(given), lambda given, rows: float(given), lambda given, rows: given in rows),
    ],
)
@in_one("checked", [True, False])
def test_what_release_gives_can_only_be_returned(use: Any, checked: bool) -> None:
    def mechanism(draw: Draw, rows: Rows) -> Any:
        given = draw.release(rows[0] + lap(draw), then=abs)
        return use(given, rows)  # here

    with pytest.raises(InputError, match=r"what follows must not") as error:
        if checked:
            decided(mechanism)
        else:
            with debugging():
                run(mechanism, (1, 1), seed=1)
    assert "test_draw_release.py, line" in str(error.value)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(InputError, match="a function of what is released"):
        decided(lambda draw, rows: draw.release(lap(draw), then=3))


@in_one(
    "use",
    [
        *(lambda draw, x, rows: rows[x], lambda draw, x, rows: tuple(range(x)), lambda draw, x, rows: {x: 1}),
        *(lambda draw, x, rows: draw(laplace(x)), lambda draw, x, rows: draw(discrete_laplace(x))),
        *(lambda draw, x, rows: draw(bernoulli(x)), lambda draw, x, rows: draw(gumbel(x))),
        *(lambda draw, x, rows: draw(uniform_noise(0, x)), lambda draw, x, rows: draw(x)),
        lambda draw, x, rows: draw(with_parameter, rows, epsilon=x),
    ],
)
@in_one("computed", [False, True])
def test_what_follows_must_not_run_on_it(use: Any, computed: bool) -> None:
    def mechanism(draw: Draw, rows: Rows) -> Any:
        noisy = rows[0] + lap(draw)
        return use(draw, noisy * noisy if computed else noisy, rows)

    with pytest.raises(InputError, match=r"where a plain number is needed|what follows must not") as error:
        decided(mechanism)
    assert "test_draw_release.py, line" in str(error.value)


def with_parameter(draw: Draw, rows: Rows, *, epsilon: Any) -> Any:
    return rows[0] + draw(laplace(1 / epsilon))


def test_a_limit_that_is_met_names_the_way_out() -> None:
    def sorts(draw: Draw, rows: Rows) -> Any:
        return tuple(sorted(rows[0] + lap(draw) for _ in range(5)))

    verdict = decided(sorts, Tuples((0, 1), size=1), limits=Limits(paths=20))
    assert verdict.status is Status.UNDECIDED and "draw.release(noise, then=function)" in verdict.reason

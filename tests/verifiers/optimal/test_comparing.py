"""How far mechanisms are from the best."""

from fractions import Fraction
from typing import Any

import pytest
from tests.verifiers.optimal.questions import clique, hits, path

from dpverify.mechanisms import Distribution, Draw, InputError, clamp, discrete_laplace, exact, exp, log
from dpverify.mechanisms import exponential as exponential_law
from dpverify.verifiers.optimal import distance_from_optimal


def exponential(draw: Draw, database: int, *, epsilon: Any, count: int) -> Any:
    return draw(exponential_law({o: -abs(o - database) for o in range(count)}, epsilon))


def response(draw: Draw, bit: int, *, epsilon: Any) -> Any:
    return draw(Distribution({bit: exp(epsilon), 1 - bit: 1}))


@pytest.mark.parametrize("epsilon", [log(2), Fraction(1, 2)], ids=str)
def test_randomized_response_is_optimal(epsilon: Any) -> None:
    found = distance_from_optimal(response, range(2), clique(2), hits, epsilon=epsilon)
    assert found.ratio == 1
    assert not found.is_more_than_any


def test_with_half_the_epsilon_it_is_not() -> None:
    found = distance_from_optimal(response, range(2), clique(2), hits, epsilon=log(4), parameters={"epsilon": log(2)})
    assert found.achieved == Fraction(2, 3)
    assert found.best.success == Fraction(4, 5)
    assert found.ratio == Fraction(5, 6)


def test_what_is_not_private_may_achieve_more_than_any() -> None:
    found = distance_from_optimal(response, range(2), clique(2), hits, epsilon=log(2), parameters={"epsilon": log(4)})
    assert found.is_more_than_any
    assert found.ratio == Fraction(6, 5)


def test_the_exponential_mechanism_on_a_path() -> None:
    given: dict[str, Any] = {"parameters": {"count": 4}}
    found = distance_from_optimal(exponential, range(4), path(4), hits, epsilon=log(4), **given)
    # by hand: a = e^(−ε/2) = 1/2, and in the middle 1/(1/2 + 1 + 1/2 + 1/4)
    assert found.achieved == Fraction(4, 9)
    assert found.best.success > found.achieved
    weighted = distance_from_optimal(
        exponential, range(4), path(4), hits, epsilon=log(4), weights=lambda i: int(i == 0), **given
    )
    assert weighted.achieved == Fraction(8, 15)
    assert weighted.best.success == 1


def test_more_may_be_answered_than_the_mechanism_does() -> None:
    def always(draw: Draw, database: int) -> int:
        return 0

    assert (
        distance_from_optimal(always, range(2), clique(2), hits, epsilon=log(2)).ratio == 1
    )  # nothing is possible with 0 alone
    found = distance_from_optimal(always, range(2), clique(2), hits, epsilon=log(2), outcomes=[1])
    assert found.achieved == exact(0)
    assert found.best.success == Fraction(2, 3)


def test_noise_without_a_list_of_outcomes_is_refused() -> None:
    def noisy(draw: Draw, database: int, *, epsilon: Any) -> Any:
        return database + draw(discrete_laplace(1 / epsilon))

    with pytest.raises(InputError, match=r"clamp\("):
        distance_from_optimal(noisy, range(2), clique(2), hits, epsilon=1)


@pytest.mark.parametrize("epsilon", [log(2), Fraction(1, 2)], ids=str)
def test_clamped_geometric_noise_on_two_counts_is_randomized_response(epsilon: Any) -> None:
    def noisy(draw: Draw, database: int, *, epsilon: Any) -> Any:
        return clamp(database + draw(discrete_laplace(1 / exact(epsilon))), 0, 1)

    assert distance_from_optimal(noisy, range(2), clique(2), hits, epsilon=epsilon).ratio == 1

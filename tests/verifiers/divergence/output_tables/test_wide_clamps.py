"""Clamps to wide ranges that are returned: between the ends noise stands for all numbers, against all of them."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, bernoulli, clamp, discrete_laplace, distribution, exp, geometric, laplace
from dpverify.mechanisms.drawing import answering
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.outputs import Anything, FromTo, OneOf, released
from dpverify.verifiers import Multisets, Status, Tuples, Verdict, add_or_remove_one, check_privacy, replace_one

MILLION = 10**6


def histogram(draw: Draw, rows: Any, *, high: int, scale: Any = 1) -> Any:
    return tuple(clamp(rows.count(i) + draw(discrete_laplace(scale)), 0, high) for i in range(2))


def beside(draw: Draw, rows: Any, *, high: int) -> Any:
    cells = [clamp(2 * n + draw(geometric(1)), -1, high) for n in rows]
    return (draw(bernoulli("1/3")), *cells, len(rows) + draw(laplace(1)))


def meeting(draw: Draw, rows: Any, *, high: int) -> Any:
    if draw(bernoulli("1/2")):
        return (0, high)
    kept = []
    for n in rows:
        kept.append(clamp(n - 2 * draw(discrete_laplace(1)), Fraction(1, 2), high))
    return tuple(kept)


def one_after_another(draw: Draw, rows: Any, *, high: int) -> Any:
    kept = [clamp(n + draw(discrete_laplace(2)), 0, high) for n in rows]
    return (draw(bernoulli("1/3")),) + tuple(kept)  # noqa: RUF005  # as people write it


def numbers(verdict: Verdict) -> Any:
    delta, epsilon = verdict.delta, verdict.epsilon
    return verdict.status, delta and (delta.lower, delta.upper), epsilon and (epsilon.lower, epsilon.upper)


@pytest.mark.parametrize("mechanism", [histogram, beside, meeting, one_after_another])
def test_noise_between_far_ends_is_as_each_number_for_itself(mechanism: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def verdict() -> Any:
        domain, parameters = Tuples(range(2), size=2), {"high": 6}
        return numbers(
            check_privacy(mechanism, domain, replace_one, epsilon="1/2", delta=0, parameters=parameters, recheck=False)
        )

    by_number = verdict()
    for module in (answering, released):
        monkeypatch.setattr(module, "WIDE", 2)
    assert verdict() == by_number


def test_a_million_numbers_cost_as_little_as_one_cut() -> None:
    domain = Multisets(range(2), sizes=range(2))

    def verdict(scale: Any) -> Verdict:
        parameters = {"high": MILLION, "scale": scale}
        return check_privacy(histogram, domain, add_or_remove_one, epsilon=1, delta=0, parameters=parameters)

    proved, refuted = verdict(1), verdict("1/2")
    assert proved.status is Status.PROVED and proved.epsilon is not None and proved.epsilon.exact == 1
    assert refuted.status is Status.REFUTED and refuted.delta is not None and refuted.witness is not None
    z = exp(-2)  # of a count of 1 cut at 0: z/(1 + z) by 1/(1 + z) of a count of 0
    assert refuted.delta.exact == 1 / (1 + z) - exp(1) * z / (1 + z)
    assert refuted.witness.p == 1 / (1 + z)


def test_a_range_holds_each_number_in_it() -> None:
    law = distribution(histogram, (0, 1, 1), high=40)
    some = [law.probability((Anything(), k)) for k in range(3, 40)]
    assert law.probability((Anything(), OneOf((0, FromTo(3, 39))))) == sum(some) + law.probability((Anything(), 0))
    assert law.probability((Anything(), FromTo(3, 39))) == sum(some)
    assert law.probability((Anything(), FromTo(3, 40))) == sum(some) + law.probability((Anything(), 40))
    assert str(FromTo(3, 99)) == "3 to 99" and str(FromTo(1, 9, 2)) == "1 to 9 in steps of 2"
    assert [k for k in range(12) if FromTo(1, 9, 2).holds(k)] == [1, 3, 5, 7, 9] and not FromTo(0, 2).holds(True)


def test_what_is_cut_inside_a_function_of_its_own_is_a_plain_number() -> None:
    def named(draw: Draw, n: int) -> Any:
        return ["no", "yes"][clamp(n + draw(discrete_laplace(1)), 0, 40) > 20]

    assert distribution(named, 1).probability("no") + distribution(named, 1).probability("yes") == 1


@pytest.mark.parametrize(
    "outcomes", [(3, FromTo(0, 5)), (FromTo(2, 4), FromTo(0, 5)), (FromTo(0, 4, 2), FromTo(1, 9, 3))]
)
def test_no_number_is_counted_twice(outcomes: tuple[Any, ...]) -> None:
    with pytest.raises(InputError, match="not within a FromTo again"):
        OneOf(outcomes)
    assert OneOf((*(one for one in outcomes if not isinstance(one, FromTo)), FromTo(10, 14, 2), FromTo(11, 13, 2), -1))

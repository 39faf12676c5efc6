"""The tracing attack: its exact law against the attack as it runs, and the rows that it forces against a plain count."""

from fractions import Fraction as F
from math import exp as float_exp
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Distribution, Draw, InputError, distribution, log, run
from dpverify.mechanisms.learners import BonehShaw, direct_sum, rows_forced, trace_of_direct_sum, traced
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.learners.tracing import CODES, is_traced, labelled_rows, rounded_average
from dpverify.mechanisms.sanitizers import Threshold

THREE = tuple(map(Threshold, range(4)))
PRINTED = BonehShaw(3, 2, F(9, 10), slack=F(1, 2))
ENDS = BonehShaw(3, 1, F(9, 10), ends=True, slack=F(1, 4))


def one(draw: Draw, sample: Any, *, odds: F = F(2)) -> Any:
    return generic_learner(draw, sample, hypotheses=THREE, epsilon=2 * log(odds))


def many(draw: Draw, rows: Any, *, k: int) -> Any:
    return direct_sum(draw, rows, k=k, learner=one)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("code", [PRINTED, ENDS], ids=str)
@pytest.mark.parametrize("without", [None, 2])
def test_the_law_of_a_direct_sum_is_that_of_the_attack(code: BonehShaw, without: int | None) -> None:
    """Whatever the order of the columns."""
    by_weights = trace_of_direct_sum(code, one, without=without)
    types = [t for t in code.types for _ in range(code.copies)]
    for order in (types, types[::-1]):
        rows = labelled_rows(code, order, without=without)
        law = distribution(traced, rows, code=code, types=tuple(order), learner=many)
        assert law.probabilities == by_weights.probabilities


def test_rows_are_codewords_and_a_missing_one_is_0() -> None:
    assert labelled_rows(PRINTED, (1, 2, 2)) == ((0, 0b111), (1, 0b110), (2, 0))
    assert labelled_rows(PRINTED, (1, 2, 2), without=2) == ((0, 0b111), (1, 0), (2, 0))


def test_an_average_of_a_half_rounds_up() -> None:
    assert [rounded_average(Threshold(j), 4) for j in range(5)] == [0, 0, 1, 1, 1]


def test_the_attack_runs_on_any_learner() -> None:
    def exact_fit(draw: Draw, rows: Any, *, k: int) -> Any:
        best = [max(THREE, key=lambda h, j=j: sum(h(x) == (y >> j & 1) for x, y in rows)) for j in range(k)]  # type: ignore[misc]
        return draw(Distribution({tuple(best): 1}))

    types = (2, 0, 3, 1) * 20
    code = BonehShaw(3, 20, F(9, 10), ends=True)
    accused = run(traced, labelled_rows(code, types), seed=1, code=code, types=types, learner=exact_fit)
    assert accused == 2
    without = run(traced, labelled_rows(code, types, without=2), seed=1, code=code, types=types, learner=exact_fit)
    assert without != 2
    with pytest.raises(InputError, match="1 hypotheses of the learner do not fit 80 columns"):
        traced(Drawn(), ((0, 1),), code=code, types=types, learner=lambda draw, rows, k: (THREE[0],))


class Drawn:
    """For a mechanism without chance, whose errors are to be seen."""

    def __call__(self, mechanism: Any, /, *args: Any, **given: Any) -> Any:
        return mechanism(self, *args, **given)

    def each(self, mechanism: Any, items: Any, /, **given: Any) -> Any:
        raise NotImplementedError

    def until(self, mechanism: Any, accepted: Any, /, *args: Any, **given: Any) -> Any:
        raise NotImplementedError

    def release(self, value: Any, /, then: Any = None) -> Any:
        raise NotImplementedError


def plainly(k: int, code: str, beta: float, epsilon: float, delta: float) -> int:
    """The least number of rows that is not excluded, in floats, by trying all."""
    forced = 1
    for n in range(2, 200):
        match code:
            case "Boneh-Shaw as printed":
                incomplete = suspicion = 2 * n * float_exp(-(k // (n - 1)) / (2 * n * n))
            case "Boneh-Shaw":
                incomplete, suspicion = 0.0, float_exp(-(k // (n + 1)) / (n * (n + 1))) if k > n else 1.0
            case "Tardos as printed":
                factor = k // (100 * n * n)
                incomplete = suspicion = n * float_exp(-factor) if n >= 4 else 2.0
            case _:
                factor = k // (100 * n * n)
                incomplete, suspicion = float_exp(-factor * n / 4), float_exp(-factor)
        if (1 - beta - incomplete) / n > float_exp(epsilon) * suspicion + delta:
            forced = n + 1
    return forced


@in_one("code", CODES)
@in_one("k", [1, 30, 1_000, 20_000, 300_000])
def test_the_rows_that_are_forced_are_those_of_a_plain_count(code: str, k: int) -> None:
    found = rows_forced(k, beta=F(1, 10), epsilon=1, delta=F(1, 1000), code=code)
    assert found == plainly(k, code, 0.1, 1.0, 0.001)


def test_padding_takes_a_smaller_error() -> None:
    given: dict[str, Any] = {"beta": F(1, 10), "epsilon": 1, "delta": F(1, 1000)}
    plain = rows_forced(1_000, **given)
    assert plain > 1
    assert rows_forced(1_000, alpha=F(1, 30), **given) == 10 * (plain - 1) + 1
    assert is_traced(plain - 1, 1_000, code="Boneh-Shaw", **given)
    assert not is_traced(plain, 1_000, code="Boneh-Shaw", **given)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"alpha": F(1, 2)}, "averages of hypotheses have to round to the labels"),
        ({"code": "Hamming"}, "as printed, Boneh-Shaw, Tardos as printed, Tardos"),
        ({"beta": 1}, "from 0 to 1"),
        ({"epsilon": 0}, "epsilon"),
        ({"k": 0}, "k=0"),
    ],
)
def test_what_is_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        rows_forced(**{"k": 100, "beta": F(1, 10), "epsilon": 1, "delta": 0, **changed})


def test_an_irrational_learner_is_refused() -> None:
    with pytest.raises(InputError, match="is not rational"):
        trace_of_direct_sum(PRINTED, lambda draw, sample: generic_learner(draw, sample, hypotheses=THREE, epsilon=1))

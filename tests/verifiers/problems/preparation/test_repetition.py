"""Laws that are computed a second time: what depends on more than the database and `draw` is found."""

import itertools
from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one
from tests.verifiers.privacy.repeated_mechanisms import BITS, UNIQUE, coin

from dpverify.mechanisms import (
    Draw,
    Limits,
    MechanismError,
    bernoulli,
    discrete_laplace,
    distribution,
    exp,
    gaussian,
    symbolic,
    uniform,
)
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one
from dpverify.verifiers.divergence.output_tables.tabulation import AtOneEpsilon, compared_again
from dpverify.verifiers.problems.preparation.answers import are_not_told_apart
from dpverify.verifiers.problems.preparation.experiment import prepared
from dpverify.verifiers.problems.preparation.repetition import (
    DistributionRequest,
    InThisProcess,
    budget,
    never_repeated,
    rarest_positions,
    repeated,
)
from dpverify.verifiers.problems.questions.question import Question

pytestmark = pytest.mark.forks


def keeps_in_a_dict() -> Any:
    kept: dict[int, Any] = {}
    return lambda draw, rows: kept.setdefault(0, rows)


def counts_its_calls() -> Any:
    calls = itertools.count()
    return lambda draw, rows: next(calls) > 0


class Remembering:
    def part(self, draw: Draw, k: int) -> None:
        self.value = coin(draw, k)

    def __call__(self, draw: Draw, rows: Any) -> bool:
        draw(self.part, 1 + 8 * rows[0])
        return self.value


COUNTED: list[int] = []


def counted(draw: Draw) -> Any:
    """A law that is another one each time; it is remembered, where it is not inlined."""
    COUNTED.append(0)
    return uniform(range(1 + len(COUNTED)))


def draws_what_is_counted() -> Any:
    return lambda draw, rows: (draw(bernoulli("0.5")), draw(counted) < 2)


def keeps_a_probability_of_what_does_not_travel() -> Any:
    kept: dict[int, Fraction] = {}
    return lambda draw, rows: draw(bernoulli(kept.setdefault(0, Fraction(1 + rows[0], 5)))) and UNIQUE


UNSOUND: list[Callable[[], Any]] = [
    *(keeps_in_a_dict, counts_its_calls, Remembering, draws_what_is_counted),
    keeps_a_probability_of_what_does_not_travel,
]


@pytest.mark.parametrize("make", UNSOUND)
def test_what_passes_from_run_to_run_is_not_proved(make: Callable[[], Any]) -> None:
    """It is refused, or code outside, or what it says of two databases is another thing: it is never PROVED."""
    for size in (1, 4):
        try:
            verdict = check_privacy(make(), Tuples((0, 1), size=size), epsilon=0)
        except MechanismError:
            continue
        assert verdict.status is not Status.PROVED


def test_without_the_repetition_the_scope_says_so() -> None:
    verdict = check_privacy(lambda draw, rows: coin(draw, 1), BITS, epsilon=0, recheck=False)
    assert verdict.status is Status.PROVED
    assert verdict.basis.recheck == "none"
    assert "output distributions not recomputed" in verdict.scope


def test_the_scope_says_who_repeated() -> None:
    verdict = check_privacy(lambda draw, rows: coin(draw, 1 + rows[0]), BITS, epsilon=1)
    assert verdict.basis.recheck == "one process"
    assert "output distributions recomputed in one process for 2 of them, the hash seed not varied" in verdict.scope


def test_a_symbolic_claim_is_repeated_at_a_number() -> None:
    def noisy(draw: Draw, rows: Any, *, epsilon: Any) -> bool:
        return bool(rows[0] + draw(discrete_laplace(1 / epsilon)) >= 1)

    verdict = check_privacy(noisy, BITS, epsilon=symbolic)
    assert verdict.basis.recheck == "one process"
    assert "for 2 of them" in verdict.scope


def test_every_database_is_run_with_a_number_for_a_symbolic_epsilon() -> None:
    """Only the 250th of 300 databases asks what type its ε has."""

    def peeks(draw: Draw, database: int, *, epsilon: Any) -> bool:
        scale = 1 / epsilon if database != 250 or not isinstance(epsilon, Fraction) else Fraction(1, 100)
        return bool(database % 2 + draw(discrete_laplace(scale)) >= 1)

    with pytest.raises(MechanismError, match=r"on 250: type\(…\) was asked of what stands for"):
        check_privacy(peeks, range(300), lambda x: [x + 1], epsilon=symbolic)


# --- A check of this library, for code inside
def bits(draw: Draw, rows: Any) -> Any:
    return sum(1 - row if draw(bernoulli("1/3")) else row for row in rows)


@pytest.mark.parametrize("i", [0, 1])
def test_a_law_that_is_not_that_of_whole_runs_is_noticed(i: int) -> None:
    question = Question(bits, Tuples((0, 1), size=3), replace_one, None, {}, Limits())
    experiment = prepared(question, never_repeated)
    laws = [distribution(bits, rows) for rows in experiment.run_on]
    here = InThisProcess(question, experiment.run_on)
    first = {place: AtOneEpsilon(None, laws[place]) for place in rarest_positions(experiment.run_on)}
    assert str(compared_again(experiment, first, here, 1_000)).startswith("recomputed in one process for 8 of them")
    assert compared_again(experiment, first, here, 17).databases == 2, "eight runs for each"
    assert compared_again(experiment, first, here, 0).databases == 0
    wrong = {**first, [*first][i]: AtOneEpsilon(None, distribution(bits, (1, 1, 1)))}
    with pytest.raises(MechanismError, match="its distribution differs the second time, in one process"):
        compared_again(experiment, wrong, here, 1_000)


def two_noises(draw: Draw, rows: Any) -> Any:
    return draw(discrete_laplace(1 + rows[0])), draw(discrete_laplace(1))


def test_noise_that_is_not_seen_to_be_the_same_is_left_out_where_it_may_be_so_in_another_form() -> None:
    question = Question(two_noises, BITS, replace_one, None, {}, Limits())
    experiment = prepared(question, never_repeated)
    here = InThisProcess(question, experiment.run_on)
    wrong = {0: AtOneEpsilon(None, distribution(two_noises, (1,)))}
    assert compared_again(experiment, wrong, here, 1_000).databases == 0
    with pytest.raises(MechanismError, match="differs the second time"):
        compared_again(experiment, wrong, here, None)


class Place(Enum):
    FIRST, SECOND, THIRD = range(3)


def largest(draw: Draw, counts: Any) -> int:
    noisy = [c + draw(gaussian(1)) for c in counts]
    return max(range(3), key=lambda i: noisy[i])


def place_of_largest(draw: Draw, counts: Any) -> Place:
    """As `largest`, with outcomes that do not travel to another process: probabilities do."""
    noisy = [c + draw(gaussian(1)) for c in counts]
    return Place(max(range(3), key=lambda i: noisy[i]))


@pytest.mark.parametrize("mechanism", [largest, place_of_largest])
def test_sums_of_other_integrals_are_compared_by_balls(mechanism: Any) -> None:
    """Plain runs compare Gaussian scores two by two, whose probabilities are other sums than those of the pattern."""
    scores = Tuples((0, 1, 2), size=3)
    proved, refuted = (check_privacy(mechanism, scores, epsilon="1/2", delta=delta) for delta in ("0.45", "0.44"))
    assert (proved.status, refuted.status) == (Status.PROVED, Status.REFUTED)  # the smallest is 0.447063...
    assert "for 8 of them" in proved.scope
    experiment = prepared(Question(mechanism, scores, replace_one, None, {}, Limits()), never_repeated)
    here = InThisProcess(experiment.question, experiment.run_on)
    wrong = {0: AtOneEpsilon(None, distribution(mechanism, (0, 0, Fraction(1, 10**15))))}
    with pytest.raises(MechanismError, match="differs the second time"):
        compared_again(experiment, wrong, here, 1_000)


def test_only_numbers_without_a_test_for_zero_are_not_told_apart_and_only_where_they_are_near() -> None:
    rows = (0, 1, 2)
    found, plain = distribution(largest, rows), PlainEnumerator(Limits()).distribution(largest, (rows,), {})
    both = [(found.probability(i), plain.probability(i)) for i in range(3)]
    others = [(p, q) for p, q in both if p is not q]  # of the rarest both are one integral
    assert others
    for p, q in others:
        assert are_not_told_apart(p, q)
        assert not are_not_told_apart(p, q + Fraction(1, 2**90))
    assert not are_not_told_apart(exp(Fraction(1, 2**140)), exact(1))


def with_sets(draw: Draw, rows: Any) -> Any:
    return max({*rows}, key=rows.count), draw(bernoulli("0.5"))


def with_parts(draw: Draw, rows: Any) -> Any:
    return draw.each(coin, [1 + row for row in rows])


@in_one("mechanism", [lambda draw, rows: draw(bernoulli(0.25 + rows[0] / 2)), with_sets, with_parts])
def test_whole_runs_are_those_of_the_compiled_form(mechanism: Any) -> None:
    verdict = check_privacy(mechanism, Tuples((0, 1), size=2), epsilon=9)
    assert "output distributions recomputed in one process for 4 of them" in verdict.scope


def test_what_the_plain_enumerator_cannot_find_is_left_out() -> None:
    rows = (1,) * 64
    question = Question(with_parts, (rows,), replace_one, None, {}, Limits())
    assert list(repeated(question, [rows], [DistributionRequest(0, None)], 100)) == [[]]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_the_sample_has_one_of_each_of_the_rarest_patterns(databases: list[tuple[int, int]]) -> None:
    chosen = rarest_positions(databases)
    assert len(chosen) == len({*chosen}) == min(8, len(databases))
    firsts = {a == b: i for i, (a, b) in reversed([*enumerate(databases)])}
    assert {*chosen[: len(firsts)]} == {*firsts.values()}
    assert (budget(10), budget(10_000)) == (200, 1_000)

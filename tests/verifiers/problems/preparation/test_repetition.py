"""Laws that are computed a second time: what depends on more than the database and `draw` is found."""

from __future__ import annotations

import functools
import itertools
import os
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from tests.verifiers.privacy.repeated_mechanisms import BITS, UNIQUE, coin

from dpverify.mechanisms import (
    Draw,
    InputError,
    Limits,
    MechanismError,
    bernoulli,
    discrete_laplace,
    symbolic,
    uniform,
)
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one
from dpverify.verifiers.problems.preparation.repetition import Budget, _Inlining
from dpverify.verifiers.problems.questions.question import Question

pytestmark = pytest.mark.forks

PLENTY = Budget(10_000, 10_000)


def keeps_in_a_dict() -> Any:
    kept: dict[int, Any] = {}
    return lambda draw, rows: kept.setdefault(0, rows)


def keeps_in_an_attribute() -> Any:
    def mechanism(draw: Draw, rows: Any) -> Any:
        if not hasattr(mechanism, "first"):
            mechanism.first = rows  # type: ignore[attr-defined]
        return mechanism.first  # type: ignore[attr-defined]

    return mechanism


def keeps_in_a_cache() -> Any:
    @functools.lru_cache
    def seen() -> list[Any]:
        return []

    def mechanism(draw: Draw, rows: Any) -> Any:
        if not seen():
            seen().append(rows)
        return seen()[0]

    return mechanism


def keeps_in_a_default() -> Any:
    def mechanism(draw: Draw, rows: Any, kept: list[Any] = []) -> Any:  # noqa: B006  # on purpose
        kept.append(rows)
        return kept[0]

    return mechanism


def keeps_by_a_part_of_the_data() -> Any:
    kept: dict[Any, Any] = {}
    return lambda draw, rows: kept.setdefault(rows[:3], rows[-1])


def counts_its_calls() -> Any:
    calls = itertools.count()
    return lambda draw, rows: next(calls) > 0


def passes_on_through_a_list() -> Any:
    def part(draw: Draw, found: list[bool], k: int) -> None:
        found.append(coin(draw, k))

    def mechanism(draw: Draw, rows: Any) -> bool:
        found: list[bool] = []
        draw(part, found, 1 + 8 * rows[0])
        return found[0]

    return mechanism


class Remembering:
    def part(self, draw: Draw, k: int) -> None:
        self.value = coin(draw, k)

    def __call__(self, draw: Draw, rows: Any) -> bool:
        draw(self.part, 1 + 8 * rows[0])
        return self.value


def passes_on_through_a_variable() -> Any:
    def mechanism(draw: Draw, rows: Any) -> bool:
        value = False

        def part(draw: Draw) -> None:
            nonlocal value
            value = coin(draw, 1 + 8 * rows[0])

        draw(part)
        return value

    return mechanism


COUNTED: list[int] = []


def counted(draw: Draw) -> Any:
    """A law that is another one each time; it is remembered, where it is not inlined."""
    COUNTED.append(0)
    return uniform(range(1 + len(COUNTED)))


def draws_what_is_counted() -> Any:
    return lambda draw, rows: (draw(bernoulli("0.5")), draw(counted) < 2)


def is_lost_among_many_paths() -> Any:
    """Inlined as a whole it has 2^11 paths, and what is passed on shows where one kind is inlined alone."""

    def leak(draw: Draw, found: list[bool], k: int) -> None:
        found.append(coin(draw, k))

    def mechanism(draw: Draw, rows: Any) -> Any:
        found: list[bool] = []
        draw(leak, found, 1 + 8 * rows[0])
        return found[0], sum(draw(coin, 3) for _ in range(10)) >= 0

    return mechanism


def fails_where_it_is_called_first() -> Any:
    kept: list[Any] = []

    def mechanism(draw: Draw, rows: Any) -> Any:
        kept.append(rows)
        return 1 // (1 - kept[0][0])

    return mechanism


def keeps_a_probability_of_what_does_not_travel() -> Any:
    kept: dict[int, Fraction] = {}
    return lambda draw, rows: draw(bernoulli(kept.setdefault(0, Fraction(1 + rows[0], 5)))) and UNIQUE


UNSOUND: list[Callable[[], Any]] = [
    keeps_in_a_dict,
    keeps_in_an_attribute,
    keeps_in_a_cache,
    keeps_in_a_default,
    keeps_by_a_part_of_the_data,
    counts_its_calls,
    passes_on_through_a_list,
    Remembering,
    passes_on_through_a_variable,
    draws_what_is_counted,
    is_lost_among_many_paths,
    fails_where_it_is_called_first,
    keeps_a_probability_of_what_does_not_travel,
]


SIZES = {keeps_by_a_part_of_the_data: [4, 7], is_lost_among_many_paths: [1]}
"""Numbers of rows: of three it keeps all apart that a part of the data tells apart; and many paths take long."""


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("nothing_is_watched")
@pytest.mark.parametrize(("make", "size"), [(make, size) for make in UNSOUND for size in SIZES.get(make, [1, 4, 7])])
def test_what_passes_unseen_is_found(make: Callable[[], Any], size: int) -> None:
    with pytest.raises(MechanismError, match="not deterministic"):
        check_privacy(make(), Tuples((0, 1), size=size), epsilon=0)


@pytest.mark.parametrize("make", UNSOUND)
def test_what_passes_unseen_is_refused_by_name_without_a_repetition(make: Callable[[], Any]) -> None:
    with pytest.raises(MechanismError, match=r"(changed|reaches) .*, line \d+\)"):
        check_privacy(make(), Tuples((0, 1), size=1), epsilon=0, recheck=False)


@pytest.mark.usefixtures("nothing_is_watched")
def test_without_the_repetition_the_scope_says_so() -> None:
    verdict = check_privacy(keeps_in_a_dict(), BITS, epsilon=0, recheck=False)
    assert verdict.status is Status.PROVED
    assert verdict.basis.recheck == "none"
    assert "laws not repeated" in verdict.scope


def test_the_scope_says_who_repeated() -> None:
    verdict = check_privacy(lambda draw, rows: coin(draw, 1 + rows[0]), BITS, epsilon=1)
    assert verdict.basis.recheck == "a forked process"
    assert "laws repeated in a forked process for 2 of them, the hash seed not varied" in verdict.scope


@pytest.mark.usefixtures("nothing_is_watched")
def test_a_symbolic_claim_is_repeated_at_a_number() -> None:
    def noisy(draw: Draw, rows: Any, *, epsilon: Any) -> bool:
        return bool(rows[0] + draw(discrete_laplace(1 / epsilon)) >= 1)

    assert check_privacy(noisy, BITS, epsilon=symbolic).basis.recheck == "a forked process"
    kept: list[Any] = []

    def keeping(draw: Draw, rows: Any, *, epsilon: Any) -> bool:
        kept.append(rows[0])
        return bool(kept[0] + draw(discrete_laplace(1 / epsilon)) >= 1)

    with pytest.raises(MechanismError, match="not deterministic"):
        check_privacy(keeping, BITS, epsilon=symbolic)


def test_every_database_is_run_with_a_number_for_a_symbolic_epsilon() -> None:
    """Only the 250th of 300 databases asks what type its ε has."""

    def peeks(draw: Draw, database: int, *, epsilon: Any) -> bool:
        scale = 1 / epsilon if database != 250 or not isinstance(epsilon, Fraction) else Fraction(1, 100)
        return bool(database % 2 + draw(discrete_laplace(scale)) >= 1)

    with pytest.raises(MechanismError, match="otherwise for ε = 1 than for a symbolic ε, on 250"):
        check_privacy(peeks, range(300), lambda x: [x + 1], epsilon=symbolic)


@pytest.mark.parametrize("where", [(0,), (3,)])
def test_chance_that_is_hidden_from_the_first_time_alone_is_found(where: tuple[int, ...]) -> None:
    """It comes from a generator whose functions cannot be replaced, in another process, on the first or the last."""
    here, unseen = os.getpid(), random.Random(1).random

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> bool:
        if os.getpid() != here and rows == where:
            unseen()
        return bool(draw(bernoulli("0.5")))

    with pytest.raises(MechanismError, match=r"not deterministic: the second time, in a forked process, .*chance came"):
        check_privacy(mechanism, Tuples(range(4), size=1), epsilon=1)


def cut_counts(draw: Draw, rows: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(max(0, row + draw(discrete_laplace(1 + i % 3))) for i, row in enumerate(rows))


def test_what_is_read_as_many_parts_is_not_run_path_by_path_a_second_time() -> None:
    """As it is written it has 2^64 paths, and each that is tried makes 64 choices."""
    rows = (1,) * 64
    question = Question(cut_counts, (rows,), replace_one, None, {}, Limits())
    inlining = _Inlining(question, ((rows,), {}), 1_000)
    (law,) = inlining.laws()
    assert isinstance(law, ReleasedDistribution) and law.has_parts  # which are cuts alone, and no sub-mechanisms
    assert inlining.spent < 100


def test_what_is_read_and_has_few_paths_is_run_path_by_path_a_second_time() -> None:
    question = Question(cut_counts, ((1, 0),), replace_one, None, {}, Limits())
    inlining = _Inlining(question, (((1, 0),), {}), 1_000)
    assert len(inlining.laws()) == 1
    assert inlining.spent == 2 * 4


@pytest.mark.usefixtures("nothing_is_watched")
def test_some_paths_are_run_where_there_are_too_many_to_inline() -> None:
    """What a part keeps shows in what some paths return, although all of them are too many."""
    kept: list[int] = []

    def part(draw: Any, bit: int) -> int:
        if draw(bernoulli(Fraction(1 + 8 * bit, 10))):
            kept.append(1)
        return 0

    def tells(draw: Any, rows: Any) -> bool:
        kept.clear()
        draw.each(part, rows)
        return bool(kept)

    with pytest.raises(InputError, match=r"depend on the order of a set \[not-deterministic\]"):
        check_privacy(tells, [TWELVE, ONE_MORE], other_of_two, epsilon=0)


def test_the_scope_says_where_nothing_was_inlined() -> None:
    def part(draw: Any, bit: int) -> bool:
        return bool(draw(bernoulli(Fraction(1 + 2 * bit, 4))))

    def apart(draw: Any, rows: Any) -> Any:
        return draw.each(part, rows)

    verdict = check_privacy(apart, [TWELVE, ONE_MORE], other_of_two, epsilon=2)
    assert verdict.status is Status.PROVED
    assert "for 2 of them, on some paths at most with sub-mechanisms inlined for 2" in verdict.scope


TWELVE = (0,) * 12
ONE_MORE = (*TWELVE[1:], 1)


def other_of_two(rows: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [ONE_MORE] if rows == TWELVE else [TWELVE]

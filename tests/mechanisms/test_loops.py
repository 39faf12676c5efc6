"""Loops that draw until they return, read as `draw.until`: right, or run as they are written."""
# ruff: noqa: B023  # that a function sees what a round binds is what is tested

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Distribution, Limits, bernoulli, distribution, exp, laplace, uniform
from dpverify.mechanisms.numbers.errors import InputError, LimitMet, MechanismError, Undecided
from dpverify.mechanisms.outputs import Between

HALF = bernoulli("1/2")
DEPTH = 9
LIMITS = Limits(draws=40)


class _Unfinished(BaseException):
    """Where a path needs one more choice."""

    def __init__(self, law: Distribution[Any]) -> None:
        super().__init__()
        self.law = law


def truncated(mechanism: Callable[..., Any], database: Any) -> tuple[dict[Any, Fraction], Fraction]:
    """Lower bounds on the chances of outcomes, by all paths of up to so many draws, and the chance of longer ones."""
    known: dict[Any, Fraction] = {}
    waiting: list[tuple[tuple[Any, ...], Fraction]] = [((), Fraction(1))]
    left = Fraction(0)
    while waiting:
        path, chance = waiting.pop()
        answers = iter(path)

        def draw(law: Distribution[Any], answers: Iterator[Any] = answers) -> Any:
            for answer in answers:
                return answer
            raise _Unfinished(law)

        try:
            outcome = mechanism(draw, database)
        except _Unfinished as more:
            if len(path) == DEPTH:
                left += chance
            else:
                waiting += [((*path, o), chance * Fraction(str(p))) for o, p in more.law.probabilities.items()]
        else:
            known[outcome] = known.get(outcome, Fraction(0)) + chance
    return known, left


# --- Read: rounds are independent, or pass on one of few values
def returns(draw: Any, rows: Any) -> Any:
    kept = rows[0]
    while True:
        face = draw(uniform(range(4)))
        if face > kept:
            return face
        if face == 0 and draw(HALF):
            return "none"


def breaks(draw: Any, rows: Any) -> Any:
    face = None
    while True:
        face = draw(uniform(range(4)))
        if face < rows[0]:
            continue
        for row in rows:
            if row == face:
                break
            face += row
        if face > 2:
            break
    return face, draw(HALF)


def after_a_draw(draw: Any, rows: Any) -> Any:
    first = draw(HALF)
    while True:
        second = draw(uniform(range(3)))
        scores = (second, 1)
        if max(range(2), key=lambda i: scores[i]) == first:
            return first, second


def sums(draw: Any, rows: Any) -> Any:
    while True:
        total = 0
        for row in rows:
            total += row * draw(HALF)
        if total:
            return total


def redraws(draw: Any, rows: Any) -> Any:
    face = draw(uniform(range(3)))
    while face < rows[0]:
        face = draw(uniform(range(3)))
    return face, draw(HALF)


def is_done(draw: Any, rows: Any) -> Any:
    done = False
    while not done:
        face = draw(uniform(range(3)))
        done = face != rows[0]
        if done:
            continue
        done = draw(HALF)
    return face


def best_so_far(draw: Any, rows: Any) -> Any:
    best = -1
    while True:
        best = max(best, draw(uniform(range(2))))
        if draw(HALF):
            return best


def on_some_paths(draw: Any, rows: Any) -> Any:
    seen = 0
    while True:
        if draw(HALF):
            seen = 1
        elif draw(HALF):
            return seen


def one_or_true(draw: Any, rows: Any) -> Any:
    last: Any = 0
    while True:
        known = last
        last = True if draw(HALF) else 1
        if draw(HALF):
            return type(known).__name__


def three_in_a_row(draw: Any, rows: Any) -> Any:
    heads = 0
    faces: tuple[Any, ...] = ()
    while heads < 2:
        face = draw(HALF)
        heads = heads + 1 if face else 0
        faces = (*faces[-1:], face)
        if draw(bernoulli("1/4")):
            break
    return heads, faces


# --- Not read: something else passes from a round to the next one
def counts(draw: Any, rows: Any) -> Any:
    count = 0
    while True:
        count += 1
        if draw(HALF):
            return min(count, 3)


def may_go_on_for_ever(draw: Any, rows: Any) -> Any:
    stuck = False
    while True:
        if draw(HALF) and not stuck:
            return 1
        stuck = True


def same_as_before(draw: Any, rows: Any) -> Any:
    before = first = (rows[0],)
    while True:
        if draw(HALF):
            return before is first
        before = (rows[0],)


def seen_by_a_function(draw: Any, rows: Any) -> Any:
    best = 0

    def seen() -> int:
        return best

    while True:
        known = seen()
        best = draw(uniform(range(3)))
        if draw(HALF):
            return known


def appended(draw: Any, rows: Any) -> Any:
    found = []
    while True:
        found.append(draw(HALF))
        if len(found) == 2:
            return tuple(found)


def counted_in_a_cell(draw: Any, rows: Any) -> Any:
    count = 0

    def more() -> int:
        nonlocal count
        count += 1
        return count

    while True:
        if more() > 1 or draw(HALF):
            return count


def counted_by_a_generator(draw: Any, rows: Any) -> Any:
    numbers = (i for i in range(100))
    while True:
        i = next(numbers)
        if draw(HALF):
            return i > 0


def looks_at_frames(draw: Any, rows: Any) -> Any:
    while True:
        known = _variable_of_caller("now")
        now = draw(HALF)
        if draw(HALF):
            return known, now


def _variable_of_caller(name: str) -> Any:
    return sys._getframe(1).f_locals.get(name)


def rebinds_draw(draw: Any, rows: Any) -> Any:
    while True:
        if draw(HALF):
            return draw(HALF)
        draw = _heads


def _heads(law: Any) -> bool:
    return True


def has_an_end(draw: Any, rows: Any) -> Any:
    while True:
        if draw(HALF):
            break
    else:
        return 0
    while True:
        if draw(HALF):
            return 1


def never_begins(draw: Any, rows: Any) -> Any:
    while rows[0] > 5:
        if draw(HALF):
            return 1
    return draw(HALF)


_last = 0


def seen_in_its_module(draw: Any, rows: Any) -> Any:
    global _last  # noqa: PLW0603  # that is the trap
    while True:
        known = _of_module()
        _last = draw(HALF)
        if draw(HALF):
            return known


def _of_module() -> int:
    return _last


@dataclass(frozen=True, eq=False)
class _Token:
    number: int


def equal_to_itself_alone(draw: Any, rows: Any) -> Any:
    token = first = _Token(0)
    while True:
        fresh = token == first
        if draw(HALF):
            return 0 if fresh else rows[1]
        token = _Token(0)


def one_dict_by_two_names(draw: Any, rows: Any) -> Any:
    known: dict[str, int] = {}
    last = (known,)
    while True:
        last[0]["k"] = 1
        fresh = "k" in known
        last[0].pop("k")
        if draw(HALF):
            return 0 if fresh else rows[1]
        last = ({},)


def one_cell_in_all_rounds(draw: Any, rows: Any) -> Any:
    seen, y = None, 0
    while True:
        x = y
        leak = seen is not None and seen() == x
        y = 1 - y
        seen = lambda: x  # noqa: E731  # that is the trap
        if draw(HALF):
            return rows[1] if leak else 0


_limit = 7


def not_bound_before_a_global(draw: Any, rows: Any) -> Any:
    base = _limit if rows[1] else 0  # noqa: F823  # that is the trap
    while True:
        _limit = draw(uniform(range(3)))
        if _limit >= 1:
            return base + _limit


def not_bound_where_the_loop_does_not_begin(draw: Any, rows: Any) -> Any:
    n = 1
    while n < rows[1]:
        max = 0
        if draw(HALF):
            break
    return max


READ = [
    *(returns, breaks, after_a_draw, sums, redraws, is_done, has_an_end),
    *(best_so_far, on_some_paths, one_or_true, three_in_a_row, one_dict_by_two_names),
]

NOT_READ = [
    *(counts, same_as_before, seen_by_a_function),
    *(appended, counted_in_a_cell),
    *(counted_by_a_generator, looks_at_frames, rebinds_draw),
    *(never_begins, may_go_on_for_ever, seen_in_its_module),
]

NOT_BOUND = [not_bound_before_a_global, not_bound_where_the_loop_does_not_begin]
"""Which raise, in Python."""

SEEN_BY_MORE_THAN_VALUES = [equal_to_itself_alone, one_cell_in_all_rounds]
"""Of which no path is the last."""


@pytest.mark.parametrize("mechanism", READ)
@pytest.mark.parametrize("rows", [(0, 1), (1, 2)])
def test_a_loop_that_is_read_has_the_law_of_its_paths(mechanism: Any, rows: tuple[int, ...]) -> None:
    law = distribution(mechanism, rows, limits=LIMITS)
    least, left = truncated(mechanism, rows)
    assert left < Fraction(1, 5)
    assert law.probabilities.keys() == least.keys()
    for outcome, chance in least.items():
        assert chance <= law.probability(outcome) <= chance + left


@in_one("mechanism", NOT_READ)
def test_a_loop_that_passes_something_on_is_run_as_it_is(mechanism: Any) -> None:
    try:
        law = distribution(mechanism, (0, 1), limits=LIMITS)
    except (InputError, Undecided):
        return
    least, left = truncated(mechanism, (0, 1))  # it ends by itself
    assert left == 0
    assert dict(law.probabilities) == least


@pytest.mark.parametrize("mechanism", SEEN_BY_MORE_THAN_VALUES)
def test_a_loop_that_passes_on_more_than_values_is_undecided(mechanism: Any) -> None:
    with pytest.raises(LimitMet, match=r"may not end.*test_loops\.py, line"):
        distribution(mechanism, (0, 1), limits=LIMITS)


@pytest.mark.parametrize("mechanism", NOT_BOUND)
def test_a_variable_that_is_not_bound_raises_although_there_is_a_global(mechanism: Any) -> None:
    with pytest.raises(MechanismError, match="UnboundLocalError"):
        distribution(mechanism, (0, 1), limits=LIMITS)


def noise_of_a_round_before(draw: Any, rows: Any) -> Any:
    noise = draw(laplace(1))
    while True:
        if draw(HALF):
            return noise
        noise = draw(laplace(1))


def noise_from_around(draw: Any, rows: Any) -> Any:
    threshold = draw(laplace(1))
    while True:
        if draw(laplace(1)) >= threshold:
            return 1


def test_a_loop_passes_noise_on_of_which_nothing_else_is_known() -> None:
    law = distribution(noise_of_a_round_before, (0,), limits=LIMITS)
    assert law.probability(Between(0, 1)) == (1 - exp(-1)) / 2


def test_a_loop_that_compares_with_noise_of_another_round_is_undecided() -> None:
    with pytest.raises((InputError, Undecided)):
        distribution(noise_from_around, (0,), limits=LIMITS)


def inside(draw: Any, row: Any) -> Any:
    while True:
        noisy = row + draw(laplace(2))
        if noisy >= 0 and noisy <= 2:
            return noisy


def redrawn(draw: Any, row: Any) -> Any:
    noisy = row + draw(laplace(2))
    while noisy > 2 or noisy < 0:
        noisy = row + draw(laplace(2))
    return noisy


def below_one(draw: Any, row: Any) -> Any:
    return draw(inside, row) < 1


@pytest.mark.parametrize("mechanism", [inside, redrawn, below_one])
def test_real_numbers_have_the_law_given_that_they_are_accepted(mechanism: Any) -> None:
    law = distribution(mechanism, 0)
    found = law.probability(True) if mechanism is below_one else law.probability(Between(0, 1))
    half = exp(Fraction(-1, 2))  # the noise exceeds 0, 1 and 2 with chances 1/2, half/2 and half**2/2
    assert found == (1 - half) / (1 - half**2)


def test_a_loop_that_is_not_read_says_why() -> None:
    with pytest.raises(Undecided, match=r"may not end.*test_loops\.py, line"):
        distribution(counts, (0,), limits=LIMITS)

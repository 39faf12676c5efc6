"""Numbers that are cut and returned, by themselves, in loops and in arrays: read as parts, or run as they are.

The oracle runs each program as it is written, path by path.
"""

import re
from fractions import Fraction
from typing import Any

import pytest
from tests.mechanisms.drawing.test_items_apart import Rows, as_it_is, read

from dpverify.mechanisms import (
    Draw,
    MechanismError,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    geometric,
    laplace,
)
from dpverify.mechanisms.drawing.caching import expanded
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.verifiers import Multisets, Status, add_or_remove_one, check_privacy
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution


# --- What is read
def two_steps(draw: Draw, rows: Rows) -> Any:
    noisy = [row + draw(discrete_laplace(2)) for row in rows]
    return tuple(max(0, number) for number in noisy)


def in_a_loop(draw: Draw, rows: Rows) -> Any:
    kept = []
    for row in rows:
        kept.append(min(3, max(0, row + draw(laplace(1)))))
    return "cut", tuple(kept)


def by_branches(draw: Draw, rows: Rows) -> Any:
    kept = []
    for row in rows:
        number = row + draw(geometric(1))
        if number > 2:
            number = 2
        number += 1
        kept.append(number)
    return tuple(kept)


def of_a_variable(draw: Draw, rows: Rows) -> Any:
    scale = 1 + draw(bernoulli("0.5"))
    noisy = tuple(max(0, row + draw(discrete_laplace(scale))) for row in rows)
    return scale, noisy


def in_a_row(draw: Draw, rows: Rows) -> Any:
    low = rows[0] + draw(laplace(1))
    high = sum(rows) + draw(discrete_laplace(1))
    return max(low, 0), clamp(high, 0, 2), round(2 * draw(laplace(1)))


def of_sums(draw: Draw, rows: Rows) -> Any:
    return tuple(max(0, number) for number in [row + draw(laplace(1)) + draw(laplace(1)) for row in rows])


READ = [two_steps, in_a_loop, by_branches, of_a_variable, in_a_row]


@pytest.mark.parametrize("mechanism", READ)
def test_what_is_read_has_the_law_of_the_program(mechanism: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for rows in ((0, 1), (2, 0)):
        law, was_read = read(mechanism, rows, monkeypatch)
        assert was_read
        assert isinstance(law, ReleasedDistribution)
        assert same_distribution(expanded(law), expanded(as_it_is(mechanism, rows)))


# --- What is not: the noise, or what is cut, is used elsewhere
def returned_beside(draw: Draw, rows: Rows) -> Any:
    """The number is returned beside what the cut leaves."""
    noisy = [row + draw(discrete_laplace(1)) for row in rows]
    return tuple(max(0, number) for number in noisy), noisy[0]


def cut_twice(draw: Draw, rows: Rows) -> Any:
    """One number is cut in two ways."""
    number = rows[0] + draw(discrete_laplace(1))
    return max(0, number), min(1, number)


def compared_after(draw: Draw, rows: Rows) -> Any:
    """A comparison of the noise that is cut is returned."""
    noisy = [row + draw(laplace(1)) for row in rows]
    return tuple(max(0, number) for number in noisy), noisy[0] > noisy[1]


def compared_before(draw: Draw, rows: Rows) -> Any:
    """What is known of the noise before it is cut counts."""
    noisy = [row + draw(laplace(1)) for row in rows]
    first = noisy[0] > 1
    return first, tuple(max(0, number) for number in noisy)


def of_one_noise(draw: Draw, rows: Rows) -> Any:
    """All numbers have one noise."""
    noise = draw(discrete_laplace(1))
    return tuple(max(0, row + noise) for row in rows)


def running_sums(draw: Draw, rows: Rows) -> Any:
    """Each number has the noise of those before it."""
    kept, total = [], Fraction(0)
    for row in rows:
        total += row + draw(discrete_laplace(1))
        kept.append(max(0, total))
    return tuple(kept)


def looked_at(draw: Draw, rows: Rows) -> Any:
    """What is in the list decides how it goes on."""
    kept: list[Any] = []
    for row in rows:
        kept.append(clamp(row + draw(discrete_laplace(1)), 0, 1))
        if kept[-1] == 0:
            break
    return tuple(kept)


def carried_over(draw: Draw, rows: Rows) -> Any:
    """A value of one round is used in the next one."""
    kept, last = [], 0
    for row in rows:
        bit = draw(bernoulli("0.5")) ^ last
        last = int(bit)
        kept.append(row + last)
    return tuple(kept)


def run_later(draw: Draw, rows: Rows) -> Any:
    """A generator runs where it is gone through."""
    top = 0
    noisy = (max(top, row + draw(discrete_laplace(1))) for row in rows)
    top = 1
    return tuple(noisy)


def gone_through_again(draw: Draw, rows: Rows) -> Any:
    """A list is gone through once for each row."""
    noisy = [draw(bernoulli("0.5")) for _ in rows]
    return tuple(max(row, bit) for row in rows for bit in noisy)


def gone_through_within(draw: Draw, rows: Rows) -> Any:
    """A list is gone through once for each row, by a sum."""
    noisy = [draw(bernoulli("0.5")) for _ in rows]
    return tuple(row + sum(bit for bit in noisy) for row in rows)


def of_another_row(draw: Draw, rows: Rows) -> Any:
    """A name is another variable in the list."""
    row = 1 + len(rows)
    noisy = [row + draw(bernoulli("0.5")) for row in rows]
    return tuple(max(row, number) for number in noisy)


NOT_READ = [
    of_sums,
    gone_through_again,
    gone_through_within,
    of_another_row,
    returned_beside,
    cut_twice,
    compared_after,
    of_one_noise,
    running_sums,
    looked_at,
    carried_over,
]


@pytest.mark.parametrize("mechanism", [*NOT_READ, compared_before, run_later])
def test_what_is_used_elsewhere_is_run_as_it_is(mechanism: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        law = as_it_is(mechanism, (1, 0))
    except MechanismError as refused:
        with pytest.raises(MechanismError, match=re.escape(str(refused))):
            read(mechanism, (1, 0), monkeypatch)
    else:
        law_as_read, was_read = read(mechanism, (1, 0), monkeypatch)
        assert not (was_read and mechanism in NOT_READ)
        assert same_distribution(expanded(law_as_read), expanded(law))


def twenty_counts(draw: Draw, rows: Rows, *, epsilon: Any) -> Any:
    kept = []
    for value in range(20):
        kept.append(clamp(rows.count(value) + draw(discrete_laplace(1 / epsilon)), 0, 50))
    return tuple(kept)


def twenty_half_as_noisy(draw: Draw, rows: Rows, *, epsilon: Any) -> Any:
    return tuple(max(0, rows.count(value) + draw(laplace(1 / (2 * epsilon)))) for value in range(20))


@pytest.mark.deep  # and of 256: tests/verifiers/divergence/output_tables/test_many_cut_counts.py
def test_twenty_cut_counts_are_decided() -> None:
    domain = Multisets(range(2), sizes=range(2))
    assert distribution(twenty_counts, (0,), epsilon=Fraction(1)).size == 1
    right = check_privacy(twenty_counts, domain, add_or_remove_one, epsilon=1)
    wrong = check_privacy(twenty_half_as_noisy, domain, add_or_remove_one, epsilon=1)
    assert (right.status, wrong.status) == (Status.PROVED, Status.REFUTED)
    assert wrong.epsilon is not None
    assert wrong.epsilon.exact == 2

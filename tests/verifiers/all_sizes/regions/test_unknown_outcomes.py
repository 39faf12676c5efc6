"""Unknown numbers that are returned, such as how many rows there are: the same on neighbours, or told apart."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one
from tests.internal_names import internal_names

from dpverify.mechanisms import Draw, InputError, bernoulli, discrete_laplace, exact, gaussian, laplace, symbolic
from dpverify.mechanisms.numbers.errors import Cut
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber
from dpverify.mechanisms.numbers.integers.unknown_outcomes import UnknownOutcome, has_unknown, open_outcome, outcome_at
from dpverify.mechanisms.numbers.positivity.affine_regions import coordinate
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.reports.record import Status
from dpverify.verifiers import (
    Histograms,
    Multisets,
    Scores,
    add_or_remove_one,
    change_one_label,
    check_privacy,
    replace_one,
    scores_linf,
)

PROVED, REFUTED, UNDECIDED = Status.PROVED, Status.REFUTED, Status.UNDECIDED


def count_and_size(draw: Draw, rows: Any) -> Any:
    return sum(1 for row in rows if row == 0) + draw(laplace(1)), len(rows)


def gaussian_and_size(draw: Draw, rows: Any) -> Any:
    return rows.count(0) + draw(gaussian(1)), len(rows)


def size(draw: Draw, rows: Any) -> Any:
    return len(rows)


def a_count(draw: Draw, rows: Any) -> Any:
    return rows.count(0)


def size_or_noise(draw: Draw, rows: Any) -> Any:
    return len(rows) if draw(bernoulli("1/2")) else rows.count(0) + draw(discrete_laplace(1))


@in_one(
    "mechanism, replaced, added",
    [
        (count_and_size, PROVED, REFUTED),
        (lambda draw, rows: (rows.count(0) + draw(discrete_laplace(1)), ("rows", 2 * len(rows) + 1)), PROVED, REFUTED),
        (lambda draw, rows: (rows.count(0) + draw(laplace("1/2")), len(rows)), REFUTED, REFUTED),
        (size, PROVED, REFUTED),
        (lambda draw, rows: (rows.count(0) + rows.count(1), rows.count(0) + draw(laplace(1))), PROVED, REFUTED),
        (lambda draw, rows: (rows.count(0) + draw(laplace(1)), rows.count(1)), REFUTED, REFUTED),
        (a_count, REFUTED, REFUTED),
        (lambda draw, rows: max(rows.count(0), 3), REFUTED, REFUTED),
        (size_or_noise, PROVED, REFUTED),
        (lambda draw, rows: (len(rows) + (rows.count(0) == 7), rows.count(0) + draw(laplace(1))), REFUTED, REFUTED),
        (lambda draw, rows: (len(rows) % 2, rows.count(0) + draw(laplace(1))), PROVED, REFUTED),
    ],
)
def test_the_number_of_rows_is_public_where_rows_are_replaced(mechanism: Any, replaced: Status, added: Status) -> None:
    domain = Histograms((0, 1))
    assert check_privacy(mechanism, domain, replace_one, epsilon=1).status is replaced
    assert check_privacy(mechanism, domain, add_or_remove_one, epsilon=1).status is added


def test_other_claims_of_it() -> None:
    domain = Histograms((0, 1))
    assert check_privacy(gaussian_and_size, domain, replace_one, epsilon=1, delta="1/5").status is PROVED
    assert check_privacy(gaussian_and_size, domain, replace_one, epsilon=1, delta="1/10").status is REFUTED
    assert check_privacy(count_and_size, domain, replace_one, epsilon=1, delta="1/10").status is PROVED
    assert check_privacy(size_or_noise, domain, replace_one, epsilon=1, delta="1/10").status is UNDECIDED
    assert check_privacy(a_count, domain, replace_one, epsilon=1, delta="1/10").status is REFUTED
    assert check_privacy(size, domain, replace_one, epsilon=0).status is PROVED

    def at_epsilon(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return rows.count(0) + draw(laplace(1 / epsilon)), len(rows)

    assert check_privacy(at_epsilon, domain, replace_one, epsilon=symbolic).status is PROVED

    def of_labels(draw: Draw, rows: Any) -> Any:
        return rows.count((0, 1)) + rows.count((1, 1)) + draw(laplace(1)), rows.count((0, 0)) + rows.count((0, 1))

    labelled = Histograms([(x, y) for x in (0, 1) for y in (0, 1)])
    assert check_privacy(of_labels, labelled, change_one_label, epsilon=1).status is PROVED
    assert check_privacy(of_labels, labelled, replace_one, epsilon=1).status is REFUTED

    def worst_score(draw: Draw, scores: Any) -> Any:
        return max(scores) + draw(laplace(1)), min(scores)

    assert check_privacy(worst_score, Scores(solutions=2), scores_linf, epsilon=1).status is REFUTED


@given(*[st.integers(-2, 2)] * 4, st.booleans())
@few(12)
def test_what_is_proved_is_so_on_each_size_and_what_tells_counts_apart_is_not(
    a: int, b: int, c: int, d: int, by_coin: bool
) -> None:
    """Of a·n₀ + b·n₁ + c neighbours have one value where a = b, and in no other case."""

    def mechanism(draw: Draw, rows: Any) -> Any:
        number = a * rows.count(0) + b * rows.count(1) + c
        if by_coin and draw(bernoulli("1/2")):
            return d
        return number, rows.count(0) + draw(discrete_laplace(1))

    found = check_privacy(mechanism, Histograms((0, 1)), replace_one, epsilon=1)
    assert found.status is (PROVED if a == b else REFUTED)
    finite = [check_privacy(mechanism, Multisets((0, 1), size=n), replace_one, epsilon=1).status for n in (1, 3)]
    assert set(finite) == {found.status}


def test_an_outcome_may_be_a_function() -> None:
    first, second = coordinate(0), coordinate(1)
    n, m = UnknownOutcome(first + 1), UnknownOutcome(second + first)
    assert n == UnknownOutcome(1 + first)
    assert n != UnknownOutcome(first)
    assert n != 1
    assert hash(n) == hash(m)
    with pytest.raises(Cut):
        assert n == m
    assert has_unknown(("a", (n, 1))) and not has_unknown(("a", (2, 1)))
    outcome = open_outcome((UnknownNumber(first, int), ("a", 1)))
    assert outcome == (UnknownOutcome(first), ("a", 1))
    put = DistributionSubstitution.at_point((4, 5))
    assert outcome_at((n, ("a", m)), put) == (5, ("a", 9))


def a_part(draw: Draw, rows: Any) -> Any:
    return rows.count(0) + draw(laplace(1)), len(rows)


@in_one(
    "mechanism",
    [
        lambda draw, rows: draw(a_part, rows),
        lambda draw, rows: (rows.count(0) + draw(laplace(1)), len(rows) * exact("1/3") ** 2 * exact(2)),
    ],
)
def test_what_is_refused_names_no_form_of_this_library(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="which depends on a symbolic ε or on an unknown score") as caught:
        check_privacy(mechanism, Histograms((0, 1)), replace_one, epsilon=1)
    told = str(caught.value)
    assert "<noise>" in told
    assert not internal_names(told)


def test_a_mean_of_a_public_number() -> None:
    def mean(draw: Draw, rows: Any) -> Any:
        return (rows.count(0) + draw(laplace(1))) / len(rows), len(rows)

    assert check_privacy(mean, Histograms((0, 1)), replace_one, epsilon=1).status is PROVED
    assert check_privacy(mean, Histograms((0, 1)), replace_one, epsilon=Fraction(1, 2)).status is REFUTED

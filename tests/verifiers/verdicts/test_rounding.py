"""What rounding adds to verdicts over the real numbers: differences that are known by hand, and records that tell them."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one
from tests.mechanisms.language.published_functions import CASES, softmax_choice, sum_and_count
from tests.mechanisms.language.test_unmodified import (
    DOMAINS,
    of_a_generator,
    of_a_sample,
    of_a_system,
    of_bits,
    of_random,
)

from dpverify.mechanisms import Distribution, bernoulli, exponential_noise, gaussian, laplace, symbolic
from dpverify.mechanisms.drawing.rounding import SEED, Rounding, measured_rounding
from dpverify.mechanisms.drawing.unmodified import as_mechanism
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.audits.table import claim_lines
from dpverify.reports.formats import html, markdown
from dpverify.reports.gates.comparison import difference, read_loosely
from dpverify.verifiers import Claim, Status, Tuples, audit, check_privacy, replace_one
from dpverify.verifiers.verdicts import rounding

BITS = Tuples((0, 1), size=2)
DATABASES = [(0, 0), (0, 1), (1, 1)]


def measured(function: Any, databases: Any = DATABASES, **parameters: Any) -> Rounding:
    found = measured_rounding(as_mechanism(function), parameters, databases)
    assert found is not None
    assert found == measured_rounding(as_mechanism(function), parameters, databases)
    return found


def a_sum(rows: Any) -> Any:
    return 0.1 + 0.2, np.random.laplace() > 0


def test_a_known_difference_is_found() -> None:
    difference = Fraction(0.1 + 0.2) - Fraction(3, 10)
    assert measured(a_sum) == Rounding(3, 6, difference)
    assert measured(a_sum, [(0,)]) == Rounding(1, 2, difference)
    assert measured(a_sum, range(1000)) == Rounding(20, 40, difference)
    assert measured_rounding(as_mechanism(a_sum), {}, []) is None


def the_first_and_the_last(rows: Any) -> Any:
    return 0.1 + 0.2 if rows in (0, 999) and np.random.laplace() < 100 else 0.5


def test_databases_are_spread_over_the_domain() -> None:
    assert measured(the_first_and_the_last, range(1, 999)).largest == 0
    for databases in (range(999), range(1, 1000)):
        assert measured(the_first_and_the_last, databases).largest > 0


def a_comparison(rows: Any) -> Any:
    return 0.1 + 0.2 <= 0.3, np.random.laplace()


OF_ANOTHER_FORM: list[Any] = [
    a_comparison,
    lambda rows: [np.random.laplace(), 0.5] if 0.1 + 0.2 <= 0.3 else [np.random.laplace()],
    lambda rows: f"{0.1 + 0.2:.17f} {np.random.laplace() > 9}",
    lambda rows: (1e308 * 10.0, np.random.laplace() > 0),
]


@in_one("function", OF_ANOTHER_FORM)
def test_outcomes_of_another_form_are_counted_apart(function: Any) -> None:
    assert measured(function) == Rounding(3, 6, other_outcomes=6)


def noisy(rows: Any, epsilon: Any) -> Any:
    return 0.1 * sum(rows) + np.random.laplace(0, 0.2 / epsilon)


def test_what_noise_adds_is_below_half_a_unit_in_the_last_place_for_each_operation() -> None:
    found = measured(noisy, epsilon=Fraction(1, 3))
    assert 0 < found.largest < Fraction(1, 10**15)
    assert (found.other_outcomes, found.drawn_otherwise) == (0, 0)
    scaled = measured(lambda rows: (np.random.laplace(1e9, 1.0), 0.5))
    assert Fraction(1, 2**28) < scaled.largest <= Fraction(1, 2**24)  # 10^9 has 30 bits, of 53


def more_draws(rows: Any) -> Any:
    x, total = 0.0, 0.0
    for _ in range(12):
        if x == 1:
            return total
        x += 0.1
        total += np.random.laplace()
    return total


DRAW_OTHERWISE: list[Any] = [
    more_draws,
    lambda rows: np.random.laplace() + np.random.laplace() if 0.1 + 0.2 == 0.3 else np.random.laplace(),
    lambda rows: np.random.laplace() if 0.1 + 0.2 == 0.3 else np.random.normal(),
    lambda rows: np.random.choice(2, p=[0.5, 0.5] if 0.1 + 0.2 == 0.3 else [0.25, 0.75]),
]


@in_one("function", DRAW_OTHERWISE)
def test_a_program_that_draws_otherwise_is_said_to(function: Any) -> None:
    assert measured(function) == Rounding(3, 6, drawn_otherwise=6)


def test_another_scale_of_the_same_noise_is_a_difference() -> None:
    found = measured(lambda rows: np.random.laplace(0, 1.0 if 0.1 + 0.2 == 0.3 else 2.0))
    assert found.largest > 1 and found.drawn_otherwise == 0


class Noisy:
    def noise(self) -> Any:
        return np.random.laplace()


@in_one(
    "function, reason",
    [
        (
            lambda rows: 1 / (0.1 + 0.2 - 0.30000000000000004) + np.random.laplace(),
            "ZeroDivisionError: float division by zero",
        ),
        (lambda rows: Noisy().noise() + 0.5, "TypeError: a method of Noisy calls functions, which may draw"),
    ],
)
def test_what_cannot_be_run_is_not_measured_and_the_reason_is_said(function: Any, reason: str) -> None:
    assert measured(function) == Rounding(reason=reason)


def endless(rows: Any) -> Any:
    x = 0.0
    while x != 1:
        x += 0.1
    return np.random.laplace() + x


def test_a_program_of_floats_that_has_no_end_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounding, "_SECONDS", 1)
    verdict = check_privacy(endless, BITS, epsilon=1)
    assert verdict.status.name == "PROVED"
    assert verdict.rounding is not None
    assert verdict.rounding.in_words == "Rounding: not measured: a run had not ended after 1 seconds."


def drawing(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    quarter: Any = 0.25
    some: Any = 0.7

    def part(inner: Any, row: Any, scale: Any) -> Any:
        return row + 0.1 + inner(laplace(scale / epsilon))

    kept = draw.until(lambda inner: inner(Distribution({"a": quarter, "b": 3 * quarter})), lambda answer: answer == "b")
    low = draw(gaussian(10 * quarter)) < 0.5
    shares = draw.release(sum(rows) + draw(laplace(some)), then=lambda noisy: noisy / 3)
    return kept, low, draw(bernoulli(some)), draw(part, rows[0], 0.5), draw.each(part, rows, 1.5), shares


def test_mechanisms_with_a_draw_are_measured() -> None:
    found = measured(drawing, epsilon=Fraction(1, 3))
    assert 0 < found.largest < Fraction(1, 10**13)
    assert (found.other_outcomes, found.drawn_otherwise, found.reason) == (0, 0, "")


def by_numpy(rows: Any, rng: Any) -> Any:
    order = rng.permutation(3)
    members = [0.5, 1.5, 2.5]
    rng.shuffle(members)
    both = rng.choice([0.5, 1.5, 2.5], size=2, replace=False)
    return order, members, both, rng.integers(3), rng.geometric(0.3), rng.exponential([0.1, 0.2]), rng.uniform(0.1, 0.7)


def by_python(rows: Any, rng: random.Random) -> Any:
    return rng.gauss(0.1, 0.5), rng.expovariate(0.3), rng.choices([1, 2], [0.25, 0.75]), rng.uniform(0.1, 0.7)


GENERATORS = [by_numpy, by_python, of_random, of_a_generator, of_a_system, of_bits, of_a_sample]


@in_one("function", [*GENERATORS, sum_and_count, softmax_choice])
def test_generators_give_both_programs_the_same(function: Any) -> None:
    given = {"epsilon": 1} if function in (sum_and_count, softmax_choice) else {}
    state = str(np.random.get_state()), random.getstate()
    found = measured_rounding(as_mechanism(function), given, DATABASES)
    if function not in (of_a_system, of_a_sample):  # in which there is no float
        assert found is not None
        assert (found.draws, found.other_outcomes, found.drawn_otherwise, found.reason) == (6, 0, 0, "")
        assert found.largest < Fraction(1, 10**12)
    assert (str(np.random.get_state()), random.getstate()) == state


def test_published_functions_are_measured() -> None:
    for case in CASES:
        epsilon = {"epsilon": 1} if "epsilon" in case.function.__code__.co_varnames else {}
        found = measured_rounding(as_mechanism(case.function), epsilon, list(DOMAINS[case.domain][0])[:2])
        assert found is None or (found.reason, found.other_outcomes, found.drawn_otherwise) == ("", 0, 0)
        assert found is None or found.largest < Fraction(1, 10**12)


def exact(draw: Any, rows: Any) -> Any:
    return sum(rows) + draw(exponential_noise(2))


def test_only_code_over_the_real_numbers_is_measured() -> None:
    assert check_privacy(exact, BITS, epsilon=1).rounding is None
    given = check_privacy(noisy, BITS, epsilon=1).rounding
    assert given is not None
    assert (given.databases, given.draws, given.seed) == (4, 8, SEED)
    assert check_privacy(noisy, BITS, epsilon=symbolic).rounding is None


def test_records_and_reports_tell_it_and_a_gate_does_not_compare_it() -> None:
    claim = Claim(id="x", mechanism=a_comparison, domain=BITS, neighbours=replace_one, epsilon=1, neighbours_agree=True)
    record = audit(
        [claim, Claim(id="y", mechanism=exact, domain=BITS, epsilon=1, expected=Status.REFUTED)], recheck=False
    )
    words = "Rounding: at most 0 between the float program and the exact one in 8 draws on 4 databases (seed 1); another outcome in 8 of them: measured, no bound."
    in_full = "\n".join(claim_lines(record.claims[0], detail="all"))
    for text in (html.to_html(record), markdown.to_markdown(record), in_full):
        assert " ".join(text.split()).count(words) == 1
    assert "Rounding" not in "\n".join(claim_lines(record.claims[0]))
    written = to_json(record)
    assert read_audit(written) == record
    assert written.count('"rounding"') == 1
    measured_elsewhere = written.replace('"other_outcomes": 8', '"other_outcomes": 7')
    assert measured_elsewhere != written
    assert difference(read_loosely(written), read_loosely(measured_elsewhere)).is_none


def test_a_difference_is_rounded_up() -> None:
    differences = (0, Fraction(0.1 + 0.2) - Fraction(3, 10), "1/3", 12345)
    assert [rounding._rounded_up(Fraction(x)) for x in differences] == ["0", "4.5e-17", "0.34", "1.3e+4"]

"""Equal outcomes that are not the same: refused, or told apart, at the top and in parts, and so by the sampler.

A program that passes has one law by type and value, nested, inlined by hand, and sampled. Which of two equal outcomes
stands for both is decided nowhere, so a law that holds both is refused, within a law and across databases.
"""

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from tests.adversary.checking import compare_frequencies, divergence, neighbours_of
from tests.adversary.oracles.oracle import Law, law_of, tagged
from tests.adversary.random_programs import lookalikes
from tests.adversary.random_programs.functions import function_of, source_of
from tests.adversary.random_programs.generated import Subject
from tests.adversary.tally import LOOKALIKES, TEXT_OF_AN_OBJECT, Tally, programs, seed, why

from dpverify.mechanisms import InputError, distribution, exp, log, run, uniform
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy, replace_one


def some(label: str, count: int) -> Iterator[tuple[int, Subject, list[Law]]]:
    start = seed()
    for i in range(count):
        made = lookalikes.subject(f"{start}:{label}:{i}")
        yield i, made, [law_of(made.program, rows, made.chance) for rows in made.domain]


def in_one_type(tag: Any) -> Any:
    """A text with a Fraction in it as with the int: a function that is called hands on what `draw` makes an int."""
    return (tag[0], re.sub(r"Fraction Fraction\((-?\d+), 1\)", r"int \1", tag[1])) if tag[0] == "str" else tag


@pytest.mark.parametrize("inlined", [False, True], ids=["nested", "inlined"])
def test_a_law_tells_equal_outcomes_apart_or_is_refused(inlined: bool, tally: Tally) -> None:
    for _, subject, laws in some("lookalikes", programs(80)):
        mechanism = function_of(subject.program, inlined=inlined)
        for rows, expected in zip(subject.domain, laws, strict=True):
            try:
                law = distribution(mechanism, rows, epsilon=log(2))
            except InputError as refused:
                tally.refuse("", why(refused))
                continue
            found: Law = {}
            for outcome, p in law.probabilities.items():
                tag = in_one_type(tagged(outcome)) if inlined else tagged(outcome)
                found[tag] = found.get(tag, 0) + p
            tally.expect("lookalikes told apart", found == expected, subject, rows, "has", expected, "and not", found)
    count = programs(80)
    tally.demand(
        {"lookalikes told apart": count, f"refused: {LOOKALIKES}": 0.3 * count},
        {LOOKALIKES: 2.5, TEXT_OF_AN_OBJECT: 0.2},
        of=count,
    )


def test_a_verdict_tells_equal_outcomes_apart_or_is_refused(tally: Tally) -> None:
    for _, subject, laws in some("lookalike claims", programs(30)):
        of = dict(zip(subject.domain, laws, strict=True))
        worst = max(divergence(of[left], of[right], 1) for left, right in subject.neighbours())
        try:
            verdict = check_privacy(
                function_of(subject.program),
                subject.domain,
                neighbours_of(subject),
                epsilon=0,
                parameters={"epsilon": log(2)},
                recheck=False,
            )
        except InputError as refused:
            tally.refuse("", why(refused))
            continue
        is_outside = "Decimal" in source_of(subject.program)
        expected = Status.REFUTED if worst else Status.CHECKED if is_outside else Status.PROVED
        tally.expect("lookalike verdicts", verdict.status is expected, subject, "worst δ", worst, verdict)
    tally.demand(
        {"lookalike verdicts": 0.2 * programs(30)}, {LOOKALIKES: 0.75, TEXT_OF_AN_OBJECT: 0.2}, of=programs(30)
    )


def test_the_sampler_shows_what_the_law_tells_apart(tally: Tally) -> None:
    for i, subject, laws in some("lookalike runs", programs(15)):
        rows, expected = subject.domain[-1], laws[-1]
        try:
            distribution(function_of(subject.program), rows, epsilon=log(2))
        except InputError as refused:
            tally.refuse("", why(refused))
            continue
        compare_frequencies(tally, subject, rows, expected, 200, start=1_000 * i)
    tally.demand({"frequencies": 0.5 * programs(15)}, {LOOKALIKES: 0.7, TEXT_OF_AN_OBJECT: 0.2}, of=programs(15))


FLOATS: dict[str, tuple[Callable[..., Any], bool]] = {
    "a whole float and an int": (lambda draw, rows: 1.0 if rows[0] else 1, True),
    "a quotient and an int": (lambda draw, rows: 2 / 2 if rows[0] else 1, True),
    "within a list": (lambda draw, rows: [0.5, 1.0, 1] if rows[0] else [0.5, 1, 1.0], True),
    "a float and a Fraction": (lambda draw, rows: 0.5 if rows[0] else Fraction(1, 2), False),
    "a quotient and a Fraction": (lambda draw, rows: 1 / 2 if rows[0] else Fraction(1, 2), False),
    "within a tuple": (lambda draw, rows: (0.5, "a") if rows[0] else (Fraction(1, 2), "a"), False),
    "of a sub-mechanism": (lambda draw, rows: draw(half, 1) if rows[0] else Fraction(1, 2), False),
    "of a choice": (
        lambda draw, rows: draw(uniform((0.5, 1.5) if rows[0] else (Fraction(1, 2), Fraction(3, 2)))),
        False,
    ),
    "a function of math and one of this library": (lambda draw, rows: math.exp(0) if rows[0] else exp(0), False),
}
"""Numbers that source has as floats beside others that equal them, and whether they are one outcome."""


def half(draw: Any, row: int) -> Any:
    return row / 2


@pytest.mark.parametrize("name", FLOATS)
def test_numbers_that_are_one_outcome_are_one_result_of_a_run(name: str) -> None:
    mechanism, is_one = FLOATS[name]
    shown = {repr(run(mechanism, (row,))) for row in (0, 1)}
    if is_one:
        assert check_privacy(mechanism, [(0,), (1,)], replace_one, epsilon=0).status is Status.PROVED
        assert len(shown) == 1
    else:
        with pytest.raises(InputError, match=LOOKALIKES):
            check_privacy(mechanism, [(0,), (1,)], replace_one, epsilon=0)
        assert len(shown) == 2

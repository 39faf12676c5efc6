"""Rows of steps, beside the steps that they stand for, written out."""

from fractions import Fraction

import pytest

from dpverify.mechanisms import InputError
from dpverify.reports.record import Refutation, RefutationKind
from dpverify.verifiers import Status, Step
from dpverify.verifiers.steps import BrokenStep
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.rows import ProofSteps, broken
from dpverify.verifiers.steps.terms import exp, log, parameters

alpha, beta, gamma, m = parameters("alpha beta gamma m")
PROOF = ProofSteps("Lib-", "A paper, proof of ", {"alpha beta": between(0, 1), "m": whole_from(1)})
TAIL = exp(-alpha * m / 8) <= beta


def rows(constant: int) -> Range:
    return at_least(constant / alpha * log(1 / beta))


def form(step: Step) -> list[str]:
    """All that is asked: the ranges in their order, the hypotheses and the conclusion."""
    question = step.question
    return [*question.ranges_in_words, *map(str, question.given), str(question.says), str(question.tries)]


def test_a_row_is_the_step_that_is_written_out() -> None:
    row = PROOF("1.step.tail", "Lemma 1").says("a tail", TAIL, broken("7", m=rows(7)), m=rows(8))
    ranges = {"alpha": between(0, 1), "beta": between(0, 1)}
    written = Step(
        id="Lib-1.step.tail",
        source="A paper, proof of Lemma 1",
        statement="a tail",
        parameters={**ranges, "m": at_least(lambda alpha, beta: 8 / alpha * log(1 / beta))},
        says=lambda alpha, beta, m: exp(-alpha * m / 8) <= beta,
        mutants=[BrokenStep("7", parameters={**ranges, "m": at_least(lambda alpha, beta: 7 / alpha * log(1 / beta))})],
    )
    assert row.expected is Status.PROVED
    assert all(getattr(row, name) == getattr(written, name) for name in ("id", "source", "statement"))
    assert form(row) == form(written)
    assert [one.change for one in row.mutants] == ["7"]
    assert form(row.broken(row.mutants[0])) == form(written.broken(written.mutants[0]))
    assert form(row) != form(row.broken(row.mutants[0]))
    assert row.decide().verdict is Status.PROVED


def test_parameters_are_those_that_occur_also_in_ends_alone() -> None:
    row = PROOF("1.step.b").says("", beta <= 1, broken("0", beta <= 0))
    assert list(row.parameters) == ["beta"]
    only_in_an_end = PROOF("1.step.m").says("", m >= 0, broken("0", m < 0), m=rows(8))
    assert list(only_in_an_end.parameters) == ["alpha", "beta", "m"]


def test_parameters_stand_as_in_the_proof_and_as_in_a_row_that_has_them_all() -> None:
    row = PROOF("1.step.t").says("", TAIL, broken("0", beta <= 0), beta=above_zero())
    assert row.question.ranges_in_words == ["0 < α < 1", "0 < β", "1 ≤ m whole"]
    every = PROOF("1.step.t").says("", TAIL, broken("0", m <= 0), m=above_zero(), beta=above_zero(), alpha=above_zero())
    assert list(every.parameters) == ["m", "beta", "alpha"]


def test_a_mutant_has_the_ranges_of_its_row_and_the_parameters_that_occur_in_it() -> None:
    row = PROOF("1.step.t").says(
        "",
        TAIL,
        broken("7", m=rows(7)),
        broken("no hypothesis", given=(), m=rows(8)),
        broken("of beta alone", beta <= 0, given=(), beta=between(0, 2)),
        given=[gamma <= 1],
        beta=above_zero(2),
        gamma=above_zero(),
    )
    assert [row.broken(one).question.ranges_in_words[1:] for one in row.mutants[:1]] == [
        ["0 < β ≤ 2", "7/α·ln(1/β) ≤ m", "0 < γ"]
    ]
    assert [list(one.parameters or ()) for one in row.mutants] == [
        ["alpha", "beta", "m", "gamma"],
        ["alpha", "beta", "m", "gamma"],
        ["beta", "gamma"],
    ]
    of_proof = PROOF("1.step.g").says("", beta <= 1, broken("", m > 9, given=(), m=whole_from(2)), given=[alpha <= 1])
    assert [list(one.parameters or ()) for one in of_proof.mutants] == [["m"]]


def test_a_mutant_of_other_hypotheses_points_and_conclusions() -> None:
    point = {"alpha": 1, "beta": 1, "m": 1}
    row = PROOF("1.step.t").says(
        "",
        TAIL,
        broken("no hypothesis", given=(), m=whole_from(2)),
        broken("at a point", beta <= 0, tries=[{**point, "alpha": Fraction(1, 2)}]),
        given=[m >= 8 / alpha * log(1 / beta)],
        tries=[point],
    )
    first, second = (row.broken(one) for one in row.mutants)
    assert (len(row.given), first.given, len(second.given)) == (1, (), 1)
    assert [dict(one) for one in row.tries] == [point]
    assert (first.tries, second.tries[0]["alpha"]) == ((), Fraction(1, 2))
    assert list(first.question.ranges_in_words)[-1] == "2 ≤ m whole"
    assert str(second.question.says) == "β ≤ 0"


def test_a_formula_with_a_constant_is_that_with_the_number_in_its_place() -> None:
    row = PROOF("1.step.c").says("", lambda c=8: exp(-alpha * m / c) <= beta, broken("9", 9), broken("7", m=rows(7)))
    plain = PROOF("1.step.c").says("", TAIL, broken("9", exp(-alpha * m / 9) <= beta), broken("7", m=rows(7)))
    assert form(row) == form(plain)
    assert [form(row.broken(one)) for one in row.mutants] == [form(plain.broken(one)) for one in plain.mutants]


def test_a_refuted_row_says_how() -> None:
    why = Refutation(RefutationKind.PROOF_STEP, "only for large m")
    row = PROOF("1.step.t", "Lemma 1").says("", TAIL, tries=[{"alpha": 1, "beta": 1, "m": 1}], mends="m", refuted=why)
    assert (row.expected, row.refutation, row.mends) == (Status.REFUTED, why, "m")
    assert ProofSteps("Lib-", "A paper, ")("1.step.a").source == "A paper"  # a source needs no place in it


def test_a_parameter_without_a_range_is_named() -> None:
    (x,) = parameters("x")
    with pytest.raises(InputError, match=r"'x' in says is none of the parameters \(alpha\)"):
        PROOF("1.step.x").says("", alpha <= x, broken("0", alpha <= 0))
    with pytest.raises(InputError, match="'x' in the end of the range of m is none of the parameters"):
        PROOF("1.step.x").says("", m >= 0, broken("0", m < 0), m=at_least(x))


def test_relations_and_functions_that_give_them_are_one_step() -> None:
    written, given = (
        Step(
            id="a", parameters={"alpha": between(0, 1), "m": end}, says=says, mutants=[BrokenStep("0", says=alpha < 0)]
        )
        for end, says in (
            (Range(0, lambda alpha: 1 / alpha), lambda alpha, m: alpha * m <= 1),
            (Range(0, 1 / alpha), alpha * m <= 1),
        )
    )
    assert form(written) == form(given)
    assert written.decide().verdict is given.decide().verdict is Status.PROVED
    for low, high in ((1, 1 / alpha), (1 / alpha, 2), (1 / alpha, 1 / beta)):
        with pytest.raises(InputError, match=r"an end that is an expression|one end of a range"):
            Range(low, high)

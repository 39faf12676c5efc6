"""Rows of lemmas, beside the lemmas that they stand for, written out."""

from dataclasses import fields
from typing import Any

import pytest

from dpverify.mechanisms import InputError
from dpverify.reports.record import Refutation, RefutationKind, Status
from dpverify.verifiers.structure.lemma import Goal, Instance, Lemma, Mutant, Values
from dpverify.verifiers.structure.rows import FalseVariant, PaperLemmas, declared, goal, instance, judged

PAPER = PaperLemmas("Test-", "A paper, ")
GROWS = goal("grows", "QF_NIA", "x: Int").given("(>= x 1)", then="(>= (* x x) x)")
DOUBLES = goal("doubles", "QF_NIA", {"x": "Int"}).given("(>= x 1)", then="(>= (* x x) (* 2 x))")


def found(values: Values) -> tuple[int, str]:
    return 1, f"x = {values['x']}"


grows, doubles = judged(found, lambda number: number == 1), judged(found, lambda number: number > 1)


def test_a_row_is_the_lemma_that_is_written_out() -> None:
    assert [replay({"x": True}) for replay in (grows, doubles)] == [(True, "x = True"), (False, "x = True")]
    variants = [FalseVariant("x² ≥ 2x", DOUBLES), FalseVariant("of x + 0", DOUBLES, doubles, ["(+ x 0)"])]
    row = PAPER("1.structure.square", "Lemma 1").says(
        "x² ≥ x", GROWS, *variants, example=instance(GROWS, ("x",), "(> x 1)"), replay=grows, note="a note"
    )
    written = Lemma(
        id="Test-1.structure.square",
        source="A paper, Lemma 1",
        statement="x² ≥ x",
        goals=(Goal(name="grows", logic="QF_NIA", declare={"x": "Int"}, given=("(>= x 1)",), then="(>= (* x x) x)"),),
        example=Instance(goal=GROWS, terms=("x",), where=("(> x 1)",)),
        replay=grows,
        mutants=(
            Mutant(change="x² ≥ 2x", instance=Instance(goal=DOUBLES, terms=("x",)), replay=grows),
            Mutant(change="of x + 0", instance=Instance(goal=DOUBLES, terms=["(+ x 0)"]), replay=doubles),
        ),
        note="a note",
    )
    assert [getattr(row, one.name) for one in fields(row) if one.compare] == [
        getattr(written, one.name) for one in fields(written) if one.compare
    ]


def test_a_refuted_row_says_how_and_on_which_terms() -> None:
    why = Refutation(RefutationKind.PROOF_STEP, "at x = 1")
    row = PAPER("1.structure.twice", "Lemma 2").says(
        "",
        DOUBLES,
        FalseVariant("", DOUBLES),
        example=instance(GROWS, ("x",)),
        replay=doubles,
        terms=("x",),
        refuted=why,
    )
    assert (row.expected, row.refutation, row.terms) == (Status.REFUTED, why, ("x",))


def test_names_are_declared_in_order_with_the_sort_of_their_group() -> None:
    found = declared("L: (Int) Real, x y: Real, on: Bool")
    assert list(found.items()) == [("L", "(Int) Real"), ("x", "Real"), ("y", "Real"), ("on", "Bool")]
    with pytest.raises(InputError, match="'x y Real' is not of the form 'x y: Real'"):
        declared("i: Int, x y Real")


def test_a_heading_alone_is_no_goal() -> None:
    unfinished: Any = goal("grows", "QF_NIA", "x: Int")
    with pytest.raises(InputError, match="is not a goal or a false variant: write goal"):
        PAPER("1.structure.a", "Lemma 1").says("", unfinished, example=instance(GROWS, ("x",)), replay=grows)

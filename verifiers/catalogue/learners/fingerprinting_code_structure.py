"""Structure of a fingerprinting code: its columns are thresholds."""

from __future__ import annotations

from typing import Final

from dpverify.mechanisms.sanitizers.concepts import Threshold
from dpverify.verifiers.structure.formulas import whole_number
from dpverify.verifiers.structure.lemma import Goal, Instance, Lemma, Mutant, Values

_BUNS: Final = "Bun, Nissim & Stemmer"

# Columns of the code of Boneh & Shaw: of type i, the first i of n users have 1 and the others 0.


def _column(then: str, *given: str) -> Goal:
    return Goal(
        name="column",
        logic="QF_LIA",
        declare={"n": "Int", "i": "Int", "user": "Int"},
        given=("(and (>= n 2) (<= 1 i) (< i n) (<= 1 user) (<= user n))", *given),
        then=then,
    )


def column_is(values: Values, shift: int) -> tuple[bool, str]:
    """Whether column i is the threshold c_(i + shift) of the users 0, …, n − 1."""
    n, i = whole_number(values, "n"), whole_number(values, "i")
    column = [int(user <= i) for user in range(1, n + 1)]
    labels = [Threshold(i + shift)(x) for x in range(n)]
    return column == labels, f"n = {n}: column {i} is {column}, and c_{i + shift} is {labels}"


columns = Lemma(
    id="BuNS-4.5.structure.columns",
    source=f"{_BUNS}, Section 4 and Lemma 4.5, where the code of Boneh & Shaw is compatible with thresholds",
    statement="each column of the code is a threshold of the users, c_i on user − 1, for every number of users",
    goals=(_column("(= (<= user i) (< (- user 1) i))"),),
    example=Instance(goal=_column("true"), terms=("n", "i"), where=("(= n 5)", "(= i 3)")),
    replay=lambda values: column_is(values, 0),
    mutants=(
        Mutant(
            change="c_(i+1)",
            instance=Instance(goal=_column("(= (<= user i) (< (- user 1) (+ i 1)))", "(<= n 5)"), terms=("n", "i")),
            replay=lambda values: column_is(values, 1),
        ),
    ),
)

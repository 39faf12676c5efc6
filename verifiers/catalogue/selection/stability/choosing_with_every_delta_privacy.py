"""Privacy of the choosing mechanism for every δ, every ε and every number of rows and of solutions, by Theorem 13."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Final

from dpverify.mechanisms import discrete_laplace, symbolic
from dpverify.mechanisms.selection.choosing import choosing_with_enough_rows, rows_needed_journal
from dpverify.mechanisms.signs import symbolic_delta
from dpverify.verifiers.catalogue.refuted import ONE_LESS, degenerate
from dpverify.verifiers.catalogue.selection.stability.choosing_privacy import HALF, chooses_without_a_test
from dpverify.verifiers.pairs import bounded_growth
from dpverify.verifiers.privacy.family import Row, family, rows_of
from dpverify.verifiers.questions import BoundedGrowth, OrMore

_ENOUGH: Final = "where m ≥ (8/(αε))·(ε/4 + ln(k/(2δ)))"

enough_rows = family(
    Row("BNS-J-4.4.privacy.{}-every-delta")
    .says("{}, for every ε > 0, every 0 < δ < 1, and every number of rows and of solutions")
    .having(mechanism=choosing_with_enough_rows, epsilon=symbolic)
    .having(source="Beimel, Nissim & Stemmer, journal version, Figure 8 and Lemma 4.4, with the rows of Theorem 13")
    .having(neighbours=bounded_growth, mutant=chooses_without_a_test)
    .run_with(rows=OrMore(1)),
    *rows_of(
        Row()
        .having(domain=BoundedGrowth(rows=OrMore(1), solutions=OrMore(1), growth=1), delta=symbolic_delta)
        .run_with(growth=1, alpha=1, delta=symbolic_delta),
        Row("enough-rows").says(
            f"the choosing mechanism with α = 1 is (ε,δ)-private at 1-bounded growth {_ENOUGH}, and returns ⊥ elsewhere"
        ),
        Row("enough-rows-discrete", f"with discrete Laplace noise it is (ε,2δ)-private {_ENOUGH}")
        .having(delta=2 * symbolic_delta)
        .run_with(noise=discrete_laplace),
        Row("enough-rows-below", f"the same at (ε,9δ/10), {_ENOUGH}").having(
            delta=Fraction(9, 10) * symbolic_delta, refuted=ONE_LESS
        ),
        Row("printed")
        .says(
            "with as many rows as the journal's lemma asks for, m ≥ (16/(αε))·ln(16k/(αβεδ)), at β = 1/2 and α = 1, it "
            "is (ε,δ)-private"
        )
        .having(
            refuted=degenerate(
                "It holds for all ε < 12.85, and fails on four pieces, at m = 2, 1, 3 and 4 rows, which begin at ε ≈ "
                "12.85, 14.3, 19.24 and 64: the lemma sets no boundary in ε, and for a large one asks for few rows."
            )
        )
        .run_with(needed=partial(rows_needed_journal, beta=HALF)),
    ),
    Row("enough-rows-growth-3", f"the same with α = 1/3 at 3-bounded growth, {_ENOUGH}")
    .having(domain=BoundedGrowth(rows=OrMore(1), solutions=OrMore(1), growth=3), delta=symbolic_delta)
    .run_with(growth=3, alpha=Fraction(1, 3), delta=symbolic_delta),
)

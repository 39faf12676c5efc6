"""Privacy of the choosing mechanism for every δ, every ε and every number of rows and of solutions, by Theorem 13."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any, Final

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.choosing import choosing_with_enough_rows, rows_needed_journal
from dpverify.mechanisms.signs.delta_symbol import symbolic_delta
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.refuted import ONE_LESS, as_expected, degenerate
from dpverify.verifiers.catalogue.selection.stability.choosing_privacy import HALF, chooses_without_a_test
from dpverify.verifiers.pairs.neighbours import bounded_growth
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.score_domains import BoundedGrowth, OrMore

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, Figure 8 and Lemma 4.4, with the rows of Theorem 13"
_EVERY: Final = "for every ε > 0, every 0 < δ < 1, and every number of rows and of solutions"
_ENOUGH: Final = "m ≥ (8/(αε))·(ε/4 + ln(k/(2δ)))"


def _every_delta(
    name: str, growth: int, statement: str, delta: Exact = symbolic_delta, refuted: Any = None, **given: Any
) -> Claim:
    parameters = {"rows": OrMore(1), "growth": growth, "alpha": 1, "delta": symbolic_delta, **given}
    return Claim(
        id=f"BNS-J-4.4.privacy.{name}-every-delta",
        source=_SOURCE,
        statement=f"{statement}, {_EVERY}",
        mechanism=choosing_with_enough_rows,
        domain=BoundedGrowth(rows=OrMore(1), solutions=OrMore(1), growth=growth),
        neighbours=bounded_growth,
        epsilon=symbolic,
        delta=delta,
        parameters=parameters,
        scope="" if refuted else "all",
        **as_expected(refuted),
        mutant=chooses_without_a_test,
    )


enough_rows = _every_delta(
    "enough-rows",
    1,
    f"the choosing mechanism with α = 1 is (ε,δ)-private at 1-bounded growth where {_ENOUGH}, and returns ⊥ elsewhere",
)
enough_rows_growth_3 = _every_delta(
    "enough-rows-growth-3",
    3,
    f"the same with α = 1/3 at 3-bounded growth, where {_ENOUGH}",
    alpha=Fraction(1, 3),
)
enough_rows_discrete = _every_delta(
    "enough-rows-discrete",
    1,
    f"with discrete Laplace noise it is (ε,2δ)-private where {_ENOUGH}",
    2 * symbolic_delta,
    noise=discrete_laplace,
)
below = _every_delta(
    "enough-rows-below",
    1,
    f"the same at (ε,9δ/10), where {_ENOUGH}",
    Fraction(9, 10) * symbolic_delta,
    ONE_LESS,
)
printed = _every_delta(
    "printed",
    1,
    "with as many rows as the journal's lemma asks for, m ≥ (16/(αε))·ln(16k/(αβεδ)), at β = 1/2 and α = 1, it is "
    "(ε,δ)-private",
    refuted=degenerate(
        "It holds for all ε < 12.85, and fails on four pieces, at m = 2, 1, 3 and 4 rows, which begin at ε ≈ 12.85, "
        "14.3, 19.24 and 64: the lemma sets no boundary in ε, and for a large one asks for few rows."
    ),
    needed=partial(rows_needed_journal, beta=HALF),
)

"""Privacy of the choosing mechanism, at the printed bounds on the number of rows and below them.

β occurs in the bounds alone; it is ½ throughout. Beside each pair of printed bounds, of both versions of Beimel, Nissim
& Stemmer, stands the smallest number of rows for which the claim holds on the same scores, found by `calibrate`, and
the one below it.
"""

from fractions import Fraction
from functools import partial
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, discrete_laplace, exp, exponential, symbolic
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.selection import Bottom, choosing, choosing_mechanism
from dpverify.mechanisms.selection.exponential_mechanism import Quality, solutions_of
from dpverify.verifiers import Claim
from dpverify.verifiers.catalogue.families import HALF, TENTH
from dpverify.verifiers.catalogue.refuted import ONE_LESS, Boundary, Refutation, degenerate
from dpverify.verifiers.privacy.family import LeastShare, Row, family, rows_of
from dpverify.verifiers.problems.neighbours import bounded_growth
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore


def chooses_without_a_test(draw: Draw, quality: Quality, *, epsilon: Exact, **ignored: Any) -> Any:
    """Mutant: leaves out step 1, and so always chooses among the solutions of quality ≥ 1."""
    good = {f: score for f, score in solutions_of(quality).items() if score >= 1}
    return exponential(good, epsilon / 2) if good else Bottom.BOTTOM


_CERTAIN: Final = LeastShare(
    share="1/4",
    below="15/64",
    because="at ε = 40 the choice between two qualities is certain but for e^(-10), less than δ, and what shows is the "
    "test of the best one, to which the mechanism gives ε/4",
)
_REGIONS_ALONE: Final = 2
"""The growth whose least number of rows is that of two solutions, and smaller than of more."""
_JOURNAL: Final = "Beimel, Nissim & Stemmer, journal version, Figure 8 and Lemma 4.4"
_CHOOSING: Final = Row().having(
    mechanism=choosing_mechanism, neighbours=bounded_growth, delta=TENTH, mutant=chooses_without_a_test
)


def _smallest_delta(rows: int, **bound: Any) -> Fraction:
    """The smallest power of a tenth for which so many rows are enough by the printed bound."""
    delta = TENTH
    while choosing.rows_needed_journal(**{**bound, "delta": delta * TENTH}) <= rows:
        delta *= TENTH
    return delta


def _claims(
    suffix: str,
    growth: int,
    solutions: int,
    epsilon: int,
    fewest: int,
    printed: Refutation | None = None,
    least: tuple[LeastShare | None, LeastShare | None, LeastShare | None] = (None, None, None),
) -> tuple[Claim, ...]:
    """At both printed bounds, at the smallest number of rows, and at one less; `printed`: the journal's is refuted.

    `least` is of the noise at each bound, where the printed noise is more than is needed.
    """
    bound: dict[str, Any] = {"alpha": 1, "epsilon": epsilon, "growth": growth, "beta": HALF, "delta": TENTH}
    journal, extended = choosing.rows_needed_journal(**bound), choosing.rows_needed_extended_abstract(**bound)
    # where as many rows are enough for a far smaller δ, under which less is hidden
    least_delta = _smallest_delta(journal, **{**bound, "epsilon": 2 * epsilon})

    def databases(rows: Any, solutions: Any = solutions) -> BoundedGrowth:
        return BoundedGrowth(rows=rows, solutions=solutions, growth=growth)

    def at(rows: int, id: str, what: str) -> Row:
        return Row(id, f"{rows} rows: {what}").having(domain=databases(rows)).run_with(rows=rows, alpha=Fraction(1))

    shared = (
        Row(f"{{}}{suffix}", f"the choosing mechanism with α = 1 is (ε,δ)-private at {growth}-bounded growth, ")
        .having(epsilon=epsilon, source=_JOURNAL, all_sizes_depth="full" if growth == _REGIONS_ALONE else "quick")
        .having(all_sizes=databases(OrMore(fewest), OrMore(solutions) if growth != _REGIONS_ALONE else solutions))
    )
    return family(
        shared.of(_CHOOSING),
        at(journal, "BNS-J-4.4.privacy.printed", "the least with m ≥ (16/(αε))·ln(16k/(αβεδ))")
        .having(refuted=printed, least=least[0])
        .having(stronger=() if printed else [(databases(journal), 2 * epsilon, least_delta)]),
        at(
            extended, "BNS-X-Lem4.privacy.printed", "the least with m ≥ (16/(αε))·max(ε/4 + ln(1/δ), ln(16k/(αβε)))"
        ).having(source="Beimel, Nissim & Stemmer, extended abstract, Section 4.1 and Lemma 4", least=least[1]),
        at(fewest, "BNS-J-4.4.privacy.smallest", "the least for which it holds on these scores").having(least=least[2]),
        # where the printed bound is refuted it admits these rows, too
        at(fewest - 1, "BNS-J-4.4.privacy.below", "one less than the least for which it holds").having(
            refuted=printed or ONE_LESS
        ),
    )


def _asks_for(rows: int, share: str, below: str) -> LeastShare:
    return LeastShare(share=share, below=below, because=f"the paper asks for {rows} rows, and 15 are enough")


growth_1 = _claims("", 1, 2, 1, 15, least=(_asks_for(93, "5/16", "9/32"), _asks_for(56, "11/32", "5/16"), None))
growth_2 = _claims("-growth-2", 2, 2, 2, 9)
growth_3 = _claims("-growth-3", 3, 3, 8, 5)
_FEW_ROWS: Final = degenerate(
    "For so large an ε the lemma admits two rows, or one. With α = 1, β = 1/2 and δ = 1/10 it asks for three or more "
    "below the boundary, and holds.",
    Boundary("21.57", "21.58"),
)
large_epsilon = _claims("-large-epsilon", 1, 2, 40, 3, _FEW_ROWS, (None, _CERTAIN, _CERTAIN))

# Lemma 4.4: with m rows a solution of quality 1 appears with probability ½·exp(-(αm/2 − 1)·ε/4).
choosing_at_every_epsilon = family(
    Row("BNS-J-4.4.privacy.eight-rows{}every-epsilon")
    .says("the choosing mechanism with α = 1 is (ε, {})-private at 1-bounded growth, 8 rows, for every ε")
    .having(domain=BoundedGrowth(rows=8, solutions=2, growth=1), epsilon=symbolic, source=_JOURNAL)
    .having(all_sizes=BoundedGrowth(rows=OrMore(8), solutions=OrMore(2), growth=1))
    .run_with(rows=8, alpha=Fraction(1))
    .of(_CHOOSING),
    Row("-", "1/10").having(variant="Where it fails the lemma asks for more than eight rows."),
    Row("-exact-delta-", "½·e^(-3ε/4)").having(delta=exp(-symbolic * 3 / 4) / 2),
)

# For every δ, every ε and every number of rows and of solutions, by Theorem 13.
_ENOUGH: Final = "where m ≥ (8/(αε))·(ε/4 + ln(k/(2δ)))"
enough_rows = family(
    Row("BNS-J-4.4.privacy.{}-every-delta")
    .says("{}, for every ε > 0, every 0 < δ < 1, and every number of rows and of solutions")
    .having(mechanism=choosing.choosing_with_enough_rows, epsilon=symbolic, neighbours=bounded_growth)
    .having(source="Beimel, Nissim & Stemmer, journal version, Figure 8 and Lemma 4.4, with the rows of Theorem 13")
    .having(mutant=chooses_without_a_test)
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
            degenerate="It holds for all ε < 12.85, and fails on four pieces, at m = 2, 1, 3 and 4 rows, which begin "
            "at ε ≈ 12.85, 14.3, 19.24 and 64: the lemma sets no boundary in ε, and for a large one asks for few rows."
        )
        .run_with(needed=partial(choosing.rows_needed_journal, beta=HALF)),
    ),
    Row("enough-rows-growth-3", f"the same with α = 1/3 at 3-bounded growth, {_ENOUGH}")
    .having(domain=BoundedGrowth(rows=OrMore(1), solutions=OrMore(1), growth=3), delta=symbolic_delta)
    .run_with(growth=3, alpha=Fraction(1, 3), delta=symbolic_delta),
)

"""Privacy of the choosing mechanism, at the printed bounds on the number of rows and below them.

β occurs in the bounds alone; it is ½ throughout. Beside each pair of printed bounds, of both versions of Beimel, Nissim
& Stemmer, stands the smallest number of rows for which the claim holds on the same scores, found by `calibrate`, and
the one below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.choosing import (
    choosing_mechanism,
    rows_needed_extended_abstract,
    rows_needed_journal,
)
from dpverify.mechanisms.selection.exponential_mechanism import Quality, exponential, solutions_of
from dpverify.mechanisms.selection.stability import Bottom
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.reports.record import Boundary, Refutation
from dpverify.verifiers.catalogue.families import at_every_epsilon, on_all
from dpverify.verifiers.catalogue.refuted import ONE_LESS, as_expected, degenerate, variant
from dpverify.verifiers.pairs.neighbours import bounded_growth
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.score_domains import BoundedGrowth, OrMore

HALF: Final = Fraction(1, 2)
TENTH: Final = Fraction(1, 10)
_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def chooses_without_a_test(draw: Draw, quality: Quality, *, epsilon: Fraction | Exact, **ignored: Any) -> Any:
    """Mutant: leaves out step 1, and so always chooses among the solutions of quality ≥ 1."""
    good = {f: score for f, score in solutions_of(quality).items() if score >= 1}
    return exponential(good, epsilon / 2) if good else Bottom.BOTTOM


_JOURNAL: Final = "Beimel, Nissim & Stemmer, journal version, Figure 8 and Lemma 4.4"
_CERTAIN: Final = (
    "at ε = 40 the choice between two qualities is certain but for e^(-10), less than δ, and what shows is the test of "
    "the best one, to which the mechanism gives ε/4"
)
_LEAST_AT_40: Final = LeastShare(share="1/4", below="15/64", because=_CERTAIN)
_LEAST: Final[Mapping[str, Mapping[str, LeastShare]]] = {
    "": {
        "journal": LeastShare(share="5/16", below="9/32", because="the paper asks for 93 rows, and 15 are enough"),
        "extended": LeastShare(share="11/32", below="5/16", because="the paper asks for 56 rows, and 15 are enough"),
    },
    "-large-epsilon": {"extended": _LEAST_AT_40, "smallest": _LEAST_AT_40},
}
"""Of the noise, by the suffix of the claims, at each bound: where the printed noise is more than is needed."""
_EXTENDED: Final = "Beimel, Nissim & Stemmer, extended abstract, Section 4.1 and Lemma 4"


def _smallest_delta(rows: int, **bound: Any) -> Fraction:
    """The smallest power of a tenth for which so many rows are enough by the printed bound."""
    delta = TENTH
    while rows_needed_journal(**{**bound, "delta": delta * TENTH}) <= rows:
        delta *= TENTH
    return delta


def _claims(
    suffix: str, growth: int, solutions: int, epsilon: int, smallest: int, printed: Refutation | None = None
) -> tuple[Claim, ...]:
    """At both printed bounds, at the smallest number of rows, and at one less; `printed`: the journal's is refuted."""
    least = _LEAST.get(suffix, {})
    given: dict[str, Any] = {"alpha": Fraction(1), "epsilon": Fraction(epsilon)}
    bound = {**given, "growth": growth, "beta": HALF, "delta": TENTH}

    # beyond the smallest number of rows, and so at each of the printed bounds; of more solutions than a row raises more
    # rows are needed, unless a row raises one
    any_solutions = OrMore(solutions) if growth != _REGIONS_ALONE else solutions
    from_the_smallest_on = BoundedGrowth(rows=OrMore(smallest), solutions=any_solutions, growth=growth)
    reach = on_all(from_the_smallest_on, "full" if growth == _REGIONS_ALONE else "quick")

    def claim(claim_id: str, source: str, rows: int, refuted: Refutation | None, what: str, **more: Any) -> Claim:
        return Claim(
            id=claim_id + suffix,
            source=source,
            statement=f"the choosing mechanism with α = 1 is (ε,δ)-private at {growth}-bounded growth, {rows} rows: "
            f"{what}",
            mechanism=choosing_mechanism,
            domain=BoundedGrowth(rows=rows, solutions=solutions, growth=growth),
            neighbours=bounded_growth,
            epsilon=epsilon,
            delta=TENTH,
            parameters={"rows": rows, "alpha": Fraction(1)},
            **as_expected(refuted),
            mutant=chooses_without_a_test,
            **reach,
            **more,
        )

    journal = rows_needed_journal(**bound)
    # where as many rows are enough for a far smaller δ, under which less is hidden
    least_delta = _smallest_delta(journal, **{**bound, "epsilon": 2 * Fraction(epsilon)})
    at_twice_epsilon = (BoundedGrowth(rows=journal, solutions=solutions, growth=growth), 2 * epsilon, least_delta)
    extended = rows_needed_extended_abstract(**bound)
    return (
        claim(
            "BNS-J-4.4.privacy.printed",
            _JOURNAL,
            journal,
            printed,
            "the least with m ≥ (16/(αε))·ln(16k/(αβεδ))",
            least=least.get("journal"),
            stronger=() if printed else [at_twice_epsilon],
        ),
        claim(
            "BNS-X-Lem4.privacy.printed",
            _EXTENDED,
            extended,
            None,
            "the least with m ≥ (16/(αε))·max(ε/4 + ln(1/δ), ln(16k/(αβε)))",
            least=least.get("extended"),
        ),
        claim(
            "BNS-J-4.4.privacy.smallest",
            _JOURNAL,
            smallest,
            None,
            "the least for which it holds on these scores",
            least=least.get("smallest"),
        ),
        claim(
            "BNS-J-4.4.privacy.below",
            _JOURNAL,
            smallest - 1,
            printed or ONE_LESS,  # where the printed bound is refuted it admits these rows, too
            "one less than the least for which it holds",
        ),
    )


_REGIONS_ALONE: Final = 2
"""The growth whose least number of rows is that of two solutions, and smaller than of more."""

growth_1 = _claims("", 1, 2, 1, 15)
growth_2 = _claims("-growth-2", 2, 2, 2, 9)
growth_3 = _claims("-growth-3", 3, 3, 8, 5)
large_epsilon = _claims(
    "-large-epsilon",
    1,
    2,
    40,
    3,
    degenerate(
        "For so large an ε the lemma admits two rows, or one. With α = 1, β = 1/2 and δ = 1/10 it asks for three or "
        "more below the boundary, and holds.",
        Boundary("21.57", "21.58"),
    ),
)

# Lemma 4.4: with m rows a solution of quality 1 appears with probability ½·exp(-(αm/2 − 1)·ε/4).

_M: Final = 8

choosing_at_every_epsilon = tuple(
    at_every_epsilon(
        "BNS-J-4.4",
        variant=f"{name}-",
        source=f"{_BNS}, Figure 8 and Lemma 4.4",
        statement=f"the choosing mechanism with α = 1 is (ε, {written})-private at 1-bounded growth, {_M} rows, for "
        "every ε",
        mechanism=choosing_mechanism,
        domain=BoundedGrowth(rows=_M, solutions=2, growth=1),
        neighbours=bounded_growth,
        delta=delta,
        parameters={"rows": _M, "alpha": Fraction(1)},
        **as_expected(refuted),
        mutant=chooses_without_a_test,
        **on_all(BoundedGrowth(rows=OrMore(_M), solutions=OrMore(2), growth=1)),
    )
    for name, delta, written, refuted in (
        ("eight-rows", TENTH, "1/10", variant("Where it fails the lemma asks for more than eight rows.")),
        ("eight-rows-exact-delta", exp(-symbolic * 3 / 4) / 2, "½·e^(-3ε/4)", None),
    )
)

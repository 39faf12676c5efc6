"""Privacy of the large margin mechanism: Algorithm 1 of Chaudhuri, Hsu & Song."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, Final, Literal

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.selection.exponential_mechanism import Quality, exponential, solutions_of
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism, printed_test
from dpverify.mechanisms.signs.delta_symbol import symbolic_delta
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.reports.record import Refutation
from dpverify.verifiers.catalogue.families import on_all
from dpverify.verifiers.catalogue.finite import CHOSEN, FAR_THRESHOLDS
from dpverify.verifiers.catalogue.refuted import ONE_LESS, as_expected, variant
from dpverify.verifiers.charts.domains import Scores
from dpverify.verifiers.pairs.neighbours import gaps_linf, scores_linf
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.score_domains import OrMore, ScoreGaps

TENTH: Final = Fraction(1, 10)
ALL_GAPS: Final = ScoreGaps(solutions=2)

# Algorithm 1, the large margin mechanism, over all gaps up to where the first margin test passes nearly always.


def best_of_few(draw: Draw, quality: Quality, *, epsilon: Fraction | Exact, **ignored: Any) -> Any:
    """Mutant: finds the number of items to keep without noise."""
    score_of = solutions_of(quality)
    best = max(score_of.values())
    return exponential({item: score for item, score in score_of.items() if best - score <= 1}, epsilon / 3)


_LMM: Final = "Chaudhuri, Hsu & Song, Algorithm 1 and Theorem 2"
_LMM_PRINTED: Final = "the large margin mechanism is (α,δ)-private"


def of_the_tests(share: str, below: str) -> LeastShare:
    """That of the printed T^(r), which are far from tight."""
    return LeastShare(share=share, below=below, parameter="slack", of="the printed T^(r)")


_NOISE_AT_3: Final = LeastShare(
    share="9/32", below="1/4", because="between two items at ε = 3 no test is needed, and so no T^(r)"
)

large_margin_two = tuple(
    Claim(
        id=f"CHS-Alg1.privacy.printed{suffix}",
        source=_LMM,
        statement=f"{_LMM_PRINTED}, between two items",
        mechanism=large_margin_mechanism,
        domain=ScoreGaps(largest, solutions=2),
        neighbours=gaps_linf,
        epsilon=epsilon,
        delta=TENTH,
        **on_all(ALL_GAPS),
        mutant=best_of_few,
        least=least,
    )
    for suffix, epsilon, largest, least in (
        ("", 1, 160, of_the_tests("9/256", "1/32")),
        ("-3", 3, 60, _NOISE_AT_3),
    )
)
large_margin_every_delta = Claim(
    id="CHS-Alg1.privacy.printed-every-delta",
    source=_LMM,
    statement=f"{_LMM_PRINTED}, for every α > 0, every 0 < δ < 1 and every number of items",
    mechanism=large_margin_mechanism,
    domain=Scores(solutions=OrMore(1)),
    neighbours=scores_linf,
    epsilon=symbolic,
    delta=symbolic_delta,
    scope="all",
    mutant=best_of_few,
)
large_margin_discrete = Claim(
    id="CHS-Alg1.privacy.discrete",
    source=_LMM,
    statement=f"{_LMM_PRINTED}, with discrete noise, between two items",
    mechanism=large_margin_mechanism,
    domain=ScoreGaps(60, solutions=2),
    neighbours=gaps_linf,
    epsilon=3,
    delta=TENTH,
    parameters={"noise": discrete_laplace},
    **on_all(ALL_GAPS),
    mutant=best_of_few,
    least=_NOISE_AT_3,
)
large_margin_more = tuple(
    Claim(
        id=f"CHS-Alg1.privacy.printed-{name}",
        source=_LMM,
        statement=f"{_LMM_PRINTED}, between {solutions} items",
        mechanism=large_margin_mechanism,
        domain=ScoreGaps(largest, solutions=solutions),
        neighbours=gaps_linf,
        epsilon=epsilon,
        delta=TENTH,
        mutant=best_of_few,
        depth="full" if solutions > 3 or epsilon == 2 else "quick",
        **(on_all(ScoreGaps(solutions=3), "full") if name == "three-items" else {"finite_because": FAR_THRESHOLDS}),
    )
    for name, solutions, epsilon, largest in (
        ("three-items", 3, 12, 16),
        ("three-items-far-apart", 3, 2, 82),
        ("four-items", 4, 24, 12),
    )
)
large_margin_least = tuple(
    Claim(
        id=f"CHS-Alg1.privacy.{name}",
        source=_LMM,
        statement=f"{_LMM_PRINTED}, between two items, with {slack} of the printed T^(r)",
        mechanism=large_margin_mechanism,
        domain=ScoreGaps(160, solutions=2),
        neighbours=gaps_linf,
        epsilon=1,
        delta=TENTH,
        parameters={"slack": slack},
        **on_all(ALL_GAPS),
        **as_expected(refuted),
        mutant=best_of_few,
    )
    for name, slack, refuted in (
        ("least-slack", Fraction(1, 25), None),
        ("least-slack-below", Fraction(3, 100), ONE_LESS),
    )
)


# Three and four items at ε = 1: with all of T^(r) around the margin, and with as little as will do.

Gaps = tuple[int, ...]


def with_neighbours(bases: Iterable[Gaps]) -> tuple[Gaps, ...]:
    """The scores, the best of them 0, with all that one row makes of them where it moves every score by 1."""
    found: dict[Gaps, None] = {}
    for base in bases:
        for step in product((-1, 1), repeat=len(base)):
            moved = [score + by for score, by in zip(base, step, strict=True)]
            found[tuple(score - max(moved) for score in moved)] = None
    return tuple(found)


def one_row_apart(scores: Gaps, domain: Iterable[Gaps]) -> Iterator[Gaps]:
    """Those of the domain that are apart by steps of −1, 0 and 1, at any height."""
    for other in domain:
        steps = [a - b for a, b in zip(scores, other, strict=True)]
        if other != scores and max(steps) - min(steps) <= 2:
            yield other


def with_half_the_tests(
    draw: Draw, quality: Quality, *, epsilon: Fraction | Exact, delta: Fraction, slack: Fraction
) -> Any:
    """Mutant: half of that."""
    return large_margin_mechanism(draw, quality, epsilon=epsilon, delta=delta, slack=slack / 2)


large_margin_around_the_margin = tuple(
    Claim(
        id=f"CHS-Alg1.privacy.printed-{name}-around-the-margin",
        source=_LMM,
        statement=f"{_LMM_PRINTED}, at ε = 1, between {name.split('-')[0]} items that are tied, or around the margin",
        mechanism=large_margin_mechanism,
        domain=with_neighbours(bases),
        neighbours=one_row_apart,
        epsilon=1,
        delta=TENTH,
        finite_because=CHOSEN,
        mutant=best_of_few,
        least=of_the_tests(*least),
    )
    for name, least, bases in (
        (
            "three-items",
            ("7/64", "13/128"),
            ((0, 0, 0), (0, -1, -1), (0, -50, -100), (0, -104, -104), (0, -104, -130), (0, 0, -117)),
        ),
        ("four-items", ("5/32", "9/64"), ((0, -1, -1, -1), (0, -104, -104, -104), (0, 0, -117, -130))),
    )
)
_LEAST_OF_MORE: Final[tuple[tuple[str, int, Fraction, str, int, Literal["quick", "report"]], ...]] = (
    ("three-items", 3, Fraction(1, 8), "13/128", 6, "quick"),
    ("three-items-far-apart", 3, Fraction(1, 8), "13/128", 30, "report"),
    ("four-items", 4, Fraction(1, 6), "9/64", 2, "quick"),
    ("four-items-far-apart", 4, Fraction(1, 6), "9/64", 6, "report"),
)
large_margin_least_of_more = tuple(
    Claim(
        id=f"CHS-Alg1.privacy.least-slack-{name}",
        source=_LMM,
        statement=f"{_LMM_PRINTED}, between {solutions} items, with {slack} of the printed T^(r)",
        mechanism=large_margin_mechanism,
        domain=ScoreGaps(largest, solutions=solutions),
        neighbours=gaps_linf,
        epsilon=1,
        delta=TENTH,
        parameters={"slack": slack},
        finite_because=FAR_THRESHOLDS,
        mutant=with_half_the_tests,
        least=of_the_tests(str(slack), below),
        depth=depth,
    )
    for name, solutions, slack, below, largest, depth in _LEAST_OF_MORE
)


# The number K of items: it is for many that T^(r) grows with r.


def tied_but_for_one_row(items: int) -> tuple[Gaps, ...]:
    """All items tied, and all databases where one row has made the first of them worse than the others."""
    return tuple((-2,) * worse + (0,) * (items - worse) for worse in range(items))


def with_equal_tests(
    draw: Draw, quality: Quality, *, epsilon: Fraction | Exact, delta: Fraction, slack: Fraction
) -> Any:
    """LMM with `slack`·T^(1) in place of every T^(r)."""
    score_of = solutions_of(quality)
    alpha, items = exact(epsilon), sorted(score_of, key=lambda item: -score_of[item])
    test = slack * printed_test(1, alpha, exact(delta))
    z, g = draw(laplace(3 / alpha)), draw(laplace(6 / alpha))
    kept = 1
    while (
        kept < len(items) and not score_of[items[0]] - score_of[items[kept]] + z > draw(laplace(12 / alpha)) + g + test
    ):
        kept += 1
    return exponential({item: score_of[item] for item in items[:kept]}, alpha / 3)


_FIRST_TEST: Final = LeastShare(share="1/4", below="15/64", parameter="slack", of="T^(1), in place of every T^(r)")
_NINE_ITEMS: Final = of_the_tests("15/64", "7/32")
_NOT_FOR_MORE: Final = variant(
    "With more items there is more that may stop the loop too early: there T^(r) has to grow."
)


def between(
    items: int, name: str, with_what: str, mechanism: Any, refuted: Refutation | None = None, **rest: Any
) -> Claim:
    """A claim between so many items at ε = 1 and δ = 1/10, nearly tied, with fewer or equal tests."""
    return Claim(
        id=f"CHS-Alg1.privacy.{name}",
        source=_LMM,
        statement=f"{_LMM_PRINTED}, at ε = 1, between {items} items that are tied but for one row, with {with_what}",
        mechanism=mechanism,
        domain=tied_but_for_one_row(items),
        neighbours=one_row_apart,
        epsilon=1,
        delta=TENTH,
        finite_because="" if refuted else CHOSEN,
        mutant=best_of_few,
        **as_expected(refuted),
        **rest,
    )


_QUARTER: Final[dict[str, Any]] = {"parameters": {"slack": Fraction(1, 4)}}
_OF_ALL: Final = "1/4 of the printed T^(r)"
_OF_FIRST: Final = "1/4 of T^(1) in place of every T^(r)"
number_of_items = (
    between(9, "printed-nine-items", "the printed T^(r)", large_margin_mechanism, least=_NINE_ITEMS),
    between(9, "quarter-of-the-tests-nine-items", _OF_ALL, large_margin_mechanism, least=_NINE_ITEMS, **_QUARTER),
    between(8, "quarter-of-the-first-test-eight-items", _OF_FIRST, with_equal_tests, least=_FIRST_TEST, **_QUARTER),
    between(9, "quarter-of-the-first-test-nine-items", _OF_FIRST, with_equal_tests, _NOT_FOR_MORE, **_QUARTER),
    between(
        5,
        "sixth-of-the-tests-five-items",
        "1/6 of the printed T^(r), which is enough between four",
        large_margin_mechanism,
        _NOT_FOR_MORE,
        parameters={"slack": Fraction(1, 6)},
    ),
)

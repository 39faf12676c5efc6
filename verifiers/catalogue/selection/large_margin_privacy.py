"""Privacy of the large margin mechanism: Algorithm 1 of Chaudhuri, Hsu & Song."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, discrete_laplace, exact, exponential, laplace, symbolic
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.selection.exponential_mechanism import Quality, solutions_of
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism, printed_test
from dpverify.verifiers import Scores, scores_linf
from dpverify.verifiers.catalogue.families import HALF, TENTH
from dpverify.verifiers.catalogue.finite import CHOSEN, FAR_THRESHOLDS
from dpverify.verifiers.catalogue.mutants import Times, broken
from dpverify.verifiers.catalogue.refuted import ONE_LESS, variant
from dpverify.verifiers.privacy.family import LeastShare, Row, family, rows_of
from dpverify.verifiers.problems.neighbours import gaps_linf
from dpverify.verifiers.problems.questions import OrMore, ScoreGaps

Gaps = tuple[int, ...]


def best_of_few(draw: Draw, quality: Quality, *, epsilon: Exact, **ignored: Any) -> Any:
    """Mutant: finds the number of items to keep without noise."""
    score_of = solutions_of(quality)
    best = max(score_of.values())
    return exponential({item: score for item, score in score_of.items() if best - score <= 1}, epsilon / 3)


def with_equal_tests(draw: Draw, quality: Quality, *, epsilon: Exact, delta: Fraction, slack: Fraction) -> Any:
    """LMM with `slack`·T^(1) in place of every T^(r)."""
    score = solutions_of(quality)
    alpha, items = exact(epsilon), sorted(score, key=lambda item: -score[item])
    test = slack * printed_test(1, alpha, exact(delta))
    z, g = draw(laplace(3 / alpha)), draw(laplace(6 / alpha))
    kept = 1
    while kept < len(items) and not score[items[0]] - score[items[kept]] + z > draw(laplace(12 / alpha)) + g + test:
        kept += 1
    return exponential({item: score[item] for item in items[:kept]}, alpha / 3)


def of_the_tests(share: str, below: str) -> LeastShare:
    """The least share of the printed T^(r), which are far from tight."""
    return LeastShare(share=share, below=below, parameter="slack", of="the printed T^(r)")


def with_moved(bases: Iterable[Gaps]) -> tuple[Gaps, ...]:
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


_NOISE_AT_3: Final = LeastShare(
    share="9/32", below="1/4", because="between two items at ε = 3 no test is needed, and so no T^(r)"
)
_LMM: Final = (
    Row("CHS-Alg1.privacy.", "the large margin mechanism is (α,δ)-private")
    .having(mechanism=large_margin_mechanism, source="Chaudhuri, Hsu & Song, Algorithm 1 and Theorem 2", delta=TENTH)
    .having(neighbours=gaps_linf, mutant=best_of_few)
)

# Algorithm 1, the large margin mechanism, over all gaps up to where the first margin test passes nearly always.
two_items = family(
    Row("", ", between two items")
    .having(domain=ScoreGaps(160, solutions=2), all_sizes=ScoreGaps(solutions=2))
    .of(_LMM),
    Row("printed").having(epsilon=1, least=of_the_tests("9/256", "1/32")),
    Row("printed-3").having(domain=ScoreGaps(60, solutions=2), epsilon=3, least=_NOISE_AT_3),
    *rows_of(
        Row("least-slack", ", with {} of the printed T^(r)").having(epsilon=1),
        Row("", "1/25").run_with(slack=Fraction(1, 25)),
        Row("-below", "3/100").having(refuted=ONE_LESS).run_with(slack=Fraction(3, 100)),
    ),
)
other_claims = family(
    _LMM,
    Row("discrete", ", with discrete noise, between two items")
    .having(domain=ScoreGaps(60, solutions=2), epsilon=3, all_sizes=ScoreGaps(solutions=2), least=_NOISE_AT_3)
    .run_with(noise=discrete_laplace),
    Row("printed-every-delta", ", for every α > 0, every 0 < δ < 1 and every number of items").having(
        domain=Scores(solutions=OrMore(1)), epsilon=symbolic, delta=symbolic_delta, neighbours=scores_linf
    ),
)
more_items = family(
    Row("", ", between {} items").of(_LMM),
    Row("printed-three-items", "3").having(
        domain=ScoreGaps(16, solutions=3), epsilon=12, all_sizes=ScoreGaps(solutions=3), all_sizes_depth="full"
    ),
    *rows_of(
        Row("printed-").having(depth="full", finite_because=FAR_THRESHOLDS),
        Row("three-items-far-apart", "3").having(domain=ScoreGaps(82, solutions=3), epsilon=2),
        Row("four-items", "4").having(domain=ScoreGaps(12, solutions=4), epsilon=24),
    ),
)

# Three and four items at ε = 1: with all of T^(r) around the margin, and with as little as will do.
around_the_margin = family(
    Row("printed-{}-items-around-the-margin", ", at ε = 1, between {} items that are tied, or around the margin")
    .having(epsilon=1, neighbours=one_row_apart, finite_because=CHOSEN)
    .of(_LMM),
    Row("three", "three")
    .having(domain=with_moved(((0, 0, 0), (0, -1, -1), (0, -50, -100), (0, -104, -104), (0, -104, -130), (0, 0, -117))))
    .having(least=of_the_tests("7/64", "13/128")),
    Row("four", "four")
    .having(domain=with_moved(((0, -1, -1, -1), (0, -104, -104, -104), (0, 0, -117, -130))))
    .having(least=of_the_tests("5/32", "9/64")),
)


def _least(name: str, solutions: int, slack: Fraction, below: str, largest: int) -> Row:
    return (
        Row(f"least-slack-{name}", f", between {solutions} items, with {slack} of the printed T^(r)")
        .having(domain=ScoreGaps(largest, solutions=solutions), least=of_the_tests(str(slack), below))
        .run_with(slack=slack)
    )


_HALF_THE_TESTS: Final = broken(large_margin_mechanism, "with_half_the_tests", "half of that.", slack=Times(HALF))
least_of_more = family(
    Row().having(epsilon=1, finite_because=FAR_THRESHOLDS, mutant=_HALF_THE_TESTS).of(_LMM),
    _least("three-items", 3, Fraction(1, 8), "13/128", 6),
    _least("four-items", 4, Fraction(1, 6), "9/64", 2),
    *rows_of(
        Row("{}-far-apart").having(depth="report"),
        _least("three-items", 3, Fraction(1, 8), "13/128", 30),
        _least("four-items", 4, Fraction(1, 6), "9/64", 6),
    ),
)

# The number K of items: it is for many that T^(r) grows with r.
_FIRST_TEST: Final = LeastShare(share="1/4", below="15/64", parameter="slack", of="T^(1), in place of every T^(r)")
_NINE_ITEMS: Final = of_the_tests("15/64", "7/32")
_FOR_FEW: Final = variant("With more items there is more that may stop the loop too early: there T^(r) has to grow.")


def between(items: int, name: str, with_what: str, **rest: Any) -> Row:
    """Between so many items, with fewer or equal tests: all tied, or the first of them made worse by one row."""
    tied = tuple((-2,) * worse + (0,) * (items - worse) for worse in range(items))
    statement = f"{items} items that are tied but for one row, with {with_what}"
    finite_because = "" if "refuted" in rest else CHOSEN
    return Row(name, statement).having(domain=tied, finite_because=finite_because, **rest)


_SIXTH: Final = "1/6 of the printed T^(r), which is enough between four"
number_of_items = family(
    Row("", ", at ε = 1, between ").having(epsilon=1, neighbours=one_row_apart).of(_LMM),
    between(9, "printed-nine-items", "the printed T^(r)", least=_NINE_ITEMS),
    *rows_of(
        Row("quarter-of-the-").run_with(slack=Fraction(1, 4)),
        between(9, "tests-nine-items", "1/4 of the printed T^(r)", least=_NINE_ITEMS),
        *rows_of(
            Row("first-test-", "{} of T^(1) in place of every T^(r)").having(mechanism=with_equal_tests),
            between(8, "eight-items", "1/4", least=_FIRST_TEST),
            between(9, "nine-items", "1/4", refuted=_FOR_FEW),
        ),
    ),
    between(5, "sixth-of-the-tests-five-items", _SIXTH, parameters={"slack": Fraction(1, 6)}, refuted=_FOR_FEW),
)

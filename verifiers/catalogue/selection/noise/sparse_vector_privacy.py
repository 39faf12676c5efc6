"""Lyu, Su & Li 2017: the published variants of the sparse vector technique; and the one that DiPC was measured on.

Queries lie in {−1, 0, 1} around the threshold 0, and one row moves each of them by at most 1. A refuted claim is what
the variant's authors say; what Lyu, Su & Li say of it stands beside it.

The pairs of query answers on which it shows most are found by a beam search: of each length `worst_pairs(mechanism,
LongerInputs((0, 1), …))` finds runs of queries that are 0 in the one and 1 in the other, each of which ends with one
that is the other way round: a run for each answer "above" that is paid for. The threshold pays for the queries below
all at once, and so long runs come near to ε, which short ones do not. How near the search comes is tested with the
claims.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Draw, Exact, discrete_laplace, laplace, log, symbolic
from dpverify.mechanisms.selection import first_below, numerical_svt, svt1, svt2, svt3, svt4, svt5, svt6
from dpverify.verifiers import Scores, ScoreSpace, scores_l1, scores_linf
from dpverify.verifiers.catalogue.families import AT_EACH, of_its_pair, the_other
from dpverify.verifiers.catalogue.finite import MANY_QUERIES, ONE_PAIR, SUMS_OF_DENSITIES, UNKNOWN_EPSILON
from dpverify.verifiers.catalogue.mutants import broken
from dpverify.verifiers.catalogue.refuted import DISCRETE, OF_THE_STATEMENT
from dpverify.verifiers.privacy.family import LongerInputs, Mechanism, Row, claims, family, rows_of

Answers: TypeAlias = tuple[int, ...]


def ends_of_runs(*lengths: int) -> list[Answers]:
    """Neighbours: runs of queries, all of which are 0 in the one and 1 in the other, but for the last of each run."""
    one = tuple(answer for length in lengths for answer in (*(0,) * (length - 1), 1))
    return [one, tuple(1 - answer for answer in one)]


def just_below(pair: list[Answers]) -> list[Answers]:
    """The same with −1 and 0 for 0 and 1: the worst of those who stop at the first query below 0."""
    return [tuple(answer - 1 for answer in answers) for answers in pair]


LONG: Final = ends_of_runs(8, 3)
"""For those who stop at the first above; behind it another one waits for those who go on."""
LONG_TWICE: Final = ends_of_runs(6, 2, 2)
"""For those who stop at the second."""
TWO, THREE, FOUR, SIX, SEVEN = (ScoreSpace(range(-1, 2), solutions=n) for n in (2, 3, 4, 6, 7))
TWO_BITS, THREE_BITS = (ScoreSpace(range(2), solutions=n) for n in (2, 3))
LONGER: Final = LongerInputs((0, 1), lengths=range(1, 7), beam=4)
"""More and more queries, 0 or 1: the steps of the exact ε tell what seems to be bounded from what leaks on."""


def svt_without_query_noise(draw: Draw, queries: Sequence[int], *, epsilon: Exact, **ignored: Any) -> tuple[bool, ...]:
    """Mutant: the threshold alone is noisy."""
    return svt5(draw, queries, epsilon=epsilon)


svt_that_releases_what_was_compared = broken(
    svt3,
    "svt_that_releases_what_was_compared",
    "algorithm 3, which releases the noisy query that was compared, with noise of half the scale.",
    epsilon_times=2,
)


def all_or_none(queries: int) -> list[tuple[int, ...]]:
    """Neighbours: so many queries are 0 in the one and 1 in the other."""
    return [(0,) * queries, (1,) * queries]


ALL_PAIRS: Final = Scores(solutions=2)
"""Two queries, whatever they are."""
ON_ALL_TRIPLES: Final = Row().having(all_sizes=Scores(solutions=3), all_sizes_depth="full")


def variant_of(mechanism: Mechanism, claim_id: str, source: str) -> Row:
    """The family of the claims about a published variant."""
    return Row(f"{claim_id}.privacy.{{}}").having(
        mechanism=mechanism, source=source, neighbours=scores_linf, mutant=svt_without_query_noise
    )


_LYU: Final = "Lyu, Su & Li 2017, Algorithm"
FIRST: Final = variant_of(svt1, "LSL-Alg1", f"{_LYU} 1")
SECOND: Final = variant_of(svt2, "LSL-Alg2", f"{_LYU} 2")
THIRD: Final = variant_of(svt3, "LSL-Alg3", f"{_LYU} 3, after Roth's lecture notes")
FOURTH: Final = variant_of(svt4, "LSL-Alg4", f"{_LYU} 4, after Lee & Clifton 2014")
FOURTH_CORRECTED: Final = Row().having(source=f"{_LYU} 4").of(FOURTH)
FIFTH: Final = variant_of(svt5, "LSL-Alg5", f"{_LYU} 5, after Stoddard et al. 2014")
SIXTH: Final = variant_of(svt6, "LSL-Alg6", f"{_LYU} 6, after Chen et al. 2015")
NUMERICAL: Final = variant_of(numerical_svt, "LSL-Num", "Ding et al. 2018, NumericalSVT")
FIRST_BELOW: Final = variant_of(first_below, "LICS20-SVT", "Barthe et al., LICS 2020, sparse vector")

# Pairs of 0 and 1, and of −1 and 0, of which the second are told apart without noise. Who does not stop answers above
# three times on the pair of six, and pays for each; on that of eleven once or not.
HALF_OF_SIX: Final[list[Answers]] = [(0, 0, 0, 1, 1, 1), (1, 1, 1, 0, 0, 0)]


def _both_ways(pair: list[Answers]) -> Row:
    """A pair, and the same with −1 and 0 for 0 and 1."""
    return Row().having(domain=[*pair, *just_below(pair)], neighbours=of_its_pair, finite_because=ONE_PAIR)


_STOPS_ONCE: Final = "sparse vector with Lap(2/ε), Lap(4c/ε), which stops after c = 1 above, is ε-private"
first = family(
    Row().having(domain=FOUR, finite_because=MANY_QUERIES).of(FIRST),
    Row("printed", _STOPS_ONCE).having(epsilon=AT_EACH, sweep=LONGER, stronger=[LONG]),
    Row("printed-six-queries", _STOPS_ONCE).having(domain=SIX, epsilon=1, depth="full"),
    Row("printed-seven-queries", _STOPS_ONCE).having(domain=SEVEN, epsilon=1, depth="full"),
    Row("printed-eleven-queries", f"{_STOPS_ONCE}: on pairs of eleven queries, all of which move")
    .having(epsilon=1)
    .of(_both_ways(ends_of_runs(11))),
    Row("printed-half-of-six-queries", f"{_STOPS_ONCE}: on pairs of six queries, half of which move up and half down")
    .having(epsilon=1)
    .of(_both_ways(HALF_OF_SIX)),
    Row("printed-one-query", "sparse vector as printed, when a row moves one query only, is ε-private")
    .having(epsilon=1, neighbours=scores_l1)
    .holds_with("1/4", "15/64", "a row that moves one query is seen through Lap(4/ε) alone, which takes ε/4"),
    Row("discrete", "sparse vector as printed, but with discrete Laplace noise, is ε-private")
    .having(epsilon=1, stronger=[LONG])
    .run_with(noise=discrete_laplace),
)
first_twice = family(
    FIRST,
    Row("printed-twice", "sparse vector with Lap(2/ε), Lap(4c/ε), which stops after c = 2 above, is ε-private")
    .having(domain=THREE, epsilon=1, stronger=[LONG_TWICE])
    .run_with(count=2)
    .of(ON_ALL_TRIPLES),
)
second = family(
    Row("", "sparse vector with Lap(2c/ε), drawn anew after each above, and Lap(4c/ε), c = {}, is ε-private")
    .having(domain=THREE, epsilon=1)
    .of(ON_ALL_TRIPLES.of(SECOND)),
    Row("printed", "2").having(stronger=[LONG_TWICE]).run_with(count=2),
    Row("default", "1").having(stronger=[LONG]),
)


# With every query ε/(2c) is added, whether noise is continuous or discrete: the tail of the number released shows how
# far below the threshold noise may have been, and so what each other answer was worth.
def _third(name: str, private: str, epsilon: Fraction, count: int, which: str, **rest: Any) -> Row:
    return (
        Row(name)
        .says(
            f"sparse vector with Lap(2/ε) and Lap(2c/ε), c = {count}, that releases the noisy query, is "
            f"{private}-private on {which}"
        )
        .having(epsilon=epsilon, mutant=svt_that_releases_what_was_compared, **rest)
        .run_with(epsilon=1, count=count)
    )


_ONE_PAIR: Final = "one pair, all 0 and all 1, of queries:"
third = family(
    Row().having(finite_because=SUMS_OF_DENSITIES).of(THIRD),
    *rows_of(
        Row().having(neighbours=the_other, refuted=OF_THE_STATEMENT),
        _third("claimed", "ε", Fraction(1), 1, f"{_ONE_PAIR} three", domain=all_or_none(3)),
        _third("claimed-twice", "ε", Fraction(1), 2, f"{_ONE_PAIR} five", domain=all_or_none(5)),
    ),
    _third("corrected-two-queries", "ε", Fraction(1), 1, "two queries", domain=TWO_BITS),
    _third("corrected-three-queries", "3/2·ε", Fraction(3, 2), 1, "three queries", domain=THREE_BITS, depth="full"),
    *rows_of(
        Row("discrete", "sparse vector with scales 2/ε and 2c/ε, c = 1, that releases the noisy query, is {}-private")
        .having(domain=THREE)
        .run_with(noise=discrete_laplace, epsilon=1),
        Row("", "ε").having(epsilon=Fraction(1), refuted=DISCRETE, sweep=LONGER),
        Row("-three-queries", "3/2·ε").having(epsilon=Fraction(3, 2)),
    ),
)
fourth_corrected = family(
    Row("corrected", "sparse vector with Lap(4/ε), Lap(4/(3ε)), c = {}, is (1 + 6c)/4·ε-private")
    .having(domain=THREE)
    .of(ON_ALL_TRIPLES.of(FOURTH_CORRECTED)),
    Row("", "1").having(epsilon=Fraction(7, 4), stronger=[LONG]).run_with(epsilon=1, count=1),
    Row("-twice", "2").having(epsilon=Fraction(13, 4), stronger=[LONG_TWICE]).run_with(epsilon=1, count=2),
)
_CLAIMED: Final = Row("claimed", "sparse vector with {} is ε-private").having(
    domain=THREE, epsilon=1, refuted=OF_THE_STATEMENT
)
refuted = claims(
    Row("", "Lap(4/ε), Lap(4/(3ε)), c = 1,").of(_CLAIMED.of(FOURTH)),
    Row("", "Lap(2/ε) on the threshold and no noise on the queries").having(domain=TWO).of(_CLAIMED.of(FIFTH)),
    Row("", "Lap(2/ε), Lap(2/ε), which never stops,").having(sweep=LONGER).of(_CLAIMED.of(SIXTH)),
)
_WITH_DISCRETE: Final = "discrete noise of scale 3c/ε, is ε-private"
_ONE_OF_SIX: Final = Row().having(domain=ends_of_runs(6), neighbours=the_other, finite_because=ONE_PAIR)
_SIX_QUERIES: Final = "one pair of six queries, all of which move"
numerical = family(
    Row("", "sparse vector with Lap(3/ε), Lap(6c/ε), that releases a query above with ")
    .having(domain=TWO, epsilon=1)
    .of(NUMERICAL),
    *rows_of(
        Row("printed", "noise of its own, Lap(3c/ε), is ε-private: c = "),
        Row("", "1, on two queries").having(mutant=svt_that_releases_what_was_compared, all_sizes=ALL_PAIRS),
        Row("-three-queries", "1, on three")
        .having(domain=THREE_BITS, mutant=svt_that_releases_what_was_compared)
        .of(ON_ALL_TRIPLES),
        Row("-twice", "2, on two").having(all_sizes=ALL_PAIRS).run_with(count=2),
        Row("-six-queries", f"1, on {_SIX_QUERIES}").of(_ONE_OF_SIX),
    ),
    *rows_of(
        Row("released-discrete", _WITH_DISCRETE).run_with(noise=laplace, released=discrete_laplace),
        Row().having(all_sizes=ALL_PAIRS),
        Row("-six-queries", f": on {_SIX_QUERIES}").of(_ONE_OF_SIX),
    ),
)
below = family(
    Row("first-below{}", "the position of the first of {} below, Lap(2/ε) and Lap(4/ε), is ε-private")
    .having(domain=FOUR)
    .of(FIRST_BELOW),
    *rows_of(
        Row().having(finite_because=MANY_QUERIES, stronger=[just_below(ends_of_runs(8))]),
        Row("", "4 queries").having(epsilon=Fraction(1, 2)),
        Row("-ln2", "4 queries").having(epsilon=log(2)),
        Row("-six-queries", "6 queries").having(domain=SIX, epsilon=Fraction(1, 2), depth="full"),
    ),
)
below_twenty_six = family(
    FIRST_BELOW,
    Row("first-below-twenty-six-queries")
    .says(
        "the position of the first of 26 queries below, Lap(2/ε) and Lap(4/ε), is ε-private: on pairs, all queries of "
        "which move"
    )
    .having(epsilon=Fraction(1, 2))
    .of(_both_ways(ends_of_runs(26))),
)

# For every ε at once. With the printed, continuous noise the probabilities hold powers of ε beside e^ε.
_EVERY: Final = Row("{}-every-epsilon", "sparse vector with scales {}, for every ε").having(
    domain=THREE, epsilon=symbolic
)
_FOUR: Final = "4/ε and 4/(3ε), c = 1, is"
_VARIANTS: Final = (
    Row("", "2/ε and 4c/ε, c = 1, is ε-private{}").of(_EVERY.of(FIRST)),
    Row("", "2c/ε, anew after each above, and 4c/ε, c = 2, is ε-private{}").run_with(count=2).of(_EVERY.of(SECOND)),
    Row("{}-every-epsilon", "the position of the first query below, scales 2/ε and 4/ε, is ε-private{}, for every ε")
    .having(domain=THREE, epsilon=symbolic)
    .of(FIRST_BELOW),
)
_REFUTED: Final = (
    Row("", f"{_FOUR} ε-private{{}}").of(_EVERY.of(FOURTH)),
    Row("", "2/ε and 2/ε, which never stops, is ε-private{}").of(_EVERY.of(SIXTH)),
)
_NUMERICAL: Final = (
    Row("", "3/ε and 6c/ε, that releases a query above with scale 3c/ε, is ε-private{}")
    .having(domain=TWO)
    .of(_EVERY.of(NUMERICAL))
)
_DISCRETE: Final = (
    Row("discrete{}", ", with discrete Laplace noise")
    .having(finite_because=MANY_QUERIES)
    .run_with(noise=discrete_laplace)
)
printed_at_every_epsilon = claims(
    *(ON_ALL_TRIPLES.of(Row("printed", ", of three queries").of(variant)) for variant in _VARIANTS),
    *(Row("claimed", ", of three queries").having(refuted=OF_THE_STATEMENT).of(variant) for variant in _REFUTED),
    Row("printed", ", of two queries").having(all_sizes=ALL_PAIRS).of(_NUMERICAL),
)
discrete_at_every_epsilon = claims(
    *(_DISCRETE.of(variant) for variant in _VARIANTS),
    *(Row().having(refuted=DISCRETE).of(_DISCRETE.of(variant)) for variant in _REFUTED),
    Row().having(finite_because=UNKNOWN_EPSILON).run_with(released=discrete_laplace).of(_DISCRETE.of(_NUMERICAL)),
    Row("-six-queries").having(domain=SIX, depth="full").of(_DISCRETE.of(_VARIANTS[0])),
)
_SEVEN_QUARTERS: Final = (
    Row("", f"{_FOUR} 7/4·ε-private{{}}").having(epsilon=symbolic * Fraction(7, 4)).of(_EVERY.of(FOURTH_CORRECTED))
)
fourth_corrected_at_every_epsilon = claims(
    Row("corrected", ", of three queries").run_with(epsilon=symbolic).of(ON_ALL_TRIPLES.of(_SEVEN_QUARTERS)),
    Row("corrected-discrete", ", with discrete noise")
    .having(finite_because=MANY_QUERIES)
    .run_with(noise=discrete_laplace, epsilon=symbolic)
    .of(_SEVEN_QUARTERS),
)

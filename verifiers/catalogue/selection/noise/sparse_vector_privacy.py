"""Lyu, Su & Li 2017: the published variants of the sparse vector technique; and the one that DiPC was measured on.

Queries lie in {−1, 0, 1} around the threshold 0, and one row moves each of them by at most 1. A refuted claim is what
the variant's authors say; what Lyu, Su & Li say of it stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.sparse_vector import first_below, numerical_svt, svt1, svt2, svt3, svt4, svt5, svt6
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.families import at_each_epsilon, of_its_pair, on_all, the_other
from dpverify.verifiers.catalogue.finite import MANY_QUERIES, ONE_PAIR, SUMS_OF_DENSITIES
from dpverify.verifiers.catalogue.refuted import DISCRETE, OF_THE_STATEMENT, as_expected
from dpverify.verifiers.catalogue.selection.noise.sparse_vector_worst_pairs import (
    LONG,
    LONG_TWICE,
    Answers,
    ends_of_runs,
    just_below,
)
from dpverify.verifiers.charts.domains import Scores
from dpverify.verifiers.pairs.neighbours import scores_l1, scores_linf
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.profiles.longer_inputs import LongerInputs
from dpverify.verifiers.questions.score_domains import ScoreSpace

REFUTED: Final = Status.REFUTED
_DISCRETE: Final = {"noise": discrete_laplace}

TWO, THREE, FOUR, SIX, SEVEN = (ScoreSpace(range(-1, 2), solutions=n) for n in (2, 3, 4, 6, 7))
LONGER: Final = LongerInputs((0, 1), lengths=range(1, 7), beam=4)
"""More and more queries, 0 or 1: the steps of the exact ε tell what seems to be bounded from what leaks on."""
TWO_BITS, THREE_BITS = (ScoreSpace(range(2), solutions=n) for n in (2, 3))


def svt_without_query_noise(
    draw: Draw, queries: Sequence[int], *, epsilon: Fraction | Exact, **ignored: Any
) -> tuple[bool, ...]:
    """Mutant: the threshold alone is noisy."""
    return svt5(draw, queries, epsilon=epsilon)


def svt_that_releases_what_was_compared(
    draw: Draw, queries: Sequence[int], *, epsilon: Fraction | Exact, **given: Any
) -> tuple[Any, ...]:
    """Mutant: algorithm 3, which releases the noisy query that was compared, with noise of half the scale."""
    return svt3(draw, queries, epsilon=2 * epsilon, **given)


def all_or_none(queries: int) -> list[tuple[int, ...]]:
    """Neighbours: so many queries are 0 in the one and 1 in the other."""
    return [(0,) * queries, (1,) * queries]


_A_PAIR: Final = "one pair, all 0 and all 1, of queries:"
_SOURCE: Final = "Lyu, Su & Li 2017, Algorithm"
ON_ALL_PAIRS: Final = on_all(Scores(solutions=2))
"""Two queries, whatever they are."""
ON_ALL_TRIPLES: Final = on_all(Scores(solutions=3), "full")

first = at_each_epsilon(
    "LSL-Alg1.privacy.printed",
    source=f"{_SOURCE} 1",
    statement="sparse vector with Lap(2/ε), Lap(4c/ε), which stops after c = 1 above, is ε-private",
    mechanism=svt1,
    domain=FOUR,
    neighbours=scores_linf,
    finite_because=MANY_QUERIES,
    mutant=svt_without_query_noise,
    sweep=LONGER,
    stronger=[LONG],
)
first_twice = Claim(
    id="LSL-Alg1.privacy.printed-twice",
    source=f"{_SOURCE} 1",
    statement="sparse vector with Lap(2/ε), Lap(4c/ε), which stops after c = 2 above, is ε-private",
    mechanism=svt1,
    domain=THREE,
    neighbours=scores_linf,
    epsilon=1,
    parameters={"count": 2},
    **ON_ALL_TRIPLES,
    mutant=svt_without_query_noise,
    stronger=[LONG_TWICE],
)
first_bits = Claim(
    id="LSL-Alg1.privacy.printed-one-query",
    source=f"{_SOURCE} 1",
    statement="sparse vector as printed, when a row moves one query only, is ε-private",
    mechanism=svt1,
    domain=ScoreSpace(range(-1, 2), solutions=4),
    neighbours=scores_l1,
    epsilon=1,
    finite_because=MANY_QUERIES,
    mutant=svt_without_query_noise,
    least=LeastShare(
        share="1/4",
        below="15/64",
        because="a row that moves one query is seen through Lap(4/ε) alone, which takes ε/4",
    ),
)
first_discrete = Claim(
    id="LSL-Alg1.privacy.discrete",
    source=f"{_SOURCE} 1",
    statement="sparse vector as printed, but with discrete Laplace noise, is ε-private",
    mechanism=svt1,
    domain=FOUR,
    neighbours=scores_linf,
    epsilon=1,
    parameters={"noise": discrete_laplace},
    finite_because=MANY_QUERIES,
    mutant=svt_without_query_noise,
    stronger=[LONG],
)
first_long = tuple(
    Claim(
        id=f"LSL-Alg1.privacy.printed-{name}-queries",
        source=f"{_SOURCE} 1",
        statement="sparse vector with Lap(2/ε), Lap(4c/ε), which stops after c = 1 above, is ε-private",
        mechanism=svt1,
        domain=domain,
        neighbours=scores_linf,
        epsilon=1,
        finite_because=MANY_QUERIES,
        mutant=svt_without_query_noise,
        depth="full",
    )
    for name, domain in (("six", SIX), ("seven", SEVEN))
)
# Pairs of 0 and 1, and of −1 and 0, of which the second are told apart without noise. Who does not stop answers above
# three times on the pair of six, and pays for each; on that of eleven once or not.
HALF_OF_SIX: Final[list[Answers]] = [(0, 0, 0, 1, 1, 1), (1, 1, 1, 0, 0, 0)]
first_on_a_pair = tuple(
    Claim(
        id=f"LSL-Alg1.privacy.printed-{name}-queries",
        source=f"{_SOURCE} 1",
        statement="sparse vector with Lap(2/ε), Lap(4c/ε), which stops after c = 1 above, is ε-private: on pairs of "
        f"{which}",
        mechanism=svt1,
        domain=[*pair, *just_below(pair)],
        neighbours=of_its_pair,
        epsilon=1,
        finite_because=ONE_PAIR,
        mutant=svt_without_query_noise,
    )
    for name, which, pair in (
        ("eleven", "eleven queries, all of which move", ends_of_runs(11)),
        ("half-of-six", "six queries, half of which move up and half down", HALF_OF_SIX),
    )
)
second = Claim(
    id="LSL-Alg2.privacy.printed",
    source=f"{_SOURCE} 2",
    statement="sparse vector with Lap(2c/ε), drawn anew after each above, and Lap(4c/ε), c = 2, is ε-private",
    mechanism=svt2,
    domain=THREE,
    neighbours=scores_linf,
    epsilon=1,
    parameters={"count": 2},
    **ON_ALL_TRIPLES,
    mutant=svt_without_query_noise,
    stronger=[LONG_TWICE],
)
# With every query ε/(2c) is added, whether noise is continuous or discrete: the tail of the number released shows how
# far below the threshold noise may have been, and so what each other answer was worth.
third_printed = tuple(
    Claim(
        id=f"LSL-Alg3.privacy.{variant}",
        source=f"{_SOURCE} 3, after Roth's lecture notes",
        statement=f"sparse vector with Lap(2/ε) and Lap(2c/ε), c = {count}, that releases the noisy query, is "
        f"{written}-private on {which}",
        mechanism=svt3,
        domain=domain,
        neighbours=neighbours,
        epsilon=epsilon,
        parameters={"epsilon": 1, "count": count},
        **as_expected(refuted),
        finite_because=SUMS_OF_DENSITIES,
        mutant=svt_that_releases_what_was_compared,
        depth="full" if domain is THREE_BITS else "quick",
    )
    for variant, count, written, which, domain, neighbours, epsilon, refuted in (
        ("claimed", 1, "ε", f"{_A_PAIR} three", all_or_none(3), the_other, Fraction(1), OF_THE_STATEMENT),
        ("claimed-twice", 2, "ε", f"{_A_PAIR} five", all_or_none(5), the_other, Fraction(1), OF_THE_STATEMENT),
        ("corrected-two-queries", 1, "ε", "two queries", TWO_BITS, scores_linf, Fraction(1), None),
        ("corrected-three-queries", 1, "3/2·ε", "three queries", THREE_BITS, scores_linf, Fraction(3, 2), None),
    )
)
third = tuple(
    Claim(
        id=f"LSL-Alg3.privacy.{variant}",
        source=f"{_SOURCE} 3, after Roth's lecture notes",
        statement=f"sparse vector with scales 2/ε and 2c/ε, c = 1, that releases the noisy query, is {written}-private",
        mechanism=svt3,
        domain=THREE,
        neighbours=scores_linf,
        epsilon=epsilon,
        parameters={"noise": discrete_laplace, "epsilon": 1},
        **as_expected(refuted),
        finite_because=SUMS_OF_DENSITIES,
        mutant=svt_without_query_noise,
        sweep=sweep,
    )
    for variant, written, epsilon, refuted, sweep in (
        ("discrete", "ε", Fraction(1), DISCRETE, LONGER),
        ("discrete-three-queries", "3/2·ε", Fraction(3, 2), None, {}),
    )
)
fourth = Claim(
    id="LSL-Alg4.privacy.claimed",
    source=f"{_SOURCE} 4, after Lee & Clifton 2014",
    statement="sparse vector with Lap(4/ε), Lap(4/(3ε)), c = 1, is ε-private",
    mechanism=svt4,
    domain=THREE,
    neighbours=scores_linf,
    epsilon=1,
    expected=REFUTED,
    refutation=OF_THE_STATEMENT,
    mutant=svt_without_query_noise,
)
fourth_corrected = tuple(
    Claim(
        id=f"LSL-Alg4.privacy.corrected{suffix}",
        source=f"{_SOURCE} 4",
        statement=f"sparse vector with Lap(4/ε), Lap(4/(3ε)), c = {count}, is (1 + 6c)/4·ε-private",
        mechanism=svt4,
        domain=THREE,
        neighbours=scores_linf,
        epsilon=Fraction(1 + 6 * count, 4),
        parameters={"epsilon": 1, "count": count},
        **ON_ALL_TRIPLES,
        mutant=svt_without_query_noise,
        stronger=[LONG if count == 1 else LONG_TWICE],
    )
    for suffix, count in (("", 1), ("-twice", 2))
)
fifth = Claim(
    id="LSL-Alg5.privacy.claimed",
    source=f"{_SOURCE} 5, after Stoddard et al. 2014",
    statement="sparse vector with Lap(2/ε) on the threshold and no noise on the queries is ε-private",
    mechanism=svt5,
    domain=TWO,
    neighbours=scores_linf,
    epsilon=1,
    expected=REFUTED,
    refutation=OF_THE_STATEMENT,
    mutant=svt_without_query_noise,
)
sixth = Claim(
    id="LSL-Alg6.privacy.claimed",
    source=f"{_SOURCE} 6, after Chen et al. 2015",
    statement="sparse vector with Lap(2/ε), Lap(2/ε), which never stops, is ε-private",
    mechanism=svt6,
    domain=THREE,
    neighbours=scores_linf,
    epsilon=1,
    expected=REFUTED,
    refutation=OF_THE_STATEMENT,
    mutant=svt_without_query_noise,
    sweep=LONGER,
)
_NUMERICAL: Final = "Ding et al. 2018, NumericalSVT"
numerical_printed = tuple(
    Claim(
        id=f"LSL-Num.privacy.printed{suffix}",
        source=_NUMERICAL,
        statement="sparse vector with Lap(3/ε), Lap(6c/ε), that releases a query above with noise of its own, "
        f"Lap(3c/ε), is ε-private: {where}",
        mechanism=numerical_svt,
        domain=domain,
        neighbours=neighbours,
        epsilon=1,
        parameters=parameters,
        **reach,
        mutant=mutant,
    )
    for suffix, where, domain, neighbours, parameters, mutant, reach in (
        ("", "c = 1, on two queries", TWO, scores_linf, {}, svt_that_releases_what_was_compared, ON_ALL_PAIRS),
        (
            "-three-queries",
            "c = 1, on three",
            THREE_BITS,
            scores_linf,
            {},
            svt_that_releases_what_was_compared,
            ON_ALL_TRIPLES,
        ),
        ("-twice", "c = 2, on two", TWO, scores_linf, {"count": 2}, svt_without_query_noise, ON_ALL_PAIRS),
        (
            "-six-queries",
            "c = 1, on one pair of six queries, all of which move",
            ends_of_runs(6),
            the_other,
            {},
            svt_without_query_noise,
            {"finite_because": ONE_PAIR},
        ),
    )
)
numerical = Claim(
    id="LSL-Num.privacy.released-discrete",
    source="Ding et al. 2018, NumericalSVT",
    statement="sparse vector with Lap(3/ε), Lap(6c/ε), that releases a query above with discrete noise of scale 3c/ε, "
    "is ε-private",
    mechanism=numerical_svt,
    domain=TWO,
    neighbours=scores_linf,
    epsilon=1,
    parameters={"noise": laplace, "released": discrete_laplace},
    **ON_ALL_PAIRS,
    mutant=svt_without_query_noise,
)
numerical_six = Claim(
    id="LSL-Num.privacy.released-discrete-six-queries",
    source="Ding et al. 2018, NumericalSVT",
    statement="sparse vector with Lap(3/ε), Lap(6c/ε), that releases a query above with discrete noise of scale 3c/ε, "
    "is ε-private: on one pair of six queries, all of which move",
    mechanism=numerical_svt,
    domain=ends_of_runs(6),
    neighbours=the_other,
    epsilon=1,
    parameters={"noise": laplace, "released": discrete_laplace},
    finite_because=ONE_PAIR,
    mutant=svt_without_query_noise,
)
below = tuple(
    Claim(
        id=f"LICS20-SVT.privacy.first-below{suffix}",
        source="Barthe et al., LICS 2020, sparse vector",
        statement=f"the position of the first of {domain.solutions} queries below, Lap(2/ε) and Lap(4/ε), is ε-private",
        mechanism=first_below,
        domain=domain,
        neighbours=scores_linf,
        epsilon=epsilon,
        finite_because=MANY_QUERIES,
        mutant=svt_without_query_noise,
        stronger=[just_below(ends_of_runs(8))],
        depth="full" if domain is SIX else "quick",
    )
    for suffix, domain, epsilon in (
        ("", FOUR, Fraction(1, 2)),
        ("-ln2", FOUR, log(2)),
        ("-six-queries", SIX, Fraction(1, 2)),
    )
)
below_twenty_six = Claim(
    id="LICS20-SVT.privacy.first-below-twenty-six-queries",
    source="Barthe et al., LICS 2020, sparse vector",
    statement="the position of the first of 26 queries below, Lap(2/ε) and Lap(4/ε), is ε-private: on pairs, all "
    "queries of which move",
    mechanism=first_below,
    domain=[*ends_of_runs(26), *just_below(ends_of_runs(26))],
    neighbours=of_its_pair,
    epsilon=Fraction(1, 2),
    finite_because=ONE_PAIR,
    mutant=svt_without_query_noise,
)

second_by_default = Claim(
    id="LSL-Alg2.privacy.default",
    source="Lyu, Su & Li 2017, Algorithm 2",
    statement="sparse vector with Lap(2c/ε), drawn anew after each above, and Lap(4c/ε), c = 1, is ε-private",
    mechanism=svt2,
    domain=ScoreSpace(range(-1, 2), solutions=3),
    neighbours=scores_linf,
    epsilon=1,
    **ON_ALL_TRIPLES,
    mutant=svt_without_query_noise,
    stronger=[LONG],
)

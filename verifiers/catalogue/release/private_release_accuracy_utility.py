"""Accuracy of PrivLearn on the rows of (8) of Hardt, Rothblum & Servedio, for several learners: Lemma 4.5 and after."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from math import ceil
from typing import Any, Final, NamedTuple

from dpverify.mechanisms import log
from dpverify.mechanisms.release import release_sizes
from dpverify.mechanisms.release.polynomial_thresholds import examples_for_thresholds
from dpverify.mechanisms.release.private_release import ReleaseSizes
from dpverify.verifiers.catalogue.families import HALF, HRS, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.catalogue.release import private_release_accuracy as accuracy
from dpverify.verifiers.catalogue.release.private_release_privacy import conjunction, parity
from dpverify.verifiers.utility.family import Case, Family, UtilityClaim, least_of

EIGHTH: Final = Fraction(1, 8)


class Learner(NamedTuple):
    """A learner, the examples or questions that it takes, its queries and their number, and whether it asks."""

    learn: Any
    examples: Any
    predicate: Any
    queries: int
    asks: bool
    gamma: Fraction = QUARTER


_LEARNERS: Final = {
    "asks": Learner(accuracy.ask_about_both, lambda n, gamma, beta: 2, accuracy.has_bit, 2, True),
    # a query with a share of γ/2 in G would be sampled too seldom half of the time
    "asks-for-eight": Learner(accuracy.ask_about_eight, lambda n, gamma, beta: 8, accuracy.has_bit, 8, True, EIGHTH),
    # from (1/γ)·ln(|C|/β) for the four labellings of two queries any that is consistent will do
    "labellings": Learner(
        accuracy.EVERY_LABELLING, lambda n, gamma, beta: ceil(log(4 / beta) / gamma), accuracy.has_bit, 2, False
    ),
    "lines": Learner(accuracy.lines_of_two_attributes, partial(examples_for_thresholds, d=2), conjunction, 4, False),
    "sieve": Learner(accuracy.sieve_of_two_bits, lambda n, gamma, beta: 4, parity, 4, True),
}


@lru_cache(maxsize=64)
def sizes(learner: str, beta: Fraction) -> ReleaseSizes:
    """(6), (7) and (8) at α = 1/4, its γ and ε = 1; (7) with 2·b_iter for Theorem 4.10."""
    _, examples, _, queries, evaluation, gamma = _LEARNERS[learner]
    given: dict[str, Any] = {"queries": queries, "examples": examples, "evaluation": evaluation}
    return release_sizes(**given, alpha=QUARTER, beta=beta, gamma=gamma, epsilon=1)


def release_case(
    learner: str,
    shares: tuple[Fraction, ...],
    weights: tuple[Fraction, ...],
    beta: Fraction = QUARTER,
    samples: int | None = None,
    rows: int | None = None,
    **given: Any,
) -> Case:
    """Shares that bits have each, or rows 0, 1, … have, on the rows of (8), or on so many `rows`."""
    how, _, predicate, _, evaluation, gamma = _LEARNERS[learner]
    found = sizes(learner, beta)
    made = accuracy.rows_with_shares if predicate is accuracy.has_bit else accuracy.rows_in_parts
    asked = found.samples if samples is None else samples
    learning = {"weights": weights, "predicate": predicate, "learner": how, "samples": asked, "bound": found.bound}
    numbers = {"alpha": QUARTER, "beta": beta, "gamma": gamma, "epsilon": Fraction(1)}
    database = made(shares, found.rows if rows is None else rows)
    return Case(database, {**learning, "evaluation": evaluation, **numbers, **given})


STEP: Final = Fraction(1, 13)
"""1/(k + 1) for k = ⌈3/α⌉ = 12."""
SHARES: Final = (Fraction(0), 6 * STEP, 6 * STEP + Fraction(2, 3) * Fraction(1, 28), HALF, Fraction(1))
"""None, on a threshold, where ⊥ ends, between two thresholds, and all."""
GS: Final = tuple((1 - second, second) for second in (HALF, Fraction(251, 1000), Fraction(1, 8)))
"""Alike; little more than γ on one query; and γ/2, where it is a toss-up whether step 3(c) ends the run."""


def two_queries(learner: str) -> Iterator[Case]:
    """Pairs of these shares with all G at β = 1/4, and with the second at β = 1/20."""
    for beta, weights in (*((QUARTER, g) for g in GS), (TWENTIETH, GS[1])):
        for shares in product(SHARES, SHARES[1::2]):
            yield release_case(learner, shares, weights, beta)


release = Family(
    accuracy.released, accuracy.is_accurate, lambda case: case.parameters["beta"], accuracy.released_as_printed
)
by_samples = replace(release, mutant=accuracy.released_with_one_sample)
_STEP_4: Final = "with what step 4 of Figure 2 means"
_BEYOND: Final = "noise beyond Γ of Lemma 4.3"
_SELDOM: Final = f"{_BEYOND}, and a query that is sampled too seldom, count as failures"
accuracy_with_evaluation = release(
    "HRS-4.5.utility.two-queries",
    f"{HRS}, Lemma 4.5, {_STEP_4}; {_BEYOND} counts as a failure",
    "on the rows of (8), from the samples of (7), PrivLearn answers all but a share γ of G to within α with "
    "probability ≥ 1 − β; |Q| = 2, a learner that asks for both, α = γ = 1/4, ε = 1, β = 1/4 and 1/20, shares 0, 1, on "
    "a threshold, where ⊥ ends and between thresholds, and 1/2, 251/1000 or γ/2 of G on the second query",
    tuple(two_queries("asks")),
    sharp_in="HRS-4.5.utility.two-queries-fewer-rows",
)
accuracy_with_evaluation_and_all_noise = release(
    "HRS-4.5.utility.two-queries-all-noise",
    f"{HRS}, Lemma 4.5, {_STEP_4}",
    "the same over all noise: a share on a threshold, and one where ⊥ ends, or 1; G = (7/8, 1/8), β = 1/4",
    tuple(release_case("asks", (SHARES[1], SHARES[i]), GS[2], all_noise=True) for i in (2, 4)),
    sharp_in="HRS-4.5.utility.two-queries-fewer-rows",
    depth="report",
)
accuracy_by_samples = by_samples(
    "HRS-4.10.utility.two-queries",
    f"{HRS}, Theorem 4.10, {_STEP_4}; {_BEYOND} counts as a failure",
    "the same for b_total = 2·b_iter and the labelling with the fewest errors, from examples alone",
    tuple(two_queries("labellings")),
    sharpness=least_of(
        "samples b_iter, |Q| = 2, α = γ = β = 1/4, ε = 1",
        sizes("labellings", QUARTER).samples,
        lambda m: (release_case("labellings", (SHARES[1], SHARES[4]), weights, samples=m) for weights in GS[:2]),
        whatever_epsilon=True,
    ),
)
ALIKE: Final = (QUARTER,) * 4
PARTS: Final = (
    ALIKE,
    (Fraction(0), Fraction(0), Fraction(0), Fraction(1)),
    (Fraction(1), Fraction(0), Fraction(0), Fraction(0)),
    (6 * STEP, STEP, Fraction(0), 6 * STEP),
    (HALF, Fraction(0), HALF, Fraction(0)),
    (TENTH, Fraction(1, 5), Fraction(3, 10), Fraction(2, 5)),
)
"""Shares of the rows 00, 01, 10 and 11."""


def of_parts(learner: str, beta: Fraction, rows: int | None = None) -> Iterator[Case]:
    """The six databases, of so many rows; of those of (8) where nothing is said."""
    return (release_case(learner, parts, ALIKE, beta, rows=rows) for parts in PARTS)


_UNIFORM: Final = (
    "all but a share γ of them to within α, with probability ≥ 1 − β; G uniform, α = γ = 1/4, ε = 1, β = 1/4 and 1/20, "
    "six databases"
)
conjunctions = release(
    "HRS-5.1.utility.two-attributes",
    f"{HRS}, Theorem 5.1, by Theorems 4.10 and 5.10, with constants of ours in the latter; {_SELDOM}",
    f"PrivLearn by linear programming answers the conjunctions of two attributes, {_UNIFORM}",
    tuple(case for beta in (QUARTER, TWENTIETH) for case in of_parts("lines", beta)),
    sharp_in="HRS-5.1.utility.two-attributes-fewer-rows",
)
parities = release(
    "HRS-6.1.utility.two-bits",
    f"{HRS}, Theorem 6.1, by Theorems 3.9 and 6.2, for a sieve that asks for all queries; {_SELDOM}",
    f"PrivLearn by the sieve answers the parities of two bits, {_UNIFORM}",
    tuple(case for beta in (QUARTER, TWENTIETH) for case in of_parts("sieve", beta)),
    sharp_in="HRS-6.1.utility.two-bits-fewer-rows",
)

# Eight queries, of which all are asked, and on how few rows noise is within Γ of the proof but with probability β.
EIGHT: Final = (EIGHTH,) * 8
OF_EIGHT: Final = (
    (SHARES[0],) * 8,
    (SHARES[1], *(SHARES[0],) * 3, *(SHARES[4],) * 4),
    (SHARES[1], SHARES[2], SHARES[3], SHARES[0], SHARES[4], SHARES[0], SHARES[4], SHARES[3]),
)


def of_eight(rows: int | None = None) -> Iterator[Case]:
    """Three databases of so many rows; of those of (8) where nothing is said."""
    return (release_case("asks-for-eight", shares, EIGHT, rows=rows) for shares in OF_EIGHT)


accuracy_of_eight = release(
    "HRS-4.5.utility.eight-queries",
    f"{HRS}, Lemma 4.5, {_STEP_4}; {_SELDOM}",
    "on the rows of (8), from the samples of (7), PrivLearn answers all but a share γ of eight queries to within α "
    "with probability ≥ 1 − β; a learner that asks for all, G uniform, α = β = 1/4, γ = 1/8, ε = 1, shares 0, 1, on a "
    "threshold, where ⊥ ends and between thresholds",
    tuple(of_eight()),
    sharpness=least_of("rows, |Q| = 8, α = β = 1/4, γ = 1/8, ε = 1", sizes("asks-for-eight", QUARTER).rows, of_eight),
    sharp_in="HRS-4.5.utility.eight-queries-fewer-rows",
)


def _on_fewer(claim: UtilityClaim, name: str, rows: int, cases: Callable[[int], Iterable[Case]]) -> UtilityClaim:
    """The claim, at β = 1/4, on so few rows that noise beyond Γ, which its proof counts as a failure, uses β up."""
    words = (
        f"{name}, on {rows:,} rows: event Γ of the proof fails with about β = 1/4, by which accuracy may be lost or "
        "not; how few rows are enough for it is not said"
    )
    own: dict[str, Any] = {"sharpness": None, "sharp_in": ""}
    return replace(claim, id=f"{claim.id}-fewer-rows", statement=words, cases=tuple(cases(rows)), **own)


_LITTLE_MORE: Final = ((SHARES[1], SHARES[2]), (SHARES[1], SHARES[4]), (SHARES[0], SHARES[3]))
_AS_IN: Final = "PrivLearn as in"
fewer_rows = (
    _on_fewer(accuracy_of_eight, "the same as HRS-4.5.utility.eight-queries", 244_300_000, of_eight),
    _on_fewer(
        accuracy_with_evaluation,
        f"{_AS_IN} HRS-4.5.utility.two-queries, 251/1000 of G on the second query",
        18_400_000,
        lambda rows: (release_case("asks", shares, GS[1], rows=rows) for shares in _LITTLE_MORE),
    ),
    _on_fewer(
        conjunctions, f"{_AS_IN} HRS-5.1.utility.two-attributes", 14_500_000_000, partial(of_parts, "lines", QUARTER)
    ),
    _on_fewer(parities, f"{_AS_IN} HRS-6.1.utility.two-bits", 48_750_000, partial(of_parts, "sieve", QUARTER)),
)

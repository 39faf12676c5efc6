"""Utility of learning thresholds as majorities of parities: Theorems 6.2 and 6.4 of Hardt, Rothblum & Servedio."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import cycle
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Draw, exact, log
from dpverify.mechanisms.learners import Parity
from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.release import Conjunction, learn_low_weight_parities, learn_majority_of_parities
from dpverify.mechanisms.release.chebyshev import least_count
from dpverify.mechanisms.release.majority_of_parities import MajorityOfParities
from dpverify.mechanisms.selection import Bottom
from dpverify.verifiers.catalogue.corners import JUST, claimed_beta, is_within_alpha, turned
from dpverify.verifiers.catalogue.families import HALF, HRS, QUARTER, THIRD
from dpverify.verifiers.catalogue.release.polynomials.thresholds_of_conjunctions import databases
from dpverify.verifiers.catalogue.release.private_release_accuracy import NO_DRAW
from dpverify.verifiers.utility.family import Case, Family, as_named, least_of, weakened
from dpverify.verifiers.utility.pac import Population, numbers_of_each

GAMMA: Final = Fraction(1, 5)
BETA: Final = Fraction(1, 4)
QUERIES: Final = range(4)
"""Those of two bits."""


def distributions() -> Iterator[tuple[Fraction, ...]]:
    """Uniform; with a query that is never asked; half, and a little more than γ, on one; (2/γ)-smooth are they all."""
    yield (QUARTER,) * 4
    for q in QUERIES:
        yield tuple(Fraction(0) if other == q else THIRD for other in QUERIES)
        for heavy in (HALF, GAMMA + JUST):
            yield tuple(heavy if other == q else (1 - heavy) / 3 for other in QUERIES)


def labels_of(rows: tuple[int, ...], least: int, predicate: type[Parity] | type[Conjunction]) -> tuple[int, ...]:
    """1 for each query of two bits that at least so many of the rows satisfy, and 0 for the others."""
    return tuple(int(sum(predicate(q)(row) for row in rows) >= least) for q in QUERIES)


# Theorem 6.2: the sieve, on parities.
def sieved(
    draw: Draw, population: Population, *, n: int, t: Fraction, c: Fraction, rounds: int | None = None
) -> MajorityOfParities:
    """The sieve's hypothesis with approximate evaluation access, (c·G[q], label) or (0, ⊥), from all four queries."""
    return sieved_at_most(population, n, t, c, rounds)


@lru_cache(maxsize=1 << 11)
def sieved_at_most(population: Population, n: int, t: Fraction, c: Fraction, rounds: int | None) -> MajorityOfParities:
    """The same, which draws nothing."""
    given: dict[str, Any] = {"n": n, "t": t, "gamma": GAMMA, "beta": BETA, "d": 2, "rounds": rounds}

    def ask(q: int) -> tuple[Any, Any]:
        (_, label), share = population[q]
        return (c * share, label) if share else (0, Bottom.BOTTOM)

    return learn_majority_of_parities(NO_DRAW, (), ask, **given)


sieve = Family(
    sieved,
    is_within_alpha,
    lambda case: ZERO,
    weakened("sieved_in_one_round", sieved, rounds=1),  # a single parity
)(
    "HRS-6.2.utility.learns",
    f"{HRS}, Theorem 6.2, for a sieve whose sums are over all queries, of which it asks for each once",
    "with approximate G-restricted evaluation access the sieve finds a majority of parities with error ≤ γ, "
    "for certain; two bits, all D of up to two rows, all t > 0, γ = 1/5, thirteen G in the 2/γ-smooth extension of the "
    "uniform one, c = 1/3 or 3",
    tuple(
        Case(
            tuple(zip(enumerate(labels_of(rows, least_count(len(rows), t), Parity)), g, strict=True)),
            {"n": len(rows), "t": t, "c": c},
            {"alpha": GAMMA},
        )
        for rows in databases(2, 2)
        for t in (Fraction(least, len(rows)) for least in range(1, len(rows) + 1))
        for g, c in zip(distributions(), cycle((Fraction(3), THIRD)))
    ),
)


def sieved_by_samples(draw: Draw, population: Population, *, size: int, samples: int) -> MajorityOfParities:
    """The hypothesis of the sieve for one bit, from so many examples and pairs of queries, all of them drawn."""
    numbers = draw(numbers_of_each(population, size))
    examples = tuple(example for (example, _), n in zip(population, numbers, strict=True) for _ in range(n))
    answers = {q: (share, label) for (q, label), share in population}
    given: dict[str, Any] = {"n": 1, "t": 1, "gamma": GAMMA, "beta": BETA, "d": 1}
    return learn_majority_of_parities(draw, examples, answers.__getitem__, samples=samples, **given)


sieve_by_samples = Family(
    sieved_by_samples,
    is_within_alpha,
    claimed_beta,
    as_named(
        "sieved_by_a_wrong_example",
        "From one example, with 0 and 1 exchanged in all labels that it is given or asks for.",
        lambda draw, population, **given: sieved_by_samples(draw, turned(population), **{**given, "size": 1}),
    ),
)(
    "HRS-6.2.utility.learns-by-samples",
    f"{HRS}, Theorem 6.2, with numbers of ours, far below those that the proof gives",
    "from 8 labelled queries, and 2 pairs of queries that it asks for, the sieve finds an error ≤ γ with "
    "probability ≥ 1 − β; one bit, D a row that has it, t = 1, γ = 1/5, β = 1/4, half or a quarter of G on the query 1",
    tuple(
        Case((((0, 0), share), ((1, 1), 1 - share)), {"size": 8, "samples": 2}, {"alpha": GAMMA, "beta": BETA})
        for share in (HALF, Fraction(3, 4))
    ),
)

# Theorem 6.4: parities of low weight, on conjunctions.
_EXAMPLES: Final = ceil(log(16 / exact(BETA)) / GAMMA)
"""(1/γ)·ln(16/β), for the sixteen functions of two bits: from so many any that is consistent will do."""


def low_weight(draw: Draw, population: Population, *, size: int, rounds: int | None = None) -> MajorityOfParities:
    """The result of boosting all parities of two bits on so many independent examples, in any order."""
    numbers = draw(numbers_of_each(population, size))
    possible = [example for example, share in population if share]
    return boosted(tuple((example, n) for example, n in zip(possible, numbers, strict=True) if n), rounds)


@lru_cache(maxsize=1 << 15)  # many populations have the same samples
def boosted(seen: tuple[tuple[tuple[int, int], int], ...], rounds: int | None) -> MajorityOfParities:
    """The result of boosting; each function of two bits is a majority of three parities, or fewer."""
    examples = tuple(example for example, n in seen for _ in range(n))
    given: dict[str, Any] = {"n": 1, "t": 1, "gamma": GAMMA, "beta": BETA, "d": 2, "weight": 2}
    return learn_low_weight_parities(None, examples, None, edge=THIRD, rounds=rounds, **given)


def labelled(labels: Iterable[int], g: tuple[Fraction, ...], size: int) -> Case:
    """The queries with these labels, distributed as G says, of which so many are seen."""
    return Case(tuple(zip(enumerate(labels), g, strict=True)), {"size": size}, {"alpha": GAMMA, "beta": BETA})


def bare_row(size: int, *, on_three: bool = False) -> Iterator[Case]:
    """A row that has no attribute: the labels 1, 0, 0, 0, with G uniform, or on three of the queries alike."""
    for g in distributions():
        if len(set(g)) == 1 if not on_three else 0 in g:
            yield labelled((1, 0, 0, 0), g, size)


_SOURCE: Final = f"{HRS}, Theorem 6.4, with constants of ours, for the circuits of depth 1 that are conjunctions"
boosting = Family(low_weight, is_within_alpha, claimed_beta, weakened("low_weight_in_one_round", low_weight, rounds=1))
low_weight_learns_on_three = replace(boosting, mutant=weakened("low_weight_from_two", low_weight, size=2))(
    "HRS-6.4.utility.learns-on-three",
    _SOURCE,
    "from m ≥ (1/γ)·ln(16/β) labelled queries boosting of parities finds an error ≤ γ with probability "
    "≥ 1 − β; two attributes, D a row with none, t = 1, γ = 1/5, β = 1/4, three queries alike, without 0 or without 1",
    tuple(bare_row(_EXAMPLES, on_three=True))[:2],
)
low_weight_learns = boosting(
    "HRS-6.4.utility.learns",
    _SOURCE,
    "the same for all D of up to two rows, all t > 0, and thirteen G in the 2/γ-smooth extension of the uniform one",
    tuple(
        labelled(labels, g, _EXAMPLES)
        for labels in sorted({labels_of(rows, n, Conjunction) for rows in databases(2, 2) for n in (1, 2)[: len(rows)]})
        for g in distributions()
    ),
    depth="report",
    sharpness=least_of(
        "labelled queries, two attributes, a row with none, G uniform, γ = 1/5, β = 1/4", _EXAMPLES, bare_row, ours=True
    ),
)

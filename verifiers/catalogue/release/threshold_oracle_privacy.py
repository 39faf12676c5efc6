"""Privacy of the threshold oracle: Figure 1 of Hardt, Rothblum & Servedio."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, symbolic
from dpverify.mechanisms.release.threshold_oracle import Answer, ThresholdOracle, threshold_answers
from dpverify.mechanisms.selection import Bottom
from dpverify.verifiers import Tuples
from dpverify.verifiers.catalogue.families import HALF, TENTH, of_its_pair, the_other
from dpverify.verifiers.catalogue.finite import ONE_PAIR
from dpverify.verifiers.catalogue.mutants import for_one_query
from dpverify.verifiers.privacy.family import EveryDatabase, Row, family

TEN_ROWS: Final = [(0,) * 10, (*(0,) * 9, 1)]
"""Neighbours whose counts of 0 and of 1 a threshold can tell apart at either end, where an answer needs all its ε."""
NONE_OR_ONE: Final = [(1,) * 10, (0, *(1,) * 9)]
"""Neighbours whose counts of 0, none and one of ten, are told apart without noise."""


def is_0(row: int) -> int:
    """1 where the row is 0."""
    return int(row == 0)


def is_1(row: int) -> int:
    """1 where the row is 1."""
    return int(row == 1)


def is_positive(row: int) -> int:
    """1 where the row is above 0."""
    return int(row > 0)


def is_not_0(row: int) -> int:
    """1 where the row is another one than 0."""
    return int(row != 0)


def answers(draw: Draw, rows: Sequence[int], *, epsilon: Exact, **given: Any) -> tuple[Answer, ...]:
    """Some predicates and a threshold each."""
    return threshold_answers(draw, rows, epsilon=epsilon, **given)


def answers_without_noise_beyond_the_bound(
    draw: Draw, rows: Sequence[int], *, queries: Any, bound: int, epsilon: Exact, **given: Any
) -> tuple[Answer, ...]:
    """Mutant: once its queries are spent, the oracle answers exactly instead of ⊥."""
    within = threshold_answers(draw, rows, queries=queries[:bound], bound=bound, epsilon=epsilon, **given)
    return (*within, *(int(sum(map(query, rows)) >= share * len(rows)) for query, share in queries[bound:]))


def bisected(draw: Draw, rows: Sequence[int], *, epsilon: Exact, alpha: Fraction, bound: int) -> tuple[Answer, ...]:
    """An adaptive search: the next threshold for one predicate lies on the side that the last answer gives."""
    oracle = ThresholdOracle(draw, rows, alpha=alpha, bound=bound, epsilon=epsilon)
    found: list[Answer] = []
    low, high = Fraction(0), Fraction(1)
    for _ in range(bound):
        middle = (low + high) / 2
        found.append(oracle(is_0, middle))
        if found[-1] is Bottom.BOTTOM:
            break
        low, high = (middle, high) if found[-1] else (low, middle)
    return tuple(found)


def bisected_without_the_bound(draw: Draw, rows: Sequence[int], *, epsilon: Exact, alpha: Fraction, bound: int) -> Any:
    """Mutant: four times the ε."""
    return bisected(draw, rows, epsilon=4 * bound * epsilon, alpha=alpha, bound=bound)


oracle = family(
    Row("HRS-Fig1.privacy.")
    .having(source="Hardt, Rothblum & Servedio, Figure 1 and Lemma 4.1", mechanism=answers, epsilon=symbolic)
    .having(mutant=for_one_query(answers))
    .run_with(alpha=TENTH),
    Row("every-epsilon")
    .says(
        "the threshold oracle, α = 1/10, is ε-private for three predicates, one of them with two thresholds, for every "
        "ε"
    )
    .having(domain=Tuples(range(3), size=3), all_sizes=EveryDatabase(range(3)), stronger=[TEN_ROWS])
    .run_with(queries=((is_0, HALF), (is_positive, HALF), (is_1, Fraction(1, 3)), (is_0, Fraction(1, 4))), bound=4),
    Row("adaptive-every-epsilon")
    .says(
        "a search by the threshold oracle, α = 1/10, for the share of one predicate, with three thresholds chosen one "
        "after another, is ε-private, for every ε"
    )
    .having(mechanism=bisected, domain=Tuples(range(2), size=4), all_sizes=EveryDatabase(range(2)))
    .having(mutant=bisected_without_the_bound)
    .run_with(bound=3),
    Row("more-queries-than-its-bound-every-epsilon")
    .says(
        "the threshold oracle, α = 1/10, b = 2, is ε-private where it is asked three queries, the thresholds of which "
        "the counts of ten rows pass, for every ε"
    )
    .having(domain=[*TEN_ROWS, *NONE_OR_ONE], neighbours=of_its_pair, finite_because=ONE_PAIR)
    .run_with(queries=((is_0, TENTH), (is_1, 1 - TENTH), (is_not_0, 1 - TENTH)), bound=2),
    Row("three-times-its-bound")
    .says(
        "the threshold oracle, α = 1/10, b = 1, is ε-private where it is asked for three thresholds, and the count of "
        "ten rows passes those for which no query is left"
    )
    .having(domain=TEN_ROWS, neighbours=the_other, epsilon=1, finite_because=ONE_PAIR)
    .having(mutant=answers_without_noise_beyond_the_bound)
    .run_with(queries=((is_1, TENTH), (is_1, TENTH / 2), (is_1, TENTH / 3)), bound=1),
)

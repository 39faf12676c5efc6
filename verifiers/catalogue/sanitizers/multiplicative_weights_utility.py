"""Usefulness of private multiplicative weights: all answers within α·m, exactly, at the rows that noise asks for."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.sanitizers.concepts import Concept, points
from dpverify.mechanisms.sanitizers.multiplicative_weights import multiplicative_weights, rows_for_weights
from dpverify.verifiers.catalogue.sanitizers.small_databases_utility import expanded
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

_SOURCE: Final = (
    "Hardt & Rothblum (2010), cited for Theorem 2.19 of Bun, Nissim & Stemmer, whose formula is lost: constants of ours"
)
ALPHA: Final = Fraction(1, 4)
BETA: Final = Fraction(1, 20)


def answers_are_close(
    draw: Draw, rows: Sequence[int], *, concepts: Sequence[Concept], alpha: Fraction, **given: Any
) -> bool:
    """True where all answers are within α·m."""
    answers = multiplicative_weights(draw, rows, concepts=concepts, alpha=alpha, **given)
    off = alpha * len(rows)
    return all(abs(sum(map(c, rows)) - answer) <= off for c, answer in zip(concepts, answers, strict=True))


def close_at_a_tenth(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike, **given: Any) -> bool:
    """A tenth of the ε."""
    return answers_are_close(draw, rows, epsilon=exact(epsilon) / 10, **given)


def at_the_least_rate(draw: Draw, rows: Sequence[int], *, rate: Fraction, **given: Any) -> bool:
    """Learns next to nothing."""
    return answers_are_close(draw, rows, rate=rate / 1000, **given)


def _case(shares: tuple[int, ...], m: int, **more: Any) -> Case:
    """m rows with these shares of the points, at ε = 1; as many updates as there are concepts, a point each."""
    d = len(shares).bit_length() - 1
    given = {"universe": tuple(range(1 << d)), "concepts": points(d), "updates": 1 << d}
    return Case(expanded(shares, m), {**given, "alpha": ALPHA, "epsilon": Fraction(1), **more}, {"beta": BETA})


def _rows(points_there: int) -> int:
    return rows_for_weights(concepts=points_there, updates=points_there, alpha=ALPHA, beta=BETA, epsilon=1)


_ONE_POINT: Final = (1, 0, 0, 0)

rows = UtilityClaim(
    id="BuNS-2.19.utility.rows",
    source=_SOURCE,
    statement="for m ≥ (48/(αε₀))·ln((k + 2c)/β) rows all answers of private multiplicative weights are within α·m "
    "with probability ≥ 1 − β: the k points of a universe, an update for each, α = 1/4, β = 1/20, ε = 1",
    mechanism=answers_are_close,
    succeeds=lambda case, close: close,
    beta=lambda case: case.facts["beta"],
    cases=tuple(_case(shares, _rows(len(shares))) for shares in ((1, 0), (3, 1), _ONE_POINT)),
    mutant=close_at_a_tenth,
    sharp_in="BuNS-2.19.utility.fewer-rows",
)
fewer_rows = UtilityClaim(
    id="BuNS-2.19.utility.fewer-rows",
    source=_SOURCE,
    statement="for 909 rows on one of four points all answers of private multiplicative weights are within α·m "
    "with probability ≥ 1 − β, α = 1/4, β = 1/20, ε = 1: a fifth of what the noise of all steps together asks for",
    mechanism=answers_are_close,
    succeeds=lambda case, close: close,
    beta=lambda case: case.facts["beta"],
    cases=(_case(_ONE_POINT, 909),),
    mutant=close_at_a_tenth,
)
learning = UtilityClaim(
    id="BuNS-2.19.utility.each-concept-twice",
    source=_SOURCE,
    statement="where the law learns at the rate 9/10, two updates are enough for 120 rows on the first of four points "
    "and eight answers, each concept twice: all within α·m with probability ≥ 1 − β, α = 1/4, β = 1/20, ε = 1",
    mechanism=answers_are_close,
    succeeds=lambda case, close: close,
    beta=lambda case: case.facts["beta"],
    cases=(_case(_ONE_POINT, 120, concepts=points(2) * 2, updates=2, rate=Fraction(9, 10)),),
    mutant=at_the_least_rate,
)

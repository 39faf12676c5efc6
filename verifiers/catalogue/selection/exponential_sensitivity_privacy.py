"""Privacy of the exponential mechanism where qualities are not of sensitivity 1: BuNS, Proposition 3.8(1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from operator import add
from typing import Any

from dpverify.mechanisms import Draw, Exact, exponential, symbolic
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers import ScoreSpace
from dpverify.verifiers.catalogue.finite import ANOTHER_SENSITIVITY
from dpverify.verifiers.privacy.family import Row, family
from dpverify.verifiers.questions.moves import NeighbourRelation


def exponential_at_half_the_sensitivity(
    draw: Draw, quality: Sequence[Any], *, epsilon: Exact, sensitivity: Fraction
) -> Any:
    """Mutant: half of the sensitivity in the exponent."""
    return exponential(quality, epsilon, sensitivity=sensitivity / 2)


def in_steps(step: Fraction) -> list[tuple[Fraction, ...]]:
    """The qualities of three solutions from 0 to 4 steps."""
    return [tuple(step * score for score in scores) for scores in ScoreSpace(range(5), solutions=3)]


def moved_by(sensitivity: Fraction, step: Fraction) -> NeighbourRelation:
    """The neighbours of qualities of that sensitivity, in steps: each quality moves by at most that."""
    moves = [step * i for i in range(-int(sensitivity / step), int(sensitivity / step) + 1)]

    def neighbours(quality: tuple[Fraction, ...]) -> Iterator[tuple[Fraction, ...]]:
        for by in product(moves, repeat=len(quality)):
            if any(by):
                yield tuple(map(add, quality, by))

    return neighbours


def _sensitivity(name: str, sensitivity: Fraction, step: Fraction) -> Row:
    relation, parameters = moved_by(sensitivity, step), {"sensitivity": sensitivity}
    return Row(name, str(sensitivity)).having(domain=in_steps(step), neighbours=relation, parameters=parameters)


of_sensitivity = family(
    Row("BuNS-3.8.privacy.sensitivity-{}-every-epsilon")
    .says(
        "the exponential mechanism for qualities of sensitivity Δ = {}, which draws h with probability proportional to "
        "exp(ε·q(h)/(2Δ)), is ε-private, for every ε"
    )
    .having(mechanism=exponential_mechanism, epsilon=symbolic, source="Bun, Nissim & Stemmer, Proposition 3.8(1)")
    .having(finite_because=ANOTHER_SENSITIVITY, mutant=exponential_at_half_the_sensitivity),
    _sensitivity("two", Fraction(2), Fraction(1)),
    _sensitivity("half", Fraction(1, 2), Fraction(1, 2)),
)

"""Privacy of the exponential mechanism where qualities are not of sensitivity 1: BuNS, Proposition 3.8(1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from operator import add
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.exponential_mechanism import exponential, exponential_mechanism
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.families import at_every_epsilon
from dpverify.verifiers.catalogue.finite import ANOTHER_SENSITIVITY
from dpverify.verifiers.questions.moves import NeighbourRelation
from dpverify.verifiers.questions.score_domains import ScoreSpace

_BUNS: Final = "Bun, Nissim & Stemmer"


def exponential_at_half_the_sensitivity(
    draw: Draw, quality: Sequence[Any], *, epsilon: Exact, sensitivity: Fraction
) -> Distribution[Any]:
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


of_sensitivity = tuple(
    at_every_epsilon(
        "BuNS-3.8",
        variant=f"sensitivity-{name}-",
        source=f"{_BUNS}, Proposition 3.8(1)",
        statement=f"the exponential mechanism for qualities of sensitivity Δ = {sensitivity}, which draws h with "
        "probability proportional to exp(ε·q(h)/(2Δ)), is ε-private, for every ε",
        mechanism=exponential_mechanism,
        domain=in_steps(step),
        neighbours=moved_by(sensitivity, step),
        epsilon=symbolic,
        parameters={"sensitivity": sensitivity},
        finite_because=ANOTHER_SENSITIVITY,
        mutant=exponential_at_half_the_sensitivity,
    )
    for name, sensitivity, step in (
        ("two", Fraction(2), Fraction(1)),
        ("half", Fraction(1, 2), Fraction(1, 2)),
    )
)

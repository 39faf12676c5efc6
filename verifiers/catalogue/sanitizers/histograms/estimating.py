"""Hard instances in which a database is to be estimated for a class of concepts: sanitizers, proper or improper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.packings import (
    EstimatedShares,
    estimates,
    is_close,
    shared_estimate,
    shares,
)
from dpverify.verifiers.lower_bounds.instance import HardInstance
from dpverify.verifiers.lower_bounds.statement import Law


def sanitizing(databases: Sequence[tuple[int, ...]], concepts: Sequence[Concept], alpha: Fraction) -> HardInstance:
    """To answer with an estimate that is α-close to the database: any at all, by a sanitizer proper or improper."""
    truth = {tuple(sorted(rows)): shares(rows, concepts) for rows in databases}  # whatever the order of the rows is
    return HardInstance(
        databases=databases,
        outcomes=estimates(tuple(truth.values()), alpha),
        succeeds=lambda rows, estimate: is_close(estimate, truth[tuple(sorted(rows))], alpha),
    )


def none_close_to_two(databases: Sequence[tuple[int, ...]], concepts: Sequence[Concept], alpha: Fraction) -> str | None:
    """Whether the sets of estimates that are α-close to a database are disjoint."""
    pair = shared_estimate([shares(rows, concepts) for rows in databases], alpha)
    return (
        None if pair is None else f"one estimate is {alpha}-close to both {databases[pair[0]]} and {databases[pair[1]]}"
    )


def estimating(sanitizer: Callable[[Any], Distribution[Any]], concepts: Sequence[Concept]) -> Law:
    """The estimates that follow from a sanitized database: its shares of the concepts."""

    def law(rows: Any) -> Distribution[EstimatedShares]:
        chances: dict[EstimatedShares, Any] = {}
        for sanitized, probability in sanitizer(rows).probabilities.items():
            estimate = shares(sanitized, concepts)
            chances[estimate] = chances.get(estimate, 0) + probability
        return Distribution(chances)

    return law

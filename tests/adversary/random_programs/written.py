"""A program as source, with its databases, its pairs of neighbours, and e^ε."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.adversary.oracles.oracle import Chance, Law
from tests.adversary.oracles.paths import EPSILON, compiled, law_of, names

Pair = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class Written:
    """What `Subject` is of programs in a language of their own."""

    source: str
    domain: tuple[Any, ...]
    pairs: Sequence[Pair]
    base: Fraction
    seed: str
    given: dict[str, Any] = field(default_factory=dict)
    """Names of its own that it may use, beside those of noises."""

    @property
    def chance(self) -> Chance:
        """As of `Subject`."""
        return Chance(self.base, 0, True)

    def neighbours(self) -> list[Pair]:
        """The ordered pairs."""
        return list(self.pairs)

    def laws(self) -> list[Law]:
        """The laws on the databases, in order, by the oracle. Raises `Irrational` and `NotHere`."""
        mechanism = self.mechanism
        return [law_of(mechanism, rows, self.base, epsilon=EPSILON) for rows in self.domain]

    @property
    def mechanism(self) -> Callable[..., Any]:
        """As the oracle runs it."""
        return compiled(self.source, {**names(self.base), **self.given})

    def __str__(self) -> str:
        return self.source


def one_differs(domain: Sequence[tuple[Any, ...]]) -> list[Pair]:
    """The ordered pairs of tuples that differ in one place."""
    return [
        (left, right)
        for left in domain
        for right in domain
        if len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) == 1
    ]

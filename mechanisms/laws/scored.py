"""Choices among solutions by their scores, whose chances are computed where somebody asks for them.

A mechanism makes such a choice on every database of a domain, and few of them are looked at one by one: the laws of one
rule on the same solutions are computed together, once for each pattern of scores (see `law_arrays`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from dpverify.mechanisms.functions.outcomes import are_plain
from dpverify.mechanisms.laws.distributions import AtShare, Distribution
from dpverify.mechanisms.numbers.exact_numbers import Exact

Blocks: TypeAlias = tuple[tuple[Sequence[Any], Exact], ...]

RationalScore: TypeAlias = int | Fraction


class Rule(ABC):
    """A way to make weights of scores by their differences alone: they move along where scores change their places."""

    @abstractmethod
    def blocks(self, solutions: Sequence[Any], scores: Sequence[RationalScore]) -> Blocks:
        """Groups of solutions, each with the weight > 0 that every one of them has."""

    @abstractmethod
    def at_share(self, solutions: Sequence[Any], scores: Sequence[RationalScore], share: Fraction) -> Distribution[Any]:
        """The choice with a share ≥ 0 of its noise."""


class Solutions:
    """The solutions of choices, in order. Whoever makes choices from the same objects has one of it for all of them."""

    __slots__ = ("are_plain", "listed")

    def __init__(self, listed: Sequence[Any]) -> None:
        self.listed = listed
        self.are_plain: bool = are_plain(listed)
        """See `outcomes`."""


class Scored(Distribution[Any]):
    """The choice that a rule makes among solutions, each with its score."""

    __slots__ = ("_like", "rule", "scores", "solutions")

    def __init__(
        self, solutions: Solutions, scores: Sequence[RationalScore], rule: Rule, like: Distribution[Any] | None = None
    ) -> None:
        self.solutions = solutions
        self.scores = scores
        self.rule = rule
        self._like = like

    @property
    def is_untouched(self) -> bool:
        """True where nothing of it was computed, nor put beside it: it is what solutions, scores and rule say."""
        return not self.__dict__

    @property
    def at_share(self) -> AtShare | None:  # type: ignore[override]
        """See `Distribution`."""
        return self._at_share

    def _at_share(self, share: Fraction) -> Distribution[Any]:
        return self.rule.at_share(self.solutions.listed, self.scores, share)

    def once_more(self) -> Distribution[Any]:
        """See `Distribution`."""
        return Scored(self.solutions, self.scores, self.rule, like=self)

    @cached_property
    def _blocks(self) -> Blocks:
        return self.rule.blocks(self.solutions.listed, self.scores) if self._like is None else self._like.blocks

    @property
    def size(self) -> int:
        """See `Distribution`."""
        return len(self.scores)

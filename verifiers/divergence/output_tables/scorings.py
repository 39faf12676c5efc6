"""Scorings of mechanisms that state them: what they hand to a rule that goes by the differences of scores alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dpverify.mechanisms.counting.qualities import OfCounts, Score
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.selection.by_quality import Selection
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces


@dataclass(frozen=True)
class Scoring:
    """The scores that a mechanism hands to a rule that goes by differences of scores alone."""

    rule: Mechanism
    in_any_order: bool
    """True where the rule's law moves along with scores that change their places: no tie is broken by them."""
    selection: Selection | None
    """Score function of solutions; None where the database is the scores."""

    def scores(self, database: Any) -> tuple[Score, ...]:
        """The score of each solution."""
        assert self.selection is not None, "the database is the scores"
        return self.selection.scores(database)

    @property
    def of_counts(self) -> OfCounts | None:
        """A function that scores the solutions of many databases at once; None where nothing does."""
        quality = None if self.selection is None else self.selection.quality
        return quality if type(quality) is OfCounts else None


def scoring_of(mechanism: Mechanism, parameters: Mapping[str, Any]) -> Scoring | None:
    """The scoring of a mechanism; None for one that does not say so, or whose rule goes by more than differences."""
    selection = mechanism if type(mechanism) is Selection else None
    rule = mechanism if selection is None else selection.rule
    for known, in_any_order in _BY_DIFFERENCES:
        if rule is known:
            return Scoring(rule, in_any_order(parameters), selection)
    return None


def _always(_: Mapping[str, Any]) -> bool:
    return True


def _with_continuous_noise(parameters: Mapping[str, Any]) -> bool:
    return parameters.get("noise", laplace) is laplace  # of discrete noise the first of equals wins


_BY_DIFFERENCES: Final[tuple[tuple[Mechanism, Callable[[Mapping[str, Any]], bool]], ...]] = (
    (exponential_mechanism, _always),
    (max_of_laplaces, _with_continuous_noise),
)
"""The rules whose law is in closed form and goes by the differences of scores, and whether in any order."""

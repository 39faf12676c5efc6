"""Selection by a quality function: a mechanism that says so, and whose laws are found for many databases at once.

A function that scores solutions and draws one could do anything else besides. A `Selection` cannot: it scores every
solution by the quality function, and hands the scores to a rule. What a law is computed from is what runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.shown import shown, told
from dpverify.mechanisms.laws.mechanism import Draw, MadeOf, Mechanism
from dpverify.mechanisms.laws.noise import laplace
from dpverify.mechanisms.selection.exponential_mechanism import Score, exponential_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces


@dataclass(frozen=True, init=False)
class Selection(MadeOf):
    """The mechanism that draws one of `solutions` by their quality(database, solution), by `rule`.

    `rule` is a mechanism whose database is a quality, such as `exponential_mechanism`, the default, whose parameters
    the mechanism has. Raises `InputError` where there is no solution, one occurs twice, or what should be a function
    is none.
    """

    quality: Callable[[Any, Any], Score]
    solutions: tuple[Hashable, ...]
    rule: Mechanism

    def __init__(
        self,
        quality: Callable[[Any, Any], Score],
        solutions: Iterable[Hashable],
        rule: Mechanism = exponential_mechanism,
    ) -> None:
        for name, function in (("quality", quality), ("rule", rule)):
            if not callable(function):
                raise InputError(f"{name}={shown(function)} is not a function")
        object.__setattr__(self, "quality", quality)
        object.__setattr__(self, "solutions", _distinct(solutions))
        object.__setattr__(self, "rule", rule)

    def __call__(self, draw: Draw, database: Any, **parameters: Any) -> Any:
        """A solution, by the rule from the scores on the database."""
        scores = {solution: self.quality(database, solution) for solution in self.solutions}
        return self.rule(draw, scores, **parameters)

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """See `MadeOf`: it goes by the name of the quality function."""
        return self.quality, self.rule

    @property
    def __signature__(self) -> inspect.Signature:
        """Draw, the database, and the parameters of the rule."""
        first = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("draw", "database")]
        of_rule = list(inspect.signature(self.rule).parameters.values())[2:]
        return inspect.Signature([*first, *of_rule])


def _distinct(solutions: Iterable[Hashable]) -> tuple[Hashable, ...]:
    if not isinstance(solutions, Iterable):
        raise InputError(f"solutions={shown(solutions)} is no iterable: write, for example, range({shown(solutions)})")
    members = tuple(solutions)
    if not members:
        raise InputError("solutions is empty: give at least one solution to choose from")
    try:
        distinct = len(set(members))
    except TypeError as error:
        raise InputError(
            f"solutions holds one that cannot be hashed ({told(error)}): use tuples in place of lists"
        ) from None
    if distinct < len(members):
        raise InputError("solutions holds one twice: give each solution once")
    return members


@dataclass(frozen=True)
class Scoring:
    """What a mechanism hands to a rule that goes by differences of scores alone."""

    rule: Mechanism
    in_any_order: bool
    """Whether the rule's law moves along with scores that change their places: no tie is broken by them."""
    selection: Selection | None
    """What scores solutions; None where the database is the scores."""

    def scores(self, database: Any) -> tuple[Score, ...]:
        """The score of each solution."""
        assert self.selection is not None, "the database is the scores"
        return tuple([self.selection.quality(database, solution) for solution in self.selection.solutions])


def scoring_of(mechanism: Mechanism, parameters: Mapping[str, Any]) -> Scoring | None:
    """How a mechanism scores; None for one that does not say so, or whose rule goes by more than differences."""
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

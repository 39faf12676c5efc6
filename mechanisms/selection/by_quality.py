"""Selection by a quality function: a mechanism that says so, and whose laws are found for many databases at once.

A function that scores solutions and draws one could do anything else besides. A `Selection` cannot: it scores every
solution by the quality function, and hands the scores to a rule. What a law is computed from is what runs.
"""

import inspect
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from dpverify.mechanisms.counting.qualities import Score, ScoresAll
from dpverify.mechanisms.functions.mechanism import Draw, MadeOf, Mechanism, name_of
from dpverify.mechanisms.functions.signatures import after_the_database, signature_of
from dpverify.mechanisms.functions.unhashable import hashable_in_place
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown, told
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism


@dataclass(frozen=True, init=False)
class Selection(MadeOf):
    """The mechanism that draws one of `solutions` by their quality(database, solution), by `rule`.

    `quality` may also be what `of_counts` or `all_at_once` makes, which scores all solutions at once. `rule` is a
    mechanism whose database is a quality, such as `exponential_mechanism`, the default, whose parameters the mechanism
    has. Raises `InputError` where there is no solution, one occurs twice, or what should be a function is none.
    """

    quality: Callable[[Any, Any], Score] | ScoresAll
    solutions: tuple[Hashable, ...]
    rule: Mechanism

    def __init__(
        self,
        quality: Callable[[Any, Any], Score] | ScoresAll,
        solutions: Iterable[Hashable],
        rule: Mechanism = exponential_mechanism,
    ) -> None:
        for name, function in (("quality", quality), ("rule", rule)):
            if not callable(function):
                raise InputError(bad_input.NO_FUNCTION, f"{name}={shown(function)}")
        object.__setattr__(self, "quality", quality)
        object.__setattr__(self, "solutions", _distinct(solutions))
        object.__setattr__(self, "rule", rule)

    def __call__(self, draw: Draw, database: Any, **parameters: Any) -> Any:
        """A solution, by the rule from the scores on the database."""
        return self.rule(draw, dict(zip(self.solutions, self.scores(database), strict=True)), **parameters)

    def scores(self, database: Any) -> tuple[Score, ...]:
        """The score of each solution, in order."""
        if isinstance(self.quality, ScoresAll):
            return self.quality.scores(database, self.solutions)
        return tuple([self.quality(database, solution) for solution in self.solutions])

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """See `MadeOf`: it goes by the name of the quality function."""
        return self.quality, self.rule

    @property
    def __signature__(self) -> inspect.Signature:
        """Draw, the database, and the parameters of the rule."""
        first = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("draw", "database")]
        of_rule = signature_of(self.rule)
        if of_rule is None:
            raise AttributeError(f"{name_of(self.rule)} has no signature")
        return inspect.Signature([*first, *after_the_database(of_rule)])


def _distinct(solutions: Iterable[Hashable]) -> tuple[Hashable, ...]:
    if not isinstance(solutions, Iterable):
        raise InputError(bad_input.NO_ITERABLE, "solutions", shown(solutions))
    members = tuple(solutions)
    if not members:
        raise InputError(bad_input.IS_EMPTY, "solutions", "candidate to choose from")
    try:
        distinct = len(set(members))
    except TypeError as error:
        raise InputError(
            bad_input.NOT_HASHABLE, "solutions holds a candidate that", f" ({told(error)})", hashable_in_place(members)
        ) from None
    if distinct < len(members):
        raise InputError(bad_input.TWICE, "solutions", "a candidate", "give each once")
    return members

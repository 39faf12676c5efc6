"""Views of an outcome: a part of it alone, or on which side of a number a part lies.

A view is post-processing, too: what is refuted of it is refuted of the outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from dpverify.mechanisms.functions.mechanism import Draw, MadeOf, Mechanism
from dpverify.mechanisms.outputs.distributions import Distribution


@dataclass(frozen=True)
class View(MadeOf):
    """A part of the outcome of a mechanism, all of it without a place; whether it is `side` of `end`, where given.

    With `capped`, whether that part lies so and the part at `capped` is at most `end` as well.
    """

    mechanism: Mechanism
    place: int | None
    side: Literal[">=", "<="] | None = None
    end: Fraction = Fraction(0)
    capped: int | None = None

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.mechanism,)

    def __call__(self, draw: Draw, *args: Any, **parameters: Any) -> Any:
        """The answer that is told of an outcome."""
        outcome = self.mechanism(draw, *args, **parameters)
        if isinstance(outcome, Distribution):
            outcome = draw(outcome)
        part = outcome if self.place is None else outcome[self.place]
        if self.side is None:
            return part
        lies_there = part >= self.end if self.side == ">=" else part <= self.end
        return lies_there if self.capped is None else bool(lies_there) and outcome[self.capped] <= self.end

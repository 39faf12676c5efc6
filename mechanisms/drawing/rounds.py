"""Rounds that are drawn anew until one is accepted: what that one returns has the law of a round, given acceptance.

A round that is accepted with chance a returns o, and is, with chance p(o): Σ_k (1 − a)^k·p(o) = p(o)/a, exactly. So
rounds are of one law, whatever those before have drawn: they are sub-mechanisms, out of which nothing passes but by
return, and what a round returns that is not accepted nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dpverify.mechanisms.functions.mechanism import MadeOf, Mechanism
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, product, reciprocal_of_nonzero
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution


class Again(Enum):
    """The outcome of a round that is not accepted."""

    AGAIN = "again"


class RoundRejected(BaseException):
    """Ends a run in which a round was not accepted: what is accepted has the chances of all rounds."""


@dataclass(frozen=True)
class Round(MadeOf):
    """One round, a mechanism: what `mechanism` returns where that is `accepted`, else `Again.AGAIN`."""

    mechanism: Mechanism
    accepted: Callable[[Any], bool]

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return self.mechanism, self.accepted

    def called(self, name: str) -> str:
        return f"a round of {name}"

    def __call__(self, draw: Any, /, *args: Any, **parameters: Any) -> Any:
        """Runs a round."""
        outcome = self.mechanism(draw, *args, **parameters)
        if isinstance(outcome, Distribution):
            outcome = draw(outcome)
        answer = self.accepted(outcome)
        if answer is True:
            return outcome
        if answer is False:
            return Again.AGAIN
        raise InputError(
            bad_input.GAVE,
            "draw.until: the function that accepts an outcome",
            shown(answer),
            "neither True nor False",
            "return one",
        )


@dataclass(frozen=True)
class Acceptance(MadeOf):
    """The question whether a round is accepted, a mechanism: what the round returns may have no law in closed form."""

    one: Round

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return self.one.functions

    def called(self, name: str) -> str:
        return self.one.called(name)

    def __call__(self, draw: Any, /, *args: Any, **parameters: Any) -> Any:
        """Runs a round."""
        return Again.AGAIN if self.one(draw, *args, **parameters) is Again.AGAIN else None


def chance_of_acceptance(law: Distribution[Any]) -> Exact:
    """The chance that a round of this law is accepted. Raises `InputError` where it is 0."""
    again = _again(law)
    chance = ONE if again is ZERO else ONE - again
    if sign(chance) == 0:
        raise InputError(bad_mechanism.NEVER_ACCEPTED)
    return chance


def _again(law: Distribution[Any]) -> Exact:
    known = law.finite if isinstance(law, ReleasedDistribution) else law.probabilities
    return known.get(Again.AGAIN, ZERO)


def distribution_if_accepted(law: Distribution[Any]) -> Distribution[Any]:
    """The law of what an accepted round returns, from that of a round. Raises as `chance_of_acceptance` does."""
    chance = chance_of_acceptance(law)
    if _again(law) is ZERO:
        return law
    scale = reciprocal_of_nonzero(chance)

    def accepted(weights: Any) -> dict[Hashable, Exact]:
        return {outcome: product((p, scale)) for outcome, p in weights.items() if outcome is not Again.AGAIN}

    if not isinstance(law, ReleasedDistribution):
        return Distribution.of_probabilities(accepted(law.probabilities))
    released = {
        template: {releases: product((p, scale)) for releases, p in ways.items()}
        for template, ways in law.released.items()
    }
    return ReleasedDistribution(accepted(law.finite), released)

"""Rounds that are drawn anew until one is accepted: what that one returns has the law of a round, given acceptance.

A round that is accepted with chance a returns o, and is, with chance p(o): Σ_k (1 − a)^k·p(o) = p(o)/a, exactly. So
rounds are of one law, whatever those before have drawn: they are sub-mechanisms, out of which nothing passes but by
return, and what a round returns that is not accepted nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from dpverify.mechanisms.functions.fixed_values import fixed
from dpverify.mechanisms.functions.lookalikes import refuse_lookalike
from dpverify.mechanisms.functions.mechanism import MadeOf, Mechanism
from dpverify.mechanisms.functions.outcomes import is_plain
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


# --- Rounds that begin with what the one before has left


@dataclass(frozen=True)
class Next:
    """The outcome of a round after which another one begins with some values; equal ones have one law from there on."""

    values: tuple[Any, ...] = field(compare=False)
    key: Hashable

    @classmethod
    def after(cls, *values: Any) -> Next:
        """Raises `InputError` for values that are more than what they are equal to: objects that may change, functions.

        A frozen object that equals itself alone may be the one that was there before the loop, and a function sees
        variables that a later round binds anew; neither shows in what they hold.
        """
        if not is_plain(values):
            raise InputError(
                bad_mechanism.ROUNDS_NOT_READ,
                "a loop goes on with what is no plain value, such as a number, a text or a tuple of these",
            )
        return cls(values, fixed(values))


MOST_STATES: Final = 8
"""Values with which rounds begin, of which the chances are solved for: a loop that ends has more, and runs faster."""


def distribution_of_states(law_from: Callable[[tuple[Any, ...]], Distribution[Any]], first: Next) -> Distribution[Any]:
    """The law of what rounds return in the end, from that of a round which begins with some values.

    With p(s, o) the chance that a round from s returns o, and p(s, t) that another one follows from t, it is the
    solution of law(s) = p(s, ·) + Σ_t p(s, t)·law(t), exactly: one state is put into the others after another. Raises
    `InputError` for more than `MOST_STATES`, for noise, and where some rounds would not end.
    """
    laws: dict[Next, dict[Hashable, Exact]] = {}
    outcomes: dict[Hashable, Hashable] = {}
    waiting = [first]
    while waiting:
        state = waiting.pop()
        if state in laws:
            continue
        if len(laws) == MOST_STATES:
            raise InputError(bad_mechanism.ROUNDS_NOT_READ, f"a loop goes on with more than {MOST_STATES} values")
        law = law_from(state.values)
        if isinstance(law, ReleasedDistribution):
            raise InputError(bad_mechanism.ROUNDS_NOT_READ, "a loop that passes values on draws noise that is returned")
        laws[state] = dict(law.probabilities)
        for outcome in laws[state]:
            if isinstance(outcome, Next):
                waiting.append(outcome)
            elif (known := outcomes.setdefault(outcome, outcome)) is not outcome:
                refuse_lookalike(known, outcome)
    for state in reversed(list(laws)):
        row = laws[state]
        chance = ONE - row.pop(state, ZERO)
        if sign(chance) == 0:
            raise InputError(bad_mechanism.ROUNDS_NOT_READ, "a loop has rounds that go on without end")
        scale = reciprocal_of_nonzero(chance)
        laws[state] = ended = {outcome: product((p, scale)) for outcome, p in row.items()}
        for other in laws.values():
            share = other.pop(state, ZERO)
            for outcome, p in () if share is ZERO else ended.items():
                other[outcome] = other.get(outcome, ZERO) + product((share, p))
    return Distribution.of_probabilities(laws[first])

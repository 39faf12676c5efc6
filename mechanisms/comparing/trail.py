"""The choices of the path that an enumeration is on: each run replays them, and goes on where they end."""

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.numbers.errors import LimitMet, NotDeterministic, not_known
from dpverify.mechanisms.path_conditions.implied_conditions import Form

_LOOKED_AT: Final = 50
"""Number of choices of a path that does not end that are looked at, to say what it does."""


class AboutNoise(NamedTuple):
    """A question about a form of noises: its noises' numbers and laws, not the objects; and what else is asked."""

    noises: Hashable
    rest: Hashable


def about_noise(form: Form, *rest: Hashable) -> AboutNoise:
    """A key in which two runs agree that ask the same question of a form of noises."""
    return AboutNoise(tuple((variable.number, variable.law, coefficient) for variable, coefficient in form), rest)


class _Choice:
    """One choice of a path: what was asked, the branches that it has, and which one is taken."""

    __slots__ = ("branches", "index", "question")

    def __init__(self, question: Hashable, branches: Sequence[tuple[Any, Any]]) -> None:
        self.question = question
        self.branches = branches
        self.index = 0


class Trail:
    """The choices of a path, no more than `most`, and how far the run at hand has come."""

    __slots__ = ("_choices", "_most", "_position")

    def __init__(self, most: int) -> None:
        self._most = most
        self._choices: list[_Choice] = []
        self._position = 0

    def __len__(self) -> int:
        return len(self._choices)

    def begin(self) -> None:
        """Begin a run."""
        self._position = 0

    def taken(self, question: Hashable, branches: Callable[[], Sequence[tuple[Any, Any]]]) -> tuple[Any, Any]:
        """The branch that the path takes at this question; the first one where no run has asked it before.

        Raises `LimitMet` where the path is too long, and `NotDeterministic` for another question than the run before.
        """
        if self._position == len(self._choices):
            if self._position >= self._most:
                raise LimitMet(not_known.ENDLESS_PATH.text(self._position, self._what_it_does()), "draws")
            self._choices.append(self._begun(question, branches()))
        choice = self._choices[self._position]
        if choice.question is not question and choice.question != question:
            raise _not_deterministic("drew from another distribution than before")
        self._position += 1
        return choice.branches[choice.index]

    def _begun(self, question: Hashable, branches: Sequence[tuple[Any, Any]]) -> _Choice:
        """A choice that no run has made before."""
        return _Choice(question, branches)

    @property
    def position(self) -> int:
        """The number of choices that the run at hand has made."""
        return self._position

    def ways_at(self, position: int) -> int:
        """The number of branches that the choice at a position has; 1 where the run has not come so far."""
        return len(self._choices[position].branches) if position < self._position else 1

    def finish(self) -> None:
        """Check that the run asked everything that the run before it had asked."""
        if self._position < len(self._choices):
            raise _not_deterministic("returned without a draw that it had made before")

    def advance(self) -> bool:
        """Turn to the next path; False where there is none."""
        if not self._choices:
            return False
        while self._choices and self._choices[-1].index + 1 == len(self._choices[-1].branches):
            self._choices.pop()
        if self._choices:
            self._choices[-1].index += 1
        return bool(self._choices)

    @property
    def fewest_paths(self) -> int:
        """The number of paths that are left at least, with this one: each branch that is not taken leads to one."""
        if not self._choices:  # most often
            return 1
        return 1 + sum(len(choice.branches) - 1 - choice.index for choice in self._choices)

    def _what_it_does(self) -> str:
        asked = [choice.question for choice in self._choices[-_LOOKED_AT:]]
        noises = [question.noises for question in asked if isinstance(question, AboutNoise)]
        if len(noises) < len(asked) or any(one != other for one, other in pairwise(noises)):
            return (
                "write rounds that are drawn until one is accepted as draw.until(mechanism, accepted), and a number of "
                "rounds as draw(geometric(…))"
            )
        return (
            "it asks about one noise again and again: hand the noise to draw.release(noise, then=function), or write "
            "discrete noise that is reflected until it lies in a range as folded(noise, low, high)"
        )


def _not_deterministic(what: str) -> NotDeterministic:
    return NotDeterministic(
        f"is not deterministic: with the same draws it {what}; let all chance come from `draw`, and none from random, "
        "numpy or the order of a set"
    )

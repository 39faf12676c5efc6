"""Choices among solutions by their scores, whose chances are computed where somebody asks for them.

A mechanism makes such a choice on every database of a domain, and few of them are looked at one by one: the laws of one
chooser are computed together, once for each pattern of scores (see `law_arrays`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Final, NoReturn, TypeAlias

from dpverify.mechanisms.functions.outcomes import are_plain
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.outputs.distributions import AtShare, Distribution

Blocks: TypeAlias = tuple[tuple[Sequence[Any], Exact], ...]

RationalScore: TypeAlias = int | Fraction


class Chooser(ABC):
    """A way to choose among some solutions by their scores, that is by differences of them alone.

    Many runs have one chooser. So it cannot be changed: what one run left there, another one could read.
    """

    __slots__ = ("has_plain_solutions", "solutions")

    solutions: Sequence[Any]
    has_plain_solutions: bool
    """See `outcomes`."""

    def __init__(self, solutions: Sequence[Any]) -> None:
        object.__setattr__(self, "solutions", solutions)
        object.__setattr__(self, "has_plain_solutions", are_plain(solutions))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        _refuse_change(name)

    @property
    def in_any_order(self) -> bool:
        """True where chances move along with scores that change their places: no tie is broken by them."""
        return True

    def drawn(self, scores: Sequence[RationalScore]) -> Callable[[Any], Any] | None:
        """See `Distribution`."""
        return None

    @abstractmethod
    def choice(self, scores: Sequence[RationalScore]) -> Distribution[Any]:
        """The choice by these scores, with its chances; one of its own whenever it is asked for."""

    @abstractmethod
    def at_share(self, scores: Sequence[RationalScore], share: Fraction) -> Distribution[Any]:
        """The choice by these scores with a share ≥ 0 of its noise."""

    @abstractmethod
    def among(self, solutions: Sequence[Any]) -> Chooser:
        """The same way among other solutions."""


def _refuse_change(name: str) -> NoReturn:
    raise AttributeError(f"a choice by scores is not to be changed, nor its {name}: make another one")


class Scored(Distribution[Any]):
    """The choice that a chooser makes by some scores, one for each of its solutions."""

    __slots__ = ("chooser", "scores")

    chooser: Chooser
    scores: Sequence[RationalScore]

    def __init__(self, chooser: Chooser, scores: Sequence[RationalScore]) -> None:
        _set_chooser(self, chooser)
        _set_scores(self, scores)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.chooser, self.scores), self.__dict__ or None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        _refuse_change(name)

    @property
    def is_untouched(self) -> bool:
        """True where nothing of it was computed, nor put beside it: it is what its chooser and scores say."""
        return not self.__dict__

    @property
    def at_share(self) -> AtShare | None:  # type: ignore[override]
        """See `Distribution`."""
        return self._at_share

    @property
    def drawn(self) -> Callable[[Any], Any] | None:  # type: ignore[override]  # there an attribute, which few set
        """See `Distribution`."""
        return self.chooser.drawn(self.scores)

    def _at_share(self, share: Fraction) -> Distribution[Any]:
        return self.chooser.at_share(self.scores, share)

    def once_more(self) -> Distribution[Any]:
        return type(self)(self.chooser, self.scores)

    @cached_property
    def _blocks(self) -> Blocks:
        return self.chooser.choice(self.scores).blocks

    @cached_property
    def total_weight(self) -> Exact:
        return self.chooser.choice(self.scores).total_weight

    @cached_property
    def probabilities(self) -> Mapping[Any, Exact]:
        """See `Distribution`; in a dict of its own: a mechanism may change what it is given."""
        return dict(self.chooser.choice(self.scores).probabilities)

    @property
    def size(self) -> int:
        return len(self.scores)


_set_chooser: Final = vars(Scored)["chooser"].__set__  # which refuses nobody, and takes less time than object's own
_set_scores: Final = vars(Scored)["scores"].__set__


def known_chooser(key: Hashable, made: Callable[[], Chooser]) -> Chooser:
    """The chooser of a way to choose, and of identities of solutions, which it holds: made where it is new."""
    choosers = _choosers()
    chooser = choosers.get(key)
    if chooser is None:
        if len(choosers) >= _FEW_CHOOSERS:
            choosers.clear()
        chooser = choosers[key] = made()
    return chooser


@cache
def _choosers() -> dict[Hashable, Chooser]:
    """The choosers so far, by the ways to choose and what stands for the solutions: every run asks for one.

    It is found here, as what functions remember is, by those who have all of it forgotten.
    """
    return {}


_FEW_CHOOSERS: Final = 64
"""The number of choosers that are kept, and with them their solutions."""

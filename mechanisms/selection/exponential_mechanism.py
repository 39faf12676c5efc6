"""The exponential mechanism of McSherry and Talwar."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.counting.qualities import Score
from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.cached_results import identity
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, ExactLike, Term, Unknown, exact, from_exponents
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.numbers.roots.whole_forms import refuse_ties_of_unknown
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.exponentials import Exponentials
from dpverify.mechanisms.outputs.scored import Chooser, RationalScore, Scored, known_chooser

Quality: TypeAlias = Mapping[Any, Score] | Sequence[Score] | StepFunction
"""Solution → quality, or the qualities of the solutions 0, 1, 2, …, which may be a `StepFunction`."""


def exponential(quality: Quality, epsilon: ExactLike, *, sensitivity: ExactLike = 1) -> Distribution[Any]:
    """Each solution h with probability proportional to exp(ε·q(h)/(2·sensitivity)).

    Source: Beimel, Nissim & Stemmer, journal version, Section 2.5.2 and Proposition 2.25 (there with sensitivity 1).
    Raises `InputError` where `quality` is empty, a quality is not an exact number, or a parameter is not positive.

    >>> decimal(exponential({"a": 1, "b": 0}, epsilon=2).probability("a"))
    '0.73105857863'
    """
    return proportional_to_exp(quality, rate_of(epsilon, sensitivity))


def rate_of(epsilon: ExactLike, sensitivity: ExactLike) -> Exact:
    """ε/(2·sensitivity). Raises `InputError`, naming it, where one of the two is not positive."""
    known = _rates().get((identity(epsilon), identity(sensitivity)))  # a mechanism asks for the same one in every run
    if known is not None:
        return known.rate
    if type(epsilon) not in _RATIONAL or type(sensitivity) not in _RATIONAL:
        return _rate(epsilon, sensitivity)
    rate = _rational_rate(epsilon, sensitivity)
    rates = _rates()
    if len(rates) >= _MANY:
        rates.clear()
    rates[identity(epsilon), identity(sensitivity)] = _Rate(epsilon, sensitivity, rate)
    return rate


def _rate(epsilon: ExactLike, sensitivity: ExactLike) -> Exact:
    return positive(epsilon, "epsilon") / (2 * positive(sensitivity, "sensitivity"))


class _Rate(NamedTuple):
    """A rate, with what it is of, which stays itself as long as it is kept."""

    epsilon: ExactLike
    sensitivity: ExactLike
    rate: Exact


@cache
def _rates() -> dict[tuple[int, int], _Rate]:
    """The rates that were asked for, by the identities of the numbers: a Fraction takes long to be hashed."""
    return {}


_MANY: Final = 1 << 10
"""Rates from which on they are forgotten."""

_RATIONAL: Final = WHOLE | {Fraction}
"""The types of rational numbers, which are hashed by value."""

_rational_rate: Final = lru_cache(maxsize=1 << 10)(_rate)


def exponential_mechanism(
    draw: Draw, quality: Quality, *, epsilon: ExactLike, sensitivity: ExactLike = 1
) -> Distribution[Any]:
    """`exponential` as a mechanism of its own, whose database is the quality."""
    return exponential(quality, epsilon, sensitivity=sensitivity)


def proportional_to_exp(quality: Quality, rate: Exact) -> Distribution[Any]:
    """Each solution h with probability proportional to exp(rate·q(h)): the distribution, without a privacy claim."""
    names: Hashable
    scores: tuple[Any, ...]
    if type(quality) is dict:
        names, scores = tuple(map(identity, quality)), tuple(quality.values())
    elif type(quality) is list or type(quality) is tuple:
        names, scores = len(quality), tuple(quality)
    else:
        return of_levels(_levels(quality), rate)
    if not may_be_scored(scores):
        return of_levels(_levels(quality), rate)
    chooser = known_chooser((rate.serial, names), lambda: _AtRate(rate, tuple(solutions_of(quality))))
    assert isinstance(chooser, _AtRate), "of a rate"
    if chooser.may_refuse:
        return chooser.choice(scores)
    return Scored(chooser, scores)


def may_be_scored(scores: Sequence[Any]) -> bool:
    """True of few rational scores, or of unknown ones for somebody who puts those of each database in their place."""
    return 0 < len(scores) <= _FEW_SOLUTIONS and (
        _RATIONAL.issuperset(map(type, scores))
        or (notes.answers is not None and all(type(score) in (*_RATIONAL, UnknownNumber) for score in scores))
    )


class _AtRate(Chooser):
    """Each solution with probability proportional to exp(rate·score).

    It is known by the identities of the solutions, and keeps them, so that their identities stay theirs.
    """

    __slots__ = ("_rate", "may_refuse")

    _rate: Exact
    may_refuse: bool
    """True where a weight may be refused, which would come too late where it is asked for later."""

    def __init__(self, rate: Exact, solutions: Sequence[Any]) -> None:
        super().__init__(solutions)
        object.__setattr__(self, "_rate", rate)
        object.__setattr__(self, "may_refuse", not (isinstance(rate, Term) and rate.is_rational))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._rate, self.solutions)

    @property
    def rate(self) -> Exact:
        """The r of probabilities proportional to e^(r·score)."""
        return self._rate

    def choice(self, scores: Sequence[RationalScore]) -> Distribution[Any]:
        lately, key = _lately(), (self, scores)
        known = lately.get(key)
        if known is None:
            if len(lately) >= _LATELY:
                lately.clear()
            known = lately[key] = of_levels(_by_score(self.solutions, scores), self._rate)
        return known.once_more()

    def at_share(self, scores: Sequence[RationalScore], share: Fraction) -> Distribution[Any]:
        return _at_share(_by_score(self.solutions, scores), self._rate, share)

    def among(self, solutions: Sequence[Any]) -> Chooser:
        return _AtRate(self._rate, solutions)


def choice_of(law: Distribution[Any]) -> tuple[Exact, Mapping[Any, Score]] | None:
    """The rate r and the scores, by solution, of a law proportional to e^(r·score); None of a law of another kind."""
    if isinstance(law, Scored):
        chooser = law.chooser
        if not isinstance(chooser, _AtRate):
            return None
        return chooser.rate, dict(zip(chooser.solutions, law.scores, strict=True))
    made_by = law.at_share
    if not isinstance(made_by, partial) or made_by.func is not _at_share:
        return None
    levels, rate = made_by.args
    return rate, {solution: score for score, solutions in levels.items() for solution in solutions}


@cache
def _lately() -> dict[Hashable, Distribution[Any]]:
    """The choices that were computed lately, by chooser and scores."""
    return {}


_LATELY: Final = 16
"""Number of cached choices: those of one database. Of more, cached for no later use, the price is felt."""

_FEW_SOLUTIONS: Final = 64
"""Of more of them a choice is made anew."""


def levels_of(quality: Quality) -> Mapping[Any, Sequence[Any]]:
    """Score → the solutions of that quality. Raises `InputError` without solutions, or with an inexact quality."""
    levels = _levels(quality)
    refuse_ties_of_unknown(levels)
    return levels


def _levels(quality: Quality) -> Mapping[Any, Sequence[Any]]:
    """As `levels_of`; but unknown qualities may be the same somewhere, which no weight depends on."""
    if isinstance(quality, StepFunction):
        return quality.levels()
    listed = solutions_of(quality)
    levels = _by_score(listed, listed.values())
    if not _RATIONAL.issuperset(map(type, levels)):
        for score in levels:
            exact(score, "a quality")
    return levels


def _by_score(solutions: Iterable[Any], scores: Iterable[Score]) -> Mapping[Any, Sequence[Any]]:
    """Score → the solutions that have it."""
    levels: dict[Score, list[Any]] = {}
    for solution, score in zip(solutions, scores, strict=True):
        levels.setdefault(score, []).append(solution)
    return {score: tuple(block) for score, block in levels.items()}


def of_levels(levels: Mapping[Any, Sequence[Any]], rate: Exact) -> Distribution[Any]:
    """As `proportional_to_exp`, from the solutions of each quality; it costs what the number of qualities costs."""
    # Only differences of qualities matter.
    reference = _reference(levels)
    at_share = partial(_at_share, levels, rate)
    if len(levels) > _FEW and isinstance(rate, Term) and rate.is_rational and WHOLE.issuperset(map(type, levels)):
        # samples of very many levels are drawn without a number made for each of them
        return Exponentials(tuple(levels.values()), [score - reference for score in levels], rate, at_share=at_share)
    weights = weights_of(rate) if len(levels) <= _FEW else Weights(rate)
    return Distribution.of_blocks(
        [(block, weights[score - reference]) for score, block in levels.items()], at_share=at_share
    )


_FEW: Final = 1 << 10
"""Qualities whose weights are remembered: of more of them, hardly one is met again."""

_MOST: Final = 1 << 16


class Weights(dict[Any, Exact]):
    """Difference of qualities → exp(rate·difference), each computed once."""

    def __init__(self, rate: Exact) -> None:
        super().__init__()
        self._rate = rate
        self._coefficient = rate.coefficient if isinstance(rate, Term) and rate.is_rational else None

    def __missing__(self, difference: Score) -> Exact:
        if len(self) >= _MOST:
            self.clear()
        if self._coefficient is not None and type(difference) in WHOLE:
            # the most frequent case, and of very many levels: without a detour through the general exp
            weight: Exact = from_exponents(self._coefficient * int(difference), {})
        else:
            weight = exp(self._rate * difference)
        self[difference] = weight
        return weight


@lru_cache(maxsize=1 << 10)
def weights_of(rate: Exact) -> Weights:
    """The weights at a rate, remembered from call to call: they are functions of it."""
    return Weights(rate)


def _reference(levels: Mapping[Any, Sequence[Any]]) -> Any:
    """The best quality, from which on every weight is in (0, 1]; the first one where qualities are unknown.

    Which of these is the best is not the same everywhere, and nothing depends on it.
    """
    if not _RATIONAL.issuperset(map(type, levels)) and any(
        isinstance(score, Unknown) or (isinstance(score, Exact) and score.symbol is not None) for score in levels
    ):
        return next(iter(levels))
    return max(levels)


def _at_share(levels: Mapping[Any, Sequence[Any]], rate: Exact, share: Fraction) -> Distribution[Any]:
    """The choice at the rate/share; at share 0 uniformly one of the best, which it tends to."""
    return of_levels(levels, rate / share) if share else Distribution.of_blocks([(levels[max(levels)], ONE)])


def solutions_of(quality: Quality) -> Mapping[Any, Score]:
    """Solution → quality, one by one. Raises `InputError` where there is no solution."""
    if isinstance(quality, StepFunction):
        return {x: value for (low, high), value in quality.runs for x in range(low, high + 1)}
    if not quality:
        raise InputError(bad_input.IS_EMPTY, "quality", "candidate to choose from")
    return quality if isinstance(quality, Mapping) else dict(enumerate(quality))

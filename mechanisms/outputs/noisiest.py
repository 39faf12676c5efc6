"""The choice of the largest of several scores with independent noise of one law, in closed form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import floor
from typing import Any

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, exact, reciprocal_of_nonzero, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.whole_forms import rounded_whole
from dpverify.mechanisms.outputs.distributions import Distribution, uniform
from dpverify.mechanisms.outputs.scored import Chooser, RationalScore, Scored


class Noisiest(Chooser):
    """The solution whose score is largest with noise, the first of equals; solutions may be equal to each other."""

    __slots__ = ("law",)

    law: NoiseLaw

    def __init__(self, law: NoiseLaw, solutions: Sequence[Any]) -> None:
        super().__init__(solutions)
        object.__setattr__(self, "law", law)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.law, self.solutions)

    @property
    def in_any_order(self) -> bool:
        return not self.law.discrete

    def drawn(self, scores: Sequence[RationalScore]) -> Callable[[Any], Any]:
        return partial(noisiest, solutions=self.scored(scores), law=self.law)

    def choice(self, scores: Sequence[RationalScore]) -> Distribution[Any]:
        are_known = all(type(score) in (int, Fraction) for score in scores)
        chances = _chances if are_known else _chances.__wrapped__  # what else is hashed may be asked for
        found: dict[Hashable, Exact] = {}
        for solution, chance in zip(self.solutions, chances(self.law, tuple(scores)), strict=True):
            found[solution] = found[solution] + chance if solution in found else chance
        if self.law.exponential_scale is None:
            return Distribution(found)
        return Distribution.of_probabilities(found)  # each above 0, over their total

    def at_share(self, scores: Sequence[RationalScore], share: Fraction) -> Distribution[Any]:
        """The scale times `share`; at share 0 one of the best: the first, or with continuous noise any."""
        if share:
            return Scored(Noisiest(self.law.scaled(share), self.solutions), scores)
        best = max(scores)
        equals = [solution for solution, score in zip(self.solutions, scores, strict=True) if score == best]
        return uniform(equals[:1] if self.law.discrete else equals)

    def among(self, solutions: Sequence[Any]) -> Chooser:
        return Noisiest(self.law, solutions)

    def scored(self, scores: Sequence[Any]) -> Mapping[Any, Any]:
        """The score of each solution."""
        return dict(zip(self.solutions, scores, strict=True))


def noisiest(draw: Any, solutions: Mapping[Any, Any], law: NoiseLaw) -> Hashable:
    """The solution whose score is largest with noise; the first of equals."""
    best: Any = None
    found: Hashable = None
    for solution, score in solutions.items():
        noisy = score + draw(law)
        if best is None or noisy > best:
            best, found = noisy, solution
    return found


@lru_cache(maxsize=16)
def _chances(law: NoiseLaw, given: tuple[Any, ...]) -> Sequence[Exact]:
    """The chance of each of some scores; those of one database are asked for more than once."""
    scores = [*map(exact, given)]
    return [probability_of_best(law, scores, i) for i in range(len(scores))]


def probability_of_best(law: NoiseLaw, scores: Sequence[Exact], best: int) -> Exact:
    """Pr[scores[best] + N is the largest], for noises of one law; of equals the first is.

    With discrete noise the gaps between scores have to be whole.
    """
    if law.exponential_scale is not None:  # Gumbel's: the exponential mechanism
        weights = [exp(score / law.exponential_scale) for score in scores]
        return weights[best] * reciprocal_of_nonzero(total(weights))
    # Only the gaps to the best matter, and their order only to break ties, which continuous noise does not have.
    gaps = [scores[best] - score for score in scores]
    before, after = (gaps[:best], gaps[best + 1 :]) if law.discrete else ([], gaps[:best] + gaps[best + 1 :])
    return _probability_of_lead(law, _in_order(before), _in_order(after))


def _in_order(gaps: list[Exact]) -> tuple[Exact, ...]:
    return tuple(sorted(gaps))


@lru_cache(maxsize=1 << 16)
def _probability_of_lead(law: NoiseLaw, before: tuple[Exact, ...], after: tuple[Exact, ...]) -> Exact:
    """∫ f(x)·∏ Pr[N < x + gap] over those before, Pr[N ≤ x + gap] over those after, dx."""
    return _product(law, before, after).mass


@lru_cache(maxsize=1 << 12)
def _product(law: NoiseLaw, before: tuple[Exact, ...], after: tuple[Exact, ...]) -> Piecewise:
    if after:
        return _product(law, before, after[:-1]).times(_below(law, after[-1], 1 if law.discrete else 0))
    if before:
        return _product(law, before[:-1], ()).times(_below(law, before[-1], 0))
    return law.density


@lru_cache(maxsize=1 << 12)
def _below(law: NoiseLaw, gap: Exact, further: int) -> Piecewise:
    """x ↦ Pr[N < x + gap + further]."""
    return law.density.cumulative.composed(ONE, rounded_whole(floor(gap)) + further if law.discrete else gap)

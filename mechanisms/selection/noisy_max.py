"""Report noisy max: the solution whose quality is best after noise was added to every one."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import floor
from typing import Any

from dpverify.mechanisms.counting.qualities import Score
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.instructions.leads import probability_of_best
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise, NoiseLaw
from dpverify.mechanisms.numbers.cached_results import identity
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.distributions import Distribution, uniform
from dpverify.mechanisms.outputs.scored import Chooser, RationalScore, Scored
from dpverify.mechanisms.path_conditions.noise_tree import density_of
from dpverify.mechanisms.selection.exponential_mechanism import Quality, known_chooser, may_be_scored, solutions_of


def max_of_laplaces(draw: Draw, quality: Quality, *, epsilon: ExactLike, noise: Noise = laplace) -> Distribution[Any]:
    """The solution h with the largest q(h) + Lap(2/ε), for qualities of sensitivity 1; (ε,0)-private.

    Source: Chaudhuri, Hsu & Song, Section 2.2, max-of-Laplaces, where the scale is not printed; 2/ε is what replacing a
    row needs. Its law is in closed form: `max_of_laplaces_drawn` is the same as pseudo-code, which a sample runs.
    """
    return noisy_max(quality, noise(2 / positive(epsilon, "epsilon")))


def max_of_laplaces_drawn(draw: Draw, quality: Quality, *, epsilon: ExactLike, noise: Noise = laplace) -> Hashable:
    """`max_of_laplaces` as one would write it down: its law takes 2^(solutions - 1) paths."""
    return _noisiest(draw, solutions_of(quality), noise(2 / positive(epsilon, "epsilon")))


def _noisiest(draw: Draw, solutions: Mapping[Any, Score], law: NoiseLaw) -> Hashable:
    """The solution whose score is largest with noise; the first of equals."""
    best: Any = None
    found: Hashable = None
    for solution, score in solutions.items():
        noisy = score + draw(law)
        if best is None or noisy > best:
            best, found = noisy, solution
    return found


def noisy_max(quality: Quality, law: NoiseLaw) -> Distribution[Any]:
    """Each solution h with the probability that q(h) + N_h is the largest, the N_h independent; the first of equals.

    The probabilities are computed where they are asked for: of k solutions with scores of their own they are sums of
    k² exponentials and more, while a sample draws k noises. Raises `InputError` where there is no solution, a quality
    is no exact number, or it is not whole and the noise is discrete.
    """
    solutions = solutions_of(quality)
    given: tuple[Any, ...] = tuple(solutions.values())
    is_scored = may_be_scored(given)
    if not is_scored or notes.answers is None:  # somebody puts whole scores in the place of unknown ones
        scores = [exact(score, "a quality") for score in given]
        if law.discrete and any(floor(score) != score for score in scores):
            raise InputError(bad_input.NOT_WHOLE, "noisy max with discrete noise: a score", "")
    density_of(law)  # refuses what has none, so that no sample is drawn where there is no law

    def made() -> Chooser:
        return _Noisiest(law, tuple(solutions))

    if not is_scored:
        return _AskedAtOnce(made(), given)
    return Scored(known_chooser((law, (*map(identity, solutions),)), made), given)


class _AskedAtOnce(Scored):
    """A choice of which no scores are held: its chances may be functions of unknown numbers, and are asked for."""

    __slots__ = ()


class _Noisiest(Chooser):
    """The solution whose score is largest with noise; the first of equals."""

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
        return partial(_noisiest, solutions=self.scored(scores), law=self.law)

    def choice(self, scores: Sequence[RationalScore]) -> Distribution[Any]:
        chances = _chances if may_be_scored(scores) else _chances.__wrapped__  # what else is hashed may be asked for
        return Distribution(dict(zip(self.solutions, chances(self.law, tuple(scores)), strict=True)))

    def at_share(self, scores: Sequence[RationalScore], share: Fraction) -> Distribution[Any]:
        return _at_share(self.scored(scores), self.law, share)

    def among(self, solutions: Sequence[Any]) -> Chooser:
        return _Noisiest(self.law, solutions)

    def scored(self, scores: Sequence[Any]) -> Mapping[Any, Score]:
        """The score of each solution."""
        return dict(zip(self.solutions, scores, strict=True))


def noisy_choice_of(law: Distribution[Any]) -> tuple[NoiseLaw, Mapping[Any, Score]] | None:
    """The noise and the scores of a law that `noisy_max` gives; None of a law of another kind."""
    if isinstance(law, Scored) and isinstance(law.chooser, _Noisiest):
        return law.chooser.law, law.chooser.scored(law.scores)
    return None


@lru_cache(maxsize=16)
def _chances(law: NoiseLaw, given: tuple[Score, ...]) -> Sequence[Exact]:
    """The chance of each of some scores; those of one database are asked for more than once."""
    scores = [*map(exact, given)]
    return [probability_of_best(law, scores, i) for i in range(len(scores))]


def _at_share(quality: Quality, law: NoiseLaw, share: Fraction) -> Distribution[Any]:
    """Noisy max with the scale times `share`; at share 0 one of the best: the first, or with continuous noise any."""
    if share:
        return noisy_max(quality, law.scaled(share))
    solutions = solutions_of(quality)
    best = max(solutions.values())
    equals = [solution for solution, score in solutions.items() if score == best]
    return uniform(equals[:1] if law.discrete else equals)

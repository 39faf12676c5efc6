"""Report noisy max: the solution whose quality is best after noise was added to every one."""

from collections.abc import Hashable, Mapping
from math import floor
from typing import Any

from dpverify.mechanisms.counting.qualities import Score
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise, NoiseLaw
from dpverify.mechanisms.numbers.cached_results import identity
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.noisiest import Noisiest, noisiest
from dpverify.mechanisms.outputs.scored import Chooser, Scored, known_chooser
from dpverify.mechanisms.selection.exponential_mechanism import Quality, may_be_scored, solutions_of


def max_of_laplaces(draw: Draw, quality: Quality, *, epsilon: ExactLike, noise: Noise = laplace) -> Distribution[Any]:
    """The solution h with the largest q(h) + Lap(2/ε), for qualities of sensitivity 1; (ε,0)-private.

    Source: Chaudhuri, Hsu & Song, Section 2.2, max-of-Laplaces, where the scale is not printed; 2/ε is what replacing a
    row needs. Its law is in closed form: `max_of_laplaces_drawn` is the same as pseudo-code, which a sample runs.
    """
    return noisy_max(quality, noise(2 / positive(epsilon, "epsilon")))


def max_of_laplaces_drawn(draw: Draw, quality: Quality, *, epsilon: ExactLike, noise: Noise = laplace) -> Hashable:
    """`max_of_laplaces` as one would write it down: its law takes 2^(solutions - 1) paths."""
    return noisiest(draw, solutions_of(quality), noise(2 / positive(epsilon, "epsilon")))


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
    _ = law.density  # refuses what has none, so that no sample is drawn where there is no law

    def made() -> Chooser:
        return Noisiest(law, tuple(solutions))

    if not is_scored:
        return _AskedAtOnce(made(), given)
    return Scored(known_chooser((law, (*map(identity, solutions),)), made), given)


class _AskedAtOnce(Scored):
    """A choice of which no scores are held: its chances may be functions of unknown numbers, and are asked for."""

    __slots__ = ()


def noisy_choice_of(law: Distribution[Any]) -> tuple[NoiseLaw, Mapping[Any, Score]] | None:
    """The noise and the scores of a law that `noisy_max` gives; None of a law of another kind."""
    if isinstance(law, Scored) and isinstance(law.chooser, Noisiest):
        return law.chooser.law, law.chooser.scored(law.scores)
    return None

"""Privacy of max-of-Laplaces: Section 2.2 of Chaudhuri, Hsu & Song."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.exponential_mechanism import Quality
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces, max_of_laplaces_drawn
from dpverify.verifiers.catalogue.families import at_each_epsilon, at_every_epsilon, on_all
from dpverify.verifiers.charts.domains import Scores
from dpverify.verifiers.pairs.neighbours import scores_linf
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.score_domains import OrMore, ScoreSpace

SCORES: Final = ScoreSpace(range(7), solutions=3)


def max_of_laplaces_with_half_the_noise(
    draw: Draw, quality: Quality, *, epsilon: Fraction | Exact, noise: Noise = laplace
) -> Distribution[Any]:
    """Mutant: noise of half the scale."""
    return max_of_laplaces(draw, quality, epsilon=2 * epsilon, noise=noise)


_SOURCE: Final = "Chaudhuri, Hsu & Song, Section 2.2, the scale as reconstructed"

max_of_laplaces_printed = at_each_epsilon(
    "CHS-2.2-MoL.privacy.printed",
    source=_SOURCE,
    statement="the solution with the largest quality after adding Lap(2/ε) is ε-private",
    mechanism=max_of_laplaces,
    domain=SCORES,
    neighbours=scores_linf,
    **on_all(Scores(solutions=OrMore(1))),
    mutant=max_of_laplaces_with_half_the_noise,
)
max_of_laplaces_as_drawn = Claim(
    id="CHS-2.2-MoL.privacy.drawn",
    source=_SOURCE,
    statement="the same, written as comparisons of noisy qualities, is ε-private",
    mechanism=max_of_laplaces_drawn,
    domain=SCORES,
    neighbours=scores_linf,
    epsilon=1,
    **on_all(Scores(solutions=OrMore(1))),
    mutant=max_of_laplaces_with_half_the_noise,
)
max_of_laplaces_discrete = Claim(
    id="CHS-2.2-MoL.privacy.discrete",
    source=_SOURCE,
    statement="the solution with the largest quality after adding discrete noise of scale 2/ε, the first of equals, "
    "is ε-private",
    mechanism=max_of_laplaces,
    domain=SCORES,
    neighbours=scores_linf,
    epsilon=1,
    parameters={"noise": discrete_laplace},
    **on_all(Scores(solutions=OrMore(1))),
    mutant=max_of_laplaces_with_half_the_noise,
)

printed_at_every_epsilon = at_every_epsilon(
    "CHS-2.2-MoL",
    variant="printed-",
    source=_SOURCE,
    statement="the solution with the largest quality after adding Lap(2/ε) is ε-private, for every ε",
    mechanism=max_of_laplaces,
    domain=ScoreSpace(range(3), solutions=3),
    **on_all(Scores(solutions=OrMore(1))),
    neighbours=scores_linf,
    mutant=max_of_laplaces_with_half_the_noise,
)
noisy_max_at_every_epsilon = at_every_epsilon(
    "CHS-2.2-MoL",
    variant="discrete-",
    source="Chaudhuri, Hsu & Song, Section 2.2",
    statement="max-of-Laplaces with discrete Laplace noise of scale 2/ε is ε-private, for every ε",
    mechanism=max_of_laplaces,
    domain=ScoreSpace(range(3), solutions=3),
    **on_all(Scores(solutions=OrMore(1))),
    neighbours=scores_linf,
    parameters={"noise": discrete_laplace},
    mutant=max_of_laplaces_with_half_the_noise,
)

"""Privacy of max-of-Laplaces: Section 2.2 of Chaudhuri, Hsu & Song."""

from __future__ import annotations

from typing import Final

from dpverify.mechanisms import discrete_laplace, symbolic
from dpverify.mechanisms.selection import max_of_laplaces, max_of_laplaces_drawn
from dpverify.verifiers import Scores, ScoreSpace, scores_linf
from dpverify.verifiers.catalogue.families import AT_EACH
from dpverify.verifiers.catalogue.mutants import half_the_noise
from dpverify.verifiers.privacy.family import Row, family
from dpverify.verifiers.problems.questions import OrMore

_SMALL: Final = ScoreSpace(range(3), solutions=3)
_LARGEST: Final = "the solution with the largest quality after adding"

max_of_laplaces_claims = family(
    Row("CHS-2.2-MoL.privacy.")
    .having(mechanism=max_of_laplaces, domain=ScoreSpace(range(7), solutions=3), neighbours=scores_linf)
    .having(source="Chaudhuri, Hsu & Song, Section 2.2, the scale as reconstructed")
    .having(all_sizes=Scores(solutions=OrMore(1)), mutant=half_the_noise(max_of_laplaces)),
    Row("printed", f"{_LARGEST} Lap(2/ε) is ε-private").having(epsilon=AT_EACH),
    Row("drawn", "the same, written as comparisons of noisy qualities, is ε-private").having(
        mechanism=max_of_laplaces_drawn, epsilon=1
    ),
    Row("discrete", f"{_LARGEST} discrete noise of scale 2/ε, the first of equals, is ε-private")
    .having(epsilon=1)
    .run_with(noise=discrete_laplace),
    Row("printed-every-epsilon", f"{_LARGEST} Lap(2/ε) is ε-private, for every ε").having(
        domain=_SMALL, epsilon=symbolic
    ),
    Row("discrete-every-epsilon", "max-of-Laplaces with discrete Laplace noise of scale 2/ε is ε-private, for every ε")
    .having(domain=_SMALL, epsilon=symbolic, source="Chaudhuri, Hsu & Song, Section 2.2")
    .run_with(noise=discrete_laplace),
)

"""Report noisy max on all score vectors, by Theorem 2 of docs/theorems.md."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.exponential import exponential_noise
from dpverify.mechanisms.noise.geometric import geometric
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, Term
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.verifiers.all_sizes.regions.question import OfScores, Pair
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee

KNOWN: Final = (laplace, discrete_laplace, exponential_noise, geometric)
"""Noises with Pr[N ≥ t] ≤ e^(d/scale)·Pr[N ≥ t + d] for all t and d ≥ 0, and no smaller bound."""


def rate_of_largest(law: NoiseLaw) -> Exact | None:
    """The r for which the place of the largest noisy score is (2r, 0)-private: 1/scale, by Theorems 1 and 2."""
    scale = law.exponential_scale
    if scale is None and (scale := law.tail_scale) is not None:
        scale = scale if any(make(scale) == law for make in KNOWN) else None
    return None if scale is None else 1 / scale


def is_of_known_noise(parameters: Mapping[str, Any]) -> bool:
    """True where the theorem speaks of the noise."""
    return any(parameters.get("noise", laplace) is noise for noise in KNOWN)


def pure_epsilon(question: OfScores) -> Exact:
    """ε* = sup_t ln Pr[N ≥ t]/Pr[N ≥ t + spread] = spread/scale: what all score vectors need at δ = 0."""
    return question.scores.spread * positive(question.arguments["epsilon"], "epsilon") / 2


def covers(pure: Exact, claim: PrivacyGuarantee) -> bool:
    """True where ε ≥ ε*, or δ is at least what two coins of (ε*, 0)-privacy need."""
    epsilon, delta = claim
    return bool(epsilon >= pure or delta * (1 + exp(pure)) >= exp(pure) - exp(epsilon))


def supremum(question: OfScores) -> Exact | None:
    """0 at ε ≥ ε*; not known below."""
    return ZERO if question.claim.epsilon >= pure_epsilon(question) else None


def suspects(question: OfScores) -> Iterator[Pair]:
    """One solution that is worse than all others, which are equals, by a gap that rises."""
    least, every = question.scores.solutions, question.scores.every
    counts = range(max(3, least), max(3, least) + _MORE_SOLUTIONS) if every else range(least, least + 1)
    for gap in _SMALL_GAPS if question.claim.delta is not ZERO else ():
        for solutions in counts:
            yield question.scores.against(0, (gap,) * (solutions - 1))
    for gap in _gaps(question):
        yield question.scores.against(0, (gap,) * (counts[0] - 1))


def _gaps(question: OfScores) -> Iterator[int]:
    """Powers of 2, as far as probabilities of these gaps have short forms."""
    epsilon = positive(question.arguments["epsilon"], "epsilon")
    is_whole = question.arguments.get("noise", laplace) in (discrete_laplace, geometric)
    is_short = isinstance(epsilon, Term) and epsilon.is_rational and not is_whole
    for gap in (2**power for power in range(_MOST)):
        if is_short or (gap <= _FAR and gap * epsilon <= _FAR):
            yield gap


_MORE_SOLUTIONS: Final = 4
_SMALL_GAPS: Final = (0, -1, 1, -2, 2, 3, 4)
_MOST: Final = 60
_FAR: Final = 2**18

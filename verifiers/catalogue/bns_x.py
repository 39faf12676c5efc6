"""Beimel, Nissim & Stemmer, extended abstract: A_dist as printed there, Section 2.4."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.exact.elementary import log
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.laws.noise import discrete_laplace, laplace
from dpverify.mechanisms.selection.exponential_mechanism import Quality
from dpverify.mechanisms.selection.stability import a_dist_extended_abstract, stable_choice
from dpverify.verifiers.catalogue.bns_j import (
    COUNTS,
    SCORES,
    TENTH,
    Epsilon,
    most_frequent_whatever_the_gap,
)
from dpverify.verifiers.catalogue.counting import most_frequent
from dpverify.verifiers.catalogue.families import at_each_epsilon, one_for_each
from dpverify.verifiers.privacy.neighbours import scores_linf


def a_dist_with_an_eighth_of_the_noise(
    draw: Draw, quality: Quality, *, epsilon: Epsilon, delta: Fraction, **ignored: Any
) -> Any:
    """Mutant: Lap(1/(2ε)), below the printed threshold."""
    return stable_choice(draw, quality, laplace(1 / (2 * epsilon)), 4 / epsilon * log(1 / delta) + 2)


_SOURCE: Final = "Beimel, Nissim & Stemmer, extended abstract, Section 2.4 and Proposition 2(i)"
_PRINTED: Final = "A_dist with Lap(4/ε), threshold (4/ε)·ln(1/δ) + 2, ⊥₁ and ⊥₂ is (ε,δ)-private"
_QUARTER: Final = Fraction(1, 4)  # at ε = ln 2 the threshold is then 10, exactly

printed = at_each_epsilon(
    "BNS-X-Prop2.privacy.printed",
    source=_SOURCE,
    statement=_PRINTED,
    mechanism=a_dist_extended_abstract,
    domain=SCORES,
    neighbours=scores_linf,
    differing=one_for_each("delta", (TENTH, _QUARTER, TENTH**3)),
    mutant=a_dist_with_an_eighth_of_the_noise,
)
printed_counts = at_each_epsilon(
    "BNS-X-Prop2.privacy.printed-counts",
    source=_SOURCE,
    statement=f"{_PRINTED}, on the frequencies of three values",
    mechanism=most_frequent,
    domain=COUNTS,
    differing=one_for_each("delta", (TENTH, _QUARTER, TENTH)),
    parameters={"selection": a_dist_extended_abstract, "values": 3},
    mutant=most_frequent_whatever_the_gap,
)
discrete = at_each_epsilon(
    "BNS-X-Prop2.privacy.discrete",
    source=_SOURCE,
    statement="A_dist as printed, but with discrete Laplace noise of scale 4/ε, is (ε,δ)-private",
    mechanism=a_dist_extended_abstract,
    domain=SCORES,
    neighbours=scores_linf,
    differing=one_for_each("delta", (TENTH, _QUARTER, TENTH**3)),
    parameters={"noise": discrete_laplace},
    mutant=a_dist_with_an_eighth_of_the_noise,
)

"""Bun, Nissim & Stemmer: A_dist, Algorithm 3.

The extraction of the paper lost its formulas; as reconstructed, the algorithm is that of the journal version of Beimel,
Nissim & Stemmer, and `a_dist_journal` is its one implementation.
"""

from __future__ import annotations

from typing import Final

from dpverify.mechanisms.laws.noise import discrete_laplace
from dpverify.mechanisms.selection.stability import a_dist_journal
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.bns_j import (
    COUNTS,
    SCORES,
    TENTH,
    best_whatever_the_gap,
    most_frequent_whatever_the_gap,
)
from dpverify.verifiers.catalogue.counting import most_frequent
from dpverify.verifiers.catalogue.families import at_each_epsilon
from dpverify.verifiers.privacy.neighbours import scores_linf

_SOURCE: Final = "Bun, Nissim & Stemmer, Algorithm 3 and Proposition 3.11(1), formulas reconstructed"
_PRINTED: Final = "A_dist with Lap(1/ε) and threshold (1/ε)·ln(1/δ) is (ε,δ)-private"

printed = at_each_epsilon(
    "BuNS-3.11.privacy.printed",
    source=_SOURCE,
    statement=_PRINTED,
    mechanism=a_dist_journal,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH**2,
    expected=Status.REFUTED,
    mutant=best_whatever_the_gap,
)
printed_counts = at_each_epsilon(
    "BuNS-3.11.privacy.printed-counts",
    source=_SOURCE,
    statement=f"{_PRINTED}, on the frequencies of three values",
    mechanism=most_frequent,
    domain=COUNTS,
    delta=TENTH**2,
    parameters={"selection": a_dist_journal, "values": 3},
    expected=Status.REFUTED,
    mutant=most_frequent_whatever_the_gap,
)
discrete = at_each_epsilon(
    "BuNS-3.11.privacy.discrete",
    source=_SOURCE,
    statement="A_dist with discrete Laplace noise of scale 1/ε and threshold (1/ε)·ln(1/δ) is (ε,δ)-private",
    mechanism=a_dist_journal,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH**2,
    parameters={"noise": discrete_laplace},
    expected=Status.REFUTED,
    mutant=best_whatever_the_gap,
)

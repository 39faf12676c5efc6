"""Privacy of the exponential mechanism: Beimel, Nissim & Stemmer, journal version, Proposition 2.25(i)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.drawing.symmetric import relabellings, symmetric
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.exponential_mechanism import Quality, exponential, exponential_mechanism
from dpverify.verifiers.catalogue.families import at_each_epsilon, at_every_epsilon, on_all
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW
from dpverify.verifiers.catalogue.selection.counting import frequencies, most_frequent_exponential
from dpverify.verifiers.charts.domains import Histograms, Scores
from dpverify.verifiers.pairs.neighbours import scores_linf
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import Multisets
from dpverify.verifiers.questions.score_domains import OrMore, ScoreSpace

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def exponential_without_half(draw: Draw, quality: Quality, *, epsilon: Fraction | Exact) -> Distribution[Any]:
    """Mutant: exp(ε·q) in place of exp(ε·q/2)."""
    return exponential(quality, 2 * epsilon)


def most_frequent_without_half(
    draw: Draw, rows: Sequence[int], *, values: int, epsilon: Fraction | Exact
) -> Distribution[int]:
    """Mutant: exp(ε·q) in place of exp(ε·q/2)."""
    return exponential(frequencies(rows, values), 2 * epsilon)


_EXPONENTIAL: Final = "Beimel, Nissim & Stemmer, journal version, Proposition 2.25(i)"

exponential_scores = at_each_epsilon(
    "BNS-J-2.25.privacy.scores",
    source=_EXPONENTIAL,
    statement="the exponential mechanism is ε-private for every quality function of sensitivity 1",
    mechanism=exponential_mechanism,
    domain=ScoreSpace(range(7), solutions=3),
    neighbours=scores_linf,
    **on_all(Scores(solutions=OrMore(1))),
    mutant=exponential_without_half,
)
exponential_four_scores = Claim(
    id="BNS-J-2.25.privacy.four-scores",
    source=_EXPONENTIAL,
    statement="the exponential mechanism over four solutions is ε-private",
    mechanism=exponential_mechanism,
    domain=ScoreSpace(range(5), solutions=4),
    neighbours=scores_linf,
    epsilon=1,
    mutant=exponential_without_half,
    **on_all(Scores(solutions=OrMore(1))),
)
exponential_counts = at_each_epsilon(
    "BNS-J-2.25.privacy.counts",
    source=_EXPONENTIAL,
    statement="the most frequent value by the exponential mechanism is ε-private",
    mechanism=most_frequent_exponential,
    domain=Multisets(range(4), size=8),
    parameters={"values": 4},
    **on_all(Histograms(range(4))),
    first_on_all=True,
    mutant=most_frequent_without_half,
)
EIGHT_VALUES: Final = relabellings(range(8))

exponential_symmetric = Claim(
    id="BNS-J-2.25.privacy.eight-values",
    source=_EXPONENTIAL,
    statement="the most frequent of eight values by the exponential mechanism is ε-private, symmetric in the values",
    mechanism=symmetric(most_frequent_exponential, under=EIGHT_VALUES),
    domain=Multisets(range(8), size=10),
    epsilon=1,
    parameters={"values": 8},
    finite_because=ROW_BY_ROW,
    mutant=symmetric(most_frequent_without_half, under=EIGHT_VALUES),
)

exponential_at_every_epsilon = at_every_epsilon(
    "BNS-J-2.25",
    variant="scores-",
    source=f"{_BNS}, Proposition 2.25(i)",
    statement="the exponential mechanism is ε-private for every quality function of sensitivity 1, for every ε",
    mechanism=exponential_mechanism,
    domain=ScoreSpace(range(7), solutions=3),
    neighbours=scores_linf,
    **on_all(Scores(solutions=OrMore(1))),
    mutant=exponential_without_half,
)

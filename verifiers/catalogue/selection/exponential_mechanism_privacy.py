"""Privacy of the exponential mechanism: Beimel, Nissim & Stemmer, journal version, Proposition 2.25(i)."""

from __future__ import annotations

from typing import Final

from dpverify.mechanisms import symbolic, symmetric
from dpverify.mechanisms.drawing import relabellings
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers import Histograms, Multisets, Scores, ScoreSpace, scores_linf
from dpverify.verifiers.catalogue.families import at_each_epsilon
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW
from dpverify.verifiers.catalogue.mutants import without_half
from dpverify.verifiers.catalogue.selection.counting import most_frequent_exponential
from dpverify.verifiers.privacy.family import Row, family, rows_of
from dpverify.verifiers.questions import OrMore

_MOST_FREQUENT_WITHOUT_HALF: Final = without_half(most_frequent_exponential, "most_frequent_without_half")
EIGHT_VALUES: Final = relabellings(range(8))
_FOR_EVERY_QUALITY: Final = "the exponential mechanism is ε-private for every quality function of sensitivity 1"

exponential_mechanism_claims = family(
    Row("BNS-J-2.25.privacy.").having(source="Beimel, Nissim & Stemmer, journal version, Proposition 2.25(i)"),
    *rows_of(
        Row()
        .having(mechanism=exponential_mechanism, domain=ScoreSpace(range(7), solutions=3), neighbours=scores_linf)
        .having(all_sizes=Scores(solutions=OrMore(1)))
        .having(mutant=without_half(exponential_mechanism, "exponential_without_half")),
        *at_each_epsilon(Row("scores", _FOR_EVERY_QUALITY)),
        Row("scores-every-epsilon", f"{_FOR_EVERY_QUALITY}, for every ε").having(epsilon=symbolic),
        Row("four-scores", "the exponential mechanism over four solutions is ε-private").having(
            domain=ScoreSpace(range(5), solutions=4), epsilon=1
        ),
    ),
    *at_each_epsilon(
        Row("counts", "the most frequent value by the exponential mechanism is ε-private")
        .having(mechanism=most_frequent_exponential, domain=Multisets(range(4), size=8))
        .having(all_sizes=Histograms(range(4)), mutant=_MOST_FREQUENT_WITHOUT_HALF)
        .run_with(values=4),
        differing=lambda epsilon: Row().having(all_sizes_depth="quick" if epsilon == 1 else "full"),
    ),
    Row("eight-values")
    .says("the most frequent of eight values by the exponential mechanism is ε-private, symmetric in the values")
    .having(mechanism=symmetric(most_frequent_exponential, under=EIGHT_VALUES), domain=Multisets(range(8), size=10))
    .having(epsilon=1, finite_because=ROW_BY_ROW, mutant=symmetric(_MOST_FREQUENT_WITHOUT_HALF, under=EIGHT_VALUES))
    .run_with(values=8),
)

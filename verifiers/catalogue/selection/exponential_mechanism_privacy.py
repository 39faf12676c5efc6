"""Privacy of the exponential mechanism: Beimel, Nissim & Stemmer, Proposition 2.25(i); BuNS, Proposition 3.8(1)."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from operator import add
from typing import Final

from dpverify.mechanisms import symbolic, symmetric
from dpverify.mechanisms.drawing import relabellings
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers import Histograms, Multisets, Scores, ScoreSpace, scores_linf
from dpverify.verifiers.catalogue.families import AT_EACH, HALF, at_each_epsilon
from dpverify.verifiers.catalogue.finite import ANOTHER_SENSITIVITY, ROW_BY_ROW
from dpverify.verifiers.catalogue.mutants import Times, broken, without_half
from dpverify.verifiers.catalogue.selection.counting import most_frequent_exponential
from dpverify.verifiers.privacy.family import OrMore, Row, family, rows_of
from dpverify.verifiers.problems.questions.moves import NeighbourRelation

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
        Row("scores", _FOR_EVERY_QUALITY).having(epsilon=AT_EACH),
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


# Qualities that are not of sensitivity 1: Bun, Nissim & Stemmer, Proposition 3.8(1).
def in_steps(step: Fraction) -> list[tuple[Fraction, ...]]:
    """The qualities of three solutions from 0 to 4 steps."""
    return [tuple(step * score for score in scores) for scores in ScoreSpace(range(5), solutions=3)]


def moved_by(sensitivity: Fraction, step: Fraction) -> NeighbourRelation:
    """The neighbours of qualities of that sensitivity, in steps: each quality moves by at most that."""
    moves = [step * i for i in range(-int(sensitivity / step), int(sensitivity / step) + 1)]

    def neighbours(quality: tuple[Fraction, ...]) -> Iterator[tuple[Fraction, ...]]:
        for by in product(moves, repeat=len(quality)):
            if any(by):
                yield tuple(map(add, quality, by))

    return neighbours


def _sensitivity(name: str, sensitivity: Fraction, step: Fraction) -> Row:
    relation, parameters = moved_by(sensitivity, step), {"sensitivity": sensitivity}
    return Row(name, str(sensitivity)).having(domain=in_steps(step), neighbours=relation, parameters=parameters)


_AT_HALF: Final = broken(
    *(exponential_mechanism, "exponential_at_half_the_sensitivity", "half of the sensitivity in the exponent."),
    sensitivity=Times(HALF),
)
of_sensitivity = family(
    Row("BuNS-3.8.privacy.sensitivity-{}-every-epsilon")
    .says(
        "the exponential mechanism for qualities of sensitivity Δ = {}, which draws h with probability proportional to "
        "exp(ε·q(h)/(2Δ)), is ε-private, for every ε"
    )
    .having(mechanism=exponential_mechanism, epsilon=symbolic, source="Bun, Nissim & Stemmer, Proposition 3.8(1)")
    .having(finite_because=ANOTHER_SENSITIVITY, mutant=_AT_HALF),
    _sensitivity("two", Fraction(2), Fraction(1)),
    _sensitivity("half", Fraction(1, 2), Fraction(1, 2)),
)

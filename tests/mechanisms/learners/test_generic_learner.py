"""The generic learner, as it is defined."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import distribution, log
from dpverify.mechanisms.learners import generic_learner
from dpverify.mechanisms.sanitizers import thresholds
from dpverify.mechanisms.sanitizers.concepts import correct_labels


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), max_size=6))
def test_the_generic_learner_is_the_definition(sample: list[tuple[int, int]]) -> None:
    law = distribution(generic_learner, tuple(sample), hypotheses=thresholds(2), epsilon=log(4))
    weights = {h: 2 ** sum((x < h.j) == (y == 1) for x, y in sample) for h in thresholds(2)}
    for h, weight in weights.items():
        assert correct_labels(h, sample) == weight.bit_length() - 1
        assert law.probability(h) == Fraction(weight, sum(weights.values()))

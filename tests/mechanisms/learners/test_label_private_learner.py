"""The generic label-private learner."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import InputError, distribution, exp
from dpverify.mechanisms.learners import label_private_learner
from dpverify.mechanisms.learners.label_private_learner import rows_for_labels, rows_for_points_alone
from dpverify.mechanisms.sanitizers import Threshold, points, thresholds
from dpverify.mechanisms.sanitizers.concepts import correct_labels

EPSILON = Fraction(3, 2)
samples = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 1)), min_size=1, max_size=6).map(tuple)


@given(samples, st.integers(0, 6), st.sampled_from([thresholds(3), points(3)]))
def test_one_concept_stands_for_each_labelling(sample: Any, split: int, concepts: Any) -> None:
    split = min(split, len(sample))
    law = distribution(label_private_learner, sample, concepts=concepts, split=split, epsilon=EPSILON)
    public = [x for x, _ in sample[:split]]
    labellings = {tuple(map(concept, public)) for concept in concepts}
    chosen = list(law)
    assert {tuple(map(concept, public)) for concept in chosen} == labellings
    assert len(chosen) == len(labellings)
    for concept in chosen:
        assert concept == next(c for c in concepts if all(c(x) == concept(x) for x in public))
    first, *others = chosen
    for other in others:
        difference = correct_labels(other, sample[split:]) - correct_labels(first, sample[split:])
        assert law.probability(other) / law.probability(first) == exp(EPSILON * difference / 2)


@given(samples, samples)
def test_the_concepts_do_not_depend_on_labels(sample: Any, labels: Any) -> None:
    split = len(sample) // 2
    other = tuple((x, labels[i % len(labels)][1]) for i, (x, _) in enumerate(sample))
    given: dict[str, Any] = {"concepts": thresholds(3), "split": split, "epsilon": EPSILON}
    assert set(distribution(label_private_learner, sample, **given)) == set(
        distribution(label_private_learner, other, **given)
    )


@pytest.mark.parametrize(
    ("sample", "given", "words"),
    [
        ((), {}, "empty"),
        (((1, 0),), {"split": 2}, "split=2 is more than the 1 rows"),
        (((1, 0),), {"split": -1}, "split=-1"),
        (((1, 0),), {"concepts": ()}, "quality is empty"),
        (((1, 0),), {"epsilon": 0}, "epsilon=0"),
    ],
)
def test_bad_input(sample: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        distribution(
            label_private_learner, sample, **{"concepts": (Threshold(1),), "split": 1, "epsilon": EPSILON, **given}
        )


def test_rows_of_figure_13() -> None:
    # 320·(ln 640 + ln 80) = 3469.918; 76800·(ln 640 + 2·ln 80) = 1169320.047
    assert rows_for_points_alone(vc=1, alpha=Fraction(1, 10), beta=Fraction(1, 10)) == 3470
    assert rows_for_labels(vc=1, alpha=Fraction(1, 10), beta=Fraction(1, 10), epsilon=1) == 1169321

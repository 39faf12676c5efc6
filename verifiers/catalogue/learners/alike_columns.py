"""Many columns that are alike: what matters of k choices is how many of them fall on each hypothesis.

Where k columns of labels are the same in each of two databases, the k choices of a learner are independent, with one
law, given what it has sanitized: any order of them is as likely as any other under both databases. So nothing is lost
for a comparison of the two laws, as in `hardest_composition`, and there are k + 1 outcomes in place of 2^k.
"""

from collections.abc import Sequence
from math import comb
from typing import Any

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.sanitizers.concepts import numbers_of_correct_labels, one_for_each_labelling

Row = tuple[int, int]


def how_many_choose(
    draw: Draw, rows: Sequence[Row], *, k: int, concepts: Sequence[Any], sanitizer: Mechanism, epsilon: Exact
) -> tuple[Any, int]:
    """`learn_many` on rows (x, y) whose label y is that of all k columns: the candidates, and how many take the last.

    For sanitized points that leave two candidates.
    """
    # 1 to 4
    candidates = one_for_each_labelling(concepts, draw(sanitizer, tuple(x for x, _ in rows)))
    first, last = candidates
    # 5; the weights of k choices by the exponential mechanism, up to a factor
    correct = numbers_of_correct_labels(candidates, rows)
    gain = correct[last] - correct[first]
    return candidates, draw(Distribution({i: comb(k, i) * exp(epsilon * (i * gain) / 2) for i in range(k + 1)}))

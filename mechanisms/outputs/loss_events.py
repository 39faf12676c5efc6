"""An event that is too large to be listed: the outcomes whose privacy loss between two databases exceeds ε.

Needed by noisy gradient descent of several numbers in tests/outside, whose counterexample is named so.
"""

from collections.abc import Hashable
from dataclasses import dataclass

from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.outputs.released_reals import outcome_in_words


@dataclass(frozen=True)
class LossAbove:
    """Stands for the outcomes of a shape whose privacy loss between two databases exceeds ε.

    A law alone, of one database, does not tell its probability.
    """

    outcome: Hashable
    epsilon: ExactLike

    def __str__(self) -> str:
        return f"{outcome_in_words(self.outcome)} of privacy loss above {self.epsilon}"

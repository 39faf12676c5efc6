"""Tracing of agnostic learners, and of learners that are private for labels alone: Theorem 4.7, and Section 4's remark.

An agnostic learner has to do well where no concept fits the columns: all users have one point, on which two concepts
differ, so that any code is a database. The attack replaces labels of a row alone, so that it needs of a learner no more
than that its labels are private. The code is that of Boneh & Shaw, of which the law of the attack is exact.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any, Final, cast

from dpverify.mechanisms import Distribution, Draw, Exact, exp, log
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.learners import generic_learner, label_private_learner, trace_of_direct_sum
from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.sanitizers import Threshold
from dpverify.verifiers.calculations.family import Broken, Calculation
from dpverify.verifiers.catalogue.families import BUNS
from dpverify.verifiers.catalogue.learners.tracing import tracing_utility as tracing


def of_two_concepts(draw: Draw, sample: Any, *, odds: Fraction) -> Any:
    """The generic learner of the two concepts that differ on the one point of all users, at ε = 2·ln(odds)."""
    both = (Threshold(len(sample)), Threshold(0))
    return generic_learner(draw, tuple((0, y) for _, y in sample), hypotheses=both, epsilon=2 * log(odds))


AGNOSTIC: Final[dict[str, Mechanism]] = {"two concepts": of_two_concepts, "noisy mean": tracing.noisy_mean}


def accusing(learners: Mapping[str, Mechanism]) -> Callable[..., Distribution[int | None]]:
    """The user whom the attack accuses of the direct sum of one of the learners."""
    return lambda users, odds, learner: trace_of_direct_sum(tracing.code_of(users), learners[learner], odds=odds)


def nobody_accused(users: int, odds: Fraction, learner: str) -> Exact:
    """The probability that nobody is accused of the direct sum of an agnostic learner."""
    return accusing(AGNOSTIC)(users, odds, learner).probabilities.get(None, ZERO)


def nobody_accused_by_a_short_code(users: int, odds: Fraction) -> Exact:
    """With a code of a tenth of the copies."""
    law: Distribution[Any] = tracing.accused_by_a_short_code(cast("Draw", None), users, odds=odds)
    return law.probabilities.get(None, ZERO)


agnostic_is_traced = Calculation(
    id="BuNS-4.7.utility.accurate-is-traced",
    source=f"{BUNS}, the proof of Theorem 4.7, with the code that is complete for certain",
    statement="nobody is accused with no more probability than that some hypothesis of an agnostic learner errs on a "
    "third of the rows more than the better of two concepts; direct sums of generic learners and of noisy means at "
    "e^(ε/2) from 10 to 10⁶, n from 2 to 4, all rows on one point",
    computed=nobody_accused,
    at_most=lambda users, odds, learner: (
        1 - tracing.chance_of_accuracy(tracing.code_of(users), odds, AGNOSTIC[learner], agnostic=True)
    ),
    cases=[
        {"users": users, "odds": Fraction(odds), "learner": learner}
        for users, odds, learner in product((2, 3, 4), (10, 100, 1000, 10**6), AGNOSTIC)
    ],
    mutants=[Broken("a code of a tenth of the copies", {"computed": nobody_accused_by_a_short_code})],
)


def of_labels_alone(draw: object, sample: Any, *, odds: Fraction) -> Any:
    """The label-private learner of thresholds, which has no noise on the point of the first row: ε = 2·ln(odds)."""
    return label_private_learner(draw, sample, concepts=tracing.concepts(len(sample)), split=1, epsilon=2 * log(odds))


def _not_traced(claim_id: str, source: str, statement: str, learners: Mapping[str, Mechanism]) -> Calculation:
    """The claim that each user is accused with probability e^ε·ξ/(2n) at most, from two to four users."""

    def accused(law: Callable[..., Distribution[int | None]]) -> Callable[..., Exact]:
        return lambda users, odds, learner, user: law(users, odds, learner).probabilities.get(user, ZERO)

    exactly = accusing(dict.fromkeys(learners, tracing.fewest_errors))
    return Calculation(
        id=claim_id,
        source=f"{BUNS}, {source}, with soundness ξ/(2n) of each",
        statement=f"{statement} has each of its rows accused with probability ≤ e^ε·ξ/(2n); n from 2 to 4, ε in "
        "{1/10, 1, 2}, ξ = 1/10, k the length of the code",
        computed=accused(accusing(learners)),
        at_most=lambda users, epsilon: exp(epsilon) * Fraction(1, 20 * users),
        cases=[{"users": one.database, **one.parameters, **one.facts} for one in tracing.private_cases(learners, 4)],
        mutants=[Broken("learners that are not private", {"computed": accused(exactly)})],
    )


not_traced = [
    _not_traced(
        "BuNS-4.7.utility.private-is-not-traced",
        "the proof of Theorem 4.7",
        "an ε-private direct sum of k agnostic learners",
        AGNOSTIC,
    ),
    _not_traced(
        "BuNS-4.3.utility.label-private-is-not-traced",
        "Section 4, which says that the bounds hold against label privacy",
        "a direct sum of k learners that are private for labels alone, ε together,",
        {"labels alone": of_labels_alone},
    ),
]

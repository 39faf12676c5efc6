"""Privacy of private multiplicative weights, and of the form that compares the noise which it releases."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, discrete_laplace, exact, laplace, symbolic
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.sanitizers import multiplicative_weights, points, thresholds
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.multiplicative_weights import PointWeights, reweighted, share_of_weight
from dpverify.verifiers import Multisets
from dpverify.verifiers.all_sizes.compositions import EveryDatabase
from dpverify.verifiers.catalogue.families import HALF
from dpverify.verifiers.catalogue.finite import IRRATIONAL_SCALE
from dpverify.verifiers.catalogue.mutants import at_times_epsilon
from dpverify.verifiers.catalogue.refuted import variant
from dpverify.verifiers.privacy.family import Row, family


def with_one_noise(
    draw: Draw,
    rows: Sequence[Any],
    *,
    universe: Sequence[Any],
    concepts: Sequence[Concept],
    alpha: Fraction,
    updates: int,
    epsilon: ExactLike,
) -> tuple[Any, ...]:
    """Multiplicative weights whose noisy count is compared, and released where it is far off, at Lap(updates/ε)."""
    weights: PointWeights = dict.fromkeys(universe, Fraction(1))
    m, left = len(rows), updates
    answers: list[Any] = []
    for c in concepts:
        estimate = m * share_of_weight(c, weights)
        noisy = sum(map(c, rows)) + draw(laplace(updates / exact(epsilon))) if left else estimate
        if left and abs(noisy - estimate) > alpha * m:
            weights = reweighted(weights, c, too_small=bool(estimate < noisy), rate=alpha / 6)
            left -= 1
            answers.append(noisy)
        else:
            answers.append(estimate)
    return tuple(answers)


_TWICE: Final = {"universe": (0, 1), "concepts": points(1) * 2, "alpha": HALF, "updates": 1}
_FOUR_POINTS: Final = {"universe": range(4), "concepts": thresholds(2), "alpha": HALF, "updates": 2}

weights = family(
    Row("BuNS-2.19.privacy.", "private multiplicative weights, ")
    .having(mechanism=multiplicative_weights)
    .having(source="Hardt & Rothblum (2010), cited for Theorem 2.19 of Bun, Nissim & Stemmer, whose formula is lost")
    .having(mutant=at_times_epsilon(3, multiplicative_weights, "at_three_times_epsilon")),
    Row("every-epsilon", "one update for four concepts on two points, α = 1/2, is ε-private, for every ε").having(
        domain=Multisets((0, 1), size=6), epsilon=symbolic, parameters=_TWICE, all_sizes=EveryDatabase((0, 1))
    ),
    Row("two-updates")
    .says("two updates for the thresholds on four points, α = 1/2, is ε-private at ε = 1, with discrete noise")
    .having(domain=Multisets(range(4), size=2), epsilon=1, all_sizes=EveryDatabase(range(4)))
    .run_with(**_FOUR_POINTS, noise=discrete_laplace),
    Row("advanced-composition")
    .says(
        "two updates for two concepts on two points, α = 1/2, is (1/2,1/2)-private, where advanced composition allows "
        "more of an update than half the ε"
    )
    .having(domain=Multisets((0, 1), size=3), epsilon=HALF, delta=HALF, finite_because=IRRATIONAL_SCALE)
    .having(mutant=at_times_epsilon(1000, multiplicative_weights, "with_next_to_no_noise"))
    .run_with(universe=(0, 1), concepts=points(1), alpha=HALF, updates=2, delta=HALF),
    Row("one-noise")
    .says(
        "where the noise that is released is the noise that is compared, Lap(c/ε) for c updates, is ε-private: an "
        "update would cost what its count costs; c = 1"
    )
    .having(mechanism=with_one_noise, domain=Multisets((0, 1), size=3), epsilon=1, parameters=_TWICE)
    .having(mutant=at_times_epsilon(3, with_one_noise, "one_noise_at_three_times_epsilon"))
    .having(
        refuted=variant(
            "An answer that is not far off costs as well: with each of them more is known of the count. Hardt & "
            "Rothblum, who compare so, claim (ε,δ)-privacy with more noise."
        )
    ),
)

"""Privacy of private multiplicative weights, and of the form that compares the noise which it releases."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.sanitizers.concepts import Concept, points, thresholds
from dpverify.mechanisms.sanitizers.multiplicative_weights import (
    PointWeights,
    multiplicative_weights,
    reweighted,
    share_of_weight,
)
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.finite import IRRATIONAL_SCALE
from dpverify.verifiers.catalogue.refuted import as_expected, variant
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import Multisets

_SOURCE: Final = "Hardt & Rothblum (2010), cited for Theorem 2.19 of Bun, Nissim & Stemmer, whose formula is lost"
_HALF: Final = Fraction(1, 2)


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


def at_three_times_epsilon(draw: Draw, rows: Sequence[Any], *, epsilon: ExactLike, **given: Any) -> Any:
    """Mutant: three times the ε."""
    return multiplicative_weights(draw, rows, epsilon=3 * exact(epsilon), **given)


def with_next_to_no_noise(draw: Draw, rows: Sequence[Any], *, epsilon: ExactLike, **given: Any) -> Any:
    """Mutant: a thousand times the ε."""
    return multiplicative_weights(draw, rows, epsilon=1000 * exact(epsilon), **given)


def one_noise_at_three_times_epsilon(draw: Draw, rows: Sequence[Any], *, epsilon: ExactLike, **given: Any) -> Any:
    """Mutant: three times the ε."""
    return with_one_noise(draw, rows, epsilon=3 * exact(epsilon), **given)


def _claim(name: str, words: str, **rest: Any) -> Claim:
    return Claim(
        id=f"BuNS-2.19.privacy.{name}",
        source=_SOURCE,
        statement=f"private multiplicative weights, {words}",
        **{"mechanism": multiplicative_weights, "mutant": at_three_times_epsilon, **rest},
    )


_TWICE: Final = {"universe": (0, 1), "concepts": points(1) * 2, "alpha": _HALF, "updates": 1}

every_epsilon = _claim(
    "every-epsilon",
    "one update for four concepts on two points, α = 1/2, is ε-private, for every ε",
    domain=Multisets((0, 1), size=6),
    epsilon=symbolic,
    parameters=_TWICE,
    all_sizes=EveryDatabase((0, 1)),
    scope="all",
)
two_updates = _claim(
    "two-updates",
    "two updates for the thresholds on four points, α = 1/2, is ε-private at ε = 1, with discrete noise",
    domain=Multisets(range(4), size=2),
    epsilon=1,
    parameters={
        "universe": range(4),
        "concepts": thresholds(2),
        "alpha": _HALF,
        "updates": 2,
        "noise": discrete_laplace,
    },
    all_sizes=EveryDatabase(range(4)),
    scope="all",
)
by_advanced_composition = _claim(
    "advanced-composition",
    "two updates for two concepts on two points, α = 1/2, is (1/2,1/2)-private, where advanced composition allows more "
    "of an update than half the ε",
    domain=Multisets((0, 1), size=3),
    epsilon=_HALF,
    delta=_HALF,
    parameters={"universe": (0, 1), "concepts": points(1), "alpha": _HALF, "updates": 2, "delta": _HALF},
    finite_because=IRRATIONAL_SCALE,
    mutant=with_next_to_no_noise,
)
one_noise = _claim(
    "one-noise",
    "where the noise that is released is the noise that is compared, Lap(c/ε) for c updates, is ε-private: an update "
    "would cost what its count costs; c = 1",
    mechanism=with_one_noise,
    domain=Multisets((0, 1), size=3),
    epsilon=1,
    parameters=_TWICE,
    mutant=one_noise_at_three_times_epsilon,
    **as_expected(
        variant(
            "An answer that is not far off costs as well: with each of them more is known of the count. Hardt & "
            "Rothblum, who compare so, claim (ε,δ)-privacy with more noise."
        )
    ),
)

"""Privacy of the sanitizer over small databases, of one on parts, and of private multiplicative weights."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, discrete_laplace, exact, laplace, symbolic
from dpverify.mechanisms.sanitizers import multiplicative_weights, sanitize_in_parts, sanitize_two_parts, small_database
from dpverify.mechanisms.sanitizers.concepts import Concept, points, thresholds
from dpverify.mechanisms.sanitizers.multiplicative_weights import PointWeights, reweighted, share_of_weight
from dpverify.verifiers import Multisets, Tuples
from dpverify.verifiers.catalogue.families import HALF
from dpverify.verifiers.catalogue.finite import IRRATIONAL_SCALE
from dpverify.verifiers.catalogue.mutants import at_times_epsilon
from dpverify.verifiers.privacy.family import EveryDatabase, ExactLike, Mechanism, Row, family

OF_TWO_POINTS: Final = thresholds(1)


def small(draw: Draw, rows: Sequence[Any], *, epsilon: ExactLike) -> Any:
    """The small database of one row for thresholds on two points."""
    return draw(small_database, rows, universe=(0, 1), concepts=OF_TWO_POINTS, size=1, epsilon=epsilon)


def given(mechanism: Mechanism, epsilon: ExactLike) -> Mechanism:
    """The mechanism with its ε."""

    def at_epsilon(draw: Draw, rows: Any) -> Any:
        return mechanism(draw, rows, epsilon=epsilon)

    return at_epsilon


def in_parts(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Any:
    """A small database for every two rows."""
    return draw(sanitize_in_parts, rows, sanitizer=given(small, epsilon), size=2)


small_databases = family(
    Row().having(epsilon=symbolic),
    Row("BNS-J-2.19.privacy.every-epsilon")
    .says("a small database of two rows, for thresholds on four points, is ε-private, for every ε")
    .having(mechanism=small_database, domain=Multisets(range(4), size=3), all_sizes=EveryDatabase(range(4)))
    .having(source="Blum, Ligett & Roth; Beimel, Nissim & Stemmer, journal version, Theorem 2.19")
    .having(mutant=at_times_epsilon(4, small_database, "small_at_four_times_epsilon"))
    .run_with(universe=tuple(range(4)), concepts=thresholds(2), size=2),
    Row("BNS-J-5.1.privacy.every-epsilon")
    .says("a sanitizer on every two of four rows, or of any even number, is as private as on two, for every ε")
    .having(mechanism=in_parts, domain=Tuples((0, 1), size=4), all_sizes=EveryDatabase((0, 1)))
    .having(source="Beimel, Nissim & Stemmer, journal version, Lemma 5.1", mutant=at_times_epsilon(4, in_parts)),
    Row("BNS-J-4.16.privacy.two-parts")
    .says(
        "a small database for the subsets of two points, and one for the two points beside them, at ε/2 each, are "
        "together ε-private, for every ε"
    )
    .having(mechanism=sanitize_two_parts, domain=Multisets(range(4), size=3), all_sizes=EveryDatabase(range(4)))
    .having(source="Beimel, Nissim & Stemmer, journal version, Section 4.4, after Theorem 4.16")
    .having(mutant=at_times_epsilon(4, sanitize_two_parts, "two_parts_at_four_times_epsilon"))
    .run_with(d=2, left=2, sizes=(2, 1)),
)


# Private multiplicative weights, and the form that compares the noise which it releases.
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
    .having(domain=Multisets(range(4), size=2), epsilon=1, all_sizes=EveryDatabase(range(4)).for_every(symbolic))
    .run_with(universe=range(4), concepts=thresholds(2), alpha=HALF, updates=2, noise=discrete_laplace),
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
        variant="An answer that is not far off costs as well: with each of them more is known of the count. Hardt & "
        "Rothblum, who compare so, claim (ε,δ)-privacy with more noise."
    ),
)

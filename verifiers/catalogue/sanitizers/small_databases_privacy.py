"""Privacy of the sanitizer over small databases, and of a sanitizer on parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dpverify.mechanisms import Draw, symbolic
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.sanitizers import sanitize_in_parts, sanitize_two_parts, small_database, thresholds
from dpverify.verifiers import Multisets, Tuples
from dpverify.verifiers.all_sizes.compositions import EveryDatabase
from dpverify.verifiers.catalogue.mutants import at_times_epsilon
from dpverify.verifiers.privacy.family import Row, family

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

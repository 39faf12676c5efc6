"""Privacy of the sanitizer over small databases, and of a sanitizer on parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.sanitizers.concepts import thresholds
from dpverify.mechanisms.sanitizers.small_databases import sanitize_in_parts, small_database
from dpverify.mechanisms.sanitizers.two_parts import sanitize_two_parts
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.families import on_all
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import Multisets, Tuples

OF_TWO_POINTS: Final = thresholds(1)


def small(draw: Draw, rows: Sequence[Any], *, epsilon: ExactLike) -> Any:
    """The small database of one row for thresholds on two points."""
    return draw(small_database, rows, universe=(0, 1), concepts=OF_TWO_POINTS, size=1, epsilon=epsilon)


def given(mechanism: Mechanism, epsilon: ExactLike) -> Mechanism:
    """The mechanism with its ε."""

    def at_epsilon(draw: Draw, rows: Any) -> Any:
        return mechanism(draw, rows, epsilon=epsilon)

    return at_epsilon


def small_at_four_times_epsilon(draw: Draw, rows: Any, *, epsilon: Exact, **more: Any) -> Any:
    """Mutant: four times the ε."""
    return small_database(draw, rows, epsilon=4 * epsilon, **more)


def in_parts(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Any:
    """A small database for every two rows."""
    return draw(sanitize_in_parts, rows, sanitizer=given(small, epsilon), size=2)


def in_parts_at_four_times_epsilon(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    """Mutant: four times the ε."""
    return in_parts(draw, rows, epsilon=4 * epsilon)


def two_parts_at_four_times_epsilon(draw: Draw, rows: Sequence[int], *, epsilon: Exact, **more: Any) -> Any:
    """Mutant: four times the ε."""
    return sanitize_two_parts(draw, rows, epsilon=4 * epsilon, **more)


small_databases = Claim(
    id="BNS-J-2.19.privacy.every-epsilon",
    source="Blum, Ligett & Roth; Beimel, Nissim & Stemmer, journal version, Theorem 2.19",
    statement="a small database of two rows, for thresholds on four points, is ε-private, for every ε",
    mechanism=small_database,
    domain=Multisets(range(4), size=3),
    epsilon=symbolic,
    parameters={"universe": tuple(range(4)), "concepts": thresholds(2), "size": 2},
    **on_all(EveryDatabase(range(4))),
    mutant=small_at_four_times_epsilon,
)
parts = Claim(
    id="BNS-J-5.1.privacy.every-epsilon",
    source="Beimel, Nissim & Stemmer, journal version, Lemma 5.1",
    statement="a sanitizer on every two of four rows, or of any even number, is as private as on two, for every ε",
    mechanism=in_parts,
    domain=Tuples((0, 1), size=4),
    epsilon=symbolic,
    **on_all(EveryDatabase((0, 1))),
    mutant=in_parts_at_four_times_epsilon,
)
two_parts = Claim(
    id="BNS-J-4.16.privacy.two-parts",
    source="Beimel, Nissim & Stemmer, journal version, Section 4.4, after Theorem 4.16",
    statement="a small database for the subsets of two points, and one for the two points beside them, at ε/2 each, "
    "are together ε-private, for every ε",
    mechanism=sanitize_two_parts,
    domain=Multisets(range(4), size=3),
    epsilon=symbolic,
    parameters={"d": 2, "left": 2, "sizes": (2, 1)},
    **on_all(EveryDatabase(range(4))),
    mutant=two_parts_at_four_times_epsilon,
)

"""Privacy of SanThresholds: Lemma 4.8 of Beimel, Nissim & Stemmer, journal version."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Any, Final

from dpverify.mechanisms import Draw, laplace
from dpverify.mechanisms.sanitizers import sanitize_thresholds
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    epsilon_of_sanitized_thresholds,
    parts_of_sanitized_thresholds,
    rows_for_private_sanitized_thresholds,
)
from dpverify.mechanisms.selection import choose_by_stability_journal, hardest_composition
from dpverify.verifiers import Multisets, replace_one
from dpverify.verifiers.catalogue.families import BY_DEFAULT, HUNDREDTH, MILLIONTH, TENTH, TWENTIETH, the_other
from dpverify.verifiers.catalogue.finite import DOMINATING_PAIR, LONG_DATABASES, RECURSES
from dpverify.verifiers.catalogue.mutants import broken
from dpverify.verifiers.catalogue.refuted import Boundary
from dpverify.verifiers.catalogue.sanitizers.histograms.nearly_all_on_one_point import (
    BETA,
    Counts,
    nearly_all_on_one_point,
    on_counts,
    rows_of,
)
from dpverify.verifiers.catalogue.selection.counting import move_one_row
from dpverify.verifiers.privacy.family import EveryDatabase, LeastShare, Mechanism, OrMore, Row, family


def points_of_thresholds(draw: Draw, rows: tuple[int, ...], **given: Any) -> Any:
    """The points of the database that SanThresholds gives, without their numbers."""
    return tuple(x for x, _ in sanitize_thresholds(draw, rows, **given))


def with_the_last_row(draw: Draw, rows: Any, *, sanitizer: Mechanism = sanitize_thresholds, **given: Any) -> Any:
    """Mutant: puts the last row into the sanitized database as it is."""
    return sanitizer(draw, rows, **given), max(rows)


def counts_with_the_last_row(draw: Draw, counts: Counts, **given: Any) -> Any:
    """Mutant: puts the last row into the sanitized database as it is."""
    return with_the_last_row(draw, rows_of(counts), **given)


def last_row(draw: object, rows: Sequence[int], **_: Any) -> Any:
    """Mutant: gives out the last row, and nothing else."""
    return max(rows)


HALVES: Final = [(120 - others, 0, 0, others) for others in (0, 1, 59, 60, 61)]
"""Here the choices between points, and what they are given, are uncertain, at an ε that is claimed for 459,933 rows."""
SEVEN_POINTS: Final = [tuple(range(7)), (*range(6), 8)]


# Lemma 4.8, where c is the number of calls. With α = 1 and m rows it asks for m ≥ (1024/ε)·ln(2048/(βεδ)).
def _parts(calls: int, epsilon: int, delta: Fraction, **more: Any) -> dict[str, Any]:
    """The parameters of SanThresholds whose parts are run at this ε and δ."""
    return {"d": 2, "alpha": 1, "epsilon": epsilon, "delta": delta, "calls": calls} | more


def _lemma(calls: int, epsilon: int, delta: Fraction) -> Row:
    """At the ε and δ that the lemma gives parts of this ε and δ."""
    return Row("", f"SanThresholds with {calls} {'call' if calls == 1 else 'calls'} at ε = {epsilon} ").having(
        epsilon=epsilon_of_sanitized_thresholds(calls=calls, epsilon=epsilon, delta=delta), delta=5 * calls * delta
    )


_TWO_HUNDREDTH: Final = Fraction(1, 200)
_PRINTED: Final = {"selection": choose_by_stability_journal}
_BY_LEMMA: Final = "(sqrt(8c·ln(1/(cδ)))·ε + 8cε², 5cδ)-private"
_BY_PARTS: Final = "is, as its parts give, (4cε, 2cδ)-private"
_ENOUGH: Final = "for as many rows as the lemma asks for, of which up to two are on another point"
_OF_TWO_POINTS: Final = "on 120 rows of two points, of which one has"
_LEMMA_4_8: Final = (
    Row("BNS-J-4.8.privacy.")
    .having(mechanism=sanitize_thresholds, source="Beimel, Nissim & Stemmer, journal version, Figure 11 and Lemma 4.8")
    .having(neighbours=replace_one, mutant=with_the_last_row)
)
_ON_COUNTS: Final = (
    Row()
    .having(mechanism=on_counts, neighbours=move_one_row, finite_because=LONG_DATABASES)
    .having(mutant=counts_with_the_last_row)
    .run_with(sanitizer=sanitize_thresholds)
    .of(_LEMMA_4_8)
)
_NUMBERS_ALONE: Final = LeastShare(
    share="1/4",
    below="15/64",
    because="with so many rows on a point all choices are certain but for δ ≈ 10⁻¹¹⁹¹, and the released numbers take ε "
    "of the 4ε; on 120 rows, half on each of two points, a quarter of the noise is refuted",
)
_BELOW_IT: Final = (
    "with one call and parts of ε = 1/10 it is 0.731, and 1,200 rows, half on each of two points, need 0.126; at what "
    "its parts give a quarter of the noise is refuted on 120 such rows, in BNS-J-4.8.privacy.by-parts-few-rows"
)


def _as_many_rows(suffix: str, calls: int, epsilon: int, claimed: str, least: LeastShare | None = None) -> list[Row]:
    """For as many rows as the lemma asks for: at the ε and δ that it prints, and at what its parts give."""
    rows = rows_for_private_sanitized_thresholds(alpha=1, beta=BETA, epsilon=epsilon, delta=_TWO_HUNDREDTH)
    shared = (
        Row(f"printed{{}}{suffix}")
        .having(domain=nearly_all_on_one_point(rows, (0, 0, 2)))
        .having(parameters=_parts(calls, epsilon, _TWO_HUNDREDTH, **_PRINTED))
        .of(_lemma(calls, epsilon, _TWO_HUNDREDTH))
    )
    nothing = f"at ε̃ = {claimed} nothing is claimed: its parts add up to {4 * calls * epsilon}; {_BELOW_IT}"
    by_parts = Row("-by-parts", f"{_BY_PARTS} {_ENOUGH}").having(
        epsilon=4 * calls * epsilon, delta=2 * calls * _TWO_HUNDREDTH, least=least
    )
    return [Row("", f"is {_BY_LEMMA} {_ENOUGH}").having(weak_because=nothing).of(shared), by_parts.of(shared)]


many_rows = family(
    _ON_COUNTS, *_as_many_rows("", 1, 10, "865", _NUMBERS_ALONE), *_as_many_rows("-two-calls", 2, 500, "4,004,292")
)
few_rows = family(
    Row("", "SanThresholds with 1 call at ε = 1 ")
    .having(domain=HALVES, epsilon=4, delta=2 * _TWO_HUNDREDTH, parameters=_parts(1, 1, _TWO_HUNDREDTH))
    .of(_ON_COUNTS),
    Row("by-parts-few-rows", f"{_BY_PARTS} {_OF_TWO_POINTS} none, one or about half").having(parameters=_PRINTED),
    Row("by-parts-few-rows-released-laplace")
    .says(f"and Lap(1/ε) on its counts {_BY_PARTS} {_OF_TWO_POINTS} one or about half")
    .having(domain=HALVES[:4])
    .run_with(**_PRINTED, released=laplace),
    Row("default-by-parts-few-rows", f"{BY_DEFAULT} {_BY_PARTS} {_OF_TWO_POINTS} none, one or about half"),
)
other_rows = family(
    _LEMMA_4_8,
    Row("printed-large-epsilon", f"is {_BY_LEMMA} for as many rows as the lemma asks for, which is seven")
    .having(mechanism=points_of_thresholds, domain=SEVEN_POINTS, neighbours=the_other, finite_because=RECURSES)
    .having(parameters=_parts(1, 1000, _TWO_HUNDREDTH, **_PRINTED) | {"d": 4})
    .having(
        degenerate="For so large an ε, of its parts, the lemma asks for a few rows. On pairs of this shape it fails "
        "from 15 rows down where their number is odd; where it is even, and from 16 on, it holds.",
        boundary=Boundary("469", "470"),
    )
    .of(_lemma(1, 1000, _TWO_HUNDREDTH)),
    Row("below", f"is {_BY_LEMMA} on two rows, far fewer than the lemma asks for: already in which points it has")
    .having(mechanism=points_of_thresholds, domain=Multisets(range(4), size=2), finite_because=RECURSES)
    .having(parameters=_parts(1, 1, HUNDREDTH, **_PRINTED))
    .having(variant="Two rows are far fewer than the lemma asks for.")
    .of(_lemma(1, 1, HUNDREDTH)),
    Row("recursive", f"and base case 2 for RecConcave is {_BY_LEMMA} on all databases of two rows on eight points")
    .having(domain=Multisets(range(8), size=2), finite_because=RECURSES)
    .having(parameters=_parts(2, 1, TWENTIETH, **_PRINTED) | {"d": 3, "base": 2, "depth": 2})
    .holds_with("1/8", "15/128", "δ = 1/2 alone covers what two rows show")
    .of(_lemma(2, 1, TWENTIETH)),
)
_ROWS_BY_DEFAULT: Final = rows_for_private_sanitized_thresholds(alpha=1, beta=BETA, epsilon=1, delta=TENTH)
sanitized_by_default = family(
    _LEMMA_4_8,
    Row("default")
    .says(
        f"SanThresholds {BY_DEFAULT} one call at ε = 1 and base case 8 for RecConcave, which recurses on its ten "
        f"scales, is {_BY_LEMMA} on four rows of two points, far fewer than the lemma asks, and from "
        f"{_ROWS_BY_DEFAULT:,} rows on, as it asks"
    )
    .having(domain=[(256,) * (4 - others) + (511,) * others for others in range(3)], mutant=last_row)
    .having(epsilon=epsilon_of_sanitized_thresholds(calls=1, epsilon=1, delta=TENTH), delta=Fraction(1, 2))
    .having(parameters=_parts(1, 1, TENTH, base=8) | {"d": 9})
    .having(all_sizes=EveryDatabase((256, 511), sizes=OrMore(_ROWS_BY_DEFAULT)))
    .having(
        weak_because="four rows are so few that mostly ⊥ is returned, and δ = 1/2 alone covers the rest; on 120 rows, "
        "in BNS-J-4.8.privacy.default-by-parts-few-rows, a quarter of the noise is refuted"
    ),
)


# Theorem 4.13: c = 77/α calls, whose 4c parts have the ε and δ that Lemma 4.8 leaves them of (1, 10⁻⁶).
def _of_calls(name: str, calls: int, alpha: str, **rest: Any) -> Row:
    epsilon, delta = parts_of_sanitized_thresholds(calls=calls, epsilon=1, delta=MILLIONTH)
    rounded_down = Fraction(floor(epsilon * 10**6), 10**6)
    return Row(name, alpha).having(**rest).run_with(times=4 * calls, epsilon=rounded_down, delta=delta)


parts = family(
    Row("BNS-J-4.13.privacy.parts")
    .says(
        "4c private parts, four for each of the c = 77/α calls of SanThresholds, α = {}, are together (1, "
        "10⁻⁶)-private, for the ε and δ of each that Lemma 4.8 leaves them, ε rounded down to millionths"
    )
    .having(mechanism=hardest_composition, domain=(0, 1), epsilon=1, delta=MILLIONTH, neighbours=the_other)
    .having(source="Beimel, Nissim & Stemmer, journal version, Theorem 4.13, by Lemma 4.8 and Theorem 2.5")
    .having(finite_because=DOMINATING_PAIR)
    .having(
        mutant=broken(hardest_composition, "parts_at_twice_epsilon", "each part has twice the ε.", epsilon_times=2)
    ),
    _of_calls("-of-few-calls", 77, "1"),
    _of_calls("", 308, "1/4", depth="full"),
)

"""Beimel, Nissim & Stemmer: SanPoints, the sanitizer of sets of k points, and SanThresholds.

A database is given by how often each point occurs. Those with nearly all rows on one point are the hardest: what is
then seen of another point, few rows or one have put there.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.exact.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.laws.mechanism import Draw, Mechanism
from dpverify.mechanisms.sanitizers.points_sanitizer import (
    epsilon_of_a_part,
    rows_for_san_points,
    san_k_points,
    san_points,
)
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    epsilon_of_san_thresholds,
    rows_for_private_san_thresholds,
    san_thresholds,
)
from dpverify.mechanisms.selection.stability import a_dist_journal
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.families import the_other
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.domains import Multisets
from dpverify.verifiers.privacy.neighbours import replace_one
from dpverify.verifiers.utility.repeated import written_out

Counts: TypeAlias = tuple[int, ...]
"""How often each of the points 0, 1, … occurs."""

HALF: Final = Fraction(1, 2)
TENTH: Final = Fraction(1, 10)
BETA: Final = Fraction(9, 10)


def on_counts(draw: Draw, counts: Counts, *, sanitizer: Mechanism, **given: Any) -> Any:
    """A sanitizer on the database in which each point occurs as often as the counts say."""
    return sanitizer(draw, rows_of(counts), **given)


def points_that_are_listed(draw: Draw, counts: Counts, *, sanitizer: Mechanism, **given: Any) -> Any:
    """Of what a sanitizer releases the points alone."""
    return tuple(x for x, _ in on_counts(draw, counts, sanitizer=sanitizer, **given))


def points_of_thresholds(draw: Draw, rows: tuple[int, ...], **given: Any) -> Any:
    """The points of the database that SanThresholds gives, without their numbers."""
    return tuple(x for x, _ in san_thresholds(draw, rows, **given))


def every_point_that_occurs(draw: Draw, counts: Counts, **_: Any) -> Any:
    """Mutant: lists all points that occur."""
    return tuple(x for x, count in enumerate(counts) if count)


def with_the_last_row(draw: Draw, rows: Any, *, sanitizer: Mechanism = san_thresholds, **given: Any) -> Any:
    """Mutant: puts the last row into the sanitized database as it is."""
    return sanitizer(draw, rows, **given), max(rows)


def counts_with_the_last_row(draw: Draw, counts: Counts, **given: Any) -> Any:
    """Mutant: puts the last row into the sanitized database as it is."""
    return with_the_last_row(draw, rows_of(counts), **given)


def rows_of(counts: Counts) -> tuple[int, ...]:
    """The rows, in order."""
    return written_out(enumerate(counts))


def nearly_all_on_one_point(rows: int, others: tuple[int, ...]) -> list[Counts]:
    """The databases in which up to as many rows as `others` says are on points 1, 2, …, and the rest on point 0."""
    found: list[Counts] = [()]
    for most in others:
        found = [(*counts, count) for counts in found for count in range(most + 1)]
    return [(rows - sum(counts), *counts) for counts in found]


def move_one_row(counts: Counts) -> Iterator[Counts]:
    """The counts after one row is replaced by another."""
    for i, count in enumerate(counts):
        for j in range(len(counts)):
            if i != j and count:
                yield tuple(c - (k == i) + (k == j) for k, c in enumerate(counts))


# Theorem 4.6. The least m that its proof asks for; α = 1/2, so that four points are chosen.

_POINTS: Final = "Beimel, Nissim & Stemmer, journal version, Figure 9 and Theorem 4.6"


def _san_points(variant: str, rows: int, statement: str, **more: Any) -> Claim:
    given = {
        "source": _POINTS,
        "statement": f"{statement}, on {rows:,} rows of which up to two are on each of two other points",
        "mechanism": on_counts,
        "domain": nearly_all_on_one_point(rows, (2, 2)),
        "neighbours": move_one_row,
        "epsilon": 1,
        "delta": TENTH,
        "mutant": every_point_that_occurs,
        **more,
    }
    parameters = {"sanitizer": san_points, "d": 2, "alpha": HALF, "epsilon": given["epsilon"], "delta": TENTH}
    return Claim(id=f"BNS-J-4.6.privacy.{variant}", **{"parameters": parameters, **given})


def _printed(epsilon: ExactLike) -> int:
    return rows_for_san_points(alpha=HALF, beta=BETA, epsilon=epsilon, delta=TENTH)


def _by_parts(epsilon: Exact) -> dict[str, Any]:
    """Basic composition of 2/α choices, each (ε̃,αδ/5)-private, and 2/α counts, each ε̃-private."""
    parameters = {"sanitizer": san_points, "d": 2, "alpha": HALF, "epsilon": epsilon, "delta": TENTH}
    of_a_part = epsilon_of_a_part(alpha=HALF, epsilon=epsilon, delta=TENTH)
    return {"epsilon": 8 * of_a_part, "delta": 4 * HALF * TENTH / 5, "parameters": parameters}


_LEAST: Final = 1_362
"""The least number of rows for which SanPoints is private at ε = 1, δ = 1/10, α = 1/2 on these databases."""

points = (
    *(
        _san_points(
            f"printed{suffix}",
            _printed(epsilon),
            "SanPoints is (ε,1/10)-private for as many rows as its theorem asks for",
            epsilon=epsilon,
        )
        for suffix, epsilon in (("", exact(1)), ("-3", exact(3)))
    ),
    _san_points(
        "printed-by-parts",
        _printed(1),
        "what its parts give: SanPoints is ((4/α)·ε̃, 2δ/5)-private for as many rows as its theorem asks for",
        **_by_parts(exact(1)),
    ),
    _san_points(
        "printed-large-epsilon",
        _printed(1000),
        "SanPoints is (1000,1/10)-private for as many rows as its theorem asks for: already in which points it lists",
        mechanism=points_that_are_listed,
        epsilon=1000,
        expected=Status.REFUTED,
    ),
    _san_points("least", _LEAST, "SanPoints is (1,1/10)-private for as few rows as it can be"),
    _san_points(
        "below",
        _LEAST - 1,
        "SanPoints is (1,1/10)-private for one row less than that: already in which points it lists",
        mechanism=points_that_are_listed,
        expected=Status.REFUTED,
    ),
)

# Theorem 4.7, for pairs of points.

_PAIRS: Final = {"sanitizer": san_k_points, "d": 2, "k": 2, "alpha": BETA}
sets_of_points = Claim(
    id="BNS-J-4.7.privacy.printed",
    source="Beimel, Nissim & Stemmer, journal version, Figure 10 and Theorem 4.7",
    statement="the sanitizer of sets of two points is (1,1/10)-private for as many rows as SanPoints asks for at α/2",
    mechanism=on_counts,
    domain=nearly_all_on_one_point(rows_for_san_points(alpha=BETA / 2, beta=BETA, epsilon=1, delta=TENTH), (1, 1)),
    neighbours=move_one_row,
    epsilon=1,
    delta=TENTH,
    parameters={**_PAIRS, "epsilon": 1, "delta": TENTH},
    mutant=every_point_that_occurs,
)

# Lemma 4.8, where c is the number of calls. With α = 1 and m rows it asks for m ≥ (1024/ε)·ln(2048/(βεδ)).

_THRESHOLDS: Final = "Beimel, Nissim & Stemmer, journal version, Figure 11 and Lemma 4.8"
_LEMMA: Final = "(sqrt(8c·ln(1/(cδ)))·ε + 8cε², 5cδ)-private"


def _san_thresholds(variant: str, calls: int, eps: int, del_: Fraction, statement: str, **more: Any) -> Claim:
    """A claim of SanThresholds whose parts are run at ε = `eps` and δ = `del_`."""
    parameters = {"d": 2, "alpha": 1, "epsilon": eps, "delta": del_, "calls": calls, "selection": a_dist_journal}
    parameters |= more.pop("knobs", {})
    given = {
        "source": _THRESHOLDS,
        "mechanism": san_thresholds,
        "neighbours": replace_one,
        "epsilon": epsilon_of_san_thresholds(calls=calls, epsilon=eps, delta=del_),
        "delta": 5 * calls * del_,
        "mutant": with_the_last_row,
        "parameters": parameters,
        "statement": f"SanThresholds with {calls} {'call' if calls == 1 else 'calls'} at ε = {eps} {statement}",
        **more,
    }
    return Claim(id=f"BNS-J-4.8.privacy.{variant}", **given)


def _nearly_all(calls: int, epsilon: int, delta: Fraction) -> dict[str, Any]:
    return {
        "mechanism": on_counts,
        "domain": nearly_all_on_one_point(
            rows_for_private_san_thresholds(alpha=1, beta=BETA, epsilon=epsilon, delta=delta), (0, 0, 2)
        ),
        "neighbours": move_one_row,
        "mutant": counts_with_the_last_row,
        "parameters": {
            "sanitizer": san_thresholds,
            "d": 2,
            "alpha": 1,
            "epsilon": epsilon,
            "delta": delta,
            "calls": calls,
            "selection": a_dist_journal,
        },
    }


_TWO_HUNDREDTH: Final = Fraction(1, 200)
_HUNDREDTH: Final = Fraction(1, 100)
_TWENTIETH: Final = Fraction(1, 20)
_ENOUGH: Final = "for as many rows as the lemma asks for, of which up to two are on another point"
SEVEN_POINTS: Final = [tuple(range(7)), (*range(6), 8)]


thresholds = (
    *(
        claim
        for calls, epsilon, suffix in ((1, 10, ""), (2, 500, "-two-calls"))
        for claim in (
            _san_thresholds(
                f"printed{suffix}",
                calls,
                epsilon,
                _TWO_HUNDREDTH,
                f"is {_LEMMA} {_ENOUGH}",
                **_nearly_all(calls, epsilon, _TWO_HUNDREDTH),
            ),
            _san_thresholds(
                f"printed-by-parts{suffix}",
                calls,
                epsilon,
                _TWO_HUNDREDTH,
                f"is, as its parts give, (4cε, 2cδ)-private {_ENOUGH}",
                **_nearly_all(calls, epsilon, _TWO_HUNDREDTH)
                | {"epsilon": 4 * calls * epsilon, "delta": 2 * calls * _TWO_HUNDREDTH},
            ),
        )
    ),
    _san_thresholds(
        "printed-large-epsilon",
        1,
        1000,
        _TWO_HUNDREDTH,
        f"is {_LEMMA} for as many rows as the lemma asks for, which is seven",
        domain=SEVEN_POINTS,
        neighbours=the_other,
        mechanism=points_of_thresholds,
        expected=Status.REFUTED,
        knobs={"d": 4},
    ),
    _san_thresholds(
        "below",
        1,
        1,
        _HUNDREDTH,
        f"is {_LEMMA} on two rows, far fewer than the lemma asks for: already in which points it has",
        mechanism=points_of_thresholds,
        domain=Multisets(range(4), size=2),
        expected=Status.REFUTED,
    ),
    _san_thresholds(
        "recursive",
        2,
        1,
        _TWENTIETH,
        f"and base case 2 for RecConcave is {_LEMMA} on all databases of two rows on eight points",
        domain=Multisets(range(8), size=2),
        knobs={"d": 3, "base": 2, "depth": 2},
    ),
)

"""Privacy of SanPoints, and of the sanitizer of sets of k points: Section 4 of Beimel, Nissim & Stemmer."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.sanitizers.points_sanitizer import (
    epsilon_of_a_part,
    rows_for_sanitized_points,
    sanitize_k_points,
    sanitize_points,
)
from dpverify.mechanisms.selection.choosing import rows_needed_journal
from dpverify.reports.record import Boundary, Status
from dpverify.verifiers.catalogue.families import on_all
from dpverify.verifiers.catalogue.finite import LONG_DATABASES
from dpverify.verifiers.catalogue.refuted import ONE_LESS, degenerate
from dpverify.verifiers.catalogue.sanitizers.histograms.nearly_all_on_one_point import (
    BETA,
    Counts,
    every_point_that_occurs,
    move_one_row,
    nearly_all_on_one_point,
    on_counts,
    rows_of,
)
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.pairs.neighbours import replace_one
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.score_domains import OrMore

TENTH: Final = Fraction(1, 10)
HALF: Final = Fraction(1, 2)


def points_that_are_listed(draw: Draw, counts: Counts, *, sanitizer: Mechanism, **given: Any) -> Any:
    """Of what a sanitizer releases the points alone."""
    return tuple(x for x, _ in on_counts(draw, counts, sanitizer=sanitizer, **given))


def in_halves(rows: int) -> list[Counts]:
    """Neighbours: half of the rows are on each of two points, or one fewer: both are chosen, and both counts move."""
    half = rows // 2
    return [(rows - half + 1, half - 1, 0, 0), (rows - half, half, 0, 0)]


# Theorem 4.6. The least m that its proof asks for; α = 1/2, so that four points are chosen.

_DELTA_ALONE: Final = (
    "δ alone covers what the parts show, each of an ε̃ of ε/16 or so: what leaks most is which points are listed, and "
    "with so many rows on one point less noise lists fewer others, until all that is left of it is a sixteenth or less"
)
_SHARP_ELSEWHERE: Final = (
    f"{_DELTA_ALONE}; with half of 13,885 rows on each of two points pure ε 0.127 is needed where ε = 1 is claimed. At "
    "the least ε and δ it is sharp, in BNS-J-4.6.privacy.least-epsilon, and so is what the parts give at a smaller δ, "
    "in BNS-J-4.6.privacy.by-parts-halves"
)
_A_SEVENTEENTH: Final = LeastShare(share="15/256", below="7/128", because=_DELTA_ALONE)
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
        "finite_because": LONG_DATABASES,
        "weak_because": "" if more.get("expected") is Status.REFUTED or more.get("least") else _SHARP_ELSEWHERE,
        "stronger": [] if more.get("expected") is Status.REFUTED else [in_halves(rows)],
        **more,
    }
    parameters = {"sanitizer": sanitize_points, "d": 2, "alpha": HALF, "epsilon": given["epsilon"], "delta": TENTH}
    return Claim(id=f"BNS-J-4.6.privacy.{variant}", **{"parameters": parameters, **given})


def _printed(epsilon: ExactLike) -> int:
    return rows_for_sanitized_points(alpha=HALF, beta=BETA, epsilon=epsilon, delta=TENTH)


def _by_parts(epsilon: Exact) -> dict[str, Any]:
    """Basic composition of 2/α choices, each (ε̃,αδ/5)-private, and 2/α counts, each ε̃-private."""
    parameters = {"sanitizer": sanitize_points, "d": 2, "alpha": HALF, "epsilon": epsilon, "delta": TENTH}
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
            least=_A_SEVENTEENTH if epsilon == 1 else None,
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
        refutation=degenerate(
            "For so large an ε the proof asks for nine rows or fewer. The theorem states an order alone.",
            Boundary("791", "792"),
        ),
    ),
    _san_points("least", _LEAST, "SanPoints is (1,1/10)-private for as few rows as it can be", least=_A_SEVENTEENTH),
    _san_points(
        "below",
        _LEAST - 1,
        "SanPoints is (1,1/10)-private for one row less than that: already in which points it lists",
        mechanism=points_that_are_listed,
        expected=Status.REFUTED,
        refutation=ONE_LESS,
    ),
)

# As printed, with continuous noise on the counts, which are released.

points_printed = _san_points(
    "released-laplace",
    _LEAST,
    "SanPoints, whose counts get Lap(1/ε̃), is (1,1/10)-private for as few rows as it can be",
    parameters={
        "sanitizer": sanitize_points,
        "d": 2,
        "alpha": HALF,
        "epsilon": 1,
        "delta": TENTH,
        "released": laplace,
    },
)

# Theorem 4.7, for pairs of points.

_PAIRS: Final = {"sanitizer": sanitize_k_points, "d": 2, "k": 2, "alpha": BETA}
_ROWS_FOR_PAIRS: Final = rows_for_sanitized_points(alpha=BETA / 2, beta=BETA, epsilon=1, delta=TENTH)
sets_of_points = Claim(
    id="BNS-J-4.7.privacy.printed",
    source="Beimel, Nissim & Stemmer, journal version, Figure 10 and Theorem 4.7",
    statement="the sanitizer of sets of two points is (1,1/10)-private for as many rows as SanPoints asks for at α/2",
    mechanism=on_counts,
    domain=nearly_all_on_one_point(_ROWS_FOR_PAIRS, (1, 1)),
    neighbours=move_one_row,
    epsilon=1,
    delta=TENTH,
    parameters={**_PAIRS, "epsilon": 1, "delta": TENTH},
    mutant=every_point_that_occurs,
    finite_because=LONG_DATABASES,
    least=LeastShare(share="7/128", below="13/256", because=_DELTA_ALONE),
    stronger=[in_halves(_ROWS_FOR_PAIRS)],
)
sets_of_points_printed = replace(
    sets_of_points,
    id="BNS-J-4.7.privacy.released-laplace",
    statement="the sanitizer of sets of two points, whose counts get Lap(1/ε̃), is (1,1/10)-private for as many rows as "
    "SanPoints asks for at α/2",
    parameters={**sets_of_points.parameters, "released": laplace},
    least=None,
    weak_because=f"{_DELTA_ALONE}; at the least ε and δ it is sharp, in "
    "BNS-J-4.7.privacy.least-epsilon-released-laplace",
)

# Where δ is 1/10 it covers all that these databases show, and no noise on the counts is needed. Here it covers no more
# than which points are listed, and the ε that the counts need is a sixteenth of what is claimed of all parts together.


def _at_least(claim: Claim, said: str, delta: Fraction, epsilon: Fraction) -> Claim:
    """The claim at ε = 1 and δ = 1/10, at the δ that is needed there, and at the least ε then."""
    return replace(
        claim,
        id=f"{claim.id.removesuffix('.printed')}.least-epsilon",
        statement=f"{said}, with the noise for (1,1/10), is ({epsilon},{delta})-private for as many rows as "
        "its theorem asks for",
        epsilon=epsilon,
        delta=delta,
        weak_because="",
        least=None,
        stronger=(),  # in halves they need more
    )


# In halves its parts have a rational ε̃ here, without the square roots of the printed one: with these, continuous noise
# that is released is UNDECIDED where two numbers are all but equal.

_PART: Final = Fraction(1, 16)
_TWO_THIRDS: Final = Fraction(2, 3)
_MILLIONTH: Final = Fraction(1, 10**6)
_IN_HALVES: Final = rows_needed_journal(
    growth=1,
    alpha=_TWO_THIRDS / 2,
    beta=_TWO_THIRDS * BETA / 4,
    epsilon=_PART,
    delta=_TWO_THIRDS * _MILLIONTH / 5,
)


def counts_without_noise(draw: Draw, counts: Counts, **_: Any) -> Any:
    """Mutant: releases how often each point occurs as it is."""
    return counts


points_in_halves = tuple(
    Claim(
        id=f"BNS-J-4.6.privacy.by-parts-halves{suffix}",
        source=_POINTS,
        statement=f"what its parts give: SanPoints at α = 2/3{what}, with parts of ε̃ = {_PART}, is "
        f"(6ε̃, 3·αδ/5)-private, δ = 10⁻⁶, on {_IN_HALVES:,} rows, as many as its choices ask for, half of them on each "
        "of two points",
        mechanism=on_counts,
        domain=in_halves(_IN_HALVES),
        neighbours=move_one_row,
        epsilon=6 * _PART,
        delta=3 * _TWO_THIRDS * _MILLIONTH / 5,
        parameters={
            "sanitizer": sanitize_points,
            "d": 2,
            "alpha": _TWO_THIRDS,
            "epsilon": 1,
            "delta": _MILLIONTH,
            "epsilon_of_part": _PART,
            **released,
        },
        mutant=counts_without_noise,
        finite_because=LONG_DATABASES,
    )
    for suffix, what, released in (
        ("", "", {}),
        ("-released-laplace", ", with Lap(1/ε̃) on its counts", {"released": laplace}),
    )
)

sets_of_points_least = _at_least(
    sets_of_points, "the sanitizer of sets of two points", Fraction(12, 10**13), Fraction(3, 50)
)
points_least = _at_least(points[0], "SanPoints", Fraction(19, 10**13), Fraction(8, 125))
sets_of_points_least_printed = replace(
    sets_of_points_least,
    id="BNS-J-4.7.privacy.least-epsilon-released-laplace",
    statement=f"the same with Lap(1/ε̃) on its counts: {sets_of_points_least.statement}",
    parameters={**sets_of_points_least.parameters, "released": laplace},
)


# On databases of every size from the rows on that Theorem 13 asks for, of the sanitizers themselves.


def every_point_of_rows(draw: Draw, rows: tuple[int, ...], **_: Any) -> Any:
    """Mutant: lists all points that occur."""
    return tuple(sorted(set(rows)))


def _from_so_many_rows_on(
    row: str,
    mechanism: Mechanism,
    rows: int,
    choices: int,
    statement: str,
    least: LeastShare | None = None,
    **parameters: Any,
) -> Claim:
    """That its parts of ε = 1 make it (2·choices, 1/10)-private from so many rows on."""
    return Claim(
        id=f"{row}.privacy.by-parts-every-size",
        source=_POINTS,
        statement=f"what its parts give: {statement}, with parts of ε̃ = 1, is ({2 * choices},1/10)-private on two "
        f"points, from {rows} rows on",
        mechanism=mechanism,
        domain=[rows_of((rows - ones, ones)) for ones in (0, 1, rows // 2, rows // 2 + 1)],
        neighbours=replace_one,
        epsilon=2 * choices,
        delta=TENTH,
        parameters={"d": 1, "alpha": 1, "epsilon": 1, "delta": TENTH, "epsilon_of_part": 1, **parameters},
        **on_all(EveryDatabase(range(2), sizes=OrMore(rows))),
        mutant=every_point_of_rows,
        least=least,
    )


points_of_every_size = _from_so_many_rows_on("BNS-J-4.6", sanitize_points, 41, 2, "SanPoints at α = 1")
sets_of_points_of_every_size = _from_so_many_rows_on(
    "BNS-J-4.7",
    sanitize_k_points,
    104,
    4,
    "the sanitizer of sets of two points at α = 1",
    least=LeastShare(share="1/4", below="3/16", because="four choices and four counts are added up, of which two show"),
    k=2,
)

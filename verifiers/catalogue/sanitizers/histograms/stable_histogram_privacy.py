"""Privacy of the sanitizer for points of Bun, Nissim & Stemmer, Proposition 2.20.

The extraction of the paper fits two versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, Final

from dpverify.mechanisms.drawing.sorted_rows import in_sorted_order
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.sanitizers.stable_histogram import cut_off_histogram, stable_histogram
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.families import on_all
from dpverify.verifiers.catalogue.finite import DIVIDES
from dpverify.verifiers.catalogue.refuted import reconstruction
from dpverify.verifiers.charts.domains import Histograms
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import Multisets, Tuples

TENTH: Final = Fraction(1, 10)
IN_SORTED_ORDER: Final = in_sorted_order(stable_histogram)
"""The histogram on multisets: it goes through the rows, of which there are too many orders to run all."""


def counts_that_occur(draw: Draw, rows: Sequence[int], **_: Any) -> Any:
    """Mutant: lists all points that occur."""
    return tuple(sorted(set(rows)))


def listed_by_cut_offs(draw: Draw, rows: Sequence[int], *, epsilon: Exact, **given: Any) -> Any:
    """Of what the histogram with cut-offs releases the points alone."""
    return tuple(x for x, _ in cut_off_histogram(draw, rows, epsilon=epsilon, **given))


def on_two_points(rows: int, of_the_second: Iterable[int]) -> list[tuple[int, ...]]:
    """Databases of so many rows on the points 0 and 1, by how many are on the second."""
    return [(0,) * (rows - ones) + (1,) * ones for ones in of_the_second]


_BELOW: Final = (
    "the threshold lies above every count of so few rows, and with less noise less is released; of twelve rows, in "
    "BuNS-2.20.privacy.stability-twelve-rows, both counts are listed, and there three quarters of the noise are refuted"
)
BOTH_LISTED: Final = (on_two_points(40, (19, 20)), 1, TENTH**3)
"""A pair on which both counts are listed and move, which takes all of ε, where δ is too small to hide that."""
_POINTS: Final = "Bun, Nissim & Stemmer, Algorithm 1 and Proposition 2.20"
histograms = (
    Claim(
        id="BuNS-2.20.privacy.stability",
        source=_POINTS,
        statement="the stability-based histogram is (ε,1/10)-private on all sets of eight rows on three points",
        mechanism=IN_SORTED_ORDER,
        domain=Multisets(range(3), size=8),
        epsilon=1,
        delta=TENTH,
        parameters={"d": 2},
        finite_because=DIVIDES,
        mutant=counts_that_occur,
        stronger=[BOTH_LISTED],
    ),
    # Counts reach the threshold: from 7 rows on one point above, here from 13, and from 5 on 18 rows.
    Claim(
        id="BuNS-2.20.privacy.stability-fourteen-rows",
        source=_POINTS,
        statement="the stability-based histogram is (ε,1/100)-private on all sets of 14 rows on two points",
        mechanism=IN_SORTED_ORDER,
        domain=Multisets((0, 1), size=14),
        epsilon=1,
        delta=Fraction(1, 100),
        parameters={"d": 2},
        finite_because=DIVIDES,
        mutant=counts_that_occur,
        stronger=[BOTH_LISTED],
    ),
    Claim(
        id="BuNS-2.20.privacy.stability-three-rows",
        source=_POINTS,
        statement="the stability-based histogram is (4,1/1000)-private on all databases of three rows on three points",
        mechanism=stable_histogram,
        domain=Tuples(range(3), size=3),
        epsilon=4,
        delta=Fraction(1, 1000),
        parameters={"d": 2},
        finite_because=DIVIDES,
        mutant=counts_that_occur,
        weak_because=_BELOW,
    ),
    Claim(
        id="BuNS-2.20.privacy.cut-offs",
        source=_POINTS,
        statement="the histogram with cut-offs at α/8 and α/4, α = 1, is (8,1/100)-private on all sets of 18 rows",
        mechanism=in_sorted_order(cut_off_histogram),
        domain=Multisets((0, 1), size=18),
        epsilon=8,
        delta=Fraction(1, 100),
        parameters={"d": 1, "alpha": 1},
        finite_because=DIVIDES,
        mutant=counts_that_occur,
    ),
    Claim(
        id="BuNS-2.20.privacy.cut-offs-few-rows",
        source=_POINTS,
        statement="the histogram with cut-offs at α/8 and α/4, α = 1, is (1,1/10)-private on databases of three rows: "
        "already in which points it lists",
        mechanism=listed_by_cut_offs,
        domain=Tuples((0, 1), size=3),
        epsilon=1,
        delta=TENTH,
        parameters={"d": 1, "alpha": 1},
        expected=Status.REFUTED,
        refutation=reconstruction(
            "The text of this paper has lost its formulas, and admits two readings. This is the one with cut-offs in "
            "α; the other, a stability-based histogram, is private."
        ),
        mutant=counts_that_occur,
    ),
)

# From (16/(αε))·ln(2/δ) rows on: a point that occurs once more than αn/8 times needs noise of αn/8 to be listed, which
# it has with probability ½·e^(−εαn/16) or so, and half as many rows are not enough.


def with_half_the_cut_offs(draw: Draw, rows: Sequence[int], *, d: int, alpha: Fraction, epsilon: Exact) -> Any:
    """Mutant: cut-offs at α/16 and α/8."""
    return cut_off_histogram(draw, rows, d=d, alpha=alpha / 2, epsilon=epsilon)


of_enough_rows = tuple(
    Claim(
        id=f"BuNS-2.20.privacy.cut-offs-enough-rows{suffix}",
        source=_POINTS,
        statement=f"the histogram with cut-offs at α/8 and α/4, α = {alpha}, is (1, {delta})-private on n = {rows} ≥ "
        f"(16/(αε))·ln(2/δ) rows of two points, of which one occurs about αn/16 or αn/8 times{which}",
        mechanism=cut_off_histogram,
        domain=on_two_points(rows, counts),
        epsilon=1,
        delta=delta,
        parameters={"d": 2, "alpha": alpha},
        finite_because=DIVIDES,
        mutant=with_half_the_cut_offs,
        depth="report" if suffix else "quick",
    )
    for suffix, alpha, delta, rows, which, counts in (
        ("", Fraction(1, 2), Fraction(1, 1000), ceil(32 * log(2000)), "", (7, 8, 15, 16)),
        (
            "-more",
            Fraction(1, 4),
            Fraction(1, 10**6),
            ceil(64 * log(2 * 10**6)),
            ", or αn/4 times",
            (13, 14, 15, 28, 29, 30, 31, 57, 58, 59),
        ),
    )
)

# As printed, with continuous noise that is released. That a point shows which one row has brought has probability δ/4,
# whatever ε is: Pr[1 + Lap(2/ε) > 2·ln(2/δ)/ε + 1] is ½·δ/2.
histograms_printed = (
    *(
        Claim(
            id=f"BuNS-2.20.privacy.printed-stability{suffix}",
            source=_POINTS,
            statement=f"the stability-based histogram, with Lap(2/(εn)), is ({epsilon},{delta})-private on {which}",
            mechanism=IN_SORTED_ORDER,
            domain=domain,
            epsilon=epsilon,
            delta=delta,
            parameters={"d": 2, "noise": laplace},
            finite_because=DIVIDES,
            mutant=counts_that_occur,
            stronger=[BOTH_LISTED],
        )
        for suffix, which, domain, epsilon, delta in (
            ("", "all sets of eight rows on three points", Multisets(range(3), size=8), 1, TENTH),
            (
                "-fourteen-rows",
                "14 rows of which none, one, six or seven are on the second of two points",
                on_two_points(14, (0, 1, 6, 7)),
                1,
                Fraction(1, 100),
            ),
        )
    ),
    Claim(
        id="BuNS-2.20.privacy.printed-cut-offs",
        source=_POINTS,
        statement="the histogram with cut-offs at α/8 and α/4, α = 1, with Lap(2/(εn)), is (8,1/100)-private on 18 "
        "rows of which up to three are on the second of two points",
        mechanism=cut_off_histogram,
        domain=on_two_points(18, range(4)),
        epsilon=8,
        delta=Fraction(1, 100),
        parameters={"d": 1, "alpha": 1, "noise": laplace},
        finite_because=DIVIDES,
        mutant=counts_that_occur,
    ),
)


# Where both counts are listed all of ε is used: one row moves two counts, each of which has noise for ε/2. Of 39 rows
# the two counts may differ by one.
histograms_of_two_counts = tuple(
    Claim(
        id=f"BuNS-2.20.privacy.{variant}",
        source=_POINTS,
        statement=f"{what} is ({epsilon},{delta})-private on {rows} rows of which none, one, or about half are on the "
        "second of two points",
        mechanism=mechanism,
        domain=on_two_points(rows, (0, 1, rows // 2 - 1, rows // 2)),
        epsilon=epsilon,
        delta=delta,
        parameters=parameters,
        finite_because=DIVIDES,
        mutant=counts_that_occur,
    )
    for variant, what, mechanism, rows, epsilon, delta, parameters in (
        ("stability-twelve-rows", "the stability-based histogram", stable_histogram, 12, 4, TENTH**3, {"d": 2}),
        ("stability-forty-rows", "the stability-based histogram", stable_histogram, 40, 1, TENTH**3, {"d": 2}),
        ("stability-thirty-nine-rows", "the stability-based histogram", stable_histogram, 39, 1, TENTH**3, {"d": 2}),
        (
            "printed-stability-forty-rows",
            "the stability-based histogram, with Lap(2/(εn)),",
            stable_histogram,
            40,
            1,
            TENTH**3,
            {"d": 2, "noise": laplace},
        ),
        (
            "printed-cut-offs-halves",
            "the histogram with cut-offs at α/8 and α/4, α = 1, with Lap(2/(εn)),",
            cut_off_histogram,
            18,
            8,
            TENTH**2,
            {"d": 1, "alpha": 1, "noise": laplace},
        ),
    )
)


# Which points it lists, for databases of every size: by counts, and not by shares of the rows, which are a number away.


def listed_by_stability(
    draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, points: Sequence[int]
) -> tuple[int, ...]:
    """Of what the stability-based histogram releases the points alone, of these."""
    threshold, noise = 2 / epsilon * log(2 / delta) + 1, laplace(2 / epsilon)
    return tuple(x for x in points if rows.count(x) > 0 and rows.count(x) + draw(noise) > threshold)


def listed_at_half_the_threshold(
    draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, points: Sequence[int]
) -> tuple[int, ...]:
    """Mutant: the threshold for the square root of δ."""
    threshold, noise = log(2 / delta) / epsilon + 1, laplace(2 / epsilon)
    return tuple(x for x in points if rows.count(x) > 0 and rows.count(x) + draw(noise) > threshold)


listed = Claim(
    id="BuNS-2.20.privacy.listed",
    source=_POINTS,
    statement="which points the stability-based histogram lists, with Lap(2/(εn)), is (1,1/100)-private, for databases "
    "of every size on two points",
    mechanism=listed_by_stability,
    domain=Multisets((0, 1), size=24),
    **on_all(Histograms((0, 1))),
    epsilon=1,
    delta=Fraction(1, 100),
    parameters={"points": (0, 1)},
    mutant=listed_at_half_the_threshold,
)

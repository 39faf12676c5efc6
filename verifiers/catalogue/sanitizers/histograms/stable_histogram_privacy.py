"""Privacy of the sanitizer for points of Bun, Nissim & Stemmer, Proposition 2.20.

The extraction of the paper fits two versions.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, discrete_laplace, laplace, log, symbolic
from dpverify.mechanisms.drawing import in_sorted_order
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.sanitizers import cut_off_histogram, stable_histogram
from dpverify.verifiers import Histograms, Multisets, Tuples
from dpverify.verifiers.catalogue.families import HALF, HUNDREDTH, TENTH
from dpverify.verifiers.catalogue.finite import DIVIDES
from dpverify.verifiers.catalogue.mutants import Times, broken
from dpverify.verifiers.privacy.family import Row, family, rows_of

IN_SORTED_ORDER: Final = in_sorted_order(stable_histogram)
"""The histogram on multisets: it goes through the rows, of which there are too many orders to run all."""


def counts_that_occur(draw: Draw, rows: Sequence[int], **_: Any) -> Any:
    """Mutant: lists all points that occur."""
    return tuple(sorted(set(rows)))


def listed_by_cut_offs(draw: Draw, rows: Sequence[int], *, epsilon: Exact, **given: Any) -> Any:
    """The points alone of the output of the histogram with cut-offs."""
    return tuple(x for x, _ in cut_off_histogram(draw, rows, epsilon=epsilon, **given))


def on_two_points(rows: int, of_the_second: Iterable[int]) -> list[tuple[int, ...]]:
    """Databases of so many rows on the points 0 and 1, by how many are on the second."""
    return [(0,) * (rows - ones) + (1,) * ones for ones in of_the_second]


def listed_by_stability(draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, points: Sequence[int]) -> Any:
    """The points alone, among these, of the output of the stability-based histogram."""
    threshold, noise = 2 / epsilon * log(2 / delta) + 1, laplace(2 / epsilon)
    return tuple(x for x in points if rows.count(x) > 0 and rows.count(x) + draw(noise) > threshold)


def listed_at_half_the_threshold(
    draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, points: Sequence[int]
) -> tuple[int, ...]:
    """Mutant: the threshold for the square root of δ."""
    threshold, noise = log(2 / delta) / epsilon + 1, laplace(2 / epsilon)
    return tuple(x for x in points if rows.count(x) > 0 and rows.count(x) + draw(noise) > threshold)


BOTH_LISTED: Final = [(on_two_points(40, (19, 20)), 1, TENTH**3)]
"""A pair on which both counts are listed and move, which takes all of ε, where δ is too small to hide that."""
_PROPOSITION: Final = Row("BuNS-2.20.privacy.").having(
    source="Bun, Nissim & Stemmer, Algorithm 1 and Proposition 2.20", finite_because=DIVIDES, mutant=counts_that_occur
)
_HISTOGRAM: Final = (
    Row("stability", "the stability-based histogram ")
    .having(mechanism=IN_SORTED_ORDER, stronger=BOTH_LISTED)
    .run_with(d=2)
)
_PRINTED: Final = (
    Row("printed-stability", "the stability-based histogram, with Lap(2/(εn)), ")
    .having(mechanism=IN_SORTED_ORDER, stronger=BOTH_LISTED)
    .run_with(d=2, noise=laplace)
)
_CUT_OFFS: Final = (
    Row("{}cut-offs", "the histogram with cut-offs at α/8 and α/4, α = 1").having(epsilon=8).run_with(d=1, alpha=1)
)
histograms = family(
    _PROPOSITION,
    *rows_of(
        _HISTOGRAM,
        Row("", "is (ε,1/10)-private on all sets of eight rows on three points").having(
            domain=Multisets(range(3), size=8), epsilon=1, delta=TENTH
        ),
        # Counts reach the threshold: from 7 rows on one point above, here from 13, and from 5 on 18 rows.
        Row("-fourteen-rows", "is (ε,1/100)-private on all sets of 14 rows on two points").having(
            domain=Multisets((0, 1), size=14), epsilon=1, delta=HUNDREDTH
        ),
        Row("-three-rows", "is (4,1/1000)-private on all databases of three rows on three points")
        .having(mechanism=stable_histogram, domain=Tuples(range(3), size=3), epsilon=4, delta=Fraction(1, 1000))
        .having(stronger=())
        .having(
            weak_because="the threshold lies above every count of so few rows, and with less noise less is released; "
            "of twelve rows, in BuNS-2.20.privacy.stability-twelve-rows, both counts are listed, and there three "
            "quarters of the noise are refuted"
        ),
    ),
    Row("", ", is (8,1/100)-private on all sets of 18 rows")
    .having(mechanism=in_sorted_order(cut_off_histogram), domain=Multisets((0, 1), size=18), delta=HUNDREDTH)
    .of(_CUT_OFFS),
    Row("cut-offs-few-rows")
    .says(
        "the histogram with cut-offs at α/8 and α/4, α = 1, is (1,1/10)-private on databases of three rows: already in "
        "which points it lists"
    )
    .having(mechanism=listed_by_cut_offs, domain=Tuples((0, 1), size=3), epsilon=1, delta=TENTH, finite_because="")
    .having(
        reconstruction="The text of this paper has lost its formulas, and admits two readings. This is the one with "
        "cut-offs in α; the other, a stability-based histogram, is private."
    )
    .run_with(d=1, alpha=1),
)


# From (16/(αε))·ln(2/δ) rows on: a point that occurs once more than αn/8 times needs noise of αn/8 to be listed, which
# it has with probability ½·e^(−εαn/16) or so, and half as many rows are not enough.
def _enough_rows(name: str, alpha: Fraction, delta: Fraction, rows: int, counts: Iterable[int], which: str = "") -> Row:
    return (
        Row(name)
        .says(
            f"α = {alpha}, is (1, {delta})-private on n = {rows} ≥ (16/(αε))·ln(2/δ) rows of two points, of which one "
            f"occurs about αn/16 or αn/8 times{which}"
        )
        .having(domain=on_two_points(rows, counts), delta=delta)
        .run_with(d=2, alpha=alpha)
    )


_CUT_LOWER: Final = broken(cut_off_histogram, "with_half_the_cut_offs", "cut-offs at α/16 and α/8.", alpha=Times(HALF))
_MANY: Final = (13, 14, 15, 28, 29, 30, 31, 57, 58, 59)
of_enough_rows = family(
    Row("cut-offs-enough-rows", "the histogram with cut-offs at α/8 and α/4, ")
    .having(mechanism=cut_off_histogram, epsilon=1, mutant=_CUT_LOWER)
    .of(_PROPOSITION),
    _enough_rows("", Fraction(1, 2), Fraction(1, 1000), ceil(32 * log(2000)), (7, 8, 15, 16)),
    *rows_of(
        Row().having(depth="report"),
        _enough_rows("-more", Fraction(1, 4), TENTH**6, ceil(64 * log(2 * 10**6)), _MANY, ", or αn/4 times"),
    ),
)

# As printed, with continuous noise that is released. That a point shows which one row has brought has probability δ/4,
# whatever ε is: Pr[1 + Lap(2/ε) > 2·ln(2/δ)/ε + 1] is ½·δ/2.
histograms_printed = family(
    _PROPOSITION,
    Row("", "is (1,1/10)-private on all sets of eight rows on three points")
    .having(domain=Multisets(range(3), size=8), epsilon=1, delta=TENTH)
    .of(_PRINTED),
    Row("-fourteen-rows")
    .says("is (1,1/100)-private on 14 rows of which none, one, six or seven are on the second of two points")
    .having(domain=on_two_points(14, (0, 1, 6, 7)), epsilon=1, delta=HUNDREDTH)
    .of(_PRINTED),
    Row("", ", with Lap(2/(εn)), is (8,1/100)-private on 18 rows of which up to three are on the second of two points")
    .having(mechanism=cut_off_histogram, domain=on_two_points(18, range(4)), delta=HUNDREDTH)
    .of(Row("printed-").run_with(noise=laplace).of(_CUT_OFFS)),
)


# Where both counts are listed all of ε is used: one row moves two counts, each of which has noise for ε/2. Of 39 rows
# the two counts may differ by one.
def _two_counts(rows: int, name: str, epsilon: int, delta: Fraction) -> Row:
    return Row(
        name,
        f"is ({epsilon},{delta})-private on {rows} rows of which none, one, or about half are on the second of two "
        "points",
    ).having(domain=on_two_points(rows, (0, 1, rows // 2 - 1, rows // 2)), epsilon=epsilon, delta=delta, stronger=())


histograms_of_two_counts = family(
    _PROPOSITION,
    *rows_of(
        Row().having(mechanism=stable_histogram).of(_HISTOGRAM),
        _two_counts(12, "-twelve-rows", 4, TENTH**3),
        _two_counts(40, "-forty-rows", 1, TENTH**3),
        _two_counts(39, "-thirty-nine-rows", 1, TENTH**3),
    ),
    _two_counts(40, "-forty-rows", 1, TENTH**3).of(Row().having(mechanism=stable_histogram).of(_PRINTED)),
    _two_counts(18, "printed-cut-offs-halves", 8, TENTH**2).of(
        Row("", "the histogram with cut-offs at α/8 and α/4, α = 1, with Lap(2/(εn)), ")
        .having(mechanism=cut_off_histogram)
        .run_with(d=1, alpha=1, noise=laplace)
    ),
)

# Which points it lists, for databases of every size: by counts, and not by shares of the rows, which are a number away.
listed = family(
    _PROPOSITION,
    Row("listed")
    .says(
        "which points the stability-based histogram lists, with Lap(2/(εn)), is (1,1/100)-private, for databases of "
        "every size on two points"
    )
    .having(mechanism=listed_by_stability, domain=Multisets((0, 1), size=24), epsilon=1, delta=HUNDREDTH)
    .having(all_sizes=Histograms((0, 1)), finite_because="", mutant=listed_at_half_the_threshold)
    .run_with(points=(0, 1)),
)

# For every δ, every ε and databases of every size, by Theorem 10.
every_delta = family(
    Row("{}-every-delta")
    .says(
        "the stability-based histogram, with {}-private, for every ε > 0, every 0 < δ < 1 and databases of every size "
        "on four points"
    )
    .having(mechanism=stable_histogram, domain=Histograms(range(4)), epsilon=symbolic, finite_because="")
    .run_with(d=2)
    .of(_PROPOSITION),
    *rows_of(
        Row("printed-stability", "Lap(2/(εn)), is (ε,{})")
        .having(delta=symbolic_delta)
        .run_with(noise=laplace, delta=symbolic_delta),
        Row("", "δ"),
        Row("-quarter", "δ/4").having(delta=symbolic_delta / 4),
    ),
    Row("stability", "discrete Laplace noise on counts, is (ε,δ)")
    .having(delta=symbolic_delta)
    .run_with(noise=discrete_laplace, delta=symbolic_delta),
)

"""Counts, sums and means with noise for a sensitivity that is not theirs: bounds, row counts, units of the scale."""

from fractions import Fraction

from tests.outside.bugs.forms import bug

from dpverify.mechanisms import laplace
from dpverify.verifiers import Histograms, Multisets, Tuples, add_or_remove_one

F = Fraction
BITS = (0, 1)
NOISE_FOR_ONE = "noise for 1; the sum moves by "

# --- The noise of a mean depends on the number of rows, which is private

MEAN = bug(
    "mean with noise (U − L)/n, n private",
    "opendp/smartnoise-core 355, 356",
    "the number of rows, by which the noise is scaled, differs between neighbours",
    Multisets(BITS, sizes=range(1, 5)),
    add_or_remove_one,
)


@MEAN.buggy(None, "Laplace noise of two scales: the ratio of the densities has no bound")
def mean_of_all(draw, rows, *, epsilon):
    n = len(rows)
    return F(sum(rows), n) + draw(laplace(F(1, n) / epsilon))


@MEAN.buggy(None, "as before, between 6 and 7 rows", domain=Histograms(BITS))
def mean_of_seven(draw, rows, *, epsilon):
    n = rows.count(0) + rows.count(1)
    if n == 0:
        return 0
    ones = rows.count(1)
    return ones * F(1, 7) + draw(laplace(F(1, 7) / epsilon)) if n == 7 else ones + draw(laplace(1 / epsilon))


@MEAN.fixed(1, "by hand: a row moves sum and count by 1 each", domain=Multisets(BITS, sizes=range(5)), shown="≤")
def sum_count_and_ratio(draw, rows, *, epsilon):
    s = sum(rows) + draw(laplace(2 / epsilon))
    n = len(rows) + draw(laplace(2 / epsilon))
    return s, n, s / n


@MEAN.fixed(1, "by hand, an upper bound: 1/2 + 1/2", domain=Histograms(BITS), shown="no more")
def ratio(draw, rows, *, epsilon):
    return (rows.count(1) + draw(laplace(2 / epsilon))) / (len(rows) + draw(laplace(2 / epsilon)))


AVERAGE = bug(
    "an average is charged as one query",
    "opendp/smartnoise-sdk 385",
    "AVG is a noisy sum and a noisy count, each with the ε of the column",
    Multisets(BITS, sizes=range(4)),
    add_or_remove_one,
)


def sum_and_count(draw, rows, scale):
    return sum(rows) + draw(laplace(scale)), len(rows) + draw(laplace(scale))


@AVERAGE.buggy(2, "by hand: a row 1 moves both by 1, and one pair of tails attains 1 + 1")
def average_for_one(draw, rows, *, epsilon):
    return sum_and_count(draw, rows, 1 / epsilon)


@AVERAGE.fixed(1, "by hand: 1/2 + 1/2")
def average_for_two(draw, rows, *, epsilon):
    return sum_and_count(draw, rows, 2 / epsilon)


# --- The sensitivity is computed from the wrong bounds
SQUARES = bug(
    "second moment, lower bound taken twice",
    "IBM/differential-privacy-library 105",
    "the sensitivity of x² is the square of the lower bound, whatever the upper bound is",
    Multisets((-1, 0, 3), sizes=range(4)),
    add_or_remove_one,
)


def squares(draw, rows, bounds, epsilon):
    return sum(x * x for x in rows) + draw(laplace(max(abs(bound) for bound in bounds) ** 2 / epsilon))


@SQUARES.buggy(9, "by hand: " + NOISE_FOR_ONE + "9")
def squares_lower_bound(draw, rows, *, epsilon):
    return squares(draw, rows, (-1, -1), epsilon)


@SQUARES.buggy(9, "by hand, for any number of rows", domain=Histograms((-1, 0, 3)), shown="≥")
def squares_of_any_number(draw, rows, *, epsilon):
    return sum(x * x for x in rows) + draw(laplace(1 / epsilon))


@SQUARES.buggy(None, "the scale is 0: the sum is returned as it is", domain=Multisets((0, 3), sizes=range(4)))
def squares_lower_bound_zero(draw, rows, *, epsilon):
    return squares(draw, rows, (0, 0), epsilon)


@SQUARES.fixed(1, "by hand: 9 over 9")
def squares_both_bounds(draw, rows, *, epsilon):
    return squares(draw, rows, (-1, 3), epsilon)


@SQUARES.fixed(1, "by hand, for any number of rows", domain=Histograms((-1, 0, 3)), shown="no more")
def squares_of_any_number_fixed(draw, rows, *, epsilon):
    return sum(x * x for x in rows) + draw(laplace(9 / epsilon))


CENTRED = bug(
    "squares centred at the middle of the squared bounds",
    "OpenMined/PipelineDP pull 57",
    "bounds of two signs: 0 is farther from the middle than the square of the lower bound is",
    Multisets((-1, 0, 3), sizes=range(3)),
    add_or_remove_one,
)


def centred_squares(draw, rows, scale):
    return sum(x * x - 5 for x in rows) + draw(laplace(scale))


@CENTRED.buggy(F(5, 4), "by hand: 1 and 9 are 4 from the middle 5, and 0 is 5 from it")
def centred_by_a_bound(draw, rows, *, epsilon):
    return centred_squares(draw, rows, abs(5 - 1) / epsilon)


@CENTRED.fixed(1, "by hand: 5 over 5")
def centred_by_zero(draw, rows, *, epsilon):
    return centred_squares(draw, rows, 5 / epsilon)


VARIANCE = bug(
    "variance of rows that were never clipped",
    "opendp/smartnoise-sdk 622",
    "the clipped rows are computed, and the others are used",
    Tuples((0, 2, 10), size=3),
)


def variance(rows):
    n = len(rows)
    mean = F(sum(rows), n)
    return sum((x - mean) ** 2 for x in rows) / (n - 1)


def clipped(rows):
    return tuple(min(max(x, 0), 2) for x in rows)


@VARIANCE.buggy(25, "by hand: squares of distances grow by (10/2)²")
def variance_unclipped(draw, rows, *, epsilon):
    _ = clipped(rows)
    return variance(rows) + draw(laplace(F(4, 3) / epsilon))


@VARIANCE.fixed(1, "by hand: (2 − 0)²/3 is attained at (0, 0, 0)")
def variance_clipped(draw, rows, *, epsilon):
    return variance(clipped(rows)) + draw(laplace(F(4, 3) / epsilon))


# --- The scale itself
JOINT = bug(
    "noise of probabilities added to counts",
    "DataResponsibly/DataSynthesizer 34",
    "2/n is the sensitivity of shares, and the noise is added to counts",
    Multisets(BITS, size=4),
)


def both_counts(draw, rows, scale):
    return tuple(rows.count(value) + draw(laplace(scale)) for value in BITS)


@JOINT.buggy(4, "by hand: counts move by 2 in all, over 2/4")
def counts_noise_of_shares(draw, rows, *, epsilon):
    return both_counts(draw, rows, F(2, len(rows)) / epsilon)


@JOINT.fixed(1, "by hand: 2 over 2")
def counts_noise_of_counts(draw, rows, *, epsilon):
    return both_counts(draw, rows, 2 / epsilon)


BINARY = bug(
    "both bins of a binary histogram, noise for one",
    "opendp/smartnoise-core 360",
    "n is public, so that one count would do; but both are released with noise of their own",
    Multisets(BITS, size=3),
)


@BINARY.buggy(2, "by hand: a replaced row moves both counts by 1")
def two_bins(draw, rows, *, epsilon):
    return both_counts(draw, rows, 1 / epsilon)


@BINARY.fixed(1, "by hand: one count moves by 1, the other is post-processing")
def one_bin(draw, rows, *, epsilon):
    zeros = rows.count(0) + draw(laplace(1 / epsilon))
    return zeros, 3 - zeros


SCALE = bug(
    "Laplace(ε/L1) in a document",
    "WICG/attribution-reporting-api 1329",
    "the scale is upside down",
    Multisets((0, 4), sizes=range(3)),
    add_or_remove_one,
)


@SCALE.buggy(16, "by hand: 4 over 1/4")
def upside_down(draw, rows, *, epsilon):
    return sum(rows) + draw(laplace(epsilon / 4))


@SCALE.fixed(1, "by hand: 4 over 4")
def right_way_up(draw, rows, *, epsilon):
    return sum(rows) + draw(laplace(4 / epsilon))


BATCH = bug(
    "sensitivity divided by the batch size",
    "Tramèr et al. 2022",
    "the gradients are added up, and the noise is that of their mean",
    Multisets((-1, 1), size=4),
)


def gradients(draw, rows, scale):
    return sum(rows) + draw(laplace(scale))


@BATCH.buggy(4, "by hand: the sum moves by 2, over 2/4")
def noise_of_the_mean(draw, rows, *, epsilon):
    return gradients(draw, rows, F(2, len(rows)) / epsilon)


@BATCH.fixed(1, "by hand: 2 over 2")
def noise_of_the_sum(draw, rows, *, epsilon):
    return gradients(draw, rows, 2 / epsilon)


# --- The scale, or a bound, is read from the data
SEEN = bug(
    "noise by the largest sensitivity seen",
    "Chetty & Friedman 2019 (maximum observed sensitivity)",
    "the scale is the largest change that a row of these data makes: it is data",
    Multisets((0, 1, 5), sizes=range(1, 4)),
    add_or_remove_one,
)


@SEEN.buggy(None, "Laplace noise of two scales: the ratio of the densities has no bound")
def largest_seen(draw, rows, *, epsilon):
    n = len(rows)
    mean = F(sum(rows), n)
    seen = max(abs(mean - F(sum(rows) - x, max(1, n - 1))) for x in rows)
    return mean + draw(laplace(seen / epsilon)) if seen > 0 else mean


RANGE = bug(
    "mean with bounds read from the data",
    "IBM/differential-privacy-library 20; hazy/dpart pull 6; vanderschaarlab/synthcity 278",
    "where no bounds are given, those of the data are used",
    Multisets((0, 1, 4), size=2),
)


def mean_within(draw, rows, low, high, epsilon):
    return F(sum(rows), len(rows)) + draw(laplace(F(high - low, len(rows)) / epsilon))


@RANGE.buggy(None, "two scales; and of equal rows the mean is returned as it is")
def bounds_of_the_data(draw, rows, *, epsilon):
    low, high = min(rows), max(rows)
    return mean_within(draw, rows, low, high, epsilon) if low < high else low


@RANGE.buggy(None, "of equal rows the scale is 0: the mean itself")
def bounds_of_the_data_unguarded(draw, rows, *, epsilon):
    return mean_within(draw, rows, min(rows), max(rows), epsilon)


@RANGE.fixed(1, "by hand: 4/2 over 4/2")
def public_bounds(draw, rows, *, epsilon):
    return mean_within(draw, rows, 0, 4, epsilon)

"""What computers do with numbers, as models on integers: rounding, wrapping around, coarse noise, a fixed seed."""

from fractions import Fraction

from tests.outside.bugs.forms import bug

from dpverify.mechanisms import clamp, discrete_laplace, laplace
from dpverify.verifiers import Histograms, Multisets, Tuples, add_or_remove_one

F = Fraction

ROUNDED = bug(
    "repeated rounding of a sum",
    "Casacuberta et al. 2022",
    "a float of three bits: sums are rounded at each step, and a row moves the result by more than itself",
    Multisets((1, 3, 8), sizes=range(6)),
    add_or_remove_one,
)


def three_bits(x):
    excess = max(0, x.bit_length() - 3)
    return (x + (1 << excess >> 1) >> excess) << excess


@ROUNDED.buggy(F(3, 2), "all pairs, in integers")
def rounded_at_each_step(draw, rows, *, epsilon):
    total = 0
    for x in sorted(rows, reverse=True):
        total = three_bits(total + x)
    return total + draw(discrete_laplace(8 / epsilon))


@ROUNDED.fixed(1, "by hand: 8 over 8")
def exact_sum(draw, rows, *, epsilon):
    return sum(rows) + draw(discrete_laplace(8 / epsilon))


WRAPPED = bug(
    "a sum that wraps around",
    "Casacuberta et al. 2022 (overflow)",
    "ints of three bits: 3 + 1 is −4",
    Multisets((0, 1), sizes=range(6)),
    add_or_remove_one,
)


@WRAPPED.buggy(7, "by hand: from 3 to −4")
def wrapped_sum(draw, rows, *, epsilon):
    return (sum(rows) + 4) % 8 - 4 + draw(discrete_laplace(1 / epsilon))


@WRAPPED.fixed(1, "by hand: rows of one sign, kept within −4 and 3")
def saturated_sum(draw, rows, *, epsilon):
    return clamp(sum(rows), -4, 3) + draw(discrete_laplace(1 / epsilon))


DEVIATIONS = bug(
    "squared deviations from a rounded mean",
    "opendp/opendp 2923",
    "the mean loses its last digits; integers stand for a float's last bit",
    Multisets((0, 1), size=8),
)


def deviations(draw, rows, mean, epsilon):
    return sum((x - mean) ** 2 for x in rows) + draw(laplace(F(7, 8) / epsilon))


@DEVIATIONS.buggy(F(8, 7), "all nine databases, in integers")
def from_a_rounded_mean(draw, rows, *, epsilon):
    return deviations(draw, rows, round(F(sum(rows), 8)), epsilon)


@DEVIATIONS.buggy(
    None,
    "by hand, of the product of two counts: the other count has no bound",
    domain=Histograms((0, 1)),
    neighbours=add_or_remove_one,
    shown="≥",
)
def product_of_counts(draw, rows, *, epsilon):
    return rows.count(0) * rows.count(1) + draw(laplace(1 / epsilon))


@DEVIATIONS.fixed(1, "by hand: 7/8 over 7/8")
def from_the_mean(draw, rows, *, epsilon):
    return deviations(draw, rows, F(sum(rows), 8), epsilon)


GRID = bug(
    "noise on a coarser grid than the value",
    "Mironov 2012; prestodb/presto 23002",
    "far out, floats of the noise are farther apart than the values, and the last bit of a sum is that of the value",
    Tuples((0, 1), size=1),
)


@GRID.buggy(None, "by hand: the result is even where the value is")
def coarse_noise(draw, rows, *, epsilon):
    return rows[0] + 2 * draw(discrete_laplace(1 / epsilon))


@GRID.fixed(1, "by hand: 1 over 1")
def noise_on_the_grid(draw, rows, *, epsilon):
    return rows[0] + draw(discrete_laplace(1 / epsilon))


SEED = bug(
    "a default seed",
    "DataResponsibly/DataSynthesizer pull 46",
    "the generator starts from a seed that everybody knows, so that the noise is a constant",
    Multisets((0, 1), size=2),
)


def next_state(state):
    return (48271 * state) % 2147483647


@SEED.buggy(None, "by hand: the same noise on all databases")
def from_a_default_seed(draw, rows):
    return rows.count(1) + next_state(next_state(1)) % 7 - 3


@SEED.fixed(1, "by hand: 1 over 1")
def from_chance(draw, rows, *, epsilon):
    return rows.count(1) + draw(laplace(1 / epsilon))

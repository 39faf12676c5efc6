"""What is claimed of histograms.py, as it is, and of ways to break it."""

from fractions import Fraction

import numpy as np
from histograms import common_values, noisy_histogram, noisy_sum

from dpverify.verifiers import Claim, Status, Tuples

SOURCE = "histograms.py"
ROWS = Tuples(range(2), size=3)


def histogram(draw, rows, *, epsilon):
    """Two counts."""
    return noisy_histogram(rows, 2, epsilon=epsilon, rng=np.random.default_rng())


def common(draw, rows, *, epsilon, threshold):
    """Those of two values that are frequent."""
    return common_values(rows, 2, threshold, epsilon=epsilon, rng=np.random.default_rng())


def clipped_sum(draw, rows, *, epsilon):
    """The sum of values clipped at 2."""
    return noisy_sum(rows, 2, epsilon=epsilon, rng=np.random.default_rng())


def one_noise_for_all(draw, rows, *, epsilon, threshold):
    """The size of the noise is forgotten: all counts have the same."""
    noisy = np.bincount(rows, minlength=2) + np.random.default_rng().laplace(scale=2 / epsilon)
    return np.flatnonzero(noisy > threshold)


def half_the_noise(draw, rows, *, epsilon):
    """One count is thought to change."""
    return histogram(draw, rows, epsilon=2 * epsilon)


def noise_before_clipping(draw, rows, *, epsilon):
    """The sum without clipping."""
    rng, p = np.random.default_rng(), 1 - np.exp(-epsilon / 2)
    return sum(rows) + rng.geometric(p) - rng.geometric(p)


histogram_is_private = Claim(
    id="histograms.noisy_histogram",
    source=SOURCE,
    mechanism=histogram,
    domain=ROWS,
    epsilon=1,
    mutant=half_the_noise,
)
common_values_are_private = Claim(
    id="histograms.common_values",
    source=SOURCE,
    mechanism=common,
    domain=ROWS,
    epsilon=1,
    parameters={"threshold": Fraction(3, 2)},
    mutant=one_noise_for_all,
)
sum_is_private = Claim(
    id="histograms.noisy_sum",
    source=SOURCE,
    mechanism=clipped_sum,
    domain=Tuples((0, 1, 2, 5), size=2),
    epsilon=1,
    mutant=noise_before_clipping,
)
half_the_noise_is_not = Claim(
    id="histograms.noisy_histogram.half",
    source=SOURCE,
    mechanism=half_the_noise,
    domain=ROWS,
    epsilon=1,
    expected=Status.REFUTED,
)

"""What is claimed of histograms.py, as it is, and of ways to break it."""

from fractions import Fraction

import numpy as np
from histograms import common_values, noisy_histogram, noisy_sum

from dpverify.mechanisms import Rng, exact
from dpverify.mechanisms.outputs import as_array, as_outcome
from dpverify.verifiers import Claim, Status, Tuples

SOURCE = "histograms.py"
ROWS = Tuples(range(2), size=3)


def histogram(draw, rows, *, epsilon):
    """Two counts."""
    return as_outcome(noisy_histogram(as_array(rows), 2, epsilon=epsilon, rng=Rng(draw)))


def common(draw, rows, *, epsilon, threshold):
    """Those of two values that are frequent."""
    return as_outcome(common_values(as_array(rows), 2, threshold, epsilon=epsilon, rng=Rng(draw)))


def clipped_sum(draw, rows, *, epsilon):
    """The sum of values clipped at 2."""
    return noisy_sum(as_array(rows), 2, epsilon=exact(epsilon), rng=Rng(draw))


def one_noise_for_all(draw, rows, *, epsilon, threshold):
    """The size of the noise is forgotten: all counts have the same."""
    noisy = np.bincount(as_array(rows), minlength=2) + Rng(draw).laplace(scale=2 / epsilon)
    return as_outcome(np.flatnonzero(noisy > threshold))


def half_the_noise(draw, rows, *, epsilon):
    """One count is thought to change."""
    return histogram(draw, rows, epsilon=2 * epsilon)


def noise_before_clipping(draw, rows, *, epsilon):
    """The sum without clipping."""
    rng, p = Rng(draw), 1 - np.exp(-exact(epsilon) / 2)
    return as_array(rows).sum() + rng.geometric(p) - rng.geometric(p)


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

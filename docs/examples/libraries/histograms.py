"""Counts and sums with noise, as a library on numpy has them: nothing here knows that it is verified."""

import numpy as np


def noisy_histogram(values, bins, *, epsilon, rng):
    """How often each of the values 0, …, bins − 1 occurs, with Laplace noise: replacing a value changes two counts."""
    counts = np.bincount(values, minlength=bins)
    return counts + rng.laplace(scale=2 / epsilon, size=bins)


def common_values(values, bins, threshold, *, epsilon, rng):
    """The values whose noisy counts are above the threshold."""
    return np.flatnonzero(noisy_histogram(values, bins, epsilon=epsilon, rng=rng) > threshold)


def noisy_sum(values, largest, *, epsilon, rng):
    """The sum of whole values, each clipped to 0, …, largest, with the difference of two geometric numbers added."""
    p = 1 - np.exp(-epsilon / largest)
    return np.clip(values, 0, largest).sum() + rng.geometric(p) - rng.geometric(p)

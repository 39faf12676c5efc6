"""Randomized response and what is estimated from it, as a library on numpy has them."""

import numpy as np


def randomized(answers, *, epsilon, rng):
    """Answers of 0 or 1, each turned around with probability 1/(1 + e^ε)."""
    flips = rng.random(len(answers)) < 1 / (1 + np.exp(epsilon))
    return np.where(flips, 1 - answers, answers)


def estimated_total(answers, *, epsilon, rng):
    """How many answers are 1, without bias, from the randomized ones."""
    odds = np.exp(epsilon)
    ones = randomized(answers, epsilon=epsilon, rng=rng).sum()
    return ((1 + odds) * ones - len(answers)) / (odds - 1)

"""A winner by the exponential mechanism, as a library on numpy has it."""

import numpy as np


def chances(votes, candidates, *, epsilon):
    """The probability of each candidate, proportional to exp(ε·votes/2); the largest is taken off for floats' sake."""
    counts = np.array([np.count_nonzero(votes == candidate) for candidate in candidates])
    weights = np.exp(epsilon * (counts - counts.max()) / 2)
    return weights / weights.sum()


def winner(votes, candidates, *, epsilon, rng):
    """A candidate that many votes are for."""
    return rng.choice(candidates, p=chances(votes, candidates, epsilon=epsilon))


def ballots_to_audit(votes, count, *, rng):
    """Some of the votes, all different ones."""
    return np.sort(rng.choice(votes, size=count, replace=False))
